/* SPDX-License-Identifier: Apache-2.0 */
/* The name that Azure's service gives to a conda environment: a hash of its
 * YAML as that service writes it again, keys sorted, items in their order and
 * the name empty. 35 published names tell so; how it quotes was never seen, so
 * a scalar is quoted where YAML 1.1 asks for it. */
#include <stdio.h>
#include <string.h>

#include <envbuild/azure.h>
#include <envbuild/digest.h>
#include <envbuild/yaml.h>

#include "azure_name.h"

static void put_node(const struct eb_yaml_node *n, int indent,
		     struct eb_buf *out);

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

static void put_text(const char *s, struct eb_buf *out)
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
		put_text(n->text, out);
	else
		eb_buf_adds(out, eb_yaml_is_null(n) ? "null" : n->text);
}

/* The next key behind `last` in the order of bytes, or n->n: that was all. */
static size_t next_key(const struct eb_yaml_node *map, const char *last)
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

/* What follows a key: on its line, or below it; a list stands as far left as
 * its key. */
static void put_value(const struct eb_yaml_node *n, int indent,
		      struct eb_buf *out)
{
	if (n->type == EB_YAML_SCALAR || !n->n) {
		eb_buf_addch(out, ' ');
	} else {
		indent += n->type == EB_YAML_MAP ? 2 : 0;
		eb_buf_addf(out, "\n%*s", indent, "");
	}
	put_node(n, indent, out);
}

static void put_map(const struct eb_yaml_node *n, int indent,
		    struct eb_buf *out)
{
	size_t at = next_key(n, NULL);

	while (at < n->n) {
		const char *key = n->key[at]->text;

		put_text(key, out);
		eb_buf_addch(out, ':');
		put_value(n->item[at], indent, out);
		at = next_key(n, key);
		eb_buf_addf(out, "%*s", at < n->n ? indent : 0, "");
	}
}

static void put_list(const struct eb_yaml_node *n, int indent,
		     struct eb_buf *out)
{
	for (size_t i = 0; i < n->n; i++) {
		eb_buf_addf(out, "%*s- ", i ? indent : 0, "");
		put_node(n->item[i], indent + 2, out);
	}
}

/* The cursor stands where the node begins, `indent` columns from the left; in
 * the end at the start of a line. */
static void put_node(const struct eb_yaml_node *n, int indent,
		     struct eb_buf *out)
{
	if (n->type == EB_YAML_SCALAR) {
		put_scalar(n, out);
		eb_buf_addch(out, '\n');
	} else if (!n->n) {
		eb_buf_adds(out, n->type == EB_YAML_LIST ? "[]\n" : "{}\n");
	} else if (n->type == EB_YAML_LIST) {
		put_list(n, indent, out);
	} else {
		put_map(n, indent, out);
	}
}

/* The document with an empty name, whether it had one or not. */
static void put_unnamed(const struct eb_yaml_node *root, struct eb_buf *out)
{
	struct eb_yaml_node name = { .type = EB_YAML_SCALAR, .text = "name" };
	struct eb_yaml_node empty = { .type = EB_YAML_SCALAR, .text = "" };
	struct eb_yaml_node map = { .type = EB_YAML_MAP };
	eb_autofree struct eb_yaml_node **key =
		eb_calloc(root->n + 1, sizeof *key);
	eb_autofree struct eb_yaml_node **item =
		eb_calloc(root->n + 1, sizeof *item);

	for (size_t i = 0; i < root->n; i++) {
		if (!strcmp(root->key[i]->text, "name"))
			continue;
		key[map.n] = root->key[i];
		item[map.n++] = root->item[i];
	}
	key[map.n] = &name;
	item[map.n++] = &empty;
	map.key = key;
	map.item = item;
	put_map(&map, 0, out);
}

static int text_of(const struct eb_yaml *doc, struct eb_buf *out,
		   struct eb_error *err)
{
	if (doc->root->type != EB_YAML_MAP)
		return eb_yaml_err(doc, doc->root, err,
				   "a conda environment is a mapping");
	put_unnamed(doc->root, out);
	if (out->overflow)
		return eb_yaml_err(doc, doc->root, err,
				   "more than %zu bytes when it is written "
				   "again",
				   out->max);
	return 0;
}

int eb_azure_name_of(const struct eb_yaml *doc, char name[EB_AZURE_NAME],
		     struct eb_error *err)
{
	EB_AUTOBUF(text, 2 * EB_MAX_YAML);
	char hex[EB_HEX_SIZE];
	struct eb_digest d;

	if (text_of(doc, &text, err) < 0)
		return -1;
	eb_sha256(text.data, text.len, &d);
	eb_digest_hex(&d, hex);
	snprintf(name, EB_AZURE_NAME, "azureml_%.32s", hex);
	return 0;
}

int eb_azure_conda_text(const char *conda, size_t len, const char *file,
			struct eb_buf *out, struct eb_error *err)
{
	EB_CLEANUP(eb_yaml_free_ptr) struct eb_yaml *doc = NULL;

	return eb_yaml_parse(conda, len, file, &doc, err) < 0
		       ? -1
		       : text_of(doc, out, err);
}

int eb_azure_conda_name(const char *conda, size_t len, const char *file,
			char name[EB_AZURE_NAME], struct eb_error *err)
{
	EB_CLEANUP(eb_yaml_free_ptr) struct eb_yaml *doc = NULL;

	return eb_yaml_parse(conda, len, file, &doc, err) < 0
		       ? -1
		       : eb_azure_name_of(doc, name, err);
}
