/* SPDX-License-Identifier: Apache-2.0 */
/* The tags of a repository, page by page. */
#include <stdlib.h>
#include <string.h>

#include "registry_int.h"

#define PAGES 100

struct list {
	struct eb_repository *repo;
	struct eb_strv tags;
	struct eb_buf text;
};

static int take_page(struct list *l, struct eb_error *err)
{
	eb_autojson json_t *json =
		eb_json_parse(l->text.data, l->text.len, "list of tags", err);
	json_t *tag;
	size_t i;

	if (!json)
		return -1;
	json_array_foreach (eb_json_arr(json, "tags"), i, tag) {
		if (json_is_string(tag))
			eb_strv_add(&l->tags, json_string_value(tag));
	}
	return 0;
}

/* 1 there is another page, 0 not */
static int get_page(struct eb_call *c, struct list *l, char **next,
		    struct eb_error *err)
{
	eb_buf_reset(&l->text);
	if (eb_call(c, err) < 0)
		return -1;
	if (c->r.status == 404)
		return 0;
	if (c->r.status != 200)
		return eb_call_failed(c, err);
	if (take_page(l, err) < 0)
		return eb_call_prefix(c, err);
	return eb_call_next(c, next, err);
}

static int list_at(const struct eb_where *at, void *data, struct eb_error *err)
{
	struct list *l = data;
	struct eb_call c = { .repo = l->repo,
			     .at = *at,
			     .doing = "listing the tags",
			     .path = "tags/list?n=1000",
			     .small = true,
			     .sink = eb_call_text,
			     .data = &l->text };
	eb_autofree char *url = NULL;
	unsigned pages = 0;
	int rc;

	eb_strv_release(&l->tags);
	for (;;) {
		char *next = NULL;

		rc = get_page(&c, l, &next, err);
		free(url);
		c.url = url = next;
		if (rc <= 0)
			break;
		if (++pages == PAGES) {
			rc = eb_err_set(err, EB_INPUT, "more than %d pages",
					PAGES);
			eb_call_prefix(&c, err);
			break;
		}
	}
	eb_call_release(&c);
	return rc < 0 ? -1 : 1;
}

int eb_tags_list(struct eb_repository *repo, struct eb_strv *out,
		 struct eb_error *err)
{
	struct list l = { .repo = repo };
	size_t i;
	int rc;

	eb_buf_init(&l.text, EB_MAX_REMOTE_MANIFEST);
	rc = eb_repository_ask(repo, "tag", list_at, &l, err);
	for (i = 0; rc >= 0 && i < l.tags.n; i++)
		eb_strv_add(out, l.tags.v[i]);
	eb_strv_release(&l.tags);
	eb_buf_release(&l.text);
	return rc < 0 ? -1 : 0;
}
