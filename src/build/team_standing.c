/* SPDX-License-Identifier: Apache-2.0 */
/* What stands under env-, and its lock: from the store, else two GETs. */
#include <string.h>

#include "team_work.h"

static const char *annotation(const struct eb_manifest *m, const char *name)
{
	for (size_t i = 0; i + 1 < m->annotations.n; i += 2)
		if (!strcmp(m->annotations.v[i], name))
			return m->annotations.v[i + 1];
	return NULL;
}

int eb_team_image_read(const struct eb_buf *text, const char *what,
		       struct eb_team_image *out, struct eb_error *err)
{
	EB_CLEANUP(eb_manifest_release) struct eb_manifest m = { 0 };
	const char *lock;

	eb_sha256(text->data, text->len, &out->manifest);
	if (eb_manifest_parse(text->data, text->len, what, &m, err) < 0)
		return -1;
	out->config = m.config.digest;
	lock = annotation(&m, "dev.envbuild.lock");
	out->has_lock = lock && eb_digest_parse(lock, &out->lock) == 0;
	return 0;
}

struct standing {
	struct eb_team *t;
	const struct eb_env *env;
	const struct eb_config *config;
	struct eb_store *store;
	struct eb_team_image *image;
	char *tag;
};

static bool too_old(const struct standing *s, int64_t time)
{
	const struct eb_lock_row row = { .time = time };

	return eb_lock_too_old(&row, s->config);
}

/* 1 read, 0: another version's, said. */
static int parse(const struct standing *s, const struct eb_buf *text,
		 struct eb_lock **out, struct eb_error *err)
{
	eb_autofree char *what = eb_asprintf("%s:%s", s->t->text, s->tag);
	EB_CLEANUP(eb_lock_free_ptr) struct eb_lock *lock = NULL;
	struct eb_digest hash;

	if (eb_lock_parse(text->data, text->len, what, &lock, err) < 0) {
		if (err->code != EB_MACHINE)
			return -1;
		eb_note(s->t->events, "%s", err->message);
		eb_err_release(err);
		return 0;
	}
	eb_lock_hash(lock, &hash);
	if (!eb_digest_equal(&hash, &s->image->lock)) {
		eb_err_set(err, EB_INTEGRITY,
			   "\"%s\", reading its lock: it is that of another "
			   "image",
			   what);
		return eb_err_hint(err, "--refresh makes both anew");
	}
	lock->definition = s->env->definition;
	*out = eb_steal(lock);
	return 1;
}

/* The store's, when it is not too old: the registry may know a later time. */
static int from_store(struct standing *s, struct eb_lock **out,
		      struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_LOCK);
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	struct eb_lock_row row;
	int rc = eb_store_find_lock(s->store, &s->image->lock, &row, err);

	if (rc <= 0 || too_old(s, row.time))
		return rc < 0 ? -1 : 0;
	s->image->time = row.time;
	if (eb_store_read(s->store, &row.text, EB_MAX_LOCK, &text, &ignored) <
	    0)
		return 0;
	return parse(s, &text, out, &ignored) > 0;
}

static int from_registry(struct standing *s, struct eb_lock **out,
			 struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_LOCK);
	int rc = eb_team_get_lock(s->t, &s->image->lock, &text, &s->image->time,
				  err);

	if (rc < 0 && err->code == EB_MACHINE) {
		eb_note(s->t->events, "%s", err->message);
		eb_err_release(err);
		return 0;
	}
	if (rc == 0)
		eb_note(s->t->events, "%s:%s stands there, its lock does not",
			s->t->text, s->tag);
	return rc > 0 ? parse(s, &text, out, err) : rc;
}

/* So that `hash` and a build without the registry know it. */
static int keep(const struct standing *s, const struct eb_lock *lock,
		struct eb_error *err)
{
	struct eb_lock_row row;
	int rc = eb_store_find_definition(s->store, &s->env->definition, &row,
					  err);

	if (rc < 0)
		return -1;
	if (rc > 0 && eb_digest_equal(&row.lock, &s->image->lock) &&
	    row.time >= s->image->time)
		return 0;
	return eb_lock_keep(s->store, lock, s->image->time, err);
}

static int find_lock(struct standing *s, struct eb_lock **out,
		     struct eb_error *err)
{
	EB_CLEANUP(eb_lock_free_ptr) struct eb_lock *lock = NULL;
	int rc = from_store(s, &lock, err);

	if (rc == 0)
		rc = from_registry(s, &lock, err);
	if (rc < 0)
		return -1;
	if (lock && !s->image->time)
		s->image->time = lock->time;
	if (too_old(s, s->image->time)) /* so is one that tells no time */
		s->t->old = s->image->digest;
	if (rc == 0 || too_old(s, s->image->time))
		return 0;
	if (eb_policy_lock(s->config, lock, err) < 0 || keep(s, lock, err) < 0)
		return -1;
	*out = eb_steal(lock);
	return 1;
}

static int look(struct standing *s, struct eb_lock **lock, struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_REMOTE_MANIFEST);
	struct eb_remote remote;
	int rc = eb_manifest_resolve(s->t->repo, s->tag, s->config->platform,
				     &text, &remote, &s->image->digest, err);

	if (rc <= 0)
		return rc;
	if (eb_team_image_read(&text, s->tag, s->image, err) < 0)
		return -1;
	if (s->image->has_lock)
		return find_lock(s, lock, err);
	eb_err_set(err, EB_INTEGRITY,
		   "\"%s:%s\" is no image that envbuild has made", s->t->text,
		   s->tag);
	return eb_err_hint(err, "--refresh makes it anew");
}

int eb_team_lock(struct eb_team *t, const struct eb_env *env,
		 const struct eb_config *config, struct eb_store *store,
		 struct eb_team_image *image, struct eb_lock **lock,
		 struct eb_error *err)
{
	struct standing s = { t, env, config, store, image, NULL };
	int rc;

	memset(image, 0, sizeof *image);
	*lock = NULL;
	if (env->given || config->refresh || config->update_lock)
		return 0;
	s.tag = eb_team_tag_of(EB_TAG_ENV, &env->definition, NULL);
	rc = look(&s, lock, err);
	free(s.tag);
	return rc;
}
