/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tar in a package, by libarchive: info/ files that linking needs are
 * kept, all other content goes to the spool as it comes.
 *
 * libarchive converts names to the character set of the locale; under "C" it
 * leaves them as they are, so that the thread has that locale meanwhile.
 */
#include <archive.h>
#include <archive_entry.h>
#include <inttypes.h>
#include <locale.h>
#include <string.h>
#include <sys/stat.h>

#include <envbuild/str.h>

#include "package_int.h"

#define CHUNK (256 << 10)
#define NAME_BYTES_MAX ((uint64_t)128 << 20)
#define MTIME_MAX (((int64_t)1 << 33) - 1) /* what 11 octal digits hold */

struct tar {
	struct eb_package_reading *r;
	struct eb_stream *s;
	struct archive *a;
	struct archive_entry *e; /* the member at hand */
	char *chunk;
	struct eb_error stream; /* what the stream said */
};

/* Where the content of a member goes. */
typedef int content_fn(struct tar *t, void *to, const void *p, size_t n,
		       struct eb_error *err);

static const char *what(const struct tar *t)
{
	return t->r->p->what;
}

static la_ssize_t read_chunk(struct archive *a, void *data, const void **p)
{
	struct tar *t = data;
	ssize_t got = eb_stream_read(t->s, t->chunk, CHUNK, &t->stream);

	(void)a;
	*p = t->chunk;
	if (got > 0)
		t->r->unpacked += (uint64_t)got;
	return got;
}

static int damaged(struct tar *t, struct eb_error *err)
{
	const char *why = archive_error_string(t->a);

	if (eb_err_is_set(&t->stream)) {
		eb_err_move(err, &t->stream);
		return -1;
	}
	return eb_err_set(err, EB_INTEGRITY, "\"%s\", reading as tar: %s",
			  what(t), why ? why : "damaged");
}

static int fill(struct tar *t, content_fn *add, void *to, uint64_t n,
		struct eb_error *err)
{
	static const char zero[64 << 10];

	while (n) {
		size_t piece = n < sizeof zero ? (size_t)n : sizeof zero;

		if (add(t, to, zero, piece, err) < 0)
			return -1;
		n -= piece;
	}
	return 0;
}

/* All bytes of the member in order, zeros where a sparse file has holes. */
static int content(struct tar *t, uint64_t size, content_fn *add, void *to,
		   struct eb_error *err)
{
	bool sparse = archive_entry_sparse_count(t->e) > 0;
	uint64_t at = 0;
	la_int64_t offset;
	const void *p;
	size_t n;
	int rc;

	while ((rc = archive_read_data_block(t->a, &p, &n, &offset)) ==
	       ARCHIVE_OK) {
		if ((uint64_t)offset < at || (uint64_t)offset > size ||
		    n > size - (uint64_t)offset)
			break;
		if (fill(t, add, to, (uint64_t)offset - at, err) < 0)
			return -1;
		if (n && add(t, to, p, n, err) < 0)
			return -1;
		at = (uint64_t)offset + n;
	}
	if (rc != ARCHIVE_EOF || (at < size && !sparse))
		return damaged(t, err);
	return fill(t, add, to, size - at, err);
}

struct to_spool {
	struct eb_sha256 sha;
};

static int add_to_spool(struct tar *t, void *to, const void *p, size_t n,
			struct eb_error *err)
{
	struct to_spool *s = to;

	eb_sha256_add(&s->sha, p, n);
	return eb_spool_add(t->r->spool, p, n, err);
}

static int add_to_text(struct tar *t, void *to, const void *p, size_t n,
		       struct eb_error *err)
{
	struct eb_package_info *info = to;

	(void)t;
	(void)err;
	memcpy(info->text + info->size, p, n);
	info->size += n;
	return 0;
}

static int check_size(const struct tar *t, const char *path, uint64_t size,
		      struct eb_error *err)
{
	uint64_t max = t->r->limits->member_size;
	eb_autofree char *shown = NULL;

	if (size <= max)
		return 0;
	shown = eb_printable_line(path);
	eb_err_set(err, EB_INPUT,
		   "\"%s\" has a member \"%s\" of %" PRIu64 " bytes; %" PRIu64
		   " is the limit",
		   what(t), shown, size, max);
	return eb_err_hint(err, "--limit member-size=BYTES changes it");
}

static void read_meta(struct tar *t, struct eb_entry *e)
{
	unsigned mode = archive_entry_mode(t->e);
	int64_t mtime = archive_entry_mtime(t->e);

	e->mode = mode & 0111 ? 0755 : 0644;
	e->mtime = mtime < 0 ? 0 : mtime > MTIME_MAX ? MTIME_MAX : mtime;
	if (e->type != EB_ENTRY_FILE || !(mode & (S_ISUID | S_ISGID)))
		return;
	t->r->p->n_setid++;
	eb_strv_add(&t->r->p->setid, e->path);
}

static struct eb_entry *add_entry(struct tar *t, const char *path,
				  enum eb_entry_type type)
{
	struct eb_entry *e = eb_entries_add(&t->r->p->files, path, type);

	read_meta(t, e);
	return e;
}

static int take_file(struct tar *t, const char *path, struct eb_error *err)
{
	uint64_t size = (uint64_t)archive_entry_size(t->e);
	struct to_spool to;
	struct eb_entry *e;

	if (check_size(t, path, size, err) < 0 ||
	    eb_package_grow(t->r, path, size, err) < 0)
		return -1;
	e = add_entry(t, path, EB_ENTRY_FILE);
	e->spool = t->r->spool;
	e->offset = eb_spool_size(t->r->spool);
	e->size = size;
	eb_sha256_init(&to.sha);
	if (content(t, size, add_to_spool, &to, err) < 0)
		return -1;
	eb_sha256_end(&to.sha, &e->sha256);
	return 0;
}

/* A link's target is kept as it stands; only what no file system and no text
 * can hold is refused. */
static int refuse_link(const struct tar *t, const char *path, const char *why,
		       struct eb_error *err)
{
	eb_autofree char *shown = eb_printable_line(path);

	return eb_err_set(err, EB_INPUT,
			  "\"%s\" has a link \"%s\" whose target is %s",
			  what(t), shown, why);
}

static int take_link(struct tar *t, const char *path, struct eb_error *err)
{
	const char *target = archive_entry_symlink(t->e);
	size_t n = target ? strlen(target) : 0;

	if (n == 0)
		return refuse_link(t, path, "empty", err);
	if (n > 4095)
		return refuse_link(t, path, "longer than 4,095 bytes", err);
	if (!eb_utf8_valid(target, n))
		return refuse_link(t, path, "not UTF-8", err);
	t->r->name_bytes += n;
	add_entry(t, path, EB_ENTRY_LINK)->target = eb_strdup(target);
	return 0;
}

static const char *plain(const char *name)
{
	while (name[0] == '.' && name[1] == '/')
		name += 2 + strspn(name + 2, "/");
	return name;
}

static int take_hard(struct tar *t, const char *path, struct eb_error *err)
{
	struct eb_package_reading *r = t->r;
	const char *target = plain(archive_entry_hardlink(t->e));

	if (eb_path_check(target, what(t), err) < 0)
		return -1;
	r->name_bytes += strlen(target);
	add_entry(t, path, EB_ENTRY_FILE);
	EB_GROW(r->hard, r->n_hard, r->alloc_hard);
	r->hard[r->n_hard++] = (struct eb_package_hard){ r->p->files.n - 1,
							 eb_strdup(target) };
	return 0;
}

static int refuse_kind(const struct tar *t, const char *path, unsigned type,
		       struct eb_error *err)
{
	eb_autofree char *shown = eb_printable_line(path);
	const char *kind = "of an unknown kind";

	if (type == AE_IFCHR || type == AE_IFBLK)
		kind = "that is a device";
	else if (type == AE_IFIFO)
		kind = "that is a fifo";
	else if (type == AE_IFSOCK)
		kind = "that is a socket";
	return eb_err_set(err, EB_INPUT, "\"%s\" has a member \"%s\" %s",
			  what(t), shown, kind);
}

static bool is_at_or_below(const char *path, const char *folder)
{
	size_t n = strlen(folder);

	return strncmp(path, folder, n) == 0 && (!path[n] || path[n] == '/');
}

static int refuse_meta(const struct tar *t, const char *path,
		       struct eb_error *err)
{
	eb_autofree char *shown = eb_printable_line(path);

	return eb_err_set(err, EB_INPUT,
			  "\"%s\" has a member \"%s\"; conda-meta/ is not a "
			  "package's to fill",
			  what(t), shown);
}

static int take_member(struct tar *t, const char *path, struct eb_error *err)
{
	unsigned type = archive_entry_filetype(t->e);

	if (is_at_or_below(path, "conda-meta"))
		return refuse_meta(t, path, err);
	if (archive_entry_hardlink(t->e))
		return take_hard(t, path, err);
	if (type == AE_IFREG)
		return take_file(t, path, err);
	if (type == AE_IFLNK)
		return take_link(t, path, err);
	if (type != AE_IFDIR)
		return refuse_kind(t, path, type, err);
	add_entry(t, path, EB_ENTRY_DIR);
	return 0;
}

static bool is_wanted(const char *name)
{
	static const char *const wanted[] = {
		"files",
		"has_prefix",
		"index.json",
		"link.json",
		"no_link",
		"paths.json",
		"package_metadata.json",
	};

	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
		if (strcmp(name, wanted[i]) == 0)
			return true;
	}
	return false;
}

static int check_info(const struct tar *t, const char *name, uint64_t size,
		      struct eb_error *err)
{
	if (archive_entry_hardlink(t->e) ||
	    archive_entry_filetype(t->e) != AE_IFREG)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" has a member \"info/%s\" that is no "
				  "plain file",
				  what(t), name);
	if (eb_package_info(t->r->p, name))
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" has two members with the path "
				  "\"info/%s\"",
				  what(t), name);
	if (size <= t->r->limits->metadata)
		return 0;
	eb_err_set(err, EB_INPUT,
		   "\"%s\" has a member \"info/%s\" of %" PRIu64
		   " bytes; %" PRIu64 " is the limit",
		   what(t), name, size, t->r->limits->metadata);
	return eb_err_hint(err, "--limit metadata-size=BYTES changes it");
}

static int take_info(struct tar *t, const char *name, struct eb_error *err)
{
	struct eb_package *p = t->r->p;
	uint64_t size = (uint64_t)archive_entry_size(t->e);
	struct eb_package_info *info;

	if (!is_wanted(name))
		return 0;
	if (check_info(t, name, size, err) < 0)
		return -1;
	p->info = eb_realloc(p->info, p->n_info + 1, sizeof *p->info);
	info = &p->info[p->n_info++];
	*info = (struct eb_package_info){ eb_strdup(name),
					  eb_calloc(1, (size_t)size + 1), 0 };
	return content(t, size, add_to_text, info, err);
}

static int count(struct tar *t, const char *path, struct eb_error *err)
{
	struct eb_package_reading *r = t->r;

	r->name_bytes += strlen(path);
	if (++r->members > r->limits->members) {
		eb_err_set(err, EB_INPUT,
			   "\"%s\" has more than %" PRIu64
			   " members, the limit",
			   what(t), r->limits->members);
		return eb_err_hint(err, "--limit package-members=N changes it");
	}
	if (r->name_bytes > NAME_BYTES_MAX)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" has names of more than %" PRIu64
				  " bytes in all, the limit",
				  what(t), NAME_BYTES_MAX);
	return 0;
}

static int member(struct tar *t, struct eb_error *err)
{
	const char *name = archive_entry_pathname(t->e);
	eb_autofree char *path = eb_strdup(name ? plain(name) : "");
	size_t n = strlen(path);

	if (count(t, path, err) < 0)
		return -1;
	if (archive_entry_filetype(t->e) == AE_IFDIR) {
		while (n && path[n - 1] == '/')
			path[--n] = '\0';
		if (n == 0 || strcmp(path, ".") == 0)
			return *name == '/' ? eb_path_check(name, what(t), err)
					    : 0;
	}
	if (eb_path_check(path, what(t), err) < 0)
		return -1;
	if (strcmp(path, "info") == 0)
		return archive_entry_filetype(t->e) == AE_IFDIR
			       ? 0
			       : refuse_kind(t, path, 0, err);
	if (eb_starts(path, "info/"))
		return take_info(t, path + strlen("info/"), err);
	return take_member(t, path, err);
}

static int members(struct tar *t, struct eb_error *err)
{
	int rc;

	for (;;) {
		rc = archive_read_next_header(t->a, &t->e);
		if (rc == ARCHIVE_EOF)
			break;
		/* A warning: a name that "C" has no letters for. */
		if (rc != ARCHIVE_OK && rc != ARCHIVE_WARN)
			return damaged(t, err);
		if (member(t, err) < 0)
			return -1;
	}
	return eb_err_is_set(&t->stream) ? damaged(t, err) : 0;
}

/* Behind the tar's end there may be more; it counts, and it may be broken. */
static int drain(struct tar *t, struct eb_error *err)
{
	ssize_t got;

	while ((got = eb_stream_read(t->s, t->chunk, CHUNK, err)) > 0)
		t->r->unpacked += (uint64_t)got;
	return (int)got;
}

static int read_tar(struct tar *t, struct eb_error *err)
{
	if (archive_read_support_format_tar(t->a) < ARCHIVE_WARN ||
	    archive_read_support_format_empty(t->a) < ARCHIVE_WARN)
		eb_oom();
	if (archive_read_open(t->a, t, NULL, read_chunk, NULL) != ARCHIVE_OK)
		return damaged(t, err);
	if (members(t, err) < 0)
		return -1;
	return drain(t, err);
}

int eb_package_tar(struct eb_package_reading *r, struct eb_stream *s,
		   struct eb_error *err)
{
	struct tar t = { .r = r, .s = s, .stream = EB_ERROR_INIT };
	locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0), before;
	int rc;

	t.a = archive_read_new();
	if (!t.a || !c)
		eb_oom();
	t.chunk = eb_malloc(CHUNK);
	before = uselocale(c);
	rc = read_tar(&t, err);
	uselocale(before);
	freelocale(c);
	archive_read_free(t.a);
	eb_err_release(&t.stream);
	free(t.chunk);
	return rc;
}
