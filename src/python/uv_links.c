/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A folder of files (--find-links) as a page of links with their sums. Of a
 * file without one uv unpacks all that it chooses, for nothing but its name in
 * the answer. The sums are made here, of what may be chosen, and kept for as
 * long as a file stays as it is.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/digest.h>
#include <envbuild/file.h>
#include <envbuild/json.h>

#include "uv.h"

#define SUMS "sums.json"
#define MAX_PAGE ((size_t)16 << 20)

struct page {
	const struct eb_uv_call_plan *plan;
	const char *dir;  /* on this machine */
	const char *seen; /* by the call: a path, or one below its folder */
	json_t *known, *fresh;
	struct eb_buf text;
};

/* --- sums ------------------------------------------------------------------
 */
/* 64 digits; caller frees. NULL: it cannot be read, which uv will tell. */
static char *sum_of(struct page *p, int fd)
{
	struct eb_error none EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	char hex[EB_HEX_SIZE];
	struct eb_digest sum;
	uint64_t size;
	struct stat st;
	eb_autofree char *state = NULL;
	const char *known;

	if (fstat(fd, &st) < 0)
		return NULL;
	state = eb_uv_state(&st);
	known = eb_json_str(p->known, state);
	if (known && strlen(known) == EB_HEX_SIZE - 1)
		return eb_strdup(known);
	if (eb_sha256_fd(fd, &sum, &size, &none) < 0)
		return NULL;
	eb_digest_hex(&sum, hex);
	json_object_set_new(p->fresh, state, json_string(hex));
	return eb_strdup(hex);
}

/* --- the page --------------------------------------------------------------
 */
static bool is_sdist(const char *name)
{
	return eb_ends(name, ".tar.gz") || eb_ends(name, ".zip") ||
	       eb_ends(name, ".tar.bz2") || eb_ends(name, ".tgz");
}

static bool may_be_chosen(const struct page *p, const char *name)
{
	struct eb_error none EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	struct eb_wheel_name w = { 0 };
	bool may;

	if (is_sdist(name))
		return true;
	if (eb_wheel_name_parse(name, &w, &none) < 0)
		return false;
	may = !p->plan->tags || eb_wheel_rank(&w, p->plan->tags) >= 0;
	eb_wheel_name_release(&w);
	return may;
}

static void put_path(struct eb_buf *out, const char *path)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "abcdefghijklmnopqrstuvwxyz"
				    "0123456789-._~/";

	for (; *path; path++) {
		if (strchr(plain, *path))
			eb_buf_addch(out, *path);
		else
			eb_buf_addf(out, "%%%02X", (unsigned char)*path);
	}
}

static void put_file(struct page *p, const char *name)
{
	eb_autofree char *path = eb_path_join(p->dir, name);
	eb_autofd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	eb_autofree char *sum = NULL;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return;
	if (may_be_chosen(p, name))
		sum = sum_of(p, fd);
	eb_buf_adds(&p->text, "<a href=\"");
	eb_buf_adds(&p->text, *p->seen == '/' ? "file://" : "");
	put_path(&p->text, p->seen);
	eb_buf_addch(&p->text, '/');
	put_path(&p->text, name);
	eb_buf_addf(&p->text, "%s%s\">", sum ? "#sha256=" : "", sum ? sum : "");
	put_path(&p->text, name);
	eb_buf_adds(&p->text, "</a>\n");
}

static int put_files(struct page *p, struct eb_error *err)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv names = { 0 };
	DIR *d = opendir(p->dir);
	struct dirent *e;

	if (!d)
		return eb_err_errno(err, EB_INPUT, errno, "\"%s\", reading",
				    p->dir);
	while ((e = readdir(d)))
		if (eb_ends(e->d_name, ".whl") || is_sdist(e->d_name))
			eb_strv_add(&names, e->d_name);
	closedir(d);
	eb_strv_sort(&names);
	eb_buf_adds(&p->text, "<!DOCTYPE html>\n<html><body>\n");
	for (size_t i = 0; i < names.n; i++)
		put_file(p, names.v[i]);
	eb_buf_adds(&p->text, "</body></html>\n");
	if (!p->text.overflow)
		return 0;
	return eb_err_set(err, EB_INPUT, "\"%s\" has too many files", p->dir);
}

/* --- of a call -------------------------------------------------------------
 */
static void release(struct page *p)
{
	json_decref(p->known);
	json_decref(p->fresh);
	eb_buf_release(&p->text);
}

/* The folder as the call sees it: elsewhere it is mounted in the call's. */
static char *show(const struct eb_uv_call_plan *plan,
		  struct eb_uv_call_made *out, const char *dir,
		  struct eb_error *err)
{
	char *real = realpath(dir, NULL);
	eb_autofree char *name = NULL, *at = NULL;

	if (!real) {
		eb_err_errno(err, EB_INPUT, errno, "\"%s\", looking for it",
			     dir);
		return NULL;
	}
	name = eb_asprintf(EB_UV_SEE "/%zu", out->see.n);
	eb_strv_take(&out->see, real);
	if (!plan->away)
		return eb_strdup(*dir == '/' ? dir : real);
	at = eb_path_join(out->dir, name);
	if (eb_mkdirs(at, 0700, err) < 0)
		return NULL;
	eb_strv_add(&out->local, dir);
	eb_strv_add(&out->staged, name);
	return eb_steal(name);
}

/* What lies in the call's own folder is gone with it: no sum is kept. */
static int put_page(struct page *p, struct eb_uv_call_made *out,
		    struct eb_strv *find, struct eb_error *err)
{
	const struct eb_uv_call_plan *plan = p->plan;
	bool kept = !eb_starts(p->dir, out->dir);
	eb_autofree char *name = eb_asprintf("links-%zu.html", find->n);

	p->known = kept ? eb_uv_known_read(plan->root, SUMS) : NULL;
	if (put_files(p, err) < 0 ||
	    eb_uv_write(out->dir, name, p->text.data, p->text.len, err) < 0)
		return -1;
	if (kept && json_object_size(p->fresh))
		eb_uv_known_write(plan->root, SUMS, p->fresh);
	eb_strv_take(find, plan->away ? eb_asprintf("./%s", name)
				      : eb_path_join(out->dir, name));
	return 0;
}

int eb_uv_links(const struct eb_uv_call_plan *plan, struct eb_uv_call_made *out,
		const char *dir, const char *seen, struct eb_strv *find,
		struct eb_error *err)
{
	eb_autofree char *shown = seen ? NULL : show(plan, out, dir, err);
	struct page p EB_CLEANUP(release) = { .plan = plan,
					      .dir = dir,
					      .seen = seen ? seen : shown,
					      .fresh = json_object() };

	eb_buf_init(&p.text, MAX_PAGE);
	return p.seen ? put_page(&p, out, find, err) : -1;
}
