/* SPDX-License-Identifier: Apache-2.0 */
/* Layers, parts and locks as the tests of the team's cache need them. */
#ifndef TEST_TEAM_FIXTURE_H
#define TEST_TEAM_FIXTURE_H

#include "store_fixture.h"

#include <build/team_private.h>

#define GZIP "gzip-isal1"

/* An item whose numbers come from its name, and its path list. */
static inline struct eb_item make_item(enum eb_item_kind kind, const char *name,
				       const char *compressor, uint64_t size,
				       const char *entries,
				       struct eb_buf *paths)
{
	struct eb_item item = { .kind = kind, .size = size };
	eb_autofree char *plain = eb_asprintf("plain %s", name);
	eb_autofree char *blob = eb_asprintf("blob %s %s", name, compressor);

	item.key = digest_of(name);
	item.plain = digest_of(plain);
	item.plain_size = 3 * size;
	item.blob = digest_of(blob);
	snprintf(item.compressor, sizeof item.compressor, "%s", compressor);
	eb_buf_reset(paths);
	eb_store_item_header(&item, paths);
	eb_buf_adds(paths, entries);
	eb_sha256(paths->data, paths->len, &item.paths);
	return item;
}

/* A layer of its own. */
static inline struct eb_item add_layer(struct eb_known *k, const char *name,
				       const char *compressor, uint64_t size)
{
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(paths, EB_MAX_PATHS);
	eb_autofree char *line =
		eb_asprintf("d\t755\t1\t0\t\topt/%s\t\t\n", name);
	struct eb_item item =
		make_item(EB_ITEM_LAYER, name, compressor, size, line, &paths);

	must(eb_known_add(k, &item, &item.blob, item.size, 0, paths.data,
			  paths.len, &err),
	     &err);
	return item;
}

static inline void add_part(struct eb_known *k, const struct eb_item *layer,
			    const char *name, uint64_t offset, uint64_t size,
			    const char *entries)
{
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(paths, EB_MAX_PATHS);
	struct eb_item item = make_item(EB_ITEM_PART, name, layer->compressor,
					size, entries, &paths);

	must(eb_known_add(k, &item, &layer->blob, layer->size, offset,
			  paths.data, paths.len, &err),
	     &err);
}

static inline void set_package(struct eb_locked_package *p, const char *name,
			       const char *version, const char *build,
			       uint64_t size)
{
	eb_autofree char *all = eb_asprintf("%s-%s-%s", name, version, build);
	struct eb_record *r = &p->record;

	r->name = eb_strdup(name);
	r->version = eb_strdup(version);
	r->build = eb_strdup(build);
	r->subdir = eb_strdup("linux-64");
	r->fn = eb_asprintf("%s.conda", all);
	r->channel = eb_strdup("https://example.org/main");
	r->url = eb_asprintf("%s/linux-64/%s", r->channel, r->fn);
	r->has_sha256 = true;
	r->sha256 = digest_of(all);
	r->size = size;
}

/* Rows "name version build size", sorted by name; "*" in front: requested. */
static inline struct eb_lock *make_lock(const char *const *row)
{
	struct eb_lock *lock = eb_calloc(1, sizeof *lock);
	size_t n = 0;

	while (row[n])
		n++;
	lock->package = eb_calloc(n + 1, sizeof *lock->package);
	for (; lock->n < n; lock->n++) {
		struct eb_locked_package *p = &lock->package[lock->n];
		const char *text = row[lock->n];
		char name[64], version[64], build[64];
		unsigned long long size;

		p->requested = *text == '*';
		assert_int_equal(sscanf(text + p->requested,
					"%63s %63s %63s %llu", name, version,
					build, &size),
				 4);
		set_package(p, name, version, build, size);
	}
	lock->platform = eb_strdup("linux/amd64");
	lock->prefix = eb_strdup("/opt/env");
	lock->base_scratch = true;
	lock->pyc = eb_strdup("none");
	lock->post_link = eb_strdup("run");
	lock->activation = eb_strdup("env");
	lock->config = json_object();
	lock->variables = json_object();
	lock->epoch = 1;
	lock->time = 1500000000;
	lock->tool = eb_strdup("envbuild test");
	lock->evidence = json_array();
	lock->definition = digest_of("a definition");
	return lock;
}

#endif
