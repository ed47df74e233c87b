/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of lint that look at texts: each finds what it is for, in its
 * line, and leaves alone what is right; the safe changes. */
#include "lint_cases.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void lint(const char *file, const char *text, struct eb_linted *out)
{
	AUTOERR(err);

	scratch_put(file, text);
	if (eb_lint(file, "linux/amd64", out, &err) < 0)
		fail_msg("%s", err.message);
}

static void finds(const char *rule, const char *file, const char *text,
		  unsigned line)
{
	struct eb_linted l EB_CLEANUP(eb_linted_release) = { 0 };

	lint(file, text, &l);
	must_find(&l, rule, line, text);
}

static void leaves(const char *rule, const char *file, const char *text)
{
	struct eb_linted l EB_CLEANUP(eb_linted_release) = { 0 };

	lint(file, text, &l);
	must_leave(&l, rule, text);
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
	{ "bad-wheel-name", DEPS "- pip:\n  - x @ https://f.example/x-1.whl\n",
	  4,
	  DEPS
	  "- pip:\n  - x @ https://f.example/x-1%2Bcpu-py3-none-any.whl\n" },
	{ "bad-wheel-name",
	  DEPS "- pip:\n  - https://f.example/a/x-1-py3.whl#sha256=0\n", 4,
	  DEPS "- pip:\n  - https://f.example/a.whl/x-1.tar.gz\n" },
	{ "expired-url",
	  DEPS "- pip:\n  - --extra-index-url "
	       "https://a.example/c?se=2023-01-01T00%3A00%3A00Z&sig=x\n",
	  4,
	  DEPS "- pip:\n  - --extra-index-url "
	       "https://a.example/c?se=2093-01-01T00%3A00%3A00Z&sig=x\n" },
	{ "index-login",
	  DEPS "- pip:\n  - --index-url "
	       "https://feed.example/o/_packaging/f/pypi/simple/\n",
	  4,
	  DEPS "- pip:\n  - --index-url "
	       "https://u:${T}@feed.example/o/_packaging/f/pypi/simple/\n" },
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
	scratch_put("setup.py", "");
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
	{ "context-with-others",
	  V1("\"buildContext\": {\"location\": \"https://x.example/y\"}",
	     ",\n\"spark\": {\"packages\": [{\"group\": \"g\"}]}"),
	  4,
	  V1("\"buildContext\": {\"location\": \"https://x.example/y\"}",
	     ",\n\"spark\": {\"packages\": [], \"precachePackages\": true, "
	     "\"repositories\": []}") },
	{ "dockerfile-missing",
	  V1("\"buildContext\": {\"location\": \"https://x.example/y\", "
	     "\"dockerfilePath\": \"\"}",
	     ""),
	  2,
	  V1("\"buildContext\": {\"location\": \"https://x.example/y\", "
	     "\"dockerfilePath\": null}",
	     "") },
	{ "windows", V1(BASE ", \"platform\": {\"os\": \"Windows\"}", ""), 2,
	  V1(BASE ", \"platform\": {\"os\": \"Linux\"}", "") },
	{ "no-dependencies", "{\"docker\": {" BASE "}, \"python\": {}}", 1,
	  V1(BASE, "") },
	{ "several-pythons",
	  "{\"docker\": {\"baseDockerfile\": \"FROM x:1\\nRUN conda install "
	  "-y python=3.8\"},\n\"python\": {\"condaDependencies\":\n"
	  "{\"dependencies\": [\"python=3.6.2\"]}}}",
	  3,
	  "{\"docker\": {\"baseDockerfile\": \"FROM x:1\\nRUN conda install "
	  "-y python=3.6\"},\n\"python\": {\"condaDependencies\":\n"
	  "{\"dependencies\": [\"python=3.6.2\"]}}}" },
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
	{ "dockerfile-missing", "build:\n  path: ctx\n  dockerfile_path: ''\n",
	  3, "build:\n  path: ctx\n" },
	{ "context-with-others", "build:\n  path: ctx\nconda_file: c.yml\n", 3,
	  "image: a:1\nconda_file: c.yml\n" },
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

/* The Dockerfile of a saved folder has places of its own. */
static void a_saved_folder(void **state)
{
	struct eb_linted l EB_CLEANUP(eb_linted_release) = { 0 };
	AUTOERR(err);

	(void)state;
	assert_int_equal(eb_mkdirs("saved", 0755, &err), 0);
	scratch_put("saved/azureml_environment.json", V1("", ""));
	scratch_put("saved/BaseDockerfile", "FROM x:1\nRUM y\n");
	assert_int_equal(eb_lint("saved", "linux/amd64", &l, &err), 0);
	must_leave(&l, "no-base", "saved");
	assert_string_equal(
		must_find(&l, "dockerfile-instruction", 2, "saved")->file,
		"saved/BaseDockerfile");
}

static void rules_of_version_2(void **state)
{
	AUTOERR(err);

	(void)state;
	assert_int_equal(eb_mkdirs("ctx", 0755, &err), 0);
	scratch_put("ctx/Dockerfile", "FROM a:1\n");
	scratch_put("c.yml", DEPS "- python\n");
	for (size_t i = 0; i < sizeof v2 / sizeof *v2; i++) {
		finds(v2[i].rule, "env.yml", v2[i].wrong, v2[i].line);
		leaves(v2[i].rule, "env.yml", v2[i].right);
	}
}

/* ---- Dockerfiles -------------------------------------------------------- */

static void docker(const char *rule, const char *text, unsigned line)
{
	struct eb_linted l EB_CLEANUP(eb_linted_release) = { 0 };

	scratch_put("ctx/Dockerfile", text);
	lint("env.yml", "build:\n  path: ctx\n", &l);
	if (!line) {
		must_leave(&l, rule, text);
		return;
	}
	assert_string_equal(must_find(&l, rule, line, text)->file,
			    "ctx/Dockerfile");
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
		{ "dockerfile-conda",
		  "FROM ubuntu:22.04\nRUN apt-get update && \\\n"
		  " conda install -y numpy\n",
		  2 },
		{ "dockerfile-conda",
		  "FROM docker.io/nvidia/cuda:12.4.1-base-ubuntu22.04\n"
		  "RUN conda env create\n",
		  2 },
		{ "dockerfile-conda",
		  "FROM ubuntu:22.04\nRUN sh Miniconda3.sh && conda init\n"
		  "RUN conda install -y numpy\n",
		  0 },
		{ "dockerfile-conda",
		  "FROM mine:1\nRUN conda install -y numpy\n", 0 },
		{ "dockerfile-conda",
		  "FROM debian:12\nCOPY --from=x /opt/conda /opt/conda\n"
		  "RUN conda init\n",
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
	scratch_put("ctx/Dockerfile", large);
	{
		struct eb_linted l EB_CLEANUP(eb_linted_release) = { 0 };

		lint("env.yml", "build:\n  path: ctx\n", &l);
		must_find(&l, "dockerfile-too-long", 0, "102,401 bytes");
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
	finds("bad-pip-requirement", "requirements.txt", "a==1\nb=1\n", 2);
	leaves("bad-pip-requirement", "requirements.txt", "a==1\nb==1\n");
	leaves("unreadable", "requirements.txt", "a==1\nb=1\n");
	finds("bad-pip-requirement", "requirements.txt",
	      "# c\na==1 \\\n  ; python_version > '3'\n\nb=1 # why\n", 5);
	finds("duplicate-package", "requirements.txt", "a==1\na>0\n", 2);
	finds("unpinned", "requirements.txt", "\n a\n", 2);
	finds("not-utf-8", "requirements.txt", "a==1\n# \xff\n", 2);
	finds("unreadable", "requirements.txt", "-r none.txt\n", 1);
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
		  "  - pip:\r\n    - a=1  # one\r\n    - 'b~==2.0'\r\n",
		  "channels: [a]\r\ndependencies:\r\n  - python>=3.8\r\n"
		  "  - pip\r\n  - pip:\r\n    - a==1  # one\r\n"
		  "    - 'b~=2.0'\r\n",
		  4);
	is_mended(DEPS "- python=3.12\n", DEPS "- python=3.12\n", 0);
	is_mended("dependencies: [{pip: [a=1]}]\n",
		  "dependencies: [{pip: [a==1]}]\n", 1);
}

static size_t offers(const struct eb_linted *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->findings.n; i++)
		n += l->findings.v[i].edit.line > 0;
	return n;
}

/* Each kind of change: its finding is gone, and nothing more is offered. */
static void mended_findings_are_gone(void **state)
{
	static const struct {
		const char *rule, *file, *text;
	} kinds[] = {
		{ "bad-conda-spec", "fix.yml", DEPS "- python=>3.12\n" },
		{ "bad-conda-spec", "fix.yml",
		  "channels: [a]\ndependencies: [\xc3\xa4, 'b=>1', c~==1]\n" },
		{ "bad-pip-requirement", "fix.yml",
		  DEPS "- pip\n- pip:\n  - a=1\n  - b~==1.0\n  - c=>1\n" },
		{ "bad-pip-requirement", "requirements.txt",
		  "\xc3\xa4==1\r\na=1\r\nb=>1 # =>\r\n" },
		{ "pip-not-listed", "fix.yml", DEPS "- pip: [a==1]\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		struct eb_linted l EB_CLEANUP(eb_linted_release) = { 0 };
		struct eb_linted again EB_CLEANUP(eb_linted_release) = { 0 };
		AUTOERR(err);
		size_t made;

		lint(kinds[i].file, kinds[i].text, &l);
		assert_non_null(find(&l, kinds[i].rule));
		assert_int_equal(eb_lint_fix(&l.findings, &made, &err), 0);
		assert_int_equal(made, offers(&l));
		assert_int_equal(
			eb_lint(kinds[i].file, "linux/amd64", &again, &err), 0);
		if (i != 1 && i != 3) /* a name with an umlaut is none */
			assert_null(find(&again, kinds[i].rule));
		assert_int_equal(offers(&again), 0);
	}
}

/* What would be as wrong as before, or is not what it was, stays. */
static void what_is_not_offered(void **state)
{
	struct eb_linted l EB_CLEANUP(eb_linted_release) = { 0 };
	AUTOERR(err);
	size_t made;

	(void)state;
	is_mended(DEPS "- pip\n- pip:\n  - a~==1\n  - b=1=2\n",
		  DEPS "- pip\n- pip:\n  - a~==1\n  - b=1=2\n", 0);
	is_mended(DEPS "- \"a=\\x3e1\"\n", DEPS "- \"a=\\x3e1\"\n", 0);
	lint("fix.yml", DEPS "- python=>3.8\n", &l);
	scratch_put("fix.yml", "other: text\n\n- python==3.8\n");
	assert_int_equal(eb_lint_fix(&l.findings, &made, &err), 0);
	assert_int_equal(made, 0);
}

/* The file that a link leads to, with its mode. */
static void links_and_modes(void **state)
{
	struct eb_linted l EB_CLEANUP(eb_linted_release) = { 0 };
	AUTOERR(err);
	struct stat st;
	size_t made;

	(void)state;
	scratch_put("real.yml", DEPS "- python=>3.8\n");
	assert_int_equal(chmod("real.yml", 0640), 0);
	unlink("link.yml");
	assert_int_equal(symlink("real.yml", "link.yml"), 0);
	assert_int_equal(eb_lint("link.yml", "linux/amd64", &l, &err), 0);
	assert_int_equal(eb_lint_fix(&l.findings, &made, &err), 0);
	assert_int_equal(made, 1);
	assert_int_equal(lstat("link.yml", &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(stat("real.yml", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
}

/* An error is one of a build: the name of a conda file is not used. */
/* A stage before, or an image that nobody knows, may have the lists. */
static void lists_of_packages(void **state)
{
	static const struct {
		const char *text;
		enum eb_level level;
	} all[] = {
		{ "FROM ubuntu:22.04\nRUN apt-get install -y x\n",
		  EB_LEVEL_ERROR },
		{ "FROM a:1\nRUN apt-get install -y x\n", EB_LEVEL_WARNING },
		{ "FROM ubuntu:22.04 AS first\nRUN apt-get update\n"
		  "FROM first\nRUN apt-get install -y x\n",
		  EB_LEVEL_WARNING },
	};

	(void)state;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct eb_linted l EB_CLEANUP(eb_linted_release) = { 0 };

		scratch_put("ctx/Dockerfile", all[i].text);
		lint("env.yml", "build:\n  path: ctx\n", &l);
		assert_int_equal(find(&l, "dockerfile-apt")->level,
				 all[i].level);
	}
}

static void levels(void **state)
{
	struct eb_linted l EB_CLEANUP(eb_linted_release) = { 0 };
	struct eb_linted azure EB_CLEANUP(eb_linted_release) = { 0 };

	(void)state;
	lint("environment.yml", "name: azureml-x\n" DEPS "- python\n", &l);
	assert_int_equal(find(&l, "reserved-name")->level, EB_LEVEL_WARNING);
	assert_false(eb_lint_fails(&l.findings));
	lint("env.yml", "name: azureml-x\nimage: a:1\n", &azure);
	assert_int_equal(find(&azure, "reserved-name")->level, EB_LEVEL_ERROR);
	assert_true(eb_lint_fails(&azure.findings));
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

static void every_rule(void **state)
{
	(void)state;
	every_rule_has_both(EB_RULE_TEXT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_of_conda),
		cmocka_unit_test(rules_of_version_1),
		cmocka_unit_test(a_saved_folder),
		cmocka_unit_test(rules_of_version_2),
		cmocka_unit_test(rules_of_dockerfiles),
		cmocka_unit_test(one_fault_hides_no_other),
		cmocka_unit_test(nothing_is_wrong),
		cmocka_unit_test(requirements_too),
		cmocka_unit_test(no_such_file),
		cmocka_unit_test(the_safe_changes),
		cmocka_unit_test(mended_findings_are_gone),
		cmocka_unit_test(what_is_not_offered),
		cmocka_unit_test(links_and_modes),
		cmocka_unit_test(lists_of_packages),
		cmocka_unit_test(levels),
		cmocka_unit_test(the_table),
		cmocka_unit_test(every_rule),
	};

	return cmocka_run_group_tests(tests, scratch_set_up, scratch_tear_down);
}
