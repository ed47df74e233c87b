/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A folder into which layers are applied. Paths in it are resolved by us,
 * component by component, links included; ".." and absolute links stay
 * inside. Nobody else changes the folder meanwhile.
 */
#ifndef EB_OCI_ROOTFS_TREE_H
#define EB_OCI_ROOTFS_TREE_H

#include <sys/stat.h>

#include <envbuild/event.h>
#include <envbuild/layout.h>
#include <envbuild/mem.h>

/* Inode numbers of what the present layer has made. */
struct eb_inodes {
	uint64_t *slot; /* 0 = free */
	size_t n, alloc;
};
void eb_inodes_add(struct eb_inodes *s, uint64_t inode);
bool eb_inodes_has(const struct eb_inodes *s, uint64_t inode);
void eb_inodes_clear(struct eb_inodes *s);

struct eb_tree {
	int root;
	const char *dir;   /* for messages */
	const char *layer; /* likewise */
	struct eb_events *events;
	bool privileged;
	bool no_devices;
	bool first; /* layer: nothing lies below it */
	bool told_device, told_owner, told_xattr;
	void *dirs; /* what folders are to become, by path */
	struct eb_inodes made;
	/* the parent that was looked for last */
	char *asked, *real;
	int parent;
};

void eb_tree_init(struct eb_tree *t, int root, const char *dir);
void eb_tree_release(struct eb_tree *t);

/* rootfs_path.c */
/* "./a//b" -> "a/b"; "" is the root. ".." and what is too long: EB_INPUT. */
char *eb_tree_plain(const struct eb_tree *t, const char *name,
		    struct eb_error *err);
/* The folder that `path` lies in: t->parent, and t->real, its path without
 * links. *name is the last component, inside `path`. 1 found, 0 not there
 * (never with `make`), -1. */
int eb_tree_find(struct eb_tree *t, const char *path, bool make,
		 const char **name, struct eb_error *err);
/* Forget the parent: something that was there is gone. */
void eb_tree_forget(struct eb_tree *t);
/* Open a folder by its real path; never through a link. */
int eb_tree_open(const struct eb_tree *t, const char *real, int flags);

/* rootfs_dirs.c: modes and times of folders, set when all is in place */
void eb_tree_set_dir(struct eb_tree *t, const char *parent, const char *name,
		     unsigned mode, int64_t mtime, uint32_t mtime_ns);
void eb_tree_drop_dir(struct eb_tree *t, const char *real);
int eb_tree_finish_dirs(struct eb_tree *t, struct eb_error *err);

/* rootfs_remove.c */
/* Remove t->parent's `name`, whole; with `keep`, all but what this layer has
 * made. Absent is fine. */
int eb_tree_remove(struct eb_tree *t, const char *name, bool keep,
		   struct eb_error *err);
/* Only what is in the folder. `real` is its path. */
int eb_tree_empty(struct eb_tree *t, const char *real, bool keep,
		  struct eb_error *err);

/* rootfs_file.c */
/* Content, owner, attributes, mode and time of a member that is not a
 * directory, under t->parent; nothing of that name is there. */
int eb_tree_make(struct eb_tree *t, const struct eb_member *m, const char *name,
		 struct eb_stream *content, struct eb_error *err);
/* Owner and attributes of a folder. */
int eb_tree_dress_dir(struct eb_tree *t, const char *name,
		      const struct eb_member *m, struct eb_error *err);
/* What was being done to which member; returns -1. */
int eb_tree_fail(const struct eb_tree *t, const char *member, const char *doing,
		 int errnum, struct eb_error *err);

/* rootfs_apply.c */
int eb_tree_apply(struct eb_tree *t, const struct eb_member *m,
		  struct eb_stream *content, struct eb_error *err);

#endif
