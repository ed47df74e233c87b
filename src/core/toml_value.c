/* SPDX-License-Identifier: Apache-2.0 */
/* Values of TOML: arrays, inline tables, and `key = value`. */
#include <string.h>

#include "toml_int.h"

static json_t *string(struct eb_toml *t)
{
	if (eb_toml_string(t, true) < 0)
		return NULL;
	return json_stringn_nocheck(t->scratch.data, t->scratch.len);
}

static int elements(struct eb_toml *t, const char *start, json_t *list)
{
	for (;;) {
		json_t *value;

		if (eb_toml_lines(t) < 0)
			return -1;
		if (eb_toml_take(t, "]"))
			return 0;
		if (t->p == t->end)
			break;
		value = eb_toml_value(t);
		if (!value)
			return -1;
		eb_toml_append(list, value);
		if (eb_toml_lines(t) < 0)
			return -1;
		if (eb_toml_take(t, ","))
			continue;
		if (eb_toml_take(t, "]"))
			return 0;
		break;
	}
	if (t->p == t->end)
		return eb_toml_bad(t, start, "the closing ] is missing");
	return eb_toml_bad(t, t->p, "a , or ] belongs here");
}

static json_t *array(struct eb_toml *t)
{
	const char *start = t->p++;
	eb_autojson json_t *list = json_array();

	if (eb_toml_deeper(t, start) < 0 || elements(t, start, list) < 0)
		return NULL;
	t->depth--;
	return eb_steal(list);
}

/* TOML 1.0: on one line, no comma behind the last. */
static int members(struct eb_toml *t, json_t *table)
{
	eb_toml_blanks(t);
	if (eb_toml_take(t, "}"))
		return 0;
	for (;;) {
		if (eb_toml_pair(t, table) < 0)
			return -1;
		eb_toml_blanks(t);
		if (eb_toml_take(t, "}"))
			return 0;
		if (!eb_toml_take(t, ","))
			return eb_toml_bad(t, t->p,
					   "a , or } belongs here, on this "
					   "line");
		eb_toml_blanks(t);
	}
}

static json_t *inline_table(struct eb_toml *t)
{
	const char *start = t->p++;
	eb_autojson json_t *table = json_object();

	if (eb_toml_deeper(t, start) < 0 || members(t, table) < 0)
		return NULL;
	t->depth--;
	return eb_steal(table);
}

json_t *eb_toml_value(struct eb_toml *t)
{
	if (t->p == t->end) {
		eb_toml_bad(t, t->p, "a value belongs here");
		return NULL;
	}
	switch (*t->p) {
	case '"':
	case '\'': return string(t);
	case '[': return array(t);
	case '{': return inline_table(t);
	default: break;
	}
	if (eb_toml_take(t, "true"))
		return json_true();
	if (eb_toml_take(t, "false"))
		return json_false();
	return eb_toml_number(t);
}

static int put(struct eb_toml *t, json_t *table, const struct eb_toml_key *key)
{
	const char *last = key->part.v[key->part.n - 1];
	json_t *holder = eb_toml_descend(t, table, key), *value;

	if (!holder)
		return -1;
	if (json_object_get(holder, last))
		return eb_toml_bad(t, key->at, "\"%.*s\" is there already",
				   eb_toml_shown(last), last);
	value = eb_toml_value(t);
	if (!value)
		return -1;
	eb_toml_set(holder, last, value);
	return 0;
}

int eb_toml_pair(struct eb_toml *t, json_t *table)
{
	struct eb_toml_key key EB_CLEANUP(eb_toml_key_release) = { 0 };
	unsigned depth = t->depth;

	if (eb_toml_key(t, &key) < 0)
		return -1;
	if (!eb_toml_take(t, "="))
		return eb_toml_bad(t, t->p, "a = belongs here, behind the key");
	eb_toml_blanks(t);
	if (put(t, table, &key) < 0)
		return -1;
	t->depth = depth;
	return 0;
}
