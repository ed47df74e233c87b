/* SPDX-License-Identifier: Apache-2.0 */
/* Strings: tests, numbers, texts for people. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <envbuild/buf.h>
#include <envbuild/mem.h>
#include <envbuild/str.h>

#include "utf8.h"

bool eb_starts(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool eb_ends(const char *s, const char *suffix)
{
	size_t n = strlen(s), m = strlen(suffix);

	return n >= m && memcmp(s + n - m, suffix, m) == 0;
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

char *eb_strip(char *s)
{
	size_t from = 0, to = strlen(s);

	while (is_space(s[from]))
		from++;
	while (to > from && is_space(s[to - 1]))
		to--;
	memmove(s, s + from, to - from);
	s[to - from] = '\0';
	return s;
}

void eb_lower(char *s)
{
	for (; *s; s++)
		if (*s >= 'A' && *s <= 'Z')
			*s = (char)(*s - 'A' + 'a');
}

int eb_parse_u64(const char *s, uint64_t max, uint64_t *value)
{
	uint64_t v = 0;

	if (!*s)
		return -1;
	for (; *s; s++) {
		if (*s < '0' || *s > '9' || __builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(*s - '0'), &v))
			return -1;
	}
	if (v > max)
		return -1;
	*value = v;
	return 0;
}

/* Controls of ASCII and, as UTF-8, those of U+0080 to U+009F. */
static bool is_control(const char *s, size_t len)
{
	unsigned char c = (unsigned char)s[0];

	if (len == 1)
		return (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f;
	return c == 0xc2 && (unsigned char)s[1] < 0xa0;
}

static char *printable(const char *s, const char *escaped)
{
	EB_AUTOBUF(out, SIZE_MAX);
	size_t n = strlen(s), len, i;

	for (; n; s += len, n -= len) {
		len = eb_utf8_step(s, n);
		if (len && !is_control(s, len) && !strchr(escaped, *s)) {
			eb_buf_add(&out, s, len);
			continue;
		}
		len = len ? len : 1;
		for (i = 0; i < len; i++)
			eb_buf_addf(&out, "\\x%02x", (unsigned char)s[i]);
	}
	return eb_buf_steal(&out, NULL);
}

char *eb_printable(const char *s)
{
	return printable(s, "");
}

char *eb_printable_line(const char *s)
{
	return printable(s, "\n\t");
}

char *eb_human_size(uint64_t bytes, char *out)
{
	static const char *const unit[] = {
		"kB", "MB", "GB", "TB", "PB", "EB"
	};
	double v = (double)bytes / 1000;
	size_t i = 0;

	if (bytes < 1000) {
		snprintf(out, 32, "%u B", (unsigned)bytes);
		return out;
	}
	while (v >= 999.5) {
		v /= 1000;
		i++;
	}
	snprintf(out, 32, "%.*f %s",
		 v < 9.995   ? 2
		 : v < 99.95 ? 1
			     : 0,
		 v, unit[i]);
	return out;
}

/* The form has four digits for the year: others become its first or last. */
char *eb_rfc3339(int64_t seconds, char *out)
{
	const int64_t first = -62167219200, last = 253402300799;
	time_t t = seconds < first ? first : seconds > last ? last : seconds;
	int year, i;
	struct tm tm;

	gmtime_r(&t, &tm);
	strftime(out, 32, "0000-%m-%dT%H:%M:%SZ", &tm);
	for (i = 3, year = tm.tm_year + 1900; i >= 0; i--, year /= 10)
		out[i] = (char)('0' + year % 10);
	return out;
}

/* What of the path is "/t/TOKEN", as a length; 0 when `p` is no such place. */
static size_t token_length(const char *p)
{
	size_t n;

	if (!eb_starts(p, "/t/"))
		return 0;
	n = strcspn(p + 3, "/?#");
	return n ? n + 3 : 0;
}

char *eb_url_redact(const char *url)
{
	EB_AUTOBUF(out, SIZE_MAX);
	const char *host = strstr(url, "://"), *path, *at;
	size_t skip;

	if (!host)
		return eb_strdup(url);
	host += 3;
	path = host + strcspn(host, "/?#");
	at = memrchr(host, '@', (size_t)(path - host));
	eb_buf_add(&out, url, (size_t)(host - url));
	if (at)
		host = at + 1;
	eb_buf_add(&out, host, (size_t)(path - host));
	/* a folder "t" of this machine holds no tokens */
	while (*path && *path != '?' && *path != '#') {
		skip = eb_starts(url, "file:") ? 0 : token_length(path);
		if (skip)
			path += skip;
		else
			eb_buf_addch(&out, *path++);
	}
	eb_buf_adds(&out, path);
	return eb_buf_steal(&out, NULL);
}
