/* SPDX-License-Identifier: Apache-2.0 */
/* Record parts: what conda-meta says of each package. */
#include <string.h>

#include "build_private.h"

static int make(struct eb_work *w, const char *requested,
		const struct eb_digest *key, struct eb_error *err)
{
	EB_CLEANUP(eb_entries_release) struct eb_entries entries = { 0 };
	struct eb_build *b = w->build;
	const struct eb_record *r = &w->package->record;

	if (eb_link_record(r, &w->paths,
			   w->have_bytecode ? &w->bytecode_paths : NULL,
			   requested, &b->target, &entries, err) < 0)
		return -1;
	return eb_part_write(b->store, &b->compressor, EB_ITEM_PART, key,
			     &entries, r->fn, &w->record, err);
}

static int record_job(void *arg, struct eb_error *err)
{
	struct eb_work *w = arg;
	struct eb_build *b = w->build;
	const struct eb_record *r = &w->package->record;
	const char *requested = w->package->requested ? r->name : NULL;
	struct eb_digest key;
	int rc;

	eb_link_record_key(r, &w->payload_key,
			   w->have_bytecode ? &w->bytecode_key : NULL,
			   requested, &key);
	rc = eb_build_find(b, EB_ITEM_PART, &key, &w->record, err);
	if (rc)
		return rc < 0 ? -1 : 0;
	return make(w, requested, &key, err);
}

int eb_build_records(struct eb_build *b, struct eb_error *err)
{
	for (size_t i = 0; i < b->n; i++)
		eb_pool_submit(b->pool, record_job, &b->work[i]);
	return eb_pool_wait(b->pool, err);
}
