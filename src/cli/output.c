/* SPDX-License-Identifier: Apache-2.0 */
/* --output: places that an image of the store is written to. */
#include <string.h>

#include <envbuild/file.h>
#include <envbuild/json.h>
#include <envbuild/layout.h>
#include <envbuild/rootfs.h>

#include "image_ref.h"

static int parse(const char *text, struct eb_reference *out,
		 struct eb_error *err)
{
	if (eb_reference_parse(text, out, err) < 0)
		return -1;
	if (out->kind == EB_REF_OCI || out->kind == EB_REF_OCI_ARCHIVE ||
	    out->kind == EB_REF_DOCKER_ARCHIVE || out->kind == EB_REF_ROOTFS)
		return 0;
	eb_err_set(err, EB_USAGE, "output \"%s\" is no place to write", text);
	return eb_err_hint(err, "oci:DIR, oci-archive:FILE, "
				"docker-archive:FILE or rootfs:DIR");
}

int eb_outputs_check(const struct eb_cli *cli, struct eb_error *err)
{
	for (size_t i = 0; i < cli->config.output.n; i++) {
		EB_CLEANUP(eb_reference_release)
		struct eb_reference ref = { 0 };

		if (parse(cli->config.output.v[i], &ref, err) < 0)
			return -1;
	}
	return 0;
}

static char *called(const struct eb_output *o, const struct eb_reference *ref,
		    const char *text)
{
	if (ref->kind == EB_REF_DOCKER_ARCHIVE && !ref->tag && o->name)
		return eb_asprintf("%s:%s", text, o->name);
	if (ref->kind == EB_REF_ROOTFS || ref->tag || !o->tag)
		return eb_strdup(text);
	return eb_asprintf("%s:%s", text, o->tag);
}

static int write_one(struct eb_cli *cli, const struct eb_output *o,
		     const char *text, char **reference, struct eb_error *err)
{
	EB_CLEANUP(eb_reference_release) struct eb_reference ref = { 0 };

	if (parse(text, &ref, err) < 0)
		return -1;
	*reference = called(o, &ref, text);
	if (ref.kind == EB_REF_ROOTFS)
		return eb_rootfs_unpack(o->store, o->manifest, ref.path,
					cli->events, err);
	if (ref.kind == EB_REF_DOCKER_ARCHIVE && !ref.tag && o->name)
		ref.tag = eb_strdup(o->name);
	return eb_image_export(o->store, o->manifest, &ref, o->tag, o->platform,
			       cli->events, err);
}

int eb_outputs_write(struct eb_cli *cli, const struct eb_output *o,
		     char **reference, struct eb_error *err)
{
	*reference = eb_cli_reference(o->manifest);
	if (cli->config.output.n &&
	    eb_image_bring(cli, o->store, o->manifest, err) < 0)
		return -1;
	for (size_t i = 0; i < cli->config.output.n; i++) {
		char *written = NULL;
		int rc = write_one(cli, o, cli->config.output.v[i], &written,
				   err);

		if (i == 0 && written) {
			free(*reference);
			*reference = eb_steal(written);
		}
		free(written);
		if (rc < 0)
			return -1;
	}
	return 0;
}

int eb_print_reference(struct eb_cli *cli, const char *reference, json_t *json,
		       struct eb_error *err)
{
	eb_autojson json_t *own = json;
	eb_autofree char *line = eb_asprintf("%s\n", reference);

	if (cli->config.reference_file &&
	    eb_write_file(cli->config.reference_file, line, strlen(line), 0644,
			  err) < 0)
		return -1;
	eb_progress_pause(cli->progress);
	if (cli->config.json)
		return eb_cli_print_json(eb_steal(own), err);
	return eb_cli_print(err, "%s", reference);
}
