/* SPDX-License-Identifier: Apache-2.0 */
/* Pages fetched: of a project in an index, of links, of a folder. */
#include "index_int.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include <envbuild/buf.h>
#include <envbuild/file.h>
#include <envbuild/mem.h>
#include <envbuild/stream.h>

#include "pip_line.h"

/* ---- one request -----------------------------------------------------------
 */

/* The text as the server meant it. */
static int decode(struct eb_http_request *r, struct eb_buf *out,
		  struct eb_error *err)
{
	eb_autofree char *coding = eb_http_field(r, "Content-Encoding", 0);
	eb_autofree char *shown = eb_index_shown(r->url);
	EB_CLEANUP(eb_stream_free_ptr) struct eb_stream *s = NULL;
	char piece[16384];
	ssize_t n;

	if (!coding || strcasecmp(coding, "gzip")) {
		eb_buf_release(out);
		*out = *r->text;
		eb_buf_init(r->text, EB_INDEX_PAGE_MAX);
		return 0;
	}
	s = eb_stream_mem(r->text->data, r->text->len);
	s = eb_stream_limit(eb_stream_gunzip(s, shown), EB_INDEX_PAGE_MAX,
			    shown);
	while ((n = eb_stream_read(s, piece, sizeof piece, err)) > 0)
		eb_buf_add(out, piece, (size_t)n);
	return n < 0 ? -1 : 0;
}

static int read_answer(struct eb_http_request *r, struct eb_index_page *out,
		       struct eb_error *err)
{
	eb_autofree char *type = eb_http_field(r, "Content-Type", 0);
	EB_AUTOBUF(text, EB_INDEX_PAGE_MAX);

	if (decode(r, &text, err) < 0)
		return -1;
	return eb_index_page_parse(text.data, text.len, type,
				   r->final_url ? r->final_url : r->url, out,
				   err);
}

static int advise(const struct eb_http_request *r, struct eb_error *err)
{
	if (err->code == EB_REFUSED && !err->hint)
		eb_err_hint(err, "credentials of an index stand in its URL, "
				 "in netrc, or in a keyring");
	else if (err->code == EB_INTEGRITY && r->received)
		eb_err_hint(err, "is it the URL of an index?");
	return -1;
}

/* 1, 0: it is not there, -1. `url` with its credentials. */
static int get(struct eb_http *http, const struct eb_indexes *x,
	       const char *url, struct eb_index_page *out, struct eb_error *err)
{
	static const char *const headers[] = {
		"Accept: application/vnd.pypi.simple.v1+json, "
		"application/vnd.pypi.simple.v1+html; q=0.2, "
		"text/html; q=0.01",
		"Accept-Encoding: gzip", NULL
	};
	EB_AUTOBUF(text, EB_INDEX_PAGE_MAX + 1);
	struct eb_index_way way EB_CLEANUP(eb_index_way_release) = { 0 };
	struct eb_http_request r EB_CLEANUP(eb_http_request_release) = {
		.url = url,
		.headers = headers,
		.max_bytes = EB_INDEX_PAGE_MAX,
		.text = &text,
		.fd = -1,
	};
	struct eb_http_request *all[] = { &r };

	if (x && eb_index_request(x, &way, &r, err) < 0)
		return -1;
	if (eb_http_do(http, all, 1, err) < 0) {
		if (r.status != 404 && r.status != 410)
			return advise(&r, err);
		eb_err_release(err);
		return 0;
	}
	return read_answer(&r, out, err) < 0 ? -1 : 1;
}

/* ---- a project's page ------------------------------------------------------
 */

/* "INDEX/PROJECT/"; what the index's URL has of a query stays at its end. */
static char *page_url(const char *index, const char *project)
{
	eb_autofree char *name = eb_index_project(project);
	size_t n = strcspn(index, "?#"), end = n;
	size_t query = strcspn(index + n, "#");

	while (end && index[end - 1] == '/')
		end--;
	return eb_asprintf("%.*s/%s/%.*s", (int)end, index, name, (int)query,
			   index + n);
}

static int refuse_name(const char *project, struct eb_error *err)
{
	eb_autofree char *plain = eb_printable(project);

	return eb_err_set(err, EB_INPUT,
			  "\"%.128s\", looking into an index: it is no name "
			  "of a project",
			  plain);
}

static bool is_project(const char *name)
{
	const char *set = "abcdefghijklmnopqrstuvwxyz0123456789"
			  "ABCDEFGHIJKLMNOPQRSTUVWXYZ-_.";

	return *name && strlen(name) < 256 && !name[strspn(name, set)] &&
	       !strchr("-_.", *name);
}

int eb_index_page_get(struct eb_http *http, const struct eb_indexes *x,
		      const char *index, const char *project,
		      struct eb_index_page *out, struct eb_error *err)
{
	eb_autofree char *origin = eb_http_origin(index);
	char *url, *login;
	int rc;

	*out = (struct eb_index_page){ 0 };
	if (!is_project(project))
		return refuse_name(project, err);
	if (!origin || strlen(index) > EB_MAX_CONFIG) {
		eb_autofree char *shown = eb_index_shown(index);

		return eb_err_set(err, EB_INPUT,
				  "\"%s\", asking an index: it is no http or "
				  "https URL",
				  shown);
	}
	url = page_url(index, project);
	login = eb_index_login(x, url);
	rc = get(http, x, login, out, err);
	eb_wipe(login);
	eb_wipe(url);
	return rc;
}

/* ---- links and folders ------------------------------------------------------
 */

static char *file_url(const char *dir, const char *name)
{
	EB_AUTOBUF(out, EB_MAX_TEXT);
	const char *part[] = { dir, "/", name };

	eb_buf_adds(&out, "file://");
	for (unsigned i = 0; i < 3; i++) {
		for (const char *p = part[i]; *p; p++) {
			if ((unsigned char)*p <= ' ' || strchr("%?#", *p) ||
			    (unsigned char)*p > 0x7e)
				eb_buf_addf(&out, "%%%02X", (unsigned char)*p);
			else
				eb_buf_addch(&out, *p);
		}
	}
	return eb_buf_steal(&out, NULL);
}

static int add_entry(DIR *dir, const char *path, const char *name,
		     struct eb_index_page *out, struct eb_error *err)
{
	eb_autofree char *url = file_url(path, name);
	struct eb_index_link link = { .name = name, .url = url };
	struct stat st;

	if (fstatat(dirfd(dir), name, &st, 0) < 0 || !S_ISREG(st.st_mode))
		return 0;
	link.size = (uint64_t)st.st_size;
	return eb_index_page_add(out, NULL, &link, err);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct eb_index_file *)a)->name,
		      ((const struct eb_index_file *)b)->name);
}

static int read_folder(const char *path, struct eb_index_page *out,
		       struct eb_error *err)
{
	DIR *dir = opendir(path);
	struct dirent *e;
	int rc = 0;

	if (!dir)
		return errno == ENOENT ? 0
				       : eb_err_errno(err, EB_OK, errno,
						      "\"%s\", looking for "
						      "wheels",
						      path);
	while (rc == 0 && (e = readdir(dir)))
		rc = add_entry(dir, path, e->d_name, out, err);
	closedir(dir);
	if (rc < 0)
		eb_index_page_release(out);
	else if (out->n)
		qsort(out->file, out->n, sizeof *out->file, by_name);
	return rc < 0 ? -1 : 1;
}

int eb_index_links_get(struct eb_http *http, const struct eb_indexes *x,
		       const char *url, struct eb_index_page *out,
		       struct eb_error *err)
{
	eb_autofree char *path = eb_pip_file_path(url);
	char *login;
	int rc;

	*out = (struct eb_index_page){ 0 };
	if (path || !eb_pip_is_url(url))
		return read_folder(path ? path : url, out, err);
	login = eb_index_login(x, url);
	rc = get(http, x, login, out, err);
	eb_wipe(login);
	return rc;
}
