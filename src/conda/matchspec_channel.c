/* SPDX-License-Identifier: Apache-2.0 */
/* The channel of a MatchSpec: its subdir, its names, which URL it means. */
#include <ctype.h>
#include <string.h>

#include "channel_url.h"
#include "matchspec_parts.h"
#include <envbuild/channel.h>

#define ANACONDA "https://repo.anaconda.com"

static const char *const default_members[] = { "pkgs/main", "pkgs/r" };

bool eb_matchspec_odd_scheme(const char *value)
{
	const char *colon = strstr(value, "://"), *p;

	for (p = value; colon && p < colon; p++)
		if (!isalnum((unsigned char)*p) && !strchr("+.-", *p))
			return true;
	return colon == value;
}

/* Scheme and user left out: host and path below `alias`, or NULL. */
static const char *below_alias(const char *url, const char *alias)
{
	const char *a = strstr(alias, "://"), *u = strstr(url, "://");
	size_t n;

	if (!a || !u)
		return NULL;
	n = strlen(a);
	while (n && a[n - 1] == '/')
		n--;
	return strncmp(u, a, n) == 0 && u[n] == '/' ? u + n + 1 : NULL;
}

static bool is_default_member(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof default_members / sizeof *default_members; i++)
		if (strcmp(name, default_members[i]) == 0)
			return true;
	return false;
}

char *eb_channel_conda_name(const char *channel)
{
	eb_autofree char *clean = eb_url_redact(channel);
	const char *name = below_alias(clean, EB_CHANNEL_ALIAS);

	if (name)
		return eb_strdup(name);
	if (is_default_member(clean))
		return eb_strdup("defaults");
	return eb_steal(clean);
}

/* ---- which URL ---------------------------------------------------------- */

static bool equal_url(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b);

	while (n && a[n - 1] == '/')
		n--;
	while (m && b[m - 1] == '/')
		m--;
	return n == m && memcmp(a, b, n) == 0;
}

static bool is_at(const char *url, const char *base, const char *name)
{
	const char *rest = below_alias(url, base);

	return rest && strcasecmp(rest, name) == 0;
}

static bool is_defaults(const char *url)
{
	const char *name = below_alias(url, ANACONDA);

	return name && is_default_member(name);
}

/* conda names a local channel by its last folder, too. */
static bool is_local_name(const char *url, const char *name)
{
	const char *slash = strrchr(url, '/');

	return eb_starts(url, "file:") && slash && strcmp(slash + 1, name) == 0;
}

static bool exact_is(const char *name, const char *url, const char *alias)
{
	if (strstr(name, "://"))
		return equal_url(name, url);
	if (strcmp(name, "defaults") == 0)
		return is_defaults(url) || is_at(url, alias, name);
	return is_at(url, alias, name) || is_local_name(url, name) ||
	       (eb_starts(name, "pkgs/") && is_at(url, ANACONDA, name));
}

static bool pattern_is(const struct eb_pattern *p, const char *url,
		       const char *alias)
{
	const char *name = below_alias(url, alias);

	if (!name && is_defaults(url) && eb_pattern_match(p, "defaults"))
		return true;
	return eb_pattern_match(p, name ? name : url);
}

bool eb_matchspec_channel_is(const struct eb_matchspec *m,
			     const char *channel_url, const char *alias)
{
	switch (m->channel.kind) {
	case EB_PATTERN_NONE:
	case EB_PATTERN_ALL: return true;
	case EB_PATTERN_EXACT:
		return exact_is(m->channel.text, channel_url, alias);
	default: return pattern_is(&m->channel, channel_url, alias);
	}
}
