/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decompression by the first bytes. They are looked at when the stream is
 * first read, given back in front of the rest, and the filter that fits is
 * put on top. Apart from stream.c, so that what reads plain files alone does
 * not need the decompressors.
 */
#include <stdbool.h>
#include <string.h>

#include <envbuild/stream.h>

#define HEAD 4
#define WINDOW_LOG_MAX 27

/* The head, then the rest. */
struct replay {
	struct eb_stream *below;
	unsigned char head[HEAD];
	size_t at, len;
};

static ssize_t read_replay(void *state, void *p, size_t n, struct eb_error *err)
{
	struct replay *s = state;

	if (s->at == s->len)
		return eb_stream_read(s->below, p, n, err);
	if (n > s->len - s->at)
		n = s->len - s->at;
	memcpy(p, s->head + s->at, n);
	s->at += n;
	return (ssize_t)n;
}

static void free_replay(void *state)
{
	struct replay *s = state;

	eb_stream_free(s->below);
	free(s);
}

struct chooser {
	struct eb_stream *below; /* NULL once chosen */
	struct eb_stream *chosen;
	char *name;
};

static bool is_zstd(const unsigned char *h)
{
	return memcmp(h, "\x28\xb5\x2f\xfd", 4) == 0 ||
	       ((h[0] & 0xf0) == 0x50 && memcmp(h + 1, "\x2a\x4d\x18", 3) == 0);
}

static struct eb_stream *choose(struct eb_stream *s, const unsigned char *h,
				size_t n, const char *name)
{
	if (n >= 2 && h[0] == 0x1f && h[1] == 0x8b)
		return eb_stream_gunzip(s, name);
	if (n >= 4 && is_zstd(h))
		return eb_stream_unzstd(s, WINDOW_LOG_MAX, name);
	if (n >= 4 && memcmp(h, "BZh", 3) == 0 && h[3] >= '1' && h[3] <= '9')
		return eb_stream_bunzip2(s, name);
	return s;
}

static int look(struct chooser *s, struct eb_error *err)
{
	static const struct eb_stream_ops ops = { read_replay, free_replay };
	struct replay r = { .below = s->below };
	struct eb_stream *again;
	ssize_t got = 1;

	while (r.len < HEAD && got) {
		got = eb_stream_read(s->below, r.head + r.len, HEAD - r.len,
				     err);
		if (got < 0)
			return -1;
		r.len += (size_t)got;
	}
	again = eb_stream_new(&ops, eb_memdup(&r, sizeof r));
	s->chosen = choose(again, r.head, r.len, s->name);
	s->below = NULL;
	return 0;
}

static ssize_t read_chosen(void *state, void *p, size_t n, struct eb_error *err)
{
	struct chooser *s = state;

	if (s->below && look(s, err) < 0)
		return -1;
	return eb_stream_read(s->chosen, p, n, err);
}

static void free_chooser(void *state)
{
	struct chooser *s = state;

	eb_stream_free(s->below);
	eb_stream_free(s->chosen);
	free(s->name);
	free(s);
}

struct eb_stream *eb_stream_decompress(struct eb_stream *below,
				       const char *name)
{
	static const struct eb_stream_ops ops = { read_chosen, free_chooser };
	struct chooser *s = eb_malloc(sizeof *s);

	*s = (struct chooser){ below, NULL, eb_strdup(name) };
	return eb_stream_new(&ops, s);
}
