/* SPDX-License-Identifier: Apache-2.0 */
/* --activation=entrypoint: a script that sources what activation sources, and
 * then executes what it is given, beginning with the base's own entrypoint. */
#include <string.h>

#include <envbuild/json.h>

#include "build_private.h"

#define SCRIPT "bin/.envbuild-entrypoint"

void eb_activation_set_entrypoint(const char *prefix, json_t *image)
{
	json_t *config = json_object_get(image, "config");
	const json_t *own = eb_json_arr(config, "Entrypoint");
	eb_autofree char *path = eb_asprintf("%s/" SCRIPT, prefix);
	json_t *list = json_array(), *word;
	size_t i;

	json_array_append_new(list, json_string(path));
	json_array_foreach ((json_t *)own, i, word)
		json_array_append(list, word);
	json_object_set_new(config, "Entrypoint", list);
}

/* The scripts are sourced in the order of their bytes, whatever the language
 * of the one who starts it. */
#define TEXT                                                                  \
	"# Sources the environment's activation scripts, then executes its\n" \
	"# arguments.\n"                                                      \
	"IFS='\n'\n"                                                          \
	"for _envbuild in $(LC_ALL=C; printf '%%s\\n' "                       \
	"%s/etc/conda/activate.d/*.sh); do\n"                                 \
	"	unset IFS\n"                                                        \
	"	[ ! -f \"$_envbuild\" ] || . \"$_envbuild\"\n"                      \
	"done\n"                                                              \
	"unset _envbuild\n"                                                   \
	"[ $# -gt 0 ] || set -- /bin/sh\n"                                    \
	"exec \"$@\"\n"

static bool has_bash(const struct eb_build *b)
{
	eb_autofree char *bash =
		eb_asprintf("%s/bin/bash", b->lock->prefix + 1);

	for (size_t i = 0; i < b->n; i++)
		if (b->work[i].paths.n &&
		    eb_entries_find(&b->work[i].paths, bash))
			return true;
	return false;
}

int eb_activation_add_entrypoint(struct eb_build *b, struct eb_entries *out,
				 struct eb_error *err)
{
	const char *prefix = b->lock->prefix;
	eb_autofree char *path = eb_asprintf("%s/" SCRIPT, prefix + 1);
	EB_AUTOBUF(text, EB_MAX_TEXT);

	if (strcmp(b->lock->activation, "entrypoint"))
		return 0;
	if (has_bash(b)) {
		eb_buf_addf(&text, "#!%s/bin/bash\n", prefix);
	} else if (b->base->scratch) {
		eb_err_set(err, EB_MACHINE,
			   "--activation=entrypoint needs a shell in the "
			   "image, which neither the base nor a package has");
		return eb_err_hint(err, "--activation=none builds without it");
	} else {
		eb_buf_adds(&text, "#!/bin/sh\n");
	}
	eb_buf_addf(&text, TEXT, prefix);
	return eb_entries_add_file(out, path, 0755, EB_FIXED_MTIME, text.data,
				   text.len, err);
}
