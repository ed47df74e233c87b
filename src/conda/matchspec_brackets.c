/* SPDX-License-Identifier: Apache-2.0 */
/* The brackets of a MatchSpec: name[version='>=1',build=py*]. */
#include <ctype.h>
#include <string.h>

#include "matchspec_parts.h"

/* ---- taking out --------------------------------------------------------- */

/* The bracket that closes the one at `s`; quotes hide brackets. */
static char *closing(char *s)
{
	char quote = '\0';
	int depth = 0;

	for (; *s; s++) {
		if (quote)
			quote = *s == quote ? '\0' : quote;
		else if (*s == '\'' || *s == '"')
			quote = *s;
		else if (*s == '[')
			depth++;
		else if (*s == ']' && --depth == 0)
			return s;
	}
	return NULL;
}

int eb_matchspec_take_brackets(char *text, char **brackets,
			       struct eb_error *err)
{
	char *open = strchr(text, '['), *close;

	*brackets = NULL;
	if (strcspn(text, "]") < strcspn(text, "["))
		return eb_err_set(err, EB_INPUT, "a \"[\" is missing");
	if (!open)
		return 0;
	close = closing(open);
	if (!close)
		return eb_err_set(err, EB_INPUT,
				  "a \"]\" or a quote is "
				  "missing");
	if (strpbrk(close + 1, "[]"))
		return eb_err_set(err, EB_INPUT, "more than one \"[...]\"");
	*brackets = eb_strndup(open + 1, close - open - 1);
	memmove(open, close + 1, strlen(close + 1) + 1);
	return 0;
}

/* ---- setting ------------------------------------------------------------ */

struct reader {
	struct eb_matchspec *m;
	const char *whole, *at;
	enum eb_strictness how;
	struct eb_error *err;
};

static int bad(const struct reader *r, const char *why)
{
	return eb_err_set(r->err, EB_INPUT, "[%s]: %s", r->whole, why);
}

static bool is_key_byte(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-';
}

/* A word without "=": `optional` of old, or what pip calls extras. */
static int bare_word(const struct reader *r, const char *word)
{
	if (r->how == EB_LENIENT || strcmp(word, "optional") == 0)
		return 0;
	eb_err_set(r->err, EB_INPUT,
		   "[%s]: \"%s\" is not of the form key=value", r->whole, word);
	return eb_err_hint(r->err,
			   "extras of a Python project go into the "
			   "pip section; those of a conda package are written "
			   "[extras=[%s]]",
			   r->whole);
}

/* Where a condition without quotes around it ends; it may have brackets. */
static const char *condition_end(const char *s)
{
	char quote = '\0';
	int depth = 0;

	for (; *s && (quote || depth > 0 || !strchr(", ", *s)); s++) {
		if (quote)
			quote = *s == quote ? '\0' : quote;
		else if (*s == '\'' || *s == '"')
			quote = *s;
		else if (*s == '[' || *s == ']')
			depth += *s == '[' ? 1 : -1;
	}
	return s;
}

/* [a, b] or 'a' or a; ends before "," or blank. */
static int read_value(struct reader *r, const char *key, char **value)
{
	const char *end;
	char quote = *r->at;

	if (quote == '[') {
		end = strchr(r->at, ']');
		if (!end || memchr(r->at + 1, '[', (size_t)(end - r->at)))
			return bad(r, "a list in a list");
		end++;
		*value = eb_strndup(r->at, end - r->at);
	} else if (quote == '\'' || quote == '"') {
		end = strchr(++r->at, quote);
		if (!end)
			return bad(r, "a quote is missing");
		*value = eb_strndup(r->at, end - r->at);
		end++;
	} else if (strcmp(key, "when") == 0) {
		end = condition_end(r->at);
		*value = eb_strndup(r->at, (size_t)(end - r->at));
		if (strchr(*value, '\'') && strchr(*value, '"'))
			return bad(r, "a condition with both kinds of quotes");
	} else {
		end = r->at + strcspn(r->at, ", ");
		*value = eb_strndup(r->at, end - r->at);
		if (strpbrk(*value, "'\"[]"))
			return bad(r, "a value with quotes or brackets in it "
				      "has to stand in quotes");
	}
	r->at = end;
	return 0;
}

static int check_value(const struct reader *r, const char *key,
		       const char *value)
{
	bool list = strcmp(key, "extras") == 0 || strcmp(key, "flags") == 0;
	bool when = strcmp(key, "when") == 0;

	if (!*value)
		return bad(r, "a value is missing");
	if (*r->at && !strchr(", ", *r->at))
		return bad(r, "a \",\" is missing");
	if (!list && !when && strpbrk(value, "'\""))
		return bad(r, "quotes within quotes");
	if (!list && *value == '[')
		return bad(r, "a list is not what this key takes");
	return 0;
}

static int read_pair(struct reader *r)
{
	eb_autofree char *key = NULL, *value = NULL;
	const char *end = r->at;

	while (is_key_byte(*end))
		end++;
	if (end == r->at)
		return bad(r, "a key is missing");
	key = eb_strndup(r->at, end - r->at);
	r->at = end;
	while (*end == ' ')
		end++;
	if (*end != '=') {
		if (*r->at && !strchr(", ", *r->at))
			return bad(r, "a \"=\" is missing");
		return bare_word(r, key);
	}
	r->at = end + 1;
	while (*r->at == ' ')
		r->at++;
	if (read_value(r, key, &value) < 0 || check_value(r, key, value) < 0)
		return -1;
	return eb_matchspec_set(r->m, key, value, r->how, r->err);
}

int eb_matchspec_set_brackets(struct eb_matchspec *m, const char *brackets,
			      enum eb_strictness how, struct eb_error *err)
{
	struct reader r = { m, brackets, brackets, how, err };

	for (;;) {
		r.at += strspn(r.at, ", ");
		if (!*r.at)
			return 0;
		if (read_pair(&r) < 0)
			return -1;
	}
}
