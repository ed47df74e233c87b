/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a user calls a channel becomes three texts: the URL to fetch from, the
 * credential-free one that identifies it, and a name for people.
 */
#include <stdlib.h>
#include <string.h>

#include <envbuild/channel.h>
#include <envbuild/mem.h>

#include "channel_url.h"

#define MAX_NAME 4096
#define ANACONDA "https://repo.anaconda.com"

static const struct {
	const char *platform, *subdir;
} platforms[] = {
	{ "linux/amd64", "linux-64" },
	{ "linux/arm64", "linux-aarch64" },
	{ "linux/386", "linux-32" },
	{ "linux/arm/v6", "linux-armv6l" },
	{ "linux/arm/v7", "linux-armv7l" },
	{ "linux/ppc64le", "linux-ppc64le" },
	{ "linux/s390x", "linux-s390x" },
	{ "linux/riscv64", "linux-riscv64" },
};

const char *eb_conda_subdir(const char *platform)
{
	for (size_t i = 0; i < sizeof platforms / sizeof *platforms; i++)
		if (!strcmp(platforms[i].platform, platform))
			return platforms[i].subdir;
	return NULL;
}

/* --- adding ---------------------------------------------------------- */

static bool is_there(const struct eb_channels *c, const char *canonical)
{
	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->channel[i].canonical, canonical))
			return true;
	return false;
}

/* "conda-forge" for what lies below the alias, "pkgs/main" for Anaconda's
 * own, otherwise the URL. */
static char *short_name(const char *canonical, const char *alias)
{
	const char *const below[] = { alias, ANACONDA };

	for (size_t i = 0; i < 2; i++) {
		size_t n = strlen(below[i]);

		if (eb_starts(canonical, below[i]) && canonical[n] == '/')
			return eb_strdup(canonical + n + 1);
	}
	return eb_strdup(canonical);
}

static void add(struct eb_channels *out, const char *url, const char *alias)
{
	eb_autofree char *canonical = eb_channel_canonical(url);
	eb_autofree char *above = eb_channel_canonical(alias);
	struct eb_channel *c;

	if (is_there(out, canonical))
		return;
	out->channel =
		eb_realloc(out->channel, out->n + 1, sizeof *out->channel);
	c = &out->channel[out->n++];
	c->name = short_name(canonical, above);
	c->url = eb_strdup(url);
	c->canonical = eb_steal(canonical);
}

/* --- the kinds of names ---------------------------------------------- */

static int add_url(struct eb_channels *out, const char *name, const char *alias,
		   struct eb_error *err)
{
	eb_autofree char *url = eb_channel_url_normal(name);
	eb_autofree char *shown = NULL;

	if (url) {
		add(out, url, alias);
		return 0;
	}
	shown = eb_url_redact(name);
	eb_err_set(err, EB_INPUT,
		   "\"%s\": reading a channel's URL: it has to "
		   "be http, https, oci or file, with a host and a path and "
		   "neither \"?\" nor \"#\"",
		   shown);
	return -1;
}

static int add_path(struct eb_channels *out, const char *path,
		    const char *alias, struct eb_error *err)
{
	eb_autofree char *url = NULL;
	eb_autofree char *real = realpath(path, NULL);

	if (!real) {
		eb_err_set(err, EB_INPUT,
			   "\"%s\": opening a channel's folder: not there",
			   path);
		return eb_err_hint(err,
				   "a name without \"/\" in front means a "
				   "channel below %s",
				   alias);
	}
	url = eb_channel_file_url(real);
	return add_url(out, url, alias, err);
}

static bool is_word(const char *name)
{
	if (!*name || *name == '/' || strstr(name, "//"))
		return false;
	for (const char *p = name; *p; p++)
		if ((unsigned char)*p <= ' ' || strchr("\"'\\<>?#%:@[]", *p))
			return false;
	return !strstr(name, "/../") && !eb_ends(name, "/..");
}

static int add_name(struct eb_channels *out, const char *name,
		    const char *alias, struct eb_error *err)
{
	eb_autofree char *url = NULL;

	if (!is_word(name))
		return eb_err_set(err, EB_INPUT,
				  "\"%s\": reading a channel's name: neither a "
				  "name nor a URL",
				  name);
	url = eb_asprintf("%s/%s", eb_starts(name, "pkgs/") ? ANACONDA : alias,
			  name);
	return add_url(out, url, alias, err);
}

static bool is_path(const char *name)
{
	return *name == '/' || eb_starts(name, "./") ||
	       eb_starts(name, "../") || !strcmp(name, ".") ||
	       !strcmp(name, "..");
}

int eb_channels_add(struct eb_channels *out, const char *name,
		    const char *alias, struct eb_error *err)
{
	eb_autofree char *text = NULL;

	if (!alias)
		alias = EB_CHANNEL_ALIAS;
	text = eb_channel_expand(name, MAX_NAME, err);
	if (!text)
		return -1;
	eb_strip(text);
	if (!strcmp(text, "nodefaults"))
		return 0;
	if (!strcmp(text, "defaults"))
		return add_name(out, "pkgs/main", alias, err) < 0
			       ? -1
			       : add_name(out, "pkgs/r", alias, err);
	if (strstr(text, "://"))
		return add_url(out, text, alias, err);
	return is_path(text) ? add_path(out, text, alias, err)
			     : add_name(out, text, alias, err);
}

/* --- logins ---------------------------------------------------------- */

static bool is_below(const char *url, const char *channel)
{
	size_t n = strlen(channel);

	return !strncmp(url, channel, n) && url[n] == '/';
}

/* "user:password@" of a URL; its length, 0 when there is none. */
static size_t login_of(const char *url, const char **login)
{
	const char *host = strstr(url, "://");
	size_t n;

	if (!host)
		return 0;
	*login = host += 3;
	n = strcspn(host, "/");
	for (; n; n--)
		if (host[n - 1] == '@')
			return n;
	return 0;
}

static bool same_origin(const char *a, const char *b)
{
	size_t n = (size_t)(strstr(a, "://") + 3 - a);

	n += strcspn(a + n, "/");
	return !strncmp(a, b, n) && (b[n] == '/' || !b[n]);
}

char *eb_channels_fetch_url(const struct eb_channels *c, const char *url)
{
	const char *login = NULL;

	for (size_t i = 0; c && i < c->n; i++)
		if (is_below(url, c->channel[i].canonical))
			return eb_asprintf(
				"%s%s", c->channel[i].url,
				url + strlen(c->channel[i].canonical));
	for (size_t i = 0; c && i < c->n; i++) {
		size_t n = login_of(c->channel[i].url, &login);
		size_t scheme;

		if (!n || !same_origin(c->channel[i].canonical, url))
			continue;
		scheme = (size_t)(strstr(url, "://") + 3 - url);
		return eb_asprintf("%.*s%.*s%s", (int)scheme, url, (int)n,
				   login, url + scheme);
	}
	return eb_strdup(url);
}

void eb_channels_release(struct eb_channels *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->channel[i].name);
		free(c->channel[i].canonical);
		free(c->channel[i].url);
	}
	free(c->channel);
	memset(c, 0, sizeof *c);
}
