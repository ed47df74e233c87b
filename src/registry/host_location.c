/* SPDX-License-Identifier: Apache-2.0 */
/* Where an answer sends us: resolved against what was asked, and refused
 * where a registry has no business to send anybody (facts oci 1.3). */
#include <string.h>

#include <envbuild/str.h>

#include "registry_int.h"

/* Host and port of an origin, "scheme://host:port". */
static const char *host_of(const char *origin)
{
	const char *p = strstr(origin, "://");

	return p ? p + 3 : origin;
}

static size_t name_len(const char *host)
{
	const char *colon = strrchr(host, ':');

	return colon ? (size_t)(colon - host) : strlen(host);
}

static bool same_name(const char *a, const char *b)
{
	size_t n = name_len(a);

	return n == name_len(b) && strncmp(a, b, n) == 0;
}

/* Why not, or NULL. */
static const char *objection(const char *from, const char *to)
{
	const char *a = host_of(from), *b = host_of(to);

	if (eb_starts(from, "https:") && !eb_starts(to, "https:"))
		return "that leaves https";
	if (same_name(a, b) || !eb_host_is_inside(b))
		return NULL;
	if (eb_host_is_loopback(a) && eb_host_is_loopback(b))
		return NULL;
	return "that is an address of a private network";
}

char *eb_host_location(const char *url, const char *location,
		       struct eb_error *err)
{
	eb_autofree char *to = eb_http_resolve(url, location);
	eb_autofree char *from = eb_http_origin(url);
	eb_autofree char *there = to ? eb_http_origin(to) : NULL;
	const char *why;

	if (!there || !from) {
		eb_autofree char *shown = eb_printable(location);

		eb_err_set(err, EB_NETWORK,
			   "the answer's Location \"%.200s\" is no URL", shown);
		return NULL;
	}
	why = objection(from, there);
	if (why) {
		eb_err_set(err, EB_REFUSED,
			   "the answer's Location is at \"%s\": %s", there,
			   why);
		return NULL;
	}
	return eb_steal(to);
}
