/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paths that differ in case alone. Two such have one folder, and at least one
 * of them another name than its folded one; so only those names are folded, and
 * each is looked for among the others.
 */
#include <string.h>

#include <envbuild/buf.h>

#include "clash_priv.h"
#include "layer_priv.h"

/* All claims of one path. */
struct path {
	const struct eb_claim *claim;
	size_t n;
	uint64_t hash; /* of its folder as it is and its name folded */
	const struct eb_claim *plain; /* the path that is so, or NULL */
};

struct cases {
	const struct eb_claim *claim;
	size_t n_claims;
	struct path *path;
	size_t n, alloc;
	struct eb_clashes *out;
};

static size_t name_at(const struct eb_claim *c)
{
	const char *slash = memrchr(c->path, '/', c->len);

	return slash ? (size_t)(slash - c->path) + 1 : 0;
}

static void fold_name(const struct eb_claim *c, struct eb_buf *out)
{
	size_t at = name_at(c);

	eb_buf_reset(out);
	eb_buf_add(out, c->path, at);
	eb_fold_case(c->path + at, c->len - at, out);
}

static void add(struct cases *s, const struct eb_claim *c, size_t n,
		struct eb_buf *folded)
{
	struct path *p;

	fold_name(c, folded);
	if (folded->overflow ||
	    (folded->len == c->len && !memcmp(folded->data, c->path, c->len)))
		return;
	EB_GROW(s->path, s->n, s->alloc);
	p = &s->path[s->n++];
	*p = (struct path){ .claim = c, .n = n };
	p->plain = eb_claims_of(s->claim, s->n_claims, folded->data,
				folded->len, &p->hash);
}

static int by_hash(const void *pa, const void *pb)
{
	const struct path *a = pa, *b = pb;
	size_t n =
		a->claim->len < b->claim->len ? a->claim->len : b->claim->len;
	int order;

	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	order = memcmp(a->claim->path, b->claim->path, n);
	return order ? order
		     : (a->claim->len > b->claim->len) -
			       (a->claim->len < b->claim->len);
}

static bool same_folded(const struct path *a, const struct path *b)
{
	EB_AUTOBUF(x, EB_MAX_METADATA);
	EB_AUTOBUF(y, EB_MAX_METADATA);

	if (a->hash != b->hash)
		return false;
	fold_name(a->claim, &x);
	fold_name(b->claim, &y);
	return x.len == y.len && !memcmp(x.data, y.data, x.len);
}

/* Has one package both? Claims of a path are sorted by package. */
static bool within_one(const struct path *a, const struct path *b)
{
	size_t i = 0, j = 0;

	while (i < a->n && j < b->n) {
		size_t x = a->claim[i].member, y = b->claim[j].member;

		if (x == y)
			return true;
		i += x < y;
		j += y < x;
	}
	return false;
}

static void report(struct cases *s, const struct path *a, const struct path *b)
{
	struct eb_clashes *out = s->out;

	if (within_one(a, b)) {
		out->cased_within++;
		return;
	}
	EB_GROW(out->cased, out->n_cased, out->cased_alloc);
	out->cased[out->n_cased++] = (struct eb_case_clash){
		.path = eb_strndup(a->claim->path, a->claim->len),
		.other = eb_strndup(b->claim->path, b->claim->len),
		.member = a->claim[a->n - 1].member,
		.other_member = b->claim[b->n - 1].member,
	};
}

/* Those that fold to one name, and the path that has that name, if any: each
 * against the first of them. */
static void compare(struct cases *s, const struct path *p, size_t n)
{
	struct path plain = { .claim = p->plain };

	for (size_t i = 1; i < n; i++)
		report(s, &p[0], &p[i]);
	if (!plain.claim)
		return;
	plain.n = eb_claims_run(plain.claim,
				s->n_claims - (size_t)(plain.claim - s->claim));
	report(s, &p[0], &plain);
}

void eb_clashes_find_cased(const struct eb_clash_member *m, size_t n,
			   struct eb_clashes *out)
{
	size_t n_claims;
	eb_autofree struct eb_claim *c = eb_claims_make(m, n, &n_claims);

	memset(out, 0, sizeof *out);
	eb_cases_find(c, n_claims, out);
}

static int by_path(const void *pa, const void *pb)
{
	const struct eb_case_clash *a = pa, *b = pb;
	int order = strcmp(a->path, b->path);

	return order ? order : strcmp(a->other, b->other);
}

void eb_cases_find(const struct eb_claim *c, size_t n, struct eb_clashes *out)
{
	EB_AUTOBUF(folded, EB_MAX_METADATA);
	struct cases s = { .claim = c, .n_claims = n, .out = out };
	size_t run, at;

	for (at = 0; at < n; at += run) {
		run = eb_claims_run(c + at, n - at);
		if (c[at].may_fold)
			add(&s, c + at, run, &folded);
	}
	if (s.n)
		qsort(s.path, s.n, sizeof *s.path, by_hash);
	for (at = 0; at < s.n; at += run) {
		for (run = 1; at + run < s.n; run++)
			if (!same_folded(&s.path[at], &s.path[at + run]))
				break;
		compare(&s, s.path + at, run);
	}
	if (out->n_cased)
		qsort(out->cased, out->n_cased, sizeof *out->cased, by_path);
	free(s.path);
}
