/* SPDX-License-Identifier: Apache-2.0 */
/* Importing a local image into the store: which form it has. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/json.h>
#include <envbuild/str.h>

#include "descriptor.h"
#include "import.h"

#define FACT "import"

static void release(struct eb_import *im)
{
	eb_manifest_release(&im->image);
	json_decref(im->config);
	free(im->diff_id);
}

int eb_import_config(struct eb_import *im, const char *text, size_t len,
		     const char *name, size_t n_layers, struct eb_error *err)
{
	im->config = eb_config_parse(text, len, name, err);
	if (!im->config ||
	    eb_config_diff_ids(im->config, &im->diff_id, &im->n, err) < 0)
		return -1;
	if (im->n != n_layers)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" has %zu diff IDs for %zu layers",
				  name, im->n, n_layers);
	return 0;
}

int eb_import_finish(struct eb_import *im, const char *config, size_t len,
		     struct eb_digest *manifest, struct eb_digest *digest,
		     struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_MANIFEST);

	im->image.config.media_type = eb_strdup(EB_MT_CONFIG);
	im->image.config.size = len;
	if (eb_store_put(im->store, config, len, digest, err) < 0)
		return -1;
	im->image.config.digest = *digest;
	eb_manifest_format(&im->image, &text);
	if (text.overflow)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\", making its manifest: more than 4 "
				  "MiB",
				  im->ref->path);
	return eb_store_put(im->store, text.data, text.len, manifest, err);
}

/* An archive that is compressed is unpacked into a file without a name. */
static int unpack_archive(struct eb_store *store, int from, uint64_t size,
			  const char *name, struct eb_error *err)
{
	EB_CLEANUP(eb_stream_free_ptr)
	struct eb_stream *s = eb_import_decompress(from, 0, size, name);
	eb_autofd int fd = eb_unnamed_file(eb_store_tmp(store), err);
	const size_t piece = 256 << 10;
	eb_autofree char *buffer = eb_malloc(piece);
	ssize_t got = fd < 0 ? -1 : 1;

	while (got > 0) {
		got = eb_stream_read(s, buffer, piece, err);
		if (got > 0 &&
		    eb_write_all(fd, buffer, (size_t)got, name, err) < 0)
			got = -1;
	}
	return got < 0 ? -1 : eb_steal_fd(&fd);
}

static bool is_compressed(int fd)
{
	unsigned char h[3] = { 0 };

	if (pread(fd, h, sizeof h, 0) != (ssize_t)sizeof h)
		return false;
	return (h[0] == 0x1f && h[1] == 0x8b) || memcmp(h, "BZh", 3) == 0 ||
	       memcmp(h, "\x28\xb5\x2f", 3) == 0;
}

static int open_archive(struct eb_import *im, struct eb_source *s,
			struct eb_error *err)
{
	const char *path = im->ref->path;
	uint64_t size;
	int fd = eb_open_regular(AT_FDCWD, path, path, &size, err);
	int plain;

	if (fd < 0 || !is_compressed(fd))
		return fd < 0 ? -1 : eb_source_open_tar(s, fd, path, err);
	plain = unpack_archive(im->store, fd, size, path, err);
	close(fd);
	return plain < 0 ? -1 : eb_source_open_tar(s, plain, path, err);
}

typedef int import_fn(struct eb_import *im, const struct eb_source *s,
		      struct eb_digest *manifest, struct eb_digest *digest,
		      struct eb_error *err);

static int from_source(struct eb_import *im, import_fn *fn,
		       struct eb_digest *manifest, struct eb_digest *digest,
		       struct eb_error *err)
{
	struct eb_source s;
	int got = im->ref->kind == EB_REF_OCI
			  ? eb_source_open_dir(&s, im->ref->path, err)
			  : open_archive(im, &s, err);

	if (got < 0)
		return -1;
	got = fn(im, &s, manifest, digest, err);
	eb_source_release(&s);
	return got;
}

static char *fact_key(const struct eb_import *im, const struct eb_digest *file)
{
	char text[EB_DIGEST_TEXT];

	return eb_asprintf("%s %s %s %s",
			   im->ref->kind == EB_REF_ROOTFS ? "rootfs" : "docker",
			   eb_digest_text(file, text), im->platform,
			   im->ref->tag ? im->ref->tag : "");
}

static int all_there(struct eb_store *store, const struct eb_manifest *m,
		     struct eb_error *err)
{
	int got = eb_store_has(store, &m->config.digest, err);
	size_t i;

	for (i = 0; got > 0 && i < m->n_layers; i++)
		got = eb_store_has(store, &m->layer[i].digest, err);
	return got;
}

/* The same file was imported before, and everything is still there. */
static int look_up(struct eb_import *im, const char *key,
		   struct eb_digest *manifest, struct eb_digest *digest,
		   struct eb_error *err)
{
	EB_AUTOBUF(fact, EB_DIGEST_TEXT);
	EB_AUTOBUF(text, EB_MAX_MANIFEST);
	struct eb_manifest m;
	int got = eb_store_find_fact(im->store, FACT, key, &fact, err);

	if (got <= 0)
		return got;
	if (eb_digest_parse(fact.data, manifest) < 0)
		return 0;
	got = eb_store_has(im->store, manifest, err);
	if (got <= 0)
		return got;
	if (eb_store_read(im->store, manifest, EB_MAX_MANIFEST, &text, err) <
		    0 ||
	    eb_manifest_parse(text.data, text.len, im->ref->path, &m, err) < 0)
		return -1;
	*digest = m.config.digest;
	got = all_there(im->store, &m, err);
	eb_manifest_release(&m);
	return got;
}

static int import_file(struct eb_import *im, struct eb_digest *manifest,
		       struct eb_digest *digest, struct eb_error *err)
{
	if (im->ref->kind == EB_REF_ROOTFS)
		return eb_import_rootfs(im, manifest, digest, err);
	return from_source(im, eb_import_docker, manifest, digest, err);
}

/* Forms without a manifest: the file's digest leads to the one made of it. */
static int import_once(struct eb_import *im, struct eb_digest *manifest,
		       struct eb_digest *digest, struct eb_error *err)
{
	char text[EB_DIGEST_TEXT];
	struct eb_digest file, after;
	eb_autofree char *key = NULL;
	int got;

	if (eb_file_digest(im->store, im->ref->path, &file, err) < 0)
		return -1;
	key = fact_key(im, &file);
	got = look_up(im, key, manifest, digest, err);
	if (got)
		return got < 0 ? -1 : 0;
	if (import_file(im, manifest, digest, err) < 0 ||
	    eb_file_digest(im->store, im->ref->path, &after, err) < 0)
		return -1;
	if (!eb_digest_equal(&file, &after))
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" was changed while it was read",
				  im->ref->path);
	return eb_store_put_fact(im->store, FACT, key,
				 eb_digest_text(manifest, text), NULL, err);
}

static int by_kind(struct eb_import *im, struct eb_digest *manifest,
		   struct eb_digest *digest, struct eb_error *err)
{
	eb_autofree char *text = NULL;

	switch (im->ref->kind) {
	case EB_REF_OCI:
	case EB_REF_OCI_ARCHIVE:
		return from_source(im, eb_import_oci, manifest, digest, err);
	case EB_REF_DOCKER_ARCHIVE:
	case EB_REF_ROOTFS: return import_once(im, manifest, digest, err);
	default: break;
	}
	text = eb_reference_format(im->ref);
	return eb_err_set(err, EB_USAGE, "\"%s\" cannot be imported", text);
}

int eb_image_import(struct eb_store *store, const struct eb_reference *ref,
		    const char *platform, struct eb_events *events,
		    struct eb_digest *manifest, struct eb_digest *digest,
		    struct eb_error *err)
{
	struct eb_import im = { .store = store,
				.ref = ref,
				.platform = platform,
				.events = events };
	struct eb_platform checked;
	int got;

	if (eb_platform_parse(platform, &checked, err) < 0)
		return -1;
	got = by_kind(&im, manifest, digest, err);
	release(&im);
	return got;
}
