/* SPDX-License-Identifier: Apache-2.0 */
/* The layer of post-link scripts: remembered, found in the registry, or made;
 * and what is said of it. */
#include <string.h>

#include <envbuild/json.h>
#include <envbuild/layout.h>
#include <envbuild/transfer.h>

#include "root.h"
#include "step.h"

#define FACT "step-layer" /* blob -> what is said of it */
#define WHITEOUT ".wh."

void eb_post_link_release(struct eb_post_link *p)
{
	eb_strv_release(&p->path);
}

bool eb_post_link_has(const struct eb_build *b, const char *path)
{
	eb_autofree char *at = eb_strdup(path);
	char *slash;

	for (;;) {
		if (eb_in_sorted(&b->post_link.path, at))
			return true;
		slash = strrchr(at, '/');
		if (!slash)
			return false;
		*slash = '\0';
	}
}

/* --- what is in it -----------------------------------------------------------
 */
/* The path that a whiteout removes, else the member's own. */
static int take_member(void *data, const struct eb_member *m,
		       struct eb_stream *content, struct eb_error *err)
{
	const char *slash = strrchr(m->name, '/');
	const char *name = slash ? slash + 1 : m->name;

	(void)content;
	(void)err;
	if (eb_starts(name, WHITEOUT))
		eb_strv_addf(data, "%.*s%s", (int)(name - m->name), m->name,
			     name + strlen(WHITEOUT));
	else if (m->type != EB_MEMBER_DIR)
		eb_strv_add(data, m->name);
	return 0;
}

static int read_paths(struct eb_build *b, const struct eb_digest *blob,
		      struct eb_strv *out, struct eb_error *err)
{
	const struct eb_descriptor layer = { .digest = *blob };
	int rc = eb_layer_walk(b->store, &layer, take_member, out, err);

	eb_strv_sort(out);
	return rc < 0 ? -1 : 0;
}

/* --- what is said of it ----------------------------------------------------
 * A list that is too long is read anew each time.
 */
static int remember(struct eb_build *b, const struct eb_post_link *p,
		    struct eb_error *err)
{
	char diff_id[EB_DIGEST_TEXT], hex[EB_HEX_SIZE];
	json_t *list = json_array();
	eb_autojson json_t *j =
		json_pack("{s:s, s:I, s:o}", "diff-id",
			  eb_digest_text(&p->diff_id, diff_id), "size",
			  (json_int_t)p->size, "paths", list);
	EB_AUTOBUF(text, EB_MAX_METADATA);

	for (size_t i = 0; i < p->path.n; i++)
		json_array_append_new(list, json_string(p->path.v[i]));
	eb_json_canonical(j, &text);
	if (text.overflow || json_array_size(list) != p->path.n)
		return 0;
	return eb_store_put_fact(b->store, FACT, eb_digest_hex(&p->blob, hex),
				 text.data, &p->blob, err);
}

static bool take_fact(const struct eb_buf *text, struct eb_post_link *out)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	eb_autojson json_t *j =
		eb_json_parse(text->data, text->len, FACT, &ignored);
	const char *diff_id = j ? eb_json_str(j, "diff-id") : NULL;
	const json_t *list = j ? eb_json_arr(j, "paths") : NULL;
	json_int_t size = j ? eb_json_int(j, "size", 0) : 0;
	json_t *item;
	size_t i;

	if (!list || !diff_id || size <= 0 ||
	    eb_digest_parse(diff_id, &out->diff_id) < 0)
		return false;
	json_array_foreach ((json_t *)list, i, item) {
		if (json_is_string(item))
			eb_strv_add(&out->path, json_string_value(item));
	}
	out->size = (uint64_t)size;
	return true;
}

int eb_post_link_look(struct eb_build *b, const struct eb_digest *result,
		      struct eb_post_link *out, struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_METADATA);
	char hex[EB_HEX_SIZE];
	eb_autofd int fd = -1;
	int rc = eb_store_find_fact(b->store, FACT, eb_digest_hex(result, hex),
				    &text, err);

	if (rc < 0)
		return -1;
	out->blob = *result;
	if (rc > 0 && take_fact(&text, out))
		return 0;
	rc = eb_store_blob(b->store, result, &fd, &out->size, err);
	if (rc == 0)
		return eb_err_set(err, EB_INTEGRITY,
				  "the layer of the post-link scripts is gone "
				  "from the store");
	if (rc < 0 ||
	    eb_layer_diff_id(b->store, result, &out->diff_id, err) < 0 ||
	    read_paths(b, result, &out->path, err) < 0)
		return -1;
	return remember(b, out, err);
}

/* --- all -------------------------------------------------------------------
 */
static int run(struct eb_build *b, struct eb_digest *result,
	       struct eb_error *err)
{
	eb_autofree char *log = NULL;
	uint64_t begun = eb_now_ns();

	if (eb_post_link_run(b, result, &log, err) < 0)
		return -1;
	if (log)
		eb_detail(b->events,
			  "the post-link scripts have run; their log is \"%s\"",
			  log);
	return eb_result_tell_story(b, result, eb_now_ns() - begun, log, err);
}

/* Where another result was first, the root is not what the image will be. */
static int share(struct eb_build *b, struct eb_digest *result,
		 struct eb_error *err)
{
	const struct eb_digest *key = &b->post_link.key;
	struct eb_digest own = *result;

	if (eb_result_tell_team(b, key, result, err) < 0 ||
	    eb_result_remember(b, key, result, err) < 0)
		return -1;
	if (eb_digest_equal(&own, result))
		return 0;
	eb_root_free(b->image_root);
	b->image_root = NULL;
	return 0;
}

static int make(struct eb_build *b, struct eb_digest *result,
		struct eb_error *err)
{
	struct eb_event ev = { .type = EB_EV_TASK_BEGIN,
			       .name = "post-link scripts",
			       .kind = "build" };
	int rc;

	eb_emit(b->events, &ev);
	rc = run(b, result, err);
	if (rc == 0)
		rc = share(b, result, err);
	ev.type = EB_EV_TASK_END;
	ev.text = rc < 0 ? "stopped" : "";
	eb_emit(b->events, &ev);
	return rc;
}

int eb_build_post_link(struct eb_build *b, struct eb_error *err)
{
	const struct eb_digest *key = &b->post_link.key;
	struct eb_digest result;
	int rc;

	if (!eb_has_post_link(b))
		return 0;
	if (eb_post_link_key(b, &b->post_link.key, err) < 0)
		return -1;
	rc = eb_result_recall(b, key, &result, err);
	if (rc == 0)
		rc = eb_result_ask_team(b, key, &result, err);
	if (rc == 0)
		rc = make(b, &result, err);
	if (rc < 0 || eb_post_link_look(b, &result, &b->post_link, err) < 0)
		return -1;
	if (b->push)
		eb_push_blob(b->push, &b->post_link.blob, b->post_link.size,
			     "post-link scripts");
	return 0;
}
