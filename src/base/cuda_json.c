/* SPDX-License-Identifier: Apache-2.0 */
/* A decision as JSON: what `explain --json` prints. */
#include <string.h>

#include <envbuild/json.h>
#include <envbuild/mem.h>

#include "cuda_int.h"

/* null where there is none */
static void text(json_t *j, const char *key, const char *value)
{
	json_object_set_new(j, key, value ? json_string(value) : json_null());
}

static void flag(json_t *j, const char *key, bool value)
{
	json_object_set_new(j, key, json_boolean(value));
}

static void place(json_t *j, const char *file, unsigned line, unsigned column)
{
	text(j, "file", file);
	json_object_set_new(j, "line", line ? json_integer(line) : json_null());
	json_object_set_new(j, "column",
			    column ? json_integer(column) : json_null());
}

static json_t *list(const struct eb_strv *v)
{
	json_t *j = json_array();

	for (size_t i = 0; i < v->n; i++)
		json_array_append_new(j, json_string(v->v[i]));
	return j;
}

static json_t *forced(const struct eb_decision *d)
{
	json_t *all = json_array();

	for (size_t i = 0; i < d->n_forced; i++) {
		const struct eb_forced *f = &d->forced[i];
		json_t *j = json_object();

		text(j, "what", f->what);
		text(j, "why", f->why);
		text(j, "package", f->package);
		place(j, f->file, f->line, f->column);
		json_array_append_new(all, j);
	}
	return all;
}

static json_t *rows(const struct eb_decision *d)
{
	json_t *all = json_array();

	for (size_t i = 0; i < d->n_rows; i++) {
		json_t *j = json_object();

		text(j, "row", d->row[i].row);
		text(j, "why", d->row[i].why);
		json_array_append_new(all, j);
	}
	return all;
}

static json_t *conditions(const struct eb_decision *d)
{
	json_t *all = json_array();

	for (size_t i = 0; i < d->n_conditions; i++) {
		const struct eb_condition *c = &d->condition[i];
		json_t *j = json_object();

		text(j, "what", c->what);
		text(j, "package", c->package);
		text(j, "by", c->by);
		text(j, "advice", c->advice);
		flag(j, "at_build", c->at_build);
		json_array_append_new(all, j);
	}
	return all;
}

static json_t *alternatives(const struct eb_decision *d)
{
	json_t *all = json_array();

	for (size_t i = 0; i < d->n_alternatives; i++) {
		const struct eb_alternative *a = &d->alternative[i];
		json_t *j = json_object();

		text(j, "cuda", a->cuda);
		text(j, "driver_floor", a->driver_floor);
		json_object_set_new(j, "gpu_arch", list(&a->gpu_arch));
		text(j, "why", a->why);
		json_array_append_new(all, j);
	}
	return all;
}

static json_t *packages(const struct eb_decision *d)
{
	json_t *all = json_array();

	for (size_t i = 0; i < d->n_packages; i++) {
		const struct eb_considered *p = &d->package[i];
		json_t *j = json_object();

		text(j, "kind", p->python_side ? "pypi" : "conda");
		text(j, "name", p->name);
		text(j, "version", p->version);
		text(j, "build", p->build);
		text(j, "cuda", p->cuda);
		text(j, "libraries", p->libraries);
		flag(j, "cpu", p->cpu);
		json_array_append_new(all, j);
	}
	return all;
}

static void lists(const struct eb_decision *d, json_t *j)
{
	json_object_set_new(j, "gpu_arch", list(&d->gpu_arch));
	json_object_set_new(j, "forced_by", forced(d));
	json_object_set_new(j, "refused", rows(d));
	json_object_set_new(j, "warnings", list(&d->warning));
	json_object_set_new(j, "packages", packages(d));
	json_object_set_new(j, "conditions", conditions(d));
	json_object_set_new(j, "alternatives", alternatives(d));
	json_object_set_new(j, "assumptions", list(&d->assumption));
	json_object_set_new(j, "libraries", list(&d->libraries));
	json_object_set_new(j, "variables", list(&d->variable));
}

json_t *eb_decision_to_json(const struct eb_decision *d)
{
	json_t *j = json_object();
	char digest[EB_DIGEST_TEXT];

	text(j, "status", d->refused ? "refused" : "ok");
	text(j, "reason", d->reason);
	text(j, "advice", d->advice);
	text(j, "decided_from", d->solved ? "packages" : "lines");
	flag(j, "gpu", d->gpu);
	text(j, "cuda", d->cuda);
	text(j, "cudnn", d->cudnn);
	text(j, "because", d->because);
	text(j, "virtual_cuda", d->virtual_cuda);
	text(j, "flavour", eb_flavour_name(d->flavour));
	text(j, "image", d->image);
	text(j, "image_cuda", d->image_cuda);
	text(j, "image_flavour", eb_flavour_name(d->image_flavour));
	text(j, "build_flavour", eb_flavour_name(d->build_flavour));
	text(j, "build_image", d->build_image);
	text(j, "digest",
	     d->has_digest ? eb_digest_text(&d->digest, digest) : NULL);
	text(j, "os", d->os);
	text(j, "glibc", d->glibc);
	text(j, "driver_floor", d->driver_floor);
	text(j, "toolkit_driver", d->toolkit_driver);
	lists(d, j);
	return j;
}
