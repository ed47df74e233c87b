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

static int read_list(struct eb_rd_draft *d, const char *key)
{
	struct eb_rd_list *l = *key == 'd' ? &d->depends : &d->constrains;
	int c = eb_json_peek(d->json), more;

	if (c == 'n')
		return eb_json_skip(d->json);
	if (c != '[')
		return bad_skip(d, "\"depends\" or \"constrains\" is no list");
	l->n = 0;
	if (eb_json_open(d->json, '[') < 0)
		return -1;
	while ((more = eb_json_item(d->json)) > 0) {
		EB_GROW(l->text, l->n, l->alloc);
		l->text[l->n] = 0;
		if (read_text(d, &l->text[l->n], "a dependency is no text") < 0)
			return -1;
		if (!l->text[l->n])
			bad(d, "a dependency is empty");
		if (++l->n > EB_REPODATA_MAX_LIST) {
			bad(d, "more than 4096 dependencies");
			l->n = 0;
		}
	}
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
	d->depends.n = d->constrains.n = 0;
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

int eb_rd_draft_keep(struct eb_rd_draft *d)
{
	struct eb_rd_build *b = d->b;

	keep_fn(d);
	d->row.time = d->indexed ? d->indexed : d->row.timestamp;
	if (d->bad || b->n_lists + 2 * EB_REPODATA_MAX_LIST > UINT32_MAX)
		return -1;
	d->row.list = (uint32_t)b->n_lists;
	d->row.n_depends = (uint16_t)d->depends.n;
	d->row.n_constrains = (uint16_t)d->constrains.n;
	for (size_t i = 0; i < d->depends.n; i++)
		eb_rd_list_add(b, d->depends.text[i]);
	for (size_t i = 0; i < d->constrains.n; i++)
		eb_rd_list_add(b, d->constrains.text[i]);
	*eb_rd_row_add(b) = d->row;
	return 0;
}
