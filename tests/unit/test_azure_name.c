/* SPDX-License-Identifier: Apache-2.0 */
/* Azure's name of a conda environment, against published ones. */
#include <stdlib.h>
#include <string.h>

#include "python_vectors.h"

#include <envbuild/azure.h>

static void is_named(const char *conda, const char *hex)
{
	eb_autofree char *want = eb_asprintf("azureml_%s", hex);
	char name[EB_AZURE_NAME];
	AUTOERR(err);

	if (eb_azure_conda_name(conda, strlen(conda), "env.yml", name, &err) <
	    0)
		fail_msg("%s", err.message);
	assert_string_equal(name, want);
}

static void add_items(struct eb_buf *b, const char *indent, const char *list,
		      const char *sep)
{
	struct eb_strv item EB_CLEANUP(eb_strv_release) = { 0 };

	eb_strv_split(&item, list, sep);
	for (size_t i = 0; i < item.n; i++)
		eb_buf_addf(b, "%s- %s\n", indent, item.v[i]);
}

/* The row's definition as a person would write it: the name first, items
 * indented; the hash is of what Azure makes of it. */
static void row_is_named(const struct eb_strv *row)
{
	const char *conda = row->v[4], *rest = strchr(conda, ' ');
	EB_AUTOBUF(b, EB_MAX_METADATA);

	eb_buf_addf(&b, "name: %s\nchannels:\n", row->v[0]);
	add_items(&b, "  ", row->v[3], ",");
	eb_buf_addf(&b, "dependencies:\n  - %.*s\n  - pip:\n",
		    (int)(rest ? rest - conda : (long)strlen(conda)), conda);
	add_items(&b, "    ", row->v[5], " ");
	if (rest)
		add_items(&b, "  ", rest + 1, " ");
	is_named(b.data, row->v[6]);
}

static void the_definitions_of_2020(void **state)
{
	struct eb_strv line EB_CLEANUP(eb_strv_release) = { 0 };
	EB_AUTOBUF(text, EB_MAX_METADATA);
	AUTOERR(err);
	size_t n = 0;

	(void)state;
	NEED_DATA(path, "azureml/curated2020.tsv");
	assert_int_equal(eb_read_file(path, EB_MAX_METADATA, &text, &err), 0);
	eb_strv_split(&line, text.data, "\n");
	for (size_t i = 1; i < line.n; i++) {
		struct eb_strv row EB_CLEANUP(eb_strv_release) = { 0 };

		if (!*line.v[i])
			continue;
		eb_strv_split(&row, line.v[i], "\t");
		assert_true(row.n >= 7);
		row_is_named(&row);
		n++;
	}
	assert_int_equal(n, 31);
}

#define S(v)                                                \
	"  - azureml-core==" v "\n  - azureml-defaults==" v \
	"\n  - azureml-telemetry==" v                       \
	"\n  - azureml-train-restclients-hyperdrive==" v    \
	"\n  - azureml-train-core==" v "\n"
#define FORGE \
	"channels:\n- conda-forge\ndependencies:\n- python=3.6.2\n- pip:\n"

static void other_published_names(void **state)
{
	(void)state;
	is_named("channels: [defaults, pytorch]\n"
		 "dependencies: [python=3.7, pytorch, torchvision]\n",
		 "7459a71437df47401c6a369f49fbbdb6");
	is_named(FORGE S("1.15.0") "  - torch==1.1\n  - torchvision==0.2.1\n"
				   "  - mkl==2018.0.3\n  - horovod==0.16.1\n"
				   "  - tensorboard==1.14.0\n"
				   "  - future==0.17.1\n",
		 "eb61e39e20e87ad998ae2c88df1dd0af");
	is_named(FORGE "  - azureml-core==1.27.0\n"
		       "  - azureml-defaults==1.27.0\n",
		 "5aca2f478508ed6ef56fbbb4fa5ce94f");
	is_named("channels: [anaconda, conda-forge]\ndependencies:\n"
		 "- python=3.6.2\n- pip:\n  - azureml-defaults~=1.27.0\n"
		 "  - pyarrow\n  - azureml-dataprep[fuse]\n"
		 "  - azureml-interpret~=1.27.0\n- scikit-learn\n- ipykernel\n"
		 "- matplotlib\n- pandas\n- pip\n",
		 "4a1a93529aaa38bbaad0e5d6ae5a859a");
	is_named(FORGE "  - azureml-defaults\n  - torch==1.6.0\n"
		       "  - torchvision==0.7.0\n  - future==0.17.1\n"
		       "  - pillow\n",
		 "c6cc06fa78f35a468caab22f5d54e724");
	is_named(FORGE "  - azureml-defaults\n  - torch==1.6.0\n"
		       "  - torchvision==0.7.0\n  - horovod==0.19.5\n",
		 "8f77d849bad5503d210067834286ede6");
}

static void order_and_spelling_count(void **state)
{
	char a[EB_AZURE_NAME], b[EB_AZURE_NAME];
	const char *one = "dependencies: [python=3.7, numpy]\n";
	const char *two = "dependencies: [numpy, python=3.7]\n";
	AUTOERR(err);

	(void)state;
	assert_int_equal(
		eb_azure_conda_name(one, strlen(one), "a.yml", a, &err), 0);
	assert_int_equal(
		eb_azure_conda_name(two, strlen(two), "b.yml", b, &err), 0);
	assert_string_not_equal(a, b);
}

static void is_written(const char *conda, const char *want)
{
	EB_AUTOBUF(b, EB_MAX_METADATA);
	AUTOERR(err);

	if (eb_azure_conda_text(conda, strlen(conda), "env.yml", &b, &err) < 0)
		fail_msg("%s", err.message);
	assert_string_equal(b.data, want);
}

static void how_it_is_written(void **state)
{
	(void)state;
	is_written("name: x\n", "name: ''\n");
	is_written("dependencies: []\nchannels: {}\n",
		   "channels: {}\ndependencies: []\nname: ''\n");
	is_written("variables: {b: '1', a: 2, c: ~}\nname: y\n",
		   "name: ''\nvariables:\n  a: 2\n  b: '1'\n  c: null\n");
	is_written("dependencies: ['*', \"a: b\", 'it''s #1', <2, '-', '>=1']",
		   "dependencies:\n- '*'\n- 'a: b'\n- 'it''s #1'\n- <2\n"
		   "- '-'\n- '>=1'\nname: ''\n");
	is_written("dependencies: [\"a\\nb\", {pip: [-r x.txt, --pre]}]",
		   "dependencies:\n- \"a\\nb\"\n- pip:\n  - -r x.txt\n"
		   "  - --pre\nname: ''\n");
}

static void what_is_none(void **state)
{
	char name[EB_AZURE_NAME];
	AUTOERR(err);
	AUTOERR(other);

	(void)state;
	assert_int_equal(eb_azure_conda_name("- a\n", 4, "l.yml", name, &err),
			 -1);
	assert_int_equal(err.code, EB_INPUT);
	assert_string_equal(err.file, "l.yml");
	assert_int_equal(err.line, 1);
	assert_int_equal(
		eb_azure_conda_name("a: [\n", 5, "m.yml", name, &other), -1);
	assert_int_equal(other.code, EB_INPUT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_definitions_of_2020),
		cmocka_unit_test(other_published_names),
		cmocka_unit_test(order_and_spelling_count),
		cmocka_unit_test(how_it_is_written),
		cmocka_unit_test(what_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
