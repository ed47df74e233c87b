/* SPDX-License-Identifier: Apache-2.0 */
/* envbuild explain ENV: why this base and this CUDA. */
#include <envbuild/json.h>

#include "result.h"

static const char *const sources[] = {
	[EB_EXPLAINED_LINES] = "lines",
	[EB_EXPLAINED_LOCK] = "lock",
	[EB_EXPLAINED_SOLVED] = "solved",
};

static json_t *or_null(json_t *j)
{
	return j ? j : json_null();
}

static int print_json(const struct eb_explained *x, struct eb_error *err)
{
	json_t *j = eb_decision_to_json(x->decision);

	json_object_set_new(j, "schema", json_integer(1));
	json_object_set_new(j, "source", json_string(sources[x->from]));
	json_object_set_new(j, "not_solved",
			    x->why_not ? json_string(x->why_not) : json_null());
	json_object_set_new(j, "unsatisfiable", json_boolean(x->unsatisfiable));
	json_object_set(j, "problems", or_null(x->problems));
	json_object_set_new(j, "would_help",
			    x->problems && x->advice ? json_string(x->advice)
						     : json_null());
	json_object_set(j, "not_newest", or_null(x->held));
	return eb_cli_print_json(j, err);
}

static void add_place(const char *file, json_int_t line, json_int_t column,
		      struct eb_buf *out)
{
	eb_buf_adds(out, file);
	if (line)
		eb_buf_addf(out, ":%lld", (long long)line);
	if (line && column)
		eb_buf_addf(out, ":%lld", (long long)column);
}

static void tell_held_one(const json_t *held, struct eb_buf *out)
{
	const json_t *lines = eb_json_arr(held, "lines");
	json_t *line;
	unsigned told = 0;
	size_t i;

	eb_buf_addf(out, "  %s %s, and there is %s: %s",
		    eb_json_str(held, "name"), eb_json_str(held, "version"),
		    eb_json_str(held, "newest"), eb_json_str(held, "why"));
	json_array_foreach ((json_t *)lines, i, line) {
		const char *file = eb_json_str(line, "file");

		if (!file)
			continue;
		eb_buf_adds(out, told++ ? ", " : " (");
		add_place(file, eb_json_int(line, "line", 0),
			  eb_json_int(line, "column", 0), out);
	}
	eb_buf_adds(out, told ? ")\n" : "\n");
}

static void tell_held(const json_t *list, struct eb_buf *out)
{
	json_t *held;
	size_t i;

	if (json_array_size(list))
		eb_buf_adds(out, "\nOf what is asked for, these are not the "
				 "newest:\n");
	json_array_foreach ((json_t *)list, i, held)
		tell_held_one(held, out);
}

static void tell_why_not(const struct eb_explained *x, struct eb_buf *out)
{
	eb_buf_adds(out, x->unsatisfiable ? "\nIt cannot be had, and the lines "
					    "alone say the above: "
					  : "\nNothing was solved: ");
	if (x->file && x->line) {
		add_place(x->file, x->line, x->column, out);
		eb_buf_adds(out, ": ");
	}
	eb_buf_addf(out, "%s.\n", x->why_not);
	if (x->advice)
		eb_buf_addf(out, "What would help: %s.\n", x->advice);
}

static int print_text(const struct eb_explained *x, struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_CONFIG);

	eb_decision_tell(x->decision, &text);
	if (x->from == EB_EXPLAINED_LOCK)
		eb_buf_adds(&text, "\nThe packages are those of the lock.\n");
	if (x->from == EB_EXPLAINED_SOLVED)
		eb_buf_adds(&text, "\nThe packages were chosen just now, from "
				   "what is here.\n");
	if (x->held)
		tell_held(x->held, &text);
	if (x->why_not)
		tell_why_not(x, &text);
	if (text.overflow)
		return eb_err_set(err, EB_INPUT,
				  "the explanation is longer than %zu bytes",
				  (size_t)EB_MAX_CONFIG);
	text.data[text.len - 1] = 0; /* the print adds the newline */
	return eb_cli_print(err, "%s", text.data);
}

static int run(struct eb_cli *cli, struct eb_error *err)
{
	EB_CLEANUP(eb_result_release) struct eb_result r = EB_RESULT_INIT;
	EB_CLEANUP(eb_explained_release) struct eb_explained x = { 0 };
	bool solve = !eb_cli_own(cli, "no-solve");

	cli->config.local = true; /* no registry is asked */
	if (eb_result_look(cli, cli->args.v[0], &r, err) < 0 ||
	    eb_explain(r.env, &cli->config, r.store, solve, cli->events, &x,
		       err) < 0)
		return -1;
	eb_progress_pause(cli->progress);
	if ((cli->config.json ? print_json(&x, err) : print_text(&x, err)) < 0)
		return -1;
	return x.decision->refused || x.unsatisfiable ? EB_NO : EB_OK;
}

static const struct eb_cli_option own[] = { { "no-solve", NULL }, { 0 } };

const struct eb_command eb_cmd_explain = {
	.name = "explain",
	.usage = "explain ENV [--no-solve] [--json]",
	.summary = "why this base and this CUDA",
	.own = own,
	.min_args = 1,
	.max_args = 1,
	.takes_env = true,
	.run = run,
};
