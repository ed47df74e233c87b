/* SPDX-License-Identifier: Apache-2.0 */
/* URLs: their login taken out, their origin, a Location resolved. */
#include "http_int.h"

#include <string.h>

#include <envbuild/str.h>

static void free_curlu(CURLU **u)
{
	if (*u)
		curl_url_cleanup(*u);
}
#define auto_curlu EB_CLEANUP(free_curlu)

/* curl frees with its own function: hand out memory of ours. */
static char *part(CURLU *u, CURLUPart what, unsigned flags)
{
	char *text = NULL, *copy;

	if (curl_url_get(u, what, &text, flags) != CURLUE_OK)
		return NULL;
	copy = eb_strdup(text);
	curl_free(text);
	return copy;
}

static CURLU *parse(const char *url)
{
	CURLU *u = curl_url();

	if (!u)
		eb_oom();
	if (curl_url_set(u, CURLUPART_URL, url, CURLU_NON_SUPPORT_SCHEME) ==
	    CURLUE_OK)
		return u;
	curl_url_cleanup(u);
	return NULL;
}

static char *origin_of(CURLU *u)
{
	eb_autofree char *scheme = part(u, CURLUPART_SCHEME, 0);
	eb_autofree char *host = part(u, CURLUPART_HOST, 0);
	eb_autofree char *port = part(u, CURLUPART_PORT, CURLU_DEFAULT_PORT);

	if (!scheme || !host)
		return NULL;
	for (char *p = host; *p; p++)
		if (*p >= 'A' && *p <= 'Z')
			*p += 'a' - 'A';
	return eb_asprintf("%s://%s:%s", scheme, host, port ? port : "");
}

static bool is_http(const char *url)
{
	return eb_starts(url, "http://") || eb_starts(url, "https://");
}

char *eb_http_origin(const char *url)
{
	auto_curlu CURLU *u = parse(url);
	eb_autofree char *origin = u ? origin_of(u) : NULL;

	return origin && is_http(origin) ? eb_steal(origin) : NULL;
}

/* Without login and fragment. */
static char *bare_url(CURLU *u)
{
	curl_url_set(u, CURLUPART_USER, NULL, 0);
	curl_url_set(u, CURLUPART_PASSWORD, NULL, 0);
	curl_url_set(u, CURLUPART_OPTIONS, NULL, 0);
	curl_url_set(u, CURLUPART_FRAGMENT, NULL, 0);
	return part(u, CURLUPART_URL, 0);
}

int eb_http_login_split(const char *url, char **bare, struct eb_login *login)
{
	auto_curlu CURLU *u = parse(url);

	if (!u)
		return -1;
	login->origin = origin_of(u);
	login->user = part(u, CURLUPART_USER, CURLU_URLDECODE);
	login->password = part(u, CURLUPART_PASSWORD, CURLU_URLDECODE);
	*bare = bare_url(u);
	return login->origin && *bare ? 0 : -1;
}

char *eb_http_shown(const char *url)
{
	char *shown = eb_url_redact(url);

	shown[strcspn(shown, "?")] = '\0';
	return shown;
}

char *eb_http_join(const char *base, const char *location)
{
	auto_curlu CURLU *u = parse(base);

	if (!u || curl_url_set(u, CURLUPART_URL, location,
			       CURLU_NON_SUPPORT_SCHEME | CURLU_URLENCODE) !=
			  CURLUE_OK)
		return NULL;
	return bare_url(u);
}

char *eb_http_resolve(const char *url, const char *location)
{
	eb_autofree char *to = eb_http_join(url, location);

	return to && is_http(to) ? eb_steal(to) : NULL;
}
