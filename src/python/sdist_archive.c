/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Members of a source distribution, by libarchive. Each is verified before
 * anybody sees it: its name, its kind, where a link leads, the limits, and that
 * all lie in one folder (PEP 625, 706).
 *
 * libarchive converts names to the character set of the locale, so that the
 * thread has one of UTF-8 meanwhile.
 */
#include <archive.h>
#include <archive_entry.h>
#include <inttypes.h>
#include <locale.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/entry.h>
#include <envbuild/file.h>

#include "sdist_int.h"

#define CHUNK ((size_t)128 << 10)
#define GROWTH_FACTOR 1000
#define GROWTH_FREE ((uint64_t)1 << 30)
#define GROWTH_MAX ((uint64_t)64 << 30)
#define MTIME_MAX (((int64_t)1 << 33) - 1)

struct eb_sdist_archive {
	struct archive *a;
	struct archive_entry *e; /* the member at hand */
	const char *file;	 /* for messages */
	const struct eb_wheel_limits *limits;
	int fd;
	uint64_t at, size; /* in the file */
	char *chunk;
	char *top;
	uint64_t members, content, growth;
	struct eb_error reading; /* what reading the file said */
};

/* --- the file, as libarchive wants it ------------------------------------- */
static la_ssize_t read_chunk(struct archive *a, void *data, const void **p)
{
	struct eb_sdist_archive *s = data;
	uint64_t left = s->size - s->at;
	size_t n = left < CHUNK ? (size_t)left : CHUNK;

	(void)a;
	if (eb_pread_all(s->fd, s->chunk, n, s->at, s->file, &s->reading) < 0)
		return -1;
	s->at += n;
	*p = s->chunk;
	return (la_ssize_t)n;
}

static la_int64_t skip(struct archive *a, void *data, la_int64_t n)
{
	struct eb_sdist_archive *s = data;
	uint64_t left = s->size - s->at;

	(void)a;
	if (n < 0)
		return 0;
	if ((uint64_t)n > left)
		n = (la_int64_t)left;
	s->at += (uint64_t)n;
	return n;
}

static la_int64_t seek(struct archive *a, void *data, la_int64_t to, int whence)
{
	struct eb_sdist_archive *s = data;
	la_int64_t from = whence == SEEK_SET   ? 0
			  : whence == SEEK_CUR ? (la_int64_t)s->at
					       : (la_int64_t)s->size;

	(void)a;
	if (to < -from || to > (la_int64_t)s->size - from)
		return ARCHIVE_FATAL;
	s->at = (uint64_t)(from + to);
	return from + to;
}

static int damaged(struct eb_sdist_archive *s, struct eb_error *err)
{
	const char *why = archive_error_string(s->a);

	if (eb_err_is_set(&s->reading)) {
		eb_err_move(err, &s->reading);
		return -1;
	}
	return eb_err_set(err, EB_INTEGRITY, "\"%s\", reading the archive: %s",
			  s->file, why ? why : "it is damaged");
}

ssize_t eb_sdist_content(struct eb_sdist_archive *s, void *p, size_t n,
			 struct eb_error *err)
{
	la_ssize_t got = archive_read_data(s->a, p, n);

	return got < 0 ? damaged(s, err) : (ssize_t)got;
}

/* --- one member -------------------------------------------------------------
 */
static int refuse(const struct eb_sdist_archive *s, const char *path,
		  const char *why, struct eb_error *err)
{
	return eb_err_set(err, EB_INPUT, "\"%s\" has a member \"%s\" %s",
			  s->file, path, why);
}

static int count(struct eb_sdist_archive *s, const char *path,
		 struct eb_error *err)
{
	uint64_t size = (uint64_t)archive_entry_size(s->e);

	if (++s->members > s->limits->members) {
		eb_err_set(err, EB_INPUT,
			   "\"%s\" has more than %" PRIu64
			   " members, the limit",
			   s->file, s->limits->members);
		return eb_err_hint(err, "--limit package-members=N changes it");
	}
	if (archive_entry_filetype(s->e) != AE_IFREG)
		return 0;
	if (size > s->limits->member_size) {
		eb_err_set(err, EB_INPUT,
			   "\"%s\" has a member \"%s\" of %" PRIu64
			   " bytes; %" PRIu64 " is the limit",
			   s->file, path, size, s->limits->member_size);
		return eb_err_hint(err, "--limit member-size=BYTES changes it");
	}
	if (size <= s->growth - s->content) {
		s->content += size;
		return 0;
	}
	return eb_err_set(
		err, EB_INPUT,
		"\"%s\" would become more than %" PRIu64
		" bytes, which is too much for an archive of %" PRIu64,
		s->file, s->growth, s->size);
}

/* The path below the top folder; "" is that folder itself. NULL: another one,
 * or beside it. */
static const char *below_top(struct eb_sdist_archive *s, const char *path)
{
	size_t n = strcspn(path, "/");
	bool lies_in = path[n] || archive_entry_filetype(s->e) == AE_IFDIR;

	if (!s->top && lies_in)
		s->top = eb_strndup(path, n);
	if (!s->top || !lies_in || strlen(s->top) != n ||
	    strncmp(path, s->top, n) != 0)
		return NULL;
	return path[n] ? path + n + 1 : path + n;
}

static const char *plain(const char *name)
{
	while (name[0] == '.' && name[1] == '/')
		name += 2 + strspn(name + 2, "/");
	return name;
}

static int hard_link(struct eb_sdist_archive *s, const char *path,
		     struct eb_sdist_member *m, struct eb_error *err)
{
	const char *target = plain(archive_entry_hardlink(s->e));
	size_t n = strlen(s->top);

	if (eb_path_check(target, s->file, err) < 0)
		return -1;
	if (strncmp(target, s->top, n) != 0 || target[n] != '/')
		return refuse(s, path, "that links to what is not its own",
			      err);
	m->type = EB_SDIST_HARD;
	m->target = target + n + 1;
	return 0;
}

static int symbolic_link(struct eb_sdist_archive *s, const char *path,
			 struct eb_sdist_member *m, struct eb_error *err)
{
	m->type = EB_SDIST_LINK;
	m->target = archive_entry_symlink(s->e);
	if (m->target && eb_sdist_link_stays(m->path, m->target))
		return 0;
	return refuse(s, path, "that is a link which leads out of it", err);
}

static int describe(struct eb_sdist_archive *s, const char *path,
		    struct eb_sdist_member *m, struct eb_error *err)
{
	unsigned type = archive_entry_filetype(s->e);
	int64_t mtime = archive_entry_mtime(s->e);

	m->executable = archive_entry_mode(s->e) & 0111;
	m->mtime = mtime < 0 ? 0 : mtime > MTIME_MAX ? MTIME_MAX : mtime;
	m->size = 0;
	if (archive_entry_hardlink(s->e))
		return hard_link(s, path, m, err);
	if (type == AE_IFLNK)
		return symbolic_link(s, path, m, err);
	m->type = type == AE_IFDIR ? EB_SDIST_DIR : EB_SDIST_FILE;
	if (type == AE_IFREG)
		m->size = (uint64_t)archive_entry_size(s->e);
	if (type == AE_IFREG || type == AE_IFDIR)
		return 0;
	return refuse(s, path, "that is a device, a fifo or a socket", err);
}

/* 1: *path, without "./" and the slash of folders, is a member to be looked
 * at; 0: "./", or what some systems put beside the files. */
static int name_of(struct eb_sdist_archive *s, char **out, struct eb_error *err)
{
	const char *name = archive_entry_pathname(s->e);
	char *path = *out = eb_strdup(name ? plain(name) : "");
	size_t n = strlen(path);

	while (n && path[n - 1] == '/' &&
	       archive_entry_filetype(s->e) == AE_IFDIR)
		path[--n] = '\0';
	if ((!n || !strcmp(path, ".")) && name && *name != '/' &&
	    archive_entry_filetype(s->e) == AE_IFDIR)
		return 0;
	if (eb_path_check(path, s->file, err) < 0)
		return -1;
	return eb_starts(path, "._") ? 0 : 1;
}

static int member(struct eb_sdist_archive *s, eb_sdist_member_fn *fn,
		  void *data, struct eb_error *err)
{
	eb_autofree char *path = NULL;
	struct eb_sdist_member m;
	int rc = name_of(s, &path, err);

	if (rc < 0 || count(s, path, err) < 0)
		return -1;
	if (rc == 0)
		return 0;
	m.path = below_top(s, path);
	if (!m.path)
		return refuse(s, path, "beside its one folder", err);
	if (describe(s, path, &m, err) < 0)
		return -1;
	return *m.path ? fn(data, &m, s, err) : 0;
}

/* --- all of them ------------------------------------------------------------
 */
static int members(struct eb_sdist_archive *s, eb_sdist_member_fn *fn,
		   void *data, struct eb_error *err)
{
	int rc;

	for (;;) {
		rc = archive_read_next_header(s->a, &s->e);
		if (rc == ARCHIVE_EOF)
			break;
		/* A warning: a name that is not of this character set. */
		if (rc != ARCHIVE_OK && rc != ARCHIVE_WARN)
			return damaged(s, err);
		if (member(s, fn, data, err) < 0)
			return -1;
	}
	if (eb_err_is_set(&s->reading))
		return damaged(s, err);
	if (!s->top)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" is no source distribution: there is "
				  "nothing in it",
				  s->file);
	return 0;
}

static void set_up(struct eb_sdist_archive *s)
{
	static int (*const wanted[])(struct archive *) = {
		archive_read_support_format_tar,
		archive_read_support_format_zip,
		archive_read_support_filter_gzip,
		archive_read_support_filter_bzip2,
		archive_read_support_filter_xz,
		archive_read_support_filter_zstd,
	};

	s->a = archive_read_new();
	if (!s->a)
		eb_oom();
	/* Where a filter is a program, it is left out. */
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
		if (wanted[i](s->a) == ARCHIVE_FATAL)
			eb_oom();
	archive_read_set_read_callback(s->a, read_chunk);
	archive_read_set_skip_callback(s->a, skip);
	archive_read_set_seek_callback(s->a, seek);
	archive_read_set_callback_data(s->a, s);
}

static int walk(struct eb_sdist_archive *s, eb_sdist_member_fn *fn, void *data,
		struct eb_error *err)
{
	struct stat st;

	if (fstat(s->fd, &st) < 0)
		return eb_err_set(err, EB_MACHINE, "\"%s\", looking at it",
				  s->file);
	s->size = (uint64_t)st.st_size;
	s->growth = s->size > GROWTH_MAX / GROWTH_FACTOR
			    ? GROWTH_MAX
			    : s->size * GROWTH_FACTOR;
	if (s->growth < GROWTH_FREE)
		s->growth = GROWTH_FREE;
	set_up(s);
	if (archive_read_open1(s->a) != ARCHIVE_OK)
		return damaged(s, err);
	return members(s, fn, data, err);
}

static locale_t utf8(void)
{
	locale_t l = newlocale(LC_ALL_MASK, "C.UTF-8", (locale_t)0);

	if (!l)
		l = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	if (!l)
		eb_oom();
	return l;
}

int eb_sdist_walk(int fd, const char *file,
		  const struct eb_wheel_limits *limits, eb_sdist_member_fn *fn,
		  void *data, char **top, struct eb_error *err)
{
	struct eb_sdist_archive s = { .file = file,
				      .limits = limits,
				      .fd = fd,
				      .reading = EB_ERROR_INIT };
	locale_t own = utf8(), before = uselocale(own);
	int rc;

	s.chunk = eb_malloc(CHUNK);
	rc = walk(&s, fn, data, err);
	if (rc == 0 && top)
		*top = eb_steal(s.top);
	archive_read_free(s.a);
	uselocale(before);
	freelocale(own);
	eb_err_release(&s.reading);
	free(s.chunk);
	free(s.top);
	return rc;
}
