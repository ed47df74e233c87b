/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Local files and folders that a call of uv reads: on this machine they are
 * seen where they are; for a call elsewhere they are copied into its folder.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/file.h>

#include "uv.h"

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
		   0600 | (st->st_mode & 0100));
	if (out < 0)
		return eb_err_errno(err, EB_MACHINE, errno, "\"%s\", writing",
				    to);
	c->bytes += (uint64_t)st->st_size;
	if (c->bytes > COPY_BYTES)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\", copying it for the resolver: more "
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

static int copy_any(const char *from, const char *to, bool follow,
		    struct copy *c, struct eb_error *err);

static int copy_folder(const char *from, const char *to, struct copy *c,
		       struct eb_error *err)
{
	DIR *d = opendir(from);
	struct dirent *e;
	int rc = 0;

	if (!d)
		return eb_err_errno(err, EB_OK, errno, "\"%s\", reading", from);
	if (mkdir(to, 0700) < 0)
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
static int copy_any(const char *from, const char *to, bool follow,
		    struct copy *c, struct eb_error *err)
{
	struct stat st;

	if ((follow ? stat(from, &st) : lstat(from, &st)) < 0)
		return eb_err_errno(err, EB_OK, errno, "\"%s\", reading", from);
	if (++c->entries > COPY_ENTRIES)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\", copying it for the resolver: more "
				  "than %d files",
				  from, COPY_ENTRIES);
	if (S_ISDIR(st.st_mode))
		return copy_folder(from, to, c, err);
	if (S_ISLNK(st.st_mode))
		return copy_link(from, to, err);
	return S_ISREG(st.st_mode) ? copy_file(from, to, &st, c, err) : 0;
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

char *eb_uv_stage(const struct eb_uv_call_plan *plan,
		  struct eb_uv_call_made *out, const char *path,
		  struct eb_error *err)
{
	eb_autofree char *real = realpath(path, NULL), *name = NULL,
			 *folder = NULL, *to = NULL;
	struct copy c = { 0 };

	if (!real) {
		eb_err_errno(err, EB_INPUT, errno, "\"%s\", looking for it",
			     path);
		return NULL;
	}
	if (!plan->away) {
		eb_strv_add(&out->see, real);
		return eb_strdup(path);
	}
	name = eb_asprintf("local-%zu", out->local.n);
	folder = eb_path_join(out->dir, name);
	to = eb_path_join(folder, base_of(real));
	if (eb_mkdirs(folder, 0700, err) < 0 ||
	    copy_any(real, to, true, &c, err) < 0)
		return NULL;
	eb_strv_add(&out->local, path);
	eb_strv_addf(&out->staged, "%s/%s", name, base_of(real));
	return eb_asprintf("%s/%s", name, base_of(real));
}

/* --- in a line ------------------------------------------------------- */

bool eb_uv_local_in(const struct eb_pip_line *l, size_t *at, size_t *n)
{
	const char *url = strstr(l->text, "file://");

	*at = 0;
	if (l->path && eb_starts(l->text, l->path)) {
		*n = strlen(l->path);
		return true;
	}
	/* what stands in a repository's URL is no file that is read */
	if (!l->path || !url || (url > l->text && url[-1] == '+'))
		return false;
	*at = (size_t)(url - l->text);
	*n = strcspn(url, "#?;[\t ");
	return true;
}
