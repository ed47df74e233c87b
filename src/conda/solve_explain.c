/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why there is no answer, problem by problem: first the lines that nothing
 * matches; then sets of lines that do not go together, each as small as can
 * be. The lines of a problem are laid aside before the next is looked for.
 */
#include <string.h>

#include <envbuild/mem.h>

#include "solve_explain.h"

#define MAX_QUOTED 300
#define MAX_PROBLEMS 3
#define MAX_NS 10000000000u /* for the whole of it */

void eb_unsolved_release(struct eb_unsolved *u)
{
	for (size_t i = 0; i < u->n; i++) {
		free(u->problem[i].spec);
		free(u->problem[i].text);
	}
	free(u->problem);
	free(u->advice);
	memset(u, 0, sizeof *u);
}

/* --- lines ----------------------------------------------------------- */

size_t eb_sv_asked(const struct eb_sv *sv, uint32_t spec)
{
	uint32_t i = 0;

	while (i + 1 < sv->n_user && sv->user[i] != spec)
		i++;
	return sv->asked[i];
}

void eb_sv_add_place(const struct eb_solve_request *q, size_t spec,
		     struct eb_buf *out)
{
	const struct eb_solve_line *l = q->line ? &q->line[spec] : NULL;

	if (!l || !l->file)
		return;
	eb_buf_addf(out, " (%s", l->file);
	if (l->line)
		eb_buf_addf(out, ":%u", l->line);
	if (l->line && l->column)
		eb_buf_addf(out, ":%u", l->column);
	eb_buf_addch(out, ')');
}

const char *eb_sv_line_text(const struct eb_solve_request *q, size_t spec)
{
	return q->line && q->line[spec].text ? q->line[spec].text
					     : eb_matchspec_text(q->spec[spec]);
}

/* --- problems -------------------------------------------------------- */

/* What was met while a problem was told. */
struct met {
	struct eb_sv_say say;
	struct eb_sv *own; /* the attempt that it was told from */
	struct eb_buf advice;
};

struct told {
	const struct eb_solve_request *q;
	struct eb_unsolved *out;
	struct met *met; /* of each problem */
	bool *left;	 /* lines of no problem so far */
	uint64_t until;
	struct eb_sv *attempt[MAX_PROBLEMS];
	size_t n_attempts;
};

static void add_problem(struct told *t, struct eb_sv *sv, struct eb_sv *own)
{
	struct eb_unsolved *u = t->out;
	struct eb_solve_problem *p;
	struct met *m;

	u->problem = eb_realloc(u->problem, u->n + 1, sizeof *u->problem);
	t->met = eb_realloc(t->met, u->n + 1, sizeof *t->met);
	p = &u->problem[u->n];
	m = &t->met[u->n++];
	*p = (struct eb_solve_problem){ 0 };
	p->spec = eb_calloc(t->q->n_specs + 1, sizeof *p->spec);
	*m = (struct met){ .own = own };
	m->say = (struct eb_sv_say){ .sv = sv,
				     .machine = EB_SV_NONE,
				     .pin = EB_SV_NONE,
				     .hidden = EB_SV_NONE };
	eb_buf_init(&m->advice, EB_MAX_CONFIG);
}

static void add_line(struct told *t, size_t spec)
{
	struct eb_solve_problem *p = &t->out->problem[t->out->n - 1];

	p->spec[p->n++] = spec;
	t->left[spec] = false;
}

static struct met *last_met(const struct told *t)
{
	return &t->met[t->out->n - 1];
}

/* Each line that nothing matches is one; how many. */
static unsigned tell_missing(struct told *t, struct eb_sv *sv)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < sv->n_user; i++) {
		EB_AUTOBUF(text, EB_MAX_CONFIG);

		if (sv->spec[sv->user[i]].n_match)
			continue;
		n++;
		add_problem(t, sv, NULL);
		add_line(t, sv->asked[i]);
		last_met(t)->say.out = &text;
		last_met(t)->say.advice = &last_met(t)->advice;
		eb_sv_say_missing(&last_met(t)->say, sv->user[i]);
		t->out->problem[t->out->n - 1].text = eb_buf_steal(&text, NULL);
	}
	return n;
}

/* Lines with a condition are no part of an attempt's own list. */
static void add_lines(struct told *t, const bool *use)
{
	size_t n = t->q->n_specs;
	eb_autofree size_t *order = eb_calloc(n + 1, sizeof *order);

	eb_sv_line_order(t->q, order);
	for (size_t i = 0; i < n; i++)
		if (use[order[i]])
			add_line(t, order[i]);
}

static void tell_conflict(struct told *t, struct eb_sv *sv)
{
	const struct eb_solve_request *q = t->q;
	eb_autofree bool *use = eb_calloc(q->n_specs + 1, sizeof *use);
	EB_AUTOBUF(text, EB_MAX_CONFIG);
	struct eb_sv *least;

	memcpy(use, t->left, q->n_specs * sizeof *use);
	least = eb_sv_core(q, sv, use, t->until);
	sv = least ? least : sv;
	add_problem(t, sv, least);
	add_lines(t, use);
	last_met(t)->say.out = &text;
	if (sv->n_user == 1)
		sv->it = sv->user[0];
	eb_sv_say_conflict(&last_met(t)->say);
	t->out->problem[t->out->n - 1].text = eb_buf_steal(&text, NULL);
}

static bool any_left(const struct told *t)
{
	for (size_t i = 0; i < t->q->n_specs; i++)
		if (t->left[i])
			return true;
	return false;
}

/* For a problem by itself: the lines of the others are laid aside. True: what
 * is left of the request has a solution, for it was tried. */
static bool advise(struct told *t, size_t i, bool less)
{
	const struct eb_solve_problem *p = &t->out->problem[i];
	size_t n = t->q->n_specs;
	eb_autofree bool *use = eb_calloc(n + 1, sizeof *use);
	eb_autofree bool *with = eb_malloc((n + 1) * sizeof *with);
	const struct eb_sv_asking a = { t->q, use, with, t->until };

	memcpy(with, t->left, n * sizeof *with);
	for (size_t k = 0; k < p->n; k++)
		use[p->spec[k]] = with[p->spec[k]] = true;
	if (t->met[i].advice.len)
		return false;
	if (!less)
		return eb_sv_advise(&a, &t->met[i].say, &t->met[i].advice);
	eb_sv_advise_less(&a, &t->met[i].advice);
	return false;
}

/* Attempts are kept: problems point into them. */
static void find_problems(struct told *t, struct eb_sv *whole)
{
	struct eb_sv *sv = whole;

	while (sv && t->out->n < MAX_PROBLEMS) {
		if (!tell_missing(t, sv))
			tell_conflict(t, sv);
		if (!any_left(t) || advise(t, t->out->n - 1, false))
			return;
		sv = eb_sv_fails(t->q, t->left, t->until);
		if (sv)
			t->attempt[t->n_attempts++] = sv;
	}
}

static void advise_all(struct told *t)
{
	EB_AUTOBUF(all, EB_MAX_CONFIG);

	for (size_t i = 0; i < t->out->n && i < MAX_PROBLEMS; i++) {
		const struct eb_buf *one = &t->met[i].advice;

		/* later problems were in the way */
		if (i + 1 < t->out->n || !any_left(t))
			advise(t, i, false);
		advise(t, i, true);
		if (one->len && t->out->n > 1)
			eb_buf_addf(&all, "%s(%zu) %s", all.len ? "; " : "",
				    i + 1, one->data);
		else if (one->len)
			eb_buf_adds(&all, one->data);
	}
	if (all.len)
		t->out->advice = eb_buf_steal(&all, NULL);
}

static void release(struct told *t)
{
	for (size_t i = 0; i < t->out->n; i++) {
		eb_sv_free(t->met[i].own);
		eb_buf_release(&t->met[i].advice);
	}
	for (size_t i = 0; i < t->n_attempts; i++)
		eb_sv_free(t->attempt[i]);
	free(t->met);
}

/* --- the message ----------------------------------------------------- */

static void add_problem_text(const struct eb_solve_request *q,
			     const struct eb_solve_problem *p, bool first,
			     struct eb_buf *out)
{
	for (size_t i = 0; i < p->n; i++) {
		eb_buf_addf(out, "%s\"%s\"",
			    !i		   ? ""
			    : i + 1 < p->n ? ", "
					   : " and ",
			    eb_sv_line_text(q, p->spec[i]));
		if (i || !first)
			eb_sv_add_place(q, p->spec[i], out);
	}
	eb_buf_addf(out, "%s: %s", p->n > 1 ? " cannot be had together" : "",
		    p->text);
}

static void add_message(const struct told *t, struct eb_buf *out)
{
	const struct eb_unsolved *u = t->out;
	size_t n = u->n < 2 * MAX_PROBLEMS ? u->n : 2 * MAX_PROBLEMS;

	for (size_t i = 0; i < n; i++) {
		if (u->n > 1)
			eb_buf_addf(out, "%s(%zu) ", i ? "; " : "", i + 1);
		add_problem_text(t->q, &u->problem[i], !i, out);
	}
	if (n < u->n)
		eb_buf_addf(out, "; and %zu more", u->n - n);
}

/* What stands in quotes comes from channels, and may be of any length. */
static void shorten(char *s)
{
	char *to = s;

	while (*s) {
		size_t n = strcspn(s + 1, "\"") + 1;
		size_t kept = *s == '"' && n > MAX_QUOTED ? MAX_QUOTED : n;

		memmove(to, s, kept);
		to += kept;
		if (kept < n)
			to = stpcpy(to, "...");
		s += n;
		if (*s == '"' && s[-(ptrdiff_t)n] == '"')
			*to++ = *s++;
	}
	*to = '\0';
}

static void set_error(const struct told *t, struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_CONFIG);
	const struct eb_solve_line *l =
		t->q->line ? &t->q->line[t->out->problem[0].spec[0]] : NULL;

	add_message(t, &text);
	shorten(text.data);
	eb_err_set(err, EB_NO, "no solution: %s", text.data);
	if (l && l->file)
		eb_err_at(err, l->file, l->line, l->column);
	if (t->out->advice)
		eb_err_hint(err, "%s", t->out->advice);
}

/* Of lines that say the same, one. */
static void take_lines(struct told *t)
{
	size_t n = t->q->n_specs;
	eb_autofree size_t *order = eb_calloc(n + 1, sizeof *order);

	eb_sv_line_order(t->q, order);
	for (size_t i = 0; i < n; i++)
		t->left[order[i]] =
			!i ||
			strcmp(eb_matchspec_normal(t->q->spec[order[i]]),
			       eb_matchspec_normal(t->q->spec[order[i - 1]])) !=
				0;
}

int eb_sv_explain(const struct eb_solve_request *q, struct eb_sv *sv,
		  struct eb_error *err)
{
	struct eb_unsolved found = { 0 };
	eb_autofree bool *left = eb_calloc(q->n_specs + 1, sizeof *left);
	struct told t = { .q = q,
			  .out = &found,
			  .left = left,
			  .until = eb_now_ns() + MAX_NS };

	take_lines(&t);
	find_problems(&t, sv);
	advise_all(&t);
	set_error(&t, err);
	release(&t);
	if (q->unsolved)
		*q->unsolved = found;
	else
		eb_unsolved_release(&found);
	return -1;
}
