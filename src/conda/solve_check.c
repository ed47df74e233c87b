/* SPDX-License-Identifier: Apache-2.0 */
/* Is a set of records an answer? Record by record, as the rules are written. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <envbuild/mem.h>

#include "solve_check_int.h"

/* --- what is said ---------------------------------------------------- */

static void __attribute__((format(printf, 5, 0)))
say(struct eb_set_problems *p, bool note, const char *check,
    const char *subject, const char *fmt, va_list ap)
{
	struct eb_set_problem *one;
	char *text;

	if (vasprintf(&text, fmt, ap) < 0)
		eb_oom();
	EB_GROW(p->v, p->n, p->alloc);
	one = &p->v[p->n++];
	*one = (struct eb_set_problem){ note, check, eb_strdup(subject), text };
	p->bad += !note;
}

void eb_sc_add(struct eb_sc *c, const char *check, const char *subject,
	       const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(c->out, false, check, subject, fmt, ap);
	va_end(ap);
}

void eb_sc_note(struct eb_sc *c, const char *check, const char *subject,
		const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(c->out, true, check, subject, fmt, ap);
	va_end(ap);
}

void eb_set_problems_release(struct eb_set_problems *p)
{
	for (size_t i = 0; i < p->n; i++) {
		free(p->v[i].subject);
		free(p->v[i].text);
	}
	free(p->v);
	*p = (struct eb_set_problems){ 0 };
}

char *eb_sc_label(const struct eb_record *r)
{
	return eb_asprintf("%s %s %s", r->name, r->version, r->build);
}

/* --- what is there --------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
	const struct eb_sc_member *p = a, *q = b;
	int order = strcmp(p->r->name, q->r->name);

	if (order || !p->r->fn || !q->r->fn)
		return order;
	return strcmp(p->r->fn, q->r->fn);
}

struct eb_sc_member *eb_sc_find(const struct eb_sc *c, const char *name,
				size_t *n)
{
	size_t low = 0, high = c->n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (strcmp(c->member[mid].r->name, name) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	*n = 0;
	while (low + *n < c->n && !strcmp(c->member[low + *n].r->name, name))
		++*n;
	return &c->member[low];
}

static struct eb_version *version_of(const struct eb_record *r)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	return eb_version_parse(r->version, &ignored);
}

static void take_members(struct eb_sc *c)
{
	c->member = eb_calloc(c->set->n + 1, sizeof *c->member);
	for (size_t i = 0; i < c->set->n; i++)
		c->member[c->n++] = (struct eb_sc_member){
			c->set->record[i], version_of(c->set->record[i]), false
		};
	qsort(c->member, c->n, sizeof *c->member, by_name);
}

/* As records of no channel. */
static void take_virtuals(struct eb_sc *c)
{
	static char noarch[] = "noarch";
	size_t n = c->set->n_virtuals;

	c->virtual_record = eb_calloc(n + 1, sizeof *c->virtual_record);
	c->virtuals = eb_calloc(n + 1, sizeof *c->virtuals);
	for (size_t i = 0; i < n; i++) {
		struct eb_record *r = &c->virtual_record[i];

		r->name = c->set->virtuals[i].name;
		r->version = c->set->virtuals[i].version;
		r->build = c->set->virtuals[i].build;
		r->subdir = noarch;
		c->virtuals[i] =
			(struct eb_sc_member){ r, version_of(r), false };
	}
}

static void release(struct eb_sc *c)
{
	for (size_t i = 0; i < c->n; i++)
		eb_version_free(c->member[i].version);
	for (size_t i = 0; c->virtuals && i < c->set->n_virtuals; i++)
		eb_version_free(c->virtuals[i].version);
	free(c->member);
	free(c->virtuals);
	free(c->virtual_record);
	eb_strv_release(&c->group);
	eb_strv_release(&c->unknown);
}

/* --- one record after the other -------------------------------------- */

static bool is_of_machine(const char *text)
{
	return eb_sc_is_virtual(text + strspn(text, " "));
}

static void tell(struct eb_sc *c, const struct eb_record *r, bool needs,
		 const char *text, enum eb_sc_verdict verdict,
		 const struct eb_sc_member *other)
{
	eb_autofree char *label = eb_sc_label(r);
	eb_autofree char *there = other ? eb_sc_label(other->r) : NULL;
	const char *does = needs ? "needs" : "allows only";
	const char *check = is_of_machine(text) ? "machine"
			    : needs		? "depends"
						: "constrains";

	switch (verdict) {
	case EB_SC_OTHER:
		eb_sc_add(c, check, label, "%s \"%s\", and \"%s\" is there",
			  does, text, there);
		break;
	case EB_SC_MISSING:
		eb_sc_add(c, check, label, "%s \"%s\", which is not there",
			  does, text);
		break;
	case EB_SC_UNKNOWN:
		if (eb_strv_has(&c->unknown, text))
			break;
		eb_strv_add(&c->unknown, text);
		eb_sc_note(c, check, label,
			   "%s \"%s\", and the machine is not known", does,
			   text);
		break;
	case EB_SC_UNREADABLE:
		eb_sc_note(c, check, label, "%s \"%s\", which cannot be read",
			   does, text);
		break;
	case EB_SC_FITS: break;
	}
}

/* The groups that a spec asks for are looked at later, each once. */
void eb_sc_ask_groups(struct eb_sc *c, const struct eb_matchspec *m)
{
	const struct eb_strv *extras = eb_matchspec_extras(m);

	for (size_t i = 0; eb_matchspec_name(m) && i < extras->n; i++) {
		eb_autofree char *group = eb_asprintf(
			"%s[%s", eb_matchspec_name(m), extras->v[i]);

		if (!eb_strv_has(&c->group, group))
			eb_strv_add(&c->group, group);
	}
}

static void ask_groups_of(struct eb_sc *c, const char *text)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_CLEANUP(eb_matchspec_free_ptr)
	struct eb_matchspec *m = eb_matchspec_parse(text, EB_LENIENT, &ignored);

	if (m && eb_sc_counts(c, m))
		eb_sc_ask_groups(c, m);
}

static void check_needs(struct eb_sc *c, const struct eb_record *r,
			const char *text)
{
	const struct eb_sc_member *other;
	enum eb_sc_verdict v = eb_sc_needs(c, text, &other);

	tell(c, r, true, text, v, other);
	if (strstr(text, "extras"))
		ask_groups_of(c, text);
}

static void check_allows(struct eb_sc *c, const struct eb_record *r,
			 const char *text)
{
	const struct eb_sc_member *other;
	enum eb_sc_verdict v = eb_sc_allows(c, text, &other);

	tell(c, r, false, text, v, other);
}

static void check_record(struct eb_sc *c, const struct eb_record *r)
{
	for (size_t i = 0; i < r->depends.n; i++)
		check_needs(c, r, r->depends.v[i]);
	for (size_t i = 0; i < r->constrains.n; i++)
		check_allows(c, r, r->constrains.v[i]);
}

/* What groups need may ask for others. */
static void check_groups(struct eb_sc *c)
{
	for (size_t i = 0; i < c->group.n; i++) {
		const char *bracket = strchr(c->group.v[i], '[');
		eb_autofree char *name = eb_strndup(
			c->group.v[i], (size_t)(bracket - c->group.v[i]));
		size_t n;
		struct eb_sc_member *v = eb_sc_find(c, name, &n);

		for (size_t k = 0; k < n; k++) {
			const struct eb_extra *x =
				eb_record_extra(v[k].r, bracket + 1);

			for (size_t d = 0; x && d < x->depends.n; d++)
				check_needs(c, v[k].r, x->depends.v[d]);
		}
	}
}

static void check_itself(struct eb_sc *c, size_t i)
{
	const struct eb_record *r = c->member[i].r;
	eb_autofree char *label = eb_sc_label(r);
	eb_autofree char *before = NULL;

	if (!c->member[i].version)
		eb_sc_add(c, "version", label, "has no version that is one");
	if (c->set->subdir && r->subdir &&
	    strcmp(r->subdir, c->set->subdir) != 0 &&
	    strcmp(r->subdir, "noarch") != 0)
		eb_sc_add(c, "platform", label, "is for %s, not for %s",
			  r->subdir, c->set->subdir);
	if (!i || strcmp(c->member[i - 1].r->name, r->name) != 0)
		return;
	before = eb_sc_label(c->member[i - 1].r);
	eb_sc_add(c, "twice", label, "is a second \"%s\" beside \"%s\"",
		  r->name, before);
}

void eb_set_check(const struct eb_set *set, struct eb_set_problems *out)
{
	struct eb_sc c EB_CLEANUP(release) = {
		.set = set,
		.alias = set->alias ? set->alias : EB_CHANNEL_ALIAS,
		.out = out,
	};

	take_members(&c);
	take_virtuals(&c);
	eb_sc_request(&c);
	for (size_t i = 0; i < c.n; i++) {
		check_itself(&c, i);
		check_record(&c, c.member[i].r);
	}
	check_groups(&c);
	eb_sc_channels(&c);
	if (set->n_specs)
		eb_sc_reach(&c);
}
