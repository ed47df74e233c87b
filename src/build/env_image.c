/* SPDX-License-Identifier: Apache-2.0 */
/* The base of a definition of the catalogue that names none. */
#include <string.h>

#include "env_kept.h"
#include "resolve_base.h"

int eb_named_image(const struct eb_named *e, const struct eb_config *config,
		   char **out, struct eb_error *err)
{
	EB_CLEANUP(eb_decision_free_ptr) struct eb_decision *d = NULL;
	EB_CLEANUP(eb_spec_free_ptr) struct eb_spec *spec = NULL;
	struct eb_config c EB_CLEANUP(eb_config_release) = { 0 };
	const struct eb_deciding lines = { 0 };
	struct eb_env env = { 0 };

	eb_config_copy(config, &c);
	if (eb_env_take_options(&c, e, err) < 0 ||
	    eb_spec_parse(e->text, strlen(e->text), e->file, c.platform, NULL,
			  &spec, err) < 0)
		return -1;
	env.spec = spec;
	if (eb_decide_base(&env, &c, &lines, &d, err) < 0)
		return -1;
	*out = d->refused ? NULL : eb_strdup(d->image);
	return 0;
}
