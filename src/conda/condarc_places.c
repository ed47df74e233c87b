/* SPDX-License-Identifier: Apache-2.0 */
/* Where conda's settings stand: its search path, as far as it is there. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <envbuild/file.h>
#include <envbuild/mem.h>

#include "condarc_int.h"

static bool is_yaml(const char *name)
{
	return eb_ends(name, ".yml") || eb_ends(name, ".yaml");
}

static bool is_condarc(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	return !strcmp(name, ".condarc") || !strcmp(name, "condarc") ||
	       is_yaml(name);
}

static bool is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static int add_file(struct eb_strv *out, const char *path, struct eb_error *err)
{
	if (eb_strv_has(out, path))
		return 0;
	if (out->n == EB_RC_MAX_FILES)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\", reading conda's settings: more than "
				  "%d files",
				  path, EB_RC_MAX_FILES);
	eb_strv_add(out, path);
	return 0;
}

/* Those of a folder, by name. */
static int add_folder(struct eb_strv *out, const char *path,
		      struct eb_error *err)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv name = { 0 };
	DIR *dir = opendir(path);
	struct dirent *e;

	while (dir && (e = readdir(dir)))
		if (is_yaml(e->d_name))
			eb_strv_add(&name, e->d_name);
	if (dir)
		closedir(dir);
	eb_strv_sort(&name);
	for (size_t i = 0; i < name.n; i++) {
		eb_autofree char *file = eb_path_join(path, name.v[i]);

		if (is_file(file) && add_file(out, file, err) < 0)
			return -1;
	}
	return 0;
}

/* What is not there, or is something else, is passed by as conda does. */
static int add_place(struct eb_strv *out, const char *path,
		     struct eb_error *err)
{
	if (is_file(path))
		return is_condarc(path) ? add_file(out, path, err) : 0;
	return add_folder(out, path, err);
}

/* The three in a folder; NULL: there is none. */
static int add_three(struct eb_strv *out, const char *folder,
		     struct eb_error *err)
{
	static const char *const names[] = { ".condarc", "condarc",
					     "condarc.d" };

	for (size_t i = 0; folder && i < 3; i++) {
		eb_autofree char *path = eb_path_join(folder, names[i]);

		if (add_place(out, path, err) < 0)
			return -1;
	}
	return 0;
}

static const char *variable(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

/* DIR/NAME where the variable names a folder. */
static char *below(const char *name, const char *rest)
{
	const char *dir = variable(name);

	return dir ? eb_path_join(dir, rest) : NULL;
}

/* conda's own folder: it tells its programs, and activation tells us. */
static char *conda_root(void)
{
	const char *root = variable("CONDA_ROOT"), *exe = variable("CONDA_EXE");
	char *out = eb_strdup(root ? root : exe), *slash;

	for (int i = 0; !root && out && i < 2; i++) {
		slash = strrchr(out, '/');
		if (!slash) {
			free(out);
			return NULL;
		}
		*slash = '\0';
	}
	return out;
}

static int add_system(const char *root, struct eb_strv *out,
		      struct eb_error *err)
{
	eb_autofree char *etc = eb_asprintf("%s/etc/conda", root);
	eb_autofree char *var = eb_asprintf("%s/var/lib/conda", root);
	eb_autofree char *own = conda_root();

	if (add_three(out, etc, err) < 0 || add_three(out, var, err) < 0)
		return -1;
	return add_three(out, own, err);
}

static int add_user(struct eb_strv *out, struct eb_error *err)
{
	eb_autofree char *xdg = below("XDG_CONFIG_HOME", "conda");
	eb_autofree char *config = below("HOME", ".config/conda");
	eb_autofree char *dot = below("HOME", ".conda");
	eb_autofree char *file = below("HOME", ".condarc");

	if (add_three(out, xdg, err) < 0 || add_three(out, config, err) < 0 ||
	    add_three(out, dot, err) < 0)
		return -1;
	return file ? add_place(out, file, err) : 0;
}

/* "~/x" by HOME. */
static char *at_home(const char *path)
{
	const char *home = variable("HOME");

	if (*path == '~' && (path[1] == '/' || !path[1]) && home)
		return eb_asprintf("%s%s", home, path + 1);
	return eb_strdup(path);
}

int eb_rc_places(const char *root, struct eb_strv *out, struct eb_error *err)
{
	const char *last = variable("CONDARC");
	eb_autofree char *given = last ? at_home(last) : NULL;

	if (add_system(root, out, err) < 0 || add_user(out, err) < 0 ||
	    add_three(out, variable("CONDA_PREFIX"), err) < 0)
		return -1;
	return given ? add_place(out, given, err) : 0;
}
