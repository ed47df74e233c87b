/* SPDX-License-Identifier: Apache-2.0 */
/* Claims on files, and looking at files without leaving the image. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <envbuild/file.h>

#include "verify_claims.h"

int eb_inside(int root, const char *path, int flags, bool follow)
{
	struct open_how how = {
		.flags = (uint64_t)(unsigned)(flags | O_CLOEXEC |
					      (follow ? 0 : O_NOFOLLOW)),
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};

	return (int)syscall(SYS_openat2, root, path, &how, sizeof how);
}

struct eb_claim *eb_claim_add(struct eb_claims *c, char *path)
{
	struct eb_claim *one;

	EB_GROW(c->v, c->n, c->alloc);
	one = &c->v[c->n++];
	memset(one, 0, sizeof *one);
	one->path = path;
	one->owner = c->owner.n - 1;
	return one;
}

void eb_claims_release(struct eb_claims *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->v[i].path);
	free(c->v);
	eb_strv_release(&c->owner);
	if (c->root >= 0)
		close(c->root);
}

static int by_path(const void *a, const void *b)
{
	const struct eb_claim *x = a, *y = b;
	int order = strcmp(x->path, y->path);

	return order ? order : (x->owner > y->owner) - (x->owner < y->owner);
}

void eb_claims_sort(struct eb_claims *c)
{
	if (c->n)
		qsort(c->v, c->n, sizeof *c->v, by_path);
}

static int is_path(const void *key, const void *claim)
{
	return strcmp(key, ((const struct eb_claim *)claim)->path);
}

bool eb_claims_have(const struct eb_claims *c, const char *path)
{
	return c->n && bsearch(path, c->v, c->n, sizeof *c->v, is_path);
}

int eb_claims_read(const struct eb_claims *c, const char *path,
		   struct eb_buf *out, struct eb_error *err)
{
	eb_autofree char *full = eb_path_join(c->prefix, path);
	eb_autofd int fd =
		eb_inside(c->root, full, O_RDONLY | O_NONBLOCK, true);

	if (fd < 0)
		return eb_err_errno(err, EB_OK, errno, "\"%s\", opening", path);
	return eb_read_fd(fd, path, c->max ? c->max : EB_MAX_PATHLIST, out,
			  err);
}

int eb_claims_list(const struct eb_claims *c, const char *path,
		   const char *ending, struct eb_strv *out,
		   struct eb_error *err)
{
	eb_autofree char *full = eb_path_join(c->prefix, path);
	int fd = eb_inside(c->root, full, O_RDONLY | O_DIRECTORY, false);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;

	if (!dir && fd >= 0)
		close(fd);
	if (!dir && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP))
		return 0;
	if (!dir)
		return eb_err_errno(err, EB_OK, errno, "\"%s\", reading", path);
	while ((e = readdir(dir)))
		if (strcmp(e->d_name, ".") != 0 &&
		    strcmp(e->d_name, "..") != 0 &&
		    (!ending || eb_ends(e->d_name, ending)))
			eb_strv_add(out, e->d_name);
	closedir(dir);
	eb_strv_sort(out);
	return 0;
}
