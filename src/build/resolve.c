/* SPDX-License-Identifier: Apache-2.0 */
/* Resolving: a definition becomes a lock. */
#include <string.h>
#include <time.h>

#include <envbuild/base.h>
#include <envbuild/build.h>
#include <envbuild/repodata.h>
#include <envbuild/solve.h>

#include "build_private.h"
#include "resolve_base.h"
#include "resolve_pip.h"

/* The kernel that images are expected to meet at least, where
 * CONDA_OVERRIDE_LINUX says nothing else: it is the host's, not ours. */
#define TARGET_LINUX "5.4"
/* What conda assumes of a target whose C library nothing tells. */
#define TARGET_GLIBC "2.17"

struct virtuals {
	struct eb_virtual v[8];
	size_t n;
};

static void add_virtual(struct virtuals *vs, const char *name,
			const char *version, const char *build)
{
	vs->v[vs->n++] = (struct eb_virtual){ (char *)name, (char *)version,
					      (char *)build };
}

/* An override that is set but empty takes the package away. */
static const char * override(const char *variable, const char *usual)
{
	const char *value = getenv(variable);

	return value ? value : usual;
}

/* The GPUs of the fleet, the least of them; NULL: not known. Caller frees. */
static char *least_arch(const struct eb_config *c)
{
	return c->gpu_arch ? eb_strndup(c->gpu_arch, strcspn(c->gpu_arch, ","))
			   : NULL;
}

static void add_cuda(struct virtuals *vs, const char *cuda, const char *arch)
{
	cuda = override("CONDA_OVERRIDE_CUDA", cuda ? cuda : "");
	arch = override("CONDA_OVERRIDE_CUDA_ARCH", arch ? arch : "");
	if (!*cuda)
		return;
	add_virtual(vs, "__cuda", cuda, "0");
	if (*arch)
		add_virtual(vs, "__cuda_arch", arch, "0");
}

static void describe_target(struct virtuals *vs, const struct eb_base *base,
			    const char *platform)
{
	const char *glibc = override("CONDA_OVERRIDE_GLIBC",
				     base->glibc ? base->glibc : TARGET_GLIBC);
	const char *linux_version =
		override("CONDA_OVERRIDE_LINUX", TARGET_LINUX);
	const char *arch =
		override("CONDA_OVERRIDE_ARCHSPEC",
			 strstr(platform, "arm64") ? "aarch64" : "x86_64");

	add_virtual(vs, "__unix", "0", "0");
	if (*linux_version)
		add_virtual(vs, "__linux", linux_version, "0");
	if (*glibc)
		add_virtual(vs, "__glibc", glibc, "0");
	if (*arch)
		add_virtual(vs, "__archspec", "1", arch);
}

int eb_refuse_urls(const struct eb_spec *spec, struct eb_error *err)
{
	for (size_t i = 0; i < spec->n_conda; i++) {
		const char *url = eb_matchspec_url(spec->conda[i]);

		if (!url)
			continue;
		eb_err_set(err, EB_INPUT,
			   "\"%s\" names a package file, which cannot be built "
			   "yet",
			   url);
		eb_err_at(err, spec->file, spec->conda_at[i].line,
			  spec->conda_at[i].column);
		return eb_err_hint(err, "name the package and its version");
	}
	return 0;
}

static int load(struct eb_resolver *r, struct eb_repodata **out,
		struct eb_error *err)
{
	struct eb_repodata_options options = {
		.subdir = eb_conda_subdir(r->config->platform),
		.offline = r->config->offline,
		.refresh = r->config->refresh,
	};
	struct eb_stage stage;
	int rc;

	options.spec = (const struct eb_matchspec *const *)r->env->spec->conda;
	options.n_specs = r->env->spec->n_conda;
	if (r->config->as_of)
		eb_date_parse(r->config->as_of, &options.as_of);
	eb_stage_begin(r->events, &stage, "repodata");
	rc = eb_repodata_load(&r->env->request.channels, &options, r->store,
			      r->http, r->events, out, err);
	eb_stage_end(r->events, &stage);
	return rc;
}

static enum eb_priority priority(const char *text)
{
	return !strcmp(text, "flexible")   ? EB_PRIORITY_FLEXIBLE
	       : !strcmp(text, "disabled") ? EB_PRIORITY_DISABLED
					   : EB_PRIORITY_STRICT;
}

static int solve(struct eb_resolver *r, const struct eb_base *base,
		 const struct eb_repodata *repodata, struct eb_solution *out,
		 struct eb_error *err)
{
	const struct eb_spec *spec = r->env->spec;
	eb_autofree char *arch = least_arch(r->config);
	struct virtuals vs = { 0 };
	struct eb_solve_request request = {
		.repodata = repodata,
		.spec = (const struct eb_matchspec *const *)spec->conda,
		.n_specs = spec->n_conda,
		.virtuals = vs.v,
		.priority = priority(r->config->channel_priority),
		.channels = &r->env->request.channels,
		.alias = r->config->channel_alias,
		.pip_beside_python = true,
	};
	struct eb_stage stage;
	int rc;

	describe_target(&vs, base, r->config->platform);
	add_cuda(&vs, r->decision->virtual_cuda, arch);
	request.n_virtuals = vs.n;
	eb_stage_begin(r->events, &stage, "solve");
	rc = eb_solve(&request, out, r->events, err);
	eb_stage_end(r->events, &stage);
	if (rc < 0 && !err->file)
		eb_err_at(err, spec->file, 0, 0);
	return rc;
}

static int by_name(const void *a, const void *b)
{
	const struct eb_locked_package *p = a, *q = b;

	return strcmp(p->record.name, q->record.name);
}

static void take_packages(struct eb_lock *lock, const struct eb_repodata *rd,
			  const struct eb_solution *s)
{
	unsigned channel;

	lock->package = eb_calloc(s->n + 1, sizeof *lock->package);
	for (size_t i = 0; i < s->n; i++) {
		eb_record_copy(&lock->package[i].record,
			       eb_repodata_record(rd, s->record[i], &channel));
		lock->package[i].requested = s->requested[i];
	}
	lock->n = s->n;
	qsort(lock->package, lock->n, sizeof *lock->package, by_name);
}

static void add_evidence(json_t *list, const char *text, const char *file,
			 const struct eb_spec_line *at)
{
	json_t *e = json_object();

	json_object_set_new(e, "spec", json_string(text));
	json_object_set_new(e, "file", json_string(file));
	json_object_set_new(e, "line", json_integer(at->line));
	json_array_append_new(list, e);
}

static json_t *evidence(const struct eb_spec *spec)
{
	json_t *list = json_array();

	for (size_t i = 0; i < spec->n_conda; i++)
		add_evidence(list, eb_matchspec_text(spec->conda[i]),
			     spec->file, &spec->conda_at[i]);
	for (size_t i = 0; i < spec->n_pip; i++)
		add_evidence(list, spec->pip[i].text, spec->file,
			     &spec->pip_at[i]);
	return list;
}

static json_t *variables(const struct eb_spec *spec)
{
	json_t *obj = json_object();

	for (size_t i = 0; i < spec->variable_name.n; i++)
		json_object_set_new(obj, spec->variable_name.v[i],
				    json_string(spec->variable_value.v[i]));
	return obj;
}

/* The .pyc policy that will hold; where it differs from what was asked for,
 * that is said. */
static const char *pyc_policy(struct eb_resolver *r, const struct eb_lock *lock)
{
	const struct eb_locked_package *python = eb_lock_find(lock, "python");

	if (!strcmp(r->config->pyc, "none") || !python)
		return "none";
	if (lock->base_scratch) {
		eb_note(r->explains ? NULL : r->events,
			"no bytecode is compiled: the base is "
			"scratch");
		return "none";
	}
	if (strcmp(lock->platform, eb_machine_platform())) {
		eb_note(r->events,
			"no bytecode is compiled: a Python for %s cannot run "
			"here",
			lock->platform);
		return "none";
	}
	return "compile";
}

/* Of the day that the environment is of. */
static void take_apt(const struct eb_resolver *r, struct eb_lock *lock)
{
	const char *as_of = r->config->as_of;
	char now[32];

	if (!r->env->apt.n)
		return;
	eb_strv_copy(&lock->apt, &r->env->apt);
	if (!as_of)
		as_of = eb_rfc3339(lock->time, now);
	lock->apt_date = eb_strndup(as_of, strlen("2026-11-22"));
}

static int refuse_apt(const struct eb_resolver *r, const struct eb_base *base,
		      struct eb_error *err)
{
	if (!r->env->apt.n || !base->scratch)
		return 0;
	eb_err_set(err, EB_INPUT,
		   "--apt: the base is scratch, which has no "
		   "apt");
	return eb_err_hint(err, "name a Debian or Ubuntu image by --base");
}

static void fill(struct eb_resolver *r, const struct eb_base *base,
		 struct eb_lock *lock)
{
	const struct eb_config *c = r->config;

	lock->platform = eb_strdup(c->platform);
	lock->prefix = eb_strdup(EB_PREFIX);
	lock->base_scratch = base->scratch;
	lock->base = base->digest;
	lock->base_reference = eb_strdup(base->reference);
	lock->pyc = eb_strdup(pyc_policy(r, lock));
	lock->post_link = eb_strdup(c->post_link);
	lock->activation = eb_strdup(c->activation);
	if (eb_naming_is_azureml(c->naming))
		lock->naming = eb_strdup(c->naming);
	lock->source_date_epoch = c->source_date_epoch;
	lock->epoch = EB_BUILD_EPOCH;
	lock->definition = r->env->definition;
	lock->time = time(NULL);
	lock->tool = eb_strdup("envbuild " EB_VERSION);
	lock->variables = variables(r->env->spec);
	lock->evidence = evidence(r->env->spec);
	take_apt(r, lock);
	lock->config = eb_image_settings(base->config, lock);
}

static int complete(struct eb_resolver *r, struct eb_lock *lock,
		    struct eb_error *err)
{
	bool pip = r->env->spec->n_pip || r->env->spec->pylock;

	/* Who explains needs no package's bytes but for its pip section. */
	if ((!r->explains || pip) && eb_complete_hashes(r, lock, err) < 0)
		return -1;
	return pip ? eb_resolve_pip(r, lock, err) : 0;
}

int eb_resolve_with_base(struct eb_resolver *r, const struct eb_base *base,
			 struct eb_lock **out, bool *solved,
			 struct eb_error *err)
{
	EB_CLEANUP(eb_repodata_free_ptr) struct eb_repodata *rd = NULL;
	EB_CLEANUP(eb_lock_free_ptr)
	struct eb_lock *lock = eb_calloc(1, sizeof *lock);
	EB_CLEANUP(eb_solution_release) struct eb_solution solution = { 0 };

	*solved = false;
	if (refuse_apt(r, base, err) < 0)
		return -1;
	/* a base alone needs no channel */
	if (r->env->spec->n_conda &&
	    (load(r, &rd, err) < 0 || solve(r, base, rd, &solution, err) < 0))
		return -1;
	*solved = true;
	take_packages(lock, rd, &solution);
	fill(r, base, lock);
	if (complete(r, lock, err) < 0)
		return -1;
	*out = eb_steal(lock);
	return 0;
}
