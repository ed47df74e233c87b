/* SPDX-License-Identifier: Apache-2.0 */
/* Which table a header or a dotted key of TOML means, and which tables may
 * still be added to: none is defined twice. */
#include <string.h>

#include "toml_int.h"

/* ---- marks --------------------------------------------------------------- */

static size_t slot(const struct eb_toml_marks *m, const json_t *table)
{
	uint64_t h = (uint64_t)(uintptr_t)table * 0x9e3779b97f4a7c15u;
	size_t i = (size_t)(h >> 32) & (m->alloc - 1);

	while (m->entry[i].table && m->entry[i].table != table)
		i = (i + 1) & (m->alloc - 1);
	return i;
}

static void grow(struct eb_toml_marks *m)
{
	struct eb_toml_marks old = *m;

	m->alloc = old.alloc ? old.alloc * 2 : 64;
	m->entry = eb_calloc(m->alloc, sizeof *m->entry);
	for (size_t i = 0; i < old.alloc; i++)
		if (old.entry[i].table)
			m->entry[slot(m, old.entry[i].table)] = old.entry[i];
	free(old.entry);
}

void eb_toml_mark(struct eb_toml *t, const json_t *table,
		  enum eb_toml_mark mark)
{
	struct eb_toml_marks *m = &t->marks;
	struct eb_toml_entry *e;

	if (m->n * 2 >= m->alloc)
		grow(m);
	e = &m->entry[slot(m, table)];
	m->n += !e->table;
	*e = (struct eb_toml_entry){ table, mark };
}

enum eb_toml_mark eb_toml_mark_of(const struct eb_toml *t, const json_t *table)
{
	const struct eb_toml_marks *m = &t->marks;

	return m->alloc ? m->entry[slot(m, table)].mark : EB_TOML_CLOSED;
}

/* ---- adding; only a lack of memory stands against it ------------------------
 */

void eb_toml_set(json_t *table, const char *key, json_t *value)
{
	if (json_object_set_new_nocheck(table, key, value) < 0)
		eb_oom();
}

void eb_toml_append(json_t *list, json_t *value)
{
	if (json_array_append_new(list, value) < 0)
		eb_oom();
}

/* ---- the way down ----------------------------------------------------------
 */

int eb_toml_deeper(struct eb_toml *t, const char *at)
{
	if (++t->depth <= EB_TOML_DEPTH)
		return 0;
	return eb_toml_bad(t, at, "arrays and tables nested more than %d deep",
			   EB_TOML_DEPTH);
}

static json_t *add_table(struct eb_toml *t, json_t *holder, const char *name,
			 enum eb_toml_mark mark)
{
	json_t *table = json_object();

	eb_toml_set(holder, name, table);
	eb_toml_mark(t, table, mark);
	return table;
}

static json_t *refuse(struct eb_toml *t, const struct eb_toml_key *key,
		      size_t n, const char *why)
{
	EB_AUTOBUF(path, EB_MAX_CONFIG);

	for (size_t i = 0; i <= n; i++)
		eb_buf_addf(&path, "%s%s", i ? "." : "", key->part.v[i]);
	eb_toml_bad(t, key->at, "\"%.*s\" %s", eb_toml_shown(path.data),
		    path.data, why);
	return NULL;
}

/* One part of a header that is not its last. */
static json_t *header_step(struct eb_toml *t, json_t *from,
			   const struct eb_toml_key *key, size_t n)
{
	json_t *child = json_object_get(from, key->part.v[n]);

	if (!child)
		return add_table(t, from, key->part.v[n], EB_TOML_IMPLICIT);
	switch (eb_toml_mark_of(t, child)) {
	case EB_TOML_LIST:
		if (eb_toml_deeper(t, key->at) < 0)
			return NULL;
		return json_array_get(child, json_array_size(child) - 1);
	case EB_TOML_IMPLICIT:
	case EB_TOML_HEADER:
	case EB_TOML_DOTTED: return child;
	case EB_TOML_CLOSED: break;
	}
	return refuse(t, key, n, "is a value; nothing can be added to it");
}

static json_t *open_one(struct eb_toml *t, json_t *from,
			const struct eb_toml_key *key)
{
	size_t last = key->part.n - 1;
	json_t *child = json_object_get(from, key->part.v[last]);

	if (!child)
		return add_table(t, from, key->part.v[last], EB_TOML_HEADER);
	if (eb_toml_mark_of(t, child) != EB_TOML_IMPLICIT)
		return refuse(t, key, last, "is there already");
	eb_toml_mark(t, child, EB_TOML_HEADER);
	return child;
}

static json_t *open_another(struct eb_toml *t, json_t *from,
			    const struct eb_toml_key *key)
{
	size_t last = key->part.n - 1;
	json_t *list = json_object_get(from, key->part.v[last]), *table;

	if (!list) {
		list = json_array();
		eb_toml_set(from, key->part.v[last], list);
		eb_toml_mark(t, list, EB_TOML_LIST);
	}
	if (eb_toml_mark_of(t, list) != EB_TOML_LIST)
		return refuse(t, key, last, "is there already, and no [[ ]]");
	if (eb_toml_deeper(t, key->at) < 0)
		return NULL;
	table = json_object();
	eb_toml_append(list, table);
	eb_toml_mark(t, table, EB_TOML_HEADER);
	return table;
}

json_t *eb_toml_open(struct eb_toml *t, json_t *root,
		     const struct eb_toml_key *key, bool list)
{
	json_t *at = root;

	t->depth = 0;
	for (size_t i = 0; i < key->part.n; i++) {
		if (eb_toml_deeper(t, key->at) < 0)
			return NULL;
		if (i + 1 == key->part.n)
			return list ? open_another(t, at, key)
				    : open_one(t, at, key);
		at = header_step(t, at, key, i);
		if (!at)
			return NULL;
	}
	return at;
}

static json_t *dotted_step(struct eb_toml *t, json_t *from,
			   const struct eb_toml_key *key, size_t n)
{
	json_t *child = json_object_get(from, key->part.v[n]);

	if (!child)
		return add_table(t, from, key->part.v[n], EB_TOML_DOTTED);
	switch (eb_toml_mark_of(t, child)) {
	case EB_TOML_IMPLICIT:
		eb_toml_mark(t, child, EB_TOML_DOTTED);
		return child;
	case EB_TOML_DOTTED: return child;
	case EB_TOML_HEADER:
	case EB_TOML_LIST: return refuse(t, key, n, "has a header of its own");
	case EB_TOML_CLOSED: break;
	}
	return refuse(t, key, n, "is a value; nothing can be added to it");
}

json_t *eb_toml_descend(struct eb_toml *t, json_t *table,
			const struct eb_toml_key *key)
{
	for (size_t i = 0; table && i + 1 < key->part.n; i++) {
		if (eb_toml_deeper(t, key->at) < 0)
			return NULL;
		table = dotted_step(t, table, key, i);
	}
	return table;
}
