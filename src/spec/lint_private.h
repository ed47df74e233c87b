/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of lint share. */
#ifndef EB_LINT_PRIVATE_H
#define EB_LINT_PRIVATE_H

#include <envbuild/lint.h>
#include <envbuild/yaml.h>

/* A document and where its findings go. */
struct eb_lint_doc {
	const struct eb_yaml *doc;
	const char *platform;
	struct eb_lint_list *out;
	const char *dockerfile; /* of the base, as text; or NULL */
};

/* A finding at a node. */
#define eb_lint_at(d, n, rule, fix, ...)                                      \
	eb_lint_add((d)->out, (rule), (d)->doc->name, (n)->line, (n)->column, \
		    (fix), __VA_ARGS__)
/* `old` at the node's place in the source becomes `text`, where it stands
 * there as it is (a quoted scalar has it one column on). */
void eb_lint_edit(const struct eb_lint_doc *d, const struct eb_yaml_node *n,
		  struct eb_lint_found *f, const char *old, const char *text);
/* The text with the first `old` in it changed; NULL: there is none. What is
 * offered is to be read again first. Caller frees. */
char *eb_lint_changed(const char *text, const char *old, const char *with);
/* A line of its own above the node's. */
void eb_lint_insert(const struct eb_lint_doc *d, const struct eb_yaml_node *n,
		    struct eb_lint_found *f, const char *text);

/* A conda environment: the document's root, or a mapping in it. */
void eb_lint_conda(const struct eb_lint_doc *d, const struct eb_yaml_node *map);
/* The list below `pip:`; `names`: the conda packages asked for. */
void eb_lint_pip(const struct eb_lint_doc *d, const struct eb_yaml_node *list,
		 const struct eb_strv *names);
/* URLs and options of a line: names of wheels, signatures, logins. */
void eb_lint_pip_urls(const struct eb_lint_doc *d,
		      const struct eb_yaml_node *n);
/* A requirements file. */
void eb_lint_requirements(const struct eb_buf *text, const char *file,
			  const char *platform, struct eb_lint_list *out);
/* The lines of the list that say which Python; `list` NULL: there is none. */
void eb_lint_python(const struct eb_lint_doc *d,
		    const struct eb_yaml_node *list,
		    const struct eb_yaml_node *map);
/* Azure's forms: what stands beside the conda part, which goes to
 * eb_lint_conda(). `job` is the environment's node in a job. */
void eb_lint_azure(const struct eb_lint_doc *d, enum eb_azure_form form);
/* Names and references of images. A name that Azure would not take is an error
 * where it is an environment's; a conda file's is not used. */
void eb_lint_name(const struct eb_lint_doc *d, const struct eb_yaml_node *n,
		  enum eb_level level);
void eb_lint_image(const struct eb_lint_doc *d, const struct eb_yaml_node *n);
/* A Dockerfile; `context` NULL: the files that it copies are not looked for. */
void eb_lint_dockerfile(const char *text, size_t len, const char *file,
			const char *context, struct eb_lint_list *out);
/* The file of a conda part; `at` is where it is named. */
void eb_lint_conda_file(const struct eb_lint_doc *d,
			const struct eb_yaml_node *at, const char *path);

#endif
