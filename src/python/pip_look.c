/* SPDX-License-Identifier: Apache-2.0 */
/* Each line of a pip section against the pages of the indexes, which are asked
 * for all at once; the words are those of a failed resolution. */
#include <envbuild/pip_look.h>

#include <string.h>

#include <envbuild/pep440.h>
#include <envbuild/pool.h>

#include "pip_resolve_hurdle.h"

#define AT_ONCE 8
/* Where no Python is known, so that what it decides is not looked at. */
#define ANY_PYTHON "3.12.0"

struct looking {
	struct eb_pip_look *look;
	struct eb_pip_request r;
	struct eb_resolving z;
	struct eb_resolve_silent silent;
};

struct page_job {
	struct eb_resolving *z;
	struct eb_resolve_seen *seen;
};

static void release(struct looking *k)
{
	eb_resolve_seen_release(&k->z);
	eb_strv_release(&k->z.tags);
	pthread_mutex_destroy(&k->silent.lock);
	eb_strv_release(&k->silent.index);
	eb_http_free(k->r.http);
}

/* ---- pages ----------------------------------------------------------------*/

/* A name with versions: neither a URL nor a folder. */
static bool is_plain(const struct eb_pip_line *l)
{
	return l->name && !l->path && l->normal.kind == EB_REQ_REQUIREMENT &&
	       !strchr(l->text, '@');
}

static bool is_seen(const struct eb_resolving *z, const char *name)
{
	for (size_t i = 0; i < z->n_seen; i++)
		if (!strcmp(z->seen[i].name, name))
			return true;
	return false;
}

static void list_projects(struct looking *k)
{
	const struct eb_pip_set *set = k->look->set;

	for (size_t i = 0; i < set->n; i++) {
		const struct eb_pip_line *l = &set->requirement[i];

		if (!is_plain(l) || is_seen(&k->z, l->name))
			continue;
		EB_GROW(k->z.seen, k->z.n_seen, k->z.alloc_seen);
		k->z.seen[k->z.n_seen++] =
			(struct eb_resolve_seen){ .name = eb_strdup(l->name) };
	}
}

static int get(void *arg, struct eb_error *err)
{
	struct page_job *job = arg;

	(void)err;
	eb_resolve_look_into(job->z, job->seen);
	return 0;
}

/* By threads, each with its project; a keyring is asked by one at a time. */
static int get_pages(struct looking *k, struct eb_error *err)
{
	struct eb_resolving *z = &k->z;
	eb_autofree struct page_job *job =
		eb_calloc(z->n_seen + 1, sizeof *job);
	struct eb_pool *pool;
	int rc;

	if (eb_http_start(k->r.http, err) < 0)
		return -1;
	pool = eb_pool_new(k->look->indexes->keyring ? 1 : AT_ONCE);
	for (size_t i = 0; i < z->n_seen; i++) {
		job[i] = (struct page_job){ z, &z->seen[i] };
		eb_pool_submit(pool, get, &job[i]);
	}
	rc = eb_pool_wait(pool, err);
	eb_pool_free(pool);
	return rc;
}

/* ---- a line ---------------------------------------------------------------*/

static char *range_of(const struct eb_pip_line *l)
{
	struct eb_error none EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_CLEANUP(eb_pep508_release) struct eb_pep508 r = { 0 };
	EB_AUTOBUF(out, EB_MAX_TEXT);

	if (eb_pep508_parse(l->text, &r, &none) < 0 || r.url)
		return NULL;
	for (size_t i = 0; i < r.specifiers.n; i++)
		eb_buf_addf(&out, "%s%s", i ? "," : "", r.specifiers.v[i]);
	return out.len ? eb_buf_steal(&out, NULL) : eb_strdup("");
}

/* Might an index decide whose page was not read, or not looked at? */
static bool is_open(const struct looking *k, const struct eb_resolve_seen *s)
{
	return s->unsure ||
	       (s->other && k->look->indexes->strategy != EB_INDEX_FIRST);
}

static enum eb_pip_lack lack_of(const struct looking *k,
				const struct eb_resolve_seen *s,
				const struct eb_furthest *b)
{
	if (b->at == EB_HURDLE_NONE)
		return EB_LACK_NOTHING;
	if (is_open(k, s))
		return EB_LACK_UNKNOWN;
	if (!s->index)
		return EB_LACK_PROJECT;
	if (b->at == EB_HURDLE_PYTHON)
		return EB_LACK_PYTHON;
	return b->at == EB_HURDLE_MACHINE ? EB_LACK_MACHINE : EB_LACK_VERSION;
}

/* Without a Python what is in range is all that counts. */
static bool counts(const struct looking *k, enum eb_hurdle at)
{
	return k->look->python->n || at <= EB_HURDLE_TIME;
}

static void say(struct looking *k, const struct eb_uv_edge *e,
		struct eb_pip_looked *out)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	if (eb_resolve_explain_demand(&k->z, e, &err) <= 0) {
		out->lack = EB_LACK_UNKNOWN;
		return;
	}
	out->what = eb_strdup(err.message);
	out->fix = eb_strdup(err.hint);
}

/* Is there a wheel of that version for us? */
static bool has_wheel(const struct eb_resolving *z,
		      const struct eb_resolve_seen *s, const char *version)
{
	for (size_t i = 0; i < s->page.n; i++) {
		const char *file = s->page.file[i].name;
		struct eb_error none EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
		EB_CLEANUP(eb_wheel_name_release)
		struct eb_wheel_name w = { 0 };

		if (eb_ends(file, ".whl") &&
		    eb_wheel_name_parse(file, &w, &none) == 0 &&
		    !strcmp(w.version, version) &&
		    eb_wheel_rank(&w, &z->tags) >= 0)
			return true;
	}
	return false;
}

static void take(struct looking *k, const struct eb_resolve_seen *s,
		 struct eb_furthest *b, struct eb_pip_looked *out)
{
	out->withdrawn = b->file ? eb_strdup(b->file->yanked) : NULL;
	if (!k->look->python->n)
		return;
	out->source = !eb_pep440_is_pre(b->version) &&
		      !has_wheel(&k->z, s, b->version);
	out->version = eb_steal(b->version);
}

/* With one Python; what an earlier one said goes. */
static void judge(struct looking *k, const struct eb_pip_line *l,
		  const char *range, struct eb_pip_looked *out)
{
	const struct eb_resolve_seen *s = eb_resolve_look(&k->z, l->name);
	struct eb_uv_edge e = { NULL, NULL, l->name, (char *)range };
	struct eb_furthest b;

	eb_hurdle_survey(&k->z, &e, &s->page, &b);
	if (!counts(k, b.at))
		b.at = EB_HURDLE_NONE;
	out->lack = lack_of(k, s, &b);
	if (out->lack == EB_LACK_NOTHING)
		take(k, s, &b, out);
	else if (out->lack != EB_LACK_UNKNOWN && !out->what)
		say(k, &e, out);
	if (!out->index) {
		out->index = eb_strdup(s->index);
		out->other = eb_strdup(s->other);
	}
	free(b.version);
}

static void forget_words(struct eb_pip_looked *out)
{
	free(out->what);
	free(out->fix);
	out->what = out->fix = NULL;
}

static void look_at(struct looking *k, const struct eb_pip_line *l,
		    struct eb_pip_looked *out)
{
	eb_autofree char *range = is_plain(l) ? range_of(l) : NULL;

	if (!range || out->lack == EB_LACK_NOTHING ||
	    (l->marker && !k->look->python->n) ||
	    !eb_resolve_line_holds(&k->z, l))
		return;
	judge(k, l, range, out);
	if (out->lack == EB_LACK_NOTHING)
		forget_words(out);
}

/* ---- all of them ----------------------------------------------------------*/

static int with_python(struct looking *k, const char *python,
		       struct eb_pip_looked *out, struct eb_error *err)
{
	const struct eb_pip_set *set = k->look->set;

	k->r.target.version = python;
	eb_strv_release(&k->z.tags);
	if (eb_tags_of(&k->r.target, &k->z.tags, err) < 0)
		return -1;
	for (size_t i = 0; i < set->n; i++)
		look_at(k, &set->requirement[i], &out[i]);
	return 0;
}

static void prepare(struct looking *k)
{
	const struct eb_pip_look *look = k->look;

	pthread_mutex_init(&k->silent.lock, NULL);
	k->r = (struct eb_pip_request){
		.set = look->set,
		.target = { .glibc = look->glibc, .arch = look->arch },
		.indexes = look->indexes,
		.as_of = look->as_of,
		.http = eb_http_new(look->http, NULL),
		.offline = look->http->offline,
	};
	k->z.r = &k->r;
	k->z.silent = &k->silent;
	list_projects(k);
}

int eb_pip_look(struct eb_pip_look *look, struct eb_pip_looked *out,
		struct eb_error *err)
{
	struct looking k EB_CLEANUP(release) = { .look = look };
	int rc;

	prepare(&k);
	rc = get_pages(&k, err);
	for (size_t i = 0; rc == 0 && i < look->python->n; i++)
		rc = with_python(&k, look->python->v[i], out, err);
	if (rc == 0 && !look->python->n)
		rc = with_python(&k, ANY_PYTHON, out, err);
	look->silent = k.silent.why;
	look->refused = k.silent.refused;
	return rc;
}

void eb_pip_looked_release(struct eb_pip_looked *l)
{
	forget_words(l);
	free(l->version);
	free(l->withdrawn);
	free(l->index);
	free(l->other);
}

void eb_pip_look_release(struct eb_pip_look *look)
{
	eb_strv_release(&look->silent);
	eb_strv_release(&look->refused);
}
