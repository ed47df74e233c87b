/* SPDX-License-Identifier: Apache-2.0 */
/* Made-up shards: JSON as MessagePack, packed by zstd, in files. */
#ifndef MAKE_SHARDS_H
#define MAKE_SHARDS_H

#include <jansson.h>
#include <string.h>
#include <zstd.h>

#include <envbuild/buf.h>
#include <envbuild/digest.h>
#include <envbuild/file.h>
#include <envbuild/mem.h>

static inline void pack_size(struct eb_buf *out, int first, size_t n)
{
	eb_buf_addch(out, (char)first);
	for (int shift = 24; shift >= 0; shift -= 8)
		eb_buf_addch(out, (char)(n >> shift));
}

/* Every size in its longest form; "hex:..." is binary data. */
static inline void pack_json(struct eb_buf *out, const json_t *j)
{
	const char *key, *s = json_string_value(j);
	json_t *value;
	size_t i;

	if (s && !strncmp(s, "hex:", 4)) {
		pack_size(out, 0xc6, strlen(s + 4) / 2);
		for (s += 4; *s; s += 2) {
			char digits[] = { s[0], s[1], 0 };

			eb_buf_addch(out, (char)strtoul(digits, NULL, 16));
		}
	} else if (s) {
		pack_size(out, 0xdb, strlen(s));
		eb_buf_adds(out, s);
	} else if (json_is_object(j)) {
		pack_size(out, 0xdf, json_object_size(j));
		json_object_foreach ((json_t *)j, key, value) {
			pack_size(out, 0xdb, strlen(key));
			eb_buf_adds(out, key);
			pack_json(out, value);
		}
	} else if (json_is_array(j)) {
		pack_size(out, 0xdd, json_array_size(j));
		json_array_foreach ((json_t *)j, i, value)
			pack_json(out, value);
	} else if (json_is_integer(j)) {
		eb_buf_addch(out, (char)0xcf);
		for (int shift = 56; shift >= 0; shift -= 8)
			eb_buf_addch(out,
				     (char)((uint64_t)json_integer_value(j) >>
					    shift));
	} else {
		eb_buf_addch(out, (char)(json_is_true(j)    ? 0xc3
					 : json_is_false(j) ? 0xc2
							    : 0xc0));
	}
}

/* The bytes of a file: `p` packed by zstd. */
static inline void squeeze_bytes(const void *p, size_t n, struct eb_buf *out)
{
	size_t room = ZSTD_compressBound(n), size;
	eb_autofree char *z = eb_malloc(room);

	size = ZSTD_compress(z, room, p, n, 3);
	eb_buf_reset(out);
	eb_buf_add(out, z, size);
}

#endif
