/* SPDX-License-Identifier: Apache-2.0 */
/* The layer that belongs to the environment alone: history, state, the lock,
 * the winners of path clashes, the link that --naming makes, the script of
 * --activation=entrypoint. */
#include <string.h>

#include <envbuild/json.h>

#include "build_private.h"

static int add_text(struct eb_build *b, struct eb_entries *e, const char *name,
		    const struct eb_buf *text, struct eb_error *err)
{
	eb_autofree char *path =
		eb_asprintf("%s/%s", b->lock->prefix + 1, name);

	return eb_entries_add_file(e, path, 0644, EB_FIXED_MTIME, text->data,
				   text->len, err);
}

static void history_text(struct eb_build *b, struct eb_buf *out)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv requested = { 0 };
	eb_autofree const struct eb_record **r =
		eb_calloc(b->lock->n + 1, sizeof(struct eb_record *));

	for (size_t i = 0; i < b->lock->n; i++) {
		r[i] = &b->lock->package[i].record;
		if (b->lock->package[i].requested)
			eb_strv_add(&requested, r[i]->name);
	}
	eb_link_history(r, b->lock->n, &requested, out);
}

static int add_history(struct eb_build *b, struct eb_entries *e,
		       struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_TEXT);

	history_text(b, &text);
	return add_text(b, e, "conda-meta/history", &text, err);
}

static int add_state(struct eb_build *b, struct eb_entries *e,
		     struct eb_error *err)
{
	EB_CLEANUP(eb_strv_release)
	struct eb_strv names = { 0 }, values = { 0 };
	EB_AUTOBUF(text, EB_MAX_TEXT);
	const char *name;
	json_t *value;

	json_object_foreach (b->lock->variables, name, value)
		eb_strv_add(&names, name);
	if (!names.n)
		return 0;
	eb_strv_sort(&names);
	for (size_t i = 0; i < names.n; i++)
		eb_strv_add(&values,
			    eb_json_str(b->lock->variables, names.v[i]));
	eb_link_state(&names, &values, &text);
	return add_text(b, e, "conda-meta/state", &text, err);
}

static int add_lock(struct eb_build *b, struct eb_entries *e,
		    struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_LOCK);

	eb_lock_hashed(b->lock, &text);
	return add_text(b, e, "conda-meta/envbuild.lock", &text, err);
}

/* What post-link scripts have changed of these stays as they left it. */
static void still_won(const struct eb_build *b, size_t i, struct eb_strv *out)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv all = { 0 };

	eb_build_won_by(b, i, &all);
	for (size_t j = 0; j < all.n; j++)
		if (!eb_post_link_has(b, all.v[j]))
			eb_strv_add(out, all.v[j]);
}

static int add_winners(struct eb_build *b, struct eb_entries *e,
		       struct eb_error *err)
{
	for (size_t i = 0; i < b->n; i++) {
		EB_CLEANUP(eb_strv_release) struct eb_strv won = { 0 };

		still_won(b, i, &won);
		if (won.n && eb_copy_part(b, &b->work[i].payload, &won, true, e,
					  err) < 0)
			return -1;
	}
	return 0;
}

/* Of a plan: the winners of clashes would be read. */
static int foresee(struct eb_build *b, const struct eb_digest *key,
		   struct eb_error *err)
{
	eb_autofree struct eb_item *from =
		eb_calloc(b->clashes.n + 1, sizeof *from);
	size_t n = 0;

	for (size_t i = 0; i < b->clashes.n; i++)
		if (!b->clashes.clash[i].same)
			from[n++] = b->work[b->clashes.clash[i].winner].payload;
	return eb_foresee(b, EB_ITEM_LAYER, key, from, n, &b->environment, err);
}

static int make(struct eb_build *b, const struct eb_digest *lock,
		const struct eb_digest *key, struct eb_error *err)
{
	EB_CLEANUP(eb_entries_release) struct eb_entries e = { 0 };

	eb_naming_add_link(b->lock, lock, &e);
	if (add_history(b, &e, err) < 0 || add_state(b, &e, err) < 0 ||
	    add_lock(b, &e, err) < 0 || add_winners(b, &e, err) < 0 ||
	    eb_activation_add_entrypoint(b, &e, err) < 0)
		return -1;
	b->built->new_layers++;
	if (eb_part_write(b->store, &b->compressor, EB_ITEM_LAYER, key, &e,
			  "environment", &b->environment, err) < 0)
		return -1;
	eb_build_push_fresh(b, &b->environment, "environment");
	return 0;
}

void eb_build_environment_key(const struct eb_digest *lock,
			      struct eb_digest *key)
{
	struct eb_keyer k;

	eb_key_begin(&k, "envbuild environment 1");
	eb_key_digest(&k, lock);
	eb_key_end(&k, key);
}

/* A result of scripts is not in the lock: where it has to do with a winner it
 * is another layer. */
static void key_beside_scripts(const struct eb_build *b, struct eb_digest *key)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv left = { 0 };
	struct eb_keyer k;

	for (size_t i = 0; i < b->clashes.n; i++)
		if (!b->clashes.clash[i].same &&
		    eb_post_link_has(b, b->clashes.clash[i].path))
			eb_strv_add(&left, b->clashes.clash[i].path);
	if (!left.n)
		return;
	eb_strv_sort(&left);
	eb_key_begin(&k, "envbuild environment beside scripts 1");
	eb_key_digest(&k, key);
	for (size_t i = 0; i < left.n; i++)
		eb_key_text(&k, left.v[i]);
	eb_key_end(&k, key);
}

int eb_build_environment(struct eb_build *b, struct eb_error *err)
{
	struct eb_digest lock, key;
	int rc;

	eb_lock_hash(b->lock, &lock);
	eb_build_environment_key(&lock, &key);
	key_beside_scripts(b, &key);
	rc = eb_build_find(b, EB_ITEM_LAYER, &key, &b->environment, err);
	if (rc > 0)
		eb_build_push(b, &b->environment, "environment");
	if (rc)
		return rc < 0 ? -1 : 0;
	return b->foreseen ? foresee(b, &key, err) : make(b, &lock, &key, err);
}
