/* SPDX-License-Identifier: Apache-2.0 */
/* A pylock.toml under a policy. */
#include <string.h>

#include <envbuild/json.h>

#include "resolve_pip.h"

static int check(const struct eb_config *config, const json_t *place,
		 struct eb_error *err)
{
	const char *url = eb_json_str(place, "url");

	if (!url || !strncasecmp(url, "file:", 5))
		return 0;
	return eb_policy_index(config, url, err);
}

static int check_package(const struct eb_config *config, const json_t *package,
			 struct eb_error *err)
{
	static const char *const places[] = { "sdist", "archive", "vcs" };
	const json_t *wheels = eb_json_arr(package, "wheels"), *wheel;
	size_t i;

	json_array_foreach (wheels, i, wheel) {
		if (check(config, wheel, err) < 0)
			return -1;
	}
	for (i = 0; i < sizeof places / sizeof *places; i++)
		if (check(config, eb_json_obj(package, places[i]), err) < 0)
			return -1;
	return 0;
}

int eb_check_pylock(const struct eb_config *config, const struct eb_pylock *l,
		    struct eb_error *err)
{
	const json_t *package;
	size_t i;

	if (!config->policy.indexes.set)
		return 0;
	json_array_foreach (l->packages, i, package) {
		if (check_package(config, package, err) < 0)
			return eb_err_at(err, l->name, l->line[i], 1);
	}
	return 0;
}
