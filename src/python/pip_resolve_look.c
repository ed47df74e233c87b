/* SPDX-License-Identifier: Apache-2.0 */
/* Projects as the indexes have them, for explanations; and who asks for what,
 * back to the line of the definition. */
#include "pip_resolve_int.h"

#include <ctype.h>
#include <string.h>

#include <envbuild/pep440.h>

#define CHAIN 32 /* demands, one behind the other */

/* --- pages ------------------------------------------------------------- */

static void release_seen(struct eb_resolve_seen *s)
{
	free(s->name);
	free(s->index);
	free(s->other);
	eb_index_page_release(&s->page);
	eb_index_page_release(&s->other_page);
}

void eb_resolve_seen_release(struct eb_resolving *z)
{
	for (size_t i = 0; i < z->n_seen; i++)
		release_seen(&z->seen[i]);
	free(z->seen);
	z->seen = NULL;
	z->n_seen = z->alloc_seen = 0;
}

/* Links are for every project: those of this one are kept. */
static void add_links(struct eb_resolving *z, const char *link,
		      const char *project, struct eb_resolve_seen *to)
{
	struct eb_error none = EB_ERROR_INIT;
	struct eb_index_page page = { 0 };
	size_t i;

	if (eb_index_links_get(z->r->http, z->r->indexes, link, &page, &none) <
	    0)
		eb_err_release(&none);
	for (i = 0; i < page.n; i++) {
		size_t n = strcspn(page.file[i].name, "-");
		eb_autofree char *raw = eb_strndup(page.file[i].name, n);
		eb_autofree char *name = eb_project_name(raw);
		struct eb_index_page *p = &to->page;

		if (strcmp(name, project))
			continue;
		EB_GROW(p->file, p->n, p->alloc);
		p->file[p->n++] = page.file[i];
		page.file[i] = (struct eb_index_file){ 0 };
		if (!to->index)
			to->index = eb_index_shown(link);
	}
	eb_index_page_release(&page);
}

/* The configured ones, in the order in which they are asked. */
static void configured(const struct eb_indexes *x, struct eb_strv *out)
{
	for (size_t i = 0; i < x->extra.n; i++)
		eb_strv_take(out, eb_resolve_index_shown(x->extra.v[i]));
	if (x->url)
		eb_strv_take(out, eb_resolve_index_shown(x->url));
}

static void look(struct eb_resolving *z, const char *project,
		 struct eb_resolve_seen *out)
{
	const struct eb_indexes *x = z->r->indexes;
	struct eb_strv index EB_CLEANUP(eb_strv_release) = { 0 };

	for (size_t i = 0; i < x->find_links.n; i++)
		add_links(z, x->find_links.v[i], project, out);
	configured(x, &index);
	if (index.n == 0 && !x->no_index)
		eb_resolve_indexes_of(z, project, &index);
	for (size_t i = 0; i < index.n && !x->no_index && !out->other; i++) {
		struct eb_index_page page = { 0 };
		struct eb_error none = EB_ERROR_INIT;

		if (eb_index_page_get(z->r->http, x, index.v[i], project, &page,
				      &none) != 1) {
			eb_err_release(&none);
			continue;
		}
		if (!out->index) {
			out->index = eb_strdup(index.v[i]);
			out->page = page;
		} else {
			out->other = eb_strdup(index.v[i]);
			out->other_page = page;
		}
	}
}

const struct eb_resolve_seen *eb_resolve_look(struct eb_resolving *z,
					      const char *project)
{
	struct eb_resolve_seen *s;

	for (size_t i = 0; i < z->n_seen; i++)
		if (strcmp(z->seen[i].name, project) == 0)
			return &z->seen[i];
	EB_GROW(z->seen, z->n_seen, z->alloc_seen);
	s = &z->seen[z->n_seen++];
	*s = (struct eb_resolve_seen){ .name = eb_strdup(project) };
	look(z, project, s);
	return s;
}

/* --- versions ------------------------------------------------------------ */

char *eb_resolve_version_of(const char *file)
{
	struct eb_error none = EB_ERROR_INIT;
	struct eb_wheel_name w = { 0 };
	char *name = NULL, *version = NULL;

	if (!eb_ends(file, ".whl")) {
		if (eb_sdist_name_parse(file, &name, &version, &none) < 0)
			eb_err_release(&none);
		free(name);
		return version;
	}
	if (eb_wheel_name_parse(file, &w, &none) < 0)
		eb_err_release(&none);
	else
		version = eb_steal(w.version);
	eb_wheel_name_release(&w);
	return version;
}

static int by_version(const void *a, const void *b)
{
	struct eb_error none = EB_ERROR_INIT;
	int order = 0;

	if (eb_pep440_compare(*(char *const *)a, *(char *const *)b, &order,
			      &none) < 0)
		eb_err_release(&none);
	return order;
}

void eb_resolve_versions(const struct eb_index_page *page, struct eb_strv *out)
{
	for (size_t i = 0; i < page->n; i++) {
		char *version = eb_resolve_version_of(page->file[i].name);

		if (version)
			eb_strv_take(out, version);
	}
	eb_strv_sort(out);
	eb_strv_unique(out);
	if (out->n)
		qsort(out->v, out->n, sizeof *out->v, by_version);
}

/* --- who asks ------------------------------------------------------------ */

bool eb_resolve_is_named(const struct eb_resolving *z, const char *project)
{
	size_t n = strlen(project);
	const char *text = z->log.text, *at = text;

	while ((at = strstr(at, project))) {
		bool start = at == text || !strchr("-_.", at[-1]);

		if (start && at > text && isalnum((unsigned char)at[-1]))
			start = false;
		if (start && !isalnum((unsigned char)at[n]) &&
		    !strchr("-_", at[n] ? at[n] : ' '))
			return true;
		at += n;
	}
	return false;
}

const struct eb_installed *eb_resolve_conda(const struct eb_resolving *z,
					    const struct eb_uv_edge *e)
{
	const struct eb_installed *c = eb_resolve_installed(z->r, e->name);

	if (!c || z->conda != EB_UV_CONSTRAINTS || !eb_starts(e->range, "==") ||
	    strcmp(e->range + 2, c->version))
		return NULL;
	return c;
}

/* From the definition on to `e`: places of edges, the last one first. */
static size_t way(const struct eb_resolving *z, const struct eb_uv_edge *e,
		  const struct eb_uv_edge *out[CHAIN])
{
	size_t n = 0;

	out[n++] = e;
	while (out[n - 1]->who && n < CHAIN) {
		const struct eb_uv_edge *best = NULL;

		for (size_t i = 0; i < z->log.n; i++) {
			const struct eb_uv_edge *f = &z->log.edge[i];
			bool seen = false;

			for (size_t k = 0; k < n; k++)
				seen = seen || out[k] == f;
			if (seen || strcmp(f->name, out[n - 1]->who))
				continue;
			if (!best || (best->who && !f->who))
				best = f;
		}
		if (!best)
			break;
		out[n++] = best;
	}
	return n;
}

/* Are these the line's own specifiers? */
static bool asks_for(const struct eb_pip_line *l, const char *range)
{
	struct eb_strv is EB_CLEANUP(eb_strv_release) = { 0 };
	struct eb_error none = EB_ERROR_INIT;
	struct eb_pep508 r = { 0 };
	bool same = false;

	if (eb_specifiers_parse(&range, &is, &none) == 0 &&
	    eb_pep508_parse(l->text, &r, &none) == 0) {
		eb_strv_sort(&is);
		same = is.n == r.specifiers.n;
		for (size_t i = 0; same && i < is.n; i++)
			same = strcmp(is.v[i], r.specifiers.v[i]) == 0;
	}
	eb_err_release(&none);
	eb_pep508_release(&r);
	return same;
}

const struct eb_pip_line *eb_resolve_line(const struct eb_resolving *z,
					  const struct eb_uv_edge *e)
{
	const struct eb_uv_edge *step[CHAIN];
	const struct eb_uv_edge *root = step[way(z, e, step) - 1];
	const char *name = root->who ? root->who : root->name;
	const struct eb_pip_set *set = z->r->set;
	const struct eb_pip_line *first = NULL;

	for (size_t i = 0; i < set->n; i++) {
		const struct eb_pip_line *l = &set->requirement[i];

		if (!l->name || strcmp(l->name, name))
			continue;
		if (!root->who && asks_for(l, root->range))
			return l;
		first = first ? first : l;
	}
	return first;
}

char *eb_resolve_asked(const struct eb_resolving *z, const struct eb_uv_edge *e)
{
	const struct eb_pip_line *l = e->who ? NULL : eb_resolve_line(z, e);
	char *text;

	if (!l || !l->shown)
		return eb_asprintf("%s%s", e->name, e->range);
	text = eb_strndup(l->shown, strcspn(l->shown, ";"));
	return eb_strip(text);
}

char *eb_resolve_chain(const struct eb_resolving *z, const struct eb_uv_edge *e)
{
	const struct eb_uv_edge *step[CHAIN];
	const struct eb_installed *conda = eb_resolve_conda(z, e);
	size_t n = way(z, e, step);
	EB_AUTOBUF(out, EB_MAX_CONFIG);

	if (conda) {
		eb_buf_addf(&out, "conda installs %s %s (package %s)",
			    conda->name, conda->version, conda->package);
		return eb_buf_steal(&out, NULL);
	}
	if (!e->who) {
		eb_autofree char *asked = eb_resolve_asked(z, e);

		return eb_asprintf("%s asks for %s",
				   z->what ? z->what : "the pip section",
				   asked);
	}
	while (n-- > 0) {
		if (!step[n]->who)
			continue;
		eb_buf_addf(&out, "%s%s %s requires %s%s", out.len ? ", " : "",
			    step[n]->who, step[n]->who_version, step[n]->name,
			    step[n]->range);
	}
	return eb_buf_steal(&out, NULL);
}

int eb_resolve_at(const struct eb_resolving *z, const struct eb_uv_edge *e,
		  struct eb_error *err)
{
	const struct eb_pip_line *l = eb_resolve_line(z, e);

	return l ? eb_err_at(err, l->file, l->line, l->column) : -1;
}
