/* SPDX-License-Identifier: Apache-2.0 */
/* Paths that several packages have: who wins, and what a part leaves out. */
#include <string.h>

#include "build_private.h"

bool eb_build_clash_differs(const struct eb_build *b, const struct eb_clash *c)
{
	const struct eb_entry *won =
		eb_entries_find(b->clash_member[c->winner].paths, c->path);

	for (size_t i = 0; i < c->n; i++) {
		const struct eb_entry *e = eb_entries_find(
			b->clash_member[c->member[i]].paths, c->path);

		if (!e || !won || e->type != won->type ||
		    !eb_digest_equal(&e->sha256, &won->sha256))
			return true;
	}
	return false;
}

void eb_build_won_by(const struct eb_build *b, size_t i, struct eb_strv *out)
{
	for (size_t j = 0; j < b->clashes.n; j++)
		if (b->clashes.clash[j].winner == i &&
		    !b->clashes.clash[j].same)
			eb_strv_add(out, b->clashes.clash[j].path);
	eb_strv_sort(out);
}

/* --- in words -----------------------------------------------------------
 * Some of many: two projects that are one and the same clash in all they have.
 */
#define TOLD 10

/* "\"a\", \"b\""; caller frees. */
static char *members(const struct eb_build *b, const struct eb_clash *c)
{
	EB_AUTOBUF(text, EB_MAX_TEXT);
	size_t n;

	for (size_t i = 0; i < c->n; i++)
		eb_buf_addf(&text, "%s\"%s\"", i ? ", " : "",
			    b->clash_member[c->member[i]].name);
	return eb_buf_steal(&text, &n);
}

static void report_clashes(struct eb_build *b)
{
	size_t told = 0, same = 0;

	for (size_t i = 0; i < b->clashes.n; i++) {
		const struct eb_clash *c = &b->clashes.clash[i];
		eb_autofree char *of = NULL;

		if (!eb_build_clash_differs(b, c)) {
			same++;
			continue;
		}
		if (told++ >= TOLD)
			continue;
		of = members(b, c);
		eb_warn(b->events,
			"\"%s\" is in %s: the one of \"%s\" is taken", c->path,
			of, b->clash_member[c->winner].name);
	}
	if (told > TOLD)
		eb_warn(b->events,
			"%zu more paths are in several packages: `plan` lists "
			"them",
			told - TOLD);
	if (same)
		eb_detail(b->events,
			  "paths in several packages with the same content: "
			  "%zu",
			  same);
}

/* Harmless where the image runs, so that it is no warning. */
static void report_cased(struct eb_build *b)
{
	const struct eb_clashes *c = &b->clashes;

	for (size_t i = 0; i < c->n_cased && i < TOLD; i++)
		eb_note(b->events,
			"\"%s\" of \"%s\" and \"%s\" of \"%s\" differ in "
			"case alone",
			c->cased[i].path,
			b->clash_member[c->cased[i].member].name,
			c->cased[i].other,
			b->clash_member[c->cased[i].other_member].name);
	if (c->n_cased > TOLD)
		eb_note(b->events,
			"%zu more paths differ in case alone: `plan` lists "
			"them",
			c->n_cased - TOLD);
	if (c->cased_within)
		eb_detail(b->events,
			  "paths of one package that differ in case alone: %zu",
			  c->cased_within);
}

static void reduced_key(const struct eb_work *w, const struct eb_strv *left_out,
			struct eb_digest *key)
{
	struct eb_keyer k;

	eb_key_begin(&k, "envbuild reduced payload 1");
	eb_key_digest(&k, &w->payload_key);
	for (size_t i = 0; i < left_out->n; i++)
		eb_key_text(&k, left_out->v[i]);
	eb_key_end(&k, key);
}

/* A bucket's part without the paths that an earlier part of it has. */
static int reduce(struct eb_work *w, const struct eb_strv *left_out,
		  struct eb_error *err)
{
	EB_CLEANUP(eb_entries_release) struct eb_entries entries = { 0 };
	const char *what = w->file;
	struct eb_build *b = w->build;
	struct eb_digest key;
	int rc;

	reduced_key(w, left_out, &key);
	rc = eb_build_find(b, EB_ITEM_PART, &key, &w->placed, err);
	if (rc)
		return rc < 0 ? -1 : 0;
	if (b->foreseen)
		return eb_foresee(b, EB_ITEM_PART, &key, &w->payload, 1,
				  &w->placed, err);
	if (eb_copy_part(b, &w->payload, left_out, false, &entries, err) < 0)
		return -1;
	return eb_part_write(b->store, &b->compressor, EB_ITEM_PART, &key,
			     &entries, what, &w->placed, err);
}

int eb_build_clashes(struct eb_build *b, struct eb_error *err)
{
	if (eb_clashes_find(b->clash_member, b->n, b->lock->prefix, &b->clashes,
			    err) < 0)
		return -1;
	if (!b->foreseen) {
		report_clashes(b);
		report_cased(b);
	}
	for (size_t i = 0; i < b->n; i++) {
		EB_CLEANUP(eb_strv_release) struct eb_strv left_out = { 0 };

		if (b->member[i].own)
			continue;
		eb_clashes_left_out(&b->clashes, b->clash_member, i, &left_out);
		if (left_out.n && reduce(&b->work[i], &left_out, err) < 0)
			return -1;
	}
	return 0;
}
