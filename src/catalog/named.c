/* SPDX-License-Identifier: Apache-2.0 */
/* An environment that has a name. */
#include <string.h>

#include <envbuild/catalog.h>

const char *const eb_named_options[] = {
	"activation",
	"allow-cpu",
	"apt",
	"arch",
	"as-of",
	"base",
	"base-family",
	"build-arg",
	"build-base",
	"build-env",
	"channel",
	"channel-alias",
	"channel-priority",
	"compression",
	"context",
	"cpu",
	"cuda",
	"dockerfile",
	"dockerfile-text",
	"driver",
	"experimental-cuda",
	"gpu",
	"gpu-arch",
	"naming",
	"no-build-isolation",
	"pin",
	"pip-replace",
	"platform",
	"post-link",
	"pyc",
	"source-date-epoch",
	NULL,
};

static bool is_among(const char *option, const char *const *list)
{
	while (*list && strcmp(*list, option) != 0)
		list++;
	return *list;
}

bool eb_named_keeps(const char *option)
{
	return is_among(option, eb_named_options);
}

bool eb_named_repeats(const char *option)
{
	static const char *const lists[] = {
		"apt",	   "build-arg",		 "build-env",
		"channel", "no-build-isolation", "pin",
		NULL
	};

	return is_among(option, lists);
}

const char *eb_env_status_name(enum eb_env_status status)
{
	static const char *const names[] = {
		[EB_ENV_OWN] = "own",
		[EB_ENV_SHARED] = "shared",
		[EB_ENV_CURRENT] = "current",
		[EB_ENV_SUPERSEDED] = "superseded",
		[EB_ENV_DELETED] = "deleted",
	};

	return names[status];
}

const char *eb_named_option(const struct eb_named *e, const char *option)
{
	for (size_t i = 0; i < e->option_name.n; i++)
		if (!strcmp(e->option_name.v[i], option))
			return e->option_value.v[i];
	return NULL;
}

void eb_named_add_option(struct eb_named *e, const char *option,
			 const char *value)
{
	eb_strv_add(&e->option_name, option);
	eb_strv_add(&e->option_value, value);
}

char *eb_named_reference(const struct eb_named *e)
{
	return e->version ? eb_asprintf("%s:%s", e->name, e->version)
			  : eb_strdup(e->name);
}

void eb_named_free(struct eb_named *e)
{
	if (!e)
		return;
	struct eb_strv *const lists[] = {
		&e->labels,	  &e->aliases,	   &e->option_name,
		&e->option_value, &e->known,	   &e->variable_name,
		&e->claims_name,  &e->claims_tags, &e->variable_value,
	};

	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		eb_strv_release(lists[i]);
	free(e->name);
	free(e->version);
	free(e->superseded_by);
	free(e->origin);
	free(e->source);
	free(e->text);
	free(e->file);
	free(e->files);
	free(e->python);
	free(e);
}
