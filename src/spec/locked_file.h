/* SPDX-License-Identifier: Apache-2.0 */
/* Locks of other tools: what the readers of conda-lock.yml and pixi.lock
 * share. */
#ifndef EB_LOCKED_FILE_H
#define EB_LOCKED_FILE_H

#include <jansson.h>

#include "spec_reader.h"

/* ---- nodes (locked_file.c) ------------------------------------------------
 */

/* The text of a scalar, NULL where there is none or null; anything else is
 * EB_INPUT: -1. */
int eb_locked_text(struct eb_spec_reader *r, const struct eb_yaml_node *map,
		   const char *key, const char **out);
/* The same of one that has to be there. */
int eb_locked_need(struct eb_spec_reader *r, const struct eb_yaml_node *map,
		   const char *key, const char **out);
/* A list or a mapping; NULL: it is not there. */
int eb_locked_list(struct eb_spec_reader *r, const struct eb_yaml_node *map,
		   const char *key, const struct eb_yaml_node **out);
int eb_locked_map(struct eb_spec_reader *r, const struct eb_yaml_node *map,
		  const char *key, const struct eb_yaml_node **out);
/* Which versions can be read. */
struct eb_locked_format {
	const char *name, *tool;
	unsigned first, last;
};
/* The number behind `version:`, which is there. A newer one than the last is
 * EB_MACHINE, an older one EB_INPUT. */
int eb_locked_version(struct eb_spec_reader *r,
		      const struct eb_locked_format *f, unsigned *out);
/* The subdir of the platform that is asked for. */
const char *eb_locked_subdir(const struct eb_spec_reader *r);

/* ---- conda's packages ------------------------------------------------------
 */

/* A new one of the exact list by its URL, at a node, for the platform; its
 * hashes, one of which has to be there. NULL: EB_INPUT. */
struct eb_exact_package *eb_locked_add(struct eb_spec_reader *r,
				       const struct eb_yaml_node *n,
				       const char *url,
				       const struct eb_yaml_node *hashes);
/* Is it a URL, and not a place on the machine that made the lock? `n`: where
 * it stands. EB_INPUT. */
int eb_locked_is_remote(struct eb_spec_reader *r, const struct eb_yaml_node *n,
			const char *url);

/* ---- pip's (locked_pip.c) --------------------------------------------------
 */

struct eb_locked_pip {
	json_t *packages;
	unsigned *line;
	size_t alloc;
};
struct eb_locked_project {
	const struct eb_yaml_node *at;
	const char *name, *version, *url, *index, *requires_python, *sha256;
};
/* A wheel, an sdist, a commit; EB_INPUT: a folder, no hash. */
int eb_locked_pip_add(struct eb_spec_reader *r, struct eb_locked_pip *pip,
		      const struct eb_locked_project *p);
/* They are the pip section of the spec; `by` made them. */
void eb_locked_pip_take(struct eb_spec_reader *r, struct eb_locked_pip *pip,
			const char *by);
void eb_locked_pip_release(struct eb_locked_pip *pip);

/* ---- the formats -----------------------------------------------------------
 */

extern const struct eb_locked_format eb_pixi_format;
bool eb_is_conda_lock(const struct eb_yaml_node *root);
bool eb_is_pixi_lock(const struct eb_yaml_node *root);
int eb_spec_conda_lock(struct eb_spec_reader *r);
int eb_spec_pixi_lock(struct eb_spec_reader *r);

#endif
