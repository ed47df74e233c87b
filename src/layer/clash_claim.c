/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claims on paths: one for each entry and for each directory above one. They
 * are sorted by a hash first, which is several times as fast as by the paths,
 * whose beginnings are alike.
 */
#include <string.h>

#include "clash_priv.h"
#include "layer_priv.h"

struct claims {
	struct eb_claim *v;
	size_t n, alloc;
};

static uint64_t hash_bytes(const char *p, size_t n)
{
	uint64_t h = n, word;

	for (; n >= sizeof word; p += sizeof word, n -= sizeof word) {
		memcpy(&word, p, sizeof word);
		h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 29;
	}
	for (word = 0; n; n--)
		word = word << 8 | (unsigned char)*p++;
	h = (h ^ word) * UINT64_C(0xbf58476d1ce4e5b9);
	return h ^ h >> 31;
}

static bool may_fold(const char *path, size_t n)
{
	for (; n && path[n - 1] != '/'; n--)
		if ((unsigned char)path[n - 1] >= 0x80 ||
		    (path[n - 1] >= 'A' && path[n - 1] <= 'Z'))
			return true;
	return false;
}

static void add(struct claims *c, const char *path, size_t len, size_t member,
		const struct eb_entry *entry)
{
	EB_GROW(c->v, c->n, c->alloc);
	c->v[c->n++] = (struct eb_claim){
		.hash = hash_bytes(path, len),
		.path = path,
		.len = len,
		.member = (uint32_t)member,
		.may_fold = may_fold(path, len),
		.entry = entry,
	};
}

static void add_member(struct claims *c, const struct eb_entries *e, size_t m)
{
	const char *last = "";
	size_t i, k;

	for (i = 0; i < e->n; i++) {
		const char *path = e->entry[i].path;

		for (k = 1; path[k - 1] && path[k]; k++)
			if (path[k] == '/' && strncmp(path, last, k + 1) != 0)
				add(c, path, k, m, NULL);
		add(c, path, strlen(path), m, &e->entry[i]);
		last = path;
	}
}

static int same_path(const struct eb_claim *a, const struct eb_claim *b)
{
	return a->hash == b->hash && a->len == b->len &&
	       memcmp(a->path, b->path, a->len) == 0;
}

static int by_hash(const void *pa, const void *pb)
{
	const struct eb_claim *a = pa, *b = pb;
	int order;

	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	if (a->len != b->len)
		return a->len < b->len ? -1 : 1;
	order = memcmp(a->path, b->path, a->len);
	if (order)
		return order;
	return (a->member > b->member) - (a->member < b->member);
}

struct eb_claim *eb_claims_make(const struct eb_clash_member *m, size_t n,
				size_t *n_claims)
{
	struct claims c = { 0 };
	size_t i;

	for (i = 0; i < n; i++)
		add_member(&c, m[i].paths, i);
	if (c.n)
		qsort(c.v, c.n, sizeof *c.v, by_hash);
	*n_claims = c.n;
	return c.v;
}

size_t eb_claims_run(const struct eb_claim *c, size_t left)
{
	size_t n = 1;

	while (n < left && same_path(c, c + n))
		n++;
	return n;
}

const struct eb_claim *eb_claims_of(const struct eb_claim *c, size_t n,
				    const char *path, size_t len,
				    uint64_t *hash)
{
	const struct eb_claim key = { .hash = hash_bytes(path, len),
				      .path = path,
				      .len = len };
	size_t from = 0, to = n;

	*hash = key.hash;
	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (by_hash(&c[mid], &key) < 0) /* of its claims the first */
			from = mid + 1;
		else
			to = mid;
	}
	return from < n && same_path(&c[from], &key) ? &c[from] : NULL;
}

bool eb_claim_is_leaf(const struct eb_claim *c)
{
	return c->entry && (c->entry->type == EB_ENTRY_FILE ||
			    c->entry->type == EB_ENTRY_LINK);
}
