/* SPDX-License-Identifier: Apache-2.0 */
/* Carrying out moves on entries. */
#include <string.h>

#include <envbuild/plan.h>

#include "layer_priv.h"

static bool has_moves(const struct eb_moves *moves, size_t member)
{
	size_t i;

	for (i = 0; i < moves->n; i++)
		if (moves->move[i].member == member)
			return true;
	return false;
}

/* Both stand in the same order, so that the search goes on from the last one
 * found; `at` is behind it. */
static const struct eb_move *find_move(const struct eb_moves *moves,
				       size_t member, const char *path,
				       size_t *at)
{
	size_t i;

	for (i = *at; i < moves->n; i++) {
		const struct eb_move *m = &moves->move[i];

		if (m->member == member && strcmp(m->from, path) == 0) {
			*at = i + 1;
			return m;
		}
	}
	return NULL;
}

int eb_moves_apply(const struct eb_moves *moves, size_t member,
		   struct eb_entries *entries, const char *what,
		   struct eb_error *err)
{
	const struct eb_move *move;
	size_t i, kept = 0, at = 0;

	if (!has_moves(moves, member))
		return 0;
	if (eb_entries_sort(entries, what, err) < 0)
		return -1;
	for (i = 0; i < entries->n; i++) {
		struct eb_entry *e = &entries->entry[i];

		move = find_move(moves, member, e->path, &at);
		if (move && !move->to) {
			eb_entry_release(e);
			continue;
		}
		if (move) {
			free(e->path);
			e->path = eb_strdup(move->to);
		}
		entries->entry[kept++] = *e;
	}
	entries->n = kept;
	return eb_entries_sort(entries, what, err);
}
