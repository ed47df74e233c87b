/* SPDX-License-Identifier: Apache-2.0 */
/* The packages of a plan: where the payload of each comes from. */
#include <string.h>

#include "conda_settings.h"
#include "plan_private.h"

static bool is_local(const char *url)
{
	eb_autofree char *path = url ? eb_file_url_path(url) : NULL;

	return path != NULL;
}

void eb_plan_read(struct eb_planning *p, const char *url, uint64_t size)
{
	*(is_local(url) ? &p->out->read : &p->out->fetch) += size;
}

static enum eb_planned_from from(struct eb_planning *p, const struct eb_work *w)
{
	EB_CLEANUP(eb_channel_ways_release) struct eb_channel_ways ways = { 0 };
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	const char *url = w->package ? w->package->record.url : w->pin->url;

	if (w->have_payload)
		return w->payload_here ? EB_FROM_STORE : EB_FROM_REGISTRY;
	if (w->pin && w->pin->source != EB_PIN_WHEEL)
		return EB_FROM_BUILD;
	if (w->package &&
	    eb_fetch_ways(p->b.config, p->b.env, &w->package->record, &ways,
			  &ignored) == 0)
		url = ways.way[0].shown;
	return is_local(url) ? EB_FROM_FILE : EB_FROM_NETWORK;
}

static void fill(struct eb_planning *p, const struct eb_work *w,
		 struct eb_planned_package *out)
{
	*out = (struct eb_planned_package){
		.name = eb_strdup(w->name),
		.version = eb_strdup(w->package ? w->package->record.version
						: w->pin->version),
		.file = eb_strdup(w->file),
		.python_side = w->pin != NULL,
		.size = w->packed_size,
		.knows_paths = w->looked_at,
		.from = from(p, w),
	};
	p->out->unknown += !w->looked_at;
	if (eb_plan_is_done(p))
		return;
	if (out->from == EB_FROM_FILE)
		p->out->read += out->size;
	else if (out->from == EB_FROM_NETWORK)
		p->out->fetch += out->size;
}

int eb_plan_packages(struct eb_planning *p, struct eb_error *err)
{
	struct eb_build *b = &p->b;

	p->out->package = eb_calloc(b->n + 1, sizeof *p->out->package);
	for (size_t i = 0; i < b->n; i++) {
		const struct eb_work *w = &b->work[i];

		fill(p, w, &p->out->package[p->out->n_packages++]);
		/* Variables that packages bring are read for the image. */
		if (w->facts.n_env_vars &&
		    strcmp(b->lock->activation, "none") &&
		    eb_build_bring(b, &w->payload, 1, err) < 0)
			return -1;
	}
	return 0;
}
