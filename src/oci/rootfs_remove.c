/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Removing inside a tree, however deep: one open folder, the names that are
 * still to be looked at on a stack of our own.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/str.h>

#include "rootfs_tree.h"

struct frame {
	struct eb_strv names; /* taken from the end */
	size_t real;	      /* length of the path of this folder */
	ino_t inode;
	bool kept; /* something stays in it */
};

struct removal {
	struct eb_tree *t;
	int fd; /* of the folder on top of the stack */
	struct frame *frame;
	size_t n, alloc;
	struct eb_buf real;
	bool keep;
};

static int list(struct removal *r, struct frame *f, struct eb_error *err)
{
	int copy = openat(r->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *e;

	if (!dir) {
		eb_tree_fail(r->t, r->real.data, "listing", errno, err);
		eb_cleanup_fd(&copy);
		return -1;
	}
	while ((e = readdir(dir))) {
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			eb_strv_add(&f->names, e->d_name);
	}
	closedir(dir);
	return 0;
}

/* Go into the folder that r->fd is. */
static int push(struct removal *r, ino_t inode, struct eb_error *err)
{
	struct frame *f;

	EB_GROW(r->frame, r->n, r->alloc);
	f = &r->frame[r->n++];
	*f = (struct frame){ .real = r->real.len, .inode = inode };
	return list(r, f, err);
}

static int descend(struct removal *r, const char *name, ino_t inode,
		   struct eb_error *err)
{
	int next = openat(r->fd, name,
			  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	eb_buf_addf(&r->real, "%s%s", r->real.len ? "/" : "", name);
	if (next < 0)
		return eb_tree_fail(r->t, r->real.data, "removing", errno, err);
	eb_cleanup_fd(&r->fd);
	r->fd = next;
	return push(r, inode, err);
}

static bool stays(const struct removal *r, ino_t inode)
{
	return r->keep && eb_inodes_has(&r->t->made, inode);
}

static int look_at(struct removal *r, const char *name, struct eb_error *err)
{
	struct stat st;

	if (fstatat(r->fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return eb_tree_fail(r->t, name, "removing", errno, err);
	if (S_ISDIR(st.st_mode))
		return descend(r, name, st.st_ino, err);
	if (stays(r, st.st_ino))
		r->frame[r->n - 1].kept = true;
	else if (unlinkat(r->fd, name, 0) < 0)
		return eb_tree_fail(r->t, name, "removing", errno, err);
	return 0;
}

/* The folder on top is done: back to the one above, and away with it. */
static int ascend(struct removal *r, struct eb_error *err)
{
	struct frame f = r->frame[--r->n];
	size_t above = r->frame[r->n - 1].real;
	const char *name = r->real.data + above + (above ? 1 : 0);
	int up = openat(r->fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	eb_strv_release(&f.names);
	if (up < 0)
		return eb_tree_fail(r->t, r->real.data, "removing", errno, err);
	eb_cleanup_fd(&r->fd);
	r->fd = up;
	if (f.kept || stays(r, f.inode)) {
		r->frame[r->n - 1].kept = true;
	} else {
		if (unlinkat(r->fd, name, AT_REMOVEDIR) < 0)
			return eb_tree_fail(r->t, r->real.data, "removing",
					    errno, err);
		eb_tree_drop_dir(r->t, r->real.data);
	}
	r->real.len = above;
	r->real.data[above] = '\0';
	return 0;
}

static char *take_last(struct eb_strv *names)
{
	char *name = names->v[--names->n];

	names->v[names->n] = NULL;
	return name;
}

static int run(struct removal *r, struct eb_error *err)
{
	int got = 0;

	while (got == 0) {
		struct eb_strv *names = &r->frame[r->n - 1].names;
		eb_autofree char *name = NULL;

		if (names->n) {
			name = take_last(names);
			got = look_at(r, name, err);
		} else if (r->n > 1) {
			got = ascend(r, err);
		} else {
			break;
		}
	}
	return got;
}

static void release(struct removal *r)
{
	while (r->n)
		eb_strv_release(&r->frame[--r->n].names);
	free(r->frame);
	eb_buf_release(&r->real);
	eb_cleanup_fd(&r->fd);
}

/* In the folder `real`: `only`, or everything. */
static int remove_in(struct eb_tree *t, const char *real, const char *only,
		     bool keep, struct eb_error *err)
{
	struct removal r = { .t = t, .keep = keep };
	int got = 0;

	eb_buf_init(&r.real, EB_MAX_TEXT);
	eb_buf_adds(&r.real, real);
	r.fd = eb_tree_open(t, real, O_RDONLY);
	if (r.fd < 0) {
		got = eb_tree_fail(t, real, "removing", errno, err);
	} else if (only) {
		EB_GROW(r.frame, r.n, r.alloc);
		r.frame[r.n++] = (struct frame){ .real = r.real.len };
		eb_strv_add(&r.frame[0].names, only);
	} else {
		got = push(&r, 0, err);
	}
	if (got == 0)
		got = run(&r, err);
	release(&r);
	eb_tree_forget(t);
	return got;
}

int eb_tree_remove(struct eb_tree *t, const char *name, bool keep,
		   struct eb_error *err)
{
	eb_autofree char *real = eb_strdup(t->real);
	struct stat st;

	if (fstatat(t->parent, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT
			       ? 0
			       : eb_tree_fail(t, name, "removing", errno, err);
	return remove_in(t, real, name, keep, err);
}

int eb_tree_empty(struct eb_tree *t, const char *real, bool keep,
		  struct eb_error *err)
{
	eb_autofree char *own = eb_strdup(real);

	return remove_in(t, own, NULL, keep, err);
}
