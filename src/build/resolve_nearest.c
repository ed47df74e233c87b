/* SPDX-License-Identifier: Apache-2.0 */
/* A tag that is gone: which of those that the registry has is the nearest. It
 * is named and never taken. */
#include <stdint.h>
#include <string.h>

#include <envbuild/reference.h>

#include "resolve_base.h"

#define FAR 1000 /* a row of the tables is nearer than any other tag */

static int tags_of(struct eb_resolver *r, const char *reference,
		   const struct eb_reference *parsed, struct eb_strv *out)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_CLEANUP(eb_registry_free_ptr)
	struct eb_registry *registry =
		eb_base_registry(r->config, reference, r->events);
	struct eb_repository *repo;

	if (!registry ||
	    eb_repository_open(registry, parsed->registry, parsed->repository,
			       &repo, &ignored) < 0 ||
	    eb_tags_list(repo, out, &ignored) < 0)
		return -1;
	return 0;
}

/* "nvidia/cuda" of "nvidia/cuda:TAG", as people write it; caller frees. */
static char *without_tag(const char *reference)
{
	const char *slash = strrchr(reference, '/');
	const char *from = slash ? slash : reference;

	return eb_strndup(reference,
			  (size_t)(from - reference) + strcspn(from, ":@"));
}

static bool is_row(const char *name)
{
	struct eb_base_row row = { 0 };
	bool found = eb_base_row_find(name, &row) > 0;

	eb_base_row_release(&row);
	return found;
}

/* "12.4" of "12.4.1-cudnn-devel-ubuntu22.04". */
static size_t minor_length(const char *tag)
{
	size_t n = strspn(tag, "0123456789");

	return tag[n] == '.' ? n + 1 + strspn(tag + n + 1, "0123456789") : n;
}

static unsigned distance(const char *want, const char *tag, const char *name)
{
	size_t n = minor_length(want), a = strlen(want), b = strlen(tag);

	/* Another CUDA is not near. */
	if (strncmp(want, tag, n) || minor_length(tag) != n ||
	    a > EB_EDIT_MAX || b > EB_EDIT_MAX)
		return UINT32_MAX;
	return eb_edit_distance(want, a, tag, b) + (is_row(name) ? 0 : FAR);
}

static char *nearest(const char *repository, const char *want,
		     const struct eb_strv *tags)
{
	unsigned least = UINT32_MAX;
	char *best = NULL;

	for (size_t i = 0; i < tags->n; i++) {
		eb_autofree char *name =
			eb_asprintf("%s:%s", repository, tags->v[i]);
		unsigned far = distance(want, tags->v[i], name);

		if (far >= least)
			continue;
		least = far;
		free(best);
		best = eb_steal(name);
	}
	return best;
}

/* By the tables alone, where the registry does not tell. */
static char *from_tables(const char *reference)
{
	struct eb_base_row row = { 0 };
	char *name = NULL;

	if (eb_base_row_nearest(reference, &row) > 0)
		name = eb_asprintf("%s:%s", row.repository, row.tag);
	eb_base_row_release(&row);
	if (name && strcmp(name, reference))
		return name;
	free(name);
	return NULL;
}

int eb_name_nearest(struct eb_resolver *r, const char *reference,
		    struct eb_error *err)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_CLEANUP(eb_reference_release) struct eb_reference parsed = { 0 };
	EB_CLEANUP(eb_strv_release) struct eb_strv tags = { 0 };
	eb_autofree char *repository = without_tag(reference);
	eb_autofree char *near = NULL;

	if (err->code != EB_NETWORK ||
	    eb_reference_parse(reference, &parsed, &ignored) < 0 ||
	    parsed.kind != EB_REF_REGISTRY || !parsed.tag)
		return -1;
	near = tags_of(r, reference, &parsed, &tags) == 0
		       ? nearest(repository, parsed.tag, &tags)
		       : from_tables(reference);
	if (!near)
		return -1;
	return eb_err_hint(err,
			   "the nearest one is %s, which is not taken by "
			   "itself: --base names it",
			   near);
}
