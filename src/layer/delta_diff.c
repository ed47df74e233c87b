/* SPDX-License-Identifier: Apache-2.0 */
/* Two looks at a folder: what of it goes into a layer, under which names. */
#include <string.h>
#include <sys/stat.h>

#include "delta_diff.h"

static bool same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/* A folder changes when something is put into it: that says nothing. */
static bool same(const struct eb_delta_node *a, const struct eb_delta_node *b)
{
	if (a->mode != b->mode || a->uid != b->uid || a->gid != b->gid)
		return false;
	if (S_ISDIR(a->mode))
		return true;
	return a->size == b->size && a->inode == b->inode &&
	       same_time(&a->mtime, &b->mtime) &&
	       same_time(&a->ctime, &b->ctime);
}

/* The folder that a path lies in; NULL for one at the top. Caller frees. */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? eb_strndup(path, (size_t)(slash - path)) : NULL;
}

/* Folders above it, up to one that is marked. */
static void mark_above(struct eb_delta_diff *d, const char *path)
{
	eb_autofree char *folder = folder_of(path);

	while (folder) {
		const struct eb_delta_node *node =
			eb_delta_find(d->after, folder);
		char *above;

		if (!node || d->marked[node - d->after->node])
			return;
		d->marked[node - d->after->node] = true;
		above = folder_of(folder);
		free(folder);
		folder = above;
	}
}

static void mark_changed(struct eb_delta_diff *d)
{
	for (size_t i = 0; i < d->after->n; i++) {
		const struct eb_delta_node *is = &d->after->node[i];
		const struct eb_delta_node *was =
			eb_delta_find(d->before, is->path);

		if (was && same(was, is))
			continue;
		d->marked[i] = true;
		mark_above(d, is->path);
	}
}

static void add(struct eb_delta_diff *d, char *name,
		const struct eb_delta_node *node)
{
	EB_GROW(d->entry, d->n, d->alloc);
	d->entry[d->n++] =
		(struct eb_delta_entry){ .name = name, .node = node };
}

/* Is its folder still one? */
static bool has_folder(const struct eb_delta *t, const char *folder)
{
	const struct eb_delta_node *node;

	if (!folder)
		return true;
	node = eb_delta_find(t, folder);
	return node && S_ISDIR(node->mode);
}

static void add_removed(struct eb_delta_diff *d)
{
	for (size_t i = 0; i < d->before->n; i++) {
		const char *path = d->before->node[i].path;
		const char *slash = strrchr(path, '/');
		eb_autofree char *folder = folder_of(path);

		if (eb_delta_find(d->after, path) ||
		    !has_folder(d->after, folder))
			continue;
		add(d,
		    eb_asprintf("%s%s.wh.%s", folder ? folder : "",
				folder ? "/" : "", slash ? slash + 1 : path),
		    NULL);
		d->n_removed++;
		mark_above(d, path);
	}
}

static void add_marked(struct eb_delta_diff *d)
{
	for (size_t i = 0; i < d->after->n; i++) {
		const struct eb_delta_node *node = &d->after->node[i];
		bool folder = S_ISDIR(node->mode);

		if (d->marked[i])
			add(d,
			    eb_asprintf("%s%s", node->path, folder ? "/" : ""),
			    node);
	}
}

static int by_name(const void *a, const void *b)
{
	const struct eb_delta_entry *x = a, *y = b;

	return strcmp(x->name, y->name);
}

void eb_delta_changed(const struct eb_delta *before,
		      const struct eb_delta *after, struct eb_strv *changed,
		      size_t *n_new)
{
	*n_new = 0;
	for (size_t i = 0; i < before->n; i++) {
		const struct eb_delta_node *was = &before->node[i];
		const struct eb_delta_node *is =
			eb_delta_find(after, was->path);

		if (!S_ISDIR(was->mode) && (!is || !same(was, is)))
			eb_strv_add(changed, was->path);
	}
	for (size_t i = 0; i < after->n; i++)
		*n_new += !eb_delta_find(before, after->node[i].path);
}

/* --- names of one file -------------------------------------------------- */
static int by_inode(const void *a, const void *b)
{
	const struct eb_delta_entry *x = *(struct eb_delta_entry *const *)a;
	const struct eb_delta_entry *y = *(struct eb_delta_entry *const *)b;

	if (x->node->device != y->node->device)
		return x->node->device < y->node->device ? -1 : 1;
	if (x->node->inode != y->node->inode)
		return x->node->inode < y->node->inode ? -1 : 1;
	return strcmp(x->name, y->name);
}

static void find_links(struct eb_delta_diff *d)
{
	eb_autofree struct eb_delta_entry **linked =
		eb_calloc(d->n + 1, sizeof *linked);
	struct eb_delta_entry *first = NULL;
	size_t n = 0;

	for (size_t i = 0; i < d->n; i++) {
		const struct eb_delta_node *node = d->entry[i].node;

		if (node && S_ISREG(node->mode) && node->links > 1)
			linked[n++] = &d->entry[i];
	}
	if (n)
		qsort(linked, n, sizeof(struct eb_delta_entry *), by_inode);
	for (size_t i = 0; i < n; i++) {
		if (first && first->node->inode == linked[i]->node->inode &&
		    first->node->device == linked[i]->node->device)
			linked[i]->link = first->name;
		else
			first = linked[i];
	}
}

void eb_delta_diff(const struct eb_delta *before, const struct eb_delta *after,
		   struct eb_delta_diff *out)
{
	*out = (struct eb_delta_diff){
		.before = before,
		.after = after,
		.marked = eb_calloc(after->n + 1, sizeof *out->marked),
	};
	mark_changed(out);
	add_removed(out);
	add_marked(out);
	if (out->n)
		qsort(out->entry, out->n, sizeof *out->entry, by_name);
	find_links(out);
}

void eb_delta_diff_release(struct eb_delta_diff *d)
{
	for (size_t i = 0; i < d->n; i++)
		free(d->entry[i].name);
	free(d->entry);
	free(d->marked);
}
