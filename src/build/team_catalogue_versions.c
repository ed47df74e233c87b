/* SPDX-License-Identifier: Apache-2.0 */
/* Which versions the team's catalogue has: by the tags alone, and the latest by
 * the manifests of those that count, several at once. */
#include <string.h>

#include "team_catalogue.h"

#define AT_ONCE 8
#define MAX_VERSIONS 100000 /* as many as there can be tags */

uint64_t eb_version_number(const char *version)
{
	uint64_t n;

	if (*version == '0' || eb_parse_u64(version, UINT64_C(1) << 52, &n) < 0)
		return 0;
	return n;
}

void eb_versions_release(struct eb_versions *v)
{
	for (size_t i = 0; i < v->n; i++) {
		free(v->v[i].name);
		free(v->v[i].version);
		free(v->v[i].tag);
		eb_artifact_release(&v->v[i].artifact);
	}
	free(v->v);
	memset(v, 0, sizeof *v);
}

/* --- their order ------------------------------------------------------ */
static int order(const void *a, const void *b)
{
	const struct eb_version *x = a, *y = b;
	int d = strcmp(x->name ? x->name : "", y->name ? y->name : "");

	if (d)
		return d;
	if (x->number != y->number)
		return x->number > y->number ? -1 : 1;
	if (x->artifact.time != y->artifact.time)
		return x->artifact.time > y->artifact.time ? -1 : 1;
	return -strcmp(x->version ? x->version : "",
		       y->version ? y->version : "");
}

void eb_versions_sort(struct eb_versions *v)
{
	if (v->n)
		qsort(v->v, v->n, sizeof *v->v, order);
}

size_t eb_versions_next(const struct eb_versions *v, size_t at)
{
	size_t to = at + 1;

	while (to < v->n && !strcmp(v->v[to].name, v->v[at].name))
		to++;
	return to;
}

const struct eb_version *eb_versions_latest(const struct eb_versions *v,
					    size_t at, bool archived)
{
	size_t to = at < v->n ? eb_versions_next(v, at) : at;
	const struct eb_version *hidden = NULL;

	for (; at < to; at++) {
		const struct eb_version *e = &v->v[at];

		if (!e->seen || e->gone)
			continue;
		if (!eb_shared_is_archived(&e->artifact))
			return e;
		if (!hidden)
			hidden = e;
	}
	return archived ? hidden : NULL;
}

/* --- asking ----------------------------------------------------------- */
static int damaged(struct eb_version *e, struct eb_error *err)
{
	if (err->code != EB_INTEGRITY && err->code != EB_MACHINE)
		return -1;
	eb_warn(e->shared->events, "%s; it is left out", err->message);
	eb_err_release(err);
	e->gone = true;
	return 0;
}

bool eb_shared_may_be(const char *name, const char *version)
{
	struct eb_error why EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	return eb_env_name_check(name, &why) == 0 &&
	       eb_env_version_check(version, &why) == 0;
}

/* What a hashed tag stands for is what the artifact says, if that has this
 * tag. */
static int take_name(struct eb_version *e, struct eb_error *err)
{
	const char *name = eb_artifact_noted(&e->artifact, EB_NOTE_NAME);
	const char *version = eb_artifact_noted(&e->artifact, EB_NOTE_VERSION);
	eb_autofree char *tag = NULL;

	if (name && version)
		tag = eb_catalogue_tag("def", name, version);
	if (!tag || strcmp(tag, e->tag) || !eb_shared_may_be(name, version)) {
		eb_err_set(err, EB_INTEGRITY,
			   "\"%s:%s\" is an environment of another name",
			   e->shared->team->text, e->tag);
		return damaged(e, err);
	}
	if (!e->name) {
		e->name = eb_strdup(name);
		e->version = eb_strdup(version);
		e->number = eb_version_number(version);
	}
	return 0;
}

static int fetch(void *arg, struct eb_error *err)
{
	struct eb_version *e = arg;
	int rc = eb_artifact_get(e->shared->team, e->tag, EB_MT_ENVIRONMENT,
				 &e->artifact, err);

	e->seen = true;
	e->gone = rc == 0;
	if (rc <= 0)
		return rc < 0 ? damaged(e, err) : 0;
	return take_name(e, err);
}

int eb_versions_fetch(struct eb_shared *s, struct eb_versions *v,
		      struct eb_error *err)
{
	struct eb_pool *pool = eb_pool_new(AT_ONCE);
	int rc;

	for (size_t i = 0; i < v->n; i++)
		if (v->v[i].wanted && !v->v[i].seen) {
			v->v[i].shared = s;
			eb_pool_submit(pool, fetch, &v->v[i]);
		}
	rc = eb_pool_wait(pool, err);
	eb_pool_free(pool);
	return rc < 0 ? -1 : 0;
}

/* --- by the tags ------------------------------------------------------ */
static void add(struct eb_versions *v, const char *tag, char *name,
		char *version)
{
	struct eb_version *e;

	EB_GROW(v->v, v->n, v->alloc);
	e = &v->v[v->n++];
	*e = (struct eb_version){ .name = name,
				  .version = version,
				  .tag = eb_strdup(tag),
				  .wanted = !name };
	if (version)
		e->number = eb_version_number(version);
}

static void add_tag(struct eb_versions *v, const char *tag, const char *name)
{
	eb_autofree char *is = NULL, *version = NULL;
	int rc = eb_catalogue_tag_read(tag, "def", &is, &version);

	if (rc < 0 || (rc > 0 && name && strcmp(is, name)) ||
	    (rc > 0 && !eb_shared_may_be(is, version)) || v->n == MAX_VERSIONS)
		return;
	add(v, tag, eb_steal(is), eb_steal(version));
}

/* Those whose name is not the one, or that have none. */
static void drop_others(struct eb_versions *v, const char *name)
{
	size_t n = 0;

	for (size_t i = 0; i < v->n; i++) {
		struct eb_version *e = &v->v[i];

		if (e->name && (!name || !strcmp(e->name, name))) {
			v->v[n++] = *e;
			continue;
		}
		free(e->name);
		free(e->version);
		free(e->tag);
		eb_artifact_release(&e->artifact);
	}
	v->n = n;
}

int eb_versions_read(struct eb_shared *s, const char *name,
		     struct eb_versions *out, struct eb_error *err)
{
	eb_strv_release(&s->tags);
	if (eb_tags_list(s->team->repo, &s->tags, err) < 0)
		return -1;
	eb_strv_sort(&s->tags);
	for (size_t i = 0; i < s->tags.n; i++)
		add_tag(out, s->tags.v[i], name);
	if (eb_versions_fetch(s, out, err) < 0)
		return -1;
	drop_others(out, name);
	eb_versions_sort(out);
	return 0;
}

/* --- the latest ------------------------------------------------------- */
/* The highest number, or all where there are none; then, where that is not
 * what is looked for, the rest. */
static void want(struct eb_versions *v, bool rest)
{
	for (size_t at = 0; at < v->n; at = eb_versions_next(v, at)) {
		size_t to = rest || !v->v[at].number ? eb_versions_next(v, at)
						     : at + 1;

		if (rest && eb_versions_latest(v, at, false))
			continue;
		for (size_t i = at; i < to; i++)
			v->v[i].wanted = true;
	}
}

int eb_versions_settle(struct eb_shared *s, struct eb_versions *v,
		       struct eb_error *err)
{
	want(v, false);
	if (eb_versions_fetch(s, v, err) < 0)
		return -1;
	eb_versions_sort(v);
	want(v, true);
	if (eb_versions_fetch(s, v, err) < 0)
		return -1;
	eb_versions_sort(v);
	return 0;
}
