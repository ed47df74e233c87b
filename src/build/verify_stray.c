/* SPDX-License-Identifier: Apache-2.0 */
/* Files below site-packages that no RECORD and no conda-meta claims: counted.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/file.h>

#include "verify_claims.h"

#define DEPTH_MAX 100
#define CACHE "/__pycache__/"

struct walk {
	const struct eb_claims *c;
	size_t n;
	char *first;
};

/* "a/b.pyc" of "a/b.py", where Python 2 puts it. */
static bool is_beside(const struct walk *w, const char *path)
{
	eb_autofree char *source = eb_strndup(path, strlen(path) - 1);

	return eb_claims_have(w->c, source);
}

/* "a/__pycache__/b.cpython-311.pyc" of "a/b.py": made when it was imported. */
static bool is_bytecode_of_ours(const struct walk *w, const char *path)
{
	const char *cache = strstr(path, CACHE), *name, *dot;
	eb_autofree char *source = NULL;

	if (!eb_ends(path, ".pyc"))
		return false;
	if (!cache)
		return is_beside(w, path);
	name = cache + strlen(CACHE);
	dot = strstr(name, ".cpython-");
	if (!dot || strchr(name, '/'))
		return false;
	source = eb_asprintf("%.*s/%.*s.py", (int)(cache - path), path,
			     (int)(dot - name), name);
	return eb_claims_have(w->c, source);
}

static void look(struct walk *w, const char *path)
{
	if (eb_claims_have(w->c, path) || is_bytecode_of_ours(w, path))
		return;
	if (!w->n++)
		w->first = eb_strdup(path);
}

/* Folders at the top that are none of the environment's files. */
static bool is_of_conda(const char *path)
{
	return !strcmp(path, "conda-meta") || !strcmp(path, "pkgs") ||
	       !strcmp(path, "envs");
}

static int walk(struct walk *w, const char *path, int depth,
		struct eb_error *err)
{
	struct eb_strv name EB_CLEANUP(eb_strv_release) = { 0 };

	if (depth == DEPTH_MAX ||
	    eb_claims_list(w->c, path, NULL, &name, err) < 0)
		return depth == DEPTH_MAX ? 0 : -1;
	for (size_t i = 0; i < name.n; i++) {
		eb_autofree char *inside = eb_path_join(path, name.v[i]);
		eb_autofree char *full = eb_path_join(w->c->prefix, inside);
		eb_autofd int fd = eb_inside(w->c->root, full, O_PATH, false);
		struct stat st;

		if (fd < 0 || fstat(fd, &st) < 0)
			return eb_err_errno(err, EB_MACHINE, errno,
					    "\"%s\", opening", full);
		if (is_of_conda(inside))
			continue;
		if (!S_ISDIR(st.st_mode))
			look(w, inside);
		else if (walk(w, inside, depth + 1, err) < 0)
			return -1;
	}
	return 0;
}

int eb_claims_stray(struct eb_claims *c, const char *folder, size_t *n,
		    char **first, struct eb_error *err)
{
	struct walk w = { .c = c };
	int rc = walk(&w, folder, 0, err);

	*n = w.n;
	*first = w.first;
	return rc;
}

int eb_verify_stray(struct eb_claims *c, struct eb_error *err)
{
	for (size_t i = 0; i < c->what->site_packages.n; i++) {
		const char *site = c->what->site_packages.v[i];
		eb_autofree char *first = NULL;
		size_t n;

		if (eb_claims_stray(c, site, &n, &first, err) < 0)
			return -1;
		if (n)
			eb_finding_note(c->out, "files", site,
					"has %zu files that belong to no "
					"package, \"%s\" among them",
					n, first);
	}
	return 0;
}
