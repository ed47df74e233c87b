/* SPDX-License-Identifier: Apache-2.0 */
/* Credential helpers: the server's name on standard input, a login as JSON on
 * standard output. (docker/docker-credential-helpers) */
#include <string.h>

#include <envbuild/mem.h>
#include <envbuild/process.h>

#include "credential_int.h"

#define HELPER_SECONDS 30

static bool is_suffix(const char *s)
{
	return *s && !s[strspn(s, "abcdefghijklmnopqrstuvwxyz"
				  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")];
}

/* Helpers say so on standard output; some say it with more words. */
static bool says_none(const struct eb_buf *out)
{
	return strstr(out->data, "credentials not found") ||
	       strstr(out->data, "no credentials server URL");
}

/* What a helper says may be its JSON: that is never shown. */
static char *last_line(struct eb_buf *b)
{
	char *text = eb_strip(b->data), *line = strrchr(text, '\n');

	line = line ? line + 1 : text;
	return strpbrk(line, "{}") ? eb_strdup("")
				   : eb_secret_redact(line, NULL);
}

static int ended_badly(const char *program, const char *server, int status,
		       struct eb_buf *out, struct eb_buf *errout,
		       struct eb_error *err)
{
	eb_autofree char *said = last_line(errout->len ? errout : out);

	return eb_err_set(err, EB_REFUSED,
			  "\"%s\", asking for the login of \"%s\": exit "
			  "status %d%s%s",
			  program, server, status, *said ? ": " : "", said);
}

static int read_answer(const char *program, const char *server,
		       const char *file, const struct eb_buf *text,
		       struct eb_credential *out, struct eb_error *err)
{
	struct eb_error bad = EB_ERROR_INIT;
	eb_autosecretjson json_t *j =
		eb_secret_json(text->data, text->len, program, &bad);
	const char *user = j ? eb_json_str(j, "Username") : NULL;
	const char *secret = j ? eb_json_str(j, "Secret") : NULL;

	eb_err_release(&bad);
	if (!user || !secret || text->overflow)
		return eb_err_set(err, EB_REFUSED,
				  "\"%s\", asking for the login of \"%s\": the "
				  "answer is no object with \"Username\" and "
				  "\"Secret\"",
				  program, server);
	if (!*secret)
		return 0;
	if (!strcmp(user, "<token>")) {
		out->identity_token = eb_strdup(secret);
	} else {
		out->user = eb_strdup(user);
		out->password = eb_strdup(secret);
	}
	out->from = eb_asprintf("%s (of %s)", program, file);
	return 1;
}

static int not_installed(const char *program, const char *server,
			 const char *file, struct eb_error *err)
{
	eb_err_set(err, EB_MACHINE,
		   "\"%s\", asking for the login of \"%s\": there is no such "
		   "program in PATH",
		   program, server);
	return eb_err_hint(err,
			   "\"%s\" names it; install it, or take it out "
			   "there",
			   file);
}

/* Over what reading the helper's pipe has left on the stack. */
__attribute__((noinline)) static void clean_stack(void)
{
	char room[48 << 10];

	explicit_bzero(room, sizeof room);
}

static int run(const char *program, const char *server, const char *file,
	       struct eb_credential *out, struct eb_error *err)
{
	EB_SECRETBUF(text, EB_MAX_SECRET_JSON);
	EB_SECRETBUF(errors, EB_MAX_SECRET_JSON);
	const char *argv[] = { program, "get", NULL };
	int status, ran;

	ran = eb_process_run(argv, NULL, server, strlen(server),
			     EB_MAX_SECRET_JSON, HELPER_SECONDS, &text, &errors,
			     &status, err);
	clean_stack();
	if (ran < 0) {
		if (err->code == EB_STEP) /* too slow */
			err->code = EB_REFUSED;
		return -1;
	}
	if (status == 0)
		return read_answer(program, server, file, &text, out, err);
	if (says_none(&text))
		return 0;
	return ended_badly(program, server, status, &text, &errors, err);
}

int eb_login_helper(const char *suffix, const char *server, const char *file,
		    struct eb_credential *out, struct eb_error *err)
{
	eb_autofree char *program = NULL, *path = NULL;

	if (!is_suffix(suffix)) {
		eb_err_set(err, EB_INPUT,
			   "\"%s\", reading: \"%s\" is no name of a "
			   "credential helper",
			   file, suffix);
		return eb_err_at(err, file, 0, 0);
	}
	program = eb_asprintf("docker-credential-%s", suffix);
	path = eb_find_program(program);
	if (!path)
		return not_installed(program, server, file, err);
	return run(program, server, file, out, err);
}
