/* SPDX-License-Identifier: Apache-2.0 */
/* A source with shards: its index, what is kept of it, what was fetched. */
#include <string.h>

#include <envbuild/mem.h>

#include "repodata_shards_int.h"

void eb_rd_shards_free(struct eb_rd_shards *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; s->fresh && i < s->table->n; i++)
		free(s->fresh[i]);
	free(s->fresh);
	free(s->own_table);
	eb_rd_map_release(&s->kept);
	eb_err_release(&s->failed);
	free(s);
}

size_t eb_rd_shards_count(const struct eb_rd_shards *s)
{
	return s->table->n;
}

const char *eb_rd_shards_name(const struct eb_rd_shards *s, size_t i)
{
	return eb_rd_bundle_text(s->table, eb_rd_entries(s->table)[i].name);
}

const char *eb_rd_shards_base(const struct eb_rd_shards *s)
{
	return eb_rd_bundle_text(s->table, s->table->base_url);
}

/* --- segments -------------------------------------------------------- */

const struct eb_rd_head *eb_rd_shards_segment_of(const struct eb_rd_shards *s,
						 const struct eb_rd_entry *e)
{
	const struct eb_rd_bundle *kept = s->kept.p;
	const struct eb_rd_head *fresh =
		s->fresh ? s->fresh[e - eb_rd_entries(s->table)] : NULL;

	if (fresh || !kept)
		return fresh;
	if (kept != s->table) {
		const uint8_t *want = e->sha256;

		e = eb_rd_bundle_find(kept,
				      eb_rd_bundle_text(s->table, e->name));
		if (!e || memcmp(e->sha256, want, sizeof e->sha256))
			return NULL;
	}
	return eb_rd_bundle_segment(kept, e);
}

const struct eb_rd_head *eb_rd_shards_segment(const struct eb_rd_shards *s,
					      const char *name)
{
	const struct eb_rd_entry *e = eb_rd_bundle_find(s->table, name);

	return e ? eb_rd_shards_segment_of(s, e) : NULL;
}

void eb_rd_shards_set(struct eb_rd_shards *s, const struct eb_rd_entry *e,
		      struct eb_rd_head *segment)
{
	if (!s->fresh)
		s->fresh = eb_calloc(s->table->n + 1, sizeof *s->fresh);
	s->fresh[e - eb_rd_entries(s->table)] = segment;
	s->changed = true;
}

/* --- opening --------------------------------------------------------- */

/* What the store has, of whichever state of the index. */
static int find_kept(struct eb_rd_load *l, struct eb_rd_shards *s,
		     struct eb_error *err)
{
	const char *key = s->file->index_key;
	int got = eb_rd_kept_find(l->store, key, s->source, &s->kept, err);

	if (got > 0 && eb_rd_bundle_ok(s->kept.p, s->kept.size)) {
		s->table = s->kept.p;
		return 0;
	}
	eb_rd_map_release(&s->kept);
	if (got == 0)
		got = eb_rd_kept_find(l->store, key, NULL, &s->kept, err);
	if (got > 0 && !eb_rd_bundle_ok(s->kept.p, s->kept.size))
		eb_rd_map_release(&s->kept);
	return got < 0 ? -1 : 0;
}

static int open_index(struct eb_rd_load *l, struct eb_rd_shards *s, int fd,
		      uint64_t size, struct eb_error *err)
{
	struct eb_digest digest;
	uint64_t found;

	if (eb_sha256_fd(fd, &digest, &found, err) < 0)
		return -1;
	eb_digest_text(&digest, s->source);
	if (find_kept(l, s, err) < 0)
		return -1;
	if (s->table)
		return 0;
	s->own_table = eb_rd_shards_index(s->job, s->file, fd, size, err);
	s->table = s->own_table;
	s->changed = true;
	return s->table ? 0 : -1;
}

int eb_rd_shards_open(struct eb_rd_load *l, struct eb_rd_job *job,
		      const struct eb_rd_file *f, int fd, uint64_t size,
		      struct eb_error *err)
{
	EB_CLEANUP(eb_rd_shards_free_ptr)
	struct eb_rd_shards *s = eb_calloc(1, sizeof *s);
	unsigned n;

	s->job = job;
	s->file = f;
	if (open_index(l, s, fd, size, err) < 0)
		return -1;
	eb_detail(l->events, "\"%s\": shards of %u names", f->key, s->table->n);
	n = eb_rd_source_add(l->rd, job->index, job->channel->canonical,
			     job->subdir, job->dir_url);
	l->rd->source[n].shards = eb_steal(s);
	return 0;
}

/* --- keeping --------------------------------------------------------- */

static int put(void *data, const void *p, size_t n, struct eb_error *err)
{
	return eb_blob_write(data, p, n, err);
}

int eb_rd_shards_keep(struct eb_rd_load *l, struct eb_rd_shards *s,
		      struct eb_error *err)
{
	eb_autofree const struct eb_rd_head **segment = NULL;
	struct eb_blob_writer *w = NULL;

	if (!s->changed || !l->store || eb_store_is_readonly(l->store))
		return 0;
	segment = eb_calloc(s->table->n + 1, sizeof *segment);
	for (uint32_t i = 0; i < s->table->n; i++)
		segment[i] =
			eb_rd_shards_segment_of(s, &eb_rd_entries(s->table)[i]);
	if (eb_blob_begin(l->store, &w, err) < 0)
		return -1;
	if (eb_rd_bundle_write(s->table, segment, put, w, err) < 0) {
		eb_blob_abort(w);
		return -1;
	}
	return eb_rd_kept_put(l->store, s->file->index_key, s->source, w, err);
}
