/* SPDX-License-Identifier: Apache-2.0 */
/* Clashes: one path in several packages, and who wins it. */
#include <string.h>

#include "clash_priv.h"
#include "layer_priv.h"
#include <envbuild/file.h>

struct finding {
	const struct eb_clash_member *m;
	size_t n;
	const char *prefix;
	struct eb_clashes *out;
};

static int refuse(const struct finding *f, const struct eb_claim *a,
		  const struct eb_claim *b, const char *why,
		  struct eb_error *err)
{
	eb_autofree char *path = eb_strndup(a->path, a->len);
	eb_autofree char *shown = eb_printable(path);

	return eb_err_set(err, EB_INPUT,
			  "\"%s\" and \"%s\" cannot be in one environment: "
			  "the path \"%s\" %s",
			  f->m[a->member].name, f->m[b->member].name, shown,
			  why);
}

/* A link may stand where others have a directory when it leads to one inside
 * the prefix. */
static bool leads_inside(const struct finding *f, const struct eb_claim *c)
{
	eb_autofree char *target = NULL;

	if (c->entry->type != EB_ENTRY_LINK || !c->entry->target)
		return false;
	target = eb_link_target(c->entry->path, c->entry->target, f->prefix);
	return target != NULL;
}

static int check_dirs(const struct finding *f, const struct eb_claim *c,
		      size_t n, struct eb_error *err)
{
	const struct eb_claim *dir = NULL, *leaf = NULL;
	size_t i;

	for (i = 0; i < n; i++) {
		if (!eb_claim_is_leaf(c + i))
			dir = c + i;
		else if (!leaf && !leads_inside(f, c + i))
			leaf = c + i;
	}
	if (!dir || !leaf)
		return 0;
	if (leaf->entry->type == EB_ENTRY_LINK)
		return refuse(f, leaf, dir,
			      "is a link out of the prefix in the one and a "
			      "folder in the other",
			      err);
	return refuse(f, leaf, dir,
		      "is a file in the one and a folder in the other", err);
}

/* The time counts too: bytecode that a package ships may name it. */
static bool same_entry(const struct eb_entry *a, const struct eb_entry *b)
{
	if (a->type != b->type)
		return false;
	if (a->type == EB_ENTRY_LINK)
		return strcmp(a->target ? a->target : "",
			      b->target ? b->target : "") == 0;
	return a->mode == b->mode && a->size == b->size &&
	       a->mtime == b->mtime && eb_digest_equal(&a->sha256, &b->sha256);
}

static bool in_conda_meta(const struct finding *f, const char *path)
{
	eb_autofree char *meta = eb_path_join(f->prefix, "conda-meta");

	return eb_path_within(path, meta);
}

/* The winner may not be taken where it would win over python's file or over
 * what says which packages are installed. */
static int check_winner(const struct finding *f, const struct eb_claim **leaf,
			size_t n, struct eb_error *err)
{
	const struct eb_claim *winner = leaf[n - 1];
	size_t i;

	if (in_conda_meta(f, winner->entry->path))
		return refuse(f, leaf[0], winner,
			      "in conda-meta is in both of them", err);
	for (i = 0; i + 1 < n; i++)
		if (f->m[leaf[i]->member].is_python &&
		    !f->m[winner->member].is_python)
			return refuse(f, leaf[i], winner,
				      "of the package python would be replaced",
				      err);
	return 0;
}

static void add_clash(struct finding *f, const struct eb_claim **leaf, size_t n)
{
	struct eb_clash *c;
	size_t i;

	EB_GROW(f->out->clash, f->out->n, f->out->alloc);
	c = &f->out->clash[f->out->n++];
	*c = (struct eb_clash){ .path = eb_strdup(leaf[0]->entry->path),
				.winner = leaf[n - 1]->member,
				.member = eb_calloc(n, sizeof *c->member),
				.n = n,
				.same = true };
	for (i = 0; i < n; i++) {
		c->member[i] = leaf[i]->member;
		c->same &= same_entry(leaf[0]->entry, leaf[i]->entry);
	}
}

/* All claims of one path. */
static int look_at(struct finding *f, const struct eb_claim *c, size_t n,
		   struct eb_error *err)
{
	eb_autofree const struct eb_claim **leaf = NULL;
	size_t i, k = 0;

	if (n == 1)
		return 0;
	leaf = eb_calloc(n, sizeof *leaf);
	for (i = 0; i < n; i++)
		if (eb_claim_is_leaf(c + i))
			leaf[k++] = c + i;
	if (k == 0)
		return 0;
	if (k < n && check_dirs(f, c, n, err) < 0)
		return -1;
	if (k < 2)
		return 0;
	if (check_winner(f, leaf, k, err) < 0)
		return -1;
	add_clash(f, leaf, k);
	return 0;
}

static int by_path(const void *pa, const void *pb)
{
	const struct eb_clash *a = pa, *b = pb;

	return strcmp(a->path, b->path);
}

int eb_clashes_find(const struct eb_clash_member *m, size_t n,
		    const char *prefix, struct eb_clashes *out,
		    struct eb_error *err)
{
	struct finding f = { m, n, prefix, out };
	size_t n_claims, at, run;
	eb_autofree struct eb_claim *c = eb_claims_make(m, n, &n_claims);

	memset(out, 0, sizeof *out);
	for (at = 0; at < n_claims; at += run) {
		run = eb_claims_run(c + at, n_claims - at);
		if (look_at(&f, c + at, run, err) < 0) {
			eb_clashes_release(out);
			return -1;
		}
	}
	if (out->n)
		qsort(out->clash, out->n, sizeof *out->clash, by_path);
	eb_cases_find(c, n_claims, out);
	return 0;
}

static bool has_earlier(const struct eb_clash *c,
			const struct eb_clash_member *m, size_t i)
{
	bool mine = false, earlier = false;
	size_t k;

	for (k = 0; k < c->n; k++) {
		const struct eb_clash_member *other = m + c->member[k];

		if (c->member[k] == i)
			mine = true;
		else if (!other->own && other->bucket == m[i].bucket &&
			 strcmp(other->name, m[i].name) < 0)
			earlier = true;
	}
	return mine && earlier;
}

void eb_clashes_left_out(const struct eb_clashes *c,
			 const struct eb_clash_member *m, size_t i,
			 struct eb_strv *out)
{
	size_t k;

	if (m[i].own)
		return;
	for (k = 0; k < c->n; k++)
		if (has_earlier(&c->clash[k], m, i))
			eb_strv_add(out, c->clash[k].path);
}

void eb_clashes_release(struct eb_clashes *c)
{
	size_t i;

	for (i = 0; i < c->n; i++) {
		free(c->clash[i].path);
		free(c->clash[i].member);
	}
	for (i = 0; i < c->n_cased; i++) {
		free(c->cased[i].path);
		free(c->cased[i].other);
	}
	free(c->clash);
	free(c->cased);
	memset(c, 0, sizeof *c);
}
