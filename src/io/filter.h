/* SPDX-License-Identifier: Apache-2.0 */
/* What the decompressing filters share: the bytes that came from below and
 * are not used yet. */
#ifndef EB_IO_FILTER_H
#define EB_IO_FILTER_H

#include <stdbool.h>

#include <envbuild/stream.h>

#define EB_FILTER_INPUT (64 << 10)

struct eb_filter {
	struct eb_stream *below;
	char *name;
	unsigned char *in;
	size_t at, len; /* in[at] to in[len - 1] are to be used */
	bool ended;	/* below gave its end */
};

void eb_filter_init(struct eb_filter *f, struct eb_stream *below,
		    const char *name);
void eb_filter_release(struct eb_filter *f);
/* Read from below when nothing is left: 1 there is something, 0 the end. */
int eb_filter_fill(struct eb_filter *f, struct eb_error *err);
/* Both return -1. */
int eb_filter_corrupt(const struct eb_filter *f, const char *format,
		      const char *why, struct eb_error *err);
int eb_filter_breaks_off(const struct eb_filter *f, const char *format,
			 struct eb_error *err);

#endif
