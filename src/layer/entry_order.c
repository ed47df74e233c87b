/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of entries. In a tar they stand by the bytes of the header's
 * name, where a directory's has a final slash; for looking whether they make
 * a tree, a slash sorts before all else, so that what lies below a path
 * follows it at once.
 */
#include <string.h>

#include "layer_priv.h"

static const char *suffix(enum eb_entry_type type)
{
	switch (type) {
	case EB_ENTRY_DIR: return "/";
	case EB_ENTRY_OPAQUE: return "/" EB_OPAQUE_NAME;
	default: return "";
	}
}

/* A path and what its type adds behind it. */
struct name {
	const char *at, *more;
};

static int next_byte(struct name *n)
{
	if (!*n->at) {
		n->at = n->more;
		n->more = "";
	}
	return *n->at ? (unsigned char)*n->at++ : 0;
}

static int compare_names(struct name a, struct name b)
{
	int x, y;

	do {
		x = next_byte(&a);
		y = next_byte(&b);
	} while (x == y && x);
	return x - y;
}

static struct name name_of(const struct eb_entry *e)
{
	return (struct name){ e->path, suffix(e->type) };
}

int eb_entry_compare(const struct eb_entry *a, const struct eb_entry *b)
{
	return compare_names(name_of(a), name_of(b));
}

static int by_name(const void *a, const void *b)
{
	return eb_entry_compare(a, b);
}

static int tree_rank(char c)
{
	return c == '/' ? 1 : c ? (unsigned char)c + 1 : 0;
}

static int by_tree(const void *pa, const void *pb)
{
	const struct eb_entry *ea = *(const struct eb_entry *const *)pa;
	const struct eb_entry *eb = *(const struct eb_entry *const *)pb;
	const char *a = ea->path, *b = eb->path;

	while (*a && *a == *b) {
		a++;
		b++;
	}
	if (*a != *b)
		return tree_rank(*a) - tree_rank(*b);
	return (ea->type == EB_ENTRY_OPAQUE) - (eb->type == EB_ENTRY_OPAQUE);
}

static int twice(const char *what, const struct eb_entry *e,
		 struct eb_error *err)
{
	eb_autofree char *shown = eb_printable(e->path);

	return eb_err_set(err, EB_INPUT,
			  "\"%s\", the path \"%s\" is there "
			  "twice",
			  what, shown);
}

static int below(const char *what, const struct eb_entry *e,
		 const struct eb_entry *above, struct eb_error *err)
{
	eb_autofree char *a = eb_printable(e->path);
	eb_autofree char *b = eb_printable(above->path);

	return eb_err_set(err, EB_INPUT,
			  "\"%s\", the path \"%s\" lies below \"%s\", which is "
			  "no folder",
			  what, a, b);
}

static bool lies_below(const char *path, const char *above)
{
	size_t n = strlen(above);

	return strncmp(path, above, n) == 0 && path[n] == '/';
}

static bool may_repeat(const struct eb_entry *a, const struct eb_entry *b,
		       bool dirs_repeat)
{
	if (a->type == EB_ENTRY_OPAQUE || b->type == EB_ENTRY_OPAQUE)
		return a->type != b->type &&
		       (a->type == EB_ENTRY_DIR || b->type == EB_ENTRY_DIR);
	return dirs_repeat && a->type == EB_ENTRY_DIR &&
	       b->type == EB_ENTRY_DIR;
}

int eb_entry_check_tree(const struct eb_entry **e, size_t n, bool dirs_repeat,
			const char *what, struct eb_error *err)
{
	const struct eb_entry *leaf = NULL;
	size_t i;

	if (n)
		qsort(e, n, sizeof *e, by_tree);
	for (i = 0; i < n; i++) {
		if (i && strcmp(e[i - 1]->path, e[i]->path) == 0 &&
		    !may_repeat(e[i - 1], e[i], dirs_repeat))
			return twice(what, e[i], err);
		if (leaf && lies_below(e[i]->path, leaf->path))
			return below(what, e[i], leaf, err);
		if (e[i]->type == EB_ENTRY_FILE || e[i]->type == EB_ENTRY_LINK)
			leaf = e[i];
	}
	return 0;
}

int eb_entries_sort(struct eb_entries *e, const char *what,
		    struct eb_error *err)
{
	eb_autofree const struct eb_entry **p =
		eb_calloc(e->n ? e->n : 1, sizeof *p);
	size_t i;

	if (e->n)
		qsort(e->entry, e->n, sizeof *e->entry, by_name);
	for (i = 0; i < e->n; i++)
		p[i] = &e->entry[i];
	return eb_entry_check_tree(p, e->n, false, what, err);
}

static int compare_to_key(const void *key, const void *entry)
{
	return compare_names((struct name){ key, "" }, name_of(entry));
}

static const struct eb_entry *find_name(const struct eb_entries *e,
					const char *name)
{
	if (e->n == 0)
		return NULL;
	return bsearch(name, e->entry, e->n, sizeof *e->entry, compare_to_key);
}

const struct eb_entry *eb_entries_find(const struct eb_entries *e,
				       const char *path)
{
	const struct eb_entry *found = find_name(e, path);
	eb_autofree char *as_dir = NULL;

	if (!found) {
		as_dir = eb_asprintf("%s/", path);
		found = find_name(e, as_dir);
	}
	return found && strcmp(found->path, path) == 0 ? found : NULL;
}
