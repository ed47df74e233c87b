/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which pip resolves where there is no uv: the environment's own, when it is
 * new enough to report what it would install, else the newest of the indexes
 * that this Python can run. A wheel of pip runs as it is, from the file.
 */
#include <string.h>

#include <envbuild/file.h>
#include <envbuild/pep440.h>
#include <envbuild/tags.h>

#include "own_pip.h"
#include "pip_line.h"

#define PIP_MINIMUM "22.2"	    /* the first that reports */
#define PIP_MOST ((size_t)32 << 20) /* bytes of its wheel */

static bool at_least(const char *version, const char *least)
{
	struct eb_error none EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	int order = -1;

	return version &&
	       eb_pep440_compare(version, least, &order, &none) == 0 &&
	       order >= 0;
}

/* --- of an index -----------------------------------------------------------
 */

static bool runs_on(const struct eb_index_file *f, const char *python)
{
	struct eb_error none EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	return !f->requires_python ||
	       eb_specifiers_contain(f->requires_python, python, EB_PRE_ALLOW,
				     &none) == 1;
}

/* Its version when it may be taken; caller frees. */
static char *usable(const struct eb_index_file *f, const char *python)
{
	struct eb_error none EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	struct eb_wheel_name w EB_CLEANUP(eb_wheel_name_release) = { 0 };

	if (!eb_ends(f->name, ".whl") || f->yanked || !runs_on(f, python) ||
	    eb_wheel_name_parse(f->name, &w, &none) < 0 ||
	    strcmp(w.name, "pip") || eb_pep440_is_pre(w.version) ||
	    !at_least(w.version, PIP_MINIMUM))
		return NULL;
	return eb_steal(w.version);
}

static const struct eb_index_file *newest(const struct eb_index_page *page,
					  const char *python, char **version)
{
	const struct eb_index_file *best = NULL;

	for (size_t i = 0; i < page->n; i++) {
		char *is = usable(&page->file[i], python);

		if (is && (!best || at_least(is, *version))) {
			best = &page->file[i];
			free(*version);
			*version = is;
		} else {
			free(is);
		}
	}
	return best;
}

/* --- its file --------------------------------------------------------------
 */

static int download(struct eb_resolving *z, const char *url, struct eb_buf *out,
		    struct eb_error *err)
{
	struct eb_index_way way EB_CLEANUP(eb_index_way_release) = { 0 };
	char *login = eb_index_login(z->r->indexes, url);
	struct eb_http_request r EB_CLEANUP(eb_http_request_release) = {
		.url = login, .max_bytes = out->max, .text = out, .fd = -1
	};
	struct eb_http_request *all[] = { &r };
	int rc = eb_index_request(z->r->indexes, &way, &r, err);

	if (rc == 0)
		rc = eb_http_do(z->r->http, all, 1, err);
	eb_wipe(login);
	return rc;
}

static int fetch(struct eb_resolving *z, const struct eb_index_file *f,
		 struct eb_error *err)
{
	eb_autofree char *path = eb_pip_file_path(f->url);
	EB_AUTOBUF(bytes, PIP_MOST);
	struct eb_digest is;

	if ((path ? eb_read_file(path, PIP_MOST, &bytes, err)
		  : download(z, f->url, &bytes, err)) < 0)
		return -1;
	eb_sha256(bytes.data, bytes.len, &is);
	if (f->has_sha256 && !eb_digest_equal(&is, &f->sha256))
		return eb_err_set(err, EB_INTEGRITY,
				  "\"%s\" is not what its index says", f->name);
	z->pip_file = eb_path_join(z->dir, f->name);
	return eb_write_file(z->pip_file, bytes.data, bytes.len, 0600, err);
}

/* 1 there is one, 0, -1 */
static int from_page(struct eb_resolving *z, struct eb_index_page *page,
		     struct eb_error *err)
{
	const char *python = z->r->target.version;
	eb_autofree char *version = NULL;
	const struct eb_index_file *f = newest(page, python, &version);
	int rc = f ? fetch(z, f, err) : 0;

	if (f && rc == 0)
		z->version = eb_steal(version);
	eb_index_page_release(page);
	return rc < 0 ? -1 : f != NULL;
}

static int from_index(struct eb_resolving *z, const char *url, bool links,
		      struct eb_error *err)
{
	const struct eb_indexes *x = z->r->indexes;
	struct eb_index_page page = { 0 };
	int rc = links ? eb_index_links_get(z->r->http, x, url, &page, err)
		       : eb_index_page_get(z->r->http, x, url, "pip", &page,
					   err);

	return rc < 1 ? rc : from_page(z, &page, err);
}

static int from_any(struct eb_resolving *z, struct eb_error *err)
{
	const struct eb_indexes *x = z->r->indexes;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < x->find_links.n; i++)
		rc = from_index(z, x->find_links.v[i], true, err);
	for (size_t i = 0; rc == 0 && !x->no_index && i < x->extra.n; i++)
		rc = from_index(z, x->extra.v[i], false, err);
	if (rc == 0 && !x->no_index && x->url)
		rc = from_index(z, x->url, false, err);
	return rc;
}

/* --- which -----------------------------------------------------------------
 */

static int too_old(const struct eb_resolving *z, struct eb_error *err)
{
	eb_err_set(err, EB_MACHINE,
		   "there is no uv, and no pip that runs on Python %s can "
		   "resolve for us: that needs pip " PIP_MINIMUM
		   " and Python 3.7",
		   z->r->target.version);
	return eb_err_hint(err, "install uv (`make deps`, or ENVBUILD_UV=/path"
				"/to/uv)");
}

static int nowhere(const struct eb_resolving *z, struct eb_error *err)
{
	eb_err_set(err, EB_MACHINE,
		   "there is no uv, and neither the environment nor an index "
		   "has a pip from " PIP_MINIMUM " on for Python %s",
		   z->r->target.version);
	return eb_err_hint(err, "install uv (`make deps`, or ENVBUILD_UV=/path"
				"/to/uv), or ask for \"pip>=" PIP_MINIMUM
				"\" among the conda packages");
}

int eb_own_pip_find(struct eb_resolving *z, struct eb_error *err)
{
	const struct eb_installed *conda = eb_resolve_installed(z->r, "pip");
	int rc;

	if (!at_least(z->r->target.version, "3.7"))
		return too_old(z, err);
	if (conda && at_least(conda->version, PIP_MINIMUM)) {
		z->version = eb_strdup(conda->version);
		return 0;
	}
	rc = from_any(z, err);
	return rc > 0 ? 0 : rc < 0 ? -1 : nowhere(z, err);
}
