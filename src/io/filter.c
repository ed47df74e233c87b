/* SPDX-License-Identifier: Apache-2.0 */
/* The input side of the decompressing filters. */
#include "filter.h"

void eb_filter_init(struct eb_filter *f, struct eb_stream *below,
		    const char *name)
{
	*f = (struct eb_filter){ .below = below,
				 .name = eb_strdup(name),
				 .in = eb_malloc(EB_FILTER_INPUT) };
}

void eb_filter_release(struct eb_filter *f)
{
	eb_stream_free(f->below);
	free(f->name);
	free(f->in);
}

int eb_filter_fill(struct eb_filter *f, struct eb_error *err)
{
	ssize_t got;

	if (f->at < f->len)
		return 1;
	if (f->ended)
		return 0;
	got = eb_stream_read(f->below, f->in, EB_FILTER_INPUT, err);
	if (got < 0)
		return -1;
	f->at = 0;
	f->len = (size_t)got;
	f->ended = got == 0;
	return got > 0;
}

int eb_filter_corrupt(const struct eb_filter *f, const char *format,
		      const char *why, struct eb_error *err)
{
	return eb_err_set(err, EB_INTEGRITY, "\"%s\", unpacking %s: %s",
			  f->name, format, why);
}

int eb_filter_breaks_off(const struct eb_filter *f, const char *format,
			 struct eb_error *err)
{
	return eb_err_set(err, EB_INTEGRITY,
			  "\"%s\" breaks off: its %s stream has no end",
			  f->name, format);
}
