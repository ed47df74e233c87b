/* SPDX-License-Identifier: Apache-2.0 */
/* How far the files of a page come with one demand. */
#ifndef EB_PIP_RESOLVE_HURDLE_H
#define EB_PIP_RESOLVE_HURDLE_H

#include "pip_resolve_int.h"

enum eb_hurdle {
	EB_HURDLE_RANGE,
	EB_HURDLE_FINAL,
	EB_HURDLE_WITHDRAWN,
	EB_HURDLE_TIME,
	EB_HURDLE_PYTHON,
	EB_HURDLE_MACHINE,
	EB_HURDLE_KIND,
	EB_HURDLE_NONE,
};

struct eb_furthest { /* of those that came furthest */
	enum eb_hurdle at;
	const struct eb_index_file *file;
	char *version;
};

/* `out->version` is the caller's to free. */
void eb_hurdle_survey(struct eb_resolving *z, const struct eb_uv_edge *e,
		      const struct eb_index_page *page,
		      struct eb_furthest *out);
bool eb_hurdle_suits_python(const struct eb_pip_request *r,
			    const struct eb_index_file *f);
/* Version `a` than version `b`? */
bool eb_hurdle_is_newer(const char *a, const char *b);

#endif
