/* SPDX-License-Identifier: Apache-2.0 */
/* What a build context holds: walked in a fixed order, keyed, copied. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/dockerfile.h>
#include <envbuild/file.h>

#define MAX_DEPTH 64
#define MAX_ENTRIES 200000
#define MAX_BYTES ((uint64_t)8 << 30)
#define MODE 07777

struct context {
	struct eb_keyer key;
	struct eb_dockerignore ignore;
	const char *top; /* for messages */
	uint64_t bytes, entries;
	unsigned depth;
	struct eb_error *err;
};

/* One that is being walked; it is told of when it is sure that it counts. */
struct folder {
	struct folder *outer;
	const char *name, *path; /* "" at the top */
	unsigned mode;
	bool told;
	int fd, to; /* to: of its copy; -1: there is none */
};

static int fail(struct context *c, const char *path, const char *what)
{
	return eb_err_errno(c->err, EB_OK, errno, "\"%s/%s\", %s", c->top, path,
			    what);
}

static int too_much(struct context *c, const char *what)
{
	eb_err_set(c->err, EB_INPUT,
		   "\"%s\", reading it as a build context: more than %s",
		   c->top, what);
	return eb_err_hint(c->err,
			   "name what does not belong to it in a "
			   ".dockerignore, or give a smaller --context");
}

static void tell(struct context *c, const char *type, const char *path,
		 unsigned mode)
{
	eb_key_text(&c->key, type);
	eb_key_text(&c->key, path);
	eb_key_u64(&c->key, mode);
}

/* Before anything in it is. Its copy gets its mode when all is in it. */
static int tell_folder(struct context *c, struct folder *f)
{
	if (f->told)
		return 0;
	if (tell_folder(c, f->outer) < 0)
		return -1;
	f->told = true;
	tell(c, "folder", f->path, f->mode);
	if (f->outer->to < 0)
		return 0;
	if (mkdirat(f->outer->to, f->name, 0700) < 0)
		return fail(c, f->path, "copying the folder");
	f->to = openat(f->outer->to, f->name,
		       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return f->to < 0 ? fail(c, f->path, "opening its copy") : 0;
}

/* ---- one entry ------------------------------------------------------------
 */

/* What is keyed is the copy, where there is one. */
static int copy_file(struct context *c, struct folder *f, const char *name,
		     const char *path, const struct stat *st, int from)
{
	eb_autofd int fd = openat(
		f->to, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		0600);

	if (fd < 0)
		return fail(c, path, "copying");
	if (eb_copy_fd(fd, from, 0, (uint64_t)st->st_size, path, c->err) < 0)
		return -1;
	if (fchmod(fd, st->st_mode & MODE) < 0)
		return fail(c, path, "setting its mode");
	return eb_steal_fd(&fd);
}

static int add_file(struct context *c, struct folder *f, const char *name,
		    const char *path)
{
	eb_autofd int fd = openat(
		f->fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	eb_autofd int copy = -1;
	struct eb_digest digest;
	uint64_t size;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return fail(c, path, "opening");
	c->bytes += (uint64_t)st.st_size;
	if (c->bytes > MAX_BYTES)
		return too_much(c, "8 GiB");
	if (f->to >= 0) {
		copy = copy_file(c, f, name, path, &st, fd);
		if (copy < 0)
			return -1;
	}
	if (eb_sha256_fd(copy < 0 ? fd : copy, &digest, &size, c->err) < 0)
		return -1;
	tell(c, "file", path, st.st_mode & MODE);
	eb_key_digest(&c->key, &digest);
	return 0;
}

static int add_link(struct context *c, struct folder *f, const char *name,
		    const char *path)
{
	char target[4097];
	ssize_t n = readlinkat(f->fd, name, target, sizeof target - 1);

	if (n < 0)
		return fail(c, path, "reading the link");
	target[n] = '\0';
	tell(c, "link", path, 0777);
	eb_key_text(&c->key, target);
	if (f->to >= 0 && symlinkat(target, f->to, name) < 0)
		return fail(c, path, "copying the link");
	return 0;
}

static int walk(struct context *c, struct folder *f);

static int add_folder(struct context *c, struct folder *outer, const char *name,
		      const char *path, const struct stat *st, bool left_out)
{
	eb_autofd int fd =
		openat(outer->fd, name,
		       O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_DIRECTORY);
	struct folder f = {
		.outer = outer,
		.name = name,
		.path = path,
		.mode = st->st_mode & MODE,
		.fd = fd,
		.to = -1,
	};
	eb_autofd int to = -1;
	int rc;

	if (fd < 0)
		return fail(c, path, "opening");
	if (++c->depth > MAX_DEPTH)
		return too_much(c, "64 folders deep");
	rc = left_out ? 0 : tell_folder(c, &f);
	if (rc == 0)
		rc = walk(c, &f);
	c->depth--;
	to = f.to;
	if (rc == 0 && to >= 0 && fchmod(to, f.mode) < 0)
		return fail(c, path, "setting its mode");
	return rc;
}

static int refuse(struct context *c, const char *path)
{
	eb_err_set(c->err, EB_INPUT,
		   "\"%s/%s\", reading it as part of a build context: neither "
		   "a file nor a folder nor a link",
		   c->top, path);
	return eb_err_hint(c->err, "name it in a .dockerignore");
}

/* In a folder that is left out there may be something that is not. */
static int add_entry(struct context *c, struct folder *f, const char *name,
		     const char *path)
{
	bool left_out = eb_dockerignore_matches(&c->ignore, path);
	struct stat st;

	if (++c->entries > MAX_ENTRIES)
		return too_much(c, "200,000 files and folders");
	if (fstatat(f->fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return fail(c, path, "reading");
	if (left_out && !(c->ignore.takes_back && S_ISDIR(st.st_mode)))
		return 0;
	if (S_ISDIR(st.st_mode))
		return add_folder(c, f, name, path, &st, left_out);
	if (tell_folder(c, f) < 0)
		return -1;
	if (S_ISLNK(st.st_mode))
		return add_link(c, f, name, path);
	return S_ISREG(st.st_mode) ? add_file(c, f, name, path)
				   : refuse(c, path);
}

/* ---- folders --------------------------------------------------------------
 */

static int list(struct context *c, const struct folder *f,
		struct eb_strv *names)
{
	int copy = fcntl(f->fd, F_DUPFD_CLOEXEC, 0);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *e;

	if (!dir) {
		fail(c, f->path, "listing");
		if (copy >= 0)
			close(copy);
		return -1;
	}
	while ((e = readdir(dir)) && names->n <= MAX_ENTRIES)
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			eb_strv_add(names, e->d_name);
	closedir(dir);
	eb_strv_sort(names);
	return 0;
}

static int walk(struct context *c, struct folder *f)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv names = { 0 };
	int rc = list(c, f, &names);

	for (size_t i = 0; rc == 0 && i < names.n; i++) {
		eb_autofree char *path =
			*f->path ? eb_path_join(f->path, names.v[i])
				 : eb_strdup(names.v[i]);

		rc = add_entry(c, f, names.v[i], path);
	}
	return rc;
}

/* ---- the whole ------------------------------------------------------------
 */

/* 1 there, 0, -1. */
static int read_rules(struct context *c, const char *path)
{
	EB_AUTOBUF(text, EB_MAX_CONFIG);
	struct stat st;

	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return 0;
	if (eb_read_file(path, EB_MAX_CONFIG, &text, c->err) < 0 ||
	    eb_dockerignore_parse(text.data, text.len, path, &c->ignore,
				  c->err) < 0)
		return -1;
	return 1;
}

static int find_rules(struct context *c, const char *dockerfile)
{
	eb_autofree char *own =
		dockerfile ? eb_asprintf("%s.dockerignore", dockerfile) : NULL;
	eb_autofree char *usual = eb_path_join(c->top, ".dockerignore");
	int rc = own ? read_rules(c, own) : 0;

	return rc ? rc : read_rules(c, usual);
}

static void release(struct context *c)
{
	eb_dockerignore_release(&c->ignore);
}

int eb_context_key(const char *dir, const char *dockerfile, const char *to,
		   struct eb_digest *out, struct eb_error *err)
{
	struct context c EB_CLEANUP(release) = { .top = dir, .err = err };
	eb_autofd int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	eb_autofd int copy =
		to ? open(to, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	struct folder top = {
		.name = "", .path = "", .told = true, .fd = fd, .to = copy
	};

	if (fd < 0)
		return eb_err_errno(err, EB_INPUT, errno,
				    "\"%s\", opening the build context", dir);
	if (to && copy < 0)
		return eb_err_errno(err, EB_OK, errno,
				    "\"%s\", copying the build context", to);
	if (find_rules(&c, dockerfile) < 0)
		return -1;
	eb_key_begin(&c.key, "build context 1");
	if (walk(&c, &top) < 0)
		return -1;
	eb_key_end(&c.key, out);
	return 0;
}
