/* SPDX-License-Identifier: Apache-2.0 */
/* Confined by Landlock and seccomp, where no runtime works. */
#include <string.h>

#include "confine_state.h"
#include "landlock.h"
#include "seccomp.h"

/* The folder is where it is, so the program's name changes. */
static void make_argv(struct eb_confined *c, struct eb_confined_state *s)
{
	const char *const *arg = c->argv + 1;

	eb_strv_take(&s->argv, eb_confined_path(c, c->argv[0]));
	for (; *arg; arg++)
		eb_strv_add(&s->argv, *arg);
}

static int make_rules(const struct eb_confined *c,
		      const struct eb_confined_state *s, struct eb_error *err)
{
	const char *folder[16] = { c->root };
	size_t n = 1, i;

	for (i = 0; eb_system_paths[i] && n < 15; i++)
		folder[n++] = eb_system_paths[i];
	return eb_landlock_rules(folder, s->argv.v[0], err);
}

int eb_confined_by_landlock(struct eb_confined *c, struct eb_confined_state *s,
			    struct eb_error *err)
{
	eb_autofd int rules = -1;

	c->way = "landlock";
	make_argv(c, s);
	rules = make_rules(c, s, err);
	if (rules < 0)
		return -1;
	eb_confined_limits(c, &s->setup);
	eb_child_setup_init(&s->setup);
	s->setup.landlock = true;
	s->setup.program = s->argv.v[0];
	s->setup.argv = (const char *const *)s->argv.v;
	s->setup.env = c->env;
	if (eb_seccomp_filter(s->setup.program, &s->setup.filter, err) < 0)
		return -1;
	s->process.argv = (const char *const *)s->argv.v;
	s->process.extra_fd = rules;
	s->setup.rules = 3 + (int)s->process.n_more;
	s->process.new_group = true;
	s->process.prepare = eb_child_setup;
	s->process.prepare_data = &s->setup;
	return eb_process_start(&s->process, err);
}
