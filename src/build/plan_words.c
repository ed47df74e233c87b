/* SPDX-License-Identifier: Apache-2.0 */
/* What the kinds of a plan are called; releasing one. */
#include <string.h>

#include <envbuild/build_plan.h>

const char *eb_planned_from_name(enum eb_planned_from from)
{
	static const char *const names[] = { "store", "registry", "network",
					     "file", "build" };

	return names[from];
}

const char *eb_planned_kind_name(enum eb_planned_kind kind)
{
	static const char *const names[] = { "base",   "apt",	    "own",
					     "bucket", "post-link", "last" };

	return names[kind];
}

const char *eb_planned_step_name(enum eb_planned_step_kind kind)
{
	static const char *const names[] = { "dockerfile", "apt",
					     "wheel",	   "bytecode",
					     "post-link",  "activation" };

	return names[kind];
}

const char *eb_privilege_name(enum eb_privilege p)
{
	static const char *const names[] = { "none", "confined", "runtime" };

	return names[p];
}

static void release_packages(struct eb_build_plan *p)
{
	for (size_t i = 0; i < p->n_packages; i++) {
		free(p->package[i].name);
		free(p->package[i].version);
		free(p->package[i].file);
	}
	free(p->package);
}

static void release_steps(struct eb_build_plan *p)
{
	for (size_t i = 0; i < p->n_steps; i++) {
		free(p->step[i].name);
		free(p->step[i].package);
		free(p->step[i].log);
	}
	free(p->step);
}

void eb_build_plan_release(struct eb_build_plan *p)
{
	release_packages(p);
	release_steps(p);
	for (size_t i = 0; i < p->n_layers; i++)
		free(p->layer[i].package);
	for (size_t i = 0; i < p->n_clashes; i++) {
		free(p->clash[i].path);
		free(p->clash[i].other);
		free(p->clash[i].package);
	}
	free(p->layer);
	free(p->clash);
	free(p->registry);
	memset(p, 0, sizeof *p);
}
