/* SPDX-License-Identifier: Apache-2.0 */
/* What the options say to build: packages, beside an input or alone, or an
 * environment that conda made. */
#ifndef EB_ENV_OPTIONS_H
#define EB_ENV_OPTIONS_H

#include <envbuild/build.h>
#include <envbuild/catalog.h>

/* What messages call a definition that stands in no file. */
#define EB_COMMAND_LINE "command line"

/* Nothing was given: what the options say goes into env->spec, but for their
 * packages, which the next one adds. */
int eb_env_open_options(struct eb_env *env, const struct eb_config *config,
			struct eb_error *err);
/* The packages of the options into env->spec; a name does not stand for it any
 * more. */
int eb_env_add_packages(struct eb_env *env, const struct eb_config *config,
			struct eb_events *events, struct eb_error *err);
/* EB_USAGE: there is both an input and --from-prefix. */
int eb_env_one_input(const char *input, const struct eb_config *config,
		     struct eb_error *err);

/* What the catalogue keeps where nothing was given. */
int eb_named_of_options(struct eb_config *config, struct eb_events *events,
			struct eb_named **out, struct eb_error *err);
/* A definition with the packages of the options in its text; the options have
 * none any more. */
int eb_named_add_packages(struct eb_named *e, struct eb_config *config,
			  struct eb_events *events, struct eb_error *err);

/* Which part of an input that has several is meant. */
struct eb_spec_part eb_config_part(const struct eb_config *c);

#endif
