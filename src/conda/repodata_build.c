/* SPDX-License-Identifier: Apache-2.0 */
/* Filling a builder: rows, lists, what was left out. */
#include <string.h>

#include <envbuild/mem.h>

#include "repodata_int.h"

#define MAX_BAD 10000

struct eb_rd_build *eb_rd_build_new(const char *dir_url)
{
	struct eb_rd_build *b = eb_calloc(1, sizeof *b);

	eb_strpool_init(&b->pool);
	b->dir_url = dir_url;
	b->base_url = eb_strpool_add(&b->pool, dir_url, strlen(dir_url), NULL);
	if (b->base_url == UINT32_MAX)
		b->base_url = 0;
	return b;
}

void eb_rd_build_free(struct eb_rd_build *b)
{
	if (!b)
		return;
	eb_strpool_release(&b->pool);
	free(b->row);
	free(b->lists);
	free(b->bad);
	free(b->needs);
	free(b);
}

struct eb_rd_row *eb_rd_row_add(struct eb_rd_build *b)
{
	EB_GROW(b->row, b->n, b->alloc);
	memset(&b->row[b->n], 0, sizeof *b->row);
	return &b->row[b->n++];
}

int eb_rd_list_add(struct eb_rd_build *b, uint32_t text)
{
	if (b->n_lists >= UINT32_MAX)
		return -1;
	EB_GROW(b->lists, b->n_lists, b->alloc_lists);
	b->lists[b->n_lists++] = text;
	return 0;
}

/* 0, "", where the text is too long. */
static uint32_t intern(struct eb_rd_build *b, const char *s)
{
	uint32_t id = s ? eb_strpool_add(&b->pool, s, strlen(s), NULL) : 0;

	return id == UINT32_MAX ? 0 : id;
}

/* The part before the last two "-" of a file's name. */
static char *name_of_fn(const char *fn)
{
	const char *p = strrchr(fn, '-');

	if (p && p > fn)
		p = memrchr(fn, '-', (size_t)(p - fn));
	return p && p > fn ? eb_strndup(fn, (size_t)(p - fn)) : eb_strdup(fn);
}

void eb_rd_bad_add(struct eb_rd_build *b, const char *name, const char *fn,
		   const char *why)
{
	eb_autofree char *shown = NULL;
	eb_autofree char *text = NULL;
	eb_autofree char *own = NULL;

	if (b->n_bad >= MAX_BAD)
		return;
	EB_GROW(b->bad, b->n_bad, b->alloc_bad);
	shown = eb_printable(fn);
	text = eb_asprintf("\"%s\": %s", shown, why);
	own = name ? NULL : name_of_fn(fn);
	b->bad[b->n_bad].name = intern(b, name ? name : own);
	b->bad[b->n_bad++].why = intern(b, text);
}

char *eb_rd_stem(const struct eb_rd_build *b, const struct eb_rd_row *row)
{
	const char *own;

	if (!(row->flags & EB_RD_OWN_FN))
		return eb_asprintf("%s-%s-%s",
				   eb_strpool_text(&b->pool, row->name),
				   eb_strpool_text(&b->pool, row->version),
				   eb_strpool_text(&b->pool, row->build));
	own = eb_strpool_text(&b->pool, row->fn);
	return eb_strndup(own,
			  strlen(own) - (row->flags & EB_RD_CONDA ? 6 : 8));
}

/* --- a record given by hand ------------------------------------------ */

static void fill_fn(struct eb_rd_build *b, const struct eb_record *r,
		    struct eb_rd_row *row)
{
	eb_autofree char *stem = eb_rd_stem(b, row);
	size_t n = strlen(stem);

	row->flags = !r->fn || eb_ends(r->fn, ".conda") ? EB_RD_CONDA : 0;
	if (!r->fn ||
	    (!strncmp(r->fn, stem, n) &&
	     (!strcmp(r->fn + n, ".conda") || !strcmp(r->fn + n, ".tar.bz2"))))
		return;
	row->flags |= EB_RD_OWN_FN;
	row->fn = intern(b, r->fn);
}

static uint16_t fill_list(struct eb_rd_build *b, const struct eb_strv *list)
{
	size_t n =
		list->n < EB_REPODATA_MAX_LIST ? list->n : EB_REPODATA_MAX_LIST;

	for (size_t i = 0; i < n; i++)
		eb_rd_list_add(b, intern(b, list->v[i]));
	return (uint16_t)n;
}

static uint16_t fill_extras(struct eb_rd_build *b, const struct eb_record *r)
{
	uint16_t n = 0;

	for (size_t i = 0; i < r->n_extras; i++) {
		const struct eb_strv *list = &r->extra[i].depends;
		uint32_t group = intern(b, r->extra[i].name);
		size_t k = 0;

		do {
			if (n == EB_REPODATA_MAX_LIST)
				return n;
			eb_rd_list_add(b, group);
			eb_rd_list_add(b, list->n ? intern(b, list->v[k]) : 0);
			n++;
		} while (++k < list->n);
	}
	return n;
}

void eb_rd_build_add(struct eb_rd_build *b, const struct eb_record *r)
{
	struct eb_rd_row *row = eb_rd_row_add(b);

	row->name = intern(b, r->name);
	row->version = intern(b, r->version);
	row->build = intern(b, r->build);
	row->build_number = r->build_number;
	fill_fn(b, r, row);
	row->list = (uint32_t)b->n_lists;
	row->n_depends = fill_list(b, &r->depends);
	row->n_constrains = fill_list(b, &r->constrains);
	row->n_flags = fill_list(b, &r->flags);
	row->n_extras = fill_extras(b, r);
	row->track_features = intern(b, r->track_features);
	row->features = intern(b, r->features);
	row->noarch = (uint8_t)r->noarch;
	row->timestamp = row->time = r->timestamp;
	row->size = r->size;
	row->license = intern(b, r->license);
	row->family = intern(b, r->license_family);
	row->site_packages = intern(b, r->python_site_packages_path);
	row->has_sha256 = r->has_sha256;
	memcpy(row->sha256, r->sha256.byte, sizeof row->sha256);
	row->has_md5 =
		!eb_rd_hex(r->md5, strlen(r->md5), row->md5, sizeof row->md5);
}
