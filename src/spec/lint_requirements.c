/* SPDX-License-Identifier: Apache-2.0 */
/* Lint of a requirements file: its lines as those of a pip section. */
#include <string.h>

#include <envbuild/pip_set.h>

#include "lint_private.h"

struct lines {
	struct eb_yaml doc; /* the text and where its lines begin, no more */
	struct eb_yaml_node **item;
	size_t n, alloc, alloc_lines;
};

static void release(struct lines *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->item[i]->text);
		free(l->item[i]);
	}
	free(l->item);
	free(l->doc.line_offset);
}

static void add_line(struct lines *l, char *text, unsigned number)
{
	struct eb_yaml_node *n = eb_calloc(1, sizeof *n);

	n->type = EB_YAML_SCALAR;
	n->line = number;
	n->column = (unsigned)strspn(text, " \t") + 1;
	n->text = eb_strdup(eb_strip(text));
	n->plain = true;
	EB_GROW(l->item, l->n, l->alloc);
	l->item[l->n++] = n;
}

static void mark_lines(struct lines *l)
{
	const char *at = l->doc.source;

	while (at) {
		EB_GROW(l->doc.line_offset, l->doc.n_lines, l->alloc_lines);
		l->doc.line_offset[l->doc.n_lines++] =
			(size_t)(at - l->doc.source);
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
}

void eb_lint_requirements(const struct eb_buf *text, const char *file,
			  const char *platform, struct eb_lint_list *out)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_WIPEDBUF(plain, EB_MAX_METADATA);
	struct lines l EB_CLEANUP(release) = { 0 };
	struct eb_lint_doc d = { .doc = &l.doc,
				 .platform = platform,
				 .out = out };
	const struct eb_strv no_conda = { 0 };
	struct eb_yaml_node list = { .type = EB_YAML_LIST };
	unsigned line = 1, number;
	const char *at;
	char *one;

	if (eb_pip_decode(text->data, text->len, file, &plain, &ignored) < 0)
		return;
	l.doc.name = (char *)file;
	l.doc.source = plain.data;
	mark_lines(&l);
	at = plain.data;
	while ((one = eb_pip_next_line(&at, &line, &number))) {
		add_line(&l, one, number);
		free(one);
	}
	list.item = l.item;
	list.n = l.n;
	eb_lint_pip(&d, &list, &no_conda);
}
