/* SPDX-License-Identifier: Apache-2.0 */
/* Streams: the object, and what is built on reading alone. */
#include <assert.h>
#include <inttypes.h>

#include <envbuild/stream.h>

struct eb_stream {
	const struct eb_stream_ops *ops;
	void *state;
	enum eb_code failed; /* EB_OK, or the code of the error it gave */
};

struct eb_stream *eb_stream_new(const struct eb_stream_ops *ops, void *state)
{
	struct eb_stream *s = eb_calloc(1, sizeof *s);

	s->ops = ops;
	s->state = state;
	return s;
}

ssize_t eb_stream_read(struct eb_stream *s, void *p, size_t n,
		       struct eb_error *err)
{
	ssize_t got;

	assert(n > 0);
	if (s->failed)
		return eb_err_set(err, s->failed,
				  "a stream was read on after its error");
	got = s->ops->read(s->state, p, n, err);
	if (got < 0)
		s->failed = err->code;
	return got;
}

static int breaks_off(const char *name, uint64_t missing, struct eb_error *err)
{
	return eb_err_set(err, EB_INTEGRITY,
			  "\"%s\" breaks off: %" PRIu64 " bytes are missing",
			  name, missing);
}

int eb_stream_read_all(struct eb_stream *s, void *p, size_t n, const char *name,
		       struct eb_error *err)
{
	char *at = p;
	ssize_t got;

	while (n) {
		got = eb_stream_read(s, at, n, err);
		if (got < 0)
			return -1;
		if (got == 0)
			return breaks_off(name, n, err);
		at += got;
		n -= (size_t)got;
	}
	return 0;
}

int eb_stream_skip(struct eb_stream *s, uint64_t n, const char *name,
		   struct eb_error *err)
{
	char dropped[16 << 10];
	ssize_t got;

	while (n) {
		size_t piece = n < sizeof dropped ? n : sizeof dropped;

		got = eb_stream_read(s, dropped, piece, err);
		if (got < 0)
			return -1;
		if (got == 0)
			return breaks_off(name, n, err);
		n -= (uint64_t)got;
	}
	return 0;
}

void eb_stream_free(struct eb_stream *s)
{
	if (!s)
		return;
	s->ops->free(s->state);
	free(s);
}
