/* SPDX-License-Identifier: Apache-2.0 */
/* What there is to do for a lock: one piece of work for each of conda's
 * packages and each project of the Python side. */
#include <string.h>

#include "build_private.h"
#include "step.h"

void eb_work_package(struct eb_build *b, const struct eb_locked_package *p)
{
	b->work[b->n++] = (struct eb_work){
		.package = p,
		.name = p->record.name,
		.file = p->record.fn,
		.packed_size = p->record.size,
		.build = b,
		.fd = -1,
	};
}

void eb_work_pin(struct eb_build *b, const struct eb_pin *pin)
{
	b->work[b->n++] = (struct eb_work){
		.pin = pin,
		.name = pin->name,
		.file = pin->file,
		.packed_size = pin->size,
		.build = b,
		.fd = -1,
	};
}

int eb_work_compare(const struct eb_work *a, const struct eb_work *b)
{
	int d = strcmp(a->name, b->name);

	return d ? d : (a->pin != NULL) - (b->pin != NULL);
}

/* What is built is known by how it is built, before it is. */
static int pin_key(struct eb_work *w, struct eb_error *err)
{
	struct eb_build *b = w->build;
	struct eb_digest id = w->pin->sha256;

	if (!b->python_minor)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" cannot be installed: the lock has no "
				  "python",
				  w->file);
	if (w->pin->source != EB_PIN_WHEEL &&
	    eb_step_key(b, w->pin, &id, err) < 0)
		return -1;
	eb_wheel_key(&id, &b->wheel_target, &w->payload_key);
	return 0;
}

void eb_describe_python(const struct eb_build *b, struct eb_python_target *out)
{
	const struct eb_locked_package *p = eb_lock_find(b->lock, "python");
	const char *site = b->site_packages;
	bool arm = strstr(b->lock->platform, "arm64");

	*out = (struct eb_python_target){
		.version = p ? p->record.version : NULL,
		.free_threaded = site && strstr(site, "t/site-packages"),
		.arch = arm ? "aarch64" : "x86_64",
	};
}

int eb_work_keys(struct eb_build *b, struct eb_error *err)
{
	for (size_t i = 0; i < b->n; i++) {
		struct eb_work *w = &b->work[i];

		if (w->package)
			eb_link_key(&w->package->record, &b->target,
				    &w->payload_key);
		else if (pin_key(w, err) < 0)
			return -1;
	}
	return 0;
}
