/* SPDX-License-Identifier: Apache-2.0 */
/* Where uv is, and whether it is new enough. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/json.h>
#include <envbuild/pep440.h>
#include <envbuild/pip_resolve.h>
#include <envbuild/process.h>

#include "uv.h"

#define VERSIONS "version.json"
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

/* As of that very program, or NULL. Of a script nobody knows what it starts. */
static char *state_of(const char *uv)
{
	struct stat st;

	return eb_uv_is_elf(uv) && stat(uv, &st) == 0 ? eb_uv_state(&st) : NULL;
}

static int ask_once(const char *root, const char *uv, char **version,
		    struct eb_error *err)
{
	eb_autojson json_t *known = eb_uv_known_read(root, VERSIONS);
	eb_autojson json_t *fresh = json_object();
	eb_autofree char *state = state_of(uv);
	const char *is = state ? eb_json_str(known, state) : NULL;

	if (is && *is) {
		*version = eb_strdup(is);
		return 0;
	}
	if (ask(uv, version, err) < 0)
		return -1;
	if (state) {
		json_object_set_new(fresh, state, json_string(*version));
		eb_uv_known_write(root, VERSIONS, fresh);
	}
	return 0;
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

char *eb_uv_find(const char *root, char **version, struct eb_error *err)
{
	eb_autofree char *uv = find(err), *is = NULL;

	if (!uv ||
	    (root ? ask_once(root, uv, &is, err) : ask(uv, &is, err)) < 0 ||
	    check(uv, is, err) < 0) {
		if (err->code != EB_INTERRUPTED && err->code != EB_TERMINATED)
			err->code = EB_MACHINE;
		return NULL;
	}
	if (version)
		*version = eb_steal(is);
	return eb_steal(uv);
}

char *eb_find_uv(char **version, struct eb_error *err)
{
	return eb_uv_find(NULL, version, err);
}
