/* SPDX-License-Identifier: Apache-2.0 */
/* Two demands for one project that no version of it meets together. */
#include "pip_resolve_int.h"

#include <string.h>

#include <envbuild/pep440.h>

/* 1, 0; what is no range of specifiers admits everything. */
static bool admits(const char *range, const char *version)
{
	struct eb_error none = EB_ERROR_INIT;
	int rc;

	if (!*range)
		return true;
	rc = eb_specifiers_contain(range, version, EB_PRE_ALLOW, &none);
	eb_err_release(&none);
	return rc != 0;
}

/* Versions that a range names exactly. */
static void add_named(const char *range, struct eb_strv *out)
{
	struct eb_strv clause EB_CLEANUP(eb_strv_release) = { 0 };

	eb_strv_split(&clause, range, ",");
	for (size_t i = 0; i < clause.n; i++)
		if (eb_starts(clause.v[i], "=="))
			eb_strv_add(out, clause.v[i] + 2);
}

static bool go_together(struct eb_resolving *z, const struct eb_uv_edge *a,
			const struct eb_uv_edge *b)
{
	struct eb_strv v EB_CLEANUP(eb_strv_release) = { 0 };
	const struct eb_resolve_seen *s = eb_resolve_look(z, a->name);

	eb_resolve_versions(&s->page, &v);
	add_named(a->range, &v);
	add_named(b->range, &v);
	if (v.n == 0)
		return true; /* nobody knows */
	for (size_t i = 0; i < v.n; i++)
		if (admits(a->range, v.v[i]) && admits(b->range, v.v[i]))
			return true;
	return false;
}

/* Of one project in two versions one is meant. */
static bool are_alternatives(const struct eb_resolving *z,
			     const struct eb_uv_edge *a,
			     const struct eb_uv_edge *b)
{
	return a->who && b->who && strcmp(a->who, b->who) == 0 &&
	       strcmp(a->who_version, b->who_version) != 0 &&
	       !eb_resolve_conda(z, a) && !eb_resolve_conda(z, b);
}

static int say(struct eb_resolving *z, const struct eb_uv_edge *a,
	       const struct eb_uv_edge *b, struct eb_error *err)
{
	const struct eb_installed *conda = eb_resolve_conda(z, b);
	const struct eb_pip_line *other = eb_resolve_line(z, b);
	eb_autofree char *first = eb_resolve_chain(z, a);
	eb_autofree char *second = eb_resolve_chain(z, b);

	eb_err_set(err, EB_NO, "no version of \"%s\" is for both: %s; but %s",
		   a->name, first, second);
	if (conda && !z->r->replace)
		eb_err_hint(err, "--pip-replace=needed lets the pip section "
				 "replace what conda installs");
	else if (conda)
		eb_err_hint(err, "ask conda for another version of %s",
			    conda->package);
	else if (other && other->file)
		eb_err_hint(err,
			    "the second goes back to %s:%u (%s); change "
			    "one of the two",
			    other->file, other->line, other->shown);
	else
		eb_err_hint(err, "change one of the two");
	eb_resolve_at(z, a, err);
	return 1;
}

int eb_resolve_explain_conflict(struct eb_resolving *z, struct eb_error *err)
{
	const struct eb_uv_log *l = &z->log;

	for (size_t i = 0; i < l->n; i++) {
		const struct eb_uv_edge *a = &l->edge[i];

		if (!eb_resolve_is_named(z, a->name))
			continue;
		for (size_t k = i + 1; k < l->n; k++) {
			const struct eb_uv_edge *b = &l->edge[k];
			bool swap = eb_resolve_conda(z, a) != NULL;

			if (strcmp(a->name, b->name) ||
			    are_alternatives(z, a, b) || go_together(z, a, b))
				continue;
			return swap ? say(z, b, a, err) : say(z, a, b, err);
		}
	}
	return 0;
}
