/* SPDX-License-Identifier: Apache-2.0 */
/*
 * repodata.json, read in one pass: the two maps of records, those of v3, and
 * base_url; the rest is checked and dropped.
 */
#include <string.h>

#include <envbuild/mem.h>
#include <envbuild/stream.h>

#include "channel_url.h"
#include "json_pull.h"
#include "repodata_int.h"
#include "repodata_record.h"

#define MAX_DETAILS 20 /* malformed records told one by one */
#define MAX_BASE_URL 4096

struct scan {
	struct eb_rd_build *b;
	struct eb_json_pull json;
	struct eb_rd_draft draft;
	struct eb_rd_scan *count;
	struct eb_events *events;
	const char *name;
};

/* --- records --------------------------------------------------------- */

static void left_out(struct scan *s)
{
	const struct eb_rd_draft *d = &s->draft;
	struct eb_rd_build *b = s->b;

	eb_rd_bad_add(
		b, d->has_name ? eb_strpool_text(&b->pool, d->row.name) : NULL,
		d->fn, d->bad);
	if (s->count->bad++ < MAX_DETAILS && b->n_bad)
		eb_detail(s->events, "\"%s\": a record is left out: %s",
			  s->name,
			  eb_strpool_text(&b->pool, b->bad[b->n_bad - 1].why));
}

static void take(struct scan *s)
{
	s->count->records++;
	if (s->draft.bad || eb_rd_draft_keep(&s->draft) < 0)
		left_out(s);
}

static int read_map(struct scan *s, const char *ending)
{
	struct eb_json_text fn;
	int more;

	if (eb_json_peek(&s->json) != '{')
		return eb_json_skip(&s->json);
	if (eb_json_open(&s->json, '{') < 0)
		return -1;
	while ((more = eb_json_key(&s->json, &fn)) > 0) {
		if (eb_rd_draft_read(&s->draft, fn, ending) < 0)
			return -1;
		take(s);
	}
	return more;
}

static bool is(struct eb_json_text t, const char *word)
{
	return t.n == strlen(word) && !memcmp(t.p, word, t.n);
}

/* CEP 48: maps like the others, whose keys lack the ending. Kinds of packages
 * that are not known are passed over. */
static int read_v3(struct scan *s)
{
	struct eb_json_text key;
	int more, got;

	if (eb_json_peek(&s->json) != '{')
		return eb_json_skip(&s->json);
	if (eb_json_open(&s->json, '{') < 0)
		return -1;
	while ((more = eb_json_key(&s->json, &key)) > 0) {
		if (is(key, "conda"))
			got = read_map(s, ".conda");
		else if (is(key, "tar.bz2"))
			got = read_map(s, ".tar.bz2");
		else
			got = eb_json_skip(&s->json);
		if (got < 0)
			return -1;
	}
	return more;
}

/* --- info ------------------------------------------------------------ */

/* CEP 15: where the files are, seen from the subdir. */
static void set_base(struct scan *s, struct eb_json_text t)
{
	eb_autofree char *reference = eb_strndup(t.p, t.n);
	eb_autofree char *joined = NULL;
	eb_autofree char *bare = NULL;
	eb_autofree char *base = NULL;
	uint32_t id;

	if (!t.n || t.n > MAX_BASE_URL)
		return;
	joined = eb_channel_join(s->b->dir_url, reference);
	bare = eb_url_redact(joined);
	base = eb_asprintf("%s%s", bare, eb_ends(bare, "/") ? "" : "/");
	id = eb_strpool_add(&s->b->pool, base, strlen(base), NULL);
	if (id != UINT32_MAX)
		s->b->base_url = id;
}

static int read_info(struct scan *s)
{
	struct eb_json_text t;
	int more;

	if (eb_json_peek(&s->json) != '{')
		return eb_json_skip(&s->json);
	if (eb_json_open(&s->json, '{') < 0)
		return -1;
	while ((more = eb_json_key(&s->json, &t)) > 0) {
		bool base = t.n == 8 && !memcmp(t.p, "base_url", 8);

		if (!base || eb_json_peek(&s->json) != '"') {
			if (eb_json_skip(&s->json) < 0)
				return -1;
			continue;
		}
		if (eb_json_string(&s->json, &t) < 0)
			return -1;
		set_base(s, t);
	}
	return more;
}

/* --- the whole ------------------------------------------------------- */

static int read_top(struct scan *s)
{
	struct eb_json_text key;
	int more, got;

	if (eb_json_open(&s->json, '{') < 0)
		return -1;
	while ((more = eb_json_key(&s->json, &key)) > 0) {
		if (is(key, "packages") || is(key, "packages.conda"))
			got = read_map(s, "");
		else if (is(key, "v3"))
			got = read_v3(s);
		else if (is(key, "info"))
			got = read_info(s);
		else
			got = eb_json_skip(&s->json);
		if (got < 0)
			return -1;
	}
	return more;
}

static int read_all(struct scan *s)
{
	int empty = eb_json_at_end(&s->json);

	if (empty)
		return empty < 0 ? -1 : 0;
	if (read_top(s) < 0)
		return -1;
	switch (eb_json_at_end(&s->json)) {
	case 1: return 0;
	case 0: return eb_json_fail(&s->json, "something behind the end");
	default: return -1;
	}
}

static void warn_bad(const struct scan *s)
{
	size_t n = s->count->bad;

	if (n && !s->count->quiet)
		eb_warn(s->events,
			"\"%s\": %zu malformed record%s left out; the first is "
			"%s",
			s->name, n, n == 1 ? " is" : "s are",
			s->b->n_bad
				? eb_strpool_text(&s->b->pool, s->b->bad[0].why)
				: "long");
}

int eb_rd_scan(struct eb_rd_build *b, struct eb_stream *in, const char *name,
	       struct eb_rd_scan *scan, struct eb_events *events,
	       struct eb_error *err)
{
	struct scan *s = eb_calloc(1, sizeof *s);
	int status;

	s->b = b;
	s->count = scan;
	s->events = events;
	s->name = name;
	eb_json_pull_init(&s->json, in, name, err);
	eb_rd_draft_init(&s->draft, b, &s->json);
	status = read_all(s);
	eb_rd_draft_release(&s->draft);
	eb_json_pull_release(&s->json);
	if (status == 0) {
		eb_rd_dedupe(b);
		warn_bad(s);
	}
	free(s);
	eb_stream_free(in);
	return status;
}
