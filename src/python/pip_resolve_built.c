/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What projects require that were built once: the next resolution for the
 * same Python takes it from here, and nothing has to run. It counts for the
 * very file that was built.
 */
#include "pip_resolve_int.h"

#include <stdlib.h>
#include <string.h>

#include <envbuild/json.h>

#define BUILT "built.json"
#define MAX_BUILT 512 /* that uv is told of */

/* What a build saw: its Python and the variables. Caller frees. */
static char *place_of(const struct eb_python_target *t,
		      const struct eb_strv *variables)
{
	EB_AUTOBUF(out, EB_MAX_CONFIG);

	eb_buf_addf(&out, "%s%s %s", t->version, t->free_threaded ? "t" : "",
		    t->arch);
	for (size_t i = 0; variables && i < variables->n; i++)
		eb_buf_addf(&out, " %s", variables->v[i]);
	return eb_buf_steal(&out, NULL);
}

/* --- learned ---------------------------------------------------------------
 */
static json_t *list_of(const struct eb_strv *texts)
{
	json_t *list = json_array();

	for (size_t i = 0; i < texts->n; i++)
		json_array_append_new(list, json_string(texts->v[i]));
	return list;
}

/* NULL: not all of it can be told. */
static json_t *read_headers(const char *metadata, size_t len)
{
	EB_CLEANUP(eb_told_release) struct eb_told t = { 0 };
	struct eb_error none EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	json_t *out;

	if (eb_told_read(metadata, len, "METADATA", &t, &none) < 0)
		return NULL;
	out = json_object();
	json_object_set_new(out, "depends", list_of(&t.depends));
	json_object_set_new(out, "extras", list_of(&t.extras));
	if (t.requires_python)
		json_object_set_new(out, "python",
				    json_string(t.requires_python));
	return out;
}

void eb_pip_built(const char *cache, const struct eb_python_target *t,
		  const struct eb_strv *variables, const struct eb_pin *pin,
		  const char *metadata, size_t len)
{
	const struct eb_pin_build *build = pin->build;
	eb_autofree char *root = realpath(cache, NULL), *place = NULL,
			 *key = NULL;
	eb_autojson json_t *one = NULL, *all = json_object();
	char hex[EB_HEX_SIZE];

	if (!root || pin->source != EB_PIN_SDIST || pin->direct || !build ||
	    build->setting.n ||
	    !build->variable.n != !(variables && variables->n))
		return;
	one = read_headers(metadata, len);
	if (!one)
		return;
	place = place_of(t, variables);
	json_object_set_new(one, "name", json_string(pin->name));
	json_object_set_new(one, "version", json_string(pin->version));
	json_object_set_new(one, "for", json_string(place));
	json_object_set_new(one, "sum",
			    json_string(eb_digest_hex(&pin->sha256, hex)));
	key = eb_asprintf("%s==%s %s", pin->name, pin->version, place);
	json_object_set_new(all, key, eb_steal(one));
	eb_uv_known_write(root, BUILT, all);
}

/* --- told ------------------------------------------------------------------
 */
static void add_all(struct eb_strv *to, const json_t *list)
{
	json_t *item;
	size_t i;

	json_array_foreach ((json_t *)list, i, item)
		if (json_is_string(item))
			eb_strv_add(to, json_string_value(item));
}

static void tell(struct eb_resolving *z, const json_t *one)
{
	const char *name = eb_json_str(one, "name");
	const char *version = eb_json_str(one, "version");
	const char *sum = eb_json_str(one, "sum");
	const char *python = eb_json_str(one, "python");
	struct eb_told *t;

	if (!name || !version || !sum)
		return;
	t = eb_resolve_told_add(z);
	*t = (struct eb_told){
		.name = eb_strdup(name),
		.version = eb_strdup(version),
		.requires_python = python ? eb_strdup(python) : NULL,
		.built = eb_strdup(sum),
	};
	add_all(&t->depends, eb_json_arr(one, "depends"));
	add_all(&t->extras, eb_json_arr(one, "extras"));
}

void eb_resolve_built_tell(struct eb_resolving *z)
{
	eb_autofree char *place =
		place_of(&z->r->target, z->r->build_variables);
	eb_autojson json_t *all = eb_uv_known_read(z->root, BUILT);
	const char *key, *of;
	json_t *one;

	json_object_foreach (all, key, one) {
		of = eb_json_str(one, "for");
		if (of && !strcmp(of, place) && z->n_told < MAX_BUILT)
			tell(z, one);
	}
	z->n_built = z->n_told;
}

/* Another file of that version, a wheel of it, may require something else. */
bool eb_resolve_built_holds(const struct eb_resolving *z,
			    const struct eb_pin *pin, size_t n)
{
	char hex[EB_HEX_SIZE];

	for (size_t i = 0; i < n; i++) {
		const struct eb_told *t =
			eb_resolve_told_of(z, pin[i].name, pin[i].version);

		if (t && t->built &&
		    (pin[i].source != EB_PIN_SDIST ||
		     strcmp(t->built, eb_digest_hex(&pin[i].sha256, hex))))
			return false;
	}
	return true;
}
