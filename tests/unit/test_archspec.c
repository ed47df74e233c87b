/* SPDX-License-Identifier: Apache-2.0 */
/* The table of microarchitectures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include <envbuild/archspec.h>

static const char *runs(const char *machine, const char *built_for)
{
	const char *all[EB_ARCHSPEC_MOST];
	size_t n = eb_archspec_all(machine, all);

	assert_true(n >= 1 && n < EB_ARCHSPEC_MOST);
	assert_string_equal(all[0], machine);
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(all[i], all[k]);
		if (!strcmp(all[i], built_for))
			return "yes";
	}
	return "no";
}

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(eb_archspec_name("x86_64_v3"), "x86_64_v3");
	assert_string_equal(eb_archspec_name("x86-64-v3"), "x86_64_v3");
	assert_string_equal(eb_archspec_name("Zen4"), "zen4");
	assert_string_equal(eb_archspec_name("armv8.2a"), "armv8.2a");
	assert_null(eb_archspec_name("x86_64_v5"));
	assert_null(eb_archspec_name("zen44"));
	assert_null(eb_archspec_name(""));
	assert_string_equal(eb_archspec_family("sapphirerapids"), "x86_64");
	assert_string_equal(eb_archspec_family("neoverse_v2"), "aarch64");
	assert_string_equal(eb_archspec_family("aarch64"), "aarch64");
	assert_null(eb_archspec_family("power9le"));
}

static void test_descent(void **state)
{
	static const char *const rows[][3] = {
		{ "x86_64", "x86_64", "yes" },
		{ "x86_64", "x86_64_v2", "no" },
		{ "x86_64_v4", "x86_64_v2", "yes" },
		{ "x86_64_v4", "skylake_avx512", "no" },
		{ "skylake_avx512", "x86_64_v4", "yes" },
		{ "skylake_avx512", "nehalem", "yes" },
		{ "skylake", "x86_64_v4", "no" },
		{ "sapphirerapids", "cannonlake", "yes" },
		{ "alderlake", "x86_64_v3", "yes" },
		{ "alderlake", "x86_64_v4", "no" },
		{ "ivybridge", "x86_64_v2", "yes" },
		{ "ivybridge", "x86_64_v3", "no" },
		{ "k10", "x86_64_v2", "no" },
		{ "zen3", "x86_64_v4", "no" },
		{ "zen5", "x86_64_v4", "yes" },
		{ "zen5", "haswell", "no" },
		{ "ampere1a", "armv8.2a", "yes" },
		{ "neoverse_n1", "armv9.0a", "no" },
		{ "m4", "x86_64", "no" },
		{ "unheard_of", "unheard_of", "yes" },
		{ "unheard_of", "x86_64", "no" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_string_equal(runs(rows[i][0], rows[i][1]), rows[i][2]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_descent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
