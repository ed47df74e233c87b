/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of a MatchSpec, each set from its text. */
#include <ctype.h>
#include <string.h>

#include "channel_url.h"
#include "matchspec_parts.h"

static void set_text(char **field, const char *value)
{
	free(*field);
	*field = eb_strdup(value);
}

static int set_pattern(struct eb_pattern *field, const char *value, bool fold,
		       const char *what, struct eb_error *err)
{
	struct eb_pattern p;

	if (eb_pattern_parse(value, fold, what, &p, err) < 0)
		return -1;
	eb_pattern_release(field);
	*field = p;
	return 0;
}

/* ---- name --------------------------------------------------------------- */

static bool is_sign(char c)
{
	return c == '.' || c == '_' || c == '-';
}

/* CEP 26: letters and digits, between them one sign; one "_" in front, two
 * for virtual packages. */
static bool is_package_name(const char *s)
{
	size_t front = strspn(s, "_");

	if (front > 2 || (front == 2 && !isalnum((unsigned char)s[2])))
		return false;
	if (front == 0 && !isalnum((unsigned char)*s))
		return false;
	s += front == 2 ? 3 : 1;
	if (is_sign(*s))
		s++;
	while (isalnum((unsigned char)*s)) {
		while (isalnum((unsigned char)*s))
			s++;
		if (is_sign(*s))
			s++;
	}
	return *s == '\0';
}

/* A glob may have signs anywhere. */
static bool is_name_glob(const char *s)
{
	for (; *s; s++)
		if (!isalnum((unsigned char)*s) && !is_sign(*s) && *s != '*')
			return false;
	return true;
}

static bool is_name_regex(const char *s)
{
	return strchr(s, '*') && *s == '^' && eb_ends(s, "$");
}

int eb_matchspec_set_name(struct eb_matchspec *m, const char *name,
			  struct eb_error *err)
{
	eb_autofree char *lower = eb_strdup(name);

	eb_lower(lower);
	if (eb_matchspec_is_file(lower) ||
	    (!is_package_name(lower) && !is_name_regex(lower) &&
	     (!strchr(lower, '*') || !is_name_glob(lower))))
		return eb_err_set(err, EB_INPUT,
				  *name ? "\"%s\" is no package name"
					: "no package name%s",
				  name);
	return set_pattern(&m->name, lower, true, "name", err);
}

/* ---- version ------------------------------------------------------------ */

static int arrow(const char *value, struct eb_error *err)
{
	value += strspn(value, "= ");
	eb_err_set(err, EB_INPUT, "\"=%c\" is no operator", *value);
	return eb_err_hint(err, "write \"%c=%s\"", *value,
			   value + 1 + strspn(value + 1, "= "));
}

/*
 * What MatchSpec adds to a constraint: "=1.2" and "==1.2.*" say "1.2.*",
 * "==1.2" says "1.2", and so does "=1.2" when a build follows. (The same in
 * front of several terms, so that a text reads as it does in brackets.) "=" and
 * "==" alone are left for the constraint's parser to refuse.
 */
static char *plain_version(const char *value, bool with_build)
{
	const char *rest = value + strspn(value, "= ");

	if (value[0] != '=' || !*rest)
		return eb_strdup(value);
	if (value[1] == '=' && (!with_build || strpbrk(rest, ",|")))
		return eb_strdup(rest);
	if (strpbrk(rest, "=,|"))
		return eb_strdup(value);
	return eb_asprintf("%s%s", rest,
			   with_build || eb_ends(rest, "*") ? "" : "*");
}

int eb_matchspec_set_version(struct eb_matchspec *m, const char *value,
			     bool with_build, enum eb_strictness how,
			     struct eb_error *err)
{
	eb_autofree char *given = eb_strdup(value), *plain = NULL;
	const char *trimmed = eb_strip(given);
	struct eb_verspec *v;
	char second;

	second = *trimmed == '=' ? trimmed[strspn(trimmed, "= ")] : '\0';
	if (how == EB_STRICT && (second == '>' || second == '<'))
		return arrow(trimmed, err);
	plain = plain_version(trimmed, with_build);
	v = eb_verspec_parse(plain, how, err);
	if (!v)
		return -1;
	eb_verspec_free(m->version);
	m->version = v;
	return 0;
}

/* ---- build number ------------------------------------------------------- */

static const struct {
	const char *sign;
	enum eb_term_op op;
} relations[] = {
	{ "==", EB_TERM_EQ }, { "!=", EB_TERM_NE }, { "<=", EB_TERM_LE },
	{ ">=", EB_TERM_GE }, { "<", EB_TERM_LT },  { ">", EB_TERM_GT },
	{ "=", EB_TERM_EQ },  { "", EB_TERM_EQ },
};

static int parse_relation(const char *value, struct eb_number *n)
{
	size_t i, length;

	for (i = 0; !eb_starts(value, relations[i].sign); i++)
		;
	length = strlen(relations[i].sign);
	n->op = relations[i].op;
	if (eb_parse_u64(value + length, UINT64_MAX, &n->value) < 0)
		return -1;
	n->text = eb_asprintf("%s%llu", relations[i].sign,
			      (unsigned long long)n->value);
	return 0;
}

static int parse_number(const char *value, struct eb_number *n,
			struct eb_error *err)
{
	if (*value != '^' && strcmp(value, "*")) {
		if (parse_relation(value, n) < 0)
			return eb_err_set(err, EB_INPUT,
					  "build_number \"%s\": no number",
					  value);
		return 0;
	}
	n->op = EB_TERM_PATTERN;
	n->text = eb_strdup(value);
	return eb_pattern_parse(value, false, "build_number", &n->pattern, err);
}

static void release_number(struct eb_number *n)
{
	eb_pattern_release(&n->pattern);
	free(n->text);
	*n = (struct eb_number){ 0 };
}

static int set_build_number(struct eb_matchspec *m, const char *value,
			    struct eb_error *err)
{
	struct eb_number n = { .given = true };

	if (parse_number(value, &n, err) < 0) {
		release_number(&n);
		return -1;
	}
	release_number(&m->build_number);
	m->build_number = n;
	return 0;
}

/* ---- lists -------------------------------------------------------------- */

/* "a b", "a,b": without order. */
static int set_list(struct eb_strv *list, const char *value)
{
	struct eb_strv parts EB_CLEANUP(eb_strv_release) = { 0 };
	size_t i;

	eb_strv_release(list);
	eb_strv_split(&parts, value, " ,[]'\"");
	for (i = 0; i < parts.n; i++)
		if (*parts.v[i])
			eb_strv_add(list, parts.v[i]);
	eb_strv_sort(list);
	eb_strv_unique(list);
	return 0;
}

/* ---- extras, flags ------------------------------------------------------ */

/* One of "a", "'a'" and the like between commas; empty only at the end. */
static int add_word(struct eb_strv *list, char *word, bool last,
		    const char *key, struct eb_error *err)
{
	char *s = eb_strip(word);
	size_t n = strlen(s);

	if (!n && last)
		return 0;
	if (n > 1 && (*s == '\'' || *s == '"') && s[n - 1] == *s) {
		s[n - 1] = '\0';
		s++;
	}
	if (strcmp(key, "flags") ? !eb_is_extra(s) : !eb_is_flag(s, true))
		return eb_err_set(err, EB_INPUT, "%s: \"%s\" is no name of one",
				  key, s);
	eb_strv_add(list, s);
	return 0;
}

/* "[a, 'b']", "a", and the "a,b" of the normal text. */
static int set_words(struct eb_strv *list, const char *value, const char *key,
		     struct eb_error *err)
{
	struct eb_strv parts EB_CLEANUP(eb_strv_release) = { 0 };
	eb_autofree char *copy = NULL;
	bool bracket = *value == '[';

	copy = bracket ? eb_strndup(value + 1, strlen(value) - 2)
		       : eb_strdup(value);
	eb_strv_release(list);
	eb_strv_split(&parts, copy, ",");
	for (size_t i = 0; i < parts.n; i++)
		if (add_word(list, parts.v[i], bracket && i && i + 1 == parts.n,
			     key, err) < 0)
			return -1;
	return 0;
}

static void drop_flags(struct eb_matchspec *m)
{
	for (size_t i = 0; m->flag && i < m->flags.n; i++)
		eb_pattern_release(&m->flag[i]);
	free(eb_steal(m->flag));
	eb_strv_release(&m->flags);
}

static int set_flags(struct eb_matchspec *m, const char *value,
		     struct eb_error *err)
{
	drop_flags(m);
	if (set_words(&m->flags, value, "flags", err) < 0)
		return -1;
	m->flag = eb_calloc(m->flags.n + 1, sizeof *m->flag);
	for (size_t i = 0; i < m->flags.n; i++)
		if (eb_pattern_parse(m->flags.v[i], false, "flags", &m->flag[i],
				     err) < 0)
			return -1;
	return 0;
}

/* ---- channel, URL ------------------------------------------------------- */

/* As channels are named elsewhere: without credentials, default port and the
 * like. */
static char *clean_channel(const char *name)
{
	eb_autofree char *clean =
		*name == '/' ? eb_channel_file_url(name) : eb_url_redact(name);

	return strstr(clean, "://") ? eb_channel_canonical(clean)
				    : eb_steal(clean);
}

static int set_channel(struct eb_matchspec *m, const char *value,
		       struct eb_error *err)
{
	size_t n = eb_channel_without_subdir(value);
	eb_autofree char *clean = NULL;

	if (value[n] && !m->subdir_by_key)
		set_text(&m->subdir, value + n + 1);
	while (n && value[n - 1] == '/')
		n--;
	free(m->channel_given);
	m->channel_given = eb_strndup(value, n);
	if (!n)
		return eb_err_set(err, EB_INPUT, "channel \"%s\": no name",
				  value);
	clean = clean_channel(m->channel_given);
	if (eb_matchspec_odd_scheme(value) || strstr(value, "::") ||
	    strpbrk(*value == '/' ? clean : value, " '\"[]"))
		return eb_err_set(err, EB_INPUT,
				  "channel \"%s\": neither a name nor a path "
				  "nor a URL",
				  value);
	return set_pattern(&m->channel, clean, true, "channel", err);
}

static int set_url(struct eb_matchspec *m, const char *value)
{
	set_text(&m->url, value);
	free(m->clean_url);
	m->clean_url = eb_url_redact(value);
	return 0;
}

/* ---- by key ------------------------------------------------------------- */

static char **plain_field(struct eb_matchspec *m, const char *key)
{
	return strcmp(key, "subdir") == 0   ? &m->subdir
	       : strcmp(key, "fn") == 0	    ? &m->fn
	       : strcmp(key, "md5") == 0    ? &m->md5
	       : strcmp(key, "sha256") == 0 ? &m->sha256
	       : strcmp(key, "when") == 0   ? &m->when
					    : NULL;
}

static struct eb_pattern *pattern_field(struct eb_matchspec *m, const char *key)
{
	return strcmp(key, "build") == 0	    ? &m->build
	       : strcmp(key, "license") == 0	    ? &m->license
	       : strcmp(key, "license_family") == 0 ? &m->license_family
						    : NULL;
}

static struct eb_strv *list_field(struct eb_matchspec *m, const char *key)
{
	return strcmp(key, "track_features") == 0 ? &m->track_features
	       : strcmp(key, "features") == 0	  ? &m->features
						  : NULL;
}

int eb_matchspec_set(struct eb_matchspec *m, const char *key, const char *value,
		     enum eb_strictness how, struct eb_error *err)
{
	struct eb_pattern *pattern = pattern_field(m, key);
	struct eb_strv *list = list_field(m, key);
	char **plain = plain_field(m, key);

	if (plain) {
		set_text(plain, value);
		m->subdir_by_key |= plain == &m->subdir;
		return 0;
	}
	if (strcmp(key, "url") == 0)
		return set_url(m, value);
	if (pattern)
		return set_pattern(pattern, value, pattern != &m->build, key,
				   err);
	if (list)
		return set_list(list, value);
	if (strcmp(key, "extras") == 0)
		return set_words(&m->extras, value, key, err);
	if (strcmp(key, "flags") == 0)
		return set_flags(m, value, err);
	if (strcmp(key, "channel") == 0)
		return set_channel(m, value, err);
	if (strcmp(key, "version") == 0)
		return eb_matchspec_set_version(m, value, false, how, err);
	if (strcmp(key, "build_number") == 0)
		return set_build_number(m, value, err);
	if (strcmp(key, "name") == 0) /* the one outside holds */
		return 0;
	return eb_err_set(err, EB_INPUT, "\"%s\" is no key", key);
}
