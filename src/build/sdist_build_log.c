/* SPDX-License-Identifier: Apache-2.0 */
/* What a build said: kept beside the logs of runs, and read for what it
 * lacked. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <envbuild/file.h>

#include "sdist_build.h"

/* It lies where the limit of a build's disk counts it. */
int eb_sdist_build_log_open(struct eb_sdist_build *s, struct eb_error *err)
{
	eb_autofree char *path = eb_path_join(s->dir, "log/build");

	s->log = open(path, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC,
		      0600);
	if (s->log < 0)
		return eb_err_errno(err, EB_MACHINE, errno, "\"%s\", making",
				    path);
	return 0;
}

char *eb_sdist_build_log_keep(struct eb_sdist_build *s)
{
	return eb_step_log_keep(s->log, s->pin->name);
}

/* --- what it lacked
 * -----------------------------------------------------------
 */
struct sign {
	const char *words; /* in the log; %s stands for a name */
	const char *advice;
};

#define CC_ADVICE                                                       \
	"a --build-base with one, or the conda package "                \
	"\"c-compiler\" (\"gcc_linux-64\"; for C++ \"cxx-compiler\"), " \
	"brings a compiler"

static const struct sign signs[] = {
	{ "No module named 'setuptools'",
	  "there is no setuptools: an isolated build gets what its "
	  "pyproject.toml requires, one without isolation what the "
	  "environment has; add \"setuptools\" to it" },
	{ "No module named 'wheel'", "there is no wheel: add \"wheel\" to what "
				     "it is built with" },
	{ "invalid command 'bdist_wheel'",
	  "there is no wheel: add \"wheel\" to the environment" },
	{ "-m', 'pip'",
	  "its setup.py wants to install what it requires while "
	  "it is built; --no-build-isolation=NAME builds it in "
	  "the environment, where the pip section can have that" },
	{ "Python.h: No such file", "the environment's python brings no "
				    "headers" },
	{ "No CMAKE_C_COMPILER could be found", CC_ADVICE },
	{ "No CMAKE_CXX_COMPILER could be found", CC_ADVICE },
	{ "cc1plus'", CC_ADVICE },
	{ "mpicxx -show failed",
	  "it needs MPI's compiler: a --build-base with that "
	  "(\"libopenmpi-dev\" of Debian) brings it" },
	{ "can't find Rust compiler",
	  "it needs Rust: in a --build-base, or the conda package \"rust\"" },
	{ "name resolution", "a build has no network: what it needs has to be "
			     "required, or in its archive" },
	{ "Name or service not known",
	  "a build has no network: what it needs has to be required, or in "
	  "its archive" },
	{ "Connection refused", /* it talks to itself */
	  "a build has no network: what it needs has to be required, or in "
	  "its archive" },
	{ "Network is unreachable",
	  "a build has no network: what it needs has to be required, or in "
	  "its archive" },
	{ "File too large", "one file is larger than a build may write: "
			    "--limit build-disk=VALUE with more lets it" },
	{ "No space left on device", "the disk of this machine is full" },
	{ "Read-only file system", "a build may write below its own folder and "
				   "/tmp" },
};

/* What is quoted behind these words, the last time. */
static char *last_quoted(const char *log, const char *words)
{
	const char *at = log, *found = NULL;

	while ((at = strstr(at, words)))
		found = at += strlen(words);
	return found ? eb_strndup(found, strcspn(found, "'\n")) : NULL;
}

/* NAME of "No module named 'NAME'", the topmost one. */
static char *missing_module(const char *log)
{
	char *name = last_quoted(log, "No module named '");

	if (name)
		name[strcspn(name, ".")] = '\0';
	return name;
}

/* A program that was called by its name alone; NULL where that may be a
 * file's. */
static char *missing_program(const char *log)
{
	eb_autofree char *name =
		last_quoted(log, "No such file or directory: '");

	return name && *name && !strpbrk(name, "./ ") ? eb_steal(name) : NULL;
}

/* "gcc", "x86_64-linux-gnu-g++-12", "/usr/bin/cc" ... */
static bool is_compiler(const char *program, size_t n)
{
	static const char *const names[] = { "gcc", "cc",    "g++",
					     "c++", "clang", "gfortran" };
	eb_autofree char *name = eb_strndup(program, n);
	size_t end = strlen(name);

	while (end && strchr("-.0123456789", name[end - 1]))
		name[--end] = '\0';
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (eb_ends(name, names[i]))
			return true;
	return false;
}

/* A compiler that was called and is not there: "unable to execute 'gcc'",
 * "error: command 'gcc' failed: No such file", "gcc: not found", "No such file
 * or directory: 'gcc'". */
static bool lacks_compiler(const struct eb_strv *lines)
{
	for (size_t i = 0; i < lines->n; i++) {
		const char *line = lines->v[i], *quote = strchr(line, '\'');
		const char *found = strstr(line, ": not found");

		if (found) {
			const char *at = found;

			while (at > line && at[-1] != ' ')
				at--;
			if (is_compiler(at, (size_t)(found - at)))
				return true;
		}
		if ((strstr(line, "No such file") ||
		     strstr(line, "unable to execute")) &&
		    quote && is_compiler(quote + 1, strcspn(quote + 1, "'")))
			return true;
	}
	return false;
}

static char *advice(const struct eb_sdist_build *s, const char *log)
{
	eb_autofree char *module = missing_module(log);
	eb_autofree char *program = missing_program(log);

	for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
		if (strstr(log, signs[i].words))
			return eb_strdup(signs[i].advice);
	if (module && s->pin->build->isolated)
		return eb_asprintf("it imports \"%s\" while it is built, and "
				   "does not require it for that: "
				   "--no-build-isolation=%s builds it in the "
				   "environment",
				   module, s->pin->name);
	if (module)
		return eb_asprintf("it imports \"%s\" while it is built: add "
				   "what brings that to the environment",
				   module);
	if (program)
		return eb_asprintf("it calls \"%s\", which is not there: a "
				   "--build-base with it, or a conda package, "
				   "brings it",
				   program);
	return NULL;
}

/* Said instead of a status. */
static char *no_compiler(const struct eb_sdist_build *s, struct eb_error *err)
{
	eb_err_release(err);
	eb_err_set(err, EB_STEP,
		   "\"%s\", building its wheel: it has to be compiled, and %s "
		   "\"%s\" has no C compiler",
		   s->pin->file, eb_sdist_build_kind(s),
		   eb_root_base(s->b)->reference);
	return eb_strdup(CC_ADVICE);
}

static char *advise(const struct eb_sdist_build *s, const char *log,
		    const struct eb_strv *lines, struct eb_error *err)
{
	if (err->hint) /* of a limit */
		return eb_strdup(err->hint);
	if (lacks_compiler(lines))
		return s->compiler ? eb_strdup(CC_ADVICE) : no_compiler(s, err);
	return advice(s, log);
}

void eb_sdist_build_explain(struct eb_sdist_build *s, struct eb_error *err)
{
	eb_autofree char *text = eb_step_log_tail(s->log);
	EB_CLEANUP(eb_strv_release) struct eb_strv all = { 0 };
	eb_autofree char *path = eb_sdist_build_log_keep(s);
	eb_autofree char *advised = NULL;
	EB_AUTOBUF(hint, EB_MAX_TEXT);

	eb_strv_split(&all, text, "\n");
	advised = advise(s, text, &all, err);
	if (advised)
		eb_buf_addf(&hint, "%s\n  ", advised);
	eb_step_log_tell(path, text, &hint);
	eb_err_hint(err, "%s", hint.data);
}
