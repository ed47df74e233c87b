/* SPDX-License-Identifier: Apache-2.0 */
/* A decision as an object: where packages come from, freeing, labels, the
 * error of a refusal, and the comparison with the image's own word. */
#include <string.h>

#include <envbuild/mem.h>
#include <envbuild/str.h>

#include "cuda_int.h"

void eb_decision_from_record(const struct eb_record *record,
			     struct eb_decision_package *out)
{
	*out = (struct eb_decision_package){
		.name = record->name,
		.version = record->version,
		.build = record->build,
		.depends = &record->depends,
	};
}

void eb_decision_from_pin(const struct eb_pin *pin,
			  struct eb_decision_package *out)
{
	bool wheel = pin->source == EB_PIN_WHEEL;

	*out = (struct eb_decision_package){
		.name = pin->name,
		.version = pin->version,
		.file = wheel ? pin->file : NULL,
		.python_side = true,
		.built = !wheel,
	};
}

/* ---- freeing --------------------------------------------------------------*/

static void free_forced(struct eb_decision *d)
{
	for (size_t i = 0; i < d->n_forced; i++) {
		free(d->forced[i].what);
		free(d->forced[i].why);
		free(d->forced[i].package);
		free(d->forced[i].file);
	}
	free(d->forced);
}

static void free_rows(struct eb_decision *d)
{
	for (size_t i = 0; i < d->n_rows; i++) {
		free(d->row[i].row);
		free(d->row[i].why);
	}
	free(d->row);
}

static void free_conditions(struct eb_decision *d)
{
	for (size_t i = 0; i < d->n_conditions; i++) {
		free(d->condition[i].what);
		free(d->condition[i].package);
		free(d->condition[i].by);
		free(d->condition[i].advice);
	}
	free(d->condition);
}

static void free_alternatives(struct eb_decision *d)
{
	for (size_t i = 0; i < d->n_alternatives; i++) {
		free(d->alternative[i].cuda);
		free(d->alternative[i].driver_floor);
		free(d->alternative[i].why);
		eb_strv_release(&d->alternative[i].gpu_arch);
	}
	free(d->alternative);
}

static void free_packages(struct eb_decision *d)
{
	for (size_t i = 0; i < d->n_packages; i++) {
		free(d->package[i].name);
		free(d->package[i].version);
		free(d->package[i].build);
		free(d->package[i].cuda);
		free(d->package[i].libraries);
	}
	free(d->package);
}

void eb_decision_free(struct eb_decision *d)
{
	if (!d)
		return;
	free(d->reason);
	free(d->advice);
	free(d->cuda);
	free(d->cudnn);
	free(d->because);
	free(d->virtual_cuda);
	free(d->driver_floor);
	free(d->toolkit_driver);
	free(d->image);
	free(d->build_image);
	free(d->image_cuda);
	free(d->glibc);
	free(d->os);
	eb_strv_release(&d->gpu_arch);
	eb_strv_release(&d->warning);
	eb_strv_release(&d->rule);
	eb_strv_release(&d->assumption);
	eb_strv_release(&d->libraries);
	eb_strv_release(&d->variable);
	free_forced(d);
	free_rows(d);
	free_conditions(d);
	free_alternatives(d);
	free_packages(d);
	free(d);
}

/* ---- for others -----------------------------------------------------------*/

int eb_decision_error(const struct eb_decision *d, struct eb_error *err)
{
	eb_err_set(err, EB_NO, "%s", d->reason);
	return d->advice ? eb_err_hint(err, "%s", d->advice) : -1;
}

static void label(struct eb_strv *out, const char *name, const char *value)
{
	if (value)
		eb_strv_addf(out, "dev.envbuild.%s=%s", name, value);
}

static char *joined(const struct eb_strv *v)
{
	EB_AUTOBUF(out, EB_MAX_TEXT);

	for (size_t i = 0; i < v->n; i++)
		eb_buf_addf(&out, "%s%s", i ? "," : "", v->v[i]);
	return v->n ? eb_buf_steal(&out, NULL) : NULL;
}

/* Who forced what, without places: a label is the same whatever the file is
 * called. */
static char *forced_by(const struct eb_decision *d)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv all = { 0 };

	for (size_t i = 0; i < d->n_forced; i++)
		eb_strv_addf(&all, "%s: %s", d->forced[i].package,
			     d->forced[i].what);
	eb_strv_sort(&all);
	eb_strv_unique(&all);
	return joined(&all);
}

void eb_decision_labels(const struct eb_decision *d, struct eb_strv *out)
{
	eb_autofree char *arch = joined(&d->gpu_arch);
	eb_autofree char *forced = forced_by(d);

	if (!d->gpu || d->refused)
		return;
	label(out, "cuda", d->cuda);
	label(out, "cuda.cudnn", d->cudnn);
	label(out, "cuda.flavour", eb_flavour_name(d->flavour));
	label(out, "cuda.driver-floor", d->driver_floor);
	label(out, "cuda.toolkit-driver", d->toolkit_driver);
	label(out, "cuda.gpu-arch", arch);
	label(out, "cuda.forced-by", forced);
}

/* Patches count where both have them. */
static bool is_same(const char *a, const char *b)
{
	eb_autofree char *minor_a = eb_cuda_minor(a),
			 *minor_b = eb_cuda_minor(b);

	if (strcmp(minor_a, a) == 0 || strcmp(minor_b, b) == 0)
		return strcmp(minor_a, minor_b) == 0;
	return eb_cuda_compare(a, b) == 0;
}

int eb_decision_verify(struct eb_decision *d,
		       const struct eb_decision_base *facts)
{
	const char *cuda = facts->cuda;
	int differs = 0;

	if (d->image_cuda ? !cuda || !is_same(d->image_cuda, cuda)
			  : cuda != NULL) {
		eb_strv_addf(&d->warning,
			     "The row of %s says %s%s, and its own config "
			     "%s%s.",
			     d->image, d->image_cuda ? "CUDA " : "no CUDA",
			     d->image_cuda ? d->image_cuda : "",
			     cuda ? "CUDA " : "none", cuda ? cuda : "");
		differs = 1;
	}
	if (d->image_cuda && d->cudnn && facts->cudnn &&
	    d->flavour >= EB_FLAVOUR_RUNTIME &&
	    !eb_same_major(d->cudnn, facts->cudnn)) {
		eb_strv_addf(&d->warning,
			     "The row of %s says cuDNN %s, and its own config "
			     "cuDNN %s.",
			     d->image, d->cudnn, facts->cudnn);
		differs = 1;
	}
	return differs;
}
