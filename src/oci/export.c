/* SPDX-License-Identifier: Apache-2.0 */
/* Writing an image of the store to a place outside: what it consists of. */
#include <string.h>

#include <envbuild/json.h>
#include <envbuild/str.h>

#include "export.h"

static int by_digest(const void *a, const void *b)
{
	const struct eb_export_blob *x = a, *y = b;

	return eb_digest_compare(&x->digest, &y->digest);
}

static void list_blobs(struct eb_export *x)
{
	const struct eb_manifest *m = &x->image;
	size_t i, n = 0;

	x->blob = eb_calloc(m->n_layers + 2, sizeof *x->blob);
	x->blob[n++] = (struct eb_export_blob){ x->self.digest, x->self.size };
	x->blob[n++] =
		(struct eb_export_blob){ m->config.digest, m->config.size };
	for (i = 0; i < m->n_layers; i++)
		x->blob[n++] = (struct eb_export_blob){ m->layer[i].digest,
							m->layer[i].size };
	qsort(x->blob, n, sizeof *x->blob, by_digest);
	for (i = 0; i < n; i++) {
		if (x->n == 0 ||
		    by_digest(&x->blob[x->n - 1], &x->blob[i]) != 0)
			x->blob[x->n++] = x->blob[i];
	}
}

static bool is_oci(const char *text, size_t len)
{
	struct eb_error ignored = EB_ERROR_INIT;
	eb_autojson json_t *json = eb_json_parse(text, len, "", &ignored);
	const char *type = eb_json_str(json, "mediaType");

	eb_err_release(&ignored);
	return !type || strcmp(type, EB_MT_MANIFEST) == 0;
}

/* A layout holds OCI's types alone. Docker's manifest becomes OCI's: another
 * digest, the same configuration and layers. */
static int take_text(struct eb_export *x, const struct eb_digest *manifest,
		     struct eb_buf *text, struct eb_error *err)
{
	x->self.digest = *manifest;
	if (!is_oci(text->data, text->len)) {
		eb_buf_reset(text);
		eb_manifest_format(&x->image, text);
		if (eb_store_put(x->store, text->data, text->len,
				 &x->self.digest, err) < 0)
			return -1;
	}
	x->self.media_type = eb_strdup(EB_MT_MANIFEST);
	x->self.size = text->len;
	return 0;
}

static int gather(struct eb_export *x, const struct eb_digest *manifest,
		  const char *platform, struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_MANIFEST);
	char name[EB_DIGEST_TEXT];

	if (eb_platform_parse(platform, &x->platform, err) < 0 ||
	    eb_store_read(x->store, manifest, EB_MAX_MANIFEST, &text, err) <
		    0 ||
	    eb_manifest_parse(text.data, text.len,
			      eb_digest_text(manifest, name), &x->image,
			      err) < 0 ||
	    take_text(x, manifest, &text, err) < 0)
		return -1;
	list_blobs(x);
	return 0;
}

int eb_export_open(const struct eb_export *x, const struct eb_export_blob *b,
		   struct eb_error *err)
{
	char name[EB_DIGEST_TEXT];
	uint64_t size = 0;
	eb_autofd int fd = -1;
	int got = eb_store_blob(x->store, &b->digest, &fd, &size, err);

	if (got < 0)
		return -1;
	if (got == 0 || size != b->size)
		return eb_err_set(err, EB_INTEGRITY,
				  "\"%s\" is %s in the store",
				  eb_digest_text(&b->digest, name),
				  got ? "damaged" : "missing");
	return eb_steal_fd(&fd);
}

static int write_out(struct eb_export *x, const struct eb_reference *to,
		     struct eb_error *err)
{
	eb_autofree char *text = NULL;

	switch (to->kind) {
	case EB_REF_OCI: return eb_export_layout(x, err);
	case EB_REF_OCI_ARCHIVE: return eb_export_archive(x, false, err);
	case EB_REF_DOCKER_ARCHIVE: return eb_export_archive(x, true, err);
	default: break;
	}
	text = eb_reference_format(to);
	return eb_err_set(err, EB_USAGE, "\"%s\" is no place for an image",
			  text);
}

static void release(struct eb_export *x)
{
	eb_descriptor_release(&x->self);
	eb_manifest_release(&x->image);
	free(x->blob);
}

int eb_image_export(struct eb_store *store, const struct eb_digest *manifest,
		    const struct eb_reference *to, const char *tag,
		    const char *platform, struct eb_events *events,
		    struct eb_error *err)
{
	struct eb_export x = { .store = store, .path = to->path };
	eb_autofree char *made = NULL;
	int got;

	x.tag = to->tag ? to->tag : tag;
	if (to->kind == EB_REF_DOCKER_ARCHIVE && !to->tag && tag)
		x.tag = made = eb_asprintf("envbuild:%s", tag);
	got = gather(&x, manifest, platform, err);
	if (got == 0)
		got = write_out(&x, to, err);
	if (got == 0)
		eb_detail(events, "wrote %zu blobs to %s", x.n, to->path);
	release(&x);
	return got;
}
