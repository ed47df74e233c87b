/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walking a layer that may lie in a registry alone. It is streamed: a thread
 * fetches and verifies, we read behind it through a pipe; nothing touches the
 * disk. What was read counts only when the whole was verified.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/mem.h>
#include <envbuild/stream.h>
#include <envbuild/transfer.h>

#include "base_priv.h"

struct download {
	struct eb_repository *repo;
	const struct eb_descriptor *layer;
	char name[EB_DIGEST_TEXT];
	int to;	 /* our end of the pipe */
	int got; /* of eb_blob_get */
	uint64_t passed;
	struct eb_error err;
};

/* A try that begins again cannot take back what the reader has. */
static int on_bytes(void *data, const void *p, size_t n, uint64_t offset,
		    struct eb_error *err)
{
	struct download *d = data;
	const char *at = p;

	if (offset != d->passed)
		return eb_err_set(err, EB_NETWORK,
				  "\"%s\", reading a layer of the base: the "
				  "download broke off",
				  d->name);
	d->passed += n;
	while (n) {
		ssize_t w = write(d->to, at, n);

		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0)
			return eb_err_errno(err, EB_MACHINE, errno,
					    "\"%s\", reading a layer of the "
					    "base",
					    d->name);
		at += w;
		n -= (size_t)w;
	}
	return 0;
}

static void *fetch(void *arg)
{
	struct download *d = arg;

	d->got = eb_blob_get(d->repo, &d->layer->digest, d->layer->size,
			     d->name, on_bytes, d, &d->err);
	close(d->to);
	return NULL;
}

/* To the end in any case: bytes are verified when all have passed. */
static int read_layer(int fd, struct download *d, eb_member_fn *fn, void *data,
		      struct eb_error *err)
{
	char rest[1 << 14];
	int rc = eb_layer_walk_stream(eb_stream_pipe(fd, d->name),
				      d->layer->size, d->name, fn, data, err);

	while (read(fd, rest, sizeof rest) > 0)
		;
	return rc;
}

static int finish(struct download *d, int rc, struct eb_error *err)
{
	if (d->got > 0)
		return rc;
	eb_err_release(err);
	if (d->got < 0) {
		eb_err_move(err, &d->err);
		return -1;
	}
	return eb_err_set(err, EB_NETWORK,
			  "\"%s\", reading a layer of the base: \"%s\" has it "
			  "no more",
			  d->name, eb_repository_text(d->repo));
}

static int stream_layer(struct download *d, eb_member_fn *fn, void *data,
			struct eb_error *err)
{
	int end[2], rc;
	pthread_t thread;

	if (pipe2(end, O_CLOEXEC) < 0)
		return eb_err_errno(err, EB_MACHINE, errno, "making a pipe");
	d->to = end[1];
	rc = pthread_create(&thread, NULL, fetch, d);
	if (rc) {
		close(end[0]);
		close(end[1]);
		return eb_err_errno(err, EB_MACHINE, rc, "starting a thread");
	}
	rc = read_layer(end[0], d, fn, data, err);
	close(end[0]);
	pthread_join(thread, NULL);
	rc = finish(d, rc, err);
	eb_err_release(&d->err);
	return rc;
}

/* "HOST/REPOSITORY" */
static int open_place(struct eb_registry *registry, const char *place,
		      struct eb_repository **out, struct eb_error *err)
{
	EB_CLEANUP(eb_reference_release) struct eb_reference r = { 0 };

	if (eb_reference_parse(place, &r, err) < 0)
		return -1;
	return eb_repository_open(registry, r.registry, r.repository, out, err);
}

int eb_base_walk_layer(const struct eb_base_from *from,
		       const struct eb_descriptor *layer, eb_member_fn *fn,
		       void *data, struct eb_error *err)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv places = { 0 };
	struct download d = { .layer = layer };
	int got = eb_store_has(from->store, &layer->digest, err);

	if (got < 0)
		return -1;
	if (got == 0 && from->registry &&
	    eb_blob_source_find(from->store, &layer->digest, &places, err) < 0)
		return -1;
	if (got || !places.n)
		return eb_layer_walk(from->store, layer, fn, data, err);
	eb_digest_text(&layer->digest, d.name);
	if (open_place(from->registry, places.v[0], &d.repo, err) < 0)
		return -1;
	return stream_layer(&d, fn, data, err);
}
