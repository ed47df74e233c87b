/* SPDX-License-Identifier: Apache-2.0 */
/* --tag: one more name for an image of the team's repository. */
#include <string.h>

#include <envbuild/reference.h>

#include "team_catalogue.h"

static int not_a_tag(const char *tag, struct eb_error *err)
{
	eb_err_set(err, EB_USAGE,
		   "\"%s\" is neither a tag nor HOST/REPOSITORY:TAG", tag);
	return eb_err_hint(err, "a tag has letters, digits, \"_\", \".\" and "
				"\"-\", at most 128 of them");
}

/* Names that the cache itself gives. */
static bool is_ours(const char *tag)
{
	const char *hex;

	for (int kind = EB_TAG_ENV; kind <= EB_TAG_STEP; kind++)
		if (eb_team_tag_is(tag, (enum eb_team_tag_kind)kind, &hex))
			return true;
	return !strcmp(tag, "recent") || eb_catalogue_tag_is(tag);
}

static int gone(const struct eb_team *t, const struct eb_digest *image,
		struct eb_error *err)
{
	char text[EB_DIGEST_TEXT];

	return eb_err_set(err, EB_NETWORK,
			  "\"%s@%s\", giving it one more tag: it is not there",
			  t->text, eb_digest_text(image, text));
}

static int tag_here(struct eb_team *t, const struct eb_digest *image,
		    const char *tag, struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_REMOTE_MANIFEST);
	char digest[EB_DIGEST_TEXT];
	struct eb_remote remote;
	int rc;

	if (!eb_team_tag_valid(tag))
		return not_a_tag(tag, err);
	if (is_ours(tag)) {
		eb_err_set(err, EB_USAGE,
			   "tag \"%s\" is one of the cache's own", tag);
		return eb_err_hint(err, "choose another name");
	}
	rc = eb_manifest_get(t->repo, eb_digest_text(image, digest), &text,
			     &remote, err);
	if (rc <= 0)
		return rc < 0 ? -1 : gone(t, image, err);
	return eb_manifest_put(t->repo, tag, remote.media_type, text.data,
			       text.len, NULL, err);
}

static int copy_to(struct eb_team *t, const struct eb_digest *image,
		   const struct eb_reference *ref, struct eb_error *err)
{
	const char *tag = ref->tag ? ref->tag : "latest";
	struct eb_repository *to;
	char text[EB_DIGEST_TEXT];
	struct eb_digest copied;

	if (eb_repository_open(t->registry, ref->registry, ref->repository, &to,
			       err) < 0)
		return -1;
	if (to == t->repo)
		return tag_here(t, image, tag, err);
	if (eb_policy_check(&t->config->policy.registries, "registries",
			    eb_repository_text(to), err) < 0)
		return -1;
	return eb_image_copy(to, t->repo, eb_digest_text(image, text), &tag, 1,
			     t->events, &copied, err);
}

int eb_team_tag(struct eb_team *t, const struct eb_digest *image,
		const char *tag, struct eb_error *err)
{
	EB_CLEANUP(eb_reference_release) struct eb_reference ref = { 0 };

	if (!strchr(tag, '/'))
		return tag_here(t, image, tag, err);
	if (eb_reference_parse(tag, &ref, err) < 0)
		return -1;
	if (ref.kind != EB_REF_REGISTRY || ref.has_digest)
		return not_a_tag(tag, err);
	return copy_to(t, image, &ref, err);
}
