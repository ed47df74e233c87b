/* SPDX-License-Identifier: Apache-2.0 */
/*
 * repodata.json, read in one pass: the two maps of records and base_url; the
 * rest is checked and dropped.
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
	struct eb_repodata *rd;
	unsigned source;
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
	const struct eb_rd_bad *b;

	eb_rd_bad_add(s->rd,
		      d->has_name ? eb_strpool_text(&s->rd->pool, d->row.name)
				  : NULL,
		      d->fn, d->bad);
	if (s->count->bad++ < MAX_DETAILS && s->rd->n_bad) {
		b = &s->rd->bad[s->rd->n_bad - 1];
		eb_detail(s->events, "\"%s\": a record is left out: %s",
			  s->name, b->why);
	}
}

static void take(struct scan *s)
{
	struct eb_rd_draft *d = &s->draft;
	int64_t time = d->indexed ? d->indexed : d->row.timestamp;

	s->count->records++;
	if (d->bad) {
		left_out(s);
		return;
	}
	if (s->count->as_of && time > s->count->as_of) {
		s->count->later++;
		return;
	}
	d->row.source = (uint16_t)s->source;
	if (eb_rd_draft_keep(d) < 0)
		left_out(s);
}

static int read_map(struct scan *s)
{
	struct eb_json_text fn;
	int more;

	if (eb_json_peek(&s->json) != '{')
		return eb_json_skip(&s->json);
	if (eb_json_open(&s->json, '{') < 0)
		return -1;
	while ((more = eb_json_key(&s->json, &fn)) > 0) {
		if (eb_rd_draft_read(&s->draft, fn) < 0)
			return -1;
		take(s);
	}
	return more;
}

/* --- info ------------------------------------------------------------ */

/* CEP 15: where the files are, seen from the subdir. */
static void set_base(struct scan *s, struct eb_json_text t)
{
	struct eb_rd_source *source = &s->rd->source[s->source];
	eb_autofree char *reference = eb_strndup(t.p, t.n);
	eb_autofree char *joined = NULL;
	eb_autofree char *bare = NULL;

	if (!t.n || t.n > MAX_BASE_URL)
		return;
	joined = eb_channel_join(source->dir_url, reference);
	bare = eb_url_redact(joined);
	free(source->base_url);
	source->base_url =
		eb_asprintf("%s%s", bare, eb_ends(bare, "/") ? "" : "/");
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

static bool is(struct eb_json_text t, const char *word)
{
	return t.n == strlen(word) && !memcmp(t.p, word, t.n);
}

static int read_top(struct scan *s)
{
	struct eb_json_text key;
	int more, got;

	if (eb_json_open(&s->json, '{') < 0)
		return -1;
	while ((more = eb_json_key(&s->json, &key)) > 0) {
		if (is(key, "packages") || is(key, "packages.conda"))
			got = read_map(s);
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

static void warn_bad(const struct scan *s, size_t first)
{
	size_t n = s->count->bad;

	if (n)
		eb_warn(s->events,
			"\"%s\": %zu malformed record%s left out; the first is "
			"%s",
			s->name, n, n == 1 ? " is" : "s are",
			first < s->rd->n_bad ? s->rd->bad[first].why : "long");
}

int eb_rd_scan(struct eb_repodata *rd, unsigned source, struct eb_stream *in,
	       const char *name, struct eb_rd_scan *scan,
	       struct eb_events *events, struct eb_error *err)
{
	struct scan *s = eb_calloc(1, sizeof *s);
	size_t rows = rd->n, lists = rd->n_lists, bad = rd->n_bad;
	int status;

	s->rd = rd;
	s->source = source;
	s->count = scan;
	s->events = events;
	s->name = name;
	eb_json_pull_init(&s->json, in, name, err);
	eb_rd_draft_init(&s->draft, rd, &s->json);
	status = read_all(s);
	eb_rd_draft_release(&s->draft);
	eb_json_pull_release(&s->json);
	if (status == 0) {
		eb_rd_dedupe(rd, rows);
		warn_bad(s, bad);
	} else {
		rd->n = rows;
		rd->n_lists = lists;
		while (rd->n_bad > bad) {
			free(rd->bad[--rd->n_bad].name);
			free(rd->bad[rd->n_bad].why);
		}
		eb_rd_index_drop(rd);
	}
	free(s);
	eb_stream_free(in);
	return status;
}
