/* SPDX-License-Identifier: Apache-2.0 */
/* Folders that are links of another package: what lies below them is written
 * where it is in truth (plan.h, eb_paths_resolve). */
#include <string.h>

#include "build_private.h"

static void describe(struct eb_build *b)
{
	b->clash_member = eb_calloc(b->n + 1, sizeof *b->clash_member);
	for (size_t i = 0; i < b->n; i++) {
		const char *name = b->work[i].name;

		b->clash_member[i] = (struct eb_clash_member){
			.name = name,
			.paths = &b->work[i].paths,
			.own = b->member[i].own,
			.bucket = b->member[i].bucket,
			.is_python =
				b->work[i].package && !strcmp(name, "python"),
		};
	}
}

static void moved_key(const struct eb_moves *moves, size_t member,
		      const struct eb_digest *was, struct eb_digest *key)
{
	struct eb_keyer k;

	eb_key_begin(&k, "envbuild moved payload 1");
	eb_key_digest(&k, was);
	for (size_t i = 0; i < moves->n; i++) {
		if (moves->move[i].member != member)
			continue;
		eb_key_text(&k, moves->move[i].from);
		eb_key_text(&k, moves->move[i].to);
	}
	eb_key_end(&k, key);
}

static int write_moved(struct eb_work *w, const struct eb_moves *moves,
		       const struct eb_digest *key, struct eb_error *err)
{
	EB_CLEANUP(eb_entries_release) struct eb_entries entries = { 0 };
	const struct eb_strv nothing = { 0 };
	const char *what = w->file;
	struct eb_build *b = w->build;

	if (eb_copy_part(b, &w->payload, &nothing, false, &entries, err) < 0 ||
	    eb_moves_apply(moves, (size_t)(w - b->work), &entries, what, err) <
		    0)
		return -1;
	return eb_part_write(b->store, &b->compressor, w->payload.kind, key,
			     &entries, what, &w->payload, err);
}

/* Of a plan: the list alone is written anew. */
static int foresee_moved(struct eb_work *w, const struct eb_moves *moves,
			 const struct eb_digest *key, struct eb_error *err)
{
	struct eb_item was = w->payload;

	w->payload_key = *key;
	if (eb_foresee(w->build, was.kind, key, &was, 1, &w->payload, err) < 0)
		return -1;
	w->placed = w->payload;
	return eb_moves_apply(moves, (size_t)(w - w->build->work), &w->paths,
			      w->file, err);
}

static int move(struct eb_work *w, const struct eb_moves *moves,
		struct eb_error *err)
{
	struct eb_build *b = w->build;
	struct eb_digest key;
	struct eb_item found;
	int rc;

	moved_key(moves, (size_t)(w - b->work), &w->payload_key, &key);
	rc = eb_build_find(b, w->payload.kind, &key, &found, err);
	if (rc == 0 && b->foreseen)
		return foresee_moved(w, moves, &key, err);
	if (rc < 0 || (rc == 0 && write_moved(w, moves, &key, err) < 0))
		return -1;
	if (rc > 0)
		w->payload = found;
	w->payload_key = key;
	w->placed = w->payload;
	if (w->payload.kind == EB_ITEM_LAYER)
		eb_build_push(b, &w->payload, w->file);
	eb_entries_release(&w->paths);
	return eb_build_paths(b, &w->payload, &w->paths, err);
}

static bool has_moves(const struct eb_moves *moves, size_t member)
{
	for (size_t i = 0; i < moves->n; i++)
		if (moves->move[i].member == member)
			return true;
	return false;
}

int eb_build_moves(struct eb_build *b, struct eb_error *err)
{
	EB_CLEANUP(eb_moves_release) struct eb_moves moves = { 0 };

	describe(b);
	if (eb_paths_resolve(b->clash_member, b->n, b->lock->prefix, &moves,
			     err) < 0)
		return -1;
	for (size_t i = 0; i < b->n; i++)
		if (has_moves(&moves, i) && move(&b->work[i], &moves, err) < 0)
			return -1;
	return 0;
}
