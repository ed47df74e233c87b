/* SPDX-License-Identifier: Apache-2.0 */
/* YAML documents: read, look into, free. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/file.h>

#include "yaml_doc.h"

int eb_yaml_parse(const char *data, size_t len, const char *name,
		  struct eb_yaml **out, struct eb_error *err)
{
	EB_CLEANUP(eb_yaml_free_ptr) struct eb_yaml *yaml = NULL;
	EB_AUTOBUF(source, 2 * EB_MAX_YAML);

	if (len > EB_MAX_YAML)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\", reading as YAML: %zu bytes, where "
				  "at most %zu are allowed",
				  name, len, EB_MAX_YAML);
	if (eb_yaml_decode(data, len, name, &source, err) < 0)
		return -1;
	yaml = eb_calloc(1, sizeof(struct eb_yaml_doc));
	yaml->name = eb_strdup(name);
	yaml->source = eb_buf_steal(&source, NULL);
	eb_yaml_find_lines(yaml);
	if (eb_yaml_build((struct eb_yaml_doc *)yaml, err) < 0)
		return -1;
	*out = eb_steal(yaml);
	return 0;
}

int eb_yaml_read(const char *path, struct eb_yaml **out, struct eb_error *err)
{
	EB_AUTOBUF(data, EB_MAX_YAML);
	bool standard = strcmp(path, "-") == 0;

	if (standard && eb_read_fd(STDIN_FILENO, "standard input", EB_MAX_YAML,
				   &data, err) < 0)
		return -1;
	if (!standard && eb_read_file(path, EB_MAX_YAML, &data, err) < 0)
		return -1;
	return eb_yaml_parse(data.data, data.len, path, out, err);
}

static void free_cell(struct eb_yaml_cell *cell)
{
	free(cell->node.text);
	free(cell->node.key);
	free(cell->node.item);
	free(cell);
}

void eb_yaml_free(struct eb_yaml *yaml)
{
	struct eb_yaml_doc *doc = (struct eb_yaml_doc *)yaml;
	size_t i;

	if (!yaml)
		return;
	for (i = 0; i < doc->n_cells; i++)
		free_cell(doc->cell[i]);
	free(doc->cell);
	free(yaml->name);
	free(yaml->source);
	free(yaml->line_offset);
	free(doc);
}

const struct eb_yaml_node *eb_yaml_get(const struct eb_yaml_node *map,
				       const char *key)
{
	size_t i;

	if (!map || map->type != EB_YAML_MAP)
		return NULL;
	for (i = 0; i < map->n; i++)
		if (strcmp(map->key[i]->text, key) == 0)
			return map->item[i];
	return NULL;
}

static enum eb_yaml_kind kind(const struct eb_yaml_node *n)
{
	if (n->type != EB_YAML_SCALAR || !n->plain || n->tagged_str)
		return EB_YAML_TEXT;
	return eb_yaml_resolve(n->text);
}

bool eb_yaml_is_null(const struct eb_yaml_node *n)
{
	return kind(n) == EB_YAML_NULL;
}

bool eb_yaml_is_nonstring(const struct eb_yaml_node *n)
{
	enum eb_yaml_kind k = kind(n);

	return k != EB_YAML_TEXT && k != EB_YAML_NULL;
}

char *eb_yaml_python_str(const struct eb_yaml_node *n)
{
	switch (kind(n)) {
	case EB_YAML_NULL: return eb_strdup("None");
	case EB_YAML_BOOL: /* yes, true, on: all others begin otherwise */
		return eb_strdup(strchr("yYtT", n->text[0]) ||
						 strcasecmp(n->text, "on") == 0
					 ? "True"
					 : "False");
	case EB_YAML_INT: return eb_yaml_python_int(n->text);
	case EB_YAML_FLOAT: return eb_yaml_python_float(n->text);
	case EB_YAML_TEXT:
	case EB_YAML_TIMESTAMP: break;
	}
	return eb_strdup(n->text ? n->text : "");
}

/* The bytes of the line end that `s` has before `end`. */
static size_t break_length(const char *s, const char *end)
{
	if (end[-1] == '\n')
		return 1;
	return end - s >= 2 && memcmp(end - 2, "\xc2\x85", 2) == 0 ? 2 : 3;
}

const char *eb_yaml_line(const struct eb_yaml *doc, unsigned line, size_t *len)
{
	const char *start, *end;

	*len = 0;
	if (line == 0 || line > doc->n_lines)
		return NULL;
	start = doc->source + doc->line_offset[line - 1];
	if (line == doc->n_lines) {
		*len = strlen(start);
		return start;
	}
	end = doc->source + doc->line_offset[line];
	*len = (size_t)(end - start) - break_length(start, end);
	return start;
}

int eb_yaml_err(const struct eb_yaml *doc, const struct eb_yaml_node *n,
		struct eb_error *err, const char *fmt, ...)
{
	eb_autofree char *text = NULL;
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (len < 0)
		eb_oom();
	eb_err_set(err, EB_INPUT, "%s", text);
	return eb_err_at(err, doc->name, n ? n->line : 0, n ? n->column : 0);
}
