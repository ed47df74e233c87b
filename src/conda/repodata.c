/* SPDX-License-Identifier: Apache-2.0 */
/* The index from outside: records by number and by name. */
#include <string.h>

#include <envbuild/mem.h>

#include "repodata_int.h"
#include "repodata_shards.h"

struct eb_repodata *eb_repodata_new(void)
{
	struct eb_repodata *rd = eb_calloc(1, sizeof *rd);

	eb_strpool_init(&rd->memory);
	return rd;
}

void eb_repodata_free(struct eb_repodata *rd)
{
	if (!rd)
		return;
	for (size_t i = 0; i < rd->n_sources; i++)
		eb_rd_source_release(&rd->source[i]);
	eb_rd_index_drop(rd);
	eb_strpool_release(&rd->memory);
	free(rd->source);
	free(rd);
}

/* --- records given one by one ---------------------------------------- */

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

static struct eb_rd_source *
source_of(struct eb_repodata *rd, const struct eb_record *r, unsigned channel)
{
	eb_autofree char *base = base_of(r);
	const char *subdir = r->subdir ? r->subdir : "noarch";
	const char *url = r->channel ? r->channel : "";
	size_t i;

	for (i = 0; i < rd->n_sources; i++) {
		struct eb_rd_source *s = &rd->source[i];

		if (s->build && s->channel == channel &&
		    !strcmp(s->subdir, subdir) &&
		    !strcmp(s->channel_url, url) && !strcmp(s->dir_url, base))
			return s;
	}
	i = eb_rd_source_add(rd, channel, url, subdir, base);
	return &rd->source[i];
}

void eb_repodata_add(struct eb_repodata *rd, const struct eb_record *r,
		     unsigned channel)
{
	struct eb_rd_source *s = source_of(rd, r, channel);

	if (!s->build)
		s->build = eb_rd_build_new(s->dir_url);
	eb_rd_build_add(s->build, r);
	rd->dirty = true;
}

/* --- a row as a record ----------------------------------------------- */

/* What is made is kept together, and goes with the index. */
static void *alloc(struct eb_repodata *rd, size_t n)
{
	void *p = eb_strpool_alloc(&rd->memory, n);

	if (!p)
		eb_oom();
	return p;
}

/* Texts stay where they are; nobody writes through the pointers. */
static char *text(const struct eb_rd_head *h, uint32_t id)
{
	return (char *)eb_rd_text(h, id);
}

static char *text_or_null(const struct eb_rd_head *h, uint32_t id)
{
	return id ? text(h, id) : NULL;
}

static void fill_list(struct eb_repodata *rd, const struct eb_rd_head *h,
		      const uint32_t *id, size_t n, struct eb_strv *out)
{
	out->v = alloc(rd, (n + 1) * sizeof *out->v);
	out->n = out->alloc = n;
	for (size_t i = 0; i < n; i++)
		out->v[i] = text(h, id[i]);
	out->v[n] = NULL;
}

/* Pairs of a group and a dependency; a group's are next to each other. */
static void fill_extras(struct eb_repodata *rd, const struct eb_rd_head *h,
			const uint32_t *id, size_t pairs, struct eb_record *r)
{
	size_t n, groups = 0;

	for (size_t i = 0; i < pairs; i++)
		groups += !i || id[2 * i] != id[2 * i - 2];
	if (groups)
		r->extra = alloc(rd, groups * sizeof *r->extra);
	for (size_t i = 0; i < pairs; i += n) {
		struct eb_extra *e = &r->extra[r->n_extras++];

		for (n = 1; i + n < pairs && id[2 * (i + n)] == id[2 * i];)
			n++;
		e->name = text(h, id[2 * i]);
		e->depends.v = alloc(rd, (n + 1) * sizeof *e->depends.v);
		e->depends.n = e->depends.alloc = 0;
		for (size_t k = i; k < i + n; k++)
			if (id[2 * k + 1])
				e->depends.v[e->depends.n++] =
					text(h, id[2 * k + 1]);
		e->depends.v[e->depends.n] = NULL;
	}
}

static void fill_lists(struct eb_repodata *rd, const struct eb_rd_ref *ref,
		       struct eb_record *r)
{
	const struct eb_rd_row *row = ref->row;
	size_t n;
	const uint32_t *id = eb_rd_list(ref->head, row, &n);

	fill_list(rd, ref->head, id, n ? row->n_depends : 0, &r->depends);
	id += r->depends.n;
	fill_list(rd, ref->head, id, n ? row->n_constrains : 0, &r->constrains);
	if (!n || !(row->n_flags | row->n_extras))
		return;
	id += r->constrains.n;
	fill_list(rd, ref->head, id, row->n_flags, &r->flags);
	fill_extras(rd, ref->head, id + row->n_flags, row->n_extras, r);
}

/* The pieces of the file's name. */
static size_t name_file(const struct eb_rd_ref *ref, const char *part[6])
{
	const struct eb_rd_row *row = ref->row;

	if (row->flags & EB_RD_OWN_FN) {
		part[0] = eb_rd_text(ref->head, row->fn);
		return 1;
	}
	part[0] = eb_rd_text(ref->head, row->name);
	part[1] = part[3] = "-";
	part[2] = eb_rd_text(ref->head, row->version);
	part[4] = eb_rd_text(ref->head, row->build);
	part[5] = row->flags & EB_RD_CONDA ? ".conda" : ".tar.bz2";
	return 6;
}

/* The file's name and its URL in one piece: the URL ends with the name. */
static void fill_url(struct eb_repodata *rd, const struct eb_rd_ref *ref,
		     struct eb_record *r)
{
	const struct eb_rd_source *s = &rd->source[ref->source];
	const char *base = s->shards
				   ? eb_rd_shards_base(s->shards)
				   : eb_rd_text(ref->head, ref->head->base_url);
	const char *part[6];
	size_t base_n = strlen(base), n = name_file(ref, part), all = base_n;
	char *to;

	for (size_t i = 0; i < n; i++)
		all += strlen(part[i]);
	to = r->url = alloc(rd, all + 1);
	to = stpcpy(to, base);
	for (size_t i = 0; i < n; i++)
		to = stpcpy(to, part[i]);
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

static void make_record(struct eb_repodata *rd, struct eb_rd_ref *ref)
{
	const struct eb_rd_source *source = &rd->source[ref->source];
	const struct eb_rd_head *h = ref->head;
	const struct eb_rd_row *row = ref->row;
	struct eb_record *r = alloc(rd, sizeof *r);

	memset(r, 0, sizeof *r);
	r->name = text(h, row->name);
	r->version = text(h, row->version);
	r->build = text(h, row->build);
	r->build_number = row->build_number;
	r->subdir = source->subdir;
	r->channel = source->channel_url;
	fill_url(rd, ref, r);
	fill_lists(rd, ref, r);
	r->track_features = text_or_null(h, row->track_features);
	r->features = text_or_null(h, row->features);
	r->noarch = row->noarch;
	r->timestamp = row->timestamp;
	fill_sums(row, r);
	r->size = row->size;
	r->license = text_or_null(h, row->license);
	r->license_family = text_or_null(h, row->family);
	r->python_site_packages_path = text_or_null(h, row->site_packages);
	ref->record = r;
}

/* Making a record on demand is no change that a caller can see. */
const struct eb_record *eb_repodata_record(const struct eb_repodata *cache,
					   size_t i, unsigned *channel)
{
	struct eb_repodata *rd = (struct eb_repodata *)cache;

	if (!rd->ref[i].record)
		make_record(rd, &rd->ref[i]);
	if (channel)
		*channel = eb_rd_channel_of(rd, (uint32_t)i);
	return rd->ref[i].record;
}

/* --- a row without its record ---------------------------------------- */

unsigned eb_rd_channel_of(const struct eb_repodata *rd, uint32_t row)
{
	return rd->source[rd->ref[row].source].channel;
}

const char *eb_rd_features_of(const struct eb_repodata *rd, uint32_t row)
{
	const struct eb_rd_ref *ref = &rd->ref[row];

	return text_or_null(ref->head, ref->row->features);
}

const char *eb_rd_tracks_of(const struct eb_repodata *rd, uint32_t row)
{
	const struct eb_rd_ref *ref = &rd->ref[row];

	return text_or_null(ref->head, ref->row->track_features);
}

const char *eb_repodata_malformed(const struct eb_repodata *rd,
				  const char *name)
{
	for (size_t i = 0; i < rd->n_sources; i++) {
		const struct eb_rd_head *h =
			eb_rd_segment(&rd->source[i], name);

		for (uint32_t k = 0; h && k < h->n_bad; k++)
			if (!strcmp(eb_rd_text(h, eb_rd_bads(h)[k].name), name))
				return eb_rd_text(h, eb_rd_bads(h)[k].why);
	}
	return NULL;
}
