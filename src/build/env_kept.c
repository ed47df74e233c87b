/* SPDX-License-Identifier: Apache-2.0 */
/* Options that a definition of the catalogue keeps. */
#include <string.h>
#include <unistd.h>

#include <envbuild/channel.h>
#include <envbuild/file.h>

#include "apt.h"
#include "conda_settings.h"
#include "dockerfile_base.h"
#include "env_kept.h"
#include "options.h"

static bool is_among(const char *option, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(list[i], option))
			return true;
	return false;
}

/* Those that yield to a configuration, too. */
static bool is_default(const char *option)
{
	static const char *const names[] = {
		"apt",
		"as-of",
		"base",
		"build-arg",
		"build-base",
		"build-env",
		"context",
		"dockerfile",
		"dockerfile-text",
		"no-build-isolation",
		"pin",
	};

	return is_among(option, names, sizeof names / sizeof *names);
}

/* What makes the base: all of it is the configuration's, or none. */
static bool is_of_base(const char *option)
{
	static const char *const names[] = { "base", "build-arg", "context",
					     "dockerfile", "dockerfile-text" };

	return is_among(option, names, sizeof names / sizeof *names);
}

static const char *const of_gpu[] = { "gpu", "cuda", "driver", "gpu-arch" };
#define OF_GPU (sizeof of_gpu / sizeof *of_gpu)

static bool is_set(const struct eb_config *c, const char *option)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv values = { 0 };

	eb_config_values(c, option, &values);
	return values.n;
}

/* ---- into the configuration ---------------------------------------------- */

/* Does what the configuration says count, instead of what is kept? */
static bool is_given(const struct eb_config *c, const char *option)
{
	if (eb_strv_has(&c->given, option))
		return true;
	if (is_of_base(option))
		return c->base || eb_config_has_recipe(c);
	if (is_default(option))
		return is_set(c, option);
	if (is_among(option, of_gpu, OF_GPU))
		return eb_strv_has(&c->given, "cpu");
	for (size_t i = 0; i < OF_GPU && !strcmp(option, "cpu"); i++)
		if (eb_strv_has(&c->given, of_gpu[i]))
			return true;
	return false;
}

/* What a configuration file says against it. */
static void make_room(struct eb_config *c, const char *option)
{
	if (is_among(option, of_gpu, OF_GPU))
		eb_config_reset(c, "cpu");
	for (size_t i = 0; i < OF_GPU && !strcmp(option, "cpu"); i++)
		eb_config_reset(c, of_gpu[i]);
}

static int take(struct eb_config *c, const struct eb_named *e, size_t i,
		struct eb_error *err)
{
	const char *option = e->option_name.v[i];
	bool flag = eb_config_option(option) == 1;

	make_room(c, option);
	if (eb_named_keeps(option) &&
	    eb_config_give(c, option, flag ? NULL : e->option_value.v[i],
			   err) == 0)
		return 0;
	if (!err->message)
		eb_err_set(err, EB_INPUT,
			   "option \"%s\" is none that a "
			   "definition has",
			   option);
	err->code = EB_INPUT;
	return eb_err_prefix(err, "environment \"%s\"", e->name);
}

int eb_env_take_options(struct eb_config *config, const struct eb_named *e,
			struct eb_error *err)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv given = { 0 };

	for (const char *const *o = eb_named_options; *o; o++)
		if (is_given(config, *o))
			eb_strv_add(&given, *o);
	for (size_t i = 0; i < e->option_name.n; i++)
		if (!eb_strv_has(&given, e->option_name.v[i]) &&
		    take(config, e, i, err) < 0)
			return -1;
	return 0;
}

/* ---- out of it ------------------------------------------------------------
 */

/* A base on this machine is meant wherever one stands. */
static char *absolute(const char *base)
{
	static const char *const local[] = { "oci:", "oci-archive:",
					     "docker-archive:", "rootfs:" };

	for (size_t i = 0; i < sizeof local / sizeof *local; i++) {
		const char *path = base + strlen(local[i]);
		eb_autofree char *here = NULL;

		if (!eb_starts(base, local[i]) || *path == '/')
			continue;
		here = getcwd(NULL, 0);
		if (here)
			return eb_asprintf("%s%s/%s", local[i], here, path);
	}
	return eb_strdup(base);
}

static char *absolute_path(const char *path)
{
	eb_autofree char *here = *path == '/' ? NULL : getcwd(NULL, 0);

	return here ? eb_path_join(here, path) : eb_strdup(path);
}

/* A folder by its URL, a URL without its login; a name, and what has variables
 * in it, stays. NULL: there is no such folder. */
static char *channel(const char *text, const struct eb_config *c,
		     struct eb_events *events, struct eb_error *err)
{
	struct eb_channels all EB_CLEANUP(eb_channels_release) = { 0 };
	const struct eb_channel_rules rules = eb_config_rules(c);
	eb_autofree char *clean = eb_url_redact(text);
	bool url = strstr(text, "://"), login = strcmp(clean, text) != 0;

	if (strchr(text, '$'))
		return eb_strdup(text);
	if (eb_channels_add_by(&all, text, &rules, err) < 0)
		return NULL;
	if (login)
		eb_warn(events,
			"channel \"%s\" is kept without its login: write that "
			"as a variable, ${NAME}",
			clean);
	if (login ||
	    (!url && all.n && eb_starts(all.channel->canonical, "file:")))
		return eb_strdup(all.channel->canonical);
	return eb_strdup(text);
}

static int keep_channels(struct eb_named *e, const struct eb_config *c,
			 struct eb_events *events, struct eb_error *err)
{
	for (size_t i = 0; i < c->channel_first.n; i++) {
		eb_autofree char *text =
			channel(c->channel_first.v[i], c, events, err);

		if (!text)
			return -1;
		eb_named_add_option(e, "channel", text);
	}
	return 0;
}

/* Files of system packages are read now: the name stands for what they hold. */
static int keep_apt(struct eb_named *e, const struct eb_config *c,
		    struct eb_error *err)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv apt = { 0 };

	if (eb_apt_read(&c->apt, &apt, err) < 0)
		return -1;
	for (size_t i = 0; i < apt.n; i++)
		eb_named_add_option(e, "apt", apt.v[i]);
	return 0;
}

static void keep_values(struct eb_named *e, const struct eb_config *c,
			const char *option)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv values = { 0 };
	bool base = !strcmp(option, "base") || !strcmp(option, "build-base");
	bool path = !strcmp(option, "context") || !strcmp(option, "dockerfile");

	eb_config_values(c, option, &values);
	for (size_t i = 0; i < values.n; i++) {
		eb_autofree char *value = base	 ? absolute(values.v[i])
					  : path ? absolute_path(values.v[i])
						 : eb_strdup(values.v[i]);

		eb_named_add_option(e, option, value);
	}
}

static int keep(struct eb_named *e, const struct eb_config *c,
		const char *option, struct eb_events *events,
		struct eb_error *err)
{
	if (!is_default(option) && !eb_strv_has(&c->given, option))
		return 0;
	if (!strcmp(option, "base") && eb_config_has_recipe(c))
		return 0;
	if (!strcmp(option, "apt"))
		return keep_apt(e, c, err);
	if (!strcmp(option, "channel"))
		return keep_channels(e, c, events, err);
	keep_values(e, c, option);
	return 0;
}

int eb_env_keep_options(struct eb_named *e, const struct eb_config *config,
			struct eb_events *events, struct eb_error *err)
{
	if (eb_option_gpu_check(config, err) < 0)
		return -1;
	eb_strv_release(&e->option_name);
	eb_strv_release(&e->option_value);
	for (const char *const *o = eb_named_options; *o; o++)
		if (keep(e, config, *o, events, err) < 0)
			return -1;
	return 0;
}
