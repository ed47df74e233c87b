/* SPDX-License-Identifier: Apache-2.0 */
/* A set of records against what was asked for: specs, pins, and what nothing
 * asked for. */
#include <string.h>

#include <envbuild/mem.h>

#include "solve_check_int.h"

static void check_spec(struct eb_sc *c, const struct eb_matchspec *m)
{
	const char *text = eb_matchspec_text(m);
	const struct eb_sc_member *other;
	enum eb_sc_verdict v = eb_sc_spec(c, m, true, &other);
	eb_autofree char *there = other ? eb_sc_label(other->r) : NULL;

	if (!eb_sc_counts(c, m))
		return;
	eb_sc_ask_groups(c, m);
	if (v == EB_SC_UNKNOWN)
		eb_sc_note(c, "request", text,
			   "asks for a machine that is "
			   "not known");
	else if (v == EB_SC_OTHER)
		eb_sc_add(c, "request", text,
			  "was asked for, and \"%s\" is there", there);
	else if (v != EB_SC_FITS)
		eb_sc_add(c, "request", text, "was asked for and is not there");
}

static void check_pin(struct eb_sc *c, const struct eb_matchspec *m)
{
	const struct eb_sc_member *other;
	enum eb_sc_verdict v = eb_sc_spec(c, m, false, &other);
	eb_autofree char *there = other ? eb_sc_label(other->r) : NULL;

	if (v == EB_SC_OTHER)
		eb_sc_add(c, "pin", eb_matchspec_text(m),
			  "is pinned, and \"%s\" is there", there);
}

void eb_sc_request(struct eb_sc *c)
{
	for (size_t i = 0; i < c->set->n_specs; i++)
		check_spec(c, c->set->spec[i]);
	for (size_t i = 0; i < c->set->n_pins; i++)
		check_pin(c, c->set->pin[i]);
}

/* From a name to what its records need, by and by. */
static void reach(struct eb_sc *c, const char *name, struct eb_strv *todo)
{
	size_t n;
	struct eb_sc_member *v = eb_sc_find(c, name, &n);

	for (size_t i = 0; i < n; i++) {
		if (v[i].reached)
			continue;
		v[i].reached = true;
		for (size_t k = 0; k < v[i].r->depends.n; k++)
			eb_strv_add(todo, v[i].r->depends.v[k]);
		for (size_t x = 0; x < v[i].r->n_extras; x++)
			for (size_t k = 0; k < v[i].r->extra[x].depends.n; k++)
				eb_strv_add(todo,
					    v[i].r->extra[x].depends.v[k]);
	}
}

static void reach_text(struct eb_sc *c, const char *text, struct eb_strv *todo)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_CLEANUP(eb_matchspec_free_ptr)
	struct eb_matchspec *m = eb_matchspec_parse(text, EB_LENIENT, &ignored);
	const char *name = m ? eb_matchspec_name(m) : NULL;

	if (name)
		reach(c, name, todo);
}

static void reach_spec(struct eb_sc *c, const struct eb_matchspec *m,
		       struct eb_strv *todo)
{
	if (eb_matchspec_name(m)) {
		reach(c, eb_matchspec_name(m), todo);
		return;
	}
	for (size_t i = 0; i < c->n; i++)
		if (eb_sc_fits(c, m, c->member[i].r, c->member[i].version))
			reach(c, c->member[i].r->name, todo);
}

/* conda adds pip to a Python. */
void eb_sc_reach(struct eb_sc *c)
{
	struct eb_strv todo EB_CLEANUP(eb_strv_release) = { 0 };
	size_t python;

	eb_sc_find(c, "python", &python);
	if (python)
		reach(c, "pip", &todo);
	for (size_t i = 0; i < c->set->n_specs; i++)
		reach_spec(c, c->set->spec[i], &todo);
	for (size_t i = 0; i < todo.n; i++)
		reach_text(c, todo.v[i], &todo);
	for (size_t i = 0; i < c->n; i++) {
		eb_autofree char *label = eb_sc_label(c->member[i].r);

		if (!c->member[i].reached)
			eb_sc_note(c, "unneeded", label,
				   "is there, and nothing asked for it");
	}
}
