/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The map of an image's layers as text:
 *
 *	envbuild-map 1
 *	layer <key> <compressor> <plain> <plain size> <blob> <size> <paths>
 *		<paths size>
 *	part  the same, and <offset>
 *
 * One line each, fields separated by one tab; digests and keys are 64
 * hexadecimal digits, sizes decimal. The first seven fields behind the word
 * are those of a path list's lines (envbuild-store(5)). A layer that was
 * joined is followed by its parts, in the order of their offsets: the part's
 * compressed bytes are the `size` bytes of the layer's blob that begin at
 * `offset`. Path lists stand one behind the other in the order of the lines,
 * `paths size` bytes each.
 */
#ifndef EB_TEAM_MAP_H
#define EB_TEAM_MAP_H

#include "team_private.h"

#define EB_MAX_MAP ((size_t)32 << 20)
#define EB_MAP_LINES 65536

/* Text and path lists of all that `k` (sorted) holds. EB_INPUT: a part lies in
 * no layer of it, or it is too much. */
int eb_map_format(const struct eb_known *k, struct eb_buf *text,
		  struct eb_buf *paths, struct eb_error *err);
/* Added to `out`, all or nothing. EB_INTEGRITY: damaged; EB_MACHINE: a newer
 * format. */
int eb_map_parse(const char *text, size_t len, const char *what,
		 const struct eb_buf *paths, struct eb_known *out,
		 struct eb_error *err);

/* Does it name anything of which `wanted` says so? What is no map, or damaged,
 * names nothing. */
bool eb_map_names(const char *text, size_t len, eb_wanted_fn *wanted,
		  void *data);

#endif
