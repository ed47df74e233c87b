/* SPDX-License-Identifier: Apache-2.0 */
/* The YAML document as the files that make it see it. */
#ifndef EB_CORE_YAML_DOC_H
#define EB_CORE_YAML_DOC_H

#include <envbuild/buf.h>
#include <envbuild/yaml.h>

/* Aliases make the tree a graph: a node may hang in several places. So all
 * nodes are kept in one list, and each knows how large it is written out. */
struct eb_yaml_cell {
	struct eb_yaml_node node;
	size_t alloc;	 /* of node.item and node.key */
	size_t size;	 /* nodes, itself among them, aliases written out */
	unsigned height; /* levels of lists and maps, its own included */
	bool open;	 /* its end has not come yet */
};

struct eb_yaml_doc {
	struct eb_yaml yaml;
	struct eb_yaml_cell **cell;
	size_t n_cells, alloc_cells;
};

/* Bytes of a file to UTF-8 with LF line ends. */
int eb_yaml_decode(const char *data, size_t len, const char *name,
		   struct eb_buf *out, struct eb_error *err);
/* Fill yaml.line_offset from yaml.source. */
void eb_yaml_find_lines(struct eb_yaml *yaml);
/* Fill yaml.root from yaml.source. */
int eb_yaml_build(struct eb_yaml_doc *doc, struct eb_error *err);

/* What a plain scalar is by the rules of YAML 1.1. */
enum eb_yaml_kind {
	EB_YAML_TEXT,
	EB_YAML_NULL,
	EB_YAML_BOOL,
	EB_YAML_INT,
	EB_YAML_FLOAT,
	EB_YAML_TIMESTAMP,
};
enum eb_yaml_kind eb_yaml_resolve(const char *text);
/* Python's str() of such an int or float (allocated). */
char *eb_yaml_python_int(const char *text);
char *eb_yaml_python_float(const char *text);

#endif
