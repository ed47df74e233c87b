/* SPDX-License-Identifier: Apache-2.0 */
/* The index from outside: records by number and by name. */
#include <string.h>

#include <envbuild/mem.h>

#include "repodata_int.h"

struct eb_repodata *eb_repodata_new(void)
{
	struct eb_repodata *rd = eb_calloc(1, sizeof *rd);

	eb_strpool_init(&rd->pool);
	return rd;
}

void eb_repodata_free(struct eb_repodata *rd)
{
	if (!rd)
		return;
	for (size_t i = 0; i < rd->n_sources; i++) {
		free(rd->source[i].channel_url);
		free(rd->source[i].subdir);
		free(rd->source[i].dir_url);
		free(rd->source[i].base_url);
	}
	for (size_t i = 0; i < rd->n_bad; i++) {
		free(rd->bad[i].name);
		free(rd->bad[i].why);
	}
	for (size_t i = 0; i < rd->n_record; i++)
		free(rd->record[i]);
	eb_rd_index_drop(rd);
	eb_strpool_release(&rd->pool);
	free(rd->source);
	free(rd->row);
	free(rd->lists);
	free(rd->bad);
	free(rd->record);
	free(rd);
}

size_t eb_repodata_count(const struct eb_repodata *rd)
{
	return rd->n;
}

/* --- a row as a record ----------------------------------------------- */

static char *text(const struct eb_repodata *rd, uint32_t id)
{
	return (char *)eb_strpool_text(&rd->pool, id);
}

static char *text_or_null(const struct eb_repodata *rd, uint32_t id)
{
	return id ? text(rd, id) : NULL;
}

/* In the pool's memory, so that it goes with it. */
static void *pool_alloc(struct eb_repodata *rd, size_t n)
{
	void *p = eb_strpool_alloc(&rd->pool, n);

	if (!p)
		eb_oom();
	return p;
}

static void fill_list(struct eb_repodata *rd, uint32_t first, size_t n,
		      struct eb_strv *out)
{
	out->v = pool_alloc(rd, (n + 1) * sizeof *out->v);
	out->n = out->alloc = n;
	for (size_t i = 0; i < n; i++)
		out->v[i] = text(rd, rd->lists[first + i]);
	out->v[n] = NULL;
}

/* The file's name and its URL in one piece: the URL ends with the name. */
static void fill_url(struct eb_repodata *rd, const struct eb_rd_row *row,
		     struct eb_record *r)
{
	const char *base = rd->source[row->source].base_url;
	size_t base_n = strlen(base), fn_n;
	eb_autofree char *stem = NULL;
	eb_autofree char *fn = NULL;

	if (row->flags & EB_RD_OWN_FN) {
		fn = eb_strdup(text(rd, row->fn));
	} else {
		stem = eb_rd_stem(rd, row);
		fn = eb_asprintf("%s%s", stem,
				 row->flags & EB_RD_CONDA ? ".conda"
							  : ".tar.bz2");
	}
	fn_n = strlen(fn) + 1;
	r->url = pool_alloc(rd, base_n + fn_n);
	memcpy(r->url, base, base_n);
	memcpy(r->url + base_n, fn, fn_n);
	r->fn = r->url + base_n;
}

static void fill_sums(const struct eb_rd_row *row, struct eb_record *r)
{
	static const char digit[] = "0123456789abcdef";

	r->has_sha256 = row->has_sha256;
	memcpy(r->sha256.byte, row->sha256, sizeof row->sha256);
	for (int i = 0; row->has_md5 && i < 16; i++) {
		r->md5[2 * i] = digit[row->md5[i] >> 4];
		r->md5[2 * i + 1] = digit[row->md5[i] & 15];
	}
}

static struct eb_record *make_record(struct eb_repodata *rd,
				     const struct eb_rd_row *row)
{
	struct eb_record *r = eb_calloc(1, sizeof *r);

	r->name = text(rd, row->name);
	r->version = text(rd, row->version);
	r->build = text(rd, row->build);
	r->build_number = row->build_number;
	r->subdir = rd->source[row->source].subdir;
	r->channel = rd->source[row->source].channel_url;
	fill_url(rd, row, r);
	fill_list(rd, row->list, row->n_depends, &r->depends);
	fill_list(rd, row->list + row->n_depends, row->n_constrains,
		  &r->constrains);
	r->track_features = text_or_null(rd, row->track_features);
	r->features = text_or_null(rd, row->features);
	r->noarch = row->noarch;
	r->timestamp = row->timestamp;
	fill_sums(row, r);
	r->size = row->size;
	r->license = text_or_null(rd, row->license);
	r->license_family = text_or_null(rd, row->family);
	r->python_site_packages_path = text_or_null(rd, row->site_packages);
	return r;
}

/* Making a record on demand is no change that a caller can see. */
const struct eb_record *eb_repodata_record(const struct eb_repodata *cache,
					   size_t i, unsigned *channel)
{
	struct eb_repodata *rd = (struct eb_repodata *)cache;

	if (rd->n_record < rd->n) {
		rd->record = eb_realloc(rd->record, rd->n, sizeof *rd->record);
		memset(rd->record + rd->n_record, 0,
		       (rd->n - rd->n_record) * sizeof *rd->record);
		rd->n_record = rd->n;
	}
	if (!rd->record[i])
		rd->record[i] = make_record(rd, &rd->row[i]);
	if (channel)
		*channel = rd->source[rd->row[i].source].channel;
	return rd->record[i];
}

size_t eb_repodata_by_name(const struct eb_repodata *rd, const char *name,
			   const uint32_t **list)
{
	const struct eb_rd_group *g = eb_rd_group(rd, name);

	*list = g ? rd->by_name + g->first : NULL;
	return g ? g->n : 0;
}

const char *eb_repodata_malformed(const struct eb_repodata *rd,
				  const char *name)
{
	for (size_t i = 0; i < rd->n_bad; i++)
		if (!strcmp(rd->bad[i].name, name))
			return rd->bad[i].why;
	return NULL;
}
