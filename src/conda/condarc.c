/* SPDX-License-Identifier: Apache-2.0 */
/* conda's settings as a whole: read once, owned by several. */

#include <envbuild/mem.h>

#include "channel_login.h"
#include "condarc_int.h"

/* The keys that a variable may have, by all their names. */
static const char *const variables[] = {
	"ADD_ANACONDA_TOKEN",
	"ADD_BINSTAR_TOKEN",
	"ALLOWLIST_CHANNELS",
	"CHANNEL",
	"CHANNELS",
	"CHANNEL_ALIAS",
	"CHANNEL_PRIORITY",
	"CLIENT_CERT",
	"CLIENT_CERT_KEY",
	"CLIENT_SSL_CERT",
	"CLIENT_SSL_CERT_KEY",
	"DEFAULT_CHANNELS",
	"DENYLIST_CHANNELS",
	"MIGRATED_CHANNEL_ALIASES",
	"OFFLINE",
	"PINNED_PACKAGES",
	"REMOTE_MAX_RETRIES",
	"REMOTE_READ_TIMEOUT_SECS",
	"SSL_VERIFY",
	"VERIFY_SSL",
	"WHITELIST_CHANNELS",
};

static void note_variables(struct eb_strv *out)
{
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
		eb_autofree char *name = eb_asprintf("CONDA_%s", variables[i]);
		const char *value = getenv(name);

		if (value && *value)
			eb_strv_add(out, name);
	}
}

static void release_names(struct eb_condarc_names *names)
{
	for (size_t i = 0; i < names->n; i++) {
		free(names->v[i].name);
		eb_strv_release(&names->v[i].url);
	}
	free(names->v);
	*names = (struct eb_condarc_names){ 0 };
}

/* All that the keys have set. */
static void release_values(struct eb_condarc *c)
{
	eb_strv_release(&c->channels);
	free(eb_steal(c->channel_alias));
	free(eb_steal(c->channel_priority));
	eb_strv_release(&c->migrated_channel_aliases);
	eb_strv_release(&c->default_channels);
	release_names(&c->custom_channels);
	release_names(&c->custom_multichannels);
	release_names(&c->migrated_custom_channels);
	release_names(&c->mirrored_channels);
	eb_strv_release(&c->allowlist_channels);
	eb_strv_release(&c->denylist_channels);
	free(eb_steal(c->allowlist_from));
	free(eb_steal(c->denylist_from));
	eb_strv_release(&c->pinned_packages);
	eb_strv_release(&c->auth_plugins);
	free((char *)c->tls.ca);
	free((char *)c->tls.cert);
	free((char *)c->tls.key);
	c->tls = (struct eb_http_tls){ 0 };
	release_names(&c->proxy_servers);
	c->offline = false;
	c->add_anaconda_token = true;
	c->read_timeout_s = c->tries = 0;
}

struct eb_condarc *eb_condarc_read_in(const char *root)
{
	EB_CLEANUP(eb_rc_layers_release) struct eb_rc_layers layers = { 0 };
	struct eb_condarc *c = eb_calloc(1, sizeof *c);

	c->refs = 1;
	c->add_anaconda_token = true;
	c->logins = eb_channel_logins_new();
	if (eb_rc_places(root, &c->file, &c->err) < 0 ||
	    eb_rc_layers_read(&c->file, &layers, &c->err) < 0 ||
	    eb_rc_keys(&layers, c, &c->err) < 0)
		release_values(c);
	note_variables(&c->variable);
	return c;
}

struct eb_condarc *eb_condarc_read(void)
{
	return eb_condarc_read_in("");
}

struct eb_condarc *eb_condarc_ref(struct eb_condarc *c)
{
	if (c)
		c->refs++;
	return c;
}

void eb_condarc_unref(struct eb_condarc *c)
{
	if (!c || --c->refs)
		return;
	release_values(c);
	eb_channel_logins_free(c->logins);
	eb_strv_release(&c->file);
	eb_strv_release(&c->variable);
	eb_err_release(&c->err);
	free(c);
}
