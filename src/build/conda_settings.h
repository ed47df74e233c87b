/* SPDX-License-Identifier: Apache-2.0 */
/* What conda's own settings (condarc.h) mean for a build. */
#ifndef EB_CONDA_SETTINGS_H
#define EB_CONDA_SETTINGS_H

#include <envbuild/channel.h>
#include <envbuild/condarc.h>
#include <envbuild/config.h>
#include <envbuild/record.h>

/* Reads them; what they say of options is what these have until an own file,
 * a variable or the command line says otherwise. */
void eb_config_take_condarc(struct eb_config *c);
/* What names of channels mean; as long as the configuration is there. */
struct eb_channel_rules eb_config_rules(const struct eb_config *c);
/* The error in them, where a channel is asked for. */
int eb_condarc_check(const struct eb_config *c, struct eb_error *err);
/* A channel and its mirrors: held against the policy, the allowlist and the
 * denylist. EB_REFUSED. */
int eb_condarc_check_channel(const struct eb_config *c,
			     const struct eb_channels *channels,
			     const char *canonical, struct eb_error *err);
/* What is worth a word of them when these channels are asked. */
void eb_condarc_tell(const struct eb_config *c,
		     const struct eb_channels *channels,
		     struct eb_events *events);

/* By an option, or by conda's settings: these are named in the hint of what
 * came of it. */
bool eb_channels_offline(const struct eb_config *c);
void eb_condarc_hint(const struct eb_config *c, struct eb_error *err);

/* Where a package is to be had; `env` or NULL as in a build. */
struct eb_env;
int eb_fetch_ways(const struct eb_config *c, const struct eb_env *env,
		  const struct eb_record *r, struct eb_channel_ways *out,
		  struct eb_error *err);
/* EB_NETWORK: conda's settings say that channels are not to be asked. */
int eb_fetch_may_ask(const struct eb_config *c, const char *url,
		     struct eb_error *err);

#endif
