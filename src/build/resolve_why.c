/* SPDX-License-Identifier: Apache-2.0 */
/* Why there is no solution, or nothing newer: the lines and places that the
 * solver names, other platforms, and what of it is kept for `explain`. */
#include <string.h>

#include "resolve_why.h"

/* --- lines ----------------------------------------------------------- */

struct eb_solve_line *eb_solve_lines(const struct eb_spec *spec)
{
	struct eb_solve_line *line = eb_calloc(spec->n_conda + 1, sizeof *line);

	for (size_t i = 0; i < spec->n_conda; i++) {
		const struct eb_spec_line *at = &spec->conda_at[i];

		line[i] = (struct eb_solve_line){ at->text,
						  eb_spec_place(spec, at),
						  at->line, at->column };
	}
	return line;
}

static json_t *line_json(const struct eb_solve_request *q, size_t spec)
{
	const struct eb_solve_line *l = &q->line[spec];
	const char *text = l->text ? l->text : eb_matchspec_text(q->spec[spec]);
	json_t *j = json_object();

	json_object_set_new(j, "spec", json_string(text));
	json_object_set_new(j, "file",
			    l->file ? json_string(l->file) : json_null());
	json_object_set_new(j, "line", json_integer(l->line));
	json_object_set_new(j, "column", json_integer(l->column));
	return j;
}

static json_t *lines_json(const struct eb_solve_request *q, const size_t *spec,
			  size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, line_json(q, spec[i]));
	return list;
}

/* --- other platforms ------------------------------------------------- */

static bool channel_has(struct eb_resolver *r, struct eb_channel *channel,
			const char *subdir, const char *name)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	const struct eb_channels one = {
		.channel = channel,
		.n = 1,
		.rules = r->env->request.channels.rules,
	};
	EB_CLEANUP(eb_matchspec_free_ptr)
	struct eb_matchspec *m = eb_matchspec_parse(name, EB_LENIENT, &err);
	const struct eb_matchspec *spec = m;
	const struct eb_repodata_options options = {
		.subdir = subdir,
		.offline = true,
		.spec = &spec,
		.n_specs = 1,
	};
	EB_CLEANUP(eb_repodata_free_ptr) struct eb_repodata *rd = NULL;
	const uint32_t *row;

	return m &&
	       eb_repodata_load(&one, &options, r->store, r->http, NULL, &rd,
				&err) == 0 &&
	       eb_repodata_by_name(rd, eb_matchspec_name(m), &row) > 0;
}

void eb_solve_elsewhere(void *data, const char *name, struct eb_strv *out)
{
	static const char *const subdir[] = { "linux-64", "linux-aarch64",
					      "osx-64", "osx-arm64", "win-64" };
	struct eb_resolver *r = data;
	const struct eb_channels *c = &r->env->request.channels;
	const char *own = eb_conda_subdir(r->config->platform);

	for (size_t i = 0; i < sizeof subdir / sizeof *subdir; i++) {
		bool has = false;

		if (own && !strcmp(subdir[i], own))
			continue;
		for (size_t k = 0; k < c->n && !has; k++)
			has = channel_has(r, &c->channel[k], subdir[i], name);
		if (has)
			eb_strv_add(out, subdir[i]);
	}
}

/* --- what is kept ---------------------------------------------------- */

void eb_keep_unsolved(struct eb_resolver *r, const struct eb_solve_request *q,
		      const struct eb_unsolved *u)
{
	if (!r->explains || r->problems)
		return;
	r->problems = json_array();
	for (size_t i = 0; i < u->n; i++) {
		const struct eb_solve_problem *p = &u->problem[i];
		json_t *j = json_object();

		json_object_set_new(j, "lines", lines_json(q, p->spec, p->n));
		json_object_set_new(j, "why", json_string(p->text));
		json_array_append_new(r->problems, j);
	}
	r->advice = u->advice ? eb_strdup(u->advice) : NULL;
}

void eb_keep_held(struct eb_resolver *r, const struct eb_solve_request *q,
		  const struct eb_solution *s)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_CLEANUP(eb_held_list_release) struct eb_held_list held = { 0 };

	if (!r->explains || eb_solve_held(q, s, &held, &err) < 0)
		return;
	json_decref(r->held);
	r->held = json_array();
	for (size_t i = 0; i < held.n; i++) {
		const struct eb_held *h = &held.v[i];
		json_t *j = json_object();

		json_object_set_new(j, "name", json_string(h->name));
		json_object_set_new(j, "version", json_string(h->version));
		json_object_set_new(j, "newest", json_string(h->newest));
		json_object_set_new(j, "why", json_string(h->why));
		json_object_set_new(j, "lines", lines_json(q, h->spec, h->n));
		json_array_append_new(r->held, j);
	}
}
