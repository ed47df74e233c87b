/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names in the order of their dependencies, those first on which others
 * depend; a cycle is broken where the walk comes back to it.
 */
#include <string.h>

#include <envbuild/mem.h>

#include "solve_int.h"

struct walk {
	const struct eb_sv *sv;
	uint32_t *edge;	 /* names that names depend on, name by name */
	uint32_t *first; /* of a name, in edge; one more at the end */
	uint32_t n_edges, alloc_edges;
	uint32_t *mark;
};

static void add_edges(struct walk *w, uint32_t name)
{
	const struct eb_sv *sv = w->sv;
	const struct eb_sv_name *self = &sv->name[name];

	w->first[name] = w->n_edges;
	for (uint32_t i = 0; i < self->n; i++) {
		const struct eb_sv_cand *c = &sv->cand[self->first + i];

		if (c->dead != EB_SV_ALIVE)
			continue;
		for (uint32_t k = 0; k < c->n_needs; k++) {
			uint32_t to = sv->spec[sv->needs[c->needs + k]].name;

			if (to == EB_SV_NONE || w->mark[to] == name + 1)
				continue;
			w->mark[to] = name + 1;
			EB_GROW(w->edge, w->n_edges, w->alloc_edges);
			w->edge[w->n_edges++] = to;
		}
	}
}

/* Depth first from `name`, without recursion: chains may be long. */
static uint32_t visit(struct walk *w, uint32_t name, uint32_t *stack,
		      uint32_t *next, bool *seen, uint32_t *out, uint32_t n)
{
	uint32_t depth = 0;

	seen[name] = true;
	stack[depth++] = name;
	while (depth) {
		uint32_t at = stack[depth - 1];

		if (next[at] == w->first[at + 1]) {
			out[n++] = at;
			depth--;
			continue;
		}
		at = w->edge[next[at]++];
		if (!seen[at]) {
			seen[at] = true;
			stack[depth++] = at;
		}
	}
	return n;
}

uint32_t *eb_sv_name_order(const struct eb_sv *sv)
{
	uint32_t n = sv->n_names, done = 0;
	eb_autofree uint32_t *mark = eb_calloc(n + 1, sizeof *mark);
	eb_autofree uint32_t *first = eb_calloc(n + 1, sizeof *first);
	eb_autofree uint32_t *stack = eb_calloc(n + 1, sizeof *stack);
	eb_autofree uint32_t *next = eb_calloc(n + 1, sizeof *next);
	eb_autofree bool *seen = eb_calloc(n + 1, sizeof *seen);
	uint32_t *out = eb_calloc(n + 1, sizeof *out);
	struct walk w = { .sv = sv, .first = first, .mark = mark };

	for (uint32_t i = 0; i < n; i++)
		add_edges(&w, i);
	first[n] = w.n_edges;
	memcpy(next, first, n * sizeof *next);
	for (uint32_t i = 0; i < n; i++)
		if (!seen[i])
			done = visit(&w, i, stack, next, seen, out, done);
	free(w.edge);
	return out;
}
