/* SPDX-License-Identifier: Apache-2.0 */
/* Record parts: what says that a package or wheel is installed. */
#include <string.h>

#include "build_private.h"

static int package_entries(struct eb_work *w, struct eb_entries *out,
			   struct eb_error *err)
{
	const struct eb_locked_package *p = w->package;

	return eb_link_record(&p->record, &w->paths,
			      w->have_bytecode ? &w->bytecode_paths : NULL,
			      p->requested ? w->name : NULL, &w->build->target,
			      out, err);
}

static int wheel_entries(struct eb_work *w, struct eb_entries *out,
			 struct eb_error *err)
{
	eb_autofree char *direct = eb_pin_direct_url(w->pin);

	return eb_wheel_record(w->name, &w->paths,
			       w->have_bytecode ? &w->bytecode_paths : NULL,
			       w->pin->requested, direct,
			       &w->build->wheel_target, out, err);
}

static void record_key(struct eb_work *w, struct eb_digest *key)
{
	const struct eb_digest *bytecode =
		w->have_bytecode ? &w->bytecode_key : NULL;
	eb_autofree char *direct = NULL;

	if (w->package) {
		eb_link_record_key(&w->package->record, &w->payload_key,
				   bytecode,
				   w->package->requested ? w->name : NULL, key);
		return;
	}
	direct = eb_pin_direct_url(w->pin);
	eb_wheel_record_key(&w->payload_key, bytecode, w->pin->requested,
			    direct, key);
}

static int record_job(void *arg, struct eb_error *err)
{
	EB_CLEANUP(eb_entries_release) struct eb_entries entries = { 0 };
	struct eb_work *w = arg;
	struct eb_build *b = w->build;
	struct eb_digest key;
	int rc;

	if (b->foreseen && !w->looked_at) /* has it bytecode? */
		return 0;
	record_key(w, &key);
	rc = eb_build_find(b, EB_ITEM_PART, &key, &w->record, err);
	if (rc)
		return rc < 0 ? -1 : 0;
	if (b->foreseen)
		return eb_foresee(b, EB_ITEM_PART, &key, NULL, 0, &w->record,
				  err);
	rc = w->package ? package_entries(w, &entries, err)
			: wheel_entries(w, &entries, err);
	if (rc < 0)
		return -1;
	return eb_part_write(b->store, &b->compressor, EB_ITEM_PART, &key,
			     &entries, w->file, &w->record, err);
}

int eb_build_records(struct eb_build *b, struct eb_error *err)
{
	for (size_t i = 0; i < b->n; i++)
		eb_pool_submit(b->pool, record_job, &b->work[i]);
	return eb_pool_wait(b->pool, err);
}
