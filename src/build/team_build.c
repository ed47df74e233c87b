/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Building with the team's cache: what the registry has is not made, what is
 * made is pushed while the rest is packed.
 *
 * A hint may be wrong: where the registry lacks what it was said to have, the
 * build begins anew without that, and at last without any hint.
 */
#include <string.h>

#include "team_work.h"

#define ATTEMPTS 3

/* --- the image is there already ---------------------------------------------
 */
/* lock- with its locked-. 1, 0, -1. */
static int find_standing(struct eb_team_work *w, struct eb_error *err)
{
	const struct eb_digest *lock = &w->built->lock;
	eb_autofree char *tag =
		eb_team_tag_of(EB_TAG_LOCK, lock, w->config->compression);
	eb_autofree char *locked = eb_team_tag_of(EB_TAG_LOCKED, lock, NULL);
	struct eb_team_image image = { 0 };
	struct eb_remote remote, ignored;
	int rc = eb_manifest_get(w->t->repo, tag, &w->text, &remote, err);

	if (rc > 0)
		rc = eb_manifest_head(w->t->repo, locked, &ignored, err);
	if (rc <= 0)
		return rc;
	if (eb_team_image_read(&w->text, tag, &image, err) < 0)
		return -1;
	w->digest = remote.digest;
	strcpy(w->media_type, remote.media_type);
	w->built->manifest = image.manifest;
	w->built->config = image.config;
	w->built->cached = true;
	return 1;
}

/* --- the store has it
 * --------------------------------------------------------- */
static int read_stored(struct eb_team_work *w, struct eb_manifest *m,
		       struct eb_error *err)
{
	char what[EB_DIGEST_TEXT];

	w->digest = w->built->manifest;
	strcpy(w->media_type, EB_MT_MANIFEST);
	eb_buf_reset(&w->text);
	if (eb_store_read(w->store, &w->digest, EB_MAX_MANIFEST, &w->text,
			  err) < 0)
		return -1;
	return eb_manifest_parse(w->text.data, w->text.len,
				 eb_digest_text(&w->digest, what), m, err);
}

static void send(struct eb_team_work *w, const struct eb_manifest *m)
{
	for (size_t i = 0; i < m->n_layers; i++)
		eb_push_blob(w->push, &m->layer[i].digest, m->layer[i].size,
			     NULL);
	eb_push_blob(w->push, &m->config.digest, m->config.size,
		     "configuration");
}

/* 1, 0: it has not all that is needed, -1. */
static int send_stored(struct eb_team_work *w, struct eb_error *err)
{
	struct eb_build b = { .store = w->store, .compressor = w->compressor };
	EB_CLEANUP(eb_manifest_release) struct eb_manifest m = { 0 };
	struct eb_image_row row;
	int rc = eb_store_find_image(w->store, &w->built->lock,
				     w->compressor.id, &row, err);

	if (rc <= 0)
		return rc;
	w->built->manifest = row.manifest;
	w->built->config = row.config;
	if (read_stored(w, &m, err) < 0)
		return -1;
	rc = eb_team_map(&b, &m, &w->map, err);
	if (rc > 0) {
		w->built->cached = true;
		w->built->layers = (unsigned)m.n_layers;
		send(w, &m);
	}
	return rc;
}

/* --- it is made
 * --------------------------------------------------------------- */
static void send_base(struct eb_team_work *w, const struct eb_base *base)
{
	for (size_t i = 0; i < base->n_layers; i++)
		eb_push_blob(w->push, &base->image.layer[i].digest,
			     base->image.layer[i].size, "base");
}

static int look_up(struct eb_team_work *w, struct eb_build *b,
		   struct eb_error *err)
{
	struct eb_stage stage;
	int rc;

	if (w->looked)
		return 0;
	w->looked = true;
	eb_stage_begin(w->events, &stage, "lookup");
	rc = eb_team_lookup(b, &w->known, err);
	eb_stage_end(w->events, &stage);
	return rc;
}

static int run(struct eb_team_work *w, struct eb_build *b, struct eb_error *err)
{
	EB_CLEANUP(eb_manifest_release) struct eb_manifest m = { 0 };
	int rc;

	if (eb_build_begin(b, err) < 0)
		return -1;
	if (look_up(w, b, err) < 0)
		return -1;
	send_base(w, b->base);
	b->known = w->known.n ? &w->known : NULL;
	if (eb_build_steps(b, err) < 0 || read_stored(w, &m, err) < 0)
		return -1;
	rc = eb_team_map(b, &m, &w->map, err);
	if (rc == 0)
		eb_err_set(err, EB_INTEGRITY,
			   "the store has lost layers while the image was "
			   "built");
	return rc > 0 ? 0 : -1;
}

static int make(struct eb_team_work *w, struct eb_error *err)
{
	struct eb_build b = { .lock = w->lock,
			      .env = w->env,
			      .config = w->config,
			      .store = w->store,
			      .events = w->events,
			      .built = w->built,
			      .compressor = w->compressor,
			      .team = w->t,
			      .push = w->push,
			      .lost = &w->lost };
	int rc = run(w, &b, err);

	eb_build_release(&b);
	return rc;
}

/* --- pushed
 * ---------------------------------------------------------------------- */
static int wait(void *arg, struct eb_error *err)
{
	struct eb_team_work *w = arg;
	struct eb_push_totals totals;
	struct eb_stage stage;
	int rc;

	eb_stage_begin(w->events, &stage, "push");
	rc = eb_push_wait(w->push, err);
	eb_stage_end(w->events, &stage);
	eb_push_totals(w->push, &totals);
	w->built->pushed += totals.sent + totals.copied;
	w->built->mounted += totals.n_mounted;
	w->built->there += totals.n_there;
	return rc;
}

static int look(void *arg, struct eb_error *err)
{
	return eb_team_look(arg, err);
}

/* Everything is on its way. What comes later is begun as early as it can be:
 * its first blob goes beside the two tags. */
static int publish(struct eb_team_work *w, struct eb_error *err)
{
	if (eb_team_both(w->t, wait, w, look, w, err) < 0)
		return -1;
	w->later = eb_later_begin(w);
	return eb_team_put(w, err);
}

static void forget_push(struct eb_team_work *w)
{
	eb_later_free(eb_steal(w->later));
	eb_push_free(eb_steal(w->push));
	eb_locked_free(eb_steal(w->locked));
}

/* No list of environments: there are none. */
static struct eb_push *open_push(struct eb_team_work *w)
{
	const struct eb_recent *seen = eb_team_recent_seen(w->t);
	struct eb_push *p =
		eb_push_new(w->t->registry, w->t->repo, w->store, w->events);

	if (seen && eb_recent_is_none(seen))
		eb_push_first(p);
	return p;
}

static int attempt(struct eb_team_work *w, struct eb_error *err)
{
	int rc;

	w->push = open_push(w);
	rc = send_stored(w, err);
	if (rc == 0) {
		eb_known_release(&w->map);
		w->map = (struct eb_known)EB_KNOWN_INIT;
		w->built->cached = false;
		rc = make(w, err) < 0 ? -1 : 1;
	}
	if (rc < 0 || eb_lock_note_steps(w->lock, w->store, err) < 0 ||
	    eb_locked_begin(w->t, w->push, w->lock, w->lock->time, &w->map,
			    &w->locked, err) < 0)
		return -1;
	return publish(w, err);
}

/* --- and once more
 * ---------------------------------------------------------------- */
static bool is_lost(const struct eb_lost *l, const struct eb_digest *blob)
{
	for (size_t i = 0; i < l->n; i++)
		if (eb_digest_equal(&l->blob[i], blob))
			return true;
	return false;
}

static void drop_lost(struct eb_team_work *w, bool all)
{
	size_t to = 0;

	for (size_t i = 0; i < w->known.n; i++)
		if (!all && !is_lost(&w->lost, &w->known.item[i].container))
			w->known.item[to++] = w->known.item[i];
	w->known.n = to;
	w->known.n_there = 0;
	w->lost.n = 0;
	w->unknown = false;
}

static bool once_more(struct eb_team_work *w, unsigned done,
		      struct eb_error *err)
{
	if (done == ATTEMPTS || (!w->lost.n && !w->unknown))
		return false;
	eb_note(w->events, "%s; what it lacks is made anew", err->message);
	eb_err_release(err);
	drop_lost(w, w->unknown || done + 1 == ATTEMPTS);
	forget_push(w);
	eb_known_release(&w->map);
	w->map = (struct eb_known)EB_KNOWN_INIT;
	return true;
}

static int obtain(struct eb_team_work *w, struct eb_error *err)
{
	int rc;

	eb_team_ahead(w->t);
	rc = find_standing(w, err);
	w->standing = rc > 0;
	if (rc < 0)
		return -1;
	if (w->standing) {
		w->push = eb_push_new(w->t->registry, w->t->repo, w->store,
				      w->events);
		eb_team_confirm(w);
		return 0;
	}
	for (unsigned done = 1; (rc = attempt(w, err)) < 0; done++)
		if (!once_more(w, done, err))
			break;
	if (rc < 0 && w->unknown)
		err->code = EB_NETWORK;
	return rc;
}

/* --- all of it
 * --------------------------------------------------------------------- */
static void release(struct eb_team_work *w)
{
	forget_push(w);
	eb_known_release(&w->known);
	eb_known_release(&w->map);
	eb_buf_release(&w->text);
	pthread_mutex_destroy(&w->lost.lock);
	free(w->lost.blob);
}

struct ending {
	struct eb_team_work *w;
	struct eb_team_image *out;
};

static int point(void *arg, struct eb_error *err)
{
	struct ending *e = arg;

	return eb_team_point(e->w, e->out, err);
}

static int later(void *arg, struct eb_error *err)
{
	struct ending *e = arg;

	(void)err; /* what it cannot do is left */
	eb_later_end(e->w->later);
	return 0;
}

static int finish(struct eb_team_work *w, struct eb_team_image *out,
		  struct eb_error *err)
{
	struct ending e = { w, out };

	return eb_team_both(w->t, point, &e, later, &e, err);
}

static int work(struct eb_team_work *w, struct eb_team_image *out,
		struct eb_error *err)
{

	if (eb_compressor_init(&w->compressor, w->config->compression, err) <
		    0 ||
	    obtain(w, err) < 0)
		return -1;
	return w->standing ? eb_team_point(w, out, err) : finish(w, out, err);
}

int eb_team_build(struct eb_team *t, struct eb_lock *lock,
		  const struct eb_env *env, const struct eb_config *config,
		  struct eb_store *store, struct eb_events *events,
		  struct eb_built *built, struct eb_team_image *out,
		  struct eb_error *err)
{
	struct eb_team_work w = { .t = t,
				  .lock = lock,
				  .env = env,
				  .config = config,
				  .store = store,
				  .events = events,
				  .built = built,
				  .refresh = config->refresh ||
					     config->update_lock,
				  .known = EB_KNOWN_INIT,
				  .map = EB_KNOWN_INIT };
	int rc;

	*built = (struct eb_built){ 0 };
	eb_lock_hash(lock, &built->lock);
	pthread_mutex_init(&w.lost.lock, NULL);
	eb_buf_init(&w.text, EB_MAX_MANIFEST);
	rc = work(&w, out, err);
	release(&w);
	return rc;
}
