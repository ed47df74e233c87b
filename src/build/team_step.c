/* SPDX-License-Identifier: Apache-2.0 */
/*
 * step-: results of executed steps. A step need not give the same bytes twice,
 * so the first result there wins: who puts one looks first, and reads back
 * what stands there after it. (Two who put at one instant may both be told
 * their own; whoever asks later is told the one that stayed.)
 */
#include <time.h>

#include "team_artifact.h"

#define MT_RESULT "application/octet-stream"

/* --- a blob into the store -------------------------------------------- */
struct sink {
	struct eb_store *store;
	struct eb_blob_writer *writer;
};

static int take(void *data, const void *p, size_t n, uint64_t offset,
		struct eb_error *err)
{
	struct sink *s = data;

	if (offset == 0) { /* perhaps once more */
		eb_blob_abort(eb_steal(s->writer));
		if (eb_blob_begin(s->store, &s->writer, err) < 0)
			return -1;
	}
	return eb_blob_write(s->writer, p, n, err);
}

static void drop(struct sink *s)
{
	eb_blob_abort(s->writer);
}

static int gone(const struct eb_team *t, const char *tag, struct eb_error *err)
{
	return eb_err_set(err, EB_INTEGRITY,
			  "\"%s:%s\", fetching the result of a step: its blob "
			  "is not there",
			  t->text, tag);
}

static int bring(struct eb_team *t, const char *tag,
		 const struct eb_descriptor *d, struct eb_store *store,
		 struct eb_error *err)
{
	struct sink s EB_CLEANUP(drop) = { .store = store };
	int rc = eb_store_has(store, &d->digest, err);

	if (rc)
		return rc < 0 ? -1 : 0;
	rc = eb_blob_get(t->repo, &d->digest, d->size, tag, take, &s, err);
	if (rc <= 0)
		return rc < 0 ? -1 : gone(t, tag, err);
	if (!s.writer && eb_blob_begin(store, &s.writer, err) < 0)
		return -1;
	return eb_blob_commit(eb_steal(s.writer), &d->digest, tag, NULL, NULL,
			      err);
}

/* --- finding ---------------------------------------------------------- */
int eb_team_step_look(struct eb_team *t, const struct eb_digest *key,
		      struct eb_digest *blob, uint64_t *size,
		      struct eb_error *err)
{
	eb_autofree char *tag = eb_team_tag_of(EB_TAG_STEP, key, NULL);
	EB_CLEANUP(eb_artifact_release) struct eb_artifact a = { 0 };
	const struct eb_descriptor *d;
	int rc = eb_artifact_get(t, tag, EB_MT_STEP, &a, err);

	if (rc <= 0)
		return rc;
	d = eb_artifact_layer(&a, MT_RESULT);
	if (!d)
		return 0;
	*blob = d->digest;
	*size = d->size;
	return 1;
}

static int find(struct eb_team *t, const char *tag, struct eb_store *store,
		struct eb_digest *blob, uint64_t *size, struct eb_error *err)
{
	EB_CLEANUP(eb_artifact_release) struct eb_artifact a = { 0 };
	const struct eb_descriptor *d;
	int rc = eb_artifact_get(t, tag, EB_MT_STEP, &a, err);

	if (rc <= 0)
		return rc;
	d = eb_artifact_layer(&a, MT_RESULT);
	if (!d)
		return gone(t, tag, err);
	if (bring(t, tag, d, store, err) < 0)
		return -1;
	*blob = d->digest;
	*size = d->size;
	return 1;
}

int eb_team_step_find(struct eb_team *t, const struct eb_digest *key,
		      struct eb_store *store, struct eb_digest *blob,
		      uint64_t *size, struct eb_error *err)
{
	eb_autofree char *tag = eb_team_tag_of(EB_TAG_STEP, key, NULL);

	return find(t, tag, store, blob, size, err);
}

/* --- putting ---------------------------------------------------------- */
static int send(struct eb_team *t, struct eb_store *store, const char *tag,
		const struct eb_digest *blob, uint64_t *size,
		struct eb_error *err)
{
	struct eb_blob_source source = { .task = tag };
	char text[EB_DIGEST_TEXT];
	eb_autofd int fd = -1;
	int rc = eb_store_blob(store, blob, &fd, size, err);

	if (rc == 0)
		return eb_err_set(err, EB_INTEGRITY,
				  "\"%s\", sending the result of a step: the "
				  "store has it not",
				  eb_digest_text(blob, text));
	if (rc > 0)
		rc = eb_blob_head(t->repo, blob, *size, err);
	if (rc)
		return rc < 0 ? -1 : 0;
	source.fd = fd;
	source.size = *size;
	return eb_blob_put(t->repo, blob, &source, err);
}

static int put(struct eb_team *t, struct eb_store *store, const char *tag,
	       const struct eb_digest *blob, struct eb_error *err)
{
	EB_CLEANUP(eb_artifact_release)
	struct eb_artifact a = { .time = time(NULL) };
	struct eb_artifact_data data[EB_ARTIFACT_LAYERS] = { 0 };
	uint64_t size;

	if (send(t, store, tag, blob, &size, err) < 0)
		return -1;
	eb_artifact_add(&a, MT_RESULT, blob, size);
	return eb_artifact_put(t, tag, EB_MT_STEP, &a, data, err);
}

/* What is there but damaged is replaced. */
static int look(struct eb_team *t, const char *tag, struct eb_store *store,
		struct eb_digest *blob, uint64_t *size, struct eb_error *err)
{
	int rc = find(t, tag, store, blob, size, err);

	if (rc >= 0 || err->code != EB_INTEGRITY)
		return rc;
	eb_detail(t->events, "%s; it is replaced", err->message);
	eb_err_release(err);
	return 0;
}

int eb_team_step_put(struct eb_team *t, const struct eb_digest *key,
		     struct eb_store *store, struct eb_digest *blob,
		     uint64_t *size, struct eb_error *err)
{
	eb_autofree char *tag = eb_team_tag_of(EB_TAG_STEP, key, NULL);
	struct eb_digest there;
	int rc = look(t, tag, store, &there, size, err);

	if (rc == 0) {
		if (put(t, store, tag, blob, err) < 0)
			return -1;
		rc = find(t, tag, store, &there, size, err);
	}
	if (rc == 0)
		return eb_err_set(err, EB_NETWORK,
				  "\"%s:%s\", reading it back: it is not there",
				  t->text, tag);
	if (rc > 0)
		*blob = there;
	return rc;
}
