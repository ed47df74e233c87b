/* SPDX-License-Identifier: Apache-2.0 */
/* Azure's forms written: the text of the definition's own file. */
#ifndef EB_AZURE_SAVE_H
#define EB_AZURE_SAVE_H

#include <envbuild/azure.h>

#define EB_AZURE_V1_FILE "azureml_environment.json"
#define EB_AZURE_V2_FILE "environment.yml"
#define EB_AZURE_CONDA_FILE "conda_dependencies.yml"
#define EB_AZURE_DOCKERFILE "BaseDockerfile"

void eb_azure_v1_text(const struct eb_azure *a, struct eb_buf *out);
void eb_azure_v2_text(const struct eb_azure *a, struct eb_buf *out);

#endif
