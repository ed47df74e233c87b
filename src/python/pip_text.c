/* SPDX-License-Identifier: Apache-2.0 */
/* A requirements file from its bytes to its logical lines. */
#include <ctype.h>
#include <string.h>

#include <envbuild/mem.h>

#include "pip_line.h"
#include "pip_text.h"

/* ---- what is said about the encoding
 * ------------------------------------------------------ */

static const struct mark {
	const char *bytes;
	size_t n;
	const char *encoding;
} marks[] = {
	{ "\xef\xbb\xbf", 3, "utf-8" },	   { "\xff\xfe\0\0", 4, "utf-32le" },
	{ "\0\0\xfe\xff", 4, "utf-32be" }, { "\xff\xfe", 2, "utf-16le" },
	{ "\xfe\xff", 2, "utf-16be" },
};

static const struct mark *find_mark(const char *data, size_t len)
{
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		if (len >= marks[i].n &&
		    memcmp(data, marks[i].bytes, marks[i].n) == 0)
			return &marks[i];
	return NULL;
}

/* "coding: NAME" or "coding=NAME" in a comment; NULL: nothing of the kind. */
static char *coding_of(const char *line, size_t n)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789_.-";
	eb_autofree char *text = eb_strndup(line, n);
	const char *p = text;

	if (*text != '#')
		return NULL;
	while ((p = strstr(p, "coding"))) {
		p += strlen("coding");
		if (*p != ':' && *p != '=')
			continue;
		p++;
		p += strspn(p, " \t");
		if ((n = strspn(p, letters)))
			return eb_strndup(p, n);
	}
	return NULL;
}

/* In the first two lines. */
static char *find_coding(const char *data, size_t len)
{
	const char *end = data + len;
	char *name = NULL;

	for (int i = 0; i < 2 && !name && data < end; i++) {
		const char *lf = memchr(data, '\n', (size_t)(end - data));
		size_t n = (size_t)((lf ? lf : end) - data);

		name = coding_of(data, n > 1000 ? 1000 : n);
		data = lf ? lf + 1 : end;
	}
	return name;
}

/* ---- the check of the text
 * ----------------------------------------------------------------- */

static unsigned line_of(const char *text, const char *at)
{
	unsigned line = 1;

	for (; text < at; text++)
		line += *text == '\n';
	return line;
}

static int has_nul(const char *text, const char *nul, const char *file,
		   struct eb_error *err)
{
	eb_err_set(err, EB_INPUT,
		   "\"%s\", reading as requirements: it has NUL bytes", file);
	if (nul == text + 1 || nul == text)
		eb_err_hint(err, "it looks like UTF-16: save it as UTF-8, or "
				 "with its byte order mark");
	return eb_err_at(err, file, line_of(text, nul), 1);
}

static int no_utf8(const char *text, size_t len, const char *file,
		   struct eb_error *err)
{
	unsigned line = 1;

	for (const char *p = text, *end = text + len; p < end; line++) {
		const char *lf = memchr(p, '\n', (size_t)(end - p));

		if (!lf || !eb_utf8_valid(p, (size_t)(lf - p)))
			break;
		p = lf + 1;
	}
	eb_err_set(err, EB_INPUT,
		   "\"%s\", reading as requirements: it is no UTF-8", file);
	eb_err_hint(err, "save it as UTF-8, or name its encoding in the first "
			 "line: \"# coding: latin-1\"");
	return eb_err_at(err, file, line, 1);
}

static int check(const char *text, size_t len, const char *file,
		 struct eb_error *err)
{
	const char *nul = memchr(text, '\0', len);

	if (nul)
		return has_nul(text, nul, file, err);
	return eb_utf8_valid(text, len) ? 0 : no_utf8(text, len, file, err);
}

/* Every end of a line as LF. pip takes some old control characters for one,
 * too. */
static void line_ends(char *text)
{
	char *to = text;

	for (const char *p = text; *p; p++) {
		if (*p == '\r' && p[1] == '\n')
			continue;
		*to++ = strchr("\r\v\f\x1c\x1d\x1e", *p) ? '\n' : *p;
	}
	*to = '\0';
}

int eb_pip_decode(const char *data, size_t len, const char *file,
		  struct eb_buf *out, struct eb_error *err)
{
	const struct mark *mark = find_mark(data, len);
	eb_autofree char *coding = mark ? NULL : find_coding(data, len);
	const char *encoding = mark ? mark->encoding : coding;
	size_t skip = mark ? mark->n : 0, start = out->len;

	eb_buf_reserve(out, len); /* growing leaves copies, of logins too */
	if (eb_text_decode(data + skip, len - skip,
			   encoding ? encoding : "utf-8", out) < 0)
		return eb_text_cannot(encoding, file, err);
	if (out->overflow)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" has more than %zu bytes as UTF-8",
				  file, out->max);
	if (check(out->data + start, out->len - start, file, err) < 0)
		return -1;
	line_ends(out->data + start);
	out->len = start + strlen(out->data + start);
	return 0;
}

/* ---- logical lines
 * --------------------------------------------------------------------- */

static bool is_comment(const char *line)
{
	line += strspn(line, " \t\f\v");
	return *line == '#';
}

static size_t trailing_backslashes(const char *line)
{
	size_t n = strlen(line), i = n;

	while (i && line[i - 1] == '\\')
		i--;
	return n - i;
}

static char *strip_end(char *line)
{
	size_t n = strlen(line);

	if (n && line[n - 1] == '\r')
		line[n - 1] = '\0';
	return line;
}

/* Only of this line: what is behind it is not looked at. */
static size_t line_length(const char *p)
{
	size_t n = 0;

	while (p[n] && p[n] != '\n')
		n++;
	return n;
}

static char *copy(const char *p, size_t n)
{
	char *text = eb_malloc(n + 1);

	memcpy(text, p, n);
	text[n] = '\0';
	return text;
}

/* pip takes all backslashes of the end away, and a comment ends a row of
 * joined lines. */
char *eb_pip_next_line(const char **at, unsigned *line, unsigned *number)
{
	EB_AUTOBUF(out, EB_MAX_METADATA);

	if (!**at)
		return NULL;
	*number = *line;
	while (**at) {
		size_t n = line_length(*at);
		eb_autofree char *one = strip_end(copy(*at, n));
		size_t cut = is_comment(one) ? 0 : trailing_backslashes(one);

		*at += n + ((*at)[n] == '\n');
		++*line;
		if (is_comment(one))
			eb_buf_addch(&out, ' ');
		one[strlen(one) - cut] = '\0';
		eb_buf_adds(&out, one);
		if (!cut)
			break;
	}
	return eb_buf_steal(&out, NULL);
}
