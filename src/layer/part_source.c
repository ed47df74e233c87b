/* SPDX-License-Identifier: Apache-2.0 */
/* The plain bytes of a part or layer in the store. */
#include "layer_priv.h"

#define WINDOW_LOG_MAX 27

/* Lets as many bytes pass as the row says; more are damage. */
struct cap {
	struct eb_stream *below;
	uint64_t left;
	char *name;
};

static ssize_t read_cap(void *state, void *p, size_t n, struct eb_error *err)
{
	struct cap *c = state;
	ssize_t got = eb_stream_read(c->below, p, n, err);

	if (got > 0 && (uint64_t)got > c->left)
		return eb_err_set(err, EB_INTEGRITY,
				  "\"%s\", unpacking: it has more bytes than "
				  "its row says",
				  c->name);
	if (got > 0)
		c->left -= (uint64_t)got;
	return got;
}

static void free_cap(void *state)
{
	struct cap *c = state;

	eb_stream_free(c->below);
	free(c->name);
	free(c);
}

struct eb_stream *eb_unpack(struct eb_stream *in, const struct eb_item *item,
			    const char *name)
{
	static const struct eb_stream_ops ops = { read_cap, free_cap };
	struct cap *c = eb_malloc(sizeof *c);

	in = eb_starts(item->compressor, "zstd")
		     ? eb_stream_unzstd(in, WINDOW_LOG_MAX, name)
		     : eb_stream_gunzip(in, name);
	*c = (struct cap){ in, item->plain_size, eb_strdup(name) };
	return eb_stream_new(&ops, c);
}

/* A part without entries has no bytes at all, and so is no gzip file. */
struct eb_stream *eb_item_stream(int fd, const struct eb_item *item,
				 const char *name)
{
	struct eb_stream *in = eb_stream_fd(fd, 0, item->size, name);

	return item->size ? eb_unpack(in, item, name) : in;
}
