/* SPDX-License-Identifier: Apache-2.0 */
/* Lint of the URLs in a line of pip: names of wheels that are none, signatures
 * whose time is over, indexes that want a login. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <envbuild/tags.h>

#include "lint_private.h"

#define URL_END " \t\"';,"

/* "%41" as "A"; in place. */
static void unquote(char *s)
{
	char *to = s;

	for (; *s; s++, to++) {
		char hex[3] = { 0 };

		*to = *s;
		if (*s != '%' || !isxdigit((unsigned char)s[1]) ||
		    !isxdigit((unsigned char)s[2]))
			continue;
		memcpy(hex, s + 1, 2);
		*to = (char)strtol(hex, NULL, 16);
		s += 2;
	}
	*to = '\0';
}

/* ---- wheels -------------------------------------------------------------- */

static void lint_wheel(const struct eb_lint_doc *d,
		       const struct eb_yaml_node *n, const char *url,
		       size_t len)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_CLEANUP(eb_wheel_name_release) struct eb_wheel_name w = { 0 };
	eb_autofree char *path = eb_strndup(url, len);
	const char *file;

	path[strcspn(path, "?#")] = '\0';
	unquote(path);
	file = strrchr(path, '/');
	file = file ? file + 1 : path;
	if (eb_ends(file, ".whl") && eb_wheel_name_parse(file, &w, &err) < 0)
		eb_lint_at(d, n, "bad-wheel-name",
			   "NAME-VERSION-PYTHON-ABI-PLATFORM.whl is the form",
			   "%s: no installer takes it", err.message);
}

/* ---- signatures ---------------------------------------------------------- */

/* "se=2023-01-01..." of a query, beside its "sig=": when it ends. */
static bool signed_until(const char *url, size_t len, char day[11])
{
	eb_autofree char *text = eb_strndup(url, len);
	const char *query = strchr(text, '?'), *at;

	if (!query || (!strstr(query, "&sig=") && !strstr(query, "?sig=")))
		return false;
	at = strstr(query, "&se=");
	if (!at)
		at = strstr(query, "?se=");
	if (!at || strlen(at) < 14)
		return false;
	memcpy(day, at + 4, 10);
	day[10] = '\0';
	return strspn(day, "0123456789-") == 10;
}

static void lint_signature(const struct eb_lint_doc *d,
			   const struct eb_yaml_node *n, const char *url,
			   size_t len)
{
	time_t now = time(NULL);
	char day[11], today[11];
	struct tm tm;

	if (!signed_until(url, len, day) || !gmtime_r(&now, &tm) ||
	    !strftime(today, sizeof today, "%Y-%m-%d", &tm) ||
	    strcmp(day, today) >= 0)
		return;
	eb_lint_at(d, n, "expired-url", "have it signed anew",
		   "the signature of this URL was good until %s: the server "
		   "refuses it",
		   day);
}

/* ---- logins -------------------------------------------------------------- */

/* Feeds of Azure Artifacts; few of them are open to all. */
static void lint_login(const struct eb_lint_doc *d,
		       const struct eb_yaml_node *n, const char *url,
		       size_t len)
{
	eb_autofree char *text = eb_strndup(url, len);
	char *host = strstr(text, "://") + 3;
	char *path = host + strcspn(host, "/");

	if (!strstr(path, "/_packaging/"))
		return;
	*path = '\0';
	if (strchr(host, '@'))
		return;
	eb_lint_lower(eb_lint_at(d, n, "index-login",
				 "put credentials into netrc, a keyring, or "
				 "pip's configuration",
				 "\"%s\" wants a login, and none stands in the "
				 "URL: a build that nobody watches cannot "
				 "give one",
				 host),
		      EB_LEVEL_WARNING);
}

void eb_lint_pip_urls(const struct eb_lint_doc *d, const struct eb_yaml_node *n)
{
	const char *at = n->text;

	while ((at = strstr(at, "://"))) {
		const char *from = at;
		size_t len;

		while (from > n->text && isalnum((unsigned char)from[-1]))
			from--;
		len = (size_t)(at - from) + strcspn(at, URL_END);
		lint_wheel(d, n, from, len);
		lint_signature(d, n, from, len);
		lint_login(d, n, from, len);
		at += 3;
	}
}
