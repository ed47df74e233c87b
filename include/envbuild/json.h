/* SPDX-License-Identifier: Apache-2.0 */
/* JSON by jansson, with limits, positions in messages and a canonical text. */
#ifndef EB_JSON_H
#define EB_JSON_H

#include <jansson.h>
#include <stddef.h>

#include <envbuild/buf.h>
#include <envbuild/error.h>
#include <envbuild/mem.h>

static inline void eb_json_decref_ptr(json_t **j)
{
	json_decref(*j);
}
#define eb_autojson EB_CLEANUP(eb_json_decref_ptr)

/* Parse a whole text, an object or array (duplicate keys refused, depth at
 * most 128). Errors: EB_INPUT that names `name`, with line and column. */
json_t *eb_json_parse(const char *text, size_t len, const char *name,
		      struct eb_error *err);
/* Canonical: UTF-8, keys sorted bytewise, no white space. What is to be
 * hashed has no floats; one that comes all the same gets 17 digits. Text that
 * does not fit sets out->overflow. */
void eb_json_canonical(const json_t *j, struct eb_buf *out);
/* For people and diffs: keys sorted, two spaces, final newline. */
void eb_json_pretty(const json_t *j, struct eb_buf *out);

/* Members by name, NULL / fallback when absent or of another type. */
const char *eb_json_str(const json_t *obj, const char *key);
json_int_t eb_json_int(const json_t *obj, const char *key, json_int_t fallback);
const json_t *eb_json_obj(const json_t *obj, const char *key);
const json_t *eb_json_arr(const json_t *obj, const char *key);
/* Required members: EB_INPUT that names `what` and the key. */
const char *eb_json_need_str(const json_t *obj, const char *key,
			     const char *what, struct eb_error *err);

#endif
