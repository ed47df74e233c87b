/* SPDX-License-Identifier: Apache-2.0 */
/* From libyaml's events to the tree. */
#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include <envbuild/str.h>

#include "yaml_doc.h"

struct anchor {
	char *name;
	struct eb_yaml_cell *cell;
};

struct builder {
	struct eb_yaml_doc *doc;
	yaml_parser_t parser;
	struct eb_yaml_cell *stack[EB_YAML_MAX_DEPTH];
	unsigned depth;
	size_t total;  /* nodes, aliases written out */
	void *anchors; /* a tree of struct anchor, see tsearch(3) */
	unsigned documents;
	struct eb_error *err;
};

/* ---- errors ---- */

static void add_hint(struct builder *b)
{
	const char *source = b->doc->yaml.source;

	if (strstr(source, "{{") || strstr(source, "{%"))
		eb_err_hint(b->err, "the file looks like a template: give the "
				    "text that it makes");
}

__attribute__((format(printf, 3, 4))) static int
refuse(struct builder *b, yaml_mark_t at, const char *fmt, ...)
{
	eb_autofree char *text = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0)
		eb_oom();
	eb_err_set(b->err, EB_INPUT, "\"%s\", reading as YAML: %s",
		   b->doc->yaml.name, text);
	eb_err_at(b->err, b->doc->yaml.name, (unsigned)at.line + 1,
		  (unsigned)at.column + 1);
	add_hint(b);
	return -1;
}

static bool is_tab(struct builder *b, yaml_mark_t at)
{
	size_t len;
	const char *line =
		eb_yaml_line(&b->doc->yaml, (unsigned)at.line + 1, &len);

	return line && at.column < len && memchr(line, '\t', at.column + 1);
}

static int syntax_error(struct builder *b)
{
	const yaml_parser_t *p = &b->parser;

	if (p->error == YAML_MEMORY_ERROR)
		eb_oom();
	if (p->context)
		refuse(b, p->problem_mark, "%s, %s (line %zu)", p->problem,
		       p->context, p->context_mark.line + 1);
	else
		refuse(b, p->problem_mark, "%s", p->problem);
	if (!b->err->hint && is_tab(b, p->problem_mark))
		eb_err_hint(b->err, "YAML is indented by spaces, not by tabs");
	return -1;
}

/* ---- nodes ---- */

static struct eb_yaml_cell *new_cell(struct builder *b, enum eb_yaml_type type,
				     yaml_mark_t at)
{
	struct eb_yaml_doc *doc = b->doc;
	struct eb_yaml_cell *cell = eb_calloc(1, sizeof *cell);

	cell->node.type = type;
	cell->node.line = (unsigned)at.line + 1;
	cell->node.column = (unsigned)at.column + 1;
	cell->size = 1;
	EB_GROW(doc->cell, doc->n_cells, doc->alloc_cells);
	doc->cell[doc->n_cells++] = cell;
	return cell;
}

static int count(struct builder *b, size_t nodes, yaml_mark_t at)
{
	b->total += nodes;
	if (b->total > EB_YAML_MAX_NODES)
		return refuse(b, at, "more than %d nodes, aliases written out",
			      EB_YAML_MAX_NODES);
	return 0;
}

static void append(struct eb_yaml_cell *parent, struct eb_yaml_node *node)
{
	struct eb_yaml_node *p = &parent->node;

	if (p->n == parent->alloc) {
		parent->alloc = parent->alloc ? parent->alloc * 2 : 4;
		p->item = eb_realloc(p->item, parent->alloc, sizeof *p->item);
		if (p->type == EB_YAML_MAP)
			p->key = eb_realloc(p->key, parent->alloc,
					    sizeof *p->key);
	}
	if (p->type == EB_YAML_MAP)
		p->key[p->n] = NULL;
	p->item[p->n++] = node;
}

/* In a map the key comes first: it waits as the last item with no key. */
static int attach_to_map(struct builder *b, struct eb_yaml_cell *parent,
			 struct eb_yaml_node *node, yaml_mark_t at)
{
	struct eb_yaml_node *map = &parent->node;

	if (map->n && !map->key[map->n - 1]) {
		map->key[map->n - 1] = map->item[map->n - 1];
		map->item[map->n - 1] = node;
		return 0;
	}
	if (node->type != EB_YAML_SCALAR)
		return refuse(b, at, "a %s as a key",
			      node->type == EB_YAML_MAP ? "mapping" : "list");
	append(parent, node);
	return 0;
}

static int attach(struct builder *b, struct eb_yaml_cell *cell, yaml_mark_t at)
{
	struct eb_yaml_cell *parent;

	if (b->depth == 0) {
		b->doc->yaml.root = &cell->node;
		return 0;
	}
	parent = b->stack[b->depth - 1];
	if (parent->node.type == EB_YAML_MAP)
		return attach_to_map(b, parent, &cell->node, at);
	append(parent, &cell->node);
	return 0;
}

static void add_measures(struct builder *b, const struct eb_yaml_cell *cell)
{
	struct eb_yaml_cell *parent;

	if (b->depth == 0)
		return;
	parent = b->stack[b->depth - 1];
	parent->size += cell->size;
	if (parent->height < cell->height + 1)
		parent->height = cell->height + 1;
}

/* ---- anchors ---- */

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct anchor *)a)->name,
		      ((const struct anchor *)b)->name);
}

static void free_anchor(void *p)
{
	struct anchor *a = p;

	free(a->name);
	free(a);
}

/* A name may be given again: the newest one counts. */
static void set_anchor(struct builder *b, const yaml_char_t *name,
		       struct eb_yaml_cell *cell)
{
	struct anchor *a, **found;

	if (!name)
		return;
	a = eb_malloc(sizeof *a);
	*a = (struct anchor){ eb_strdup((const char *)name), cell };
	found = tsearch(a, &b->anchors, by_name);
	if (!found)
		eb_oom();
	if (*found == a)
		return;
	(*found)->cell = cell;
	free_anchor(a);
}

static int on_alias(struct builder *b, const yaml_event_t *e)
{
	struct anchor wanted = { (char *)e->data.alias.anchor, NULL };
	struct anchor **found = tfind(&wanted, &b->anchors, by_name);
	struct eb_yaml_cell *cell;

	if (!found)
		return refuse(b, e->start_mark, "unknown alias \"%s\"",
			      wanted.name);
	cell = (*found)->cell;
	if (cell->open)
		return refuse(b, e->start_mark,
			      "alias \"%s\" within what it stands for",
			      wanted.name);
	if (b->depth + cell->height > EB_YAML_MAX_DEPTH)
		return refuse(b, e->start_mark, "nested more than %d deep",
			      EB_YAML_MAX_DEPTH);
	if (count(b, cell->size, e->start_mark) < 0)
		return -1;
	add_measures(b, cell);
	return attach(b, cell, e->start_mark);
}

/* ---- scalars, lists, maps ---- */

#define CORE "tag:yaml.org,2002:"

static int bad_tag(struct builder *b, const char *tag, yaml_mark_t at)
{
	bool core = eb_starts(tag, CORE);

	return refuse(b, at, "tag \"%s%s\" is not allowed here",
		      core ? "!!" : "", core ? tag + strlen(CORE) : tag);
}

/* An explicit tag says how a text is to be read; it must be readable so. */
static int apply_tag(struct builder *b, struct eb_yaml_node *n, const char *tag,
		     yaml_mark_t at)
{
	static const struct {
		const char *tag;
		enum eb_yaml_kind kind, or_kind;
	} known[] = {
		{ CORE "null", EB_YAML_NULL, EB_YAML_NULL },
		{ CORE "bool", EB_YAML_BOOL, EB_YAML_BOOL },
		{ CORE "int", EB_YAML_INT, EB_YAML_INT },
		{ CORE "float", EB_YAML_FLOAT, EB_YAML_INT },
	};
	enum eb_yaml_kind kind = eb_yaml_resolve(n->text);
	size_t i;

	if (strcmp(tag, "!") == 0 || strcmp(tag, CORE "str") == 0) {
		n->tagged_str = true;
		return 0;
	}
	for (i = 0; i < sizeof known / sizeof *known; i++) {
		if (strcmp(tag, known[i].tag) != 0)
			continue;
		n->plain = true;
		if (kind == known[i].kind || kind == known[i].or_kind)
			return 0;
		return refuse(b, at, "tag \"!!%s\" on \"%s\"",
			      tag + strlen(CORE), n->text);
	}
	return bad_tag(b, tag, at);
}

static int on_scalar(struct builder *b, const yaml_event_t *e)
{
	const char *tag = (const char *)e->data.scalar.tag;
	const char *value = (const char *)e->data.scalar.value;
	struct eb_yaml_cell *cell = new_cell(b, EB_YAML_SCALAR, e->start_mark);

	set_anchor(b, e->data.scalar.anchor, cell);
	cell->node.text = eb_strndup(value, e->data.scalar.length);
	cell->node.plain = e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	if (strlen(value) != e->data.scalar.length)
		return refuse(b, e->start_mark, "a NUL character in a text");
	if (tag && apply_tag(b, &cell->node, tag, e->start_mark) < 0)
		return -1;
	if (count(b, 1, e->start_mark) < 0)
		return -1;
	add_measures(b, cell);
	return attach(b, cell, e->start_mark);
}

static int open_container(struct builder *b, enum eb_yaml_type type,
			  const yaml_char_t *anchor, const yaml_char_t *tag,
			  yaml_mark_t at)
{
	const char *own = type == EB_YAML_LIST ? CORE "seq" : CORE "map";
	struct eb_yaml_cell *cell = new_cell(b, type, at);

	set_anchor(b, anchor, cell);
	cell->open = true;
	cell->height = 1;
	if (tag && strcmp((const char *)tag, own) != 0 &&
	    strcmp((const char *)tag, "!") != 0)
		return bad_tag(b, (const char *)tag, at);
	if (b->depth == EB_YAML_MAX_DEPTH)
		return refuse(b, at, "nested more than %d deep",
			      EB_YAML_MAX_DEPTH);
	if (count(b, 1, at) < 0 || attach(b, cell, at) < 0)
		return -1;
	b->stack[b->depth++] = cell;
	return 0;
}

static int by_text_and_place(const void *a, const void *b)
{
	const struct eb_yaml_node *x = *(struct eb_yaml_node *const *)a;
	const struct eb_yaml_node *y = *(struct eb_yaml_node *const *)b;
	int order = strcmp(x->text, y->text);

	if (order == 0)
		order = (x->line > y->line) - (x->line < y->line);
	if (order == 0)
		order = (x->column > y->column) - (x->column < y->column);
	return order;
}

static int check_keys(struct builder *b, const struct eb_yaml_node *map)
{
	eb_autofree struct eb_yaml_node **key = NULL;
	yaml_mark_t at = { 0 };
	size_t i;

	if (map->n < 2)
		return 0;
	key = eb_memdup(map->key, map->n * sizeof *key);
	qsort(key, map->n, sizeof *key, by_text_and_place);
	for (i = 1; i < map->n; i++) {
		if (strcmp(key[i - 1]->text, key[i]->text) != 0)
			continue;
		at.line = key[i]->line - 1;
		at.column = key[i]->column - 1;
		return refuse(b, at, "key \"%s\" of line %u again in line %u",
			      key[i]->text, key[i - 1]->line, key[i]->line);
	}
	return 0;
}

static int close_container(struct builder *b)
{
	struct eb_yaml_cell *cell = b->stack[--b->depth];

	cell->open = false;
	add_measures(b, cell);
	if (cell->node.type == EB_YAML_MAP)
		return check_keys(b, &cell->node);
	return 0;
}

/* ---- the loop ---- */

static int on_document(struct builder *b, const yaml_event_t *e)
{
	if (b->documents++)
		return refuse(b, e->start_mark,
			      "a second document begins here, and only one "
			      "is read");
	return 0;
}

static int on_event(struct builder *b, const yaml_event_t *e)
{
	switch (e->type) {
	case YAML_DOCUMENT_START_EVENT: return on_document(b, e);
	case YAML_ALIAS_EVENT: return on_alias(b, e);
	case YAML_SCALAR_EVENT: return on_scalar(b, e);
	case YAML_SEQUENCE_START_EVENT:
		return open_container(
			b, EB_YAML_LIST, e->data.sequence_start.anchor,
			e->data.sequence_start.tag, e->start_mark);
	case YAML_MAPPING_START_EVENT:
		return open_container(b, EB_YAML_MAP,
				      e->data.mapping_start.anchor,
				      e->data.mapping_start.tag, e->start_mark);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT: return close_container(b);
	default: return 0;
	}
}

/* 1: go on, 0: the end of the stream */
static int step(struct builder *b)
{
	yaml_event_t e EB_CLEANUP(yaml_event_delete) = { 0 };

	if (!yaml_parser_parse(&b->parser, &e))
		return syntax_error(b);
	if (e.type == YAML_STREAM_END_EVENT)
		return 0;
	return on_event(b, &e) < 0 ? -1 : 1;
}

static void release(struct builder *b)
{
	tdestroy(b->anchors, free_anchor);
	yaml_parser_delete(&b->parser);
}

static void set_null_root(struct builder *b)
{
	struct eb_yaml_cell *cell =
		new_cell(b, EB_YAML_SCALAR, (yaml_mark_t){ 0 });

	cell->node.text = eb_strdup("");
	cell->node.plain = true;
	b->doc->yaml.root = &cell->node;
}

int eb_yaml_build(struct eb_yaml_doc *doc, struct eb_error *err)
{
	struct builder b EB_CLEANUP(release) = { .doc = doc, .err = err };
	const char *source = doc->yaml.source;
	int status;

	if (!yaml_parser_initialize(&b.parser))
		eb_oom();
	yaml_parser_set_encoding(&b.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&b.parser, (const yaml_char_t *)source,
				     strlen(source));
	do
		status = step(&b);
	while (status > 0);
	if (status == 0 && !doc->yaml.root)
		set_null_root(&b);
	return status;
}
