/* SPDX-License-Identifier: Apache-2.0 */
/* Blobs: fetched, hashed while they stream. */
#include <inttypes.h>
#include <string.h>

#include "blob.h"

struct get {
	struct eb_repository *repo;
	const struct eb_digest *digest;
	uint64_t from, size; /* a part, where `part` */
	bool part, wrong;    /* what comes cannot be it */
	const char *task;
	eb_blob_sink_fn *sink;
	void *data;
	struct eb_sha256 sha;
	uint64_t got;
};

static int take(void *data, const void *p, size_t n, uint64_t offset,
		struct eb_error *err)
{
	struct get *g = data;

	if (offset == 0) {
		eb_sha256_init(&g->sha);
		g->got = 0;
	}
	g->wrong = offset != g->got || (g->size && n > g->size - g->got);
	if (offset != g->got)
		return eb_err_set(err, EB_INTEGRITY,
				  "its bytes come out of order");
	if (g->wrong)
		return eb_err_set(err, EB_INTEGRITY,
				  "more than its %" PRIu64 " bytes come",
				  g->size);
	g->got += n;
	if (!g->part)
		eb_sha256_add(&g->sha, p, n);
	return g->sink(g->data, p, n, offset, err);
}

/* 1 right, 2 wrong (err tells how) */
static int check(struct eb_call *c, struct get *g, struct eb_error *err)
{
	char a[EB_DIGEST_TEXT], b[EB_DIGEST_TEXT], type[128];
	struct eb_digest have;

	if (g->size && g->got != g->size) {
		eb_err_set(err, EB_INTEGRITY,
			   "%" PRIu64 " bytes came, not %" PRIu64, g->got,
			   g->size);
		eb_call_prefix(c, err);
		return 2;
	}
	if (g->part)
		return 1;
	eb_sha256_end(&g->sha, &have);
	if (eb_digest_equal(&have, g->digest))
		return 1;
	eb_call_media_type(c, type);
	eb_err_set(err, EB_INTEGRITY, "these are the bytes of %s, not of %s%s",
		   eb_digest_text(&have, a), eb_digest_text(g->digest, b),
		   strcmp(type, "text/html") == 0 ? "; it is a web page" : "");
	eb_call_prefix(c, err);
	return 2;
}

/* 1, 0 not there, -1 (what broke off has been tried as often as is right), 2
 * wrong bytes */
static int get_once(struct eb_call *c, struct get *g, struct eb_error *err)
{
	eb_sha256_init(&g->sha);
	g->got = 0;
	g->wrong = false;
	if (eb_call(c, err) < 0)
		return g->wrong ? 2 : -1;
	if (c->r.status == 404)
		return 0;
	if (c->r.status != (g->part ? 206 : 200))
		return eb_call_failed(c, err);
	return check(c, g, err);
}

static int get_at(const struct eb_where *at, void *data, struct eb_error *err)
{
	struct get *g = data;
	char ref[EB_DIGEST_TEXT];
	eb_autofree char *path =
		eb_asprintf("blobs/%s", eb_digest_text(g->digest, ref));
	struct eb_call c = { .repo = g->repo,
			     .at = *at,
			     .doing = "fetching the blob",
			     .ref = ref,
			     .path = path,
			     .task = g->task,
			     .expect_size = g->size,
			     .range_from = g->from,
			     .range_size = g->part ? g->size : 0,
			     .sink = take,
			     .data = g };
	int rc = get_once(&c, g, err);

	if (rc == 2) {
		eb_err_release(err);
		rc = get_once(&c, g, err);
	}
	eb_call_release(&c);
	return rc == 2 ? -1 : rc;
}

static int get(struct get *g, struct eb_error *err)
{
	char ref[EB_DIGEST_TEXT];

	return eb_repository_read(g->repo, eb_digest_text(g->digest, ref),
				  get_at, g, err);
}

int eb_blob_get(struct eb_repository *repo, const struct eb_digest *d,
		uint64_t size, const char *task, eb_blob_sink_fn *sink,
		void *data, struct eb_error *err)
{
	struct get g = { .repo = repo,
			 .digest = d,
			 .size = size,
			 .task = task,
			 .sink = sink,
			 .data = data };

	return get(&g, err);
}

int eb_blob_get_range(struct eb_repository *repo, const struct eb_digest *d,
		      uint64_t offset, uint64_t size, const char *task,
		      eb_blob_sink_fn *sink, void *data, struct eb_error *err)
{
	struct get g = { .repo = repo,
			 .digest = d,
			 .from = offset,
			 .size = size,
			 .part = true,
			 .task = task,
			 .sink = sink,
			 .data = data };

	return size ? get(&g, err) : 1;
}

struct text {
	struct eb_buf *out;
	size_t max, start;
};

static int append(void *data, const void *p, size_t n, uint64_t offset,
		  struct eb_error *err)
{
	struct text *t = data;

	if (offset == 0) {
		t->out->len = t->start;
		t->out->data[t->start] = '\0';
	}
	if (n > t->max - (t->out->len - t->start) ||
	    eb_buf_add(t->out, p, n) < 0)
		return eb_err_set(err, EB_INPUT, "it is larger than %zu bytes",
				  t->max);
	return 0;
}

int eb_blob_read(struct eb_repository *repo, const struct eb_digest *d,
		 size_t max, struct eb_buf *out, struct eb_error *err)
{
	struct text t = { out, max, out->len };
	int rc = eb_blob_get(repo, d, 0, NULL, append, &t, err);

	if (rc <= 0) {
		out->len = t.start;
		out->data[t.start] = '\0';
	}
	return rc;
}
