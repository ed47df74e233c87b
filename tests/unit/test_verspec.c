/* SPDX-License-Identifier: Apache-2.0 */
/* Version constraints: what they match, their texts, what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include <envbuild/version.h>

#include "vectors.h"

static struct eb_verspec *parse(const char *text, enum eb_strictness how)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_verspec *s = eb_verspec_parse(text, how, &err);

	if (!s)
		fail_msg("%s", err.message);
	return s;
}

static bool matches(const char *spec, const char *version,
		    enum eb_strictness how)
{
	struct eb_error err = EB_ERROR_INIT;
	EB_CLEANUP(eb_verspec_free_ptr) struct eb_verspec *s = parse(spec, how);
	EB_CLEANUP(eb_version_free_ptr)
	struct eb_version *v = eb_version_parse(version, &err);

	assert_non_null(v);
	return eb_verspec_match(s, v);
}

static void match_is(const char *spec, const char *version, bool expected)
{
	if (matches(spec, version, EB_LENIENT) != expected)
		fail_msg("\"%s\" and \"%s\": not %d", spec, version, expected);
}

static void refused(const char *spec, enum eb_strictness how)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	if (eb_verspec_parse(spec, how, &err))
		fail_msg("\"%s\" is taken", spec);
	assert_int_equal(err.code, EB_INPUT);
	assert_non_null(strstr(err.message, "version constraint \""));
}

static void texts_are(const char *spec, const char *text, const char *normal)
{
	EB_CLEANUP(eb_verspec_free_ptr)
	struct eb_verspec *s = parse(spec, EB_STRICT);

	assert_string_equal(eb_verspec_text(s), text);
	assert_string_equal(eb_verspec_normal(s), normal);
}

/* ---- own tables --------------------------------------------------------- */

static void operators(void **state)
{
	static const struct {
		const char *spec, *yes, *no;
	} t[] = {
		{ "1.7", "1.7.0", "1.7.1" },
		{ "==1.7", "1.7.0", "1.7.1" },
		{ "!=1.7", "1.7.1", "1.7.0" },
		{ "<1.7", "1.7a", "1.7" },
		{ "<=1.7", "1.7.0", "1.7.0.1" },
		{ ">1.7", "1.7.0.1", "1.7" },
		{ ">=1.7", "1.7", "1.7a" },
		{ "=1.7", "1.7.9", "1.70" },
		{ "=1.7.*", "1.7.9", "1.8" },
		{ "1.7.*", "1.7alpha", "1.8" },
		{ "1.7*", "1.7", "1.17" },
		{ "!=1.7.*", "1.8", "1.7.3" },
		{ ">=1.7.*", "1.7", "1.6" },
		{ "~=1.7.2", "1.7.9", "1.8" },
		{ "~=1.7", "1.8", "2.0" },
		{ "~=1", "2.0", "0.9" },
		{ "*", "0", NULL },
		{ "1.*.3", "1.7.0.3", "1.3" },
		{ "*.*", "3.3", "3" },
		{ "^1\\.[5-8]\\.\\d+$", "1.7.1", "1.9.1" },
		{ "^1|2.0$", "1.5", "32.0" },
		{ "^1\\.5+?$", "1.555", "1.6" },
		{ "^1(\\.[5-8]*)??$", "1.77", "1.9" },
		{ "^(1(\\.[5-8]+)+)+$", "1.7.7", "1.9" },
		{ ">1.0.0*", "1.0.0", "0.9" },
		{ "1!1.2.*", "1!1.2.3", "1.2.3" },
		{ "1.0@x", NULL, "1.0" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof t / sizeof *t; i++) {
		if (t[i].yes)
			match_is(t[i].spec, t[i].yes, true);
		if (t[i].no)
			match_is(t[i].spec, t[i].no, false);
	}
}

static void joined(void **state)
{
	(void)state;
	match_is(">=1.8,<2|1.7.*", "1.9", true);
	match_is(">=1.8,<2|1.7.*", "1.7.3", true);
	match_is(">=1.8,<2|1.7.*", "2.0", false);
	match_is("(1.5|>=2),!=2.1", "2.1", false);
	match_is("(1.5|>=2),!=2.1", "1.5", true);
	match_is("1.5|(>=2,!=2.1)", "2.1", false);
	match_is("((1.5|((1.6|1.7),1.7)),*)", "1.7", true);
	match_is("((1.5|((1.6|1.7),1.7)),*)", "1.6", false);
	match_is("^(1|2)\\..*$|3.0", "2.4", true);
	match_is("^(1|2)\\..*$|3.0", "3.0", true);
	match_is("^(1|2)\\..*$,2.4", "1.4", false);
}

static void blanks(void **state)
{
	(void)state;
	match_is("  >=  1.7 ,  < 1.8 | 2.0 ", "1.7.3", true);
	match_is("( >=  1.7 ) , (< 1.8 )", "1.8", false);
	match_is(">=1 !164.3095", "1!165", true);
	refused("1.7 1.8", EB_LENIENT);
	refused("1.7 a", EB_STRICT);
}

static void texts(void **state)
{
	(void)state;
	texts_are("=1.2", "1.2.*", "1.2.*");
	texts_are("1.2*", "1.2.*", "1.2.*");
	texts_are("==1.2", "1.2", "1.2");
	texts_are("1.0RC1", "1.0RC1", "1.0rc1");
	texts_are("<2, >=1.8", "<2,>=1.8", "<2,>=1.8");
	texts_are(">=1.8,<2,>=1.8", ">=1.8,<2,>=1.8", "<2,>=1.8");
	texts_are("=1.10.*,!=1.10.2", "=1.10.*,!=1.10.2", "!=1.10.2,1.10.*");
	texts_are(">=1.2.*", ">=1.2.*", ">=1.2");
	texts_are("(>=1,<2)|>3", ">=1,<2|>3", "<2,>=1|>3");
	texts_are("<3,(2|1)", "<3,(2|1)", "(1|2),<3");
	texts_are("1|(2|3)", "1|2|3", "1|2|3");
	texts_are("*,>=1", "*,>=1", ">=1");
	texts_are("1|*", "1|*", "*");
	texts_are("(1)", "1", "1");
	/* read again they are the same */
	texts_are(">=1.*.*", ">=1.*.*", ">=1.*.*");
	texts_are("3|(<0|>1),(>1|<0)", "3|(<0|>1),(>1|<0)", "3|<0|>1");
	texts_are("==1.**", "1.**", "*,==1.**");
}

static void refusals(void **state)
{
	static const char *const t[] = {
		"=",	 "==",	    ">=",     "~",	 "><1",
		"===3",	 "~=1.2.*", "1.5||1", "1,",	 "|1",
		"(1.5",	 "1.5)",    "()",     "1(2)",	 "^1.5",
		"1.5$",	 "^$x",	    "1.2+",   "1..2",	 ">=3.8<3.9",
		"^(1$",	 "^1{9}$",  "^\\1$",  "^(?=1)$", "1.*.3/4",
		"'1'",	 "1\t2",    "^[1$",   "^1)|(2$", "^a\\Z$",
		"^1++$", "^1**$",   "^1+??$", "^*1$",	 "^(|+)$",
		"^1|?$",
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof t / sizeof *t; i++) {
		refused(t[i], EB_STRICT);
		refused(t[i], EB_LENIENT);
	}
	refused("", EB_STRICT);
	match_is("", "1.6", true);
}

/* `text` with `n` copies of `part` in front and `end` behind. */
static char *repeated(const char *part, size_t n, const char *end)
{
	char *s = eb_malloc(n * strlen(part) + strlen(end) + 1), *p = s;

	while (n--)
		p = stpcpy(p, part);
	strcpy(p, end);
	return s;
}

static void limits(void **state)
{
	eb_autofree char *deep = repeated("(", 100, "1");
	eb_autofree char *wide = repeated("1.5,", 1000, "1.5");
	eb_autofree char *too_wide = repeated("1.5,", 1100, "1.5");
	eb_autofree char *stars = repeated("*a", 100, "*b");
	eb_autofree char *regex = repeated("^aaaaaaaaaa", 60, "$");
	eb_autofree char *many = repeated("(", 10, "a)+)+)+)+)+)+)+)+)+)+$");
	eb_autofree char *nested = eb_asprintf("^%s", many);
	eb_autofree char *version = repeated("a", 1000, "");

	(void)state;
	refused(deep, EB_LENIENT);
	match_is(wide, "1.5", true);
	refused(too_wide, EB_LENIENT);
	refused(regex, EB_LENIENT);
	match_is(nested, "a", true);
	free(many);
	many = repeated("(", 20, "a)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+$");
	free(nested);
	nested = eb_asprintf("^%s", many);
	refused(nested, EB_LENIENT); /* what would be 2^20 of it */
	match_is(stars, version, false);
}

/* ---- vectors ------------------------------------------------------------ */

struct counts {
	size_t by_conda, by_source;
};

/* Where conda's own constraints take no blanks, and `~=1`, the source's
 * expectation holds. */
static void match_row(const struct eb_strv *c, void *data)
{
	eb_autofree char *spec = unquoted(c->v[0]);
	eb_autofree char *version = unquoted(c->v[1]);
	bool by_conda = strcmp(c->v[3], "ERR") != 0;
	const char *expected = by_conda ? c->v[3] : c->v[2];
	struct counts *n = data;

	assert_int_equal(c->n, 5);
	match_is(spec, version, *expected == 'T');
	if (*spec)
		assert_int_equal(matches(spec, version, EB_STRICT),
				 *expected == 'T');
	n->by_conda += by_conda;
	n->by_source += !by_conda;
}

static void match_vectors(void **state)
{
	NEED_DATA(path, "vectors/versionspec_match.tsv");
	struct counts n = { 0 };

	(void)state;
	each_row(path, match_row, &n);
	print_message("versionspec_match: %zu as conda, %zu as the source\n",
		      n.by_conda, n.by_source);
	assert_true(n.by_conda > 200 && n.by_source > 10);
}

static void validity_row(const struct eb_strv *c, void *data)
{
	eb_autofree char *spec = unquoted(c->v[0]);

	(void)data;
	if (strcmp(c->v[2], "reject") == 0) {
		refused(spec, EB_STRICT);
		refused(spec, EB_LENIENT);
		return;
	}
	eb_verspec_free(parse(spec, EB_STRICT));
	eb_verspec_free(parse(spec, EB_LENIENT));
}

static void validity_vectors(void **state)
{
	NEED_DATA(path, "vectors/versionspec_invalid.tsv");
	size_t n = each_row(path, validity_row, NULL);

	(void)state;
	print_message("versionspec_invalid: %zu rows\n", n);
	assert_true(n >= 34);
}

/* The normal text means what the constraint means. */
static void normal_row(const struct eb_strv *c, void *data)
{
	eb_autofree char *spec = unquoted(c->v[0]);
	eb_autofree char *version = unquoted(c->v[1]);
	EB_CLEANUP(eb_verspec_free_ptr)
	struct eb_verspec *s = parse(spec, EB_LENIENT);
	EB_CLEANUP(eb_verspec_free_ptr)
	struct eb_verspec *again = parse(eb_verspec_normal(s), EB_STRICT);

	(void)data;
	assert_string_equal(eb_verspec_normal(again), eb_verspec_normal(s));
	assert_int_equal(matches(eb_verspec_normal(s), version, EB_STRICT),
			 matches(spec, version, EB_LENIENT));
}

static void normal_of_vectors(void **state)
{
	NEED_DATA(path, "vectors/versionspec_match.tsv");

	(void)state;
	assert_true(each_row(path, normal_row, NULL) >= 286);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operators),
		cmocka_unit_test(joined),
		cmocka_unit_test(blanks),
		cmocka_unit_test(texts),
		cmocka_unit_test(refusals),
		cmocka_unit_test(limits),
		cmocka_unit_test(match_vectors),
		cmocka_unit_test(validity_vectors),
		cmocka_unit_test(normal_of_vectors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
