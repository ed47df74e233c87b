/* SPDX-License-Identifier: Apache-2.0 */
/* bzip2 by libbz2: any number of streams, as pbzip2 writes them. */
#include <bzlib.h>

#include "filter.h"

struct bunzip2 {
	struct eb_filter f;
	bz_stream z;
	bool in_stream; /* z is set up */
	unsigned streams;
};

static void begin(struct bunzip2 *s)
{
	s->z = (bz_stream){ 0 };
	if (BZ2_bzDecompressInit(&s->z, 0, 0) != BZ_OK)
		eb_oom();
	s->in_stream = true;
	s->streams++;
}

static void end(struct bunzip2 *s)
{
	if (s->in_stream)
		BZ2_bzDecompressEnd(&s->z);
	s->in_stream = false;
}

static int refuse(const struct bunzip2 *s, int code, struct eb_error *err)
{
	const char *why = "damaged data";

	if (code == BZ_MEM_ERROR)
		eb_oom();
	if (code == BZ_DATA_ERROR_MAGIC && s->streams > 1)
		why = "something behind its end";
	else if (code == BZ_DATA_ERROR_MAGIC)
		why = "no bzip2 header";
	return eb_filter_corrupt(&s->f, "bzip2", why, err);
}

static ssize_t step(struct bunzip2 *s, void *p, size_t n, struct eb_error *err)
{
	struct eb_filter *f = &s->f;
	unsigned room = n < UINT32_MAX ? (unsigned)n : UINT32_MAX;
	int code;

	s->z.next_in = (char *)f->in + f->at;
	s->z.avail_in = (unsigned)(f->len - f->at);
	s->z.next_out = p;
	s->z.avail_out = room;
	code = BZ2_bzDecompress(&s->z);
	if (code != BZ_OK && code != BZ_STREAM_END)
		return refuse(s, code, err);
	f->at = f->len - s->z.avail_in;
	room -= s->z.avail_out;
	if (code == BZ_STREAM_END)
		end(s);
	return room;
}

static ssize_t read_bunzip2(void *state, void *p, size_t n,
			    struct eb_error *err)
{
	struct bunzip2 *s = state;
	ssize_t got;
	int more;

	for (;;) {
		got = s->in_stream ? step(s, p, n, err) : 0;
		if (got != 0)
			return got;
		more = eb_filter_fill(&s->f, err);
		if (more < 0)
			return -1;
		if (more == 0 && (s->in_stream || !s->streams))
			return eb_filter_breaks_off(&s->f, "bzip2", err);
		if (more == 0)
			return 0;
		if (!s->in_stream)
			begin(s);
	}
}

static void free_bunzip2(void *state)
{
	struct bunzip2 *s = state;

	end(s);
	eb_filter_release(&s->f);
	free(s);
}

struct eb_stream *eb_stream_bunzip2(struct eb_stream *below, const char *name)
{
	static const struct eb_stream_ops ops = { read_bunzip2, free_bunzip2 };
	struct bunzip2 *s = eb_calloc(1, sizeof *s);

	eb_filter_init(&s->f, below, name);
	return eb_stream_new(&ops, s);
}
