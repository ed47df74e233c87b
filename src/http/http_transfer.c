/* SPDX-License-Identifier: Apache-2.0 */
/* One transfer: a request with its tries, each a fresh start of one handle. */
#include "http_int.h"

#include <string.h>

#include <envbuild/str.h>

#define N_IDLE (sizeof((struct eb_http *)0)->idle / sizeof(CURL *))

static const char *doing(const struct eb_transfer *t)
{
	if (t->r->body.kind != EB_HTTP_NO_BODY)
		return "sending";
	return strcmp(t->method, "GET") ? "asking" : "downloading";
}

struct eb_transfer *eb_transfer_new(struct eb_http *http,
				    struct eb_http_request *r)
{
	struct eb_transfer *t = eb_calloc(1, sizeof *t);

	eb_http_request_release(r); /* of its last use */
	t->http = http;
	t->r = r;
	t->method = r->method ? r->method : "GET";
	t->doing = doing(t);
	t->shown = eb_http_shown(r->url);
	t->origin = eb_http_origin(r->url);
	eb_buf_init(&t->header, EB_HTTP_KEEP);
	eb_buf_init(&t->error, EB_HTTP_KEEP);
	r->transfer = t;
	eb_pipe_join(t);
	return t;
}

void eb_transfer_stop(struct eb_transfer *t)
{
	if (!t->active)
		return;
	curl_multi_remove_handle(t->http->multi, t->easy);
	eb_http_not_running(t);
	t->paused = false;
}

/* --- handles --------------------------------------------------------- */

static void take_handle(struct eb_transfer *t)
{
	struct eb_http *h = t->http;

	t->easy = h->n_idle ? h->idle[--h->n_idle] : curl_easy_init();
	if (!t->easy)
		eb_oom();
}

/* Nothing of this request stays in it. */
static void give_handle_back(struct eb_transfer *t)
{
	struct eb_http *h = t->http;

	if (!t->easy)
		return;
	if (h->n_idle == N_IDLE) {
		curl_easy_cleanup(t->easy);
		return;
	}
	curl_easy_reset(t->easy);
	h->idle[h->n_idle++] = t->easy;
}

static void free_login(struct eb_login *login)
{
	free(login->origin);
	free(login->user);
	if (login->password)
		explicit_bzero(login->password, strlen(login->password));
	free(login->password);
}

void eb_transfer_free(struct eb_transfer *t)
{
	eb_transfer_stop(t);
	TAILQ_REMOVE(&t->http->waiting, t, link);
	give_handle_back(t);
	eb_http_free_fields(t);
	free_login(&t->login);
	free(t->shown);
	free(t->start);
	free(t->url);
	free(t->origin);
	free(t->part_etag);
	free(t->location);
	eb_buf_release(&t->header);
	eb_buf_release(&t->error);
	eb_err_release(&t->err);
	free(t);
}

/* --- starts ---------------------------------------------------------- */

static int prepare(struct eb_transfer *t, struct eb_error *err)
{
	if (eb_http_login_split(t->r->url, &t->start, &t->login) < 0 ||
	    !t->origin)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\": %s: not an http or https URL",
				  t->shown, t->doing);
	if (eb_http_check_fields(t, err) < 0 || eb_pipe_check(t, err) < 0 ||
	    eb_place_prepare(t, err) < 0)
		return -1;
	take_handle(t);
	return 0;
}

/* Of a range all may be there when its end breaks off: then it is fetched
 * anew. */
static bool can_resume(const struct eb_transfer *t)
{
	uint64_t size = t->r->range_size;

	return t->got && t->part_etag && (!size || t->got < size);
}

static void clear_try(struct eb_transfer *t)
{
	eb_http_forget_answer(t->r);
	t->r->status = 0;
	t->stalled = t->head = t->body = t->enough = false;
	t->errbuf[0] = 0;
	t->sent = 0;
	t->put = 0;
}

int eb_transfer_start(struct eb_transfer *t, struct eb_error *err)
{
	if (!t->easy && prepare(t, err) < 0)
		return -1;
	if (!t->url) {
		t->url = eb_strdup(t->start);
		t->redirects = 0;
		t->tries++;
	}
	t->resumed = can_resume(t);
	if (!t->resumed && eb_transfer_rewind(t, err) < 0)
		return -1;
	clear_try(t);
	eb_http_setup(t);
	eb_transfer_say(t);
	t->moved = eb_now_ns();
	if (curl_multi_add_handle(t->http->multi, t->easy) != CURLM_OK)
		return eb_err_set(err, EB_MACHINE,
				  "\"%s\": %s: no transfer can be started",
				  t->shown, t->doing);
	eb_http_running(t);
	return 0;
}
