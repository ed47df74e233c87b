/* SPDX-License-Identifier: Apache-2.0 */
/* Walking a part or layer: unpack, read the tar, hand out each entry. */
#include <string.h>

#include "layer_priv.h"

struct walk {
	struct eb_stream *in;		/* plain bytes, hashed */
	const struct eb_entries *paths; /* what the tar does not tell */
	char name[EB_DIGEST_TEXT];
	uint64_t left; /* of the entry's content */
};

static ssize_t read_content(void *state, void *p, size_t n,
			    struct eb_error *err)
{
	struct walk *w = state;
	ssize_t got;

	if (n > w->left)
		n = (size_t)w->left;
	if (n == 0)
		return 0;
	got = eb_stream_read(w->in, p, n, err);
	if (got == 0)
		return eb_err_set(err, EB_INTEGRITY, "\"%s\" breaks off",
				  w->name);
	if (got > 0)
		w->left -= (uint64_t)got;
	return got;
}

static void free_content(void *state)
{
	(void)state; /* the walk's own */
}

static int hand_out(struct walk *w, const struct eb_entry *e,
		    eb_part_walk_fn *fn, void *data, struct eb_error *err)
{
	static const struct eb_stream_ops ops = { read_content, free_content };
	EB_CLEANUP(eb_stream_free_ptr) struct eb_stream *content = NULL;
	int done;

	w->left = eb_tar_size(e);
	if (e->type == EB_ENTRY_DIR)
		return 0;
	if (e->type == EB_ENTRY_FILE)
		content = eb_stream_new(&ops, w);
	done = fn(data, e, content, err);
	if (done != 0)
		return done;
	return eb_stream_skip(w->in, w->left + eb_tar_padding(eb_tar_size(e)),
			      w->name, err);
}

static void release_entry(struct eb_entry *e)
{
	free(e->path);
	free(e->target);
}

/* Digest and note of a file stand in the path list; borrowed from there. */
static void add_known(const struct walk *w, struct eb_entry *e)
{
	const struct eb_entry *known = eb_entries_find(w->paths, e->path);

	if (!known || known->type != e->type)
		return;
	e->sha256 = known->sha256;
	e->note = known->note;
}

/* 0 the end, 1 stopped by the callback, 2 one entry done. */
static int walk_one(struct walk *w, eb_part_walk_fn *fn, void *data,
		    struct eb_error *err)
{
	struct eb_entry e EB_CLEANUP(release_entry) = { 0 };
	int got = eb_untar_next(w->in, w->name, &e, err);

	if (got <= 0)
		return got;
	add_known(w, &e);
	got = hand_out(w, &e, fn, data, err);
	return got == 0 ? 2 : got < 0 ? -1 : 1;
}

/* The end blocks and nothing more. */
static int drain(struct walk *w, struct eb_error *err)
{
	char rest[2 * EB_TAR_BLOCK];
	ssize_t got;
	size_t i;

	while ((got = eb_stream_read(w->in, rest, sizeof rest, err)) > 0)
		for (i = 0; i < (size_t)got; i++)
			if (rest[i])
				return eb_err_set(err, EB_INTEGRITY,
						  "\"%s\", reading the tar in "
						  "it: something is behind "
						  "its end",
						  w->name);
	return (int)got;
}

static int check_plain(struct walk *w, const struct eb_item *item,
		       struct eb_sha256 *sha, uint64_t size,
		       struct eb_error *err)
{
	struct eb_digest got;

	eb_sha256_end(sha, &got);
	if (size == item->plain_size && eb_digest_equal(&got, &item->plain))
		return 0;
	return eb_err_set(err, EB_INTEGRITY,
			  "\"%s\", unpacking: its plain bytes are others",
			  w->name);
}

static int walk_all(struct walk *w, const struct eb_item *item,
		    eb_part_walk_fn *fn, void *data, struct eb_sha256 *sha,
		    uint64_t *size, struct eb_error *err)
{
	int got;

	do
		got = walk_one(w, fn, data, err);
	while (got == 2);
	if (got != 0)
		return got < 0 ? -1 : 0;
	if (drain(w, err) < 0)
		return -1;
	return check_plain(w, item, sha, *size, err);
}

static void release(struct walk *w)
{
	eb_stream_free(w->in);
}

int eb_part_walk_with(struct eb_store *store, const struct eb_item *item,
		      const struct eb_entries *paths, eb_part_walk_fn *fn,
		      void *data, struct eb_error *err)
{
	struct walk w EB_CLEANUP(release) = { .paths = paths };
	struct eb_sha256 sha;
	uint64_t size;
	eb_autofd int fd = -1;
	int found = eb_store_blob(store, &item->blob, &fd, &size, err);

	eb_digest_text(&item->blob, w.name);
	if (found < 0)
		return -1;
	if (found == 0)
		return eb_err_set(err, EB_INTEGRITY,
				  "\"%s\", unpacking: the blob is not there",
				  w.name);
	w.in = eb_stream_sha256(eb_item_stream(fd, item, w.name), &sha, &size);
	return walk_all(&w, item, fn, data, &sha, &size, err);
}

int eb_part_walk(struct eb_store *store, const struct eb_item *item,
		 eb_part_walk_fn *fn, void *data, struct eb_error *err)
{
	EB_CLEANUP(eb_entries_release) struct eb_entries paths = { 0 };

	if (eb_part_paths(store, item, &paths, err) < 0)
		return -1;
	return eb_part_walk_with(store, item, &paths, fn, data, err);
}
