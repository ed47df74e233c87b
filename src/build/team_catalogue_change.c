/* SPDX-License-Identifier: Apache-2.0 */
/* Labels of the team's catalogue, and what is archived in it: an artifact with
 * another annotation, for a registry can change none. */
#include <string.h>

#include "team_catalogue.h"

static void copy_layer(struct eb_artifact *to, const struct eb_descriptor *d)
{
	struct eb_descriptor *l =
		eb_artifact_add(to, d->media_type, &d->digest, d->size);

	for (size_t i = 0; i + 1 < d->annotations.n; i += 2)
		eb_descriptor_annotate(l, d->annotations.v[i],
				       d->annotations.v[i + 1]);
}

/* The same with `note` as it is to be (NULL: without), under a tag. */
static int put_changed(struct eb_shared *s, const struct eb_artifact *a,
		       const char *tag, const char *note, const char *value,
		       struct eb_error *err)
{
	EB_CLEANUP(eb_artifact_release) struct eb_artifact b = { 0 };
	struct eb_artifact_data data[EB_ARTIFACT_LAYERS] = { 0 };

	b.time = a->time;
	for (size_t i = 0; i < a->n; i++)
		copy_layer(&b, &a->layer[i]);
	for (size_t i = 0; i + 1 < a->notes.n; i += 2)
		if (strcmp(a->notes.v[i], note))
			eb_artifact_note(&b, a->notes.v[i], a->notes.v[i + 1]);
	eb_artifact_note(&b, note, value);
	return eb_artifact_put(s->team, tag, EB_MT_ENVIRONMENT, &b, data, err);
}

/* --- labels ----------------------------------------------------------- */
int eb_shared_label(void *place, const char *name, const char *version,
		    const char *label, struct eb_error *err)
{
	EB_CLEANUP(eb_artifact_release) struct eb_artifact a = { 0 };
	eb_autofree char *tag = eb_catalogue_tag("label", name, label);
	int rc = eb_shared_artifact(place, "def", name, version, &a, err);

	if (rc <= 0)
		return rc;
	return put_changed(place, &a, tag, EB_NOTE_LABEL, label, err) < 0 ? -1
									  : 1;
}

struct looking {
	struct eb_shared *shared;
	const char *tag, *name, *version;
	char *label; /* it is one of that version */
};

/* The label that it says, where it is the one of its tag. */
static char *label_of(const struct eb_artifact *a, const char *name,
		      const char *tag)
{
	struct eb_error why EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	const char *label = eb_artifact_noted(a, EB_NOTE_LABEL);
	eb_autofree char *is = NULL;

	if (!label || eb_env_label_check(label, &why) < 0)
		return NULL;
	is = eb_catalogue_tag("label", name, label);
	return strcmp(is, tag) ? NULL : eb_strdup(label);
}

/* What is no label any more, or damaged, is none. */
static int look(void *arg, struct eb_error *err)
{
	struct looking *l = arg;
	EB_CLEANUP(eb_artifact_release) struct eb_artifact a = { 0 };
	const char *name, *version;
	int rc = eb_artifact_get(l->shared->team, l->tag, EB_MT_ENVIRONMENT, &a,
				 err);

	if (rc < 0 && (err->code == EB_INTEGRITY || err->code == EB_MACHINE)) {
		eb_warn(l->shared->events, "%s; it is left out", err->message);
		eb_err_release(err);
		return 0;
	}
	if (rc <= 0)
		return rc;
	name = eb_artifact_noted(&a, EB_NOTE_NAME);
	version = eb_artifact_noted(&a, EB_NOTE_VERSION);
	if (name && version && !strcmp(name, l->name) &&
	    !strcmp(version, l->version))
		l->label = label_of(&a, name, l->tag);
	return 0;
}

/* A hashed one may be anybody's. */
static bool may_be(const char *tag, const char *name)
{
	eb_autofree char *is = NULL, *label = NULL;
	int rc = eb_catalogue_tag_read(tag, "label", &is, &label);

	return rc == 0 || (rc > 0 && !strcmp(is, name));
}

static int look_at_all(struct looking *l, size_t n, struct eb_error *err)
{
	struct eb_pool *pool = eb_pool_new(8);
	int rc;

	for (size_t i = 0; i < n; i++)
		eb_pool_submit(pool, look, &l[i]);
	rc = eb_pool_wait(pool, err);
	eb_pool_free(pool);
	return rc < 0 ? -1 : 0;
}

int eb_shared_labels(void *place, struct eb_named *e, struct eb_error *err)
{
	struct eb_shared *s = place;
	eb_autofree struct looking *l = NULL;
	size_t n = 0;
	int rc;

	eb_strv_release(&s->tags);
	if (eb_tags_list(s->team->repo, &s->tags, err) < 0)
		return -1;
	eb_strv_sort(&s->tags);
	l = eb_calloc(s->tags.n + 1, sizeof *l);
	for (size_t i = 0; i < s->tags.n; i++)
		if (may_be(s->tags.v[i], e->name))
			l[n++] = (struct looking){ s, s->tags.v[i], e->name,
						   e->version, NULL };
	rc = look_at_all(l, n, err);
	for (size_t i = 0; i < n; i++)
		if (l[i].label)
			eb_strv_take(&e->labels, l[i].label);
	eb_strv_sort(&e->labels);
	return rc;
}

/* --- archived --------------------------------------------------------- */
static int set_archived(struct eb_shared *s, const char *name,
			const char *version, bool archived,
			struct eb_error *err)
{
	EB_CLEANUP(eb_artifact_release) struct eb_artifact a = { 0 };
	eb_autofree char *tag = eb_catalogue_tag("def", name, version);
	int rc = eb_shared_artifact(s, "def", name, version, &a, err);

	if (rc <= 0 || eb_shared_is_archived(&a) == archived)
		return rc;
	return put_changed(s, &a, tag, EB_NOTE_ARCHIVED,
			   archived ? "true" : NULL, err) < 0
		       ? -1
		       : 1;
}

int eb_shared_archive(void *place, const char *name, const char *version,
		      bool archived, struct eb_error *err)
{
	EB_CLEANUP(eb_versions_release) struct eb_versions v = { 0 };
	struct eb_shared *s = place;
	int done = 0, rc = 0;

	if (version)
		return set_archived(s, name, version, archived, err);
	if (eb_versions_read(s, name, &v, err) < 0)
		return -1;
	for (size_t i = 0; rc >= 0 && i < v.n; i++) {
		rc = set_archived(s, name, v.v[i].version, archived, err);
		done += rc > 0;
	}
	return rc < 0 ? -1 : done > 0;
}
