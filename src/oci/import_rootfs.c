/* SPDX-License-Identifier: Apache-2.0 */
/* A root file system's tar becomes an image of one layer. The same tar gives
 * the same configuration. */
#include <fcntl.h>

#include <envbuild/json.h>

#include "import.h"

#define CREATED "1980-01-01T00:00:00Z"

int eb_import_rootfs(struct eb_import *im, struct eb_digest *manifest,
		     struct eb_digest *digest, struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_MANIFEST);
	const char *path = im->ref->path;
	struct eb_piece piece = EB_PIECE_INIT;
	struct eb_digest diff_id;
	int got;

	piece.fd = eb_open_regular(AT_FDCWD, path, path, &piece.size, err);
	piece.owned = true;
	if (piece.fd < 0)
		return -1;
	got = eb_import_layer(im, &piece, path, NULL, &diff_id, err);
	eb_piece_release(&piece);
	if (got < 0)
		return -1;
	im->config = eb_config_new(im->platform);
	eb_config_add_layer(im->config, &diff_id, CREATED, "root file system");
	eb_config_format(im->config, &text);
	return eb_import_finish(im, text.data, text.len, manifest, digest, err);
}
