/* SPDX-License-Identifier: Apache-2.0 */
/* The checker of sets: small ones, each rule by itself; then the known
 * solutions of real locks, and the same damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include <envbuild/file.h>
#include <envbuild/json.h>
#include <envbuild/solve_check.h>
#include <envbuild/stream.h>

#include <fcntl.h>

#define ALIAS "https://c.example"

/* --- a small set ----------------------------------------------------- */

struct world {
	struct eb_repodata *rd;
	struct eb_channels channels;
	struct eb_record record[16];
	const struct eb_record *member[16];
	struct eb_matchspec *spec[8];
	struct eb_virtual virtuals[4];
	struct eb_set set;
	struct eb_set_problems out;
	size_t n;
};

static void world_init(struct world *w)
{
	struct eb_error err = EB_ERROR_INIT;

	memset(w, 0, sizeof *w);
	w->rd = eb_repodata_new();
	assert_int_equal(eb_channels_add(&w->channels, "one", ALIAS, &err), 0);
	assert_int_equal(eb_channels_add(&w->channels, "two", ALIAS, &err), 0);
	w->virtuals[0] = (struct eb_virtual){ "__glibc", "2.17", "0" };
	w->virtuals[1] = (struct eb_virtual){ "__archspec", "1", "x86_64_v3" };
	w->set = (struct eb_set){
		.record = w->member,
		.spec = (const struct eb_matchspec *const *)w->spec,
		.virtuals = w->virtuals,
		.n_virtuals = 2,
		.subdir = "linux-64",
		.channels = &w->channels,
		.alias = ALIAS,
		.repodata = w->rd,
	};
}

static void world_free(struct world *w)
{
	for (size_t i = 0; i < w->n; i++)
		eb_record_release(&w->record[i]);
	for (size_t i = 0; i < w->set.n_specs; i++)
		eb_matchspec_free(w->spec[i]);
	eb_set_problems_release(&w->out);
	eb_channels_release(&w->channels);
	eb_repodata_free(w->rd);
}

/* "NAME VERSION BUILD" of a channel; lists with ";" between. */
static struct eb_record *make(struct world *w, unsigned channel,
			      const char *text, const char *needs,
			      const char *allows)
{
	struct eb_record *r = &w->record[w->n++];
	char name[32], version[32], build[32];

	assert_int_equal(sscanf(text, "%31s %31s %31s", name, version, build),
			 3);
	*r = (struct eb_record){
		.name = eb_strdup(name),
		.version = eb_strdup(version),
		.build = eb_strdup(build),
		.subdir = eb_strdup("linux-64"),
		.fn = eb_asprintf("%s-%s-%s.conda", name, version, build),
		.channel = eb_strdup(w->channels.channel[channel].canonical),
	};
	r->url = eb_asprintf("%s/linux-64/%s", r->channel, r->fn);
	if (*needs)
		eb_strv_split(&r->depends, needs, ";");
	if (*allows)
		eb_strv_split(&r->constrains, allows, ";");
	return r;
}

/* Only in the repodata. */
static void add(struct world *w, unsigned channel, const char *text)
{
	eb_repodata_add(w->rd, make(w, channel, text, "", ""), channel);
}

/* A member of the set. */
static struct eb_record *have(struct world *w, unsigned channel,
			      const char *text, const char *needs,
			      const char *allows)
{
	struct eb_record *r = make(w, channel, text, needs, allows);

	w->member[w->set.n++] = r;
	return r;
}

static void ask(struct world *w, const char *text)
{
	struct eb_error err = EB_ERROR_INIT;

	w->spec[w->set.n_specs] = eb_matchspec_parse(text, EB_STRICT, &err);
	assert_non_null(w->spec[w->set.n_specs++]);
}

/* All that is found: "CHECK SUBJECT TEXT", notes with "note " before. */
static void finds(struct world *w, const char *all)
{
	char got[4096] = "";

	eb_set_check(&w->set, &w->out);
	for (size_t i = 0; i < w->out.n; i++) {
		const struct eb_set_problem *p = &w->out.v[i];
		size_t n = strlen(got);

		snprintf(got + n, sizeof got - n, "%s%s: %s %s\n",
			 p->note ? "note " : "", p->check, p->subject, p->text);
	}
	assert_string_equal(got, all);
}

static void test_good(void **state)
{
	struct world w;

	(void)state;
	world_init(&w);
	have(&w, 0, "a 1.0 0", "b >=2,<3;__glibc >=2.17,<3.0.a0", "c <1");
	have(&w, 0, "b 2.1 0", "__archspec 1.* x86_64_v2", "__glibc >=2.5");
	add(&w, 0, "b 2.2 0");
	ask(&w, "a=1");
	ask(&w, "one::b");
	finds(&w, "");
	assert_int_equal(w.out.bad, 0);
	world_free(&w);
}

static void test_depends(void **state)
{
	struct world w;

	(void)state;
	world_init(&w);
	have(&w, 0, "a 1.0 0", "b >=2;gone;two::b", "");
	have(&w, 0, "b 1.9 0", "b >=1|", "");
	finds(&w,
	      "depends: a 1.0 0 needs \"b >=2\", and \"b 1.9 0\" is there\n"
	      "depends: a 1.0 0 needs \"gone\", which is not there\n"
	      "depends: a 1.0 0 needs \"two::b\", and \"b 1.9 0\" is there\n"
	      "note depends: b 1.9 0 needs \"b >=1|\", which cannot be read\n");
	assert_int_equal(w.out.bad, 3);
	world_free(&w);
}

static void test_constrains(void **state)
{
	struct world w;

	(void)state;
	world_init(&w);
	have(&w, 0, "a 1.0 0", "", "b <2;gone 1");
	have(&w, 0, "b 2.0 0", "", "__glibc >=2.28");
	finds(&w,
	      "constrains: a 1.0 0 allows only \"b <2\", and \"b 2.0 0\" is "
	      "there\n"
	      "machine: b 2.0 0 allows only \"__glibc >=2.28\", and \"__glibc "
	      "2.17 0\" is there\n");
	world_free(&w);
}

static void test_machine(void **state)
{
	struct world w;

	(void)state;
	world_init(&w);
	have(&w, 0, "a 1.0 0",
	     "__glibc >=2.28;__cuda;__archspec 1 x86_64_v4;__archspec 1 "
	     "x86_64_v3",
	     "__cuda >=12");
	finds(&w,
	      "machine: a 1.0 0 needs \"__glibc >=2.28\", and \"__glibc 2.17 "
	      "0\" is there\n"
	      "machine: a 1.0 0 needs \"__cuda\", which is not there\n"
	      "machine: a 1.0 0 needs \"__archspec 1 x86_64_v4\", and "
	      "\"__archspec 1 x86_64_v3\" is there\n");
	eb_set_problems_release(&w.out);
	w.set.virtuals = NULL;
	w.set.n_virtuals = 0;
	eb_set_check(&w.set, &w.out);
	assert_int_equal(w.out.bad, 0);
	assert_int_equal(w.out.n, 5);
	world_free(&w);
}

static void test_itself(void **state)
{
	struct world w;
	struct eb_record *r;

	(void)state;
	world_init(&w);
	have(&w, 0, "a 1.0 0", "", "");
	have(&w, 0, "a 1.1 0", "", "");
	r = have(&w, 0, "b 1..0 0", "", "");
	free(r->subdir);
	r->subdir = eb_strdup("linux-aarch64");
	r = have(&w, 0, "c 1 0", "", "");
	free(r->subdir);
	r->subdir = eb_strdup("noarch");
	r = have(&w, 0, "d 1 0", "", "");
	free(r->channel);
	r->channel = eb_strdup("https://other.example/x");
	finds(&w,
	      "twice: a 1.1 0 is a second \"a\" beside \"a 1.0 0\"\n"
	      "version: b 1..0 0 has no version that is one\n"
	      "platform: b 1..0 0 is for linux-aarch64, not for linux-64\n"
	      "channel: d 1 0 is from \"https://other.example/x\", which is "
	      "not among the channels\n");
	world_free(&w);
}

static void test_request(void **state)
{
	struct world w;

	(void)state;
	world_init(&w);
	have(&w, 0, "python 3.8 0", "b", "");
	have(&w, 0, "pip 20 0", "python", "");
	have(&w, 0, "b 1 0", "", "");
	have(&w, 0, "stray 1 0", "more", "");
	have(&w, 0, "more 1 0", "", "");
	ask(&w, "python=3.9");
	ask(&w, "numpy");
	finds(&w,
	      "request: python=3.9 was asked for, and \"python 3.8 0\" is "
	      "there\n"
	      "request: numpy was asked for and is not there\n"
	      "note unneeded: more 1 0 is there, and nothing asked for it\n"
	      "note unneeded: stray 1 0 is there, and nothing asked for it\n");
	world_free(&w);
}

static void test_priority(void **state)
{
	struct world w;

	(void)state;
	world_init(&w);
	add(&w, 0, "a 0.1 0");
	add(&w, 0, "b 0.1 0");
	have(&w, 1, "a 1.0 0", "", "");
	have(&w, 1, "b 1.0 0", "", "");
	have(&w, 1, "c 1.0 0", "", "");
	ask(&w, "two::b");
	ask(&w, "a");
	ask(&w, "c");
	finds(&w, "priority: a 1.0 0 is from \"two\", and \"one\", which "
		  "comes before, has a\n");
	eb_set_problems_release(&w.out);
	w.set.priority = EB_PRIORITY_DISABLED;
	finds(&w, "");
	world_free(&w);
}

static void test_features(void **state)
{
	struct world w;
	struct eb_record *r;

	(void)state;
	world_init(&w);
	add(&w, 0, "torch 1.0 cuda");
	r = have(&w, 0, "torch 1.0 cpu", "", "");
	r->features = eb_strdup("cpuonly");
	r = have(&w, 0, "tool 1.0 0", "", "");
	r->features = eb_strdup("odd");
	finds(&w, "note features: tool 1.0 0 has the feature \"odd\", which "
		  "nothing there asks for\n"
		  "features: torch 1.0 cpu has the feature \"cpuonly\", which "
		  "nothing there asks for; build cuda has it not\n");
	eb_set_problems_release(&w.out);
	r = have(&w, 0, "cpuonly 2.0 0", "", "");
	r->track_features = eb_strdup("odd cpuonly");
	finds(&w, "");
	world_free(&w);
}

static void test_conditions(void **state)
{
	struct world w;
	struct eb_record *r;

	(void)state;
	world_init(&w);
	r = have(&w, 0, "a 1.0 0",
		 "gone[when=\"b<1\"];away[when=\"b>=1 and (c or __glibc)\"]",
		 "");
	r->extra = eb_calloc(2, sizeof *r->extra);
	r->n_extras = 2;
	r->extra[0].name = eb_strdup("test");
	eb_strv_add(&r->extra[0].depends, "a[extras=[more]]");
	r->extra[1].name = eb_strdup("more");
	eb_strv_add(&r->extra[1].depends, "b >=3");
	have(&w, 0, "b 2.0 0", "", "");
	finds(&w, "depends: a 1.0 0 needs \"away[when=\"b>=1 and (c or "
		  "__glibc)\"]\", which is not there\n");
	eb_set_problems_release(&w.out);
	ask(&w, "a[extras=[test]]");
	finds(&w, "depends: a 1.0 0 needs \"away[when=\"b>=1 and (c or "
		  "__glibc)\"]\", which is not there\n"
		  "depends: a 1.0 0 needs \"b >=3\", and \"b 2.0 0\" is "
		  "there\n");
	world_free(&w);
}

static void test_pins(void **state)
{
	struct world w;

	(void)state;
	world_init(&w);
	have(&w, 0, "a 1.0 0", "", "");
	ask(&w, "a<1");
	ask(&w, "gone 2");
	w.set.pin = w.set.spec;
	w.set.n_pins = 2;
	w.set.spec = NULL;
	w.set.n_specs = 0;
	finds(&w, "pin: a[version='<1'] is pinned, and \"a 1.0 0\" is "
		  "there\n");
	w.set.n_specs = 2;
	world_free(&w);
}

/* --- known solutions ------------------------------------------------- */

struct known {
	char *dir;	/* of the data */
	char *merged;	/* URL of the channels */
	char *channels; /* of `rd`: "pytorch,nvidia,conda-forge" */
	struct eb_channels list;
	struct eb_repodata *rd;
	struct eb_strv text; /* of the virtual packages */
	struct eb_virtual virtuals[8];
	size_t n_virtuals;
	const struct eb_record *member[1024];
	size_t n;
	unsigned accepted, refused[4];
};

static json_t *solutions; /* list; NULL: no data */
static struct eb_strv judgeable;

static void read_lines(const char *path, struct eb_strv *out)
{
	struct eb_error err = EB_ERROR_INIT;
	EB_CLEANUP(eb_stream_free_ptr) struct eb_stream *in = NULL;
	EB_AUTOBUF(text, 64 << 20);
	eb_autofd int fd = open(path, O_RDONLY | O_CLOEXEC);
	char piece[65536];
	ssize_t n;

	assert_true(fd >= 0);
	in = eb_stream_decompress(eb_stream_fd(fd, 0, UINT64_MAX, path), path);
	while ((n = eb_stream_read(in, piece, sizeof piece, &err)) > 0)
		eb_buf_add(&text, piece, (size_t)n);
	assert_int_equal(n, 0);
	eb_strv_split(out, text.data, "\n");
}

static int read_data(void **state)
{
	const char *data = getenv("ENVBUILD_DATA");
	eb_autofree char *dir = eb_asprintf("%s/conda", data ? data : "?");
	eb_autofree char *rows = eb_path_join(dir, "locks/JUDGEABLE.tsv");
	eb_autofree char *sets =
		eb_path_join(dir, "locks/SOLUTIONS.linux-64.jsonl.zst");
	struct eb_strv line EB_CLEANUP(eb_strv_release) = { 0 };

	(void)state;
	if (!eb_path_exists(rows))
		return 0;
	read_lines(rows, &judgeable);
	read_lines(sets, &line);
	solutions = json_array();
	for (size_t i = 0; i < line.n; i++) {
		struct eb_error err = EB_ERROR_INIT;

		if (*line.v[i])
			json_array_append_new(solutions,
					      eb_json_parse(line.v[i],
							    strlen(line.v[i]),
							    "solutions", &err));
	}
	return 0;
}

static int forget_data(void **state)
{
	(void)state;
	json_decref(solutions);
	eb_strv_release(&judgeable);
	return 0;
}

static const json_t *urls_of(const char *lock, const char *env)
{
	json_t *one;
	size_t i;

	json_array_foreach (solutions, i, one) {
		if (!strcmp(eb_json_str(one, "lock"), lock) &&
		    !strcmp(eb_json_str(one, "env"), env))
			return eb_json_arr(one, "urls");
	}
	fail_msg("no solution %s %s", lock, env);
	return NULL;
}

static void load(struct known *k, const char *channels)
{
	struct eb_repodata_options options = { .subdir = "linux-64" };
	struct eb_strv name EB_CLEANUP(eb_strv_release) = { 0 };
	struct eb_error err = EB_ERROR_INIT;

	if (!k->channels || strcmp(k->channels, channels) != 0) {
		eb_repodata_free(k->rd);
		k->rd = NULL;
		eb_channels_release(&k->list);
		free(k->channels);
		k->channels = eb_strdup(channels);
		eb_strv_split(&name, channels, ",");
		for (size_t i = 0; i < name.n; i++)
			assert_int_equal(eb_channels_add(&k->list, name.v[i],
							 k->merged, &err),
					 0);
		if (eb_repodata_load(&k->list, &options, NULL, NULL, NULL,
				     &k->rd, &err) < 0)
			fail_msg("%s", err.message);
	}
}

static void machine(struct known *k, const char *text)
{
	struct eb_strv one EB_CLEANUP(eb_strv_release) = { 0 };

	eb_strv_release(&k->text);
	k->text = (struct eb_strv){ 0 };
	eb_strv_split(&one, text, ",");
	k->n_virtuals = one.n;
	for (size_t i = 0; i < one.n; i++)
		eb_strv_split(&k->text, one.v[i], "=");
	for (size_t i = 0; i < one.n; i++)
		k->virtuals[i] = (struct eb_virtual){ k->text.v[3 * i],
						      k->text.v[3 * i + 1],
						      k->text.v[3 * i + 2] };
}

/* Of a name, the channel's record of this file; whichever of both endings. */
static const struct eb_record *record_of(const struct known *k, const char *url)
{
	struct eb_strv part EB_CLEANUP(eb_strv_release) = { 0 };
	eb_autofree char *stem = NULL, *name = NULL;
	const uint32_t *row;
	size_t n;

	eb_strv_split(&part, url, "/");
	stem = eb_strdup(part.v[part.n - 1]);
	*strstr(stem, eb_ends(stem, ".conda") ? ".conda" : ".tar.bz2") = 0;
	name = eb_strdup(stem);
	*strrchr(name, '-') = 0;
	*strrchr(name, '-') = 0;
	n = eb_repodata_by_name(k->rd, name, &row);
	for (size_t i = 0; i < n; i++) {
		const struct eb_record *r =
			eb_repodata_record(k->rd, row[i], NULL);

		if (eb_starts(r->fn, stem) && r->fn[strlen(stem)] == '.' &&
		    !strcmp(r->subdir, part.v[part.n - 2]) &&
		    eb_ends(r->channel, part.v[part.n - 3]))
			return r;
	}
	fail_msg("%s: %s has no record", k->channels, url);
	return NULL;
}

/* How many findings, the first of them in `first`. */
static size_t judge(const struct known *k, char first[512])
{
	struct eb_set_problems out EB_CLEANUP(eb_set_problems_release) = { 0 };
	struct eb_set set = {
		.record = k->member,
		.n = k->n,
		.virtuals = k->virtuals,
		.n_virtuals = k->n_virtuals,
		.subdir = "linux-64",
		.channels = &k->list,
		.alias = k->merged,
		.repodata = k->rd,
	};

	*first = 0;
	eb_set_check(&set, &out);
	for (size_t i = 0; i < out.n && !*first; i++)
		if (!out.v[i].note)
			snprintf(first, 512, "%s: %s %s", out.v[i].check,
				 out.v[i].subject, out.v[i].text);
	return out.bad;
}

/* Does a member need this one? */
static bool is_needed(const struct known *k, const struct eb_record *r)
{
	size_t n = strlen(r->name);

	for (size_t i = 0; i < k->n; i++)
		for (size_t d = 0; d < k->member[i]->depends.n; d++) {
			const char *text = k->member[i]->depends.v[d];

			if (!strncmp(text, r->name, n) &&
			    (!text[n] || text[n] == ' '))
				return true;
		}
	return false;
}

/* One in place of the other, or (NULL) left out, has to be refused. */
static bool refused_with(struct known *k, size_t at,
			 const struct eb_record *instead)
{
	const struct eb_record *was = k->member[at];
	char first[512];
	size_t bad;

	if (instead)
		k->member[at] = instead;
	else
		k->member[at] = k->member[--k->n];
	bad = judge(k, first);
	if (!instead)
		k->member[k->n++] = k->member[at];
	k->member[at] = was;
	return bad > 0;
}

/* The lowest version of the name of a member: too old for somebody. */
static const struct eb_record *oldest(const struct known *k,
				      const struct eb_record *r)
{
	const struct eb_record *found = r;
	struct eb_error err = EB_ERROR_INIT;
	const uint32_t *row;
	size_t n = eb_repodata_by_name(k->rd, r->name, &row);

	for (size_t i = 0; i < n; i++) {
		const struct eb_record *one =
			eb_repodata_record(k->rd, row[i], NULL);
		EB_CLEANUP(eb_version_free_ptr)
		struct eb_version *a = eb_version_parse(one->version, &err);
		EB_CLEANUP(eb_version_free_ptr)
		struct eb_version *b = eb_version_parse(found->version, &err);

		if (!strcmp(one->channel, r->channel) &&
		    eb_version_compare(a, b) < 0)
			found = one;
	}
	return found;
}

static size_t member_of(const struct known *k, const char *name)
{
	size_t i = 0;

	while (i < k->n && strcmp(k->member[i]->name, name) != 0)
		i++;
	return i;
}

static void damage(struct known *k, const char *what)
{
	size_t needed = 0, python = member_of(k, "python");
	struct eb_record other = { 0 };
	char first[512];

	while (!is_needed(k, k->member[needed]))
		needed++;
	if (!refused_with(k, needed, NULL))
		fail_msg("%s without %s", what, k->member[needed]->name);
	k->refused[0]++;
	if (python < k->n &&
	    oldest(k, k->member[python]) != k->member[python]) {
		if (!refused_with(k, python, oldest(k, k->member[python])))
			fail_msg("%s with another python", what);
		k->refused[1]++;
	}
	k->member[k->n++] = k->member[needed];
	if (!judge(k, first) || !eb_starts(first, "twice"))
		fail_msg("%s with %s twice: %s", what, k->member[needed]->name,
			 first);
	k->n--;
	k->refused[2]++;
	other = *k->member[needed];
	other.subdir = (char *)"osx-arm64";
	if (!refused_with(k, needed, &other))
		fail_msg("%s with %s for another platform", what, other.name);
	k->refused[3]++;
}

static void check_row(struct known *k, const struct eb_strv *row)
{
	eb_autofree char *what = eb_asprintf("%s %s", row->v[0], row->v[1]);
	const json_t *urls = urls_of(row->v[0], row->v[1]);
	char first[512];
	json_t *url;
	size_t i;

	load(k, row->v[5]);
	machine(k, row->v[6]);
	k->n = 0;
	assert_true(json_array_size(urls) < 1000);
	json_array_foreach ((json_t *)urls, i, url)
		k->member[k->n++] = record_of(k, json_string_value(url));
	if (judge(k, first))
		fail_msg("%s: %s", what, first);
	k->accepted++;
	damage(k, what);
}

static void test_known(void **state)
{
	const char *data = getenv("ENVBUILD_DATA");
	struct known *k;

	(void)state;
	if (!solutions) {
		print_message("no conda/locks in ENVBUILD_DATA\n");
		skip();
	}
	k = eb_calloc(1, sizeof *k);
	k->dir = realpath(data, NULL);
	k->merged = eb_asprintf("file://%s/conda/repodata/merged", k->dir);
	for (size_t i = 1; i < judgeable.n; i++) {
		struct eb_strv row EB_CLEANUP(eb_strv_release) = { 0 };

		eb_strv_split(&row, judgeable.v[i], "\t");
		if (row.n > 6 && !strcmp(row.v[3], "yes"))
			check_row(k, &row);
	}
	print_message("%u known solutions accepted; refused without one %u, "
		      "with another python %u, one twice %u, another "
		      "platform %u\n",
		      k->accepted, k->refused[0], k->refused[1], k->refused[2],
		      k->refused[3]);
	assert_int_equal(k->accepted, 55);
	assert_int_equal(k->refused[0], 55);
	assert_true(k->refused[1] > 30);
	eb_repodata_free(k->rd);
	eb_channels_release(&k->list);
	eb_strv_release(&k->text);
	free(k->channels);
	free(k->merged);
	free(k->dir);
	free(k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_depends),
		cmocka_unit_test(test_constrains),
		cmocka_unit_test(test_machine),
		cmocka_unit_test(test_itself),
		cmocka_unit_test(test_request),
		cmocka_unit_test(test_priority),
		cmocka_unit_test(test_features),
		cmocka_unit_test(test_conditions),
		cmocka_unit_test(test_pins),
		cmocka_unit_test(test_known),
	};

	return cmocka_run_group_tests(tests, read_data, forget_data);
}
