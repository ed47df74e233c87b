/* SPDX-License-Identifier: Apache-2.0 */
/* A job, pipeline or deployment of version 2: which of its nodes is the
 * environment. */
#include <string.h>

#include "azure_read.h"

struct found {
	const struct eb_yaml_node **node;
	struct eb_strv name; /* "environment", "jobs.NAME" */
	size_t n, alloc;
};

static void found_release(struct found *f)
{
	free(f->node);
	eb_strv_release(&f->name);
}

static void add(struct found *f, const struct eb_yaml_node *n, const char *name)
{
	if (!eb_azure_is_set(n))
		return;
	EB_GROW(f->node, f->n, f->alloc);
	f->node[f->n++] = n;
	eb_strv_add(&f->name, name);
}

/* Where a job keeps it: itself, or its task, trial or component. */
static void look_at(struct found *f, const struct eb_yaml_node *job,
		    const char *name)
{
	static const char *const inner[] = { "task", "trial", "component" };

	if (job->type != EB_YAML_MAP)
		return;
	add(f, eb_yaml_get(job, "environment"), name);
	for (size_t i = 0; i < sizeof inner / sizeof *inner; i++) {
		const struct eb_yaml_node *n = eb_yaml_get(job, inner[i]);

		if (n && n->type == EB_YAML_MAP)
			add(f, eb_yaml_get(n, "environment"), name);
	}
}

static void look(const struct eb_yaml_node *root, struct found *f)
{
	const struct eb_yaml_node *jobs = eb_yaml_get(root, "jobs");

	look_at(f, root, "environment");
	if (!jobs || jobs->type != EB_YAML_MAP)
		return;
	for (size_t i = 0; i < jobs->n; i++) {
		eb_autofree char *name =
			eb_asprintf("jobs.%s", jobs->key[i]->text);

		look_at(f, jobs->item[i], name);
	}
}

static char *list(const struct found *f)
{
	EB_AUTOBUF(text, EB_MAX_METADATA);

	for (size_t i = 0; i < f->n; i++)
		eb_buf_addf(&text, "%s%s", i ? ", " : "", f->name.v[i]);
	return eb_buf_steal(&text, NULL);
}

static int pick_named(struct eb_azure_reader *r, const struct found *f,
		      const char *which, const struct eb_yaml_node **out)
{
	eb_autofree char *names = list(f);

	for (size_t i = 0; i < f->n; i++) {
		if (strcmp(f->name.v[i], which))
			continue;
		*out = f->node[i];
		return 0;
	}
	eb_yaml_err(r->doc, r->doc->root, r->err,
		    "\"%s\" has no environment \"%s\"", r->out->file, which);
	return eb_err_hint(r->err, "it has: %s", f->n ? names : "none");
}

int eb_azure_job_pick(struct eb_azure_reader *r, const char *which,
		      const struct eb_yaml_node **out)
{
	struct found f EB_CLEANUP(found_release) = { 0 };
	eb_autofree char *names = NULL;

	look(r->doc->root, &f);
	if (which)
		return pick_named(r, &f, which, out);
	if (!f.n) {
		eb_yaml_err(r->doc, r->doc->root, r->err,
			    "no environment is named in this job");
		return eb_err_hint(r->err, "its components are files of their "
					   "own: give one of them");
	}
	if (f.n == 1) {
		*out = f.node[0];
		return 0;
	}
	names = list(&f);
	eb_yaml_err(r->doc, f.node[1], r->err,
		    "\"%s\" has %zu environments: %s", r->out->file, f.n,
		    names);
	return eb_err_hint(r->err, "pick one: %s#%s", r->out->file,
			   f.name.v[0]);
}
