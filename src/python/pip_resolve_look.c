/* SPDX-License-Identifier: Apache-2.0 */
/* Projects as the indexes have them, for explanations; and who asks for what,
 * back to the line of the definition. */
#include "pip_resolve_int.h"

#include <ctype.h>
#include <pthread.h>
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

/* --- indexes that do not answer --------------------------------------------
 */

/* Is it one? Who only looks asks it once; nobody else remembers. */
static bool is_silent(struct eb_resolving *z, const char *index)
{
	bool is;

	if (!z->silent)
		return false;
	pthread_mutex_lock(&z->silent->lock);
	is = eb_strv_has(&z->silent->index, index);
	pthread_mutex_unlock(&z->silent->lock);
	return is;
}

static void note_silent(struct eb_resolving *z, const char *index,
			const struct eb_error *why)
{
	struct eb_resolve_silent *s = z->silent;

	if (!s)
		return;
	pthread_mutex_lock(&s->lock);
	if (!eb_strv_has(&s->index, index)) {
		eb_strv_add(&s->index, index);
		eb_strv_add(why->code == EB_REFUSED ? &s->refused : &s->why,
			    why->message);
	}
	pthread_mutex_unlock(&s->lock);
}

/* --- links -------------------------------------------------------------- */

/* The project of a file's name, as it is asked for; NULL: none. */
static char *project_of(const char *file)
{
	struct eb_error none EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	eb_autofree char *raw = NULL, *version = NULL;
	char *name = NULL;

	if (eb_ends(file, ".whl")) {
		raw = eb_strndup(file, strcspn(file, "-"));
		return eb_project_name(raw);
	}
	if (eb_sdist_name_parse(file, &name, &version, &none) < 0)
		return NULL;
	return name;
}

/* Those of one project (NULL: all) go over. */
static void take_files(struct eb_index_page *from, const char *project,
		       struct eb_index_page *to)
{
	for (size_t i = 0; i < from->n; i++) {
		eb_autofree char *name =
			project ? project_of(from->file[i].name) : NULL;

		if (project && (!name || strcmp(name, project)))
			continue;
		EB_GROW(to->file, to->n, to->alloc);
		to->file[to->n++] = from->file[i];
		from->file[i] = (struct eb_index_file){ 0 };
	}
}

/* Links are for every project: those of this one are kept. */
static void add_links(struct eb_resolving *z, const char *link,
		      struct eb_resolve_seen *to)
{
	struct eb_error why EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	eb_autofree char *shown = eb_index_shown(link);
	struct eb_index_page page = { 0 };
	size_t had = to->page.n;

	if (is_silent(z, shown) || eb_index_links_get(z->r->http, z->r->indexes,
						      link, &page, &why) < 0) {
		note_silent(z, shown, &why);
		to->unsure = true;
	}
	take_files(&page, to->name, &to->page);
	if (to->page.n > had && !to->index)
		to->index = eb_steal(shown);
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

/* --- a project --------------------------------------------------------- */

/* 1, 0; -1: it does not say. */
static int ask(struct eb_resolving *z, const char *index, const char *project,
	       struct eb_index_page *page)
{
	struct eb_error why EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	int rc;

	if (is_silent(z, index))
		return -1;
	rc = eb_index_page_get(z->r->http, z->r->indexes, index, project, page,
			       &why);
	if (rc < 0)
		note_silent(z, index, &why);
	return rc;
}

/* The first index that has it decides, beside all links. */
static void add_page(struct eb_resolve_seen *to, const char *index,
		     struct eb_index_page *page, bool *decided)
{
	if (*decided) {
		to->other = eb_strdup(index);
		to->other_page = *page;
		*page = (struct eb_index_page){ 0 };
		return;
	}
	*decided = true;
	free(to->index);
	to->index = eb_strdup(index);
	take_files(page, NULL, &to->page);
}

void eb_resolve_look_into(struct eb_resolving *z, struct eb_resolve_seen *out)
{
	const struct eb_indexes *x = z->r->indexes;
	struct eb_strv index EB_CLEANUP(eb_strv_release) = { 0 };
	bool decided = false;

	for (size_t i = 0; i < x->find_links.n; i++)
		add_links(z, x->find_links.v[i], out);
	configured(x, &index);
	if (index.n == 0 && !x->no_index)
		eb_resolve_indexes_of(z, out->name, &index);
	for (size_t i = 0; i < index.n && !x->no_index && !out->other; i++) {
		struct eb_index_page page = { 0 };
		int rc = ask(z, index.v[i], out->name, &page);

		out->unsure |= rc < 0;
		if (rc == 1)
			add_page(out, index.v[i], &page, &decided);
		eb_index_page_release(&page);
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
	eb_resolve_look_into(z, s);
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
