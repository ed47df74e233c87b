/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of a blob as the body of a request, and the closing PUT. */
#include <string.h>

#include "blob.h"

static const char *const octets[] = {
	"Content-Type: application/octet-stream",
	NULL,
};

struct eb_call eb_upload_call(const struct eb_upload *u, const char *method)
{
	return (struct eb_call){ .repo = u->repo,
				 .at = u->at,
				 .doing = "sending the blob",
				 .ref = u->ref,
				 .method = method,
				 .url = u->location,
				 .headers = octets,
				 .push = true,
				 .tries = 1,
				 .task_kind = "push" };
}

static void local_body(const struct eb_blob_source *s, uint64_t from,
		       uint64_t n, struct eb_http_body *body)
{
	memset(body, 0, sizeof *body);
	body->size = n;
	if (!n)
		return;
	if (s->data) {
		body->kind = EB_HTTP_MEMORY;
		body->data = (const char *)s->data + from;
	} else {
		body->kind = EB_HTTP_FD;
		body->fd = s->fd;
		body->offset = from;
	}
}

static enum eb_sent send(struct eb_upload *u, struct eb_call *c,
			 struct eb_error *err)
{
	return eb_call(c, err) < 0 ? eb_upload_broken(u, c, err) : EB_SENT_DONE;
}

/* A piece of what lies elsewhere is hashed once, though a registry that took
 * less than it was sent has it come again. The last one of wrong bytes is kept
 * back. */
static enum eb_sent check_piece(struct eb_upload *u, const struct eb_buf *piece,
				uint64_t from, struct eb_error *err)
{
	uint64_t known;
	char text[EB_DIGEST_TEXT];
	struct eb_digest have;

	if (from == 0) {
		eb_sha256_init(&u->sha);
		u->hashed = 0;
	}
	known = u->hashed - from;
	if (known >= piece->len)
		return EB_SENT_DONE;
	eb_sha256_add(&u->sha, piece->data + known, piece->len - known);
	u->hashed = from + piece->len;
	if (u->hashed < u->size)
		return EB_SENT_DONE;
	eb_sha256_end(&u->sha, &have);
	if (eb_digest_equal(&have, u->digest))
		return EB_SENT_DONE;
	eb_err_set(err, EB_INTEGRITY,
		   "\"%s@%s\": fetching the blob: these are the bytes of %s",
		   u->from->text, u->ref, eb_digest_text(&have, text));
	return EB_SENT_DIGEST;
}

/* Pieces of what lies elsewhere go through memory; all of it through a pipe. */
static enum eb_sent send_fetched(struct eb_upload *u, struct eb_call *c,
				 uint64_t from, uint64_t n,
				 struct eb_error *err)
{
	EB_AUTOBUF(piece, n);
	enum eb_sent sent;
	int rc = eb_upload_fetch(u, from, n, &piece, err);

	if (rc <= 0)
		return rc == 0 ? EB_SENT_GONE : EB_SENT_FAILED;
	sent = check_piece(u, &piece, from, err);
	if (sent != EB_SENT_DONE)
		return sent;
	c->body = (struct eb_http_body){ .kind = EB_HTTP_MEMORY,
					 .data = piece.data,
					 .size = n };
	sent = send(u, c, err);
	memset(&c->body, 0, sizeof c->body);
	return sent;
}

enum eb_sent eb_upload_send(struct eb_upload *u, struct eb_call *c,
			    uint64_t from, uint64_t n, struct eb_error *err)
{
	if (u->source) {
		local_body(u->source, from, n, &c->body);
		return send(u, c, err);
	}
	if (!n)
		return send(u, c, err);
	if (u->rung == EB_RUNG_CHUNKS)
		return send_fetched(u, c, from, n, err);
	return eb_upload_pipe(u, c, from, n, err);
}

/* The Location as it came, and the digest behind it. */
static char *closing_url(const struct eb_upload *u)
{
	const char *l = u->location;
	const char *query = strchr(l, '?');
	const char *link = !query ? "?" : "&";

	if (query && (!query[1] || l[strlen(l) - 1] == '&'))
		link = "";
	return eb_asprintf("%s%sdigest=sha256%%3A%s", l, link, u->ref + 7);
}

static enum eb_sent check_answer(struct eb_upload *u, struct eb_call *c,
				 struct eb_error *err)
{
	char text[EB_DIGEST_TEXT];
	struct eb_digest have;

	if (eb_call_is_page(c)) {
		eb_call_page(c, "that of a registry", err);
		return EB_SENT_FAILED;
	}
	if (!eb_call_digest(c, &have) || eb_digest_equal(&have, u->digest))
		return EB_SENT_DONE;
	eb_err_set(err, EB_INTEGRITY, "the registry has got %s",
		   eb_digest_text(&have, text));
	eb_call_prefix(c, err);
	return EB_SENT_DIGEST;
}

enum eb_sent eb_upload_put(struct eb_upload *u, bool whole,
			   struct eb_error *err)
{
	struct eb_call c = eb_upload_call(u, "PUT");
	eb_autofree char *url = closing_url(u);
	enum eb_sent sent;

	c.url = url;
	c.task = whole ? u->task : NULL;
	sent = eb_upload_send(u, &c, 0, whole ? u->size : 0, err);
	if (sent == EB_SENT_DONE)
		sent = eb_upload_verdict(u, &c, err);
	if (sent == EB_SENT_DONE)
		sent = check_answer(u, &c, err);
	eb_call_release(&c);
	return sent;
}
