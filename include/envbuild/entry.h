/* SPDX-License-Identifier: Apache-2.0 */
/* Entries: what goes into a layer, before it is a tar. */
#ifndef EB_ENTRY_H
#define EB_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <envbuild/digest.h>
#include <envbuild/error.h>
#include <envbuild/spool.h>

enum eb_entry_type {
	EB_ENTRY_FILE = 'f',
	EB_ENTRY_LINK = 'l',   /* symbolic link */
	EB_ENTRY_DIR = 'd',    /* an empty directory that a package wants */
	EB_ENTRY_OPAQUE = 'o', /* .wh..wh..opq in the directory `path` */
};

/* Content that lies compressed in a file: a member of a zip. */
struct eb_deflated {
	int fd; /* pread; not owned, open while the entry is used */
	uint64_t offset, packed; /* the raw deflate stream in it, bytes */
	uint32_t crc32;		 /* of the content */
	bool stored;		 /* it is not deflated: `packed` is its size */
};

/* `path` is as it stands in the image without the leading slash
 * ("opt/env/bin/python"). Modes are 0644 or 0755. Owner and group are 0. */
struct eb_entry {
	char *path;
	enum eb_entry_type type;
	unsigned mode;
	int64_t mtime; /* seconds, already clamped to SOURCE_DATE_EPOCH */
	char *target;  /* of a link, verbatim */
	struct eb_digest sha256; /* of a file's content; zero: when packed */
	struct eb_spool
		*spool; /* content of a file: `size` bytes at `offset` */
	uint64_t offset, size;
	/* In place of a spool; owned. sha256 is then what the content has to
	 * have (EB_INTEGRITY), and gzip layers take the stream as it is. */
	struct eb_deflated *deflated;
	/* One line of text that goes with the path through every cache and
	 * back (conda keeps there what conda-meta says of a file), or NULL;
	 * no tab, no newline. */
	char *note;
};

/* Owned entries and the spools that hold their content. */
struct eb_entries {
	struct eb_entry *entry;
	size_t n, alloc;
	struct eb_spool **spool;
	size_t n_spools;
	struct eb_spool *own; /* of eb_entries_add_file(); one of `spool` */
};

/* A zeroed entry at the end, to be filled; path is copied. */
struct eb_entry *eb_entries_add(struct eb_entries *e, const char *path,
				enum eb_entry_type type);
/* A file with this content, kept in the entries' own spool. */
int eb_entries_add_file(struct eb_entries *e, const char *path, unsigned mode,
			int64_t mtime, const void *content, size_t size,
			struct eb_error *err);
void eb_entries_take_spool(struct eb_entries *e, struct eb_spool *spool);
/* By the bytes of the name as it stands in the tar header (a directory's has
 * a final slash). Two equal paths, or one below a file or link: EB_INPUT that
 * names the path and `what`. */
int eb_entries_sort(struct eb_entries *e, const char *what,
		    struct eb_error *err);
const struct eb_entry *eb_entries_find(const struct eb_entries *e,
				       const char *path); /* when sorted */
void eb_entries_release(struct eb_entries *e);
void eb_entry_release(struct eb_entry *e); /* one that is taken out of them */

/* What must not enter an image: empty, absolute, "..", "." or empty
 * components, a component ".wh.*", NUL, not UTF-8, over 4,096 bytes or a
 * component over 255. EB_INPUT naming the path and `what` (a package). */
int eb_path_check(const char *path, const char *what, struct eb_error *err);
/* An order in which all that lies below a path follows it at once. */
int eb_path_compare(const char *a, const char *b);
bool eb_path_is_below(const char *path, const char *folder);
/* EB_INPUT: `what` has a member below another that is a file. */
int eb_path_refuse_below(const char *path, const char *file, const char *what,
			 struct eb_error *err);

#define EB_FIXED_MTIME 315532800 /* 1980-01-01, of all that we generate */

#endif
