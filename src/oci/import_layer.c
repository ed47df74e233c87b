/* SPDX-License-Identifier: Apache-2.0 */
/* Layers of an image that is imported: copied, verified, measured. */
#include <string.h>
#include <unistd.h>

#include <envbuild/str.h>

#include "import.h"
#include "tarfile.h"

#define FACT "diff-id"
#define GROWTH 1000
#define ALWAYS ((uint64_t)1 << 30)

int eb_import_blob(struct eb_store *store, const struct eb_piece *piece,
		   const struct eb_digest *expect, const char *name,
		   struct eb_digest *digest, struct eb_error *err)
{
	struct eb_blob_writer *w;
	int got = expect ? eb_store_has(store, expect, err) : 0;

	if (got > 0)
		*digest = *expect;
	if (got)
		return got < 0 ? -1 : 0;
	if (eb_blob_begin(store, &w, err) < 0)
		return -1;
	if (eb_blob_write_fd(w, piece->fd, piece->offset, piece->size, err) <
	    0) {
		eb_blob_abort(w);
		return eb_err_prefix(err, "\"%s\"", name);
	}
	return eb_blob_commit(w, expect, name, digest, NULL, err);
}

struct eb_stream *eb_import_unpack(struct eb_stream *packed, uint64_t size,
				   const char *name)
{
	uint64_t max = size > ALWAYS / GROWTH ? size * GROWTH : ALWAYS;

	return eb_stream_limit(eb_stream_decompress(packed, name), max, name);
}

struct eb_stream *eb_import_decompress(int fd, uint64_t offset, uint64_t size,
				       const char *name)
{
	return eb_import_unpack(eb_stream_fd(fd, offset, size, name), size,
				name);
}

/* Every byte, as a tar where that is asked for. */
static int read_through(struct eb_stream *plain, const char *name,
			bool check_tar, struct eb_error *err)
{
	EB_CLEANUP(eb_tarfile_free_ptr)
	struct eb_tarfile *t = eb_tarfile_open(plain, name);
	const struct eb_member *m;
	uint64_t members = 0;
	int got = 1;

	while (check_tar && got > 0) {
		got = eb_tarfile_next(t, &m, err);
		members += got > 0;
	}
	if (got < 0 || eb_tarfile_drain(t, err) < 0)
		return -1;
	if (check_tar && members == 0)
		return eb_err_set(err, EB_INPUT, "\"%s\" holds no files", name);
	return 0;
}

static int measure(struct eb_store *store, const struct eb_digest *blob,
		   const char *name, bool check_tar, struct eb_digest *out,
		   struct eb_error *err)
{
	struct eb_stream *plain;
	struct eb_sha256 sha;
	eb_autofd int fd = -1;
	uint64_t size;
	int got = eb_store_blob(store, blob, &fd, &size, err);

	if (got == 0)
		return eb_err_set(err, EB_INTEGRITY,
				  "\"%s\" is gone from the store", name);
	if (got < 0)
		return -1;
	plain = eb_stream_sha256(eb_import_decompress(fd, 0, size, name), &sha,
				 NULL);
	if (read_through(plain, name, check_tar, err) < 0)
		return -1;
	eb_sha256_end(&sha, out);
	return 0;
}

static int remember(struct eb_store *store, const char *key,
		    const struct eb_digest *diff_id, struct eb_error *err)
{
	char text[EB_DIGEST_TEXT];

	return eb_store_put_fact(store, FACT, key,
				 eb_digest_text(diff_id, text), NULL, err);
}

int eb_import_diff_id(struct eb_store *store, const struct eb_digest *blob,
		      const char *name, bool check_tar, struct eb_digest *out,
		      struct eb_error *err)
{
	EB_AUTOBUF(text, EB_DIGEST_TEXT);
	char key[EB_DIGEST_TEXT];
	int got;

	eb_digest_text(blob, key);
	got = eb_store_find_fact(store, FACT, key, &text, err);
	if (got < 0)
		return -1;
	if (got > 0 && eb_digest_parse(text.data, out) == 0)
		return 0;
	if (measure(store, blob, name, check_tar, out, err) < 0)
		return -1;
	return remember(store, key, out, err);
}

const char *eb_import_sniff(const struct eb_piece *piece)
{
	unsigned char head[4];

	if (piece->size < sizeof head ||
	    pread(piece->fd, head, sizeof head, (off_t)piece->offset) !=
		    (ssize_t)sizeof head)
		return NULL;
	if (head[0] == 0x1f && head[1] == 0x8b)
		return EB_MT_LAYER_GZIP;
	return memcmp(head, "\x28\xb5\x2f\xfd", 4) == 0 ? EB_MT_LAYER_ZSTD
							: NULL;
}

static struct eb_stream *unpacked(const struct eb_piece *piece,
				  const char *name)
{
	return eb_import_decompress(piece->fd, piece->offset, piece->size,
				    name);
}

/* Plain, or compressed in a way that images do not know. */
static int compress_layer(struct eb_import *im, const struct eb_piece *piece,
			  const char *name, bool check_tar,
			  struct eb_digest *blob, struct eb_digest *diff_id,
			  struct eb_error *err)
{
	char key[EB_DIGEST_TEXT];
	struct eb_sha256 sha;
	EB_CLEANUP(eb_stream_free_ptr)
	struct eb_stream *plain =
		eb_stream_sha256(unpacked(piece, name), &sha, NULL);

	if ((check_tar &&
	     read_through(unpacked(piece, name), name, true, err) < 0) ||
	    eb_import_gzip(im->store, plain, name, blob, NULL, err) < 0)
		return -1;
	eb_sha256_end(&sha, diff_id);
	return remember(im->store, eb_digest_text(blob, key), diff_id, err);
}

static int add_layer(struct eb_import *im, const char *type,
		     const struct eb_digest *blob, struct eb_error *err)
{
	eb_autofd int fd = -1;
	uint64_t size;

	if (eb_store_blob(im->store, blob, &fd, &size, err) < 0)
		return -1;
	eb_manifest_add_layer(&im->image, type, blob, size);
	return 0;
}

int eb_import_layer(struct eb_import *im, const struct eb_piece *piece,
		    const char *name, const struct eb_digest *expect,
		    struct eb_digest *diff_id, struct eb_error *err)
{
	const char *type = eb_import_sniff(piece);
	char want[EB_DIGEST_TEXT], have[EB_DIGEST_TEXT];
	struct eb_digest blob;
	int got;

	if (type)
		got = eb_import_blob(im->store, piece, NULL, name, &blob, err);
	else
		got = compress_layer(im, piece, name, !expect, &blob, diff_id,
				     err);
	if (got < 0 || eb_import_diff_id(im->store, &blob, name, !expect,
					 diff_id, err) < 0)
		return -1;
	if (expect && !eb_digest_equal(expect, diff_id))
		return eb_err_set(err, EB_INTEGRITY,
				  "\"%s\" has the diff ID %s, where the "
				  "configuration says %s",
				  name, eb_digest_text(diff_id, have),
				  eb_digest_text(expect, want));
	return add_layer(im, type ? type : EB_MT_LAYER_GZIP, &blob, err);
}

int eb_layer_import(struct eb_store *store, int fd, uint64_t size,
		    const char *name, const struct eb_digest *expect,
		    struct eb_manifest *image, struct eb_error *err)
{
	struct eb_import im = { .store = store, .image = *image };
	const struct eb_piece piece = { .fd = fd, .size = size };
	struct eb_digest diff_id;
	int rc = eb_import_layer(&im, &piece, name, expect, &diff_id, err);

	*image = im.image;
	return rc;
}
