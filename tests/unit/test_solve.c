/* SPDX-License-Identifier: Apache-2.0 */
/* Solving small worlds; each is written as lines of text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include <envbuild/file.h>
#include <envbuild/json.h>
#include <envbuild/solve.h>

/* --- a world --------------------------------------------------------- */

struct world {
	struct eb_repodata *rd;
	struct eb_solve_request q;
	struct eb_matchspec *spec[16];
	struct eb_virtual virtuals[8];
	struct eb_channels channels;
	struct eb_solution s;
	struct eb_error err;
	char *warning;
};

static void keep_warning(void *data, const struct eb_event *ev)
{
	struct world *w = data;

	if (ev->type == EB_EV_WARNING && !w->warning)
		w->warning = eb_strdup(ev->text);
}

static void world_init(struct world *w)
{
	memset(w, 0, sizeof *w);
	w->rd = eb_repodata_new();
	w->q.repodata = w->rd;
	w->q.priority = EB_PRIORITY_STRICT;
}

static void world_free(struct world *w)
{
	for (size_t i = 0; i < w->q.n_specs; i++)
		eb_matchspec_free(w->spec[i]);
	eb_solution_release(&w->s);
	eb_err_release(&w->err);
	eb_channels_release(&w->channels);
	eb_repodata_free(w->rd);
	free(w->warning);
}

static void add_list(struct eb_strv *list, char *text)
{
	char *save = NULL;

	for (char *p = strtok_r(text, ",", &save); p;
	     p = strtok_r(NULL, ",", &save)) {
		for (char *q = p; *q; q++)
			*q = *q == ';' ? ',' : *q == '#' ? '|' : *q;
		eb_strv_add(list, eb_strip(p));
	}
}

/* "GROUP: LIST" */
static void add_group(struct eb_record *r, char *data)
{
	char *list = data + strcspn(data, ":");

	*list++ = 0;
	r->extra = eb_realloc(r->extra, r->n_extras + 1, sizeof *r->extra);
	r->extra[r->n_extras] = (struct eb_extra){ .name = data };
	add_list(&r->extra[r->n_extras++].depends, list);
}

static void drop_lists(struct eb_record *r)
{
	eb_strv_release(&r->depends);
	eb_strv_release(&r->constrains);
	eb_strv_release(&r->flags);
	for (size_t i = 0; i < r->n_extras; i++)
		eb_strv_release(&r->extra[i].depends);
	free(r->extra);
}

/*
 * "CHANNEL NAME VERSION BUILD [NUMBER] [| KEY DATA]..." with the keys needs,
 * allows, flags (lists with ",", and ";" for a comma in one, "#" for a bar),
 * group, tracks, has and time.
 */
static void add(struct world *w, const char *line)
{
	char text[512], name[64], version[64], build[64], fn[256], url[512];
	char *save = NULL, *p;
	unsigned channel;
	int number = 0;
	struct eb_record r = { .subdir = "linux-64" };

	snprintf(text, sizeof text, "%s", line);
	p = strtok_r(text, "|", &save);
	assert_true(sscanf(p, "%u %63s %63s %63s %d", &channel, name, version,
			   build, &number) >= 4);
	snprintf(fn, sizeof fn, "%s-%s-%s.conda", name, version, build);
	snprintf(url, sizeof url, "https://h.org/ch%u", channel);
	r.name = name;
	r.version = version;
	r.build = build;
	r.build_number = (uint64_t)number;
	r.fn = fn;
	r.channel = url;
	while ((p = strtok_r(NULL, "|", &save))) {
		char *key = eb_strip(p), *data = key + strcspn(key, " ");

		if (*data)
			*data++ = 0;
		if (!strcmp(key, "needs"))
			add_list(&r.depends, data);
		else if (!strcmp(key, "allows"))
			add_list(&r.constrains, data);
		else if (!strcmp(key, "flags"))
			add_list(&r.flags, data);
		else if (!strcmp(key, "group"))
			add_group(&r, data);
		else if (!strcmp(key, "tracks"))
			r.track_features = data;
		else if (!strcmp(key, "has"))
			r.features = data;
		else if (!strcmp(key, "time"))
			r.timestamp = atoi(data);
		else
			fail_msg("unknown key %s", key);
	}
	eb_repodata_add(w->rd, &r, channel);
	drop_lists(&r);
}

static void add_all(struct world *w, const char *const *lines)
{
	for (; *lines; lines++)
		add(w, *lines);
}

static void want(struct world *w, const char *spec)
{
	struct eb_matchspec *m = eb_matchspec_parse(spec, EB_STRICT, &w->err);

	if (!m)
		fail_msg("%s", w->err.message);
	w->spec[w->q.n_specs++] = m;
	w->q.spec = (const struct eb_matchspec *const *)w->spec;
}

static void have(struct world *w, char *name, char *version, char *build)
{
	w->virtuals[w->q.n_virtuals++] =
		(struct eb_virtual){ name, version, build };
	w->q.virtuals = w->virtuals;
}

static int run(struct world *w)
{
	struct eb_events *events = eb_events_new(keep_warning, w);
	int got = eb_solve(&w->q, &w->s, events, &w->err);

	eb_events_free(events);
	return got;
}

/* "a-1-0 *b-2-0": in link order, a star where it was requested. */
static void assert_answer(struct world *w, const char *answer)
{
	EB_AUTOBUF(text, EB_MAX_CONFIG);

	if (run(w) < 0)
		fail_msg("%s", w->err.message);
	for (size_t i = 0; i < w->s.n; i++) {
		const struct eb_record *r =
			eb_repodata_record(w->rd, w->s.record[i], NULL);

		eb_buf_addf(&text, "%s%s%s-%s-%s", i ? " " : "",
			    w->s.requested[i] ? "*" : "", r->name, r->version,
			    r->build);
	}
	assert_string_equal(text.data, answer);
}

static void assert_no(struct world *w, const char *message)
{
	assert_int_equal(run(w), -1);
	assert_int_equal(w->err.code, EB_NO);
	assert_string_equal(w->err.message, message);
}

static const char *const python_world[] = {
	"0 python 3.8.1 h0 | needs libc >=2, zlib | time 5",
	"0 python 3.9.0 h0 | needs libc >=2, zlib | time 6",
	"0 python 2.7.9 h0 | needs libc, zlib",
	"0 libc 2.1 0",
	"0 zlib 1.2 0 | needs libc",
	"0 pip 20.0 0 | needs python >=3, setuptools",
	"0 setuptools 50 0 | needs python",
	"0 numpy 1.19 py38_0 | needs python 3.8.*, libc",
	"0 numpy 1.20 py38_0 | needs python 3.8.*, libc",
	"0 numpy 1.21 py39_0 | needs python 3.9.*, libc",
	"0 scipy 1.5 py38_0 | needs python 3.8.*, numpy >=1.19;<1.20",
	NULL,
};

/* --- answers --------------------------------------------------------- */

static void test_plain(void **state)
{
	struct world w;

	(void)state;
	world_init(&w);
	add_all(&w, python_world);
	want(&w, "numpy");
	assert_answer(&w, "libc-2.1-0 zlib-1.2-0 python-3.9.0-h0 "
			  "*numpy-1.21-py39_0");
	world_free(&w);

	world_init(&w);
	add_all(&w, python_world);
	want(&w, "scipy");
	want(&w, "python=3.8");
	assert_answer(&w, "libc-2.1-0 zlib-1.2-0 *python-3.8.1-h0 "
			  "numpy-1.19-py38_0 *scipy-1.5-py38_0");
	world_free(&w);

	world_init(&w);
	assert_answer(&w, "");
	world_free(&w);
}

static void test_pip(void **state)
{
	struct world w;

	(void)state;
	world_init(&w);
	add_all(&w, python_world);
	w.q.pip_beside_python = true;
	want(&w, "numpy=1.20");
	assert_answer(&w, "libc-2.1-0 zlib-1.2-0 python-3.8.1-h0 "
			  "*numpy-1.20-py38_0 setuptools-50-0 pip-20.0-0");
	world_free(&w);

	/* only pythons from 2 on get one, and one without pip is said */
	world_init(&w);
	add_all(&w, python_world);
	w.q.pip_beside_python = true;
	want(&w, "python=2.7");
	assert_answer(&w, "libc-2.1-0 zlib-1.2-0 *python-2.7.9-h0");
	assert_non_null(w.warning);
	assert_non_null(strstr(w.warning, "no pip"));
	world_free(&w);

	/* no python, no pip */
	world_init(&w);
	add_all(&w, python_world);
	w.q.pip_beside_python = true;
	want(&w, "zlib");
	assert_answer(&w, "libc-2.1-0 *zlib-1.2-0");
	world_free(&w);
}

static void test_strict_and_qualified(void **state)
{
	static const char *const lines[] = {
		"0 a 1 0",
		"1 a 2 0",
		"0 b 1 0 | needs a",
		"1 c 1 0 | needs a >=2",
		"0 d 1 0 | needs a >=2",
		NULL,
	};
	struct world w;

	(void)state;
	world_init(&w);
	add_all(&w, lines);
	want(&w, "b");
	assert_answer(&w, "a-1-0 *b-1-0");
	world_free(&w);

	world_init(&w);
	add_all(&w, lines);
	eb_channels_add(&w.channels, "https://h.org/ch0", NULL, &w.err);
	eb_channels_add(&w.channels, "https://h.org/ch1", NULL, &w.err);
	w.q.channels = &w.channels;
	want(&w, "c");
	assert_no(&w, "no solution: \"c\": it needs \"a >=2\", which "
		      "\"https://h.org/ch1\" has, but \"https://h.org/ch0\" "
		      "comes before it and has only a 1 (strict channel "
		      "priority)");
	assert_string_equal(w.err.hint, "--channel-priority flexible lets "
					"\"https://h.org/ch1\" give \"a\" too");
	world_free(&w);

	/* a channel that the user writes lifts the priority for that name */
	world_init(&w);
	add_all(&w, lines);
	w.q.alias = "https://h.org";
	want(&w, "ch1::a");
	want(&w, "d");
	assert_answer(&w, "*a-2-0 *d-1-0");
	assert_string_equal(
		eb_repodata_record(w.rd, w.s.record[0], NULL)->channel,
		"https://h.org/ch1");
	world_free(&w);

	world_init(&w);
	add_all(&w, lines);
	w.q.priority = EB_PRIORITY_FLEXIBLE;
	want(&w, "c");
	assert_answer(&w, "a-2-0 *c-1-0");
	world_free(&w);
}

static void test_features(void **state)
{
	static const char *const lines[] = {
		"0 torch 1.9 cpu_0 | has cpuonly",
		"0 torch 1.8 cuda_0 | needs cudatoolkit",
		"0 torch 1.8 cpu_0 | has cpuonly",
		"0 cpuonly 1 0 | tracks cpuonly",
		"0 cudatoolkit 10 0",
		"0 only 1 0 | has cpuonly",
		NULL,
	};
	struct world w;

	(void)state;
	world_init(&w);
	add_all(&w, lines);
	want(&w, "torch");
	assert_answer(&w, "cudatoolkit-10-0 *torch-1.8-cuda_0");
	world_free(&w);

	world_init(&w);
	add_all(&w, lines);
	want(&w, "torch");
	want(&w, "cpuonly");
	assert_answer(&w, "*cpuonly-1-0 *torch-1.9-cpu_0");
	world_free(&w);

	/* the feature that was asked for goes before the build number */
	world_init(&w);
	add_all(&w, lines);
	want(&w, "torch=1.8");
	want(&w, "cpuonly");
	assert_answer(&w, "*cpuonly-1-0 *torch-1.8-cpu_0");
	world_free(&w);

	world_init(&w);
	add_all(&w, lines);
	want(&w, "only");
	assert_answer(&w, "*only-1-0");
	assert_non_null(strstr(w.warning, "has the feature \"cpuonly\""));
	world_free(&w);
}

static void test_ranks(void **state)
{
	static const char *const lines[] = {
		/* as many as it tracks counts below the version only */
		"0 blas 3.9 mkl | tracks mkl",
		"0 blas 3.11 mkl | tracks mkl mkl2",
		"0 blas 3.11 other | tracks mkl mkl2 mkl3 | time 9",
		"0 x 1 b1 0 | needs dep <2 | time 9",
		"0 x 1 b2 0 | needs dep >=2 | time 1",
		"0 dep 1 0",
		"0 dep 2 0",
		"0 y 1 b1 0 | time 1",
		"0 y 1 b2 0 | time 2",
		"0 y 1 b3 0 | time 2",
		NULL,
	};
	struct world w;

	(void)state;
	world_init(&w);
	add_all(&w, lines);
	want(&w, "blas=*=mkl");
	want(&w, "x");
	want(&w, "y");
	assert_answer(&w, "*blas-3.11-mkl dep-2-0 *x-1-b2 *y-1-b3");
	world_free(&w);
}

static void test_machine(void **state)
{
	static const char *const lines[] = {
		"0 gpu 1 cuda | needs __cuda >=12",
		"0 lib 1 0 | needs __glibc >=2.17;<3.0.a0",
		"0 lib 2 0 | needs __glibc >=2.34",
		"0 meta 1 0 | allows __glibc >=2.30",
		"0 __cuda 13 0",
		NULL,
	};
	struct world w;

	(void)state;
	world_init(&w);
	add_all(&w, lines);
	have(&w, "__glibc", "2.31", "0");
	want(&w, "lib");
	want(&w, "meta");
	assert_answer(&w, "*lib-1-0 *meta-1-0");
	world_free(&w);

	/* a channel cannot pose as the machine */
	world_init(&w);
	add_all(&w, lines);
	want(&w, "gpu");
	assert_no(&w, "no solution: \"gpu\": it needs \"__cuda >=12\", but the "
		      "machine that the image is for has no __cuda");
	world_free(&w);

	world_init(&w);
	add_all(&w, lines);
	have(&w, "__cuda", "11.8", "0");
	want(&w, "gpu");
	assert_no(&w, "no solution: \"gpu\": it needs \"__cuda >=12\", but the "
		      "machine that the image is for has __cuda 11.8");
	world_free(&w);

	world_init(&w);
	add_all(&w, lines);
	have(&w, "__glibc", "2.28", "0");
	want(&w, "meta");
	assert_no(&w, "no solution: \"meta\": it goes only with \"__glibc "
		      ">=2.30\", but the machine that the image is for has "
		      "__glibc 2.28");
	world_free(&w);
}

/* A CPU runs what was built for any that it descends from. */
static void test_archspec(void **state)
{
	static const char *const lines[] = {
		"0 _x86_64-microarch-level 1 2_x86_64 2 | "
		"needs __archspec 1 x86_64",
		"0 _x86_64-microarch-level 2 2_x86_64_v2 2 | "
		"needs __archspec 1.* x86_64_v2",
		"0 _x86_64-microarch-level 3 2_haswell 2 | "
		"needs __archspec 1 haswell",
		"0 _x86_64-microarch-level 4 4_level4 4 | needs __archspec 1.* "
		"^(skylake_avx512#x86_64_v4)$",
		"0 fast 1 base",
		"0 fast 1 v3 1 | needs _x86_64-microarch-level >=3",
		NULL,
	};
	static const struct {
		char *machine;
		const char *want, *answer;
	} rows[] = {
		{ "x86_64", "fast", "*fast-1-base" },
		{ "x86_64", "_x86_64-microarch-level",
		  "*_x86_64-microarch-level-1-2_x86_64" },
		{ "x86_64_v3", "_x86_64-microarch-level",
		  "*_x86_64-microarch-level-2-2_x86_64_v2" },
		{ "x86_64_v3", "_x86_64-microarch-level=1",
		  "*_x86_64-microarch-level-1-2_x86_64" },
		{ "skylake", "fast",
		  "_x86_64-microarch-level-3-2_haswell *fast-1-v3" },
		{ "zen5", "_x86_64-microarch-level",
		  "*_x86_64-microarch-level-4-4_level4" },
		{ "zen3", "_x86_64-microarch-level",
		  "*_x86_64-microarch-level-2-2_x86_64_v2" },
		{ "unheard_of", "fast", "*fast-1-base" },
	};
	struct world w;

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		world_init(&w);
		add_all(&w, lines);
		have(&w, "__archspec", "1", rows[i].machine);
		want(&w, rows[i].want);
		assert_answer(&w, rows[i].answer);
		world_free(&w);
	}
	world_init(&w);
	add_all(&w, lines);
	have(&w, "__archspec", "1", "zen3");
	want(&w, "_x86_64-microarch-level=3");
	assert_int_equal(run(&w), -1);
	assert_non_null(strstr(w.err.message, "__archspec zen3"));
	world_free(&w);
}

/* Where CUDA is asked for, a framework is one for it. */
static void test_cuda(void **state)
{
	static const char *const lines[] = {
		"0 pytorch 2.9 cpu_py312_0 | needs libtorch 2.9 cpu_0",
		"0 pytorch 2.7 cuda126_py312_0 | needs libtorch 2.7 cuda126_0",
		"0 pytorch 2.7 cpu_py312_0 900 | needs libtorch 2.7 cpu_0",
		"0 libtorch 2.9 cpu_0",
		"0 libtorch 2.7 cpu_0 900",
		"0 libtorch 2.7 cuda126_0 | needs __cuda,cuda-version 12.*",
		"0 cuda-version 12.6 0",
		"0 cuda-version 11.8 0",
		"0 arrow 3 cpu_0",
		"0 arrow 2 cuda_0",
		NULL,
	};
	static const struct {
		char *machine;
		const char *want[2], *answer;
		bool warned;
	} rows[] = {
		{ NULL,
		  { "pytorch" },
		  "libtorch-2.9-cpu_0 *pytorch-2.9-cpu_py312_0",
		  false },
		{ "12.4",
		  { "pytorch" },
		  "cuda-version-12.6-0 libtorch-2.7-cuda126_0 "
		  "*pytorch-2.7-cuda126_py312_0",
		  false },
		{ "12.4",
		  { "pytorch=2.9" },
		  "libtorch-2.9-cpu_0 *pytorch-2.9-cpu_py312_0",
		  true },
		/* without a driver there are none for CUDA */
		{ NULL,
		  { "cuda-version=12.6", "pytorch" },
		  "*cuda-version-12.6-0 libtorch-2.9-cpu_0 "
		  "*pytorch-2.9-cpu_py312_0",
		  true },
		{ "12.4",
		  { "pytorch", "cuda-version=11.8" },
		  "*cuda-version-11.8-0 libtorch-2.9-cpu_0 "
		  "*pytorch-2.9-cpu_py312_0",
		  true },
		/* of what is no framework the newest is wanted */
		{ "12.4", { "arrow" }, "*arrow-3-cpu_0", false },
	};
	static char name[] = "__cuda", none[] = "0";
	struct world w;

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		world_init(&w);
		add_all(&w, lines);
		if (rows[i].machine)
			have(&w, name, rows[i].machine, none);
		for (size_t k = 0; k < 2 && rows[i].want[k]; k++)
			want(&w, rows[i].want[k]);
		assert_answer(&w, rows[i].answer);
		assert_int_equal(w.warning && strstr(w.warning, "for the CPU"),
				 rows[i].warned);
		world_free(&w);
	}
}

/* A pin binds what comes in, and brings nothing in. */
static void test_pins(void **state)
{
	static const char *const lines[] = {
		"0 app 1 0 | needs ssl",
		"0 app 2 0 | needs ssl >=3",
		"0 other 1 0",
		"0 ssl 1 0",
		"0 ssl 3 0",
		NULL,
	};
	struct eb_error err = EB_ERROR_INIT;
	struct eb_matchspec *pin =
		eb_matchspec_parse("ssl <3", EB_STRICT, &err);
	struct world w;

	(void)state;
	assert_non_null(pin);
	for (int i = 0; i < 4; i++) {
		world_init(&w);
		add_all(&w, lines);
		w.q.pin = (const struct eb_matchspec *const *)&pin;
		w.q.n_pins = 1;
		want(&w, i == 0	  ? "app"
			 : i == 1 ? "other"
			 : i == 2 ? "app=2"
				  : "ssl=3");
		if (i == 0)
			assert_answer(&w, "ssl-1-0 *app-1-0");
		else if (i == 1)
			assert_answer(&w, "*other-1-0");
		else if (i == 2)
			assert_no(&w, "no solution: \"app=2\": it needs "
				      "\"ssl >=3\", but \"ssl<3\" is pinned");
		else
			assert_no(&w, "no solution: \"ssl=3\": it is out, "
				      "since \"ssl<3\" is pinned");
		assert_true(i < 2 || strstr(w.err.hint, "pin"));
		world_free(&w);
	}
	eb_matchspec_free(pin);
}

static void test_cycle(void **state)
{
	static const char *const lines[] = {
		"0 b 1 0 | needs c",
		"0 c 1 0 | needs a",
		"0 a 1 0 | needs b",
		"0 z 1 0 | needs a",
		NULL,
	};
	struct world w;

	(void)state;
	world_init(&w);
	add_all(&w, lines);
	want(&w, "z");
	assert_answer(&w, "c-1-0 b-1-0 a-1-0 *z-1-0");
	world_free(&w);
}

static void test_search(void **state)
{
	/* the newest of each does not go together: two of one name, and a
	 * choice that shows itself wrong two steps later */
	static const char *const lines[] = {
		"0 a 2 0 | needs x >=2",
		"0 a 1 0 | needs x",
		"0 b 2 0 | needs m",
		"0 b 1 0 | needs x",
		"0 m 1 0 | needs x <2 | allows k <5",
		"0 x 1 0",
		"0 x 2 0",
		"0 k 5 0",
		NULL,
	};
	struct world w;

	(void)state;
	world_init(&w);
	add_all(&w, lines);
	want(&w, "a=2");
	want(&w, "b");
	assert_answer(&w, "x-2-0 *a-2-0 *b-1-0");
	world_free(&w);

	world_init(&w);
	add_all(&w, lines);
	want(&w, "b=2");
	want(&w, "a");
	assert_answer(&w, "x-1-0 *a-1-0 m-1-0 *b-2-0");
	world_free(&w);

	world_init(&w);
	add_all(&w, lines);
	want(&w, "b=2");
	want(&w, "k");
	assert_no(&w, "no solution: \"b=2\" and \"k\" cannot be had together: "
		      "\"b=2\" needs \"m\", which goes only with \"k <5\", "
		      "which no channel has (near: 5)");
	world_free(&w);
}

/* Whatever the order of specs and records, one answer. */
static void test_order(void **state)
{
	size_t n = 0;

	(void)state;
	while (python_world[n])
		n++;
	for (size_t shift = 0; shift < n; shift++) {
		struct world w;

		world_init(&w);
		for (size_t i = 0; i < n; i++)
			add(&w, python_world[(i * 7 + shift) % n]);
		want(&w, shift % 2 ? "numpy" : "pip");
		want(&w, shift % 2 ? "pip" : "numpy");
		want(&w, "python=3.8");
		assert_answer(&w, "libc-2.1-0 zlib-1.2-0 *python-3.8.1-h0 "
				  "*numpy-1.20-py38_0 setuptools-50-0 "
				  "*pip-20.0-0");
		world_free(&w);
	}
}

/* --- v3 -------------------------------------------------------------- */

/* What a world answers to some specs; with "no" nothing does. */
static void answers(const char *const *lines, const char *specs,
		    const char *answer)
{
	eb_autofree char *text = eb_strdup(specs);
	char *save = NULL;
	struct world w;

	world_init(&w);
	have(&w, "__unix", "0", "0");
	have(&w, "__glibc", "2.36", "0");
	add_all(&w, lines);
	for (char *p = strtok_r(text, "/", &save); p;
	     p = strtok_r(NULL, "/", &save))
		want(&w, p);
	if (strcmp(answer, "no"))
		assert_answer(&w, answer);
	else
		assert_int_equal(run(&w), -1);
	world_free(&w);
}

/* CEP 43. */
static void test_conditions(void **state)
{
	static const char *const world[] = {
		"0 python 3.8 0",
		"0 python 3.9 0",
		"0 numpy 1.21 0",
		"0 scipy 1.7 0",
		"0 win 1 0",
		"0 both 1 0",
		"0 some 1 0",
		"0 c 1 0 | needs python >=3.8, numpy[when='python >=3.9'],"
		" scipy[when=__unix], win[when='__win or __glibc<2.17']",
		"0 d 1 0 | needs python, both[when='python>=3.9 and numpy'],"
		" some[when='scipy or (numpy and __win)']",
		"0 e 1 0 | needs nothing[when='python>=3.9'], python",
		"0 f 1 0 | needs numpy[when='f>=1']",
		"0 g 1 0 | needs python, numpy[version='>=9';when='win']",
		"0 h 1 0 | needs h2[when=python], python",
		"0 h2 1 0 | needs python[version='3.8.*';when=h]",
		"0 i 1 0 | allows numpy[version='>2';when='python>=3.9'] |"
		" needs python",
		"0 j 1 0 | needs numpy[when='x and y and'], python",
		NULL,
	};

	(void)state;
	answers(world, "c/python=3.9",
		"*python-3.9-0 numpy-1.21-0 scipy-1.7-0 *c-1-0");
	answers(world, "c/python=3.8", "*python-3.8-0 scipy-1.7-0 *c-1-0");
	answers(world, "c", "python-3.9-0 numpy-1.21-0 scipy-1.7-0 *c-1-0");
	answers(world, "d", "python-3.9-0 *d-1-0");
	answers(world, "d/numpy", "both-1-0 python-3.9-0 *d-1-0 *numpy-1.21-0");
	answers(world, "d/numpy/python<3.9",
		"*python-3.8-0 *d-1-0 *numpy-1.21-0");
	answers(world, "d/scipy", "python-3.9-0 some-1-0 *d-1-0 *scipy-1.7-0");
	answers(world, "e", "python-3.8-0 *e-1-0");
	answers(world, "e/python=3.9", "no");
	answers(world, "f", "numpy-1.21-0 *f-1-0");
	answers(world, "g", "python-3.9-0 *g-1-0");
	answers(world, "g/win", "no");
	answers(world, "h", "python-3.8-0 h2-1-0 *h-1-0");
	answers(world, "i/numpy", "python-3.8-0 *i-1-0 *numpy-1.21-0");
	answers(world, "i", "python-3.9-0 *i-1-0");
	answers(world, "j", "no");
	/* of the user */
	answers(world, "python/numpy[when='python>=3.9']",
		"*numpy-1.21-0 *python-3.9-0");
	answers(world, "python=3.8/numpy[when='python>=3.9']", "*python-3.8-0");
	answers(world, "numpy[when=__unix]/win[when=__win]", "*numpy-1.21-0");
	answers(world, "numpy[when=python]/python[when=numpy]", "");
	answers(world, "python/absent[when=python]", "no");
	answers(world, "python/absent[when=__win]", "*python-3.9-0");
	answers(world, "python/numpy>9[when='python>=3.9']", "*python-3.8-0");
}

/* CEP 44. */
static void test_extras(void **state)
{
	static const char *const world[] = {
		"0 foo 1 0 | group x: bar <2 | group y: baz",
		"0 foo 2 0 | group x: bar <2;>0, qux[when=baz] |"
		" group z: quux[extras=q]",
		"0 foo 3 0 | needs foo-base",
		"0 foo-base 1 0",
		"0 bar 1 0",
		"0 bar 2 0",
		"0 baz 1 0",
		"0 qux 1 0",
		"0 quux 1 0 | group q: baz",
		"0 user 1 0 | needs foo[version='<3';extras=x]",
		"0 other 1 0 | needs foo[extras=z]",
		"0 bad 1 0 | group x: nothing",
		"0 maybe 1 0 | needs foo[extras=x;version=2;when=baz]",
		NULL,
	};

	(void)state;
	answers(world, "foo=1", "*foo-1-0");
	answers(world, "foo=1[extras=x]", "bar-1-0 *foo-1-0");
	answers(world, "foo=1[extras=[x, y]]", "bar-1-0 baz-1-0 *foo-1-0");
	answers(world, "foo=1[extras=[y]]/foo[extras=x]",
		"bar-1-0 baz-1-0 *foo-1-0");
	/* a group that it does not have adds nothing */
	answers(world, "foo[extras=[x, nothing]]", "foo-base-1-0 *foo-3-0");
	answers(world, "foo=1[extras=x]/bar=2", "no");
	answers(world, "foo<3[extras=x]/bar", "*bar-1-0 *foo-2-0");
	answers(world, "foo[extras=x]/bar=2", "*bar-2-0 foo-base-1-0 *foo-3-0");
	answers(world, "foo=2[extras=x]/baz",
		"bar-1-0 *baz-1-0 *foo-2-0 qux-1-0");
	answers(world, "user", "bar-1-0 foo-2-0 *user-1-0");
	answers(world, "user/other",
		"bar-1-0 baz-1-0 foo-2-0 *other-1-0 quux-1-0 qux-1-0 "
		"*user-1-0");
	answers(world, "bad", "*bad-1-0");
	answers(world, "bad[extras=x]", "no");
	answers(world, "maybe", "*maybe-1-0");
	answers(world, "maybe/baz/foo",
		"bar-1-0 *baz-1-0 *foo-2-0 *maybe-1-0 qux-1-0");
	answers(world, "foo=1[extras=x, when=baz]/baz",
		"bar-1-0 *baz-1-0 *foo-1-0");
}

/* CEP 45. */
static void test_flags(void **state)
{
	static const char *const world[] = {
		"0 torch 2 cpu 1 | flags cpu, blas:mkl",
		"0 torch 2 gpu 0 | flags cuda, blas:mkl",
		"0 torch 1 gpu 0 | flags cuda, blas:openblas",
		"0 torch 3 none 0",
		"0 app 1 0 | needs torch[flags=[cuda]]",
		NULL,
	};

	(void)state;
	answers(world, "torch", "*torch-3-none");
	answers(world, "torch[flags=blas:*]", "*torch-2-cpu");
	answers(world, "torch[flags=[cuda, blas:*]]", "*torch-2-gpu");
	answers(world, "torch[flags=[cuda, blas:open*]]", "*torch-1-gpu");
	answers(world, "torch[flags=rocm]", "no");
	answers(world, "app", "torch-2-gpu *app-1-0");
}

/* --- no answer ------------------------------------------------------- */

static void assert_why(const char *const *specs, const char *message)
{
	struct world w;

	world_init(&w);
	add_all(&w, python_world);
	for (; *specs; specs++)
		want(&w, *specs);
	assert_no(&w, message);
	world_free(&w);
}

#define WHY(message, ...) \
	assert_why((const char *const[]){ __VA_ARGS__, NULL }, message)

static void test_why(void **state)
{
	(void)state;
	WHY("no solution: \"nunpy\": no channel has a package of that name "
	    "(near: \"numpy\")",
	    "nunpy", "python");
	WHY("no solution: (1) \"python=3.7\": no such version; the nearest are "
	    "2.7.9, 3.8.1, 3.9.0; (2) \"ziplib\": no channel has a package of "
	    "that "
	    "name (near: \"zlib\")",
	    "python=3.7", "ziplib");
	WHY("no solution: \"numpy==1.20[build=py39*]\": the version is there, "
	    "but no such build; there is \"py38_0\"; such "
	    "builds exist for 1.21",
	    "numpy=1.20=py39*");
	WHY("no solution: \"__cuda\": the machine that the image is for has "
	    "none",
	    "__cuda");
	WHY("no solution: \"numpy=1.19\" and \"python=3.9\" cannot be had "
	    "together: \"numpy=1.19\" needs \"python 3.8.*\", but "
	    "\"python=3.9\" "
	    "is asked for",
	    "zlib", "python=3.9", "numpy=1.19", "libc");
	WHY("no solution: \"python=3.9\" and \"scipy\" cannot be had together: "
	    "\"scipy\" needs \"python 3.8.*\", but \"python=3.9\" is asked for",
	    "scipy", "zlib", "python=3.9");
	WHY("no solution: \"python=3.8\" and \"python=3.9\" cannot be had "
	    "together: no \"python\" satisfies both",
	    "python=3.8", "python=3.9");
	WHY("no solution: \"numpy=1.20\" and \"scipy\" cannot be had together: "
	    "\"scipy\" needs \"numpy >=1.19,<1.20\", but \"numpy=1.20\" is "
	    "asked for",
	    "numpy=1.20", "scipy", "pip");
}

static void test_why_hidden(void **state)
{
	struct world w;

	(void)state;
	world_init(&w);
	add(&w, "0 a 1 0");
	add(&w, "1 a 2 0");
	want(&w, "a=2");
	assert_no(&w, "no solution: \"a=2\": \"https://h.org/ch1\" has it, but "
		      "\"https://h.org/ch0\" comes before it and has only a 1 "
		      "(strict channel priority)");
	assert_non_null(w.err.hint);
	world_free(&w);

	world_init(&w);
	add(&w, "0 a 1 0");
	w.q.alias = "https://h.org";
	want(&w, "ch5::a");
	assert_no(&w, "no solution: \"ch5::a\": the channel \"ch5\" is not "
		      "among those "
		      "given; \"https://h.org/ch0\" has the package");
	world_free(&w);
}

/* What pruning alone does not see: three that exclude each other pairwise. */
static void test_why_sat(void **state)
{
	static const char *const lines[] = {
		"0 p 1 1 | needs s 1",
		"0 p 1 2 | needs s 2",
		"0 q 1 1 | needs s 1",
		"0 q 1 2 | needs s 3",
		"0 r 1 1 | needs s 2",
		"0 r 1 2 | needs s 3",
		"0 s 1 0",
		"0 s 2 0",
		"0 s 3 0",
		NULL,
	};
	struct world w;

	(void)state;
	world_init(&w);
	add_all(&w, lines);
	want(&w, "p");
	want(&w, "q");
	want(&w, "r");
	assert_int_equal(run(&w), -1);
	assert_int_equal(w.err.code, EB_NO);
	assert_non_null(strstr(w.err.message,
			       "\"p\", \"q\" and \"r\" cannot be "
			       "had together"));
	world_free(&w);
}

/* --- the scenarios of the vectors ------------------------------------ */

static void add_json(struct world *w, const json_t *record, unsigned channel)
{
	struct eb_record r = { 0 };
	char fn[256];

	snprintf(fn, sizeof fn, "%s-%s-%s.conda", eb_json_str(record, "name"),
		 eb_json_str(record, "version"), eb_json_str(record, "build"));
	if (eb_record_from_json(record, fn, "linux-64", &r, &w->err) < 0)
		fail_msg("%s", w->err.message);
	eb_repodata_add(w->rd, &r, channel);
	eb_record_release(&r);
}

static void load_scenario(struct world *w, const json_t *j)
{
	const char *priority = eb_json_str(j, "channel_priority");
	json_t *repo, *record, *item;
	size_t i, k;

	w->q.priority = !strcmp(priority, "strict")	? EB_PRIORITY_STRICT
			: !strcmp(priority, "flexible") ? EB_PRIORITY_FLEXIBLE
							: EB_PRIORITY_DISABLED;
	json_array_foreach (eb_json_arr(j, "repos"), i, repo)
		json_array_foreach (eb_json_arr(repo, "records"), k, record)
			add_json(w, record, (unsigned)i);
	json_array_foreach (eb_json_arr(j, "virtual"), i, item)
		have(w, (char *)json_string_value(json_array_get(item, 0)),
		     (char *)json_string_value(json_array_get(item, 1)),
		     (char *)json_string_value(json_array_get(item, 2)));
	json_array_foreach (eb_json_arr(j, "specs"), i, item)
		want(w, json_string_value(item));
}

static const struct eb_record *find(const struct world *w, const char *name)
{
	for (size_t i = 0; i < w->s.n; i++) {
		const struct eb_record *r =
			eb_repodata_record(w->rd, w->s.record[i], NULL);

		if (!strcmp(r->name, name))
			return r;
	}
	return NULL;
}

static void check_scenario(struct world *w, const json_t *j)
{
	const char *title = eb_json_str(j, "name");
	json_t *item;
	size_t i;

	if (json_is_true(json_object_get(j, "unsat"))) {
		if (run(w) == 0 || w->err.code != EB_NO)
			fail_msg("\"%s\": a solution was found", title);
		return;
	}
	if (run(w) < 0)
		fail_msg("\"%s\": %s", title, w->err.message);
	json_array_foreach (eb_json_arr(j, "expect"), i, item) {
		const char *build = json_string_value(json_array_get(item, 2));
		const struct eb_record *r =
			find(w, json_string_value(json_array_get(item, 0)));

		if (!r ||
		    strcmp(r->version,
			   json_string_value(json_array_get(item, 1))) ||
		    (build && strcmp(r->build, build)))
			fail_msg("\"%s\": %s is %s %s", title,
				 json_string_value(json_array_get(item, 0)),
				 r ? r->version : "absent", r ? r->build : "");
	}
	json_array_foreach (eb_json_arr(j, "absent"), i, item)
		if (find(w, json_string_value(item)))
			fail_msg("\"%s\": %s is there", title,
				 json_string_value(item));
}

static void test_scenarios(void **state)
{
	const char *data = getenv("ENVBUILD_DATA");
	eb_autofree char *path = eb_path_join(data ? data : "ENVBUILD_DATA",
					      "vectors/solver_scenarios.json");
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(text, EB_MAX_METADATA);
	eb_autojson json_t *list = NULL;
	json_t *j;
	size_t i;

	(void)state;
	if (!eb_path_exists(path)) {
		print_message("%s is not there\n", path);
		skip();
	}
	assert_int_equal(eb_read_file(path, EB_MAX_METADATA, &text, &err), 0);
	list = eb_json_parse(text.data, text.len, path, &err);
	assert_int_equal(json_array_size(list), 25);
	json_array_foreach (list, i, j) {
		struct world w;

		world_init(&w);
		load_scenario(&w, j);
		check_scenario(&w, j);
		world_free(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_pip),
		cmocka_unit_test(test_strict_and_qualified),
		cmocka_unit_test(test_features),
		cmocka_unit_test(test_ranks),
		cmocka_unit_test(test_machine),
		cmocka_unit_test(test_archspec),
		cmocka_unit_test(test_cuda),
		cmocka_unit_test(test_pins),
		cmocka_unit_test(test_cycle),
		cmocka_unit_test(test_search),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_conditions),
		cmocka_unit_test(test_extras),
		cmocka_unit_test(test_flags),
		cmocka_unit_test(test_why),
		cmocka_unit_test(test_why_hidden),
		cmocka_unit_test(test_why_sat),
		cmocka_unit_test(test_scenarios),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
