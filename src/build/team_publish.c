/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tags of an image, in the order that never lets one name what is not
 * there: lock- and locked-, then env-. A registry has no compare-and-set. The
 * first one there wins as far as can be seen, and what stands under env- after
 * our move is what is told.
 */
#include <string.h>

#include "team_work.h"

static void note_other(const struct eb_team_work *w, const char *tag,
		       const struct eb_digest *d)
{
	char text[EB_DIGEST_TEXT];

	eb_note(w->events, "%s:%s is another builder's: %s", w->t->text, tag,
		eb_digest_text(d, text));
}

/* Immutable tags (ECR, Harbor, Quay ...): what is there stays. */
static int put(struct eb_team_work *w, const char *tag, bool *immutable,
	       struct eb_error *err)
{
	int rc;

	*immutable = false;
	rc = eb_manifest_put(w->t->repo, tag, w->media_type, w->text.data,
			     w->text.len, immutable, err);
	if (rc < 0 && *immutable) {
		eb_err_release(err);
		return 0;
	}
	w->unknown = rc < 0 && err->code == EB_NO;
	return rc;
}

/* --- lock-
 * --------------------------------------------------------------------- */
static int take_other(struct eb_team_work *w, const char *tag,
		      struct eb_error *err)
{
	struct eb_team_image image = { 0 };
	struct eb_remote remote;
	int rc;

	eb_buf_reset(&w->text);
	rc = eb_manifest_get(w->t->repo, tag, &w->text, &remote, err);
	if (rc == 0)
		eb_err_set(err, EB_NETWORK,
			   "\"%s:%s\" was there and is gone now", w->t->text,
			   tag);
	if (rc <= 0 || eb_team_image_read(&w->text, tag, &image, err) < 0)
		return -1;
	note_other(w, tag, &remote.digest);
	w->digest = remote.digest;
	strcpy(w->media_type, remote.media_type);
	w->built->manifest = image.manifest;
	w->built->config = image.config;
	return 0;
}

static int look_for_image(void *arg, struct eb_error *err)
{
	struct eb_team_work *w = arg;
	eb_autofree char *tag = eb_team_tag_of(EB_TAG_LOCK, &w->built->lock,
					       w->config->compression);
	struct eb_remote remote;
	int rc = eb_manifest_head(w->t->repo, tag, &remote, err);

	w->image_there = rc > 0;
	if (rc > 0)
		w->there = remote.digest;
	return rc;
}

static int look_for_locked(void *arg, struct eb_error *err)
{
	struct eb_team_work *w = arg;
	int rc = eb_locked_there(w->locked, err);

	w->locked_there = rc > 0;
	return rc;
}

int eb_team_look(struct eb_team_work *w, struct eb_error *err)
{
	return eb_team_both(w->t, look_for_image, w, look_for_locked, w, err);
}

static int put_image(void *arg, struct eb_error *err)
{
	struct eb_team_work *w = arg;
	eb_autofree char *tag = eb_team_tag_of(EB_TAG_LOCK, &w->built->lock,
					       w->config->compression);
	bool immutable = false;

	if (!w->image_there && put(w, tag, &immutable, err) < 0)
		return -1;
	if (immutable && look_for_image(w, err) < 0) /* it came meanwhile */
		return -1;
	if (!w->image_there || eb_digest_equal(&w->there, &w->digest))
		return 0;
	return take_other(w, tag, err);
}

/* --- locked-
 * -------------------------------------------------------------------- */
/* The image is there and its lock as well: the time alone is new. */
static int confirm(struct eb_team_work *w, struct eb_error *err)
{
	struct eb_known map = EB_KNOWN_INIT;
	int rc = eb_team_get_map(w->t, &w->built->lock, NULL, NULL, &map, err);

	if (rc > 0) {
		eb_known_sort(&map);
		rc = eb_team_put_lock(w->t, w->push, w->lock, w->lock->time,
				      &map, err);
	}
	eb_known_release(&map);
	return rc;
}

static int put_locked(void *arg, struct eb_error *err)
{
	struct eb_team_work *w = arg;

	return w->locked_there ? 0 : eb_locked_put(w->locked, err);
}

int eb_team_put(struct eb_team_work *w, struct eb_error *err)
{
	return eb_team_both(w->t, put_image, w, put_locked, w, err);
}

void eb_team_confirm(struct eb_team_work *w)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	if (w->refresh && confirm(w, &err) < 0)
		eb_note(w->events, "the lock's new time is not noted: %s",
			err.message);
}

/* --- env-
 * ------------------------------------------------------------------------- */
/* Does what stands there stay? Not where it is to be made anew, or was seen to
 * be too old. */
static bool stays(const struct eb_team_work *w, const struct eb_digest *d)
{
	return eb_digest_equal(d, &w->digest) ||
	       (!w->refresh && !eb_digest_equal(d, &w->t->old));
}

static void say_immutable(struct eb_team_work *w, const char *tag)
{
	eb_autofree char *lock = eb_team_tag_of(EB_TAG_LOCK, &w->built->lock,
						w->config->compression);

	eb_note(w->events,
		"%s:%s cannot be moved, for tags are immutable there; the "
		"image is %s:%s",
		w->t->text, tag, w->t->text, lock);
}

/* *stands: what is there in the end; zero: ours, without the tag. */
static int move(struct eb_team_work *w, const char *tag,
		struct eb_digest *stands, struct eb_error *err)
{
	struct eb_remote remote;
	bool immutable = false;
	int there = eb_manifest_head(w->t->repo, tag, &remote, err), rc = there;

	if (there == 0 || (there > 0 && !stays(w, &remote.digest))) {
		rc = put(w, tag, &immutable, err);
		if (rc == 0 && there && immutable)
			say_immutable(w, tag);
		else if (rc == 0)
			rc = eb_manifest_head(w->t->repo, tag, &remote, err);
	}
	if (rc > 0)
		*stands = remote.digest;
	return rc < 0 ? -1 : 0;
}

/* Another one's image under env-. */
static int take_standing(struct eb_team_work *w, const char *tag,
			 const struct eb_digest *d, struct eb_team_image *out,
			 struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_REMOTE_MANIFEST);
	struct eb_remote remote;
	char ref[EB_DIGEST_TEXT];
	int rc = eb_manifest_resolve(w->t->repo, eb_digest_text(d, ref),
				     w->config->platform, &text, &remote, NULL,
				     err);

	note_other(w, tag, d);
	if (rc == 0)
		return eb_err_set(err, EB_NETWORK,
				  "\"%s@%s\" stood there and is gone now",
				  w->t->text, ref);
	if (rc < 0 || eb_team_image_read(&text, tag, out, err) < 0)
		return -1;
	out->digest = *d;
	w->built->manifest = out->manifest;
	w->built->config = out->config;
	w->built->lock = out->lock;
	return 0;
}

/* A given lock is built whatever env- says; it gets env- where there is none.
 */
int eb_team_point(struct eb_team_work *w, struct eb_team_image *out,
		  struct eb_error *err)
{
	const struct eb_digest *definition = &w->env->definition;
	eb_autofree char *tag = eb_team_tag_of(EB_TAG_ENV, definition, NULL);
	struct eb_digest stands = { 0 };

	*out = (struct eb_team_image){
		.digest = w->digest,
		.has_lock = true,
		.lock = w->built->lock,
		.time = w->lock->time,
		.manifest = w->built->manifest,
		.config = w->built->config,
	};
	if (move(w, tag, &stands, err) < 0)
		return -1;
	if (w->env->given || eb_digest_is_zero(&stands) ||
	    eb_digest_equal(&stands, &w->digest))
		return 0;
	return take_standing(w, tag, &stands, out, err);
}
