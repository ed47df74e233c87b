/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Python projects that conda's packages install: by the metadata in their
 * payloads, never by a table of names. What a payload installs is remembered
 * under its key, so that it is read once.
 */
#include <string.h>

#include <envbuild/json.h>
#include <envbuild/stream.h>

#include "conda_projects.h"

#define FACT "projects"
#define MAX_FACT ((size_t)4 << 20)
#define MAX_METADATA ((size_t)1 << 20)

void eb_conda_projects_release(struct eb_conda_projects *p)
{
	for (size_t i = 0; i < p->n; i++) {
		free(p->v[i].name);
		free(p->v[i].version);
		free(p->v[i].package);
		free((char *)p->v[i].metadata);
	}
	free(p->v);
	*p = (struct eb_conda_projects){ 0 };
}

/* --- read out of a payload ------------------------------------------------
 */
struct reading {
	const struct eb_strv *path; /* sorted */
	json_t *list;
	const char *what;
};

/* The fields alone: a description may be as long as a book. */
static size_t head_length(const char *text, size_t n)
{
	const char *end = memmem(text, n, "\n\n", 2);
	const char *other = memmem(text, n, "\n\r\n", 3);

	if (other && (!end || other < end))
		end = other;
	return end ? (size_t)(end - text) + 1 : n;
}

static int add_project(struct reading *r, const struct eb_buf *text,
		       struct eb_error *err)
{
	eb_autofree char *name = NULL;
	eb_autofree char *version = NULL;
	size_t n = head_length(text->data, text->len);
	json_t *j;

	if (eb_wheel_read_metadata(text->data, n, r->what, &name, &version,
				   err) < 0)
		return -1;
	j = json_object();
	json_object_set_new(j, "name", json_string(name));
	json_object_set_new(j, "version", json_string(version));
	json_object_set_new(j, "metadata", json_stringn(text->data, n));
	return json_array_append_new(r->list, j);
}

static int take(void *data, const struct eb_entry *entry,
		struct eb_stream *content, struct eb_error *err)
{
	EB_AUTOBUF(text, MAX_METADATA);
	struct reading *r = data;
	char piece[1 << 14];
	ssize_t got = 0;

	if (!content || !eb_in_sorted(r->path, entry->path))
		return 0;
	while (!text.overflow &&
	       (got = eb_stream_read(content, piece, sizeof piece, err)) > 0)
		eb_buf_add(&text, piece, (size_t)got);
	return got < 0 || add_project(r, &text, err) < 0 ? -1 : 0;
}

static int read_payload(struct eb_work *w, json_t *list, struct eb_error *err)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv paths = { 0 };
	struct eb_build *b = w->build;
	struct reading r = { &paths, list, w->file };

	eb_wheel_find_metadata(&w->paths, &b->wheel_target, &paths);
	if (!paths.n)
		return 0;
	eb_strv_sort(&paths);
	if (eb_build_bring(b, &w->payload, 1, err) < 0)
		return -1;
	return eb_part_walk_with(b->store, &w->payload, &w->paths, take, &r,
				 err);
}

/* --- remembered -------------------------------------------------------------
 */
static bool is_list(const json_t *list)
{
	const json_t *one;
	size_t i;

	json_array_foreach ((json_t *)list, i, one)
		if (!eb_json_str(one, "name") || !eb_json_str(one, "version") ||
		    !eb_json_str(one, "metadata"))
			return false;
	return json_is_array(list);
}

static json_t *recall(struct eb_work *w, const char *key, struct eb_error *err)
{
	EB_AUTOBUF(text, MAX_FACT);
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	int rc = eb_store_find_fact(w->build->store, FACT, key, &text, err);
	eb_autojson json_t *list = NULL;

	if (rc > 0)
		list = eb_json_parse(text.data, text.len, "projects", &ignored);
	return is_list(list) ? eb_steal(list) : NULL;
}

static int keep(struct eb_work *w, const char *key, const json_t *list,
		struct eb_error *err)
{
	EB_AUTOBUF(text, MAX_FACT);

	eb_json_canonical(list, &text);
	if (text.overflow)
		return 0;
	return eb_store_put_fact(w->build->store, FACT, key, text.data, NULL,
				 err);
}

static json_t *projects_of(struct eb_work *w, struct eb_error *err)
{
	char key[EB_HEX_SIZE];
	eb_autojson json_t *list = NULL;

	eb_digest_hex(&w->payload_key, key);
	list = recall(w, key, err);
	if (list || eb_err_is_set(err))
		return eb_steal(list);
	list = json_array();
	if (read_payload(w, list, err) < 0 || keep(w, key, list, err) < 0)
		return NULL;
	return eb_steal(list);
}

/* --- all of them -------------------------------------------------------------
 */
static bool is_of_python(const struct eb_work *w)
{
	const struct eb_record *r = w->package ? &w->package->record : NULL;

	if (!r || !strcmp(r->name, "python"))
		return false;
	for (size_t i = 0; i < r->depends.n; i++)
		if (eb_starts(r->depends.v[i], "python") &&
		    strchr(" =<>!~", r->depends.v[i][strlen("python")]))
			return true;
	return r->noarch == EB_NOARCH_PYTHON;
}

static void add(struct eb_conda_projects *out, const struct eb_work *w,
		const json_t *j)
{
	const char *metadata = eb_json_str(j, "metadata");

	if (!eb_json_str(j, "name") || !eb_json_str(j, "version") || !metadata)
		return;
	EB_GROW(out->v, out->n, out->alloc);
	out->v[out->n++] = (struct eb_installed){
		.name = eb_strdup(eb_json_str(j, "name")),
		.version = eb_strdup(eb_json_str(j, "version")),
		.package = eb_strdup(w->name),
		.metadata = eb_strdup(metadata),
		.metadata_len = strlen(metadata),
	};
}

static int by_name(const void *a, const void *b)
{
	const struct eb_installed *x = a, *y = b;

	return strcmp(x->name, y->name);
}

int eb_conda_projects(struct eb_build *b, struct eb_conda_projects *out,
		      struct eb_error *err)
{
	*out = (struct eb_conda_projects){ 0 };
	if (eb_build_some_payloads(b, is_of_python, err) < 0)
		return -1;
	for (size_t i = 0; i < b->n; i++) {
		eb_autojson json_t *list = NULL;
		json_t *one;
		size_t j;

		if (!is_of_python(&b->work[i]))
			continue;
		list = projects_of(&b->work[i], err);
		if (!list)
			return -1;
		json_array_foreach (list, j, one)
			add(out, &b->work[i], one);
	}
	if (out->n)
		qsort(out->v, out->n, sizeof *out->v, by_name);
	return 0;
}
