/* SPDX-License-Identifier: Apache-2.0 */
/* The list `dependencies`: package specs, `pip:` and `sel(...)`. */
#include <ctype.h>
#include <string.h>

#include "spec_reader.h"

/* ---- package specs
 * ---------------------------------------------------------------- */

static char *clean(const char *text)
{
	eb_autofree char *redacted = eb_url_redact(text ? text : "");

	return eb_printable(redacted);
}

static int bad_spec(struct eb_spec_reader *r, const struct eb_yaml_node *n,
		    struct eb_error *why)
{
	eb_autofree char *message = clean(why->message);
	eb_autofree char *hint = clean(why->hint);

	eb_yaml_err(r->doc, n, r->err, "%s", message);
	if (*hint)
		eb_err_hint(r->err, "%s", hint);
	eb_err_release(why);
	return -1;
}

static int is_for_pip(struct eb_spec_reader *r, const struct eb_yaml_node *n)
{
	eb_autofree char *shown = eb_requirement_shown(n->text);

	eb_yaml_err(r->doc, n, r->err,
		    "\"%s\" is a line for pip, among the conda packages",
		    shown);
	return eb_err_hint(r->err, "put it below \"- pip:\"");
}

/* "conda-forge:pip=23.3.1" */
static bool one_colon(const char *text)
{
	size_t n = strcspn(text, ":[ =<>!~");

	return n && text[n] == ':' && text[n + 1] && text[n + 1] != ':' &&
	       text[n + 1] != '/';
}

static void warn_colon(struct eb_spec_reader *r, const struct eb_yaml_node *n)
{
	eb_autofree char *shown = eb_requirement_shown(n->text);

	eb_spec_warn(r, n,
		     "\"%s\": \"::\" was meant behind the channel; conda "
		     "ignores what is before one \":\"",
		     shown);
}

/* "./dist/x-1.0-0.conda#HASH" */
static bool is_package(const char *text)
{
	eb_autofree char *place = eb_strndup(text, strcspn(text, "#"));

	eb_strip(place);
	return eb_ends(place, ".conda") || eb_ends(place, ".tar.bz2");
}

static bool looks_like_pip(const char *text)
{
	return *text == '-' || eb_starts(text, "git+") ||
	       (eb_starts(text, "./") && !is_package(text)) ||
	       eb_starts(text, "pip install ");
}

static int add_spec(struct eb_spec_reader *r, const struct eb_yaml_node *n)
{
	struct eb_spec *s = r->spec;
	struct eb_error why = EB_ERROR_INIT;
	struct eb_matchspec *m;

	if (eb_spec_no_template(r, n) < 0)
		return -1;
	if (looks_like_pip(n->text))
		return is_for_pip(r, n);
	m = eb_matchspec_parse(n->text, EB_STRICT, &why);
	if (!m)
		return bad_spec(r, n, &why);
	if (one_colon(n->text))
		warn_colon(r, n);
	EB_GROW(s->conda, s->n_conda, r->alloc_conda);
	EB_GROW(s->conda_at, s->n_conda, r->alloc_conda_at);
	s->conda_at[s->n_conda] = (struct eb_spec_line){
		.line = n->line, .column = n->column, .text = eb_strdup(n->text)
	};
	s->conda[s->n_conda++] = m;
	return 0;
}

/* ---- mappings
 * ------------------------------------------------------------------------ */

/* `sel(linux): spec` of micromamba; the names are those four alone. */
static int add_selected(struct eb_spec_reader *r,
			const struct eb_yaml_node *key,
			const struct eb_yaml_node *value)
{
	eb_autofree char *name = eb_strdup(key->text + 4);
	eb_autofree char *shown = eb_requirement_shown(key->text);

	name[strlen(name) - 1] = '\0';
	if (eb_spec_need_text(r, value, "sel()") < 0)
		return -1;
	if (strcmp(name, "linux") == 0 || strcmp(name, "unix") == 0)
		return eb_starts(r->platform, "linux/") ? add_spec(r, value)
							: 0;
	if (strcmp(name, "osx") == 0 || strcmp(name, "win") == 0)
		return 0;
	eb_yaml_err(r->doc, key, r->err, "\"%s\" names no platform", shown);
	return eb_err_hint(r->err, "sel() knows linux, osx, win and unix");
}

static int unknown_key(struct eb_spec_reader *r, const struct eb_yaml_node *key,
		       const struct eb_yaml_node *value)
{
	eb_autofree char *name = eb_requirement_shown(key->text);
	eb_autofree char *version = NULL;

	eb_yaml_err(r->doc, key, r->err,
		    "dependencies: \"%s\" is no installer that envbuild knows",
		    name);
	if (value->type != EB_YAML_SCALAR)
		return eb_err_hint(r->err, "\"pip:\" is the only one");
	version = eb_requirement_shown(eb_yaml_is_null(value) ? "VERSION"
							      : value->text);
	return eb_err_hint(r->err,
			   "for a package write \"%s=%s\"; for an "
			   "installer \"pip:\" and a list",
			   name, version);
}

static int add_map(struct eb_spec_reader *r, const struct eb_yaml_node *map)
{
	const char *text;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < map->n; i++) {
		text = map->key[i]->text;
		if (eb_selector_drops(r, map->key[i]))
			continue;
		if (strcmp(text, "pip") == 0)
			rc = eb_spec_pip(r, map->item[i]);
		else if (eb_starts(text, "sel(") && eb_ends(text, ")"))
			rc = add_selected(r, map->key[i], map->item[i]);
		else if (strstr(text, "{{") || strstr(text, "{%"))
			rc = eb_spec_no_template(r, map->key[i]);
		else
			rc = unknown_key(r, map->key[i], map->item[i]);
	}
	return rc;
}

/* ---- items
 * -----------------------------------------------------------------------------
 */

static int add_item(struct eb_spec_reader *r, const struct eb_yaml_node *n)
{
	if (n->type == EB_YAML_MAP)
		return add_map(r, n);
	if (n->type == EB_YAML_LIST)
		return eb_yaml_err(r->doc, n, r->err,
				   "dependencies: a list within the list");
	if (eb_yaml_is_null(n) || !n->text[strspn(n->text, " \t\n")]) {
		eb_spec_warn(r, n, "dependencies: an empty item is ignored");
		return 0;
	}
	if (eb_selector_drops(r, n))
		return 0;
	if (eb_spec_need_text(r, n, "dependencies") < 0)
		return -1;
	return add_spec(r, n);
}

int eb_spec_dependencies(struct eb_spec_reader *r, const struct eb_yaml_node *n)
{
	if (n->type == EB_YAML_SCALAR && eb_yaml_is_null(n)) {
		eb_spec_warn(r, n, "dependencies: the list is empty");
		return 0;
	}
	if (n->type != EB_YAML_LIST) {
		eb_yaml_err(r->doc, n, r->err,
			    "dependencies: a list is expected, not %s",
			    eb_spec_type(n));
		return eb_err_hint(r->err, "each package in a line of its own, "
					   "behind \"- \"");
	}
	for (size_t i = 0; i < n->n; i++)
		if (add_item(r, n->item[i]) < 0)
			return -1;
	return 0;
}
