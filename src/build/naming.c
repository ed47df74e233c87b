/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --naming azureml: where scripts that were written for Azure Machine Learning
 * look for their environment. All of it comes from the lock hash, which the
 * image has anyway; that the option was given is part of what is hashed.
 */
#include <stdio.h>
#include <string.h>

#include "build_private.h"

#define FOLDER "azureml-envs"
#define VARIABLE "AZUREML_CONDA_ENVIRONMENT_PATH"

bool eb_naming_is_azureml(const char *naming)
{
	return naming && !strcmp(naming, EB_NAMING_AZUREML);
}

void eb_azureml_name(const struct eb_digest *lock, char name[EB_AZUREML_NAME])
{
	char hex[EB_HEX_SIZE];

	snprintf(name, EB_AZUREML_NAME, "azureml_%.32s",
		 eb_digest_hex(lock, hex));
}

void eb_naming_add_link(const struct eb_lock *lock,
			const struct eb_digest *hash, struct eb_entries *out)
{
	char name[EB_AZUREML_NAME];
	eb_autofree char *path = NULL;
	struct eb_entry *e;

	if (!eb_naming_is_azureml(lock->naming))
		return;
	eb_azureml_name(hash, name);
	path = eb_asprintf(FOLDER "/%s", name);
	e = eb_entries_add(out, path, EB_ENTRY_LINK);
	e->mtime = EB_FIXED_MTIME;
	e->target = eb_strdup(lock->prefix);
}

void eb_naming_set_env(const struct eb_lock *lock, const struct eb_digest *hash,
		       json_t *image)
{
	char name[EB_AZUREML_NAME];
	eb_autofree char *path = NULL;

	if (!eb_naming_is_azureml(lock->naming))
		return;
	eb_azureml_name(hash, name);
	path = eb_asprintf("/" FOLDER "/%s", name);
	eb_config_set_env(image, VARIABLE, path);
}
