/* SPDX-License-Identifier: Apache-2.0 */
/* MLflow's python_env.yaml: a version of Python and lines of pip. It becomes
 * the conda file that says the same; its nodes keep their places. */
#include <string.h>

#include "azure_read.h"

/* The lines of a list go to `to`, which has room for them. */
static int take_lines(struct eb_azure_reader *r,
		      const struct eb_yaml_node *root, const char *key,
		      struct eb_yaml_node *to)
{
	const struct eb_yaml_node *n = eb_yaml_get(root, key);

	if (!n || eb_yaml_is_null(n))
		return 0;
	if (n->type != EB_YAML_LIST)
		return eb_yaml_err(r->doc, n, r->err,
				   "\"%s\" is no list of requirements", key);
	for (size_t i = 0; i < n->n; i++)
		to->item[to->n++] = n->item[i];
	return 0;
}

static size_t count(const struct eb_yaml_node *root, const char *key)
{
	const struct eb_yaml_node *n = eb_yaml_get(root, key);

	return n && n->type == EB_YAML_LIST ? n->n : 0;
}

static struct eb_yaml_node scalar(const struct eb_yaml_node *at,
				  const char *text)
{
	return (struct eb_yaml_node){ .type = EB_YAML_SCALAR,
				      .line = at->line,
				      .column = at->column,
				      .text = (char *)text,
				      .plain = true };
}

/* {dependencies: [python=VERSION, pip, {pip: LINES}]} */
static int as_conda(struct eb_azure_reader *r, const struct eb_yaml_node *at,
		    const char *python, struct eb_yaml_node *lines)
{
	struct eb_yaml_node spec = scalar(at, python), tool = scalar(at, "pip");
	struct eb_yaml_node key = scalar(at, "dependencies"), *keys = &key;
	struct eb_yaml_node *pip_key = &tool, *pip_item = lines;
	struct eb_yaml_node pip = { .type = EB_YAML_MAP,
				    .line = at->line,
				    .column = at->column,
				    .key = &pip_key,
				    .item = &pip_item,
				    .n = 1 };
	struct eb_yaml_node *items[] = { &spec, &tool, &pip };
	struct eb_yaml_node list = { .type = EB_YAML_LIST,
				     .line = at->line,
				     .column = at->column,
				     .item = items,
				     .n = lines->n ? 3 : 2 };
	struct eb_yaml_node *values = &list;
	struct eb_yaml_node root = { .type = EB_YAML_MAP,
				     .line = at->line,
				     .column = at->column,
				     .key = &keys,
				     .item = &values,
				     .n = 1 };

	return eb_azure_conda_node(r, &root);
}

int eb_azure_read_mlflow(struct eb_azure_reader *r,
			 const struct eb_yaml_node *n)
{
	const struct eb_yaml_node *at = eb_yaml_get(n, "python");
	size_t most = count(n, "build_dependencies") + count(n, "dependencies");
	eb_autofree struct eb_yaml_node **item =
		eb_calloc(most + 1, sizeof *item);
	struct eb_yaml_node lines = { .type = EB_YAML_LIST, .item = item };
	eb_autofree char *version = NULL, *python = NULL;

	if (eb_azure_text(r, n, "python", &version) < 0 ||
	    take_lines(r, n, "build_dependencies", &lines) < 0 ||
	    take_lines(r, n, "dependencies", &lines) < 0)
		return -1;
	at = at ? at : n;
	lines.line = at->line;
	lines.column = at->column;
	python = version ? eb_asprintf("python=%s", version)
			 : eb_strdup("python");
	return as_conda(r, at, python, &lines);
}
