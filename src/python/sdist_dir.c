/* SPDX-License-Identifier: Apache-2.0 */
/* A project in a folder of this machine. What tools write into such a folder
 * (PKG-INFO is none of it, *.egg-info is) tells of an earlier state. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/file.h>

#include "sdist_int.h"

#define MAX_DEPTH 32
#define MAX_ENTRIES 200000

struct looking {
	struct eb_sdist_texts texts;
	unsigned entries;
};

static void release(struct looking *l)
{
	eb_sdist_texts_release(&l->texts);
}

/* 1 read, 0 not there. A link may lead anywhere; none of these has to be one.
 */
static int read_text(const char *dir, const char *name, char **out,
		     struct eb_error *err)
{
	eb_autofree char *path = eb_path_join(dir, name);
	eb_autofd int fd =
		open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	EB_AUTOBUF(text, EB_MAX_METADATA);

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0)
		return eb_err_errno(err, EB_OK, errno, "\"%s\", reading", path);
	if (eb_read_fd(fd, path, EB_MAX_METADATA - 1, &text, err) < 0)
		return -1;
	if (strlen(text.data) != text.len)
		return eb_err_set(err, EB_INPUT, "\"%s\" is no text", path);
	*out = eb_buf_steal(&text, NULL);
	return 1;
}

static bool is_product(const char *name)
{
	return *name == '.' || eb_ends(name, ".egg-info") ||
	       !strcmp(name, "build") || !strcmp(name, "dist") ||
	       !strcmp(name, "__pycache__");
}

/* Sources for a compiler; what cannot be read is met when it is built. */
static void look(struct looking *l, int at, const char *below, unsigned depth)
{
	DIR *dir = at < 0 ? NULL : fdopendir(at);
	struct dirent *e;

	if (!dir && at >= 0)
		close(at);
	while (dir && !l->texts.c_file && (e = readdir(dir)) &&
	       l->entries++ < MAX_ENTRIES) {
		eb_autofree char *path = *below ? eb_path_join(below, e->d_name)
						: eb_strdup(e->d_name);
		struct stat st;

		if (is_product(e->d_name) || fstatat(dirfd(dir), e->d_name, &st,
						     AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		if (S_ISREG(st.st_mode))
			eb_sdist_note_source(&l->texts, path);
		else if (S_ISDIR(st.st_mode) && depth < MAX_DEPTH)
			look(l,
			     openat(dirfd(dir), e->d_name,
				    O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
					    O_CLOEXEC),
			     path, depth + 1);
	}
	if (dir)
		closedir(dir);
}

int eb_sdist_read_dir(const char *dir, struct eb_sdist *out,
		      struct eb_error *err)
{
	struct looking l EB_CLEANUP(release) = { 0 };
	int at = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	memset(out, 0, sizeof *out);
	if (at < 0)
		return eb_err_errno(err, EB_OK, errno,
				    "\"%s\", opening a local project", dir);
	look(&l, at, "", 0);
	if (read_text(dir, "PKG-INFO", &l.texts.pkg_info, err) >= 0 &&
	    read_text(dir, "pyproject.toml", &l.texts.pyproject, err) >= 0 &&
	    read_text(dir, "setup.py", &l.texts.setup_py, err) >= 0 &&
	    read_text(dir, "setup.cfg", &l.texts.setup_cfg, err) >= 0 &&
	    eb_sdist_judge(&l.texts, dir, false, out, err) == 0)
		return 0;
	eb_sdist_release(out);
	return -1;
}
