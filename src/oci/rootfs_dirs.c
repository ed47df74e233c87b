/* SPDX-License-Identifier: Apache-2.0 */
/* Folders get their mode and time when nothing more is put into them. */
#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/file.h>

#include "rootfs_tree.h"

struct dir {
	char *path;
	unsigned mode;
	int64_t mtime;
	uint32_t mtime_ns;
};

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct dir *)a)->path,
		      ((const struct dir *)b)->path);
}

static void free_dir(void *p)
{
	struct dir *d = p;

	free(d->path);
	free(d);
}

void eb_tree_set_dir(struct eb_tree *t, const char *parent, const char *name,
		     unsigned mode, int64_t mtime, uint32_t mtime_ns)
{
	struct dir *d = eb_malloc(sizeof *d), **slot;

	*d = (struct dir){ eb_path_join(parent, name), mode, mtime, mtime_ns };
	slot = tsearch(d, &t->dirs, by_path);
	if (!slot)
		eb_oom();
	if (*slot == d)
		return;
	free(eb_steal((*slot)->path));
	**slot = *d;
	free(d);
}

void eb_tree_drop_dir(struct eb_tree *t, const char *real)
{
	struct dir key = { .path = (char *)real }, *d, **slot;

	slot = tfind(&key, &t->dirs, by_path);
	if (!slot)
		return;
	d = *slot;
	tdelete(&key, &t->dirs, by_path);
	free_dir(d);
}

struct list {
	struct dir **v;
	size_t n, alloc;
};

static void collect(const void *node, VISIT visit, void *data)
{
	struct list *l = data;

	if (visit != postorder && visit != leaf)
		return;
	EB_GROW(l->v, l->n, l->alloc);
	l->v[l->n++] = *(struct dir *const *)node;
}

static int finish(struct eb_tree *t, const struct dir *d, struct eb_error *err)
{
	eb_autofd int fd = eb_tree_open(t, d->path, O_RDONLY);
	struct timespec times[2] = { { d->mtime, d->mtime_ns },
				     { d->mtime, d->mtime_ns } };

	if (fd < 0 || fchmod(fd, d->mode) < 0 || futimens(fd, times) < 0)
		return eb_tree_fail(t, d->path, "setting mode and time", errno,
				    err);
	return 0;
}

/* A path sorts behind those that it lies in: from the last one on, no folder
 * is closed before what it holds is done. */
int eb_tree_finish_dirs(struct eb_tree *t, struct eb_error *err)
{
	struct list l = { 0 };
	int got = 0;

	twalk_r(t->dirs, collect, &l);
	while (got == 0 && l.n)
		got = finish(t, l.v[--l.n], err);
	free(l.v);
	return got;
}

void eb_tree_init(struct eb_tree *t, int root, const char *dir)
{
	*t = (struct eb_tree){ .root = root,
			       .dir = dir,
			       .layer = dir,
			       .parent = -1,
			       .privileged = geteuid() == 0 };
}

void eb_tree_release(struct eb_tree *t)
{
	eb_tree_forget(t);
	tdestroy(eb_steal(t->dirs), free_dir);
	free(t->made.slot);
	t->made = (struct eb_inodes){ 0 };
}
