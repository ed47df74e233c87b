/* SPDX-License-Identifier: Apache-2.0 */
/* The client for registries that the options ask for. */
#include <envbuild/reference.h>
#include <envbuild/team.h>

#include "build_private.h"

/* Of a reference; NULL: it is in no registry. */
static char *host_of(const char *reference)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_CLEANUP(eb_reference_release) struct eb_reference r = { 0 };

	if (!reference || eb_reference_parse(reference, &r, &ignored) < 0)
		return NULL;
	return eb_steal(r.registry);
}

struct eb_registry *eb_config_registry(const struct eb_config *config,
				       const struct eb_asking *asking,
				       struct eb_events *events)
{
	static const struct eb_asking usual;
	const struct eb_asking *a = asking ? asking : &usual;
	eb_autofree char *team = host_of(config->registry);
	const char *host = a->login_host ? a->login_host : team;
	const struct eb_registry_options options = {
		.ca_file = config->ca_file,
		.plain_http = config->plain_http,
		.offline = config->offline,
		.user = config->username,
		.password = config->password,
		.login_host = host ? host : "", /* nobody */
		.timeout_ms =
			config->timeout_ms ? config->timeout_ms : a->timeout_ms,
		.tries = a->tries,
		.single = a->single,
	};

	return eb_registry_new(&options, events);
}

static bool has_oci_mirror(const struct eb_condarc *c)
{
	for (size_t i = 0; c && i < c->mirrored_channels.n; i++) {
		const struct eb_strv *url = &c->mirrored_channels.v[i].url;

		for (size_t k = 0; k < url->n; k++)
			if (eb_channel_is_oci(url->v[k]))
				return true;
	}
	return false;
}

struct eb_registry *eb_channel_registry(const struct eb_env *env,
					const struct eb_config *config,
					struct eb_events *events)
{
	const struct eb_asking asking = { .login_host = "" };
	const struct eb_channels *c = env ? &env->request.channels : NULL;
	bool any = !c;

	for (size_t i = 0; c && i < c->n; i++)
		any |= eb_channel_is_oci(c->channel[i].canonical);
	any |= has_oci_mirror(config->condarc);
	return any ? eb_config_registry(config, &asking, events) : NULL;
}

struct eb_registry *eb_base_registry(const struct eb_config *config,
				     const char *base, struct eb_events *events)
{
	eb_autofree char *host = config->registry ? NULL : host_of(base);
	const struct eb_asking asking = { .login_host = host, .single = true };

	if (config->offline || !eb_base_is_remote(base))
		return NULL;
	return eb_config_registry(config, &asking, events);
}
