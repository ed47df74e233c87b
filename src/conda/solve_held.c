/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why a package that was asked for is not newer. The newest of all channels
 * may be kept out by a line, a pin or a channel; of what these leave, the
 * newest is out because of what it needs, which pruning tells without another
 * solve, or because it does not go together with the rest: that is solved.
 */

#include <string.h>

#include <envbuild/mem.h>

#include "solve_explain.h"

#define MAX_HELD 32
#define MAX_NS 10000000000u

void eb_held_list_release(struct eb_held_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->v[i].name);
		free(l->v[i].version);
		free(l->v[i].newest);
		free(l->v[i].why);
		free(l->v[i].spec);
	}
	free(l->v);
	memset(l, 0, sizeof *l);
}

/* --- versions -------------------------------------------------------- */

/* "2.0rc1", "1.0b2", "3.1.dev0": nobody is missing those. */
static bool is_early(const char *version)
{
	static const char *const words[] = { "rc", "dev", "alpha", "beta",
					     "pre" };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strstr(version, words[i]))
			return true;
	for (const char *p = version; *p && p[1]; p++)
		if ((p[1] == 'a' || p[1] == 'b') && *p >= '0' && *p <= '9' &&
		    p[2] >= '0' && p[2] <= '9')
			return true;
	return false;
}

static void take_newer(const struct eb_version *v,
		       const struct eb_version **best)
{
	if (v && !is_early(eb_version_text(v)) &&
	    (!*best || eb_version_compare(v, *best) > 0))
		*best = v;
}

static void find_newest(struct eb_sv_look *l)
{
	struct eb_sv *sv = l->sv;
	const struct eb_sv_name *n = &sv->name[l->name];
	const uint32_t *row;
	size_t rows = eb_repodata_by_name(sv->rd, n->name, &row);

	l->newest = l->allowed = NULL;
	for (size_t i = 0; i < rows; i++)
		if (!eb_rd_features_of(sv->rd, row[i]))
			take_newer(eb_sv_version_of(
					   sv, eb_repodata_record(sv->rd,
								  row[i], NULL)
						       ->version),
				   &l->newest);
	for (uint32_t i = n->first; i < n->first + n->n; i++)
		if (sv->cand[i].dead != EB_SV_USER &&
		    sv->cand[i].dead != EB_SV_PIN && !sv->cand[i].unasked)
			take_newer(sv->cand[i].version, &l->allowed);
}

struct eb_sv_set eb_sv_of_version(const struct eb_sv *sv, uint32_t name,
				  const struct eb_version *v, bool kept_out)
{
	const struct eb_sv_name *n = &sv->name[name];
	struct eb_sv_set set = { .name = name };

	set.cand = eb_calloc(n->n + 1, sizeof *set.cand);
	for (uint32_t i = n->first; i < n->first + n->n; i++) {
		const struct eb_sv_cand *c = &sv->cand[i];

		if ((c->dead == EB_SV_USER || c->dead == EB_SV_PIN) ==
			    kept_out &&
		    !eb_version_compare(c->version, v))
			set.cand[set.n++] = i;
	}
	return set;
}

/* --- all ------------------------------------------------------------- */

static void add_held(struct eb_sv_look *l, struct eb_held_list *out, char *why)
{
	size_t n = l->q->n_specs;
	struct eb_held *h;

	out->v = eb_realloc(out->v, out->n + 1, sizeof *out->v);
	h = &out->v[out->n++];
	*h = (struct eb_held){ .why = why };
	h->name = eb_strdup(l->sv->name[l->name].name);
	h->version = eb_strdup(eb_version_text(l->has));
	h->newest = eb_strdup(eb_version_text(l->newest));
	h->spec = eb_calloc(n + 1, sizeof *h->spec);
	for (size_t i = 0; i < n; i++)
		if (l->line[i])
			h->spec[h->n++] = i;
}

static void look_at(struct eb_sv_look *l, const struct eb_record *r,
		    struct eb_held_list *out)
{
	EB_AUTOBUF(why, EB_MAX_CONFIG);

	l->name = eb_sv_name_of(l->sv, r->name);
	l->has = eb_sv_version_of(l->sv, r->version);
	memset(l->line, 0, (l->q->n_specs + 1) * sizeof *l->line);
	find_newest(l);
	if (!l->has || !l->newest || eb_version_compare(l->newest, l->has) <= 0)
		return;
	if (!l->allowed || eb_version_compare(l->newest, l->allowed) > 0)
		eb_sv_say_limits(l, &why);
	if (l->allowed && eb_version_compare(l->allowed, l->has) > 0) {
		eb_buf_adds(&why, why.len ? "; " : "");
		eb_sv_say_allowed(l, &why);
	}
	if (why.len)
		add_held(l, out, eb_buf_steal(&why, NULL));
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct eb_held *)a)->name,
		      ((const struct eb_held *)b)->name);
}

int eb_solve_held(const struct eb_solve_request *request,
		  const struct eb_solution *s, struct eb_held_list *out,
		  struct eb_error *err)
{
	EB_CLEANUP(eb_sv_memo_free_ptr) struct eb_sv_memo *memo = NULL;
	EB_CLEANUP(eb_sv_free_ptr) struct eb_sv *sv = NULL;
	eb_autofree bool *line = eb_calloc(request->n_specs + 2, sizeof *line);
	struct eb_solve_request q = *request;
	struct eb_sv_look l = {
		.q = &q, .s = s, .line = line, .until = eb_now_ns() + MAX_NS
	};

	memset(out, 0, sizeof *out);
	q.memo = memo = eb_sv_memo_new();
	l.sv = sv = eb_sv_new(&q, NULL, NULL);
	sv->add_pip = false;
	if (eb_sv_run(sv, err) < 0)
		return -1;
	eb_sv_complete(sv);
	for (size_t i = 0; i < s->n && out->n < MAX_HELD; i++)
		if (s->requested[i])
			look_at(&l,
				eb_repodata_record(q.repodata, s->record[i],
						   NULL),
				out);
	if (out->n)
		qsort(out->v, out->n, sizeof *out->v, by_name);
	return 0;
}
