/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of a source distribution in a folder. Links come last, so that
 * nothing is ever written through one.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/file.h>

#include "sdist_int.h"

struct unpacking {
	const char *file, *dir;
	struct eb_strv link, target;
};

static void release(struct unpacking *u)
{
	eb_strv_release(&u->link);
	eb_strv_release(&u->target);
}

static int fail(const struct unpacking *u, const char *path, int errnum,
		struct eb_error *err)
{
	if (errnum == EEXIST || errnum == ENOTDIR || errnum == EISDIR)
		return eb_err_set(
			err, EB_INPUT,
			"\"%s\" has a file and a folder, or two links, "
			"\"%s\"",
			u->file, path);
	return eb_err_errno(err, EB_MACHINE, errnum, "\"%s\", unpacking \"%s\"",
			    u->file, path);
}

/* Folders above it; none of them is a link. */
static int make_parents(const struct unpacking *u, const char *path,
			struct eb_error *err)
{
	eb_autofree char *folder = eb_path_join(u->dir, path);
	struct eb_error why EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	*strrchr(folder, '/') = '\0';
	if (eb_mkdirs(folder, 0755, &why) < 0)
		return fail(u, path, errno, err);
	return 0;
}

/* Of two files with one path the later one stays, as with any tar. */
static int create(const struct unpacking *u, const char *path, bool executable,
		  struct eb_error *err)
{
	eb_autofree char *full = eb_path_join(u->dir, path);
	int fd;

	if (make_parents(u, path, err) < 0)
		return -1;
	if (unlink(full) < 0 && errno != ENOENT)
		return fail(u, path, errno, err);
	fd = open(full, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		  0600);
	if (fd < 0)
		return fail(u, path, errno, err);
	fchmod(fd, executable ? 0755 : 0644);
	return fd;
}

static void set_time(int fd, int64_t mtime)
{
	const struct timespec times[2] = { { .tv_sec = mtime },
					   { .tv_sec = mtime } };

	futimens(fd, times);
}

static int write_file(const struct unpacking *u,
		      const struct eb_sdist_member *m,
		      struct eb_sdist_archive *a, struct eb_error *err)
{
	eb_autofd int fd = create(u, m->path, m->executable, err);
	uint64_t size = 0;
	char chunk[32 << 10];
	ssize_t n;

	if (fd < 0)
		return -1;
	while ((n = eb_sdist_content(a, chunk, sizeof chunk, err)) > 0) {
		if (eb_write_all(fd, chunk, (size_t)n, m->path, err) < 0)
			return -1;
		size += (uint64_t)n;
	}
	if (n < 0)
		return -1;
	if (size != m->size)
		return eb_err_set(err, EB_INTEGRITY,
				  "\"%s\" has a member \"%s\" that breaks off",
				  u->file, m->path);
	set_time(fd, m->mtime);
	return 0;
}

static int copy_file(const struct unpacking *u, const struct eb_sdist_member *m,
		     struct eb_error *err)
{
	eb_autofree char *from = eb_path_join(u->dir, m->target);
	eb_autofd int in = open(from, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	eb_autofd int out = -1;
	struct stat st;

	if (in < 0 || fstat(in, &st) < 0 || !S_ISREG(st.st_mode))
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" has a member \"%s\" that links to "
				  "\"%s\", which is no file before it",
				  u->file, m->path, m->target);
	out = create(u, m->path, st.st_mode & 0111, err);
	if (out < 0 ||
	    eb_copy_fd(out, in, 0, (uint64_t)st.st_size, m->path, err) < 0)
		return -1;
	set_time(out, st.st_mtime);
	return 0;
}

static int make_folder(const struct unpacking *u, const char *path,
		       struct eb_error *err)
{
	eb_autofree char *full = eb_path_join(u->dir, path);
	struct stat st;

	if (make_parents(u, path, err) < 0)
		return -1;
	if (mkdir(full, 0755) == 0)
		return 0;
	if (lstat(full, &st) < 0 || !S_ISDIR(st.st_mode))
		return fail(u, path, EEXIST, err);
	return 0;
}

static int take(void *data, const struct eb_sdist_member *m,
		struct eb_sdist_archive *a, struct eb_error *err)
{
	struct unpacking *u = data;

	switch (m->type) {
	case EB_SDIST_FILE: return write_file(u, m, a, err);
	case EB_SDIST_DIR: return make_folder(u, m->path, err);
	case EB_SDIST_HARD: return copy_file(u, m, err);
	case EB_SDIST_LINK: break;
	}
	eb_strv_add(&u->link, m->path);
	eb_strv_add(&u->target, m->target);
	return 0;
}

/* All folders first: none of them can be a link then. */
static int make_links(const struct unpacking *u, struct eb_error *err)
{
	for (size_t i = 0; i < u->link.n; i++)
		if (make_parents(u, u->link.v[i], err) < 0)
			return -1;
	for (size_t i = 0; i < u->link.n; i++) {
		eb_autofree char *full = eb_path_join(u->dir, u->link.v[i]);

		if (symlink(u->target.v[i], full) < 0)
			return fail(u, u->link.v[i], errno, err);
	}
	return 0;
}

int eb_sdist_unpack(int fd, const char *file,
		    const struct eb_wheel_limits *limits, const char *dir,
		    struct eb_error *err)
{
	struct unpacking u EB_CLEANUP(release) = { .file = file, .dir = dir };

	if (eb_sdist_walk(fd, file, limits, take, &u, NULL, err) < 0)
		return -1;
	return make_links(&u, err);
}
