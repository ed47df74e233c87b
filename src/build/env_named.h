/* SPDX-License-Identifier: Apache-2.0 */
/* A name of the catalogue as what is asked for. */
#ifndef EB_ENV_NAMED_H
#define EB_ENV_NAMED_H

#include <envbuild/build.h>

/* env->path is a name: its definition into env->spec, and its options into the
 * configuration where that has none. */
int eb_env_open_named(struct eb_env *env, struct eb_config *config,
		      struct eb_events *events, struct eb_error *err);

/* The channels, base and options of env->spec, and its definition hash. */
int eb_env_request(struct eb_env *env, const struct eb_config *config,
		   struct eb_store *store, struct eb_error *err);

#endif
