/* SPDX-License-Identifier: Apache-2.0 */
/* Which indexes were asked for a project; many of their pages at once. */
#include "pip_resolve_int.h"

#include <string.h>

#include <envbuild/pool.h>

#define AT_ONCE 8

/* --- indexes ----------------------------------------------------------- */

/* Without credentials and a slash at the end: one index is written one way. */
char *eb_resolve_index_shown(const char *url)
{
	char *shown = eb_index_shown(url);
	size_t n = strlen(shown);

	while (n && shown[n - 1] == '/')
		shown[--n] = 0;
	return shown;
}

/* "http://127.0.0.1/simple" of ".../simple/numpy/", when that is the project's
 * page; else NULL. */
static char *index_of(const char *page, const char *project)
{
	size_t n = strlen(page), m = strlen(project);
	eb_autofree char *base = NULL;

	if (n < m + 3 || page[n - 1] != '/' || page[n - m - 2] != '/' ||
	    strncmp(page + n - m - 1, project, m))
		return NULL;
	base = eb_strndup(page, n - m - 2);
	return eb_resolve_index_shown(base);
}

static void add_index(struct eb_strv *out, const char *url)
{
	eb_autofree char *text = eb_resolve_index_shown(url);

	if (!eb_strv_has(out, text))
		eb_strv_add(out, text);
}

void eb_resolve_indexes_of(const struct eb_resolving *z, const char *project,
			   struct eb_strv *out)
{
	const struct eb_indexes *x = z->r->indexes;

	/* the one that it asked last decided; what was run elsewhere does not
	 * say where this machine asks */
	for (size_t i = z->away && x->url ? 0 : z->log.page.n; i-- > 0;) {
		eb_autofree char *index = index_of(z->log.page.v[i], project);

		if (index)
			add_index(out, index);
	}
	if (out->n || x->no_index)
		return;
	for (size_t i = 0; i < x->extra.n; i++)
		add_index(out, x->extra.v[i]);
	if (x->url)
		add_index(out, x->url);
}

/* --- pages ------------------------------------------------------------- */

struct job {
	struct eb_resolving *z;
	struct eb_http *http;
	struct eb_resolve_page *page;
};

static int get(void *arg, struct eb_error *err)
{
	struct job *j = arg;

	j->page->found =
		eb_index_page_get(j->http, j->z->r->indexes, j->page->index,
				  j->page->project, &j->page->page, err);
	return j->page->found < 0 ? -1 : 0;
}

static int get_each(struct job *job, size_t n, struct eb_error *err)
{
	for (size_t i = 0; i < n; i++)
		if (get(&job[i], err) < 0)
			return -1;
	return 0;
}

/* By threads, each with its page; the loop has one of its own. */
static int get_many(struct job *job, size_t n, struct eb_error *err)
{
	const struct eb_pip_request *r = job->z->r;
	struct eb_http_options options = { .ca_file = r->indexes->ca_file,
					   .offline = r->offline };
	EB_CLEANUP(eb_http_free_ptr)
	struct eb_http *http = eb_http_new(&options, NULL);
	struct eb_pool *pool;
	int rc;

	if (eb_http_start(http, err) < 0)
		return -1;
	pool = eb_pool_new(AT_ONCE);
	for (size_t i = 0; i < n; i++) {
		job[i].http = http;
		eb_pool_submit(pool, get, &job[i]);
	}
	rc = eb_pool_wait(pool, err);
	eb_pool_free(pool);
	return rc;
}

int eb_resolve_pages(struct eb_resolving *z, struct eb_resolve_page *p,
		     size_t n, struct eb_error *err)
{
	eb_autofree struct job *job = eb_calloc(n + 1, sizeof *job);

	for (size_t i = 0; i < n; i++)
		job[i] = (struct job){ z, z->r->http, &p[i] };
	/* a keyring is asked by one at a time */
	if (n < 3 || z->r->indexes->keyring)
		return get_each(job, n, err);
	return get_many(job, n, err);
}
