/* SPDX-License-Identifier: Apache-2.0 */
/* The list below `pip:`. Each item is what one or more lines of a
 * requirements file are. */
#include <string.h>

#include "spec_pip_files.h"
#include "spec_reader.h"

static void take(struct eb_spec_reader *r, struct eb_requirement *q,
		 unsigned line, unsigned column)
{
	struct eb_spec *s = r->spec;

	if (q->kind == EB_REQ_OPTION && !*q->text) {
		eb_requirement_release(q);
		return;
	}
	EB_GROW(s->pip, s->n_pip, r->alloc_pip);
	EB_GROW(s->pip_at, s->n_pip, r->alloc_pip_at);
	s->pip_at[s->n_pip] =
		(struct eb_spec_line){ .line = line, .column = column };
	s->pip[s->n_pip++] = *q;
}

/* Where the text of a "|" begins: in the next line. */
static unsigned first_line(const struct eb_spec_reader *r,
			   const struct eb_yaml_node *n)
{
	size_t len;
	const char *line = eb_yaml_line(r->doc, n->line, &len);

	return n->line + (!n->plain && line && n->column <= len &&
			  line[n->column - 1] == '|');
}

static int bad_line(struct eb_spec_reader *r, const char *text, unsigned line,
		    unsigned column)
{
	if (strstr(text, "{{") || strstr(text, "{%"))
		eb_err_hint(r->err, "the file looks like a template: give the "
				    "text that it makes");
	return eb_err_at(r->err, r->spec->file, line, column);
}

int eb_spec_pip_lines(struct eb_spec_reader *r, const char *text, unsigned line,
		      unsigned column)
{
	unsigned number;

	for (;;) {
		struct eb_requirement q;
		eb_autofree char *one = eb_pip_next_line(&text, &line, &number);

		if (!one)
			return 0;
		if (eb_requirement_parse(one, &q, r->err) < 0)
			return bad_line(r, one, number, column);
		take(r, &q, number, column);
	}
}

static int not_text(struct eb_spec_reader *r, const struct eb_yaml_node *n)
{
	const struct eb_yaml_node *key =
		n->type == EB_YAML_MAP && n->n ? n->key[0] : NULL;

	eb_yaml_err(r->doc, n, r->err, "pip: a text is expected, not %s",
		    eb_spec_type(n));
	if (key && (strstr(key->text, "{{") || strstr(key->text, "{%")))
		return eb_err_hint(r->err, "the file looks like a template: "
					   "give the text that it makes");
	return eb_err_hint(r->err, "put the item in quotes when a \": \" is "
				   "part of it");
}

static int add_item(struct eb_spec_reader *r, const struct eb_yaml_node *n)
{
	if (n->type != EB_YAML_SCALAR)
		return not_text(r, n);
	if (eb_yaml_is_null(n) || !n->text[strspn(n->text, " \t\n")]) {
		eb_spec_warn(r, n, "pip: an empty item is ignored");
		return 0;
	}
	if (eb_selector_drops(r, n))
		return 0;
	if (eb_spec_need_text(r, n, "pip") < 0 || eb_spec_no_template(r, n) < 0)
		return -1;
	return eb_spec_pip_lines(r, n->text, first_line(r, n), n->column);
}

int eb_spec_pip(struct eb_spec_reader *r, const struct eb_yaml_node *n)
{
	if (n->type == EB_YAML_SCALAR && eb_yaml_is_null(n))
		return 0;
	if (n->type != EB_YAML_LIST) {
		eb_yaml_err(r->doc, n, r->err,
			    "pip: a list is expected, not %s", eb_spec_type(n));
		return eb_err_hint(r->err, "each requirement in a line of its "
					   "own, behind \"- \"");
	}
	if (++r->pip_sections == 2)
		eb_spec_warn(r, n,
			     "pip: a second section; conda takes only "
			     "the last, envbuild all of them in their "
			     "order");
	for (size_t i = 0; i < n->n; i++)
		if (add_item(r, n->item[i]) < 0)
			return -1;
	r->spec->has_pip_section = r->spec->n_pip > 0;
	return 0;
}
