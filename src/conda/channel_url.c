/* SPDX-License-Identifier: Apache-2.0 */
/* The URLs of channels: expand, normalise, join, to and from paths. */
#include "channel_url.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <envbuild/buf.h>
#include <envbuild/mem.h>

/* --- variables ------------------------------------------------------- */

/* Length of the variable's name at `p`, which is behind the "$". */
static size_t name_length(const char *p)
{
	size_t n = 0;

	if (isdigit((unsigned char)*p))
		return 0;
	while (isalnum((unsigned char)p[n]) || p[n] == '_')
		n++;
	return n;
}

static int add_variable(struct eb_buf *out, const char *name, size_t n,
			struct eb_error *err)
{
	eb_autofree char *key = eb_strndup(name, n);
	const char *value = getenv(key);

	if (!value) {
		eb_err_set(err, EB_INPUT,
			   "\"$%s\": reading a channel: the environment has no "
			   "such variable",
			   key);
		return eb_err_hint(err, "set %s or write the channel out", key);
	}
	eb_buf_adds(out, value);
	return 0;
}

char *eb_channel_expand(const char *text, size_t max, struct eb_error *err)
{
	EB_AUTOBUF(out, max);
	const char *p = text;

	while (*p) {
		bool braces = p[0] == '$' && p[1] == '{';
		const char *name = p + 1 + braces;
		size_t n = *p == '$' ? name_length(name) : 0;

		if (!n || (braces && name[n] != '}')) {
			eb_buf_addch(&out, *p++);
			continue;
		}
		if (add_variable(&out, name, n, err) < 0)
			return NULL;
		p = name + n + braces;
	}
	if (!out.overflow)
		return eb_buf_steal(&out, NULL);
	eb_err_set(err, EB_INPUT, "reading a channel: longer than %zu bytes",
		   max);
	return NULL;
}

/* --- normal form ----------------------------------------------------- */

/* Every subdir that conda has ever known. */
static const char *const subdirs[] = {
	"noarch",
	"linux-64",
	"linux-32",
	"linux-aarch64",
	"linux-armv6l",
	"linux-armv7l",
	"linux-ppc64",
	"linux-ppc64le",
	"linux-riscv32",
	"linux-riscv64",
	"linux-s390x",
	"osx-64",
	"osx-arm64",
	"win-32",
	"win-64",
	"win-arm64",
	"zos-z",
	"freebsd-64",
	"emscripten-wasm32",
	"emscripten-32",
	"wasi-wasm32",
};

size_t eb_channel_without_subdir(const char *channel)
{
	const char *slash = strrchr(channel, '/');
	size_t i;

	for (i = 0; slash && i < sizeof subdirs / sizeof *subdirs; i++)
		if (strcmp(slash + 1, subdirs[i]) == 0)
			return slash - channel;
	return strlen(channel);
}

static void cut_slashes(char *s)
{
	size_t n = strlen(s);

	while (n && s[n - 1] == '/')
		s[--n] = 0;
}

static void cut_subdir(char *path)
{
	path[eb_channel_without_subdir(path)] = 0;
	cut_slashes(path);
}

static bool has_bad_byte(const char *url)
{
	for (; *url; url++)
		if ((unsigned char)*url <= ' ' || *url == 127 ||
		    strchr("?#\\\"<>", *url))
			return true;
	return false;
}

/* "user:pw@HOST:443" as "user:pw@host". */
static char *normal_authority(const char *scheme, const char *p, size_t n)
{
	char *a = eb_strndup(p, n), *at = strrchr(a, '@');
	const char *port = !strcmp(scheme, "https") ? ":443" : ":80";

	eb_lower(at ? at + 1 : a);
	if (eb_ends(a, port))
		a[strlen(a) - strlen(port)] = 0;
	return a;
}

static void squeeze(char *path)
{
	char *to = path;

	for (char *p = path; *p; p++)
		if (*p != '/' || p[1] != '/')
			*to++ = *p;
	*to = 0;
	cut_slashes(path);
}

char *eb_channel_url_normal(const char *url)
{
	const char *colon = strstr(url, "://"), *rest;
	eb_autofree char *scheme = NULL;
	eb_autofree char *authority = NULL;
	eb_autofree char *path = NULL;

	if (!colon || has_bad_byte(url))
		return NULL;
	scheme = eb_strndup(url, (size_t)(colon - url));
	eb_lower(scheme);
	rest = colon + 3;
	path = eb_strdup(rest + strcspn(rest, "/"));
	squeeze(path);
	cut_subdir(path);
	authority = normal_authority(scheme, rest, strcspn(rest, "/"));
	if (!strcmp(scheme, "file")) {
		if (*authority && strcmp(authority, "localhost"))
			return NULL;
		return *path ? eb_asprintf("file://%s", path) : NULL;
	}
	if ((strcmp(scheme, "http") && strcmp(scheme, "https") &&
	     strcmp(scheme, "oci")) ||
	    !*authority)
		return NULL;
	return eb_asprintf("%s://%s%s", scheme, authority, path);
}

char *eb_channel_canonical(const char *url)
{
	eb_autofree char *normal = eb_channel_url_normal(url);

	if (!normal || eb_starts(normal, "file:"))
		return normal ? eb_steal(normal) : eb_strdup(url);
	return eb_url_redact(normal);
}

/* --- files ----------------------------------------------------------- */

char *eb_channel_file_url(const char *path)
{
	EB_AUTOBUF(out, EB_MAX_CONFIG);

	eb_buf_adds(&out, "file://");
	for (; *path; path++) {
		unsigned char c = (unsigned char)*path;

		if (isalnum(c) || strchr("/-._~!$&()*+,;=:@", c))
			eb_buf_addch(&out, (char)c);
		else
			eb_buf_addf(&out, "%%%02X", c);
	}
	return eb_buf_steal(&out, NULL);
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 32;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

char *eb_channel_file_path(const char *url)
{
	char *path, *to;

	if (!eb_starts(url, "file:///"))
		return NULL;
	to = path = eb_strdup(url + 7);
	for (const char *p = path; *p; p++) {
		int hi = *p == '%' ? hex_value(p[1]) : -1;
		int lo = hi >= 0 ? hex_value(p[2]) : -1;

		if (lo >= 0 && (hi || lo)) {
			*to++ = (char)(hi << 4 | lo);
			p += 2;
		} else {
			*to++ = *p;
		}
	}
	*to = 0;
	return path;
}

/* --- joining --------------------------------------------------------- */

/* "/a/./b/../c/" becomes "/a/c/", in place. */
static void remove_dots(char *path)
{
	eb_autofree char *copy = eb_strdup(path);
	char *to = path, *save = NULL;
	bool slash = eb_ends(copy, "/") || eb_ends(copy, "/.") ||
		     eb_ends(copy, "/..");

	for (char *seg = strtok_r(copy, "/", &save); seg;
	     seg = strtok_r(NULL, "/", &save)) {
		if (!strcmp(seg, "."))
			continue;
		if (!strcmp(seg, "..")) {
			while (to > path && *--to != '/')
				;
			continue;
		}
		*to++ = '/';
		memmove(to, seg, strlen(seg));
		to += strlen(seg);
	}
	if (slash || to == path)
		*to++ = '/';
	*to = 0;
}

char *eb_channel_join(const char *base, const char *reference)
{
	const char *colon = strstr(base, "://");
	size_t root = colon ? (size_t)(colon + 3 - base) : 0;
	char *url;

	root += strcspn(base + root, "/");
	if (strstr(reference, "://"))
		return eb_strdup(reference);
	if (colon && eb_starts(reference, "//"))
		return eb_asprintf("%.*s:%s", (int)(colon - base), base,
				   reference);
	if (*reference == '/')
		url = eb_asprintf("%.*s%s", (int)root, base, reference);
	else
		url = eb_asprintf("%s%s", base, reference);
	remove_dots(url + root);
	return url;
}
