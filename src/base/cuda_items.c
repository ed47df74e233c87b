/* SPDX-License-Identifier: Apache-2.0 */
/* What is named: the lines of an environment, or the packages that a resolver
 * made of them, each with the line that asked for it. */
#include <string.h>

#include <envbuild/mem.h>
#include <envbuild/pep440.h>
#include <envbuild/str.h>

#include "cuda_item.h"

void eb_item_release(struct eb_item *i)
{
	free(i->name);
	free(i->constraint);
	free(i->version);
	free(i->local);
	free(i->build);
	free(i->glibc);
	free(i->shown);
	eb_strv_release(&i->extras);
}

struct eb_item *eb_item_add(struct eb_case *c, const char *name)
{
	struct eb_item *i;

	EB_GROW(c->item, c->n_items, c->alloc_items);
	i = &c->item[c->n_items++];
	*i = (struct eb_item){ .name = eb_strdup(name) };
	eb_lower(i->name);
	return i;
}

const struct eb_item *eb_item_find(const struct eb_case *c, const char *name)
{
	for (size_t i = 0; i < c->n_items; i++)
		if (strcmp(c->item[i].name, name) == 0)
			return &c->item[i];
	return NULL;
}

/* "1.7.1+cu101" is version and local part. */
void eb_item_version(struct eb_item *i, const char *version)
{
	size_t n = strcspn(version, "+");

	i->version = eb_strndup(version, n);
	if (version[n])
		i->local = eb_strdup(version + n + 1);
}

/* "==1.7.1", "1.7.1", and, of three numbers, "1.7.1.*" name one version. */
void eb_item_exact(struct eb_item *i, const char *term)
{
	eb_autofree char *text = NULL;
	size_t n, dots = 0;

	term += strspn(term, "= ");
	if (strpbrk(term, "<>!~,| "))
		return;
	n = strlen(term);
	for (const char *p = term; *p && *p != '+'; p++)
		dots += *p == '.';
	if (eb_ends(term, ".*")) {
		if (dots < 3)
			return;
		n -= 2;
	}
	text = eb_strndup(term, n);
	if (strchr(text, '*') || !*text)
		return;
	eb_item_version(i, text);
}

/* ---- conda ----------------------------------------------------------------*/

static void conda_line(struct eb_case *c, const struct eb_matchspec *m,
		       const struct eb_spec_line *at)
{
	const char *name = eb_matchspec_name(m);
	struct eb_item *i;

	if (!name)
		return;
	i = eb_item_add(c, name);
	i->constraint = eb_strdup(eb_matchspec_version(m));
	i->build = eb_strdup(eb_matchspec_build(m));
	i->shown = eb_strdup(eb_matchspec_text(m));
	i->file = eb_spec_place(c->r->spec, at);
	i->line = at->line;
	i->column = at->column;
	if (i->constraint)
		eb_item_exact(i, i->constraint);
}

static void conda_lines(struct eb_case *c)
{
	const struct eb_spec *s = c->r->spec;

	for (size_t i = 0; i < s->n_conda; i++)
		conda_line(c, s->conda[i], &s->conda_at[i]);
}

/* ---- what a resolver chose ------------------------------------------------*/

static void place_of_conda(struct eb_case *c, struct eb_item *item)
{
	const struct eb_spec *s = c->r->spec;

	for (size_t i = 0; i < s->n_conda; i++) {
		const char *name = eb_matchspec_name(s->conda[i]);

		if (!name || strcmp(name, item->name) != 0)
			continue;
		item->file = eb_spec_place(s, &s->conda_at[i]);
		item->line = s->conda_at[i].line;
		item->column = s->conda_at[i].column;
		return;
	}
}

/* The lines of the pip section were collected first: they have the extras and
 * the places. */
static void take_line(const struct eb_case *c, size_t n_lines,
		      struct eb_item *item)
{
	for (size_t i = 0; i < n_lines; i++) {
		const struct eb_item *line = &c->item[i];

		if (!line->python_side || strcmp(line->name, item->name) != 0)
			continue;
		eb_strv_copy(&item->extras, &line->extras);
		item->file = line->file;
		item->line = line->line;
		item->column = line->column;
		return;
	}
}

static char *package_shown(const struct eb_decision_package *p)
{
	if (p->build)
		return eb_asprintf("%s %s %s", p->name, p->version, p->build);
	return eb_asprintf("%s %s", p->name, p->version);
}

static void add_package(struct eb_case *c, size_t n_lines,
			const struct eb_decision_package *p)
{
	struct eb_item *item = eb_item_add(c, p->name);

	item->python_side = p->python_side;
	item->solved = true;
	item->built = p->built;
	item->depends = p->depends;
	item->build = eb_strdup(p->build);
	item->shown = package_shown(p);
	eb_item_version(item, p->version);
	item->constraint =
		eb_asprintf("%s%s", p->python_side ? "==" : "", item->version);
	item->glibc = eb_item_glibc(p);
	if (p->python_side)
		take_line(c, n_lines, item);
	else
		place_of_conda(c, item);
}

static void drop_lines(struct eb_case *c, size_t n_lines)
{
	for (size_t i = 0; i < n_lines; i++)
		eb_item_release(&c->item[i]);
	c->n_items -= n_lines;
	memmove(c->item, c->item + n_lines, c->n_items * sizeof *c->item);
}

static void packages(struct eb_case *c)
{
	size_t n_lines = c->n_items;

	for (size_t i = 0; i < c->r->n_packages; i++)
		add_package(c, n_lines, &c->r->package[i]);
	if (n_lines)
		drop_lines(c, n_lines);
}

/* ---- all ------------------------------------------------------------------*/

static void find_python(struct eb_case *c)
{
	const struct eb_item *i = eb_item_find(c, "python");
	const char *at = i ? i->version : NULL;

	if (i && !at)
		at = i->constraint;
	if (!at)
		return;
	at += strspn(at, "= ");
	if (*at && strspn(at, "0123456789.*") == strlen(at) &&
	    strchr(at, '.') && strchr(at, '.')[1] != '*')
		c->python = eb_cuda_minor(at);
}

static void newest_glibc(struct eb_case *c)
{
	for (size_t i = 0; i < c->n_items; i++) {
		const struct eb_item *item = &c->item[i];

		if (!item->glibc ||
		    (c->glibc && eb_cuda_compare(item->glibc, c->glibc) <= 0))
			continue;
		free(c->glibc);
		c->glibc = eb_strdup(item->glibc);
		c->glibc_by = item->name;
	}
}

void eb_items_collect(struct eb_case *c)
{
	if (!c->r->solved)
		conda_lines(c);
	eb_items_pip(c);
	if (c->r->solved)
		packages(c);
	find_python(c);
	newest_glibc(c);
}
