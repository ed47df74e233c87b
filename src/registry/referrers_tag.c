/* SPDX-License-Identifier: Apache-2.0 */
/* The fall-back tag: an index that clients keep where the registry does not
 * (distribution-spec, "Referrers Tag Schema"). */
#include <stdio.h>
#include <string.h>

#include <envbuild/image.h>

#include "referrers.h"

#define ROUNDS 3

void eb_referrers_tag(const struct eb_digest *subject, char tag[80])
{
	char hex[EB_HEX_SIZE];

	snprintf(tag, 80, "sha256-%s", eb_digest_hex(subject, hex));
}

int eb_referrers_at_tag(struct eb_repository *repo, const char *tag,
			json_t **out, struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_REMOTE_MANIFEST);
	struct eb_remote remote;
	int rc = eb_manifest_get(repo, tag, &text, &remote, err);

	*out = NULL;
	if (rc <= 0)
		return rc;
	if (strcmp(remote.media_type, EB_MT_INDEX) == 0)
		*out = eb_referrers_parse(&text);
	if (*out)
		return 1;
	return eb_err_set(err, EB_INPUT,
			  "\"%s:%s\": reading the referrers: it is no image "
			  "index",
			  eb_repository_text(repo), tag);
}

static int write_index(struct eb_repository *repo, const char *tag,
		       const json_t *index, struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_TEXT);

	eb_json_canonical(index, &text);
	return eb_manifest_put(repo, tag, EB_MT_INDEX, text.data, text.len,
			       NULL, err);
}

/* 1 it is there, 0 it was not, and is written when `write` says so */
static int add_once(struct eb_repository *repo, const char *tag,
		    json_t *descriptor, bool write, struct eb_error *err)
{
	eb_autojson json_t *index = NULL;
	int rc = eb_referrers_at_tag(repo, tag, &index, err);

	if (rc < 0)
		return -1;
	if (rc == 0)
		index = eb_referrers_new();
	if (eb_referrers_has(index, eb_json_str(descriptor, "digest")))
		return 1;
	if (!write)
		return 0;
	json_array_append(json_object_get(index, "manifests"), descriptor);
	return write_index(repo, tag, index, err);
}

int eb_referrers_add(struct eb_repository *repo,
		     const struct eb_digest *subject, json_t *descriptor,
		     struct eb_error *err)
{
	char tag[80];
	int round, rc;

	eb_referrers_tag(subject, tag);
	for (round = 0; round <= ROUNDS; round++) {
		rc = add_once(repo, tag, descriptor, round < ROUNDS, err);
		if (rc != 0)
			return rc < 0 ? -1 : 0;
	}
	return eb_err_set(err, EB_NETWORK,
			  "\"%s:%s\": adding a referrer: others write it at "
			  "the same time, and ours was lost %d times",
			  eb_repository_text(repo), tag, ROUNDS);
}
