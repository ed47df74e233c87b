/* SPDX-License-Identifier: Apache-2.0 */
/* envbuild lint FILE: what can be known before a build, as file:line:column
 * lines; exit 1 with findings. */
#include <envbuild/mem.h>

#include "cli.h"

struct findings {
	unsigned n;
	struct eb_error err;
};

static void print_finding(void *data, const struct eb_event *ev)
{
	struct findings *f = data;
	eb_autofree char *file = NULL, *text = NULL;

	if (ev->type != EB_EV_WARNING)
		return;
	file = eb_printable(ev->file ? ev->file : "-");
	text = eb_printable(ev->text);
	f->n++;
	if (!eb_err_is_set(&f->err))
		eb_cli_print(&f->err, "%s:%u:%u: %s", file, ev->line,
			     ev->column, text);
}

static int run(struct eb_cli *cli, struct eb_error *err)
{
	EB_CLEANUP(eb_spec_free_ptr) struct eb_spec *spec = NULL;
	struct findings f = { 0 };
	struct eb_events *events = eb_events_new(print_finding, &f);
	int rc = eb_spec_read(cli->args.v[0], cli->config.platform, events,
			      &spec, err);

	eb_events_free(events);
	if (rc == 0 && eb_err_is_set(&f.err)) {
		eb_err_move(err, &f.err);
		rc = -1;
	}
	eb_err_release(&f.err);
	return rc < 0 ? -1 : f.n ? EB_NO : EB_OK;
}

const struct eb_command eb_cmd_lint = {
	.name = "lint",
	.usage = "lint FILE",
	.summary = "every problem of a definition that can be known before a "
		   "build",
	.min_args = 1,
	.max_args = 1,
	.run = run,
};
