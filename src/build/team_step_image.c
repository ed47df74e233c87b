/* SPDX-License-Identifier: Apache-2.0 */
/* step-: a result that is an image (a base that a Dockerfile makes) stands
 * there as that image; its manifest says when it was made. */
#include <envbuild/layout.h>

#include "team_artifact.h"

int eb_team_step_image_find(struct eb_team *t, const struct eb_digest *key,
			    const char *platform, struct eb_store *store,
			    struct eb_digest *manifest, struct eb_error *err)
{
	eb_autofree char *tag = eb_team_tag_of(EB_TAG_STEP, key, NULL);
	struct eb_remote remote;
	int rc = eb_manifest_head(t->repo, tag, &remote, err);

	if (rc <= 0)
		return rc;
	if (eb_image_pull(t->repo, tag, platform, 0, store, t->events, manifest,
			  NULL, err) < 0)
		return -1;
	return 1;
}

static int put(struct eb_team *t, const char *tag, struct eb_store *store,
	       const struct eb_digest *manifest, struct eb_error *err)
{
	EB_CLEANUP(eb_push_free_ptr)
	struct eb_push *p = eb_push_new(t->registry, t->repo, store, t->events);
	const char *const tags[] = { tag };

	return eb_image_push(p, manifest, tags, 1, NULL, err);
}

int eb_team_step_image_put(struct eb_team *t, const struct eb_digest *key,
			   const char *platform, struct eb_store *store,
			   struct eb_digest *manifest, struct eb_error *err)
{
	eb_autofree char *tag = eb_team_tag_of(EB_TAG_STEP, key, NULL);
	struct eb_digest there;
	int rc = eb_team_step_image_find(t, key, platform, store, &there, err);

	if (rc == 0) {
		if (put(t, tag, store, manifest, err) < 0)
			return -1;
		rc = eb_team_step_image_find(t, key, platform, store, &there,
					     err);
	}
	if (rc == 0)
		return eb_err_set(err, EB_NETWORK,
				  "\"%s:%s\", reading it back: it is not there",
				  t->text, tag);
	if (rc > 0)
		*manifest = there;
	return rc < 0 ? -1 : 0;
}
