/* SPDX-License-Identifier: Apache-2.0 */
/* The simple keys of an environment file: name, prefix, channels, variables. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "spec_reader.h"

/* ---- helpers
 * -------------------------------------------------------------------- */

void eb_spec_warn(const struct eb_spec_reader *r, const struct eb_yaml_node *n,
		  const char *fmt, ...)
{
	eb_autofree char *text = NULL;
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (len < 0)
		eb_oom();
	eb_warn_at(r->events, r->doc->name, n->line, n->column, "%s", text);
}

const char *eb_spec_type(const struct eb_yaml_node *n)
{
	if (n->type == EB_YAML_LIST)
		return "a list";
	if (n->type == EB_YAML_MAP)
		return "a mapping";
	return eb_yaml_is_null(n)	 ? "null"
	       : eb_yaml_is_nonstring(n) ? "a number, a truth value or a date"
					 : "a text";
}

static int wrong_type(struct eb_spec_reader *r, const struct eb_yaml_node *n,
		      const char *what, const char *wanted)
{
	return eb_yaml_err(r->doc, n, r->err, "%s: %s is expected, not %s",
			   what, wanted, eb_spec_type(n));
}

int eb_spec_need_text(struct eb_spec_reader *r, const struct eb_yaml_node *n,
		      const char *what)
{
	eb_autofree char *shown = NULL;

	if (n->type == EB_YAML_SCALAR && !eb_yaml_is_null(n) &&
	    !eb_yaml_is_nonstring(n))
		return 0;
	wrong_type(r, n, what, "a text");
	if (n->type != EB_YAML_SCALAR || !*n->text)
		return -1;
	shown = eb_requirement_shown(n->text);
	return eb_err_hint(r->err,
			   "YAML reads %s as something else: put it in "
			   "quotes",
			   shown);
}

int eb_spec_no_template(struct eb_spec_reader *r, const struct eb_yaml_node *n)
{
	eb_autofree char *shown = NULL;

	if (!strstr(n->text, "{{") && !strstr(n->text, "{%"))
		return 0;
	shown = eb_requirement_shown(n->text);
	eb_yaml_err(r->doc, n, r->err,
		    "\"%s\": the file is a template that nobody has filled in",
		    shown);
	return eb_err_hint(r->err, "give the text that the template makes");
}

/* ---- name, prefix
 * ----------------------------------------------------------------- */

int eb_spec_name(struct eb_spec_reader *r, const struct eb_yaml_node *n)
{
	eb_autofree char *shown = NULL;
	size_t bad;

	if (n->type != EB_YAML_SCALAR)
		return wrong_type(r, n, "name", "a text");
	if (eb_yaml_is_null(n) || !*n->text)
		return 0;
	if (eb_spec_no_template(r, n) < 0)
		return -1;
	shown = eb_requirement_shown(n->text);
	bad = strcspn(n->text, "/ :#");
	if (n->text[bad])
		return eb_yaml_err(r->doc, n, r->err,
				   "name: \"%s\" has a \"%c\" in it, and none "
				   "of \"/\", \" \", \":\" and \"#\" may be in "
				   "a name",
				   shown, n->text[bad]);
	if (strcmp(n->text, "base") == 0 || strcmp(n->text, "root") == 0)
		eb_spec_warn(r, n,
			     "name: \"%s\" is what conda calls its own "
			     "environment; give another",
			     shown);
	r->spec->name = eb_strdup(n->text);
	return 0;
}

int eb_spec_prefix(struct eb_spec_reader *r, const struct eb_yaml_node *n)
{
	if (n->type != EB_YAML_SCALAR)
		return wrong_type(r, n, "prefix", "a text");
	if (!eb_yaml_is_null(n) && *n->text)
		r->spec->env_prefix = eb_strdup(n->text);
	return 0;
}

/* ---- channels
 * ------------------------------------------------------------------------ */

static int add_channel(struct eb_spec_reader *r, const struct eb_yaml_node *n)
{
	if (eb_selector_drops(r, n))
		return 0;
	if (n->type == EB_YAML_SCALAR &&
	    (eb_yaml_is_null(n) || !n->text[strspn(n->text, " \t")])) {
		eb_spec_warn(r, n, "channels: an empty item is ignored");
		return 0;
	}
	if (eb_spec_need_text(r, n, "a channel") < 0 ||
	    eb_spec_no_template(r, n) < 0)
		return -1;
	if (strcmp(n->text, "nodefaults") != 0)
		eb_strv_add(&r->spec->channels, n->text);
	return 0;
}

int eb_spec_channels(struct eb_spec_reader *r, const struct eb_yaml_node *n)
{
	if (n->type == EB_YAML_SCALAR && eb_yaml_is_null(n))
		return 0;
	if (n->type != EB_YAML_LIST) {
		wrong_type(r, n, "channels", "a list");
		if (n->type == EB_YAML_SCALAR)
			eb_err_hint(r->err, "write \"channels: [...]\", or "
					    "each in a line of its own "
					    "behind \"- \"");
		return -1;
	}
	for (size_t i = 0; i < n->n; i++)
		if (add_channel(r, n->item[i]) < 0)
			return -1;
	return 0;
}

/* ---- variables
 * ----------------------------------------------------------------------- */

static int add_variable(struct eb_spec_reader *r,
			const struct eb_yaml_node *key,
			const struct eb_yaml_node *value)
{
	eb_autofree char *name = eb_yaml_python_str(key);
	eb_autofree char *shown = eb_requirement_shown(name);

	if (eb_selector_drops(r, key))
		return 0;
	if (!*name || strchr(name, '='))
		return eb_yaml_err(r->doc, key, r->err,
				   "variables: \"%s\" is no name of a variable",
				   shown);
	if (value->type != EB_YAML_SCALAR)
		return eb_yaml_err(r->doc, value, r->err,
				   "variables: the value of \"%s\" is %s, "
				   "where a text is expected",
				   shown, eb_spec_type(value));
	if (strcmp(name, "PATH") == 0) {
		eb_spec_warn(r, key,
			     "variables: PATH is not taken from the "
			     "file, as conda does not take it");
		return 0;
	}
	if (eb_yaml_is_null(value))
		eb_spec_warn(r, value,
			     "variables: \"%s\" has no value and "
			     "becomes the text \"None\"",
			     shown);
	eb_strv_take(&r->spec->variable_name, eb_steal(name));
	eb_strv_take(&r->spec->variable_value, eb_yaml_python_str(value));
	return 0;
}

int eb_spec_variables(struct eb_spec_reader *r, const struct eb_yaml_node *n)
{
	if (n->type == EB_YAML_SCALAR && eb_yaml_is_null(n))
		return 0;
	if (n->type != EB_YAML_MAP) {
		wrong_type(r, n, "variables", "a mapping");
		return eb_err_hint(r->err, "write NAME: VALUE, without \"-\" "
					   "in front");
	}
	for (size_t i = 0; i < n->n; i++)
		if (add_variable(r, n->key[i], n->item[i]) < 0)
			return -1;
	return 0;
}
