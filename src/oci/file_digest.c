/* SPDX-License-Identifier: Apache-2.0 */
/* The digest of a file, computed once. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <envbuild/layout.h>
#include <envbuild/mem.h>

#include "source.h"

#define FACT "base"
#define SETTLED_S 2

static char *identity(const struct stat *st)
{
	return eb_asprintf(
		"%ju:%ju:%ju:%jd.%09ld:%jd.%09ld", (uintmax_t)st->st_dev,
		(uintmax_t)st->st_ino, (uintmax_t)st->st_size,
		(intmax_t)st->st_mtim.tv_sec, (long)st->st_mtim.tv_nsec,
		(intmax_t)st->st_ctim.tv_sec, (long)st->st_ctim.tv_nsec);
}

static int look_up(struct eb_store *store, const char *key,
		   struct eb_digest *out, struct eb_error *err)
{
	EB_AUTOBUF(text, EB_DIGEST_TEXT);
	int got;

	if (!store)
		return 0;
	got = eb_store_find_fact(store, FACT, key, &text, err);
	if (got <= 0)
		return got;
	return eb_digest_parse(text.data, out) == 0;
}

/* What has changed just now may change again within one tick of its file
 * system's clock, and would look the same. */
static bool is_settled(const struct stat *st)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec - st->st_ctim.tv_sec > SETTLED_S;
}

/* A store that cannot be written does not remember; that is no error. */
static void remember(struct eb_store *store, const char *key,
		     const struct eb_digest *digest)
{
	struct eb_error ignored = EB_ERROR_INIT;
	char text[EB_DIGEST_TEXT];

	if (eb_store_put_fact(store, FACT, key, eb_digest_text(digest, text),
			      NULL, &ignored) < 0)
		eb_err_release(&ignored);
}

int eb_file_digest(struct eb_store *store, const char *path,
		   struct eb_digest *out, struct eb_error *err)
{
	uint64_t size;
	eb_autofd int fd = eb_open_regular(AT_FDCWD, path, path, &size, err);
	eb_autofree char *before = NULL, *after = NULL;
	struct stat st;
	int got;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) < 0)
		return eb_err_errno(err, EB_OK, errno, "\"%s\", reading", path);
	before = identity(&st);
	got = look_up(store, before, out, err);
	if (got)
		return got < 0 ? -1 : 0;
	if (eb_sha256_fd(fd, out, &size, err) < 0)
		return eb_err_prefix(err, "\"%s\"", path);
	if (fstat(fd, &st) < 0)
		return eb_err_errno(err, EB_OK, errno, "\"%s\", reading", path);
	after = identity(&st);
	if (store && strcmp(before, after) == 0 && is_settled(&st))
		remember(store, after, out);
	return 0;
}
