/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Removal of a tree. Works by descriptors beneath the top, opens no link, and
 * gives itself the permissions it lacks. A folder more than DEPTH levels down
 * is moved up to the top and removed in the next round, so that the number of
 * open descriptors has a bound whatever the depth of the tree is.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/mem.h>

#define DEPTH 64

struct remover {
	const char *path; /* for messages */
	int top;	  /* descriptor of the topmost folder */
	unsigned moved;
};

static void close_folder(DIR **folder)
{
	if (*folder)
		closedir(*folder);
}

static int failed(const struct remover *r, const char *name,
		  struct eb_error *err)
{
	return eb_err_errno(err, EB_MACHINE, errno, "\"%s\", removing \"%s\"",
			    r->path, name);
}

/* chmod of a folder that cannot be opened, without following a link. */
static void make_accessible(int parent, const char *name)
{
	char path[32];
	eb_autofd int fd = openat(
		parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return;
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	(void)!chmod(path, 0700);
}

static int open_folder(int parent, const char *name)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int fd = openat(parent, name, flags);
	struct stat st;

	if (fd < 0 && errno == EACCES) {
		make_accessible(parent, name);
		fd = openat(parent, name, flags);
	}
	if (fd >= 0 && fstat(fd, &st) == 0 && (st.st_mode & 0700) != 0700)
		(void)!fchmod(fd, 0700);
	return fd;
}

static int remove_contents(struct remover *r, int fd, unsigned depth,
			   struct eb_error *err);

static int move_up(struct remover *r, int parent, const char *name,
		   struct eb_error *err)
{
	char fresh[32];

	do {
		snprintf(fresh, sizeof fresh, ".moved-%u", r->moved++);
		if (renameat2(parent, name, r->top, fresh, RENAME_NOREPLACE) ==
		    0)
			return 0;
	} while (errno == EEXIST);
	return failed(r, name, err);
}

static int remove_folder(struct remover *r, int parent, const char *name,
			 unsigned depth, struct eb_error *err)
{
	int before = errno, fd = open_folder(parent, name);

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0 && errno == ENOTDIR) /* what unlink said, then */
		errno = before;
	if (fd < 0)
		return failed(r, name, err);
	if (depth >= DEPTH) {
		close(fd);
		return move_up(r, parent, name, err);
	}
	if (remove_contents(r, fd, depth, err) < 0)
		return -1;
	if (unlinkat(parent, name, AT_REMOVEDIR) < 0 && errno != ENOENT)
		return failed(r, name, err);
	return 0;
}

static int remove_entry(struct remover *r, int parent, const char *name,
			unsigned depth, struct eb_error *err)
{
	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return 0;
	if (unlinkat(parent, name, 0) == 0 || errno == ENOENT)
		return 0;
	if (errno != EISDIR && errno != EPERM && errno != EACCES)
		return failed(r, name, err);
	return remove_folder(r, parent, name, depth + 1, err);
}

/* Owns fd. */
static int remove_contents(struct remover *r, int fd, unsigned depth,
			   struct eb_error *err)
{
	DIR *folder EB_CLEANUP(close_folder) = fdopendir(fd);
	struct dirent *entry;

	if (!folder) {
		close(fd);
		return failed(r, ".", err);
	}
	while ((entry = readdir(folder)))
		if (remove_entry(r, fd, entry->d_name, depth, err) < 0)
			return -1;
	return 0;
}

/* Rounds, until none has moved a folder up. */
static int remove_below_top(struct remover *r, struct eb_error *err)
{
	unsigned before;
	int fd;

	do {
		before = r->moved;
		fd = open_folder(r->top, ".");
		if (fd < 0)
			return failed(r, ".", err);
		if (remove_contents(r, fd, 0, err) < 0)
			return -1;
	} while (r->moved != before);
	return 0;
}

int eb_remove_tree(const char *path, struct eb_error *err)
{
	struct remover r = { .path = path };
	eb_autofd int top = -1;

	if (unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR)
		return 0;
	top = open_folder(AT_FDCWD, path);
	if (top < 0)
		return eb_err_errno(err, EB_MACHINE, errno, "\"%s\", removing",
				    path);
	r.top = top;
	if (remove_below_top(&r, err) < 0)
		return -1;
	if (rmdir(path) < 0 && errno != ENOENT)
		return eb_err_errno(err, EB_MACHINE, errno, "\"%s\", removing",
				    path);
	return 0;
}
