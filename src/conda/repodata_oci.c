/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Repodata in a registry of containers: the manifest behind "latest" names the
 * blob; the store keeps that under the URL, as of any other server.
 */
#include <string.h>

#include <envbuild/file.h>
#include <envbuild/json.h>
#include <envbuild/mem.h>

#include "channel_oci.h"
#include "repodata_job.h"

#define REPOSITORY "repodata.json"
#define MEDIA_TYPE "application/vnd.conda.repodata.v1+json"

/* The smaller the better. */
static int rank(const char *type)
{
	static const char *const known[] = { MEDIA_TYPE "+zst",
					     MEDIA_TYPE "+bz2",
					     MEDIA_TYPE "+gzip", MEDIA_TYPE };

	for (int i = 0; type && i < 4; i++)
		if (!strcmp(type, known[i]))
			return 4 - i;
	return 0;
}

static int pick(const json_t *manifest, const char *key,
		struct eb_digest *digest, uint64_t *size, struct eb_error *err)
{
	const json_t *layers = eb_json_arr(manifest, "layers"), *best = NULL;
	const char *text;
	int64_t said;

	for (size_t i = 0; i < json_array_size(layers); i++) {
		const json_t *one = json_array_get(layers, i);

		if (rank(eb_json_str(one, "mediaType")) >
		    (best ? rank(eb_json_str(best, "mediaType")) : 0))
			best = one;
	}
	text = best ? eb_json_str(best, "digest") : NULL;
	said = best ? eb_json_int(best, "size", -1) : -1;
	if (!text || eb_digest_parse(text, digest) < 0 || said < 0 ||
	    (uint64_t)said > EB_MAX_REPODATA)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\": reading the manifest: it names no "
				  "repodata",
				  key);
	*size = (uint64_t)said;
	return 0;
}

/* 1, 0 there is none, -1 */
static int ask(struct eb_repository *repo, const struct eb_rd_file *f,
	       struct eb_digest *digest, uint64_t *size, struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_REMOTE_MANIFEST);
	eb_autojson json_t *manifest = NULL;
	struct eb_remote remote;
	int got = eb_manifest_get(repo, "latest", &text, &remote, err);

	if (got <= 0)
		return got;
	manifest = eb_json_parse(text.data, text.len, f->key, err);
	if (!manifest || pick(manifest, f->key, digest, size, err) < 0)
		return -1;
	return 1;
}

/* The blob into the file's fd, as if it had been fetched. */
static int fetch(struct eb_rd_load *l, const struct eb_rd_job *job,
		 struct eb_rd_file *f, struct eb_repository *repo,
		 const struct eb_digest *digest, uint64_t size,
		 struct eb_error *err)
{
	int got;

	f->fd = eb_unnamed_file(eb_store_tmp(l->store), err);
	if (f->fd < 0)
		return -1;
	got = eb_channel_oci_blob(repo, digest, size, job->task, f->fd, err);
	if (got < 0)
		return -1;
	if (!got)
		return eb_err_set(err, EB_NETWORK,
				  "\"%s\": downloading: its blob is not there",
				  f->key);
	f->request.received = size;
	f->state = EB_RDF_FETCHED;
	return 0;
}

int eb_rd_oci_state(struct eb_rd_load *l, struct eb_rd_job *job,
		    struct eb_rd_file *f, struct eb_error *err)
{
	struct eb_repository *repo;
	struct eb_digest digest;
	uint64_t size = 0;
	int got = eb_rd_fact_find(l->store, f->key, &f->fact, err);

	if (got < 0)
		return -1;
	if (l->options->offline) {
		if (f->fact.known)
			f->state =
				f->fact.absent ? EB_RDF_ABSENT : EB_RDF_CACHED;
		return 0;
	}
	if (eb_channel_oci_open(l->options->registry, job->at_url, REPOSITORY,
				&repo, err) < 0)
		return -1;
	got = ask(repo, f, &digest, &size, err);
	if (got < 0)
		return -1;
	if (!got) {
		f->state = EB_RDF_ABSENT;
		return eb_rd_cache_absent(l, f, err);
	}
	if (f->fact.known && !f->fact.absent &&
	    eb_digest_equal(&f->fact.digest, &digest)) {
		f->state = EB_RDF_CACHED;
		return 0;
	}
	return fetch(l, job, f, repo, &digest, size, err);
}
