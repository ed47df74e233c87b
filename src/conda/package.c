/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a package archive: which form it has, its sum, its streams. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include <envbuild/buf.h>
#include <envbuild/file.h>
#include <envbuild/json.h>
#include <envbuild/str.h>

#include "package_int.h"

#define WINDOW_LOG_MAX 27
#define GROWTH_FACTOR 1000
#define GROWTH_FREE ((uint64_t)1 << 30)
#define GROWTH_MAX ((uint64_t)64 << 30)
#define HASH_CHUNK (256 << 10)

const struct eb_package_limits eb_package_default_limits = {
	.members = 1000000,
	.member_size = (uint64_t)16 << 30,
	.metadata = EB_MAX_METADATA,
};

struct archive_file {
	int fd;
	uint64_t size;
	const struct eb_record *r;
	const char *what;
};

static int differs(const struct archive_file *f, const char *sum,
		   const char *has, const char *should, struct eb_error *err)
{
	return eb_err_set(err, EB_INTEGRITY,
			  "\"%s\" has the %s %s; its record says %s", f->what,
			  sum, has, should);
}

static int check_size(const struct archive_file *f, struct eb_error *err)
{
	if (!f->r->size || f->r->size == f->size)
		return 0;
	return eb_err_set(err, EB_INTEGRITY,
			  "\"%s\" has %" PRIu64 " bytes; its record says "
			  "%" PRIu64,
			  f->what, f->size, f->r->size);
}

static int check_sha256(const struct archive_file *f,
			const struct eb_digest *has, struct eb_error *err)
{
	char a[EB_HEX_SIZE], b[EB_HEX_SIZE];

	if (eb_digest_equal(has, &f->r->sha256))
		return 0;
	return differs(f, "sha256", eb_digest_hex(has, a),
		       eb_digest_hex(&f->r->sha256, b), err);
}

static int check_md5(const struct archive_file *f, struct eb_error *err)
{
	eb_autofree char *chunk = eb_malloc(HASH_CHUNK);
	struct eb_md5 md5;
	char has[33];
	size_t n;

	eb_md5_init(&md5);
	for (uint64_t at = 0; at < f->size; at += n) {
		n = f->size - at < HASH_CHUNK ? (size_t)(f->size - at)
					      : HASH_CHUNK;
		if (eb_pread_all(f->fd, chunk, n, at, f->what, err) < 0)
			return -1;
		eb_md5_add(&md5, chunk, n);
	}
	eb_md5_end(&md5, has);
	return strcmp(has, f->r->md5) == 0
		       ? 0
		       : differs(f, "md5", has, f->r->md5, err);
}

/* By the strongest sum that the record has, in a pass of its own. */
static int check_sum(const struct archive_file *f, struct eb_error *err)
{
	struct eb_digest has;

	if (f->r->has_sha256)
		return eb_sha256_fd(f->fd, &has, NULL, err) < 0
			       ? -1
			       : check_sha256(f, &has, err);
	return f->r->md5[0] ? check_md5(f, err) : 0;
}

/* Bytes that are not what they should be are no input: whatever was found in
 * them, the sum is what is said. */
static void blame_sum(const struct archive_file *f, struct eb_error *err)
{
	struct eb_error sum = EB_ERROR_INIT;

	if (check_sum(f, &sum) == 0)
		return;
	if (sum.code != EB_INTEGRITY) {
		eb_err_release(&sum);
		return;
	}
	eb_err_release(err);
	eb_err_move(err, &sum);
}

/* As long as it may become: a thousand times its size, a gigabyte always. */
static uint64_t growth(uint64_t size)
{
	uint64_t most = size > GROWTH_MAX / GROWTH_FACTOR
				? GROWTH_MAX
				: size * GROWTH_FACTOR;

	return most > GROWTH_FREE ? most : GROWTH_FREE;
}

static int read_stream(struct eb_package_reading *r, struct eb_stream *s,
		       struct eb_error *err)
{
	EB_CLEANUP(eb_stream_free_ptr)
	struct eb_stream *limited = eb_stream_limit(
		s, r->growth > r->unpacked ? r->growth - r->unpacked : 0,
		r->p->what);

	return eb_package_tar(r, limited, err);
}

static int read_bz2(struct eb_package_reading *r, const struct archive_file *f,
		    struct eb_error *err)
{
	struct eb_sha256 sha;
	struct eb_digest has;
	uint64_t seen = 0;
	struct eb_stream *s = eb_stream_fd(f->fd, 0, f->size, f->what);

	if (!f->r->has_sha256 && check_sum(f, err) < 0) {
		eb_stream_free(s);
		return -1;
	}
	if (f->r->has_sha256)
		s = eb_stream_sha256(s, &sha, &seen);
	if (read_stream(r, eb_stream_bunzip2(s, f->what), err) < 0) {
		if (f->r->has_sha256)
			blame_sum(f, err);
		return -1;
	}
	if (!f->r->has_sha256)
		return 0;
	if (seen != f->size)
		return check_sum(f, err);
	eb_sha256_end(&sha, &has);
	return check_sha256(f, &has, err);
}

/* {"conda_pkg_format_version": 2}; where it is missing 2 is meant. */
static int check_format(const struct archive_file *f,
			const struct eb_zip_member *m, struct eb_error *err)
{
	eb_autofree char *text = NULL, *name = NULL;
	eb_autojson json_t *j = NULL;
	json_int_t version;

	if (!m->name)
		return 0;
	if (m->size > EB_MAX_CONFIG)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" has a metadata.json of %" PRIu64
				  " bytes; %zu is the limit",
				  f->what, m->size, EB_MAX_CONFIG);
	text = eb_malloc((size_t)m->size + 1);
	if (eb_pread_all(f->fd, text, (size_t)m->size, m->offset, f->what,
			 err) < 0)
		return -1;
	name = eb_asprintf("%s/metadata.json", f->what);
	j = eb_json_parse(text, (size_t)m->size, name, err);
	if (!j)
		return -1;
	version = eb_json_int(j, "conda_pkg_format_version", 2);
	if (version == 2)
		return 0;
	return eb_err_set(err, EB_INPUT,
			  "\"%s\" has the .conda format %" JSON_INTEGER_FORMAT
			  "; 2 is known",
			  f->what, version);
}

static int read_zst(struct eb_package_reading *r, const struct archive_file *f,
		    const struct eb_zip_member *m, const char *kind,
		    struct eb_error *err)
{
	eb_autofree char *name = NULL;
	struct eb_stream *s;
	int log;

	if (!m->name)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" has no member \"%s-*.tar.zst\"",
				  f->what, kind);
	log = eb_zstd_window_log(f->fd, m->offset, m->size, f->what);
	if (log > r->p->window_log)
		r->p->window_log = log;
	name = eb_asprintf("%s/%s", f->what, m->name);
	s = eb_stream_fd(f->fd, m->offset, m->size, name);
	return read_stream(r, eb_stream_unzstd(s, WINDOW_LOG_MAX, name), err);
}

static int read_conda(struct eb_package_reading *r,
		      const struct archive_file *f, struct eb_error *err)
{
	struct eb_zip z EB_CLEANUP(eb_zip_release) = { 0 };

	if (check_sum(f, err) < 0)
		return -1;
	if (eb_zip_open(f->fd, f->size, f->what, &z, err) < 0)
		return -1;
	if (check_format(f, &z.metadata, err) < 0)
		return -1;
	if (read_zst(r, f, &z.info, "info", err) < 0)
		return -1;
	return read_zst(r, f, &z.pkg, "pkg", err);
}

static int read_archive(struct eb_package_reading *r,
			const struct archive_file *f, struct eb_error *err)
{
	if (check_size(f, err) < 0)
		return -1;
	if (eb_ends(f->what, ".conda"))
		return read_conda(r, f, err);
	if (eb_ends(f->what, ".tar.bz2"))
		return read_bz2(r, f, err);
	return eb_err_set(err, EB_INPUT,
			  "\"%s\" is neither a .conda nor a .tar.bz2", f->what);
}

static void release_hard(struct eb_package_reading *r)
{
	for (size_t i = 0; i < r->n_hard; i++)
		free(r->hard[i].target);
	free(r->hard);
}

static int read_all(struct eb_package_reading *r, const struct archive_file *f,
		    struct eb_error *err)
{
	if (read_archive(r, f, err) < 0)
		return -1;
	return eb_package_check(r, err);
}

int eb_package_read(int fd, const struct eb_record *r,
		    const struct eb_package_limits *limits, const char *tmp,
		    size_t memory, struct eb_package *out, struct eb_error *err)
{
	struct archive_file f = { .fd = fd, .r = r, .what = r->fn };
	struct eb_package_reading reading = { .p = out, .limits = limits };
	struct stat st;
	int rc;

	*out = (struct eb_package){ 0 };
	if (fstat(fd, &st) < 0)
		return eb_err_errno(err, EB_OK, errno, "\"%s\", reading",
				    f.what);
	f.size = (uint64_t)st.st_size;
	out->what = eb_strdup(r->fn);
	reading.growth = growth(f.size);
	reading.spool = eb_spool_new(tmp, memory);
	eb_entries_take_spool(&out->files, reading.spool);
	rc = read_all(&reading, &f, err);
	release_hard(&reading);
	if (rc < 0)
		eb_package_release(out);
	return rc;
}

void eb_package_release(struct eb_package *p)
{
	for (size_t i = 0; i < p->n_info; i++) {
		free(p->info[i].name);
		free(p->info[i].text);
	}
	free(p->info);
	free(p->what);
	eb_strv_release(&p->setid);
	eb_entries_release(&p->files);
	*p = (struct eb_package){ 0 };
}

const struct eb_package_info *eb_package_info(const struct eb_package *p,
					      const char *name)
{
	for (size_t i = 0; i < p->n_info; i++) {
		if (strcmp(p->info[i].name, name) == 0)
			return &p->info[i];
	}
	return NULL;
}
