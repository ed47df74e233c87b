/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conda's own settings, as far as they say what channels mean and how they are
 * reached (facts conda 8; conda's configuration reference).
 *
 * Files, in this order: .condarc, condarc and condarc.d/ (its *.yml and *.yaml
 * by name) in /etc/conda, /var/lib/conda, $CONDA_ROOT (else where CONDA_EXE
 * lies), $XDG_CONFIG_HOME/conda, ~/.config/conda, ~/.conda; ~/.condarc; the
 * three in $CONDA_PREFIX; $CONDARC, a file or a folder; then the variables
 * CONDA_*. What comes later goes over what came before: of a text the last
 * counts; lists are joined, those of later files in front, each item once; maps
 * are joined key by key. In files, behind a key or an item: `#!final` nothing
 * later counts, `#!top` in front of all, `#!bottom` behind all. Lists in
 * variables are separated by commas (pinned_packages: by "&"); where a list or
 * a text in a variable ends in `!important`, it is as with `#!final`.
 *
 * Keys that count are those below, by all names that conda has for them; others
 * are passed by. $VAR and ${VAR} in values are expanded, unknown ones stay.
 *
 * Limits: a file as yaml-size, 64 files, 10,000 items of a list or map.
 */
#ifndef EB_CONDARC_H
#define EB_CONDARC_H

#include <stdbool.h>
#include <stddef.h>

#include <envbuild/error.h>
#include <envbuild/http.h>
#include <envbuild/str.h>

/* A name and what it stands for. URLs may hold a token or a login. */
struct eb_condarc_names {
	struct eb_condarc_name {
		char *name;
		struct eb_strv url; /* of a custom channel: one */
	} * v;
	size_t n, alloc;
};

struct eb_channel_logins;

struct eb_condarc {
	/* Those that were read, in their order; variables that count. */
	struct eb_strv file, variable;
	/* Why none of it counts, where one of them is wrong: EB_INPUT with
	 * file:line:column. It is told where a channel is asked for. */
	struct eb_error err;

	struct eb_strv channels;
	char *channel_alias;	/* or NULL */
	char *channel_priority; /* "strict", "flexible", "disabled"; or NULL */
	struct eb_strv migrated_channel_aliases;
	struct eb_strv default_channels; /* none: Anaconda's own */
	struct eb_condarc_names custom_channels, custom_multichannels;
	struct eb_condarc_names migrated_custom_channels;
	/* Channels by name or URL, and where they are to be had, in order. */
	struct eb_condarc_names mirrored_channels;
	struct eb_strv allowlist_channels, denylist_channels;
	char *allowlist_from,
		*denylist_from;		/* files that have them, or NULL */
	struct eb_strv pinned_packages; /* MatchSpecs as written */
	bool offline;			/* channels are not asked */
	bool add_anaconda_token;
	/* Channels of channel_settings whose `auth` names a plugin of conda's,
	 * as "CHANNEL PLUGIN". */
	struct eb_strv auth_plugins;

	struct eb_http_tls tls; /* of ssl_verify and client_ssl_cert[_key] */
	struct eb_condarc_names proxy_servers; /* by scheme, scheme://host */
	unsigned read_timeout_s;	       /* 0: not set */
	unsigned tries;			       /* 0: not set */

	struct eb_channel_logins *logins; /* private: read when one is needed */
	unsigned refs;			  /* private */
};

/* Never NULL: without any file nothing is set. Not thread-safe. */
struct eb_condarc *eb_condarc_read(void);
/* The same below another root than "/" for what is not in a home (tests). */
struct eb_condarc *eb_condarc_read_in(const char *root);
/* One more owner, or one less; NULL is fine. */
struct eb_condarc *eb_condarc_ref(struct eb_condarc *c);
void eb_condarc_unref(struct eb_condarc *c);

/* EB_REFUSED: denylist_channels has this channel, or allowlist_channels is not
 * empty and has it not. `canonical` as in channel.h; `alias`: what names are
 * below, NULL as there. */
int eb_condarc_allows(const struct eb_condarc *c, const char *canonical,
		      const char *alias, struct eb_error *err);

#endif
