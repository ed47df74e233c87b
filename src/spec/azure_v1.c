/* SPDX-License-Identifier: Apache-2.0 */
/* azureml_environment.json, as version 1 of Azure's SDK saves it: sections
 * python, docker, spark, databricks, r. */
#include <string.h>

#include <envbuild/file.h>
#include <envbuild/json.h>

#include "azure_read.h"

/* ---- what no image can honour ------------------------------------------- */

struct unhonoured {
	const char *section, *key, *why;
	const char *usual[3]; /* values that mean nothing */
};

static const struct unhonoured unhonoured[] = {
	{ "python",
	  "baseCondaEnvironment",
	  "the base's conda environments are not used",
	  { NULL } },
	{ "docker",
	  "arguments",
	  "options of \"docker run\" belong to a job",
	  { NULL } },
	{ "docker",
	  "shmSize",
	  "shared memory belongs to a job",
	  { "2g", "1g" } },
	{ "docker", "gpuSupport", "--gpu asks for a GPU", { "false" } },
	{ "spark",
	  "repositories",
	  "Spark's packages are not installed",
	  { NULL } },
	{ "spark", "packages", "Spark's packages are not installed", { NULL } },
	{ "databricks",
	  "mavenLibraries",
	  "Databricks is not a container",
	  { NULL } },
	{ "databricks",
	  "pypiLibraries",
	  "Databricks is not a container",
	  { NULL } },
	{ "databricks",
	  "rcranLibraries",
	  "Databricks is not a container",
	  { NULL } },
	{ "databricks",
	  "jarLibraries",
	  "Databricks is not a container",
	  { NULL } },
	{ "databricks",
	  "eggLibraries",
	  "Databricks is not a container",
	  { NULL } },
	{ NULL, "r", "R's packages are not installed", { NULL } },
	{ NULL,
	  "inferencingStackVersion",
	  "the service's inference stack is not public",
	  { NULL } },
};

static bool is_usual(const struct unhonoured *u, const struct eb_yaml_node *n)
{
	for (size_t i = 0; n->type == EB_YAML_SCALAR && u->usual[i]; i++)
		if (!strcmp(n->text, u->usual[i]))
			return true;
	return false;
}

static void tell_unhonoured(struct eb_azure_reader *r,
			    const struct eb_yaml_node *root)
{
	for (size_t i = 0; i < sizeof unhonoured / sizeof *unhonoured; i++) {
		const struct unhonoured *u = &unhonoured[i];
		const struct eb_yaml_node *map =
			u->section ? eb_yaml_get(root, u->section) : root;
		const struct eb_yaml_node *n;

		if (!map || map->type != EB_YAML_MAP)
			continue;
		n = eb_yaml_get(map, u->key);
		if (eb_azure_is_set(n) && !is_usual(u, n))
			eb_azure_warn(r, n, "\"%s\" is kept, not honoured: %s",
				      u->key, u->why);
	}
}

/* ---- docker ------------------------------------------------------------- */

static int refuse_half_login(struct eb_azure_reader *r,
			     const struct eb_yaml_node *login)
{
	const struct eb_yaml_node *user = eb_yaml_get(login, "username");
	const struct eb_yaml_node *password = eb_yaml_get(login, "password");

	if (eb_azure_is_set(user) == eb_azure_is_set(password))
		return 0;
	return eb_yaml_err(r->doc, eb_azure_is_set(user) ? user : password,
			   r->err, "baseImageRegistry has a %s and no %s",
			   eb_azure_is_set(user) ? "username" : "password",
			   eb_azure_is_set(user) ? "password" : "username");
}

/* The registry of an image whose name has none. */
static void add_address(struct eb_azure *out, const char *address)
{
	const char *slash = strchr(out->image, '/');
	size_t host = slash ? (size_t)(slash - out->image) : 0;
	char *full;

	if (host &&
	    (memchr(out->image, '.', host) || memchr(out->image, ':', host)))
		return;
	full = eb_asprintf("%s/%s", address, out->image);
	free(out->image);
	out->image = full;
}

static int read_login(struct eb_azure_reader *r,
		      const struct eb_yaml_node *docker)
{
	eb_autofree char *address = NULL;
	const struct eb_yaml_node *login;

	if (eb_azure_map(r, docker, "baseImageRegistry", &login) < 0)
		return -1;
	if (!login)
		return 0;
	if (eb_azure_text(r, login, "address", &address) < 0 ||
	    refuse_half_login(r, login) < 0)
		return -1;
	if (address && r->out->image)
		add_address(r->out, address);
	if (eb_azure_is_set(eb_yaml_get(login, "password")) ||
	    eb_azure_is_set(eb_yaml_get(login, "registryIdentity")))
		eb_azure_warn(r, login,
			      "the login of \"baseImageRegistry\" is neither "
			      "used nor kept: passwords do not belong into a "
			      "definition; log in to the registry instead");
	return 0;
}

static int check_platform(struct eb_azure_reader *r,
			  const struct eb_yaml_node *docker)
{
	const struct eb_yaml_node *platform, *os;

	if (eb_azure_map(r, docker, "platform", &platform) < 0)
		return -1;
	os = platform ? eb_yaml_get(platform, "os") : NULL;
	if (!eb_azure_is_set(os) || os->type != EB_YAML_SCALAR ||
	    !strcasecmp(os->text, "linux"))
		return 0;
	return eb_yaml_err(r->doc, os, r->err,
			   "the platform is \"%s\": only Linux images are made",
			   os->text);
}

/* A Dockerfile's text, given or in the file BaseDockerfile. */
static int read_dockerfile(struct eb_azure_reader *r,
			   const struct eb_yaml_node *docker)
{
	const struct eb_yaml_node *n = eb_yaml_get(docker, "baseDockerfile");
	eb_autofree char *path = eb_azure_beside(r, "BaseDockerfile");
	EB_AUTOBUF(text, EB_AZURE_MAX_DOCKERFILE + 1);

	if (eb_azure_is_set(n)) {
		if (n->type != EB_YAML_SCALAR ||
		    strlen(n->text) > EB_AZURE_MAX_DOCKERFILE)
			return eb_yaml_err(r->doc, n, r->err,
					   "\"baseDockerfile\" is no text of "
					   "at most %d characters",
					   EB_AZURE_MAX_DOCKERFILE);
		r->out->build.dockerfile_text = eb_strdup(n->text);
		return 0;
	}
	if (r->out->image || !eb_path_exists(path))
		return 0;
	if (eb_read_file(path, EB_AZURE_MAX_DOCKERFILE, &text, r->err) < 0)
		return -1;
	r->out->build.dockerfile_text = eb_buf_steal(&text, NULL);
	return 0;
}

static int read_context(struct eb_azure_reader *r,
			const struct eb_yaml_node *docker)
{
	eb_autofree char *type = NULL;
	const struct eb_yaml_node *n;

	if (eb_azure_map(r, docker, "buildContext", &n) < 0)
		return -1;
	if (!n)
		return 0;
	if (eb_azure_text(r, n, "locationType", &type) < 0 ||
	    eb_azure_text(r, n, "location", &r->out->build.context) < 0 ||
	    eb_azure_text(r, n, "dockerfilePath", &r->out->build.dockerfile) <
		    0)
		return -1;
	if (type) {
		eb_yaml_err(r->doc, n, r->err,
			    "the build context lies in \"%s\" (%s), which is "
			    "not read",
			    r->out->build.context ? r->out->build.context : "",
			    type);
		return eb_err_hint(r->err, "fetch it into a folder and give "
					   "--dockerfile FILE --context DIR");
	}
	return 0;
}

static int count_bases(const struct eb_azure *a)
{
	return (a->image != NULL) + (a->build.context != NULL) +
	       (a->build.dockerfile_text != NULL);
}

static int read_docker(struct eb_azure_reader *r,
		       const struct eb_yaml_node *root)
{
	const struct eb_yaml_node *docker;

	if (eb_azure_map(r, root, "docker", &docker) < 0)
		return -1;
	if (!docker)
		return eb_yaml_err(r->doc, root, r->err,
				   "there is no section \"docker\": neither "
				   "an image nor a Dockerfile");
	if (eb_azure_text(r, docker, "baseImage", &r->out->image) < 0 ||
	    read_dockerfile(r, docker) < 0 || read_context(r, docker) < 0 ||
	    read_login(r, docker) < 0 || check_platform(r, docker) < 0)
		return -1;
	if (count_bases(r->out) == 1)
		return 0;
	return eb_yaml_err(r->doc, docker, r->err,
			   "exactly one of baseImage, baseDockerfile and "
			   "buildContext is needed, not %s",
			   count_bases(r->out) ? "several" : "none");
}

/* ---- python ------------------------------------------------------------- */

static bool is_true(const struct eb_yaml_node *n)
{
	return n && n->type == EB_YAML_SCALAR && !strcmp(n->text, "true");
}

static int read_conda(struct eb_azure_reader *r,
		      const struct eb_yaml_node *python)
{
	eb_autofree char *beside = eb_azure_beside(r, "conda_dependencies.yml");
	eb_autofree char *file = NULL;
	const struct eb_yaml_node *inside;

	if (eb_azure_map(r, python, "condaDependencies", &inside) < 0 ||
	    eb_azure_text(r, python, "condaDependenciesFile", &file) < 0)
		return -1;
	if (inside)
		return eb_azure_conda_node(r, inside);
	if (file)
		return eb_azure_conda_file(r, python, file);
	if (eb_path_exists(beside))
		return eb_azure_conda_file(r, python, "conda_dependencies.yml");
	eb_yaml_err(r->doc, python, r->err,
		    "there are no conda dependencies: neither inside nor in "
		    "conda_dependencies.yml beside it");
	return eb_err_hint(r->err, "\"userManagedDependencies\": true means "
				   "the base alone");
}

static int read_python(struct eb_azure_reader *r,
		       const struct eb_yaml_node *root)
{
	const struct eb_yaml_node *python;

	if (eb_azure_map(r, root, "python", &python) < 0)
		return -1;
	if (!python)
		return eb_yaml_err(r->doc, root, r->err,
				   "there is no section \"python\"");
	if (eb_azure_text(r, python, "interpreterPath", &r->out->interpreter) <
	    0)
		return -1;
	r->out->user_managed =
		is_true(eb_yaml_get(python, "userManagedDependencies"));
	if (r->out->user_managed)
		return 0;
	if (r->out->interpreter && strcmp(r->out->interpreter, "python"))
		eb_azure_warn(r, python,
			      "\"interpreterPath\" is kept, not honoured: "
			      "python is the environment's own");
	return read_conda(r, python);
}

/* The document itself, to be saved again; a login is not kept, neither half of
 * it: one alone is refused by its reader. */
static int keep(struct eb_azure_reader *r)
{
	struct eb_azure *out = r->out;
	json_t *docker, *login, *password;

	out->v1 = eb_json_parse(out->source, strlen(out->source), out->file,
				r->err);
	if (!out->v1)
		return -1;
	docker = json_object_get(out->v1, "docker");
	login = json_object_get(docker, "baseImageRegistry");
	password = json_object_get(login, "password");
	if (!password || json_is_null(password))
		return 0;
	json_object_set_new(login, "password", json_null());
	json_object_set_new(login, "username", json_null());
	free(out->source);
	out->source = NULL;
	return 0;
}

int eb_azure_read_v1(struct eb_azure_reader *r, const struct eb_yaml_node *n)
{
	const struct eb_yaml_node *variables;

	if (eb_azure_text(r, n, "name", &r->out->name) < 0 ||
	    eb_azure_text(r, n, "version", &r->out->version) < 0 ||
	    eb_azure_map(r, n, "environmentVariables", &variables) < 0 ||
	    eb_azure_variables(r, variables) < 0 || read_docker(r, n) < 0 ||
	    read_python(r, n) < 0)
		return -1;
	tell_unhonoured(r, n);
	return keep(r);
}
