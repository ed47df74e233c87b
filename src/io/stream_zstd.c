/* SPDX-License-Identifier: Apache-2.0 */
/* Zstandard (RFC 8878): any number of frames, skippable ones among them. */
#include <zstd.h>
#include <zstd_errors.h>

#include "filter.h"

struct unzstd {
	struct eb_filter f;
	ZSTD_DStream *z;
	int window_log_max;
	bool in_frame; /* or before the first one */
};

static int refuse(const struct unzstd *s, size_t code, struct eb_error *err)
{
	if (ZSTD_getErrorCode(code) == ZSTD_error_frameParameter_windowTooLarge)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\", unpacking zstd: its window is "
				  "larger than 2^%d bytes, the limit",
				  s->f.name, s->window_log_max);
	if (ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation)
		eb_oom();
	return eb_filter_corrupt(&s->f, "zstd", ZSTD_getErrorName(code), err);
}

static ssize_t step(struct unzstd *s, void *p, size_t n, struct eb_error *err)
{
	struct eb_filter *f = &s->f;
	ZSTD_inBuffer in = { f->in, f->len, f->at };
	ZSTD_outBuffer out = { p, n, 0 };
	size_t code = ZSTD_decompressStream(s->z, &out, &in);

	if (ZSTD_isError(code))
		return refuse(s, code, err);
	f->at = in.pos;
	s->in_frame = code != 0;
	return (ssize_t)out.pos;
}

/* What the decoder still holds comes before more input is asked for. */
static ssize_t read_unzstd(void *state, void *p, size_t n, struct eb_error *err)
{
	struct unzstd *s = state;
	ssize_t got;
	int more;

	for (;;) {
		got = s->in_frame ? step(s, p, n, err) : 0;
		if (got != 0)
			return got;
		more = eb_filter_fill(&s->f, err);
		if (more < 0)
			return -1;
		if (more == 0 && s->in_frame)
			return eb_filter_breaks_off(&s->f, "zstd", err);
		if (more == 0)
			return 0;
		s->in_frame = true;
	}
}

static void free_unzstd(void *state)
{
	struct unzstd *s = state;

	ZSTD_freeDStream(s->z);
	eb_filter_release(&s->f);
	free(s);
}

struct eb_stream *eb_stream_unzstd(struct eb_stream *below, int window_log_max,
				   const char *name)
{
	static const struct eb_stream_ops ops = { read_unzstd, free_unzstd };
	struct unzstd *s = eb_calloc(1, sizeof *s);

	eb_filter_init(&s->f, below, name);
	s->window_log_max = window_log_max;
	s->in_frame = true;
	s->z = ZSTD_createDStream();
	if (!s->z)
		eb_oom();
	ZSTD_DCtx_setParameter(s->z, ZSTD_d_windowLogMax, window_log_max);
	return eb_stream_new(&ops, s);
}
