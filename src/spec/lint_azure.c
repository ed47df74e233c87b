/* SPDX-License-Identifier: Apache-2.0 */
/* Lint of Azure's definitions, of both versions and inside jobs: what stands
 * around the conda part. */
#include <string.h>

#include <envbuild/file.h>

#include "azure_read.h"
#include "lint_private.h"

static const struct eb_yaml_node *map_of(const struct eb_yaml_node *map,
					 const char *key)
{
	const struct eb_yaml_node *n = map ? eb_yaml_get(map, key) : NULL;

	return n && n->type == EB_YAML_MAP ? n : NULL;
}

static const struct eb_yaml_node *set_in(const struct eb_yaml_node *map,
					 const char *key)
{
	const struct eb_yaml_node *n = map ? eb_yaml_get(map, key) : NULL;

	return eb_azure_is_set(n) ? n : NULL;
}

static bool is_true(const struct eb_yaml_node *n)
{
	return n && n->type == EB_YAML_SCALAR && !strcmp(n->text, "true");
}

static char *beside(const struct eb_lint_doc *d, const char *file)
{
	const char *slash = strrchr(d->doc->name, '/');

	if (*file == '/' || !slash)
		return eb_strdup(file);
	return eb_asprintf("%.*s/%s", (int)(slash - d->doc->name), d->doc->name,
			   file);
}

/* ---- names and images --------------------------------------------------- */

void eb_lint_name(const struct eb_lint_doc *d, const struct eb_yaml_node *n,
		  enum eb_level level)
{
	if (!eb_azure_is_set(n) || n->type != EB_YAML_SCALAR)
		return;
	if (!strncasecmp(n->text, "azureml-", 8) ||
	    !strncasecmp(n->text, "microsoft", 9))
		eb_lint_lower(eb_lint_at(d, n, "reserved-name",
					 "give another name",
					 "\"%s\": names that begin so are the "
					 "curated environments'; nothing can "
					 "be registered under it",
					 n->text),
			      level);
	if (strlen(n->text) > 255)
		eb_lint_lower(eb_lint_at(d, n, "name-too-long",
					 "give a shorter one",
					 "a name of %zu characters is refused, "
					 "255 are allowed",
					 strlen(n->text)),
			      level);
}

void eb_lint_image(const struct eb_lint_doc *d, const struct eb_yaml_node *n)
{
	const char *last, *colon;

	if (!eb_azure_is_set(n) || n->type != EB_YAML_SCALAR ||
	    strchr(n->text, '@'))
		return;
	last = strrchr(n->text, '/');
	colon = strchr(last ? last : n->text, ':');
	if (colon && strcmp(colon, ":latest"))
		return;
	eb_lint_at(d, n, "base-not-pinned",
		   "add a tag that stays, or @sha256:DIGEST",
		   "\"%s\" is another image each time that its tag moves",
		   n->text);
}

/* ---- version 1: docker -------------------------------------------------- */

static void lint_bases_v1(const struct eb_lint_doc *d,
			  const struct eb_yaml_node *root,
			  const struct eb_yaml_node *docker)
{
	const struct eb_yaml_node *image = set_in(docker, "baseImage");
	const struct eb_yaml_node *file = set_in(docker, "baseDockerfile");
	const struct eb_yaml_node *context = set_in(docker, "buildContext");
	eb_autofree char *path = beside(d, "BaseDockerfile");
	int n = (image != NULL) + (file != NULL) + (context != NULL);

	if (n > 1)
		eb_lint_at(d, docker, "several-bases", "keep one of them",
			   "baseImage, baseDockerfile and buildContext exclude "
			   "each other");
	if (!n && !eb_path_exists(path))
		eb_lint_at(d, docker ? docker : root, "no-base",
			   "set \"baseImage\"",
			   "neither an image nor a Dockerfile is given");
	eb_lint_image(d, image);
	if (file && file->type == EB_YAML_SCALAR)
		eb_lint_dockerfile(file->text, strlen(file->text), d->doc->name,
				   NULL, d->out);
	else if (d->dockerfile)
		eb_lint_dockerfile(d->dockerfile, strlen(d->dockerfile), path,
				   NULL, d->out);
}

/* Inside, or (read into `text`) beside it; NULL: there is none. */
static const char *dockerfile_of(const struct eb_lint_doc *d,
				 const struct eb_yaml_node *docker,
				 struct eb_buf *text)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	const struct eb_yaml_node *inside = set_in(docker, "baseDockerfile");
	eb_autofree char *path = beside(d, "BaseDockerfile");

	if (inside)
		return inside->type == EB_YAML_SCALAR ? inside->text : NULL;
	if (!eb_path_exists(path) ||
	    eb_read_file(path, text->max - 1, text, &ignored) < 0)
		return NULL;
	return text->data;
}

static void lint_login(const struct eb_lint_doc *d,
		       const struct eb_yaml_node *docker)
{
	const struct eb_yaml_node *login = map_of(docker, "baseImageRegistry");
	const struct eb_yaml_node *user = set_in(login, "username");
	const struct eb_yaml_node *password = set_in(login, "password");
	const struct eb_yaml_node *id = set_in(login, "registryIdentity");

	if (!user != !password)
		eb_lint_at(d, user ? user : password, "registry-login",
			   "give both or none",
			   "a %s without a %s: no registry takes it",
			   user ? "username" : "password",
			   user ? "password" : "username");
	if (id && (user || password))
		eb_lint_at(d, id, "registry-login", "keep one of them",
			   "a password and an identity for one registry");
	if (password)
		eb_lint_at(d, password, "secret",
			   "log in to the registry instead",
			   "a password in a definition is read by everybody "
			   "who can read the definition");
}

/* `usual`: the values that the service itself writes, with "|" between. */
static const struct {
	const char *key, *usual;
} given_up[] = {
	{ "enabled", "true|false" }, { "arguments", "" },
	{ "sharedVolumes", "true" }, { "shmSize", "2g|1g" },
	{ "gpuSupport", "false" },   { "smhSize", "" },
};

static bool is_usual(const struct eb_yaml_node *n, const char *usual)
{
	struct eb_strv values EB_CLEANUP(eb_strv_release) = { 0 };

	eb_strv_split(&values, usual, "|");
	return n->type == EB_YAML_SCALAR && eb_strv_has(&values, n->text);
}

static void lint_given_up(const struct eb_lint_doc *d,
			  const struct eb_yaml_node *docker)
{
	for (size_t i = 0; i < sizeof given_up / sizeof *given_up; i++) {
		const struct eb_yaml_node *n = set_in(docker, given_up[i].key);

		if (n && !is_usual(n, given_up[i].usual))
			eb_lint_at(d, n, "deprecated-attribute",
				   "say it where the job is run",
				   "\"%s\" is no part of an image any more: it "
				   "changes nothing",
				   given_up[i].key);
	}
}

/* ---- version 1: build context ------------------------------------------- */

static bool is_location(const char *type, const char *text)
{
	if (!strcmp(type, "git"))
		return eb_starts(text, "https://") || eb_starts(text, "git@") ||
		       eb_starts(text, "ssh://");
	return eb_starts(text, "https://") &&
	       strstr(text, ".blob.core.windows.net/");
}

static void lint_location(const struct eb_lint_doc *d,
			  const struct eb_yaml_node *context)
{
	const struct eb_yaml_node *type = set_in(context, "locationType");
	const struct eb_yaml_node *at = set_in(context, "location");

	if (!at)
		eb_lint_at(d, context, "context-location", "set \"location\"",
			   "the build context has no location");
	else if (type && type->type == EB_YAML_SCALAR &&
		 strcmp(type->text, "git") &&
		 strcmp(type->text, "storageAccount"))
		eb_lint_at(d, type, "context-location",
			   "write git or storageAccount",
			   "no build context is fetched from a \"%s\"",
			   type->text);
	else if (type && type->type == EB_YAML_SCALAR &&
		 at->type == EB_YAML_SCALAR &&
		 !is_location(type->text, at->text))
		eb_lint_at(d, at, "context-location", "give a URL of that kind",
			   "\"%s\" is no location of a %s", at->text,
			   type->text);
}

static void refuse_beside(const struct eb_lint_doc *d,
			  const struct eb_yaml_node *n, const char *what)
{
	if (n)
		eb_lint_at(d, n, "context-with-others",
			   "say it in the Dockerfile",
			   "\"%s\" is not taken beside a build context", what);
}

/* Named, but by nothing. */
static void lint_no_file(const struct eb_lint_doc *d,
			 const struct eb_yaml_node *map, const char *key)
{
	const struct eb_yaml_node *n = eb_yaml_get(map, key);

	if (n && n->type == EB_YAML_SCALAR && !*n->text)
		eb_lint_at(d, n, "dockerfile-missing", "name the file",
			   "\"%s\" is empty: which file is to be built?", key);
}

static void lint_context(const struct eb_lint_doc *d,
			 const struct eb_yaml_node *root,
			 const struct eb_yaml_node *docker)
{
	static const char *const excluded[] = { "r", "environmentVariables" };
	const struct eb_yaml_node *context = map_of(docker, "buildContext");
	const struct eb_yaml_node *conda =
		set_in(map_of(root, "python"), "condaDependencies");

	if (!context)
		return;
	lint_location(d, context);
	lint_no_file(d, context, "dockerfilePath");
	if (conda)
		eb_lint_at(d, conda, "context-with-others",
			   "install it in the Dockerfile",
			   "conda dependencies are not taken beside a build "
			   "context");
	for (size_t i = 0; i < sizeof excluded / sizeof *excluded; i++)
		refuse_beside(d, set_in(root, excluded[i]), excluded[i]);
	refuse_beside(d, set_in(map_of(root, "spark"), "packages"), "spark");
	refuse_beside(d, set_in(map_of(root, "spark"), "repositories"),
		      "spark");
}

/* ---- version 1 ---------------------------------------------------------- */

static void lint_system(const struct eb_lint_doc *d,
			const struct eb_yaml_node *os)
{
	if (os && os->type == EB_YAML_SCALAR && strcasecmp(os->text, "linux"))
		eb_lint_at(d, os, "windows", "set it to Linux",
			   "only Linux images are made, not for \"%s\"",
			   os->text);
}

static void lint_variables(const struct eb_lint_doc *d,
			   const struct eb_yaml_node *map)
{
	for (size_t i = 0; map && i < map->n; i++)
		if (strcmp(map->key[i]->text, "EXAMPLE_ENV_VAR"))
			eb_lint_at(d, map->key[i], "variables-in-definition",
				   "set it where the job is run",
				   "\"%s\" becomes part of the image, and "
				   "another value another image",
				   map->key[i]->text);
}

static void lint_python_section(const struct eb_lint_doc *d,
				const struct eb_yaml_node *python)
{
	const struct eb_yaml_node *base =
		set_in(python, "baseCondaEnvironment");
	const struct eb_yaml_node *inside = map_of(python, "condaDependencies");
	eb_autofree char *path = beside(d, "conda_dependencies.yml");

	if (base)
		eb_lint_at(d, base, "base-conda-environment", "remove it",
			   "a conda environment of the base is not used");
	if (is_true(eb_yaml_get(python, "userManagedDependencies")))
		return;
	if (inside)
		eb_lint_conda(d, inside);
	else if (eb_path_exists(path))
		eb_lint_conda_file(d, python, path);
	else
		eb_lint_at(
			d, python, "no-dependencies",
			"put conda_dependencies.yml beside it, or set "
			"\"userManagedDependencies\"",
			"there are no conda dependencies, neither inside nor "
			"beside it");
}

static void lint_v1(const struct eb_lint_doc *outer)
{
	const struct eb_yaml_node *root = outer->doc->root;
	const struct eb_yaml_node *docker = map_of(root, "docker");
	const struct eb_yaml_node *python = map_of(root, "python");
	EB_AUTOBUF(text, EB_AZURE_MAX_DOCKERFILE * 4);
	struct eb_lint_doc inner = *outer, *d = &inner;

	d->dockerfile = dockerfile_of(d, docker, &text);
	eb_lint_name(d, eb_yaml_get(root, "name"), EB_LEVEL_ERROR);
	lint_bases_v1(d, root, docker);
	lint_login(d, docker);
	lint_given_up(d, docker);
	lint_context(d, root, docker);
	lint_system(d, set_in(map_of(docker, "platform"), "os"));
	lint_variables(d, map_of(root, "environmentVariables"));
	if (set_in(root, "r"))
		eb_lint_at(d, set_in(root, "r"), "r-section", "remove it",
			   "R's packages are not installed");
	if (python)
		lint_python_section(d, python);
}

/* ---- version 2 ---------------------------------------------------------- */

static void lint_build(const struct eb_lint_doc *d,
		       const struct eb_yaml_node *build)
{
	const struct eb_yaml_node *path = set_in(build, "path");
	const struct eb_yaml_node *named = set_in(build, "dockerfile_path");
	eb_autofree char *context = NULL, *file = NULL;
	EB_AUTOBUF(text, EB_AZURE_MAX_DOCKERFILE * 4);
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	if (!path || path->type != EB_YAML_SCALAR) {
		eb_lint_at(d, build, "context-location", "write path: FOLDER",
			   "the build context has no path");
		return;
	}
	context = beside(d, path->text);
	file = eb_path_join(context, named && named->type == EB_YAML_SCALAR
					     ? named->text
					     : "Dockerfile");
	if (!eb_path_exists(file))
		eb_lint_at(d, named ? named : path, "dockerfile-missing",
			   "write dockerfile_path: FILE, from \"path\"",
			   "there is no \"%s\"", file);
	else if (eb_read_file(file, text.max - 1, &text, &err) == 0)
		eb_lint_dockerfile(text.data, text.len, file, context, d->out);
}

static void lint_v2(const struct eb_lint_doc *d, const struct eb_yaml_node *map)
{
	const struct eb_yaml_node *image = set_in(map, "image");
	const struct eb_yaml_node *build = map_of(map, "build");
	const struct eb_yaml_node *conda = set_in(map, "conda_file");

	eb_lint_name(d, eb_yaml_get(map, "name"), EB_LEVEL_ERROR);
	eb_lint_image(d, image);
	lint_system(d, set_in(map, "os_type"));
	if (image && build)
		eb_lint_at(d, build, "several-bases", "keep one of them",
			   "\"image\" and \"build\" exclude each other");
	if (!image && !build)
		eb_lint_at(d, map, "no-base", "write image: REFERENCE",
			   "neither \"image\" nor \"build\" is given");
	if (build) {
		lint_no_file(d, build, "dockerfile_path");
		lint_build(d, build);
		refuse_beside(d, conda, "conda_file");
	}
	if (conda && conda->type == EB_YAML_MAP) {
		eb_lint_conda(d, conda);
	} else if (conda && conda->type == EB_YAML_SCALAR) {
		eb_autofree char *path = beside(d, conda->text);

		eb_lint_conda_file(d, conda, path);
	}
}

/* Every environment that a job writes out. */
static void lint_job(const struct eb_lint_doc *d,
		     const struct eb_yaml_node *map, unsigned depth)
{
	for (size_t i = 0; depth && i < map->n; i++) {
		const struct eb_yaml_node *n = map->item[i];

		if (n->type != EB_YAML_MAP)
			continue;
		if (!strcmp(map->key[i]->text, "environment"))
			lint_v2(d, n);
		else
			lint_job(d, n, depth - 1);
	}
}

void eb_lint_azure(const struct eb_lint_doc *d, enum eb_azure_form form)
{
	if (form == EB_AZURE_V1)
		lint_v1(d);
	else if (form == EB_AZURE_V2)
		lint_v2(d, d->doc->root);
	else if (form == EB_AZURE_JOB)
		lint_job(d, d->doc->root, 4);
}
