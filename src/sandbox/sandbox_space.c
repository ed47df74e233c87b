/* SPDX-License-Identifier: Apache-2.0 */
/* What folders hold: walked from descriptor to descriptor. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <envbuild/mem.h>
#include <envbuild/sandbox.h>

#include "sandbox_space.h"

#define DEPTH 200
#define LEAST 4096
#define NO_TREE (UINT64_MAX / 2)

static void add(struct eb_space *s, uint64_t bytes)
{
	s->bytes = bytes > NO_TREE - s->bytes ? NO_TREE : s->bytes + bytes;
}

static void add_file(struct eb_space *s, const struct stat *st)
{
	uint64_t n = (uint64_t)st->st_blocks * 512;

	if (!S_ISDIR(st->st_mode) && st->st_nlink > 1)
		n /= st->st_nlink;
	add(s, n > LEAST ? n : LEAST);
}

/* Takes fd. */
static void walk(struct eb_space *s, int fd, unsigned depth)
{
	DIR *d = fdopendir(fd);
	const struct dirent *e;
	struct stat st;
	int below;

	if (!d) {
		close(fd);
		return;
	}
	while (s->bytes < NO_TREE && (e = readdir(d))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") ||
		    fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		add_file(s, &st);
		if (!S_ISDIR(st.st_mode))
			continue;
		below = openat(fd, e->d_name,
			       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (below < 0)
			s->hidden |= errno == EACCES;
		else if (depth == DEPTH) {
			add(s, NO_TREE);
			close(below);
		} else
			walk(s, below, depth + 1);
	}
	closedir(d);
}

void eb_space_add(struct eb_space *s, const char *path)
{
	struct stat st;
	int fd;

	if (stat(path, &st) < 0)
		return;
	add_file(s, &st);
	if (!S_ISDIR(st.st_mode))
		return;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		s->hidden |= errno == EACCES;
	else
		walk(s, fd, 0);
}

uint64_t eb_sandbox_held(const char *dir)
{
	struct eb_space s = { 0 };

	eb_space_add(&s, dir);
	return s.bytes;
}

uint64_t eb_space_left(const char *path)
{
	struct statvfs fs;

	return statvfs(path, &fs) < 0 ? UINT64_MAX
				      : (uint64_t)fs.f_bfree * fs.f_frsize;
}
