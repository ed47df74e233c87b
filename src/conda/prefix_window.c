/* SPDX-License-Identifier: Apache-2.0 */
/* A window over a source. */
#include <string.h>

#include <envbuild/mem.h>

#include "prefix_window.h"

void eb_prefix_window_init(struct eb_prefix_window *w, size_t alloc,
			   const struct eb_prefix_source *source)
{
	if (source->size < alloc)
		alloc = (size_t)source->size;
	*w = (struct eb_prefix_window){ .source = source,
					.alloc = alloc,
					.data = eb_malloc(alloc + 1) };
}

void eb_prefix_window_release(struct eb_prefix_window *w)
{
	free(w->data);
}

const char *eb_prefix_window_get(struct eb_prefix_window *w, uint64_t offset,
				 size_t least, size_t *n, struct eb_error *err)
{
	uint64_t left = w->source->size - offset;

	if (left < least)
		least = (size_t)left;
	if (offset < w->base || offset - w->base > w->len ||
	    w->len - (size_t)(offset - w->base) < least) {
		w->base = offset;
		w->len = left < w->alloc ? (size_t)left : w->alloc;
		if (w->len && w->source->read(w->source->data, offset, w->data,
					      w->len, err) < 0)
			return NULL;
	}
	*n = w->len - (size_t)(offset - w->base);
	return w->data + (offset - w->base);
}

int eb_prefix_window_find(struct eb_prefix_window *w, const char *needle,
			  size_t m, uint64_t from, uint64_t to, uint64_t *at,
			  struct eb_error *err)
{
	const char *p, *hit;
	size_t n;

	while (to - from >= m) {
		p = eb_prefix_window_get(w, from, m, &n, err);
		if (!p)
			return -1;
		if (n > to - from)
			n = (size_t)(to - from);
		hit = memmem(p, n, needle, m);
		if (hit) {
			*at = from + (uint64_t)(hit - p);
			return 1;
		}
		from += n - (m - 1);
	}
	return 0;
}

int eb_prefix_window_copy(struct eb_prefix_window *w, uint64_t from,
			  uint64_t to, const struct eb_prefix_sink *sink,
			  struct eb_error *err)
{
	const char *p;
	size_t n;

	for (; from < to; from += n) {
		p = eb_prefix_window_get(w, from, 1, &n, err);
		if (!p)
			return -1;
		if (n > to - from)
			n = (size_t)(to - from);
		if (sink->add(sink->data, p, n, err) < 0)
			return -1;
	}
	return 0;
}
