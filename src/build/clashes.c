/* SPDX-License-Identifier: Apache-2.0 */
/* Paths that several packages have: who wins, and what a part leaves out. */
#include <string.h>

#include "build_private.h"

/* One content in all of them is worth no words. */
static bool contents_differ(const struct eb_build *b, const struct eb_clash *c)
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

static void report(struct eb_build *b)
{
	for (size_t i = 0; i < b->clashes.n; i++) {
		const struct eb_clash *c = &b->clashes.clash[i];

		if (c->same || !contents_differ(b, c))
			continue;
		eb_warn(b->events,
			"\"%s\" is in %zu packages: the one of \"%s\" is taken",
			c->path, c->n, b->clash_member[c->winner].name);
	}
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
	report(b);
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
