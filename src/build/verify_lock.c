/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is the set of packages of a lock an answer to what was asked? It is judged
 * by the records that the channels have now, with --local by its own.
 */
#include <string.h>

#include <envbuild/json.h>
#include <envbuild/solve_check.h>
#include <envbuild/verify.h>

#include "build_private.h"
#include "lock_solved.h"

struct check {
	const struct eb_env *env;
	const struct eb_config *config;
	struct eb_store *store;
	struct eb_events *events;
	struct eb_findings *out;
	const struct eb_record **own;	 /* the set's, in its order */
	const struct eb_record **record; /* the channels', where they have it */
	size_t n;
	struct eb_solved solved;
	struct eb_repodata *rd;
};

static void release(struct check *c)
{
	eb_solved_release(&c->solved);
	eb_repodata_free(c->rd);
	free(c->own);
	free(c->record);
}

bool eb_env_is_set(const struct eb_env *env, const struct eb_config *config)
{
	if (env->given)
		return !config->lock;
	return env->spec->exact && !env->spec->exact->installed;
}

/* --- what there is --------------------------------------------------- */

static void take_records(struct check *c)
{
	const struct eb_lock *lock = c->env->given;
	const struct eb_exact *x = lock ? NULL : c->env->spec->exact;

	c->n = lock ? lock->n : x->n;
	c->own = eb_calloc(c->n + 1, sizeof(struct eb_record *));
	c->record = eb_calloc(c->n + 1, sizeof(struct eb_record *));
	for (size_t i = 0; i < c->n; i++)
		c->record[i] = c->own[i] =
			lock ? &lock->package[i].record : &x->package[i].record;
}

/* The channels of the options, else those of the records as they come. */
static int take_channels(struct check *c, struct eb_error *err)
{
	const struct eb_strv *given = &c->config->channel_first;
	const char *alias = c->config->channel_alias;

	for (size_t i = 0; i < given->n; i++)
		if (eb_channels_add(&c->solved.channels, given->v[i], alias,
				    err) < 0)
			return -1;
	for (size_t i = 0; i < c->n && !given->n; i++)
		if (c->own[i]->channel &&
		    eb_channels_add(&c->solved.channels, c->own[i]->channel,
				    alias, err) < 0)
			return -1;
	return 0;
}

/* Where no lock says it: by the option alone. */
static enum eb_priority asked_priority(const struct eb_config *config)
{
	return eb_strv_has(&config->given, "channel-priority") &&
			       !strcmp(config->channel_priority, "strict")
		       ? EB_PRIORITY_STRICT
		       : EB_PRIORITY_DISABLED;
}

static int take_request(struct check *c, struct eb_error *err)
{
	const json_t *solved = c->env->given ? c->env->given->solved : NULL;

	if (solved)
		return eb_solved_read(solved, c->env->path, &c->solved, err);
	eb_finding_note(c->out, "request", NULL,
			"not looked at: %s does not say what was asked for",
			c->env->given ? "the lock" : "such a list");
	c->solved.priority = asked_priority(c->config);
	c->solved.virtuals =
		eb_target_virtuals(c->config, &c->solved.n_virtuals);
	return take_channels(c, err);
}

/* --- what the channels have ------------------------------------------ */

static int load(struct check *c, struct eb_matchspec **spec,
		struct eb_error *err)
{
	struct eb_http_options http_options = { .ca_file = c->config->ca_file,
						.offline = c->config->offline };
	EB_CLEANUP(eb_http_free_ptr)
	struct eb_http *http = eb_http_new(&http_options, c->events);
	EB_CLEANUP(eb_registry_free_ptr) struct eb_registry *registry = NULL;
	const char *platform =
		c->env->given ? c->env->given->platform : c->config->platform;
	struct eb_repodata_options options = {
		.subdir = eb_conda_subdir(platform),
		.offline = c->config->offline,
		.refresh = c->config->refresh,
		.spec = (const struct eb_matchspec *const *)spec,
		.n_specs = c->n,
	};

	for (size_t i = 0; i < c->solved.channels.n; i++) {
		const struct eb_channel *one = &c->solved.channels.channel[i];

		if (eb_policy_channel(c->config, one->canonical, err) < 0)
			return -1;
		if (eb_channel_is_oci(one->url) && !registry)
			registry =
				eb_channel_registry(NULL, c->config, c->events);
	}
	options.registry = registry;
	return eb_repodata_load(&c->solved.channels, &options, c->store, http,
				c->events, &c->rd, err);
}

/* Of channels with shards only these names. */
static int load_names(struct check *c, struct eb_error *err)
{
	eb_autofree struct eb_matchspec **spec =
		eb_calloc(c->n + 1, sizeof *spec);
	int rc = 0;

	for (size_t i = 0; i < c->n && rc == 0; i++) {
		spec[i] = eb_matchspec_parse(c->own[i]->name, EB_LENIENT, err);
		rc = spec[i] ? 0 : -1;
	}
	if (rc == 0)
		rc = load(c, spec, err);
	for (size_t i = 0; i < c->n && spec[i]; i++)
		eb_matchspec_free(spec[i]);
	return rc;
}

/* "x-1-0.conda" and "x-1-0.tar.bz2" are one record: the first hides the
 * second. */
static size_t stem(const char *fn)
{
	size_t n = strlen(fn);

	return eb_ends(fn, ".conda")	 ? n - strlen(".conda")
	       : eb_ends(fn, ".tar.bz2") ? n - strlen(".tar.bz2")
					 : n;
}

static const struct eb_record *channel_has(const struct check *c,
					   const struct eb_record *own)
{
	const struct eb_record *other = NULL;
	const uint32_t *row;
	size_t n = eb_repodata_by_name(c->rd, own->name, &row);

	for (size_t i = 0; i < n; i++) {
		const struct eb_record *r =
			eb_repodata_record(c->rd, row[i], NULL);

		if ((own->subdir && strcmp(r->subdir, own->subdir) != 0) ||
		    (own->channel && strcmp(r->channel, own->channel) != 0))
			continue;
		if (!strcmp(r->fn, own->fn))
			return r;
		if (stem(r->fn) == stem(own->fn) &&
		    !strncmp(r->fn, own->fn, stem(r->fn)))
			other = r;
	}
	return other;
}

static bool same_list(const struct eb_strv *a, const struct eb_strv *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (strcmp(a->v[i], b->v[i]) != 0)
			return false;
	return true;
}

/* One file, described twice: `r` is the channel's. */
static void compare_records(struct check *c, const struct eb_record *own,
			    const struct eb_record *r, bool partial)
{
	if (strcmp(own->version, r->version) != 0 ||
	    strcmp(own->build, r->build) != 0)
		eb_finding_add(c->out, "record", own->fn,
			       "is %s %s, and %s %s in its channel",
			       own->version, own->build, r->version, r->build);
	else if (!partial && (!same_list(&own->depends, &r->depends) ||
			      !same_list(&own->constrains, &r->constrains)))
		eb_finding_note(c->out, "record", own->fn,
				"depends on other things in its channel now");
	if (!strcmp(r->fn, own->fn) &&
	    ((own->has_sha256 && r->has_sha256 &&
	      !eb_digest_equal(&own->sha256, &r->sha256)) ||
	     (*own->md5 && *r->md5 && strcmp(own->md5, r->md5) != 0)))
		eb_finding_add(c->out, "record", own->fn,
			       "has another digest than its channel says");
}

/* Of an explicit list there is no record but the channel's. */
static bool is_partial(const struct check *c, size_t i)
{
	return !c->env->given && c->env->spec->exact->package[i].partial;
}

static void compare(struct check *c, size_t i)
{
	const struct eb_record *own = c->own[i], *r = channel_has(c, own);

	if (r) {
		c->record[i] = r;
		compare_records(c, own, r, is_partial(c, i));
	} else if (is_partial(c, i)) {
		eb_finding_add(c->out, "record", own->fn,
			       "is not in its channel");
	} else {
		eb_finding_note(c->out, "record", own->fn,
				"is not in its channel any more: the lock's "
				"own record was taken");
	}
}

/* A channel did not answer; the hint that there is stays. */
static int without_channels(struct eb_error *err)
{
	eb_autofree char *hint = eb_strdup(err->hint);

	if (err->code != EB_NETWORK)
		return -1;
	return eb_err_hint(err, "%s%s--local judges a lock by its own records",
			   hint ? hint : "", hint ? "; " : "");
}

static int compare_all(struct check *c, struct eb_error *err)
{
	struct eb_stage stage;
	int rc;

	if (c->config->local || !c->solved.channels.n)
		return 0;
	eb_stage_begin(c->events, &stage, "repodata");
	rc = load_names(c, err);
	eb_stage_end(c->events, &stage);
	if (rc < 0)
		return without_channels(err);
	for (size_t i = 0; i < c->n; i++)
		compare(c, i);
	return 0;
}

/* --- the rules ------------------------------------------------------- */

static void judge(struct check *c)
{
	struct eb_set_problems found EB_CLEANUP(
		eb_set_problems_release) = { 0 };
	const char *platform =
		c->env->given ? c->env->given->platform : c->config->platform;
	struct eb_set set = {
		.record = c->record,
		.n = c->n,
		.spec = (const struct eb_matchspec *const *)c->solved.spec,
		.n_specs = c->solved.n_specs,
		.pin = (const struct eb_matchspec *const *)c->solved.pin,
		.n_pins = c->solved.n_pins,
		.virtuals = c->solved.virtuals,
		.n_virtuals = c->solved.n_virtuals,
		.subdir = eb_conda_subdir(platform),
		.channels = c->solved.channels.n ? &c->solved.channels : NULL,
		.alias = c->solved.alias ? c->solved.alias
					 : c->config->channel_alias,
		.repodata = c->rd,
		.priority = c->solved.priority,
	};

	eb_set_check(&set, &found);
	for (size_t i = 0; i < found.n; i++) {
		const struct eb_set_problem *p = &found.v[i];

		if (p->note)
			eb_finding_note(c->out, p->check, p->subject, "%s",
					p->text);
		else
			eb_finding_add(c->out, p->check, p->subject, "%s",
				       p->text);
	}
}

int eb_verify_set(const struct eb_env *env, const struct eb_config *config,
		  struct eb_store *store, struct eb_events *events,
		  struct eb_findings *out, struct eb_error *err)
{
	struct check c EB_CLEANUP(release) = { .env = env,
					       .config = config,
					       .store = store,
					       .events = events,
					       .out = out };

	take_records(&c);
	out->packages = c.n;
	if (take_request(&c, err) < 0 || compare_all(&c, err) < 0)
		return -1;
	judge(&c);
	return 0;
}
