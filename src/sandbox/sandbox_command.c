/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding a command inside a root file system. The walk is by text: what a
 * link says is put before the rest of the path and read from the root of the
 * container again, so ".." and absolute links end where they would inside.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/buf.h>
#include <envbuild/file.h>
#include <envbuild/mem.h>
#include <envbuild/str.h>

#include "landlock.h"
#include "sandbox_command.h"

#define MAX_LINKS 40

/* True when `path` is `folder` or below it; *rest is what follows. */
static bool below(const char *path, const char *folder, const char **rest)
{
	size_t n = strlen(folder);

	while (n > 1 && folder[n - 1] == '/')
		n--;
	if (n == 1)
		n = 0;
	if (strncmp(path, folder, n) != 0 || (path[n] && path[n] != '/'))
		return false;
	*rest = path + n;
	return true;
}

/* A path without links -> where its bytes are outside. The last mount that
 * covers it is what the container sees. */
static char *place(const struct eb_sandbox *s, const char *path)
{
	const char *rest = path;
	size_t i;

	for (i = s->n_mounts; i-- > 0;)
		if (below(path, s->mount[i].destination, &rest))
			return eb_asprintf("%s%s", s->mount[i].source, rest);
	return eb_asprintf("%s%s", s->rootfs, path);
}

/* Take the first component off `*rest`; NULL at the end. */
static char *next(const char **rest)
{
	const char *from;
	size_t n;

	while (**rest == '/')
		(*rest)++;
	from = *rest;
	n = strcspn(from, "/");
	*rest += n;
	return n ? eb_strndup(from, n) : NULL;
}

static void up(char *path)
{
	char *slash = strrchr(path, '/');

	if (slash)
		*slash = '\0';
}

/* A folder that the root file system lacks is made for what is mounted below
 * it. */
static bool is_made(const struct eb_sandbox *s, const char *path)
{
	const char *rest;

	for (size_t i = 0; i < s->n_mounts; i++)
		if (below(s->mount[i].destination, path, &rest))
			return true;
	return false;
}

/* One component further; 1 when it was a link (its text is put before the
 * rest), 0 when not, -1 when it cannot be. */
static int step(const struct eb_sandbox *s, char **at, char **left,
		const char *rest, const char *name)
{
	eb_autofree char *longer = eb_asprintf("%s/%s", *at, name);
	eb_autofree char *outside = place(s, longer);
	char target[PATH_MAX];
	ssize_t n = readlink(outside, target, sizeof target - 1);
	char *joined;

	if (n < 0 && errno != EINVAL &&
	    !(errno == ENOENT && is_made(s, longer)))
		return -1;
	if (n < 0) {
		free(*at);
		*at = eb_steal(longer);
		return 0;
	}
	target[n] = '\0';
	if (*target == '/')
		**at = '\0';
	joined = eb_asprintf("%s/%s", target, rest);
	free(*left);
	*left = joined;
	return 1;
}

char *eb_sandbox_outside(const struct eb_sandbox *s, const char *path)
{
	eb_autofree char *left = eb_strdup(path);
	eb_autofree char *at = eb_strdup("");
	const char *rest = left;
	unsigned links = 0;

	for (;;) {
		eb_autofree char *name = next(&rest);
		int moved;

		if (!name)
			return place(s, at);
		if (strcmp(name, ".") == 0)
			continue;
		if (strcmp(name, "..") == 0) {
			up(at);
			continue;
		}
		moved = step(s, &at, &left, rest, name);
		if (moved < 0 || links > MAX_LINKS)
			return NULL;
		if (moved) {
			links++;
			rest = left;
		}
	}
}

static bool exists(const struct eb_sandbox *s, const char *path)
{
	eb_autofree char *outside = eb_sandbox_outside(s, path);

	return outside && eb_path_exists(outside);
}

/* "#! /bin/sh -e": the kernel takes the first word. */
static bool script_runs(const struct eb_sandbox *s, char *line)
{
	char *word = line + strspn(line, " \t");

	word[strcspn(word, " \t\n")] = '\0';
	return *word && exists(s, word);
}

/* What the kernel executes: a script whose interpreter is there, an ELF
 * program whose loader is there (one of another processor may have its
 * emulator). The runtimes tell it nobody but the terminal when it is neither,
 * and end with a 1 that could be the command's. */
static bool runs(const struct eb_sandbox *s, const char *outside)
{
	eb_autofree char *loader = NULL;
	eb_autofd int fd = open(outside, O_RDONLY | O_CLOEXEC);
	char head[256] = { 0 };

	if (fd < 0)
		return errno == EACCES; /* the container may read it */
	if (read(fd, head, sizeof head - 1) < 0)
		return false;
	if (head[0] == '#' && head[1] == '!')
		return script_runs(s, head + 2);
	if (memcmp(head, ELFMAG, SELFMAG) != 0)
		return false;
	loader = eb_elf_interpreter(outside);
	return !loader || exists(s, loader);
}

static enum eb_command look(const struct eb_sandbox *s, const char *path)
{
	eb_autofree char *outside = eb_sandbox_outside(s, path);
	struct stat st;

	if (!outside || stat(outside, &st) < 0)
		return EB_COMMAND_MISSING;
	if (!S_ISREG(st.st_mode) || !(st.st_mode & 0111) || !runs(s, outside))
		return EB_COMMAND_REFUSED;
	return EB_COMMAND_FOUND;
}

static const char *search_path(const struct eb_sandbox *s)
{
	size_t i;

	for (i = 0; s->env && s->env[i]; i++)
		if (eb_starts(s->env[i], "PATH="))
			return s->env[i] + strlen("PATH=");
	return EB_SANDBOX_PATH;
}

static enum eb_command search(const struct eb_sandbox *s, const char *name)
{
	struct eb_strv folder EB_CLEANUP(eb_strv_release) = { 0 };
	enum eb_command best = EB_COMMAND_MISSING;
	size_t i;

	eb_strv_split(&folder, search_path(s), ":");
	for (i = 0; *name && i < folder.n; i++) {
		eb_autofree char *path = eb_path_join(folder.v[i], name);
		enum eb_command is;

		if (*path != '/')
			continue;
		is = look(s, path);
		if (is == EB_COMMAND_FOUND)
			return is;
		if (is == EB_COMMAND_REFUSED)
			best = is;
	}
	return best;
}

enum eb_command eb_sandbox_command(const struct eb_sandbox *s)
{
	const char *name = s->argv[0];
	eb_autofree char *path = NULL;

	if (!strchr(name, '/'))
		return search(s, name);
	path = *name == '/' ? eb_strdup(name)
			    : eb_asprintf("%s/%s", s->cwd ? s->cwd : "/", name);
	return look(s, path);
}
