/* SPDX-License-Identifier: Apache-2.0 */
/* What refers to a manifest: by the API, else by the fall-back tag. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <envbuild/image.h>

#include "referrers.h"

#define PAGES 100

struct ask {
	struct eb_repository *repo;
	const char *subject;
	const char *artifact_type;
	json_t *index;
	struct eb_buf text;
};

static char *path_of(const struct ask *a)
{
	EB_AUTOBUF(path, 4096);
	const char *p = a->artifact_type;

	eb_buf_addf(&path, "referrers/%s", a->subject);
	if (p)
		eb_buf_adds(&path, "?artifactType=");
	for (; p && *p; p++) {
		if (isalnum((unsigned char)*p) || strchr("-._~", *p))
			eb_buf_addch(&path, *p);
		else
			eb_buf_addf(&path, "%%%02X", (unsigned char)*p);
	}
	return eb_buf_steal(&path, NULL);
}

/* 1 another page, 0 that was all; -1 also for an answer that is no list */
static int get_page(struct eb_call *c, struct ask *a, char **next,
		    struct eb_error *err)
{
	eb_autojson json_t *page = NULL;
	char type[128];

	eb_buf_reset(&a->text);
	if (eb_call(c, err) < 0)
		return -1;
	eb_call_media_type(c, type);
	if (c->r.status == 200 && strcmp(type, EB_MT_INDEX) == 0)
		page = eb_referrers_parse(&a->text);
	if (!page)
		return eb_call_failed(c, err);
	eb_referrers_join(a->index, page, a->artifact_type);
	return eb_call_next(c, next, err);
}

/* 1 the registry has a list, -1 it has none (or cannot be asked for it) */
static int by_api(const struct eb_where *at, void *data, struct eb_error *err)
{
	struct ask *a = data;
	eb_autofree char *path = path_of(a);
	struct eb_call c = { .repo = a->repo,
			     .at = *at,
			     .doing = "reading the referrers",
			     .ref = a->subject,
			     .path = path,
			     .tries = 2,
			     .small = true,
			     .sink = eb_call_text,
			     .data = &a->text };
	eb_autofree char *url = NULL;
	unsigned pages = 0;
	int rc;

	do {
		char *next = NULL;

		rc = get_page(&c, a, &next, err);
		free(url);
		c.url = url = next;
	} while (rc > 0 && ++pages < PAGES);
	eb_call_release(&c);
	return rc < 0 ? -1 : 1;
}

static int by_tag(struct ask *a, const struct eb_digest *subject,
		  struct eb_error *err)
{
	eb_autojson json_t *index = NULL;
	char tag[80];
	int rc;

	eb_referrers_tag(subject, tag);
	rc = eb_referrers_at_tag(a->repo, tag, &index, err);
	if (rc > 0)
		eb_referrers_join(a->index, index, a->artifact_type);
	return rc;
}

static int finish(struct ask *a, struct eb_buf *out)
{
	eb_buf_reset(out);
	eb_json_canonical(a->index, out);
	return json_array_size(eb_json_arr(a->index, "manifests")) > 0;
}

int eb_referrers_get(struct eb_repository *repo,
		     const struct eb_digest *subject, const char *artifact_type,
		     struct eb_buf *index, struct eb_error *err)
{
	char digest[EB_DIGEST_TEXT];
	eb_autojson json_t *list = eb_referrers_new();
	struct ask a = { .repo = repo,
			 .subject = eb_digest_text(subject, digest),
			 .artifact_type = artifact_type,
			 .index = list };
	struct eb_error api = EB_ERROR_INIT;
	int rc;

	eb_buf_init(&a.text, EB_MAX_REMOTE_MANIFEST);
	rc = eb_repository_ask(repo, digest, by_api, &a, &api);
	eb_buf_release(&a.text);
	if (rc < 0 && (api.code == EB_REFUSED || api.code == EB_NETWORK ||
		       api.code == EB_INPUT || api.code == EB_INTEGRITY))
		eb_err_release(&api);
	if (eb_err_is_set(&api)) {
		eb_err_move(err, &api);
		return -1;
	}
	if (rc < 0 || eb_referrers_untrusted(repo))
		rc = by_tag(&a, subject, err);
	return rc < 0 ? -1 : finish(&a, index);
}
