/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of linking: what a package lists, and the work in hand. */
#ifndef EB_LINK_INT_H
#define EB_LINK_INT_H

#include <envbuild/link.h>

/* What info/paths.json (or files, has_prefix, no_link) says of one path. */
struct eb_link_path {
	char *path;
	bool is_folder; /* path_type directory */
	bool has_sha256, has_size;
	struct eb_digest sha256;
	uint64_t size;
	char *placeholder; /* or NULL */
	bool text;	   /* the file mode, with a placeholder */
	bool no_link;
	bool seen;    /* the package has it */
	size_t order; /* in the list */
};
struct eb_link_paths {
	struct eb_link_path *path; /* sorted, each once; nothing of info/ */
	size_t n, alloc;
	const char *source; /* "info/paths.json" or "info/files" */
};
int eb_link_paths_read(const struct eb_package *p, struct eb_link_paths *out,
		       struct eb_error *err);
struct eb_link_path *eb_link_paths_find(const struct eb_link_paths *l,
					const char *path);
void eb_link_paths_release(struct eb_link_paths *l);
/* The old form of has_prefix beside files; raises placeholders. */
int eb_link_has_prefix(const struct eb_package *p, struct eb_link_paths *l,
		       struct eb_error *err);
int eb_link_paths_refuse(const struct eb_package *p, const char *source,
			 const char *why, struct eb_error *err);

/* noarch: python */
struct eb_link_noarch {
	bool python;
	char *site_packages; /* "lib/python3.7/site-packages" */
	struct eb_strv entry_points;
};
int eb_link_noarch_read(const struct eb_package *p, const struct eb_record *r,
			const struct eb_link_target *t,
			struct eb_link_noarch *out, struct eb_error *err);
void eb_link_noarch_release(struct eb_link_noarch *n);
/* Can `r` be linked as noarch python? Asked before its package is there. */
bool eb_link_may_be_python(const struct eb_record *r);
/* Where a path goes, below the root of the image; caller frees. */
char *eb_link_noarch_map(const struct eb_link_noarch *n,
			 const struct eb_link_target *t, const char *path);

/* "cmd = module:func" becomes an entry bin/cmd, in place of a file there. */
int eb_link_entry_points(const struct eb_package *p,
			 const struct eb_link_noarch *n,
			 const struct eb_link_target *t, struct eb_entries *out,
			 struct eb_events *events, struct eb_error *err);

/* Replaces the placeholder in a file: its new content is appended to the
 * spool that holds it. */
int eb_link_replace(const struct eb_package *p, const struct eb_link_path *l,
		    const char *prefix, struct eb_entry *e,
		    struct eb_error *err);

/* The note of an entry (link.c tells its form); NULL when it would be empty. */
char *eb_link_note(const struct eb_entry *e, const char *type,
		   const struct eb_link_path *l);

int64_t eb_link_mtime(const struct eb_link_target *t, int64_t mtime);

#endif
