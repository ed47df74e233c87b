/* SPDX-License-Identifier: Apache-2.0 */
/* `recent` as text. */
#include <string.h>

#include <openssl/evp.h>

#include <envbuild/json.h>

#include "team_recent.h"

#define SKETCH_BYTES (4 * EB_SKETCH)
#define SKETCH_TEXT (4 * ((SKETCH_BYTES + 2) / 3) + 4)

/* --- writing ---------------------------------------------------------- */
static json_t *sketch_json(const struct eb_sketch *s)
{
	unsigned char bytes[SKETCH_BYTES], text[SKETCH_TEXT];

	for (unsigned i = 0; i < s->n; i++)
		for (unsigned k = 0; k < 4; k++)
			bytes[4 * i + k] =
				(unsigned char)(s->v[i] >> (24 - 8 * k));
	EVP_EncodeBlock(text, bytes, (int)(4 * s->n));
	return json_string((const char *)text);
}

static json_t *entry_json(const struct eb_recent_entry *e)
{
	char definition[EB_HEX_SIZE], lock[EB_HEX_SIZE];
	json_t *name = json_string(e->name ? e->name : "");

	return json_pack("{s:s,s:s,s:o,s:I,s:I,s:o}", "definition",
			 eb_digest_hex(&e->definition, definition), "lock",
			 eb_digest_hex(&e->lock, lock), "name",
			 name ? name : json_string(""), "time",
			 (json_int_t)e->time, "packages",
			 (json_int_t)e->sketch.packages, "sketch",
			 sketch_json(&e->sketch));
}

void eb_recent_format(const struct eb_recent *r, struct eb_buf *out)
{
	json_t *list = json_array();
	eb_autojson json_t *j =
		json_pack("{s:i,s:o}", "format", 1, "entries", list);

	for (size_t i = 0; i < r->n; i++)
		json_array_append_new(list, entry_json(&r->v[i]));
	eb_json_canonical(j, out);
}

/* --- reading ---------------------------------------------------------- */
static int take_hashes(const unsigned char *bytes, size_t n,
		       struct eb_sketch *out)
{
	if (n % 4)
		return -1;
	for (size_t i = 0; i < n; i += 4) {
		uint32_t v = (uint32_t)bytes[i] << 24 |
			     (uint32_t)bytes[i + 1] << 16 |
			     (uint32_t)bytes[i + 2] << 8 | bytes[i + 3];

		if (out->n && out->v[out->n - 1] >= v)
			return -1;
		out->v[out->n++] = v;
	}
	return 0;
}

static int take_sketch(const json_t *j, struct eb_sketch *out)
{
	const char *text = eb_json_str(j, "sketch");
	json_int_t packages = eb_json_int(j, "packages", -1);
	unsigned char bytes[SKETCH_BYTES + 4];
	size_t n = text ? strlen(text) : 1, pad = 0;
	int len;

	if (!text || n % 4 || n / 4 * 3 > sizeof bytes)
		return -1;
	while (pad < 2 && pad < n && text[n - 1 - pad] == '=')
		pad++;
	len = EVP_DecodeBlock(bytes, (const unsigned char *)text, (int)n);
	if (len < (int)pad || (size_t)len - pad > SKETCH_BYTES ||
	    take_hashes(bytes, (size_t)len - pad, out) < 0)
		return -1;
	if (packages < (json_int_t)out->n || packages > INT32_MAX ||
	    (out->n < EB_SKETCH && packages != (json_int_t)out->n))
		return -1;
	out->packages = (unsigned)packages;
	return 0;
}

static int take_hex(const json_t *j, const char *key, struct eb_digest *out)
{
	const char *text = eb_json_str(j, key);

	return text && strlen(text) == EB_HEX_SIZE - 1
		       ? eb_digest_parse(text, out)
		       : -1;
}

static int take_entry(const json_t *j, struct eb_recent *out)
{
	const char *name = eb_json_str(j, "name");
	json_int_t time = eb_json_int(j, "time", -1);
	struct eb_recent_entry e = { .time = time };

	if (!name || strlen(name) > EB_RECENT_NAME || time < 0 ||
	    take_hex(j, "definition", &e.definition) < 0 ||
	    take_hex(j, "lock", &e.lock) < 0 || take_sketch(j, &e.sketch) < 0)
		return -1;
	EB_GROW(out->v, out->n, out->alloc);
	e.name = eb_strdup(name);
	out->v[out->n++] = e;
	return 0;
}

static int take_all(const json_t *j, struct eb_recent *out)
{
	const json_t *list = eb_json_arr(j, "entries");
	json_t *entry;
	size_t i;

	if (eb_json_int(j, "format", 0) != 1 || !list ||
	    json_array_size(list) > EB_RECENT_MAX)
		return -1;
	json_array_foreach (list, i, entry) {
		if (take_entry(entry, out) < 0)
			return -1;
	}
	return 0;
}

int eb_recent_parse(const char *text, size_t len, struct eb_recent *out)
{
	struct eb_error why = EB_ERROR_INIT;
	eb_autojson json_t *j = eb_json_parse(text, len, "recent", &why);

	memset(out, 0, sizeof *out);
	eb_err_release(&why);
	if (j && take_all(j, out) == 0)
		return 0;
	eb_recent_release(out);
	return -1;
}
