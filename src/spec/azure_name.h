/* SPDX-License-Identifier: Apache-2.0 */
/* Azure's name of a conda environment that is parsed already. */
#ifndef EB_AZURE_CONDA_NAME_H
#define EB_AZURE_CONDA_NAME_H

#include <envbuild/azure.h>
#include <envbuild/yaml.h>

/* As eb_azure_conda_name(). */
int eb_azure_name_of(const struct eb_yaml *doc, char name[EB_AZURE_NAME],
		     struct eb_error *err);

#endif
