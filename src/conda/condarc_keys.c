/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of conda's settings that count here, and what their values can be.
 */
#include <string.h>
#include <strings.h>

#include <envbuild/mem.h>

#include "condarc_int.h"

#define MAX_TIMEOUT_S 3600
#define MAX_TRIES 5

/* --- texts ----------------------------------------------------------- */

static bool is_among(const char *text, const char *const *words)
{
	for (; *words; words++)
		if (!strcasecmp(text, *words))
			return true;
	return false;
}

bool eb_rc_truth(const char *text, bool *value)
{
	static const char *const yes[] = { "true", "yes", "on", "y",
					   "t",	   "1",	  NULL };
	static const char *const no[] = { "false", "no",   "off", "n", "f",
					  "0",	   "none", "",	  NULL };

	*value = is_among(text, yes);
	return *value || is_among(text, no);
}

static int set_bool(const struct eb_rc_layers *l, const struct eb_rc_key *key,
		    bool *to, struct eb_error *err)
{
	struct eb_rc_item item = { 0 };
	int got = eb_rc_text(l, key, &item, err);
	eb_autofree char *text = got > 0 ? item.text : NULL;

	if (got <= 0 || eb_rc_truth(text, to))
		return got < 0 ? -1 : 0;
	return eb_rc_err(&item, err, "\"%s\" is \"%s\", neither true nor false",
			 key->name, text);
}

/* "60", "9.15" */
static int set_seconds(const struct eb_rc_layers *l,
		       const struct eb_rc_key *key, unsigned max, unsigned *to,
		       struct eb_error *err)
{
	struct eb_rc_item item = { 0 };
	int got = eb_rc_text(l, key, &item, err);
	eb_autofree char *text = got > 0 ? item.text : NULL;
	eb_autofree char *whole =
		text ? eb_strndup(text, strcspn(text, ".")) : NULL;
	uint64_t n = 0;

	if (got <= 0)
		return got;
	if (eb_parse_u64(whole, UINT32_MAX, &n) < 0)
		return eb_rc_err(&item, err, "\"%s\" is \"%s\", no number",
				 key->name, text);
	*to = n < max ? (unsigned)n + (text[strlen(whole)] == '.') : max;
	return 1;
}

static int set_url(const struct eb_rc_layers *l, const struct eb_rc_key *key,
		   char **to, struct eb_error *err)
{
	struct eb_rc_item item = { 0 };
	int got = eb_rc_text(l, key, &item, err);
	eb_autofree char *text = got > 0 ? item.text : NULL;

	if (got <= 0)
		return got;
	if (!strstr(text, "://"))
		return eb_rc_err(&item, err, "\"%s\" is \"%s\", no URL",
				 key->name, text);
	*to = eb_steal(text);
	return 0;
}

/* conda once had true and false. */
static int set_priority(const struct eb_rc_layers *l, struct eb_condarc *c,
			struct eb_error *err)
{
	static const struct eb_rc_key key = { .name = "channel_priority" };
	static const char *const words[] = { "strict", "flexible", "disabled",
					     NULL };
	struct eb_rc_item item = { 0 };
	int got = eb_rc_text(l, &key, &item, err);
	eb_autofree char *text = got > 0 ? item.text : NULL;
	bool on;

	if (got <= 0)
		return got;
	eb_lower(text);
	if (is_among(text, words))
		c->channel_priority = eb_steal(text);
	else if (eb_rc_truth(text, &on))
		c->channel_priority = eb_strdup(on ? "flexible" : "disabled");
	else
		return eb_rc_err(&item, err,
				 "\"channel_priority\" is \"%s\", neither "
				 "strict nor flexible nor disabled",
				 text);
	return 0;
}

/* --- lists ----------------------------------------------------------- */

static int set_list(const struct eb_rc_layers *l, const struct eb_rc_key *key,
		    struct eb_strv *to, char **from, struct eb_error *err)
{
	EB_CLEANUP(eb_rc_items_release) struct eb_rc_items items = { 0 };

	if (eb_rc_list(l, key, &items, err) < 0)
		return -1;
	for (size_t i = 0; i < items.n; i++)
		eb_strv_add(to, items.v[i].text);
	if (from && items.n)
		*from = eb_strdup(*items.v[0].layer->name
					  ? items.v[0].layer->name
					  : "the environment");
	return 0;
}

static int set_lists(const struct eb_rc_layers *l, struct eb_condarc *c,
		     struct eb_error *err)
{
	static const struct eb_rc_key keys[] = {
		{ "channels", "channel", ',' },
		{ "default_channels", NULL, ',' },
		{ "migrated_channel_aliases", NULL, ',' },
		{ "allowlist_channels", "whitelist_channels", ',' },
		{ "denylist_channels", NULL, ',' },
		{ "pinned_packages", NULL, '&' },
	};
	struct eb_strv *const to[] = {
		&c->channels,
		&c->default_channels,
		&c->migrated_channel_aliases,
		&c->allowlist_channels,
		&c->denylist_channels,
		&c->pinned_packages,
	};
	char **const from[] = {
		NULL, NULL, NULL, &c->allowlist_from, &c->denylist_from, NULL
	};

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (set_list(l, &keys[i], to[i], from[i], err) < 0)
			return -1;
	return 0;
}

/* --- maps ------------------------------------------------------------ */

static int set_maps(const struct eb_rc_layers *l, struct eb_condarc *c,
		    struct eb_error *err)
{
	static const struct eb_rc_key
		custom = { .name = "custom_channels" },
		multi = { .name = "custom_multichannels" },
		moved = { .name = "migrated_custom_"
				  "channels" },
		mirror = { .name = "mirrored_channels" },
		proxy = { .name = "proxy_servers" };

	if (eb_rc_map(l, &custom, false, &c->custom_channels, err) < 0 ||
	    eb_rc_map(l, &multi, true, &c->custom_multichannels, err) < 0 ||
	    eb_rc_map(l, &moved, false, &c->migrated_custom_channels, err) < 0)
		return -1;
	if (eb_rc_map(l, &mirror, true, &c->mirrored_channels, err) < 0)
		return -1;
	return eb_rc_map(l, &proxy, false, &c->proxy_servers, err);
}

/* A list of maps: which channel has a plugin of conda's for its login. */
static int add_plugins(const struct eb_rc_item *list, struct eb_strv *to,
		       struct eb_error *err)
{
	if (!list->node || list->node->type != EB_YAML_LIST)
		return eb_rc_err(list, err,
				 "\"channel_settings\" must be a list");
	for (size_t i = 0; i < list->node->n; i++) {
		struct eb_rc_item item = *list, channel = { 0 }, auth = { 0 };

		item.node = list->node->item[i];
		if (item.node->type != EB_YAML_MAP)
			return eb_rc_err(&item, err,
					 "an item of \"channel_settings\" must "
					 "be a map");
		if (eb_rc_member(&item, "channel", &channel) &&
		    eb_rc_member(&item, "auth", &auth) && channel.text &&
		    auth.text)
			eb_strv_addf(to, "%s %s", channel.text, auth.text);
		free(channel.text);
		free(auth.text);
	}
	return 0;
}

static int set_plugins(const struct eb_rc_layers *l, struct eb_strv *to,
		       struct eb_error *err)
{
	static const struct eb_rc_key key = { .name = "channel_settings" };
	EB_CLEANUP(eb_rc_items_release) struct eb_rc_items found = { 0 };

	if (eb_rc_find(l, &key, &found, err) < 0)
		return -1;
	for (size_t i = 0; i < found.n; i++)
		if (add_plugins(&found.v[i], to, err) < 0)
			return -1;
	return 0;
}

/* --- all ------------------------------------------------------------- */

static int set_asking(const struct eb_rc_layers *l, struct eb_condarc *c,
		      struct eb_error *err)
{
	static const struct eb_rc_key
		offline = { .name = "offline" },
		read = { .name = "remote_read_timeout_"
				 "secs" },
		retries = { .name = "remote_max_retries" },
		token = { .name = "add_anaconda_token",
			  .other = "add_binstar_token" };
	int got;

	if (set_bool(l, &offline, &c->offline, err) < 0 ||
	    set_bool(l, &token, &c->add_anaconda_token, err) < 0 ||
	    set_seconds(l, &read, MAX_TIMEOUT_S, &c->read_timeout_s, err) < 0)
		return -1;
	got = set_seconds(l, &retries, MAX_TRIES - 1, &c->tries, err);
	c->tries += got > 0;
	return got < 0 ? -1 : 0;
}

int eb_rc_keys(const struct eb_rc_layers *l, struct eb_condarc *c,
	       struct eb_error *err)
{
	static const struct eb_rc_key alias = { .name = "channel_alias" };

	if (set_url(l, &alias, &c->channel_alias, err) < 0 ||
	    set_priority(l, c, err) < 0 || set_lists(l, c, err) < 0)
		return -1;
	if (set_maps(l, c, err) < 0 ||
	    set_plugins(l, &c->auth_plugins, err) < 0)
		return -1;
	return set_asking(l, c, err) < 0 ? -1 : eb_rc_tls(l, &c->tls, err);
}
