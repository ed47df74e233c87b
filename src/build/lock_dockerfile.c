/* SPDX-License-Identifier: Apache-2.0 */
/* A lock's base that a Dockerfile makes: what it is made of, and the step's
 * key. */
#include <string.h>

#include <envbuild/json.h>

#include "lock_private.h"

/* Raised when the same Dockerfile is built in another way. */
#define DOCKERFILE_EPOCH 1
#define MAX_FROM 1000

void eb_locked_dockerfile_release(struct eb_locked_dockerfile *d)
{
	free(d->from);
	eb_strv_release(&d->reference);
	eb_strv_release(&d->unpinned);
	*d = (struct eb_locked_dockerfile){ 0 };
}

void eb_locked_dockerfile_copy(struct eb_locked_dockerfile *to,
			       const struct eb_locked_dockerfile *from)
{
	*to = (struct eb_locked_dockerfile){
		.set = from->set,
		.content = from->content,
		.n = from->n,
		.from = eb_calloc(from->n + 1, sizeof *to->from),
	};
	for (size_t i = 0; i < from->n; i++)
		to->from[i] = from->from[i];
	eb_strv_copy(&to->reference, &from->reference);
	eb_strv_copy(&to->unpinned, &from->unpinned);
}

void eb_lock_dockerfile_key(const struct eb_lock *lock, struct eb_digest *out)
{
	const struct eb_locked_dockerfile *d = &lock->dockerfile;
	struct eb_keyer k;

	eb_key_begin(&k, "envbuild dockerfile");
	eb_key_u64(&k, DOCKERFILE_EPOCH);
	eb_key_digest(&k, &d->content);
	eb_key_text(&k, lock->platform);
	eb_key_u64(&k, (uint64_t)lock->source_date_epoch);
	eb_key_u64(&k, d->n);
	for (size_t i = 0; i < d->n; i++)
		eb_key_digest(&k, &d->from[i]);
	eb_key_end(&k, out);
}

/* --- written ---------------------------------------------------------------
 */
json_t *eb_lock_dockerfile_json(const struct eb_lock *lock)
{
	const struct eb_locked_dockerfile *d = &lock->dockerfile;
	char text[EB_DIGEST_TEXT], content[EB_DIGEST_TEXT];
	json_t *from = json_array();
	struct eb_digest key;

	for (size_t i = 0; i < d->n; i++)
		json_array_append_new(
			from, json_string(eb_digest_text(&d->from[i], text)));
	eb_lock_dockerfile_key(lock, &key);
	return json_pack("{s:s, s:o, s:s}", "content",
			 eb_digest_text(&d->content, content), "from", from,
			 "key", eb_digest_text(&key, text));
}

static json_t *names(const struct eb_strv *list)
{
	json_t *j = json_array();

	for (size_t i = 0; i < list->n; i++)
		json_array_append_new(j, json_string(list->v[i]));
	return j;
}

json_t *eb_lock_dockerfile_comment(const struct eb_lock *lock)
{
	const struct eb_locked_dockerfile *d = &lock->dockerfile;
	json_t *j = json_pack("{s:o}", "from", names(&d->reference));

	if (d->unpinned.n)
		json_object_set_new(j, "unpinned", names(&d->unpinned));
	return j;
}

/* --- read ------------------------------------------------------------------
 */
static int wrong(const char *name, struct eb_error *err)
{
	return eb_err_set(err, EB_INPUT,
			  "lock \"%s\" has no usable \"dockerfile\"", name);
}

/* Its key is told by the lock's hash, which is looked at. */
int eb_lock_take_dockerfile(struct eb_lock *lock, const json_t *locked,
			    const char *name, struct eb_error *err)
{
	struct eb_locked_dockerfile *d = &lock->dockerfile;
	const json_t *j = json_object_get(locked, "dockerfile");
	const char *content = j ? eb_json_str(j, "content") : NULL;
	const json_t *from = j ? eb_json_arr(j, "from") : NULL;
	json_t *item;
	size_t i;

	if (!j)
		return 0;
	if (!content || eb_digest_parse(content, &d->content) < 0 || !from ||
	    json_array_size(from) > MAX_FROM || lock->base_scratch)
		return wrong(name, err);
	d->set = true;
	d->from = eb_calloc(json_array_size(from) + 1, sizeof *d->from);
	json_array_foreach ((json_t *)from, i, item) {
		const char *text = json_string_value(item);

		if (!text || eb_digest_parse(text, &d->from[d->n++]) < 0)
			return wrong(name, err);
	}
	return 0;
}

static int take_names(const json_t *list, struct eb_strv *out)
{
	json_t *item;
	size_t i;

	json_array_foreach ((json_t *)list, i, item) {
		if (!json_is_string(item))
			return -1;
		eb_strv_add(out, json_string_value(item));
	}
	return 0;
}

int eb_lock_take_dockerfile_comment(struct eb_lock *lock,
				    const json_t *comments, const char *name,
				    struct eb_error *err)
{
	struct eb_locked_dockerfile *d = &lock->dockerfile;
	const json_t *j =
		comments ? json_object_get(comments, "dockerfile") : NULL;

	if (!d->set || !j)
		return 0;
	if (take_names(eb_json_arr(j, "from"), &d->reference) < 0 ||
	    take_names(eb_json_arr(j, "unpinned"), &d->unpinned) < 0 ||
	    d->reference.n != d->n)
		return wrong(name, err);
	return 0;
}
