/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The options that a definition of the catalogue keeps (catalog.h,
 * eb_named_options): taken into the configuration where it is asked for, and
 * out of it where it is registered.
 *
 * What the command line gives wins over what a name keeps, and that wins over
 * configuration files and variables; but base, dockerfile (with what belongs to
 * it), build-base, as-of, apt, build-env and no-build-isolation are mere
 * defaults, over which whatever is configured wins; a base takes the place of a
 * Dockerfile that is kept, and the other way round. --cpu of the command line
 * takes the place of what is kept about a GPU, and the other way round.
 */
#ifndef EB_ENV_KEPT_H
#define EB_ENV_KEPT_H

#include <envbuild/build.h>

/* Into the configuration. EB_INPUT: it keeps what no definition may. */
int eb_env_take_options(struct eb_config *config, const struct eb_named *e,
			struct eb_error *err);
/* Out of it: what is given, in place of what e has. Files of --apt are read,
 * paths made absolute, the login of a channel is left out, which is told. */
int eb_env_keep_options(struct eb_named *e, const struct eb_config *config,
			struct eb_events *events, struct eb_error *err);

#endif
