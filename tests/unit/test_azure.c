/* SPDX-License-Identifier: Apache-2.0 */
/* Azure's forms: what is read of each, what is said of it, and that what was
 * saved is the same again. */
#include "scratch.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vectors.h"

#include <envbuild/azure.h>
#include <envbuild/spec.h>

#define AUTOAZURE(name) \
	EB_CLEANUP(eb_azure_free_ptr) struct eb_azure *name = NULL

/* ---- files, and what is said of them ------------------------------------ */

static void put(const char *name, const char *text)
{
	eb_autofree char *path = eb_path_join(scratch, name);
	eb_autofree char *dir = eb_strndup(path, strrchr(path, '/') - path);
	AUTOERR(err);

	assert_int_equal(eb_mkdirs(dir, 0755, &err), 0);
	assert_int_equal(eb_write_file(path, text, strlen(text), 0644, &err),
			 0);
}

static void is_file(const char *name, const char *text)
{
	eb_autofree char *path = eb_path_join(scratch, name);
	EB_AUTOBUF(is, EB_MAX_METADATA);
	AUTOERR(err);

	if (eb_read_file(path, EB_MAX_METADATA, &is, &err) < 0)
		fail_msg("%s", err.message);
	assert_string_equal(is.data, text);
}

struct told {
	struct eb_strv line;
};

static void keep(void *data, const struct eb_event *ev)
{
	struct told *told = data;

	if (ev->type == EB_EV_WARNING)
		eb_strv_addf(&told->line, "%u: %s", ev->line, ev->text);
}

static void told_release(struct told *t)
{
	eb_strv_release(&t->line);
}
#define AUTOTOLD(name) struct told name EB_CLEANUP(told_release) = { 0 }

static int read_path(const char *path, struct told *told, struct eb_azure **out,
		     struct eb_error *err)
{
	struct eb_events *events = eb_events_new(keep, told);
	int rc = eb_azure_read(path, "linux/amd64", events, out, err);

	eb_events_free(events);
	return rc;
}

static struct eb_azure *must(const char *name, struct told *told)
{
	eb_autofree char *path = eb_path_join(scratch, name);
	struct eb_azure *a = NULL;
	AUTOERR(err);

	if (read_path(path, told, &a, &err) < 0)
		fail_msg("%s:%u: %s", name, err.line, err.message);
	return a;
}

static void is_refused(const char *name, const char *text, unsigned line,
		       const char *words)
{
	eb_autofree char *path = eb_path_join(scratch, name);
	AUTOTOLD(told);
	AUTOAZURE(a);
	AUTOERR(err);

	put(name, text);
	assert_int_equal(read_path(path, &told, &a, &err), -1);
	assert_int_equal(err.code, EB_INPUT);
	if (err.line != line || !strstr(err.message, words))
		fail_msg("%u: %s", err.line, err.message);
}

static void is_told(const struct told *told, const char *words)
{
	for (size_t i = 0; i < told->line.n; i++)
		if (strstr(told->line.v[i], words))
			return;
	fail_msg("nothing says \"%s\"", words);
}

static void save(const struct eb_azure *a, enum eb_azure_form form,
		 const char *dir, struct told *told)
{
	struct eb_events *events = eb_events_new(keep, told);
	eb_autofree char *path = eb_path_join(scratch, dir);
	AUTOERR(err);
	int rc = eb_azure_save(a, form, path, false, events, &err);

	eb_events_free(events);
	if (rc < 0)
		fail_msg("%s", err.message);
}

/* ---- version 1 ---------------------------------------------------------- */

#define CONDA "dependencies:\n- python=3.7\n- pip:\n  - torch==1.6.0\n"

#define V1(docker, python, more)                      \
	"{\"name\": \"mine\", \"version\": \"3\",\n"  \
	" \"environmentVariables\": {\"A\": \"1\","   \
	" \"EXAMPLE_ENV_VAR\": \"EXAMPLE_VALUE\"},\n" \
	" \"python\": {" python "},\n \"docker\": {" docker "}" more "}"
#define IMAGE "\"baseImage\": \"mcr.example/base:1\""
#define OWN "\"userManagedDependencies\": true"

static void a_folder_of_version_1(void **state)
{
	AUTOTOLD(told);
	AUTOAZURE(a);

	(void)state;
	put("v1/azureml_environment.json",
	    V1(IMAGE, "\"userManagedDependencies\": false", ""));
	put("v1/conda_dependencies.yml", CONDA);
	a = must("v1", &told);
	assert_int_equal(a->form, EB_AZURE_V1);
	assert_string_equal(a->name, "mine");
	assert_string_equal(a->version, "3");
	assert_string_equal(a->image, "mcr.example/base:1");
	assert_int_equal(a->variable_name.n, 1);
	assert_string_equal(a->variable_name.v[0], "A");
	assert_string_equal(a->variable_value.v[0], "1");
	assert_int_equal(a->spec->n_conda, 1);
	assert_int_equal(a->spec->n_pip, 1);
	assert_string_equal(a->conda, CONDA);
	assert_int_equal(told.line.n, 0);
	save(a, EB_AZURE_V1, "again", &told);
	is_file("again/azureml_environment.json",
		V1(IMAGE, "\"userManagedDependencies\": false", ""));
	is_file("again/conda_dependencies.yml", CONDA);
}

static void dependencies_inside(void **state)
{
	AUTOTOLD(told);
	AUTOAZURE(a);

	(void)state;
	put("in/azureml_environment.json",
	    V1(IMAGE,
	       "\"condaDependencies\": {\"channels\": [\"conda-forge\"], "
	       "\"dependencies\": [\"python=3.7\", {\"pip\": [\"a==1\"]}], "
	       "\"name\": \"azureml_x\"}",
	       ""));
	a = must("in", &told);
	assert_string_equal(
		a->conda, "channels:\n- conda-forge\ndependencies:\n"
			  "- python=3.7\n- pip:\n  - a==1\nname: azureml_x\n");
	assert_int_equal(a->spec->pip_at[0].line, 3);
	save(a, EB_AZURE_V1, "out", &told);
	is_file("out/conda_dependencies.yml", a->conda);
	is_file("out/azureml_environment.json",
		"{\n    \"name\": \"mine\",\n    \"version\": \"3\",\n"
		"    \"environmentVariables\": {\n        \"A\": \"1\",\n"
		"        \"EXAMPLE_ENV_VAR\": \"EXAMPLE_VALUE\"\n    },\n"
		"    \"python\": {},\n    \"docker\": {\n"
		"        \"baseImage\": \"mcr.example/base:1\"\n    }\n}");
}

static void a_base_alone(void **state)
{
	AUTOTOLD(told);
	AUTOAZURE(a);

	(void)state;
	put("own/azureml_environment.json",
	    V1(IMAGE, OWN ", \"interpreterPath\": \"/opt/x/bin/python\"", ""));
	a = must("own", &told);
	assert_true(a->user_managed);
	assert_null(a->spec);
	assert_string_equal(a->interpreter, "/opt/x/bin/python");
}

static void a_dockerfile(void **state)
{
	AUTOTOLD(told);
	AUTOAZURE(a);

	(void)state;
	put("df/azureml_environment.json",
	    V1("\"baseDockerfile\": null", OWN, ""));
	put("df/BaseDockerfile", "FROM debian:12\n");
	a = must("df", &told);
	assert_string_equal(a->build.dockerfile_text, "FROM debian:12\n");
	save(a, EB_AZURE_V1, "df2", &told);
	is_file("df2/BaseDockerfile", "FROM debian:12\n");
}

static void what_is_not_honoured_is_told(void **state)
{
	AUTOTOLD(told);
	AUTOAZURE(a);

	(void)state;
	put("odd/azureml_environment.json",
	    V1("\"baseImage\": \"base:1\", \"shmSize\": \"4g\", "
	       "\"arguments\": [\"-it\"], \"baseImageRegistry\": "
	       "{\"address\": \"reg.example\", \"username\": \"u\", "
	       "\"password\": \"hidden-word\"}",
	       OWN,
	       ", \"spark\": {\"packages\": [{\"group\": \"g\"}]}, "
	       "\"r\": {\"rVersion\": \"3\"}"));
	a = must("odd", &told);
	assert_string_equal(a->image, "reg.example/base:1");
	assert_int_equal(told.line.n, 5);
	is_told(&told, "4: \"shmSize\"");
	is_told(&told, "\"arguments\"");
	is_told(&told, "\"packages\"");
	is_told(&told, "\"r\"");
	is_told(&told, "neither used nor kept");
}

static bool has_text(const char *file, const char *text)
{
	eb_autofree char *path = eb_path_join(scratch, file);
	EB_AUTOBUF(is, EB_MAX_METADATA);
	AUTOERR(err);

	assert_int_equal(eb_read_file(path, EB_MAX_METADATA, &is, &err), 0);
	return strstr(is.data, text);
}

/* Whatever the password is; what is left can be read again. */
static void logins_are_not_kept(void **state)
{
	static const char *const passwords[] = { "\"40414243\"", "40414243",
						 "40414243.5" };

	(void)state;
	for (size_t i = 0; i < sizeof passwords / sizeof *passwords; i++) {
		AUTOTOLD(told);
		AUTOAZURE(a);
		AUTOAZURE(again);
		eb_autofree char *text = eb_asprintf(
			V1(IMAGE ", \"baseImageRegistry\": {\"address\": "
				 "\"reg.example\", \"username\": "
				 "\"somebody\", \"password\": %s}",
			   OWN, ""),
			passwords[i]);
		eb_autofree char *dir = eb_asprintf("login%zu", i);
		eb_autofree char *file =
			eb_asprintf("%s/azureml_environment.json", dir);

		put("login/azureml_environment.json", text);
		a = must("login", &told);
		save(a, EB_AZURE_V1, dir, &told);
		assert_false(has_text(file, "40414243"));
		assert_false(has_text(file, "somebody"));
		assert_true(has_text(file, "reg.example"));
		again = must(dir, &told);
		assert_string_equal(again->image, a->image);
	}
}

static void version_1_refused(void **state)
{
	static const char file[] = "bad/azureml_environment.json";

	(void)state;
	is_refused(file, V1("", OWN, ""), 4, "not none");
	is_refused(file, V1(IMAGE ", \"baseDockerfile\": \"FROM x\"", OWN, ""),
		   4, "not several");
	is_refused(file, V1(IMAGE, "\"interpreterPath\": \"python\"", ""), 3,
		   "there are no conda dependencies");
	is_refused(file,
		   V1(IMAGE ", \"platform\": {\"os\": \"Windows\"}", OWN, ""),
		   4, "only Linux");
	is_refused(file,
		   V1(IMAGE ", \"baseImageRegistry\": {\"username\": \"u\"}",
		      OWN, ""),
		   4, "a username and no password");
	is_refused(file,
		   V1("\"buildContext\": {\"locationType\": \"git\", "
		      "\"location\": \"https://x.example/y\"}",
		      OWN, ""),
		   4, "which is not read");
	is_refused(file, V1(IMAGE ", \"baseImage\": []", OWN, ""), 4,
		   "baseImage");
	is_refused(file, "[]", 1, "none of Azure ML's");
	is_refused(file, "{\"docker\": ", 2, "reading as YAML");
}

/* Files that people committed: each is read, and saved byte for byte. */
static void real_ones_of_version_1(void **state)
{
	struct dirent *entry;
	DIR *dir;
	size_t n = 0;

	(void)state;
	NEED_DATA(folder, "definitions/azure");
	dir = opendir(folder);
	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		eb_autofree char *path = eb_path_join(folder, entry->d_name);
		eb_autofree char *to = NULL, *name = NULL;
		EB_AUTOBUF(text, EB_MAX_METADATA);
		AUTOTOLD(told);
		AUTOAZURE(a);
		AUTOERR(err);

		if (!eb_ends(entry->d_name, ".json"))
			continue;
		assert_int_equal(
			eb_read_file(path, EB_MAX_METADATA, &text, &err), 0);
		name = eb_asprintf("real%zu", n);
		to = eb_asprintf("%s/azureml_environment.json", name);
		put(to, text.data);
		free(to);
		to = eb_asprintf("%s/conda_dependencies.yml", name);
		put(to, CONDA);
		a = must(name, &told);
		free(name);
		name = eb_asprintf("saved%zu", n);
		save(a, EB_AZURE_V1, name, &told);
		free(to);
		to = eb_asprintf("%s/azureml_environment.json", name);
		is_file(to, text.data);
		/* and made anew, as Python's json writes it */
		eb_azure_rename(a, a->name, a->version);
		free(name);
		name = eb_asprintf("anew%zu", n);
		save(a, EB_AZURE_V1, name, &told);
		free(to);
		to = eb_asprintf("%s/azureml_environment.json", name);
		is_file(to, text.data);
		n++;
	}
	closedir(dir);
	assert_int_equal(n, 8);
}

/* ---- version 2 ---------------------------------------------------------- */

static void version_2(void **state)
{
	static const char text[] =
		"name: e\nversion: 4\nimage: base:1\nconda_file: c.yml\n"
		"description: 'a: b'\ntags:\n  one: \"1\"\nnew_key: 1\n";
	AUTOTOLD(told);
	AUTOAZURE(a);

	(void)state;
	put("v2/environment.yml", text);
	put("v2/c.yml", CONDA);
	a = must("v2", &told);
	assert_int_equal(a->form, EB_AZURE_V2);
	assert_string_equal(a->name, "e");
	assert_string_equal(a->version, "4");
	assert_string_equal(a->description, "a: b");
	assert_string_equal(a->conda_name, "c.yml");
	assert_int_equal(a->spec->n_pip, 1);
	assert_int_equal(told.line.n, 1);
	is_told(&told, "8: unknown key \"new_key\"");
	save(a, EB_AZURE_V2, "v2again", &told);
	is_file("v2again/environment.yml", text);
	is_file("v2again/c.yml", CONDA);
	eb_azure_rename(a, "f", NULL);
	save(a, EB_AZURE_V2, "v2new", &told);
	is_file("v2new/environment.yml",
		"$schema: https://azuremlschemas.azureedge.net/latest/"
		"environment.schema.json\nname: f\ndescription: 'a: b'\n"
		"tags:\n  one: '1'\nimage: base:1\n"
		"conda_file: conda_dependencies.yml\nos_type: linux\n");
	is_file("v2new/conda_dependencies.yml", CONDA);
	save(a, EB_AZURE_V1, "v2old", &told);
	is_told(&told, "version 1 holds no description");
}

static void conda_inside_version_2(void **state)
{
	static const char text[] =
		"image: base:1\nname: e\nconda_file:\n  channels: [a]\n"
		"  dependencies:\n    - python=3.8\n    - pip:\n"
		"      - b==2\n";
	AUTOTOLD(told);
	AUTOAZURE(a);

	(void)state;
	put("in2.yml", text);
	a = must("in2.yml", &told);
	assert_int_equal(a->spec->conda_at[0].line, 6);
	assert_int_equal(a->spec->pip_at[0].line, 8);
	assert_string_equal(a->conda, "channels:\n- a\ndependencies:\n"
				      "- python=3.8\n- pip:\n  - b==2\n");
	save(a, EB_AZURE_V2, "in2", &told);
	is_file("in2/environment.yml", text);
}

static void version_2_refused(void **state)
{
	(void)state;
	is_refused("b.yml", "name: x\nconda_file: c.yml\n", 2,
		   "needs an \"image\"");
	is_refused("b.yml", "image: a\nbuild:\n  path: .\n", 3,
		   "exclude each other");
	is_refused("b.yml", "image: a\nchannels: [b]\n", 2,
		   "stand in an Azure ML environment itself");
	is_refused("b.yml", "image: a\nos_type: windows\n", 2, "only Linux");
	is_refused("b.yml", "image: a\nconda_file: none.yml\n", 2, "none.yml");
	is_refused("b.yml", "image: [a]\n", 1, "a text is expected");
	is_refused("b.yml", "image: '{{x}}'\n", 1, "not filled in");
	is_refused("b.yml", "image: a\nconda_file: {dependencies: [=]}\n", 2,
		   "=");
}

/* ---- jobs --------------------------------------------------------------- */

static void jobs(void **state)
{
	static const char two[] =
		"jobs:\n  one:\n    environment: azureml:base:3\n  two:\n"
		"    task:\n      environment:\n        image: x:2\n";
	AUTOTOLD(told);

	(void)state;
	put("job.yml", "command: x\nenvironment: azureml:curated@latest\n");
	put("file.yml", "command: x\nenvironment: file:in/env.yml\n");
	put("in/env.yml", "name: e\nimage: x:1\n");
	put("two.yml", two);
	{
		AUTOAZURE(a);

		a = must("job.yml", &told);
		assert_string_equal(a->reference, "azureml:curated@latest");
	}
	{
		AUTOAZURE(a);

		a = must("file.yml", &told);
		assert_int_equal(a->form, EB_AZURE_V2);
		assert_string_equal(a->image, "x:1");
	}
	{
		AUTOAZURE(a);

		a = must("two.yml#jobs.two", &told);
		assert_string_equal(a->image, "x:2");
	}
	is_refused("two.yml", two, 7, "2 environments: jobs.one, jobs.two");
	is_refused("none.yml", "jobs:\n  a:\n    type: command\n", 1,
		   "no environment");
	is_refused("self.yml", "environment: ./self.yml\n", 1, "a job again");
}

static void no_such_job(void **state)
{
	eb_autofree char *path = eb_path_join(scratch, "pick.yml#jobs.three");
	AUTOTOLD(told);
	AUTOAZURE(a);
	AUTOERR(err);

	(void)state;
	put("pick.yml", "jobs:\n  one:\n    environment: azureml:base:3\n");
	assert_int_equal(read_path(path, &told, &a, &err), -1);
	assert_int_equal(err.code, EB_INPUT);
	assert_non_null(strstr(err.message, "jobs.three"));
	assert_non_null(strstr(err.hint, "jobs.one"));
	eb_err_release(&err);
	put("no-job.yml", "image: x\n");
	free(path);
	path = eb_path_join(scratch, "no-job.yml#jobs.one");
	assert_int_equal(read_path(path, &told, &a, &err), -1);
	assert_non_null(strstr(err.message, "is no job"));
}

/* ---- MLflow ------------------------------------------------------------- */

static void mlflow(void **state)
{
	AUTOTOLD(told);
	AUTOAZURE(a);

	(void)state;
	put("ml/requirements.txt", "numpy==1.24.0\n");
	put("ml/python_env.yaml",
	    "python: 3.8.15\nbuild_dependencies:\n- pip==22.2.2\n"
	    "- setuptools\ndependencies:\n- -r requirements.txt\n");
	a = must("ml/python_env.yaml", &told);
	assert_int_equal(a->form, EB_AZURE_MLFLOW);
	assert_string_equal(a->conda,
			    "dependencies:\n- python=3.8.15\n- pip\n- pip:\n"
			    "  - pip==22.2.2\n  - setuptools\n"
			    "  - -r requirements.txt\n");
	assert_int_equal(a->spec->n_conda, 2);
	assert_int_equal(a->spec->pip_at[1].line, 4);
}

/* ---- forms -------------------------------------------------------------- */

static void forms(void **state)
{
	static const struct {
		const char *file, *text;
		enum eb_azure_form form;
	} list[] = {
		{ "e.yml", "dependencies: [python]", EB_AZURE_NONE },
		{ "e.yml", "image: x", EB_AZURE_V2 },
		{ "e.yml", "environment: {image: x}", EB_AZURE_JOB },
		{ "e.yml", "jobs: {a: {}}", EB_AZURE_JOB },
		{ "e.json", "{\"docker\": {}, \"python\": {}}", EB_AZURE_V1 },
		{ "d/python_env.yaml", "python: 3.8", EB_AZURE_MLFLOW },
		{ "e.yml", "python: 3.8", EB_AZURE_NONE },
		{ "e.yml", "- a", EB_AZURE_NONE },
		{ "e.yml", "a: [", EB_AZURE_NONE },
		{ "e.txt", "", EB_AZURE_NONE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		assert_int_equal(eb_azure_form(list[i].file, list[i].text,
					       strlen(list[i].text)),
				 list[i].form);
}

static void nothing_is_overwritten(void **state)
{
	eb_autofree char *dir = eb_path_join(scratch, "there");
	AUTOTOLD(told);
	AUTOAZURE(a);
	AUTOERR(err);

	(void)state;
	put("there/conda_dependencies.yml", "theirs\n");
	put("there2/azureml_environment.json", V1(IMAGE, OWN, ""));
	a = must("there2", &told);
	assert_int_equal(eb_azure_save(a, EB_AZURE_V1, dir, false, NULL, &err),
			 -1);
	assert_int_equal(err.code, EB_INPUT);
	is_file("there/conda_dependencies.yml", "theirs\n");
	eb_err_release(&err);
	assert_int_equal(eb_azure_save(a, EB_AZURE_V1, dir, true, NULL, &err),
			 0);
	is_file("there/azureml_environment.json", V1(IMAGE, OWN, ""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_folder_of_version_1),
		cmocka_unit_test(dependencies_inside),
		cmocka_unit_test(a_base_alone),
		cmocka_unit_test(a_dockerfile),
		cmocka_unit_test(what_is_not_honoured_is_told),
		cmocka_unit_test(logins_are_not_kept),
		cmocka_unit_test(version_1_refused),
		cmocka_unit_test(real_ones_of_version_1),
		cmocka_unit_test(version_2),
		cmocka_unit_test(conda_inside_version_2),
		cmocka_unit_test(version_2_refused),
		cmocka_unit_test(jobs),
		cmocka_unit_test(no_such_job),
		cmocka_unit_test(mlflow),
		cmocka_unit_test(forms),
		cmocka_unit_test(nothing_is_overwritten),
	};

	return cmocka_run_group_tests(tests, scratch_set_up, scratch_tear_down);
}
