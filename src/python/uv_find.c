/* SPDX-License-Identifier: Apache-2.0 */
/* Where uv is, and whether it is new enough. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/pep440.h>
#include <envbuild/pip_resolve.h>
#include <envbuild/process.h>

#include "uv.h"

#define ADVICE                                                    \
	"`make deps` installs one; or name it: ENVBUILD_UV=/path" \
	"/to/uv (at least version " EB_UV_MINIMUM ")"

/* Seen from the folder of this executable: a program, or an environment that
 * holds it. */
static const char *const places[] = {
	"uv/bin/uv", /* libexec/envbuild */
	"uv",
	"libexec/envbuild/uv/bin/uv", /* build/ */
	"libexec/envbuild/uv",
	"../libexec/envbuild/uv/bin/uv", /* PREFIX/bin */
	"../libexec/envbuild/uv",
};

static bool is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	       access(path, X_OK) == 0;
}

static char *beside_us(void)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	char *slash;

	self[n > 0 ? n : 0] = 0;
	slash = strrchr(self, '/');
	for (size_t i = 0; slash && i < sizeof places / sizeof *places; i++) {
		eb_autofree char *path = eb_asprintf(
			"%.*s/%s", (int)(slash - self), self, places[i]);

		if (is_program(path))
			return eb_steal(path);
	}
	return NULL;
}

static char *find(struct eb_error *err)
{
	const char *named = getenv("ENVBUILD_UV");
	char *path;

	if (named && *named) {
		path = realpath(named, NULL);
		if (!path)
			eb_err_errno(err, EB_MACHINE, errno,
				     "\"%s\", which ENVBUILD_UV names, "
				     "looking for uv",
				     named);
		return path;
	}
	path = beside_us();
	if (!path)
		path = eb_find_program("uv");
	if (!path) {
		eb_err_set(err, EB_MACHINE,
			   "\"uv\", which resolves pip sections, is neither "
			   "beside this program nor in PATH");
		eb_err_hint(err, ADVICE);
	}
	return path;
}

/* "0.13.8" of "uv 0.13.8 (x86_64-unknown-linux-gnu)" */
static char *version_of(const char *said)
{
	const char *p = eb_starts(said, "uv ") ? said + 3 : "";

	return eb_strndup(p, strcspn(p, " \r\n"));
}

static int ask(const char *uv, char **version, struct eb_error *err)
{
	const char *argv[] = { uv, "--version", NULL };
	EB_AUTOBUF(said, 4096);
	int status = 0;

	if (eb_process_run(argv, NULL, NULL, 0, said.max, 30, &said, NULL,
			   &status, err) < 0)
		return eb_err_hint(err, ADVICE);
	*version = version_of(said.data);
	if (status == 0 && **version)
		return 0;
	eb_err_set(err, EB_MACHINE,
		   "\"%s\", asking for its version: ended with status %d", uv,
		   status);
	return eb_err_hint(err, ADVICE);
}

static int check(const char *uv, const char *version, struct eb_error *err)
{
	int order = 0;

	if (eb_pep440_compare(version, EB_UV_MINIMUM, &order, err) < 0) {
		err->code = EB_MACHINE;
		return eb_err_prefix(err, "\"%s\", its version", uv);
	}
	if (order >= 0)
		return 0;
	eb_err_set(err, EB_MACHINE,
		   "\"%s\" is version %s, and at least " EB_UV_MINIMUM
		   " is needed",
		   uv, version);
	return eb_err_hint(err, ADVICE);
}

bool eb_uv_is_absent(void)
{
	const char *named = getenv("ENVBUILD_UV");
	eb_autofree char *here = NULL;

	if (named && *named)
		return strcmp(named, "none") == 0;
	here = beside_us();
	if (!here)
		here = eb_find_program("uv");
	return !here;
}

char *eb_find_uv(char **version, struct eb_error *err)
{
	eb_autofree char *uv = find(err), *is = NULL;

	if (!uv || ask(uv, &is, err) < 0 || check(uv, is, err) < 0) {
		if (err->code != EB_INTERRUPTED && err->code != EB_TERMINATED)
			err->code = EB_MACHINE;
		return NULL;
	}
	if (version)
		*version = eb_steal(is);
	return eb_steal(uv);
}
