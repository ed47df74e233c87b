/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers solve requests, one JSON object a line in and out:
 *
 *	solve_requests [--pip] [--reverse] [--check] [--store DIR] REPODATA
 *		REQUESTS [ID...]
 *
 * REPODATA is a folder or a URL of channels, which need a store. A request has
 * id, channels (below REPODATA), channel_priority,
 * virtual (name=version=build) and specs. An answer has id and either
 * packages or unsat and why, and the warnings, where there were any. Times and
 * peak memory go to standard error.
 * --check: each solution is held against the rules (solve_check.h): an answer
 * has wrong, a list, where it breaks one, and the exit status is 1.
 * --pip: python brings pip; --reverse: the specs in the opposite order;
 * --store: indexes are kept there, and of channels with shards only what a
 * request needs is fetched.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include <envbuild/json.h>
#include <envbuild/solve_check.h>
#include <envbuild/stream.h>

#define MAX_LINE ((size_t)64 << 20)

static char *base_url; /* of the channels */
static bool with_pip, reverse, check, broken;
static const char *store_dir;
static json_t *warnings; /* of what is being solved */

/* --- the repodata of one row of channels, kept while it stays the same  */

struct loaded {
	char *key;
	struct eb_channels channels;
	struct eb_repodata *rd;
	struct eb_store *store;
	struct eb_http *http;
};

static void die(struct eb_error *err)
{
	fprintf(stderr, "solve_requests: %s\n", err->message);
	exit(err->code);
}

static void print_event(void *data, const struct eb_event *ev)
{
	(void)data;
	if (ev->type != EB_EV_WARNING)
		return;
	fprintf(stderr, "warning: %s\n", ev->text);
	json_array_append_new(warnings, json_string(ev->text));
}

static void open_store(struct loaded *l, struct eb_events *events)
{
	struct eb_error err = EB_ERROR_INIT;

	if (l->store || !store_dir)
		return;
	if (eb_store_open(store_dir, 0, &l->store, &err) < 0)
		die(&err);
	l->http = eb_http_new(&(struct eb_http_options){ 0 }, events);
}

static void load(struct loaded *l, const json_t *list,
		 const struct eb_solve_request *q, struct eb_events *events)
{
	struct eb_repodata_options options = { .subdir = "linux-64" };
	struct eb_error err = EB_ERROR_INIT;
	char *key = json_dumps(list, 0);
	json_t *name;
	size_t i;

	if (!store_dir && l->key && !strcmp(l->key, key)) {
		free(key);
		return;
	}
	free(l->key);
	l->key = key;
	eb_repodata_free(l->rd);
	eb_channels_release(&l->channels);
	json_array_foreach ((json_t *)list, i, name)
		if (eb_channels_add(&l->channels, json_string_value(name),
				    base_url, &err) < 0)
			die(&err);
	open_store(l, events);
	options.spec = store_dir ? q->spec : NULL;
	options.n_specs = q->n_specs;
	l->rd = NULL;
	if (eb_repodata_load(&l->channels, &options, l->store, l->http, events,
			     &l->rd, &err) < 0)
		die(&err);
}

/* --- one request ----------------------------------------------------- */

struct request {
	struct eb_solve_request q;
	struct eb_matchspec **spec;
	struct eb_solve_line *line;
	struct eb_virtual *virtuals;
	struct eb_strv texts; /* pieces of the virtual packages */
};

static void read_virtuals(struct request *r, const json_t *list)
{
	size_t n = json_array_size(list);

	r->virtuals = eb_calloc(n + 1, sizeof *r->virtuals);
	for (size_t i = 0; i < n; i++)
		eb_strv_split(&r->texts,
			      json_string_value(json_array_get(list, i)), "=");
	for (size_t i = 0; i < n; i++)
		r->virtuals[i] = (struct eb_virtual){
			r->texts.v[3 * i],
			r->texts.v[3 * i + 1],
			r->texts.v[3 * i + 2],
		};
	r->q.virtuals = r->virtuals;
	r->q.n_virtuals = n;
}

static int read_specs(struct request *r, const json_t *list,
		      struct eb_error *err)
{
	size_t n = json_array_size(list);

	r->spec = eb_calloc(n + 1, sizeof *r->spec);
	r->q.spec = (const struct eb_matchspec *const *)r->spec;
	r->q.line = r->line = eb_calloc(n + 1, sizeof *r->line);
	for (; r->q.n_specs < n; r->q.n_specs++) {
		size_t i = reverse ? n - 1 - r->q.n_specs : r->q.n_specs;
		const char *text = json_string_value(json_array_get(list, i));

		r->spec[r->q.n_specs] =
			eb_matchspec_parse(text, EB_STRICT, err);
		r->line[r->q.n_specs].text = text;
		if (!r->spec[r->q.n_specs]) {
			eb_err_release(err);
			r->spec[r->q.n_specs] =
				eb_matchspec_parse(text, EB_LENIENT, err);
		}
		if (!r->spec[r->q.n_specs])
			return -1;
	}
	return 0;
}

static void release(struct request *r)
{
	for (size_t i = 0; r->spec && i < r->q.n_specs; i++)
		eb_matchspec_free(r->spec[i]);
	free(r->spec);
	free(r->line);
	free(r->virtuals);
	eb_strv_release(&r->texts);
}

static json_t *packages(const struct eb_repodata *rd,
			const struct eb_solution *s)
{
	json_t *list = json_array();

	for (size_t i = 0; i < s->n; i++) {
		const struct eb_record *r =
			eb_repodata_record(rd, s->record[i], NULL);

		json_array_append_new(
			list,
			json_pack("{ss ss ss ss ss ss}", "name", r->name,
				  "version", r->version, "build", r->build,
				  "channel", strrchr(r->channel, '/') + 1,
				  "subdir", r->subdir, "fn", r->fn));
	}
	return list;
}

/* By the rules alone; what is wrong, a list. */
static json_t *judge(const struct request *r, const struct eb_solution *s)
{
	struct eb_set_problems found EB_CLEANUP(
		eb_set_problems_release) = { 0 };
	eb_autofree const struct eb_record **record =
		eb_calloc(s->n + 1, sizeof(struct eb_record *));
	struct eb_set set = {
		.record = record,
		.n = s->n,
		.spec = r->q.spec,
		.n_specs = r->q.n_specs,
		.virtuals = r->q.virtuals,
		.n_virtuals = r->q.n_virtuals,
		.subdir = "linux-64",
		.channels = r->q.channels,
		.alias = r->q.alias,
		.repodata = r->q.repodata,
		.priority = r->q.priority,
	};
	json_t *wrong = json_array();

	for (size_t i = 0; i < s->n; i++)
		record[i] =
			eb_repodata_record(r->q.repodata, s->record[i], NULL);
	eb_set_check(&set, &found);
	for (size_t i = 0; i < found.n; i++) {
		const struct eb_set_problem *p = &found.v[i];

		if (!p->note)
			json_array_append_new(
				wrong, json_sprintf("%s: %s %s", p->check,
						    p->subject, p->text));
	}
	return wrong;
}

static void note_wrong(const struct request *r, const struct eb_solution *s,
		       json_t *out)
{
	json_t *wrong = judge(r, s);

	if (json_array_size(wrong)) {
		broken = true;
		json_object_set(out, "wrong", wrong);
	}
	json_decref(wrong);
}

static json_t *solve(struct request *r, const struct loaded *l, const json_t *j,
		     struct eb_events *events)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_solution s = { 0 };
	json_t *out = json_object();
	const char *priority = eb_json_str(j, "channel_priority");

	r->q.repodata = l->rd;
	r->q.channels = &l->channels;
	r->q.alias = base_url;
	r->q.pip_beside_python = with_pip;
	r->q.priority = priority && !strcmp(priority, "disabled")
				? EB_PRIORITY_DISABLED
			: priority && !strcmp(priority, "flexible")
				? EB_PRIORITY_FLEXIBLE
				: EB_PRIORITY_STRICT;
	read_virtuals(r, eb_json_arr(j, "virtual"));
	json_array_clear(warnings);
	json_object_set_new(out, "id", json_string(eb_json_str(j, "id")));
	if (eb_solve(&r->q, &s, events, &err) == 0) {
		json_object_set_new(out, "packages", packages(l->rd, &s));
		if (check)
			note_wrong(r, &s, out);
	} else {
		json_object_set_new(out, "unsat", json_true());
		json_object_set_new(out, "why", json_string(err.message));
		if (err.hint)
			json_object_set_new(out, "hint", json_string(err.hint));
	}
	if (json_array_size(warnings))
		json_object_set_new(out, "warnings", json_copy(warnings));
	eb_solution_release(&s);
	eb_err_release(&err);
	return out;
}

static double seconds(uint64_t since)
{
	return (double)(eb_now_ns() - since) / 1e9;
}

static double cpu(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static void answer(const json_t *j, struct loaded *l, struct eb_events *events)
{
	struct request r = { 0 };
	struct eb_error err = EB_ERROR_INIT;
	uint64_t start = eb_now_ns();
	double loading, before = cpu();
	struct rusage usage;
	json_t *out;

	if (read_specs(&r, eb_json_arr(j, "specs"), &err) < 0)
		die(&err);
	load(l, eb_json_arr(j, "channels"), &r.q, events);
	loading = seconds(start);
	start = eb_now_ns();
	out = solve(&r, l, j, events);
	getrusage(RUSAGE_SELF, &usage);
	fprintf(stderr,
		"%s\tload %.3f s\tsolve %.3f s\tpeak %ld MB\tCPU %.3f s\n",
		eb_json_str(j, "id"), loading, seconds(start),
		usage.ru_maxrss / 1024, cpu() - before);
	json_dumpf(out, stdout, JSON_COMPACT);
	putchar('\n');
	fflush(stdout);
	json_decref(out);
	release(&r);
}

/* --- lines ----------------------------------------------------------- */

static bool is_wanted(const json_t *j, char *const *id)
{
	if (!*id)
		return true;
	for (; *id; id++)
		if (!strcmp(*id, eb_json_str(j, "id")))
			return true;
	return false;
}

static void answer_line(const char *line, size_t n, char *const *id,
			struct loaded *l, struct eb_events *events)
{
	struct eb_error err = EB_ERROR_INIT;
	json_t *j = eb_json_parse(line, n, "request", &err);

	if (!j)
		die(&err);
	if (is_wanted(j, id))
		answer(j, l, events);
	json_decref(j);
}

static void read_all(const char *path, struct eb_buf *text)
{
	struct eb_error err = EB_ERROR_INIT;
	EB_CLEANUP(eb_stream_free_ptr) struct eb_stream *in = NULL;
	eb_autofd int fd = open(path, O_RDONLY | O_CLOEXEC);
	char piece[65536];
	ssize_t n;

	if (fd < 0) {
		perror(path);
		exit(2);
	}
	in = eb_stream_decompress(eb_stream_fd(fd, 0, UINT64_MAX, path), path);
	while ((n = eb_stream_read(in, piece, sizeof piece, &err)) > 0)
		eb_buf_add(text, piece, (size_t)n);
	if (n < 0)
		die(&err);
}

int main(int argc, char **argv)
{
	struct eb_events *events = eb_events_new(print_event, NULL);
	struct loaded l = { 0 };
	EB_AUTOBUF(text, MAX_LINE);
	char *dir;

	warnings = json_array();

	for (; argc > 1 && eb_starts(argv[1], "--"); argc--, argv++) {
		with_pip |= !strcmp(argv[1], "--pip");
		reverse |= !strcmp(argv[1], "--reverse");
		check |= !strcmp(argv[1], "--check");
		if (!strcmp(argv[1], "--store") && argc > 2) {
			store_dir = argv[2];
			argc--;
			argv++;
		}
	}
	if (argc < 3) {
		fputs("usage: solve_requests [--pip] [--reverse] [--check] "
		      "[--store DIR] REPODATA REQUESTS [ID...]\n",
		      stderr);
		return 2;
	}
	dir = realpath(argv[1], NULL);
	base_url = strstr(argv[1], "://")
			   ? eb_strdup(argv[1])
			   : eb_asprintf("file://%s", dir ? dir : argv[1]);
	read_all(argv[2], &text);
	for (char *p = text.data, *end; *p; p = end + 1) {
		end = strchrnul(p, '\n');
		if (end > p)
			answer_line(p, (size_t)(end - p), argv + 3, &l, events);
		if (!*end)
			break;
	}
	eb_repodata_free(l.rd);
	eb_channels_release(&l.channels);
	free(l.key);
	eb_http_free(l.http);
	eb_store_close(l.store);
	eb_events_free(events);
	json_decref(warnings);
	free(base_url);
	free(dir);
	return broken;
}
