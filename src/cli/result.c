/* SPDX-License-Identifier: Apache-2.0 */
/* What build, lock and run share: the environment, its lock, its image. */
#include <string.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/json.h>
#include <envbuild/layout.h>
#include <envbuild/reference.h>
#include <envbuild/rootfs.h>

#include "result.h"

int eb_result_open(struct eb_cli *cli, const char *input, struct eb_result *out,
		   struct eb_error *err)
{
	struct eb_events *events = cli->events;

	if (eb_cli_store(cli, 0, &out->store, err) < 0)
		return -1;
	if (eb_env_open(input, &cli->config, out->store, events, &out->env,
			err) < 0)
		return -1;
	/* One build of a definition at a time; the others share its result. */
	return eb_store_lock_build(out->store, &out->env->definition, events,
				   &out->lock_fd, err);
}

int eb_result_lock(struct eb_cli *cli, struct eb_result *r,
		   struct eb_error *err)
{
	return eb_env_lock(r->env, &cli->config, r->store, cli->events,
			   &r->lock, &r->solved, err);
}

int eb_result_build(struct eb_cli *cli, struct eb_result *r,
		    struct eb_error *err)
{
	return eb_build_image(r->lock, r->env, &cli->config, r->store,
			      cli->events, &r->built, err);
}

void eb_result_release(struct eb_result *r)
{
	eb_lock_free(r->lock);
	eb_env_free(r->env);
	if (r->lock_fd >= 0)
		close(r->lock_fd);
	eb_store_close(r->store);
}

static char *definition_tag(const struct eb_env *env)
{
	char hex[EB_HEX_SIZE];

	return eb_asprintf("env-%.32s", eb_digest_hex(&env->definition, hex));
}

static int parse_output(const char *text, struct eb_reference *out,
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

int eb_result_check_outputs(const struct eb_cli *cli, struct eb_error *err)
{
	for (size_t i = 0; i < cli->config.output.n; i++) {
		EB_CLEANUP(eb_reference_release)
		struct eb_reference ref = { 0 };

		if (parse_output(cli->config.output.v[i], &ref, err) < 0)
			return -1;
	}
	return 0;
}

static int write_output(struct eb_cli *cli, struct eb_result *r,
			const char *text, char **reference,
			struct eb_error *err)
{
	EB_CLEANUP(eb_reference_release) struct eb_reference ref = { 0 };
	eb_autofree char *tag = definition_tag(r->env);

	if (parse_output(text, &ref, err) < 0)
		return -1;
	if (ref.kind == EB_REF_ROOTFS) {
		*reference = eb_strdup(text);
		return eb_rootfs_unpack(r->store, &r->built.manifest, ref.path,
					cli->events, err);
	}
	*reference =
		ref.tag ? eb_strdup(text) : eb_asprintf("%s:%s", text, tag);
	return eb_image_export(r->store, &r->built.manifest, &ref, tag,
			       r->lock->platform, cli->events, err);
}

int eb_result_outputs(struct eb_cli *cli, struct eb_result *r, char **reference,
		      struct eb_error *err)
{
	*reference = eb_cli_reference(&r->built.manifest);
	for (size_t i = 0; i < cli->config.output.n; i++) {
		char *written = NULL;
		int rc = write_output(cli, r, cli->config.output.v[i], &written,
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
