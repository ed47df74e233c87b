/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Redirects, followed by us and not by libcurl: the rules (how many, never
 * from https to http, logins for one origin only) hold for the whole chain.
 */
#include "http_int.h"

#include <string.h>

#include <envbuild/str.h>

#define MAX_REDIRECTS 10

bool eb_http_follows(const struct eb_transfer *t)
{
	return !strcmp(t->method, "GET") || !strcmp(t->method, "HEAD");
}

bool eb_http_is_redirect(const struct eb_transfer *t)
{
	if (!t->location || !eb_http_follows(t))
		return false;
	switch (t->r->status) {
	case 301:
	case 302:
	case 303:
	case 307:
	case 308: return true;
	default: return false;
	}
}

static int check(const struct eb_transfer *t, const char *to,
		 struct eb_error *err)
{
	eb_autofree char *shown = eb_http_shown(to);

	if (!eb_starts(to, "https://") && !eb_starts(to, "http://"))
		return eb_err_set(err, EB_REFUSED,
				  "\"%s\": %s: a redirect to \"%s\", "
				  "which is neither http nor https",
				  t->shown, t->doing, shown);
	if (eb_starts(t->url, "https://") && !eb_starts(to, "https://"))
		return eb_err_set(err, EB_REFUSED,
				  "\"%s\": %s: a redirect from https "
				  "to \"%s\"",
				  t->shown, t->doing, shown);
	return 0;
}

int eb_http_follow(struct eb_transfer *t, struct eb_error *err)
{
	eb_autofree char *to = NULL;

	if (++t->redirects > MAX_REDIRECTS)
		return eb_err_set(err, EB_NETWORK,
				  "\"%s\": %s: more than %d redirects",
				  t->shown, t->doing, MAX_REDIRECTS);
	to = eb_http_join(t->url, t->location);
	if (!to)
		return eb_err_set(err, EB_NETWORK,
				  "\"%s\": %s: a redirect to "
				  "something that is no URL",
				  t->shown, t->doing);
	if (check(t, to, err) < 0)
		return -1;
	free(t->url);
	t->url = eb_steal(to);
	free(t->origin);
	t->origin = eb_http_origin(t->url);
	t->host = NULL;
	return 0;
}
