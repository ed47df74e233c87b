/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blobs: writing. The file has no name until its bytes are on disk; then it
 * is linked. On a network file system it has an exclusive name in tmp/ and is
 * renamed.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/str.h>

#include "store_priv.h"

/* The kernel is told to write every so often, so that the sync at the end
 * finds little left to do. */
#define FLUSH_BYTES ((uint64_t)8 << 20)

struct eb_blob_writer {
	struct eb_store *store;
	int fd;
	char *path; /* of a named file, else NULL */
	struct eb_sha256 sha;
	uint64_t size, flushed;
};

static int fail(const struct eb_blob_writer *w, int errnum, const char *doing,
		struct eb_error *err)
{
	char size[32];

	eb_err_errno(err, EB_MACHINE, errnum,
		     "\"%s\", %s after %s of a blob were written",
		     w->store->dir, doing, eb_human_size(w->size, size));
	if (errnum == ENOSPC || errnum == EDQUOT || errnum == EFBIG)
		eb_err_hint(err,
			    "make room (envbuild cache gc removes what no "
			    "image needs), or choose another place for the "
			    "store with --cache-dir");
	return -1;
}

static char *fresh_name(const char *tmp)
{
	uint64_t r = 0;

	if (getrandom(&r, sizeof r, 0) != sizeof r)
		r = (uint64_t)eb_store_now_us() << 20 | (uint64_t)getpid();
	return eb_asprintf("%s/blob-%016" PRIx64, tmp, r);
}

static int open_named(struct eb_blob_writer *w)
{
	do {
		free(w->path);
		w->path = fresh_name(w->store->tmp);
		w->fd = open(w->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
			     0444);
	} while (w->fd < 0 && errno == EEXIST);
	if (w->fd < 0) {
		int keep = errno;

		free(eb_steal(w->path));
		errno = keep;
	}
	return w->fd;
}

static int open_file(struct eb_blob_writer *w)
{
	if (w->store->network)
		return open_named(w);
	w->fd = open(w->store->tmp, O_TMPFILE | O_RDWR | O_CLOEXEC, 0444);
	return w->fd;
}

int eb_blob_begin(struct eb_store *s, struct eb_blob_writer **out,
		  struct eb_error *err)
{
	EB_CLEANUP(eb_blob_abort_ptr) struct eb_blob_writer *w = NULL;

	if (s->readonly)
		return eb_err_set(err, EB_MACHINE,
				  "\"%s\", writing a blob: the store was "
				  "opened for reading",
				  s->dir);
	w = eb_calloc(1, sizeof *w);
	w->store = s;
	if (open_file(w) < 0)
		return fail(w, errno, "making a file", err);
	eb_sha256_init(&w->sha);
	*out = eb_steal(w);
	return 0;
}

static int put_bytes(struct eb_blob_writer *w, const char *p, size_t n,
		     struct eb_error *err)
{
	while (n) {
		ssize_t done = write(w->fd, p, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return fail(w, errno, "writing", err);
		p += done;
		n -= (size_t)done;
		w->size += (uint64_t)done;
	}
	return 0;
}

int eb_blob_write(struct eb_blob_writer *w, const void *p, size_t n,
		  struct eb_error *err)
{
	eb_sha256_add(&w->sha, p, n);
	if (put_bytes(w, p, n, err) < 0)
		return -1;
	if (w->size - w->flushed >= FLUSH_BYTES) {
		sync_file_range(w->fd, (off_t)w->flushed,
				(off_t)(w->size - w->flushed),
				SYNC_FILE_RANGE_WRITE);
		w->flushed = w->size;
	}
	return 0;
}

int eb_blob_write_fd(struct eb_blob_writer *w, int fd, uint64_t offset,
		     uint64_t size, struct eb_error *err)
{
	const size_t piece = 256 << 10;
	eb_autofree char *buffer = eb_malloc(piece);

	while (size) {
		size_t n = size < piece ? size : piece;

		if (eb_pread_all(fd, buffer, n, offset, w->store->dir, err) <
			    0 ||
		    eb_blob_write(w, buffer, n, err) < 0)
			return -1;
		offset += n;
		size -= n;
	}
	return 0;
}

/* A file without name gets one in tmp/, to take the place of a damaged one. */
static int name_it(struct eb_blob_writer *w, struct eb_error *err)
{
	char proc[64];

	snprintf(proc, sizeof proc, "/proc/self/fd/%d", w->fd);
	w->path = fresh_name(w->store->tmp);
	if (linkat(AT_FDCWD, proc, AT_FDCWD, w->path, AT_SYMLINK_FOLLOW) == 0)
		return 0;
	free(eb_steal(w->path));
	return fail(w, errno, "linking", err);
}

static int rename_it(struct eb_blob_writer *w, const char *hex,
		     struct eb_error *err)
{
	if (!w->path && name_it(w, err) < 0)
		return -1;
	if (renameat(AT_FDCWD, w->path, w->store->blobs, hex) < 0)
		return fail(w, errno, "renaming", err);
	free(eb_steal(w->path));
	return 0;
}

static int link_it(struct eb_blob_writer *w, const struct eb_digest *d,
		   struct eb_error *err)
{
	char proc[64], hex[EB_HEX_SIZE];

	eb_digest_hex(d, hex);
	if (fdatasync(w->fd) < 0)
		return fail(w, errno, "syncing", err);
	if (w->path)
		return rename_it(w, hex, err);
	snprintf(proc, sizeof proc, "/proc/self/fd/%d", w->fd);
	if (linkat(AT_FDCWD, proc, w->store->blobs, hex, AT_SYMLINK_FOLLOW) ==
	    0)
		return 0;
	if (errno != EEXIST)
		return fail(w, errno, "linking", err);
	switch (eb_blob_there(w->store, d, (int64_t)w->size, err)) {
	case 1: return 0; /* somebody wrote the same meanwhile */
	case 0: return rename_it(w, hex, err);
	default: return -1;
	}
}

static int check_expected(const struct eb_digest *expect,
			  const struct eb_digest *got, const char *what,
			  struct eb_error *err)
{
	char a[EB_DIGEST_TEXT], b[EB_DIGEST_TEXT];

	if (!expect || eb_digest_equal(expect, got))
		return 0;
	return eb_err_set(err, EB_INTEGRITY,
			  "\"%s\", checking its bytes: they are %s, not %s",
			  what, eb_digest_text(got, b),
			  eb_digest_text(expect, a));
}

int eb_blob_commit(struct eb_blob_writer *w, const struct eb_digest *expect,
		   const char *what, struct eb_digest *digest, uint64_t *size,
		   struct eb_error *err)
{
	EB_CLEANUP(eb_blob_abort_ptr) struct eb_blob_writer *own = w;
	struct eb_digest got;
	int there;

	eb_sha256_end(&own->sha, &got);
	if (check_expected(expect, &got, what, err) < 0)
		return -1;
	there = eb_blob_there(own->store, &got, (int64_t)own->size, err);
	if (there < 0 || (there == 0 && link_it(own, &got, err) < 0))
		return -1;
	if (digest)
		*digest = got;
	if (size)
		*size = own->size;
	return 0;
}

void eb_blob_abort(struct eb_blob_writer *w)
{
	if (!w)
		return;
	if (w->path)
		unlink(w->path);
	free(w->path);
	eb_cleanup_fd(&w->fd);
	free(w);
}

int eb_store_put(struct eb_store *s, const void *p, size_t n,
		 struct eb_digest *digest, struct eb_error *err)
{
	EB_CLEANUP(eb_blob_abort_ptr) struct eb_blob_writer *w = NULL;
	struct eb_digest d;
	int there;

	eb_sha256(p, n, &d);
	if (digest)
		*digest = d;
	there = eb_blob_there(s, &d, (int64_t)n, err);
	if (there != 0)
		return there < 0 ? -1 : 0;
	if (eb_blob_begin(s, &w, err) < 0 || eb_blob_write(w, p, n, err) < 0)
		return -1;
	return eb_blob_commit(eb_steal(w), NULL, "blob", NULL, NULL, err);
}
