/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Selectors (CEP 24): `- gcc_linux-64  # [linux64 and not aarch64]`. The
 * comment of a line counts when the whole of its last [...] is an expression
 * of platform names; anything else is a comment.
 */
#include <ctype.h>
#include <string.h>

#include "spec_reader.h"

#define MAX_DEPTH 32

/* ---- names
 * -------------------------------------------------------------------- */

static const char *const words[] = {
	"linux",  "linux32", "linux64", "unix",	   "osx",	 "osx64",
	"win",	  "win32",   "win64",	"x86",	   "x86_64",	 "x64",
	"arm",	  "arm64",   "aarch64", "armv6l",  "armv7l",	 "ppc64le",
	"s390x",  "riscv32", "riscv64", "freebsd", "emscripten", "wasi",
	"wasm32", "zos",     "z",	"ppc64",
};

static const struct {
	const char *platform, *words; /* beside linux and unix */
} truths[] = {
	{ "linux/amd64", " linux64 x86 x86_64 x64 " },
	{ "linux/386", " linux32 x86 " },
	{ "linux/arm64", " aarch64 " },
	{ "linux/arm/v7", " armv7l arm " },
	{ "linux/arm/v6", " armv6l arm " },
	{ "linux/ppc64le", " ppc64le " },
	{ "linux/s390x", " s390x " },
	{ "linux/riscv64", " riscv64 " },
};

static bool is_known(const char *word)
{
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strcmp(words[i], word) == 0)
			return true;
	return false;
}

static bool is_true(const char *word, const char *platform)
{
	eb_autofree char *wanted = eb_asprintf(" %s ", word);

	if (strcmp(word, "unix") == 0 || strcmp(word, "linux") == 0)
		return eb_starts(platform, "linux/");
	for (size_t i = 0; i < sizeof truths / sizeof *truths; i++)
		if (strcmp(truths[i].platform, platform) == 0)
			return strstr(truths[i].words, wanted);
	return false;
}

/* ---- expressions
 * ----------------------------------------------------------------- */

struct parser {
	const char *p, *end;
	const char *platform;
	char **unknown;
	unsigned depth;
};

static int parse_or(struct parser *p);

static void skip(struct parser *p)
{
	while (p->p < p->end && (*p->p == ' ' || *p->p == '\t'))
		p->p++;
}

static size_t word_length(const struct parser *p)
{
	const char *q = p->p;

	while (q < p->end && (isalnum((unsigned char)*q) || *q == '_'))
		q++;
	return (size_t)(q - p->p);
}

static bool take(struct parser *p, const char *word)
{
	size_t n = strlen(word);

	skip(p);
	if (word_length(p) != n || memcmp(p->p, word, n) != 0)
		return false;
	p->p += n;
	return true;
}

static int parse_name(struct parser *p)
{
	size_t n = word_length(p);
	eb_autofree char *word = eb_strndup(p->p, n);

	if (n == 0)
		return -1;
	p->p += n;
	if (is_known(word))
		return is_true(word, p->platform);
	if (!*p->unknown)
		*p->unknown = eb_steal(word);
	return -1;
}

static int parse_not(struct parser *p)
{
	int value;

	if (++p->depth > MAX_DEPTH)
		return -1;
	if (take(p, "not")) {
		value = parse_not(p);
		p->depth--;
		return value < 0 ? -1 : !value;
	}
	skip(p);
	if (p->p < p->end && *p->p == '(') {
		p->p++;
		value = parse_or(p);
		skip(p);
		if (p->p == p->end || *p->p++ != ')')
			return -1;
	} else {
		value = parse_name(p);
	}
	p->depth--;
	return value;
}

static int parse_and(struct parser *p)
{
	int value = parse_not(p), next;

	while (value >= 0 && take(p, "and")) {
		next = parse_not(p);
		value = next < 0 ? -1 : value && next;
	}
	return value;
}

static int parse_or(struct parser *p)
{
	int value = parse_and(p), next;

	while (value >= 0 && take(p, "or")) {
		next = parse_and(p);
		value = next < 0 ? -1 : value || next;
	}
	return value;
}

int eb_selector_value(const char *expression, size_t len, const char *platform,
		      char **unknown)
{
	struct parser p = { expression, expression + len, platform, unknown,
			    0 };
	int value;

	*unknown = NULL;
	value = parse_or(&p);
	skip(&p);
	return p.p == p.end ? value : -1;
}

/* ---- comments
 * ---------------------------------------------------------------------- */

static bool opens_quote(const char *line, size_t i)
{
	while (i && (line[i - 1] == ' ' || line[i - 1] == '\t'))
		i--;
	return i == 0 || strchr("-:,[{?", line[i - 1]);
}

/* Where the comment of a line begins (its "#"), NULL when there is none. */
static const char *find_comment(const char *line, size_t len)
{
	char quote = 0;

	for (size_t i = 0; i < len; i++) {
		char c = line[i];

		if (quote) {
			if (c == '\\' && quote == '"')
				i++;
			else if (c == quote)
				quote = 0;
		} else if ((c == '"' || c == '\'') && opens_quote(line, i)) {
			quote = c;
		} else if (c == '#' && i &&
			   (line[i - 1] == ' ' || line[i - 1] == '\t')) {
			return line + i;
		}
	}
	return NULL;
}

/* The last [...] of a comment, with nothing but words behind it. */
static const char *find_brackets(const char *comment, const char *end,
				 size_t *len)
{
	const char *close = memrchr(comment, ']', (size_t)(end - comment));
	const char *open;

	if (!close || memchr(close, '(', (size_t)(end - close)) ||
	    memchr(close, ')', (size_t)(end - close)))
		return NULL;
	open = memrchr(comment, '[', (size_t)(close - comment));
	if (!open)
		return NULL;
	*len = (size_t)(close - open - 1);
	return open + 1;
}

/* "# [expression]" and nothing else */
static bool is_plain_form(const char *comment, const char *open)
{
	for (comment++; comment < open - 1; comment++)
		if (*comment != ' ' && *comment != '\t')
			return false;
	return true;
}

static bool line_drops(const struct eb_spec_reader *r,
		       const struct eb_yaml_node *n)
{
	eb_autofree char *unknown = NULL;
	eb_autofree char *shown = NULL;
	const char *line, *comment, *inner;
	size_t len;
	int value;

	line = eb_yaml_line(r->doc, n->line, &len);
	comment = line ? find_comment(line, len) : NULL;
	inner = comment ? find_brackets(comment, line + len, &len) : NULL;
	if (!inner)
		return false;
	value = eb_selector_value(inner, len, r->platform, &unknown);
	if (value >= 0 || !unknown || !is_plain_form(comment, inner))
		return value == 0;
	shown = eb_requirement_shown(unknown);
	eb_spec_warn(r, n,
		     "the comment looks like a selector, but \"%s\" is no "
		     "platform: it is taken for a comment",
		     shown);
	return false;
}

/* One line may hold very many items. */
bool eb_selector_drops(struct eb_spec_reader *r, const struct eb_yaml_node *n)
{
	if (r->selector_line != n->line) {
		r->selector_drops = line_drops(r, n);
		r->selector_line = n->line;
	}
	return r->selector_drops;
}
