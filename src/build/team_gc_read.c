/* SPDX-License-Identifier: Apache-2.0 */
/* What there is in the team's repository. */
#include <string.h>

#include <envbuild/json.h>

#include "team_catalogue.h"
#include "team_gc.h"

#define MAX_CHILDREN 64

void eb_gc_release(struct eb_gc *g)
{
	for (size_t i = 0; i < g->n_images; i++)
		eb_strv_release(&g->image[i].keys);
	free(g->image);
	free(g->tag);
	eb_strv_release(&g->tags);
}

/* --- kinds of tags ---------------------------------------------------- */
/* "sha256-<64 hex>" and what has an ending: referrers, signatures. */
static bool is_referrer(const char *tag)
{
	return eb_starts(tag, "sha256-") &&
	       strspn(tag + strlen("sha256-"), "0123456789abcdef") ==
		       EB_HEX_SIZE - 1;
}

/* "n-NAME.vVERSION", "n-<32 hex>" */
static bool is_named(const char *tag)
{
	const char *name = tag + 2;
	size_t hex;

	if (!eb_starts(tag, "n-"))
		return false;
	hex = strspn(name, "0123456789abcdef");
	return strstr(name, ".v") || (hex == 32 && !name[hex]);
}

static enum eb_gc_kind kind_of(const char *tag, const char **hex)
{
	static const enum eb_gc_kind kinds[] = {
		[EB_TAG_ENV] = EB_GC_IMAGE,	[EB_TAG_LOCK] = EB_GC_IMAGE,
		[EB_TAG_LOCKED] = EB_GC_LOCKED, [EB_TAG_LAYER] = EB_GC_LAYER,
		[EB_TAG_STEP] = EB_GC_STEP,
	};

	for (int k = EB_TAG_ENV; k <= EB_TAG_STEP; k++)
		if (eb_team_tag_is(tag, (enum eb_team_tag_kind)k, hex))
			return kinds[k];
	*hex = "";
	if (eb_catalogue_tag_is(tag))
		return EB_GC_CATALOGUE;
	if (!strcmp(tag, "recent") || is_referrer(tag))
		return EB_GC_HINT;
	return is_named(tag) ? EB_GC_IMAGE : EB_GC_OTHER;
}

/* --- images ----------------------------------------------------------- */
static size_t find_image(const struct eb_gc *g, const struct eb_digest *d)
{
	for (size_t i = 0; i < g->n_images; i++)
		if (eb_digest_equal(&g->image[i].digest, d))
			return i;
	return SIZE_MAX;
}

/* The lock and the layers' keys of an image manifest. What is none (something
 * that people put there) needs nothing of ours. */
static void take_manifest(struct eb_gc_image *image, const struct eb_buf *text,
			  const char *what)
{
	struct eb_error why EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_CLEANUP(eb_manifest_release) struct eb_manifest m = { 0 };
	struct eb_digest lock;

	if (eb_manifest_parse(text->data, text->len, what, &m, &why) < 0)
		return;
	for (size_t i = 0; i + 1 < m.annotations.n; i += 2)
		if (!strcmp(m.annotations.v[i], EB_ANNOTATION_LOCK) &&
		    eb_digest_parse(m.annotations.v[i + 1], &lock) == 0)
			eb_digest_hex(&lock, image->lock);
	for (size_t i = 0; i < m.n_layers; i++) {
		const char *key =
			eb_artifact_annotation(&m.layer[i], EB_ANNOTATION_KEY);

		if (key && strlen(key) == EB_HEX_SIZE - 1)
			eb_strv_add(&image->keys, key);
	}
}

static int take_child(struct eb_gc *g, struct eb_gc_image *image,
		      const json_t *child, struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_REMOTE_MANIFEST);
	const char *digest = eb_json_str(child, "digest");
	struct eb_remote remote;
	struct eb_digest d;
	int rc;

	if (!digest || eb_digest_parse(digest, &d) < 0)
		return 0;
	rc = eb_manifest_get(g->team->repo, digest, &text, &remote, err);
	if (rc > 0)
		take_manifest(image, &text, digest);
	return rc < 0 ? -1 : 0;
}

static int take_index(struct eb_gc *g, struct eb_gc_image *image,
		      const struct eb_buf *text, struct eb_error *err)
{
	struct eb_error why EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	eb_autojson json_t *j =
		eb_json_parse(text->data, text->len, "index", &why);
	const json_t *list = j ? eb_json_arr(j, "manifests") : NULL;
	json_t *child;
	size_t i;

	if (json_array_size(list) > MAX_CHILDREN)
		return eb_err_set(err, EB_INPUT,
				  "an index of %s names %zu manifests, where "
				  "at most %d are looked at",
				  g->team->text, json_array_size(list),
				  MAX_CHILDREN);
	json_array_foreach (list, i, child) {
		if (take_child(g, image, child, err) < 0)
			return -1;
	}
	return 0;
}

static int read_image(struct eb_gc *g, struct eb_gc_tag *t,
		      struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_REMOTE_MANIFEST);
	struct eb_gc_image image = { 0 };
	struct eb_remote remote;
	int rc = eb_manifest_get(g->team->repo, t->tag, &text, &remote, err);

	if (rc <= 0)
		return rc;
	image.digest = t->digest = remote.digest;
	rc = 1;
	if (!strcmp(remote.media_type, EB_MT_MANIFEST))
		take_manifest(&image, &text, t->tag);
	else if (take_index(g, &image, &text, err) < 0)
		rc = -1;
	eb_strv_sort(&image.keys);
	eb_strv_unique(&image.keys);
	t->image = g->n_images;
	EB_GROW(g->image, g->n_images, g->alloc);
	g->image[g->n_images++] = image;
	return rc;
}

/* A digest that is known needs no second look. */
static int look_at_image(struct eb_gc *g, struct eb_gc_tag *t,
			 struct eb_error *err)
{
	struct eb_remote remote;
	int rc = eb_manifest_head(g->team->repo, t->tag, &remote, err);

	if (rc <= 0)
		return rc;
	t->digest = remote.digest;
	t->image = find_image(g, &t->digest);
	return t->image == SIZE_MAX ? read_image(g, t, err) : 1;
}

/* --- artifacts -------------------------------------------------------- */
static int look_at_artifact(struct eb_gc *g, struct eb_gc_tag *t,
			    const char *type, struct eb_error *err)
{
	EB_CLEANUP(eb_artifact_release) struct eb_artifact a = { 0 };
	int rc = eb_artifact_get(g->team, t->tag, type, &a, err);

	if (rc < 0 && (err->code == EB_INTEGRITY || err->code == EB_MACHINE)) {
		eb_detail(g->team->events, "%s", err->message);
		eb_err_release(err);
		return 0;
	}
	t->digest = a.digest;
	t->time = a.time;
	return rc;
}

static int64_t time_of(const char *text)
{
	int64_t ms;

	return eb_date_parse(text, &ms) == 0 ? ms / 1000 : 0;
}

/* A base that a Dockerfile made stands there as the image that it is. */
static int look_at_step_image(struct eb_gc *g, struct eb_gc_tag *t,
			      struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_REMOTE_MANIFEST);
	struct eb_error why EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_CLEANUP(eb_manifest_release) struct eb_manifest m = { 0 };
	struct eb_remote remote;
	int rc = eb_manifest_get(g->team->repo, t->tag, &text, &remote, err);

	if (rc <= 0)
		return rc;
	if (eb_manifest_parse(text.data, text.len, t->tag, &m, &why) < 0)
		return 0;
	t->digest = remote.digest;
	for (size_t i = 0; i + 1 < m.annotations.n; i += 2)
		if (!strcmp(m.annotations.v[i], EB_ANNOTATION_CREATED))
			t->time = time_of(m.annotations.v[i + 1]);
	return 1;
}

static int look_at_step(struct eb_gc *g, struct eb_gc_tag *t,
			struct eb_error *err)
{
	int rc = look_at_artifact(g, t, EB_MT_STEP, err);

	return rc ? rc : look_at_step_image(g, t, err);
}

static int look_at_digest(struct eb_gc *g, struct eb_gc_tag *t,
			  struct eb_error *err)
{
	struct eb_remote remote = { 0 };
	int rc = eb_manifest_head(g->team->repo, t->tag, &remote, err);

	t->digest = remote.digest;
	return rc;
}

static int look_at(struct eb_gc *g, struct eb_gc_tag *t, struct eb_error *err)
{
	switch (t->kind) {
	case EB_GC_IMAGE:
	case EB_GC_OTHER: return look_at_image(g, t, err);
	case EB_GC_LOCKED: return look_at_artifact(g, t, EB_MT_LOCKED, err);
	case EB_GC_STEP: return look_at_step(g, t, err);
	case EB_GC_CATALOGUE:
	case EB_GC_LAYER: return look_at_digest(g, t, err);
	case EB_GC_HINT: return 0;
	}
	return 0;
}

/* --- all of it -------------------------------------------------------- */
static void count(struct eb_gc *g)
{
	g->report->images = (unsigned)g->n_images;
	for (size_t i = 0; i < g->n; i++) {
		switch (g->tag[i].kind) {
		case EB_GC_LOCKED: g->report->locks++; break;
		case EB_GC_LAYER: g->report->layers++; break;
		case EB_GC_STEP: g->report->steps++; break;
		default: break;
		}
	}
}

int eb_gc_read(struct eb_gc *g, struct eb_error *err)
{
	if (eb_tags_list(g->team->repo, &g->tags, err) < 0)
		return -1;
	g->tag = eb_calloc(g->tags.n + 1, sizeof *g->tag);
	for (size_t i = 0; i < g->tags.n; i++) {
		struct eb_gc_tag *t = &g->tag[g->n++];
		int rc;

		t->tag = g->tags.v[i];
		t->kind = kind_of(t->tag, &t->hex);
		t->image = SIZE_MAX;
		rc = look_at(g, t, err);
		if (rc < 0)
			return -1;
		t->found = rc > 0;
	}
	count(g);
	return 0;
}
