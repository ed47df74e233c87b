/* SPDX-License-Identifier: Apache-2.0 */
/* What a server sends: its header is kept, its body goes where it belongs. */
#include "http_int.h"

#include <stdio.h>
#include <string.h>

/* --- header ---------------------------------------------------------- */

static void begin_header(struct eb_transfer *t)
{
	t->head = true;
	t->body = false;
	eb_buf_reset(&t->header);
	eb_buf_reset(&t->error);
	eb_http_forget_answer(t->r);
	free(eb_steal(t->location));
}

static void keep_header(struct eb_transfer *t)
{
	struct eb_http_request *r = t->r;

	t->head = false;
	r->answer = eb_buf_steal(&t->header, NULL);
	r->etag = eb_http_field(r, "ETag", 0);
	r->last_modified = eb_http_field(r, "Last-Modified", 0);
	r->cache_control = eb_http_field(r, "Cache-Control", 0);
	t->location = eb_http_field(r, "Location", 0);
}

/* "bytes 5-9/10": does the part begin where ours ends, and is it no longer
 * than what was asked for? */
static bool range_fits(const struct eb_transfer *t)
{
	const struct eb_http_request *r = t->r;
	eb_autofree char *range = eb_http_field(r, "Content-Range", 0);
	unsigned long long from = 0, to = 0;
	uint64_t want = t->got + (r->range_size ? r->range_from : 0);

	if (!range || sscanf(range, "bytes %llu-%llu", &from, &to) != 2)
		return false;
	if (from != want || to < from)
		return false;
	return !r->range_size || to - r->range_from < r->range_size;
}

static int check_part(struct eb_transfer *t, long status)
{
	bool asked = t->resumed || t->r->range_size;

	if (status == 206 && (!asked || !range_fits(t)))
		return eb_err_set(&t->err, EB_NETWORK,
				  "\"%s\": downloading: the server sends "
				  "another part than it was asked for",
				  t->shown);
	if (status == 200 && t->r->range_size)
		return eb_err_set(&t->err, EB_NETWORK,
				  "\"%s\": downloading: the server sends the "
				  "whole where a part was asked for",
				  t->shown);
	return 0;
}

static int refuse_size(struct eb_transfer *t)
{
	return eb_err_set(&t->err, EB_INTEGRITY,
			  "\"%s\": downloading: the body is longer than "
			  "%llu bytes",
			  t->shown, (unsigned long long)t->r->max_bytes);
}

static void learn_size(struct eb_transfer *t)
{
	const char *etag = t->r->etag;
	curl_off_t length = -1;

	curl_easy_getinfo(t->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
	t->total = length >= 0 ? t->got + (uint64_t)length : 0;
	free(t->part_etag);
	t->part_etag = etag && *etag == '"' ? eb_strdup(etag) : NULL;
}

/* The header has ended: is what follows the body that was asked for? */
static int begin_body(struct eb_transfer *t)
{
	long status = 0;

	curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
	if (status < 200 || status >= 300)
		return 0;
	if (!strcmp(t->method, "HEAD"))
		return 0;
	if (check_part(t, status) < 0)
		return -1;
	if (status != 206 && eb_transfer_rewind(t, &t->err) < 0)
		return -1;
	t->body = true;
	learn_size(t);
	if (t->r->max_bytes && t->total > t->r->max_bytes)
		return refuse_size(t);
	return t->r->to_pipe ? eb_pipe_open(t, &t->err) : 0;
}

static size_t on_header(char *p, size_t size, size_t n, void *data)
{
	struct eb_transfer *t = data;

	n *= size;
	t->moved = eb_now_ns();
	if (n >= 5 && !strncmp(p, "HTTP/", 5))
		begin_header(t);
	if (!t->head)
		return n; /* a trailer */
	if (n > 2) {
		eb_buf_add(&t->header, p, n);
		return n;
	}
	keep_header(t);
	return begin_body(t) < 0 ? 0 : n;
}

/* --- body ------------------------------------------------------------ */

/* A page about an error or a redirect: its beginning. */
static size_t keep_error(struct eb_transfer *t, const char *p, size_t n)
{
	size_t room = t->error.max - t->error.len;

	eb_buf_add(&t->error, p, n < room ? n : room);
	if (n <= room)
		return n;
	t->enough = true;
	return CURL_WRITEFUNC_ERROR;
}

static bool is_too_long(const struct eb_transfer *t, size_t n)
{
	const struct eb_http_request *r = t->r;

	return r->max_bytes && t->got + n > r->max_bytes;
}

static size_t on_body(char *p, size_t size, size_t n, void *data)
{
	struct eb_transfer *t = data;
	int rc = -1;

	n *= size;
	t->moved = eb_now_ns();
	if (eb_err_is_set(&t->err)) /* of a call that nobody heard of */
		return CURL_WRITEFUNC_ERROR;
	if (!t->body)
		return keep_error(t, p, n);
	if (is_too_long(t, n))
		refuse_size(t);
	else
		rc = eb_place_put(t, p, n);
	if (rc < 0)
		return CURL_WRITEFUNC_ERROR;
	if (rc == 0) {
		t->paused = true;
		return CURL_WRITEFUNC_PAUSE;
	}
	eb_transfer_say(t);
	return n;
}

void eb_http_answer_setup(struct eb_transfer *t)
{
	curl_easy_setopt(t->easy, CURLOPT_HEADERFUNCTION, on_header);
	curl_easy_setopt(t->easy, CURLOPT_HEADERDATA, t);
	curl_easy_setopt(t->easy, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(t->easy, CURLOPT_WRITEDATA, t);
}
