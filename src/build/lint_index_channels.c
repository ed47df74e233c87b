/* SPDX-License-Identifier: Apache-2.0 */
/* Repodata for lint: of the channels that a build would ask, those that do not
 * answer left out and said; of others, what is here. */
#include <string.h>

#include "conda_settings.h"
#include "lint_base.h"
#include "lint_index.h"

/* Channels that many files mean without naming them. */
static const char *const usual[] = { "conda-forge", "defaults", "bioconda",
				     "pytorch", "nvidia" };

static const char *const platforms[] = { "linux-64", "linux-aarch64",
					 "osx-64",   "osx-arm64",
					 "win-64",   "linux-ppc64le" };

/* Without a store only what lies in folders can be read. */
static bool may_ask(const struct eb_looking *k, const struct eb_channel *c)
{
	return k->store || eb_starts(c->canonical, "file://");
}

static int load(const struct eb_looking *k, const struct eb_channels *channels,
		const char *subdir, bool network, struct eb_repodata **out,
		struct eb_error *err)
{
	struct eb_repodata_options options = {
		.subdir = subdir,
		.offline = !network || eb_channels_offline(k->config),
		.refresh = network && k->config->refresh,
		.spec = (const struct eb_matchspec *const *)k->spec->conda,
		.n_specs = k->spec->n_conda,
	};

	for (size_t i = 0; i < channels->n; i++)
		if (!may_ask(k, &channels->channel[i]))
			return eb_err_set(err, EB_NETWORK,
					  "it is not in the "
					  "store");
	if (k->config->as_of)
		eb_date_parse(k->config->as_of, &options.as_of);
	return eb_repodata_load(channels, &options, k->store, k->http, NULL,
				out, err);
}

/* ---- those that are asked -------------------------------------------------*/

static void tell(struct eb_looking *k, const struct eb_channel *c,
		 const struct eb_error *err)
{
	struct eb_place at = eb_place_of_words(k->spec->file, c->name);
	bool folder = eb_starts(c->canonical, "file://");

	/* The server, or the folder, has no repodata of it. */
	if (strstr(err->message, ": neither \"")) {
		eb_lint_add(k->out, "no-such-channel", at.file, at.line,
			    at.column, err->hint, "%s", err->message);
		return;
	}
	if (!k->network && !k->config->offline && !folder)
		return; /* nobody wanted it asked */
	eb_lint_add(k->out,
		    err->code == EB_REFUSED ? "index-login" : "index-silent",
		    at.file, at.line, at.column, err->hint,
		    "the packages of channel \"%s\" could not be looked at: %s",
		    c->name, err->message);
}

/* One by one, so that one that does not answer hides no other. */
static void try_each(struct eb_looking *k)
{
	const char *subdir = eb_conda_subdir(k->config->platform);

	k->all = true;
	for (size_t i = 0; i < k->channels.n; i++) {
		struct eb_channels one = { &k->channels.channel[i], 1,
					   k->channels.rules };
		struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
		EB_CLEANUP(eb_repodata_free_ptr) struct eb_repodata *rd = NULL;

		k->there[i] = load(k, &one, subdir, k->network, &rd, &err) == 0;
		if (k->there[i])
			continue;
		k->all = false;
		tell(k, one.channel, &err);
	}
}

/* What has just been seen is in the store, or in a folder. */
static void load_there(struct eb_looking *k)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	eb_autofree struct eb_channel *channel =
		eb_calloc(k->channels.n + 1, sizeof *channel);
	struct eb_channels some = { channel, 0, k->channels.rules };

	for (size_t i = 0; i < k->channels.n; i++) {
		if (!k->there[i])
			continue;
		k->channel_at[some.n] = (unsigned)i;
		some.channel[some.n++] = k->channels.channel[i];
	}
	if (some.n && load(k, &some, eb_conda_subdir(k->config->platform),
			   false, &k->rd, &ignored) < 0)
		k->all = false;
}

void eb_look_channels(struct eb_looking *k)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	size_t n = k->channels.n;

	k->there = eb_calloc(n + 1, sizeof *k->there);
	k->channel_at = eb_calloc(n + 1, sizeof *k->channel_at);
	if (!k->spec->n_conda || !eb_conda_subdir(k->config->platform))
		return;
	for (size_t i = 0; i < n; i++)
		k->channel_at[i] = (unsigned)i;
	k->all = load(k, &k->channels, eb_conda_subdir(k->config->platform),
		      k->network, &k->rd, &err) == 0;
	if (k->all) {
		for (size_t i = 0; i < n; i++)
			k->there[i] = true;
		return;
	}
	try_each(k);
	load_there(k);
}

/* ---- others, as far as they are here --------------------------------------*/

/* With the name's records? */
static bool has(struct eb_looking *k, const struct eb_channels *c,
		const char *subdir, const char *name)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_CLEANUP(eb_repodata_free_ptr) struct eb_repodata *rd = NULL;
	const uint32_t *row;

	if (load(k, c, subdir, false, &rd, &ignored) < 0)
		return false;
	for (size_t i = 0, n = eb_repodata_by_name(rd, name, &row); i < n; i++)
		if (!strcmp(eb_repodata_record(rd, row[i], NULL)->subdir,
			    subdir) ||
		    !strcmp(subdir, eb_conda_subdir(k->config->platform)))
			return true;
	return false;
}

static bool is_asked(const struct eb_looking *k, const struct eb_channels *c)
{
	for (size_t i = 0; i < c->n; i++)
		for (size_t j = 0; j < k->channels.n; j++)
			if (!strcmp(c->channel[i].canonical,
				    k->channels.channel[j].canonical))
				return true;
	return false;
}

static bool channel_has(struct eb_looking *k, const char *channel,
			const char *name)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_CLEANUP(eb_channels_release) struct eb_channels c = { 0 };

	return eb_channels_add_by(&c, channel, &k->channels.rules, &ignored) ==
		       0 &&
	       c.n && !is_asked(k, &c) &&
	       has(k, &c, eb_conda_subdir(k->config->platform), name);
}

char *eb_look_elsewhere(struct eb_looking *k, const char *name)
{
	const struct eb_strv *own = &k->config->channel;

	for (size_t i = 0; i < own->n; i++)
		if (channel_has(k, own->v[i], name))
			return eb_strdup(own->v[i]);
	for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
		if (channel_has(k, usual[i], name))
			return eb_strdup(usual[i]);
	return NULL;
}

char *eb_look_platforms(struct eb_looking *k, const char *name)
{
	const char *ours = eb_conda_subdir(k->config->platform);
	EB_AUTOBUF(out, EB_MAX_CONFIG);

	for (size_t p = 0; p < sizeof platforms / sizeof *platforms; p++) {
		bool found = false;

		if (!strcmp(platforms[p], ours))
			continue;
		for (size_t i = 0; i < k->channels.n && !found; i++) {
			struct eb_channels one = { &k->channels.channel[i], 1,
						   k->channels.rules };

			found = has(k, &one, platforms[p], name);
		}
		if (found)
			eb_buf_addf(&out, "%s%s", out.len ? ", " : "",
				    platforms[p]);
	}
	return out.len ? eb_buf_steal(&out, NULL) : NULL;
}
