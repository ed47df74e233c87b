/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recorded requests that ask for CUDA: none ends on the CPU in silence. A
 * framework's build for the CPU is warned of, and the decision about base and
 * CUDA refuses such a set where a GPU is meant.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include <envbuild/decision.h>
#include <envbuild/json.h>
#include <envbuild/mem.h>
#include <envbuild/solve.h>
#include <envbuild/stream.h>

#define MAX_SPECS 128

struct run {
	char *data, *channels_key, *alias;
	struct eb_channels channels;
	struct eb_repodata *rd;
	struct eb_strv warning;
	unsigned asked, solved, told;
};

static void keep(void *data, const struct eb_event *ev)
{
	struct run *r = data;

	if (ev->type == EB_EV_WARNING)
		eb_strv_add(&r->warning, ev->text);
}

/* --- the requests ---------------------------------------------------- */

static void read_all(const char *path, struct eb_buf *text)
{
	struct eb_error err = EB_ERROR_INIT;
	EB_CLEANUP(eb_stream_free_ptr) struct eb_stream *in = NULL;
	eb_autofd int fd = open(path, O_RDONLY | O_CLOEXEC);
	char piece[65536];
	ssize_t n;

	if (fd < 0) {
		print_message("no %s\n", path);
		skip();
	}
	in = eb_stream_decompress(eb_stream_fd(fd, 0, UINT64_MAX, path), path);
	while ((n = eb_stream_read(in, piece, sizeof piece, &err)) > 0)
		eb_buf_add(text, piece, (size_t)n);
	assert_int_equal(n, 0);
}

static bool has_word(const json_t *list, const char *const *words)
{
	json_t *item;
	size_t i;

	json_array_foreach ((json_t *)list, i, item)
		for (const char *const *w = words; *w; w++)
			if (strstr(json_string_value(item), *w))
				return true;
	return false;
}

/* As a reader of the request would say. */
static bool asks_for_cuda(const json_t *j)
{
	static const char *const machine[] = { "__cuda=", NULL };
	static const char *const words[] = { "cuda", "cudnn", "-gpu", "gpu*",
					     NULL };

	return has_word(eb_json_arr(j, "virtual"), machine) ||
	       has_word(eb_json_arr(j, "specs"), words);
}

/* --- solving one ----------------------------------------------------- */

static void load(struct run *r, const json_t *list)
{
	struct eb_repodata_options options = { .subdir = "linux-64" };
	struct eb_error err = EB_ERROR_INIT;
	char *key = json_dumps(list, 0);
	json_t *name;
	size_t i;

	if (r->channels_key && !strcmp(r->channels_key, key)) {
		free(key);
		return;
	}
	free(r->channels_key);
	r->channels_key = key;
	eb_repodata_free(eb_steal(r->rd));
	eb_channels_release(&r->channels);
	json_array_foreach ((json_t *)list, i, name)
		assert_int_equal(eb_channels_add(&r->channels,
						 json_string_value(name),
						 r->alias, &err),
				 0);
	if (eb_repodata_load(&r->channels, &options, NULL, NULL, NULL, &r->rd,
			     &err) < 0)
		fail_msg("%s", err.message);
}

static size_t read_specs(const json_t *list, struct eb_matchspec **spec)
{
	size_t n = json_array_size(list);

	assert_true(n <= MAX_SPECS);
	for (size_t i = 0; i < n; i++) {
		struct eb_error err = EB_ERROR_INIT;

		spec[i] = eb_matchspec_parse(
			json_string_value(json_array_get(list, i)), EB_LENIENT,
			&err);
		if (!spec[i])
			fail_msg("%s", err.message);
	}
	return n;
}

static size_t read_virtuals(const json_t *list, struct eb_strv *pieces,
			    struct eb_virtual *v)
{
	size_t n = json_array_size(list);

	assert_true(n <= 8);
	for (size_t i = 0; i < n; i++)
		eb_strv_split(pieces,
			      json_string_value(json_array_get(list, i)), "=");
	assert_int_equal(pieces->n, 3 * n);
	for (size_t i = 0; i < n; i++)
		v[i] = (struct eb_virtual){ pieces->v[3 * i],
					    pieces->v[3 * i + 1],
					    pieces->v[3 * i + 2] };
	return n;
}

/* --- what came of it ------------------------------------------------- */

static bool is_cpu_build(const struct eb_record *r)
{
	static const char *const names[] = { "pytorch",	   "libtorch",
					     "tensorflow", "tensorflow-base",
					     "jaxlib",	   "torchvision",
					     "torchaudio", NULL };

	for (const char *const *n = names; *n; n++)
		if (!strcmp(*n, r->name))
			return !strstr(r->build, "cu") &&
			       !strstr(r->build, "gpu");
	return false;
}

static bool is_refused(const struct run *r, const struct eb_solution *s)
{
	static const struct eb_spec nothing = { .file = (char *)"request" };
	eb_autofree struct eb_decision_package *package =
		eb_calloc(s->n + 1, sizeof *package);
	EB_CLEANUP(eb_decision_free_ptr) struct eb_decision *d = NULL;
	struct eb_error err = EB_ERROR_INIT;
	struct eb_decision_request q = { .spec = &nothing,
					 .platform = "linux/amd64",
					 .gpu = EB_GPU_YES,
					 .solved = true,
					 .package = package,
					 .n_packages = s->n };

	for (size_t i = 0; i < s->n; i++)
		eb_decision_from_record(
			eb_repodata_record(r->rd, s->record[i], NULL),
			&package[i]);
	assert_int_equal(eb_decide(&q, &d, &err), 0);
	return d->refused;
}

static void check(struct run *r, const char *id, const struct eb_solution *s)
{
	unsigned cpu = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct eb_record *p =
			eb_repodata_record(r->rd, s->record[i], NULL);
		bool warned = false;

		if (!is_cpu_build(p))
			continue;
		cpu++;
		for (size_t k = 0; k < r->warning.n; k++)
			warned |= strstr(r->warning.v[k], p->fn) != NULL;
		if (!warned)
			fail_msg("%s: %s in silence", id, p->fn);
	}
	if (cpu && !is_refused(r, s))
		fail_msg("%s: a set for the CPU is taken for a GPU's", id);
	r->told += cpu > 0;
}

static void solve(struct run *r, const json_t *j)
{
	struct eb_events *events = eb_events_new(keep, r);
	struct eb_matchspec *spec[MAX_SPECS];
	struct eb_virtual v[8];
	EB_CLEANUP(eb_strv_release) struct eb_strv pieces = { 0 };
	EB_CLEANUP(eb_solution_release) struct eb_solution s = { 0 };
	struct eb_error err = EB_ERROR_INIT;
	struct eb_solve_request q = {
		.spec = (const struct eb_matchspec *const *)spec,
		.virtuals = v,
		.channels = &r->channels,
		.alias = r->alias,
	};

	load(r, eb_json_arr(j, "channels"));
	q.repodata = r->rd;
	q.n_specs = read_specs(eb_json_arr(j, "specs"), spec);
	q.n_virtuals = read_virtuals(eb_json_arr(j, "virtual"), &pieces, v);
	if (!strcmp(eb_json_str(j, "channel_priority"), "disabled"))
		q.priority = EB_PRIORITY_DISABLED;
	if (eb_solve(&q, &s, events, &err) == 0) {
		r->solved++;
		check(r, eb_json_str(j, "id"), &s);
	}
	eb_err_release(&err);
	for (size_t i = 0; i < q.n_specs; i++)
		eb_matchspec_free(spec[i]);
	eb_strv_release(&r->warning);
	eb_events_free(events);
}

static void each_line(struct run *r, char *text)
{
	char *save = NULL;

	for (char *line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		struct eb_error err = EB_ERROR_INIT;
		json_t *j = eb_json_parse(line, strlen(line), "line", &err);

		assert_non_null(j);
		/* those without an answer cost time and say nothing here */
		if (asks_for_cuda(j) &&
		    json_is_true(json_object_get(j, "satisfiable"))) {
			r->asked++;
			solve(r, j);
		}
		json_decref(j);
	}
}

static void test_requests(void **state)
{
	const char *data = getenv("ENVBUILD_DATA");
	EB_AUTOBUF(text, (size_t)64 << 20);
	eb_autofree char *path = NULL, *alias = NULL;
	struct run r = { 0 };

	(void)state;
	if (!data) {
		print_message("ENVBUILD_DATA is not set\n");
		skip();
	}
	path = eb_asprintf("%s/conda/solves/requests-open.jsonl.zst", data);
	r.alias = alias = eb_asprintf("file://%s/conda/repodata/merged", data);
	read_all(path, &text);
	each_line(&r, text.data);
	print_message("%u requests for CUDA, %u solved, %u on the CPU, told\n",
		      r.asked, r.solved, r.told);
	assert_true(r.asked >= 40);
	assert_int_equal(r.solved, r.asked);
	/* one of them has no other answer */
	assert_int_equal(r.told, 1);
	free(r.channels_key);
	eb_channels_release(&r.channels);
	eb_repodata_free(r.rd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_requests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
