/* SPDX-License-Identifier: Apache-2.0 */
/* Clashes: one path in several packages; folders that are links. */
#include "store_fixture.h"

#include <envbuild/plan.h>

#define PREFIX "/opt/env"

/* A set of packages in link order, made line by line. */
struct set {
	struct eb_clash_member m[8];
	struct eb_entries e[8];
	size_t n;
};

/* Paths separated by blanks: "x" a file, "x=text" with content, "x>t" a link,
 * "x/" an empty folder; all below opt/env. */
static void add_path(struct eb_entries *e, const char *word)
{
	size_t n = strcspn(word, "=>");
	eb_autofree char *path = eb_asprintf("opt/env/%.*s", (int)n, word);
	struct eb_error err = EB_ERROR_INIT;
	const char *more = word[n] ? word + n + 1 : "";

	if (word[n] == '>')
		eb_entries_add(e, path, EB_ENTRY_LINK)->target =
			eb_strdup(more);
	else if (eb_ends(path, "/"))
		path[strlen(path) - 1] = '\0',
				    eb_entries_add(e, path, EB_ENTRY_DIR);
	else
		must(eb_entries_add_file(e, path, 0644, 1, more, strlen(more),
					 &err),
		     &err);
}

static void add(struct set *s, const char *name, const char *paths)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv words = { 0 };
	struct eb_error err = EB_ERROR_INIT;
	struct eb_entries *e = &s->e[s->n];
	size_t i;

	eb_strv_split(&words, paths, " ");
	for (i = 0; i < words.n; i++)
		add_path(e, words.v[i]);
	must(eb_entries_sort(e, name, &err), &err);
	s->m[s->n++] = (struct eb_clash_member){
		.name = name,
		.paths = e,
		.is_python = strcmp(name, "python") == 0,
	};
}

static void release(struct set *s)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		eb_entries_release(&s->e[i]);
}

static void find(const struct set *s, struct eb_clashes *c)
{
	struct eb_error err = EB_ERROR_INIT;

	must(eb_clashes_find(s->m, s->n, PREFIX, c, &err), &err);
}

static void refused(const struct set *s, const char *a, const char *b,
		    const char *path)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_clashes c;

	assert_int_equal(eb_clashes_find(s->m, s->n, PREFIX, &c, &err), -1);
	assert_int_equal(err.code, EB_INPUT);
	if (!strstr(err.message, a) || !strstr(err.message, b) ||
	    !strstr(err.message, path))
		fail_msg("%s", err.message);
	eb_err_release(&err);
}

static void nothing_in_common(void **state)
{
	struct set s EB_CLEANUP(release) = { .n = 0 };
	struct eb_clashes c;

	(void)state;
	find(&s, &c);
	assert_int_equal(c.n, 0);
	add(&s, "a", "bin/a lib/x/ share/doc/a");
	add(&s, "b", "bin/b lib/x/ share/doc/b lib/x/y");
	find(&s, &c);
	assert_int_equal(c.n, 0);
	eb_clashes_release(&c);
}

static void last_in_link_order_wins(void **state)
{
	struct set s EB_CLEANUP(release) = { .n = 0 };
	struct eb_clashes c;

	(void)state;
	add(&s, "zlast", "bin/x=1 bin/same=s lib/l>t share/q=1");
	add(&s, "middle", "bin/x=2 bin/same=s lib/l>t bin/only");
	add(&s, "afirst", "bin/x=1 share/q>1");
	find(&s, &c);
	assert_int_equal(c.n, 4);
	assert_string_equal(c.clash[0].path, "opt/env/bin/same");
	assert_true(c.clash[0].same);
	assert_int_equal(c.clash[0].n, 2);
	assert_string_equal(c.clash[1].path, "opt/env/bin/x");
	assert_false(c.clash[1].same);
	assert_int_equal(c.clash[1].n, 3);
	assert_int_equal(c.clash[1].winner, 2);
	assert_int_equal(c.clash[1].member[0], 0);
	assert_int_equal(c.clash[1].member[1], 1);
	assert_int_equal(c.clash[1].member[2], 2);
	assert_string_equal(c.clash[2].path, "opt/env/lib/l");
	assert_true(c.clash[2].same);
	assert_int_equal(c.clash[2].winner, 1);
	assert_string_equal(c.clash[3].path, "opt/env/share/q");
	assert_false(c.clash[3].same);
	eb_clashes_release(&c);
}

/* Same content, other mode: a copy is needed. */
static void mode_counts(void **state)
{
	struct set s EB_CLEANUP(release) = { .n = 0 };
	struct eb_clashes c;

	(void)state;
	add(&s, "a", "bin/x=1");
	add(&s, "b", "bin/x=1");
	s.e[1].entry[0].mode = 0755;
	find(&s, &c);
	assert_int_equal(c.n, 1);
	assert_false(c.clash[0].same);
	eb_clashes_release(&c);
}

static void left_out(const struct set *s, const struct eb_clashes *c, size_t i,
		     const char *want)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv out = { 0 };
	EB_AUTOBUF(text, 10000);
	size_t k;

	eb_clashes_left_out(c, s->m, i, &out);
	for (k = 0; k < out.n; k++)
		eb_buf_addf(&text, "%s%s", k ? " " : "",
			    out.v[k] + strlen("opt/env/"));
	assert_string_equal(text.data, want);
}

/* Of two parts in one bucket all but the first by name leave a path out; own
 * layers and other buckets do not count. */
static void first_by_name_keeps_the_path(void **state)
{
	struct set s EB_CLEANUP(release) = { .n = 0 };
	struct eb_clashes c;

	(void)state;
	add(&s, "d", "p=1 q=1 r=1 alone");
	add(&s, "b", "p=2 q=1");
	add(&s, "c", "p=3 r=2");
	add(&s, "a", "q=4 r=3");
	s.m[0].bucket = s.m[1].bucket = s.m[2].bucket = 5;
	s.m[3].bucket = 6;
	find(&s, &c);
	left_out(&s, &c, 0, "p q r");
	left_out(&s, &c, 1, "");
	left_out(&s, &c, 2, "p");
	left_out(&s, &c, 3, "");
	s.m[1].own = true;
	left_out(&s, &c, 0, "p r");
	left_out(&s, &c, 1, "");
	left_out(&s, &c, 2, "");
	eb_clashes_release(&c);
}

static void file_and_folder(void **state)
{
	struct set s EB_CLEANUP(release) = { .n = 0 };
	struct set t EB_CLEANUP(release) = { .n = 0 };
	struct set u EB_CLEANUP(release) = { .n = 0 };

	(void)state;
	add(&s, "alpha", "lib/x");
	add(&s, "beta", "lib/x/y");
	refused(&s, "\"alpha\"", "\"beta\"", "\"opt/env/lib/x\"");
	add(&t, "alpha", "lib/x/");
	add(&t, "beta", "lib/x");
	refused(&t, "\"alpha\"", "\"beta\"", "\"opt/env/lib/x\"");
	add(&u, "alpha", "lib/x/y/z/w");
	add(&u, "gamma", "other");
	add(&u, "beta", "lib/x/y");
	refused(&u, "\"alpha\"", "\"beta\"", "\"opt/env/lib/x/y\"");
}

static void python_and_conda_meta_are_safe(void **state)
{
	struct set s EB_CLEANUP(release) = { .n = 0 };
	struct set t EB_CLEANUP(release) = { .n = 0 };
	struct set u EB_CLEANUP(release) = { .n = 0 };
	struct eb_clashes c;

	(void)state;
	add(&s, "python", "lib/os.py");
	add(&s, "evil", "lib/os.py=x");
	refused(&s, "\"evil\"", "\"python\"", "\"opt/env/lib/os.py\"");
	add(&t, "earlier", "lib/tk=1");
	add(&t, "python", "lib/tk=2"); /* python may win */
	find(&t, &c);
	assert_int_equal(c.n, 1);
	assert_int_equal(c.clash[0].winner, 1);
	eb_clashes_release(&c);
	add(&u, "one", "conda-meta/one.json=x");
	add(&u, "two", "conda-meta/one.json=x");
	refused(&u, "\"one\"", "\"two\"", "conda-meta/one.json");
}

/* One package's folder is another's link inside the prefix. */
static void links_to_folders(void **state)
{
	static const char *const good[] = { "lib", "./lib", "../env/lib",
					    "/opt/env/lib", "a/../lib/" };
	static const char *const bad[] = { "/usr/lib",	 "..",
					   "../../../x", "/",
					   "/opt/envy",	 "../envy" };
	struct eb_clashes c;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof good / sizeof *good; i++) {
		struct set s EB_CLEANUP(release) = { .n = 0 };
		eb_autofree char *link = eb_asprintf("lib64>%s", good[i]);

		add(&s, "a", link);
		add(&s, "b", "lib64/x.so");
		find(&s, &c);
		assert_int_equal(c.n, 0);
		eb_clashes_release(&c);
	}
	for (i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct set s EB_CLEANUP(release) = { .n = 0 };
		eb_autofree char *link = eb_asprintf("lib64>%s", bad[i]);

		add(&s, "a", link);
		add(&s, "b", "lib64/x.so");
		refused(&s, "\"a\"", "\"b\"", "\"opt/env/lib64\"");
	}
}

static void resolve(const struct set *s, struct eb_moves *moves)
{
	struct eb_error err = EB_ERROR_INIT;

	must(eb_paths_resolve(s->m, s->n, PREFIX, moves, &err), &err);
}

static void moved(const struct eb_moves *moves, size_t i, size_t member,
		  const char *from, const char *to)
{
	assert_true(i < moves->n);
	assert_int_equal(moves->move[i].member, member);
	assert_string_equal(moves->move[i].from, from);
	if (to)
		assert_string_equal(moves->move[i].to, to);
	else
		assert_null(moves->move[i].to);
}

static void paths_below_links_move(void **state)
{
	struct set s EB_CLEANUP(release) = { .n = 0 };
	struct eb_moves moves;
	struct eb_error err = EB_ERROR_INIT;
	struct eb_clashes c;

	(void)state;
	add(&s, "a", "lib64>lib lib/a.so lib/cur>v2 lib/v2/x");
	add(&s, "b", "lib64/b.so lib64/sub/c lib64.txt bin/b");
	add(&s, "c", "lib64/ lib64/cur/y lib64/a.so");
	resolve(&s, &moves);
	assert_int_equal(moves.n, 5);
	moved(&moves, 0, 1, "opt/env/lib64/b.so", "opt/env/lib/b.so");
	moved(&moves, 1, 1, "opt/env/lib64/sub/c", "opt/env/lib/sub/c");
	moved(&moves, 2, 2, "opt/env/lib64", NULL);
	moved(&moves, 3, 2, "opt/env/lib64/a.so", "opt/env/lib/a.so");
	moved(&moves, 4, 2, "opt/env/lib64/cur/y", "opt/env/lib/v2/y");
	must(eb_moves_apply(&moves, 0, &s.e[0], "a", &err), &err);
	must(eb_moves_apply(&moves, 1, &s.e[1], "b", &err), &err);
	must(eb_moves_apply(&moves, 2, &s.e[2], "c", &err), &err);
	assert_int_equal(s.e[0].n, 4);
	assert_int_equal(s.e[1].n, 4);
	assert_non_null(eb_entries_find(&s.e[1], "opt/env/lib/b.so"));
	assert_non_null(eb_entries_find(&s.e[1], "opt/env/lib64.txt"));
	assert_int_equal(s.e[2].n, 2);
	find(&s, &c); /* what clashes in truth is seen now */
	assert_int_equal(c.n, 1);
	assert_string_equal(c.clash[0].path, "opt/env/lib/a.so");
	eb_clashes_release(&c);
	eb_moves_release(&moves);
}

static void no_links_no_moves(void **state)
{
	struct set s EB_CLEANUP(release) = { .n = 0 };
	struct eb_moves moves;

	(void)state;
	add(&s, "a", "lib/libz.so>libz.so.1 lib/libz.so.1 man>share/man");
	add(&s, "b", "lib/x share/man/b.1");
	resolve(&s, &moves);
	assert_int_equal(moves.n, 0);
	eb_moves_release(&moves);
}

static void bad_links_are_refused(void **state)
{
	struct set s EB_CLEANUP(release) = { .n = 0 };
	struct set t EB_CLEANUP(release) = { .n = 0 };
	struct eb_error err = EB_ERROR_INIT;
	struct eb_moves moves;

	(void)state;
	add(&s, "circle", "p>q q>p");
	add(&s, "victim", "p/x");
	must_fail(eb_paths_resolve(s.m, s.n, PREFIX, &moves, &err), &err,
		  EB_INPUT, "\"victim\" and \"circle\"");
	add(&t, "outside", "p>/usr");
	add(&t, "victim", "p/x");
	must_fail(eb_paths_resolve(t.m, t.n, PREFIX, &moves, &err), &err,
		  EB_INPUT, "leaves the prefix");
}

/* As large as real environments are: looked at in a moment. */
static void many_paths(void **state)
{
	struct set s EB_CLEANUP(release) = { .n = 0 };
	struct eb_error err = EB_ERROR_INIT;
	struct eb_clashes c;
	unsigned i, k;

	(void)state;
	for (k = 0; k < 4; k++) {
		for (i = 0; i < 20000; i++) {
			eb_autofree char *path = eb_asprintf(
				"opt/env/lib/python3.10/site-packages/p%u/m%u/"
				"f%u.py",
				i % 1000 ? k : 9, i % 100, i);

			eb_entries_add(&s.e[k], path, EB_ENTRY_FILE);
		}
		must(eb_entries_sort(&s.e[k], "p", &err), &err);
		s.m[k] = (struct eb_clash_member){ "p", &s.e[k], 0, 0, 0 };
		s.n++;
	}
	find(&s, &c);
	assert_int_equal(c.n, 20);
	assert_int_equal(c.clash[0].n, 4);
	eb_clashes_release(&c);
}

/* --- case ------------------------------------------------------------- */
static void folds(const char *text, const char *folded)
{
	EB_AUTOBUF(out, EB_MAX_TEXT);

	eb_fold_case(text, strlen(text), &out);
	assert_string_equal(out.len ? out.data : "", folded);
}

/* Rows of CaseFolding.txt, and what has none. */
static void names_are_folded(void **state)
{
	(void)state;
	folds("README-x_9.TXT", "readme-x_9.txt");
	folds("\u00c0\u00d6\u00d7\u00d8\u00de\u00df",
	      "\u00e0\u00f6\u00d7\u00f8\u00fe\u00df");
	folds("\u0100\u0101\u0130\u0132\u0139\u0178\u017f",
	      "\u0101\u0101\u0130\u0133\u013a\u00ffs");
	folds("\u00b5\u03a3\u03c2\u0391", "\u03bc\u03c3\u03c3\u03b1");
	folds("\u0401\u0416\u042f", "\u0451\u0436\u044f");
	folds("\u1e00\u1e9e\u212a\uff21", "\u1e01\u00dfk\uff41");
	folds("\U00010400\U0001f40d", "\U00010428\U0001f40d");
	folds("A\xff\xc3", "a\xff\xc3");
	folds("\xe2\x82", "\xe2\x82");
	folds("", "");
}

static void is_cased(const struct eb_clashes *c, size_t i, const char *path,
		     const char *other, size_t member, size_t other_member)
{
	assert_true(i < c->n_cased);
	assert_string_equal(c->cased[i].path, path);
	assert_string_equal(c->cased[i].other, other);
	assert_int_equal(c->cased[i].member, member);
	assert_int_equal(c->cased[i].other_member, other_member);
}

static void case_alone(void **state)
{
	struct set s EB_CLEANUP(release) = { .n = 0 };
	struct eb_clashes c;

	(void)state;
	add(&s, "a", "lib/Tk/x lib/Tk/y share/README share/Q share/q bin/z");
	add(&s, "b", "lib/tk/x lib/tk/Y share/Readme bin/z");
	add(&s, "c", "share/readme share/\u00c4 Bin/new");
	add(&s, "d", "share/\u00e4 share/Q other/Tk");
	find(&s, &c);
	/* bin/z is in two, with one content. */
	assert_int_equal(c.n, 2);
	assert_int_equal(c.n_cased, 5);
	is_cased(&c, 0, "opt/env/Bin", "opt/env/bin", 2, 1);
	/* Not what is below these folders. */
	is_cased(&c, 1, "opt/env/lib/Tk", "opt/env/lib/tk", 0, 1);
	is_cased(&c, 2, "opt/env/share/README", "opt/env/share/Readme", 0, 1);
	is_cased(&c, 3, "opt/env/share/README", "opt/env/share/readme", 0, 2);
	is_cased(&c, 4, "opt/env/share/\u00c4", "opt/env/share/\u00e4", 2, 3);
	/* Q and q are one package's own affair. */
	assert_int_equal(c.cased_within, 1);
	eb_clashes_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_in_common),
		cmocka_unit_test(last_in_link_order_wins),
		cmocka_unit_test(mode_counts),
		cmocka_unit_test(first_by_name_keeps_the_path),
		cmocka_unit_test(file_and_folder),
		cmocka_unit_test(python_and_conda_meta_are_safe),
		cmocka_unit_test(links_to_folders),
		cmocka_unit_test(paths_below_links_move),
		cmocka_unit_test(no_links_no_moves),
		cmocka_unit_test(bad_links_are_refused),
		cmocka_unit_test(many_paths),
		cmocka_unit_test(names_are_folded),
		cmocka_unit_test(case_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
