/* SPDX-License-Identifier: Apache-2.0 */
/* The image so far as a root file system: its layers in their order, and over
 * them the winners of clashes, which are in the image's last layer. */
#include <string.h>

#include <envbuild/rootfs.h>

#include "root.h"

static int check_platform(const struct eb_build *b, struct eb_error *err)
{
	if (!strcmp(b->lock->platform, eb_machine_platform()))
		return 0;
	return eb_err_set(err, EB_MACHINE,
			  "scripts of packages for %s cannot run on this "
			  "machine (%s)",
			  b->lock->platform, eb_machine_platform());
}

static int add_layers(struct eb_root *r, struct eb_error *err)
{
	struct eb_build *b = r->b;
	size_t n = 0, most = b->plan.n_own + b->plan.n_buckets;
	eb_autofree struct eb_item *item = eb_calloc(most + 1, sizeof *item);
	eb_autofree struct eb_digest *blob = eb_calloc(most + 1, sizeof *blob);

	for (size_t i = 0; i < b->plan.n_own; i++)
		item[n++] = b->work[b->plan.own[i]].payload;
	for (size_t i = 0; i < b->plan.n_buckets; i++)
		item[n++] = b->bucket[i];
	for (size_t i = 0; i < n; i++)
		blob[i] = item[i].blob;
	if (eb_build_bring(b, item, n, err) < 0)
		return -1;
	return eb_rootfs_add(b->store, blob, n, r->rootfs, b->events, err);
}

/* As a part of its own, which the store keeps like any other. */
static int add_won(struct eb_root *r, const struct eb_work *w,
		   const struct eb_strv *won, struct eb_error *err)
{
	EB_CLEANUP(eb_entries_release) struct eb_entries e = { 0 };
	struct eb_build *b = r->b;
	struct eb_digest key;
	struct eb_item part;
	struct eb_keyer k;

	eb_key_begin(&k, "envbuild won paths 1");
	eb_key_digest(&k, &w->payload_key);
	for (size_t i = 0; i < won->n; i++)
		eb_key_text(&k, won->v[i]);
	eb_key_end(&k, &key);
	if (eb_copy_part(b, &w->payload, won, true, &e, err) < 0 ||
	    eb_part_write(b->store, &b->compressor, EB_ITEM_PART, &key, &e,
			  w->file, &part, err) < 0)
		return -1;
	return eb_rootfs_add(b->store, &part.blob, 1, r->rootfs, b->events,
			     err);
}

static int add_winners(struct eb_root *r, struct eb_error *err)
{
	for (size_t i = 0; i < r->b->n; i++) {
		EB_CLEANUP(eb_strv_release) struct eb_strv won = { 0 };

		eb_build_won_by(r->b, i, &won);
		if (won.n && add_won(r, &r->b->work[i], &won, err) < 0)
			return -1;
	}
	return 0;
}

static int fill(struct eb_root *r, struct eb_error *err)
{
	struct eb_build *b = r->b;

	if (b->apt.size && eb_rootfs_add(b->store, &b->apt.blob, 1, r->rootfs,
					 b->events, err) < 0)
		return -1;
	if (add_layers(r, err) < 0)
		return -1;
	return add_winners(r, err);
}

int eb_root_of_image(struct eb_build *b, struct eb_root **out,
		     struct eb_error *err)
{
	EB_CLEANUP(eb_root_free_ptr) struct eb_root *r = NULL;
	struct eb_stage stage;
	int rc;

	if (check_platform(b, err) < 0)
		return -1;
	eb_stage_begin(b->events, &stage, "root");
	rc = eb_root_of_base(b, &r, err);
	if (rc == 0)
		rc = fill(r, err);
	eb_stage_end(b->events, &stage);
	if (rc < 0)
		return -1;
	*out = eb_steal(r);
	return 0;
}
