/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A MatchSpec from its text (CEP 29): cut comment and condition; a package
 * file; else [brackets], channel::, name, version and build.
 */
#include <ctype.h>
#include <string.h>

#include "matchspec_parts.h"

#define MAX_LENGTH 8192
#define OPERATORS "=!|,<>~"

struct parser {
	struct eb_matchspec *m;
	enum eb_strictness how;
	struct eb_error *err;
};

/* ---- preparing ---------------------------------------------------------- */

static bool is_plain(const char *text)
{
	while (*text >= ' ' && *text < 0x7f)
		text++;
	return !*text;
}

static int check_text(const char *text, struct eb_error *err)
{
	const char *p;

	if (strlen(text) > MAX_LENGTH)
		return eb_err_set(err, EB_INPUT, "longer than %d bytes",
				  MAX_LENGTH);
	if (is_plain(text))
		return 0;
	if (!eb_utf8_valid(text, strlen(text)))
		return eb_err_set(err, EB_INPUT, "not UTF-8");
	for (p = text; *p; p++)
		if (iscntrl((unsigned char)*p) && !isspace((unsigned char)*p))
			return eb_err_set(err, EB_INPUT,
					  "a control "
					  "character is not allowed");
	return 0;
}

/* Comment and " if CONDITION" of old go; every white space becomes a blank. */
static char *prepare(char *text)
{
	char *p;

	text[strcspn(text, "#")] = '\0';
	for (p = text; *p; p++)
		if (isspace((unsigned char)*p))
			*p = ' ';
	p = strstr(text, " if ");
	if (p)
		*p = '\0';
	return eb_strip(text);
}

/* ---- build -------------------------------------------------------------- */

/*
 * Where the build begins behind a version, or NULL: after a blank or "=" that
 * follows no operator, with no operator and no "-" behind it.
 */
static char *find_build(char *s)
{
	char *last = NULL, *p;

	for (p = s; *p; p++)
		if (strchr("-" OPERATORS, *p))
			last = p;
	for (p = last && last > s ? last : s + 1; *p; p++)
		if ((*p == ' ' || *p == '=') && p[1] &&
		    !strchr(OPERATORS, p[-1]))
			return p;
	return NULL;
}

/* `1.* ^(core2|haswell)$`: a regular expression at the end may hold what
 * would mean something elsewhere. Cut from the text and returned, or NULL. */
static char *cut_regex(char *s)
{
	char *p;

	if (!eb_ends(s, "$"))
		return NULL;
	for (p = s + 1; *s && *p; p++) {
		if (*p != '^' || (p[-1] != ' ' && p[-1] != '='))
			continue;
		if (p - 1 > s && strchr(OPERATORS, p[-2]))
			return NULL;
		p[-1] = '\0';
		return p;
	}
	return NULL;
}

/* Blanks behind operators say nothing: `>=  1.5`. */
static void close_up(char *s)
{
	const char *from = s;
	char before = '\0';

	for (; *from; from++)
		if (*from != ' ' || !before || !strchr(OPERATORS, before))
			before = *s++ = *from;
	*s = '\0';
}

static int set_version_and_build(struct parser *p, char *s)
{
	char *build;

	if (strcmp(s, "=") == 0) /* "foo=" has always meant any version */
		return 0;
	close_up(s);
	build = find_build(s);
	if (build) {
		*build++ = '\0';
		build = eb_strip(build);
		if (strpbrk(build, "'\""))
			return eb_err_set(p->err, EB_INPUT,
					  "build \"%s\": a quote", build);
		if (eb_matchspec_set(p->m, "build", build, p->how, p->err) < 0)
			return -1;
	}
	return eb_matchspec_set_version(p->m, s, build, p->how, p->err);
}

/* ---- channel, namespace, name ------------------------------------------- */

/* CHANNEL:NAMESPACE:rest or NAMESPACE:rest; the namespace says nothing yet. */
static int take_channel(struct parser *p, char **s)
{
	char *colon = strrchr(*s, ':'), *channel = *s, *namespace;

	if (!colon)
		return 0;
	*colon = '\0';
	*s = colon + 1;
	namespace = strrchr(channel, ':');
	if (namespace)
		*namespace ++ = '\0';
	else
	namespace = channel;
	if (strchr(namespace, '/'))
		return eb_err_set(p->err, EB_INPUT,
				  "\"::\" is missing behind the channel");
	channel = eb_strip(channel);
	if (namespace == channel || !*channel)
		return 0;
	return eb_matchspec_set(p->m, "channel", channel, p->how, p->err);
}

static int set_name_and_rest(struct parser *p, char *s)
{
	size_t n = strcspn(s, " =<>!~");
	eb_autofree char *name = eb_strndup(s, n);
	char *rest = eb_strip(s + n);

	if (eb_matchspec_set_name(p->m, name, p->err) < 0)
		return -1;
	return *rest ? set_version_and_build(p, rest) : 0;
}

/* `(optional,target=x)` of old is left out. Parentheses of a version belong
 * into brackets, as conda loses them elsewhere. */
static int take_parens(struct parser *p, char *s)
{
	char *open = strchr(s, '(');

	if (!open)
		return 0;
	if (eb_ends(s, ")") &&
	    (strstr(open, "optional") || strstr(open, "target"))) {
		*open = '\0';
		return 0;
	}
	if (p->how == EB_LENIENT)
		return 0;
	eb_err_set(p->err, EB_INPUT, "\"%s\": parentheses outside of brackets",
		   open);
	return eb_err_hint(p->err, "write name[version='(>=1,<2)|>3']");
}

static int parse_plain(struct parser *p, char *s)
{
	if (take_parens(p, s) < 0 || take_channel(p, &s) < 0)
		return -1;
	return set_name_and_rest(p, eb_strip(s));
}

/* ---- all of it ---------------------------------------------------------- */

static int parse_with_regex(struct parser *p, char *s, const char *regex)
{
	if (strpbrk(s, "[](") || strpbrk(regex, "'\""))
		return eb_err_set(p->err, EB_INPUT,
				  "brackets before a regular expression, or "
				  "a quote in it");
	if (parse_plain(p, s) < 0)
		return -1;
	return eb_matchspec_set(p->m, p->m->version ? "build" : "version",
				regex, p->how, p->err);
}

/* NAME@: a feature, not a package. */
static int take_feature(struct parser *p, char *s)
{
	s[strlen(s) - 1] = '\0';
	if (strpbrk(s, " ,'\"[]"))
		return eb_err_set(p->err, EB_INPUT,
				  "\"%s\" is no name of a feature", s);
	if (eb_matchspec_set_name(p->m, "*", p->err) < 0)
		return -1;
	return eb_matchspec_set(p->m, "track_features", s, p->how, p->err);
}

/* The hash behind a package file's "#" (CEP 23); otherwise that begins a
 * comment. */
static int take_hash(struct parser *p, char *s)
{
	char *hash = strchr(s, '#');
	const char *hex = hash ? hash + 1 : "";
	size_t n;

	if (eb_starts(hex, "sha256:"))
		hex += strlen("sha256:");
	n = strlen(hex);
	if (strspn(hex, "0123456789abcdef") != n ||
	    (n != 64 && (n != 32 || hex != hash + 1)))
		return 0;
	*hash = '\0';
	if (!eb_matchspec_is_file(s))
		return 0;
	return eb_matchspec_set(p->m, n == 64 ? "sha256" : "md5", hex, p->how,
				p->err);
}

static int parse_text(struct parser *p, char *s)
{
	eb_autofree char *brackets = NULL;
	char *regex;

	if (take_hash(p, s) < 0)
		return -1;
	s = prepare(s);
	if (eb_ends(s, "@"))
		return take_feature(p, s);
	if (eb_matchspec_is_file(s))
		return eb_matchspec_set_file(p->m, s, p->err);
	regex = cut_regex(s);
	if (regex)
		return parse_with_regex(p, eb_strip(s), regex);
	if (eb_matchspec_take_brackets(s, &brackets, p->err) < 0 ||
	    parse_plain(p, eb_strip(s)) < 0)
		return -1;
	return brackets ? eb_matchspec_set_brackets(p->m, brackets, p->how,
						    p->err)
			: 0;
}

struct eb_matchspec *eb_matchspec_parse(const char *text,
					enum eb_strictness how,
					struct eb_error *err)
{
	EB_CLEANUP(eb_matchspec_free_ptr) struct eb_matchspec *m = NULL;
	eb_autofree char *copy = NULL, *shown = NULL;
	struct parser p = { .how = how, .err = err };

	m = p.m = eb_calloc(1, sizeof *m);
	if (check_text(text, err) == 0) {
		copy = eb_strdup(text);
		if (parse_text(&p, copy) == 0 &&
		    eb_matchspec_set_when(m, how, err) == 0)
			return eb_steal(m);
	}
	shown = eb_printable(text);
	eb_err_prefix(err, "package spec \"%.200s\"", shown);
	return NULL;
}
