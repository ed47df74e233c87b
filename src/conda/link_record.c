/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conda-meta/NAME-VERSION-BUILD.json (CEP 32): the record as the channel has
 * it, and every path that is linked. Nothing in it depends on the machine.
 */
#include <string.h>

#include <envbuild/json.h>

#include "link_int.h"
#include "member_paths.h"

/* Raised when the same record would be written otherwise. */
#define EB_RECORD_EPOCH 1

#define LINK_HARD 1 /* how conda names the way that a package was linked */
#define FOLLOW_MAX 16

struct listing {
	const struct eb_entries *payload;
	const char *root; /* "opt/env" */
	json_t *files, *paths;
};

/* A path with what is said of it, for one order over both lists. */
struct item {
	const char *path; /* below the prefix */
	const struct eb_entry *e;
	bool bytecode;
};

static void set(json_t *j, const char *key, json_t *value)
{
	if (!value || json_object_set_new(j, key, value) < 0)
		eb_oom();
}

static void append(json_t *list, json_t *value)
{
	if (!value || json_array_append_new(list, value) < 0)
		eb_oom();
}

static void set_sum(json_t *j, const char *key, const struct eb_digest *d)
{
	char hex[EB_HEX_SIZE];

	set(j, key, json_string(eb_digest_hex(d, hex)));
}

/* The file in the payload that a link leads to at last, or NULL. */
static const struct eb_entry *follow(const struct listing *l,
				     const struct eb_entry *e)
{
	for (int i = 0; e && e->type == EB_ENTRY_LINK; i++) {
		eb_autofree char *path = NULL;

		if (i == FOLLOW_MAX || !e->target)
			return NULL;
		if (*e->target == '/')
			path = eb_strdup(e->target + 1);
		else
			path = eb_member_paths_join(e->path, e->target);
		e = path ? eb_entries_find(l->payload, path) : NULL;
	}
	return e && e->type == EB_ENTRY_FILE ? e : NULL;
}

static int parse_note(const struct eb_entry *e, json_t **out,
		      struct eb_error *err)
{
	*out = e->note ? eb_json_parse(e->note, strlen(e->note), e->path, err)
		       : json_object();
	return *out ? 0 : -1;
}

static const char *path_type(const struct eb_entry *e, const json_t *note)
{
	const char *type = eb_json_str(note, "p");

	if (type)
		return type;
	if (e->type == EB_ENTRY_DIR)
		return "directory";
	return e->type == EB_ENTRY_LINK ? "softlink" : "hardlink";
}

static void copy(json_t *to, const char *key, const json_t *note,
		 const char *from)
{
	json_t *value = json_object_get(note, from);

	if (value && json_object_set(to, key, value) < 0)
		eb_oom();
}

/* sha256 and size_in_bytes are the package's, sha256_in_prefix is ours. Of a
 * link they are those of the file that it leads to. */
static int describe_file(json_t *j, const struct eb_entry *file,
			 struct eb_error *err)
{
	eb_autojson json_t *note = NULL;

	if (!file)
		return 0;
	if (parse_note(file, &note, err) < 0)
		return -1;
	set_sum(j, "sha256", &file->sha256);
	set_sum(j, "sha256_in_prefix", &file->sha256);
	set(j, "size_in_bytes", json_integer((json_int_t)file->size));
	copy(j, "sha256", note, "s");
	copy(j, "size_in_bytes", note, "n");
	return 0;
}

static int describe(const struct listing *l, const struct eb_entry *e,
		    json_t *j, struct eb_error *err)
{
	eb_autojson json_t *note = NULL;

	if (parse_note(e, &note, err) < 0)
		return -1;
	set(j, "path_type", json_string(path_type(e, note)));
	if (e->type == EB_ENTRY_DIR)
		return 0;
	if (describe_file(j, follow(l, e), err) < 0)
		return -1;
	copy(j, "sha256", note, "s");
	copy(j, "size_in_bytes", note, "n");
	copy(j, "prefix_placeholder", note, "h");
	copy(j, "file_mode", note, "m");
	copy(j, "no_link", note, "l");
	return 0;
}

static int list(struct listing *l, const struct item *item,
		struct eb_error *err)
{
	json_t *j = json_object();

	append(l->paths, j);
	set(j, "_path", json_string(item->path));
	if (item->bytecode || item->e->type != EB_ENTRY_DIR)
		append(l->files, json_string(item->path));
	if (!item->bytecode)
		return describe(l, item->e, j, err);
	set(j, "path_type", json_string("pyc_file"));
	return 0;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct item *)a)->path,
		      ((const struct item *)b)->path);
}

static size_t collect(const char *root, const struct eb_entries *e,
		      bool bytecode, struct item *out)
{
	size_t n = 0, len = strlen(root);

	for (size_t i = 0; e && i < e->n; i++) {
		const char *path = e->entry[i].path;

		if (strncmp(path, root, len) == 0 && path[len] == '/' &&
		    e->entry[i].type != EB_ENTRY_OPAQUE)
			out[n++] = (struct item){ path + len + 1, &e->entry[i],
						  bytecode };
	}
	return n;
}

static int list_all(struct listing *l, const struct eb_entries *bytecode,
		    struct eb_error *err)
{
	size_t most = l->payload->n + (bytecode ? bytecode->n : 0), n;
	eb_autofree struct item *item = eb_calloc(most + 1, sizeof *item);

	n = collect(l->root, l->payload, false, item);
	n += collect(l->root, bytecode, true, item + n);
	qsort(item, n, sizeof *item, by_path);
	for (size_t i = 0; i < n; i++) {
		if (list(l, &item[i], err) < 0)
			return -1;
	}
	return 0;
}

static char *stem(const struct eb_record *r)
{
	size_t n = strlen(r->fn);

	if (eb_ends(r->fn, ".conda"))
		n -= strlen(".conda");
	else if (eb_ends(r->fn, ".tar.bz2"))
		n -= strlen(".tar.bz2");
	return eb_strndup(r->fn, n);
}

/* The channel's URL with the subdir, as conda writes it. */
static char *channel_of(const struct eb_record *r)
{
	eb_autofree char *end = eb_asprintf("/%s", r->subdir ? r->subdir : "");

	if (!r->channel)
		return NULL;
	if (!r->subdir || eb_ends(r->channel, end))
		return eb_strdup(r->channel);
	return eb_asprintf("%s%s", r->channel, end);
}

static void describe_origin(json_t *j, const struct eb_record *r,
			    const char *requested)
{
	eb_autofree char *channel = channel_of(r);

	if (channel)
		set(j, "channel", json_string(channel));
	if (r->url)
		set(j, "url", json_string(r->url));
	set(j, "fn", json_string(r->fn));
	if (r->subdir)
		set(j, "subdir", json_string(r->subdir));
	if (r->has_sha256)
		set_sum(j, "sha256", &r->sha256);
	if (r->md5[0])
		set(j, "md5", json_string(r->md5));
	if (r->size)
		set(j, "size", json_integer((json_int_t)r->size));
	set(j, "link",
	    json_pack("{s:s, s:i}", "source", "", "type", LINK_HARD));
	if (!requested)
		return;
	set(j, "requested_spec", json_string(requested));
	set(j, "requested_specs", json_pack("[s]", requested));
}

static int add(const struct eb_record *r, const struct eb_link_target *t,
	       const json_t *j, struct eb_entries *out, struct eb_error *err)
{
	eb_autofree char *name = stem(r);
	eb_autofree char *path =
		eb_asprintf("%s/conda-meta/%s.json", t->prefix + 1, name);
	EB_AUTOBUF(text, EB_MAX_PATHLIST);

	eb_json_pretty(j, &text);
	if (text.overflow)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\", writing its record: it is longer "
				  "than %zu bytes",
				  r->fn, text.max);
	return eb_entries_add_file(out, path, 0644,
				   eb_link_mtime(t, EB_FIXED_MTIME), text.data,
				   text.len, err);
}

int eb_link_record(const struct eb_record *r, const struct eb_entries *payload,
		   const struct eb_entries *bytecode, const char *requested,
		   const struct eb_link_target *t, struct eb_entries *out,
		   struct eb_error *err)
{
	struct listing l = { payload, t->prefix + 1, json_array(),
			     json_array() };
	eb_autojson json_t *j = eb_record_to_json(r);
	json_t *data = json_object();

	if (!j || !data || !l.files || !l.paths)
		eb_oom();
	describe_origin(j, r, requested);
	set(data, "paths_version", json_integer(1));
	set(data, "paths", l.paths);
	set(j, "files", l.files);
	set(j, "paths_data", data);
	if (list_all(&l, bytecode, err) < 0)
		return -1;
	return add(r, t, j, out, err);
}

void eb_link_record_key(const struct eb_record *r,
			const struct eb_digest *payload_key,
			const struct eb_digest *bytecode_key,
			const char *requested, struct eb_digest *key)
{
	eb_autojson json_t *j = eb_record_to_json(r);
	EB_AUTOBUF(text, EB_MAX_TEXT);
	struct eb_keyer k;

	if (!j)
		eb_oom();
	describe_origin(j, r, requested);
	eb_json_canonical(j, &text);
	eb_key_begin(&k, "conda-record");
	eb_key_u64(&k, EB_RECORD_EPOCH);
	eb_key_digest(&k, payload_key);
	eb_key_u64(&k, bytecode_key != NULL);
	if (bytecode_key)
		eb_key_digest(&k, bytecode_key);
	eb_key_text(&k, text.data);
	eb_key_end(&k, key);
}
