/* SPDX-License-Identifier: Apache-2.0 */
/* recent: which environments there are, for those who look for a near one. A
 * hint: whatever is wrong with it, it is empty then. */
#include <string.h>

#include "team_artifact.h"
#include "team_recent.h"

#define TAG "recent"

/* --- the list --------------------------------------------------------- */
void eb_recent_release(struct eb_recent *r)
{
	for (size_t i = 0; i < r->n; i++)
		free(r->v[i].name);
	free(r->v);
	memset(r, 0, sizeof *r);
}

void eb_recent_remove(struct eb_recent *r, const struct eb_recent_entry *e)
{
	size_t i = (size_t)(e - r->v);

	free(r->v[i].name);
	memmove(&r->v[i], &r->v[i + 1], (--r->n - i) * sizeof *r->v);
}

static bool same(const struct eb_recent_entry *a,
		 const struct eb_recent_entry *b)
{
	return eb_digest_equal(&a->definition, &b->definition) &&
	       eb_digest_equal(&a->lock, &b->lock) && a->time == b->time &&
	       !strcmp(a->name, b->name ? b->name : "");
}

/* At most EB_RECENT_NAME bytes, whole characters of them. */
static char *short_name(const char *name)
{
	size_t n = name ? strlen(name) : 0;

	if (n > EB_RECENT_NAME) {
		n = EB_RECENT_NAME;
		while (n && ((unsigned char)name[n] & 0xc0) == 0x80)
			n--;
	}
	return n && eb_utf8_valid(name, n) ? eb_strndup(name, n)
					   : eb_strdup("");
}

bool eb_recent_add(struct eb_recent *r, const struct eb_recent_entry *e)
{
	struct eb_recent_entry copy = *e;

	if (r->n && same(&r->v[0], e))
		return false;
	for (size_t i = r->n; i-- > 0;)
		if (eb_digest_equal(&r->v[i].definition, &e->definition))
			eb_recent_remove(r, &r->v[i]);
	while (r->n >= EB_RECENT_MAX)
		eb_recent_remove(r, &r->v[r->n - 1]);
	EB_GROW(r->v, r->n, r->alloc);
	memmove(r->v + 1, r->v, r->n++ * sizeof *r->v);
	copy.name = short_name(e->name);
	r->v[0] = copy;
	return true;
}

const struct eb_recent_entry *eb_recent_nearest(const struct eb_recent *r,
						const struct eb_sketch *s)
{
	const struct eb_recent_entry *best = NULL;
	double most = 0;

	for (size_t i = 0; i < r->n; i++) {
		double shared = eb_sketch_shared(&r->v[i].sketch, s);

		if (shared > most) {
			most = shared;
			best = &r->v[i];
		}
	}
	return best;
}

const struct eb_recent_entry *eb_recent_named(const struct eb_recent *r,
					      const char *name)
{
	for (size_t i = 0; *name && i < r->n; i++)
		if (!strcmp(r->v[i].name, name))
			return &r->v[i];
	return NULL;
}

/* --- in the registry -------------------------------------------------- */
static int read_text(struct eb_team *t, struct eb_buf *text,
		     struct eb_digest *stands, struct eb_error *err)
{
	EB_CLEANUP(eb_artifact_release) struct eb_artifact a = { 0 };
	int rc = eb_artifact_get(t, TAG, EB_MT_RECENT, &a, err);

	if (rc <= 0)
		return rc;
	*stands = a.digest;
	if (eb_artifact_read(t, &a, TAG, EB_MT_RECENT_LIST, EB_MAX_RECENT, text,
			     err) < 0)
		return -1;
	return 1;
}

bool eb_recent_is_none(const struct eb_recent *r)
{
	return eb_digest_is_zero(&r->stands) && !r->damaged;
}

int eb_team_get_recent(struct eb_team *t, struct eb_recent *out,
		       struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_RECENT);
	struct eb_digest stands = { 0 };
	int rc = read_text(t, &text, &stands, err);

	memset(out, 0, sizeof *out);
	if (rc < 0 && (err->code == EB_INTEGRITY || err->code == EB_MACHINE ||
		       err->code == EB_INPUT)) {
		eb_detail(t->events, "%s; it is taken as empty", err->message);
		eb_err_release(err);
		out->damaged = true;
		return 0;
	}
	if (rc <= 0)
		return rc;
	out->damaged = eb_recent_parse(text.data, text.len, out) < 0;
	out->stands = stands;
	if (!out->damaged)
		return 1;
	eb_detail(t->events, "\"%s:%s\" is damaged and taken as empty", t->text,
		  TAG);
	return 0;
}

/* The list as an artifact of one blob; `text` is filled. */
static void describe(const struct eb_recent *r, struct eb_artifact *a,
		     struct eb_buf *text)
{
	struct eb_digest d;

	eb_recent_format(r, text);
	eb_sha256(text->data, text->len, &d);
	a->time = r->v[0].time;
	eb_artifact_add(a, EB_MT_RECENT_LIST, &d, text->len);
}

/* `sent`: the blobs, the empty configuration too, are there. */
static int write_list(struct eb_team *t, const struct eb_recent *r, bool sent,
		      struct eb_error *err)
{
	EB_CLEANUP(eb_artifact_release) struct eb_artifact a = { 0 };
	struct eb_artifact_data data[EB_ARTIFACT_LAYERS] = { 0 };
	EB_AUTOBUF(text, EB_MAX_RECENT);

	describe(r, &a, &text);
	data[0] = (struct eb_artifact_data){ text.data, text.len };
	return (sent ? eb_artifact_point
		     : eb_artifact_put)(t, TAG, EB_MT_RECENT, &a, data, err);
}

int eb_team_add_recent(struct eb_team *t, const struct eb_recent_entry *e,
		       struct eb_error *err)
{
	EB_CLEANUP(eb_recent_release) struct eb_recent r = { 0 };

	if (eb_team_get_recent(t, &r, err) < 0)
		return -1;
	if (!eb_recent_add(&r, e))
		return 0;
	return write_list(t, &r, false, err);
}

/* --- when it was read before ------------------------------------------- */
static void copy(const struct eb_recent *from, struct eb_recent *to)
{
	for (size_t i = 0; i < from->n; i++) {
		EB_GROW(to->v, to->n, to->alloc);
		to->v[to->n] = from->v[i];
		to->v[to->n++].name = eb_strdup(from->v[i].name);
	}
}

void eb_recent_send(const struct eb_recent *seen,
		    const struct eb_recent_entry *e, struct eb_push *push)
{
	EB_CLEANUP(eb_recent_release) struct eb_recent r = { 0 };
	EB_CLEANUP(eb_artifact_release) struct eb_artifact a = { 0 };
	EB_AUTOBUF(text, EB_MAX_RECENT);

	copy(seen, &r);
	if (!eb_recent_add(&r, e))
		return;
	describe(&r, &a, &text);
	eb_push_fresh(push, &a.layer[0].digest, text.data, text.len, TAG);
}

/* Does it stand there still? 1, 0, -1. */
static int unchanged(struct eb_team *t, const struct eb_recent *seen,
		     struct eb_error *err)
{
	struct eb_remote now;
	int rc = eb_manifest_head(t->repo, TAG, &now, err);

	if (rc < 0)
		return -1;
	return rc ? eb_digest_equal(&now.digest, &seen->stands)
		  : eb_digest_is_zero(&seen->stands);
}

int eb_team_add_recent_to(struct eb_team *t, const struct eb_recent *seen,
			  const struct eb_recent_entry *e, struct eb_push *push,
			  struct eb_error *err)
{
	EB_CLEANUP(eb_recent_release) struct eb_recent r = { 0 };
	int rc = eb_push_wait(push, err) < 0 ? -1 : unchanged(t, seen, err);

	if (rc <= 0)
		return rc < 0 ? -1 : eb_team_add_recent(t, e, err);
	copy(seen, &r);
	return eb_recent_add(&r, e) ? write_list(t, &r, true, err) : 0;
}
