/* SPDX-License-Identifier: Apache-2.0 */
/* The decision: the steps of the rule in their order. */
#include <stdarg.h>
#include <string.h>

#include <envbuild/mem.h>
#include <envbuild/str.h>

#include "cuda_int.h"

/* ---- refusals -------------------------------------------------------------*/

int eb_refuse(struct eb_case *c, const char *fmt, ...)
{
	EB_AUTOBUF(text, EB_MAX_TEXT);
	va_list ap;

	va_start(ap, fmt);
	eb_buf_vaddf(&text, fmt, ap);
	va_end(ap);
	c->d->refused = true;
	free(c->d->reason);
	c->d->reason = eb_buf_steal(&text, NULL);
	c->d->refusal = "cuda-refused";
	return -1;
}

void eb_warning_rule(struct eb_case *c, const char *rule)
{
	while (c->d->rule.n + 1 < c->d->warning.n)
		eb_strv_add(&c->d->rule, "");
	eb_strv_add(&c->d->rule, rule);
}

void eb_advise(struct eb_case *c, const char *fmt, ...)
{
	EB_AUTOBUF(text, EB_MAX_TEXT);
	va_list ap;

	va_start(ap, fmt);
	eb_buf_vaddf(&text, fmt, ap);
	va_end(ap);
	free(c->d->advice);
	c->d->advice = eb_buf_steal(&text, NULL);
}

void eb_add_refused(struct eb_decision *d, const char *row, char *why)
{
	EB_GROW(d->row, d->n_rows, d->alloc_rows);
	d->row[d->n_rows++] =
		(struct eb_refused){ .row = eb_strdup(row), .why = why };
}

/* ---- options --------------------------------------------------------------*/

static int bad(const char *option, const char *value, const char *what,
	       struct eb_error *err)
{
	return eb_err_set(err, EB_USAGE, "\"%s %s\": %s", option, value, what);
}

static int read_archs(struct eb_case *c, struct eb_error *err)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv word = { 0 };

	if (!c->r->gpu_arch)
		return 0;
	eb_strv_split(&word, c->r->gpu_arch, ", ");
	for (size_t i = 0; i < word.n; i++) {
		char *arch = eb_arch_read(word.v[i]);

		if (!arch && *word.v[i])
			return bad("--gpu-arch", c->r->gpu_arch,
				   "a list such as 7.0,8.0 or sm_90 is "
				   "expected",
				   err);
		if (arch)
			eb_strv_take(&c->arch, arch);
	}
	return 0;
}

static int check_family(const char *family, struct eb_error *err)
{
	static const char *const all[] = { "nvidia", "azureml", "debian",
					   "ubuntu" };

	for (size_t i = 0; family && i < sizeof all / sizeof *all; i++)
		if (strcmp(family, all[i]) == 0)
			return 0;
	return family ? bad("--base-family", family,
			    "one of nvidia, azureml, debian, ubuntu is "
			    "expected",
			    err)
		      : 0;
}

static int read_options(struct eb_case *c, struct eb_error *err)
{
	const struct eb_decision_request *r = c->r;

	if (r->cuda && (!eb_is_numbers(r->cuda) || !strchr(r->cuda, '.')))
		return bad("--cuda", r->cuda,
			   "a version such as 12.6 is "
			   "expected",
			   err);
	if (r->driver && !eb_is_numbers(r->driver))
		return bad("--driver", r->driver,
			   "a version such as 535.104.05 is expected", err);
	if (r->gpu == EB_GPU_NO && (r->cuda || r->driver || r->gpu_arch))
		return eb_err_set(err, EB_USAGE,
				  "\"--cpu\" beside an option that asks for a "
				  "GPU");
	if (check_family(r->family, err) < 0 || read_archs(c, err) < 0)
		return -1;
	if (r->cuda)
		c->cuda_minor = eb_cuda_minor(r->cuda);
	c->d->gpu_asked =
		r->gpu == EB_GPU_YES || r->cuda || r->driver || c->arch.n;
	return 0;
}

/* ---- what had a say -------------------------------------------------------*/

static char *own_cuda(const struct eb_case *c, const struct eb_item *i)
{
	eb_cudas set = 0;

	for (size_t n = 0; n < c->n_evidence; n++) {
		const struct eb_evidence *e = &c->evidence[n];

		if (e->pinned && strcmp(e->package, i->name) == 0)
			set = e->allows;
	}
	return set && !(set & (set - 1))
		       ? eb_strdup(eb_cudas_lowest(&c->u, set))
		       : NULL;
}

static void consider(struct eb_case *c, const struct eb_item *i,
		     const struct eb_framework *f)
{
	struct eb_decision *d = c->d;
	struct eb_considered *k;

	EB_GROW(d->package, d->n_packages, d->alloc_packages);
	k = &d->package[d->n_packages++];
	*k = (struct eb_considered){
		.name = eb_strdup(i->name),
		.version =
			eb_strdup(f && f->item == i ? f->version : i->version),
		.build = eb_strdup(i->build),
		.cuda = own_cuda(c, i),
		.libraries = f && f->item == i ? eb_strdup(f->brings) : NULL,
		.python_side = i->python_side,
		.cpu = f && f->variant == EB_VARIANT_CPU,
	};
	if (!k->cuda && f && f->variant != EB_VARIANT_CPU && f->brings)
		k->cuda = eb_strdup(d->cuda);
}

static const struct eb_framework *framework_of(const struct eb_case *c,
					       const struct eb_item *i)
{
	const char *name = eb_framework_of(i);

	for (size_t f = 0; name && f < c->n_frameworks; f++)
		if (strcmp(c->framework[f].name, name) == 0)
			return &c->framework[f];
	return NULL;
}

static bool had_a_say(const struct eb_case *c, const struct eb_item *i)
{
	for (size_t n = 0; n < c->n_evidence; n++)
		if (strcmp(c->evidence[n].package, i->name) == 0)
			return true;
	return eb_framework_of(i) || strcmp(i->name, "cpuonly") == 0 ||
	       strcmp(i->name, "torchvision") == 0 ||
	       strcmp(i->name, "torchaudio") == 0 ||
	       strcmp(i->name, "cudnn") == 0;
}

static void list_packages(struct eb_case *c)
{
	for (size_t i = 0; i < c->n_items; i++)
		if (had_a_say(c, &c->item[i]))
			consider(c, &c->item[i], framework_of(c, &c->item[i]));
}

/* ---- the steps ------------------------------------------------------------*/

/* Without a solver's answer nobody can know what it picks. */
static void note_solver(struct eb_case *c)
{
	for (size_t i = 0; i < c->n_frameworks; i++) {
		const struct eb_framework *f = &c->framework[i];

		if (f->item->python_side || f->item->solved || !c->d->gpu ||
		    f->variant != EB_VARIANT_UNSAID ||
		    f->cell[FRAMEWORK_NEEDS] || !c->d->virtual_cuda)
			continue;
		eb_strv_addf(&c->d->assumption,
			     "\"%s\" is solved with __cuda=%s; without __cuda "
			     "a solver takes the CPU's build and says "
			     "nothing.",
			     f->item->shown, c->d->virtual_cuda);
	}
}

static int steps(struct eb_case *c)
{
	if (eb_cuda_gpu(c) < 0)
		return -1;
	if (eb_cuda_intersect(c) < 0 || eb_cuda_libraries(c) < 0 ||
	    eb_cuda_choose(c) < 0)
		return -1;
	if (eb_cuda_claims(c) < 0)
		return -1;
	return c->r->base ? eb_cuda_given(c) : eb_cuda_rows(c);
}

static void warn_of_nothing(struct eb_case *c)
{
	if (c->d->refused || !c->d->gpu || c->d->n_forced || c->n_frameworks)
		return;
	eb_strv_add(&c->d->warning,
		    "A GPU is asked for, and no package that is known uses "
		    "one.");
}

static void run(struct eb_case *c)
{
	eb_universe_read(&c->u);
	eb_items_collect(c);
	eb_cuda_given_look(c);
	eb_frameworks_find(c);
	eb_evidence_collect(c);
	if (steps(c) == 0) {
		eb_cuda_conditions(c);
		note_solver(c);
	}
	eb_cuda_pairs(c);
	warn_of_nothing(c);
	list_packages(c);
}

static void release(struct eb_case *c)
{
	for (size_t i = 0; i < c->n_items; i++)
		eb_item_release(&c->item[i]);
	for (size_t i = 0; i < c->n_index; i++) {
		free(c->index[i].shown);
		free(c->index[i].word);
	}
	for (size_t i = 0; i < c->n_frameworks; i++)
		eb_framework_release(&c->framework[i]);
	for (size_t i = 0; i < c->n_evidence; i++)
		eb_evidence_release(&c->evidence[i]);
	free(c->item);
	free(c->index);
	free(c->evidence);
	free(c->python);
	free(c->cuda_minor);
	free(c->cudnn);
	free(c->glibc);
	eb_strv_release(&c->arch);
}

int eb_decide(const struct eb_decision_request *request,
	      struct eb_decision **out, struct eb_error *err)
{
	struct eb_case c = { .r = request };
	int rc;

	c.d = eb_calloc(1, sizeof *c.d);
	c.d->solved = request->solved;
	rc = read_options(&c, err);
	if (rc == 0)
		run(&c);
	release(&c);
	if (rc < 0)
		eb_decision_free(c.d);
	else
		*out = c.d;
	return rc;
}
