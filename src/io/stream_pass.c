/* SPDX-License-Identifier: Apache-2.0 */
/* Filters that let bytes pass and look at them: a limit, a digest. */
#include <inttypes.h>

#include <envbuild/stream.h>

struct limit {
	struct eb_stream *below;
	uint64_t max, left;
	char *what;
};

static ssize_t read_limit(void *state, void *p, size_t n, struct eb_error *err)
{
	struct limit *s = state;
	ssize_t got = eb_stream_read(s->below, p, n, err);

	if (got <= 0)
		return got;
	if ((uint64_t)got > s->left)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" has more than %" PRIu64
				  " bytes, the limit",
				  s->what, s->max);
	s->left -= (uint64_t)got;
	return got;
}

static void free_limit(void *state)
{
	struct limit *s = state;

	eb_stream_free(s->below);
	free(s->what);
	free(s);
}

struct eb_stream *eb_stream_limit(struct eb_stream *below, uint64_t max,
				  const char *what)
{
	static const struct eb_stream_ops ops = { read_limit, free_limit };
	struct limit *s = eb_malloc(sizeof *s);

	*s = (struct limit){ below, max, max, eb_strdup(what) };
	return eb_stream_new(&ops, s);
}

struct hashing {
	struct eb_stream *below;
	struct eb_sha256 *sha;
	uint64_t *size;
};

static ssize_t read_hashing(void *state, void *p, size_t n,
			    struct eb_error *err)
{
	struct hashing *s = state;
	ssize_t got = eb_stream_read(s->below, p, n, err);

	if (got > 0) {
		eb_sha256_add(s->sha, p, (size_t)got);
		if (s->size)
			*s->size += (uint64_t)got;
	}
	return got;
}

static void free_hashing(void *state)
{
	struct hashing *s = state;

	eb_stream_free(s->below);
	free(s);
}

struct eb_stream *eb_stream_sha256(struct eb_stream *below,
				   struct eb_sha256 *sha, uint64_t *size)
{
	static const struct eb_stream_ops ops = { read_hashing, free_hashing };
	struct hashing *s = eb_malloc(sizeof *s);

	*s = (struct hashing){ below, sha, size };
	eb_sha256_init(sha);
	if (size)
		*size = 0;
	return eb_stream_new(&ops, s);
}
