/* SPDX-License-Identifier: Apache-2.0 */
/* Link order: dependencies first, depth first in order of name; a cycle is
 * broken where the walk comes back to a package that it is in. */
#include <string.h>

#include <envbuild/mem.h>
#include <envbuild/solve.h>

struct node {
	const struct eb_record *record;
	size_t index; /* in the caller's array */
	bool seen;
};

struct walk {
	struct node *node; /* sorted by name */
	size_t n;
	size_t *order;
	size_t done;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct node *)a)->record->name,
		      ((const struct node *)b)->record->name);
}

static struct node *find(struct walk *w, const char *name, size_t len)
{
	size_t low = 0, high = w->n;

	while (low < high) {
		size_t mid = (low + high) / 2;
		const char *have = w->node[mid].record->name;
		int c = strncmp(name, have, len);

		if (c == 0)
			c = have[len] ? -1 : 0;
		if (c == 0)
			return &w->node[mid];
		if (c < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return NULL;
}

/* A set is as deep as its packages are many: bounded by the caller's n. */
static void visit(struct walk *w, struct node *node)
{
	const struct eb_strv *depends = &node->record->depends;

	if (node->seen)
		return;
	node->seen = true;
	for (size_t i = 0; i < depends->n; i++) {
		const char *spec = depends->v[i];
		struct node *next = find(w, spec, strcspn(spec, " =<>!~[;"));

		if (next)
			visit(w, next);
	}
	w->order[w->done++] = node->index;
}

int eb_link_order(const struct eb_record *const *record, size_t n,
		  size_t *order, struct eb_error *err)
{
	eb_autofree struct node *node = eb_calloc(n + 1, sizeof *node);
	struct walk w = { .node = node, .n = n, .order = order };

	for (size_t i = 0; i < n; i++)
		node[i] = (struct node){ .record = record[i], .index = i };
	qsort(node, n, sizeof *node, by_name);
	for (size_t i = 1; i < n; i++)
		if (!by_name(&node[i - 1], &node[i]))
			return eb_err_set(err, EB_INPUT,
					  "package \"%s\" is in the set twice",
					  node[i].record->name);
	for (size_t i = 0; i < n; i++)
		visit(&w, &node[i]);
	return 0;
}
