/* SPDX-License-Identifier: Apache-2.0 */
/* Channels that conda's settings allow, and those that they do not. */
#include <string.h>

#include <envbuild/channel.h>
#include <envbuild/condarc.h>
#include <envbuild/mem.h>

static int among(const struct eb_strv *names,
		 const struct eb_channel_rules *rules, const char *canonical,
		 struct eb_error *err)
{
	EB_CLEANUP(eb_channels_release) struct eb_channels all = { 0 };

	for (size_t i = 0; i < names->n; i++)
		if (eb_channels_add_by(&all, names->v[i], rules, err) < 0)
			return -1;
	for (size_t i = 0; i < all.n; i++)
		if (!strcmp(all.channel[i].canonical, canonical))
			return 1;
	return 0;
}

int eb_condarc_allows(const struct eb_condarc *c, const char *canonical,
		      const char *alias, struct eb_error *err)
{
	const struct eb_channel_rules rules = { .alias = alias, .condarc = c };
	int denied = among(&c->denylist_channels, &rules, canonical, err);
	int allowed =
		denied ? 0
		       : among(&c->allowlist_channels, &rules, canonical, err);

	if (denied < 0 || allowed < 0)
		return eb_err_prefix(err, "\"%s\"",
				     denied < 0 ? c->denylist_from
						: c->allowlist_from);
	if (denied)
		return eb_err_set(err, EB_REFUSED,
				  "channel \"%s\" is in \"denylist_channels\" "
				  "of \"%s\"",
				  canonical, c->denylist_from);
	if (c->allowlist_channels.n && !allowed)
		return eb_err_set(err, EB_REFUSED,
				  "channel \"%s\" is not in "
				  "\"allowlist_channels\" of \"%s\"",
				  canonical, c->allowlist_from);
	return 0;
}
