/* SPDX-License-Identifier: Apache-2.0 */
/*
 * YAML 1.1 by libyaml as a tree with positions.
 *
 * Input: UTF-8 with or without BOM, or UTF-16 with BOM; CRLF or LF. Refused
 * (EB_INPUT, with file:line:column): every other encoding, more than one
 * document, duplicate keys in a mapping, a tag other than the core ones
 * (named in the message), more than `max_depth` levels, more than
 * `max_nodes` nodes after aliases are expanded (an alias bomb), more than
 * EB_MAX_YAML bytes. An empty document gives a null scalar.
 */
#ifndef EB_YAML_H
#define EB_YAML_H

#include <stdbool.h>
#include <stddef.h>

#include <envbuild/buf.h>
#include <envbuild/error.h>
#include <envbuild/mem.h>

enum eb_yaml_type { EB_YAML_SCALAR, EB_YAML_LIST, EB_YAML_MAP };

struct eb_yaml_node {
	enum eb_yaml_type type;
	unsigned line, column; /* from 1 */
	/* scalar */
	char *text;	 /* NUL-terminated UTF-8; NUL inside is refused */
	bool plain;	 /* neither quoted nor a block */
	bool tagged_str; /* explicit !!str */
	/* list: item[i]; map: key[i] (always scalars), item[i] */
	struct eb_yaml_node **key, **item;
	size_t n;
};

struct eb_yaml {
	struct eb_yaml_node *root;
	char *name;   /* for messages */
	char *source; /* UTF-8 text, LF line ends */
	size_t *line_offset;
	size_t n_lines;
};

#define EB_YAML_MAX_DEPTH 64
#define EB_YAML_MAX_NODES 200000

int eb_yaml_parse(const char *data, size_t len, const char *name,
		  struct eb_yaml **out, struct eb_error *err);
/* `path` "-" is standard input. A file over EB_MAX_YAML is refused before it
 * is read. */
int eb_yaml_read(const char *path, struct eb_yaml **out, struct eb_error *err);
void eb_yaml_free(struct eb_yaml *doc);
EB_AUTOPTR(struct eb_yaml, eb_yaml_free)

const struct eb_yaml_node *eb_yaml_get(const struct eb_yaml_node *map,
				       const char *key);
/* Plain scalar that YAML 1.1 takes for null. */
bool eb_yaml_is_null(const struct eb_yaml_node *n);
/* Plain scalar that YAML 1.1 resolves to bool, int, float or timestamp. */
bool eb_yaml_is_nonstring(const struct eb_yaml_node *n);
/* What Python's str() of the scalar's YAML 1.1 value gives (caller frees):
 * true -> True, null -> None, 1.10 -> 1.1, 017 -> 15; texts (0o17 is one) and
 * dates as they are. */
char *eb_yaml_python_str(const struct eb_yaml_node *n);
/* The source text of a line (from 1), without its end; not terminated. */
const char *eb_yaml_line(const struct eb_yaml *doc, unsigned line, size_t *len);
/* A node as a document of its own, the way PyYAML's safe_dump() puts it down
 * (without folding long lines); keys in their order, or sorted by bytes. A
 * bare text, quoted where it has to be. Both leave a full buffer to the
 * caller. */
void eb_yaml_write(const struct eb_yaml_node *n, bool sorted,
		   struct eb_buf *out);
void eb_yaml_write_text(const char *s, struct eb_buf *out);
/* Error at a node: always EB_INPUT, returns -1. */
int eb_yaml_err(const struct eb_yaml *doc, const struct eb_yaml_node *n,
		struct eb_error *err, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif
