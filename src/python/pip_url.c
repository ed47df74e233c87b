/* SPDX-License-Identifier: Apache-2.0 */
/* URLs in pip lines: which they are, and without their credentials. */
#include <ctype.h>
#include <string.h>

#include <envbuild/buf.h>
#include <envbuild/mem.h>

#include "pip_line.h"

#define URL_END " \t\"'<>"

/* ---- schemes ----------------------------------------------------------------
 */

static const char *const schemes[] = {
	"http",	     "https",	       "file",	   "ftp",
	"git+http",  "git+https",      "git+ssh",  "git+git",
	"git+file",  "hg+file",	       "hg+http",  "hg+https",
	"hg+ssh",    "hg+static-http", "svn+ssh",  "svn+http",
	"svn+https", "svn+svn",	       "svn+file", "bzr+http",
	"bzr+https", "bzr+ssh",	       "bzr+sftp", "bzr+ftp",
	"bzr+lp",    "bzr+file",
};

bool eb_pip_is_url(const char *text)
{
	size_t n = strcspn(text, ":");

	for (size_t i = 0; text[n] && i < sizeof schemes / sizeof *schemes; i++)
		if (strlen(schemes[i]) == n &&
		    strncasecmp(schemes[i], text, n) == 0)
			return true;
	return false;
}

bool eb_pip_is_vcs(const char *url)
{
	return eb_pip_is_url(url) && memchr(url, '+', strcspn(url, ":"));
}

bool eb_pip_is_remote(const char *value)
{
	return strncasecmp(value, "http:", 5) == 0 ||
	       strncasecmp(value, "https:", 6) == 0;
}

/* ---- credentials
 * ------------------------------------------------------------- */

static bool is_secret_key(const char *p, size_t n)
{
	static const char *const keys[] = {
		"sig",
		"signature",
		"token",
		"access_token",
		"private_token",
		"auth",
		"auth_token",
		"api_key",
		"apikey",
		"password",
		"secret",
		"jwt",
		"x-amz-signature",
		"x-amz-security-token",
		"x-amz-credential",
		"x-goog-signature",
		"x-goog-credential",
		"private-token",
		"api-key",
	};

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (strlen(keys[i]) == n && strncasecmp(keys[i], p, n) == 0)
			return true;
	return false;
}

/* Behind "user:password@". A password with a "/" in it is not right, but it
 * is a password. */
static const char *skip_login(const char *p)
{
	size_t n = strcspn(p, "/?#" URL_END);
	const char *at = memrchr(p, '@', n);
	const char *colon = memchr(p, ':', n);

	if (at)
		return at + 1;
	if (*p == '[' || !colon || isdigit((unsigned char)colon[1]) ||
	    colon + 1 == p + n)
		return p;
	at = memchr(p, '@', strcspn(p, URL_END));
	return at ? at + 1 : p;
}

/* "/t/TOKEN" in front of more path: its length, otherwise 0 */
static size_t token_length(const char *p)
{
	size_t n;

	if (!eb_starts(p, "/t/"))
		return 0;
	n = strcspn(p + 3, "/?#" URL_END);
	return n && p[3 + n] == '/' ? n + 3 : 0;
}

/* "?a=b&sig=c" without what is secret; gives what comes behind. */
static const char *add_query(struct eb_buf *out, const char *p)
{
	char before = '?';

	p++;
	for (;;) {
		size_t n = strcspn(p, "&#" URL_END);

		if (!is_secret_key(p, strcspn(p, "=&#" URL_END))) {
			eb_buf_addch(out, before);
			eb_buf_add(out, p, n);
			before = '&';
		}
		p += n;
		if (*p != '&')
			return p;
		p++;
	}
}

/* From behind "://" to the end of the URL. */
static const char *add_url(struct eb_buf *out, const char *p)
{
	const char *host = skip_login(p);
	size_t n = strcspn(host, "/?#" URL_END);

	eb_buf_add(out, host, n);
	p = host + n;
	p += token_length(p);
	n = strcspn(p, "?#" URL_END);
	eb_buf_add(out, p, n);
	p += n;
	return *p == '?' ? add_query(out, p) : p;
}

char *eb_pip_clean(const char *text)
{
	EB_AUTOBUF(out, EB_MAX_TEXT);
	const char *colon;

	while ((colon = strstr(text, "://"))) {
		eb_buf_add(&out, text, (size_t)(colon + 3 - text));
		text = add_url(&out, colon + 3);
	}
	eb_buf_adds(&out, text);
	return eb_buf_steal(&out, NULL);
}

/* ---- what URLs say
 * ------------------------------------------------------------ */

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void unquote(char *s)
{
	char *to = s;

	for (; *s; s++) {
		int high = *s == '%' ? hex_value(s[1]) : -1;
		int low = high >= 0 ? hex_value(s[2]) : -1;

		if (low >= 0 && (high || low)) {
			*to++ = (char)(high * 16 + low);
			s += 2;
		} else {
			*to++ = *s;
		}
	}
	*to = '\0';
}

char *eb_pip_file_path(const char *url)
{
	char *path;

	if (strncasecmp(url, "file:", 5) != 0)
		return NULL;
	url += 5;
	if (eb_starts(url, "//")) {
		url += 2;
		if (eb_starts(url, "localhost/"))
			url += strlen("localhost");
	}
	path = eb_strndup(url, strcspn(url, "?#"));
	unquote(path);
	return path;
}

char *eb_pip_egg(const char *url)
{
	const char *p = strchr(url, '#');

	while (p) {
		p++;
		if (eb_starts(p, "egg="))
			return eb_strndup(p + 4, strcspn(p + 4, "&"));
		p = strchr(p, '&');
	}
	return NULL;
}

bool eb_pip_is_archive(const char *path)
{
	static const char *const endings[] = {
		".whl", ".zip",	   ".tar.gz", ".tgz", ".tar",	 ".tar.bz2",
		".tbz", ".tar.xz", ".txz",    ".tlz", ".tar.lz", ".tar.lzma",
	};
	eb_autofree char *lower = eb_strdup(path);

	eb_lower(lower);
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
		if (eb_ends(lower, endings[i]))
			return true;
	return false;
}
