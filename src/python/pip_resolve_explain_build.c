/* SPDX-License-Identifier: Apache-2.0 */
/* An sdist whose metadata has to be built: it cannot be here, or it did not
 * work elsewhere. */
#include "pip_resolve_int.h"

#include <string.h>

/* "future==0.17.1" or "horovod @ https://...": the name. */
static char *name_of(const char *stop)
{
	eb_autofree char *raw = eb_strndup(stop, strcspn(stop, "=[ @"));

	return eb_project_name(raw);
}

/* What says that a compiler or its like is missing or failed. */
static const char *const compiling[] = {
	"error: command 'gcc'",
	"error: command 'g++'",
	"error: command 'cc'",
	"error: command 'x86_64",
	"error: command 'aarch64",
	"unable to execute 'gcc'",
	"unable to execute 'x86_64",
	"unable to execute 'cc'",
	"No such file or directory: 'gcc'",
	"No such file or directory: 'cmake'",
	"CMake must be installed",
	"Unable to find CMake",
	"Unknown compiler",
	"can't find Rust compiler",
	"Cargo, the Rust package manager, is not installed",
	"pg_config executable not found",
	"mysql_config not found",
	"Could not find a compiler",
	NULL,
};

static const char *compile_words(const char *text)
{
	for (size_t i = 0; compiling[i]; i++) {
		const char *at = strstr(text, compiling[i]);

		if (at)
			return at;
	}
	return NULL;
}

/* The line around `at`. */
static char *whole_line(const char *text, const char *at)
{
	while (at > text && at[-1] != '\n')
		at--;
	at += strspn(at, " \t");
	return eb_strndup(at, strcspn(at, "\n"));
}

/* Of what the build wrote, before uv's advice: the last line. */
static char *last_line(const char *text)
{
	const char *hint = strstr(text, "\nhint:");
	size_t n = hint ? (size_t)(hint - text) : strlen(text);
	const char *end = text + n;

	while (end > text && strchr(" \t\n", end[-1]))
		end--;
	n = (size_t)(end - text);
	for (const char *p = end; p > text && p[-1] != '\n'; p--)
		n--;
	while (text + n < end && strchr(" \t", text[n]))
		n++;
	return eb_strndup(text + n, (size_t)(end - text) - n);
}

static int at_line(struct eb_resolving *z, const char *name,
		   struct eb_error *err)
{
	const struct eb_pip_set *set = z->r->set;

	for (size_t i = 0; i < set->n; i++) {
		const struct eb_pip_line *l = &set->requirement[i];

		if (l->name && strcmp(l->name, name) == 0)
			return eb_err_at(err, l->file, l->line, l->column);
	}
	for (size_t i = 0; i < z->log.n; i++)
		if (strcmp(z->log.edge[i].name, name) == 0)
			return eb_resolve_at(z, &z->log.edge[i], err);
	return -1;
}

int eb_resolve_explain_build(struct eb_resolving *z, struct eb_error *err)
{
	eb_autofree char *name = name_of(z->stop);
	const char *at = compile_words(z->log.text);
	eb_autofree char *line =
		at ? whole_line(z->log.text, at) : last_line(z->log.text);

	if (!z->away) {
		eb_err_set(err, EB_NO,
			   "\"%s\" has no wheel, and only building it tells "
			   "what it requires",
			   z->stop);
		eb_err_hint(err, z->what ? "a build takes wheels alone"
					 : "that takes the environment's own "
					   "Python in a sandbox, which cannot "
					   "be had here");
	} else if (at) {
		eb_err_set(err, EB_NO, "\"%s\" needs compiling: %s", z->stop,
			   line);
		eb_err_hint(err, "name a version that has a wheel, or a base "
				 "image or --build-base with the compiler");
	} else {
		eb_err_set(err, EB_STEP,
			   "\"%s\", building what tells its requirements: %s",
			   z->stop, line);
		eb_err_hint(err, "-v shows all that the build said");
	}
	if (z->what)
		eb_err_prefix(err, "%s", z->what);
	return at_line(z, name, err);
}
