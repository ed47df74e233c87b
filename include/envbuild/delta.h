/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a command did to a root file system, as a layer: the folder is looked at
 * before and after, and what was added, changed and removed becomes a
 * deterministic tar, with owners, modes, hard links and whiteouts.
 */
#ifndef EB_DELTA_H
#define EB_DELTA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <envbuild/error.h>
#include <envbuild/mem.h>
#include <envbuild/part.h>
#include <envbuild/str.h>

#define EB_DELTA_MAX 4000000 /* nodes */

struct eb_delta_node {
	char *path; /* without the leading slash */
	unsigned mode, uid, gid;
	uint64_t size, device, inode, links;
	struct timespec mtime, ctime;
	char *target; /* of a symbolic link */
};

struct eb_delta {
	struct eb_delta_node *node; /* by path */
	size_t n, alloc;
};

/* Is this path no part of the tree? Of a folder: nor what is below it. */
typedef bool eb_delta_skip_fn(const char *path, bool folder);

/* Links are not followed. EB_INPUT: a name that no layer can hold. */
int eb_delta_scan(const char *dir, eb_delta_skip_fn *skip, struct eb_delta *out,
		  struct eb_error *err);
void eb_delta_release(struct eb_delta *t);
/* NULL: it is not there. */
const struct eb_delta_node *eb_delta_find(const struct eb_delta *t,
					  const char *path);
/* Of what was there before, but folders: the paths that are other files now, or
 * gone; and how many paths are new. */
void eb_delta_changed(const struct eb_delta *before,
		      const struct eb_delta *after, struct eb_strv *changed,
		      size_t *n_new);

struct eb_delta_rules {
	int64_t begun;	/* what has a time from then on was written by a
			 * script or the program itself ... */
	int64_t stamp;	/* ... and gets this time, as folders do */
	int64_t latest; /* no time is later; 0: any */
	/* What an owner seen from outside is inside; NULL: the same. */
	unsigned (*owner)(unsigned id, bool group);
};

struct eb_delta_report {
	size_t n_entries, n_removed;
	struct eb_strv set_id; /* files whose set-id bits were cleared */
	struct eb_strv left;   /* devices, sockets, pipes: left out */
};
void eb_delta_report_release(struct eb_delta_report *r);

/* The layer of the difference into the store: *out has plain, blob and sizes,
 * neither key nor path list. Folders above what it holds are in it with their
 * own modes and owners. Set-id bits of files are cleared. */
int eb_delta_layer(struct eb_store *store, const struct eb_compressor *c,
		   const char *dir, const struct eb_delta *before,
		   const struct eb_delta *after,
		   const struct eb_delta_rules *rules,
		   struct eb_delta_report *report, struct eb_item *out,
		   struct eb_error *err);

#endif
