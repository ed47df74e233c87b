/* SPDX-License-Identifier: Apache-2.0 */
/* Where the body of an answer goes: a pipe, a function, a text, a file. */
#include "http_int.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static int file_end(struct eb_transfer *t, struct eb_error *err)
{
	t->base = lseek(t->r->fd, 0, SEEK_END);
	if (t->base >= 0)
		return 0;
	return eb_err_errno(err, EB_MACHINE, errno,
			    "\"%s\": seeking the end of the file to write",
			    t->shown);
}

int eb_place_prepare(struct eb_transfer *t, struct eb_error *err)
{
	const struct eb_http_request *r = t->r;

	if (r->to_pipe || r->sink || !strcmp(t->method, "HEAD"))
		return 0;
	if (!r->text)
		return r->fd < 0 ? 0 : file_end(t, err);
	t->base = (off_t)r->text->len;
	return 0;
}

/* --- back to the start ----------------------------------------------- */

static void cut_text(struct eb_buf *text, size_t len)
{
	if (text->len <= len)
		return;
	text->len = len;
	text->data[len] = '\0';
}

static int cut(struct eb_transfer *t, struct eb_error *err)
{
	const struct eb_http_request *r = t->r;

	if (r->to_pipe)
		return eb_err_set(err, EB_INTEGRITY,
				  "\"%s\": downloading: breaks off after %llu "
				  "bytes and cannot be resumed",
				  t->shown, (unsigned long long)t->got);
	if (r->sink)
		return 0; /* it sees that the offset is 0 again */
	if (r->text)
		cut_text(r->text, (size_t)t->base);
	else if (r->fd >= 0 && ftruncate(r->fd, t->base) < 0)
		return eb_err_errno(err, EB_MACHINE, errno,
				    "\"%s\": cutting what was downloaded",
				    t->shown);
	return 0;
}

int eb_transfer_rewind(struct eb_transfer *t, struct eb_error *err)
{
	if (t->got && cut(t, err) < 0)
		return -1;
	t->got = 0;
	t->total = 0;
	free(eb_steal(t->part_etag));
	return 0;
}

/* --- more ------------------------------------------------------------ */

static int into_file(struct eb_transfer *t, const char *p, size_t n)
{
	off_t at = t->base + (off_t)t->got;

	while (n) {
		ssize_t w = pwrite(t->r->fd, p, n, at);

		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0)
			return eb_err_errno(&t->err, EB_MACHINE, errno,
					    "\"%s\": writing what was "
					    "downloaded",
					    t->shown);
		p += w;
		at += w;
		n -= (size_t)w;
	}
	return 0;
}

static int into_text(struct eb_transfer *t, const char *p, size_t n)
{
	struct eb_buf *text = t->r->text;

	if (eb_buf_add(text, p, n) == 0)
		return 0;
	return eb_err_set(&t->err, EB_INTEGRITY,
			  "\"%s\": %s: the body is longer than %zu bytes",
			  t->shown, t->doing, text->max - (size_t)t->base);
}

static int into_sink(struct eb_transfer *t, const char *p, size_t n)
{
	struct eb_http_request *r = t->r;

	if (!r->sink)
		return 0;
	return r->sink(r->data, p, n, t->got, &t->err);
}

/* A sink beside the pipe may keep the bytes out of it. */
static int into_pipe(struct eb_transfer *t, const char *p, size_t n)
{
	int room = eb_pipe_room(t, n);

	if (room <= 0)
		return room;
	if (into_sink(t, p, n) < 0)
		return -1;
	eb_pipe_put(t, p, n);
	return 1;
}

int eb_place_put(struct eb_transfer *t, const char *p, size_t n)
{
	const struct eb_http_request *r = t->r;
	int rc = 0;

	if (r->to_pipe)
		rc = into_pipe(t, p, n);
	else if (r->sink)
		rc = into_sink(t, p, n) < 0 ? -1 : 1;
	else if (r->text)
		rc = into_text(t, p, n) < 0 ? -1 : 1;
	else
		rc = r->fd >= 0 && into_file(t, p, n) < 0 ? -1 : 1;
	if (rc > 0)
		t->got += n;
	return rc;
}
