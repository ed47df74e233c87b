/* SPDX-License-Identifier: Apache-2.0 */
/* Lines that no confined resolver can follow: it has none of the user's keys,
 * and what it reads is written by others. */
#include <string.h>

#include "pip_resolve_int.h"

static bool is_ssh(const char *text)
{
	const char *url = strstr(text, "+ssh://");

	return url || strstr(text, "+sftp://");
}

int eb_resolve_check_ssh(const struct eb_resolving *z, struct eb_error *err)
{
	const struct eb_pip_set *set = z->r->set;

	for (size_t i = 0; i < set->n; i++) {
		const struct eb_pip_line *l = &set->requirement[i];

		if (!is_ssh(l->text) || !eb_resolve_line_holds(z, l))
			continue;
		eb_err_set(err, EB_REFUSED,
			   "\"%s\": the resolver runs confined, without the "
			   "keys that ssh asks for",
			   l->shown);
		eb_err_hint(err, "clone it and name the clone "
				 "(NAME @ git+file:///FOLDER@COMMIT), or write "
				 "git+https:// with a token as ${TOKEN}@HOST");
		return eb_err_at(err, l->file, l->line, l->column);
	}
	return 0;
}
