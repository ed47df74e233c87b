/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What says that a wheel is installed (facts 4.6): RECORD with the rows, their
 * order and their line ends that pip writes, INSTALLER, REQUESTED,
 * direct_url.json. All of it comes from path lists; no wheel is needed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <envbuild/json.h>
#include <envbuild/requirement.h>

#include "wheel_int.h"

#define INSTALLER "envbuild\n"
#define ROWS_MAX 1000000 /* of one path */

struct row {
	char *path, *hash;
	char size[24];
};

struct recording {
	const char *project;
	const struct eb_wheel_target *t;
	char *site;	 /* opt/env/lib/python3.7/site-packages */
	char *dist_info; /* site and the folder's name */
	struct row *row;
	size_t n, alloc;
	struct eb_entries *out;
};

/* Is this the name of the folder of metadata of that project? */
static bool is_dist_info(const char *top, const char *project)
{
	for (const char *at = top; (at = strchr(at, '-')); at++) {
		eb_autofree char *name = eb_strndup(top, (size_t)(at - top));
		eb_autofree char *normal = eb_project_name(name);

		if (strcmp(normal, project) == 0)
			return eb_ends(top, ".dist-info");
	}
	return false;
}

static int find_dist_info(struct recording *r, const struct eb_entries *payload,
			  struct eb_error *err)
{
	size_t n = strlen(r->site);

	for (size_t i = 0; i < payload->n && !r->dist_info; i++) {
		const char *path = payload->entry[i].path;
		eb_autofree char *top = NULL;

		if (!eb_starts(path, r->site) || path[n] != '/' ||
		    !eb_ends(path, ".dist-info/METADATA"))
			continue;
		path += n + 1;
		top = eb_strndup(path, strcspn(path, "/"));
		if (is_dist_info(top, r->project))
			r->dist_info = eb_asprintf("%s/%s", r->site, top);
	}
	if (r->dist_info)
		return 0;
	return eb_err_set(err, EB_INPUT,
			  "\"%s\", writing its RECORD: its files have no "
			  "dist-info with METADATA",
			  r->project);
}

/* How `path` is reached from the folder; caller frees. */
static char *relative(const char *folder, const char *path)
{
	size_t common = 0;
	EB_AUTOBUF(out, EB_MAX_TEXT);

	for (size_t i = 0;; i++) {
		bool ends = !folder[i] || folder[i] == '/';

		if (ends && path[i] == '/')
			common = i + 1;
		if (!folder[i] || folder[i] != path[i])
			break;
	}
	if (common <= strlen(folder)) {
		eb_buf_adds(&out, "../");
		for (const char *p = folder + common; *p; p++) {
			if (*p == '/')
				eb_buf_adds(&out, "../");
		}
	}
	eb_buf_adds(&out, path + common);
	return eb_buf_steal(&out, NULL);
}

static struct row *add_row(struct recording *r, const char *path)
{
	struct row *row;

	EB_GROW(r->row, r->n, r->alloc);
	row = &r->row[r->n++];
	*row = (struct row){ .path = relative(r->site, path) };
	return row;
}

static int read_note(const struct recording *r, const struct eb_entry *e,
		     struct row *row, unsigned *rows, struct eb_error *err)
{
	eb_autojson json_t *j =
		eb_json_parse(e->note, strlen(e->note), e->path, err);
	const char *hash, *size;
	json_int_t times;

	if (!j)
		return -1;
	hash = eb_json_str(j, "hash");
	size = eb_json_str(j, "size");
	times = eb_json_int(j, "rows", 1);
	if (times < 1 || times > ROWS_MAX || (size && *size))
		return eb_err_set(err, EB_INTEGRITY,
				  "\"%s\", writing its RECORD: the note of "
				  "\"%s\" is damaged",
				  r->project, e->path);
	if (hash) {
		free(row->hash);
		row->hash = eb_strdup(hash);
	}
	if (size)
		row->size[0] = '\0';
	*rows = (unsigned)times;
	return 0;
}

static int add_entry(struct recording *r, const struct eb_entry *e,
		     struct eb_error *err)
{
	char hash[EB_WHEEL_HASH_SIZE];
	unsigned rows = 1;
	struct row *row;

	if (e->type != EB_ENTRY_FILE)
		return 0;
	row = add_row(r, e->path);
	row->hash = eb_strdup(eb_wheel_hash(&e->sha256, hash));
	snprintf(row->size, sizeof row->size, "%" PRIu64, e->size);
	if (e->note && read_note(r, e, row, &rows, err) < 0)
		return -1;
	while (--rows) {
		struct row again = r->row[r->n - 1];

		row = add_row(r, e->path);
		row->hash = eb_strdup(again.hash);
		memcpy(row->size, again.size, sizeof row->size);
	}
	return 0;
}

static void add_bytecode(struct recording *r, const struct eb_entries *bytecode)
{
	for (size_t i = 0; bytecode && i < bytecode->n; i++) {
		if (bytecode->entry[i].type == EB_ENTRY_FILE)
			add_row(r, bytecode->entry[i].path)->hash =
				eb_strdup("");
	}
}

/* A file of dist-info, and its row. */
static int add_file(struct recording *r, const char *name, const char *text,
		    struct eb_error *err)
{
	eb_autofree char *path = eb_asprintf("%s/%s", r->dist_info, name);

	if (eb_entries_add_file(r->out, path, 0644, eb_wheel_mtime(r->t), text,
				strlen(text), err) < 0)
		return -1;
	return add_entry(r, &r->out->entry[r->out->n - 1], err);
}

static int by_text(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int order = strcmp(x->path, y->path);

	if (!order)
		order = strcmp(x->hash, y->hash);
	return order ? order : strcmp(x->size, y->size);
}

static int write_record(struct recording *r, struct eb_error *err)
{
	eb_autofree char *path = eb_asprintf("%s/RECORD", r->dist_info);
	EB_AUTOBUF(text, EB_MAX_PATHLIST);

	add_row(r, path)->hash = eb_strdup("");
	qsort(r->row, r->n, sizeof *r->row, by_text);
	for (size_t i = 0; i < r->n; i++) {
		eb_wheel_csv_add(&text, r->row[i].path);
		eb_buf_addf(&text, ",%s,%s\r\n", r->row[i].hash,
			    r->row[i].size);
	}
	if (text.overflow)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\", writing its RECORD: it is longer "
				  "than %zu bytes",
				  r->project, text.max);
	return eb_entries_add_file(r->out, path, 0644, eb_wheel_mtime(r->t),
				   text.data, text.len, err);
}

static int record(struct recording *r, const struct eb_entries *payload,
		  const struct eb_entries *bytecode, bool requested,
		  const char *direct_url, struct eb_error *err)
{
	if (find_dist_info(r, payload, err) < 0)
		return -1;
	for (size_t i = 0; i < payload->n; i++) {
		if (add_entry(r, &payload->entry[i], err) < 0)
			return -1;
	}
	add_bytecode(r, bytecode);
	if (add_file(r, "INSTALLER", INSTALLER, err) < 0 ||
	    (requested && add_file(r, "REQUESTED", "", err) < 0) ||
	    (direct_url && add_file(r, "direct_url.json", direct_url, err) < 0))
		return -1;
	if (write_record(r, err) < 0)
		return -1;
	return eb_entries_sort(r->out, r->project, err);
}

int eb_wheel_record(const char *project, const struct eb_entries *payload,
		    const struct eb_entries *bytecode, bool requested,
		    const char *direct_url, const struct eb_wheel_target *t,
		    struct eb_entries *out, struct eb_error *err)
{
	struct recording r = {
		.project = project, .t = t, .site = eb_wheel_site(t), .out = out
	};
	int rc;

	*out = (struct eb_entries){ 0 };
	rc = record(&r, payload, bytecode, requested, direct_url, err);
	for (size_t i = 0; i < r.n; i++) {
		free(r.row[i].path);
		free(r.row[i].hash);
	}
	free(r.row);
	free(r.site);
	free(r.dist_info);
	if (rc < 0)
		eb_entries_release(out);
	return rc;
}
