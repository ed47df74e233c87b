/* SPDX-License-Identifier: Apache-2.0 */
/* Blobs: whether they are there, reading, removing. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/file.h>

#include "store_priv.h"

static int fail(struct eb_store *s, const struct eb_digest *d,
		const char *doing, struct eb_error *err)
{
	char text[EB_DIGEST_TEXT];

	return eb_err_errno(err, EB_MACHINE, errno, "\"%s\", %s blob %s",
			    s->dir, doing, eb_digest_text(d, text));
}

int eb_blob_there(struct eb_store *s, const struct eb_digest *d, int64_t size,
		  struct eb_error *err)
{
	char hex[EB_HEX_SIZE];
	struct stat st;

	if (fstatat(s->blobs, eb_digest_hex(d, hex), &st,
		    AT_SYMLINK_NOFOLLOW) == 0)
		return S_ISREG(st.st_mode) && (size < 0 || st.st_size == size);
	if (errno == ENOENT)
		return 0;
	return fail(s, d, "looking for", err);
}

int eb_store_has(struct eb_store *s, const struct eb_digest *d,
		 struct eb_error *err)
{
	return eb_blob_there(s, d, -1, err);
}

int eb_store_blob(struct eb_store *s, const struct eb_digest *d, int *fd,
		  uint64_t *size, struct eb_error *err)
{
	char hex[EB_HEX_SIZE];
	eb_autofd int own = -1;
	struct stat st;

	own = openat(s->blobs, eb_digest_hex(d, hex),
		     O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (own < 0 && errno == ENOENT)
		return 0;
	if (own < 0 || fstat(own, &st) < 0)
		return fail(s, d, "opening", err);
	if (size)
		*size = (uint64_t)st.st_size;
	*fd = eb_steal_fd(&own);
	return 1;
}

int eb_store_drop(struct eb_store *s, const struct eb_digest *d,
		  struct eb_error *err)
{
	char hex[EB_HEX_SIZE];

	if (unlinkat(s->blobs, eb_digest_hex(d, hex), 0) == 0 ||
	    errno == ENOENT)
		return 0;
	return fail(s, d, "removing", err);
}

static int damaged(struct eb_store *s, const struct eb_digest *d,
		   const char *how, struct eb_error *err)
{
	char text[EB_DIGEST_TEXT];

	eb_err_set(err, EB_INTEGRITY, "\"%s\", reading blob %s: %s", s->dir,
		   eb_digest_text(d, text), how);
	return eb_err_hint(err, "envbuild cache check removes what is damaged; "
				"the next build makes it again");
}

int eb_store_read(struct eb_store *s, const struct eb_digest *d, size_t max,
		  struct eb_buf *out, struct eb_error *err)
{
	char hex[EB_HEX_SIZE];
	eb_autofd int fd = -1;
	struct eb_digest got;
	size_t before = out->len;
	int found = eb_store_blob(s, d, &fd, NULL, err);

	if (found < 0)
		return -1;
	if (found == 0)
		return damaged(s, d, "it is not there", err);
	if (eb_read_fd(fd, eb_digest_hex(d, hex), max, out, err) < 0)
		return -1;
	eb_sha256(out->data + before, out->len - before, &got);
	if (!eb_digest_equal(d, &got))
		return damaged(s, d, "its bytes are others", err);
	return 0;
}

char *eb_store_blob_path(const struct eb_store *s, const struct eb_digest *d)
{
	char hex[EB_HEX_SIZE];

	return eb_asprintf("%s/blobs/sha256/%s", s->dir, eb_digest_hex(d, hex));
}

int eb_blob_remove(struct eb_store *s, const struct eb_digest *d,
		   struct eb_error *err)
{
	char hex[EB_HEX_SIZE];

	eb_digest_hex(d, hex);
	if (unlinkat(s->blobs, hex, 0) < 0 && errno != ENOENT)
		return fail(s, d, "removing", err);
	if (unlinkat(s->rows, hex, 0) < 0 && errno != ENOENT)
		return fail(s, d, "removing the mark of", err);
	return 0;
}
