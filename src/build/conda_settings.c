/* SPDX-License-Identifier: Apache-2.0 */
/* What conda's own settings mean for a build: channels, where they are to be
 * had, what may be asked. */
#include "conda_settings.h"

#include <fnmatch.h>
#include <string.h>

#include <envbuild/build.h>

#include "build_private.h"
#include "url_specs.h"

static void take(char **option, const char *value)
{
	if (!value)
		return;
	free(*option);
	*option = eb_strdup(value);
}

/* Pins that are none are an error of the settings as others are. */
static void take_pins(struct eb_config *c)
{
	const struct eb_strv *pin = &c->condarc->pinned_packages;
	struct eb_error *err = &c->condarc->err;

	for (size_t i = 0; i < pin->n && !eb_err_is_set(err); i++) {
		if (eb_config_set(c, "pin", pin->v[i], err) == 0)
			continue;
		err->code = EB_INPUT;
		eb_err_prefix(err, "\"pinned_packages\" of conda's settings");
	}
}

void eb_config_take_condarc(struct eb_config *c)
{
	eb_condarc_unref(c->condarc);
	c->condarc = eb_condarc_read();
	eb_strv_copy(&c->channel, &c->condarc->channels);
	take(&c->channel_alias, c->condarc->channel_alias);
	take(&c->channel_priority, c->condarc->channel_priority);
	take_pins(c);
}

struct eb_channel_rules eb_config_rules(const struct eb_config *c)
{
	return (struct eb_channel_rules){ .alias = c->channel_alias,
					  .condarc = c->condarc,
					  .own_ca = c->ca_file != NULL };
}

int eb_condarc_check(const struct eb_config *c, struct eb_error *err)
{
	const struct eb_error *why = c->condarc ? &c->condarc->err : NULL;

	if (!why || !eb_err_is_set(why))
		return 0;
	eb_err_set(err, why->code, "%s", why->message);
	if (why->hint)
		eb_err_hint(err, "%s", why->hint);
	return why->file ? eb_err_at(err, why->file, why->line, why->column)
			 : -1;
}

static int check_ways(const struct eb_config *c,
		      const struct eb_channel_ways *ways, struct eb_error *err)
{
	for (size_t i = 0; i < ways->n; i++)
		if (eb_policy_channel(c, ways->way[i].shown, err) < 0)
			return -1;
	return 0;
}

int eb_condarc_check_channel(const struct eb_config *c,
			     const struct eb_channels *channels,
			     const char *canonical, struct eb_error *err)
{
	const struct eb_channel_rules rules = eb_config_rules(c);
	EB_CLEANUP(eb_channel_ways_release) struct eb_channel_ways ways = { 0 };

	if (eb_policy_channel(c, canonical, err) < 0)
		return -1;
	if (!c->condarc)
		return 0;
	if (eb_condarc_allows(c->condarc, canonical, c->channel_alias, err) < 0)
		return -1;
	if (!c->condarc->mirrored_channels.n)
		return 0;
	if (eb_channel_ways(channels, &rules, canonical, &ways, err) < 0)
		return -1;
	return check_ways(c, &ways, err);
}

/* --- words ----------------------------------------------------------- */

static bool has_login(const struct eb_config *c,
		      const struct eb_channels *channels, const char *url)
{
	const struct eb_channel_rules rules = eb_config_rules(c);
	EB_CLEANUP(eb_channel_ways_release) struct eb_channel_ways ways = { 0 };
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	return eb_channel_ways(channels, &rules, url, &ways, &ignored) == 0 &&
	       (ways.way[0].authorization ||
		strcmp(ways.way[0].url, ways.way[0].shown));
}

/* A login by a plugin of conda's, which we do not have. */
static void tell_plugin(const struct eb_config *c,
			const struct eb_channels *channels, const char *text,
			struct eb_events *events)
{
	size_t n = strcspn(text, " ");
	eb_autofree char *what = eb_strndup(text, n);

	for (size_t i = 0; i < channels->n; i++) {
		const struct eb_channel *one = &channels->channel[i];

		if ((strcmp(what, one->name) &&
		     fnmatch(what, one->canonical, 0)) ||
		    has_login(c, channels, one->canonical))
			continue;
		eb_warn(events,
			"channel \"%s\": conda's settings leave its login to "
			"the plugin \"%s\"; here it is asked for without one",
			one->name, text + n + 1);
	}
}

void eb_condarc_tell(const struct eb_config *c,
		     const struct eb_channels *channels,
		     struct eb_events *events)
{
	const struct eb_condarc *rc = c->condarc;

	if (!rc)
		return;
	for (size_t i = 0; i < rc->file.n; i++)
		eb_detail(events, "\"%s\": conda's settings are followed",
			  rc->file.v[i]);
	for (size_t i = 0; i < rc->variable.n; i++)
		eb_detail(events, "variable \"%s\": followed as conda does",
			  rc->variable.v[i]);
	if (rc->tls.insecure)
		eb_warn(events, "the TLS certificates of channels are not "
				"checked, as ssl_verify in conda's settings "
				"asks for");
	for (size_t i = 0; i < rc->auth_plugins.n; i++)
		tell_plugin(c, channels, rc->auth_plugins.v[i], events);
}

/* --- packages -------------------------------------------------------- */

int eb_fetch_ways(const struct eb_config *c, const struct eb_env *env,
		  const struct eb_record *r, struct eb_channel_ways *out,
		  struct eb_error *err)
{
	const struct eb_channel_rules rules = eb_config_rules(c);
	const char *line = env ? eb_url_spec_of(env->spec, r) : NULL;

	if (eb_channel_ways(env ? &env->request.channels : NULL, &rules,
			    line ? line : r->url, out, err) < 0)
		return -1;
	if (check_ways(c, out, err) == 0)
		return 0;
	eb_channel_ways_release(out);
	return -1;
}

bool eb_channels_offline(const struct eb_config *c)
{
	return c->offline || (c->condarc && c->condarc->offline);
}

void eb_condarc_hint(const struct eb_config *c, struct eb_error *err)
{
	if (err->code == EB_NETWORK && c->condarc && c->condarc->offline &&
	    !c->offline)
		eb_err_hint(err, "\"offline\" in conda's settings forbids it; "
				 "CONDA_OFFLINE=false allows it once");
}

int eb_fetch_may_ask(const struct eb_config *c, const char *url,
		     struct eb_error *err)
{
	if (!c->condarc || !c->condarc->offline || eb_starts(url, "file:"))
		return 0;
	eb_err_set(err, EB_NETWORK,
		   "\"%s\": downloading: \"offline\" in conda's settings "
		   "forbids to ask for it",
		   url);
	return eb_err_hint(err, "CONDA_OFFLINE=false allows it once");
}
