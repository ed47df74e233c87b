/* SPDX-License-Identifier: Apache-2.0 */
/* envbuild pull IMAGE: into the store, or to --output. */
#include <string.h>

#include <envbuild/mem.h>

#include "image_ref.h"

static json_t *as_json(const char *reference, const struct eb_digest *manifest)
{
	char text[EB_DIGEST_TEXT];
	json_t *j = json_object();

	json_object_set_new(j, "schema", json_integer(1));
	json_object_set_new(j, "reference", json_string(reference));
	json_object_set_new(j, "manifest",
			    json_string(eb_digest_text(manifest, text)));
	return j;
}

/* By --tag, else as it is called where it comes from. */
static const char *choose_tag(const struct eb_cli *cli,
			      const struct eb_reference *ref)
{
	if (cli->config.tag.n)
		return cli->config.tag.v[0];
	if (ref->kind == EB_REF_REGISTRY && !ref->has_digest)
		return ref->tag ? ref->tag : "latest";
	return ref->kind == EB_REF_REGISTRY || ref->kind == EB_REF_OCI ||
			       ref->kind == EB_REF_OCI_ARCHIVE
		       ? ref->tag
		       : NULL;
}

static int write_out(struct eb_cli *cli, struct eb_store *store,
		     const struct eb_reference *ref,
		     const struct eb_digest *manifest, struct eb_error *err)
{
	eb_autofree char *name = NULL, *reference = NULL;
	struct eb_output o = { .store = store,
			       .manifest = manifest,
			       .platform = cli->config.platform,
			       .tag = choose_tag(cli, ref) };

	if (ref->kind == EB_REF_REGISTRY && o.tag)
		o.name = name = eb_asprintf("%s/%s:%s", ref->registry,
					    ref->repository, o.tag);
	if (eb_outputs_write(cli, &o, &reference, err) < 0)
		return -1;
	return eb_print_reference(cli, reference, as_json(reference, manifest),
				  err);
}

static int run(struct eb_cli *cli, struct eb_error *err)
{
	EB_CLEANUP(eb_reference_release) struct eb_reference ref = { 0 };
	EB_CLEANUP(eb_store_close_ptr) struct eb_store *store = NULL;
	struct eb_digest manifest;

	if (eb_reference_parse(cli->args.v[0], &ref, err) < 0 ||
	    eb_outputs_check(cli, err) < 0)
		return -1;
	eb_progress_log(cli->progress, cli->args.v[0]);
	if (eb_cli_store(cli, 0, &store, err) < 0 ||
	    eb_image_obtain(cli, store, &ref, &manifest, err) < 0)
		return -1;
	return write_out(cli, store, &ref, &manifest, err);
}

const struct eb_command eb_cmd_pull = {
	.name = "pull",
	.usage = "pull IMAGE [--output PLACE]... [--platform OS/ARCH]",
	.summary = "an image from a registry into the store, or to a place",
	.min_args = 1,
	.max_args = 1,
	.run = run,
};
