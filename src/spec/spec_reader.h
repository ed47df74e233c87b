/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a conda environment file: what its parts share. */
#ifndef EB_SPEC_READER_H
#define EB_SPEC_READER_H

#include <stdbool.h>

#include <envbuild/spec.h>
#include <envbuild/yaml.h>

struct eb_spec_reader {
	struct eb_yaml *doc;
	const char *platform;		      /* "linux/amd64" */
	const struct eb_spec_part *part;      /* or NULL */
	bool took_environment, took_category; /* it has such */
	struct eb_events *events;
	struct eb_spec *spec;
	struct eb_error *err;
	size_t alloc_conda, alloc_conda_at, alloc_pip, alloc_pip_at;
	unsigned pip_sections;
	unsigned selector_line; /* the last line looked at, and its answer */
	bool selector_drops;
};

/* A definition that is parsed already, by its root; doc->name is its file. */
int eb_spec_from_yaml(struct eb_yaml *doc, const char *platform,
		      struct eb_events *events, struct eb_spec **out,
		      struct eb_error *err);

void eb_spec_warn(const struct eb_spec_reader *r, const struct eb_yaml_node *n,
		  const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* "a list", "a mapping", "a text" ... for messages */
const char *eb_spec_type(const struct eb_yaml_node *n);
/* A scalar that is text: not a number, not a truth value, not null. */
int eb_spec_need_text(struct eb_spec_reader *r, const struct eb_yaml_node *n,
		      const char *what);
/* Refuses `{{ }}` and `{% %}`. */
int eb_spec_no_template(struct eb_spec_reader *r, const struct eb_yaml_node *n);

/* Keys of the top level. */
int eb_spec_name(struct eb_spec_reader *r, const struct eb_yaml_node *n);
int eb_spec_prefix(struct eb_spec_reader *r, const struct eb_yaml_node *n);
int eb_spec_channels(struct eb_spec_reader *r, const struct eb_yaml_node *n);
int eb_spec_variables(struct eb_spec_reader *r, const struct eb_yaml_node *n);
int eb_spec_dependencies(struct eb_spec_reader *r,
			 const struct eb_yaml_node *n);
/* The list below `pip:`. */
int eb_spec_pip(struct eb_spec_reader *r, const struct eb_yaml_node *n);

/* Lines of a requirements file, the first of them in line `line`. */
int eb_spec_pip_lines(struct eb_spec_reader *r, const char *text, unsigned line,
		      unsigned column);

/* Is it a requirements file of its own? By its name (spec.h), unless a line
 * begins with "dependencies:". */
bool eb_spec_is_requirements(const char *file, const char *text, size_t len);
int eb_spec_requirements(struct eb_spec_reader *r, const char *text,
			 size_t len);

/* An explicit list, or a list of specs (spec_list.h). */
bool eb_spec_is_list(const char *file, const char *text, size_t len);

/* A pylock.toml; what is at a path of it, for what is hashed. */
int eb_spec_pylock(struct eb_spec_reader *r, const char *text, size_t len);
int eb_spec_pylock_content(void *spec, const char *path, struct eb_digest *out,
			   struct eb_error *err);

/* Files of other kinds, told by what they look like: fills an error, -1. */
int eb_spec_foreign_text(const char *text, size_t len, const char *file,
			 struct eb_error *err);
/* First line that begins with `prefix`: its number, or 0. */
unsigned eb_spec_find_line(const char *text, size_t len, const char *prefix);
int eb_spec_foreign_map(struct eb_spec_reader *r);

/* Is there a selector behind the node, and not for our platform? */
bool eb_selector_drops(struct eb_spec_reader *r, const struct eb_yaml_node *n);
/* The expression of a selector: 1 true, 0 false, -1 not one (`unknown`: the
 * first word that is no platform's, or NULL; caller frees). */
int eb_selector_value(const char *expression, size_t len, const char *platform,
		      char **unknown);

#endif
