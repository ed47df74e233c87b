/* SPDX-License-Identifier: Apache-2.0 */
/* locked-: written. */
#include <string.h>

#include "team_artifact.h"
#include "team_map.h"

/* 1 MiB more than what may be read, for what zstd adds at worst. */
#define PACKED(n) ((n) + ((size_t)1 << 20))

struct eb_locked {
	struct eb_team *team;
	char *tag;
	struct eb_artifact artifact;
	struct eb_buf blob[EB_ARTIFACT_LAYERS]; /* of its layers */
};

void eb_locked_free(struct eb_locked *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < EB_ARTIFACT_LAYERS; i++)
		eb_buf_release(&l->blob[i]);
	eb_artifact_release(&l->artifact);
	free(l->tag);
	free(l);
}

/* --- its blobs -------------------------------------------------------- */
static struct eb_buf *next_blob(struct eb_locked *l, size_t max)
{
	struct eb_buf *out = &l->blob[l->artifact.n];

	eb_buf_init(out, max);
	return out;
}

/* They tell of an image that was made just now: nobody has them. */
static void send(struct eb_locked *l, struct eb_push *push,
		 const char *media_type)
{
	const struct eb_buf *blob = &l->blob[l->artifact.n];
	struct eb_digest d;

	eb_sha256(blob->data, blob->len, &d);
	eb_artifact_add(&l->artifact, media_type, &d, blob->len);
	eb_push_fresh(push, &d, blob->data, blob->len, NULL);
}

static int send_text(struct eb_locked *l, struct eb_push *push,
		     const struct eb_lock *lock, struct eb_error *err)
{
	struct eb_buf *text = next_blob(l, EB_MAX_LOCK);

	eb_lock_format(lock, text);
	if (text->overflow)
		return eb_err_set(err, EB_INPUT,
				  "the lock is longer than %zu bytes",
				  EB_MAX_LOCK);
	send(l, push, EB_MT_LOCK_TEXT);
	return 0;
}

static int send_packed(struct eb_locked *l, struct eb_push *push,
		       const struct eb_buf *text, size_t max,
		       const char *media_type, struct eb_error *err)
{
	struct eb_buf *packed = next_blob(l, PACKED(max));

	eb_team_zstd(text->data, text->len, packed);
	if (packed->overflow)
		return eb_err_set(err, EB_INPUT,
				  "the map of the layers is too long");
	send(l, push, media_type);
	return 0;
}

static int send_map(struct eb_locked *l, struct eb_push *push,
		    const struct eb_known *known, struct eb_error *err)
{
	EB_AUTOBUF(map, EB_MAX_MAP);
	EB_AUTOBUF(paths, EB_MAX_PATHS);

	if (eb_map_format(known, &map, &paths, err) < 0 ||
	    send_packed(l, push, &map, EB_MAX_MAP, EB_MT_MAP, err) < 0)
		return -1;
	return send_packed(l, push, &paths, EB_MAX_PATHS, EB_MT_PATHS, err);
}

int eb_locked_begin(struct eb_team *t, struct eb_push *push,
		    const struct eb_lock *lock, int64_t time,
		    const struct eb_known *map, struct eb_locked **out,
		    struct eb_error *err)
{
	EB_CLEANUP(eb_locked_free_ptr)
	struct eb_locked *l = eb_calloc(1, sizeof *l);
	struct eb_digest hash;

	eb_lock_hash(lock, &hash);
	l->team = t;
	l->tag = eb_team_tag_of(EB_TAG_LOCKED, &hash, NULL);
	l->artifact.time = time;
	if (send_text(l, push, lock, err) < 0 ||
	    send_map(l, push, map, err) < 0)
		return -1;
	eb_artifact_send_empty(t, push);
	*out = eb_steal(l);
	return 0;
}

/* --- its manifest ----------------------------------------------------- */
/* Newer, or of the same second and with the same text. */
static bool is_as_new(const struct eb_artifact *a, const struct eb_digest *text,
		      int64_t time)
{
	const struct eb_descriptor *d = eb_artifact_layer(a, EB_MT_LOCK_TEXT);

	return a->time > time ||
	       (a->time == time && d && eb_digest_equal(&d->digest, text));
}

/* A damaged one is replaced. 1 yes, 0, -1. */
static int is_there(struct eb_team *t, const char *tag,
		    const struct eb_digest *text, int64_t time,
		    struct eb_error *err)
{
	EB_CLEANUP(eb_artifact_release) struct eb_artifact a = { 0 };
	int rc = eb_artifact_get(t, tag, EB_MT_LOCKED, &a, err);

	if (rc < 0 && err->code == EB_INTEGRITY) {
		eb_detail(t->events, "%s; it is replaced", err->message);
		eb_err_release(err);
		return 0;
	}
	return rc > 0 ? is_as_new(&a, text, time) : rc;
}

int eb_locked_there(struct eb_locked *l, struct eb_error *err)
{
	return is_there(l->team, l->tag, &l->artifact.layer[0].digest,
			l->artifact.time, err);
}

int eb_locked_put(struct eb_locked *l, struct eb_error *err)
{
	struct eb_artifact_data data[EB_ARTIFACT_LAYERS] = { 0 };

	for (size_t i = 0; i < l->artifact.n; i++)
		data[i] = (struct eb_artifact_data){ l->blob[i].data,
						     l->blob[i].len };
	return eb_artifact_point(l->team, l->tag, EB_MT_LOCKED, &l->artifact,
				 data, err);
}

int eb_team_put_lock(struct eb_team *t, struct eb_push *push,
		     const struct eb_lock *lock, int64_t time,
		     const struct eb_known *map, struct eb_error *err)
{
	EB_CLEANUP(eb_locked_free_ptr) struct eb_locked *l = NULL;
	EB_AUTOBUF(text, EB_MAX_LOCK);
	eb_autofree char *tag = NULL;
	struct eb_digest hash, digest;
	int there;

	eb_lock_hash(lock, &hash);
	tag = eb_team_tag_of(EB_TAG_LOCKED, &hash, NULL);
	eb_lock_format(lock, &text);
	eb_sha256(text.data, text.len, &digest);
	there = is_there(t, tag, &digest, time, err);
	if (there)
		return there < 0 ? -1 : 0;
	if (eb_locked_begin(t, push, lock, time, map, &l, err) < 0 ||
	    eb_push_wait(push, err) < 0)
		return -1;
	return eb_locked_put(l, err);
}
