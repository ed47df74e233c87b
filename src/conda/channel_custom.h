/* SPDX-License-Identifier: Apache-2.0 */
/* What conda's settings make of channels' names and URLs. All take NULL for
 * no settings. */
#ifndef EB_CHANNEL_CUSTOM_H
#define EB_CHANNEL_CUSTOM_H

#include <envbuild/channel.h>
#include <envbuild/condarc.h>

/* What short names lie below, with its login. */
const char *eb_channel_alias(const struct eb_channel_rules *rules);
/* What a multichannel stands for; NULL: the name is none. */
const struct eb_strv *eb_channel_members(const struct eb_condarc *c,
					 const char *name);
/* Where a name lies whose first words are a custom channel's, or a member's
 * of a multichannel; NULL: it is none. Caller frees, as with all below. */
char *eb_channel_custom_url(const struct eb_condarc *c, const char *name);
/* The name of a canonical URL in a custom channel; NULL. */
char *eb_channel_custom_name(const struct eb_condarc *c, const char *canonical);
/* The name of what is below a migrated alias or custom channel now; NULL. */
char *eb_channel_moved(const struct eb_condarc *c, const char *url);

/* Behind `base`, when the canonical `url` is that or lies below: "" or
 * "/...". NULL: it does not. */
const char *eb_channel_below(const char *url, const char *base);
/* A URL as it is, of a path its file URL; NULL: it is neither. */
char *eb_channel_place(const char *text);
/* The longest configured URL with a login that a canonical one lies below, put
 * in its place; NULL: there is none. */
char *eb_channel_configured(const struct eb_channel_rules *rules,
			    const char *url);

#endif
