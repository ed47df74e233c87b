/* SPDX-License-Identifier: Apache-2.0 */
/* The team's catalogue as a list. */
#include <string.h>

#include "team_catalogue.h"

#define TELL 8

static int tell_row(const struct eb_shared *s, const struct eb_version *e,
		    eb_catalog_fn *fn, void *data, struct eb_error *err)
{
	eb_autofree char *tag = eb_team_name_tag(e->name, e->version);
	const struct eb_catalog_row row = {
		.name = e->name,
		.version = e->version,
		.framework = eb_artifact_noted(&e->artifact, EB_NOTE_FRAMEWORK),
		.cuda = eb_artifact_noted(&e->artifact, EB_NOTE_CUDA),
		.time = e->artifact.time,
		.archived = eb_shared_is_archived(&e->artifact),
		.shared = true,
		.has_image = eb_in_sorted(&s->tags, tag),
	};

	return fn(data, &row, err);
}

/* The newest, archived or not. */
static const struct eb_version *newest(const struct eb_versions *v, size_t at)
{
	size_t to = eb_versions_next(v, at);

	while (at < to && (!v->v[at].seen || v->v[at].gone))
		at++;
	return at < to ? &v->v[at] : NULL;
}

static int list_all(struct eb_shared *s, struct eb_versions *v, bool archived,
		    eb_catalog_fn *fn, void *data, struct eb_error *err)
{
	int rc = eb_versions_settle(s, v, err);

	for (size_t at = 0; rc == 0 && at < v->n;
	     at = eb_versions_next(v, at)) {
		const struct eb_version *e =
			archived ? newest(v, at)
				 : eb_versions_latest(v, at, false);

		if (e)
			rc = tell_row(s, e, fn, data, err);
	}
	return rc < 0 ? -1 : 0;
}

int eb_shared_list(void *place, const char *name, bool archived,
		   eb_catalog_fn *fn, void *data, struct eb_error *err)
{
	EB_CLEANUP(eb_versions_release) struct eb_versions v = { 0 };
	struct eb_shared *s = place;
	int rc = 0;

	if (eb_versions_read(s, name, &v, err) < 0)
		return -1;
	if (!name)
		return list_all(s, &v, archived, fn, data, err);
	for (size_t i = 0; i < v.n; i++)
		v.v[i].wanted = true;
	if (eb_versions_fetch(s, &v, err) < 0)
		return -1;
	eb_versions_sort(&v);
	for (size_t i = 0; rc == 0 && i < v.n; i++)
		if (v.v[i].seen && !v.v[i].gone &&
		    (archived || !eb_shared_is_archived(&v.v[i].artifact)))
			rc = tell_row(s, &v.v[i], fn, data, err);
	return rc < 0 ? -1 : 0;
}

int eb_shared_tell(void *place, const char *name, struct eb_strv *names,
		   struct eb_strv *versions, struct eb_strv *labels,
		   struct eb_error *err)
{
	EB_CLEANUP(eb_versions_release) struct eb_versions v = { 0 };
	struct eb_shared *s = place;

	if (eb_versions_read(s, NULL, &v, err) < 0)
		return -1;
	for (size_t i = 0; i < v.n; i++) {
		if (!i || strcmp(v.v[i].name, v.v[i - 1].name))
			eb_strv_add(names, v.v[i].name);
		if (!strcmp(v.v[i].name, name) && versions->n < TELL)
			eb_strv_add(versions, v.v[i].version);
	}
	for (size_t i = 0; i < s->tags.n; i++) {
		eb_autofree char *is = NULL, *label = NULL;

		if (eb_catalogue_tag_read(s->tags.v[i], "label", &is, &label) >
			    0 &&
		    !strcmp(is, name) && labels->n < TELL)
			eb_strv_add(labels, label);
	}
	return 0;
}
