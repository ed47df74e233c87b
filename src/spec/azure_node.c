/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked of the nodes of a definition by every one of Azure's forms. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <envbuild/file.h>

#include "azure_name.h"
#include "azure_read.h"
#include "spec_reader.h"

bool eb_azure_is_set(const struct eb_yaml_node *n)
{
	if (!n || eb_yaml_is_null(n))
		return false;
	return n->type == EB_YAML_SCALAR ? *n->text != '\0' : n->n > 0;
}

void eb_azure_warn(const struct eb_azure_reader *r,
		   const struct eb_yaml_node *n, const char *fmt, ...)
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

static int wrong_type(struct eb_azure_reader *r, const struct eb_yaml_node *n,
		      const char *key, const char *what)
{
	return eb_yaml_err(r->doc, n, r->err, "\"%s\" is %s, %s is expected",
			   key, eb_spec_type(n), what);
}

int eb_azure_text(struct eb_azure_reader *r, const struct eb_yaml_node *map,
		  const char *key, char **out)
{
	const struct eb_yaml_node *n = eb_yaml_get(map, key);

	if (!n || eb_yaml_is_null(n))
		return 0;
	if (n->type != EB_YAML_SCALAR)
		return wrong_type(r, n, key, "a text");
	if (strstr(n->text, "{{"))
		return eb_yaml_err(r->doc, n, r->err,
				   "\"%s\": \"%s\" is a template that was not "
				   "filled in",
				   key, n->text);
	free(*out);
	*out = *n->text ? eb_strdup(n->text) : NULL;
	return 0;
}

int eb_azure_map(struct eb_azure_reader *r, const struct eb_yaml_node *map,
		 const char *key, const struct eb_yaml_node **out)
{
	const struct eb_yaml_node *n = map ? eb_yaml_get(map, key) : NULL;

	*out = NULL;
	if (!n || eb_yaml_is_null(n))
		return 0;
	if (n->type != EB_YAML_MAP)
		return wrong_type(r, n, key, "a mapping");
	*out = n;
	return 0;
}

char *eb_azure_beside(const struct eb_azure_reader *r, const char *file)
{
	const char *slash = strrchr(r->out->file, '/');

	if (*file == '/' || !slash)
		return eb_strdup(file);
	return eb_asprintf("%.*s/%s", (int)(slash - r->out->file), r->out->file,
			   file);
}

int eb_azure_conda_file(struct eb_azure_reader *r, const struct eb_yaml_node *n,
			const char *file)
{
	eb_autofree char *path = eb_azure_beside(r, file);
	EB_AUTOBUF(text, EB_MAX_YAML);

	if (eb_read_file(path, EB_MAX_YAML, &text, r->err) < 0) {
		eb_err_at(r->err, r->doc->name, n->line, n->column);
		return -1;
	}
	if (eb_spec_parse(text.data, text.len, path, r->platform, r->events,
			  &r->out->spec, r->err) < 0)
		return -1;
	r->out->conda = eb_buf_steal(&text, NULL);
	r->elsewhere = strchr(file, '/') != NULL;
	r->out->conda_name = r->elsewhere ? NULL : eb_strdup(file);
	return 0;
}

/* The node is the document as far as the reader of conda files is concerned;
 * its places stay the file's. */
int eb_azure_conda_node(struct eb_azure_reader *r, const struct eb_yaml_node *n)
{
	struct eb_yaml part = *r->doc;
	EB_AUTOBUF(text, 2 * EB_MAX_YAML);

	part.root = (struct eb_yaml_node *)n;
	if (eb_spec_from_yaml(&part, r->platform, r->events, &r->out->spec,
			      r->err) < 0)
		return -1;
	eb_yaml_write(n, false, &text);
	if (text.overflow)
		return eb_yaml_err(r->doc, n, r->err,
				   "more than %zu bytes when it is written "
				   "as a file of its own",
				   text.max);
	r->out->conda = eb_buf_steal(&text, NULL);
	return 0;
}

static bool is_example(const char *name, const char *value)
{
	return !strcmp(name, "EXAMPLE_ENV_VAR") &&
	       !strcmp(value, "EXAMPLE_VALUE");
}

static int add_variable(struct eb_azure_reader *r,
			const struct eb_yaml_node *key,
			const struct eb_yaml_node *value)
{
	eb_autofree char *text = NULL;

	if (value->type != EB_YAML_SCALAR)
		return wrong_type(r, value, key->text, "a text");
	if (!*key->text || strchr(key->text, '='))
		return eb_yaml_err(r->doc, key, r->err,
				   "\"%s\" cannot be a variable's name",
				   key->text);
	text = eb_yaml_python_str(value);
	if (is_example(key->text, text)) {
		eb_detail(r->events, "%s=%s is the service's example: left out",
			  key->text, text);
		return 0;
	}
	eb_strv_add(&r->out->variable_name, key->text);
	eb_strv_add(&r->out->variable_value, text);
	return 0;
}

int eb_azure_variables(struct eb_azure_reader *r,
		       const struct eb_yaml_node *map)
{
	for (size_t i = 0; map && i < map->n; i++)
		if (add_variable(r, map->key[i], map->item[i]) < 0)
			return -1;
	return 0;
}

json_t *eb_azure_json(const struct eb_yaml_node *n)
{
	json_t *j;

	if (n->type == EB_YAML_SCALAR)
		return eb_yaml_is_null(n) ? json_null() : json_string(n->text);
	j = n->type == EB_YAML_MAP ? json_object() : json_array();
	for (size_t i = 0; i < n->n; i++) {
		if (n->type == EB_YAML_MAP)
			json_object_set_new(j, n->key[i]->text,
					    eb_azure_json(n->item[i]));
		else
			json_array_append_new(j, eb_azure_json(n->item[i]));
	}
	return j;
}
