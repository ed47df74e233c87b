/* SPDX-License-Identifier: Apache-2.0 */
/* A project's page: its files, out of HTML or JSON (PEP 503, 691, 700). */
#include "index_int.h"

#include <string.h>

#include <envbuild/mem.h>

#define NAME_MAX_BYTES 255
#define TEXT_MAX_BYTES 4096

/* ---- one file -------------------------------------------------------------
 */

/* What a resolver may take for a source distribution. */
static bool is_distribution(const char *name)
{
	static const char *const ends[] = { ".whl",    ".tar.gz",  ".zip",
					    ".tgz",    ".tar.bz2", ".tbz",
					    ".tar.xz", ".txz",	   ".tar.zst",
					    ".tar",    ".tar.lz",  ".tlz",
					    ".tbz2",   ".tar.lzma" };

	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (eb_ends(name, ends[i]))
			return strlen(name) > strlen(ends[i]);
	return false;
}

static bool is_name(const char *name)
{
	size_t n = strlen(name);

	if (!n || n > NAME_MAX_BYTES || *name == '.' || strchr(name, '/') ||
	    !eb_utf8_valid(name, n))
		return false;
	for (const char *p = name; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f || *p == '\\')
			return false;
	return is_distribution(name);
}

/* The last part of a URL's path, decoded; NULL: none. */
static char *name_of(const char *url)
{
	const char *end = url + strcspn(url, "?#"), *from = end;
	char *name;

	while (from > url && from[-1] != '/')
		from--;
	name = eb_strndup(from, (size_t)(end - from));
	if (eb_index_unquote(name))
		return name;
	free(name);
	return NULL;
}

/* "sha256=HEX" among the parts of a fragment; NULL: there is none. */
static char *sha256_of(const char *fragment)
{
	while (fragment && *fragment) {
		size_t n = strcspn(++fragment, "&");

		if (eb_starts(fragment, "sha256="))
			return eb_strndup(fragment + 7, n - 7);
		fragment += n;
	}
	return NULL;
}

/* false: it says one that cannot be. */
static bool set_sha256(struct eb_index_file *f, const char *hex)
{
	eb_autofree char *copy = eb_strdup(hex);

	if (!copy)
		return true;
	eb_lower(copy);
	f->has_sha256 =
		strlen(copy) == 64 && eb_digest_parse(copy, &f->sha256) == 0;
	return f->has_sha256;
}

static bool fits(const char *text)
{
	return !text || (strlen(text) <= TEXT_MAX_BYTES &&
			 eb_utf8_valid(text, strlen(text)));
}

static void release_file(struct eb_index_file *f)
{
	free(f->name);
	free(f->url);
	free(f->requires_python);
	free(f->upload_time);
	free(f->yanked);
	free(f->metadata_url);
}

/* "URL.metadata"; a query stays behind. */
static char *metadata_of(const char *url)
{
	size_t n = strcspn(url, "?");

	return eb_asprintf("%.*s.metadata%s", (int)n, url, url + n);
}

/* false: it is none, or malformed */
static bool fill(struct eb_index_file *f, const char *base,
		 const struct eb_index_link *l)
{
	size_t n = strcspn(l->url, "#");
	eb_autofree char *bare = eb_strndup(l->url, n);
	eb_autofree char *said = sha256_of(l->url + n);

	f->name = l->name ? eb_strdup(l->name) : name_of(l->url);
	if (!f->name || !is_name(f->name) || !fits(l->requires_python) ||
	    !fits(l->upload_time) ||
	    !set_sha256(f, l->sha256 ? l->sha256 : said))
		return false;
	f->url = base ? eb_http_resolve(base, bare) : eb_steal(bare);
	if (!f->url)
		return false;
	f->size = l->size;
	f->requires_python = eb_strdup(l->requires_python);
	f->upload_time = eb_strdup(l->upload_time);
	f->yanked = eb_strdup(fits(l->yanked) ? l->yanked : "");
	if (l->metadata)
		f->metadata_url = metadata_of(f->url);
	return true;
}

int eb_index_page_add(struct eb_index_page *page, const char *base,
		      const struct eb_index_link *link, struct eb_error *err)
{
	struct eb_index_file f = { 0 };

	if (!fill(&f, base, link)) {
		release_file(&f);
		return 0;
	}
	if (page->n == EB_INDEX_FILES_MAX) {
		eb_autofree char *shown =
			eb_index_shown(base ? base : link->url);

		release_file(&f);
		return eb_err_set(err, EB_INPUT,
				  "\"%s\", reading the index's page: more "
				  "than %d files",
				  shown, EB_INDEX_FILES_MAX);
	}
	EB_GROW(page->file, page->n, page->alloc);
	page->file[page->n++] = f;
	return 0;
}

/* ---- either ---------------------------------------------------------------
 */

static bool is_type(const char *type, const char *want)
{
	size_t n = strlen(want);

	return type && !strncasecmp(type, want, n) &&
	       (!type[n] || strchr("; \t", type[n]));
}

static int refuse_type(const char *url, const char *type, struct eb_error *err)
{
	eb_autofree char *shown = eb_index_shown(url);
	eb_autofree char *plain = eb_printable(type ? type : "");

	eb_err_set(err, EB_INPUT,
		   "\"%s\", reading the index's page: its type is \"%.64s\", "
		   "neither HTML nor JSON of an index",
		   shown, plain);
	return eb_err_hint(err, "an index is named as far as \".../simple\", "
				"where its projects are listed");
}

int eb_index_page_parse(const char *text, size_t len, const char *type,
			const char *url, struct eb_index_page *out,
			struct eb_error *err)
{
	int rc;

	*out = (struct eb_index_page){ 0 };
	if (len > EB_INDEX_PAGE_MAX) {
		eb_autofree char *shown = eb_index_shown(url);

		return eb_err_set(err, EB_INPUT,
				  "\"%s\", reading the index's page: more "
				  "than %zu bytes",
				  shown, EB_INDEX_PAGE_MAX);
	}
	if (is_type(type, "application/vnd.pypi.simple.v1+json"))
		rc = eb_index_json_parse(text, len, url, out, err);
	else if (is_type(type, "text/html") ||
		 is_type(type, "application/vnd.pypi.simple.v1+html"))
		rc = eb_index_html_parse(text, len, url, out, err);
	else
		rc = refuse_type(url, type, err);
	if (rc < 0)
		eb_index_page_release(out);
	return rc;
}

const struct eb_index_file *eb_index_find(const struct eb_index_page *p,
					  const char *file)
{
	for (size_t i = 0; i < p->n; i++)
		if (!strcmp(p->file[i].name, file))
			return &p->file[i];
	return NULL;
}

void eb_index_page_release(struct eb_index_page *p)
{
	for (size_t i = 0; i < p->n; i++)
		release_file(&p->file[i]);
	free(p->file);
	*p = (struct eb_index_page){ 0 };
}
