/* SPDX-License-Identifier: Apache-2.0 */
/* Versions and specifiers of Python projects: order, ranges and the rule of
 * pre-releases, against tables of the reference. */
#include "python_vectors.h"

#include <time.h>

#include <envbuild/pep440.h>

static int order_of(const char *a, const char *b)
{
	AUTOERR(err);
	int order = 7;

	if (eb_pep440_compare(a, b, &order, &err) < 0)
		print_message("%s\n", err.message);
	return order;
}

/* ---- versions
 * ----------------------------------------------------------------
 */

/* input, OK|ERR, normalized, canonical, public, base, epoch, is_prerelease */
static bool version_row(const struct eb_strv *row)
{
	struct eb_pep440 v EB_CLEANUP(eb_pep440_release) = { 0 };
	eb_autofree char *copy = eb_strdup(row->v[0]);
	const char *s = eb_strip(copy);
	int rc = eb_pep440_parse(s, strlen(s), &v), order;
	AUTOERR(err);

	if (strcmp(row->v[1], "ERR") == 0)
		return rc < 0 &&
		       eb_pep440_compare(row->v[0], "1", &order, &err) < 0 &&
		       err.code == EB_INPUT;
	return rc == 0 && same_text(v.text, row->v[2]) &&
	       same_text(v.canonical, row->v[3]) &&
	       eb_pep440_is_pre(row->v[0]) == (*row->v[7] == '1') &&
	       order_of(row->v[0], row->v[2]) == 0 &&
	       order_of(row->v[3], row->v[0]) == 0;
}

static void versions(void **state)
{
	(void)state;
	each_vector("pep440_version.tsv", 660, version_row);
}

/* a, b, order */
static bool compare_row(const struct eb_strv *row)
{
	return order_of(row->v[0], row->v[1]) == atoi(row->v[2]) &&
	       order_of(row->v[1], row->v[0]) == -atoi(row->v[2]);
}

static void compared(void **state)
{
	(void)state;
	each_vector("pep440_compare.tsv", 2800, compare_row);
}

static struct eb_strv sorted;

/* place, version, equal to the one before */
static bool sorted_row(const struct eb_strv *row)
{
	bool good =
		sorted.n == 0 || order_of(sorted.v[sorted.n - 1], row->v[1]) ==
					 (*row->v[2] == '1' ? 0 : -1);

	eb_strv_add(&sorted, row->v[1]);
	return good;
}

/* Neighbours, and then every hundredth against all. */
static void in_order(void **state)
{
	(void)state;
	each_vector("pep440_sorted.tsv", 590, sorted_row);
	for (size_t i = 0; i < sorted.n; i += 100)
		for (size_t k = 0; k < sorted.n; k++) {
			int order = order_of(sorted.v[i], sorted.v[k]);

			assert_true(i < k   ? order <= 0
				    : i > k ? order >= 0
					    : order == 0);
		}
	eb_strv_release(&sorted);
}

/* Numbers have no bound, and a long version takes time by its length. */
static void unbounded(void **state)
{
	EB_AUTOBUF(a, EB_MAX_METADATA);
	EB_AUTOBUF(b, EB_MAX_METADATA);
	clock_t start = clock();

	(void)state;
	assert_int_equal(order_of("99999999999999999999999999999999999999.0",
				  "100000000000000000000000000000000000000"),
			 -1);
	assert_int_equal(order_of("1.18446744073709551616", "1.0"), 1);
	assert_int_equal(order_of("1.000000000000000000000000000000001", "1.1"),
			 0);
	assert_int_equal(
		order_of("1+018446744073709551616", "1+18446744073709551615"),
		1);
	for (int i = 0; i < 200000; i++) {
		eb_buf_adds(&a, "1.");
		eb_buf_adds(&b, "1.");
	}
	eb_buf_adds(&a, "1");
	eb_buf_adds(&b, "2");
	assert_int_equal(order_of(a.data, b.data), -1);
	assert_true(clock() - start < 5 * CLOCKS_PER_SEC);
}

/* ---- specifiers
 * --------------------------------------------------------------
 */

/* Sorted and unique, as the last column has it. */
static char *hash_form(const char *set, struct eb_error *err)
{
	struct eb_strv out EB_CLEANUP(eb_strv_release) = { 0 };
	struct eb_strv piece EB_CLEANUP(eb_strv_release) = { 0 };

	eb_strv_split(&piece, set, ",");
	for (size_t i = 0; i < piece.n; i++) {
		const char *at = eb_strip(piece.v[i]);

		if (eb_specifiers_parse(&at, &out, err) < 0)
			return NULL;
		if (*at) {
			eb_err_set(err, EB_INPUT, "left over");
			return NULL;
		}
	}
	eb_strv_sort(&out);
	eb_strv_unique(&out);
	return joined(&out, ",");
}

/* input, OK|ERR, str(), hash form */
static bool parse_row(const struct eb_strv *row)
{
	eb_autofree char *got = NULL;
	AUTOERR(err);
	AUTOERR(hash_err);
	int rc = eb_specifiers_contain(row->v[0], "1", EB_PRE_ALLOW, &err);

	if (strcmp(row->v[1], "ERR") == 0)
		return rc < 0 && err.code == EB_INPUT;
	got = hash_form(row->v[0], &hash_err);
	return rc >= 0 && got && same_text(got, row->v[3]);
}

static void parsed(void **state)
{
	(void)state;
	each_vector("specifier_parse.tsv", 380, parse_row);
}

static enum eb_pre policy(const char *cell)
{
	return *cell == '1'   ? EB_PRE_ALLOW
	       : *cell == '0' ? EB_PRE_DENY
			      : EB_PRE_LONE;
}

/* set, version, prereleases, 1|0|ERR */
static bool contains_row(const struct eb_strv *row)
{
	AUTOERR(err);
	int rc = eb_specifiers_contain(row->v[0], row->v[1], policy(row->v[2]),
				       &err);

	return strcmp(row->v[3], "ERR") == 0 ? rc < 0 : rc == atoi(row->v[3]);
}

static void contained(void **state)
{
	(void)state;
	each_vector("specifier_contains.tsv", 9000, contains_row);
}

/* set, candidates, prereleases, kept */
static bool filter_row(const struct eb_strv *row)
{
	struct eb_strv list EB_CLEANUP(eb_strv_release) = { 0 };
	struct eb_strv kept EB_CLEANUP(eb_strv_release) = { 0 };
	eb_autofree bool *keep = NULL;
	eb_autofree char *got = NULL;
	AUTOERR(err);

	eb_strv_split(&list, row->v[1], " ");
	keep = eb_calloc(list.n, sizeof *keep);
	if (eb_specifiers_filter(row->v[0], &list, policy(row->v[2]), keep,
				 &err) < 0)
		return false;
	for (size_t i = 0; i < list.n; i++)
		if (keep[i])
			eb_strv_add(&kept, list.v[i]);
	got = joined(&kept, " ");
	return same_text(got, row->v[3]);
}

static void filtered(void **state)
{
	(void)state;
	each_vector("specifier_filter.tsv", 500, filter_row);
}

/* No table has these: lists without a pre-release, and with none else. */
static void whole_lists(void **state)
{
	static const struct {
		const char *set, *list, *kept;
		enum eb_pre pre;
	} rows[] = {
		{ ">=1", "1.0 2.0rc1", "1.0", EB_PRE_LONE },
		{ ">=1", "0.9 2.0rc1", "2.0rc1", EB_PRE_LONE },
		{ ">=1", "0.9 2.0rc1", "", EB_PRE_DENY },
		{ ">=1.dev0", "1.0 2.0rc1", "1.0 2.0rc1", EB_PRE_LONE },
		{ ">=1.dev0", "1.0 2.0rc1", "1.0", EB_PRE_DENY },
		{ ">=1,!=2rc1", "1.0 2.0rc2", "1.0", EB_PRE_LONE },
		{ "", "1.0 2.0rc1 x", "1.0 x", EB_PRE_LONE },
		{ "", "2.0rc1", "2.0rc1", EB_PRE_LONE },
		{ ">=1", "x 1.0", "1.0", EB_PRE_ALLOW },
		{ "===X", "x 1.0", "x", EB_PRE_DENY },
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++) {
		char dash[2] = { "010"[rows[i].pre], '\0' };
		struct eb_strv row EB_CLEANUP(eb_strv_release) = { 0 };

		if (rows[i].pre == EB_PRE_LONE)
			*dash = '-';
		eb_strv_add(&row, rows[i].set);
		eb_strv_add(&row, rows[i].list);
		eb_strv_add(&row, dash);
		eb_strv_add(&row, rows[i].kept);
		assert_true(filter_row(&row));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(versions), cmocka_unit_test(compared),
		cmocka_unit_test(in_order), cmocka_unit_test(unbounded),
		cmocka_unit_test(parsed),   cmocka_unit_test(contained),
		cmocka_unit_test(filtered), cmocka_unit_test(whole_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
