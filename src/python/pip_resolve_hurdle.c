/* SPDX-License-Identifier: Apache-2.0 */
/* One demand held against each file of a page: the first question that it
 * fails. Those that come furthest explain best. */
#include "pip_resolve_hurdle.h"

#include <string.h>

#include <envbuild/pep440.h>

struct question {
	struct eb_resolving *z;
	const struct eb_uv_edge *e;
	bool pre; /* pre-releases count */
};

/* --- one file ------------------------------------------------------------ */

static bool is_early(const struct eb_pip_request *r,
		     const struct eb_index_file *f)
{
	size_t n = r->as_of ? strlen(r->as_of) : 0;

	if (n == 0)
		return true;
	n = n > 19 ? 19 : n;
	return f->upload_time && strncmp(f->upload_time, r->as_of, n) <= 0;
}

bool eb_hurdle_suits_python(const struct eb_pip_request *r,
			    const struct eb_index_file *f)
{
	struct eb_error none = EB_ERROR_INIT;
	int rc;

	if (!f->requires_python)
		return true;
	rc = eb_specifiers_contain(f->requires_python, r->target.version,
				   EB_PRE_ALLOW, &none);
	eb_err_release(&none);
	return rc != 0;
}

/* Has it a tag of this machine, whatever the Python? */
static bool suits_machine(const struct eb_strv *tags,
			  const struct eb_wheel_name *w)
{
	for (size_t i = 0; i < w->tags.n; i++) {
		const char *platform = strrchr(w->tags.v[i], '-');

		for (size_t k = 0; platform && k < tags->n; k++)
			if (eb_ends(tags->v[k], platform))
				return true;
	}
	return false;
}

static enum eb_hurdle wheel_hurdle(const struct eb_resolving *z,
				   const struct eb_index_file *f)
{
	struct eb_error none = EB_ERROR_INIT;
	struct eb_wheel_name w = { 0 };
	enum eb_hurdle h = EB_HURDLE_NONE;

	if (eb_wheel_name_parse(f->name, &w, &none) < 0) {
		eb_err_release(&none);
		return EB_HURDLE_MACHINE;
	}
	if (eb_wheel_rank(&w, &z->tags) < 0)
		h = suits_machine(&z->tags, &w) ? EB_HURDLE_PYTHON
						: EB_HURDLE_MACHINE;
	eb_wheel_name_release(&w);
	return h;
}

static bool is_excluded(const struct eb_strv *list, const char *name)
{
	return eb_strv_has(list, ":all:") || eb_strv_has(list, name);
}

static enum eb_hurdle kind_hurdle(const struct eb_resolving *z,
				  const char *name, bool wheel)
{
	const struct eb_indexes *x = z->r->indexes;
	bool only_wheels = z->what || (is_excluded(&x->only_binary, name) &&
				       !eb_strv_has(&x->no_binary, name));

	if (wheel ? is_excluded(&x->no_binary, name) && !z->what : only_wheels)
		return EB_HURDLE_KIND;
	return EB_HURDLE_NONE;
}

static enum eb_hurdle hurdle_of(const struct question *q,
				const struct eb_index_file *f,
				const char *version)
{
	const struct eb_resolving *z = q->z;
	struct eb_error none = EB_ERROR_INIT;
	bool wheel = eb_ends(f->name, ".whl");
	enum eb_hurdle h;
	int rc = 1;

	if (*q->e->range)
		rc = eb_specifiers_contain(q->e->range, version, EB_PRE_ALLOW,
					   &none);
	eb_err_release(&none);
	if (rc == 0)
		return EB_HURDLE_RANGE;
	if (!q->pre && eb_pep440_is_pre(version))
		return EB_HURDLE_FINAL;
	if (f->yanked && !strstr(q->e->range, "=="))
		return EB_HURDLE_WITHDRAWN;
	if (!is_early(z->r, f))
		return EB_HURDLE_TIME;
	if (!eb_hurdle_suits_python(z->r, f))
		return EB_HURDLE_PYTHON;
	h = wheel ? wheel_hurdle(z, f) : EB_HURDLE_NONE;
	return h == EB_HURDLE_NONE ? kind_hurdle(z, q->e->name, wheel) : h;
}

/* --- all of them ------------------------------------------------------------
 */

bool eb_hurdle_is_newer(const char *a, const char *b)
{
	struct eb_error none = EB_ERROR_INIT;
	int order = 0;

	if (eb_pep440_compare(a, b, &order, &none) < 0)
		eb_err_release(&none);
	return order > 0;
}

/* Where nothing else fits they are taken, unless that is refused. */
static bool pre_counts(const struct eb_resolving *z, const struct eb_uv_edge *e)
{
	const struct eb_strv *final = &z->r->set->only_final;

	return !is_excluded(final, e->name);
}

void eb_hurdle_survey(struct eb_resolving *z, const struct eb_uv_edge *e,
		      const struct eb_index_page *page, struct eb_furthest *out)
{
	struct question q = { z, e, pre_counts(z, e) };

	*out = (struct eb_furthest){ .at = EB_HURDLE_RANGE };
	for (size_t i = 0; i < page->n; i++) {
		const struct eb_index_file *f = &page->file[i];
		eb_autofree char *version = eb_resolve_version_of(f->name);
		enum eb_hurdle at =
			version ? hurdle_of(&q, f, version) : EB_HURDLE_RANGE;

		if (!version || at < out->at ||
		    (at == out->at && out->version &&
		     !eb_hurdle_is_newer(version, out->version)))
			continue;
		out->at = at;
		out->file = f;
		free(out->version);
		out->version = eb_steal(version);
	}
}
