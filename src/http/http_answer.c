/* SPDX-License-Identifier: Apache-2.0 */
/* What a server sends: header fields are kept, the body goes to the file. */
#include "http_int.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <envbuild/str.h>

#define MAX_FIELD 8192 /* longer header fields are not kept */
#define STEP_NS 100000000u

/* --- header ---------------------------------------------------------- */

static void forget_fields(struct eb_transfer *t)
{
	struct eb_http_request *r = t->r;

	t->head = true;
	t->body = false;
	free(eb_steal(t->location));
	free(eb_steal(r->etag));
	free(eb_steal(r->last_modified));
	free(eb_steal(r->cache_control));
}

static char **field_place(struct eb_transfer *t, const char *p, size_t n)
{
	static const char *const name[] = { "etag", "last-modified",
					    "cache-control", "location" };
	char **place[] = { &t->r->etag, &t->r->last_modified,
			   &t->r->cache_control, &t->location };

	for (size_t i = 0; i < sizeof name / sizeof *name; i++)
		if (strlen(name[i]) == n && !strncasecmp(name[i], p, n))
			return place[i];
	return NULL;
}

static void keep_field(struct eb_transfer *t, const char *p, size_t n)
{
	const char *colon = memchr(p, ':', n);
	char **place = colon ? field_place(t, p, (size_t)(colon - p)) : NULL;
	char *text;

	if (!place || n > MAX_FIELD)
		return;
	n -= (size_t)(colon + 1 - p);
	text = eb_strndup(colon + 1, n);
	eb_strip(text);
	free(*place);
	*place = text;
}

/* "bytes 5-9/10": does the part begin where ours ends? */
static bool range_fits(struct eb_transfer *t)
{
	struct curl_header *h;
	unsigned long long from = 0;

	if (curl_easy_header(t->easy, "Content-Range", 0, CURLH_HEADER, -1,
			     &h) != CURLHE_OK)
		return false;
	return sscanf(h->value, "bytes %llu-", &from) == 1 && from == t->got;
}

static bool is_strong(const char *etag)
{
	return etag && *etag == '"';
}

static int refuse_size(struct eb_transfer *t)
{
	return eb_err_set(&t->err, EB_INTEGRITY,
			  "\"%s\": downloading: the body is longer than "
			  "%llu bytes",
			  t->shown, (unsigned long long)t->r->max_bytes);
}

/* The header has ended: is what follows the body that was asked for? */
static int begin_body(struct eb_transfer *t)
{
	curl_off_t length = -1;
	long status = 0;

	curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
	if (status == 206 && (!t->ranged || !range_fits(t)))
		return eb_err_set(&t->err, EB_NETWORK,
				  "\"%s\": downloading: the server sends "
				  "another part than it was asked for",
				  t->shown);
	if (status < 200 || status >= 300)
		return 0;
	if (status != 206 && eb_transfer_rewind(t, &t->err) < 0)
		return -1;
	t->body = true;
	curl_easy_getinfo(t->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
	t->total = length >= 0 ? t->got + (uint64_t)length : 0;
	free(t->part_etag);
	t->part_etag = is_strong(t->r->etag) ? eb_strdup(t->r->etag) : NULL;
	if (t->r->max_bytes && t->total > t->r->max_bytes)
		return refuse_size(t);
	return 0;
}

static size_t on_header(char *p, size_t size, size_t n, void *data)
{
	struct eb_transfer *t = data;

	n *= size;
	t->moved = eb_now_ns();
	if (n >= 5 && !strncmp(p, "HTTP/", 5))
		forget_fields(t);
	if (!t->head)
		return n; /* a trailer */
	if (n > 2) {
		keep_field(t, p, n);
		return n;
	}
	t->head = false;
	return begin_body(t) < 0 ? 0 : n;
}

/* --- body ------------------------------------------------------------ */

static void emit(struct eb_transfer *t, enum eb_event_type type,
		 const char *text)
{
	struct eb_event ev = {
		.type = type,
		.name = t->r->task,
		.kind = "fetch",
		.text = text,
		.done = t->got,
		.total = t->total ? t->total : t->r->expect_size,
	};

	eb_emit(t->http->events, &ev);
}

/* Progress, ten times a second at most; an end in every case. */
void eb_transfer_say(struct eb_transfer *t)
{
	uint64_t now = eb_now_ns();

	if (!t->r->task)
		return;
	if (!t->begun)
		emit(t, EB_EV_TASK_BEGIN, NULL);
	else if (now - t->said >= STEP_NS)
		emit(t, EB_EV_TASK_STEP, NULL);
	else
		return;
	t->begun = true;
	t->said = now;
}

static int store(struct eb_transfer *t, const char *p, size_t n)
{
	while (n && t->r->fd >= 0) {
		ssize_t w = pwrite(t->r->fd, p, n, t->base + (off_t)t->got);

		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0)
			return eb_err_errno(&t->err, EB_MACHINE, errno,
					    "\"%s\": writing what was "
					    "downloaded",
					    t->shown);
		p += w;
		n -= (size_t)w;
		t->got += (uint64_t)w;
	}
	t->got += n;
	return 0;
}

static size_t on_body(char *p, size_t size, size_t n, void *data)
{
	struct eb_transfer *t = data;

	n *= size;
	t->moved = eb_now_ns();
	if (!t->body)
		return n; /* a page about an error or a redirect */
	if (t->r->max_bytes && t->got + n > t->r->max_bytes) {
		refuse_size(t);
		return CURL_WRITEFUNC_ERROR;
	}
	if (store(t, p, n) < 0)
		return CURL_WRITEFUNC_ERROR;
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
