/* SPDX-License-Identifier: Apache-2.0 */
/* A decision about base and CUDA, asked for with what there is: options, lines,
 * a lock, a base. Nothing is opened. */
#include <envbuild/json.h>

#include "resolve_base.h"

static void take_packages(const struct eb_lock *lock,
			  struct eb_decision_package *p)
{
	for (size_t i = 0; i < lock->n; i++)
		eb_decision_from_record(&lock->package[i].record, p++);
	for (size_t i = 0; i < lock->n_pins; i++)
		eb_decision_from_pin(&lock->pin[i], p++);
}

static enum eb_gpu gpu_of(const struct eb_config *c)
{
	return c->cpu ? EB_GPU_NO : c->gpu ? EB_GPU_YES : EB_GPU_UNSAID;
}

static void take_options(struct eb_decision_request *q,
			 const struct eb_config *c)
{
	q->platform = c->platform;
	q->gpu = gpu_of(c);
	q->cuda = c->cuda;
	q->driver = c->driver;
	q->gpu_arch = c->gpu_arch;
	q->family = c->base_family;
	q->allow_cpu = c->allow_cpu;
	q->experimental = c->experimental_cuda;
	q->base = c->base;
}

static void take_facts(struct eb_decision_request *q,
		       const struct eb_base *base,
		       struct eb_decision_base *facts, struct eb_strv *hold)
{
	if (!base)
		return;
	eb_decision_base_read(eb_json_obj(base->config, "config"), facts, hold);
	facts->glibc = base->glibc;
	q->base_facts = facts;
}

int eb_decide_base(const struct eb_env *env, const struct eb_config *config,
		   const struct eb_deciding *from, struct eb_decision **out,
		   struct eb_error *err)
{
	static const struct eb_spec nothing = { .file = (char *)"lock" };
	const struct eb_lock *lock = from->lock;
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_CLEANUP(eb_pip_set_release) struct eb_pip_set set = { 0 };
	EB_CLEANUP(eb_strv_release) struct eb_strv hold = { 0 };
	size_t n = lock ? lock->n + lock->n_pins : 0;
	eb_autofree struct eb_decision_package *package =
		eb_calloc(n + 1, sizeof *package);
	struct eb_decision_base facts;
	struct eb_decision_request q = {
		.spec = env->spec ? env->spec : &nothing,
		.name = env->named ? env->named->name : NULL,
		.solved = lock != NULL,
		.package = package,
		.n_packages = n
	};

	take_options(&q, config);
	if (from->cuda)
		q.cuda = from->cuda;
	take_facts(&q, q.base ? from->base : NULL, &facts, &hold);
	if (lock)
		take_packages(lock, package);
	/* What is wrong with it, its own resolver says. */
	if (env->spec && env->spec->n_pip &&
	    eb_spec_pip_set(env->spec, &set, &ignored) == 0)
		q.pip = &set;
	return eb_decide(&q, out, err);
}
