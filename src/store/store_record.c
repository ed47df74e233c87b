/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records: blobs that hold a row of the index. Each has a second name in
 * rows/: only what the store itself marked so is believed when the index is
 * made anew, for the bytes of other blobs are chosen by whoever runs a
 * channel. A link costs a fraction of a new file; where the file system has no
 * links, an empty file serves.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "store_priv.h"

static int mark_by_file(struct eb_store *s, const char *hex)
{
	eb_autofd int fd = openat(
		s->rows, hex, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);

	return fd < 0 ? -1 : 0;
}

int eb_record_mark(struct eb_store *s, const struct eb_digest *d,
		   struct eb_error *err)
{
	char hex[EB_HEX_SIZE];

	eb_digest_hex(d, hex);
	if (linkat(s->blobs, hex, s->rows, hex, 0) == 0 || errno == EEXIST)
		return 0;
	if (errno != ENOENT && mark_by_file(s, hex) == 0)
		return 0;
	if (errno == EEXIST)
		return 0;
	return eb_err_errno(err, EB_MACHINE, errno,
			    "\"%s\", marking the record %s", s->dir, hex);
}

int eb_record_put(struct eb_store *s, const struct eb_buf *text,
		  struct eb_digest *digest, struct eb_error *err)
{
	if (eb_store_put(s, text->data, text->len, digest, err) < 0)
		return -1;
	return eb_record_mark(s, digest, err);
}
