/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of TOML: bare, quoted, dotted. */
#include <string.h>

#include "toml_int.h"

static bool is_bare(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '-';
}

static int part(struct eb_toml *t, struct eb_strv *out)
{
	const char *from = t->p;

	if (t->p < t->end && (*t->p == '"' || *t->p == '\'')) {
		if (eb_toml_string(t, false) < 0)
			return -1;
		eb_strv_add(out, t->scratch.data);
		return 0;
	}
	while (t->p < t->end && is_bare(*t->p))
		t->p++;
	if (t->p == from)
		return eb_toml_bad(t, from, "a key belongs here");
	eb_strv_take(out, eb_strndup(from, (size_t)(t->p - from)));
	return 0;
}

int eb_toml_key(struct eb_toml *t, struct eb_toml_key *out)
{
	out->at = t->p;
	do {
		eb_toml_blanks(t);
		if (out->part.n > EB_TOML_DEPTH)
			return eb_toml_bad(t, t->p,
					   "tables nested more than %d deep",
					   EB_TOML_DEPTH);
		if (part(t, &out->part) < 0)
			return -1;
		eb_toml_blanks(t);
	} while (eb_toml_take(t, "."));
	return 0;
}

/* 80 at most, and no half of a character. */
int eb_toml_shown(const char *key)
{
	size_t n = strnlen(key, 80);

	while (n && (key[n] & 0xc0) == 0x80)
		n--;
	return (int)n;
}

void eb_toml_key_release(struct eb_toml_key *k)
{
	eb_strv_release(&k->part);
}
