/* SPDX-License-Identifier: Apache-2.0 */
/* conda's version order: own tables, the public vectors, and that it is an
 * order at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include <envbuild/version.h>

#include "vectors.h"

static struct eb_version *parse(const char *text)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_version *v = eb_version_parse(text, &err);

	if (!v)
		fail_msg("%s", err.message);
	return v;
}

static int compare(const char *a, const char *b)
{
	EB_CLEANUP(eb_version_free_ptr) struct eb_version *x = parse(a);
	EB_CLEANUP(eb_version_free_ptr) struct eb_version *y = parse(b);

	assert_int_equal(eb_version_compare(x, y), -eb_version_compare(y, x));
	return eb_version_compare(x, y);
}

static void is(const char *a, int expected, const char *b)
{
	if (compare(a, b) != expected)
		fail_msg("\"%s\" and \"%s\": %d, not %d", a, b, compare(a, b),
			 expected);
}

static bool starts(const char *v, const char *prefix)
{
	EB_CLEANUP(eb_version_free_ptr) struct eb_version *x = parse(v);
	EB_CLEANUP(eb_version_free_ptr) struct eb_version *y = parse(prefix);

	return eb_version_starts_with(x, y);
}

static void starts_is(const char *v, const char *prefix, bool expected)
{
	if (starts(v, prefix) != expected)
		fail_msg("\"%s\" starts with \"%s\": not %d", v, prefix,
			 expected);
}

static void refused(const char *text)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	if (eb_version_parse(text, &err))
		fail_msg("\"%s\" is taken", text);
	assert_int_equal(err.code, EB_INPUT);
	assert_non_null(strstr(err.message, "version \""));
}

/* ---- own tables --------------------------------------------------------- */

static void ascending(void **state)
{
	static const char *const t[] = {
		"0.4.1.rc",
		"0.4.1",
		"0.5*",
		"0.5a1",
		"0.5",
		"0.9.6",
		"0.960923",
		"1.0",
		"1.0.1dev",
		"1.0.1_",
		"1.0.1a",
		"1.0.1rc",
		"1.0.1",
		"1.0.1.post1",
		"1.0.1post1",
		"1.0.2",
		"2.0+a",
		"2.0",
		"2.0+1",
		"11g",
		"1996.07.12",
		"99999999999999999999",
		"100000000000000000000",
		"100000000000000000001",
		"1!0.1",
		"2!0.0.1",
	};
	size_t i, j, n = sizeof t / sizeof *t;

	(void)state;
	for (i = 0; i < n; i++)
		for (j = 0; j < n; j++)
			is(t[i], (i > j) - (i < j), t[j]);
}

static void equal(void **state)
{
	static const char *const t[][2] = {
		{ "0.4", "0.4.0" },
		{ "1.1", "1.1.0.0" },
		{ "1.1.a1", "1.1.0a1" },
		{ " 0.4.RC ", "0.4.rc" },
		{ "0.5_5", "0.5-5" },
		{ "1.0", "1.0+0" },
		{ "0!1.0", "1.0" },
		{ "1.007", "1.7" },
		{ "1.0", "1.000000000000000000000000" },
		{ "1.abcdefghij", "1.ABCDEFGHIJ" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof t / sizeof *t; i++)
		is(t[i][0], 0, t[i][1]);
}

/* Words of eight bytes and more are told apart behind the eighth. */
static void long_words(void **state)
{
	(void)state;
	is("1.abcdefgh", -1, "1.abcdefghi");
	is("1.abcdefghi", -1, "1.abcdefghj");
	is("1.abcdefghij", 1, "1.abcdefgh");
	is("1.12345678901234567890123a", -1, "1.12345678901234567890124");
}

static void prefixes(void **state)
{
	(void)state;
	starts_is("1.2.3", "1.2", true);
	starts_is("1.10", "1.1", false);
	starts_is("1.8alpha", "1.8", true);
	starts_is("2013ab", "2013a", true);
	starts_is("2013a", "2013ab", false);
	starts_is("1.0", "1.0.0", true);
	starts_is("1.0", "1.0.0.1", false);
	starts_is("0.4.1+1.3", "0.4.1", true);
	starts_is("0.4.1+1.3", "0.4.1+1", true);
	starts_is("0.4.1", "0.4.1+1", false);
	starts_is("1!1.2.3", "1.2", false);
	starts_is("1.2dev", "1.2d", false);
}

static void refusals(void **state)
{
	static const char *const t[] = {
		"",	 "  ",	  "1..1",  "1.",     ".1",  "1.2post+",
		"1!2!3", "!1.1",  "a!1.0", "0!",     "+1",  "5.5++",
		"1+2+3", "3.5&1", "1-1_1", "1.0\n2", "1 2", "1.\xc3\xa4",
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof t / sizeof *t; i++)
		refused(t[i]);
}

static void lengths(void **state)
{
	char text[1026];

	(void)state;
	memset(text, '1', sizeof text);
	text[1024] = '\0';
	is(text, 1, "1");
	text[1024] = '1';
	text[1025] = '\0';
	refused(text);
	memset(text, 'a', 1024); /* as many atoms as can be */
	for (size_t i = 0; i < 1024; i += 2)
		text[i] = i % 4 ? '*' : 'a';
	text[1024] = '\0';
	is(text, 0, text);
}

static void text_as_given(void **state)
{
	EB_CLEANUP(eb_version_free_ptr)
	struct eb_version *v = parse("  1.0-RC1 ");

	(void)state;
	assert_string_equal(eb_version_text(v), "1.0-RC1");
}

static void message(void **state)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	(void)state;
	assert_null(eb_version_parse("3.5&1", &err));
	assert_string_equal(err.message, "version \"3.5&1\": the character "
					 "\"&\" is not allowed");
}

/* ---- vectors ------------------------------------------------------------ */

static void comparison_row(const struct eb_strv *c, void *data)
{
	const char *op = c->v[1];

	(void)data;
	assert_int_equal(c->n, 5);
	if (strcmp(op, "==") == 0)
		is(c->v[0], 0, c->v[2]);
	else if (strcmp(op, "<") == 0)
		is(c->v[0], -1, c->v[2]);
	else if (strcmp(op, "!=") == 0)
		assert_int_not_equal(compare(c->v[0], c->v[2]), 0);
	else
		starts_is(c->v[0], c->v[2], strcmp(op, "startswith") == 0);
}

static void comparison_vectors(void **state)
{
	NEED_DATA(path, "vectors/version_cmp.tsv");
	size_t n = each_row(path, comparison_row, NULL);

	(void)state;
	print_message("version_cmp: %zu rows\n", n);
	assert_true(n >= 49);
}

static void refused_row(const struct eb_strv *c, void *data)
{
	eb_autofree char *text = unquoted(c->v[0]);

	(void)data;
	refused(text);
}

static void refusal_vectors(void **state)
{
	NEED_DATA(path, "vectors/version_invalid.tsv");
	size_t n = each_row(path, refused_row, NULL);

	(void)state;
	print_message("version_invalid: %zu rows\n", n);
	assert_true(n >= 28);
}

static size_t check_versions(json_t *list, bool strictly)
{
	const char *a, *b;
	size_t i;

	for (i = 1; i < json_array_size(list); i++) {
		a = json_string_value(json_array_get(list, i - 1));
		b = json_string_value(json_array_get(list, i));
		if (strictly)
			is(a, -1, b);
		else
			assert_true(compare(a, b) <= 0);
	}
	return i;
}

static const char *link_part(json_t *chain, size_t i, size_t part)
{
	return json_string_value(
		json_array_get(json_array_get(chain, i), part));
}

static size_t check_chain(json_t *chain)
{
	size_t i;

	for (i = 1; i < json_array_size(chain); i++)
		is(link_part(chain, i - 1, 1),
		   strcmp(link_part(chain, i, 0), "<") == 0 ? -1 : 0,
		   link_part(chain, i, 1));
	return i;
}

static void list_vectors(void **state)
{
	NEED_DATA(path, "vectors/version_sorted_lists.json");
	json_t *all = load_json(path), *list, *versions;
	size_t i, n = 0;

	(void)state;
	json_array_foreach (all, i, list) {
		versions = json_object_get(list, "versions");
		n += versions ? check_versions(
					versions,
					json_is_true(json_object_get(
						list, "strictly_increasing")))
			      : check_chain(json_object_get(list, "chain"));
	}
	json_decref(all);
	print_message("version_sorted_lists: %zu versions\n", n);
	assert_true(n >= 181);
}

/* ---- an order ----------------------------------------------------------- */

struct set {
	struct eb_version *v[2048];
	size_t n;
};

static void add(struct set *set, const char *text)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	struct eb_version *v = eb_version_parse(text, &err);

	assert_true(set->n < 2048);
	if (v)
		set->v[set->n++] = v;
}

static int by_order(const void *a, const void *b)
{
	return eb_version_compare(*(struct eb_version *const *)a,
				  *(struct eb_version *const *)b);
}

/* In a row sorted by it, each one is at most as high as all behind it, and
 * equal to those between itself and an equal one: so it is transitive. */
static void check_order(struct set *set)
{
	size_t i, j;
	int c, before;

	qsort(set->v, set->n, sizeof *set->v, by_order);
	for (i = 0; i < set->n; i++) {
		before = 0;
		assert_true(eb_version_starts_with(set->v[i], set->v[i]));
		for (j = i; j < set->n; j++) {
			c = eb_version_compare(set->v[i], set->v[j]);
			assert_int_equal(
				eb_version_compare(set->v[j], set->v[i]), -c);
			assert_true(c <= before);
			before = c;
		}
	}
	for (i = 0; i < set->n; i++)
		eb_version_free(set->v[i]);
}

/* Versions of up to three atoms out of those that matter. */
static void order_of_made_versions(void **state)
{
	static const char *const atom[] = {
		"0", "1", "10", "a", "dev", "post", "*", "_", ".", "+",
	};
	size_t i, j, k, n = sizeof atom / sizeof *atom;
	struct set set = { 0 };
	char text[32];

	(void)state;
	for (i = 0; i < n; i++)
		for (j = 0; j < n; j++)
			for (k = 0; k < n; k++) {
				snprintf(text, sizeof text, "1%s%s%s", atom[i],
					 atom[j], atom[k]);
				add(&set, text);
			}
	assert_true(set.n > 500);
	check_order(&set);
}

static void add_first_and_third(const struct eb_strv *c, void *data)
{
	add(data, c->v[0]);
	add(data, c->v[2]);
}

static void add_second(const struct eb_strv *c, void *data)
{
	eb_autofree char *text = unquoted(c->v[1]);

	add(data, text);
}

static void order_of_vectors(void **state)
{
	NEED_DATA(a, "vectors/version_cmp.tsv");
	NEED_DATA(b, "vectors/versionspec_match.tsv");
	NEED_DATA(c, "vectors/version_sorted_lists.json");
	json_t *all = load_json(c), *list, *item;
	struct set set = { 0 };
	size_t i, j;

	(void)state;
	each_row(a, add_first_and_third, &set);
	each_row(b, add_second, &set);
	json_array_foreach (all, i, list) {
		json_array_foreach (json_object_get(list, "versions"), j, item)
			add(&set, json_string_value(item));
		json_array_foreach (json_object_get(list, "chain"), j, item)
			add(&set, json_string_value(json_array_get(item, 1)));
	}
	json_decref(all);
	print_message("order of %zu versions\n", set.n);
	assert_true(set.n > 500);
	check_order(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ascending),
		cmocka_unit_test(equal),
		cmocka_unit_test(long_words),
		cmocka_unit_test(prefixes),
		cmocka_unit_test(refusals),
		cmocka_unit_test(lengths),
		cmocka_unit_test(text_as_given),
		cmocka_unit_test(message),
		cmocka_unit_test(comparison_vectors),
		cmocka_unit_test(refusal_vectors),
		cmocka_unit_test(list_vectors),
		cmocka_unit_test(order_of_made_versions),
		cmocka_unit_test(order_of_vectors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
