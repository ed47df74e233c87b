/* SPDX-License-Identifier: Apache-2.0 */
/* A copy of a tree: files, folders and links as they are. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/mem.h>

#define COPY_ENTRIES 200000
#define COPY_BYTES ((uint64_t)20 << 30)

struct copy {
	size_t entries;
	uint64_t bytes;
};

static int copy_file(const char *from, const char *to, const struct stat *st,
		     struct copy *c, struct eb_error *err)
{
	eb_autofd int in = open(from, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	eb_autofd int out = -1;

	if (in < 0)
		return eb_err_errno(err, EB_OK, errno, "\"%s\", reading", from);
	out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
		   st->st_mode & 0777);
	if (out < 0)
		return eb_err_errno(err, EB_MACHINE, errno, "\"%s\", writing",
				    to);
	c->bytes += (uint64_t)st->st_size;
	if (c->bytes > COPY_BYTES)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\", copying it: more "
				  "than 20 GiB",
				  from);
	return eb_copy_fd(out, in, 0, (uint64_t)st->st_size, from, err);
}

static int copy_link(const char *from, const char *to, struct eb_error *err)
{
	char target[4096];
	ssize_t n = readlink(from, target, sizeof target - 1);

	if (n < 0)
		return eb_err_errno(err, EB_OK, errno, "\"%s\", reading", from);
	target[n] = 0;
	if (symlink(target, to) < 0)
		return eb_err_errno(err, EB_MACHINE, errno, "\"%s\", making",
				    to);
	return 0;
}

static int copy_any(const char *from, const char *to, bool top, struct copy *c,
		    struct eb_error *err);

static int copy_folder(const char *from, const char *to, const struct stat *st,
		       bool top, struct copy *c, struct eb_error *err)
{
	DIR *d = opendir(from);
	struct dirent *e;
	int rc = 0;

	if (!d)
		return eb_err_errno(err, EB_OK, errno, "\"%s\", reading", from);
	if (mkdir(to, st->st_mode & 0777) < 0 && (errno != EEXIST || !top))
		rc = eb_err_errno(err, EB_MACHINE, errno, "\"%s\", making", to);
	while (rc == 0 && (e = readdir(d))) {
		eb_autofree char *a = NULL, *b = NULL;

		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		a = eb_path_join(from, e->d_name);
		b = eb_path_join(to, e->d_name);
		rc = copy_any(a, b, false, c, err);
	}
	closedir(d);
	return rc;
}

/* Devices, sockets and pipes are no part of a source. */
static int copy_any(const char *from, const char *to, bool top, struct copy *c,
		    struct eb_error *err)
{
	struct stat st;

	if ((top ? stat(from, &st) : lstat(from, &st)) < 0)
		return eb_err_errno(err, EB_OK, errno, "\"%s\", reading", from);
	if (++c->entries > COPY_ENTRIES)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\", copying it: more "
				  "than %d files",
				  from, COPY_ENTRIES);
	if (S_ISDIR(st.st_mode))
		return copy_folder(from, to, &st, top, c, err);
	if (S_ISLNK(st.st_mode))
		return copy_link(from, to, err);
	return S_ISREG(st.st_mode) ? copy_file(from, to, &st, c, err) : 0;
}

int eb_copy_tree(const char *from, const char *to, struct eb_error *err)
{
	struct copy c = { 0 };

	return copy_any(from, to, true, &c, err);
}
