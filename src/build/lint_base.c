/* SPDX-License-Identifier: Apache-2.0 */
/* Lint by the decision about base and CUDA: each of its warnings that is one of
 * a rule, its refusal, and what nothing brings. */
#include <string.h>

#include "lint_base.h"

struct linting {
	const struct eb_config *config;
	struct eb_linted *l;
	const struct eb_spec *spec; /* or NULL */
	const char *image;	    /* the base; or NULL */
	const char *name;	    /* of the environment; or NULL */
	const struct eb_decision *d;
};

/* ---- places ---------------------------------------------------------------*/

static const char *file_of(const struct linting *g)
{
	return g->l->azure ? g->l->azure->file : g->spec->file;
}

static struct eb_place place_of_words(const struct linting *g,
				      const char *words)
{
	return eb_place_of_words(file_of(g), words);
}

static struct eb_place place_of_image(const struct linting *g)
{
	return place_of_words(g, g->config->base ? NULL : g->image);
}

static bool quotes(const char *sentence, const char *text)
{
	eb_autofree char *quoted = text ? eb_asprintf("\"%s\"", text) : NULL;

	return quoted && strstr(sentence, quoted);
}

static struct eb_place place_of_line(const struct eb_spec *s,
				     const struct eb_spec_line *at)
{
	return (struct eb_place){ eb_spec_place(s, at), at->line, at->column };
}

/* The line that a sentence quotes. */
static struct eb_place place_of(const struct linting *g, const char *sentence)
{
	const struct eb_spec *s = g->spec;

	for (size_t i = 0; s && i < s->n_conda; i++)
		if (quotes(sentence, eb_matchspec_text(s->conda[i])))
			return place_of_line(s, &s->conda_at[i]);
	for (size_t i = 0; s && i < s->n_pip; i++) {
		const struct eb_requirement *r = &s->pip[i];
		eb_autofree char *shown =
			eb_requirement_shown(r->raw ? r->raw : r->text);

		if (quotes(sentence, shown))
			return place_of_line(s, &s->pip_at[i]);
	}
	return (struct eb_place){ .file = file_of(g) };
}

static struct eb_place place_of_package(const struct linting *g,
					const char *name)
{
	const struct eb_spec *s = g->spec;

	for (size_t i = 0; s && i < s->n_pip; i++)
		if (s->pip[i].name && !strcmp(s->pip[i].name, name))
			return place_of_line(s, &s->pip_at[i]);
	for (size_t i = 0; s && i < s->n_conda; i++) {
		const char *conda = eb_matchspec_name(s->conda[i]);

		if (conda && !strcmp(conda, name))
			return place_of_line(s, &s->conda_at[i]);
	}
	return (struct eb_place){ .file = file_of(g) };
}

/* The last that was said: the one that does not fit the others. */
static struct eb_place place_of_refusal(const struct linting *g)
{
	struct eb_place at = place_of(g, g->d->reason);

	for (size_t i = g->d->n_forced; !at.line && i-- > 0;) {
		const struct eb_forced *f = &g->d->forced[i];

		if (f->file && f->line)
			at = (struct eb_place){ f->file, f->line, f->column };
	}
	return at;
}

/* ---- findings -------------------------------------------------------------*/

/* A sentence goes on behind a colon: without its full stop. */
static void add(const struct linting *g, const char *rule, struct eb_place at,
		const char *fix, const char *sentence)
{
	size_t n = strlen(sentence);

	n -= n && sentence[n - 1] == '.';
	eb_lint_add(&g->l->findings, rule, at.file, at.line, at.column, fix,
		    "%.*s", (int)n, sentence);
}

static bool is_of_image(const char *rule)
{
	return eb_starts(rule, "base-") || !strcmp(rule, "gpu-on-cpu-base") ||
	       !strcmp(rule, "glibc-too-old");
}

static void lint_warnings(const struct linting *g)
{
	const struct eb_decision *d = g->d;

	for (size_t i = 0; i < d->rule.n; i++) {
		const char *rule = d->rule.v[i];
		struct eb_place at;

		/* What a base lacks says nothing where none is named. */
		if (!*rule || (is_of_image(rule) && !g->image))
			continue;
		at = strcmp(rule, "name-claims") ? place_of(g, d->warning.v[i])
						 : place_of_words(g, g->name);
		if (!at.line && is_of_image(rule))
			at = place_of_image(g);
		add(g, rule, at, NULL, d->warning.v[i]);
	}
}

static void lint_refusal(const struct linting *g)
{
	const struct eb_decision *d = g->d;
	struct eb_place at = is_of_image(d->refusal) ? place_of_image(g)
			     : !strcmp(d->refusal, "name-claims")
				     ? place_of_words(g, g->name)
				     : place_of_refusal(g);

	/* The text's own rule has told it. */
	if (strstr(d->reason, "channel \"nvidia\""))
		return;
	add(g, d->refusal, at, d->advice, d->reason);
}

/* It goes without InfiniBand, too. */
static void note_infiniband(const struct linting *g,
			    const struct eb_condition *c)
{
	struct eb_place at = place_of_package(g, c->package);

	eb_lint_lower(eb_lint_add(&g->l->findings, "infiniband", at.file,
				  at.line, at.column, c->advice,
				  "nothing brings the libraries of InfiniBand: "
				  "between machines %s uses TCP",
				  c->package),
		      EB_LEVEL_NOTE);
}

static void lint_condition(const struct linting *g,
			   const struct eb_condition *c)
{
	eb_autofree char *what = NULL;

	if (!strcmp(c->what, "InfiniBand")) {
		note_infiniband(g, c);
		return;
	}
	what = eb_asprintf("%s needs %s%s, which nothing brings", c->package,
			   strcmp(c->what, "framework-first")
				   ? c->what
				   : "a framework that is there first",
			   c->at_build ? " while it is built" : "");
	add(g, c->at_build ? "build-needs" : "training-needs",
	    place_of_package(g, c->package), c->advice, what);
}

static void lint_conditions(const struct linting *g)
{
	for (size_t i = 0; i < g->d->n_conditions; i++)
		if (!g->d->condition[i].by)
			lint_condition(g, &g->d->condition[i]);
}

/* Azure's bases carry a Miniconda. */
static void lint_image(const struct linting *g)
{
	struct eb_base_row row = { 0 };

	if (g->image && eb_base_row_find(g->image, &row) > 0 &&
	    !strcmp(row.family, "azureml"))
		add(g, "base-has-conda", place_of_image(g), NULL,
		    "the image has a conda of its own, which is no part of the "
		    "environment: the environment's own commands come first "
		    "on PATH");
	eb_base_row_release(&row);
}

/* ---- all of it ------------------------------------------------------------*/

struct eb_spec *eb_linted_spec(const struct eb_linted *l)
{
	return l->azure ? l->azure->spec : l->spec;
}

const char *eb_linted_image(const struct eb_linted *l,
			    const struct eb_config *config)
{
	return config->base ? config->base : l->azure ? l->azure->image : NULL;
}

static char *name_of(const struct eb_linted *l)
{
	const struct eb_spec *spec = eb_linted_spec(l);

	if (l->azure && l->azure->name)
		return l->azure->name;
	return spec ? spec->name : NULL;
}

int eb_lint_decide(const struct eb_config *config, const struct eb_linted *l,
		   struct eb_decision **out, struct eb_error *err)
{
	struct eb_config c = *config; /* what it has is borrowed */
	struct eb_named name = { .name = name_of(l) };
	const struct eb_env env = { .spec = eb_linted_spec(l),
				    .named = name.name ? &name : NULL };
	const struct eb_deciding lines = { 0 };

	c.base = (char *)eb_linted_image(l, config);
	if (eb_option_gpu_check(&c, err) < 0)
		return -1;
	return eb_decide_base(&env, &c, &lines, out, err);
}

int eb_lint_base(const struct eb_config *config, struct eb_linted *l,
		 struct eb_error *err)
{
	EB_CLEANUP(eb_decision_free_ptr) struct eb_decision *d = NULL;
	struct linting g = { .config = config,
			     .l = l,
			     .spec = eb_linted_spec(l),
			     .image = eb_linted_image(l, config),
			     .name = name_of(l) };

	if (!g.spec && !g.image)
		return 0;
	if (eb_lint_decide(config, l, &d, err) < 0)
		return -1;
	g.d = d;
	if (d->refused)
		lint_refusal(&g);
	lint_warnings(&g);
	lint_conditions(&g);
	lint_image(&g);
	eb_lint_infiniband(config, l, g.image ? g.image : d->image);
	eb_lint_sort(&l->findings);
	return 0;
}
