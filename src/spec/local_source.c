/* SPDX-License-Identifier: Apache-2.0 */
/* What is in a local source (`-e .`, ./libs/x, ./x.whl), as one digest. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/file.h>

#include "spec_pip_files.h"

#define MAX_DEPTH 64
#define MAX_ENTRIES 200000
#define MAX_BYTES ((uint64_t)4 << 30)

struct walk {
	struct eb_keyer key;
	const char *top; /* for messages */
	struct stat besides;
	uint64_t bytes, entries;
	unsigned depth;
	eb_local_fn *fn; /* or NULL */
	void *data;
	struct eb_error *err;
};

static int walk_folder(struct walk *w, int fd, const char *path,
		       const struct eb_ignore *outer);

static int fail(struct walk *w, const char *path, const char *what)
{
	return eb_err_errno(w->err, EB_OK, errno, "\"%s/%s\", %s", w->top, path,
			    what);
}

static int too_much(struct walk *w, const char *what)
{
	eb_err_set(w->err, EB_INPUT,
		   "\"%s\", reading as a local source: more than %s", w->top,
		   what);
	return eb_err_hint(w->err, "name what does not belong to it in a "
				   ".gitignore");
}

static int tell(struct walk *w, const char *path, const struct stat *st, int fd,
		const char *target)
{
	const struct eb_local_entry e = {
		.path = path,
		.executable = st->st_mode & 0111,
		.mtime = st->st_mtime,
		.size = (uint64_t)st->st_size,
		.fd = fd,
		.target = target,
	};

	return w->fn ? w->fn(w->data, &e, w->err) : 0;
}

/* ---- one entry
 * ---------------------------------------------------------------------- */

static int add_file(struct walk *w, int dir, const char *name, const char *path,
		    const struct stat *st)
{
	eb_autofd int fd = openat(
		dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct eb_digest digest;
	uint64_t size;

	if (fd < 0)
		return fail(w, path, "opening");
	w->bytes += (uint64_t)st->st_size;
	if (w->bytes > MAX_BYTES)
		return too_much(w, "4 GiB");
	if (eb_sha256_fd(fd, &digest, &size, w->err) < 0)
		return -1;
	eb_key_text(&w->key, st->st_mode & 0111 ? "program" : "file");
	eb_key_text(&w->key, path);
	eb_key_digest(&w->key, &digest);
	return tell(w, path, st, fd, NULL);
}

static int add_link(struct walk *w, int dir, const char *name, const char *path,
		    const struct stat *st)
{
	char target[4097];
	ssize_t n = readlinkat(dir, name, target, sizeof target - 1);

	if (n < 0)
		return fail(w, path, "reading the link");
	target[n] = '\0';
	eb_key_text(&w->key, "link");
	eb_key_text(&w->key, path);
	eb_key_text(&w->key, target);
	return tell(w, path, st, -1, target);
}

static int add_folder(struct walk *w, int dir, const char *name,
		      const char *path, const struct eb_ignore *outer)
{
	eb_autofd int fd = openat(
		dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_DIRECTORY);
	int rc;

	if (fd < 0)
		return fail(w, path, "opening");
	if (++w->depth > MAX_DEPTH)
		return too_much(w, "64 folders deep");
	rc = walk_folder(w, fd, path, outer);
	w->depth--;
	return rc;
}

/* ---- which entries count
 * ---------------------------------------------------------------- */

static bool never_counts(const char *name, bool is_dir, bool top)
{
	if (!is_dir)
		return eb_ends(name, ".egg-info");
	return strcmp(name, ".git") == 0 || strcmp(name, "__pycache__") == 0 ||
	       eb_ends(name, ".egg-info") ||
	       (top &&
		(strcmp(name, "build") == 0 || strcmp(name, "dist") == 0));
}

/* A lock that envbuild wrote beside the source says nothing about it. */
static bool is_own_lock(int dir, const char *name)
{
	static const char first[] = "{\"commentary\"";
	eb_autofd int fd = openat(
		dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	char head[64], *to = head;
	ssize_t n = fd < 0 ? -1 : read(fd, head, sizeof head - 1);

	for (ssize_t i = 0; i < n; i++)
		if (!strchr(" \t\r\n", head[i]) || !head[i])
			*to++ = head[i];
	*to = '\0';
	return n > 0 && eb_starts(head, first);
}

static bool counts(struct walk *w, int dir, const char *name, const char *path,
		   const struct stat *st, const struct eb_ignore *ig)
{
	bool is_dir = S_ISDIR(st->st_mode), top = !strchr(path, '/');

	if (never_counts(name, is_dir, top) ||
	    eb_ignore_matches(ig, path, is_dir))
		return false;
	if (!S_ISREG(st->st_mode))
		return is_dir || S_ISLNK(st->st_mode);
	if (st->st_dev == w->besides.st_dev && st->st_ino == w->besides.st_ino)
		return false;
	return !top || !is_own_lock(dir, name);
}

static int add_entry(struct walk *w, int dir, const char *name,
		     const char *path, const struct eb_ignore *ig)
{
	struct stat st;

	if (++w->entries > MAX_ENTRIES)
		return too_much(w, "200,000 files");
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return fail(w, path, "reading");
	if (!counts(w, dir, name, path, &st, ig))
		return 0;
	if (S_ISDIR(st.st_mode))
		return add_folder(w, dir, name, path, ig);
	if (S_ISLNK(st.st_mode))
		return add_link(w, dir, name, path, &st);
	return add_file(w, dir, name, path, &st);
}

/* ---- folders
 * --------------------------------------------------------------------------------
 */

static int list_folder(struct walk *w, int fd, const char *path,
		       struct eb_strv *names)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *e;

	if (!dir) {
		fail(w, path, "listing");
		if (copy >= 0)
			close(copy);
		return -1;
	}
	while ((e = readdir(dir)) && names->n <= MAX_ENTRIES)
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			eb_strv_add(names, e->d_name);
	closedir(dir);
	eb_strv_sort(names);
	return 0;
}

static int read_rules(struct walk *w, int dir, struct eb_ignore *ig)
{
	eb_autofd int fd =
		openat(dir, ".gitignore",
		       O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	EB_AUTOBUF(text, EB_MAX_CONFIG);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return 0;
	if (eb_read_fd(fd, ".gitignore", EB_MAX_CONFIG, &text, w->err) < 0)
		return -1;
	eb_ignore_add(ig, text.data);
	return 0;
}

static int walk_folder(struct walk *w, int fd, const char *path,
		       const struct eb_ignore *outer)
{
	struct eb_ignore ig EB_CLEANUP(eb_ignore_release) = {
		.outer = outer, .base = *path ? strlen(path) + 1 : 0
	};
	struct eb_strv names EB_CLEANUP(eb_strv_release) = { 0 };
	int rc = 0;

	if (read_rules(w, fd, &ig) < 0 || list_folder(w, fd, path, &names) < 0)
		return -1;
	for (size_t i = 0; rc == 0 && i < names.n; i++) {
		eb_autofree char *below = *path ? eb_path_join(path, names.v[i])
						: eb_strdup(names.v[i]);

		rc = add_entry(w, fd, names.v[i], below, &ig);
	}
	return rc;
}

/* ---- the whole
 * ----------------------------------------------------------------------------------
 */

/* A file's own name tells version and tags, so it belongs to what it is. */
static int whole_file(struct walk *w, int fd, const char *path)
{
	const char *slash = strrchr(path, '/');
	struct eb_digest digest;
	uint64_t size;

	if (eb_sha256_fd(fd, &digest, &size, w->err) < 0)
		return -1;
	eb_key_text(&w->key, "archive");
	eb_key_text(&w->key, slash ? slash + 1 : path);
	eb_key_digest(&w->key, &digest);
	return 0;
}

int eb_local_source_each(const char *path, const char *besides, eb_local_fn *fn,
			 void *data, struct eb_digest *out,
			 struct eb_error *err)
{
	struct walk w = { .top = path, .fn = fn, .data = data, .err = err };
	eb_autofd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	int rc;

	if (fd < 0 || fstat(fd, &st) < 0)
		return eb_err_errno(err, EB_OK, errno,
				    "\"%s\", opening a local source", path);
	if (!besides || stat(besides, &w.besides) < 0)
		memset(&w.besides, 0, sizeof w.besides);
	eb_key_begin(&w.key, "local-source 1");
	if (S_ISDIR(st.st_mode))
		rc = walk_folder(&w, fd, "", NULL);
	else if (S_ISREG(st.st_mode))
		rc = whole_file(&w, fd, path);
	else
		rc = eb_err_set(err, EB_INPUT,
				"\"%s\", reading as a local source: neither a "
				"file nor a folder",
				path);
	if (rc == 0)
		eb_key_end(&w.key, out);
	return rc;
}

int eb_local_source(const char *path, const char *besides,
		    struct eb_digest *out, struct eb_error *err)
{
	return eb_local_source_each(path, besides, NULL, NULL, out, err);
}
