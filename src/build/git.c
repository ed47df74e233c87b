/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of git: what it may do, and what went wrong. */
#include "git.h"

#include <string.h>

#include <envbuild/credential.h>
#include <envbuild/file.h>
#include <envbuild/process.h>

#include "git_run.h"

#define SAID_MAX ((size_t)1 << 20)
#define TIME_S 900
#define SSH_OPTIONS "-o BatchMode=yes -o ConnectTimeout=30"

extern char **environ;

bool eb_git_is_ssh(const struct eb_git *g)
{
	return eb_starts(g->url, "ssh://");
}

static bool is_local(const struct eb_git *g)
{
	return eb_starts(g->url, "file:");
}

/* --- the environment --------------------------------------------------------
 */
/* What the user's configuration says of ssh, or NULL. */
static char *configured_ssh(void)
{
	const char *const argv[] = { "git", "config", "--get",
				     "core.sshCommand", NULL };
	struct eb_error none EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_AUTOBUF(said, EB_MAX_TEXT);
	int status = 1;

	if (eb_process_run(argv, NULL, NULL, 0, EB_MAX_TEXT, 10, &said, NULL,
			   &status, &none) < 0 ||
	    status || !said.len)
		return NULL;
	return eb_strdup(eb_strip(said.data));
}

/* As git chooses it; other programs than ssh do not know its options. */
static void add_ssh(struct eb_strv *env)
{
	const char *command = getenv("GIT_SSH_COMMAND");
	const char *program = getenv("GIT_SSH");
	const char *variant = getenv("GIT_SSH_VARIANT");
	eb_autofree char *said = NULL;

	if (variant && *variant)
		eb_strv_addf(env, "GIT_SSH_VARIANT=%s", variant);
	if ((!command || !*command) && program && *program &&
	    !strchr(program, '\''))
		command = said = eb_asprintf("'%s'", program);
	if (!command || !*command)
		command = said = configured_ssh();
	eb_strv_addf(env, "GIT_SSH_COMMAND=%s%s",
		     command && *command ? command : "ssh",
		     variant && *variant && strcmp(variant, "ssh")
			     ? ""
			     : " " SSH_OPTIONS);
}

static void environment(const struct eb_git *g, struct eb_strv *env)
{
	struct eb_strv urls = { (char *[]){ (char *)g->url }, 1, 1 };

	for (char **e = environ; *e; e++)
		if (!eb_starts(*e, "GIT_") && !eb_starts(*e, "LC_") &&
		    !eb_starts(*e, "LANG"))
			eb_strv_add(env, *e);
	eb_strv_add(env, "LC_ALL=C"); /* its words are looked at */
	eb_strv_add(env, "GIT_TERMINAL_PROMPT=0");
	eb_strv_add(env, "GIT_ASKPASS=");
	eb_strv_add(env, "SSH_ASKPASS_REQUIRE=never");
	eb_strv_addf(env, "GIT_ALLOW_PROTOCOL=https:http:ssh:git%s",
		     is_local(g) ? ":file" : "");
	eb_strv_add(env, "GIT_LFS_SKIP_SMUDGE=1");
	if (eb_git_is_ssh(g))
		add_ssh(env);
	eb_git_logins(&urls, env);
}

static void release_env(struct eb_strv *env)
{
	for (size_t i = 0; i < env->n; i++)
		if (eb_starts(env->v[i], "GIT_CONFIG_VALUE_"))
			explicit_bzero(env->v[i], strlen(env->v[i]));
	eb_strv_release(env);
}

/* --- what went wrong --------------------------------------------------------
 */
static const struct sign {
	const char *words;
	enum eb_code code;
	const char *advice;
} signs[] = {
	{ "REMOTE HOST IDENTIFICATION HAS CHANGED", EB_REFUSED,
	  "its key is another than ~/.ssh/known_hosts has: ask its operator" },
	{ "Host key verification failed", EB_REFUSED,
	  "its key is not in ~/.ssh/known_hosts: connect once by ssh, and "
	  "compare its fingerprint with what its operator says" },
	{ "Permission denied (", EB_REFUSED,
	  "ssh asks for a key that the host knows: `ssh-add` puts one into the "
	  "agent (SSH_AUTH_SOCK), ~/.ssh/config names one; a key with a "
	  "passphrase has to be in the agent" },
	{ "Too many authentication failures", EB_REFUSED,
	  "~/.ssh/config names the key for a host (IdentityFile, with "
	  "IdentitiesOnly yes)" },
	{ "could not read Username", EB_REFUSED,
	  "write a token into the URL (https://${TOKEN}@HOST/...), or have one "
	  "in ~/.netrc" },
	{ "could not read Password", EB_REFUSED,
	  "write a token into the URL (https://${TOKEN}@HOST/...), or have one "
	  "in ~/.netrc" },
	{ "Authentication failed", EB_REFUSED,
	  "the token or password is not taken" },
	{ "The requested URL returned error: 401", EB_REFUSED,
	  "write a token into the URL (https://${TOKEN}@HOST/...), or have one "
	  "in ~/.netrc" },
	{ "The requested URL returned error: 403", EB_REFUSED,
	  "the login may not read this repository" },
	{ "cannot run ssh", EB_MACHINE, "install ssh on this machine" },
	{ "ssh: not found", EB_MACHINE, "install ssh on this machine" },
	{ "ssh: command not found", EB_MACHINE, "install ssh on this machine" },
};

static const struct sign *sign_of(const char *said)
{
	for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
		if (strstr(said, signs[i].words))
			return &signs[i];
	return NULL;
}

/* The line with these words, else what ssh says, else git's first error, else
 * the last. */
static char *words_of(const struct eb_buf *said, const char *words)
{
	eb_autofree char *text = eb_url_redact(said->data);
	char *line = eb_strip(text), *last = strrchr(line, '\n');
	char *at = words ? strstr(line, words) : strstr(line, "ssh: ");

	at = at ? at : strstr(line, "fatal: ");
	at = at ? at : last ? last + 1 : line;
	while (at > line && at[-1] != '\n')
		at--;
	at[strcspn(at, "\r\n")] = '\0';
	return eb_printable(at);
}

static int explain(const struct eb_git *g, const struct eb_buf *said,
		   struct eb_error *err)
{
	const struct sign *s = sign_of(said->data);
	eb_autofree char *words = words_of(said, s ? s->words : NULL);

	eb_err_set(err, s ? s->code : EB_NETWORK,
		   "\"%s\", fetching it by git: %s", g->shown, words);
	return s ? eb_err_hint(err, "%s", s->advice) : -1;
}

/* --- a call -----------------------------------------------------------------
 */
int eb_git_try(const struct eb_git *g, const char *const *argv,
	       struct eb_buf *said, int *status, struct eb_error *err)
{
	EB_CLEANUP(release_env) struct eb_strv env = { 0 };

	environment(g, &env);
	eb_buf_reset(said);
	if (eb_process_run(argv, (const char *const *)env.v, NULL, 0, SAID_MAX,
			   TIME_S, said, said, status, err) < 0)
		return eb_err_prefix(err, "\"%s\", fetching it by git",
				     g->shown);
	return 0;
}

int eb_git_run(const struct eb_git *g, const char *const *argv,
	       struct eb_buf *said, struct eb_error *err)
{
	int status = 0;

	if (eb_git_try(g, argv, said, &status, err) < 0)
		return -1;
	return status ? explain(g, said, err) : 0;
}

/* --- can it be? -------------------------------------------------------------
 */
static int missing(const struct eb_git *g, const char *program,
		   struct eb_error *err)
{
	eb_err_set(err, EB_MACHINE,
		   "\"%s\", fetching it: there is no program \"%s\"", g->shown,
		   program);
	return eb_err_hint(err, "install %s on this machine", program);
}

static bool has_program(const char *name)
{
	eb_autofree char *path = eb_find_program(name);

	return path != NULL;
}

static bool names_ssh(void)
{
	eb_autofree char *configured = NULL;

	if (getenv("GIT_SSH_COMMAND") || getenv("GIT_SSH"))
		return true;
	configured = configured_ssh();
	return configured != NULL;
}

int eb_git_check(const struct eb_build *b, const struct eb_git *g,
		 struct eb_error *err)
{
	if (b->config->offline && !is_local(g))
		return eb_err_set(err, EB_NETWORK,
				  "\"%s\", fetching it by git: --offline "
				  "forbids it",
				  g->shown);
	if (!has_program("git"))
		return missing(g, "git", err);
	if (eb_git_is_ssh(g) && !has_program("ssh") && !names_ssh())
		return missing(g, "ssh", err);
	return 0;
}
