/* SPDX-License-Identifier: Apache-2.0 */
/* Does what is there do for a spec? Names, the machine, conditions. */
#include <string.h>

#include <envbuild/archspec.h>
#include <envbuild/mem.h>

#include "matchspec_parts.h"
#include "solve_check_int.h"

static bool channel_fits(const struct eb_sc *c, const struct eb_matchspec *m,
			 const struct eb_record *r)
{
	const struct eb_channels *all = c->set->channels;
	const char *want = eb_matchspec_channel(m);

	if (!want)
		return true;
	if (!r->channel)
		return false;
	for (size_t i = 0; all && i < all->n; i++)
		if (!strcmp(all->channel[i].canonical, r->channel) &&
		    !strcmp(all->channel[i].name, want))
			return true;
	return eb_matchspec_channel_is(m, r->channel, c->alias);
}

bool eb_sc_fits(const struct eb_sc *c, const struct eb_matchspec *m,
		const struct eb_record *r, const struct eb_version *version)
{
	return version && channel_fits(c, m, r) &&
	       eb_matchspec_match(m, r, version);
}

bool eb_sc_is_virtual(const char *name)
{
	return name && eb_starts(name, "__");
}

/* A machine of x86_64_v3 is one of x86_64_v2, too. */
static bool level_fits(const struct eb_sc *c, const struct eb_matchspec *m,
		       const struct eb_sc_member *have)
{
	const char *all[EB_ARCHSPEC_MOST];
	struct eb_record r = *have->r;
	size_t n;

	if (strcmp(r.name, "__archspec") != 0)
		return false;
	n = eb_archspec_all(r.build, all);
	for (size_t i = 0; i < n; i++) {
		r.build = (char *)all[i];
		if (eb_sc_fits(c, m, &r, have->version))
			return true;
	}
	return false;
}

static enum eb_sc_verdict machine_fits(const struct eb_sc *c,
				       const struct eb_matchspec *m,
				       const struct eb_sc_member **other)
{
	const char *name = eb_matchspec_name(m);

	if (!c->set->virtuals)
		return EB_SC_UNKNOWN;
	for (size_t i = 0; i < c->set->n_virtuals; i++) {
		const struct eb_sc_member *v = &c->virtuals[i];

		if (strcmp(v->r->name, name) != 0)
			continue;
		if (eb_sc_fits(c, m, v->r, v->version) || level_fits(c, m, v))
			return EB_SC_FITS;
		*other = v;
	}
	return *other ? EB_SC_OTHER : EB_SC_MISSING;
}

/* Does one of that name do (any), or each of them? */
static enum eb_sc_verdict name_fits(const struct eb_sc *c,
				    const struct eb_matchspec *m, bool any,
				    const struct eb_sc_member **other)
{
	size_t n, fits = 0;
	const struct eb_sc_member *v = eb_sc_find(c, eb_matchspec_name(m), &n);

	for (size_t i = 0; i < n; i++) {
		if (eb_sc_fits(c, m, v[i].r, v[i].version))
			fits++;
		else
			*other = &v[i];
	}
	if (!n)
		return EB_SC_MISSING;
	return fits == n || (any && fits) ? EB_SC_FITS : EB_SC_OTHER;
}

/* A name with a pattern in it: one that fits is enough, or must not be. */
static enum eb_sc_verdict pattern_fits(const struct eb_sc *c,
				       const struct eb_matchspec *m)
{
	for (size_t i = 0; i < c->n; i++)
		if (eb_sc_fits(c, m, c->member[i].r, c->member[i].version))
			return EB_SC_FITS;
	return EB_SC_MISSING;
}

enum eb_sc_verdict eb_sc_spec(const struct eb_sc *c,
			      const struct eb_matchspec *m, bool any,
			      const struct eb_sc_member **other)
{
	*other = NULL;
	if (!eb_matchspec_name(m))
		return pattern_fits(c, m);
	if (eb_sc_is_virtual(eb_matchspec_name(m)))
		return machine_fits(c, m, other);
	return name_fits(c, m, any, other);
}

/* Its nodes stand behind those that they join. */
bool eb_sc_counts(const struct eb_sc *c, const struct eb_matchspec *m)
{
	const struct eb_when *w = m->condition;
	eb_autofree bool *holds = w ? eb_calloc(w->n + 1, sizeof *holds) : NULL;
	const struct eb_sc_member *other;

	for (uint32_t i = 0; w && i < w->n; i++) {
		const struct eb_when_node *node = &w->node[i];

		if (node->kind == EB_WHEN_SPEC)
			holds[i] = eb_sc_spec(c, node->m, true, &other) ==
				   EB_SC_FITS;
		else if (node->kind == EB_WHEN_AND)
			holds[i] = holds[node->left] && holds[node->right];
		else
			holds[i] = holds[node->left] || holds[node->right];
	}
	return !w || !w->n || holds[w->n - 1];
}

static enum eb_sc_verdict text_fits(const struct eb_sc *c, const char *text,
				    bool any, const struct eb_sc_member **other)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_CLEANUP(eb_matchspec_free_ptr)
	struct eb_matchspec *m = eb_matchspec_parse(text, EB_LENIENT, &ignored);

	*other = NULL;
	if (!m)
		return EB_SC_UNREADABLE;
	return eb_sc_counts(c, m) ? eb_sc_spec(c, m, any, other) : EB_SC_FITS;
}

enum eb_sc_verdict eb_sc_needs(const struct eb_sc *c, const char *text,
			       const struct eb_sc_member **other)
{
	return text_fits(c, text, true, other);
}

/* What is not there breaks no constraint. */
enum eb_sc_verdict eb_sc_allows(const struct eb_sc *c, const char *text,
				const struct eb_sc_member **other)
{
	enum eb_sc_verdict v = text_fits(c, text, false, other);

	return v == EB_SC_MISSING ? EB_SC_FITS : v;
}
