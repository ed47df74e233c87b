/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The layer plan: which parts make which layer, in which order (DESIGN
 * "Layers"). A function of the package set alone.
 */
#ifndef EB_PLAN_H
#define EB_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <envbuild/entry.h>
#include <envbuild/error.h>
#include <envbuild/event.h>

#define EB_PLAN_OWN_MAX 48
#define EB_PLAN_OWN_SIZE (1 << 20) /* packed bytes */
#define EB_PLAN_BUCKETS 32
#define EB_PLAN_LAYERS 100

struct eb_plan_member {
	const char *name;     /* of the package; unique in the set */
	uint64_t packed_size; /* from the lock */
	/* filled by eb_plan_make */
	bool own;	 /* payload is a layer of its own */
	unsigned bucket; /* sha256(name) mod 32: records, bytecode, and the
			  * payload unless own */
	size_t order;	 /* of own layers, 0 = lowest */
};

struct eb_plan {
	size_t n_own;
	size_t *own;	  /* members with own layers, lowest first: by
			   * floor(log2(size)) descending, then name */
	unsigned *bucket; /* buckets in use, ascending */
	size_t n_buckets;
};

/* `other` is how many layers there are besides own and buckets (base, post-
 * link, environment). At most EB_PLAN_LAYERS in all: the number of own layers
 * shrinks. EB_INPUT when the base alone leaves no room for the buckets. */
int eb_plan_make(struct eb_plan_member *m, size_t n, size_t other,
		 struct eb_plan *out, struct eb_error *err);
void eb_plan_release(struct eb_plan *plan);

/*
 * Clashes: one path in several packages. The later one in link order has it;
 * nothing has a path of the package `python` or below conda-meta/ but its own.
 */
struct eb_clash_member {
	const char *name;
	const struct eb_entries *paths; /* sorted by path */
	bool own;
	unsigned bucket;
	bool is_python; /* the package `python`: nothing wins over its files */
};
struct eb_clash {
	char *path;
	size_t winner;	/* member index: the last in link order */
	size_t *member; /* all that have it, in link order */
	size_t n;
	bool same; /* equal content, mode, time and type: no copy needed */
};
/* Two paths that differ in case alone (Unicode's simple folding). Both are in
 * the image; where its files are seen through a file system that folds case,
 * one hides the other. Told once, for the folder where they part. */
struct eb_case_clash {
	char *path, *other;
	size_t member, other_member; /* the last that has it */
};
struct eb_clashes {
	struct eb_clash *clash; /* sorted by path */
	size_t n, alloc;
	/* of several packages, sorted; and how many are within one */
	struct eb_case_clash *cased;
	size_t n_cased, cased_alloc, cased_within;
};
/* Members in link order. Refused (EB_INPUT, naming both packages and the
 * path): a file where another has a directory (links to directories inside
 * the prefix are legal), anything over a file of `python` or below
 * conda-meta/. */
int eb_clashes_find(const struct eb_clash_member *m, size_t n,
		    const char *prefix, struct eb_clashes *out,
		    struct eb_error *err);
/* Those that differ in case alone; nothing is refused. */
void eb_clashes_find_cased(const struct eb_clash_member *m, size_t n,
			   struct eb_clashes *out);
/* Which paths member i leaves out of its part: those that an earlier part (by
 * name) of the same bucket has. Sorted; the caller releases. */
struct eb_strv;
void eb_clashes_left_out(const struct eb_clashes *c,
			 const struct eb_clash_member *m, size_t i,
			 struct eb_strv *out);
void eb_clashes_release(struct eb_clashes *c);

/* What a file system that folds case makes of a name; what is no UTF-8 stays.
 */
struct eb_buf;
void eb_fold_case(const char *text, size_t n, struct eb_buf *out);

/* One package's folder may be another's link inside the prefix ("lib64" ->
 * "lib"). In an image the folder would take the link's place, so the paths
 * below it have to be written as what they are in truth ("lib/x"), before
 * anything is packed: resolve, then apply the moves to each member's entries
 * and to its path list, then look for clashes. The moves of a member belong
 * into the key of its payload, as the paths that it leaves out do. No moves is
 * the rule. EB_INPUT, naming both packages, where a link leaves the prefix or
 * leads in a circle. */
struct eb_move {
	size_t member;
	char *from, *to; /* to NULL: an empty folder that the link replaces */
};
struct eb_moves {
	struct eb_move *move; /* by member, then in the order of its entries */
	size_t n, alloc;
};
int eb_paths_resolve(const struct eb_clash_member *m, size_t n,
		     const char *prefix, struct eb_moves *out,
		     struct eb_error *err);
/* Rename what the moves of this member name (the others are left alone) and
 * sort again; two equal paths afterwards are EB_INPUT. */
int eb_moves_apply(const struct eb_moves *moves, size_t member,
		   struct eb_entries *entries, const char *what,
		   struct eb_error *err);
void eb_moves_release(struct eb_moves *moves);

#endif
