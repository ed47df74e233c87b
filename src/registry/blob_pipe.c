/* SPDX-License-Identifier: Apache-2.0 */
/* A blob from one registry's answer into a request to another. */
#include <string.h>

#include "blob.h"

#define PIPE_BYTES ((size_t)1 << 20)

/* What passes is hashed; the last bytes of wrong ones are kept back, so that
 * they cannot become a blob anywhere. */
struct passing {
	const struct eb_upload *u;
	struct eb_sha256 sha;
	uint64_t got;
	bool whole, wrong;
	/* who ended first, and how */
	bool put_ended, put_failed, get_failed;
};

static int look(void *data, const void *p, size_t n, uint64_t offset,
		struct eb_error *err)
{
	struct passing *w = data;
	char text[EB_DIGEST_TEXT];
	struct eb_digest have;

	if (offset == 0) {
		eb_sha256_init(&w->sha);
		w->got = 0;
	}
	eb_sha256_add(&w->sha, p, n);
	w->got += n;
	if (!w->whole || w->got != w->u->size)
		return 0;
	eb_sha256_end(&w->sha, &have);
	if (eb_digest_equal(&have, w->u->digest))
		return 0;
	w->wrong = true;
	return eb_err_set(err, EB_INTEGRITY, "these are the bytes of %s",
			  eb_digest_text(&have, text));
}

static struct eb_call get_call(const struct eb_upload *u, const char *path)
{
	return (struct eb_call){ .repo = u->from,
				 .at = u->from_at,
				 .doing = "fetching the blob",
				 .ref = u->ref,
				 .path = path };
}

/* A login was asked for: there is one now, or never. */
static enum eb_sent log_in(struct eb_call *c, struct eb_error *err)
{
	if (eb_call_challenge(c, err) < 0)
		return EB_SENT_FAILED;
	eb_call_failed(c, err);
	return EB_SENT_NEW;
}

/* The source has answered, but not with the blob. */
static enum eb_sent get_answered(struct eb_call *get, struct eb_error *err)
{
	if (get->r.status == 404)
		return EB_SENT_GONE;
	if (get->r.status == 401)
		return log_in(get, err);
	eb_call_failed(get, err);
	return EB_SENT_FAILED;
}

/* The source has failed, after as many tries as are right; but a body that
 * could not be resumed had one alone, and one of another length may be right
 * the next time. */
static enum eb_sent get_broken(struct eb_upload *u, struct eb_call *get,
			       struct eb_error *loop, struct eb_error *err)
{
	const char *etag = get->r.etag;
	bool resumable = etag && *etag == '"';

	eb_err_move(err, loop);
	eb_call_prefix(get, err);
	u->retry_after = get->r.retry_after;
	if (!eb_call_good(get))
		return EB_SENT_FAILED;
	if (!resumable)
		return EB_SENT_NEW;
	return err->code == EB_INTEGRITY ? EB_SENT_DIGEST : EB_SENT_FAILED;
}

static void put_done(void *data, struct eb_http_request *r)
{
	struct passing *w = data;

	w->put_ended = true;
	w->put_failed = eb_err_is_set(&r->err);
}

/* Whose error it was that both have in the end. */
static void get_done(void *data, struct eb_http_request *r)
{
	struct passing *w = data;

	w->get_failed = !w->put_ended && eb_err_is_set(&r->err);
}

static enum eb_sent ended(struct eb_upload *u, struct eb_call *get,
			  struct eb_call *put, struct eb_error *loop,
			  struct eb_error *err)
{
	const struct passing *w = get->data;
	bool got = eb_call_good(get);

	if (w->wrong) {
		eb_err_move(err, loop);
		eb_call_prefix(get, err);
		return EB_SENT_DIGEST;
	}
	if (put->r.status == 401)
		return log_in(put, err);
	/* an answer, whatever became of the source then */
	if (put->r.status >= 200 && !w->put_failed &&
	    (got || !eb_call_good(put)))
		return EB_SENT_DONE;
	if (w->get_failed)
		return get_broken(u, get, loop, err);
	if (!got && get->r.status >= 200)
		return get_answered(get, err);
	if (!eb_err_is_set(loop))
		eb_err_set(loop, EB_NETWORK, "it broke off");
	eb_err_move(err, loop);
	eb_call_prefix(put, err);
	return eb_upload_broken(u, put, err);
}

static int run_both(struct eb_call *get, struct eb_call *put,
		    struct eb_error *loop, struct eb_error *err)
{
	struct eb_http_request *both[2] = { &get->r, &put->r };

	if (eb_call_prepare(get, err) < 0 || eb_call_prepare(put, err) < 0)
		return -1;
	get->r.done = get_done;
	put->r.done = put_done;
	put->r.data = get->data;
	eb_http_do(put->repo->registry->http, both, 2, loop);
	eb_call_settle(get);
	eb_call_settle(put);
	return 0;
}

enum eb_sent eb_upload_pipe(struct eb_upload *u, struct eb_call *c,
			    uint64_t from, uint64_t n, struct eb_error *err)
{
	eb_autofree char *path = eb_asprintf("blobs/%s", u->ref);
	struct eb_call get = get_call(u, path);
	struct eb_http_pipe *pipe = eb_http_pipe_new(PIPE_BYTES);
	struct passing w = { .u = u, .whole = from == 0 && n == u->size };
	struct eb_error loop = EB_ERROR_INIT;
	enum eb_sent sent = EB_SENT_FAILED;

	eb_sha256_init(&w.sha);
	get.to_pipe = pipe;
	get.sink = look;
	get.data = &w;
	get.range_from = from;
	get.range_size = from ? n : 0;
	get.expect_size = n;
	c->body = (struct eb_http_body){ .kind = EB_HTTP_PIPE,
					 .pipe = pipe,
					 .size = n };
	if (run_both(&get, c, &loop, err) == 0)
		sent = ended(u, &get, c, &loop, err);
	eb_err_release(&loop);
	eb_call_release(&get);
	memset(&c->body, 0, sizeof c->body);
	eb_http_pipe_free(pipe);
	return sent;
}

static int collect(void *data, const void *p, size_t n, uint64_t offset,
		   struct eb_error *err)
{
	struct eb_buf *out = data;

	if (offset == 0)
		eb_buf_reset(out);
	if (eb_buf_add(out, p, n) == 0)
		return 0;
	return eb_err_set(err, EB_NETWORK, "more comes than was asked for");
}

int eb_upload_fetch(struct eb_upload *u, uint64_t from, uint64_t n,
		    struct eb_buf *out, struct eb_error *err)
{
	eb_autofree char *path = eb_asprintf("blobs/%s", u->ref);
	struct eb_call c = get_call(u, path);
	bool whole = from == 0 && n == u->size;
	int rc;

	c.range_from = from;
	c.range_size = whole ? 0 : n;
	c.sink = collect;
	c.data = out;
	rc = eb_call(&c, err);
	if (rc == 0 && c.r.status == (whole ? 200 : 206) && out->len == n)
		rc = 1;
	else if (rc == 0 && c.r.status != 404)
		rc = eb_call_failed(&c, err);
	eb_call_release(&c);
	return rc;
}
