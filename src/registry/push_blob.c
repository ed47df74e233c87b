/* SPDX-License-Identifier: Apache-2.0 */
/* One blob into a repository: mounted from a neighbour that is known to have
 * it, which where it is there already does no harm and saves a question; it is
 * there; else sent from the store; else copied from wherever it is known to
 * be. */
#include <string.h>

#include <envbuild/mem.h>

#include "push_int.h"

/* Looking costs a third of what sending it would. */
#define SMALL ((uint64_t)1 << 20)

/* What keeps us from mounting keeps us from nothing else. */
static bool mount(struct eb_push *p, const struct eb_blob_ref *blob,
		  const char *place)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_repository *from;
	int got = eb_place_open(p->registry, place, &from, &err);

	if (got == 0 && from != p->to && eb_repository_same_host(from, p->to))
		got = eb_blob_mount(p->to, &blob->digest, from, &err);
	if (got < 0)
		eb_detail(p->events, "%s is not mounted from %s: %s",
			  eb_repository_text(p->to), place, err.message);
	eb_err_release(&err);
	return got > 0;
}

/* 1 sent, 0 the store has it not. */
static int send_stored(struct eb_push *p, const struct eb_blob_ref *blob,
		       const char *task, struct eb_error *err)
{
	char name[EB_DIGEST_TEXT];
	eb_autofd int fd = -1;
	uint64_t size = 0;
	int got = eb_store_blob(p->store, &blob->digest, &fd, &size, err);
	struct eb_blob_source source = { .fd = fd, .size = size, .task = task };

	if (got <= 0)
		return got;
	if (size != blob->size)
		return eb_err_set(err, EB_INTEGRITY,
				  "\"%s\", pushing: it is damaged in the store",
				  eb_digest_text(&blob->digest, name));
	return eb_blob_put(p->to, &blob->digest, &source, err) < 0 ? -1 : 1;
}

static int no_source(const struct eb_blob_ref *blob, struct eb_error *err)
{
	char name[EB_DIGEST_TEXT];

	eb_err_set(err, EB_INTEGRITY,
		   "\"%s\", pushing: it is neither in the store nor in a "
		   "registry that is known to have it",
		   eb_digest_text(&blob->digest, name));
	return eb_err_hint(err, "build or pull its image once more");
}

int eb_push_send(struct eb_push *p, const struct eb_blob_ref *blob,
		 const void *data, const char *task, struct eb_error *err)
{
	struct eb_blob_source source = {
		.data = data, .fd = -1, .size = blob->size, .task = task
	};
	int got;

	if (data)
		return eb_blob_put(p->to, &blob->digest, &source, err);
	got = send_stored(p, blob, task, err);
	return got ? (got < 0 ? -1 : 0) : no_source(blob, err);
}

/* Where one place fails the next may do: the last error is told. */
static int copy(struct eb_push *p, const struct eb_blob_ref *blob,
		const struct eb_strv *place, const char *task,
		enum eb_push_way *way, struct eb_error *err)
{
	struct eb_repository *from;
	int got = 0;

	for (size_t i = 0; got <= 0 && i < place->n; i++) {
		eb_err_release(err);
		got = eb_place_open(p->registry, place->v[i], &from, err);
		if (got == 0 && from != p->to)
			got = eb_blob_copy(p->to, from, &blob->digest,
					   blob->size, task, err);
	}
	if (got < 0)
		return -1;
	*way = got == 2 ? EB_PUSH_MOUNTED : EB_PUSH_COPIED;
	return got ? 0 : no_source(blob, err);
}

bool eb_push_mount(struct eb_push *p, const struct eb_blob_ref *blob,
		   const struct eb_strv *place)
{
	for (size_t i = 0; i < place->n; i++)
		if (mount(p, blob, place->v[i]))
			return true;
	return false;
}

/* Sent from the store, or copied. */
static int bring(struct eb_push *p, const struct eb_blob_ref *blob,
		 const struct eb_strv *place, const char *task,
		 enum eb_push_way *way, struct eb_error *err)
{
	int got = send_stored(p, blob, task, err);

	*way = EB_PUSH_SENT;
	if (got)
		return got < 0 ? -1 : 0;
	return copy(p, blob, place, task, way, err);
}

/* 1 it is there already, 0, -1 */
static int look(struct eb_push *p, const struct eb_blob_ref *blob,
		struct eb_error *err)
{
	if (p->first && blob->size <= SMALL)
		return 0;
	return eb_blob_head(p->to, &blob->digest, blob->size, err);
}

int eb_push_one(struct eb_push *p, const struct eb_blob_ref *blob,
		const void *data, const char *task, enum eb_push_way *way,
		struct eb_error *err)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv place = { 0 };
	int got;

	if (!data &&
	    eb_blob_source_find(p->store, &blob->digest, &place, err) < 0)
		return -1;
	*way = EB_PUSH_MOUNTED;
	if (!eb_strv_has(&place, eb_repository_text(p->to)) &&
	    eb_push_mount(p, blob, &place))
		return 0;
	*way = EB_PUSH_THERE;
	got = look(p, blob, err);
	if (got)
		return got < 0 ? -1 : 0;
	if (!data)
		return bring(p, blob, &place, task, way, err);
	*way = EB_PUSH_SENT;
	return eb_push_send(p, blob, data, task, err);
}
