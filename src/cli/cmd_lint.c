/* SPDX-License-Identifier: Apache-2.0 */
/* envbuild lint ENV: every problem that can be known before a build, as
 * file:line:column lines; exit 1 with errors. */
#include <string.h>

#include <envbuild/json.h>
#include <envbuild/lint.h>

#include "cmd_lint.h"

/* What stands in no file has no line. */
static bool is_option(const struct eb_lint_found *f)
{
	return !f->line &&
	       (eb_starts(f->file, "--") || !strcmp(f->file, "command line"));
}

static int print_one(const struct eb_lint_found *f, struct eb_error *err)
{
	eb_autofree char *file = eb_printable(f->file);
	eb_autofree char *what = eb_printable(f->what);
	eb_autofree char *fix = f->fix ? eb_printable(f->fix) : NULL;

	eb_autofree char *place =
		is_option(f)
			? eb_strdup(file)
			: eb_asprintf("%s:%u:%u", file, f->line ? f->line : 1,
				      f->column ? f->column : 1);

	return eb_cli_print(err, "%s: %s: %s%s%s [%s]", place,
			    eb_level_name(f->level), what, fix ? "; " : "",
			    fix ? fix : "", f->rule->name);
}

static json_t *to_json(const struct eb_lint_found *f)
{
	json_t *j = json_object();

	json_object_set_new(j, "rule", json_string(f->rule->name));
	json_object_set_new(j, "level", json_string(eb_level_name(f->level)));
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

/* The text, what follows from it for base and CUDA, then indexes. */
static int look(struct eb_cli *cli, eb_lint_look_fn *index, struct eb_linted *l,
		struct eb_error *err)
{
	if (eb_lint_env(cli->args.v[0], &cli->config, l, err) < 0 ||
	    eb_lint_base(&cli->config, l, err) < 0)
		return -1;
	return index ? index(cli, l, err) : 0;
}

/* Mends what can be mended, and looks again. */
static int mend(struct eb_cli *cli, eb_lint_look_fn *index, struct eb_linted *l,
		struct eb_error *err)
{
	size_t made;

	if (!*cli->args.v[0])
		return eb_err_set(err, EB_USAGE,
				  "\"--fix\" writes a file, and none is given");
	if (eb_lint_fix(&l->findings, &made, err) < 0)
		return -1;
	eb_note(cli->events, "%zu change%s made", made, made == 1 ? "" : "s");
	if (!made)
		return 0;
	eb_linted_release(l);
	return look(cli, index, l, err);
}

static int check_use(struct eb_cli *cli, struct eb_error *err)
{
	if (eb_cli_own(cli, "index") && eb_cli_own(cli, "no-index"))
		return eb_err_set(err, EB_USAGE,
				  "--index and --no-index exclude each other");
	if (!eb_cli_own(cli, "fix") || strcmp(cli->args.v[0], "-"))
		return 0;
	eb_err_set(err, EB_USAGE,
		   "--fix changes a file, and standard input is none");
	return eb_err_hint(err, "name the file");
}

int eb_lint_run(struct eb_cli *cli, eb_lint_look_fn *index,
		struct eb_error *err)
{
	struct eb_linted l EB_CLEANUP(eb_linted_release) = { 0 };

	if (check_use(cli, err) < 0 || look(cli, index, &l, err) < 0)
		return -1;
	if (eb_cli_own(cli, "fix") && mend(cli, index, &l, err) < 0)
		return -1;
	if (print(cli, &l.findings, err) < 0)
		return -1;
	return eb_lint_fails(&l.findings) ? EB_NO : EB_OK;
}

static int run(struct eb_cli *cli, struct eb_error *err)
{
	return eb_lint_run(cli, NULL, err);
}

/* Indexes need libcurl. */
static bool is_full(const struct eb_cli *cli)
{
	return !eb_cli_own(cli, "no-index");
}

const struct eb_cli_option eb_lint_own[] = {
	{ "fix", NULL }, { "index", NULL }, { "no-index", NULL }, { 0 }
};

const struct eb_command eb_cmd_lint = {
	.name = "lint",
	.usage = EB_LINT_USAGE,
	.summary = EB_LINT_SUMMARY,
	.own = eb_lint_own,
	.min_args = 1,
	.max_args = 1,
	.takes_env = true,
	.is_full = is_full,
	.run = run,
};
