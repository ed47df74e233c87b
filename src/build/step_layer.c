/* SPDX-License-Identifier: Apache-2.0 */
/* What a step did to the root that it ran in, as a layer. It is always gzip:
 * like the layers of a base it is taken as it is by every image. */
#include "root.h"
#include "step.h"

#define SHOWN 3

static void tell(struct eb_events *events, const char *what,
		 const struct eb_delta_report *r)
{
	EB_AUTOBUF(text, EB_MAX_TEXT);
	size_t n = r->set_id.n;

	for (size_t i = 0; i < n && i < SHOWN; i++)
		eb_buf_addf(&text, "%s\"/%s\"", i ? ", " : "", r->set_id.v[i]);
	if (n > SHOWN)
		eb_buf_addf(&text, " and %zu more", n - SHOWN);
	if (n)
		eb_warn(events,
			"%s: set-id bits and capabilities are cleared of %s",
			what, text.data);
	for (size_t i = 0; i < r->left.n; i++)
		eb_warn(events,
			"%s: \"/%s\" is no file, folder or link, and left out",
			what, r->left.v[i]);
}

int eb_step_layer(struct eb_root *root, const char *what,
		  eb_delta_skip_fn *skip, const struct eb_delta *before,
		  int64_t begun, struct eb_digest *result, struct eb_error *err)
{
	struct eb_delta after EB_CLEANUP(eb_delta_release) = { 0 };
	struct eb_delta_report report EB_CLEANUP(
		eb_delta_report_release) = { 0 };
	int64_t epoch = root->b->lock->source_date_epoch;
	const struct eb_delta_rules rules = {
		.begun = begun,
		.stamp = epoch ? epoch : EB_FIXED_MTIME,
		.latest = epoch,
		.owner = eb_sandbox_owner,
	};
	struct eb_compressor gzip;
	struct eb_item layer;

	if (eb_compressor_init(&gzip, "gzip", err) < 0 ||
	    eb_delta_scan(root->rootfs, skip, &after, err) < 0 ||
	    eb_delta_layer(root->b->store, &gzip, root->rootfs, before, &after,
			   &rules, &report, &layer, err) < 0)
		return -1;
	tell(root->events, what, &report);
	*result = layer.blob;
	return 0;
}
