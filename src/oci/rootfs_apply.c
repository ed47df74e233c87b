/* SPDX-License-Identifier: Apache-2.0 */
/* One member of a layer applied to what the layers below have left
 * (image-spec layer.md). */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/str.h>

#include "rootfs_tree.h"

#define WHITEOUT ".wh."
#define META ".wh..wh."
#define OPAQUE ".wh..wh..opq"

static int refuse(const struct eb_tree *t, const struct eb_member *m,
		  const char *why, struct eb_error *err)
{
	return eb_err_set(err, EB_INPUT, "\"%s\" holds \"%s\": %s", t->layer,
			  m->name, why);
}

static const char *last(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* AUFS kept its own things beside the image's. */
static bool is_leftover(const char *path)
{
	const char *name = last(path);

	return (eb_starts(path, META) && strcmp(path, OPAQUE) != 0) ||
	       (eb_starts(name, META) && strcmp(name, OPAQUE) != 0);
}

/* A whiteout is a file; nothing can lie in it. */
static bool is_in_whiteout(const char *path)
{
	const char *at = path;

	while (at) {
		const char *slash = strchr(at, '/');

		if (slash && eb_starts(at, WHITEOUT))
			return true;
		at = slash ? slash + 1 : NULL;
	}
	return false;
}

static int whiteout(struct eb_tree *t, const struct eb_member *m,
		    const char *path, struct eb_error *err)
{
	const char *mark, *hidden = last(path) + strlen(WHITEOUT);
	int got;

	if (!*hidden || !strcmp(hidden, ".") || !strcmp(hidden, ".."))
		return refuse(t, m, "a whiteout of nothing", err);
	if (t->first)
		return 0;
	got = eb_tree_find(t, path, false, &mark, err);
	if (got <= 0)
		return got;
	if (strcmp(mark, OPAQUE) == 0)
		return eb_tree_empty(t, t->real, true, err);
	return eb_tree_remove(t, hidden, true, err);
}

static int note_made(struct eb_tree *t, const char *name,
		     const struct eb_member *m, struct eb_error *err)
{
	struct stat st;

	if (t->first)
		return 0;
	if (fstatat(t->parent, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		eb_inodes_add(&t->made, st.st_ino);
	else if (errno != ENOENT) /* a device that was left out */
		return eb_tree_fail(t, m->name, "looking at it", errno, err);
	return 0;
}

/* 1 something is there */
static int present(struct eb_tree *t, const char *name,
		   const struct eb_member *m, struct stat *st,
		   struct eb_error *err)
{
	if (fstatat(t->parent, name, st, AT_SYMLINK_NOFOLLOW) == 0)
		return 1;
	if (errno == ENOENT)
		return 0;
	return eb_tree_fail(t, m->name, "looking at it", errno, err);
}

/* Away with what is there; the parent is looked up anew. */
static int make_room(struct eb_tree *t, const char *path, const char **name,
		     struct eb_error *err)
{
	if (eb_tree_remove(t, *name, false, err) < 0)
		return -1;
	return eb_tree_find(t, path, true, name, err) < 0 ? -1 : 0;
}

static int apply_dir(struct eb_tree *t, const struct eb_member *m,
		     const char *path, const char *name, struct eb_error *err)
{
	struct stat st;
	int there = present(t, name, m, &st, err);

	if (there < 0)
		return -1;
	if (there && !S_ISDIR(st.st_mode)) {
		if (make_room(t, path, &name, err) < 0)
			return -1;
		there = 0;
	}
	if (!there && mkdirat(t->parent, name, 0700) < 0)
		return eb_tree_fail(t, m->name, "making a folder", errno, err);
	eb_tree_set_dir(t, t->real, name, m->mode, m->mtime, m->mtime_ns);
	if (eb_tree_dress_dir(t, name, m, err) < 0)
		return -1;
	return note_made(t, name, m, err);
}

static int apply_root(struct eb_tree *t, const struct eb_member *m,
		      struct eb_error *err)
{
	const char *name;

	if (m->type != EB_MEMBER_DIR)
		return refuse(t, m, "only a folder can be the root", err);
	eb_tree_set_dir(t, "", "", m->mode, m->mtime, m->mtime_ns);
	if (eb_tree_find(t, "root", true, &name, err) < 0)
		return -1;
	return eb_tree_dress_dir(t, ".", m, err);
}

/* The folder and name of a hard link's target; *fd is a copy. */
static int find_target(struct eb_tree *t, const struct eb_member *m, int *fd,
		       char **name, struct stat *st, struct eb_error *err)
{
	eb_autofree char *path = eb_tree_plain(t, m->link, err);
	const char *part;
	int got = path ? eb_tree_find(t, path, false, &part, err) : -1;

	if (got < 0)
		return -1;
	if (got == 0 || !*path ||
	    fstatat(t->parent, part, st, AT_SYMLINK_NOFOLLOW) < 0)
		return refuse(t, m, "a hard link to what is not there", err);
	if (S_ISDIR(st->st_mode))
		return refuse(t, m, "a hard link to a folder", err);
	*fd = fcntl(t->parent, F_DUPFD_CLOEXEC, 3);
	if (*fd < 0)
		return eb_tree_fail(t, m->name, "linking", errno, err);
	*name = eb_strdup(part);
	return 0;
}

static int apply_hard_link(struct eb_tree *t, const struct eb_member *m,
			   const char *path, struct eb_error *err)
{
	eb_autofd int from = -1;
	eb_autofree char *target = NULL;
	struct stat own, st;
	const char *name;
	int there;

	if (find_target(t, m, &from, &target, &own, err) < 0 ||
	    eb_tree_find(t, path, true, &name, err) < 0)
		return -1;
	there = present(t, name, m, &st, err);
	if (there < 0)
		return -1;
	if (there && st.st_ino == own.st_ino && st.st_dev == own.st_dev)
		return note_made(t, name, m, err);
	if (there && make_room(t, path, &name, err) < 0)
		return -1;
	if (linkat(from, target, t->parent, name, 0) < 0) {
		if (errno == ENOENT)
			return refuse(t, m, "a hard link into itself", err);
		return eb_tree_fail(t, m->name, "linking", errno, err);
	}
	return note_made(t, name, m, err);
}

static int apply_other(struct eb_tree *t, const struct eb_member *m,
		       const char *path, struct eb_stream *content,
		       struct eb_error *err)
{
	const char *name;
	struct stat st;
	int there;

	if (eb_tree_find(t, path, true, &name, err) < 0)
		return -1;
	if (m->type == EB_MEMBER_DIR)
		return apply_dir(t, m, path, name, err);
	there = present(t, name, m, &st, err);
	if (there < 0 || (there && make_room(t, path, &name, err) < 0) ||
	    eb_tree_make(t, m, name, content, err) < 0)
		return -1;
	return note_made(t, name, m, err);
}

int eb_tree_apply(struct eb_tree *t, const struct eb_member *m,
		  struct eb_stream *content, struct eb_error *err)
{
	eb_autofree char *path = eb_tree_plain(t, m->name, err);

	if (!path)
		return -1;
	if (!*path)
		return apply_root(t, m, err);
	if (is_leftover(path))
		return 0;
	if (is_in_whiteout(path))
		return refuse(t, m, "it lies in a whiteout", err);
	if (eb_starts(last(path), WHITEOUT))
		return whiteout(t, m, path, err);
	if (m->type == EB_MEMBER_HARD_LINK)
		return apply_hard_link(t, m, path, err);
	return apply_other(t, m, path, content, err);
}
