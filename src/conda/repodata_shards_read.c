/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The index of shards and a shard, from their bytes: zstd, then MessagePack,
 * then as any repodata.
 */
#include <string.h>

#include <envbuild/mem.h>
#include <envbuild/stream.h>

#include "channel_url.h"
#include "json_pull.h"
#include "msgpack_json.h"
#include "repodata_shards_int.h"

#define ZSTD_WINDOW_LOG 27
#define MAX_URL 4096
#define MAX_TEXT_FACTOR 4 /* JSON against MessagePack, at most */

/* The stream is freed. */
static int unpack(struct eb_stream *raw, size_t max, const char *name,
		  struct eb_buf *json, struct eb_error *err)
{
	EB_AUTOBUF(bytes, max + 1);
	char piece[32768];
	ssize_t n;
	EB_CLEANUP(eb_stream_free_ptr)
	struct eb_stream *in = eb_stream_limit(
		eb_stream_unzstd(raw, ZSTD_WINDOW_LOG, name), max, name);

	while ((n = eb_stream_read(in, piece, sizeof piece, err)) > 0)
		eb_buf_add(&bytes, piece, (size_t)n);
	if (n < 0)
		return -1;
	return eb_msgpack_json(bytes.data, bytes.len, name, json, err);
}

/* --- a shard --------------------------------------------------------- */

struct eb_rd_head *eb_rd_shard_read(const void *p, size_t n,
				    const char *dir_url, const char *name,
				    size_t *bad, struct eb_events *events,
				    struct eb_error *err)
{
	EB_CLEANUP(eb_rd_build_free_ptr)
	struct eb_rd_build *b = eb_rd_build_new(dir_url);
	EB_AUTOBUF(json, EB_RD_MAX_SHARD * MAX_TEXT_FACTOR);
	struct eb_rd_scan count = { .quiet = true };

	if (unpack(eb_stream_mem(p, n), EB_RD_MAX_SHARD, name, &json, err) <
		    0 ||
	    eb_rd_scan(b, eb_stream_mem(json.data, json.len), name, &count,
		       events, err) < 0)
		return NULL;
	*bad += count.bad;
	eb_rd_build_needs(b);
	return eb_rd_seal_memory(b);
}

/* --- the index ------------------------------------------------------- */

struct index {
	struct eb_rd_table table;
	struct eb_json_pull json;
	const char *dir_url, *at_url; /* of records, of the index */
};

static bool is(struct eb_json_text t, const char *word)
{
	return t.n == strlen(word) && !memcmp(t.p, word, t.n);
}

/* CEP 16: relative to the index, or absolute; "/" at its end. */
static uint32_t url_of(struct index *x, const char *base, const char *reference)
{
	eb_autofree char *joined = eb_channel_join(base, reference);
	eb_autofree char *bare = eb_url_redact(joined);
	eb_autofree char *url =
		eb_asprintf("%s%s", bare, eb_ends(bare, "/") ? "" : "/");
	uint32_t id = eb_strpool_add(&x->table.pool, url, strlen(url), NULL);

	return id == UINT32_MAX ? 0 : id;
}

static int read_url(struct index *x, const char *base, uint32_t *to)
{
	struct eb_json_text t;
	eb_autofree char *reference = NULL;

	if (eb_json_peek(&x->json) != '"')
		return eb_json_skip(&x->json);
	if (eb_json_string(&x->json, &t) < 0)
		return -1;
	if (t.n > MAX_URL)
		return eb_json_fail(&x->json, "a URL of more than 4 KiB");
	reference = eb_strndup(t.p, t.n);
	*to = url_of(x, base, reference);
	return 0;
}

static int read_info(struct index *x)
{
	struct eb_json_text key;
	int more, got;

	if (eb_json_open(&x->json, '{') < 0)
		return -1;
	while ((more = eb_json_key(&x->json, &key)) > 0) {
		if (is(key, "base_url"))
			got = read_url(x, x->dir_url, &x->table.base_url);
		else if (is(key, "shards_base_url"))
			got = read_url(x, x->at_url, &x->table.shards_url);
		else
			got = eb_json_skip(&x->json);
		if (got < 0)
			return -1;
	}
	return more;
}

/* A name that no package can have is left out. */
static int read_name(struct index *x, struct eb_json_text name)
{
	bool bad = eb_rd_bad_name(name.p, name.n) != NULL;
	struct eb_rd_table *t = &x->table;
	uint32_t id = bad ? 0 : eb_strpool_add(&t->pool, name.p, name.n, NULL);
	struct eb_json_text digest;

	if (eb_json_peek(&x->json) != '"')
		return eb_json_fail(&x->json, "a digest that is none");
	if (eb_json_string(&x->json, &digest) < 0)
		return -1;
	if (!id || id == UINT32_MAX)
		return 0;
	EB_GROW(t->entry, t->n, t->alloc);
	t->entry[t->n] = (struct eb_rd_entry){ .name = id };
	if (eb_rd_hex(digest.p, digest.n, t->entry[t->n].sha256, 32) < 0)
		return eb_json_fail(&x->json, "a digest that is none");
	t->n++;
	return 0;
}

static int read_names(struct index *x)
{
	struct eb_json_text name;
	int more;

	if (eb_json_open(&x->json, '{') < 0)
		return -1;
	while ((more = eb_json_key(&x->json, &name)) > 0)
		if (read_name(x, name) < 0)
			return -1;
	return more;
}

static int read_top(struct index *x)
{
	struct eb_json_text key;
	bool has_names = false;
	int more, got;

	if (eb_json_open(&x->json, '{') < 0)
		return -1;
	while ((more = eb_json_key(&x->json, &key)) > 0) {
		if (is(key, "shards")) {
			has_names = true;
			got = read_names(x);
		} else if (is(key, "info")) {
			got = read_info(x);
		} else {
			got = eb_json_skip(&x->json);
		}
		if (got < 0)
			return -1;
	}
	if (more == 0 && !has_names)
		return eb_json_fail(&x->json, "no \"shards\"");
	return more;
}

static struct eb_rd_bundle *read_index(struct index *x, const char *text,
				       size_t n, const char *name,
				       struct eb_error *err)
{
	EB_CLEANUP(eb_stream_free_ptr)
	struct eb_stream *in = eb_stream_mem(text, n);
	struct eb_rd_bundle *b = NULL;

	eb_json_pull_init(&x->json, in, name, err);
	eb_strpool_init(&x->table.pool);
	x->table.base_url = url_of(x, x->dir_url, "");
	x->table.shards_url = url_of(x, x->at_url, "");
	if (read_top(x) == 0)
		b = eb_rd_table_seal(&x->table);
	eb_strpool_release(&x->table.pool);
	free(x->table.entry);
	eb_json_pull_release(&x->json);
	return b;
}

struct eb_rd_bundle *eb_rd_shards_index(const struct eb_rd_job *job,
					const struct eb_rd_file *f, int fd,
					uint64_t size, struct eb_error *err)
{
	EB_AUTOBUF(json, EB_RD_MAX_SHARD_INDEX * MAX_TEXT_FACTOR);
	struct index x = { .dir_url = job->dir_url, .at_url = job->at_url };

	if (unpack(eb_stream_fd(fd, 0, size, f->key), EB_RD_MAX_SHARD_INDEX,
		   f->key, &json, err) < 0)
		return NULL;
	return read_index(&x, json.data, json.len, f->key, err);
}
