/* SPDX-License-Identifier: Apache-2.0 */
/* References to named environments; names, versions, labels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include <envbuild/catalog.h>

#define AUTOERR(name) \
	struct eb_error name EB_CLEANUP(eb_err_release) = EB_ERROR_INIT

static void same(const char *got, const char *want)
{
	if (want)
		assert_string_equal(got, want);
	else
		assert_null(got);
}

static void test_forms(void **state)
{
	static const struct {
		const char *text, *name, *version, *label;
		bool curated;
	} forms[] = {
		{ "n", "n", NULL, NULL, false },
		{ "AzureML-PyTorch-1.6-GPU", "AzureML-PyTorch-1.6-GPU", NULL,
		  NULL, false },
		{ "a.b_c-1:6", "a.b_c-1", "6", NULL, false },
		{ "n@latest", "n", NULL, "latest", false },
		{ "azureml:n", "n", NULL, NULL, false },
		{ "azureml:n:6", "n", "6", NULL, false },
		{ "azureml:n@prod", "n", NULL, "prod", false },
		{ "n:Autosave_2020-10-19T21:11:52Z_e49d743f", "n",
		  "Autosave_2020-10-19T21:11:52Z_e49d743f", NULL, false },
		{ "n:a@b", "n", "a@b", NULL, false },
		{ "azureml://registries/azureml/environments/n/versions/6", "n",
		  "6", NULL, true },
		{ "azureml://registries/azureml/environments/n/labels/latest",
		  "n", NULL, "latest", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		struct eb_env_ref ref EB_CLEANUP(eb_env_ref_release) = { 0 };
		AUTOERR(err);

		if (eb_env_ref_parse(forms[i].text, &ref, &err) < 0)
			fail_msg("%s", err.message);
		same(ref.name, forms[i].name);
		same(ref.version, forms[i].version);
		same(ref.label, forms[i].label);
		assert_int_equal(ref.curated, forms[i].curated);
	}
}

static void refused(const char *text, const char *word)
{
	struct eb_env_ref ref = { 0 };
	AUTOERR(err);
	eb_autofree char *all = NULL;

	assert_int_equal(eb_env_ref_parse(text, &ref, &err), -1);
	assert_int_equal(err.code, EB_INPUT);
	all = eb_asprintf("%s; %s", err.message, err.hint ? err.hint : "");
	if (!strstr(all, word))
		fail_msg("%s: %s", text, all);
	assert_null(ref.name);
}

static void test_none(void **state)
{
	(void)state;
	refused("", "begins with");
	refused(":6", "begins with");
	refused("a b", "begins with");
	refused("-a", "begins with");
	refused("n:", "1 to 255");
	refused("n@", "label");
	refused("n@a/b", "label");
	refused("n:a/b", "no \"/\"");
	refused("n:a\nb", "control");
	refused("n:\xff", "UTF-8");
	refused("azureml:", "begins with");
	refused("azureml://", "environments/NAME");
	refused("azureml://registries/azureml", "environments/NAME");
	refused("azureml://registries/azureml/environments/n",
		"environments/NAME");
	refused("azureml://registries/azureml/environments/n/", "NAME");
	refused("azureml://registries/azureml/environments/n/versions/",
		"1 to 255");
	refused("azureml://registries/azureml/models/n/versions/1", "NAME");
	refused("azureml://subscriptions/x", "NAME");
	refused("azureml://registries/Contoso/environments/n/versions/1",
		"registry \"Contoso\"");
}

static void test_length(void **state)
{
	char name[EB_NAME_LENGTH + 2];
	AUTOERR(err);

	(void)state;
	memset(name, 'x', sizeof name);
	name[EB_NAME_LENGTH] = 0;
	assert_int_equal(eb_env_name_check(name, &err), 0);
	assert_int_equal(eb_env_version_check(name, &err), 0);
	name[EB_NAME_LENGTH] = 'x';
	name[EB_NAME_LENGTH + 1] = 0;
	assert_int_equal(eb_env_name_check(name, &err), -1);
	assert_int_equal(err.code, EB_USAGE);
	assert_non_null(strstr(err.hint, "255"));
	eb_err_release(&err);
	assert_int_equal(eb_env_version_check(name, &err), -1);
	eb_err_release(&err);
	refused(name, "255");
}

static void name_refused(const char *name)
{
	AUTOERR(err);

	assert_int_equal(eb_env_name_check(name, &err), -1);
	assert_int_equal(err.code, EB_USAGE);
}

static void test_reserved(void **state)
{
	static const char *const fine[] = { "azureml-mine", "my-AzureML",
					    "pytorch-1.6-gpu", "7", "A" };
	AUTOERR(err);

	(void)state;
	name_refused("AzureML-x");
	name_refused("AzureMLx");
	name_refused("Microsoft");
	name_refused("Microsoft-x");
	name_refused("envbuild-x");
	name_refused("x:1");
	name_refused("x@y");
	name_refused("");
	for (size_t i = 0; i < sizeof fine / sizeof *fine; i++)
		assert_int_equal(eb_env_name_check(fine[i], &err), 0);
}

static void test_labels(void **state)
{
	AUTOERR(err);

	(void)state;
	assert_int_equal(eb_env_label_check("prod", &err), 0);
	assert_int_equal(eb_env_label_check("latest", &err), -1);
	assert_int_equal(err.code, EB_USAGE);
	eb_err_release(&err);
	assert_int_equal(eb_env_label_check("a b", &err), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),  cmocka_unit_test(test_none),
		cmocka_unit_test(test_length), cmocka_unit_test(test_reserved),
		cmocka_unit_test(test_labels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
