/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One demand held against the index's page: how far its files come. The first
 * question that all of them fail is the explanation: is there the project, a
 * version in range, one that is final, not withdrawn, old enough, for this
 * Python, for this machine, of a kind that may be taken?
 */
#include "pip_resolve_hurdle.h"

#include <string.h>

#include <envbuild/pep440.h>

/* The newest for this Python, whatever is asked for. */
static char *newest_for_us(struct eb_resolving *z, const char *name,
			   const struct eb_index_page *page)
{
	struct eb_uv_edge any = { NULL, NULL, (char *)name, (char *)"" };
	struct eb_furthest b;

	eb_hurdle_survey(z, &any, page, &b);
	if (b.at == EB_HURDLE_NONE)
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
		if (!*first || eb_hurdle_is_newer(first, v.v[i]))
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
		       const struct eb_resolve_seen *s,
		       const struct eb_furthest *b, struct eb_error *err)
{
	eb_autofree char *ours = newest_for_us(z, s->name, &s->page);
	bool said = b->file->requires_python &&
		    !eb_hurdle_suits_python(z->r, b->file);
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
			const struct eb_furthest *b, struct eb_error *err)
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
		     const struct eb_uv_edge *e, const struct eb_furthest *b,
		     struct eb_error *err)
{
	bool wheel = eb_ends(b->file->name, ".whl");

	if (b->at == EB_HURDLE_FINAL) {
		eb_err_set(err, EB_NO,
			   "%s: there are pre-releases alone, as %s", subject,
			   b->version);
		eb_err_hint(err, "--only-final says that they are not "
				 "taken");
	} else if (b->at == EB_HURDLE_WITHDRAWN) {
		eb_err_set(err, EB_NO,
			   "%s: every version that fits was withdrawn "
			   "(yanked), as %s%s%s",
			   subject, b->version, *b->file->yanked ? ": " : "",
			   b->file->yanked);
		eb_err_hint(err,
			    "asked for exactly it is taken all the same: "
			    "%s==%s",
			    e->name, b->version);
	} else if (b->at == EB_HURDLE_TIME) {
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
		const struct eb_resolve_seen *s, const struct eb_furthest *b,
		const struct eb_furthest *other, struct eb_error *err)
{
	eb_autofree char *subject = subject_of(z, e);

	if (!s->index)
		say_missing(z, subject, e, err);
	else if (b->at == EB_HURDLE_RANGE)
		say_range(subject, s, e,
			  other->at == EB_HURDLE_NONE ? other->version : NULL,
			  err);
	else if (b->at == EB_HURDLE_PYTHON)
		say_python(z, subject, s, b, err);
	else if (b->at == EB_HURDLE_MACHINE)
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
	struct eb_furthest b = { .at = EB_HURDLE_RANGE },
			   other = { .at = EB_HURDLE_RANGE };
	eb_autofree char *missing = eb_asprintf("%s was not found", e->name);

	if (is_placed(z, e->name) || is_installed(z, e))
		return 0;
	s = eb_resolve_look(z, e->name);
	if (!s->index && !z->silent && !strstr(z->log.text, missing))
		return 0;
	eb_hurdle_survey(z, e, &s->page, &b);
	eb_hurdle_survey(z, e, &s->other_page, &other);
	if (b.at != EB_HURDLE_NONE)
		say(z, e, s, &b, &other, err);
	free(b.version);
	free(other.version);
	return b.at != EB_HURDLE_NONE;
}
