/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Repodata in the store: the file as the server sent it is a blob, the fact
 * ("repodata", URL) says what the server said with it.
 */
#include <string.h>
#include <time.h>

#include <envbuild/json.h>
#include <envbuild/mem.h>

#include "repodata_job.h"

#define MAX_FRESH_S 3600
#define MISSING_S (7 * 86400)

void eb_rd_fact_release(struct eb_rd_fact *f)
{
	free(f->etag);
	free(f->last_modified);
	free(f->cache_control);
	memset(f, 0, sizeof *f);
}

static void fill(struct eb_rd_fact *f, const json_t *j)
{
	const char *digest = eb_json_str(j, "digest");

	f->absent = eb_json_int(j, "status", 0) == 404;
	f->known = f->absent ||
		   (digest && eb_digest_parse(digest, &f->digest) == 0);
	f->etag = eb_strdup(eb_json_str(j, "etag"));
	f->last_modified = eb_strdup(eb_json_str(j, "last_modified"));
	f->cache_control = eb_strdup(eb_json_str(j, "cache_control"));
	f->time = eb_json_int(j, "time", 0);
	f->size = (uint64_t)eb_json_int(j, "size", 0);
}

int eb_rd_fact_find(struct eb_store *store, const char *key,
		    struct eb_rd_fact *out, struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_CONFIG);
	struct eb_error ignored = EB_ERROR_INIT;
	eb_autojson json_t *j = NULL;
	int got;

	memset(out, 0, sizeof *out);
	got = eb_store_find_fact(store, "repodata", key, &text, err);
	if (got <= 0)
		return got;
	j = eb_json_parse(text.data, text.len, key, &ignored);
	if (!j)
		eb_err_release(&ignored); /* as if it were not there */
	else
		fill(out, j);
	if (out->known && !out->absent) {
		got = eb_store_has(store, &out->digest, err);
		if (got < 0)
			return -1;
		out->known = got;
	}
	if (!out->known)
		eb_rd_fact_release(out);
	return out->known;
}

/* The seconds of max-age in a Cache-Control field, 0 when it says none. */
static uint64_t max_age(const char *control)
{
	struct eb_strv part = { 0 };
	uint64_t age = 0;

	eb_strv_split(&part, control, ",");
	for (size_t i = 0; i < part.n; i++) {
		char *p = eb_strip(part.v[i]);

		eb_lower(p);
		if (!strcmp(p, "no-cache") || !strcmp(p, "no-store")) {
			age = 0;
			break;
		}
		if (eb_starts(p, "max-age=") &&
		    eb_parse_u64(p + 8, UINT32_MAX, &age) < 0)
			age = 0;
	}
	eb_strv_release(&part);
	return age;
}

bool eb_rd_fact_fresh(const struct eb_rd_fact *f, int64_t now)
{
	uint64_t age = f->cache_control ? max_age(f->cache_control) : 0;

	if (age > MAX_FRESH_S)
		age = MAX_FRESH_S;
	return f->known && !f->absent && f->time <= now &&
	       now - f->time < (int64_t)age;
}

bool eb_rd_fact_missing(const struct eb_rd_fact *f, int64_t now)
{
	return f->absent && f->time <= now && now - f->time < MISSING_S;
}

/* --- writing --------------------------------------------------------- */

static int put(struct eb_store *store, const char *key, json_t *j,
	       const struct eb_digest *blob, struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_CONFIG);

	eb_json_canonical(j, &text);
	return eb_store_put_fact(store, "repodata", key, text.data, blob, err);
}

/* A server's header may hold anything; what is not UTF-8 is no use to us. */
static void set(json_t *j, const char *key, const char *value)
{
	if (value && *value)
		json_object_set_new(j, key, json_string(value));
}

static const char *newer(const char *said, const char *known)
{
	return said ? said : known;
}

static int put_blob(struct eb_rd_load *l, struct eb_rd_file *f,
		    struct eb_error *err)
{
	struct eb_blob_writer *w = NULL;

	if (eb_blob_begin(l->store, &w, err) < 0)
		return -1;
	if (eb_blob_write_fd(w, f->fd, 0, f->request.received, err) < 0) {
		eb_blob_abort(w);
		return -1;
	}
	return eb_blob_commit(w, NULL, f->key, &f->fact.digest, &f->fact.size,
			      err);
}

int eb_rd_cache_keep(struct eb_rd_load *l, struct eb_rd_file *f,
		     struct eb_error *err)
{
	const struct eb_http_request *r = &f->request;
	eb_autojson json_t *j = json_object();
	char digest[EB_DIGEST_TEXT];
	bool same = f->state == EB_RDF_CACHED;

	if (!same && put_blob(l, f, err) < 0)
		return -1;
	set(j, "url", f->key);
	set(j, "etag", newer(r->etag, same ? f->fact.etag : NULL));
	set(j, "last_modified",
	    newer(r->last_modified, same ? f->fact.last_modified : NULL));
	set(j, "cache_control",
	    newer(r->cache_control, same ? f->fact.cache_control : NULL));
	set(j, "digest", eb_digest_text(&f->fact.digest, digest));
	json_object_set_new(j, "time", json_integer(time(NULL)));
	json_object_set_new(j, "size", json_integer((json_int_t)f->fact.size));
	return put(l->store, f->key, j, &f->fact.digest, err);
}

int eb_rd_cache_absent(struct eb_rd_load *l, const struct eb_rd_file *f,
		       struct eb_error *err)
{
	eb_autojson json_t *j = json_object();

	set(j, "url", f->key);
	json_object_set_new(j, "status", json_integer(404));
	json_object_set_new(j, "time", json_integer(time(NULL)));
	return put(l->store, f->key, j, NULL, err);
}
