/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of one package that lie below a link of another. */
#include <string.h>

#include "clash_priv.h"
#include "layer_priv.h"

#define HOPS 40

struct resolving {
	const struct eb_clash_member *m;
	size_t n;
	const char *prefix;
	struct eb_strv link; /* paths that are a link here, a folder there */
	struct eb_moves *out;
	char *dir, *real; /* the last directory, and what it is in truth */
};

/* Both a link and a directory? */
static bool is_junction(const struct eb_claim *c, size_t n)
{
	bool link = false, dir = false;
	size_t i;

	for (i = 0; i < n; i++) {
		if (!eb_claim_is_leaf(c + i))
			dir = true;
		else if (c[i].entry->type == EB_ENTRY_LINK)
			link = true;
	}
	return link && dir;
}

static void find_junctions(struct resolving *r)
{
	size_t n, at, run;
	eb_autofree struct eb_claim *c = eb_claims_make(r->m, r->n, &n);

	for (at = 0; at < n; at += run) {
		run = eb_claims_run(c + at, n - at);
		if (is_junction(c + at, run))
			eb_strv_take(&r->link,
				     eb_strndup(c[at].path, c[at].len));
	}
}

/* Is the path one of the junctions, or below one? */
static bool concerns(const struct resolving *r, const char *path)
{
	size_t i, n;

	for (i = 0; i < r->link.n; i++) {
		n = strlen(r->link.v[i]);
		if (strncmp(path, r->link.v[i], n) == 0 &&
		    (!path[n] || path[n] == '/'))
			return true;
	}
	return false;
}

/* The link that stands at the path in the end, and whose it is. */
static const struct eb_entry *find_link(const struct resolving *r,
					const char *path, size_t *owner)
{
	size_t i = r->n;

	while (i--) {
		const struct eb_entry *e = eb_entries_find(r->m[i].paths, path);

		if (e && e->type == EB_ENTRY_LINK) {
			*owner = i;
			return e;
		}
		if (e && e->type == EB_ENTRY_FILE)
			return NULL;
	}
	return NULL;
}

static int leaves(const struct resolving *r, size_t member, const char *path,
		  size_t owner, const char *link, struct eb_error *err)
{
	eb_autofree char *a = eb_printable(path), *b = eb_printable(link);

	return eb_err_set(err, EB_INPUT,
			  "\"%s\" and \"%s\" cannot be in one environment: "
			  "\"%s\" of the one lies below \"%s\" of the other, "
			  "a link that leaves the prefix or ends nowhere",
			  r->m[member].name, r->m[owner].name, a, b);
}

/* Replace the first link on the way: 1 done, 0 there is none. */
static int step(const struct resolving *r, size_t member, char **path,
		unsigned hop, struct eb_error *err)
{
	const struct eb_entry *link = NULL;
	eb_autofree char *target = NULL, *head = NULL;
	size_t n, owner = 0;
	char *joined;

	for (n = 1; !link && (*path)[n - 1]; n++) {
		if ((*path)[n] && (*path)[n] != '/')
			continue;
		free(head);
		head = eb_strndup(*path, n);
		link = find_link(r, head, &owner);
	}
	if (!link)
		return 0;
	target = eb_link_target(link->path, link->target ? link->target : "",
				r->prefix);
	if (!target || hop >= HOPS)
		return leaves(r, member, *path, owner, link->path, err);
	joined = eb_asprintf("%s%s", target, *path + strlen(head));
	free(*path);
	*path = joined;
	return 1;
}

/* What a directory is in truth; entries come sorted, so the last answer is
 * often the next one. */
static int resolve_dir(struct resolving *r, size_t member, const char *dir,
		       struct eb_error *err)
{
	unsigned hop = 0;
	int got;

	if (r->dir && strcmp(r->dir, dir) == 0)
		return 0;
	free(r->dir);
	free(r->real);
	r->dir = eb_strdup(dir);
	r->real = eb_strdup(dir);
	do
		got = step(r, member, &r->real, hop++, err);
	while (got == 1);
	return got;
}

static void add_move(struct eb_moves *out, size_t member, const char *from,
		     char *to)
{
	EB_GROW(out->move, out->n, out->alloc);
	out->move[out->n++] = (struct eb_move){ member, eb_strdup(from), to };
}

static int resolve_entry(struct resolving *r, size_t member,
			 const struct eb_entry *e, struct eb_error *err)
{
	const char *slash = strrchr(e->path, '/');
	eb_autofree char *dir = NULL;

	if (!concerns(r, e->path))
		return 0;
	if (e->type == EB_ENTRY_DIR && eb_strv_has(&r->link, e->path)) {
		add_move(r->out, member, e->path, NULL);
		return 0;
	}
	dir = eb_strndup(e->path, slash ? (size_t)(slash - e->path) : 0);
	if (resolve_dir(r, member, dir, err) < 0)
		return -1;
	if (strcmp(r->real, dir) != 0)
		add_move(r->out, member, e->path,
			 eb_asprintf("%s%s", r->real, slash));
	return 0;
}

static int resolve_all(struct resolving *r, struct eb_error *err)
{
	size_t i, k;

	for (i = 0; r->link.n && i < r->n; i++)
		for (k = 0; k < r->m[i].paths->n; k++)
			if (resolve_entry(r, i, &r->m[i].paths->entry[k], err) <
			    0)
				return -1;
	return 0;
}

int eb_paths_resolve(const struct eb_clash_member *m, size_t n,
		     const char *prefix, struct eb_moves *out,
		     struct eb_error *err)
{
	struct resolving r = { .m = m, .n = n, .prefix = prefix, .out = out };
	int done;

	memset(out, 0, sizeof *out);
	find_junctions(&r);
	eb_strv_sort(&r.link);
	done = resolve_all(&r, err);
	eb_strv_release(&r.link);
	free(r.dir);
	free(r.real);
	if (done < 0)
		eb_moves_release(out);
	return done;
}

void eb_moves_release(struct eb_moves *moves)
{
	size_t i;

	for (i = 0; i < moves->n; i++) {
		free(moves->move[i].from);
		free(moves->move[i].to);
	}
	free(moves->move);
	memset(moves, 0, sizeof *moves);
}
