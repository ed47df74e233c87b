/* SPDX-License-Identifier: Apache-2.0 */
/* Items of the pip section: requirements, wheels by their URLs, and the lines
 * that name an index of one build of torch. */
#include <ctype.h>
#include <string.h>

#include <envbuild/mem.h>
#include <envbuild/str.h>
#include <envbuild/tags.h>

#include "cuda_item.h"

struct place {
	const char *file;
	unsigned line, column;
};

/* ---- requirements ---------------------------------------------------------*/

static char *joined(const struct eb_strv *v)
{
	EB_AUTOBUF(out, EB_MAX_TEXT);

	for (size_t i = 0; i < v->n; i++)
		eb_buf_addf(&out, "%s%s", i ? "," : "", v->v[i]);
	return v->n ? eb_buf_steal(&out, NULL) : NULL;
}

/* Only what cannot hold here is left out: where Python's version counts and
 * nobody says it, a line stays. */
static bool is_meant(const struct eb_case *c, const char *marker)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_CLEANUP(eb_marker_env_release) struct eb_marker_env env = { 0 };
	const struct eb_item *python = eb_item_find(c, "python");
	bool known = python && python->version;
	struct eb_python_target t = {
		.version = known ? python->version : "3.11.0",
		.glibc = "2.17",
		.arch = eb_ends(c->r->platform, "arm64") ? "aarch64" : "x86_64",
	};

	if (!marker || (!known && (strstr(marker, "python") ||
				   strstr(marker, "implementation"))))
		return true;
	eb_marker_env_of(&t, &env);
	return eb_marker_holds(marker, &env, NULL, NULL, &ignored) != 0;
}

/* The file that a URL ends in, with "%2B" as "+"; caller frees. */
static char *url_file(const char *url)
{
	const char *end = url + strcspn(url, "#? ;"), *at = end;
	char *out, *to;

	while (at > url && at[-1] != '/')
		at--;
	out = to = eb_strndup(at, (size_t)(end - at));
	for (const char *p = out; *p; p++) {
		if (strncasecmp(p, "%2b", 3) == 0) {
			*to++ = '+';
			p += 2;
		} else {
			*to++ = *p;
		}
	}
	*to = '\0';
	return out;
}

static struct eb_item *wheel_item(struct eb_case *c, const char *url)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_CLEANUP(eb_wheel_name_release) struct eb_wheel_name w = { 0 };
	eb_autofree char *file = url_file(url);
	struct eb_decision_package p = { .python_side = true, .file = file };
	struct eb_item *i;

	if (eb_wheel_name_parse(file, &w, &ignored) < 0)
		return NULL;
	i = eb_item_add(c, w.name);
	eb_item_version(i, w.version);
	i->constraint = eb_strdup(i->version);
	i->glibc = eb_item_glibc(&p);
	return i;
}

static struct eb_item *named_item(struct eb_case *c, const char *text)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_CLEANUP(eb_pep508_release) struct eb_pep508 p = { 0 };
	struct eb_item *i;

	if (eb_pep508_parse(text, &p, &ignored) < 0 || !is_meant(c, p.marker))
		return NULL;
	if (p.url && (i = wheel_item(c, p.url)))
		return i;
	i = eb_item_add(c, p.name);
	i->constraint = joined(&p.specifiers);
	eb_strv_copy(&i->extras, &p.extras);
	for (size_t s = 0; s < p.specifiers.n && !i->version; s++)
		if (eb_starts(p.specifiers.v[s], "==") &&
		    !eb_ends(p.specifiers.v[s], "*"))
			eb_item_exact(i, p.specifiers.v[s]);
	return i;
}

/* Specifiers lose their zeros ("==2.1" of "==2.1.0"); the line has them. */
static void spell_as_written(struct eb_item *i)
{
	const char *at = strstr(i->shown, "==");
	eb_autofree char *written = NULL;

	if (!at || !i->version)
		return;
	at += 2 + strspn(at + 2, "= ");
	written = eb_strndup(at, strspn(at, "0123456789."));
	if (*written && eb_cuda_compare(written, i->version) == 0) {
		free(i->version);
		i->version = eb_steal(written);
	}
}

static void requirement(struct eb_case *c, const struct eb_requirement *q,
			struct place at)
{
	struct eb_item *i = NULL;

	if (q->kind == EB_REQ_REQUIREMENT)
		i = named_item(c, q->text);
	else if (q->kind == EB_REQ_URL || q->kind == EB_REQ_PATH)
		i = wheel_item(c, q->text);
	if (!i)
		return;
	i->python_side = true;
	i->shown = eb_requirement_shown(q->raw ? q->raw : q->text);
	spell_as_written(i);
	i->file = at.file;
	i->line = at.line;
	i->column = at.column;
}

/* ---- index lines ----------------------------------------------------------*/

/* The last part of the path, or the one before a page, that names a build. */
static char *build_of_url(const char *url)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv part = { 0 };
	eb_autofree char *minor = NULL;

	eb_strv_split(&part, url, "/ ?#");
	for (size_t i = part.n; i-- > 0;) {
		if (!*part.v[i] || eb_ends(part.v[i], ".html"))
			continue;
		return eb_suffix_says(part.v[i], &minor) ? eb_strdup(part.v[i])
							 : NULL;
	}
	return NULL;
}

static bool index_known(const struct eb_case *c, const char *word)
{
	for (size_t i = 0; i < c->n_index; i++)
		if (strcmp(c->index[i].word, word) == 0)
			return true;
	return false;
}

static void index_line(struct eb_case *c, const char *url, const char *shown,
		       struct place at)
{
	eb_autofree char *word = build_of_url(url);
	struct eb_index_line *x;

	if (!word || index_known(c, word))
		return;
	EB_GROW(c->index, c->n_index, c->alloc_index);
	x = &c->index[c->n_index++];
	*x = (struct eb_index_line){ .shown = eb_url_redact(shown),
				     .word = eb_steal(word),
				     .file = at.file,
				     .line = at.line,
				     .column = at.column };
}

static void option_lines(struct eb_case *c, const struct eb_requirement *q,
			 struct place at)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv line = { 0 };

	eb_strv_split(&line, q->text, "\n");
	for (size_t i = 0; i < line.n; i++)
		index_line(c, line.v[i], line.v[i], at);
}

static void index_list(struct eb_case *c, const struct eb_strv *urls)
{
	struct place at = { .file = c->r->spec->file };

	for (size_t i = 0; i < urls->n; i++)
		index_line(c, urls->v[i], urls->v[i], at);
}

/* ---- all ------------------------------------------------------------------*/

static void of_set(struct eb_case *c, const struct eb_pip_set *set)
{
	struct place at = { .file = c->r->spec->file };

	for (size_t i = 0; i < set->n; i++) {
		const struct eb_pip_line *l = &set->requirement[i];

		requirement(c, &l->normal,
			    (struct place){ l->file, l->line, l->column });
	}
	if (set->index_url)
		index_line(c, set->index_url, set->index_url, at);
	index_list(c, &set->extra_index);
	index_list(c, &set->find_links);
}

void eb_items_pip(struct eb_case *c)
{
	const struct eb_spec *s = c->r->spec;

	for (size_t i = 0; i < s->n_pip; i++) {
		const struct eb_spec_line *l = &s->pip_at[i];
		struct place at = { eb_spec_place(s, l), l->line, l->column };

		if (s->pip[i].kind == EB_REQ_OPTION)
			option_lines(c, &s->pip[i], at);
		else if (!c->r->pip)
			requirement(c, &s->pip[i], at);
	}
	if (c->r->pip)
		of_set(c, c->r->pip);
}
