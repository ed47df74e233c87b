/* SPDX-License-Identifier: Apache-2.0 */
/* Names and URLs by conda's settings: custom channels, multichannels, aliases
 * that were once in use. */
#include "channel_custom.h"

#include <string.h>

#include <envbuild/mem.h>

#include "channel_url.h"

const char *eb_channel_alias(const struct eb_channel_rules *rules)
{
	if (rules->alias)
		return rules->alias;
	if (rules->condarc && rules->condarc->channel_alias)
		return rules->condarc->channel_alias;
	return EB_CHANNEL_ALIAS;
}

char *eb_channel_place(const char *text)
{
	if (*text == '/')
		return eb_channel_file_url(text);
	return strstr(text, "://") ? eb_strdup(text) : NULL;
}

const char *eb_channel_below(const char *url, const char *base)
{
	size_t n = strlen(base);

	while (n && base[n - 1] == '/')
		n--;
	if (strncmp(url, base, n) || (url[n] && url[n] != '/'))
		return NULL;
	return url + n;
}

/* --- multichannels --------------------------------------------------- */

static const struct eb_condarc_name *find(const struct eb_condarc_names *names,
					  const char *name)
{
	for (size_t i = 0; i < names->n; i++)
		if (!strcmp(names->v[i].name, name))
			return &names->v[i];
	return NULL;
}

const struct eb_strv *eb_channel_members(const struct eb_condarc *c,
					 const char *name)
{
	const struct eb_condarc_name *multi =
		c ? find(&c->custom_multichannels, name) : NULL;

	if (multi)
		return &multi->url;
	return c && c->default_channels.n && !strcmp(name, "defaults")
		       ? &c->default_channels
		       : NULL;
}

/* --- custom channels ------------------------------------------------- */

/* "https://host/x/NAME" of a custom channel; NULL: it lies below the alias. */
static char *custom_place(const struct eb_condarc_name *custom)
{
	eb_autofree char *at = eb_channel_place(custom->url.v[0]);
	size_t n = at ? strlen(at) : 0;

	while (n && at[n - 1] == '/')
		at[--n] = '\0';
	return at ? eb_asprintf("%s/%s", at,
				custom->name + strspn(custom->name, "/"))
		  : NULL;
}

/* conda gives a member the path of its URL as a name. */
static const char *name_of_member(const char *url)
{
	const char *host = strstr(url, "://"), *path;

	path = host ? strchr(host + 3, '/') : NULL;
	return path && path[1] ? path + 1 : NULL;
}

/* In words: "a/b" begins "a/b" and "a/b/c". */
static const char *words_behind(const char *name, const char *first)
{
	return *first ? eb_channel_below(name, first) : NULL;
}

static char *by_custom(const struct eb_condarc *c, const char *name)
{
	const struct eb_condarc_name *best = NULL;
	eb_autofree char *at = NULL;

	for (size_t i = 0; i < c->custom_channels.n; i++) {
		const struct eb_condarc_name *one = &c->custom_channels.v[i];

		if (words_behind(name, one->name) &&
		    (!best || strlen(one->name) > strlen(best->name)))
			best = one;
	}
	at = best ? custom_place(best) : NULL;
	return at ? eb_asprintf("%s%s", at, words_behind(name, best->name))
		  : NULL;
}

static char *by_members(const struct eb_strv *members, const char *name)
{
	for (size_t i = 0; i < members->n; i++) {
		eb_autofree char *url = eb_channel_url_normal(members->v[i]);
		eb_autofree char *bare = url ? eb_channel_canonical(url) : NULL;
		const char *own = bare ? name_of_member(bare) : NULL;
		const char *rest = own ? words_behind(name, own) : NULL;

		if (rest)
			return eb_asprintf("%s%s", url, rest);
	}
	return NULL;
}

char *eb_channel_custom_url(const struct eb_condarc *c, const char *name)
{
	char *url = c ? by_custom(c, name) : NULL;

	if (!c || url)
		return url;
	for (size_t i = 0; !url && i < c->custom_multichannels.n; i++)
		url = by_members(&c->custom_multichannels.v[i].url, name);
	return url ? url : by_members(&c->default_channels, name);
}

char *eb_channel_custom_name(const struct eb_condarc *c, const char *canonical)
{
	for (size_t i = 0; c && i < c->custom_channels.n; i++) {
		const struct eb_condarc_name *one = &c->custom_channels.v[i];
		eb_autofree char *at = custom_place(one);
		eb_autofree char *bare = at ? eb_channel_canonical(at) : NULL;
		const char *rest =
			bare ? eb_channel_below(canonical, bare) : NULL;

		if (rest)
			return eb_asprintf("%s%s", one->name, rest);
	}
	return NULL;
}

/* --- what was elsewhere once ----------------------------------------- */

/* The scheme is no matter: "http" of old. */
static const char *behind(const char *url, const char *base)
{
	const char *u = strstr(url, "://"), *b = strstr(base, "://");

	return u ? eb_channel_below(u + 3, b ? b + 3 : base) : NULL;
}

char *eb_channel_moved(const struct eb_condarc *c, const char *url)
{
	eb_autofree char *bare = c ? eb_channel_canonical(url) : NULL;
	const char *rest;

	for (size_t i = 0; c && i < c->migrated_custom_channels.n; i++) {
		const struct eb_condarc_name *one =
			&c->migrated_custom_channels.v[i];
		eb_autofree char *at = eb_url_redact(one->url.v[0]);
		eb_autofree char *whole = eb_asprintf(
			"%s%s%s", at, eb_ends(at, "/") ? "" : "/", one->name);

		rest = behind(bare, whole);
		if (rest)
			return eb_asprintf("%s%s", one->name, rest);
	}
	for (size_t i = 0; c && i < c->migrated_channel_aliases.n; i++) {
		eb_autofree char *at =
			eb_url_redact(c->migrated_channel_aliases.v[i]);

		rest = behind(bare, at);
		if (rest && rest[0] && rest[1])
			return eb_strdup(rest + 1);
	}
	return NULL;
}

/* --- logins in the settings ------------------------------------------ */

struct best {
	const char *url; /* asked for */
	char *found;
	size_t n; /* of it, that is known */
};

static void look_at(struct best *best, const char *text)
{
	eb_autofree char *place = text ? eb_channel_place(text) : NULL;
	eb_autofree char *url = place ? eb_channel_url_normal(place) : NULL;
	eb_autofree char *bare = url ? eb_channel_canonical(url) : NULL;
	const char *rest = bare ? eb_channel_below(best->url, bare) : NULL;

	if (!rest || !strcmp(url, bare) || strlen(bare) <= best->n)
		return;
	best->n = strlen(bare);
	free(best->found);
	best->found = eb_asprintf("%s%s", url, rest);
}

static void look_at_all(struct best *best, const struct eb_strv *texts)
{
	for (size_t i = 0; i < texts->n; i++)
		look_at(best, texts->v[i]);
}

char *eb_channel_configured(const struct eb_channel_rules *rules,
			    const char *url)
{
	const struct eb_condarc *c = rules->condarc;
	struct best best = { .url = url };

	look_at(&best, eb_channel_alias(rules));
	for (size_t i = 0; c && i < c->custom_channels.n; i++) {
		eb_autofree char *at = custom_place(&c->custom_channels.v[i]);

		look_at(&best, at);
	}
	for (size_t i = 0; c && i < c->custom_multichannels.n; i++)
		look_at_all(&best, &c->custom_multichannels.v[i].url);
	for (size_t i = 0; c && i < c->mirrored_channels.n; i++)
		look_at_all(&best, &c->mirrored_channels.v[i].url);
	if (c)
		look_at_all(&best, &c->default_channels);
	if (c)
		look_at_all(&best, &c->channels);
	return best.found;
}
