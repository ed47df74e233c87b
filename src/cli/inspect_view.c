/* SPDX-License-Identifier: Apache-2.0 */
/* What an image is, as a JSON object and as lines. */
#include <inttypes.h>
#include <string.h>

#include <envbuild/json.h>
#include <envbuild/mem.h>

#include "inspect.h"

#define LOCK_ANNOTATION "dev.envbuild.lock"
#define WIDTH 60 /* of what a layer is, in a line */

static void set_text(json_t *j, const char *key, const char *value)
{
	if (value && *value)
		json_object_set_new(j, key, json_string(value));
}

static void set_digest(json_t *j, const char *key, const struct eb_digest *d)
{
	char text[EB_DIGEST_TEXT];

	json_object_set_new(j, key, json_string(eb_digest_text(d, text)));
}

static json_t *strings(const struct eb_strv *list)
{
	json_t *out = json_array();

	for (size_t i = 0; i < list->n; i++)
		json_array_append_new(out, json_string(list->v[i]));
	return out;
}

static json_t *pairs(const struct eb_strv *list)
{
	json_t *out = json_object();

	for (size_t i = 0; i + 1 < list->n; i += 2)
		json_object_set_new(out, list->v[i],
				    json_string(list->v[i + 1]));
	return out;
}

/* --- layers ----------------------------------------------------------------
 */
/* The history entry of the n-th layer; those of empty ones are passed by. */
static const json_t *history_of(const json_t *config, size_t n)
{
	const json_t *list = eb_json_arr(config, "history");
	json_t *entry;
	size_t i;

	json_array_foreach ((json_t *)list, i, entry) {
		if (json_is_true(json_object_get(entry, "empty_layer")))
			continue;
		if (n-- == 0)
			return entry;
	}
	return NULL;
}

static json_t *layer(const struct eb_inspection *i, size_t n)
{
	const struct eb_descriptor *d = &i->manifest.layer[n];
	const json_t *ids =
		eb_json_arr(eb_json_obj(i->config, "rootfs"), "diff_ids");
	const json_t *history = history_of(i->config, n);
	const char *what = eb_json_str(history, "created_by");
	json_t *j = json_object();

	if (!what || !*what)
		what = eb_json_str(history, "comment");
	set_digest(j, "digest", &d->digest);
	json_object_set_new(j, "size", json_integer((json_int_t)d->size));
	set_text(j, "media-type", d->media_type);
	set_text(j, "diff-id", json_string_value(json_array_get(ids, n)));
	set_text(j, "what", what);
	if (d->annotations.n)
		json_object_set_new(j, "annotations", pairs(&d->annotations));
	return j;
}

static void set_layers(json_t *j, const struct eb_inspection *i)
{
	json_t *list = json_array();
	uint64_t size = 0;

	for (size_t n = 0; n < i->manifest.n_layers; n++) {
		json_array_append_new(list, layer(i, n));
		size += i->manifest.layer[n].size;
	}
	json_object_set_new(j, "size", json_integer((json_int_t)size));
	json_object_set_new(j, "layers", list);
}

/* --- the whole -------------------------------------------------------------
 */
static void set_member(json_t *j, const char *key, const json_t *config,
		       const char *name)
{
	json_t *value = json_object_get(config, name);

	if (value && !json_is_null(value) &&
	    !(json_is_string(value) && !*json_string_value(value)))
		json_object_set(j, key, value);
}

static void set_config(json_t *j, const json_t *config)
{
	const json_t *inner = eb_json_obj(config, "config");
	const char *variant = eb_json_str(config, "variant");
	eb_autofree char *platform = eb_asprintf(
		"%s/%s%s%s", eb_json_str(config, "os"),
		eb_json_str(config, "architecture"),
		variant && *variant ? "/" : "", variant ? variant : "");

	set_text(j, "platform", platform);
	set_text(j, "created", eb_json_str(config, "created"));
	set_member(j, "labels", inner, "Labels");
	set_member(j, "env", inner, "Env");
	set_member(j, "entrypoint", inner, "Entrypoint");
	set_member(j, "cmd", inner, "Cmd");
	set_member(j, "user", inner, "User");
	set_member(j, "workdir", inner, "WorkingDir");
}

static const char *find_lock(const json_t *j)
{
	const char *lock =
		eb_json_str(eb_json_obj(j, "annotations"), LOCK_ANNOTATION);

	return lock ? lock
		    : eb_json_str(eb_json_obj(j, "labels"), LOCK_ANNOTATION);
}

json_t *eb_inspection_json(const struct eb_inspection *i)
{
	json_t *j = json_object();

	json_object_set_new(j, "schema", json_integer(1));
	set_text(j, "reference", i->reference);
	set_digest(j, "digest", &i->digest);
	if (!eb_digest_equal(&i->digest, &i->top))
		set_digest(j, "index", &i->top);
	if (i->platforms.n)
		json_object_set_new(j, "platforms", strings(&i->platforms));
	set_text(j, "media-type", i->media_type);
	set_digest(j, "image-id", &i->manifest.config.digest);
	set_config(j, i->config);
	json_object_set_new(j, "annotations", pairs(&i->manifest.annotations));
	set_text(j, "lock", find_lock(j));
	set_layers(j, i);
	return j;
}

/* --- for people ------------------------------------------------------------
 */
static int print(const char *key, const char *value, struct eb_error *err)
{
	eb_autofree char *clean = eb_printable(value);

	return eb_cli_print(err, "%-11s %s", key, clean);
}

static int print_texts(const json_t *j, struct eb_error *err)
{
	static const char *const keys[] = {
		"reference", "digest",	"index", "media-type", "image-id",
		"platform",  "created", "lock",	 "user",       "workdir",
	};

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		const char *value = eb_json_str(j, keys[i]);

		if (value && print(keys[i], value, err) < 0)
			return -1;
	}
	return 0;
}

/* A list of texts: one line, or one for each. */
static int print_list(const json_t *j, const char *key, bool lines,
		      struct eb_error *err)
{
	const json_t *list = eb_json_arr(j, key);
	EB_AUTOBUF(text, EB_MAX_TEXT);
	json_t *value;
	size_t i;

	if (!json_array_size(list))
		return 0;
	json_array_foreach ((json_t *)list, i, value) {
		const char *one = json_string_value(value);

		if (!one)
			continue;
		if (lines && print(key, one, err) < 0)
			return -1;
		eb_buf_addf(&text, "%s%s", text.len ? " " : "", one);
	}
	return lines ? 0 : print(key, text.data, err);
}

static int print_map(const json_t *j, const char *key, const char *word,
		     struct eb_error *err)
{
	const char *name;
	json_t *value;

	json_object_foreach ((json_t *)eb_json_obj(j, key), name, value) {
		eb_autofree char *line =
			eb_asprintf("%s=%s", name, json_string_value(value));

		if (json_is_string(value) && print(word, line, err) < 0)
			return -1;
	}
	return 0;
}

/* In one line, however it was made. */
static char *short_text(const char *text)
{
	eb_autofree char *clean = eb_printable(text ? text : "");
	size_t n = strlen(clean);

	for (char *p = clean; *p; p++)
		if (*p == '\n' || *p == '\t')
			*p = ' ';
	if (n <= WIDTH)
		return eb_steal(clean);
	for (n = WIDTH; n && (clean[n] & 0xc0) == 0x80;)
		n--; /* not within a character */
	return eb_asprintf("%.*s...", (int)n, clean);
}

static int print_layers(const json_t *j, struct eb_error *err)
{
	char size[32];
	json_t *one;
	size_t i;

	eb_human_size((uint64_t)eb_json_int(j, "size", 0), size);
	if (eb_cli_print(err, "%-11s %zu, %s", "layers",
			 json_array_size(json_object_get(j, "layers")),
			 size) < 0)
		return -1;
	json_array_foreach (json_object_get(j, "layers"), i, one) {
		eb_autofree char *what = short_text(eb_json_str(one, "what"));

		eb_human_size((uint64_t)eb_json_int(one, "size", 0), size);
		if (eb_cli_print(err, "  %.19s  %9s  %s",
				 eb_json_str(one, "digest"), size, what) < 0)
			return -1;
	}
	return 0;
}

int eb_inspection_print(const json_t *j, struct eb_error *err)
{
	if (print_texts(j, err) < 0 ||
	    print_list(j, "platforms", false, err) < 0 ||
	    print_list(j, "entrypoint", false, err) < 0 ||
	    print_list(j, "cmd", false, err) < 0 ||
	    print_list(j, "env", true, err) < 0 ||
	    print_map(j, "labels", "label", err) < 0 ||
	    print_map(j, "annotations", "annotation", err) < 0)
		return -1;
	return print_layers(j, err);
}
