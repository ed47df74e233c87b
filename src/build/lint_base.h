/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of lint share that know base and files. */
#ifndef EB_LINT_BASE_H
#define EB_LINT_BASE_H

#include "resolve_base.h"

struct eb_place {
	const char *file;
	unsigned line, column; /* 0: the file as a whole */
};
/* Where the file has these words first (NULL: nowhere). */
struct eb_place eb_place_of_words(const char *file, const char *words);

/* The definition itself; NULL: it could not be read. */
struct eb_spec *eb_linted_spec(const struct eb_linted *l);
/* The decision from its lines, with the image that options or definition name
 * (eb_linted_image). */
const char *eb_linted_image(const struct eb_linted *l,
			    const struct eb_config *config);
int eb_lint_decide(const struct eb_config *config, const struct eb_linted *l,
		   struct eb_decision **out, struct eb_error *err);

/* Variables of the definition that speak of InfiniBand, on that image. */
void eb_lint_infiniband(const struct eb_config *config, struct eb_linted *l,
			const char *image);

#endif
