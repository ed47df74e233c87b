/* SPDX-License-Identifier: Apache-2.0 */
/* Which of Azure's forms a file has: by its keys, else by its name. */
#include <string.h>

#include "azure_read.h"

static bool has(const struct eb_yaml_node *map, const char *key)
{
	return eb_yaml_get(map, key) != NULL;
}

static bool is_called(const char *file, const char *name)
{
	const char *slash = strrchr(file, '/');

	return !strcmp(slash ? slash + 1 : file, name);
}

/* The word that a schema's address holds: ".../environment.schema.json". */
static bool of_schema(const struct eb_yaml_node *root, const char *word)
{
	const struct eb_yaml_node *n = eb_yaml_get(root, "$schema");

	return n && n->type == EB_YAML_SCALAR && strstr(n->text, word);
}

static bool is_mlflow(const char *file, const struct eb_yaml_node *root)
{
	if (has(root, "build_dependencies"))
		return true;
	return has(root, "python") && (is_called(file, "python_env.yaml") ||
				       is_called(file, "python_env.yml"));
}

static bool is_environment(const struct eb_yaml_node *root)
{
	return has(root, "conda_file") || has(root, "image") ||
	       of_schema(root, "environment.schema") ||
	       (has(root, "build") && !has(root, "dependencies"));
}

static bool is_job(const struct eb_yaml_node *root)
{
	return has(root, "environment") || of_schema(root, "Job.schema") ||
	       of_schema(root, "Deployment.schema") ||
	       (has(root, "jobs") && !has(root, "dependencies"));
}

enum eb_azure_form eb_azure_form_of(const char *file,
				    const struct eb_yaml_node *root)
{
	if (root->type != EB_YAML_MAP)
		return EB_AZURE_NONE;
	if (is_called(file, "azureml_environment.json") ||
	    (has(root, "docker") && has(root, "python")))
		return EB_AZURE_V1;
	if (is_mlflow(file, root))
		return EB_AZURE_MLFLOW;
	if (is_job(root))
		return EB_AZURE_JOB;
	return is_environment(root) ? EB_AZURE_V2 : EB_AZURE_NONE;
}

enum eb_azure_form eb_azure_form(const char *file, const char *text, size_t len)
{
	EB_CLEANUP(eb_yaml_free_ptr) struct eb_yaml *doc = NULL;
	struct eb_error none EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	return eb_yaml_parse(text, len, file, &doc, &none) < 0
		       ? EB_AZURE_NONE
		       : eb_azure_form_of(file, doc->root);
}
