/* SPDX-License-Identifier: Apache-2.0 */
/* An OCI layout or archive into the store: the manifest as it stands. */
#include <string.h>

#include <envbuild/str.h>

#include "descriptor.h"
#include "import.h"

static int put_text(struct eb_import *im, const struct eb_source *s,
		    const struct eb_descriptor *d, struct eb_buf *text,
		    struct eb_error *err)
{
	if (eb_source_read_blob(s, d, text, err) < 0)
		return -1;
	return eb_store_put(im->store, text->data, text->len, NULL, err);
}

static int copy_layer(struct eb_import *im, const struct eb_source *s,
		      const struct eb_descriptor *d, const char *name,
		      struct eb_error *err)
{
	struct eb_piece piece = EB_PIECE_INIT;
	struct eb_digest digest;
	int got;

	if (eb_source_blob(s, d, &piece, err) < 0)
		return -1;
	got = eb_import_blob(im->store, &piece, &d->digest, name, &digest, err);
	eb_piece_release(&piece);
	return got;
}

static int take_layer(struct eb_import *im, const struct eb_source *s, size_t i,
		      struct eb_error *err)
{
	const struct eb_descriptor *d = &im->image.layer[i];
	char have[EB_DIGEST_TEXT], want[EB_DIGEST_TEXT];
	struct eb_digest diff_id;
	eb_autofree char *name = eb_asprintf("%s/blobs/%s", s->name,
					     eb_digest_text(&d->digest, have));

	if (copy_layer(im, s, d, name, err) < 0 ||
	    eb_import_diff_id(im->store, &d->digest, name, false, &diff_id,
			      err) < 0)
		return -1;
	if (!eb_digest_equal(&diff_id, &im->diff_id[i]))
		return eb_err_set(err, EB_INTEGRITY,
				  "\"%s\" has the diff ID %s, where the "
				  "configuration says %s",
				  name, eb_digest_text(&diff_id, have),
				  eb_digest_text(&im->diff_id[i], want));
	eb_detail(im->events, "base layer %zu of %zu: %s", i + 1,
		  im->image.n_layers, eb_digest_text(&d->digest, have));
	return 0;
}

static int take_config(struct eb_import *im, const struct eb_source *s,
		       struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_MANIFEST);

	if (put_text(im, s, &im->image.config, &text, err) < 0)
		return -1;
	return eb_import_config(im, text.data, text.len, s->name,
				im->image.n_layers, err);
}

static int take_image(struct eb_import *im, const struct eb_source *s,
		      const struct eb_descriptor *d, struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_MANIFEST);
	size_t i;

	if (put_text(im, s, d, &text, err) < 0 ||
	    eb_manifest_parse(text.data, text.len, s->name, &im->image, err) <
		    0 ||
	    take_config(im, s, err) < 0)
		return -1;
	for (i = 0; i < im->image.n_layers; i++) {
		if (take_layer(im, s, i, err) < 0)
			return -1;
	}
	return 0;
}

int eb_import_oci(struct eb_import *im, const struct eb_source *s,
		  struct eb_digest *manifest, struct eb_digest *digest,
		  struct eb_error *err)
{
	struct eb_descriptor d;
	int got;

	if (eb_source_resolve(s, im->ref->tag, im->platform, &d, err) < 0)
		return -1;
	got = take_image(im, s, &d, err);
	*manifest = *digest = d.digest;
	eb_descriptor_release(&d);
	return got;
}
