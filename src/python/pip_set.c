/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of a pip section, as a resolver needs them. */
#include <string.h>

#include <envbuild/buf.h>
#include <envbuild/mem.h>

#include "pip_line.h"

struct add {
	struct eb_pip_set *set;
	const char *dir;
	bool constraint;
	struct eb_requirement q;
	struct eb_pip_split split;
	struct eb_error *err;
};

/* ---- one line
 * ------------------------------------------------------------------ */

static void line_release(struct eb_pip_line *l)
{
	eb_wipe(l->text);
	free(l->shown);
	free(l->name);
	free(l->path);
	free(l->marker);
	eb_requirement_release(&l->normal);
	eb_strv_release(&l->hash);
	eb_wipe_all(&l->setting);
	free(l->file);
	memset(l, 0, sizeof *l);
}

/* What is asked for, without its options and credentials. */
static char *shown(const struct eb_pip_split *s, bool editable)
{
	const char *text = editable ? s->options.editable.v[0] : s->text;
	eb_autofree char *safe =
		eb_secrets_hide(&s->secrets, eb_pip_clean(text), false);
	eb_autofree char *one =
		eb_asprintf("%s%s", editable ? "-e " : "", safe);

	return eb_requirement_shown(one);
}

static int from_afar(struct add *a)
{
	eb_err_set(a->err, EB_INPUT,
		   "\"%s\" is of this machine, in a file from the network",
		   a->q.text);
	return eb_err_hint(a->err, "write it in the definition itself");
}

static int fill(struct add *a, struct eb_pip_line *l)
{
	const struct eb_pip_options *o = &a->split.options;
	struct eb_pip_exact exact EB_CLEANUP(
		eb_pip_exact_release) = { .dir = a->dir };
	struct eb_requirement again EB_CLEANUP(eb_requirement_release) = { 0 };

	if (a->q.before && eb_pip_is_remote(a->dir))
		return from_afar(a);
	l->editable = o->editable.n;
	if (eb_pip_source_parse(l->editable ? o->editable.v[0] : a->split.text,
				l->editable, &a->split.secrets, &again, &exact,
				a->err) < 0)
		return -1;
	l->text = eb_steal(exact.text);
	l->path = eb_steal(exact.path);
	l->marker = eb_steal(exact.marker);
	l->shown = shown(&a->split, l->editable);
	l->name = eb_strdup(a->q.name);
	eb_strv_copy(&l->hash, &o->hash);
	for (size_t i = 0; i < l->hash.n; i++)
		eb_lower(l->hash.v[i]);
	eb_strv_copy(&l->setting, &o->setting);
	l->normal = a->q;
	memset(&a->q, 0, sizeof a->q);
	return 0;
}

static int add_source(struct add *a, const char *file, unsigned line,
		      unsigned column)
{
	struct eb_pip_set *s = a->set;
	struct eb_pip_line l = { 0 };

	if (fill(a, &l) < 0) {
		line_release(&l);
		return -1;
	}
	l.file = eb_strdup(file);
	l.line = line;
	l.column = column;
	if (a->constraint) {
		EB_GROW(s->constraint, s->n_constraints, s->alloc_constraints);
		s->constraint[s->n_constraints++] = l;
	} else {
		EB_GROW(s->requirement, s->n, s->alloc);
		s->requirement[s->n++] = l;
	}
	return 0;
}

/* ---- other files
 * --------------------------------------------------------------------- */

static size_t origin_length(const char *url)
{
	size_t n = strcspn(url, ":") + strlen("://");

	return strlen(url) < n ? strlen(url) : n + strcspn(url + n, "/?#");
}

/* What `-r VALUE` of the file at `base` names. */
static char *joined_url(const char *base, const char *value)
{
	size_t origin = origin_length(base), n = strcspn(base, "?#");

	if (eb_pip_is_remote(value))
		return eb_strdup(value);
	if (*value == '/')
		return eb_asprintf("%.*s%s", (int)origin, base, value);
	while (n > origin && base[n - 1] != '/')
		n--;
	return eb_asprintf("%.*s%s%s", (int)n, base,
			   base[n - 1] == '/' && n > origin ? "" : "/", value);
}

static int add_file(struct add *a)
{
	bool constraint = a->constraint || a->q.kind == EB_REQ_CONSTRAINT;
	const char *value = a->q.argument;
	char *url;

	if (strncasecmp(value, "file:", 5) == 0 && eb_pip_is_remote(a->dir))
		return from_afar(a);
	if (!eb_pip_is_remote(a->dir) && !eb_pip_is_remote(value))
		return eb_err_set(a->err, EB_INPUT,
				  "\"%s\" is a file: its own lines belong here",
				  a->q.text);
	url = joined_url(a->dir, value);
	eb_strv_take(&a->set->remote,
		     eb_asprintf("%s %s", constraint ? "-c" : "-r", url));
	eb_wipe(url);
	return 0;
}

/* ---- outside
 * -------------------------------------------------------------------------- */

static void add_release(struct add *a)
{
	eb_requirement_release(&a->q);
	eb_pip_split_release(&a->split);
}

static int add(struct add *a, const char *line, const char *file, unsigned at,
	       unsigned column)
{
	if (eb_requirement_parse(line, &a->q, a->err) < 0 ||
	    eb_pip_split(line, &a->split, a->err) < 0)
		return -1;
	if (a->q.kind == EB_REQ_INCLUDE || a->q.kind == EB_REQ_CONSTRAINT)
		return add_file(a);
	if (a->q.kind == EB_REQ_OPTION)
		return eb_pip_set_options(a->set, &a->split.options, a->dir,
					  a->err);
	return add_source(a, file, at, column);
}

int eb_pip_set_add(struct eb_pip_set *s, const char *line, bool constraint,
		   const char *dir, const char *file, unsigned at,
		   unsigned column, struct eb_error *err)
{
	struct add a EB_CLEANUP(add_release) = {
		.set = s, .dir = dir, .constraint = constraint, .err = err
	};

	if (add(&a, line, file, at, column) == 0)
		return 0;
	return eb_err_at(err, file, at, column);
}

int eb_pip_set_add_text(struct eb_pip_set *s, const char *data, size_t len,
			bool constraint, const char *dir, const char *file,
			struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_METADATA);
	unsigned line = 1, number;
	const char *at;

	if (eb_pip_decode(data, len, file, &text, err) < 0)
		return -1;
	at = text.data;
	for (;;) {
		eb_autofree char *one = eb_pip_next_line(&at, &line, &number);

		if (!one)
			return 0;
		if (eb_pip_set_add(s, one, constraint, dir, file, number, 1,
				   err) < 0)
			return -1;
	}
}

void eb_pip_set_release(struct eb_pip_set *s)
{
	for (size_t i = 0; i < s->n; i++)
		line_release(&s->requirement[i]);
	for (size_t i = 0; i < s->n_constraints; i++)
		line_release(&s->constraint[i]);
	free(s->requirement);
	free(s->constraint);
	eb_wipe(s->index_url);
	eb_wipe_all(&s->extra_index);
	eb_wipe_all(&s->find_links);
	eb_wipe_all(&s->trusted_host);
	eb_wipe_all(&s->remote);
	eb_strv_release(&s->no_binary);
	eb_strv_release(&s->only_binary);
	eb_strv_release(&s->all_releases);
	eb_strv_release(&s->only_final);
	memset(s, 0, sizeof *s);
}
