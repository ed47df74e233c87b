/* SPDX-License-Identifier: Apache-2.0 */
/* ENV or IMAGE: which of them a word is, and its image, unpacked. */
#include <string.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/image.h>
#include <envbuild/json.h>
#include <envbuild/rootfs.h>
#include <envbuild/sandbox.h>

#include "image_take.h"

/* "localhost/x", "ghcr.io/x", "localhost:5000/x": what is before the first
 * slash can be no folder but by an odd chance, and a file that is there wins.
 */
static bool names_host(const char *text)
{
	size_t n = strcspn(text, "/");
	eb_autofree char *host = eb_strndup(text, n);

	if (!n || !text[n] || *text == '.' || eb_path_exists(text))
		return false;
	return strpbrk(host, ".:") || !strcmp(host, "localhost");
}

bool eb_names_image(const char *text)
{
	static const char *const prefixes[] = {
		"store:", "oci:", "oci-archive:", "docker-archive:", "docker://"
	};

	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
		if (eb_starts(text, prefixes[i]))
			return true;
	return names_host(text);
}

static int find_image(struct eb_cli *cli, struct eb_store *store,
		      const char *text, struct eb_digest *manifest,
		      struct eb_error *err)
{
	EB_CLEANUP(eb_reference_release) struct eb_reference ref = { 0 };

	if (eb_reference_parse(text, &ref, err) < 0)
		return -1;
	return eb_image_obtain(cli, store, &ref, manifest, err);
}

/* An environment is built first when it is not there. */
static int build(struct eb_cli *cli, const char *what, struct eb_result *r,
		 struct eb_digest *manifest, struct eb_error *err)
{
	r->builds = true;
	if (eb_result_open(cli, what, r, err) < 0 ||
	    eb_result_lock(cli, r, err) < 0 || eb_result_build(cli, r, err) < 0)
		return -1;
	if (eb_result_bring(cli, r, err) < 0)
		return -1;
	*manifest = r->built.manifest;
	close(r->lock_fd); /* others may build while this one runs */
	r->lock_fd = -1;
	return 0;
}

int eb_take_image(struct eb_cli *cli, const char *what, struct eb_result *r,
		  struct eb_digest *manifest, struct eb_error *err)
{
	memset(manifest, 0, sizeof *manifest);
	if (!*what || !eb_names_image(what))
		return build(cli, what, r, manifest, err);
	if (!r->store && eb_cli_store(cli, 0, &r->store, err) < 0)
		return -1;
	if (find_image(cli, r->store, what, manifest, err) < 0)
		return -1;
	return eb_image_bring(cli, r->store, manifest, err);
}

int eb_take_config(struct eb_taken *t, struct eb_store *store,
		   const struct eb_digest *manifest, struct eb_error *err)
{
	EB_CLEANUP(eb_manifest_release) struct eb_manifest m = { 0 };
	EB_AUTOBUF(text, EB_MAX_MANIFEST);

	if (eb_store_read(store, manifest, EB_MAX_MANIFEST, &text, err) < 0 ||
	    eb_manifest_parse(text.data, text.len, "image manifest", &m, err) <
		    0)
		return -1;
	eb_buf_reset(&text);
	if (eb_store_read(store, &m.config.digest, EB_MAX_MANIFEST, &text,
			  err) < 0)
		return -1;
	t->config = eb_config_parse(text.data, text.len, "image configuration",
				    err);
	return t->config ? 0 : -1;
}

int eb_take_rootfs(struct eb_taken *t, struct eb_cli *cli,
		   struct eb_store *store, const struct eb_digest *manifest,
		   struct eb_error *err)
{
	struct eb_stage stage;
	int rc;

	t->dir = eb_make_tempdir(eb_store_tmp(store), "run-", err);
	if (!t->dir)
		return -1;
	t->rootfs = eb_path_join(t->dir, "rootfs");
	eb_stage_begin(cli->events, &stage, "unpack");
	rc = eb_rootfs_unpack_for_run(store, manifest, t->rootfs, cli->events,
				      err);
	eb_stage_end(cli->events, &stage);
	return rc;
}

void eb_taken_release(struct eb_taken *t)
{
	struct eb_error ignored = EB_ERROR_INIT;

	if (t->dir && eb_sandbox_remove(t->dir, &ignored) < 0)
		eb_err_release(&ignored);
	free(t->dir);
	free(t->rootfs);
	json_decref(t->config);
}
