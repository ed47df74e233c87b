/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of delta.h: what of a folder goes into a layer. */
#ifndef EB_DELTA_DIFF_H
#define EB_DELTA_DIFF_H

#include <envbuild/delta.h>

struct eb_delta_entry {
	char *name;			  /* as it stands in the tar header */
	const struct eb_delta_node *node; /* NULL: a whiteout */
	const char *link; /* another name of this file, before */
};

struct eb_delta_diff {
	const struct eb_delta *before, *after;
	bool *marked;		      /* of after's nodes */
	struct eb_delta_entry *entry; /* by name */
	size_t n, alloc, n_removed;
};

void eb_delta_diff(const struct eb_delta *before, const struct eb_delta *after,
		   struct eb_delta_diff *out);
void eb_delta_diff_release(struct eb_delta_diff *d);

#endif
