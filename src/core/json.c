/* SPDX-License-Identifier: Apache-2.0 */
/* JSON by jansson, with limits, positions and a canonical text. */
#include <envbuild/json.h>

#define DEPTH 128

/* jansson itself stops at a depth of 2048, so this recursion has an end. */
static bool too_deep(const json_t *j, unsigned depth)
{
	size_t i;
	const char *key;
	json_t *value;

	if (!json_is_object(j) && !json_is_array(j))
		return false;
	if (depth >= DEPTH)
		return true;
	json_array_foreach (j, i, value) {
		if (too_deep(value, depth + 1))
			return true;
	}
	json_object_foreach ((json_t *)j, key, value) {
		if (too_deep(value, depth + 1))
			return true;
	}
	return false;
}

json_t *eb_json_parse(const char *text, size_t len, const char *name,
		      struct eb_error *err)
{
	json_error_t e;
	eb_autojson json_t *j =
		json_loadb(text, len, JSON_REJECT_DUPLICATES, &e);

	if (!j) {
		eb_err_set(err, EB_INPUT, "\"%s\", reading as JSON: %s", name,
			   e.text);
		eb_err_at(err, name, e.line > 0 ? (unsigned)e.line : 0,
			  e.column > 0 ? (unsigned)e.column : 0);
		return NULL;
	}
	if (too_deep(j, 0)) {
		eb_err_set(err, EB_INPUT,
			   "\"%s\", reading as JSON: nested more than %d deep",
			   name, DEPTH);
		eb_err_at(err, name, 0, 0);
		return NULL;
	}
	return eb_steal(j);
}

static int add(const char *text, size_t n, void *data)
{
	return eb_buf_add(data, text, n);
}

static void dump(const json_t *j, struct eb_buf *out, size_t flags)
{
	flags |= JSON_SORT_KEYS | JSON_ENCODE_ANY | JSON_REAL_PRECISION(17);
	if (json_dump_callback(j, add, out, flags) < 0)
		out->overflow = true;
}

void eb_json_canonical(const json_t *j, struct eb_buf *out)
{
	dump(j, out, JSON_COMPACT);
}

void eb_json_pretty(const json_t *j, struct eb_buf *out)
{
	dump(j, out, JSON_INDENT(2));
	eb_buf_addch(out, '\n');
}

const char *eb_json_str(const json_t *obj, const char *key)
{
	return json_string_value(json_object_get(obj, key));
}

json_int_t eb_json_int(const json_t *obj, const char *key, json_int_t fallback)
{
	const json_t *value = json_object_get(obj, key);

	return json_is_integer(value) ? json_integer_value(value) : fallback;
}

const json_t *eb_json_obj(const json_t *obj, const char *key)
{
	const json_t *value = json_object_get(obj, key);

	return json_is_object(value) ? value : NULL;
}

const json_t *eb_json_arr(const json_t *obj, const char *key)
{
	const json_t *value = json_object_get(obj, key);

	return json_is_array(value) ? value : NULL;
}

const char *eb_json_need_str(const json_t *obj, const char *key,
			     const char *what, struct eb_error *err)
{
	const char *value = eb_json_str(obj, key);

	if (!value)
		eb_err_set(err, EB_INPUT, "\"%s\", reading \"%s\": %s", what,
			   key,
			   json_object_get(obj, key) ? "is no text"
						     : "is not there");
	return value;
}
