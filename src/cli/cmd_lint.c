/* SPDX-License-Identifier: Apache-2.0 */
/* envbuild lint ENV: every problem that can be known before a build, as
 * file:line:column lines; exit 1 with errors. */
#include <envbuild/json.h>
#include <envbuild/lint.h>

#include "cli.h"

static int print_one(const struct eb_lint_found *f, struct eb_error *err)
{
	eb_autofree char *file = eb_printable(f->file);
	eb_autofree char *what = eb_printable(f->what);
	eb_autofree char *fix = f->fix ? eb_printable(f->fix) : NULL;

	return eb_cli_print(err, "%s:%u:%u: %s: %s%s%s [%s]", file,
			    f->line ? f->line : 1, f->column ? f->column : 1,
			    eb_level_name(f->rule->level), what,
			    fix ? "; " : "", fix ? fix : "", f->rule->name);
}

static json_t *to_json(const struct eb_lint_found *f)
{
	json_t *j = json_object();

	json_object_set_new(j, "rule", json_string(f->rule->name));
	json_object_set_new(j, "level",
			    json_string(eb_level_name(f->rule->level)));
	json_object_set_new(j, "file", json_string(f->file));
	json_object_set_new(j, "line", json_integer(f->line));
	json_object_set_new(j, "column", json_integer(f->column));
	json_object_set_new(j, "what", json_string(f->what));
	if (f->fix)
		json_object_set_new(j, "fix", json_string(f->fix));
	json_object_set_new(j, "fixable", json_boolean(f->edit.line));
	return j;
}

static int print_json(const struct eb_lint_list *f, struct eb_error *err)
{
	json_t *j = json_object(), *list = json_array();

	for (size_t i = 0; i < f->n; i++)
		json_array_append_new(list, to_json(&f->v[i]));
	json_object_set_new(j, "schema", json_integer(1));
	json_object_set_new(j, "findings", list);
	return eb_cli_print_json(j, err);
}

static int print(struct eb_cli *cli, const struct eb_lint_list *f,
		 struct eb_error *err)
{
	if (cli->config.json)
		return print_json(f, err);
	for (size_t i = 0; i < f->n; i++)
		if (print_one(&f->v[i], err) < 0)
			return -1;
	return 0;
}

/* The text, then what follows from it for base and CUDA. */
static int look(struct eb_cli *cli, struct eb_linted *l, struct eb_error *err)
{
	if (eb_lint(cli->args.v[0], cli->config.platform, l, err) < 0)
		return -1;
	return eb_lint_base(&cli->config, l, err);
}

/* Mends what can be mended, and looks again. */
static int mend(struct eb_cli *cli, struct eb_linted *l, struct eb_error *err)
{
	size_t made;

	if (eb_lint_fix(&l->findings, &made, err) < 0)
		return -1;
	eb_note(cli->events, "%zu change%s made", made, made == 1 ? "" : "s");
	if (!made)
		return 0;
	eb_linted_release(l);
	return look(cli, l, err);
}

static int run(struct eb_cli *cli, struct eb_error *err)
{
	struct eb_linted l EB_CLEANUP(eb_linted_release) = { 0 };

	if (look(cli, &l, err) < 0)
		return -1;
	if (eb_cli_own(cli, "fix") && mend(cli, &l, err) < 0)
		return -1;
	if (print(cli, &l.findings, err) < 0)
		return -1;
	return eb_lint_fails(&l.findings) ? EB_NO : EB_OK;
}

static const struct eb_cli_option own[] = { { "fix", NULL }, { 0 } };

const struct eb_command eb_cmd_lint = {
	.name = "lint",
	.usage = "lint ENV [--fix] [--json]",
	.summary = "every problem of a definition that can be known before a "
		   "build",
	.own = own,
	.min_args = 1,
	.max_args = 1,
	.run = run,
};
