/* SPDX-License-Identifier: Apache-2.0 */
/* The base that a Dockerfile makes: in the store, in the registry, else made.
 */
#include <string.h>
#include <unistd.h>

#include <envbuild/image.h>
#include <envbuild/layout.h>
#include <envbuild/transfer.h>

#include "dockerfile_base.h"
#include "step.h"
#include "team_private.h"

#define BLOBS "step-image" /* "KEY N" -> a blob of the result */

struct work {
	const struct eb_dockerfile_request *q;
	const struct eb_config *config;
	struct eb_store *store;
	struct eb_team *team; /* q's or own */
	bool asked;
	char *reference;
	const char *platform;
	int64_t epoch;
	struct eb_lock lock; /* what is needed for the key alone */
	struct eb_digest key;
	struct eb_recipe recipe;
	struct eb_base **from; /* of recipe.image */
	int lock_fd;
};

static void release(struct work *w)
{
	for (size_t i = 0; w->from && i < w->recipe.image.n; i++)
		eb_base_free(w->from[i]);
	free(w->from);
	free(w->reference);
	if (w->team != w->q->team)
		eb_team_free(w->team);
	eb_locked_dockerfile_release(&w->lock.dockerfile);
	eb_recipe_release(&w->recipe);
	eb_cleanup_fd(&w->lock_fd);
}

/* 1 there is a team, 0, -1. */
static int join(struct work *w, struct eb_error *err)
{
	if (!w->team && !w->asked &&
	    eb_team_open(w->config, false, w->q->events, &w->team, err) < 0)
		return -1;
	w->asked = true;
	return w->team != NULL;
}

static struct eb_build as_build(const struct work *w)
{
	return (struct eb_build){ .config = w->config,
				  .store = w->store,
				  .team = w->team,
				  .events = w->q->events };
}

/* --- the images that it is made of ----------------------------------------
 */
static int open_image(struct work *w, const char *reference,
		      const struct eb_digest *pinned, struct eb_base **out,
		      struct eb_error *err)
{
	EB_CLEANUP(eb_registry_free_ptr)
	struct eb_registry *registry =
		eb_base_registry(w->config, reference, w->q->events);
	const struct eb_base_from from = { .store = w->store,
					   .registry = registry,
					   .events = w->q->events,
					   .any = true };

	if (pinned)
		return eb_base_reopen(reference, pinned, w->platform, &from,
				      out, err);
	return eb_base_resolve(reference, w->platform, &from, out, err);
}

static void note_unpinned(struct work *w)
{
	const struct eb_dockerfile *d = &w->recipe.file;

	for (size_t i = 0; i < d->n; i++)
		if (!d->from[i].reference)
			eb_strv_add(&w->lock.dockerfile.unpinned,
				    d->from[i].word);
}

/* Those of a lock are asked for by its digests. */
static int open_images(struct work *w, struct eb_error *err)
{
	const struct eb_lock *lock = w->q->lock;
	struct eb_locked_dockerfile *d = &w->lock.dockerfile;
	size_t n = w->recipe.image.n;

	w->from = eb_calloc(n + 1, sizeof(struct eb_base *));
	d->from = eb_calloc(n + 1, sizeof *d->from);
	d->set = true;
	d->content = w->recipe.content;
	for (size_t i = 0; i < n; i++) {
		const struct eb_digest *pinned =
			lock && i < lock->dockerfile.n
				? &lock->dockerfile.from[i]
				: NULL;

		if (open_image(w, w->recipe.image.v[i], pinned, &w->from[i],
			       err) < 0)
			return eb_err_prefix(err, "\"%s\"",
					     w->recipe.file.file);
		d->from[d->n++] = w->from[i]->digest;
		eb_strv_add(&d->reference, w->recipe.image.v[i]);
	}
	note_unpinned(w);
	return 0;
}

/* --- what is known ---------------------------------------------------------
 */

/* All of it is kept as long as it is used. */
static int remember(struct work *w, const struct eb_digest *manifest,
		    struct eb_error *err)
{
	EB_CLEANUP(eb_manifest_release) struct eb_manifest m = { 0 };
	EB_CLEANUP(eb_strv_release) struct eb_strv keys = { 0 };
	EB_AUTOBUF(text, EB_MAX_MANIFEST);
	struct eb_build b = as_build(w);
	char hex[EB_HEX_SIZE];
	eb_autofree struct eb_fact *fact = NULL;
	size_t n = 0;

	if (eb_store_read(w->store, manifest, EB_MAX_MANIFEST, &text, err) <
		    0 ||
	    eb_manifest_parse(text.data, text.len, w->reference, &m, err) < 0)
		return -1;
	eb_digest_hex(&w->key, hex);
	for (size_t i = 0; i <= m.n_layers; i++)
		eb_strv_addf(&keys, "%s %zu", hex, i);
	fact = eb_calloc(m.n_layers + 1, sizeof *fact);
	for (size_t i = 0; i <= m.n_layers; i++) {
		const struct eb_digest *d =
			i ? &m.layer[i - 1].digest : &m.config.digest;
		int here = eb_store_has(w->store, d, err);

		if (here < 0)
			return -1;
		if (here) /* others lie in a registry */
			fact[n++] = (struct eb_fact){ keys.v[i], "", d };
	}
	if (eb_store_put_facts(w->store, BLOBS, hex, fact, n, err) < 0)
		return -1;
	return eb_result_remember(&b, &w->key, manifest, err);
}

/* Looked at, they are used. */
static int touch(struct work *w, size_t n_layers, struct eb_error *err)
{
	char hex[EB_HEX_SIZE];

	eb_digest_hex(&w->key, hex);
	for (size_t i = 0; i <= n_layers; i++) {
		eb_autofree char *key = eb_asprintf("%s %zu", hex, i);
		EB_AUTOBUF(text, EB_MAX_TEXT);

		if (eb_store_find_fact(w->store, BLOBS, key, &text, err) < 0)
			return -1;
	}
	return 0;
}

static struct eb_base_from from_here(const struct work *w)
{
	return (struct eb_base_from){
		.store = w->store,
		.registry = w->team ? eb_team_registry(w->team) : NULL,
		.events = w->q->events
	};
}

static int adopt(struct work *w, const struct eb_digest *manifest,
		 struct eb_base **out, struct eb_error *err)
{
	const struct eb_base_from from = from_here(w);

	return eb_base_adopt(w->reference, manifest, w->platform, &from, out,
			     err);
}

/* 1, 0: not known, or not all of it is there any more, -1 */
static int from_store(struct work *w, struct eb_base **out,
		      struct eb_error *err)
{
	const struct eb_base_from from = from_here(w);
	EB_CLEANUP(eb_base_free_ptr) struct eb_base *base = NULL;
	struct eb_build b = as_build(w);
	struct eb_digest manifest;
	int rc = eb_result_recall(&b, &w->key, &manifest, err);

	if (rc <= 0)
		return rc;
	if (adopt(w, &manifest, &base, err) < 0)
		return -1;
	rc = eb_base_recall(w->reference, &base->digest, w->platform, &from,
			    out, err);
	if (rc > 0 && touch(w, base->n_layers, err) < 0)
		rc = -1;
	return rc;
}

static int from_team(struct work *w, struct eb_base **out, struct eb_error *err)
{
	struct eb_digest manifest;
	int rc = join(w, err);

	if (rc > 0)
		rc = eb_team_step_image_find(w->team, &w->key, w->platform,
					     w->store, &manifest, err);
	if (rc <= 0)
		return rc;
	if (remember(w, &manifest, err) < 0 ||
	    adopt(w, &manifest, out, err) < 0)
		return -1;
	return 1;
}

static int find(struct work *w, struct eb_base **out, struct eb_error *err)
{
	int rc = from_store(w, out, err);

	return rc ? rc : from_team(w, out, err);
}

/* --- made ------------------------------------------------------------------
 */

/* What the lock stands for is what is built, or nothing. */
static int check_content(const struct work *w, struct eb_error *err)
{
	const struct eb_lock *lock = w->q->lock;

	if (!lock ||
	    eb_digest_equal(&lock->dockerfile.content, &w->recipe.content))
		return 0;
	eb_err_set(err, EB_INPUT,
		   "\"%s\", its context or its arguments are not those that "
		   "the lock was made with",
		   w->recipe.file.file);
	return eb_err_hint(err, "renew it with --update-lock");
}

static int may_make(const struct work *w, struct eb_error *err)
{
	if (!w->q->look && !w->config->offline)
		return 0;
	eb_err_set(err, EB_NETWORK,
		   "base \"%s\" has not been built here, and nobody may be "
		   "asked for what it needs",
		   w->reference);
	return eb_err_hint(err, "build once without --offline");
}

static int tell_story(struct work *w, const struct eb_digest *manifest,
		      uint64_t ns, const char *log, struct eb_error *err)
{
	struct eb_build b = as_build(w);

	if (log)
		eb_detail(w->q->events, "%s is built; the log is \"%s\"",
			  w->reference, log);
	return eb_result_tell_story(&b, manifest, ns, log, err);
}

static int run(struct work *w, struct eb_digest *manifest, struct eb_error *err)
{
	struct eb_dockerfile_making m = {
		.config = w->config,
		.store = w->store,
		.events = w->q->events,
		.recipe = &w->recipe,
		.from = w->from,
		.platform = w->platform,
		.epoch = w->epoch ? w->epoch : EB_FIXED_MTIME,
		.log = -1,
	};
	eb_autofree char *log = NULL;
	uint64_t begun = eb_now_ns();

	if (eb_dockerfile_make(&m, manifest, &log, err) < 0 ||
	    tell_story(w, manifest, eb_now_ns() - begun, log, err) < 0)
		return -1;
	if (join(w, err) < 0)
		return -1;
	return w->team ? eb_team_step_image_put(w->team, &w->key, w->platform,
						w->store, manifest, err)
		       : 0;
}

static int make(struct work *w, struct eb_base **out, struct eb_error *err)
{
	struct eb_event ev = { .type = EB_EV_TASK_BEGIN,
			       .name = w->reference,
			       .kind = "build" };
	struct eb_digest manifest;
	int rc;

	eb_emit(w->q->events, &ev);
	rc = run(w, &manifest, err);
	ev.type = EB_EV_TASK_END;
	ev.text = rc < 0 ? "stopped" : "";
	eb_emit(w->q->events, &ev);
	if (rc < 0 || remember(w, &manifest, err) < 0)
		return -1;
	return adopt(w, &manifest, out, err);
}

/* One at a time; who waited finds what the other has made. */
static int find_or_make(struct work *w, struct eb_base **out,
			struct eb_error *err)
{
	int rc = find(w, out, err);

	if (rc)
		return rc < 0 ? -1 : 0;
	if (may_make(w, err) < 0 ||
	    eb_store_lock_build(w->store, &w->key, w->q->events, &w->lock_fd,
				err) < 0)
		return -1;
	rc = from_store(w, out, err);
	if (rc)
		return rc < 0 ? -1 : 0;
	return make(w, out, err);
}

/* --- the base --------------------------------------------------------------
 */

static int read_recipe(struct work *w, struct eb_error *err)
{
	if (eb_recipe_read(w->config, w->store, NULL, &w->recipe, err) < 0)
		return -1;
	if (check_content(w, err) < 0 || open_images(w, err) < 0)
		return -1;
	w->lock.platform = (char *)w->platform;
	w->lock.source_date_epoch = w->epoch;
	eb_lock_dockerfile_key(&w->lock, &w->key);
	return 0;
}

static int not_the_same(struct work *w, const struct eb_base *base,
			struct eb_error *err)
{
	char want[EB_DIGEST_TEXT], have[EB_DIGEST_TEXT];

	eb_err_set(err, EB_INPUT, "\"%s\" is %s now, where the lock says %s",
		   w->reference, eb_digest_text(&base->digest, have),
		   eb_digest_text(&w->q->lock->base, want));
	return eb_err_hint(err, "a Dockerfile need not give the same bytes "
				"twice: renew the lock with --update-lock");
}

static int gone(struct work *w, struct eb_error *err)
{
	eb_err_set(err, w->config->offline ? EB_NETWORK : EB_INPUT,
		   "base \"%s\" of the lock is not in the store", w->reference);
	return eb_err_hint(err, "--dockerfile names what it was made by, "
				"--registry a repository that has it");
}

/* Where the store and the registry have it, the lock is all that it takes. */
static int of_lock(struct work *w, struct eb_base **out, struct eb_error *err)
{
	const struct eb_lock *lock = w->q->lock;
	const struct eb_base_from from = from_here(w);
	EB_CLEANUP(eb_base_free_ptr) struct eb_base *base = NULL;
	int rc = eb_base_recall(w->reference, &lock->base, w->platform, &from,
				out, err);

	if (rc)
		return rc < 0 ? -1 : 0;
	eb_lock_dockerfile_key(lock, &w->key);
	rc = from_team(w, &base, err);
	if (rc == 0 && !eb_config_has_recipe(w->config))
		return gone(w, err);
	if (rc == 0)
		rc = read_recipe(w, err) < 0 || find_or_make(w, &base, err) < 0
			     ? -1
			     : 1;
	if (rc < 0)
		return -1;
	if (!eb_digest_equal(&base->digest, &lock->base))
		return not_the_same(w, base, err);
	*out = eb_steal(base);
	return 0;
}

int eb_dockerfile_base(const struct eb_dockerfile_request *q,
		       struct eb_locked_dockerfile *locked,
		       struct eb_base **out, struct eb_error *err)
{
	const struct eb_lock *lock = q->lock;
	const struct eb_config *c = q->config;
	struct work w EB_CLEANUP(release) = {
		.q = q,
		.config = c,
		.store = q->store,
		.team = q->team,
		.reference = lock && lock->base_reference
				     ? eb_strdup(lock->base_reference)
				     : eb_recipe_reference(c),
		.platform = lock ? lock->platform : c->platform,
		.epoch = lock ? lock->source_date_epoch : c->source_date_epoch,
		.lock_fd = -1,
	};

	if (lock)
		return of_lock(&w, out, err);
	if (read_recipe(&w, err) < 0 || find_or_make(&w, out, err) < 0)
		return -1;
	if (locked)
		eb_locked_dockerfile_copy(locked, &w.lock.dockerfile);
	return 0;
}
