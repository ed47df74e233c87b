/* SPDX-License-Identifier: Apache-2.0 */
/* One pip line: its comment cut, its variables expanded, split into what is
 * asked for and the options. */
#include <string.h>

#include <envbuild/buf.h>
#include <envbuild/mem.h>

#include "pip_line.h"

#define MAX_LINE ((size_t)256 << 10)

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* A "#" at the beginning or behind white space. */
static void cut_comment(char *s)
{
	for (char *p = s; *p; p++)
		if (*p == '#' && (p == s || is_blank(p[-1]))) {
			*p = '\0';
			return;
		}
}

static int check_bytes(const char *s, struct eb_error *err)
{
	size_t n = strlen(s);

	if (n > MAX_LINE)
		return eb_err_set(err, EB_INPUT, "longer than %zu bytes",
				  MAX_LINE);
	if (!eb_utf8_valid(s, n))
		return eb_err_set(err, EB_INPUT, "no UTF-8");
	for (; *s; s++)
		if (((unsigned char)*s < 0x20 && *s != '\t') || *s == 0x7f)
			return eb_err_set(err, EB_INPUT,
					  "a control character (0x%02x)",
					  (unsigned char)*s);
	return 0;
}

/* The options begin with the first word that begins with "-"; `text` ends
 * there. */
static char *cut_options(char *text)
{
	char *p = text, *rest;

	while (*p && *p != '-') {
		p += strcspn(p, " ");
		p += *p == ' ';
	}
	rest = eb_strdup(p);
	*p = '\0';
	eb_strip(text);
	return rest;
}

/* Stripped, without comment and the backslashes of its end. */
static char *trimmed(const char *line)
{
	char *text = eb_strdup(line);
	size_t n;

	cut_comment(text);
	eb_strip(text);
	for (n = strlen(text); n && text[n - 1] == '\\'; n--)
		text[n - 1] = '\0';
	return eb_strip(text);
}

static void wipe_text(char **text)
{
	eb_wipe(*text);
}

int eb_pip_split(const char *line, struct eb_pip_split *out,
		 struct eb_error *err)
{
	EB_CLEANUP(wipe_text) char *text = trimmed(line);
	EB_CLEANUP(wipe_text) char *rest = NULL;

	if (check_bytes(text, err) < 0)
		return -1;
	out->text = eb_pip_expand(text, &out->secrets, err);
	if (!out->text || check_bytes(out->text, err) < 0)
		return -1;
	eb_strip(out->text);
	rest = cut_options(out->text);
	return eb_pip_options_parse(rest, &out->options, err);
}

void eb_pip_split_release(struct eb_pip_split *s)
{
	eb_wipe(s->text);
	eb_pip_options_release(&s->options);
	eb_secrets_release(&s->secrets);
	memset(s, 0, sizeof *s);
}
