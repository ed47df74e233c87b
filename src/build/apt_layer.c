/* SPDX-License-Identifier: Apache-2.0 */
/* The layer of the system packages: remembered, found in the registry, or
 * made; and what is said of it. */
#include <string.h>

#include <envbuild/json.h>
#include <envbuild/layout.h>
#include <envbuild/stream.h>
#include <envbuild/transfer.h>

#include "apt.h"
#include "step.h"

#define FACT "step-layer" /* blob -> what is said of it */
#define INFO "var/lib/dpkg/info/"
#define STATUS "var/lib/dpkg/status"
#define MAX_STATUS ((size_t)64 << 20)

void eb_apt_layer_release(struct eb_apt_layer *layer)
{
	eb_strv_release(&layer->package);
}

/* --- its packages: dpkg has a list of files of each that it put there ------
 */
struct reading {
	struct eb_strv name; /* whose list is in the layer */
	struct eb_buf status;
};

static void take_list(struct reading *r, const char *file)
{
	size_t n = strlen(file) - strlen(".list");
	eb_autofree char *name = eb_strndup(file, n);

	name[strcspn(name, ":")] = '\0';
	eb_strv_add(&r->name, name);
}

static int take_member(void *data, const struct eb_member *m,
		       struct eb_stream *content, struct eb_error *err)
{
	struct reading *r = data;
	eb_autofree char *text = NULL;

	if (eb_starts(m->name, INFO) && eb_ends(m->name, ".list"))
		take_list(r, m->name + strlen(INFO));
	if (strcmp(m->name, STATUS) || m->size > MAX_STATUS)
		return 0;
	text = eb_malloc(m->size + 1);
	if (eb_stream_read_all(content, text, m->size, m->name, err) < 0)
		return -1;
	eb_buf_add(&r->status, text, m->size);
	return 0;
}

/* The value of a field in a paragraph; caller frees, NULL: not there. */
static char *field(const char *paragraph, const char *name)
{
	size_t n = strlen(name);

	for (const char *line = paragraph; line && *line && *line != '\n';
	     line = strchr(line, '\n'), line += line != NULL)
		if (!strncmp(line, name, n) && line[n] == ':') {
			line += n + 1;
			line += strspn(line, " ");
			return eb_strndup(line, strcspn(line, "\n"));
		}
	return NULL;
}

static void take_paragraph(const struct reading *r, const char *paragraph,
			   struct eb_strv *out)
{
	eb_autofree char *name = field(paragraph, "Package");
	eb_autofree char *version = field(paragraph, "Version");

	if (name && version && eb_strv_has(&r->name, name))
		eb_strv_addf(out, "%s=%s", name, version);
}

static int read_packages(struct eb_build *b, const struct eb_digest *blob,
			 struct eb_strv *out, struct eb_error *err)
{
	const struct eb_descriptor layer = { .digest = *blob };
	struct reading r = { 0 };
	int rc;

	eb_buf_init(&r.status, MAX_STATUS);
	rc = eb_layer_walk(b->store, &layer, take_member, &r, err);
	for (const char *p = r.status.data; rc == 0 && p && *p;) {
		const char *end = strstr(p, "\n\n");

		take_paragraph(&r, p, out);
		p = end ? end + 2 : NULL;
	}
	eb_strv_sort(out);
	eb_buf_release(&r.status);
	eb_strv_release(&r.name);
	return rc;
}

/* --- what is said of it ----------------------------------------------------
 */
static int remember(struct eb_build *b, const struct eb_apt_layer *layer,
		    struct eb_error *err)
{
	char diff_id[EB_DIGEST_TEXT], hex[EB_HEX_SIZE];
	eb_autojson json_t *j =
		json_pack("{s:s, s:I}", "diff-id",
			  eb_digest_text(&layer->diff_id, diff_id), "size",
			  (json_int_t)layer->size);
	json_t *list = json_array();
	EB_AUTOBUF(text, EB_MAX_METADATA);

	for (size_t i = 0; i < layer->package.n; i++)
		json_array_append_new(list, json_string(layer->package.v[i]));
	json_object_set_new(j, "packages", list);
	eb_json_canonical(j, &text);
	return eb_store_put_fact(b->store, FACT,
				 eb_digest_hex(&layer->blob, hex), text.data,
				 &layer->blob, err);
}

static bool take_fact(const struct eb_buf *text, struct eb_apt_layer *out)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	eb_autojson json_t *j =
		eb_json_parse(text->data, text->len, FACT, &ignored);
	const char *diff_id = j ? eb_json_str(j, "diff-id") : NULL;
	json_int_t size = j ? eb_json_int(j, "size", 0) : 0;
	json_t *item;
	size_t i;

	if (!diff_id || eb_digest_parse(diff_id, &out->diff_id) < 0 ||
	    size <= 0)
		return false;
	out->size = (uint64_t)size;
	json_array_foreach ((json_t *)eb_json_arr(j, "packages"), i, item) {
		if (json_is_string(item))
			eb_strv_add(&out->package, json_string_value(item));
	}
	return true;
}

int eb_apt_look(struct eb_build *b, const struct eb_digest *result,
		struct eb_apt_layer *out, struct eb_error *err)
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
				  "the layer of the system packages is gone "
				  "from the store");
	if (rc < 0 ||
	    eb_layer_diff_id(b->store, result, &out->diff_id, err) < 0 ||
	    read_packages(b, result, &out->package, err) < 0)
		return -1;
	return remember(b, out, err);
}

int eb_apt_recall(struct eb_build *b, struct eb_apt_layer *out,
		  struct eb_error *err)
{
	struct eb_digest result;
	int rc;

	eb_lock_apt_key(b->lock, &out->key);
	rc = eb_result_recall(b, &out->key, &result, err);
	if (rc <= 0)
		return rc;
	return eb_apt_look(b, &result, out, err) < 0 ? -1 : 1;
}

/* --- all -------------------------------------------------------------------
 */
static int run(struct eb_build *b, struct eb_digest *result,
	       struct eb_error *err)
{
	eb_autofree char *log = NULL;
	uint64_t begun = eb_now_ns();

	if (eb_apt_run(b, result, &log, err) < 0)
		return -1;
	if (log)
		eb_detail(b->events,
			  "the system packages are installed; the log is "
			  "\"%s\"",
			  log);
	return eb_result_tell_story(b, result, eb_now_ns() - begun, log, err);
}

static int make(struct eb_build *b, struct eb_digest *result,
		struct eb_error *err)
{
	struct eb_event ev = { .type = EB_EV_TASK_BEGIN,
			       .name = "system packages",
			       .kind = "build" };
	const struct eb_digest *key = &b->apt.key;
	int rc;

	eb_emit(b->events, &ev);
	rc = run(b, result, err);
	if (rc == 0 && (eb_result_tell_team(b, key, result, err) < 0 ||
			eb_result_remember(b, key, result, err) < 0))
		rc = -1;
	ev.type = EB_EV_TASK_END;
	ev.text = rc < 0 ? "stopped" : "";
	eb_emit(b->events, &ev);
	return rc;
}

int eb_build_apt(struct eb_build *b, struct eb_error *err)
{
	struct eb_digest result;
	int rc;

	if (!b->lock->apt.n || b->apt.size)
		return 0;
	rc = eb_apt_recall(b, &b->apt, err);
	if (rc == 0) {
		rc = eb_result_ask_team(b, &b->apt.key, &result, err);
		if (rc == 0)
			rc = make(b, &result, err);
		if (rc >= 0)
			rc = eb_apt_look(b, &result, &b->apt, err);
	}
	if (rc >= 0 && b->push)
		eb_push_blob(b->push, &b->apt.blob, b->apt.size,
			     "system packages");
	return rc < 0 ? -1 : 0;
}
