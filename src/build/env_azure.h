/* SPDX-License-Identifier: Apache-2.0 */
/* Azure's forms as what is asked for, and as what is kept and saved. */
#ifndef EB_ENV_AZURE_H
#define EB_ENV_AZURE_H

#include <envbuild/azure.h>
#include <envbuild/build.h>
#include <envbuild/catalog.h>

/* Is it one: a folder, "FILE#jobs.NAME", or a file whose text says so? */
bool eb_env_is_azure(const char *path);

/* env->path is one: its conda part into env->spec, its image into the
 * configuration where that has no base. Where it only names another
 * environment that is opened: eb_env_open_named(). */
int eb_env_open_azure(struct eb_env *env, struct eb_config *config,
		      struct eb_events *events, struct eb_error *err);

/* What the catalogue keeps of it: definition, variables, files; its image is
 * put into the configuration as the one above does. */
int eb_named_of_azure(const struct eb_azure *a, struct eb_config *config,
		      struct eb_named **out, struct eb_error *err);

#endif
