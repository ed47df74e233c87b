/* SPDX-License-Identifier: Apache-2.0 */
/* The method and the body that goes out with it. */
#include "http_int.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define PIECE 524288L  /* bytes that libcurl asks for at once */
#define EXPECT_MS 300L /* for a server that knows no "100 Continue" */

bool eb_http_sends(const struct eb_transfer *t)
{
	static const char *const with[] = { "POST", "PUT", "PATCH" };

	for (size_t i = 0; i < sizeof with / sizeof *with; i++)
		if (!strcmp(t->method, with[i]))
			return true;
	return t->r->body.kind != EB_HTTP_NO_BODY;
}

static ssize_t from_file(struct eb_transfer *t, char *to, size_t n)
{
	const struct eb_http_body *b = &t->r->body;
	off_t at = (off_t)(b->offset + t->sent);
	ssize_t got;

	do
		got = pread(b->fd, to, n, at);
	while (got < 0 && errno == EINTR);
	if (got > 0)
		return got;
	if (got < 0)
		return eb_err_errno(&t->err, EB_MACHINE, errno,
				    "\"%s\": sending: reading the file",
				    t->shown);
	return eb_err_set(&t->err, EB_INTEGRITY,
			  "\"%s\": sending: the file ends after %llu of %llu "
			  "bytes",
			  t->shown, (unsigned long long)t->sent,
			  (unsigned long long)b->size);
}

static ssize_t read_some(struct eb_transfer *t, char *to, size_t n)
{
	const struct eb_http_body *b = &t->r->body;

	switch (b->kind) {
	case EB_HTTP_FD: return from_file(t, to, n);
	case EB_HTTP_PIPE: return (ssize_t)eb_pipe_take(t, to, n);
	default: memcpy(to, (const char *)b->data + t->sent, n);
	}
	return (ssize_t)n;
}

static size_t on_read(char *to, size_t size, size_t n, void *data)
{
	struct eb_transfer *t = data;
	uint64_t left = t->r->body.size - t->sent;
	ssize_t got;

	n *= size;
	if (n > left)
		n = (size_t)left;
	if (!n)
		return 0;
	got = read_some(t, to, n);
	if (got < 0)
		return CURL_READFUNC_ABORT;
	if (got == 0) {
		t->paused = true;
		return CURL_READFUNC_PAUSE;
	}
	t->sent += (uint64_t)got;
	eb_transfer_say(t);
	return (size_t)got;
}

/* libcurl sends it again when a kept connection turns out to be closed. */
/* On a connection that was used before and breaks off, libcurl would send the
 * whole again by itself. What is never to be tried again is not: an upload that
 * broke off is over, and begins anew with another request. */
static int on_seek(void *data, curl_off_t offset, int origin)
{
	struct eb_transfer *t = data;

	if (origin != SEEK_SET || offset < 0)
		return CURL_SEEKFUNC_FAIL;
	if ((uint64_t)offset == t->sent)
		return CURL_SEEKFUNC_OK;
	if (t->r->body.kind == EB_HTTP_PIPE || t->r->tries == 1)
		return CURL_SEEKFUNC_FAIL;
	t->sent = (uint64_t)offset;
	return CURL_SEEKFUNC_OK;
}

static void set_body(struct eb_transfer *t)
{
	uint64_t size = t->r->body.size;
	CURL *e = t->easy;

	curl_easy_setopt(e, CURLOPT_UPLOAD, 1L);
	curl_easy_setopt(e, CURLOPT_INFILESIZE_LARGE, (curl_off_t)size);
	curl_easy_setopt(e, CURLOPT_EXPECT_100_TIMEOUT_MS, EXPECT_MS);
	if (size > PIECE / 8)
		curl_easy_setopt(e, CURLOPT_UPLOAD_BUFFERSIZE, PIECE);
	curl_easy_setopt(e, CURLOPT_READFUNCTION, on_read);
	curl_easy_setopt(e, CURLOPT_READDATA, t);
	curl_easy_setopt(e, CURLOPT_SEEKFUNCTION, on_seek);
	curl_easy_setopt(e, CURLOPT_SEEKDATA, t);
}

void eb_http_body_setup(struct eb_transfer *t)
{
	if (eb_http_sends(t))
		set_body(t);
	else if (!strcmp(t->method, "HEAD"))
		curl_easy_setopt(t->easy, CURLOPT_NOBODY, 1L);
	if (strcmp(t->method, "GET") && strcmp(t->method, "HEAD"))
		curl_easy_setopt(t->easy, CURLOPT_CUSTOMREQUEST, t->method);
}
