/* SPDX-License-Identifier: Apache-2.0 */
/* A requirement by PEP 508: name, extras, specifiers or URL, marker. */
#include <ctype.h>
#include <string.h>

#include <envbuild/buf.h>
#include <envbuild/mem.h>

#include <envbuild/pep440.h>
#include "pep508.h"

static void skip(const char **at)
{
	while (**at == ' ' || **at == '\t')
		++*at;
}

/* ---- names ----------------------------------------------------------------
 */

static bool is_separator(char c)
{
	return c == '-' || c == '_' || c == '.';
}

char *eb_project_name(const char *name)
{
	char *out = eb_strdup(name), *to = out;

	for (const char *p = name; *p; p++) {
		if (!is_separator(*p))
			*to++ = *p;
		else if (to == out || to[-1] != '-')
			*to++ = '-';
	}
	*to = '\0';
	eb_lower(out);
	return out;
}

static bool is_name_byte(char c)
{
	return (unsigned char)c < 0x80 && isalnum((unsigned char)c);
}

size_t eb_name_length(const char *p)
{
	size_t n = 0;

	if (!is_name_byte(*p))
		return 0;
	while (is_name_byte(p[n]) || is_separator(p[n]))
		n++;
	while (p[n - 1] == '-' || p[n - 1] == '.')
		n--;
	return n;
}

static char *name_at(const char **at)
{
	size_t n = eb_name_length(*at);
	eb_autofree char *raw = eb_strndup(*at, n);

	*at += n;
	return n ? eb_project_name(raw) : NULL;
}

static int extras_list(const char **at, struct eb_strv *out,
		       struct eb_error *err)
{
	char *name = name_at(at);

	while (name) {
		eb_strv_take(out, name);
		skip(at);
		if (**at != ',')
			return 0;
		++*at;
		skip(at);
		name = name_at(at);
		if (!name)
			return eb_err_set(err, EB_INPUT,
					  "extras: a name is missing behind "
					  "\",\"");
	}
	return 0;
}

int eb_extras_parse(const char **at, struct eb_strv *out, struct eb_error *err)
{
	if (**at != '[')
		return 0;
	++*at;
	skip(at);
	if (extras_list(at, out, err) < 0)
		return -1;
	skip(at);
	if (**at != ']')
		return eb_err_set(err, EB_INPUT,
				  "extras: names with commas between, and a "
				  "\"]\" behind, are expected");
	++*at;
	eb_strv_sort(out);
	eb_strv_unique(out);
	return 0;
}

/* ---- the parts --------------------------------------------------------------
 */

static int specifiers(const char **at, struct eb_strv *out,
		      struct eb_error *err)
{
	bool parentheses = **at == '(';

	if (parentheses)
		++*at;
	skip(at);
	if (eb_specifiers_parse(at, out, err) < 0)
		return -1;
	skip(at);
	if (parentheses && **at != ')')
		return eb_err_set(err, EB_INPUT,
				  "a closing parenthesis is missing");
	*at += parentheses;
	skip(at);
	eb_strv_sort(out);
	eb_strv_unique(out);
	return 0;
}

static int url(const char **at, struct eb_pep508 *out, struct eb_error *err)
{
	size_t n;

	++*at;
	skip(at);
	n = strcspn(*at, " \t");
	if (!n)
		return eb_err_set(err, EB_INPUT, "no URL behind \"@\"");
	out->url = eb_strndup(*at, n);
	*at += n;
	skip(at);
	return 0;
}

static int left_over(const char *p, const struct eb_pep508 *out,
		     struct eb_error *err)
{
	if (out->url) {
		eb_err_set(err, EB_INPUT,
			   "something else than a marker behind the URL");
		return eb_err_hint(err, "a marker begins with \" ;\", a blank "
					"before it");
	}
	if (*p == '=' && p[1] != '=') {
		eb_err_set(err, EB_INPUT, "\"=\" is no operator of pip");
		return eb_err_hint(err, "one \"=\" is what conda takes; write "
					"\"==\"");
	}
	if (*p == '*')
		return eb_err_set(err, EB_INPUT,
				  "\"*\" stands only at the end, behind \".\"");
	return eb_err_set(err, EB_INPUT,
			  "a version, a marker behind \";\" or the end is "
			  "expected before \"%.40s\"",
			  p);
}

int eb_pep508_parse(const char *text, struct eb_pep508 *out,
		    struct eb_error *err)
{
	const char *at = text;

	memset(out, 0, sizeof *out);
	skip(&at);
	out->name = name_at(&at);
	if (!out->name)
		return eb_err_set(err, EB_INPUT,
				  "it does not begin with the "
				  "name of a project");
	skip(&at);
	if (eb_extras_parse(&at, &out->extras, err) < 0)
		return -1;
	skip(&at);
	if (*at == '@') {
		if (url(&at, out, err) < 0)
			return -1;
	} else if (specifiers(&at, &out->specifiers, err) < 0) {
		return -1;
	}
	if (!*at)
		return 0;
	if (*at != ';')
		return left_over(at, out, err);
	out->marker = eb_marker_normal(at + 1, err);
	return out->marker ? 0 : -1;
}

void eb_pep508_release(struct eb_pep508 *r)
{
	free(r->name);
	free(r->url);
	free(r->marker);
	eb_strv_release(&r->extras);
	eb_strv_release(&r->specifiers);
	memset(r, 0, sizeof *r);
}
