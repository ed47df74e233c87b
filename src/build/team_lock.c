/* SPDX-License-Identifier: Apache-2.0 */
/* locked-: the lock with its commentary, the map of its layers, their path
 * lists. */
#include <string.h>

#include "team_artifact.h"
#include "team_map.h"

int eb_team_get_lock(struct eb_team *t, const struct eb_digest *lock,
		     struct eb_buf *text, int64_t *time, struct eb_error *err)
{
	eb_autofree char *tag = eb_team_tag_of(EB_TAG_LOCKED, lock, NULL);
	EB_CLEANUP(eb_artifact_release) struct eb_artifact a = { 0 };
	int rc = eb_artifact_get(t, tag, EB_MT_LOCKED, &a, err);

	if (rc <= 0)
		return rc;
	*time = a.time;
	if (eb_artifact_read(t, &a, tag, EB_MT_LOCK_TEXT, EB_MAX_LOCK, text,
			     err) < 0)
		return -1;
	return 1;
}

int eb_team_get_map(struct eb_team *t, const struct eb_digest *lock,
		    struct eb_known *out, struct eb_error *err)
{
	eb_autofree char *tag = eb_team_tag_of(EB_TAG_LOCKED, lock, NULL);
	eb_autofree char *what = eb_asprintf("%s:%s", t->text, tag);
	EB_CLEANUP(eb_artifact_release) struct eb_artifact a = { 0 };
	EB_AUTOBUF(map, EB_MAX_MAP);
	EB_AUTOBUF(paths, EB_MAX_PATHS);
	int rc = eb_artifact_get(t, tag, EB_MT_LOCKED, &a, err);

	if (rc <= 0)
		return rc;
	if (eb_artifact_unpack(t, &a, tag, EB_MT_MAP, EB_MAX_MAP, &map, err) <
		    0 ||
	    eb_artifact_unpack(t, &a, tag, EB_MT_PATHS, EB_MAX_PATHS, &paths,
			       err) < 0 ||
	    eb_map_parse(map.data, map.len, what, &paths, out, err) < 0)
		return -1;
	return 1;
}

/* --- putting ---------------------------------------------------------- */
/* What is there tells of the same lock, and is as new? A damaged one is
 * replaced. 1 yes, 0, -1. */
static int is_there(struct eb_team *t, const char *tag, int64_t time,
		    struct eb_error *err)
{
	EB_CLEANUP(eb_artifact_release) struct eb_artifact a = { 0 };
	int rc = eb_artifact_get(t, tag, EB_MT_LOCKED, &a, err);

	if (rc < 0 && err->code == EB_INTEGRITY) {
		eb_detail(t->events, "%s; it is replaced", err->message);
		eb_err_release(err);
		return 0;
	}
	return rc > 0 ? a.time >= time : rc;
}

static int pack_map(const struct eb_known *known, struct eb_buf *map,
		    struct eb_buf *paths, struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_MAP);
	EB_AUTOBUF(lists, EB_MAX_PATHS);

	if (eb_map_format(known, &text, &lists, err) < 0)
		return -1;
	eb_team_zstd(text.data, text.len, map);
	eb_team_zstd(lists.data, lists.len, paths);
	if (map->overflow || paths->overflow)
		return eb_err_set(err, EB_INPUT,
				  "the map of the layers is too long");
	return 0;
}

/* The lock's text is a blob of the store and goes in the background. */
static int start_text(struct eb_push *push, struct eb_store *store,
		      const struct eb_lock *lock, struct eb_artifact *a,
		      struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_LOCK);
	struct eb_digest d;

	eb_lock_format(lock, &text);
	if (text.overflow)
		return eb_err_set(err, EB_INPUT,
				  "the lock is longer than %zu bytes",
				  EB_MAX_LOCK);
	if (eb_store_put(store, text.data, text.len, &d, err) < 0)
		return -1;
	eb_artifact_add(a, EB_MT_LOCK_TEXT, &d, text.len);
	eb_push_blob(push, &d, text.len, NULL);
	return 0;
}

static void add_blob(struct eb_artifact *a, struct eb_artifact_data *data,
		     const char *media_type, const struct eb_buf *blob)
{
	struct eb_digest d;

	data[a->n] = (struct eb_artifact_data){ blob->data, blob->len };
	eb_sha256(blob->data, blob->len, &d);
	eb_artifact_add(a, media_type, &d, blob->len);
}

/* 1 MiB more than what may be read, for what zstd adds at worst. */
#define PACKED(n) ((n) + ((size_t)1 << 20))

int eb_team_put_lock(struct eb_team *t, struct eb_push *push,
		     struct eb_store *store, const struct eb_lock *lock,
		     int64_t time, const struct eb_known *map,
		     struct eb_error *err)
{
	EB_CLEANUP(eb_artifact_release) struct eb_artifact a = { .time = time };
	struct eb_artifact_data data[EB_ARTIFACT_LAYERS] = { 0 };
	eb_autofree char *tag = NULL;
	EB_AUTOBUF(packed, PACKED(EB_MAX_MAP));
	EB_AUTOBUF(paths, PACKED(EB_MAX_PATHS));
	struct eb_digest hash;
	int there;

	eb_lock_hash(lock, &hash);
	tag = eb_team_tag_of(EB_TAG_LOCKED, &hash, NULL);
	there = is_there(t, tag, time, err);
	if (there)
		return there < 0 ? -1 : 0;
	if (pack_map(map, &packed, &paths, err) < 0 ||
	    start_text(push, store, lock, &a, err) < 0)
		return -1;
	add_blob(&a, data, EB_MT_MAP, &packed);
	add_blob(&a, data, EB_MT_PATHS, &paths);
	if (eb_push_wait(push, err) < 0)
		return -1;
	return eb_artifact_put(t, tag, EB_MT_LOCKED, &a, data, err);
}
