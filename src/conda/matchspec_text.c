/* SPDX-License-Identifier: Apache-2.0 */
/* The two texts of a MatchSpec: conda's own, and the normal one. */
#include <string.h>

#include "matchspec_parts.h"
#include <envbuild/buf.h>

/* "key=value," behind a "[" that comes with the first. */
struct writer {
	struct eb_buf out;
	bool open;
};

static void add_bare(struct writer *w, const char *key, const char *value)
{
	eb_buf_addf(&w->out, "%c%s=%s", w->open ? ',' : '[', key, value);
	w->open = true;
}

/* Quoted where it is asked for, and where the value would not be read again. */
static void add_pair(struct writer *w, const char *key, const char *value,
		     bool quoted)
{
	const char *quote = quoted || strpbrk(value, ", =[]\"'") ? "'" : "";
	eb_autofree char *text = NULL;

	if (*quote && strchr(value, '\''))
		quote = "\"";
	text = eb_asprintf("%s%s%s", quote, value, quote);
	add_bare(w, key, text);
}

static char *finish(struct writer *w)
{
	if (w->open)
		eb_buf_addch(&w->out, ']');
	return eb_buf_steal(&w->out, NULL);
}

static char *join(const struct eb_strv *list, const char *between)
{
	EB_AUTOBUF(out, EB_MAX_TEXT);
	size_t i;

	for (i = 0; i < list->n; i++)
		eb_buf_addf(&out, "%s%s", i ? between : "", list->v[i]);
	return eb_buf_steal(&out, NULL);
}

/* ['a', 'b'] */
static char *python_list(const struct eb_strv *list)
{
	eb_autofree char *inner = join(list, "', '");

	return eb_asprintf("['%s']", inner);
}

/* ---- conda's text ------------------------------------------------------- */

/* A value in quotes where conda's own rule asks for them. */
static void add_maybe(struct writer *w, const char *key, const char *value)
{
	if (value)
		add_pair(w, key, value, strpbrk(value, ", ="));
}

static void add_lower(struct writer *w, const char *key, const char *value)
{
	eb_autofree char *lower = eb_strdup(value);

	if (value)
		eb_lower(lower);
	add_maybe(w, key, lower);
}

static void add_set(struct writer *w, const char *key,
		    const struct eb_strv *set)
{
	eb_autofree char *value = set->n ? join(set, " ") : NULL;

	add_maybe(w, key, value);
}

static void add_list(struct writer *w, const char *key,
		     const struct eb_strv *list)
{
	struct eb_strv sorted EB_CLEANUP(eb_strv_release) = { 0 };
	eb_autofree char *value = NULL;

	eb_strv_copy(&sorted, list);
	eb_strv_sort(&sorted);
	value = list->n ? python_list(&sorted) : NULL;
	if (value)
		add_bare(w, key, value);
}

static bool exact_channel(const struct eb_matchspec *m)
{
	return m->channel.kind == EB_PATTERN_EXACT;
}

static void add_channel(const struct eb_matchspec *m, struct writer *w)
{
	eb_autofree char *name = NULL;

	if (!exact_channel(m))
		return;
	name = eb_channel_conda_name(m->channel.text);
	eb_buf_addf(&w->out, "%s%s%s::", name, m->subdir ? "/" : "",
		    m->subdir ? m->subdir : "");
}

enum version_place { NOWHERE, EXACT, FUZZY, PLAIN, BRACKETS };

static enum version_place version_place(const struct eb_matchspec *m)
{
	const char *v = eb_matchspec_version(m);

	if (!v)
		return NOWHERE;
	if (strpbrk(v, "><$^|,@"))
		return BRACKETS;
	if (eb_starts(v, "!=") || eb_starts(v, "~="))
		return m->build.text ? BRACKETS : PLAIN;
	if (!eb_ends(v, "*"))
		return EXACT;
	/* conda's "=*" of "*.*"; another star means a glob, written whole */
	return strchr(v, '*')[1] && strcmp(v, "*.*") ? EXACT : FUZZY;
}

/* =1.2 of 1.2.*, ==1.2 of 1.2 */
static void add_version(const struct eb_matchspec *m, struct writer *w)
{
	const char *v = eb_matchspec_version(m);

	switch (version_place(m)) {
	case EXACT: eb_buf_addf(&w->out, "==%s", v); break;
	case PLAIN: eb_buf_adds(&w->out, v); break;
	case FUZZY:
		eb_buf_addf(&w->out, "=%.*s",
			    (int)(strlen(v) - (eb_ends(v, ".*") ? 2 : 1)), v);
		break;
	default: break;
	}
}

static bool build_in_brackets(const struct eb_matchspec *m)
{
	const char *b = m->build.text;

	return b && (strpbrk(b, "><$^|,*:") || version_place(m) != EXACT);
}

char *eb_matchspec_make_text(const struct eb_matchspec *m)
{
	struct writer w = { 0 };

	eb_buf_init(&w.out, EB_MAX_TEXT);
	add_channel(m, &w);
	eb_buf_adds(&w.out, m->name.text);
	add_version(m, &w);
	if (m->build.text && !build_in_brackets(m))
		eb_buf_addf(&w.out, "=%s", m->build.text);
	if (m->channel.text && !exact_channel(m) &&
	    m->channel.kind != EB_PATTERN_ALL)
		add_maybe(&w, "channel", m->channel.text);
	if (m->subdir && !exact_channel(m))
		add_maybe(&w, "subdir", m->subdir);
	if (version_place(m) == BRACKETS)
		add_pair(&w, "version", eb_matchspec_version(m), true);
	if (build_in_brackets(m))
		add_pair(&w, "build", m->build.text,
			 strpbrk(m->build.text, "><$^|,"));
	add_maybe(&w, "build_number", m->build_number.text);
	add_set(&w, "track_features", &m->track_features);
	add_set(&w, "features", &m->features);
	add_maybe(&w, "url", m->channel.text ? NULL : m->clean_url);
	add_maybe(&w, "md5", m->md5);
	add_maybe(&w, "sha256", m->sha256);
	add_lower(&w, "license", m->license.text);
	add_lower(&w, "license_family", m->license_family.text);
	add_maybe(&w, "fn", m->url ? NULL : m->fn);
	add_maybe(&w, "when", m->when);
	add_list(&w, "extras", &m->extras);
	add_list(&w, "flags", &m->flags);
	return finish(&w);
}

/* ---- the normal text ---------------------------------------------------- */

static void add_folded(struct writer *w, const char *key, const char *value)
{
	eb_autofree char *lower = eb_strdup(value);

	if (!value || strcmp(value, "*") == 0)
		return;
	eb_lower(lower);
	add_pair(w, key, lower, true);
}

static void add_as_is(struct writer *w, const char *key, const char *value)
{
	if (value && strcmp(value, "*"))
		add_pair(w, key, value, true);
}

static void add_sorted(struct writer *w, const char *key,
		       const struct eb_strv *list)
{
	struct eb_strv sorted EB_CLEANUP(eb_strv_release) = { 0 };
	eb_autofree char *value = NULL;

	eb_strv_copy(&sorted, list);
	eb_strv_sort(&sorted);
	eb_strv_unique(&sorted);
	value = join(&sorted, ",");
	if (list->n)
		add_pair(w, key, value, true);
}

/* 3, =3 and ==3 are one condition. */
static void add_number(struct writer *w, const struct eb_number *n)
{
	if (n->given)
		add_as_is(w, "build_number",
			  n->op == EB_TERM_EQ ? n->text + strspn(n->text, "=")
					      : n->text);
}

/* Keys in the order of their bytes. */
char *eb_matchspec_make_normal(const struct eb_matchspec *m)
{
	struct writer w = { 0 };

	eb_buf_init(&w.out, EB_MAX_TEXT);
	if (exact_channel(m))
		eb_buf_addf(&w.out, "%s::", m->channel.text);
	eb_buf_adds(&w.out, m->name.text);
	add_as_is(&w, "build", m->build.text);
	add_number(&w, &m->build_number);
	add_as_is(&w, "channel", exact_channel(m) ? NULL : m->channel.text);
	add_sorted(&w, "extras", &m->extras);
	add_sorted(&w, "features", &m->features);
	add_sorted(&w, "flags", &m->flags);
	add_as_is(&w, "fn", m->url ? NULL : m->fn);
	add_folded(&w, "license", m->license.text);
	add_folded(&w, "license_family", m->license_family.text);
	add_folded(&w, "md5", m->md5);
	add_folded(&w, "sha256", m->sha256);
	add_as_is(&w, "subdir", m->subdir);
	add_sorted(&w, "track_features", &m->track_features);
	add_as_is(&w, "url", m->clean_url);
	add_as_is(&w, "version",
		  m->version ? eb_verspec_normal(m->version) : NULL);
	add_as_is(&w, "when", m->when);
	return finish(&w);
}
