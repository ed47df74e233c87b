/* SPDX-License-Identifier: Apache-2.0 */
/* IMAGE on the command line: a registry's, the store's, a file's. */
#include <envbuild/layout.h>
#include <envbuild/mem.h>
#include <envbuild/transfer.h>

#include "image_ref.h"

int eb_image_repository(struct eb_cli *cli, struct eb_registry *registry,
			const struct eb_reference *ref,
			struct eb_repository **out, struct eb_error *err)
{
	if (eb_repository_open(registry, ref->registry, ref->repository, out,
			       err) < 0)
		return -1;
	return eb_policy_check(&cli->config.policy.registries, "registries",
			       eb_repository_text(*out), err);
}

const char *eb_image_name(const struct eb_reference *ref,
			  char text[EB_DIGEST_TEXT])
{
	if (ref->has_digest)
		return eb_digest_text(&ref->digest, text);
	return ref->tag ? ref->tag : "latest";
}

char *eb_image_by_digest(const struct eb_repository *repo,
			 const struct eb_digest *d)
{
	char text[EB_DIGEST_TEXT];

	return eb_asprintf("%s@%s", eb_repository_text(repo),
			   eb_digest_text(d, text));
}

static int from_store(struct eb_store *store, const struct eb_reference *ref,
		      struct eb_digest *manifest, struct eb_error *err)
{
	eb_autofree char *text = NULL;

	if (ref->has_digest) {
		int got = eb_store_has(store, &ref->digest, err);

		*manifest = ref->digest;
		if (got)
			return got < 0 ? -1 : 0;
	}
	text = eb_reference_format(ref);
	eb_err_set(err, EB_INPUT, "image \"%s\" is not in the store", text);
	return eb_err_hint(err, "`envbuild cache list` shows what is");
}

static int pull(struct eb_cli *cli, struct eb_store *store,
		const struct eb_reference *ref, struct eb_digest *manifest,
		struct eb_error *err)
{
	EB_CLEANUP(eb_registry_free_ptr) struct eb_registry *registry = NULL;
	struct eb_repository *repo;
	char text[EB_DIGEST_TEXT];
	struct eb_stage stage;
	int rc;

	if (eb_cli_registry(cli, ref->registry, false, &registry, err) < 0 ||
	    eb_image_repository(cli, registry, ref, &repo, err) < 0)
		return -1;
	eb_stage_begin(cli->events, &stage, "pull");
	rc = eb_image_pull(repo, eb_image_name(ref, text), cli->config.platform,
			   EB_PULL_LAYERS, store, cli->events, manifest, NULL,
			   err);
	eb_stage_end(cli->events, &stage);
	return rc;
}

int eb_image_obtain(struct eb_cli *cli, struct eb_store *store,
		    const struct eb_reference *ref, struct eb_digest *manifest,
		    struct eb_error *err)
{
	struct eb_digest ignored;

	if (ref->kind == EB_REF_STORE)
		return from_store(store, ref, manifest, err);
	if (ref->kind == EB_REF_REGISTRY)
		return pull(cli, store, ref, manifest, err);
	return eb_image_import(store, ref, cli->config.platform, cli->events,
			       manifest, &ignored, err);
}

int eb_image_bring(struct eb_cli *cli, struct eb_store *store,
		   const struct eb_digest *manifest, struct eb_error *err)
{
	EB_CLEANUP(eb_registry_free_ptr) struct eb_registry *registry = NULL;
	struct eb_stage stage;
	int rc = eb_image_is_complete(store, manifest, err);

	if (rc)
		return rc < 0 ? -1 : 0;
	if (eb_cli_registry(cli, NULL, false, &registry, err) < 0)
		return -1;
	eb_stage_begin(cli->events, &stage, "pull");
	rc = eb_image_complete(registry, store, manifest, cli->events, err);
	eb_stage_end(cli->events, &stage);
	return rc;
}
