/* SPDX-License-Identifier: Apache-2.0 */
/* A base in a registry: its manifest and configuration come into the store,
 * its layers stay where they are. */
#include <envbuild/mem.h>
#include <envbuild/transfer.h>

#include "base_priv.h"

#define FACT "base-reference" /* reference and platform -> digest */

static char *fact_key(const struct eb_reference *r, const char *platform)
{
	eb_autofree char *text = eb_reference_format(r);

	return eb_asprintf("%s %s", text, platform);
}

/* Nobody can be asked: what was it the last time? */
static int recall(struct eb_store *store, const char *key,
		  struct eb_digest *out, struct eb_error *err)
{
	EB_AUTOBUF(text, EB_DIGEST_TEXT);
	int got = eb_store_find_fact(store, FACT, key, &text, err);

	if (got <= 0)
		return got;
	return eb_digest_parse(text.data, out) == 0;
}

static int pull(struct eb_base *b, const struct eb_reference *r,
		const char *ref, const char *platform,
		const struct eb_base_from *from, struct eb_error *err)
{
	struct eb_repository *repo;

	if (eb_repository_open(from->registry, r->registry, r->repository,
			       &repo, err) < 0)
		return -1;
	return eb_image_pull(repo, ref, platform, 0, from->store, from->events,
			     &b->digest, NULL, err);
}

static int remember(struct eb_base *b, const char *key, struct eb_store *store,
		    struct eb_error *err)
{
	char text[EB_DIGEST_TEXT];

	b->manifest = b->digest;
	return eb_store_put_fact(store, FACT, key,
				 eb_digest_text(&b->digest, text), &b->digest,
				 err);
}

static int take_known(struct eb_base *b, const char *key,
		      struct eb_store *store, struct eb_error *err)
{
	int got = recall(store, key, &b->digest, err);

	if (got > 0)
		got = eb_store_has(store, &b->digest, err);
	if (got > 0)
		b->manifest = b->digest;
	return got;
}

int eb_base_pull(struct eb_base *b, const struct eb_reference *r,
		 const struct eb_digest *pinned, const char *platform,
		 const struct eb_base_from *from, struct eb_error *err)
{
	eb_autofree char *key = fact_key(r, platform);
	char text[EB_DIGEST_TEXT];
	const char *ref =
		r->has_digest ? eb_digest_text(&r->digest, text) : r->tag;

	if (pinned)
		ref = eb_digest_text(pinned, text);
	if (!from->registry) {
		int got = take_known(b, key, from->store, err);

		if (got)
			return got < 0 ? -1 : 0;
		eb_err_set(err, EB_NETWORK,
			   "\"%s\": nobody may be asked for this base, and the "
			   "store does not know it",
			   b->reference);
		return eb_err_hint(err, "build once without --offline");
	}
	if (pull(b, r, ref, platform, from, err) < 0)
		return -1;
	return remember(b, key, from->store, err);
}
