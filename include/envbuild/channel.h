/* SPDX-License-Identifier: Apache-2.0 */
/* Channels: what a user calls them and where they are. */
#ifndef EB_CHANNEL_H
#define EB_CHANNEL_H

#include <stdbool.h>

#include <envbuild/error.h>
#include <envbuild/str.h>

/* conda's own default for short names; --channel-alias and .condarc change
 * it. */
#define EB_CHANNEL_ALIAS "https://conda.anaconda.org"

struct eb_channel {
	char *name;	 /* short name where there is one, else the URL */
	char *canonical; /* credential-free URL without a final slash */
	char *url;	 /* where to fetch: may hold a token or password */
};

struct eb_channels {
	struct eb_channel *channel;
	size_t n;
};

/*
 * `name` is a short name ("conda-forge", "pytorch/label/rc"), an http, https,
 * oci or file URL, or a local path (has a "/" in front or "./"; must exist).
 * "defaults" expands to pkgs/main and pkgs/r of repo.anaconda.com; "nodefaults"
 * to nothing. `$VAR` and `${VAR}` of the environment are expanded first; an
 * undefined one is EB_INPUT. A trailing known subdir is cut off. Adds to
 * `out`; a channel that is there already is not added again.
 */
int eb_channels_add(struct eb_channels *out, const char *name,
		    const char *alias, struct eb_error *err);
void eb_channels_release(struct eb_channels *c);

/* Where to fetch a credential-free URL (a record's) from: with the token or
 * the login of the channel that it lies below, else with the login that a
 * channel on the same host has; otherwise as it is. Caller frees. */
char *eb_channels_fetch_url(const struct eb_channels *c, const char *url);

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
