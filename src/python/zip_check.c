/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The members of a zip file among each other: one path, one member; nothing
 * below a file; no byte that belongs to two.
 */
#include <stdlib.h>
#include <string.h>

#include <envbuild/entry.h>
#include <envbuild/mem.h>

#include "zip_dir.h"

static int by_name(const void *a, const void *b)
{
	const struct eb_zipdir_member *x = a, *y = b;

	return eb_path_compare(x->name, y->name);
}

static int name_and_member(const void *name, const void *member)
{
	const struct eb_zipdir_member *m = member;

	return eb_path_compare(name, m->name);
}

const struct eb_zipdir_member *eb_zipdir_find(const struct eb_zipdir *z,
					      const char *name)
{
	if (!z->n)
		return NULL;
	return bsearch(name, z->member, z->n, sizeof *z->member,
		       name_and_member);
}

static int check_tree(const struct eb_zipdir *z, struct eb_error *err)
{
	const char *file = NULL;

	for (size_t i = 0; i < z->n; i++) {
		const struct eb_zipdir_member *m = &z->member[i];

		if (i && strcmp(m[-1].name, m->name) == 0)
			return eb_zipdir_refuse(z, m->name, "is there twice",
						err);
		if (file && eb_path_is_below(m->name, file))
			return eb_path_refuse_below(m->name, file, z->what,
						    err);
		if (!m->folder)
			file = m->name;
	}
	return 0;
}

static int by_place(const void *a, const void *b)
{
	const struct eb_zipdir_member *x =
		*(const struct eb_zipdir_member *const *)a;
	const struct eb_zipdir_member *y =
		*(const struct eb_zipdir_member *const *)b;

	return (x->local > y->local) - (x->local < y->local);
}

static int check_places(const struct eb_zipdir *z, uint64_t end,
			struct eb_error *err)
{
	eb_autofree const struct eb_zipdir_member **m =
		eb_calloc(z->n + 1, sizeof *m);

	for (size_t i = 0; i < z->n; i++)
		m[i] = &z->member[i];
	qsort(m, z->n, sizeof *m, by_place);
	for (size_t i = 0; i < z->n; i++) {
		uint64_t next = i + 1 < z->n ? m[i + 1]->local : end;

		if (m[i]->offset <= next && m[i]->packed <= next - m[i]->offset)
			continue;
		return eb_zipdir_refuse(z, m[i]->name,
					"overlaps what follows it", err);
	}
	return 0;
}

int eb_zipdir_check(struct eb_zipdir *z, uint64_t end, struct eb_error *err)
{
	if (z->n)
		qsort(z->member, z->n, sizeof *z->member, by_name);
	if (check_tree(z, err) < 0)
		return -1;
	return check_places(z, end, err);
}
