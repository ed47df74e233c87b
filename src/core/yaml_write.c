/* SPDX-License-Identifier: Apache-2.0 */
/* YAML written: blocks, two columns a level, lists as far left as their key,
 * and quotes only where a bare text would be read as something else. */
#include <string.h>

#include <envbuild/yaml.h>

struct writer {
	struct eb_buf *out;
	bool sorted;
};

static void put_node(const struct writer *w, const struct eb_yaml_node *n,
		     int indent);

static bool is_text(const struct eb_yaml_node *n)
{
	return !eb_yaml_is_null(n) && !eb_yaml_is_nonstring(n);
}

/* Would a reader of YAML take the bare text for something else? */
static bool needs_quotes(const char *s)
{
	struct eb_yaml_node bare = { .type = EB_YAML_SCALAR,
				     .text = (char *)s,
				     .plain = true };
	size_t len = strlen(s);

	if (!len || strchr("#,[]{}&*!|>'\"%@` ", s[0]))
		return true;
	if (s[len - 1] == ' ' || s[len - 1] == ':' || strstr(s, ": ") ||
	    strstr(s, " #"))
		return true;
	if (strchr("-?", s[0]) && (!s[1] || s[1] == ' '))
		return true;
	return !strcmp(s, "=") || !strcmp(s, "<<") || !is_text(&bare);
}

static bool needs_escapes(const char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < ' ' || *s == 127)
			return true;
	return false;
}

static void put_escaped(const char *s, struct eb_buf *out)
{
	eb_buf_addch(out, '"');
	for (; *s; s++) {
		if (*s == '\n')
			eb_buf_adds(out, "\\n");
		else if (*s == '\t')
			eb_buf_adds(out, "\\t");
		else if ((unsigned char)*s < ' ' || *s == 127)
			eb_buf_addf(out, "\\x%02X", *s);
		else if (*s == '"' || *s == '\\')
			eb_buf_addf(out, "\\%c", *s);
		else
			eb_buf_addch(out, *s);
	}
	eb_buf_addch(out, '"');
}

static void put_quoted(const char *s, struct eb_buf *out)
{
	eb_buf_addch(out, '\'');
	for (; *s; s++)
		eb_buf_adds(out, *s == '\'' ? "''" : (char[]){ *s, 0 });
	eb_buf_addch(out, '\'');
}

void eb_yaml_write_text(const char *s, struct eb_buf *out)
{
	if (needs_escapes(s))
		put_escaped(s, out);
	else if (needs_quotes(s))
		put_quoted(s, out);
	else
		eb_buf_adds(out, s);
}

static void put_scalar(const struct eb_yaml_node *n, struct eb_buf *out)
{
	if (is_text(n))
		eb_yaml_write_text(n->text, out);
	else
		eb_buf_adds(out, eb_yaml_is_null(n) ? "null" : n->text);
}

/* The key that comes first in the order of bytes of those behind `last`, or
 * map->n: there is none. */
static size_t least_key(const struct eb_yaml_node *map, const char *last)
{
	size_t best = map->n;

	for (size_t i = 0; i < map->n; i++) {
		const char *key = map->key[i]->text;

		if ((!last || strcmp(key, last) > 0) &&
		    (best == map->n || strcmp(key, map->key[best]->text) < 0))
			best = i;
	}
	return best;
}

static size_t next_key(const struct writer *w, const struct eb_yaml_node *map,
		       size_t at)
{
	return w->sorted ? least_key(map, map->key[at]->text) : at + 1;
}

/* What follows a key: on its line, or below it. */
static void put_value(const struct writer *w, const struct eb_yaml_node *n,
		      int indent)
{
	if (n->type == EB_YAML_SCALAR || !n->n) {
		eb_buf_addch(w->out, ' ');
	} else {
		indent += n->type == EB_YAML_MAP ? 2 : 0;
		eb_buf_addf(w->out, "\n%*s", indent, "");
	}
	put_node(w, n, indent);
}

static void put_map(const struct writer *w, const struct eb_yaml_node *n,
		    int indent)
{
	size_t at = w->sorted ? least_key(n, NULL) : 0;

	while (at < n->n) {
		eb_yaml_write_text(n->key[at]->text, w->out);
		eb_buf_addch(w->out, ':');
		put_value(w, n->item[at], indent);
		at = next_key(w, n, at);
		eb_buf_addf(w->out, "%*s", at < n->n ? indent : 0, "");
	}
}

static void put_list(const struct writer *w, const struct eb_yaml_node *n,
		     int indent)
{
	for (size_t i = 0; i < n->n; i++) {
		eb_buf_addf(w->out, "%*s- ", i ? indent : 0, "");
		put_node(w, n->item[i], indent + 2);
	}
}

/* The cursor stands where the node begins, `indent` columns from the left; in
 * the end at the start of a line. */
static void put_node(const struct writer *w, const struct eb_yaml_node *n,
		     int indent)
{
	if (n->type == EB_YAML_SCALAR) {
		put_scalar(n, w->out);
		eb_buf_addch(w->out, '\n');
	} else if (!n->n) {
		eb_buf_adds(w->out, n->type == EB_YAML_LIST ? "[]\n" : "{}\n");
	} else if (n->type == EB_YAML_LIST) {
		put_list(w, n, indent);
	} else {
		put_map(w, n, indent);
	}
}

void eb_yaml_write(const struct eb_yaml_node *n, bool sorted,
		   struct eb_buf *out)
{
	struct writer w = { .out = out, .sorted = sorted };

	put_node(&w, n, 0);
}
