/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Indexes in the store: a blob each, mapped into memory when it is used. The
 * fact ("repodata-index", URL of the file) says which blob it is and of which
 * state of the file it was made.
 */
#include <string.h>
#include <sys/mman.h>

#include <envbuild/file.h>
#include <envbuild/json.h>
#include <envbuild/mem.h>

#include "repodata_job.h"

#define KIND "repodata-index"

/* --- facts ----------------------------------------------------------- */

static int read_fact(struct eb_store *store, const char *key,
		     const char *source, struct eb_digest *index,
		     struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_CONFIG);
	struct eb_error ignored = EB_ERROR_INIT;
	eb_autojson json_t *j = NULL;
	const char *of, *digest;
	int got = eb_store_find_fact(store, KIND, key, &text, err);

	if (got <= 0)
		return got;
	j = eb_json_parse(text.data, text.len, key, &ignored);
	eb_err_release(&ignored); /* as if it were not there */
	of = j ? eb_json_str(j, "source") : NULL;
	digest = j ? eb_json_str(j, "index") : NULL;
	return of && digest && (!source || !strcmp(of, source)) &&
	       eb_digest_parse(digest, index) == 0;
}

static int write_fact(struct eb_store *store, const char *key,
		      const char *source, const struct eb_digest *index,
		      struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_CONFIG);
	eb_autojson json_t *j = json_object();
	char digest[EB_DIGEST_TEXT];

	json_object_set_new(j, "source", json_string(source));
	json_object_set_new(j, "index",
			    json_string(eb_digest_text(index, digest)));
	eb_json_canonical(j, &text);
	return eb_store_put_fact(store, KIND, key, text.data, index, err);
}

/* --- blobs ----------------------------------------------------------- */

static int map_blob(struct eb_store *store, const struct eb_digest *digest,
		    struct eb_rd_map *out, struct eb_error *err)
{
	eb_autofd int fd = -1;
	uint64_t size;
	int got = eb_store_blob(store, digest, &fd, &size, err);

	if (got <= 0 || !size || size > SIZE_MAX / 2)
		return got < 0 ? -1 : 0;
	out->p = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (out->p == MAP_FAILED) {
		out->p = NULL;
		return 0;
	}
	out->size = size;
	out->mapped = true;
	return 1;
}

int eb_rd_kept_find(struct eb_store *store, const char *key, const char *source,
		    struct eb_rd_map *out, struct eb_error *err)
{
	struct eb_digest index;
	int got;

	if (!store)
		return 0;
	got = read_fact(store, key, source, &index, err);
	return got <= 0 ? got : map_blob(store, &index, out, err);
}

int eb_rd_kept_put(struct eb_store *store, const char *key, const char *source,
		   struct eb_blob_writer *w, struct eb_error *err)
{
	struct eb_digest index;
	uint64_t size;

	if (eb_blob_commit(w, NULL, key, &index, &size, err) < 0)
		return -1;
	return write_fact(store, key, source, &index, err);
}

/* --- sources --------------------------------------------------------- */

static void add_source(struct eb_rd_load *l, const struct eb_rd_job *job,
		       const struct eb_rd_map *map)
{
	unsigned n =
		eb_rd_source_add(l->rd, job->index, job->channel->canonical,
				 job->subdir, job->dir_url);

	l->rd->source[n].map = *map;
	l->rd->source[n].head = map->p;
}

int eb_rd_reuse(struct eb_rd_load *l, struct eb_rd_job *job,
		const struct eb_rd_file *f, const char *source,
		struct eb_error *err)
{
	struct eb_rd_map map = { 0 };
	int got = eb_rd_kept_find(l->store, f->index_key, source, &map, err);

	if (got <= 0)
		return got;
	if (!eb_rd_segment_ok(map.p, map.size)) {
		eb_rd_map_release(&map);
		return 0;
	}
	add_source(l, job, &map);
	eb_detail(l->events, "\"%s\": the index of it is used", f->key);
	return 1;
}

static int put(void *data, const void *p, size_t n, struct eb_error *err)
{
	return eb_blob_write(data, p, n, err);
}

static int keep(struct eb_rd_load *l, const char *key,
		const struct eb_rd_build *b, const char *source,
		struct eb_error *err)
{
	struct eb_blob_writer *w = NULL;
	uint64_t size;

	if (eb_blob_begin(l->store, &w, err) < 0)
		return -1;
	if (eb_rd_seal(b, put, w, &size, err) < 0) {
		eb_blob_abort(w);
		return -1;
	}
	return eb_rd_kept_put(l->store, key, source, w, err);
}

int eb_rd_take(struct eb_rd_load *l, struct eb_rd_job *job,
	       const struct eb_rd_file *f, const struct eb_rd_build *b,
	       const char *source, struct eb_error *err)
{
	struct eb_rd_map map = { 0 };

	if (l->store && source && !eb_store_is_readonly(l->store)) {
		int got;

		if (keep(l, f->index_key, b, source, err) < 0)
			return -1;
		got = eb_rd_reuse(l, job, f, source, err);
		if (got != 0)
			return got < 0 ? -1 : 0;
	}
	map.p = eb_rd_seal_memory(b);
	add_source(l, job, &map);
	return 0;
}
