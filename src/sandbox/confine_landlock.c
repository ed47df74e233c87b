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

/* How the kernel gives memory. An allocator that cannot read it takes and gives
 * back every few pages by a call of their own: of a resolver's run, a third. */
static const char *const memory_paths[] = { "/proc/sys/vm/overcommit_memory",
					    NULL };

/* A program of the machine is executed where it is. */
static int network_rules(const struct eb_confined *c, struct eb_error *err)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv read = { 0 };
	EB_CLEANUP(eb_strv_release) struct eb_strv execute = { 0 };
	struct eb_landlock l = { .write = c->root, .network = true };
	const char *const *path;

	for (path = eb_network_paths; *path; path++)
		eb_strv_add(&read, *path);
	for (path = memory_paths; *path; path++)
		eb_strv_add(&read, *path);
	for (path = eb_program_paths; *path; path++)
		eb_strv_add(&execute, *path);
	for (path = c->see; path && *path; path++)
		eb_strv_add(&execute, *path);
	l.read = (const char *const *)read.v;
	l.execute = (const char *const *)execute.v;
	return eb_landlock_rules(&l, err);
}

static int make_rules(const struct eb_confined *c,
		      const struct eb_confined_state *s, struct eb_error *err)
{
	const char *folder[16] = { c->root };
	const struct eb_landlock l = { .read = folder,
				       .program = s->argv.v[0] };
	size_t n = 1, i;

	if (c->network)
		return network_rules(c, err);
	for (i = 0; eb_system_paths[i] && n < 15; i++)
		folder[n++] = eb_system_paths[i];
	return eb_landlock_rules(&l, err);
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
	s->setup.no_root = c->network;
	if (eb_seccomp_filter(c->network ? EB_CALLS_NETWORK : EB_CALLS_COMPUTE,
			      s->setup.program, &s->setup.filter, err) < 0)
		return -1;
	s->process.argv = (const char *const *)s->argv.v;
	s->process.extra_fd = rules;
	s->setup.rules = 3 + (int)s->process.n_more;
	s->process.cwd = c->network ? c->root : NULL;
	s->process.new_group = true;
	s->process.prepare = eb_child_setup;
	s->process.prepare_data = &s->setup;
	return eb_process_start(&s->process, err);
}
