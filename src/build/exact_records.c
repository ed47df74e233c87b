/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The whole records of packages that a lock of another tool names by place and
 * hash. What their channel says of the same bytes comes first: it is what
 * conda writes into an environment, channels mend it (a dependency that turned
 * out wrong), and nothing is fetched for it but what a solver would read. Where
 * it cannot be had (a folder of files, a channel that is gone, a package taken
 * out of it) the lock is whole all the same, and a package's own
 * info/index.json is what the channel once had it from.
 */
#include <string.h>

#include <envbuild/repodata.h>

#include "package_record.h"
#include "resolve_packages.h"
#include "url_specs.h"

struct completing {
	struct eb_resolver *r;
	const struct eb_exact *x;
	bool *done;
};

/* --- by the channel ------------------------------------------------------- */

/* Of the same bytes, as far as hashes can be compared. */
static bool agrees(const struct eb_record *a, const struct eb_record *b,
		   bool *same)
{
	bool by_sha = a->has_sha256 && b->has_sha256;
	bool by_md5 = a->md5[0] && b->md5[0];

	*same = by_sha || by_md5;
	return (!by_sha || eb_digest_equal(&a->sha256, &b->sha256)) &&
	       (!by_md5 || !strcasecmp(a->md5, b->md5));
}

/* The lock's own place and hashes stand. */
static void merge(struct eb_record *out, const struct eb_record *lock,
		  const struct eb_record *channel, bool same)
{
	eb_record_copy(out, channel);
	free(out->url);
	free(out->channel);
	out->url = eb_strdup(lock->url);
	out->channel = eb_strdup(lock->channel);
	if (!same) {
		out->has_sha256 = false;
		out->size = 0;
	}
	if (lock->has_sha256) {
		out->has_sha256 = true;
		out->sha256 = lock->sha256;
	}
	if (lock->md5[0])
		memcpy(out->md5, lock->md5, sizeof out->md5);
}

static bool look(const struct eb_repodata *rd, const struct eb_record *lock,
		 struct eb_record *out)
{
	const uint32_t *row;
	size_t n = eb_repodata_by_name(rd, lock->name, &row);
	bool same;

	for (size_t i = 0; i < n; i++) {
		const struct eb_record *r =
			eb_repodata_record(rd, row[i], NULL);

		if (strcmp(r->fn, lock->fn) || !agrees(lock, r, &same))
			continue;
		merge(out, lock, r, same);
		return true;
	}
	return false;
}

/* The channel of the request that is this one, as a list of its own. */
static struct eb_channels only(struct eb_resolver *r, const char *canonical)
{
	const struct eb_channels *all = &r->env->request.channels;
	struct eb_channels one = { 0 };

	for (size_t i = 0; i < all->n && !one.n; i++)
		if (!strcmp(all->channel[i].canonical, canonical))
			one = (struct eb_channels){ &all->channel[i], 1,
						    all->rules };
	return one;
}

/* What is partial, of this channel and not found yet. */
static bool is_wanted(const struct completing *c, size_t i, const char *channel)
{
	const struct eb_exact_package *p = &c->x->package[i];

	return p->partial && !c->done[i] && p->record.subdir &&
	       !strcmp(p->record.channel, channel);
}

static int load(const struct completing *c, const char *channel,
		struct eb_repodata **out, struct eb_error *err)
{
	struct eb_resolver *r = c->r;
	const struct eb_spec *spec = r->env->spec;
	eb_autofree const struct eb_matchspec **specs =
		eb_calloc(c->x->n + 1, sizeof *specs);
	EB_CLEANUP(eb_registry_free_ptr)
	struct eb_registry *registry =
		eb_channel_registry(r->env, r->config, r->events);
	struct eb_repodata_options options = {
		.subdir = eb_conda_subdir(r->config->platform),
		.offline = r->config->offline,
		.refresh = r->config->refresh,
		.spec = specs,
		.registry = registry,
	};
	struct eb_channels one = only(r, channel);

	for (size_t i = 0; i < c->x->n; i++) /* a line each, in one order */
		if (is_wanted(c, i, channel))
			specs[options.n_specs++] = spec->conda[i];
	return eb_repodata_load(&one, &options, r->store, r->http, r->events,
				out, err);
}

/* Can the packages themselves be asked instead? */
static bool may_go_on(const struct eb_error *err)
{
	return err->code == EB_NETWORK || err->code == EB_INPUT ||
	       err->code == EB_INTEGRITY;
}

static int by_channel(struct completing *c, const char *channel,
		      struct eb_error *err)
{
	EB_CLEANUP(eb_repodata_free_ptr) struct eb_repodata *rd = NULL;

	if (load(c, channel, &rd, err) < 0) {
		if (!may_go_on(err))
			return -1;
		eb_note(c->r->explains ? NULL : c->r->events,
			"%s: its packages are asked themselves", err->message);
		eb_err_release(err);
		return 0;
	}
	for (size_t i = 0; i < c->x->n; i++)
		if (is_wanted(c, i, channel))
			c->done[i] = look(rd, &c->x->package[i].record,
					  &c->r->found[i]);
	return 0;
}

static int by_channels(struct completing *c, struct eb_error *err)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv asked = { 0 };

	for (size_t i = 0; i < c->x->n; i++) {
		const struct eb_record *r = &c->x->package[i].record;

		if (!is_wanted(c, i, r->channel) ||
		    eb_strv_has(&asked, r->channel) ||
		    !only(c->r, r->channel).n)
			continue;
		eb_strv_add(&asked, r->channel);
		if (by_channel(c, r->channel, err) < 0)
			return -1;
	}
	return 0;
}

/* --- by the package --------------------------------------------------------
 */

static int by_itself(const struct completing *c, size_t i, struct eb_error *err)
{
	const struct eb_exact_package *p = &c->x->package[i];
	const char *file = c->r->env->spec->file;

	if (eb_package_record(c->r, &p->record, &c->r->found[i], err) == 0 &&
	    eb_exact_fits(&c->r->found[i], c->r->config->platform, err) == 0)
		return 0;
	return p->line ? eb_err_at(err, file, p->line, p->column) : -1;
}

static int by_themselves(struct completing *c, struct eb_error *err)
{
	for (size_t i = 0; i < c->x->n; i++) {
		if (c->done[i])
			continue;
		if (c->r->explains || !c->x->package[i].partial)
			eb_record_copy(&c->r->found[i],
				       &c->x->package[i].record);
		else if (by_itself(c, i, err) < 0)
			return -1;
	}
	return 0;
}

/* --- both ------------------------------------------------------------------
 */

static void forget(struct eb_resolver *r)
{
	for (size_t i = 0; r->found && i < r->n_found; i++)
		eb_record_release(&r->found[i]);
	free(r->found);
	r->found = NULL;
	r->n_found = 0;
}

static int find(struct eb_resolver *r, const struct eb_exact *x,
		struct eb_error *err)
{
	eb_autofree bool *done = eb_calloc(x->n + 1, sizeof *done);
	struct completing c = { r, x, done };
	struct eb_stage stage;
	int rc;

	r->found = eb_calloc(x->n + 1, sizeof *r->found);
	r->n_found = x->n;
	eb_stage_begin(r->events, &stage, "records");
	rc = by_channels(&c, err);
	if (rc == 0)
		rc = by_themselves(&c, err);
	eb_stage_end(r->events, &stage);
	if (rc < 0)
		forget(r);
	return rc;
}

static bool any_partial(const struct eb_exact *x)
{
	for (size_t i = 0; i < x->n; i++)
		if (x->package[i].partial)
			return true;
	return false;
}

int eb_complete_records(struct eb_resolver *r, struct eb_lock *lock,
			struct eb_error *err)
{
	const struct eb_exact *x = r->env->spec->exact;

	if (!any_partial(x))
		return 0;
	if (!r->found && find(r, x, err) < 0)
		return -1;
	for (size_t i = 0; i < x->n; i++) {
		eb_record_release(&lock->package[i].record);
		eb_record_copy(&lock->package[i].record, &r->found[i]);
	}
	return 0;
}

void eb_resolver_release(struct eb_resolver *r)
{
	forget(r);
	eb_url_specs_free(r->urls);
	r->urls = NULL;
	eb_decision_free(r->decision);
	r->decision = NULL;
	eb_locked_dockerfile_release(&r->dockerfile);
	json_decref(r->problems);
	json_decref(r->held);
	free(r->advice);
	r->problems = r->held = NULL;
	r->advice = NULL;
}
