/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One demand held against the index's page: how far its files come. The first
 * question that all of them fail is the explanation: is there the project, a
 * version in range, one that is final, not withdrawn, old enough, for this
 * Python, for this machine, of a kind that may be taken?
 */
#include "pip_resolve_int.h"

#include <string.h>

#include <envbuild/pep440.h>

enum hurdle {
	RANGE,
	FINAL,
	WITHDRAWN,
	TIME,
	PYTHON,
	MACHINE,
	KIND,
	NONE,
};

struct best { /* of those that came furthest */
	enum hurdle at;
	const struct eb_index_file *file;
	char *version;
};

struct question {
	struct eb_resolving *z;
	const struct eb_uv_edge *e;
	bool pre; /* pre-releases count */
};

/* --- one file ------------------------------------------------------------ */

static bool is_early(const struct eb_pip_request *r,
		     const struct eb_index_file *f)
{
	size_t n = r->as_of ? strlen(r->as_of) : 0;

	if (n == 0)
		return true;
	n = n > 19 ? 19 : n;
	return f->upload_time && strncmp(f->upload_time, r->as_of, n) <= 0;
}

static bool suits_python(const struct eb_pip_request *r,
			 const struct eb_index_file *f)
{
	struct eb_error none = EB_ERROR_INIT;
	int rc;

	if (!f->requires_python)
		return true;
	rc = eb_specifiers_contain(f->requires_python, r->target.version,
				   EB_PRE_ALLOW, &none);
	eb_err_release(&none);
	return rc != 0;
}

/* Has it a tag of this machine, whatever the Python? */
static bool suits_machine(const struct eb_strv *tags,
			  const struct eb_wheel_name *w)
{
	for (size_t i = 0; i < w->tags.n; i++) {
		const char *platform = strrchr(w->tags.v[i], '-');

		for (size_t k = 0; platform && k < tags->n; k++)
			if (eb_ends(tags->v[k], platform))
				return true;
	}
	return false;
}

static enum hurdle wheel_hurdle(const struct eb_resolving *z,
				const struct eb_index_file *f)
{
	struct eb_error none = EB_ERROR_INIT;
	struct eb_wheel_name w = { 0 };
	enum hurdle h = NONE;

	if (eb_wheel_name_parse(f->name, &w, &none) < 0) {
		eb_err_release(&none);
		return MACHINE;
	}
	if (eb_wheel_rank(&w, &z->tags) < 0)
		h = suits_machine(&z->tags, &w) ? PYTHON : MACHINE;
	eb_wheel_name_release(&w);
	return h;
}

static bool is_excluded(const struct eb_strv *list, const char *name)
{
	return eb_strv_has(list, ":all:") || eb_strv_has(list, name);
}

static enum hurdle kind_hurdle(const struct eb_resolving *z, const char *name,
			       bool wheel)
{
	const struct eb_indexes *x = z->r->indexes;
	bool only_wheels = z->what || (is_excluded(&x->only_binary, name) &&
				       !eb_strv_has(&x->no_binary, name));

	if (wheel ? is_excluded(&x->no_binary, name) && !z->what : only_wheels)
		return KIND;
	return NONE;
}

static enum hurdle hurdle_of(const struct question *q,
			     const struct eb_index_file *f, const char *version)
{
	const struct eb_resolving *z = q->z;
	struct eb_error none = EB_ERROR_INIT;
	bool wheel = eb_ends(f->name, ".whl");
	enum hurdle h;
	int rc = 1;

	if (*q->e->range)
		rc = eb_specifiers_contain(q->e->range, version, EB_PRE_ALLOW,
					   &none);
	eb_err_release(&none);
	if (rc == 0)
		return RANGE;
	if (!q->pre && eb_pep440_is_pre(version))
		return FINAL;
	if (f->yanked && !strstr(q->e->range, "=="))
		return WITHDRAWN;
	if (!is_early(z->r, f))
		return TIME;
	if (!suits_python(z->r, f))
		return PYTHON;
	h = wheel ? wheel_hurdle(z, f) : NONE;
	return h == NONE ? kind_hurdle(z, q->e->name, wheel) : h;
}

/* --- all of them ------------------------------------------------------------
 */

static bool is_newer(const char *a, const char *b)
{
	struct eb_error none = EB_ERROR_INIT;
	int order = 0;

	if (eb_pep440_compare(a, b, &order, &none) < 0)
		eb_err_release(&none);
	return order > 0;
}

/* Where nothing else fits they are taken, unless that is refused. */
static bool pre_counts(const struct eb_resolving *z, const struct eb_uv_edge *e)
{
	const struct eb_strv *final = &z->r->set->only_final;

	return !is_excluded(final, e->name);
}

static void survey(struct eb_resolving *z, const struct eb_uv_edge *e,
		   const struct eb_index_page *page, struct best *out)
{
	struct question q = { z, e, pre_counts(z, e) };

	*out = (struct best){ .at = RANGE };
	for (size_t i = 0; i < page->n; i++) {
		const struct eb_index_file *f = &page->file[i];
		eb_autofree char *version = eb_resolve_version_of(f->name);
		enum hurdle at = version ? hurdle_of(&q, f, version) : RANGE;

		if (!version || at < out->at ||
		    (at == out->at && out->version &&
		     !is_newer(version, out->version)))
			continue;
		out->at = at;
		out->file = f;
		free(out->version);
		out->version = eb_steal(version);
	}
}

/* The newest for this Python, whatever is asked for. */
static char *newest_for_us(struct eb_resolving *z, const char *name,
			   const struct eb_index_page *page)
{
	struct eb_uv_edge any = { NULL, NULL, (char *)name, (char *)"" };
	struct best b;

	survey(z, &any, page, &b);
	if (b.at == NONE)
		return b.version;
	free(b.version);
	return NULL;
}

/* --- words --------------------------------------------------------------- */

/* Two on each side of the first version that the range names. */
static char *nearest(const struct eb_index_page *page, const char *range)
{
	struct eb_strv v EB_CLEANUP(eb_strv_release) = { 0 };
	eb_autofree char *first = NULL;
	EB_AUTOBUF(out, EB_MAX_CONFIG);
	size_t i, at = 0, from, to;

	eb_resolve_versions(page, &v);
	range += strspn(range, " <>=!~");
	first = eb_strndup(range, strcspn(range, " ,*"));
	for (i = 0; i < v.n; i++)
		if (!*first || is_newer(first, v.v[i]))
			at = i + 1;
	from = at > 2 ? at - 2 : 0;
	to = at + 2 < v.n ? at + 2 : v.n;
	for (i = from; i < to; i++)
		eb_buf_addf(&out, "%s%s",
			    i == from ? "" : (i + 1 == to ? " and " : ", "),
			    v.v[i]);
	return eb_buf_steal(&out, NULL);
}

static char *tags_of(const char *file)
{
	eb_autofree char *stem = eb_strndup(file, strlen(file) - 4);
	char *at = stem + strlen(stem);

	for (int i = 0; i < 3 && at > stem; i++)
		do
			at--;
		while (at > stem && *at != '-');
	return eb_strdup(at + (*at == '-'));
}

static void say_missing(struct eb_resolving *z, const char *subject,
			const struct eb_uv_edge *e, struct eb_error *err)
{
	struct eb_strv index EB_CLEANUP(eb_strv_release) = { 0 };
	EB_AUTOBUF(list, EB_MAX_CONFIG);

	eb_resolve_indexes_of(z, e->name, &index);
	for (size_t i = 0; i < index.n; i++)
		eb_buf_addf(&list, "%s\"%s\"",
			    i ? ", " : " (asked: ", index.v[i]);
	eb_err_set(err, EB_NO, "%s: there is no such project%s%s", subject,
		   list.data, index.n ? ")" : "");
	eb_err_hint(err, "is the name right? a conda package's name is not "
			 "always the project's; a project of another index "
			 "needs that index: --extra-index-url");
}

static void say_range(const char *subject, const struct eb_resolve_seen *s,
		      const struct eb_uv_edge *e, const char *elsewhere,
		      struct eb_error *err)
{
	eb_autofree char *list = nearest(&s->page, e->range);

	if (elsewhere) {
		eb_err_set(err, EB_NO,
			   "%s: \"%s\" has the project but no such version; "
			   "\"%s\" has %s",
			   subject, s->index, s->other, elsewhere);
		eb_err_hint(err, "indexes are asked in their order, extra ones "
				 "first, and the first that has a project "
				 "decides about it");
		return;
	}
	eb_err_set(err, EB_NO,
		   "%s: there is no such version on \"%s\"; nearest: %s",
		   subject, s->index, *list ? list : "none at all");
	eb_err_hint(err, "ask for one of those");
}

static void say_python(struct eb_resolving *z, const char *subject,
		       const struct eb_resolve_seen *s, const struct best *b,
		       struct eb_error *err)
{
	eb_autofree char *ours = newest_for_us(z, s->name, &s->page);
	bool said = b->file->requires_python && !suits_python(z->r, b->file);
	eb_autofree char *tags = said || !eb_ends(b->file->name, ".whl")
					 ? NULL
					 : tags_of(b->file->name);

	if (said)
		eb_err_set(err, EB_NO,
			   "%s: no version that fits is for Python %s; %s "
			   "needs Python %s",
			   subject, z->r->target.version, b->version,
			   b->file->requires_python);
	else
		eb_err_set(err, EB_NO,
			   "%s: no version that fits is for Python %s; %s has "
			   "a wheel for %s and no source",
			   subject, z->r->target.version, b->version,
			   tags ? tags : "another");
	if (ours)
		eb_err_hint(err, "%s %s is the newest for Python %s", s->name,
			    ours, z->r->target.version);
	else
		eb_err_hint(err, "no version of %s is for Python %s", s->name,
			    z->r->target.version);
}

static void say_machine(struct eb_resolving *z, const char *subject,
			const struct best *b, struct eb_error *err)
{
	eb_autofree char *tags = tags_of(b->file->name);
	const struct eb_python_target *t = &z->r->target;

	eb_err_set(err, EB_NO,
		   "%s: no file that fits is for %s %s on %s, and there is no "
		   "source; %s has a wheel for %s",
		   subject, t->musl ? "musl" : "glibc",
		   t->musl ? t->musl : t->glibc, t->arch, b->version, tags);
	eb_err_hint(err, "another version, or another base image");
}

static void say_rest(struct eb_resolving *z, const char *subject,
		     const struct eb_uv_edge *e, const struct best *b,
		     struct eb_error *err)
{
	bool wheel = eb_ends(b->file->name, ".whl");

	if (b->at == FINAL) {
		eb_err_set(err, EB_NO,
			   "%s: there are pre-releases alone, as %s", subject,
			   b->version);
		eb_err_hint(err, "--only-final says that they are not "
				 "taken");
	} else if (b->at == WITHDRAWN) {
		eb_err_set(err, EB_NO,
			   "%s: every version that fits was withdrawn "
			   "(yanked), as %s%s%s",
			   subject, b->version, *b->file->yanked ? ": " : "",
			   b->file->yanked);
		eb_err_hint(err,
			    "asked for exactly it is taken all the same: "
			    "%s==%s",
			    e->name, b->version);
	} else if (b->at == TIME) {
		eb_err_set(err, EB_NO,
			   "%s: no version that fits was there on %s; %s is of "
			   "%s",
			   subject, z->r->as_of, b->version,
			   b->file->upload_time ? b->file->upload_time
						: "no known time");
		eb_err_hint(err, "--as-of takes a later date");
	} else {
		eb_err_set(err, EB_NO,
			   "%s: %s has %s alone, and %s what may be taken",
			   subject, b->version, wheel ? "wheels" : "a source",
			   wheel ? "a source is" : "wheels are");
		eb_err_hint(err, wheel ? "--no-binary says so"
				       : (z->what ? "a build takes wheels alone"
						  : "--only-binary says so"));
	}
}

static char *subject_of(const struct eb_resolving *z,
			const struct eb_uv_edge *e)
{
	eb_autofree char *asked = eb_resolve_asked(z, e);

	if (!e->who)
		return eb_asprintf("\"%s\"", asked);
	return eb_asprintf("\"%s%s\", which \"%s\" %s requires", e->name,
			   e->range, e->who, e->who_version);
}

/* --- the whole -------------------------------------------------------------
 */

static void say(struct eb_resolving *z, const struct eb_uv_edge *e,
		const struct eb_resolve_seen *s, const struct best *b,
		const struct best *other, struct eb_error *err)
{
	eb_autofree char *subject = subject_of(z, e);

	if (!s->index)
		say_missing(z, subject, e, err);
	else if (b->at == RANGE)
		say_range(subject, s, e,
			  other->at == NONE ? other->version : NULL, err);
	else if (b->at == PYTHON)
		say_python(z, subject, s, b, err);
	else if (b->at == MACHINE)
		say_machine(z, subject, b, err);
	else
		say_rest(z, subject, e, b, err);
	eb_resolve_at(z, e, err);
}

/* Does a line say where it is? */
static bool is_placed(const struct eb_resolving *z, const char *name)
{
	const struct eb_pip_set *set = z->r->set;

	for (size_t i = 0; i < set->n; i++) {
		const struct eb_pip_line *l = &set->requirement[i];

		if (l->name && strcmp(l->name, name) == 0 &&
		    (l->path || strstr(l->text, "://")))
			return true;
	}
	return false;
}

/* Is conda's version one that would do? */
static bool is_installed(const struct eb_resolving *z,
			 const struct eb_uv_edge *e)
{
	const struct eb_installed *c = eb_resolve_installed(z->r, e->name);
	struct eb_error none = EB_ERROR_INIT;
	int rc = c && *e->range ? eb_specifiers_contain(e->range, c->version,
							EB_PRE_ALLOW, &none)
				: c != NULL;

	eb_err_release(&none);
	return rc == 1;
}

int eb_resolve_explain_demand(struct eb_resolving *z,
			      const struct eb_uv_edge *e, struct eb_error *err)
{
	const struct eb_resolve_seen *s;
	struct best b = { .at = RANGE }, other = { .at = RANGE };
	eb_autofree char *missing = eb_asprintf("%s was not found", e->name);

	if (is_placed(z, e->name) || is_installed(z, e))
		return 0;
	s = eb_resolve_look(z, e->name);
	if (!s->index && !strstr(z->log.text, missing))
		return 0;
	survey(z, e, &s->page, &b);
	survey(z, e, &s->other_page, &other);
	if (b.at != NONE)
		say(z, e, s, &b, &other, err);
	free(b.version);
	free(other.version);
	return b.at != NONE;
}
