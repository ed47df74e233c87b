/* SPDX-License-Identifier: Apache-2.0 */
/* Sending a blob: as many goes as are right, by the ladder of ways. */
#include <stdlib.h>
#include <string.h>

#include <envbuild/file.h>

#include "blob.h"

#define GOES 5
#define CHUNK ((uint64_t)4 << 20)

/* Another way than the last one; false: that was the last. */
static bool next_rung(struct eb_upload *u)
{
	if (u->rung == EB_RUNG_CHUNKS)
		return false;
	if (u->rung == EB_RUNG_STREAM &&
	    (!eb_host_takes_chunks(u->at.host->name) || !u->asked_for_it))
		return false;
	u->rung++;
	u->broken = 0;
	u->asked_for_it = false;
	return true;
}

static int hash_fd(const struct eb_blob_source *s, struct eb_digest *out,
		   struct eb_error *err)
{
	enum { STEP = 1 << 18 };
	eb_autofree char *block = eb_malloc(STEP);
	struct eb_sha256 sha;
	uint64_t at = 0;

	eb_sha256_init(&sha);
	while (at < s->size) {
		size_t n = s->size - at < STEP ? (size_t)(s->size - at) : STEP;

		if (eb_pread_all(s->fd, block, n, at, "blob", err) < 0)
			return -1;
		eb_sha256_add(&sha, block, n);
		at += n;
	}
	eb_sha256_end(&sha, out);
	return 0;
}

/* The registry says that these are other bytes. Is it right? */
static int check_ours(const struct eb_upload *u, struct eb_error *err)
{
	const struct eb_blob_source *s = u->source;
	char text[EB_DIGEST_TEXT];
	struct eb_digest have;

	if (!s)
		return 0;
	if (s->data)
		eb_sha256(s->data, (size_t)s->size, &have);
	else if (hash_fd(s, &have, err) < 0)
		return -1;
	if (eb_digest_equal(&have, u->digest))
		return 0;
	return eb_err_set(err, EB_INTEGRITY,
			  "\"%s@%s\": sending the blob: what we have here are "
			  "the bytes of %s",
			  u->repo->text, u->ref, eb_digest_text(&have, text));
}

/* Once more for wrong bytes, then it is an error of theirs. */
static int after_digest(struct eb_upload *u, struct eb_error *err)
{
	struct eb_error ours = EB_ERROR_INIT;

	if (check_ours(u, &ours) < 0) {
		eb_err_release(err);
		eb_err_move(err, &ours);
		return -1;
	}
	if (u->wrong++ == 0)
		return 0;
	err->code = EB_INTEGRITY;
	return -1;
}

/* 0: there is another go */
static int go_on(struct eb_upload *u, enum eb_sent sent, struct eb_error *err)
{
	unsigned goes = u->repo->registry->o.tries;

	if (sent == EB_SENT_RUNG)
		return next_rung(u) ? 0 : -1;
	if (sent == EB_SENT_DIGEST)
		return after_digest(u, err);
	if (sent != EB_SENT_NEW)
		return -1;
	if (++u->tries >= (goes < GOES ? goes : GOES))
		return -1;
	eb_registry_pause(u->repo->registry, u->tries - 1, u->retry_after);
	return 0;
}

static enum eb_sent send_once(struct eb_upload *u, struct eb_error *err)
{
	if (eb_upload_open(u, err) < 0)
		return EB_SENT_FAILED;
	if (u->rung == EB_RUNG_PUT)
		return eb_upload_put(u, true, err);
	if (u->rung == EB_RUNG_STREAM)
		return eb_upload_patch(u, u->size, err);
	return eb_upload_patch(u, u->chunk > CHUNK ? u->chunk : CHUNK, err);
}

static void leave(struct eb_upload *u, enum eb_sent sent)
{
	if (u->location && sent != EB_SENT_DONE && !u->lost)
		eb_upload_drop(u->repo, &u->at, u->location);
	free(u->location);
	u->location = NULL;
	u->lost = false;
}

int eb_upload_run(struct eb_upload *u, struct eb_error *err)
{
	enum eb_sent sent;

	eb_digest_text(u->digest, u->ref);
	if (eb_repository_home(u->repo, &u->at, err) < 0)
		return -1;
	u->repo->written = true;
	u->rung = u->at.host->rung;
	for (;;) {
		sent = send_once(u, err);
		leave(u, sent);
		if (sent == EB_SENT_DONE)
			u->at.host->rung = u->rung;
		if (sent == EB_SENT_DONE || sent == EB_SENT_GONE)
			return sent == EB_SENT_DONE;
		if (go_on(u, sent, err) < 0)
			return -1;
		eb_err_release(err);
	}
}

int eb_blob_put(struct eb_repository *repo, const struct eb_digest *d,
		const struct eb_blob_source *source, struct eb_error *err)
{
	struct eb_upload u = { .repo = repo,
			       .digest = d,
			       .size = source->size,
			       .task = source->task,
			       .source = source };

	return eb_upload_run(&u, err) < 0 ? -1 : 0;
}
