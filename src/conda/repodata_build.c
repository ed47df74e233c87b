/* SPDX-License-Identifier: Apache-2.0 */
/* Filling the index: sources, rows, lists, what was left out. */
#include <assert.h>
#include <string.h>

#include <envbuild/mem.h>

#include "repodata_int.h"

#define MAX_BAD 10000

unsigned eb_rd_source_add(struct eb_repodata *rd, unsigned channel,
			  const char *channel_url, const char *subdir,
			  const char *dir_url)
{
	struct eb_rd_source *s;

	assert(rd->n_sources < UINT16_MAX);
	rd->source =
		eb_realloc(rd->source, rd->n_sources + 1, sizeof *rd->source);
	s = &rd->source[rd->n_sources];
	s->channel = channel;
	s->channel_url = eb_strdup(channel_url);
	s->subdir = eb_strdup(subdir);
	s->dir_url = eb_strdup(dir_url);
	s->base_url = eb_strdup(dir_url);
	return (unsigned)rd->n_sources++;
}

struct eb_rd_row *eb_rd_row_add(struct eb_repodata *rd)
{
	eb_rd_index_drop(rd);
	EB_GROW(rd->row, rd->n, rd->alloc);
	memset(&rd->row[rd->n], 0, sizeof *rd->row);
	return &rd->row[rd->n++];
}

int eb_rd_list_add(struct eb_repodata *rd, uint32_t text)
{
	if (rd->n_lists >= UINT32_MAX)
		return -1;
	EB_GROW(rd->lists, rd->n_lists, rd->alloc_lists);
	rd->lists[rd->n_lists++] = text;
	return 0;
}

/* The part before the last two "-" of a file's name. */
static char *name_of_fn(const char *fn)
{
	const char *p = strrchr(fn, '-');

	if (p && p > fn)
		p = memrchr(fn, '-', (size_t)(p - fn));
	return p && p > fn ? eb_strndup(fn, (size_t)(p - fn)) : eb_strdup(fn);
}

void eb_rd_bad_add(struct eb_repodata *rd, const char *name, const char *fn,
		   const char *why)
{
	eb_autofree char *shown = NULL;

	if (rd->n_bad >= MAX_BAD)
		return;
	EB_GROW(rd->bad, rd->n_bad, rd->alloc_bad);
	shown = eb_printable(fn);
	rd->bad[rd->n_bad].name = name ? eb_strdup(name) : name_of_fn(fn);
	rd->bad[rd->n_bad++].why = eb_asprintf("\"%s\": %s", shown, why);
}

char *eb_rd_stem(const struct eb_repodata *rd, const struct eb_rd_row *row)
{
	const char *own;

	if (!(row->flags & EB_RD_OWN_FN))
		return eb_asprintf("%s-%s-%s",
				   eb_strpool_text(&rd->pool, row->name),
				   eb_strpool_text(&rd->pool, row->version),
				   eb_strpool_text(&rd->pool, row->build));
	own = eb_strpool_text(&rd->pool, row->fn);
	return eb_strndup(own,
			  strlen(own) - (row->flags & EB_RD_CONDA ? 6 : 8));
}

/* --- records given one by one ---------------------------------------- */

static uint32_t intern(struct eb_repodata *rd, const char *s)
{
	uint32_t id = s ? eb_strpool_add(&rd->pool, s, strlen(s), NULL) : 0;

	if (id == UINT32_MAX)
		eb_oom();
	return id;
}

/* The URL without the file's name; made from the channel where there is no
 * URL. */
static char *base_of(const struct eb_record *r)
{
	size_t n = r->url && r->fn ? strlen(r->url) : 0;
	size_t fn = n ? strlen(r->fn) : 0;

	if (n > fn && !strcmp(r->url + n - fn, r->fn))
		return eb_strndup(r->url, n - fn);
	return eb_asprintf("%s/%s/", r->channel ? r->channel : "",
			   r->subdir ? r->subdir : "noarch");
}

static unsigned source_of(struct eb_repodata *rd, const struct eb_record *r,
			  unsigned channel)
{
	eb_autofree char *base = base_of(r);
	const char *subdir = r->subdir ? r->subdir : "noarch";
	const char *url = r->channel ? r->channel : "";

	for (size_t i = 0; i < rd->n_sources; i++) {
		const struct eb_rd_source *s = &rd->source[i];

		if (s->channel == channel && !strcmp(s->subdir, subdir) &&
		    !strcmp(s->channel_url, url) && !strcmp(s->base_url, base))
			return (unsigned)i;
	}
	return eb_rd_source_add(rd, channel, url, subdir, base);
}

static void fill_fn(struct eb_repodata *rd, const struct eb_record *r,
		    struct eb_rd_row *row)
{
	eb_autofree char *stem = eb_rd_stem(rd, row);
	size_t n = strlen(stem);

	row->flags = !r->fn || eb_ends(r->fn, ".conda") ? EB_RD_CONDA : 0;
	if (!r->fn ||
	    (!strncmp(r->fn, stem, n) &&
	     (!strcmp(r->fn + n, ".conda") || !strcmp(r->fn + n, ".tar.bz2"))))
		return;
	row->flags |= EB_RD_OWN_FN;
	row->fn = intern(rd, r->fn);
}

static void fill_lists(struct eb_repodata *rd, const struct eb_record *r,
		       struct eb_rd_row *row)
{
	row->list = (uint32_t)rd->n_lists;
	for (size_t i = 0; i < r->depends.n && i < EB_REPODATA_MAX_LIST; i++) {
		eb_rd_list_add(rd, intern(rd, r->depends.v[i]));
		row->n_depends++;
	}
	for (size_t i = 0; i < r->constrains.n && i < EB_REPODATA_MAX_LIST;
	     i++) {
		eb_rd_list_add(rd, intern(rd, r->constrains.v[i]));
		row->n_constrains++;
	}
}

void eb_repodata_add(struct eb_repodata *rd, const struct eb_record *r,
		     unsigned channel)
{
	unsigned source = source_of(rd, r, channel);
	struct eb_rd_row *row = eb_rd_row_add(rd);

	row->source = (uint16_t)source;
	row->name = intern(rd, r->name);
	row->version = intern(rd, r->version);
	row->build = intern(rd, r->build);
	row->build_number = r->build_number;
	fill_fn(rd, r, row);
	fill_lists(rd, r, row);
	row->track_features = intern(rd, r->track_features);
	row->features = intern(rd, r->features);
	row->noarch = (uint8_t)r->noarch;
	row->timestamp = r->timestamp;
	row->size = r->size;
	row->license = intern(rd, r->license);
	row->family = intern(rd, r->license_family);
	row->site_packages = intern(rd, r->python_site_packages_path);
	row->has_sha256 = r->has_sha256;
	memcpy(row->sha256, r->sha256.byte, sizeof row->sha256);
	row->has_md5 =
		!eb_rd_hex(r->md5, strlen(r->md5), row->md5, sizeof row->md5);
}
