/* SPDX-License-Identifier: Apache-2.0 */
/* Artifacts between memory and the team's repository. */
#include <string.h>
#include <zstd.h>

#include <envbuild/stream.h>

#include "team_artifact.h"

/* Lists of paths become smaller by it than by 3, in a third of the time. */
#define ZSTD_LEVEL 1
/* 8 MiB: what that level needs of memory at most, and more */
#define ZSTD_WINDOW_LOG 23

static char *name_of(const struct eb_team *t, const char *tag)
{
	return eb_asprintf("%s:%s", t->text, tag);
}

/* --- getting ---------------------------------------------------------- */
int eb_artifact_get(struct eb_team *t, const char *tag, const char *type,
		    struct eb_artifact *out, struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_REMOTE_MANIFEST);
	eb_autofree char *what = name_of(t, tag);
	struct eb_remote remote;
	int rc;

	memset(out, 0, sizeof *out);
	rc = eb_manifest_get(t->repo, tag, &text, &remote, err);
	if (rc <= 0)
		return rc;
	if (eb_artifact_parse(text.data, text.len, what, type, out, err) < 0)
		return -1;
	/* what stands there has its blobs, and so this one */
	__atomic_store_n(&t->empty_there, true, __ATOMIC_RELAXED);
	return 1;
}

static int no_blob(const struct eb_team *t, const char *what,
		   const char *media_type, struct eb_error *err)
{
	return eb_err_set(err, EB_INTEGRITY,
			  "\"%s:%s\", reading its \"%s\": it is not there",
			  t->text, what, media_type);
}

int eb_artifact_read(struct eb_team *t, const struct eb_artifact *a,
		     const char *what, const char *media_type, size_t max,
		     struct eb_buf *out, struct eb_error *err)
{
	const struct eb_descriptor *d = eb_artifact_layer(a, media_type);
	int rc;

	if (!d)
		return no_blob(t, what, media_type, err);
	if (d->size > max)
		return eb_err_set(err, EB_INTEGRITY,
				  "\"%s:%s\", reading its \"%s\": it is longer "
				  "than %zu bytes",
				  t->text, what, media_type, max);
	rc = eb_blob_read(t->repo, &d->digest, max, out, err);
	return rc == 0 ? no_blob(t, what, media_type, err) : rc < 0 ? -1 : 0;
}

static int unpack(struct eb_stream *in, const char *name, size_t max,
		  struct eb_buf *out, struct eb_error *err)
{
	const size_t piece = 256 << 10, start = out->len;
	eb_autofree char *buffer = eb_malloc(piece);
	ssize_t got;

	while ((got = eb_stream_read(in, buffer, piece, err)) > 0)
		if ((size_t)got > max - (out->len - start) ||
		    eb_buf_add(out, buffer, (size_t)got) < 0)
			return eb_err_set(err, EB_INTEGRITY,
					  "\"%s\", unpacking: there are more "
					  "than %zu bytes",
					  name, max);
	return (int)got;
}

int eb_team_unzstd(const void *p, size_t n, const char *name, size_t max,
		   struct eb_buf *out, struct eb_error *err)
{
	EB_CLEANUP(eb_stream_free_ptr)
	struct eb_stream *in =
		eb_stream_unzstd(eb_stream_mem(p, n), ZSTD_WINDOW_LOG, name);

	if (unpack(in, name, max, out, err) == 0)
		return 0;
	err->code = EB_INTEGRITY; /* a window beyond the limit, too */
	return -1;
}

void eb_team_zstd(const void *p, size_t n, struct eb_buf *out)
{
	size_t most = ZSTD_compressBound(n), size;

	if (eb_buf_reserve(out, most) < 0)
		return;
	size = ZSTD_compress(out->data + out->len, most, p, n, ZSTD_LEVEL);
	if (ZSTD_isError(size)) /* with room for the bound: no memory */
		eb_oom();
	out->len += size;
	out->data[out->len] = '\0';
}

int eb_artifact_unpack(struct eb_team *t, const struct eb_artifact *a,
		       const char *what, const char *media_type, size_t max,
		       struct eb_buf *out, struct eb_error *err)
{
	EB_AUTOBUF(packed, max);
	eb_autofree char *name = name_of(t, what);

	if (eb_artifact_read(t, a, what, media_type, max, &packed, err) < 0)
		return -1;
	return eb_team_unzstd(packed.data, packed.len, name, max, out, err);
}

/* --- putting ---------------------------------------------------------- */
static int send(struct eb_team *t, const struct eb_digest *d, const void *p,
		size_t n, struct eb_error *err)
{
	struct eb_blob_source source = { .data = p, .fd = -1, .size = n };

	return eb_blob_put(t->repo, d, &source, err);
}

int eb_team_put_blob(struct eb_team *t, const struct eb_digest *d,
		     const void *p, size_t n, struct eb_error *err)
{
	int there = eb_blob_head(t->repo, d, n, err);

	return there == 0 ? send(t, d, p, n, err) : there < 0 ? -1 : 0;
}

/* Looked for once: it is the same for all. */
static int put_empty(struct eb_team *t, bool again, struct eb_error *err)
{
	struct eb_digest d;

	eb_sha256("{}", 2, &d);
	if (!again && __atomic_load_n(&t->empty_there, __ATOMIC_RELAXED))
		return 0;
	if (again ? send(t, &d, "{}", 2, err) < 0
		  : eb_team_put_blob(t, &d, "{}", 2, err) < 0)
		return -1;
	__atomic_store_n(&t->empty_there, true, __ATOMIC_RELAXED);
	return 0;
}

void eb_artifact_send_empty(struct eb_team *t, struct eb_push *push)
{
	struct eb_digest d;

	if (__atomic_load_n(&t->empty_there, __ATOMIC_RELAXED))
		return;
	eb_sha256("{}", 2, &d);
	eb_push_data(push, &d, "{}", 2, NULL);
}

static int put_blobs(struct eb_team *t, const struct eb_artifact *a,
		     const struct eb_artifact_data *data, bool again,
		     struct eb_error *err)
{
	for (size_t i = 0; i < a->n; i++)
		if (data[i].data && send(t, &a->layer[i].digest, data[i].data,
					 data[i].size, err) < 0)
			return -1;
	return put_empty(t, again, err);
}

int eb_artifact_point(struct eb_team *t, const char *tag, const char *type,
		      struct eb_artifact *a,
		      const struct eb_artifact_data *data, struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_REMOTE_MANIFEST);

	eb_artifact_format(a, type, &text);
	eb_sha256(text.data, text.len, &a->digest);
	if (eb_manifest_put(t->repo, tag, EB_MT_MANIFEST, text.data, text.len,
			    NULL, err) == 0)
		return 0;
	if (err->code != EB_NO)
		return -1;
	eb_err_release(err); /* a blob went meanwhile: all of them once more */
	if (put_blobs(t, a, data, true, err) < 0)
		return -1;
	return eb_manifest_put(t->repo, tag, EB_MT_MANIFEST, text.data,
			       text.len, NULL, err);
}

int eb_artifact_put(struct eb_team *t, const char *tag, const char *type,
		    struct eb_artifact *a, const struct eb_artifact_data *data,
		    struct eb_error *err)
{
	return put_blobs(t, a, data, false, err) < 0
		       ? -1
		       : eb_artifact_point(t, tag, type, a, data, err);
}
