/* SPDX-License-Identifier: Apache-2.0 */
/* Blobs on their way into a repository. */
#ifndef EB_REGISTRY_BLOB_H
#define EB_REGISTRY_BLOB_H

#include "registry_int.h"

/* blob_head.c: *size 0: any; then what the registry says */
int eb_blob_head_at(struct eb_repository *repo, const struct eb_where *at,
		    const struct eb_digest *d, uint64_t *size,
		    struct eb_error *err);

/* One blob that is being sent. */
struct eb_upload {
	/* filled by the caller */
	struct eb_repository *repo;
	const struct eb_digest *digest;
	uint64_t size;
	const char *task;
	const struct eb_blob_source *source; /* ours, or NULL: */
	struct eb_repository *from;	     /* another registry's, */
	struct eb_where from_at;	     /* read there */
	/* how it goes */
	struct eb_where at;
	char ref[EB_DIGEST_TEXT];
	char *location;	      /* of the open upload, or NULL */
	uint64_t chunk;	      /* at least, as the registry says */
	struct eb_sha256 sha; /* of the pieces of `from` that came */
	uint64_t hashed;
	enum eb_rung rung;
	bool asked_for_it; /* the rung, by the registry's words */
	bool lost;	   /* the registry knows nothing of it any more */
	unsigned tries, broken, wrong;
	unsigned retry_after;
};

/* How one go ended. All but DONE and GONE have err filled, for the case that
 * there is no further one. */
enum eb_sent {
	EB_SENT_DONE,
	EB_SENT_NEW,	/* once more, from byte 0 */
	EB_SENT_RUNG,	/* another way */
	EB_SENT_DIGEST, /* the registry got other bytes */
	EB_SENT_GONE,	/* the source has it no more */
	EB_SENT_FAILED,
};

/* blob_put.c: all the goes that it takes; 1, 0 gone, -1 */
int eb_upload_run(struct eb_upload *u, struct eb_error *err);
/* blob_open.c */
int eb_upload_open(struct eb_upload *u, struct eb_error *err);
/* Best effort: what is open is of no use any more. */
void eb_upload_drop(struct eb_repository *repo, const struct eb_where *at,
		    const char *location);
/* blob_send.c */
enum eb_sent eb_upload_put(struct eb_upload *u, bool whole,
			   struct eb_error *err);
struct eb_call eb_upload_call(const struct eb_upload *u, const char *method);
/* Bytes of the source as the body of `c`. Their answer is in c, as that of
 * eb_call(). GONE, DONE (there is an answer), else as it has to go on. */
enum eb_sent eb_upload_send(struct eb_upload *u, struct eb_call *c,
			    uint64_t from, uint64_t n, struct eb_error *err);
/* blob_patch.c: pieces of at most `chunk` bytes, then the PUT */
enum eb_sent eb_upload_patch(struct eb_upload *u, uint64_t chunk,
			     struct eb_error *err);
/* blob_verdict.c */
enum eb_sent eb_upload_verdict(struct eb_upload *u, struct eb_call *c,
			       struct eb_error *err);
/* `err` is that of a call that got no answer. */
enum eb_sent eb_upload_broken(struct eb_upload *u, const struct eb_call *c,
			      const struct eb_error *err);
/* blob_pipe.c */
enum eb_sent eb_upload_pipe(struct eb_upload *u, struct eb_call *c,
			    uint64_t from, uint64_t n, struct eb_error *err);
int eb_upload_fetch(struct eb_upload *u, uint64_t from, uint64_t n,
		    struct eb_buf *out, struct eb_error *err);

#endif
