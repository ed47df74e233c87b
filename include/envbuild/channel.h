/* SPDX-License-Identifier: Apache-2.0 */
/* Channels: what a user calls them and where they are. */
#ifndef EB_CHANNEL_H
#define EB_CHANNEL_H

#include <stdbool.h>

#include <envbuild/error.h>
#include <envbuild/http.h>
#include <envbuild/str.h>

/* conda's own default for short names; --channel-alias and .condarc change
 * it. */
#define EB_CHANNEL_ALIAS "https://conda.anaconda.org"

/* What names mean. All of it has to outlive the channels made by it. */
struct eb_condarc;
struct eb_channel_rules {
	const char *alias;		  /* NULL: .condarc's, else conda's */
	const struct eb_condarc *condarc; /* or NULL */
	bool own_ca; /* of requests: the options' CA file, not .condarc's */
};

struct eb_channel {
	char *name;	     /* short name where there is one, else the URL */
	char *canonical;     /* credential-free URL without a final slash */
	char *url;	     /* where to fetch: may hold a token or password */
	struct eb_strv also; /* multichannels that it came with */
};

struct eb_channels {
	struct eb_channel *channel;
	size_t n;
	struct eb_channel_rules rules;
};

/*
 * `name` is a short name ("conda-forge", "pytorch/label/rc"), an http, https,
 * oci or file URL, or a local path (has a "/" in front or "./"; must exist).
 * `$VAR` and `${VAR}` of the environment are expanded first; an undefined one
 * is EB_INPUT. A trailing known subdir is cut off. Adds to `out`, and notes
 * the rules there; a channel that is there already is not added again.
 *
 * "nodefaults" expands to nothing, a name of custom_multichannels to its
 * members, "defaults" to default_channels, without any to pkgs/main and pkgs/r
 * of repo.anaconda.com. A name whose first words are a custom channel's lies
 * there, others lie below the alias. A URL below a migrated alias is one below
 * the alias. Mirrors change nothing of it. Rules may be NULL.
 */
int eb_channels_add_by(struct eb_channels *out, const char *name,
		       const struct eb_channel_rules *rules,
		       struct eb_error *err);
/* The same without settings of conda's. */
int eb_channels_add(struct eb_channels *out, const char *name,
		    const char *alias, struct eb_error *err);
void eb_channels_release(struct eb_channels *c);

/* Does a spec's channel (any, where it has none) mean this one? */
struct eb_matchspec;
bool eb_channel_is_meant(const struct eb_channel *c,
			 const struct eb_matchspec *m, const char *alias);

/* --- fetching ------------------------------------------------------------ */
/* A place where a file can be had, and how it is asked for there. */
struct eb_channel_way {
	char *url;	     /* may hold a token or a login */
	char *shown;	     /* without */
	char *authorization; /* or NULL */
	const struct eb_condarc *condarc;
	struct eb_http_tls tls;
	bool more; /* another one is behind it */
};
struct eb_channel_ways {
	struct eb_channel_way *way; /* at least one */
	size_t n, alloc;
};
/* Where a credential-free URL (a record's) is to be had: at its channel's
 * mirrors in their order, else as it is. Each with the login that is known for
 * it: its own; that of the channel, custom channel or alias that it lies below;
 * that of a channel on the same host; then $RATTLER_AUTH_FILE, rattler's
 * ~/.rattler/credentials.json, mamba's ~/.mamba/auth/authentication.json, the
 * anaconda client's *.token files; netrc is asked by http.h. `c` may be NULL:
 * then `rules` count, which otherwise may be NULL. EB_INPUT: one of these files
 * is damaged; no message has what is in it. */
int eb_channel_ways(const struct eb_channels *c,
		    const struct eb_channel_rules *rules, const char *url,
		    struct eb_channel_ways *out, struct eb_error *err);
/* This very URL alone. */
int eb_channel_way_to(const struct eb_channels *c,
		      const struct eb_channel_rules *rules, const char *url,
		      struct eb_channel_ways *out, struct eb_error *err);
/* Fills a request's URL, login, proxy, TLS and patience; the way has to outlive
 * it. One with another behind it is tried once. */
void eb_channel_way_ask(const struct eb_channel_way *w,
			struct eb_http_request *r);
void eb_channel_ways_release(struct eb_channel_ways *w);

/* The path that a file URL means, percent signs decoded; NULL for others.
 * Caller frees. */
char *eb_channel_path(const char *url);

/* Is it in a registry of containers? */
bool eb_channel_is_oci(const char *url);
/* The file of a record whose URL is one, checked against its sha256, from the
 * start of `fd`. Errors as in registry.h; EB_NETWORK: it is not there,
 * EB_INPUT: the record has no sha256. */
struct eb_record;
struct eb_registry;
int eb_oci_package_get(struct eb_registry *registry, const struct eb_record *r,
		       int fd, struct eb_error *err);

/* "linux/amd64" -> "linux-64", "linux/arm64" -> "linux-aarch64"; NULL when
 * conda has no such platform. */
const char *eb_conda_subdir(const char *platform);

#endif
