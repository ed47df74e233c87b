/* SPDX-License-Identifier: Apache-2.0 */
/* The image's settings: the base's, with the environment's variables. */
#include <string.h>

#include <envbuild/image.h>
#include <envbuild/json.h>
#include <envbuild/str.h>

#include "build_private.h"

#define USUAL_PATH \
	"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

const struct eb_locked_package *eb_lock_find(const struct eb_lock *lock,
					     const char *name)
{
	for (size_t i = 0; i < lock->n; i++)
		if (!strcmp(lock->package[i].record.name, name))
			return &lock->package[i];
	return NULL;
}

/* Activation that is static, by what conda's own activate sets. */
static void set_conda(json_t *image, const char *prefix)
{
	const char *path = eb_config_env(image, "PATH");
	eb_autofree char *full =
		eb_asprintf("%s/bin:%s", prefix, path ? path : USUAL_PATH);
	eb_autofree char *prompt = eb_asprintf("(%s) ", prefix);

	eb_config_set_env(image, "PATH", full);
	eb_config_set_env(image, "CONDA_PREFIX", prefix);
	eb_config_set_env(image, "CONDA_DEFAULT_ENV", prefix);
	eb_config_set_env(image, "CONDA_PROMPT_MODIFIER", prompt);
	eb_config_set_env(image, "CONDA_SHLVL", "1");
}

json_t *eb_image_settings(const json_t *base_config, const struct eb_lock *lock)
{
	eb_autojson json_t *image = json_deep_copy(base_config);
	EB_CLEANUP(eb_strv_release) struct eb_strv names = { 0 };
	const char *name;
	json_t *value;

	json_object_foreach (lock->variables, name, value)
		eb_strv_add(&names, name);
	eb_strv_sort(&names); /* so that their order in a file is nothing */
	if (strcmp(lock->activation, "none"))
		set_conda(image, lock->prefix);
	for (size_t i = 0; i < names.n; i++) {
		if (!strcmp(names.v[i], "PATH"))
			continue; /* reserved, as conda has it */
		eb_config_set_env(image, names.v[i],
				  eb_json_str(lock->variables, names.v[i]));
	}
	if (!strcmp(lock->activation, "entrypoint"))
		eb_activation_set_entrypoint(lock->prefix, image);
	return json_incref(json_object_get(image, "config"));
}
