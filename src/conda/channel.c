/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a user calls a channel becomes three texts: the URL to fetch from, the
 * credential-free one that identifies it, and a name for people.
 */
#include <stdlib.h>
#include <string.h>

#include <envbuild/channel.h>
#include <envbuild/matchspec.h>
#include <envbuild/mem.h>

#include "channel_custom.h"
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

struct adding {
	struct eb_channels *out;
	const struct eb_condarc *condarc;
	const char *alias, *above; /* as given, canonical */
	const char *group;	   /* the multichannel, or NULL */
};

static struct eb_channel *find(const struct eb_channels *c,
			       const char *canonical)
{
	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->channel[i].canonical, canonical))
			return &c->channel[i];
	return NULL;
}

/* A custom channel's, "conda-forge" for what lies below the alias, "pkgs/main"
 * for Anaconda's own, otherwise the URL. */
static char *short_name(const char *canonical, const struct adding *a)
{
	const char *const below[] = { a->above, ANACONDA };
	char *custom = eb_channel_custom_name(a->condarc, canonical);

	for (size_t i = 0; !custom && i < 2; i++) {
		size_t n = strlen(below[i]);

		if (eb_starts(canonical, below[i]) && canonical[n] == '/')
			return eb_strdup(canonical + n + 1);
	}
	return custom ? custom : eb_strdup(canonical);
}

static void add(const struct adding *a, const char *url)
{
	eb_autofree char *canonical = eb_channel_canonical(url);
	struct eb_channels *out = a->out;
	struct eb_channel *c = find(out, canonical);

	if (!c) {
		out->channel = eb_realloc(out->channel, out->n + 1,
					  sizeof *out->channel);
		c = &out->channel[out->n++];
		*c = (struct eb_channel){
			.name = short_name(canonical, a),
			.url = eb_strdup(url),
			.canonical = eb_steal(canonical),
		};
	}
	if (a->group && !eb_strv_has(&c->also, a->group))
		eb_strv_add(&c->also, a->group);
}

/* --- the kinds of names ---------------------------------------------- */

static int add_name(const struct adding *a, const char *name,
		    struct eb_error *err);

static int add_url(const struct adding *a, const char *name,
		   struct eb_error *err)
{
	eb_autofree char *url = eb_channel_url_normal(name);
	eb_autofree char *moved = NULL, *shown = NULL;

	if (url) {
		moved = eb_channel_moved(a->condarc, url);
		if (moved)
			return add_name(a, moved, err);
		add(a, url);
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

static int add_path(const struct adding *a, const char *path,
		    struct eb_error *err)
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
				   a->above);
	}
	url = eb_channel_file_url(real);
	return add_url(a, url, err);
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

/* A name that is a custom channel's lies there, without regard to what its
 * URL once was. */
static int add_name(const struct adding *a, const char *name,
		    struct eb_error *err)
{
	eb_autofree char *custom = NULL, *url = NULL, *normal = NULL;

	if (!is_word(name))
		return eb_err_set(err, EB_INPUT,
				  "\"%s\": reading a channel's name: neither a "
				  "name nor a URL",
				  name);
	custom = eb_channel_custom_url(a->condarc, name);
	if (!custom)
		url = eb_asprintf(
			"%s/%s", eb_starts(name, "pkgs/") ? ANACONDA : a->alias,
			name);
	normal = eb_channel_url_normal(custom ? custom : url);
	if (!normal)
		return add_url(a, custom ? custom : url, err);
	add(a, normal);
	return 0;
}

static bool is_path(const char *name)
{
	return *name == '/' || eb_starts(name, "./") ||
	       eb_starts(name, "../") || !strcmp(name, ".") ||
	       !strcmp(name, "..");
}

static int add_one(const struct adding *a, const char *text,
		   struct eb_error *err)
{
	if (strstr(text, "://"))
		return add_url(a, text, err);
	return is_path(text) ? add_path(a, text, err) : add_name(a, text, err);
}

static int add_group(const struct adding *a, const char *name,
		     const struct eb_strv *members, struct eb_error *err)
{
	struct adding of = *a;

	of.group = name;
	for (size_t i = 0; i < members->n; i++)
		if (add_one(&of, members->v[i], err) < 0)
			return eb_err_prefix(err, "multichannel \"%s\"", name);
	return 0;
}

static int add_text(const struct adding *a, const char *text,
		    struct eb_error *err)
{
	static char main_name[] = "pkgs/main", r_name[] = "pkgs/r";
	static char *names[] = { main_name, r_name, NULL };
	static const struct eb_strv usual = { .v = names, .n = 2 };
	eb_autofree char *name =
		eb_strndup(text, eb_channel_without_subdir(text));
	const struct eb_strv *members = eb_channel_members(a->condarc, name);

	if (!strcmp(name, "nodefaults"))
		return 0;
	if (!members && !strcmp(name, "defaults"))
		members = &usual;
	return members ? add_group(a, name, members, err)
		       : add_one(a, text, err);
}

int eb_channels_add_by(struct eb_channels *out, const char *name,
		       const struct eb_channel_rules *rules,
		       struct eb_error *err)
{
	static const struct eb_channel_rules none;
	eb_autofree char *text = eb_channel_expand(name, MAX_NAME, err);
	eb_autofree char *above = NULL;
	struct adding a = { .out = out };

	if (!text)
		return -1;
	out->rules = rules ? *rules : none;
	a.condarc = out->rules.condarc;
	a.alias = eb_channel_alias(&out->rules);
	a.above = above = eb_channel_canonical(a.alias);
	return add_text(&a, eb_strip(text), err);
}

int eb_channels_add(struct eb_channels *out, const char *name,
		    const char *alias, struct eb_error *err)
{
	const struct eb_channel_rules rules = { .alias = alias };

	return eb_channels_add_by(out, name, &rules, err);
}

char *eb_channel_path(const char *url)
{
	return eb_channel_file_path(url);
}

void eb_channels_release(struct eb_channels *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->channel[i].name);
		free(c->channel[i].canonical);
		free(c->channel[i].url);
		eb_strv_release(&c->channel[i].also);
	}
	free(c->channel);
	memset(c, 0, sizeof *c);
}

bool eb_channel_is_meant(const struct eb_channel *c,
			 const struct eb_matchspec *m, const char *alias)
{
	const char *want = eb_matchspec_channel(m);

	return !want || !strcmp(c->name, want) || eb_strv_has(&c->also, want) ||
	       eb_matchspec_channel_is(m, c->canonical,
				       alias ? alias : EB_CHANNEL_ALIAS);
}
