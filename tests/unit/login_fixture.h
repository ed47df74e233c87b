/* SPDX-License-Identifier: Apache-2.0 */
/* A home of its own for a test of logins: folders, files, variables. */
#ifndef LOGIN_FIXTURE_H
#define LOGIN_FIXTURE_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <envbuild/file.h>
#include <envbuild/mem.h>

static char *home;

/* home/REST; caller frees. */
static inline char *at_home(const char *rest)
{
	return eb_path_join(home, rest);
}

static inline void put_mode(const char *rest, const char *text, mode_t mode)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *path = at_home(rest);
	eb_autofree char *dir =
		eb_strndup(path, (size_t)(strrchr(path, '/') - path));

	if (eb_mkdirs(dir, 0700, &err) < 0 ||
	    eb_write_file(path, text, strlen(text), mode, &err) < 0) {
		fprintf(stderr, "%s\n", err.message);
		abort();
	}
}

static inline void put(const char *rest, const char *text)
{
	put_mode(rest, text, 0600);
}

static inline void set_to_home(const char *variable, const char *rest)
{
	eb_autofree char *path = at_home(rest);

	setenv(variable, path, 1);
}

/* Nothing of the machine's own is seen. */
static inline int login_home_make(void)
{
	static const char *const clear[] = { "ENVBUILD_REGISTRY_USER",
					     "ENVBUILD_REGISTRY_PASSWORD",
					     "REGISTRY_AUTH_FILE",
					     "DOCKER_AUTH_CONFIG",
					     "DOCKER_CONFIG",
					     "NETRC",
					     "CONTAINERS_REGISTRIES_CONF" };
	struct eb_error err = EB_ERROR_INIT;
	const char *tmp = getenv("TMPDIR");

	home = eb_make_tempdir(tmp ? tmp : "/tmp", "login.", &err);
	if (!home)
		return -1;
	for (size_t i = 0; i < sizeof clear / sizeof *clear; i++)
		unsetenv(clear[i]);
	setenv("HOME", home, 1);
	set_to_home("XDG_CONFIG_HOME", ".config");
	set_to_home("XDG_RUNTIME_DIR", "run");
	put("run/.keep", "");
	return 0;
}

static inline int login_home_remove(void)
{
	struct eb_error err = EB_ERROR_INIT;
	int status = eb_remove_tree(home, &err);

	eb_err_release(&err);
	free(eb_steal(home));
	return status;
}

#endif
