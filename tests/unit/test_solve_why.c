/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why there is no solution: each file of tests/golden/unsat is a small world,
 * what is asked of it, and below a line "---" what is said. Why nothing newer:
 * tests/golden/held, likewise. With ENVBUILD_GOLDEN=write the lower halves are
 * written.
 *
 *	# comment
 *	channels NAME...	in order; else there is one, conda-forge
 *	priority flexible	else strict
 *	machine NAME=VERSION[=BUILD]...
 *	elsewhere NAME SUBDIR...	what other platforms have
 *	pin SPEC
 *	pip			python brings pip
 *	CHANNEL NAME VERSION BUILD [NUMBER] [| needs A, B] [| allows A]
 *		[| tracks A] [| has A]		";" is "," in a version
 *	line LINE:COLUMN SPEC	of environment.yml
 *	option NAME SPEC	of the command line
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include <envbuild/file.h>
#include <envbuild/solve.h>

#define UNSAT "tests/golden/unsat"
#define HELD "tests/golden/held"
#define MOST 16

struct world {
	struct eb_repodata *rd;
	struct eb_solve_request q;
	struct eb_matchspec *spec[MOST], *pin[MOST];
	struct eb_solve_line line[MOST];
	struct eb_virtual virtuals[MOST];
	struct eb_channels channels;
	struct eb_strv text;	  /* pieces that the above point into */
	struct eb_strv elsewhere; /* lines "NAME SUBDIR..." */
	struct eb_unsolved unsolved;
	struct eb_error err;
};

/* --- the upper half -------------------------------------------------- */

static char *keep(struct world *w, const char *text)
{
	eb_strv_add(&w->text, text);
	return w->text.v[w->text.n - 1];
}

static struct eb_matchspec *spec_of(struct world *w, const char *text)
{
	struct eb_matchspec *m = eb_matchspec_parse(text, EB_STRICT, &w->err);

	if (!m)
		fail_msg("%s: %s", text, w->err.message);
	return m;
}

static void add_channels(struct world *w, const char *names)
{
	struct eb_strv name = { 0 };

	eb_strv_split(&name, names, " ");
	for (size_t i = 0; i < name.n; i++)
		if (eb_channels_add(&w->channels, name.v[i],
				    "https://h.example", &w->err) < 0)
			fail_msg("%s", w->err.message);
	eb_strv_release(&name);
}

static unsigned channel_of(struct world *w, const char *name)
{
	if (!w->channels.n)
		add_channels(w, "conda-forge");
	for (unsigned i = 0; i < w->channels.n; i++)
		if (!strcmp(w->channels.channel[i].name, name))
			return i;
	fail_msg("no channel \"%s\"", name);
	return 0;
}

static void add_machine(struct world *w, const char *text)
{
	struct eb_strv item = { 0 };

	eb_strv_split(&item, text, " ");
	for (size_t i = 0; i < item.n; i++) {
		char *name = keep(w, item.v[i]);
		char *version = strchr(name, '='), *build;

		*version++ = 0;
		build = strchr(version, '=');
		if (build)
			*build++ = 0;
		w->virtuals[w->q.n_virtuals++] =
			(struct eb_virtual){ name, version,
					     build ? build : (char *)"0" };
	}
	eb_strv_release(&item);
}

static void add_list(struct eb_strv *list, char *text)
{
	char *save = NULL;

	for (char *p = strtok_r(text, ",", &save); p;
	     p = strtok_r(NULL, ",", &save)) {
		for (char *q = p; *q; q++)
			if (*q == ';')
				*q = ',';
		eb_strv_add(list, eb_strip(p));
	}
}

static void add_extra(struct eb_record *r, char *item)
{
	char *key = eb_strip(item), *data = key + strcspn(key, " ");

	if (*data)
		*data++ = 0;
	if (!strcmp(key, "needs"))
		add_list(&r->depends, data);
	else if (!strcmp(key, "allows"))
		add_list(&r->constrains, data);
	else if (!strcmp(key, "tracks"))
		r->track_features = data;
	else if (!strcmp(key, "has"))
		r->features = data;
	else
		fail_msg("unknown key %s", key);
}

static void add_record(struct world *w, const char *line)
{
	char text[1024], channel[64], name[64], version[64], build[64];
	char fn[256], url[512], *save = NULL, *p;
	struct eb_record r = { .subdir = (char *)"linux-64" };
	int number = 0;
	unsigned at;

	snprintf(text, sizeof text, "%s", line);
	p = strtok_r(text, "|", &save);
	if (sscanf(p, "%63s %63s %63s %63s %d", channel, name, version, build,
		   &number) < 4)
		fail_msg("cannot be read: %s", line);
	at = channel_of(w, channel);
	snprintf(fn, sizeof fn, "%s-%s-%s.conda", name, version, build);
	snprintf(url, sizeof url, "https://h.example/%s", channel);
	r.name = name;
	r.version = version;
	r.build = build;
	r.build_number = (uint64_t)number;
	r.fn = fn;
	r.channel = url;
	while ((p = strtok_r(NULL, "|", &save)))
		add_extra(&r, p);
	eb_repodata_add(w->rd, &r, at);
	eb_strv_release(&r.depends);
	eb_strv_release(&r.constrains);
}

static void add_line(struct world *w, const char *text, bool in_file)
{
	char place[64];
	unsigned line = 0, column = 0;
	int n = 0;

	assert_true(w->q.n_specs < MOST);
	if (in_file && sscanf(text, "%u:%u %n", &line, &column, &n) < 2)
		fail_msg("no place: %s", text);
	if (!in_file && sscanf(text, "%63s %n", place, &n) < 1)
		fail_msg("no option: %s", text);
	w->spec[w->q.n_specs] = spec_of(w, text + n);
	w->line[w->q.n_specs++] = (struct eb_solve_line){
		keep(w, text + n),
		in_file ? "environment.yml" : keep(w, place),
		line,
		column,
	};
}

static void add(struct world *w, const char *line)
{
	if (!*line || *line == '#')
		return;
	if (eb_starts(line, "channels "))
		add_channels(w, line + 9);
	else if (!strcmp(line, "priority flexible"))
		w->q.priority = EB_PRIORITY_FLEXIBLE;
	else if (eb_starts(line, "machine "))
		add_machine(w, line + 8);
	else if (eb_starts(line, "elsewhere "))
		eb_strv_add(&w->elsewhere, line + 10);
	else if (eb_starts(line, "pin "))
		w->pin[w->q.n_pins++] = spec_of(w, line + 4);
	else if (!strcmp(line, "pip"))
		w->q.pip_beside_python = true;
	else if (eb_starts(line, "line "))
		add_line(w, line + 5, true);
	else if (eb_starts(line, "option "))
		add_line(w, line + 7, false);
	else
		add_record(w, line);
}

static void find_elsewhere(void *data, const char *name, struct eb_strv *out)
{
	const struct world *w = data;

	for (size_t i = 0; i < w->elsewhere.n; i++) {
		const char *line = w->elsewhere.v[i];
		size_t n = strcspn(line, " ");

		if (!strncmp(line, name, n) && !name[n])
			eb_strv_split(out, line + n + 1, " ");
	}
}

static void world_init(struct world *w, const char *text)
{
	struct eb_strv line = { 0 };

	memset(w, 0, sizeof *w);
	w->rd = eb_repodata_new();
	w->q.repodata = w->rd;
	w->q.priority = EB_PRIORITY_STRICT;
	w->q.virtuals = w->virtuals;
	eb_strv_split(&line, text, "\n");
	for (size_t i = 0; i < line.n && strcmp(line.v[i], "---") != 0; i++)
		add(w, line.v[i]);
	eb_strv_release(&line);
	w->q.spec = (const struct eb_matchspec *const *)w->spec;
	w->q.pin = (const struct eb_matchspec *const *)w->pin;
	w->q.line = w->line;
	w->q.channels = &w->channels;
	w->q.alias = "https://h.example";
	w->q.elsewhere = find_elsewhere;
	w->q.elsewhere_data = w;
	w->q.unsolved = &w->unsolved;
}

static void world_free(struct world *w)
{
	for (size_t i = 0; i < w->q.n_specs; i++)
		eb_matchspec_free(w->spec[i]);
	for (size_t i = 0; i < w->q.n_pins; i++)
		eb_matchspec_free(w->pin[i]);
	eb_unsolved_release(&w->unsolved);
	eb_err_release(&w->err);
	eb_channels_release(&w->channels);
	eb_repodata_free(w->rd);
	eb_strv_release(&w->text);
	eb_strv_release(&w->elsewhere);
}

/* --- solving it ------------------------------------------------------ */

static bool solves(struct world *w, struct eb_solve_request *q)
{
	struct eb_solution s = { 0 };
	struct eb_error err = EB_ERROR_INIT;
	int rc;

	(void)w;
	q->unsolved = NULL;
	rc = eb_solve(q, &s, NULL, &err);
	eb_solution_release(&s);
	eb_err_release(&err);
	return rc == 0;
}

/* As the program prints it. */
static void tell(struct world *w, struct eb_buf *out)
{
	struct eb_solution s = { 0 };

	if (eb_solve(&w->q, &s, NULL, &w->err) == 0)
		fail_msg("there is a solution");
	assert_int_equal(w->err.code, EB_NO);
	if (w->err.file)
		eb_buf_adds(out, w->err.file);
	if (w->err.line)
		eb_buf_addf(out, ":%u:%u", w->err.line, w->err.column);
	eb_buf_addf(out, "%s%s\n", w->err.file ? ": " : "", w->err.message);
	if (w->err.hint)
		eb_buf_addf(out, "  hint: %s\n", w->err.hint);
}

static void turn_round(struct world *w)
{
	for (size_t i = 0, k = w->q.n_specs; i + 1 < k; i++) {
		struct eb_matchspec *m = w->spec[i];
		struct eb_solve_line l = w->line[i];

		k--;
		w->spec[i] = w->spec[k];
		w->line[i] = w->line[k];
		w->spec[k] = m;
		w->line[k] = l;
	}
}

/* --- what every explanation keeps to --------------------------------- */

/* The lines of a problem fail together, and without any one of them do not. */
static void check_least(struct world *w, const struct eb_solve_problem *p)
{
	const struct eb_matchspec *some[MOST];
	struct eb_solve_request q = w->q;

	q.spec = some;
	q.line = NULL;
	for (size_t out = 0; out <= p->n; out++) {
		q.n_specs = 0;
		for (size_t i = 0; i < p->n; i++)
			if (i != out)
				some[q.n_specs++] = w->spec[p->spec[i]];
		if (solves(w, &q) != (out < p->n))
			fail_msg("with %zu of %zu lines: %s", q.n_specs, p->n,
				 p->text);
	}
}

/* Is it a line of a problem that `text` has no part in? */
static bool is_of_another(const struct world *w, size_t line, const char *text)
{
	for (size_t i = 0; i < w->unsolved.n; i++) {
		const struct eb_solve_problem *p = &w->unsolved.problem[i];
		bool has_line = false, has_text = false;

		for (size_t k = 0; k < p->n; k++) {
			has_line |= !strcmp(w->line[p->spec[k]].text,
					    w->line[line].text);
			has_text |= !strcmp(w->line[p->spec[k]].text, text);
		}
		if (has_line)
			return !has_text;
	}
	return false;
}

/* `"A" instead of "B"`: the request as a whole, but for other problems, has a
 * solution then. */
static void check_advice(struct world *w, const char *advice)
{
	static const char between[] = "\" instead of \"";

	for (const char *at = advice; (at = strstr(at, between));) {
		const struct eb_matchspec *spec[MOST];
		struct eb_solve_request q = w->q;
		const char *a = at;
		eb_autofree char *to = NULL, *from = NULL;
		struct eb_matchspec *m;

		while (a > advice && a[-1] != '"')
			a--;
		to = eb_strndup(a, (size_t)(at - a));
		at += strlen(between);
		from = eb_strndup(at, strcspn(at, "\""));
		m = spec_of(w, to);
		q.n_specs = 0;
		for (size_t i = 0; i < w->q.n_specs; i++)
			if (!strcmp(w->line[i].text, from))
				spec[q.n_specs++] = m;
			else if (!is_of_another(w, i, from))
				spec[q.n_specs++] = w->spec[i];
		q.spec = spec;
		q.line = NULL;
		if (!solves(w, &q))
			fail_msg("no solution with %s: %s (%s)", to,
				 w->err.message, advice);
		eb_matchspec_free(m);
	}
}

static void check_words(const char *text)
{
	static const char *const never[] = { "bit:", "only:", "[version=",
					     "[build=", "(null)" };

	for (size_t i = 0; i < sizeof never / sizeof *never; i++)
		if (strstr(text, never[i]))
			fail_msg("\"%s\" in: %s", never[i], text);
}

static void check(struct world *w)
{
	for (size_t i = 0; i < w->unsolved.n; i++)
		check_least(w, &w->unsolved.problem[i]);
	check_words(w->err.message);
	if (w->unsolved.advice)
		check_advice(w, w->unsolved.advice);
}

/* --- files ----------------------------------------------------------- */

static bool writes(void)
{
	const char *how = getenv("ENVBUILD_GOLDEN");

	return how && !strcmp(how, "write");
}

/* What follows the line "---", where the text above ends. */
static size_t lower_half(const struct eb_buf *text, const char *path)
{
	const char *p = strstr(text->data, "\n---\n");

	if (!p)
		fail_msg("%s has no line ---", path);
	return (size_t)(p - text->data) + 5;
}

static void compare(const char *path, struct eb_buf *file,
		    const struct eb_buf *got)
{
	size_t at = lower_half(file, path);
	FILE *f;

	if (!writes()) {
		if (strcmp(file->data + at, got->data) != 0)
			fail_msg("%s:\n%sis not\n%s", path, got->data,
				 file->data + at);
		return;
	}
	f = fopen(path, "we");
	assert_non_null(f);
	fprintf(f, "%.*s%s", (int)at, file->data, got->data);
	assert_int_equal(fclose(f), 0);
}

static void try_unsat(const char *path)
{
	EB_AUTOBUF(file, EB_MAX_CONFIG);
	EB_AUTOBUF(text, EB_MAX_CONFIG);
	EB_AUTOBUF(other, EB_MAX_CONFIG);
	struct world w, turned;
	struct eb_error err = EB_ERROR_INIT;

	if (eb_read_file(path, EB_MAX_CONFIG, &file, &err) < 0)
		fail_msg("%s", err.message);
	world_init(&w, file.data);
	tell(&w, &text);
	compare(path, &file, &text);
	check(&w);
	world_init(&turned, file.data);
	turn_round(&turned);
	tell(&turned, &other);
	assert_string_equal(text.data, other.data);
	world_free(&turned);
	world_free(&w);
}

static void each(const char *folder, void (*fn)(const char *path), size_t least)
{
	DIR *d = opendir(folder);
	struct dirent *e;
	struct eb_strv name = { 0 };

	if (!d) {
		print_message("%s is not there\n", folder);
		skip();
	}
	while ((e = readdir(d)))
		if (eb_ends(e->d_name, ".txt"))
			eb_strv_add(&name, e->d_name);
	closedir(d);
	eb_strv_sort(&name);
	assert_true(name.n >= least);
	for (size_t i = 0; i < name.n; i++) {
		eb_autofree char *path = eb_path_join(folder, name.v[i]);

		fn(path);
	}
	print_message("%zu files\n", name.n);
	eb_strv_release(&name);
}

static void test_unsat(void **state)
{
	(void)state;
	each(UNSAT, try_unsat, 30);
}

/* --- worlds by chance ------------------------------------------------ */

static uint32_t chance;

static uint32_t dice(uint32_t n)
{
	chance = chance * 1664525u + 1013904223u;
	return (chance >> 16) % n;
}

static const char *const six[] = { "a", "b", "c", "d", "e", "f" };

/* Six packages of three versions that want and exclude each other's, and some
 * lines; as the upper half of a file. */
static void roll(struct eb_buf *out)
{
	for (unsigned n = 0; n < 18; n++) {
		uint32_t one = dice(6), other = dice(6);

		eb_buf_addf(out, "conda-forge %s %u.0 0", six[n / 3],
			    n % 3 + 1);
		if (dice(3) && one != n / 3)
			eb_buf_addf(out, " | needs %s %s%u", six[one],
				    dice(2) ? ">=" : "<", dice(3) + 1);
		if (!dice(3) && other != n / 3)
			eb_buf_addf(out, " | allows %s %s%u", six[other],
				    dice(2) ? ">=" : "<", dice(3) + 1);
		eb_buf_adds(out, "\n");
	}
	for (unsigned i = 0, n = 1 + dice(5); i < n; i++)
		eb_buf_addf(out, "line %u:5 %s%s%u\n", i + 5, six[dice(6)],
			    dice(2)   ? "="
			    : dice(2) ? ">="
				      : "<",
			    dice(3) + 1);
}

/* What is said keeps to the rules, whatever there is. */
static void test_chance(void **state)
{
	unsigned unsolved = 0;

	(void)state;
	for (chance = 1; unsolved < 300; chance += 12345) {
		EB_AUTOBUF(text, EB_MAX_CONFIG);
		EB_AUTOBUF(said, EB_MAX_CONFIG);
		EB_AUTOBUF(other, EB_MAX_CONFIG);
		struct world w;

		roll(&text);
		world_init(&w, text.data);
		if (!solves(&w, &w.q)) {
			unsolved++;
			w.q.unsolved = &w.unsolved;
			tell(&w, &said);
			check(&w);
			eb_err_release(&w.err);
			eb_unsolved_release(&w.unsolved);
			turn_round(&w);
			tell(&w, &other);
			assert_string_equal(said.data, other.data);
		}
		world_free(&w);
	}
}

/* --- why nothing newer ----------------------------------------------- */

static void tell_lines(struct world *w, const struct eb_held *h,
		       struct eb_buf *out)
{
	for (size_t i = 0; i < h->n; i++) {
		const struct eb_solve_line *l = &w->line[h->spec[i]];

		eb_buf_addf(out, "  %s", l->file);
		if (l->line)
			eb_buf_addf(out, ":%u:%u", l->line, l->column);
		eb_buf_addf(out, ": %s\n", l->text);
	}
}

static void tell_held(struct world *w, struct eb_buf *out)
{
	struct eb_solution s = { 0 };
	struct eb_held_list held;

	if (eb_solve(&w->q, &s, NULL, &w->err) < 0 ||
	    eb_solve_held(&w->q, &s, &held, &w->err) < 0)
		fail_msg("%s", w->err.message);
	for (size_t i = 0; i < held.n; i++) {
		const struct eb_held *h = &held.v[i];

		eb_buf_addf(out, "%s %s (there is %s): %s\n", h->name,
			    h->version, h->newest, h->why);
		tell_lines(w, h, out);
	}
	eb_solution_release(&s);
	eb_held_list_release(&held);
}

static void try_held(const char *path)
{
	EB_AUTOBUF(file, EB_MAX_CONFIG);
	EB_AUTOBUF(text, EB_MAX_CONFIG);
	struct world w;
	struct eb_error err = EB_ERROR_INIT;

	if (eb_read_file(path, EB_MAX_CONFIG, &file, &err) < 0)
		fail_msg("%s", err.message);
	world_init(&w, file.data);
	tell_held(&w, &text);
	compare(path, &file, &text);
	check_words(text.data + strspn(text.data, " "));
	world_free(&w);
}

static void test_held(void **state)
{
	(void)state;
	each(HELD, try_held, 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unsat),
		cmocka_unit_test(test_held),
		cmocka_unit_test(test_chance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
