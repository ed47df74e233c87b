/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packages of a pixi.lock. Of conda's it has the whole record as the channel
 * had it, so nothing is left to ask; what the URL tells may be left out, and
 * from version 6 on `noarch` and the build number, where they follow from
 * subdir and build by its own rules.
 */
#include <ctype.h>
#include <string.h>

#include <envbuild/json.h>

#include "pixi_lock.h"

/* ---- the record as JSON
 * ------------------------------------------------------ */

static void set_number(json_t *j, const char *key,
		       const struct eb_yaml_node *map)
{
	const struct eb_yaml_node *n = eb_yaml_get(map, key);
	uint64_t value;

	if (n && n->type == EB_YAML_SCALAR &&
	    eb_parse_u64(n->text, INT64_MAX, &value) == 0)
		json_object_set_new(j, key, json_integer((json_int_t)value));
	else if (n && !(n->type == EB_YAML_SCALAR && eb_yaml_is_null(n)))
		json_object_set_new(j, key, json_true()); /* to be refused */
}

static void set_text(json_t *j, const char *key, const struct eb_yaml_node *map)
{
	const struct eb_yaml_node *n = eb_yaml_get(map, key);

	if (n && n->type == EB_YAML_SCALAR && !eb_yaml_is_null(n))
		json_object_set_new(j, key, json_string(n->text));
	else if (n && n->type != EB_YAML_SCALAR)
		json_object_set_new(j, key, json_true());
}

static void set_list(json_t *j, const char *key, const struct eb_yaml_node *map)
{
	const struct eb_yaml_node *n = eb_yaml_get(map, key);
	json_t *list;

	if (!n || n->type != EB_YAML_LIST) {
		set_text(j, key, map);
		return;
	}
	list = json_array();
	for (size_t i = 0; i < n->n; i++)
		json_array_append_new(list,
				      n->item[i]->type == EB_YAML_SCALAR
					      ? json_string(n->item[i]->text)
					      : json_true());
	json_object_set_new(j, key, list);
}

static void set_default(json_t *j, const char *key, const char *value)
{
	if (value && !json_object_get(j, key))
		json_object_set_new(j, key, json_string(value));
}

/* The digits at the end of "py39h3a5b6d_2". */
static void default_number(json_t *j, const char *build)
{
	size_t n = strlen(build);
	uint64_t value;

	if (json_integer_value(json_object_get(j, "build_number")))
		return;
	while (n && isdigit((unsigned char)build[n - 1]))
		n--;
	if (eb_parse_u64(build + n, INT64_MAX, &value) == 0)
		json_object_set_new(j, "build_number",
				    json_integer((json_int_t)value));
}

/* By the rules of the format itself, which writes what differs from them. */
static void default_noarch(json_t *j, const struct eb_record *place)
{
	if (place->subdir && !strcmp(place->subdir, "noarch"))
		set_default(j, "noarch",
			    strstr(place->build, "py") ? "python" : "generic");
}

#define FAMILY "license_family"
#define SITE_PACKAGES "python_site_packages_path"

static json_t *record_json(const struct eb_pixi *x,
			   const struct eb_yaml_node *n,
			   const struct eb_record *place)
{
	static const char *const texts[] = { "name",   "version",    "build",
					     "subdir", "noarch",     "license",
					     FAMILY,   SITE_PACKAGES };
	static const char *const lists[] = { "depends", "constrains",
					     "features", "track_features" };
	static const char *const numbers[] = { "build_number", "size",
					       "timestamp" };
	json_t *j = json_object();

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		set_text(j, texts[i], n);
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		set_list(j, lists[i], n);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		set_number(j, numbers[i], n);
	set_default(j, "name", place->name);
	set_default(j, "version", place->version);
	set_default(j, "build", place->build);
	set_default(j, "subdir", place->subdir);
	default_number(j, place->build);
	if (x->version >= 6)
		default_noarch(j, place);
	return j;
}

/* ---- conda's
 * ------------------------------------------------------------------ */

/* Place and hashes stay; the file's name is believed before what stands beside
 * it. */
static int take_record(struct eb_record *place, struct eb_record *r)
{
	if (strcmp(place->name, r->name) || strcmp(place->build, r->build) ||
	    strcmp(place->version, r->version))
		return -1;
	r->channel = eb_steal(place->channel);
	r->url = eb_steal(place->url);
	r->has_sha256 = place->has_sha256;
	r->sha256 = place->sha256;
	memcpy(r->md5, place->md5, sizeof r->md5);
	eb_record_release(place);
	*place = *r;
	*r = (struct eb_record){ 0 };
	return 0;
}

int eb_pixi_conda(struct eb_pixi *x, const struct eb_yaml_node *n,
		  const char *place)
{
	struct eb_spec_reader *r = x->r;
	struct eb_exact_package *p = eb_locked_add(r, n, place, n);
	struct eb_record record EB_CLEANUP(eb_record_release) = { 0 };
	eb_autojson json_t *j = p ? record_json(x, n, &p->record) : NULL;

	if (!j)
		return -1;
	if (eb_record_from_json(j, p->record.fn, p->record.subdir, &record,
				r->err) < 0)
		return eb_err_at(r->err, r->doc->name, n->line, n->column);
	if (take_record(&p->record, &record) < 0)
		return eb_yaml_err(r->doc, n, r->err,
				   "the URL is that of %s %s, the package is "
				   "%s %s",
				   p->record.name, p->record.version,
				   record.name, record.version);
	p->partial = !p->record.size; /* of its first years */
	return eb_exact_fits(&p->record, r->platform, r->err) < 0
		       ? eb_err_at(r->err, r->doc->name, n->line, n->column)
		       : 0;
}

/* ---- pip's
 * -------------------------------------------------------------------- */

static int is_editable(struct eb_spec_reader *r, const struct eb_yaml_node *n)
{
	const char *editable;

	if (eb_locked_text(r, n, "editable", &editable) < 0)
		return -1;
	if (!editable || strcasecmp(editable, "true") != 0)
		return 0;
	eb_yaml_err(r->doc, n, r->err,
		    "the project is editable: it lies on the machine that made "
		    "the lock");
	return eb_err_hint(r->err, "an environment file can name local "
				   "projects, below \"- pip:\"");
}

int eb_pixi_pypi(struct eb_pixi *x, const struct eb_yaml_node *n,
		 const char *place)
{
	struct eb_spec_reader *r = x->r;
	struct eb_locked_project p = { .at = n, .url = place };

	if (is_editable(r, n) < 0 || eb_locked_need(r, n, "name", &p.name) < 0)
		return -1;
	if (eb_locked_text(r, n, "version", &p.version) < 0 ||
	    eb_locked_text(r, n, "index", &p.index) < 0 ||
	    eb_locked_text(r, n, "sha256", &p.sha256) < 0 ||
	    eb_locked_text(r, n, "requires_python", &p.requires_python) < 0)
		return -1;
	return eb_locked_pip_add(r, &x->pip, &p);
}
