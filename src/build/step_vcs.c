/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A commit of a repository, by this machine's git. What git runs of a
 * repository (hooks, filters) needs a configuration that a clone does not
 * bring; it is told to run none all the same.
 */
#include <string.h>

#include <envbuild/credential.h>
#include <envbuild/file.h>
#include <envbuild/process.h>

#include "step_source.h"

#define SAID_MAX ((size_t)1 << 20)
#define TIME_S 900

extern char **environ;

/* "git+https://..." is written so in requirements. */
static const char *plain_url(const char *url)
{
	return eb_starts(url, "git+") ? url + strlen("git+") : url;
}

static void environment(const char *url, struct eb_strv *env)
{
	struct eb_strv urls = { (char *[]){ (char *)url }, 1, 1 };

	for (char **e = environ; *e; e++)
		if (!eb_starts(*e, "GIT_"))
			eb_strv_add(env, *e);
	eb_strv_add(env, "GIT_TERMINAL_PROMPT=0");
	eb_strv_add(env, "GIT_ALLOW_PROTOCOL=https:http:ssh:git:file");
	eb_strv_add(env, "GIT_LFS_SKIP_SMUDGE=1");
	eb_git_logins(&urls, env);
}

static void release_env(struct eb_strv *env)
{
	for (size_t i = 0; i < env->n; i++)
		if (eb_starts(env->v[i], "GIT_CONFIG_VALUE_"))
			explicit_bzero(env->v[i], strlen(env->v[i]));
	eb_strv_release(env);
}

/* The last line that git said. */
static char *last_words(const struct eb_buf *said)
{
	eb_autofree char *text = eb_url_redact(said->data);
	char *line = eb_strip(text), *last = strrchr(line, '\n');

	return eb_printable(last ? last + 1 : line);
}

static int git(struct eb_build *b, const struct eb_pin *pin,
	       const char *const *argv, struct eb_buf *said,
	       struct eb_error *err)
{
	EB_CLEANUP(release_env) struct eb_strv env = { 0 };
	char *url = eb_fetch_pin_url(b, pin);
	eb_autofree char *words = NULL;
	int status = 0;

	environment(url, &env);
	eb_secret_free(url);
	eb_buf_reset(said);
	if (eb_process_run(argv, (const char *const *)env.v, NULL, 0, SAID_MAX,
			   TIME_S, said, said, &status, err) < 0)
		return eb_err_prefix(err, "\"%s\", fetching it by git",
				     pin->url);
	if (status == 0)
		return 0;
	words = last_words(said);
	return eb_err_set(err, EB_NETWORK, "\"%s\", fetching it by git: %s",
			  pin->url, words);
}

static bool is_commit(const char *text)
{
	size_t n = text ? strspn(text, "0123456789abcdef") : 0;

	return n >= 40 && n <= 64 && !text[n];
}

static int check_kind(const struct eb_build *b, const struct eb_pin *pin,
		      struct eb_error *err)
{
	eb_autofree char *program = eb_find_program("git");

	if (pin->vcs && strcmp(pin->vcs, "git")) {
		eb_err_set(err, EB_INPUT,
			   "\"%s\" lies in a repository of %s; only git is "
			   "known",
			   pin->url, pin->vcs);
		return eb_err_hint(err, "name an archive of it by its URL");
	}
	if (!is_commit(pin->commit))
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" has no commit in the lock", pin->url);
	if (b->config->offline && !eb_starts(pin->url, "file:"))
		return eb_err_set(err, EB_NETWORK,
				  "\"%s\", fetching it by git: --offline "
				  "forbids it",
				  pin->url);
	if (program)
		return 0;
	eb_err_set(err, EB_MACHINE,
		   "\"%s\", fetching it: there is no program \"git\"",
		   pin->url);
	return eb_err_hint(err, "install git on this machine");
}

static int check_commit(struct eb_build *b, const struct eb_pin *pin,
			const char *dir, struct eb_buf *said,
			struct eb_error *err)
{
	const char *const head[] = {
		"git", "-C", dir, "rev-parse", "HEAD", NULL
	};

	if (git(b, pin, head, said, err) < 0)
		return -1;
	if (!strcmp(eb_strip(said->data), pin->commit))
		return 0;
	return eb_err_set(err, EB_INTEGRITY,
			  "\"%s\", fetching it by git: it gave commit %s for "
			  "%s",
			  pin->url, said->data, pin->commit);
}

/* What comes first in every call: hooks are switched off. */
#define GIT "git", "-c", "core.hooksPath=/dev/null"

int eb_step_checkout(struct eb_build *b, const struct eb_pin *pin,
		     const char *dir, struct eb_error *err)
{
	const char *const clone[] = { GIT,	 "clone",
				      "--quiet", "--no-checkout",
				      "--",	 plain_url(pin->url),
				      dir,	 NULL };
	const char *const checkout[] = { GIT,	     "-C",	  dir,
					 "checkout", "--quiet",	  "--force",
					 "--detach", pin->commit, "--",
					 NULL };
	const char *const submodules[] = { GIT,		"-C",	       dir,
					   "submodule", "--quiet",     "update",
					   "--init",	"--recursive", NULL };
	EB_AUTOBUF(said, SAID_MAX);

	if (check_kind(b, pin, err) < 0 || git(b, pin, clone, &said, err) < 0 ||
	    git(b, pin, checkout, &said, err) < 0 ||
	    git(b, pin, submodules, &said, err) < 0)
		return -1;
	return check_commit(b, pin, dir, &said, err);
}
