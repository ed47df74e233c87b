/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the pusher share. */
#ifndef EB_PUSH_INT_H
#define EB_PUSH_INT_H

#include <pthread.h>
#include <stdatomic.h>

#include <envbuild/pool.h>
#include <envbuild/transfer.h>

#include "image_blobs.h"

struct eb_digests { /* sorted, each once */
	struct eb_digest *v;
	size_t n, alloc;
};
/* push_digests.c: false when it was there (was not there) */
bool eb_digests_add(struct eb_digests *set, const struct eb_digest *d);
bool eb_digests_remove(struct eb_digests *set, const struct eb_digest *d);
void eb_digests_release(struct eb_digests *set);

struct eb_push {
	struct eb_registry *registry;
	struct eb_repository *to;
	struct eb_store *store;
	struct eb_events *events;
	struct eb_pool *pool;
	atomic_bool ending;
	bool first;		 /* nothing is expected there */
	pthread_mutex_t mutex;	 /* of what follows */
	struct eb_digests seen;	 /* queued, and not failed since */
	struct eb_digests fresh; /* there, and not yet remembered as source */
	struct eb_push_totals totals;
	unsigned queued, done;
};

/* How a blob came to be there. */
enum eb_push_way {
	EB_PUSH_NOT,
	EB_PUSH_THERE,
	EB_PUSH_MOUNTED,
	EB_PUSH_SENT,
	EB_PUSH_COPIED
};
/* push_blob.c: sent without looking whether it is there: `data`, or what the
 * store has (NULL); 0 or -1. */
int eb_push_send(struct eb_push *p, const struct eb_blob_ref *blob,
		 const void *data, const char *task, struct eb_error *err);
/* push_blob.c: from a neighbour that the store knows; an error is none, for
 * there are other ways. */
bool eb_push_mount(struct eb_push *p, const struct eb_blob_ref *blob,
		   const struct eb_strv *place);
/* push_blob.c: make sure that it is there; `data` may be NULL. 0 or -1. */
int eb_push_one(struct eb_push *p, const struct eb_blob_ref *blob,
		const void *data, const char *task, enum eb_push_way *way,
		struct eb_error *err);

/* push.c: these are there; remember the repository as a source of them. */
void eb_push_remember(struct eb_push *p, const struct eb_digests *there);
/* To be looked for once more when it is queued again. */
void eb_push_forget(struct eb_push *p, const struct eb_digest *d);

#endif
