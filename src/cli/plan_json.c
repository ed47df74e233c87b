/* SPDX-License-Identifier: Apache-2.0 */
/* A plan as a JSON object (envbuild-json(5)). */
#include "plan_view.h"

static void set_digest(json_t *j, const char *key, bool has,
		       const struct eb_digest *d)
{
	char text[EB_DIGEST_TEXT];

	json_object_set_new(j, key,
			    has ? json_string(eb_digest_text(d, text))
				: json_null());
}

static void set_size(json_t *j, const char *key, uint64_t size)
{
	json_object_set_new(j, key, json_integer((json_int_t)size));
}

/* Not asked, not there, there. */
static json_t *in_registry(const struct eb_build_plan *p, bool there)
{
	return p->registry ? json_boolean(there) : json_null();
}

static json_t *names(const struct eb_build_plan *p, const size_t *index,
		     size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(list,
				      json_string(p->package[index[i]].name));
	return list;
}

static json_t *layer(const struct eb_build_plan *p,
		     const struct eb_planned_layer *l)
{
	json_t *j =
		json_pack("{s:s, s:b, s:o, s:b, s:o}", "kind",
			  eb_planned_kind_name(l->kind), "store", l->here,
			  "registry", in_registry(p, l->there), "estimate",
			  l->estimate, "packages", names(p, l->package, l->n));

	if (l->kind == EB_PLANNED_BUCKET)
		set_size(j, "bucket", l->bucket);
	if (l->kind == EB_PLANNED_BUCKET)
		set_size(j, "records", l->records);
	set_digest(j, "key", l->has_key, &l->key);
	set_digest(j, "blob", l->has_blob, &l->blob);
	set_size(j, "packed", l->packed);
	if (l->estimate && eb_plan_has_no_guess(l->kind))
		json_object_set_new(j, "size", json_null());
	else
		set_size(j, "size", l->size);
	return j;
}

static json_t *layers(const struct eb_build_plan *p)
{
	json_t *list = json_array();

	for (size_t i = 0; i < p->n_layers; i++)
		json_array_append_new(list, layer(p, &p->layer[i]));
	return list;
}

static json_t *packages(const struct eb_build_plan *p)
{
	json_t *list = json_array();

	for (size_t i = 0; i < p->n_packages; i++) {
		const struct eb_planned_package *one = &p->package[i];
		json_t *j = json_pack(
			"{s:s, s:s, s:s, s:s, s:s, s:b}", "name", one->name,
			"kind", one->python_side ? "pypi" : "conda", "version",
			one->version ? one->version : "", "file", one->file,
			"from", eb_planned_from_name(one->from), "paths",
			one->knows_paths);

		set_size(j, "size", one->size);
		json_array_append_new(list, j);
	}
	return list;
}

static json_t *steps(const struct eb_build_plan *p)
{
	json_t *list = json_array();

	for (size_t i = 0; i < p->n_steps; i++) {
		const struct eb_planned_step *s = &p->step[i];
		json_t *j = json_pack("{s:s, s:s, s:s, s:b, s:b, s:o}", "kind",
				      eb_planned_step_name(s->kind), "name",
				      s->name, "needs",
				      eb_privilege_name(s->privilege), "runs",
				      s->runs, "possible", !s->impossible,
				      "packages", names(p, s->package, s->n));

		if (eb_plan_may_grow(s->kind))
			set_size(j, "perhaps", s->perhaps);
		if (s->has_key)
			set_digest(j, "key", true, &s->key);
		if (s->has_result)
			set_digest(j, "result", true, &s->result);
		if (s->milliseconds)
			set_size(j, "milliseconds", s->milliseconds);
		if (s->log)
			json_object_set_new(j, "log", json_string(s->log));
		json_array_append_new(list, j);
	}
	return list;
}

static json_t *path(const char *text)
{
	eb_autofree char *clean = eb_printable(text);
	json_t *j = json_string(text);

	return j ? j : json_string(clean);
}

static json_t *clashes(const struct eb_build_plan *p)
{
	json_t *list = json_array();

	for (size_t i = 0; i < p->n_clashes; i++) {
		const struct eb_planned_clash *c = &p->clash[i];
		json_t *j = json_pack("{s:o, s:o, s:b}", "path", path(c->path),
				      "packages", names(p, c->package, c->n),
				      "same", c->same);

		if (c->other)
			json_object_set_new(j, "other", path(c->other));
		else
			json_object_set_new(
				j, "winner",
				json_string(p->package[c->winner].name));
		json_array_append_new(list, j);
	}
	return list;
}

json_t *eb_plan_json(const struct eb_build_plan *p,
		     const struct eb_digest *definition, bool solved)
{
	json_t *j = json_pack(
		"{s:i, s:b, s:{s:b, s:o}, s:o, s:o, s:o, s:o, s:b, s:b}",
		"schema", 1, "solved", solved, "image", "store", p->image_here,
		"registry", in_registry(p, p->image_there), "layers", layers(p),
		"packages", packages(p), "steps", steps(p), "clashes",
		clashes(p), "about-fetch", p->about_fetch, "about-push",
		p->about_push);

	json_object_set_new(j, "registry",
			    p->registry ? json_string(p->registry)
					: json_null());
	set_digest(j, "definition", true, definition);
	set_digest(j, "lock", true, &p->lock);
	set_size(j, "unknown-paths", p->unknown);
	set_size(j, "cased-within", p->cased_within);
	set_size(j, "fetch-bytes", p->fetch);
	set_size(j, "read-bytes", p->read);
	set_size(j, "pull-bytes", p->pull);
	set_size(j, "push-bytes", p->push);
	return j;
}
