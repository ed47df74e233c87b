/* SPDX-License-Identifier: Apache-2.0 */
/* An environment that conda made as a definition: its records exactly, pip's
 * projects as pins, what was asked for by the history. */
#include <errno.h>
#include <string.h>

#include <envbuild/file.h>
#include <envbuild/json.h>
#include <envbuild/link.h>

#include "env_prefix.h"
#include "prefix_read.h"

struct taking {
	const char *dir, *platform;
	struct eb_exact *x;
	struct eb_error bad; /* the first record that cannot be taken */
};

static void release(struct taking *t)
{
	eb_err_release(&t->bad);
}

/* ---- records ------------------------------------------------------------ */

static int take_record(void *data, const char *file, const json_t *j,
		       struct eb_error *err)
{
	struct taking *t = data;
	struct eb_exact_package *p;

	(void)err;
	if (eb_err_is_set(&t->bad))
		return 0;
	p = eb_exact_add(t->x);
	p->requested = eb_record_was_requested(j);
	if (eb_record_installed(j, file, &p->record, &t->bad) == 0)
		eb_exact_fits(&p->record, t->platform, &t->bad);
	return 0;
}

/* The history knows best; where it is silent, each record says it itself. */
static int take_history(const struct eb_prefix *p, struct taking *t,
			struct eb_error *err)
{
	struct eb_strv names EB_CLEANUP(eb_strv_release) = { 0 };
	struct eb_error none EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_AUTOBUF(text, EB_MAX_METADATA);

	(void)err;
	if (eb_claims_read(&p->c, "conda-meta/history", &text, &none) < 0 ||
	    !eb_history_requested(text.data, text.len, &names))
		return 0;
	for (size_t i = 0; i < t->x->n; i++)
		t->x->package[i].requested =
			eb_strv_has(&names, t->x->package[i].record.name);
	return 0;
}

/* ---- the definition ----------------------------------------------------- */

static int take_python(struct eb_spec *s, struct eb_prefix *p,
		       struct eb_error *err)
{
	struct eb_strv line EB_CLEANUP(eb_strv_release) = { 0 };

	if (eb_prefix_python(p, &line, &s->exact->pip_requested, err) < 0)
		return -1;
	s->pip = eb_calloc(line.n + 1, sizeof *s->pip);
	s->pip_at = eb_calloc(line.n + 1, sizeof *s->pip_at);
	for (size_t i = 0; i < line.n; i++) {
		if (eb_requirement_parse(line.v[i], &s->pip[s->n_pip], err) < 0)
			return eb_err_prefix(err, "\"%s\"", p->dir);
		s->n_pip++;
	}
	s->has_pip_section = s->n_pip > 0;
	return 0;
}

/* PATH is none of an environment's variables, and a NULL unsets one. */
static int take_state(struct eb_spec *s, const struct eb_prefix *p,
		      struct eb_error *err)
{
	struct eb_error none EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_AUTOBUF(text, EB_MAX_CONFIG);
	eb_autojson json_t *j = NULL;
	const char *name;
	json_t *value;

	if (eb_claims_read(&p->c, "conda-meta/state", &text, &none) < 0)
		return 0;
	j = eb_json_parse(text.data, text.len, "conda-meta/state", err);
	if (!j)
		return eb_err_prefix(err, "\"%s\"", p->dir);
	json_object_foreach ((json_t *)eb_json_obj(j, "env_vars"), name,
			     value) {
		if (!json_is_string(value) || !*name || strchr(name, '='))
			return eb_err_set(err, EB_INPUT,
					  "\"%s\": \"conda-meta/state\" has a "
					  "variable that is no text",
					  p->dir);
		if (!strcmp(name, "PATH") ||
		    !strcmp(json_string_value(value), "***unset***"))
			continue;
		eb_strv_add(&s->variable_name, name);
		eb_strv_add(&s->variable_value, json_string_value(value));
	}
	return 0;
}

static int fill(struct eb_spec *s, struct eb_prefix *p, struct taking *t,
		struct eb_error *err)
{
	if (eb_err_is_set(&t->bad)) {
		eb_err_move(err, &t->bad);
		return eb_err_prefix(err, "\"%s\"", p->dir);
	}
	if (take_history(p, t, err) < 0)
		return -1;
	if (eb_spec_take_exact(s, err) < 0)
		return eb_err_prefix(err, "\"%s\"", p->dir);
	if (take_python(s, p, err) < 0)
		return -1;
	return take_state(s, p, err);
}

int eb_prefix_spec(const char *dir, const char *platform, struct eb_spec **out,
		   struct eb_error *err)
{
	EB_CLEANUP(eb_spec_free_ptr) struct eb_spec *s = eb_spec_new(dir);
	struct eb_prefix p EB_CLEANUP(eb_prefix_release) = { .c.root = -1 };
	struct taking t EB_CLEANUP(release) = { .dir = dir,
						.platform = platform,
						.bad = EB_ERROR_INIT };

	t.x = s->exact = eb_calloc(1, sizeof *s->exact);
	t.x->installed = true;
	if (eb_prefix_open(&p, dir, take_record, &t, err) < 0 ||
	    fill(s, &p, &t, err) < 0)
		return -1;
	*out = eb_steal(s);
	return 0;
}

/* ---- what stays behind -------------------------------------------------- */

static size_t count_changed(const struct eb_prefix *p, const char **first)
{
	size_t n = 0;

	for (size_t i = 0; i < p->found.n; i++) {
		const struct eb_finding *f = &p->found.v[i];

		if (f->note || strcmp(f->check, "files") != 0 ||
		    eb_ends(f->text, EB_LEADS_NOWHERE))
			continue;
		if (!n++)
			*first = f->subject;
	}
	return n;
}

int eb_prefix_tell(const char *dir, struct eb_events *events,
		   struct eb_error *err)
{
	struct eb_prefix p EB_CLEANUP(eb_prefix_release) = { .c.root = -1 };
	eb_autofree char *stray = NULL;
	const char *changed = NULL;
	size_t n, others;

	if (eb_prefix_open(&p, dir, NULL, NULL, err) < 0 ||
	    eb_verify_records(&p.c, err) < 0)
		return -1;
	eb_claims_sort(&p.c);
	if (eb_verify_match(&p.c, err) < 0 ||
	    eb_claims_stray(&p.c, "", &others, &stray, err) < 0)
		return -1;
	n = count_changed(&p, &changed);
	if (n)
		eb_note(events,
			"\"%s\": %zu files were changed or removed by hand, "
			"\"%s\" among them: the image has them as their "
			"packages have",
			dir, n, changed);
	if (others)
		eb_note(events,
			"\"%s\": %zu files belong to no package, \"%s\" among "
			"them: the image has none of them",
			dir, others, stray);
	return 0;
}
