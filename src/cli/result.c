/* SPDX-License-Identifier: Apache-2.0 */
/* What build, lock and run share: the environment, its lock, its image. */
#include <string.h>
#include <unistd.h>

#include "image_ref.h"
#include "result.h"

int eb_result_look(struct eb_cli *cli, const char *input, struct eb_result *out,
		   struct eb_error *err)
{
	struct eb_events *events = cli->events;

	if (eb_cli_password(cli, err) < 0 ||
	    eb_team_open(&cli->config, false, events, &out->team, err) < 0 ||
	    eb_cli_store(cli, 0, &out->store, err) < 0)
		return -1;
	return eb_env_open(input, &cli->config, out->store, events, &out->env,
			   err);
}

int eb_result_open(struct eb_cli *cli, const char *input, struct eb_result *out,
		   struct eb_error *err)
{
	struct eb_events *events = cli->events;

	if (!out->env && eb_result_look(cli, input, out, err) < 0)
		return -1;
	/* One build of a definition at a time; the others share its result. */
	return eb_store_lock_build(out->store, &out->env->definition, events,
				   &out->lock_fd, err);
}

int eb_result_lock(struct eb_cli *cli, struct eb_result *r,
		   struct eb_error *err)
{
	int rc = 0;

	if (r->team)
		rc = eb_team_lock(r->team, r->env, &cli->config, r->store,
				  &r->image, &r->lock, err);
	r->standing = rc > 0;
	if (rc < 0 && err->code == EB_NETWORK && !err->hint)
		eb_err_hint(err, "--no-push leaves the registry out");
	if (rc)
		return rc < 0 ? -1 : 0;
	if (r->team && r->builds)
		eb_team_ahead(r->team);
	return eb_env_lock(r->env, &cli->config, r->store, cli->events,
			   &r->lock, &r->solved, err);
}

static void take_standing(struct eb_result *r)
{
	r->built = (struct eb_built){
		.lock = r->image.lock,
		.manifest = r->image.manifest,
		.config = r->image.config,
		.cached = true,
	};
}

static int add_tags(const struct eb_cli *cli, struct eb_result *r,
		    struct eb_error *err)
{
	for (size_t i = 0; i < cli->config.tag.n; i++)
		if (eb_team_tag(r->team, &r->image.digest, cli->config.tag.v[i],
				err) < 0)
			return -1;
	return 0;
}

/* Where who looks for it as Azure's finds it: on the same host. */
static int add_azureml(const struct eb_cli *cli, struct eb_result *r,
		       struct eb_error *err)
{
	const char *host = cli->config.registry;
	eb_autofree char *reference = NULL;
	char name[EB_AZUREML_NAME];

	if (!eb_naming_is_azureml(r->lock ? r->lock->naming
					  : cli->config.naming))
		return 0;
	eb_azureml_name(&r->built.lock, name);
	reference = eb_asprintf("%.*s/azureml/%s:latest",
				(int)strcspn(host, "/"), host, name);
	if (eb_team_tag(r->team, &r->image.digest, reference, err) < 0)
		return -1;
	eb_note(cli->events, "also %s", reference);
	return 0;
}

/* The image under its name in the catalogue. */
static int add_name(struct eb_result *r, struct eb_error *err)
{
	const struct eb_named *e = r->env->named;
	eb_autofree char *tag =
		e && e->version ? eb_team_name_tag(e->name, e->version) : NULL;

	return tag ? eb_team_tag(r->team, &r->image.digest, tag, err) : 0;
}

int eb_result_build(struct eb_cli *cli, struct eb_result *r,
		    struct eb_error *err)
{
	if (!r->team)
		return eb_build_image(r->lock, r->env, &cli->config, r->store,
				      cli->events, &r->built, err);
	if (r->standing)
		take_standing(r);
	else if (eb_team_build(r->team, r->lock, r->env, &cli->config, r->store,
			       cli->events, &r->built, &r->image, err) < 0)
		return -1;
	if (add_tags(cli, r, err) < 0 || add_azureml(cli, r, err) < 0)
		return -1;
	return add_name(r, err);
}

char *eb_result_registry(const struct eb_result *r)
{
	return r->team ? eb_team_reference(r->team, &r->image.digest) : NULL;
}

int eb_result_bring(struct eb_cli *cli, struct eb_result *r,
		    struct eb_error *err)
{
	const struct eb_digest *manifest = &r->built.manifest;
	struct eb_digest digest, top;
	char ref[EB_DIGEST_TEXT];
	int here = r->team ? eb_store_has(r->store, manifest, err) : 1;

	if (here < 0)
		return -1;
	if (!here &&
	    eb_image_pull(eb_team_repository(r->team),
			  eb_digest_text(manifest, ref), cli->config.platform,
			  EB_PULL_LAYERS, r->store, cli->events, &digest, &top,
			  err) < 0)
		return -1;
	return eb_image_bring(cli, r->store, manifest, err);
}

void eb_result_release(struct eb_result *r)
{
	eb_lock_free(r->lock);
	eb_env_free(r->env);
	if (r->lock_fd >= 0)
		close(r->lock_fd);
	eb_store_close(r->store);
	eb_team_free(r->team);
}

static char *definition_tag(const struct eb_env *env)
{
	char hex[EB_HEX_SIZE];

	return eb_asprintf("env-%.32s", eb_digest_hex(&env->definition, hex));
}

int eb_result_outputs(struct eb_cli *cli, struct eb_result *r, char **reference,
		      struct eb_error *err)
{
	eb_autofree char *tag = definition_tag(r->env);
	const struct eb_output o = { .store = r->store,
				     .manifest = &r->built.manifest,
				     .platform = r->lock->platform,
				     .tag = tag };

	if (cli->config.output.n && eb_result_bring(cli, r, err) < 0)
		return -1;
	if (!cli->config.output.n && r->team) {
		*reference = eb_result_registry(r);
		return 0;
	}
	return eb_outputs_write(cli, &o, reference, err);
}
