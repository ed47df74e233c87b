/* SPDX-License-Identifier: Apache-2.0 */
/* The login in a URL: taken out, put in. */
#include <string.h>

#include <envbuild/str.h>

#include "index_int.h"

/* Behind "://"; NULL: there is none. */
static const char *authority(const char *url)
{
	const char *p = strstr(url, "://");

	return p ? p + 3 : NULL;
}

char *eb_index_userinfo(const char *url)
{
	const char *p = authority(url), *at;

	at = p ? memrchr(p, '@', strcspn(p, "/?#")) : NULL;
	return at ? eb_strndup(p, (size_t)(at - p)) : NULL;
}

char *eb_index_with_login(const char *url, const char *userinfo)
{
	const char *p = authority(url), *host, *at;

	if (!p)
		return eb_strdup(url);
	at = memrchr(p, '@', strcspn(p, "/?#"));
	host = at ? at + 1 : p;
	return eb_asprintf("%.*s%s%s%s", (int)(p - url), url,
			   userinfo ? userinfo : "", userinfo ? "@" : "", host);
}
