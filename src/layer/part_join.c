/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Joining cached parts into a layer. Their compressed bytes are copied as they
 * are; on the way they are unpacked once more, because the diff ID is over the
 * plain bytes of the whole. Of a layer that is not small a thread at the side
 * hashes one piece while the next one is unpacked.
 */
#include <string.h>

#include <envbuild/pool.h>

#include "layer_priv.h"

#define PIECE ((size_t)256 << 10)
#define SMALL (4 * PIECE)

struct piece {
	struct eb_sink *sink;
	char *data;
	size_t n;
};

struct joining {
	struct eb_store *store;
	const struct eb_item *part;
	size_t n;
	struct eb_sink *sink;
	struct eb_entries *paths; /* one list a part */
	struct eb_strv dirs;
	struct eb_pool *side; /* NULL: small */
	struct piece piece[2];
	unsigned turn; /* the piece that is filled */
	char name[EB_DIGEST_TEXT];
};

/* A source that copies what passes to the sink's blob. */
struct tee {
	struct eb_stream *below;
	struct eb_sink *sink;
	struct eb_sha256 *sha;
};

static ssize_t read_tee(void *state, void *p, size_t n, struct eb_error *err)
{
	struct tee *t = state;
	ssize_t got = eb_stream_read(t->below, p, n, err);

	if (got > 0) {
		eb_sha256_add(t->sha, p, (size_t)got);
		if (eb_sink_raw(t->sink, p, (size_t)got, err) < 0)
			return -1;
	}
	return got;
}

static void free_tee(void *state)
{
	struct tee *t = state;

	eb_stream_free(t->below);
	free(t);
}

static struct eb_stream *tee(struct eb_stream *below, struct eb_sink *sink,
			     struct eb_sha256 *sha)
{
	static const struct eb_stream_ops ops = { read_tee, free_tee };
	struct tee *t = eb_malloc(sizeof *t);

	*t = (struct tee){ below, sink, sha };
	eb_sha256_init(sha);
	return eb_stream_new(&ops, t);
}

static int load_paths(struct joining *j, struct eb_error *err)
{
	size_t i;

	for (i = 0; i < j->n; i++) {
		if (eb_part_paths(j->store, &j->part[i], &j->paths[i], err) < 0)
			return -1;
		eb_dirs_add(&j->dirs, &j->paths[i]);
	}
	eb_strv_sort(&j->dirs);
	eb_strv_unique(&j->dirs);
	return 0;
}

/* Every path of the layer once. */
static int check_paths(struct joining *j, struct eb_error *err)
{
	eb_autofree const struct eb_entry **e = NULL;
	size_t i, k, n = 0;

	for (i = 0; i < j->n; i++)
		n += j->paths[i].n;
	e = eb_calloc(n + 1, sizeof *e);
	for (i = n = 0; i < j->n; i++)
		for (k = 0; k < j->paths[i].n; k++)
			e[n++] = &j->paths[i].entry[k];
	return eb_entry_check_tree(e, n, true, j->name, err);
}

static int write_dirs(struct joining *j, struct eb_error *err)
{
	EB_AUTOBUF(header, EB_MAX_METADATA);
	size_t i;

	for (i = 0; i < j->dirs.n; i++) {
		eb_buf_reset(&header);
		if (eb_tar_dir(&header, j->dirs.v[i], err) < 0 ||
		    eb_sink_write(j->sink, header.data, header.len, err) < 0)
			return -1;
	}
	return 0;
}

/* What the sink keeps of plain bytes is this job's alone; the compressed ones
 * go by it. */
static int hash_job(void *arg, struct eb_error *err)
{
	struct piece *p = arg;

	return eb_sink_plain(p->sink, p->data, p->n, err);
}

/* One at a time, in order. */
static int hash_piece(struct joining *j, struct piece *p, struct eb_error *err)
{
	p->sink = j->sink;
	if (!j->side)
		return hash_job(p, err);
	if (eb_pool_wait(j->side, err) < 0)
		return -1;
	eb_pool_submit(j->side, hash_job, p);
	j->turn ^= 1;
	return 0;
}

static int copy_stream(struct joining *j, struct eb_stream *in,
		       struct eb_error *err)
{
	ssize_t got;

	for (;;) {
		struct piece *p = &j->piece[j->turn];

		if (!p->data)
			p->data = eb_malloc(PIECE);
		got = eb_stream_read(in, p->data, PIECE, err);
		if (got <= 0)
			return (int)got;
		p->n = (size_t)got;
		if (hash_piece(j, p, err) < 0)
			return -1;
	}
}

static int damaged(const struct eb_item *part, struct eb_error *err)
{
	char text[EB_DIGEST_TEXT];

	eb_err_set(err, EB_INTEGRITY,
		   "\"%s\", joining the parts of a layer: the bytes of this "
		   "blob are others",
		   eb_digest_text(&part->blob, text));
	return eb_err_hint(err, "envbuild cache check removes what is damaged; "
				"the next build makes it again");
}

static int copy_part(struct joining *j, const struct eb_item *part, int fd,
		     struct eb_error *err)
{
	char name[EB_DIGEST_TEXT];
	struct eb_sha256 sha;
	struct eb_digest got;
	EB_CLEANUP(eb_stream_free_ptr) struct eb_stream *in = NULL;

	eb_digest_text(&part->blob, name);
	in = eb_unpack(
		tee(eb_stream_fd(fd, 0, part->size, name), j->sink, &sha), part,
		name);
	if (copy_stream(j, in, err) < 0)
		return -1;
	eb_sha256_end(&sha, &got);
	return eb_digest_equal(&got, &part->blob) ? 0 : damaged(part, err);
}

static int add_part(struct joining *j, const struct eb_item *part,
		    struct eb_error *err)
{
	eb_autofd int fd = -1;
	uint64_t size;
	int found;

	if (part->size == 0)
		return 0;
	found = eb_store_blob(j->store, &part->blob, &fd, &size, err);
	if (found < 0)
		return -1;
	if (found == 0 || size != part->size)
		return damaged(part, err);
	return copy_part(j, part, fd, err);
}

static bool is_small(const struct joining *j)
{
	uint64_t size = 0;
	size_t i;

	for (i = 0; i < j->n; i++)
		size += j->part[i].plain_size;
	return size < SMALL;
}

static int write_all(struct joining *j, struct eb_error *err)
{
	size_t i;

	if (write_dirs(j, err) < 0)
		return -1;
	if (!is_small(j))
		j->side = eb_pool_new(1);
	for (i = 0; i < j->n; i++)
		if (add_part(j, &j->part[i], err) < 0)
			return -1;
	if (j->side && eb_pool_wait(j->side, err) < 0)
		return -1;
	return eb_sink_zeros(j->sink, 2 * EB_TAR_BLOCK, err);
}

static int check_parts(const struct joining *j, const struct eb_compressor *c,
		       struct eb_error *err)
{
	size_t i;

	for (i = 0; i < j->n; i++)
		if (strcmp(j->part[i].compressor, c->id) != 0 ||
		    j->part[i].kind != EB_ITEM_PART)
			return eb_err_set(err, EB_INPUT,
					  "\"%s\", joining parts: one is no "
					  "part or was packed by %s, not %s",
					  j->name, j->part[i].compressor,
					  c->id);
	return 0;
}

static void release(struct joining *j)
{
	size_t i;

	eb_pool_free(j->side);
	free(j->piece[0].data);
	free(j->piece[1].data);
	for (i = 0; i < j->n; i++)
		eb_entries_release(&j->paths[i]);
	free(j->paths);
	eb_strv_release(&j->dirs);
	eb_sink_abort(j->sink);
}

int eb_part_join(struct eb_store *store, const struct eb_compressor *c,
		 const struct eb_digest *key, const struct eb_item *part,
		 size_t n, struct eb_item *out, struct eb_error *err)
{
	struct joining j EB_CLEANUP(
		release) = { .store = store, .part = part, .n = n };

	j.paths = eb_calloc(n + 1, sizeof *j.paths);
	eb_digest_text(key, j.name);
	memset(out, 0, sizeof *out);
	out->kind = EB_ITEM_LAYER;
	out->key = *key;
	if (check_parts(&j, c, err) < 0 || load_paths(&j, err) < 0 ||
	    check_paths(&j, err) < 0 ||
	    eb_sink_begin(store, c, &j.sink, err) < 0 ||
	    write_all(&j, err) < 0 ||
	    eb_sink_end(eb_steal(j.sink), out, "layer", err) < 0)
		return -1;
	return eb_list_put(store, NULL, part, n, out, err);
}
