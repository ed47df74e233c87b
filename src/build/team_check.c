/* SPDX-License-Identifier: Apache-2.0 */
/* Is the image there? One HEAD; the age of its lock costs two GETs instead. */
#include <string.h>
#include <time.h>

#include "team_artifact.h"
#include "team_work.h"

/* --- the image -------------------------------------------------------- */
int eb_team_image_get(struct eb_team *t, const char *tag, const char *platform,
		      struct eb_team_image *out, struct eb_error *err)
{
	struct eb_error why EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_AUTOBUF(text, EB_MAX_REMOTE_MANIFEST);
	struct eb_remote remote;
	int rc = eb_manifest_resolve(t->repo, tag, platform, &text, &remote,
				     &out->digest, err);

	/* One that says nothing of a lock is an image all the same. */
	if (rc > 0)
		eb_team_image_read(&text, tag, out, &why);
	return rc;
}

/* --- how old its lock is ---------------------------------------------- */
static int take_time(struct eb_team *t, struct eb_team_image *out,
		     struct eb_error *err)
{
	eb_autofree char *tag = eb_team_tag_of(EB_TAG_LOCKED, &out->lock, NULL);
	EB_CLEANUP(eb_artifact_release) struct eb_artifact a = { 0 };
	int rc = out->has_lock ? eb_artifact_get(t, tag, EB_MT_LOCKED, &a, err)
			       : 0;

	if (rc < 0 && (err->code == EB_INTEGRITY || err->code == EB_MACHINE)) {
		eb_detail(t->events, "%s", err->message);
		eb_err_release(err);
		return 0;
	}
	out->time = a.time;
	return rc < 0 ? -1 : 0;
}

/* 1 young enough, 0. What does not tell its age is as good as old: a build
 * would take it for that, too. */
static int young(const struct eb_team_image *image,
		 const struct eb_config *config, char **why)
{
	const struct eb_lock_row row = { .time = image->time };

	if (!image->time)
		*why = eb_strdup("its lock is not there, so that nothing tells "
				 "its age");
	else if (eb_lock_too_old(&row, config))
		*why = eb_strdup("its lock is older than --max-age");
	return !*why;
}

/* --- all of it -------------------------------------------------------- */
static int look(struct eb_team *t, const char *tag,
		const struct eb_config *config, bool more,
		struct eb_team_image *out, struct eb_error *err)
{
	struct eb_remote remote = { 0 };
	int rc;

	if (!more) {
		rc = eb_manifest_head(t->repo, tag, &remote, err);
		out->digest = remote.digest;
		return rc;
	}
	rc = eb_team_image_get(t, tag, config->platform, out, err);
	if (rc > 0 && take_time(t, out, err) < 0)
		return -1;
	return rc;
}

static char *miss(const struct eb_team *t, const struct eb_env *env,
		  const struct eb_digest *key)
{
	char hex[EB_HEX_SIZE];

	return eb_asprintf("%s %.12s is not in %s",
			   env->given ? "lock" : "definition",
			   eb_digest_hex(key, hex), t->text);
}

int eb_team_check(struct eb_team *t, const struct eb_env *env,
		  const struct eb_config *config, bool more,
		  struct eb_team_image *out, char **why, struct eb_error *err)
{
	eb_autofree char *tag = NULL;
	struct eb_digest key = env->definition;
	bool by_age = config->max_age >= 0 && !env->given;
	int rc;

	memset(out, 0, sizeof *out);
	if (env->given)
		eb_lock_hash(env->given, &key);
	tag = eb_team_tag_of(env->given ? EB_TAG_LOCK : EB_TAG_ENV, &key,
			     config->compression);
	rc = look(t, tag, config, more || by_age, out, err);
	if (rc == 0)
		*why = miss(t, env, &key);
	return rc > 0 && by_age ? young(out, config, why) : rc;
}
