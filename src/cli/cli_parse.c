/* SPDX-License-Identifier: Apache-2.0 */
/* Options: --name VALUE, --name=VALUE, flags, -q and -v, then "--". */
#include <string.h>

#include <envbuild/mem.h>

#include "cli.h"

struct cursor {
	int argc, i;
	char **argv;
};

/* The value behind "=" or the next word. */
static const char *value_of(struct cursor *c, const char *inline_value,
			    const char *name, struct eb_error *err)
{
	if (inline_value)
		return inline_value;
	if (c->i + 1 < c->argc)
		return c->argv[++c->i];
	eb_err_set(err, EB_USAGE, "option \"--%s\" needs a value", name);
	return NULL;
}

static const struct eb_cli_option *find_own(const struct eb_cli *cli,
					    const char *name)
{
	for (const struct eb_cli_option *o = cli->cmd->own; o && o->name; o++)
		if (!strcmp(o->name, name))
			return o;
	return NULL;
}

static int take_own(struct eb_cli *cli, const struct eb_cli_option *o,
		    struct cursor *c, const char *inline_value,
		    struct eb_error *err)
{
	const char *value = "";

	if (o->value && o->value[0] == '[') {
		if (inline_value)
			value = inline_value;
	} else if (o->value) {
		value = value_of(c, inline_value, o->name, err);
		if (!value)
			return -1;
	} else if (inline_value) {
		return eb_err_set(err, EB_USAGE,
				  "option \"--%s\" takes no value", o->name);
	}
	eb_strv_add(&cli->own, o->name);
	eb_strv_add(&cli->own, value);
	return 0;
}

static int unknown(const struct eb_cli *cli, const char *name,
		   struct eb_error *err)
{
	eb_err_set(err, EB_USAGE, "there is no option \"--%s\"", name);
	return eb_err_hint(err,
			   "usage: envbuild %s; `envbuild help` lists the "
			   "common options",
			   cli->cmd->usage);
}

static int take_common(struct eb_cli *cli, const char *name, struct cursor *c,
		       const char *inline_value, struct eb_error *err)
{
	int kind = eb_config_option(name);
	const char *value = NULL;

	if (!strcmp(name, "config")) /* was read before */
		return value_of(c, inline_value, name, err) ? 0 : -1;
	if (!kind)
		return unknown(cli, name, err);
	if (kind == 2) {
		value = value_of(c, inline_value, name, err);
		if (!value)
			return -1;
	} else if (inline_value) {
		return eb_err_set(err, EB_USAGE,
				  "option \"--%s\" takes no value", name);
	}
	return eb_config_give(&cli->config, name, value, err);
}

static int take_long(struct eb_cli *cli, struct cursor *c, struct eb_error *err)
{
	const char *word = c->argv[c->i] + 2;
	const char *eq = strchr(word, '=');
	eb_autofree char *name =
		eb_strndup(word, eq ? (size_t)(eq - word) : strlen(word));
	const struct eb_cli_option *own = find_own(cli, name);

	if (own)
		return take_own(cli, own, c, eq ? eq + 1 : NULL, err);
	return take_common(cli, name, c, eq ? eq + 1 : NULL, err);
}

static int take_short(struct eb_cli *cli, const char *word,
		      struct eb_error *err)
{
	for (const char *p = word + 1; *p; p++) {
		if (*p == 'q')
			cli->config.quiet = true;
		else if (*p == 'v')
			cli->config.verbose = true;
		else
			return eb_err_set(err, EB_USAGE,
					  "there is no option \"-%c\"", *p);
	}
	return 0;
}

int eb_cli_parse(struct eb_cli *cli, int argc, char **argv,
		 struct eb_error *err)
{
	struct cursor c = { .argc = argc, .argv = argv };
	int rc = 0;

	for (; c.i < argc && rc == 0; c.i++) {
		const char *word = argv[c.i];

		if (!strcmp(word, "--")) {
			cli->has_command = true;
			while (++c.i < argc)
				eb_strv_add(&cli->command, argv[c.i]);
		} else if (eb_starts(word, "--")) {
			rc = take_long(cli, &c, err);
		} else if (word[0] == '-' && word[1]) {
			rc = take_short(cli, word, err);
		} else {
			eb_strv_add(&cli->args, word);
		}
	}
	return rc;
}

const char *eb_cli_own(const struct eb_cli *cli, const char *name)
{
	const char *value = NULL;

	for (size_t i = 0; i + 1 < cli->own.n; i += 2)
		if (!strcmp(cli->own.v[i], name))
			value = cli->own.v[i + 1];
	return value;
}
