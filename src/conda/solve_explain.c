/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why there is no answer. In this order: specs that nothing matches; specs
 * that cannot be had even alone; the smallest set of specs that do not go
 * together, found by leaving out one after the other.
 */
#include <string.h>

#include <envbuild/mem.h>

#include "solve_explain.h"

#define MAX_TOLD 4	    /* specs of one kind in a message */
#define MAX_SOLVES 80	    /* when looking for the smallest set */
#define MAX_NS 20000000000u /* ... and for how long */

/* --- solving parts of the request ------------------------------------ */

struct core {
	const struct eb_solve_request *q;
	bool *use;
	unsigned solves;
	uint64_t until;
};

/* NULL when the specs in use have an answer, or time is up. */
static struct eb_sv *fails(struct core *c)
{
	struct eb_sv *sv;
	struct eb_error err = EB_ERROR_INIT;

	if (c->solves++ >= MAX_SOLVES || eb_now_ns() > c->until)
		return NULL;
	sv = eb_sv_new(c->q, c->use, NULL);
	if (eb_sv_run(sv, &err) == 0)
		return sv;
	eb_err_release(&err);
	eb_sv_free(sv);
	return NULL;
}

/* What is needed for the failure stays in use; its last solve is returned. */
static struct eb_sv *shrink(struct core *c)
{
	struct eb_sv *last = NULL, *sv;

	for (size_t i = 0; i < c->q->n_specs; i++) {
		if (!c->use[i])
			continue;
		c->use[i] = false;
		sv = fails(c);
		c->use[i] = !sv;
		if (!sv)
			continue;
		eb_sv_free(last);
		last = sv;
	}
	return last;
}

/* --- the three kinds ------------------------------------------------- */

/* Specs that nothing matches; how many. */
static unsigned tell_missing(struct eb_sv *sv, struct eb_buf *out)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < sv->n_user; i++) {
		if (sv->spec[sv->user[i]].n_match)
			continue;
		if (n < MAX_TOLD) {
			eb_buf_adds(out, n ? "; " : "");
			eb_sv_say_missing(sv, sv->user[i], out);
		}
		n++;
	}
	if (n > MAX_TOLD)
		eb_buf_addf(out, "; and %u more", n - MAX_TOLD);
	return n;
}

static unsigned tell_alone(struct core *c, struct eb_buf *out)
{
	unsigned n = 0;

	for (size_t i = 0; i < c->q->n_specs && n < MAX_TOLD; i++) {
		EB_CLEANUP(eb_sv_free_ptr) struct eb_sv *sv = NULL;

		memset(c->use, 0, c->q->n_specs * sizeof *c->use);
		c->use[i] = true;
		sv = fails(c);
		if (!sv)
			continue;
		eb_buf_adds(out, n++ ? "; " : "");
		eb_sv_say_alone(sv, out);
	}
	return n;
}

static void list_core(const struct eb_sv *sv, struct eb_buf *out)
{
	for (uint32_t i = 0; i < sv->n_user; i++)
		eb_buf_addf(out, "%s\"%s\"",
			    !i			 ? ""
			    : i + 1 < sv->n_user ? ", "
						 : " and ",
			    sv->spec[sv->user[i]].text);
	eb_buf_adds(out, " cannot be had together: ");
}

static void tell_core(struct core *c, struct eb_sv *whole, struct eb_buf *out)
{
	EB_CLEANUP(eb_sv_free_ptr) struct eb_sv *least = NULL;
	struct eb_sv *sv;

	memset(c->use, 1, c->q->n_specs * sizeof *c->use);
	c->solves = 0;
	least = shrink(c);
	sv = least ? least : whole;
	list_core(sv, out);
	eb_sv_say_conflict(sv, out);
}

int eb_sv_explain(const struct eb_solve_request *q, struct eb_sv *sv,
		  struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_CONFIG);
	eb_autofree bool *use = eb_calloc(q->n_specs + 1, sizeof *use);
	struct core c = { .q = q,

			  .use = use,
			  .until = eb_now_ns() + MAX_NS };

	if (!tell_missing(sv, &text) && !tell_alone(&c, &text))
		tell_core(&c, sv, &text);
	eb_err_set(err, EB_NO, "no solution: %s", text.data);
	if (strstr(text.data, "(strict channel priority)"))
		eb_err_hint(err, "CHANNEL::NAME takes a package from the "
				 "channel that it names");
	return -1;
}
