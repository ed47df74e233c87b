/* SPDX-License-Identifier: Apache-2.0 */
/* Paths inside a folder, resolved without ever leaving it. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/entry.h>
#include <envbuild/str.h>

#include "rootfs_tree.h"

#define MAX_LINKS 40

static int refuse(const struct eb_tree *t, const char *name, const char *why,
		  struct eb_error *err)
{
	return eb_err_set(err, EB_INPUT, "\"%s\" holds \"%s\": %s", t->layer,
			  name, why);
}

char *eb_tree_plain(const struct eb_tree *t, const char *name,
		    struct eb_error *err)
{
	EB_AUTOBUF(out, PATH_MAX);
	const char *at = name;

	while (*at) {
		size_t n = strcspn(at, "/");

		if (n > NAME_MAX) {
			refuse(t, name, "a component is longer than 255 bytes",
			       err);
			return NULL;
		}
		if (n == 2 && memcmp(at, "..", 2) == 0) {
			refuse(t, name, "it would leave the image", err);
			return NULL;
		}
		if (n && !(n == 1 && *at == '.')) {
			if (out.len)
				eb_buf_addch(&out, '/');
			eb_buf_add(&out, at, n);
		}
		at += n + (at[n] == '/');
	}
	if (out.overflow) {
		refuse(t, name, "it is longer than 4096 bytes", err);
		return NULL;
	}
	return eb_buf_steal(&out, NULL);
}

void eb_tree_forget(struct eb_tree *t)
{
	free(eb_steal(t->asked));
	free(eb_steal(t->real));
	eb_cleanup_fd(&t->parent);
}

int eb_tree_open(const struct eb_tree *t, const char *real, int flags)
{
	const int dir = O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	eb_autofd int fd = openat(t->root, ".", (*real ? O_PATH : flags) | dir);

	while (fd >= 0 && *real) {
		size_t n = strcspn(real, "/");
		char name[NAME_MAX + 1];
		int next;

		if (n > NAME_MAX) {
			errno = ENAMETOOLONG;
			return -1;
		}
		memcpy(name, real, n);
		name[n] = '\0';
		real += n + (real[n] == '/');
		next = openat(fd, name, (*real ? O_PATH : flags) | dir);
		eb_cleanup_fd(&fd);
		fd = next;
	}
	return eb_steal_fd(&fd);
}

/* A walk: where it stands, and what is still to be gone. */
struct walk {
	struct eb_tree *t;
	int fd;
	struct eb_buf real;
	char *rest;
	unsigned links;
	bool make;
	const char *asked; /* for messages */
};

static int walk_to(struct walk *w, struct eb_error *err)
{
	eb_cleanup_fd(&w->fd);
	w->fd = eb_tree_open(w->t, w->real.data, O_PATH);
	if (w->fd < 0)
		return eb_tree_fail(w->t, w->asked, "resolving", errno, err);
	return 1;
}

static int walk_up(struct walk *w, struct eb_error *err)
{
	char *slash = strrchr(w->real.data, '/');

	w->real.len = slash ? (size_t)(slash - w->real.data) : 0;
	w->real.data[w->real.len] = '\0';
	return walk_to(w, err);
}

static int walk_link(struct walk *w, int link, struct eb_error *err)
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(link, "", target, sizeof target - 1);
	eb_autofree char *rest = eb_steal(w->rest);

	if (n < 0)
		return eb_tree_fail(w->t, w->asked, "reading a link", errno,
				    err);
	target[n] = '\0';
	if (++w->links > MAX_LINKS)
		return eb_tree_fail(w->t, w->asked, "resolving", ELOOP, err);
	w->rest = eb_asprintf("%s/%s", target, rest);
	if (*target != '/')
		return 1;
	w->real.len = 0;
	w->real.data[0] = '\0';
	return walk_to(w, err);
}

/* A folder that no layer has mentioned. */
static int walk_make(struct walk *w, const char *name, struct eb_error *err)
{
	struct stat st;

	if (mkdirat(w->fd, name, 0700) < 0 ||
	    fstatat(w->fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return eb_tree_fail(w->t, w->asked, "making its folder", errno,
				    err);
	if (!w->t->first)
		eb_inodes_add(&w->t->made, st.st_ino);
	eb_tree_set_dir(w->t, w->real.data, name, 0755, EB_FIXED_MTIME, 0);
	return openat(w->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
}

/* 1 gone there, 0 it is not there. */
static int walk_into(struct walk *w, const char *name, struct eb_error *err)
{
	eb_autofd int fd = openat(w->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0 && errno == ENOENT) {
		if (!w->make)
			return 0;
		fd = walk_make(w, name, err);
		if (fd < 0 && eb_err_is_set(err))
			return -1;
	}
	if (fd < 0 || fstat(fd, &st) < 0)
		return eb_tree_fail(w->t, w->asked, "resolving", errno, err);
	if (S_ISLNK(st.st_mode))
		return walk_link(w, fd, err);
	if (!S_ISDIR(st.st_mode) && !w->make)
		return 0;
	if (!S_ISDIR(st.st_mode))
		return refuse(w->t, w->asked, "what it lies in is no folder",
			      err);
	eb_cleanup_fd(&w->fd);
	w->fd = eb_steal_fd(&fd);
	eb_buf_addf(&w->real, "%s%s", w->real.len ? "/" : "", name);
	return 1;
}

static int walk_step(struct walk *w, struct eb_error *err)
{
	eb_autofree char *all = eb_steal(w->rest);
	size_t n = strcspn(all, "/");
	eb_autofree char *name = eb_strndup(all, n);

	w->rest = eb_strdup(all + n + (all[n] == '/'));
	if (!*name || strcmp(name, ".") == 0)
		return 1;
	if (strcmp(name, "..") == 0)
		return walk_up(w, err);
	return walk_into(w, name, err);
}

static int walk(struct walk *w, struct eb_error *err)
{
	int got = walk_to(w, err);

	while (got > 0 && *w->rest)
		got = walk_step(w, err);
	return got;
}

int eb_tree_find(struct eb_tree *t, const char *path, bool make,
		 const char **name, struct eb_error *err)
{
	const char *slash = strrchr(path, '/');
	eb_autofree char *asked =
		eb_strndup(path, slash ? (size_t)(slash - path) : 0);
	struct walk w = { .t = t, .fd = -1, .make = make, .asked = path };
	int got;

	*name = slash ? slash + 1 : path;
	if (t->asked && strcmp(t->asked, asked) == 0)
		return 1;
	eb_buf_init(&w.real, EB_MAX_TEXT);
	w.rest = eb_strdup(asked);
	got = walk(&w, err);
	if (got > 0) {
		eb_tree_forget(t);
		t->asked = eb_steal(asked);
		t->real = eb_buf_steal(&w.real, NULL);
		t->parent = eb_steal_fd(&w.fd);
	}
	free(w.rest);
	eb_buf_release(&w.real);
	eb_cleanup_fd(&w.fd);
	return got;
}
