/* SPDX-License-Identifier: Apache-2.0 */
/* A TOML 1.0 document, line by line. Takes time in proportion to the text. */
#include <string.h>

#include "toml_int.h"
#include "utf8.h"

static int check_utf8(struct eb_toml *t)
{
	for (const char *p = t->p; p < t->end;) {
		size_t n = eb_utf8_step(p, (size_t)(t->end - p));

		if (n == 0)
			return eb_toml_bad(t, p, "this is not UTF-8");
		p += n;
	}
	return 0;
}

/* [a.b] or [[a.b]]; the table that the next lines go to. */
static json_t *header(struct eb_toml *t, json_t *root)
{
	struct eb_toml_key key EB_CLEANUP(eb_toml_key_release) = { 0 };
	bool list = eb_toml_take(t, "[[");

	if (!list)
		t->p++;
	eb_toml_blanks(t);
	if (eb_toml_key(t, &key) < 0)
		return NULL;
	if (!eb_toml_take(t, list ? "]]" : "]")) {
		eb_toml_bad(t, t->p, "a %s belongs here", list ? "]]" : "]");
		return NULL;
	}
	return eb_toml_open(t, root, &key, list);
}

static int document(struct eb_toml *t, json_t *root)
{
	json_t *table = root;

	for (;;) {
		if (eb_toml_lines(t) < 0)
			return -1;
		if (t->p == t->end)
			return 0;
		if (*t->p == '[') {
			table = header(t, root);
			if (!table)
				return -1;
		} else if (eb_toml_pair(t, table) < 0) {
			return -1;
		}
		if (eb_toml_end_of_line(t) < 0)
			return -1;
	}
}

static void release(struct eb_toml *t)
{
	free(t->marks.entry);
	eb_buf_release(&t->scratch);
}

json_t *eb_toml_parse(const char *text, size_t len, const char *name,
		      struct eb_error *err)
{
	struct eb_toml t EB_CLEANUP(release) = {
		.text = text,
		.p = text,
		.end = text + len,
		.name = name,
		.err = err,
	};
	eb_autojson json_t *root = json_object();

	eb_buf_init(&t.scratch, len + 1);
	eb_toml_mark(&t, root, EB_TOML_HEADER);
	eb_toml_take(&t, "\xef\xbb\xbf");
	t.text = t.p;
	if (check_utf8(&t) < 0 || document(&t, root) < 0)
		return NULL;
	return eb_steal(root);
}
