/* SPDX-License-Identifier: Apache-2.0 */
/* One record of a repodata map: each known key has a reader of its own. */
#include "repodata_record.h"

#include <ctype.h>
#include <string.h>

#include <envbuild/mem.h>

#define SECONDS_UP_TO 253402300799 /* larger timestamps are milliseconds */
#define LATEST_MS 9000000000000000
#define MAX_JOINED 4096

void eb_rd_draft_init(struct eb_rd_draft *d, struct eb_rd_build *b,
		      struct eb_json_pull *json)
{
	memset(d, 0, sizeof *d);
	d->b = b;
	d->json = json;
}

void eb_rd_draft_release(struct eb_rd_draft *d)
{
	free(d->depends.text);
	free(d->constrains.text);
	free(d->flags.text);
	free(d->extras.text);
	free(d->fn);
}

static int bad(struct eb_rd_draft *d, const char *why)
{
	if (!d->bad)
		d->bad = why;
	return 0;
}

static int bad_skip(struct eb_rd_draft *d, const char *why)
{
	bad(d, why);
	return eb_json_skip(d->json);
}

static uint32_t intern(struct eb_rd_draft *d, const char *s, size_t n)
{
	uint32_t id = eb_strpool_add(&d->b->pool, s, n, NULL);

	if (id != UINT32_MAX)
		return id;
	bad(d, "a text of it is too long");
	return 0;
}

/* --- readers of one value: -1 stops the reading ---------------------- */

/* A text into *id. What is no text is `why`; with why NULL it is ignored. */
static int read_text(struct eb_rd_draft *d, uint32_t *id, const char *why)
{
	struct eb_json_text t;
	int c = eb_json_peek(d->json);

	if (c != '"') {
		if (why && c != 'n')
			bad(d, why);
		return eb_json_skip(d->json);
	}
	if (eb_json_string(d->json, &t) < 0)
		return -1;
	*id = intern(d, t.p, t.n);
	return 0;
}

static int read_name(struct eb_rd_draft *d, const char *key)
{
	char lower[256];
	struct eb_json_text t;
	const char *why;

	(void)key;
	if (eb_json_peek(d->json) != '"')
		return bad_skip(d, "\"name\" is no text");
	if (eb_json_string(d->json, &t) < 0)
		return -1;
	why = eb_rd_bad_name(t.p, t.n);
	if (why)
		return bad(d, why);
	for (size_t i = 0; i < t.n; i++)
		lower[i] = (char)tolower((unsigned char)t.p[i]);
	d->row.name = intern(d, lower, t.n);
	d->has_name = true;
	return 0;
}

static int read_version(struct eb_rd_draft *d, const char *key)
{
	uint32_t *known;
	const char *why;

	(void)key;
	if (eb_json_peek(d->json) != '"')
		return bad_skip(d, "\"version\" is no text");
	if (read_text(d, &d->row.version, NULL) < 0)
		return -1;
	d->has_version = true;
	known = &d->good_version[d->row.version % 4096];
	if (*known == d->row.version && *known)
		return 0;
	why = eb_rd_bad_version(eb_strpool_text(&d->b->pool, d->row.version));
	if (why)
		return bad(d, why);
	*known = d->row.version;
	return 0;
}

static int read_build(struct eb_rd_draft *d, const char *key)
{
	struct eb_json_text t;
	const char *why;

	(void)key;
	if (eb_json_peek(d->json) != '"')
		return bad_skip(d, "\"build\" is no text");
	if (eb_json_string(d->json, &t) < 0)
		return -1;
	why = eb_rd_bad_build(t.p, t.n);
	if (why)
		return bad(d, why);
	d->row.build = intern(d, t.p, t.n);
	d->has_build = true;
	return 0;
}

/* A whole number from 0; null counts as absent. */
static int read_number(struct eb_rd_draft *d, uint64_t *value, bool fraction,
		       const char *why)
{
	struct eb_json_number number;
	int c = eb_json_peek(d->json);

	if (c == 'n')
		return eb_json_skip(d->json);
	if (c != '-' && !isdigit(c))
		return bad_skip(d, why);
	if (eb_json_number(d->json, &number) < 0)
		return -1;
	if (number.negative || number.overflow ||
	    (!number.is_integer && !fraction))
		return bad(d, why);
	*value = number.value;
	return 0;
}

static int read_build_number(struct eb_rd_draft *d, const char *key)
{
	(void)key;
	return read_number(d, &d->row.build_number, false,
			   "\"build_number\" is no whole number");
}

static int read_size(struct eb_rd_draft *d, const char *key)
{
	(void)key;
	return read_number(d, &d->row.size, false,
			   "\"size\" is no whole number");
}

static int read_time(struct eb_rd_draft *d, const char *key)
{
	uint64_t value = 0;
	int64_t ms;

	if (read_number(d, &value, true, "\"timestamp\" is no number") < 0)
		return -1;
	if (value > LATEST_MS)
		return bad(d, "\"timestamp\" is no time");
	ms = (int64_t)value;
	if (ms <= SECONDS_UP_TO)
		ms *= 1000;
	if (*key == 'i')
		d->indexed = ms;
	else
		d->row.timestamp = ms;
	return 0;
}

static const char *const no_dependency[] = { "a dependency is no text",
					     "a dependency is empty" };
static const char *const no_flag[] = { "a flag is no text", "a flag is empty" };

static void push(struct eb_rd_draft *d, struct eb_rd_list *l, uint32_t text)
{
	EB_GROW(l->text, l->n, l->alloc);
	l->text[l->n] = text;
	if (++l->n > 2 * EB_REPODATA_MAX_LIST) {
		bad(d, "more than 4096 dependencies");
		l->n = 0;
	}
}

/* The texts of a list; where they belong to a group, its name before each.
 * `why` is what is wrong with no text, and with an empty one. */
static int read_texts(struct eb_rd_draft *d, struct eb_rd_list *l,
		      uint32_t group, const char *const why[2])
{
	uint32_t text;
	int more;

	if (eb_json_open(d->json, '[') < 0)
		return -1;
	while ((more = eb_json_item(d->json)) > 0) {
		text = 0;
		if (read_text(d, &text, why[0]) < 0)
			return -1;
		if (!text)
			bad(d, why[1]);
		if (group)
			push(d, l, group);
		push(d, l, text);
	}
	if (l->n > (group ? 2 : 1) * EB_REPODATA_MAX_LIST)
		bad(d, "more than 4096 dependencies");
	return more;
}

static int read_list(struct eb_rd_draft *d, const char *key)
{
	struct eb_rd_list *l = *key == 'd' ? &d->depends : &d->constrains;
	int c = eb_json_peek(d->json);

	if (c == 'n')
		return eb_json_skip(d->json);
	if (c != '[')
		return bad_skip(d, "\"depends\" or \"constrains\" is no list");
	l->n = 0;
	return read_texts(d, l, 0, no_dependency);
}

/* CEP 45. */
static int read_flags(struct eb_rd_draft *d, const char *key)
{
	int c = eb_json_peek(d->json);

	(void)key;
	if (c == 'n')
		return eb_json_skip(d->json);
	if (c != '[')
		return bad_skip(d, "\"flags\" is no list");
	d->flags.n = 0;
	if (read_texts(d, &d->flags, 0, no_flag) < 0)
		return -1;
	for (size_t i = 0; i < d->flags.n; i++)
		if (!eb_is_flag(eb_strpool_text(&d->b->pool, d->flags.text[i]),
				false))
			bad(d, "one of its \"flags\" is none");
	return 0;
}

static int read_group(struct eb_rd_draft *d, struct eb_json_text name)
{
	uint32_t group = intern(d, name.p, name.n);
	size_t before = d->extras.n;

	if (!eb_is_extra(eb_strpool_text(&d->b->pool, group)))
		bad(d, "a group of its \"extra_depends\" has a wrong name");
	for (size_t i = 0; i < d->extras.n; i += 2)
		if (d->extras.text[i] == group)
			bad(d, "\"extra_depends\" has a group twice");
	if (eb_json_peek(d->json) != '[')
		return bad_skip(d, "a group of \"extra_depends\" is no list");
	if (read_texts(d, &d->extras, group, no_dependency) < 0)
		return -1;
	if (d->extras.n == before) {
		push(d, &d->extras, group);
		push(d, &d->extras, 0);
	}
	return 0;
}

/* CEP 44. */
static int read_extras(struct eb_rd_draft *d, const char *key)
{
	struct eb_json_text name;
	int c = eb_json_peek(d->json), more;

	(void)key;
	if (c == 'n')
		return eb_json_skip(d->json);
	if (c != '{')
		return bad_skip(d, "\"extra_depends\" is no object");
	if (eb_json_open(d->json, '{') < 0)
		return -1;
	while ((more = eb_json_key(d->json, &name)) > 0)
		if (read_group(d, name) < 0)
			return -1;
	return more;
}

static int read_noarch(struct eb_rd_draft *d, const char *key)
{
	struct eb_json_text t;
	int c = eb_json_peek(d->json);

	(void)key;
	if (c == 't')
		d->row.noarch = EB_NOARCH_GENERIC;
	if (c == 't' || c == 'f' || c == 'n')
		return eb_json_literal(d->json) < 0 ? -1 : 0;
	if (c != '"')
		return bad_skip(d, "\"noarch\" is no text");
	if (eb_json_string(d->json, &t) < 0)
		return -1;
	if (t.n == 6 && !memcmp(t.p, "python", 6))
		d->row.noarch = EB_NOARCH_PYTHON;
	else if (t.n == 7 && !memcmp(t.p, "generic", 7))
		d->row.noarch = EB_NOARCH_GENERIC;
	else if (t.n)
		bad(d, "\"noarch\" is neither python nor generic");
	return 0;
}

/* "a,  b" becomes "a b", in place. */
static void join_words(char *s)
{
	char *to = s;

	for (char *p = s; *p; p++) {
		char c = *p == ',' ? ' ' : *p;

		if (c != ' ' || (to > s && to[-1] != ' '))
			*to++ = c;
	}
	if (to > s && to[-1] == ' ')
		to--;
	*to = 0;
}

/* A text or a list of texts. */
static int read_features(struct eb_rd_draft *d, const char *key)
{
	uint32_t *to = *key == 't' ? &d->row.track_features : &d->row.features;
	EB_AUTOBUF(all, MAX_JOINED);
	struct eb_json_text t;
	int more, c = eb_json_peek(d->json);

	if (c == '"') {
		if (eb_json_string(d->json, &t) < 0)
			return -1;
		eb_buf_add(&all, t.p, t.n);
	} else if (c == '[') {
		eb_json_open(d->json, '[');
		while ((more = eb_json_item(d->json)) > 0) {
			if (eb_json_peek(d->json) != '"') {
				if (bad_skip(d, "a feature is no text") < 0)
					return -1;
				continue;
			}
			if (eb_json_string(d->json, &t) < 0)
				return -1;
			eb_buf_addch(&all, ' ');
			eb_buf_add(&all, t.p, t.n);
		}
		if (more < 0)
			return -1;
	} else {
		return c == 'n' ? eb_json_skip(d->json)
				: bad_skip(d, "its features are no text");
	}
	if (all.overflow)
		return bad(d, "its features are too long");
	join_words(all.data);
	*to = intern(d, all.data, strlen(all.data));
	return 0;
}

static int read_sum(struct eb_rd_draft *d, const char *key)
{
	bool sha = *key == 's';
	struct eb_json_text t;
	int c = eb_json_peek(d->json);

	if (c == 'n')
		return eb_json_skip(d->json);
	if (c != '"')
		return bad_skip(d, "a checksum is no text");
	if (eb_json_string(d->json, &t) < 0)
		return -1;
	if (!t.n)
		return 0;
	if (eb_rd_hex(t.p, t.n, sha ? d->row.sha256 : d->row.md5,
		      sha ? 32 : 16) < 0)
		return bad(d, sha ? "\"sha256\" is no checksum"
				  : "\"md5\" is no checksum");
	*(sha ? &d->row.has_sha256 : &d->row.has_md5) = true;
	return 0;
}

static int read_license(struct eb_rd_draft *d, const char *key)
{
	return read_text(d, key[7] ? &d->row.family : &d->row.license, NULL);
}

static bool leads_out(const char *path)
{
	size_t n = strlen(path);

	return *path == '/' || !strncmp(path, "../", 3) ||
	       strstr(path, "/../") || !strcmp(path, "..") ||
	       (n > 2 && !strcmp(path + n - 3, "/.."));
}

static int read_site_packages(struct eb_rd_draft *d, const char *key)
{
	uint32_t *to = &d->row.site_packages;

	(void)key;
	if (read_text(d, to, "\"python_site_packages_path\" is no text") < 0)
		return -1;
	if (leads_out(eb_strpool_text(&d->b->pool, *to)))
		bad(d, "\"python_site_packages_path\" leads out of the prefix");
	return 0;
}

/* --- the record ------------------------------------------------------ */

static const struct {
	const char *key;
	int (*read)(struct eb_rd_draft *d, const char *key);
} fields[] = {
	{ "name", read_name },
	{ "version", read_version },
	{ "build", read_build },
	{ "build_number", read_build_number },
	{ "depends", read_list },
	{ "constrains", read_list },
	{ "extra_depends", read_extras },
	{ "flags", read_flags },
	{ "timestamp", read_time },
	{ "indexed_timestamp", read_time },
	{ "sha256", read_sum },
	{ "md5", read_sum },
	{ "size", read_size },
	{ "noarch", read_noarch },
	{ "track_features", read_features },
	{ "features", read_features },
	{ "license", read_license },
	{ "license_family", read_license },
	{ "python_site_packages_path", read_site_packages },
};

static int read_field(struct eb_rd_draft *d, struct eb_json_text key)
{
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
		if (key.n == strlen(fields[i].key) &&
		    !memcmp(key.p, fields[i].key, key.n))
			return fields[i].read(d, fields[i].key);
	return eb_json_skip(d->json);
}

static void begin(struct eb_rd_draft *d, struct eb_json_text fn,
		  const char *ending)
{
	size_t more = strlen(ending);

	memset(&d->row, 0, sizeof d->row);
	d->bad = NULL;
	d->has_name = d->has_version = d->has_build = false;
	d->indexed = 0;
	d->depends.n = d->constrains.n = d->flags.n = d->extras.n = 0;
	if (fn.n + more + 1 > d->fn_alloc) {
		d->fn_alloc = 2 * (fn.n + more) + 256;
		d->fn = eb_realloc(d->fn, d->fn_alloc, 1);
	}
	memcpy(d->fn, fn.p, fn.n);
	memcpy(d->fn + fn.n, ending, more + 1);
	d->fn_n = fn.n + more;
}

static void check(struct eb_rd_draft *d)
{
	const char *why = eb_rd_bad_fn(d->fn, d->fn_n);

	if (why)
		d->bad = why;
	else if (!d->has_name)
		bad(d, "it has no \"name\"");
	else if (!d->has_version)
		bad(d, "it has no \"version\"");
	else if (!d->has_build)
		bad(d, "it has no \"build\"");
}

int eb_rd_draft_read(struct eb_rd_draft *d, struct eb_json_text fn,
		     const char *ending)
{
	struct eb_json_text key;
	int more;

	begin(d, fn, ending);
	if (eb_json_peek(d->json) != '{')
		return bad_skip(d, "it is no object");
	if (eb_json_open(d->json, '{') < 0)
		return -1;
	while ((more = eb_json_key(d->json, &key)) > 0)
		if (read_field(d, key) < 0)
			return -1;
	if (more < 0)
		return -1;
	check(d);
	return 0;
}

/* --- into the index -------------------------------------------------- */

static void keep_fn(struct eb_rd_draft *d)
{
	eb_autofree char *stem = eb_rd_stem(d->b, &d->row);
	bool conda = d->fn[d->fn_n - 1] == 'a';
	size_t n = d->fn_n - (conda ? 6 : 8);

	d->row.flags = conda ? EB_RD_CONDA : 0;
	if (strlen(stem) == n && !memcmp(stem, d->fn, n))
		return;
	d->row.flags |= EB_RD_OWN_FN;
	d->row.fn = intern(d, d->fn, d->fn_n);
}

static uint16_t keep_list(struct eb_rd_build *b, const struct eb_rd_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		eb_rd_list_add(b, l->text[i]);
	return (uint16_t)l->n;
}

int eb_rd_draft_keep(struct eb_rd_draft *d)
{
	struct eb_rd_build *b = d->b;

	keep_fn(d);
	d->row.time = d->indexed ? d->indexed : d->row.timestamp;
	if (d->bad || b->n_lists + 5 * EB_REPODATA_MAX_LIST > UINT32_MAX)
		return -1;
	d->row.list = (uint32_t)b->n_lists;
	d->row.n_depends = keep_list(b, &d->depends);
	d->row.n_constrains = keep_list(b, &d->constrains);
	d->row.n_flags = keep_list(b, &d->flags);
	d->row.n_extras = keep_list(b, &d->extras) / 2;
	*eb_rd_row_add(b) = d->row;
	return 0;
}
