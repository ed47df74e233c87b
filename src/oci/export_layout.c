/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Into an OCI layout, new or existing. Blobs first, each complete before it
 * has its name; index.json last, by rename: at every moment the folder is a
 * layout with the old images or with ours beside them. One writer at a time.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/json.h>
#include <envbuild/str.h>

#include "export.h"
#include "index_pick.h"

#define LOCK ".envbuild.lock"
#define PART ".envbuild.part"

struct layout {
	struct eb_export *x;
	char *blobs, *part, *lock;
	int lock_fd;
};

/* What a killed writer may have left in a folder that is to be a layout. */
static bool is_ours(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
	       eb_starts(name, LOCK) || eb_starts(name, PART) ||
	       eb_starts(name, "oci-layout");
}

static int need_empty(const char *path, struct eb_error *err)
{
	DIR *dir = opendir(path);
	struct dirent *e;
	int got = 0;

	if (!dir)
		return eb_err_errno(err, EB_OK, errno, "\"%s\", reading", path);
	while (got == 0 && (e = readdir(dir))) {
		if (!is_ours(e->d_name))
			got = eb_err_set(err, EB_INPUT,
					 "\"%s\" has \"%s\" and is not an OCI "
					 "image layout",
					 path, e->d_name);
	}
	closedir(dir);
	return got;
}

/* The temporary names of eb_write_file(), of a writer that was killed. */
static bool is_left_over(const char *name)
{
	size_t n = strlen(name);

	return (eb_starts(name, "index.json.") && n == 17) ||
	       (eb_starts(name, "oci-layout.") && n == 17);
}

static void sweep(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		if (is_left_over(e->d_name))
			unlinkat(dirfd(dir), e->d_name, 0);
	}
	if (dir)
		closedir(dir);
}

static int check_version(const char *path, struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_MANIFEST);
	eb_autojson json_t *json = NULL;
	const char *version;

	if (eb_read_file(path, EB_MAX_MANIFEST, &text, err) < 0)
		return -1;
	json = eb_json_parse(text.data, text.len, path, err);
	if (!json)
		return -1;
	version = eb_json_str(json, "imageLayoutVersion");
	if (version && eb_starts(version, "1."))
		return 0;
	return eb_err_set(err, EB_INPUT,
			  "\"%s\" is not of an OCI image layout of version 1",
			  path);
}

static int make_layout(struct layout *l, struct eb_error *err)
{
	const char *dir = l->x->path;
	eb_autofree char *mark = eb_path_join(dir, "oci-layout");

	if (eb_path_exists(mark))
		return check_version(mark, err);
	if (need_empty(dir, err) < 0)
		return -1;
	return eb_write_file(mark, EB_OCI_LAYOUT, strlen(EB_OCI_LAYOUT), 0644,
			     err);
}

/* 1 the blob is there and good, 0 it is to be written. */
static int is_there(const char *to, const struct eb_export_blob *b, int from,
		    struct eb_error *err)
{
	eb_autofd int fd = open(to, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat own, theirs;
	struct eb_digest have;

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0 || fstat(fd, &theirs) < 0 || fstat(from, &own) < 0)
		return eb_err_errno(err, EB_OK, errno, "\"%s\", opening", to);
	if (theirs.st_dev == own.st_dev && theirs.st_ino == own.st_ino)
		return 1;
	if (!S_ISREG(theirs.st_mode) || (uint64_t)theirs.st_size != b->size)
		return 0;
	if (eb_sha256_fd(fd, &have, NULL, err) < 0)
		return -1;
	return eb_digest_equal(&have, &b->digest);
}

static int copy(struct layout *l, const struct eb_export_blob *b, int from,
		const char *to, struct eb_error *err)
{
	eb_autofd int fd =
		open(l->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

	if (fd < 0)
		return eb_err_errno(err, EB_MACHINE, errno, "\"%s\", making",
				    l->part);
	if (eb_copy_fd(fd, from, 0, b->size, to, err) < 0)
		return -1;
	if (fsync(fd) < 0)
		return eb_err_errno(err, EB_MACHINE, errno, "\"%s\", syncing",
				    to);
	return 0;
}

static bool link_is_refused(int errnum)
{
	return errnum == EXDEV || errnum == EPERM || errnum == EACCES ||
	       errnum == EMLINK || errnum == EOPNOTSUPP || errnum == ENOSYS;
}

static int place_blob(struct layout *l, const struct eb_export_blob *b,
		      struct eb_error *err)
{
	eb_autofree char *own = eb_store_blob_path(l->x->store, &b->digest);
	eb_autofd int from = eb_export_open(l->x, b, err);
	eb_autofree char *to = NULL;
	char hex[EB_HEX_SIZE];
	int there;

	if (from < 0)
		return -1;
	to = eb_path_join(l->blobs, eb_digest_hex(&b->digest, hex));
	there = is_there(to, b, from, err);
	if (there)
		return there < 0 ? -1 : 0;
	unlink(l->part);
	if (link(own, l->part) < 0) {
		if (!link_is_refused(errno))
			return eb_err_errno(err, EB_MACHINE, errno,
					    "\"%s\", linking", to);
		if (copy(l, b, from, to, err) < 0)
			return -1;
	}
	if (rename(l->part, to) < 0)
		return eb_err_errno(err, EB_MACHINE, errno, "\"%s\", renaming",
				    to);
	return 0;
}

static int sync_dir(const char *path, struct eb_error *err)
{
	eb_autofd int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || (fsync(fd) < 0 && errno != EINVAL))
		return eb_err_errno(err, EB_MACHINE, errno, "\"%s\", syncing",
				    path);
	return 0;
}

static int place_blobs(struct layout *l, struct eb_error *err)
{
	eb_autofree char *above = eb_path_join(l->x->path, "blobs");
	size_t i;

	if (eb_mkdirs(l->blobs, 0755, err) < 0)
		return -1;
	for (i = 0; i < l->x->n; i++) {
		if (place_blob(l, &l->x->blob[i], err) < 0)
			return -1;
	}
	if (sync_dir(l->blobs, err) < 0 || sync_dir(above, err) < 0)
		return -1;
	return sync_dir(l->x->path, err);
}

static int write_index(struct layout *l, struct eb_error *err)
{
	eb_autofree char *path = eb_path_join(l->x->path, "index.json");
	EB_AUTOBUF(text, EB_MAX_MANIFEST);
	EB_AUTOBUF(made, EB_MAX_MANIFEST);
	eb_autojson json_t *old = NULL, *index = NULL;

	if (eb_path_exists(path)) {
		if (eb_read_file(path, EB_MAX_MANIFEST, &text, err) < 0)
			return -1;
		old = eb_index_parse(text.data, text.len, path, err);
		if (!old)
			return -1;
	}
	index = eb_export_index(l->x, old);
	eb_json_canonical(index, &made);
	if (made.overflow)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\", writing: more than 4 MiB", path);
	return eb_write_file(path, made.data, made.len, 0644, err);
}

static int write_layout(struct layout *l, struct eb_error *err)
{
	int got;

	if (eb_mkdirs(l->x->path, 0755, err) < 0 ||
	    eb_lock_file(l->lock, true, &l->lock_fd, err) < 0)
		return -1;
	sweep(l->x->path);
	got = make_layout(l, err);
	if (got == 0)
		got = place_blobs(l, err);
	if (got == 0)
		got = write_index(l, err);
	unlink(l->part);
	unlink(l->lock);
	return got;
}

int eb_export_layout(struct eb_export *x, struct eb_error *err)
{
	struct layout l = { x, NULL, NULL, NULL, -1 };
	int got;

	l.blobs = eb_path_join(x->path, "blobs/sha256");
	l.part = eb_path_join(x->path, PART);
	l.lock = eb_path_join(x->path, LOCK);
	got = write_layout(&l, err);
	eb_cleanup_fd(&l.lock_fd);
	free(l.blobs);
	free(l.part);
	free(l.lock);
	return got;
}
