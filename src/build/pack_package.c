/* SPDX-License-Identifier: Apache-2.0 */
/* A conda package's archive becomes its payload. */
#include <pthread.h>

#include <envbuild/package.h>

#include "build_private.h"

/* Content of one package that is kept in memory while it is packed. */
#define SPOOL_MEMORY ((size_t)24 << 20)

/* One at a time: packages whose decompression needs a window of its own. */
static pthread_mutex_t wide_window = PTHREAD_MUTEX_INITIALIZER;

static int write_payload(struct eb_work *w, struct eb_package *p,
			 struct eb_error *err)
{
	EB_CLEANUP(eb_entries_release) struct eb_entries entries = { 0 };
	struct eb_build *b = w->build;
	const struct eb_record *r = &w->package->record;

	if (eb_link_payload(p, r, &b->target, &entries, b->events, err) < 0)
		return -1;
	return eb_part_write(b->store, &b->compressor, eb_payload_kind(w),
			     &w->payload_key, &entries, r->fn, &w->payload,
			     err);
}

int eb_pack_package(struct eb_work *w, struct eb_error *err)
{
	const struct eb_config *c = w->build->config;
	const struct eb_package_limits limits = {
		.members = c->limit[EB_LIMIT_PACKAGE_MEMBERS],
		.member_size = c->limit[EB_LIMIT_MEMBER_SIZE],
		.metadata = c->limit[EB_LIMIT_METADATA_SIZE],
	};
	EB_CLEANUP(eb_package_release) struct eb_package package = { 0 };
	const struct eb_record *r = &w->package->record;
	bool wide = eb_package_window(w->fd, r->fn) > 0;
	int rc;

	if (wide)
		pthread_mutex_lock(&wide_window);
	rc = eb_package_read(w->fd, r, &limits, eb_store_tmp(w->build->store),
			     SPOOL_MEMORY, &package, err);
	if (wide)
		pthread_mutex_unlock(&wide_window);
	if (rc < 0)
		return -1;
	return write_payload(w, &package, err);
}
