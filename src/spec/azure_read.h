/* SPDX-License-Identifier: Apache-2.0 */
/* Reading Azure's forms: what their readers share. JSON is read as YAML, so
 * that its nodes have places. */
#ifndef EB_AZURE_READ_H
#define EB_AZURE_READ_H

#include <envbuild/azure.h>
#include <envbuild/spec.h>
#include <envbuild/yaml.h>

struct eb_azure_reader {
	const struct eb_yaml *doc;
	const char *platform;
	struct eb_events *events;
	struct eb_azure *out;
	struct eb_error *err;
	bool elsewhere; /* its conda file lies in another folder */
};

#define EB_AZURE_MAX_DOCKERFILE 102400 /* characters; Azure's limit */

/* By the keys of a mapping. */
enum eb_azure_form eb_azure_form_of(const char *file,
				    const struct eb_yaml_node *root);
/* The environment that a node is, one reader a form. */
int eb_azure_read_v1(struct eb_azure_reader *r, const struct eb_yaml_node *n);
int eb_azure_read_v2(struct eb_azure_reader *r, const struct eb_yaml_node *n);
int eb_azure_read_mlflow(struct eb_azure_reader *r,
			 const struct eb_yaml_node *n);
/* The node of a job that is its environment; `which` is the text behind "#" or
 * NULL. */
int eb_azure_job_pick(struct eb_azure_reader *r, const char *which,
		      const struct eb_yaml_node **out);

/* The conda part: a file beside the definition, or a node of it. */
int eb_azure_conda_file(struct eb_azure_reader *r, const struct eb_yaml_node *n,
			const char *file);
int eb_azure_conda_node(struct eb_azure_reader *r,
			const struct eb_yaml_node *n);
/* A path beside the definition. */
char *eb_azure_beside(const struct eb_azure_reader *r, const char *file);
/* Below `map`: the text of a key, NULL where it is absent or null; caller
 * frees. A mapping or list there is an error. */
int eb_azure_text(struct eb_azure_reader *r, const struct eb_yaml_node *map,
		  const char *key, char **out);
/* The mapping below a key, NULL where it is absent or null. */
int eb_azure_map(struct eb_azure_reader *r, const struct eb_yaml_node *map,
		 const char *key, const struct eb_yaml_node **out);
bool eb_azure_is_set(const struct eb_yaml_node *n); /* neither null nor empty */
void eb_azure_warn(const struct eb_azure_reader *r,
		   const struct eb_yaml_node *n, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* NAME: VALUE pairs to the variables of the environment. */
int eb_azure_variables(struct eb_azure_reader *r,
		       const struct eb_yaml_node *map);
/* A node as JSON whose scalars are texts. */
json_t *eb_azure_json(const struct eb_yaml_node *n);

#endif
