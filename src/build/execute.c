/* SPDX-License-Identifier: Apache-2.0 */
/* Executing: the image of a lock, step by step (build_private.h). */
#include <string.h>

#include <envbuild/solve.h>
#include <envbuild/team.h>

#include "build_private.h"
#include "root.h"

/* --- what the steps share ----------------------------------------------------
 */
static void set_target(struct eb_build *b)
{
	const struct eb_locked_package *python =
		eb_lock_find(b->lock, "python");
	const char *version = python ? python->record.version : "";
	const char *dot = strchr(version, '.');
	size_t n =
		dot ? (size_t)(dot - version) + 1 + strcspn(dot + 1, ".") : 0;
	const char *own =
		python ? python->record.python_site_packages_path : NULL;

	b->target.prefix = b->lock->prefix;
	b->target.source_date_epoch = b->lock->source_date_epoch;
	if (!n)
		return;
	b->python_minor = eb_strndup(version, n);
	b->site_packages = own ? eb_strdup(own)
			       : eb_asprintf("lib/python%s/site-packages",
					     b->python_minor);
	b->target.python_minor = b->python_minor;
	b->target.site_packages = b->site_packages;
	b->wheel_target = (struct eb_wheel_target){
		.prefix = b->lock->prefix,
		.python_minor = b->python_minor,
		.site_packages = b->site_packages,
		.source_date_epoch = b->lock->source_date_epoch,
	};
}

/* Conda's in their order, then the Python side's by name. */
static int link_order(struct eb_build *b, struct eb_error *err)
{
	size_t n = b->lock->n;
	eb_autofree const struct eb_record **r =
		eb_calloc(n + 1, sizeof(struct eb_record *));
	eb_autofree size_t *order = eb_calloc(n + 1, sizeof *order);

	for (size_t i = 0; i < n; i++)
		r[i] = &b->lock->package[i].record;
	if (eb_link_order(r, n, order, err) < 0)
		return -1;
	b->work = eb_calloc(n + b->lock->n_pins + 1, sizeof *b->work);
	for (size_t i = 0; i < n; i++)
		eb_work_package(b, &b->lock->package[order[i]]);
	for (size_t i = 0; i < b->lock->n_pins; i++)
		eb_work_pin(b, &b->lock->pin[i]);
	return 0;
}

static int make_plan(struct eb_build *b, struct eb_error *err)
{
	b->member = eb_calloc(b->n + 1, sizeof *b->member);
	for (size_t i = 0; i < b->n; i++) {
		struct eb_work *w = &b->work[i];

		b->member[i].name = w->name;
		b->member[i].packed_size = w->packed_size;
		w->member = &b->member[i];
	}
	if (eb_work_keys(b, err) < 0)
		return -1;
	/* besides the base: system packages, the environment's own layer */
	return eb_plan_make(b->member, b->n,
			    b->base->n_layers + (b->lock->apt.n > 0) + 1,
			    &b->plan, err);
}

/* --- the steps
 * ----------------------------------------------------------------- */
struct step {
	const char *name;
	int (*run)(struct eb_build *b, struct eb_error *err);
};

static const struct step steps[] = {
	{ "apt", eb_build_apt },
	{ "pack", eb_build_payloads },
	{ "moves", eb_build_moves },
	{ "clashes", eb_build_clashes },
	{ "bytecode", eb_build_bytecodes },
	{ "records", eb_build_records },
	{ "buckets", eb_build_buckets },
	{ "post-link", eb_build_post_link },
	{ "activation", eb_build_activation },
	{ "environment", eb_build_environment },
	{ "assemble", eb_build_assemble },
};

int eb_build_steps(struct eb_build *b, struct eb_error *err)
{
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		struct eb_stage stage;
		int rc;

		eb_stage_begin(b->events, &stage, steps[i].name);
		rc = steps[i].run(b, err);
		eb_stage_end(b->events, &stage);
		if (rc < 0)
			return -1;
	}
	return 0;
}

int eb_build_begin(struct eb_build *b, struct eb_error *err)
{
	struct eb_http_options options = { .ca_file = b->config->ca_file,
					   .offline = b->config->offline };

	set_target(b);
	if (eb_open_base(b->config, b->lock, b->store, b->team, b->events,
			 &b->base, err) < 0 ||
	    link_order(b, err) < 0 || make_plan(b, err) < 0)
		return -1;
	b->pool = eb_pool_new(b->config->jobs);
	b->http = eb_http_new(&options, b->events);
	return 0;
}

void eb_build_release(struct eb_build *b)
{
	if (b->pool)
		eb_pool_free(b->pool);
	if (b->http)
		eb_http_free(b->http);
	eb_registry_free(b->channels);
	for (size_t i = 0; i < b->n; i++) {
		eb_entries_release(&b->work[i].paths);
		eb_entries_release(&b->work[i].bytecode_paths);
		free(b->work[i].url);
		eb_channel_ways_release(&b->work[i].ways);
	}
	if (b->indexes)
		eb_indexes_release(b->indexes);
	free(b->indexes);
	eb_build_cool(b);
	eb_clashes_release(&b->clashes);
	eb_plan_release(&b->plan);
	eb_base_free(b->base);
	eb_base_free(b->build_base);
	eb_root_free(b->root);
	eb_root_free(b->image_root);
	eb_post_link_release(&b->post_link);
	json_decref(b->activation);
	eb_apt_layer_release(&b->apt);
	free(b->clash_member);
	free(b->bucket);
	free(b->member);
	free(b->work);
	free(b->python_minor);
	free(b->site_packages);
}

static void fill_cached(struct eb_built *out, const struct eb_image_row *row)
{
	out->manifest = row->manifest;
	out->config = row->config;
	out->cached = true;
}

int eb_build_image(struct eb_lock *lock, const struct eb_env *env,
		   const struct eb_config *config, struct eb_store *store,
		   struct eb_events *events, struct eb_built *out,
		   struct eb_error *err)
{
	struct eb_build b = { .lock = lock,
			      .env = env,
			      .config = config,
			      .store = store,
			      .events = events,
			      .built = out };
	struct eb_image_row row;
	int rc;

	*out = (struct eb_built){ 0 };
	eb_lock_hash(lock, &out->lock);
	if (eb_compressor_init(&b.compressor, config->compression, err) < 0)
		return -1;
	rc = eb_store_find_image(store, &out->lock, b.compressor.id, &row, err);
	if (rc > 0)
		fill_cached(out, &row);
	if (rc == 0) {
		rc = eb_build_begin(&b, err) < 0 ? -1 : eb_build_steps(&b, err);
		eb_build_release(&b);
	}
	return rc < 0 ? -1 : eb_lock_note_steps(lock, store, err);
}
