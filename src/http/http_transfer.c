/* SPDX-License-Identifier: Apache-2.0 */
/* One transfer: a request with its tries, each a fresh start of one handle. */
#include "http_int.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/str.h>

#define CONNECT_S 30

struct eb_transfer *eb_transfer_new(struct eb_http *http,
				    struct eb_http_request *r)
{
	struct eb_transfer *t = eb_calloc(1, sizeof *t);

	t->http = http;
	t->r = r;
	t->shown = eb_url_redact(r->url);
	t->origin = eb_http_origin(r->url);
	return t;
}

void eb_transfer_stop(struct eb_transfer *t)
{
	if (!t->easy)
		return;
	curl_multi_remove_handle(t->http->multi, t->easy);
	for (unsigned i = 0; i < t->http->active; i++)
		if (t->http->running[i] == t) {
			t->http->running[i] =
				t->http->running[--t->http->active];
			break;
		}
	t->state = EB_T_QUEUED;
}

void eb_transfer_free(struct eb_transfer *t)
{
	eb_transfer_stop(t);
	if (t->easy)
		curl_easy_cleanup(t->easy);
	curl_slist_free_all(t->headers);
	free(t->shown);
	free(t->start);
	free(t->url);
	free(t->origin);
	free(t->login.origin);
	free(t->login.user);
	if (t->login.password)
		explicit_bzero(t->login.password, strlen(t->login.password));
	free(t->login.password);
	free(t->part_etag);
	free(t->location);
	eb_err_release(&t->err);
	free(t);
}

int eb_transfer_rewind(struct eb_transfer *t, struct eb_error *err)
{
	if (t->got && t->r->fd >= 0 && ftruncate(t->r->fd, t->base) < 0)
		return eb_err_errno(err, EB_MACHINE, errno,
				    "\"%s\": cutting what was downloaded",
				    t->shown);
	t->got = 0;
	t->total = 0;
	free(eb_steal(t->part_etag));
	return 0;
}

/* --- the first start ------------------------------------------------- */

static int prepare_file(struct eb_transfer *t, struct eb_error *err)
{
	if (t->r->fd < 0)
		return 0;
	t->base = lseek(t->r->fd, 0, SEEK_END);
	if (t->base >= 0)
		return 0;
	return eb_err_errno(err, EB_MACHINE, errno,
			    "\"%s\": seeking the end of the file to write",
			    t->shown);
}

static int prepare(struct eb_transfer *t, struct eb_error *err)
{
	if (eb_http_login_split(t->r->url, &t->start, &t->login) < 0 ||
	    (!eb_starts(t->start, "http://") &&
	     !eb_starts(t->start, "https://")))
		return eb_err_set(err, EB_INPUT,
				  "\"%s\": downloading: not an http or https "
				  "URL",
				  t->shown);
	t->easy = curl_easy_init();
	if (!t->easy)
		eb_oom();
	return prepare_file(t, err);
}

/* --- every start ----------------------------------------------------- */

static void add_header(struct eb_transfer *t, const char *name,
		       const char *value)
{
	eb_autofree char *line = eb_asprintf("%s: %s", name, value);
	struct curl_slist *more = curl_slist_append(t->headers, line);

	if (!more)
		eb_oom();
	t->headers = more;
}

static void set_headers(struct eb_transfer *t)
{
	curl_slist_free_all(eb_steal(t->headers));
	if (t->ranged)
		add_header(t, "If-Range", t->part_etag);
	else if (t->r->if_none_match)
		add_header(t, "If-None-Match", t->r->if_none_match);
	if (!t->ranged && t->r->if_modified_since)
		add_header(t, "If-Modified-Since", t->r->if_modified_since);
	curl_easy_setopt(t->easy, CURLOPT_HTTPHEADER, t->headers);
}

/* The URL's own login goes to the origin that it was given for; netrc's is
 * looked up by host, so it stays with its host by itself. */
static void set_login(struct eb_transfer *t)
{
	const char *netrc = t->http->netrc;

	curl_easy_setopt(t->easy, CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC);
	if (t->login.user && !strcmp(t->login.origin, t->origin)) {
		curl_easy_setopt(t->easy, CURLOPT_USERNAME, t->login.user);
		curl_easy_setopt(t->easy, CURLOPT_PASSWORD,
				 t->login.password ? t->login.password : "");
		return;
	}
	curl_easy_setopt(t->easy, CURLOPT_NETRC, (long)CURL_NETRC_OPTIONAL);
	if (netrc)
		curl_easy_setopt(t->easy, CURLOPT_NETRC_FILE, netrc);
}

static void set_options(struct eb_transfer *t)
{
	const struct eb_http *h = t->http;
	CURL *e = t->easy;
	char range[32];

	curl_easy_reset(e);
	curl_easy_setopt(e, CURLOPT_URL, t->url);
	curl_easy_setopt(e, CURLOPT_PRIVATE, t);
	curl_easy_setopt(e, CURLOPT_ERRORBUFFER, t->errbuf);
	curl_easy_setopt(e, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(e, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(e, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
	curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(e, CURLOPT_NOPROGRESS, 1L);
	curl_easy_setopt(
		e, CURLOPT_CONNECTTIMEOUT,
		(long)(h->stall_s < CONNECT_S ? h->stall_s : CONNECT_S));
	curl_easy_setopt(e, CURLOPT_USERAGENT, h->user_agent);
	if (h->ca_file)
		curl_easy_setopt(e, CURLOPT_CAINFO, h->ca_file);
	if (t->ranged) {
		snprintf(range, sizeof range, "%llu-",
			 (unsigned long long)t->got);
		curl_easy_setopt(e, CURLOPT_RANGE, range);
	}
	set_login(t);
	set_headers(t);
	eb_http_answer_setup(t);
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
	t->ranged = t->got && t->part_etag;
	if (!t->ranged && eb_transfer_rewind(t, err) < 0)
		return -1;
	t->stalled = false;
	t->errbuf[0] = 0;
	t->r->status = 0;
	set_options(t);
	eb_transfer_say(t);
	t->moved = eb_now_ns();
	if (curl_multi_add_handle(t->http->multi, t->easy) != CURLM_OK)
		return eb_err_set(err, EB_MACHINE,
				  "\"%s\": downloading: no transfer can be "
				  "started",
				  t->shown);
	t->state = EB_T_ACTIVE;
	t->http->running[t->http->active++] = t;
	return 0;
}
