/* SPDX-License-Identifier: Apache-2.0 */
/* The normal text of a marker: double quotes, parentheses only around what has
 * `and` or `or` in it. */
#include <string.h>

#include <envbuild/buf.h>

#include "marker.h"
#include "pep508.h"

static void add_operand(struct eb_buf *out, const struct eb_marker_operand *o)
{
	char quote = o->value && strchr(o->value, '"') ? '\'' : '"';

	if (o->variable)
		eb_buf_adds(out, o->variable);
	else
		eb_buf_addf(out, "%c%s%c", quote, o->value, quote);
}

static void add_list(struct eb_buf *out, const struct eb_marker *m);

static void add_one(struct eb_buf *out, const struct eb_marker *m)
{
	while (m->list && !m->list->next)
		m = m->list;
	if (m->list) {
		eb_buf_addch(out, '(');
		add_list(out, m->list);
		eb_buf_addch(out, ')');
		return;
	}
	add_operand(out, &m->left);
	eb_buf_addf(out, " %s ", m->op);
	add_operand(out, &m->right);
}

static void add_list(struct eb_buf *out, const struct eb_marker *m)
{
	add_one(out, m);
	while ((m = m->next)) {
		eb_buf_adds(out, m->or_before ? " or " : " and ");
		add_one(out, m);
	}
}

char *eb_marker_normal(const char *text, struct eb_error *err)
{
	EB_CLEANUP(eb_marker_free_ptr)
	struct eb_marker *m = eb_marker_parse(text, err);
	const struct eb_marker *whole = m;
	EB_AUTOBUF(out, EB_MAX_CONFIG);

	if (!m)
		return NULL;
	while (whole->list && !whole->next)
		whole = whole->list; /* all of it stands in parentheses */
	add_list(&out, whole);
	if (!out.overflow)
		return eb_buf_steal(&out, NULL);
	eb_err_set(err, EB_INPUT, "marker: longer than %zu bytes", out.max);
	return NULL;
}
