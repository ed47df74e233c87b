/* SPDX-License-Identifier: Apache-2.0 */
/* Which of the channels' packages a lock has. */
#include <string.h>

#include <envbuild/base.h>
#include <envbuild/decision.h>
#include <envbuild/repodata.h>
#include <envbuild/solve.h>

#include "conda_settings.h"
#include "env_prefix.h"
#include "lock_solved.h"
#include "resolve_packages.h"
#include "resolve_why.h"
#include "url_specs.h"

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
			    const struct eb_config *config)
{
	const char *usual =
		strstr(config->platform, "arm64") ? "aarch64" : "x86_64";
	const char *glibc = override("CONDA_OVERRIDE_GLIBC",
				     base->glibc ? base->glibc : TARGET_GLIBC);
	const char *linux_version =
		override("CONDA_OVERRIDE_LINUX", TARGET_LINUX);
	const char *arch = override("CONDA_OVERRIDE_ARCHSPEC",
				    config->arch ? config->arch : usual);

	add_virtual(vs, "__unix", "0", "0");
	if (*linux_version)
		add_virtual(vs, "__linux", linux_version, "0");
	if (*glibc)
		add_virtual(vs, "__glibc", glibc, "0");
	if (*arch)
		add_virtual(vs, "__archspec", "1", arch);
}

/* Does anybody say what the machine is like? */
static bool target_is_told(const struct eb_config *config)
{
	static const char *const variables[] = { "CONDA_OVERRIDE_GLIBC",
						 "CONDA_OVERRIDE_LINUX",
						 "CONDA_OVERRIDE_ARCHSPEC",
						 "CONDA_OVERRIDE_CUDA",
						 "CONDA_OVERRIDE_CUDA_ARCH" };

	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
		if (getenv(variables[i]))
			return true;
	return config->cuda || config->arch || config->gpu_arch;
}

struct eb_virtual *eb_target_virtuals(const struct eb_config *config, size_t *n)
{
	const struct eb_base unknown = { 0 };
	eb_autofree char *arch = least_arch(config);
	struct virtuals vs = { 0 };
	struct eb_virtual *out;

	*n = 0;
	if (!target_is_told(config))
		return NULL;
	describe_target(&vs, &unknown, config);
	add_cuda(&vs, config->cuda, arch);
	out = eb_calloc(vs.n + 1, sizeof *out);
	for (; *n < vs.n; ++*n)
		out[*n] = (struct eb_virtual){ eb_strdup(vs.v[*n].name),
					       eb_strdup(vs.v[*n].version),
					       eb_strdup(vs.v[*n].build) };
	return out;
}

/* All that is asked for; `python`: what no line asks for, or NULL. Behind it
 * what files among the lines need. */
static const struct eb_matchspec **specs_of(const struct eb_resolver *r,
					    const struct eb_matchspec *python,
					    size_t *n, size_t *n_all)
{
	const struct eb_spec *spec = r->env->spec;
	const struct eb_url_specs *u = r->urls;
	size_t more = u ? u->n_depends : 0;
	const struct eb_matchspec **specs =
		eb_calloc(spec->n_conda + 1 + more, sizeof *specs);

	for (size_t i = 0; i < spec->n_conda; i++)
		specs[i] = u && u->spec[i] ? u->spec[i] : spec->conda[i];
	*n = spec->n_conda;
	if (python)
		specs[(*n)++] = python;
	*n_all = *n + more;
	for (size_t i = 0; i < more; i++)
		specs[*n + i] = u->depends[i];
	return specs;
}

static int load(struct eb_resolver *r, const struct eb_matchspec *python,
		struct eb_repodata **out, struct eb_error *err)
{
	size_t n, n_all;
	eb_autofree const struct eb_matchspec **specs =
		specs_of(r, python, &n, &n_all);
	struct eb_repodata_options options = {
		.subdir = eb_conda_subdir(r->config->platform),
		.offline = eb_channels_offline(r->config),
		.refresh = r->config->refresh,
		.spec = specs,
		.n_specs = n_all,
	};
	EB_CLEANUP(eb_registry_free_ptr) struct eb_registry *registry = NULL;
	struct eb_stage stage;
	int rc;

	eb_condarc_tell(r->config, &r->env->request.channels, r->events);
	registry = eb_channel_registry(r->env, r->config, r->events);
	options.registry = registry;
	if (r->config->as_of)
		eb_date_parse(r->config->as_of, &options.as_of);
	eb_stage_begin(r->events, &stage, "repodata");
	rc = eb_repodata_load(&r->env->request.channels, &options, r->store,
			      r->http, r->events, out, err);
	eb_stage_end(r->events, &stage);
	if (rc < 0)
		eb_condarc_hint(r->config, err);
	return rc;
}

static enum eb_priority priority(const char *text)
{
	return !strcmp(text, "flexible")   ? EB_PRIORITY_FLEXIBLE
	       : !strcmp(text, "disabled") ? EB_PRIORITY_DISABLED
					   : EB_PRIORITY_STRICT;
}

struct pins {
	struct eb_matchspec **spec;
	size_t n;
};

static void release_pins(struct pins *p)
{
	for (size_t i = 0; i < p->n; i++)
		eb_matchspec_free(p->spec[i]);
	free(p->spec);
}

static int read_pins(struct pins *p, const struct eb_strv *texts,
		     struct eb_error *err)
{
	p->spec = eb_calloc(texts->n + 1, sizeof *p->spec);
	for (; p->n < texts->n; p->n++) {
		p->spec[p->n] =
			eb_matchspec_parse(texts->v[p->n], EB_STRICT, err);
		if (!p->spec[p->n])
			return eb_err_prefix(err, "a pin");
	}
	return 0;
}

static int solve(struct eb_resolver *r, const struct eb_base *base,
		 const struct eb_repodata *repodata,
		 const struct eb_matchspec *python, struct eb_lock *lock,
		 struct eb_solution *out, struct eb_error *err)
{
	const struct eb_spec *spec = r->env->spec;
	eb_autofree char *arch = least_arch(r->config);
	size_t n, n_all;
	eb_autofree const struct eb_matchspec **specs =
		specs_of(r, python, &n, &n_all);
	EB_CLEANUP(release_pins) struct pins pins = { 0 };
	struct virtuals vs = { 0 };
	struct eb_solve_request request = {
		.repodata = repodata,
		.spec = specs,
		.n_specs = n,
		.virtuals = vs.v,
		.priority = priority(r->config->channel_priority),
		.channels = &r->env->request.channels,
		.alias = r->config->channel_alias,
		.pip_beside_python = true,
		.elsewhere = eb_solve_elsewhere,
		.elsewhere_data = r,
	};
	eb_autofree struct eb_solve_line *line = eb_solve_lines(spec);
	EB_CLEANUP(eb_unsolved_release) struct eb_unsolved unsolved = { 0 };
	struct eb_stage stage;
	int rc;

	describe_target(&vs, base, r->config);
	add_cuda(&vs, r->decision->virtual_cuda, arch);
	request.n_virtuals = vs.n;
	if (read_pins(&pins, &r->config->pin, err) < 0)
		return -1;
	request.pin = (const struct eb_matchspec *const *)pins.spec;
	request.n_pins = pins.n;
	request.line = line;
	request.unsolved = &unsolved;
	eb_stage_begin(r->events, &stage, "solve");
	rc = eb_solve(&request, out, r->events, err);
	eb_stage_end(r->events, &stage);
	if (rc < 0 && err->code == EB_NO)
		eb_keep_unsolved(r, &request, &unsolved);
	else if (rc == 0)
		eb_keep_held(r, &request, out);
	json_decref(lock->solved);
	lock->solved = rc < 0 ? NULL : eb_solved_json(&request);
	if (rc < 0 && !err->file)
		eb_err_at(err, spec->file, 0, 0);
	return rc;
}

static size_t find(const struct eb_repodata *rd, const struct eb_solution *s,
		   const char *name)
{
	unsigned channel;
	size_t i = 0;

	while (i < s->n &&
	       strcmp(eb_repodata_record(rd, s->record[i], &channel)->name,
		      name))
		i++;
	return i;
}

/* A Python for the pip section, where no line and no package brings one: as
 * conda does, which adds pip, and pip needs a Python. Nobody asked for it. */
static int solve_for_pip(struct eb_resolver *r, const struct eb_base *base,
			 const struct eb_repodata *rd,
			 const struct eb_matchspec *python,
			 struct eb_lock *lock, struct eb_solution *out,
			 struct eb_error *err)
{
	size_t i;

	eb_solution_release(out);
	if (solve(r, base, rd, python, lock, out, err) < 0)
		return eb_err_hint(err, "nothing asks for the Python that the "
					"pip section is for, so any was asked "
					"for; name one");
	i = find(rd, out, "python");
	if (i < out->n)
		out->requested[i] = false;
	r->default_python = true;
	return 0;
}

static int choose(struct eb_resolver *r, const struct eb_base *base,
		  struct eb_lock *lock, struct eb_repodata **rd,
		  struct eb_solution *out, struct eb_error *err)
{
	const struct eb_spec *spec = r->env->spec;
	EB_CLEANUP(eb_matchspec_free_ptr) struct eb_matchspec *python = NULL;

	/* a base alone needs no channel */
	if (!spec->n_conda && !spec->n_pip)
		return 0;
	if (spec->n_pip &&
	    !(python = eb_matchspec_parse("python", EB_STRICT, err)))
		return -1;
	if (eb_url_specs_read(r, err) < 0 || load(r, python, rd, err) < 0)
		return -1;
	eb_url_specs_add(r, *rd);
	if (spec->n_conda && solve(r, base, *rd, NULL, lock, out, err) < 0)
		return -1;
	if (!python || find(*rd, out, "python") < out->n)
		return 0;
	return solve_for_pip(r, base, *rd, python, lock, out, err);
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

/* Those that are chosen already. */
static int take_exact(struct eb_resolver *r, struct eb_lock *lock,
		      struct eb_error *err)
{
	const struct eb_spec *spec = r->env->spec;
	const struct eb_exact *x = spec->exact;

	lock->package = eb_calloc(x->n + 1, sizeof *lock->package);
	for (size_t i = 0; i < x->n; i++) {
		eb_record_copy(&lock->package[i].record, &x->package[i].record);
		lock->package[i].requested = x->package[i].requested;
		lock->n++;
	}
	if (eb_complete_records(r, lock, err) < 0)
		return -1;
	if (r->explains || r->told_prefix || !x->installed)
		return 0;
	r->told_prefix = true;
	return eb_prefix_tell(spec->file, r->events, err);
}

int eb_choose_packages(struct eb_resolver *r, const struct eb_base *base,
		       struct eb_lock *lock, struct eb_error *err)
{
	EB_CLEANUP(eb_repodata_free_ptr) struct eb_repodata *rd = NULL;
	EB_CLEANUP(eb_solution_release) struct eb_solution solution = { 0 };

	r->default_python = false;
	if (r->env->spec->exact)
		return take_exact(r, lock, err);
	if (choose(r, base, lock, &rd, &solution, err) < 0)
		return -1;
	take_packages(lock, rd, &solution);
	return 0;
}
