/* SPDX-License-Identifier: Apache-2.0 */
/* The curated environments: what is carried, found and said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include <envbuild/azure.h>
#include <envbuild/catalog.h>
#include <envbuild/file.h>

#define AUTOERR(name) \
	struct eb_error name EB_CLEANUP(eb_err_release) = EB_ERROR_INIT
#define AUTONAMED(name) \
	EB_CLEANUP(eb_named_free_ptr) struct eb_named *name = NULL

static void get(const char *name, struct eb_named **out)
{
	AUTOERR(err);

	if (eb_curated_get(name, out, &err) != 1)
		fail_msg("%s: %s", name, err.message ? err.message : "none");
}

static int collect(void *data, const struct eb_curated_head *h,
		   struct eb_error *err)
{
	(void)err;
	eb_strv_addf(data, "%.*s", h->name_len, h->name);
	return 0;
}

static void all_names(struct eb_strv *out)
{
	AUTOERR(err);

	assert_int_equal(eb_curated_each(collect, out, &err), 0);
}

/* Each document says what its first lines say, and has what the format wants.
 */
static void test_documents(void **state)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv names = { 0 };
	EB_CLEANUP(eb_strv_release) struct eb_strv every = { 0 };
	size_t complete = 0, current = 0;

	(void)state;
	all_names(&names);
	assert_int_equal(names.n, 295);
	for (size_t i = 0; i < names.n; i++) {
		AUTONAMED(e);

		get(names.v[i], &e);
		assert_string_equal(e->name, names.v[i]);
		assert_non_null(e->source);
		assert_non_null(eb_named_option(e, "as-of"));
		assert_int_equal(e->status == EB_ENV_SUPERSEDED,
				 e->superseded_by != NULL);
		complete += e->text != NULL;
		current += e->status == EB_ENV_CURRENT;
		eb_strv_add(&every, e->name);
		for (size_t k = 0; k < e->aliases.n; k++)
			eb_strv_add(&every, e->aliases.v[k]);
	}
	assert_int_equal(complete, 31 + 1 + 15);
	assert_int_equal(current, 61 + 15);
	eb_strv_sort(&every);
	for (size_t i = 1; i < every.n; i++)
		assert_string_not_equal(every.v[i - 1], every.v[i]);
}

static void test_goes_on(void **state)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv names = { 0 };

	(void)state;
	all_names(&names);
	for (size_t i = 0; i < names.n; i++) {
		AUTONAMED(e);
		AUTONAMED(next);

		get(names.v[i], &e);
		if (e->superseded_by)
			get(e->superseded_by, &next);
	}
}

static void test_pytorch(void **state)
{
	AUTONAMED(e);

	(void)state;
	get("AzureML-PyTorch-1.6-GPU", &e);
	assert_string_equal(e->version, "4");
	assert_int_equal(e->status, EB_ENV_DELETED);
	assert_string_equal(eb_named_option(e, "base"),
			    "mcr.microsoft.com/azureml/openmpi3.1.2-cuda10.1-"
			    "cudnn7-ubuntu18.04:20200821.v1");
	assert_string_equal(
		e->text,
		"channels:\n- conda-forge\ndependencies:\n- python=3.6.2\n"
		"- pip:\n  - azureml-core==1.13.0\n"
		"  - azureml-defaults==1.13.0\n"
		"  - azureml-telemetry==1.13.0\n"
		"  - azureml-train-restclients-hyperdrive==1.13.0\n"
		"  - azureml-train-core==1.13.0\n  - torch==1.6.0\n"
		"  - torchvision==0.5.0\n  - mkl==2018.0.3\n"
		"  - horovod==0.19.1\n  - tensorboard==1.14.0\n"
		"  - future==0.17.1\nname: ''\n");
}

static void test_names(void **state)
{
	static const struct {
		const char *asked, *is;
	} names[] = {
		{ "AzureML-pytorch-1.9-ubuntu18.04-py37-cuda11-gpu",
		  "pytorch-1.9-ubuntu18.04-py37-cuda11-gpu" },
		{ "AzureML-tensorflow-2.4-ubuntu18.04-py37-cuda11-gpu",
		  "tensorflow-2.4-ubuntu18.04-py37-cuda11-gpu" },
		{ "AzureML-sklearn-1.0-ubuntu20.04-py38-cpu",
		  "sklearn-1.0-ubuntu20.04-py38-cpu" },
		{ "sklearn-1.5", "sklearn-1.5" },
	};
	AUTOERR(err);
	AUTONAMED(none);

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		AUTONAMED(e);

		get(names[i].asked, &e);
		assert_string_equal(e->name, names[i].is);
	}
	assert_int_equal(eb_curated_get("azureml-pytorch-1.6-gpu", &none, &err),
			 0);
	assert_int_equal(eb_curated_get("sklearn-1", &none, &err), 0);
	assert_int_equal(eb_curated_get("", &none, &err), 0);
}

static void test_incomplete(void **state)
{
	AUTONAMED(e);
	AUTOERR(err);

	(void)state;
	get("acpt-pytorch-1.13-cuda11.7", &e);
	assert_null(e->text);
	assert_int_equal(eb_curated_incomplete(e, &err), -1);
	assert_int_equal(err.code, EB_INPUT);
	assert_non_null(strstr(err.message, "cu117-py38-torch1131"));
	assert_non_null(strstr(err.message, "azureml-core"));
	assert_non_null(strstr(err.hint, "\"AzureML-PyTorch-1.6-GPU\""));
}

/* Nothing is left of a generation, and a name of which nothing is known. */
static void test_nothing_known(void **state)
{
	AUTONAMED(e);
	AUTOERR(err);

	(void)state;
	get("AzureML-Dask-CPU", &e);
	assert_int_equal(eb_curated_incomplete(e, &err), -1);
	assert_non_null(strstr(err.message, "nothing of it is known"));
}

/* --- the tables that the documents were made from --- */

static FILE *table(const char *name)
{
	const char *data = getenv("ENVBUILD_DATA");
	char path[4096];
	FILE *f;

	snprintf(path, sizeof path, "%s/azureml/%s", data ? data : "", name);
	f = fopen(path, "re");
	if (!f) {
		print_message("%s is not there\n", path);
		skip();
	}
	return f;
}

/* All 31: version, base, and the conda hash that the service published. */
static void test_first_generation(void **state)
{
	FILE *f = table("curated2020.tsv");
	char *line = NULL;
	size_t size = 0, n = 0;

	(void)state;
	while (getline(&line, &size, f) > 0) {
		EB_CLEANUP(eb_strv_release) struct eb_strv v = { 0 };
		char azure[EB_AZURE_NAME];
		AUTONAMED(e);
		AUTOERR(err);

		eb_strv_split(&v, line, "\t\n");
		if (!strcmp(v.v[0], "name"))
			continue;
		get(v.v[0], &e);
		assert_string_equal(e->version, v.v[1]);
		assert_string_equal(eb_named_option(e, "base"), v.v[2]);
		assert_int_equal(eb_azure_conda_name(e->text, strlen(e->text),
						     e->name, azure, &err),
				 0);
		assert_string_equal(azure + strlen("azureml_"), v.v[6]);
		n++;
	}
	free(line);
	fclose(f);
	assert_int_equal(n, 31);
}

static void test_all_names(void **state)
{
	FILE *f = table("azureml_curated.tsv");
	char *line = NULL;
	size_t size = 0, n = 0;

	(void)state;
	while (getline(&line, &size, f) > 0) {
		AUTONAMED(e);

		line[strcspn(line, "\t")] = 0;
		if (!*line || !strcmp(line, "name"))
			continue;
		get(line, &e);
		n++;
	}
	free(line);
	fclose(f);
	assert_int_equal(n, 301);
}

static void test_head(void **state)
{
	FILE *f = table("head_envs.txt");
	char dir[256], name[256], from[256];
	size_t n = 0;

	(void)state;
	while (fscanf(f, "%255s %255s %255s", dir, name, from) == 3) {
		AUTONAMED(e);
		const char *base;

		get(name, &e);
		base = eb_named_option(e, "base");
		assert_int_equal(e->status, EB_ENV_CURRENT);
		assert_true(eb_starts(from, base));
		assert_int_equal(strstr(from, "{{") != NULL, e->base_moves);
		n++;
	}
	fclose(f);
	assert_int_equal(n, 61);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_documents),
		cmocka_unit_test(test_goes_on),
		cmocka_unit_test(test_pytorch),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_incomplete),
		cmocka_unit_test(test_nothing_known),
		cmocka_unit_test(test_first_generation),
		cmocka_unit_test(test_all_names),
		cmocka_unit_test(test_head),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
