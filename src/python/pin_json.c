/* SPDX-License-Identifier: Apache-2.0 */
/* Pins in locks: JSON both ways. What is absent or false is left out. */
#include <stddef.h>
#include <string.h>

#include <envbuild/json.h>
#include <envbuild/pin.h>

#define BUILD_DEPTH 1 /* what a build requires are wheels */

static const char *const sources[] = { [EB_PIN_WHEEL] = "wheel",
				       [EB_PIN_SDIST] = "sdist",
				       [EB_PIN_VCS] = "vcs",
				       [EB_PIN_DIR] = "dir" };
#define N_SOURCES (sizeof sources / sizeof *sources)

/* Members that are texts, and whether every pin has them. */
static const struct text {
	const char *key;
	size_t at;
	bool needed;
} texts[] = {
	{ "name", offsetof(struct eb_pin, name), true },
	{ "version", offsetof(struct eb_pin, version), true },
	{ "file", offsetof(struct eb_pin, file), true },
	{ "url", offsetof(struct eb_pin, url), false },
	{ "index", offsetof(struct eb_pin, index), false },
	{ "requires-python", offsetof(struct eb_pin, requires_python), false },
	{ "upload-time", offsetof(struct eb_pin, upload_time), false },
	{ "yanked", offsetof(struct eb_pin, yanked), false },
	{ "metadata", offsetof(struct eb_pin, metadata), false },
	{ "vcs", offsetof(struct eb_pin, vcs), false },
	{ "commit", offsetof(struct eb_pin, commit), false },
	{ "revision", offsetof(struct eb_pin, revision), false },
	{ "subdirectory", offsetof(struct eb_pin, subdirectory), false },
};
#define N_TEXTS (sizeof texts / sizeof *texts)

static const struct flag {
	const char *key;
	size_t at;
} flags[] = {
	{ "requested", offsetof(struct eb_pin, requested) },
	{ "direct", offsetof(struct eb_pin, direct) },
	{ "editable", offsetof(struct eb_pin, editable) },
};
#define N_FLAGS (sizeof flags / sizeof *flags)

static char **text_at(const struct eb_pin *p, const struct text *t)
{
	return (char **)((char *)(uintptr_t)p + t->at);
}

static bool *flag_at(const struct eb_pin *p, const struct flag *f)
{
	return (bool *)((char *)(uintptr_t)p + f->at);
}

/* --- out ---------------------------------------------------------------- */

static void put(json_t *to, const char *key, json_t *value)
{
	if (json_object_set_new(to, key, value) < 0)
		eb_oom();
}

static void put_list(json_t *to, const char *key, const struct eb_strv *list)
{
	json_t *array = json_array();

	for (size_t i = 0; i < list->n; i++)
		json_array_append_new(array, json_string(list->v[i]));
	if (list->n)
		put(to, key, array);
	else
		json_decref(array);
}

static json_t *build_to_json(const struct eb_pin_build *b)
{
	json_t *j = json_object(), *requires = json_array();

	put(j, "isolated", json_boolean(b->isolated));
	for (size_t i = 0; i < b->n_requires; i++)
		json_array_append_new(requires,
				      eb_pin_to_json(&b->requires[i]));
	put(j, "requires", requires);
	put_list(j, "settings", &b->setting);
	put_list(j, "variables", &b->variable);
	return j;
}

json_t *eb_pin_to_json(const struct eb_pin *p)
{
	json_t *j = json_object();
	char hex[EB_HEX_SIZE];

	if (!j)
		eb_oom();
	for (size_t i = 0; i < N_TEXTS; i++) {
		const char *text = *text_at(p, &texts[i]);

		if (text)
			put(j, texts[i].key, json_string(text));
	}
	put(j, "source", json_string(sources[p->source]));
	if (!eb_digest_is_zero(&p->sha256))
		put(j, "sha256", json_string(eb_digest_hex(&p->sha256, hex)));
	if (p->size)
		put(j, "size", json_integer((json_int_t)p->size));
	for (size_t i = 0; i < N_FLAGS; i++) {
		if (*flag_at(p, &flags[i]))
			put(j, flags[i].key, json_true());
	}
	if (p->build)
		put(j, "build", build_to_json(p->build));
	return j;
}

/* --- in ----------------------------------------------------------------- */

static int bad(const char *what, const json_t *j, const char *key,
	       const char *why, struct eb_error *err)
{
	const char *name = eb_json_str(j, "name");
	eb_autofree char *shown = eb_printable(name ? name : "?");

	return eb_err_set(err, EB_INPUT, "\"%s\", project \"%s\": \"%s\" %s",
			  what, shown, key, why);
}

static int read_texts(const json_t *j, const char *what, struct eb_pin *p,
		      struct eb_error *err)
{
	for (size_t i = 0; i < N_TEXTS; i++) {
		const json_t *value = json_object_get(j, texts[i].key);

		if (value && !json_is_string(value))
			return bad(what, j, texts[i].key, "is no text", err);
		if (texts[i].needed &&
		    !*(value ? json_string_value(value) : ""))
			return bad(what, j, texts[i].key, "is missing", err);
		*text_at(p, &texts[i]) = eb_strdup(json_string_value(value));
	}
	return 0;
}

static int read_flags(const json_t *j, const char *what, struct eb_pin *p,
		      struct eb_error *err)
{
	for (size_t i = 0; i < N_FLAGS; i++) {
		const json_t *value = json_object_get(j, flags[i].key);

		if (value && !json_is_boolean(value))
			return bad(what, j, flags[i].key,
				   "is neither true nor false", err);
		*flag_at(p, &flags[i]) = json_is_true(value);
	}
	return 0;
}

static int read_source(const json_t *j, const char *what, struct eb_pin *p,
		       struct eb_error *err)
{
	const char *source = eb_json_str(j, "source");

	for (size_t i = 0; source && i < N_SOURCES; i++) {
		if (strcmp(source, sources[i]) != 0)
			continue;
		p->source = (enum eb_pin_source)i;
		return 0;
	}
	return bad(what, j, "source", "is none of wheel, sdist, vcs and dir",
		   err);
}

/* A file has a sum and a size, a folder a sum, a commit its name. */
static int read_sums(const json_t *j, const char *what, struct eb_pin *p,
		     struct eb_error *err)
{
	bool file = p->source == EB_PIN_WHEEL || p->source == EB_PIN_SDIST;
	const json_t *size = json_object_get(j, "size");
	const char *sha256 = eb_json_str(j, "sha256");

	if (json_object_get(j, "sha256") || p->source != EB_PIN_VCS) {
		if (!sha256 || eb_digest_parse(sha256, &p->sha256) < 0)
			return bad(what, j, "sha256", "is no sha256", err);
	}
	if (size && (!json_is_integer(size) || json_integer_value(size) < 0))
		return bad(what, j, "size", "is no size", err);
	if (file && json_integer_value(size) == 0)
		return bad(what, j, "size", "is missing", err);
	p->size = (uint64_t)json_integer_value(size);
	if (p->source != EB_PIN_VCS)
		return 0;
	if (!p->vcs || !p->commit)
		return bad(what, j, p->vcs ? "commit" : "vcs", "is missing",
			   err);
	return 0;
}

static int read_list(const json_t *j, const char *key, const char *what,
		     struct eb_strv *out, struct eb_error *err)
{
	const json_t *list = json_object_get(j, key), *value;
	size_t i;

	if (list && !json_is_array(list))
		return bad(what, j, key, "is no list", err);
	json_array_foreach (list, i, value) {
		if (!json_is_string(value))
			return bad(what, j, key, "has what is no text", err);
		eb_strv_add(out, json_string_value(value));
	}
	return 0;
}

static int read_pin(const json_t *j, const char *what, unsigned depth,
		    struct eb_pin *p, struct eb_error *err);

static int read_requires(const json_t *j, const char *what, unsigned depth,
			 struct eb_pin_build *b, struct eb_error *err)
{
	const json_t *list = json_object_get(j, "requires"), *one;
	size_t i;

	if (!json_is_array(list))
		return bad(what, j, "requires", "is no list", err);
	b->requires = eb_calloc(json_array_size(list) + 1, sizeof *b->requires);
	json_array_foreach (list, i, one) {
		struct eb_pin *p = &b->requires[b->n_requires++];

		if (read_pin(one, what, depth + 1, p, err) < 0)
			return -1;
		if (i && strcmp(p[-1].name, p->name) >= 0)
			return bad(what, one, "name", "is out of order", err);
	}
	return 0;
}

static int read_build(const json_t *j, const char *what, unsigned depth,
		      struct eb_pin *p, struct eb_error *err)
{
	const json_t *build = json_object_get(j, "build"), *isolated;

	if (!build)
		return 0;
	if (p->source == EB_PIN_WHEEL || depth >= BUILD_DEPTH)
		return bad(what, j, "build", "is not for a wheel", err);
	isolated = json_object_get(build, "isolated");
	if (!json_is_boolean(isolated))
		return bad(what, j, "build", "does not say \"isolated\"", err);
	p->build = eb_calloc(1, sizeof *p->build);
	p->build->isolated = json_is_true(isolated);
	if (read_requires(build, what, depth, p->build, err) < 0 ||
	    read_list(build, "settings", what, &p->build->setting, err) < 0)
		return -1;
	return read_list(build, "variables", what, &p->build->variable, err);
}

static int read_pin(const json_t *j, const char *what, unsigned depth,
		    struct eb_pin *p, struct eb_error *err)
{
	if (!json_is_object(j))
		return eb_err_set(err, EB_INPUT,
				  "\"%s\": a project is no "
				  "object",
				  what);
	if (read_texts(j, what, p, err) < 0 || read_flags(j, what, p, err) < 0)
		return -1;
	if (read_source(j, what, p, err) < 0 ||
	    read_sums(j, what, p, err) < 0 ||
	    read_build(j, what, depth, p, err) < 0)
		return -1;
	if (depth && p->source != EB_PIN_WHEEL)
		return bad(what, j, "source", "has to be wheel", err);
	return 0;
}

int eb_pin_from_json(const json_t *j, const char *what, struct eb_pin *out,
		     struct eb_error *err)
{
	*out = (struct eb_pin){ 0 };
	if (read_pin(j, what, 0, out, err) == 0)
		return 0;
	eb_pin_release(out);
	return -1;
}
