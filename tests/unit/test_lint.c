/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of lint that look at texts: each finds what it is for, in its
 * line, and leaves alone what is right; the safe changes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/lint.h>

#define AUTOERR(name) \
	struct eb_error name EB_CLEANUP(eb_err_release) = EB_ERROR_INIT

static char *scratch;

static int set_up(void **state)
{
	AUTOERR(err);

	(void)state;
	scratch = eb_make_tempdir("/tmp", "envbuild-test-", &err);
	return scratch ? chdir(scratch) : -1;
}

static int tear_down(void **state)
{
	AUTOERR(err);
	int rc = chdir("/") + eb_remove_tree(scratch, &err);

	(void)state;
	free(scratch);
	return rc;
}

static void put(const char *name, const char *text)
{
	AUTOERR(err);

	if (eb_write_file(name, text, strlen(text), 0644, &err) < 0)
		fail_msg("%s", err.message);
}

static void lint(const char *file, const char *text, struct eb_linted *out)
{
	AUTOERR(err);

	put(file, text);
	if (eb_lint(file, "linux/amd64", out, &err) < 0)
		fail_msg("%s", err.message);
}

static const struct eb_lint_found *find(const struct eb_linted *l,
					const char *rule)
{
	for (size_t i = 0; i < l->findings.n; i++)
		if (!strcmp(l->findings.v[i].rule->name, rule))
			return &l->findings.v[i];
	return NULL;
}

static void finds(const char *rule, const char *file, const char *text,
		  unsigned line)
{
	struct eb_linted l EB_CLEANUP(eb_linted_release) = { 0 };
	const struct eb_lint_found *f;

	lint(file, text, &l);
	f = find(&l, rule);
	if (!f)
		fail_msg("%s does not find it in: %s", rule, text);
	if (f->line != line)
		fail_msg("%s: line %u, not %u: %s", rule, f->line, line,
			 f->what);
	assert_true(*f->what);
}

static void leaves(const char *rule, const char *file, const char *text)
{
	struct eb_linted l EB_CLEANUP(eb_linted_release) = { 0 };
	const struct eb_lint_found *f;

	lint(file, text, &l);
	f = find(&l, rule);
	if (f)
		fail_msg("%s finds \"%s\" in: %s", rule, f->what, text);
}

/* ---- conda -------------------------------------------------------------- */

#define DEPS "channels: [a]\ndependencies:\n"
#define LONG64 \
	"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

static const struct {
	const char *rule, *wrong;
	unsigned line;
	const char *right;
} conda[] = {
	{ "unreadable", "a: [", 2, DEPS "- python\n" },
	{ "odd-form", DEPS "- python\nnew: 1\n", 4, DEPS "- python\n" },
	{ "not-utf-8", DEPS "- python\n# \xff\n", 4,
	  DEPS "- python # \xc3\xa4\n" },
	{ "reserved-name", "name: AzureML-x\n" DEPS "- python\n", 1,
	  "name: my-AzureML\n" DEPS "- python\n" },
	{ "name-too-long",
	  "name: " LONG64 LONG64 LONG64 LONG64 "\n" DEPS "- python\n", 1,
	  "name: " LONG64 "\n" DEPS "- python\n" },
	{ "bad-conda-spec", DEPS "- python\n- numpy=>1\n", 4,
	  DEPS "- python\n- numpy>=1\n" },
	{ "bad-pip-requirement", DEPS "- pip:\n  - numpy=1.24\n", 4,
	  DEPS "- pip:\n  - numpy==1.24\n" },
	{ "no-dependencies", "name: x\n", 1, DEPS "- python\n" },
	{ "no-channels", "dependencies: [python]\n", 1, DEPS "- python\n" },
	{ "mixed-channels",
	  "channels: [conda-forge, defaults]\ndependencies: [python]\n", 1,
	  "channels: [conda-forge]\ndependencies: [python]\n" },
	{ "channel-for-pytorch-cuda",
	  "channels: [pytorch]\ndependencies:\n- pytorch-cuda=12.1\n", 3,
	  "channels: [pytorch, nvidia]\ndependencies:\n- pytorch-cuda=12.1\n" },
	{ "duplicate-package", DEPS "- numpy=1\n- numpy<2\n", 4,
	  DEPS "- numpy=1\n- scipy\n" },
	{ "duplicate-package", DEPS "- numpy\n- pip:\n  - Numpy==1\n", 5,
	  DEPS "- numpy\n- pip:\n  - scipy==1\n" },
	{ "duplicate-package", DEPS "- pip:\n  - a_b==1\n  - A-B==1\n", 5,
	  DEPS "- pip:\n  - a==1 ; python_version < '3'\n"
	       "  - a==2 ; python_version >= '3'\n" },
	{ "unpinned", DEPS "- python=3.9\n- numpy\n", 4,
	  DEPS "- python=3.9\n- numpy=1\n- pip\n" },
	{ "unpinned", DEPS "- pip:\n  - numpy\n", 4,
	  DEPS "- pip:\n  - numpy~=1.0\n  - -e .\n" },
	{ "pip-not-listed", DEPS "- python\n- pip:\n  - a==1\n", 4,
	  DEPS "- python\n- pip\n- pip:\n  - a==1\n" },
	{ "pip-not-pinned", DEPS "- python=3.9\n- pip\n", 4,
	  DEPS "- python=3.9\n- pip=21\n" },
	{ "no-python", DEPS "- numpy=1\n", 3, DEPS "- python\n" },
	{ "several-pythons", DEPS "- python=3.8\n- python>=3.6\n", 4,
	  DEPS "- python=3.8\n- python-dateutil\n" },
	{ "python-end-of-life", DEPS "- python=3.6.2\n", 3,
	  DEPS "- python=3.12\n" },
	{ "python-patch-too-low",
	  DEPS "- python=3.6.2\n- pip:\n  - torch==1.6.0\n", 3,
	  DEPS "- python=3.6.9\n- pip:\n  - torch==1.6.0\n" },
	{ "python-patch-too-low", DEPS "- python==3.6.2\n- pip:\n  - torch\n",
	  3, DEPS "- python=3.6.2\n- pip:\n  - torchtext==1\n" },
};

static void rules_of_conda(void **state)
{
	(void)state;
	put("setup.py", "");
	for (size_t i = 0; i < sizeof conda / sizeof *conda; i++) {
		finds(conda[i].rule, "environment.yml", conda[i].wrong,
		      conda[i].line);
		leaves(conda[i].rule, "environment.yml", conda[i].right);
	}
}

/* ---- Azure, version 1 --------------------------------------------------- */

#define V1(docker, more)                                               \
	"{\"name\": \"x\",\n \"docker\": {" docker "},\n \"python\": " \
	"{\"userManagedDependencies\": true}" more "}"
#define BASE "\"baseImage\": \"b:1\""

static const struct {
	const char *rule, *wrong;
	unsigned line;
	const char *right;
} v1[] = {
	{ "reserved-name", "{\"name\": \"Microsoft-x\", \"docker\": {}}", 1,
	  V1(BASE, "") },
	{ "no-base", V1("", ""), 2, V1(BASE, "") },
	{ "several-bases", V1(BASE ", \"baseDockerfile\": \"FROM x:1\"", ""), 2,
	  V1("\"baseDockerfile\": \"FROM x:1\"", "") },
	{ "base-not-pinned", V1("\"baseImage\": \"h:5000/b\"", ""), 2,
	  V1("\"baseImage\": \"h:5000/b@sha256:0\"", "") },
	{ "base-not-pinned", V1("\"baseImage\": \"b:latest\"", ""), 2,
	  V1(BASE, "") },
	{ "registry-login",
	  V1(BASE ", \"baseImageRegistry\": {\"password\": \"p\"}", ""), 2,
	  V1(BASE ", \"baseImageRegistry\": {\"address\": \"r\"}", "") },
	{ "registry-login",
	  V1(BASE ", \"baseImageRegistry\": {\"username\": \"u\", "
		  "\"password\": \"p\", \"registryIdentity\": {\"a\": 1}}",
	     ""),
	  2, V1(BASE ", \"baseImageRegistry\": {\"username\": null}", "") },
	{ "secret",
	  V1(BASE ", \"baseImageRegistry\": {\"username\": \"u\", "
		  "\"password\": \"p\"}",
	     ""),
	  2, V1(BASE, "") },
	{ "deprecated-attribute", V1(BASE ", \"shmSize\": \"8g\"", ""), 2,
	  V1(BASE ", \"shmSize\": \"2g\", \"enabled\": true, \"arguments\": []",
	     "") },
	{ "variables-in-definition",
	  V1(BASE, ",\n\"environmentVariables\": {\"A\": \"1\"}"), 4,
	  V1(BASE, ",\n\"environmentVariables\": "
		   "{\"EXAMPLE_ENV_VAR\": \"EXAMPLE_VALUE\"}") },
	{ "base-conda-environment",
	  "{\"docker\": {" BASE "},\n\"python\": "
	  "{\"userManagedDependencies\": true, "
	  "\"baseCondaEnvironment\": \"b\"}}",
	  2, V1(BASE, "") },
	{ "r-section", V1(BASE, ",\n\"r\": {\"rVersion\": \"3\"}"), 4,
	  V1(BASE, ",\n\"r\": null") },
	{ "context-location",
	  V1("\"buildContext\": {\"dockerfilePath\": \"D\"}", ""), 2,
	  V1("\"buildContext\": {\"locationType\": \"git\", "
	     "\"location\": \"https://x.example/y\"}",
	     "") },
	{ "context-location",
	  V1("\"buildContext\": {\"locationType\": \"ftp\", "
	     "\"location\": \"x\"}",
	     ""),
	  2,
	  V1("\"buildContext\": {\"locationType\": \"storageAccount\", "
	     "\"location\": \"https://a.blob.core.windows.net/c/p\"}",
	     "") },
	{ "context-location",
	  V1("\"buildContext\": {\"locationType\": \"storageAccount\", "
	     "\"location\": \"https://a.example/c\"}",
	     ""),
	  2, V1(BASE, "") },
	{ "context-with-others",
	  V1("\"buildContext\": {\"location\": \"https://x.example/y\"}",
	     ",\n\"environmentVariables\": {\"A\": \"1\"}"),
	  4, V1(BASE, ",\n\"environmentVariables\": {\"A\": \"1\"}") },
	{ "windows", V1(BASE ", \"platform\": {\"os\": \"Windows\"}", ""), 2,
	  V1(BASE ", \"platform\": {\"os\": \"Linux\"}", "") },
	{ "no-dependencies", "{\"docker\": {" BASE "}, \"python\": {}}", 1,
	  V1(BASE, "") },
	{ "dockerfile-instruction",
	  V1("\"baseDockerfile\": \"FROM x:1\\nRUM y\"", ""), 2,
	  V1("\"baseDockerfile\": \"FROM x:1\\nRUN y\"", "") },
};

static void rules_of_version_1(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof v1 / sizeof *v1; i++) {
		finds(v1[i].rule, "azureml_environment.json", v1[i].wrong,
		      v1[i].line);
		leaves(v1[i].rule, "azureml_environment.json", v1[i].right);
	}
}

/* ---- Azure, version 2, and jobs ----------------------------------------- */

static const struct {
	const char *rule, *wrong;
	unsigned line;
	const char *right;
} v2[] = {
	{ "no-base", "name: x\nconda_file: c.yml\n", 1, "image: a:1\n" },
	{ "several-bases", "image: a:1\nbuild:\n  path: ctx\n", 3,
	  "build:\n  path: ctx\n" },
	{ "windows", "image: a:1\nos_type: windows\n", 2,
	  "image: a:1\nos_type: linux\n" },
	{ "base-not-pinned", "image: a\n", 1, "image: a:1\n" },
	{ "dockerfile-missing",
	  "build:\n  path: ctx\n  dockerfile_path: none\n", 3,
	  "build:\n  path: ctx\n" },
	{ "context-location", "build:\n  dockerfile_path: D\n", 2,
	  "build:\n  path: ctx\n" },
	{ "unreadable", "image: a:1\nconda_file: none.yml\n", 2,
	  "image: a:1\nconda_file: c.yml\n" },
	{ "unpinned", "image: a:1\nconda_file:\n  dependencies:\n  - numpy\n",
	  4, "image: a:1\nconda_file:\n  dependencies:\n  - numpy=1\n" },
	{ "base-not-pinned",
	  "jobs:\n  a:\n    task:\n      environment:\n        image: x\n", 5,
	  "environment:\n  image: x:1\n" },
};

static void rules_of_version_2(void **state)
{
	AUTOERR(err);

	(void)state;
	assert_int_equal(eb_mkdirs("ctx", 0755, &err), 0);
	put("ctx/Dockerfile", "FROM a:1\n");
	put("c.yml", DEPS "- python\n");
	for (size_t i = 0; i < sizeof v2 / sizeof *v2; i++) {
		finds(v2[i].rule, "env.yml", v2[i].wrong, v2[i].line);
		leaves(v2[i].rule, "env.yml", v2[i].right);
	}
}

/* ---- Dockerfiles -------------------------------------------------------- */

static void docker(const char *rule, const char *text, unsigned line)
{
	struct eb_linted l EB_CLEANUP(eb_linted_release) = { 0 };
	const struct eb_lint_found *f;

	put("ctx/Dockerfile", text);
	lint("env.yml", "build:\n  path: ctx\n", &l);
	f = find(&l, rule);
	if (!line && f)
		fail_msg("%s finds \"%s\" in: %s", rule, f->what, text);
	if (!line)
		return;
	if (!f || f->line != line)
		fail_msg("%s: line %u, not %u", rule, f ? f->line : 0, line);
	assert_string_equal(f->file, "ctx/Dockerfile");
}

static void rules_of_dockerfiles(void **state)
{
	static const struct {
		const char *rule, *text;
		unsigned line;
	} list[] = {
		{ "dockerfile-instruction", "FROM a:1\nRUN b \\\n\n c\nand d\n",
		  5 },
		{ "dockerfile-instruction",
		  "# syntax=x\nfrom a:1\nRUN b \\\n # why\n c\n\nENV A=1\n",
		  0 },
		{ "dockerfile-instruction",
		  "FROM a:1\nRUN <<EOF\nany text\nEOF\nRUN b\n", 0 },
		{ "dockerfile-copy", "FROM a:1\nCOPY none /x\n", 2 },
		{ "dockerfile-copy",
		  "FROM a:1\nCOPY Dockerfile /x\nCOPY --from=b y /y\n"
		  "ADD https://x.example/y /z\nCOPY *.none /x\nCOPY $A /x\n",
		  0 },
		{ "dockerfile-apt", "FROM a:1\nRUN apt-get install -y git\n",
		  2 },
		{ "dockerfile-apt",
		  "FROM a:1\nRUN apt-get update && apt-get install git\n", 2 },
		{ "dockerfile-apt",
		  "FROM a:1\nRUN apt-get update \\\n && apt-get install -y \\\n"
		  "  git\nRUN apt-get install --yes g++\n",
		  0 },
		{ "dockerfile-old-system", "FROM ubuntu:18.04\n", 1 },
		{ "dockerfile-old-system", "FROM ubuntu:24.04\n", 0 },
	};
	eb_autofree char *large = eb_malloc(102402);

	(void)state;
	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		docker(list[i].rule, list[i].text, list[i].line);
	memset(large, '#', 102401);
	large[102401] = '\0';
	put("ctx/Dockerfile", large);
	{
		struct eb_linted l EB_CLEANUP(eb_linted_release) = { 0 };

		lint("env.yml", "build:\n  path: ctx\n", &l);
		assert_non_null(find(&l, "dockerfile-too-long"));
	}
	docker("dockerfile-too-long", "FROM a:1\n", 0);
}

/* ---- all of them at once, and levels ------------------------------------ */

static void one_fault_hides_no_other(void **state)
{
	struct eb_linted l EB_CLEANUP(eb_linted_release) = { 0 };

	(void)state;
	lint("environment.yml",
	     DEPS "- python=>3.8\n- x==\n- pip:\n  - a=1\n  - b~==2\n  - c\n",
	     &l);
	assert_true(eb_lint_fails(&l.findings));
	assert_null(l.spec);
	assert_int_equal(l.findings.n, 6);
	for (size_t i = 1; i < l.findings.n; i++)
		assert_true(l.findings.v[i - 1].line <= l.findings.v[i].line);
}

static void nothing_is_wrong(void **state)
{
	struct eb_linted l EB_CLEANUP(eb_linted_release) = { 0 };

	(void)state;
	lint("environment.yml",
	     "name: x\nchannels: [conda-forge]\ndependencies:\n- python=3.12\n"
	     "- numpy=2.0\n- pip=24.0\n- pip:\n  - requests==2.32.0\n",
	     &l);
	assert_int_equal(l.findings.n, 0);
	assert_non_null(l.spec);
	assert_false(eb_lint_fails(&l.findings));
}

static void requirements_too(void **state)
{
	(void)state;
	finds("unreadable", "requirements.txt", "a==1\nb=1\n", 2);
	leaves("unreadable", "requirements.txt", "a==1\nb==1\n");
}

static void no_such_file(void **state)
{
	struct eb_linted l EB_CLEANUP(eb_linted_release) = { 0 };
	AUTOERR(err);

	(void)state;
	assert_int_equal(eb_lint("none.yml", "linux/amd64", &l, &err), -1);
	assert_int_equal(err.code, EB_INPUT);
}

/* ---- the safe changes --------------------------------------------------- */

static void is_mended(const char *text, const char *want, size_t changes)
{
	struct eb_linted l EB_CLEANUP(eb_linted_release) = { 0 };
	EB_AUTOBUF(is, EB_MAX_METADATA);
	AUTOERR(err);
	size_t made;

	lint("fix.yml", text, &l);
	assert_int_equal(eb_lint_fix(&l.findings, &made, &err), 0);
	assert_int_equal(made, changes);
	assert_int_equal(eb_read_file("fix.yml", EB_MAX_METADATA, &is, &err),
			 0);
	assert_string_equal(is.data, want);
}

static void the_safe_changes(void **state)
{
	(void)state;
	is_mended("channels: [a]\r\ndependencies:\r\n  - python=>3.8\r\n"
		  "  - pip:\r\n    - a=1  # one\r\n    - 'b~==2'\r\n",
		  "channels: [a]\r\ndependencies:\r\n  - python>=3.8\r\n"
		  "  - pip\n  - pip:\r\n    - a==1  # one\r\n    - 'b~=2'\r\n",
		  4);
	is_mended(DEPS "- python=3.12\n", DEPS "- python=3.12\n", 0);
	is_mended("dependencies: [{pip: [a=1]}]\n",
		  "dependencies: [{pip: [a==1]}]\n", 1);
}

static void mended_findings_are_gone(void **state)
{
	struct eb_linted l EB_CLEANUP(eb_linted_release) = { 0 };
	struct eb_linted again EB_CLEANUP(eb_linted_release) = { 0 };
	AUTOERR(err);
	size_t made;

	(void)state;
	lint("fix.yml", DEPS "- python=>3.12\n- pip:\n  - a=1\n", &l);
	assert_true(eb_lint_fails(&l.findings));
	assert_int_equal(eb_lint_fix(&l.findings, &made, &err), 0);
	assert_int_equal(eb_lint("fix.yml", "linux/amd64", &again, &err), 0);
	assert_false(eb_lint_fails(&again.findings));
}

static void the_table(void **state)
{
	size_t n = 0;

	(void)state;
	for (const struct eb_rule *r; (r = eb_rule_at(n)); n++) {
		assert_ptr_equal(eb_rule_find(r->name), r);
		assert_true(*r->what);
	}
	assert_true(n > 40);
	assert_null(eb_rule_find("none"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_of_conda),
		cmocka_unit_test(rules_of_version_1),
		cmocka_unit_test(rules_of_version_2),
		cmocka_unit_test(rules_of_dockerfiles),
		cmocka_unit_test(one_fault_hides_no_other),
		cmocka_unit_test(nothing_is_wrong),
		cmocka_unit_test(requirements_too),
		cmocka_unit_test(no_such_file),
		cmocka_unit_test(the_safe_changes),
		cmocka_unit_test(mended_findings_are_gone),
		cmocka_unit_test(the_table),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
