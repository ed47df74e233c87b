/* SPDX-License-Identifier: Apache-2.0 */
/* What an isolated build asks for, as a small pip section of its own. */
#include "pip_resolve_int.h"

#include <string.h>

int eb_pip_resolve_build(const struct eb_pip_request *r,
			 const struct eb_strv *requires, const char *what,
			 struct eb_events *events, struct eb_pip_result *out,
			 struct eb_error *err)
{
	struct eb_pip_set set EB_CLEANUP(eb_pip_set_release) = { 0 };
	struct eb_pip_request build = *r;

	*out = (struct eb_pip_result){ 0 };
	for (size_t i = 0; i < requires->n; i++)
		if (eb_pip_set_add(&set, requires->v[i], false, "/", what, 0, 0,
				   err) < 0)
			return -1;
	build.set = &set;
	build.installed = NULL;
	build.n_installed = 0;
	build.ask = NULL;
	if (!eb_uv_is_absent())
		build.elsewhere = NULL;
	return eb_resolve(&build, what, events, out, err);
}
