/* SPDX-License-Identifier: Apache-2.0 */
/* A window over a source: finding and copying with bounded memory. */
#ifndef EB_PREFIX_WINDOW_H
#define EB_PREFIX_WINDOW_H

#include "prefix_replace.h"

struct eb_prefix_window {
	const struct eb_prefix_source *source;
	char *data;
	size_t alloc, len;
	uint64_t base; /* data[0] is the source's byte here */
};

void eb_prefix_window_init(struct eb_prefix_window *w, size_t alloc,
			   const struct eb_prefix_source *source);
void eb_prefix_window_release(struct eb_prefix_window *w);
/* At least `least` bytes from `offset` on, or all up to the end; *n is how
 * many there are. NULL on an error. */
const char *eb_prefix_window_get(struct eb_prefix_window *w, uint64_t offset,
				 size_t least, size_t *n, struct eb_error *err);
/* The first place of the needle within [from, to): 1 and *at, 0, -1. */
int eb_prefix_window_find(struct eb_prefix_window *w, const char *needle,
			  size_t m, uint64_t from, uint64_t to, uint64_t *at,
			  struct eb_error *err);
int eb_prefix_window_copy(struct eb_prefix_window *w, uint64_t from,
			  uint64_t to, const struct eb_prefix_sink *sink,
			  struct eb_error *err);

#endif
