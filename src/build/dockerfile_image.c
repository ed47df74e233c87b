/* SPDX-License-Identifier: Apache-2.0 */
/* What buildah made, into the store. Layers of the images that it is made of
 * are known: their blobs stay as they are, so that a registry which has them
 * need not be given them again. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/json.h>
#include <envbuild/layout.h>

#include "dockerfile_base.h"

#define MT_CONFIG "application/vnd.oci.image.config.v1+json"
#define CREATED "org.opencontainers.image.created"

struct result {
	struct eb_dockerfile_making *m;
	const char *dir;
	struct eb_buf config;
	struct eb_manifest image;
	struct eb_digest *diff_id;
	size_t n;
};

static void release(struct result *r)
{
	eb_buf_release(&r->config);
	eb_manifest_release(&r->image);
	free(r->diff_id);
}

static char *path_of(const struct result *r, const struct eb_digest *d)
{
	char hex[EB_HEX_SIZE];

	return eb_path_join(r->dir, eb_digest_hex(d, hex));
}

/* --- layers ----------------------------------------------------------------
 */

/* 1 it is one of an image that it is made of, 0 */
static int take_known(struct result *r, const struct eb_digest *diff_id)
{
	const struct eb_dockerfile_making *m = r->m;

	for (size_t i = 0; i < m->recipe->image.n; i++) {
		const struct eb_base *from = m->from[i];

		for (size_t k = 0; k < from->n_layers; k++) {
			const struct eb_descriptor *d = &from->image.layer[k];

			if (!eb_digest_equal(&from->diff_id[k], diff_id))
				continue;
			eb_manifest_add_layer(&r->image, d->media_type,
					      &d->digest, d->size);
			return 1;
		}
	}
	return 0;
}

/* Under the name of its own digest, which is the diff ID where it is plain. */
static int take_layer(struct result *r, const struct eb_digest *diff_id,
		      const struct eb_digest *written, struct eb_error *err)
{
	eb_autofree char *path = path_of(r, written);
	eb_autofd int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return eb_err_errno(err, EB_STEP, errno,
				    "\"%s\", a layer that buildah made", path);
	return eb_layer_import(r->m->store, fd, (uint64_t)st.st_size, path,
			       diff_id, &r->image, err);
}

static int take_layers(struct result *r, const struct eb_manifest *written,
		       struct eb_error *err)
{
	if (r->n != written->n_layers)
		return eb_err_set(err, EB_STEP,
				  "\"%s\", reading what buildah made: %zu "
				  "layers have %zu diff IDs",
				  r->m->recipe->file.file, written->n_layers,
				  r->n);
	for (size_t i = 0; i < r->n; i++)
		if (!take_known(r, &r->diff_id[i]) &&
		    take_layer(r, &r->diff_id[i], &written->layer[i].digest,
			       err) < 0)
			return -1;
	return 0;
}

/* --- the image -------------------------------------------------------------
 */

static int read_config(struct result *r, const struct eb_digest *digest,
		       struct eb_error *err)
{
	eb_autofree char *path = path_of(r, digest);
	eb_autojson json_t *config = NULL;

	if (eb_read_file(path, EB_MAX_MANIFEST, &r->config, err) < 0)
		return -1;
	config = eb_config_parse(r->config.data, r->config.len, path, err);
	if (!config)
		return -1;
	return eb_config_diff_ids(config, &r->diff_id, &r->n, err);
}

static int put_manifest(struct result *r, struct eb_digest *manifest,
			struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_MANIFEST);
	char now[32];

	r->image.config.media_type = eb_strdup(MT_CONFIG);
	r->image.config.size = r->config.len;
	if (eb_store_put(r->m->store, r->config.data, r->config.len,
			 &r->image.config.digest, err) < 0)
		return -1;
	eb_strv_add(&r->image.annotations, CREATED);
	eb_strv_add(&r->image.annotations, eb_rfc3339(time(NULL), now));
	eb_manifest_format(&r->image, &text);
	return eb_store_put(r->m->store, text.data, text.len, manifest, err);
}

int eb_dockerfile_import(struct eb_dockerfile_making *m, const char *dir,
			 struct eb_digest *manifest, struct eb_error *err)
{
	struct result r EB_CLEANUP(release) = { .m = m, .dir = dir };
	EB_CLEANUP(eb_manifest_release) struct eb_manifest written = { 0 };
	eb_autofree char *path = eb_path_join(dir, "manifest.json");
	EB_AUTOBUF(text, EB_MAX_MANIFEST);

	eb_buf_init(&r.config, EB_MAX_MANIFEST);
	if (eb_read_file(path, EB_MAX_MANIFEST, &text, err) < 0 ||
	    eb_manifest_parse(text.data, text.len, path, &written, err) < 0 ||
	    read_config(&r, &written.config.digest, err) < 0 ||
	    take_layers(&r, &written, err) < 0)
		return -1;
	return put_manifest(&r, manifest, err);
}
