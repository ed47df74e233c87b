/* SPDX-License-Identifier: Apache-2.0 */
/* Package records: from and to JSON, copies. */
#include <ctype.h>
#include <string.h>

#include <envbuild/json.h>
#include <envbuild/mem.h>
#include <envbuild/record.h>

/* Timestamps up to the year 9999 in seconds are seconds; later ones are
 * milliseconds. */
#define LAST_SECOND 253402300799

/* A member and what the messages name. */
struct reader {
	const json_t *j;
	const char *fn;
	struct eb_error *err;
};

static int bad(const struct reader *r, const char *key, const char *why)
{
	return eb_err_set(r->err, EB_INPUT, "record \"%s\": \"%s\" %s",
			  r->fn ? r->fn : "?", key, why);
}

/* Absent and null are the same. */
static const json_t *member(const struct reader *r, const char *key)
{
	const json_t *v = json_object_get(r->j, key);

	return json_is_null(v) ? NULL : v;
}

/* ---- texts -------------------------------------------------------------- */

static int read_text(const struct reader *r, const char *key, char **out)
{
	const json_t *v = member(r, key);

	if (!v)
		return 0;
	if (!json_is_string(v))
		return bad(r, key, "is no text");
	*out = eb_strdup(json_string_value(v));
	return 0;
}

static int need_text(const struct reader *r, const char *key, char **out)
{
	if (!member(r, key))
		return bad(r, key, "is missing");
	if (read_text(r, key, out) < 0)
		return -1;
	return **out ? 0 : bad(r, key, "is empty");
}

/* Credentials of a URL never get into a record. */
static int read_url(const struct reader *r, const char *key, char **out)
{
	eb_autofree char *given = NULL;

	if (read_text(r, key, &given) < 0)
		return -1;
	*out = given ? eb_url_redact(given) : NULL;
	return 0;
}

/* Name, version, build and file name become parts of paths. */
static int check_path_part(const struct reader *r, const char *key,
			   const char *s)
{
	const char *p;

	if (!s)
		return 0;
	if (*s == '.' || strlen(s) > 255)
		return bad(r, key, "is no part of a file name");
	for (p = s; *p; p++)
		if (*p == '/' || iscntrl((unsigned char)*p))
			return bad(r, key, "is no part of a file name");
	return 0;
}

/* ---- numbers ------------------------------------------------------------ */

static int read_number(const struct reader *r, const char *key, uint64_t *out)
{
	const json_t *v = member(r, key);

	if (!v)
		return 0;
	if (!json_is_integer(v) || json_integer_value(v) < 0)
		return bad(r, key, "is no number");
	*out = (uint64_t)json_integer_value(v);
	return 0;
}

static int read_timestamp(const struct reader *r, int64_t *out)
{
	const json_t *v = member(r, "timestamp");
	double value = json_number_value(v);

	if (!v)
		return 0;
	if (!json_is_number(v))
		return bad(r, "timestamp", "is no number");
	if (value < 0 || value > 9e15)
		return bad(r, "timestamp", "is out of range");
	*out = json_is_integer(v) ? json_integer_value(v) : (int64_t)value;
	if (*out <= LAST_SECOND)
		*out *= 1000;
	return 0;
}

/* ---- digests ------------------------------------------------------------ */

static int read_hex(const struct reader *r, const char *key, size_t digits,
		    char *out)
{
	eb_autofree char *text = NULL;

	if (read_text(r, key, &text) < 0)
		return -1;
	if (!text || !*text)
		return 0;
	eb_lower(text);
	if (strlen(text) != digits ||
	    strspn(text, "0123456789abcdef") != digits)
		return bad(r, key, "is no digest");
	memcpy(out, text, digits + 1);
	return 0;
}

static int read_digests(const struct reader *r, struct eb_record *out)
{
	char hex[EB_HEX_SIZE] = "";

	if (read_hex(r, "sha256", 64, hex) < 0 ||
	    read_hex(r, "md5", 32, out->md5) < 0)
		return -1;
	out->has_sha256 = *hex && eb_digest_parse(hex, &out->sha256) == 0;
	return 0;
}

/* ---- lists -------------------------------------------------------------- */

/* The reader's value is the list itself. */
static int add_texts(const struct reader *r, const char *key,
		     struct eb_strv *out)
{
	const json_t *v;
	size_t i;

	json_array_foreach ((json_t *)r->j, i, v) {
		if (!json_is_string(v))
			return bad(r, key, "holds something else than text");
		eb_strv_add(out, json_string_value(v));
	}
	return 0;
}

static int read_list(const struct reader *r, const char *key,
		     struct eb_strv *out)
{
	struct reader list = { member(r, key), r->fn, r->err };

	if (list.j && !json_is_array(list.j))
		return bad(r, key, "is no list");
	return add_texts(&list, key, out);
}

/* "a b", "a,b" or ["a", "b"] becomes "a b"; nothing becomes NULL. */
static int read_words(const struct reader *r, const char *key, char **out)
{
	struct eb_strv words EB_CLEANUP(eb_strv_release) = { 0 };
	const json_t *v = member(r, key);
	char *longer;
	size_t i;

	if (json_is_string(v))
		eb_strv_split(&words, json_string_value(v), " ,");
	else if (read_list(r, key, &words) < 0)
		return -1;
	for (i = 0; i < words.n; i++) {
		if (!*words.v[i])
			continue;
		longer = eb_asprintf("%s%s%s", *out ? *out : "",
				     *out ? " " : "", words.v[i]);
		free(*out);
		*out = longer;
	}
	return 0;
}

/* ---- v3: flags, groups of optional dependencies ------------------------- */

static int read_flags(const struct reader *r, struct eb_strv *out)
{
	if (read_list(r, "flags", out) < 0)
		return -1;
	for (size_t i = 0; i < out->n; i++)
		if (!eb_is_flag(out->v[i], false))
			return bad(r, "flags", "holds what is no flag");
	return 0;
}

static int read_group(const struct reader *r, const char *key, const char *name,
		      const json_t *list, struct eb_record *out)
{
	struct reader inner = { list, r->fn, r->err };
	struct eb_extra *e;

	if (!eb_is_extra(name) || !json_is_array(list))
		return bad(r, key, "holds what is no group of dependencies");
	if (eb_record_extra(out, name))
		return bad(r, key, "has a group twice");
	out->extra =
		eb_realloc(out->extra, out->n_extras + 1, sizeof *out->extra);
	e = &out->extra[out->n_extras++];
	*e = (struct eb_extra){ .name = eb_strdup(name) };
	return add_texts(&inner, key, &e->depends);
}

/* The CEPs and conda do not agree on how it is spelt. */
static int read_extras(const struct reader *r, struct eb_record *out)
{
	static const char *const keys[] = { "extra_depends", "extra-depends",
					    "extras-depends" };
	const char *name;
	json_t *list;

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		const json_t *map = member(r, keys[i]);

		if (map && !json_is_object(map))
			return bad(r, keys[i], "is no object");
		json_object_foreach ((json_t *)map, name, list)
			if (read_group(r, keys[i], name, list, out) < 0)
				return -1;
	}
	return 0;
}

/* "python", "generic", and the true of old channels. */
static int read_noarch(const struct reader *r, enum eb_noarch *out)
{
	const json_t *v = member(r, "noarch");
	const char *text = json_string_value(v);

	if (!v || json_is_false(v) || (text && !*text))
		return 0;
	if (text && strcmp(text, "python") == 0)
		*out = EB_NOARCH_PYTHON;
	else if (json_is_true(v) || (text && strcmp(text, "generic") == 0))
		*out = EB_NOARCH_GENERIC;
	else
		return bad(r, "noarch", "is neither python nor generic");
	return 0;
}

/* ---- all ---------------------------------------------------------------- */

static int read_identity(const struct reader *r, const char *subdir,
			 struct eb_record *out)
{
	const char *build = member(r, "build") ? "build" : "build_string";

	if (need_text(r, "name", &out->name) < 0 ||
	    need_text(r, "version", &out->version) < 0 ||
	    need_text(r, member(r, build) ? build : "build", &out->build) < 0 ||
	    read_number(r, "build_number", &out->build_number) < 0 ||
	    read_text(r, "subdir", &out->subdir) < 0)
		return -1;
	eb_lower(out->name);
	if (!out->subdir)
		out->subdir = eb_strdup(subdir);
	if (r->fn)
		out->fn = eb_strdup(r->fn);
	else if (read_text(r, "fn", &out->fn) < 0)
		return -1;
	if (check_path_part(r, "name", out->name) < 0 ||
	    check_path_part(r, "version", out->version) < 0 ||
	    check_path_part(r, "build", out->build) < 0 ||
	    check_path_part(r, "subdir", out->subdir) < 0)
		return -1;
	return check_path_part(r, "fn", out->fn);
}

static int read_rest(const struct reader *r, struct eb_record *out)
{
	if (read_url(r, "channel", &out->channel) < 0 ||
	    read_url(r, "url", &out->url) < 0 ||
	    read_list(r, "depends", &out->depends) < 0 ||
	    read_list(r, "constrains", &out->constrains) < 0 ||
	    read_words(r, "track_features", &out->track_features) < 0 ||
	    read_words(r, "features", &out->features) < 0 ||
	    read_flags(r, &out->flags) < 0 || read_extras(r, out) < 0)
		return -1;
	if (read_noarch(r, &out->noarch) < 0 ||
	    read_timestamp(r, &out->timestamp) < 0 ||
	    read_digests(r, out) < 0 || read_number(r, "size", &out->size) < 0)
		return -1;
	if (read_text(r, "license", &out->license) < 0 ||
	    read_text(r, "license_family", &out->license_family) < 0)
		return -1;
	return read_text(r, "python_site_packages_path",
			 &out->python_site_packages_path);
}

int eb_record_from_json(const json_t *j, const char *fn, const char *subdir,
			struct eb_record *out, struct eb_error *err)
{
	struct eb_record record EB_CLEANUP(eb_record_release) = { 0 };
	struct reader r = { j, fn, err };

	if (!json_is_object(j))
		return eb_err_set(err, EB_INPUT, "record \"%s\": no object",
				  fn ? fn : "?");
	if (read_identity(&r, subdir, &record) < 0 ||
	    read_rest(&r, &record) < 0)
		return -1;
	*out = record;
	record = (struct eb_record){ 0 };
	return 0;
}

static void release_extras(struct eb_record *r)
{
	for (size_t i = 0; i < r->n_extras; i++) {
		free(r->extra[i].name);
		eb_strv_release(&r->extra[i].depends);
	}
	free(r->extra);
}

void eb_record_release(struct eb_record *r)
{
	free(r->name);
	free(r->version);
	free(r->build);
	free(r->subdir);
	free(r->fn);
	free(r->channel);
	free(r->url);
	eb_strv_release(&r->depends);
	eb_strv_release(&r->constrains);
	eb_strv_release(&r->flags);
	release_extras(r);
	free(r->track_features);
	free(r->features);
	free(r->license);
	free(r->license_family);
	free(r->python_site_packages_path);
	*r = (struct eb_record){ 0 };
}

static struct eb_extra *copy_extras(const struct eb_record *from)
{
	struct eb_extra *all;

	if (!from->n_extras)
		return NULL;
	all = eb_calloc(from->n_extras, sizeof *all);
	for (size_t i = 0; i < from->n_extras; i++) {
		all[i].name = eb_strdup(from->extra[i].name);
		eb_strv_copy(&all[i].depends, &from->extra[i].depends);
	}
	return all;
}

void eb_record_copy(struct eb_record *to, const struct eb_record *from)
{
	struct eb_record r = *from; /* the plain members */

	r.name = eb_strdup(from->name);
	r.version = eb_strdup(from->version);
	r.build = eb_strdup(from->build);
	r.subdir = eb_strdup(from->subdir);
	r.fn = eb_strdup(from->fn);
	r.channel = eb_strdup(from->channel);
	r.url = eb_strdup(from->url);
	r.depends = r.constrains = r.flags = (struct eb_strv){ 0 };
	eb_strv_copy(&r.depends, &from->depends);
	eb_strv_copy(&r.constrains, &from->constrains);
	eb_strv_copy(&r.flags, &from->flags);
	r.extra = copy_extras(from);
	r.track_features = eb_strdup(from->track_features);
	r.features = eb_strdup(from->features);
	r.license = eb_strdup(from->license);
	r.license_family = eb_strdup(from->license_family);
	r.python_site_packages_path =
		eb_strdup(from->python_site_packages_path);
	*to = r;
}

/* ---- to JSON ------------------------------------------------------------ */

static void put_text(json_t *j, const char *key, const char *value)
{
	if (value && *value)
		json_object_set_new(j, key, json_string(value));
}

static void put_number(json_t *j, const char *key, uint64_t value)
{
	json_object_set_new(j, key, json_integer((json_int_t)value));
}

static void put_list(json_t *j, const char *key, const struct eb_strv *list)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < list->n; i++)
		json_array_append_new(array, json_string(list->v[i]));
	json_object_set_new(j, key, array);
}

static void put_v3(json_t *j, const struct eb_record *r)
{
	json_t *groups = r->n_extras ? json_object() : NULL;

	if (r->flags.n)
		put_list(j, "flags", &r->flags);
	for (size_t i = 0; i < r->n_extras; i++)
		put_list(groups, r->extra[i].name, &r->extra[i].depends);
	if (groups)
		json_object_set_new(j, "extra_depends", groups);
}

/* `depends` is there even when it is empty: conda wants it. */
json_t *eb_record_to_json(const struct eb_record *r)
{
	json_t *j = json_object();
	char hex[EB_HEX_SIZE];

	put_text(j, "name", r->name);
	put_text(j, "version", r->version);
	put_text(j, "build", r->build);
	put_number(j, "build_number", r->build_number);
	put_text(j, "subdir", r->subdir);
	put_text(j, "fn", r->fn);
	put_text(j, "channel", r->channel);
	put_text(j, "url", r->url);
	put_list(j, "depends", &r->depends);
	if (r->constrains.n)
		put_list(j, "constrains", &r->constrains);
	put_v3(j, r);
	put_text(j, "track_features", r->track_features);
	put_text(j, "features", r->features);
	if (r->noarch != EB_NOARCH_NONE)
		put_text(j, "noarch",
			 r->noarch == EB_NOARCH_PYTHON ? "python" : "generic");
	if (r->timestamp)
		put_number(j, "timestamp", (uint64_t)r->timestamp);
	if (r->has_sha256)
		put_text(j, "sha256", eb_digest_hex(&r->sha256, hex));
	put_text(j, "md5", r->md5);
	if (r->size)
		put_number(j, "size", r->size);
	put_text(j, "license", r->license);
	put_text(j, "license_family", r->license_family);
	put_text(j, "python_site_packages_path", r->python_site_packages_path);
	return j;
}
