/* SPDX-License-Identifier: Apache-2.0 */
/* azureml_environment.json written: as it was read, or with the defaults of a
 * definition that came in another form. The text is Python's
 * json.dumps(indent=4), which Azure's SDK writes: texts in ASCII. */
#include <string.h>

#include "azure_save.h"

/* ---- Python's text of JSON ---------------------------------------------- */

static unsigned next_code(const unsigned char **p)
{
	const unsigned char *s = *p;
	unsigned n = *s < 0x80 ? 0 : *s < 0xe0 ? 1 : *s < 0xf0 ? 2 : 3;
	unsigned code = n ? *s & (0x3f >> n) : *s;

	for (s++; n && *s; n--)
		code = code << 6 | (*s++ & 0x3f);
	*p = s;
	return code;
}

static void put_code(unsigned code, struct eb_buf *out)
{
	if (code < 0x80)
		eb_buf_addch(out, (char)code);
	else if (code < 0x10000)
		eb_buf_addf(out, "\\u%04x", code);
	else
		eb_buf_addf(out, "\\u%04x\\u%04x",
			    0xd800 + ((code - 0x10000) >> 10),
			    0xdc00 + ((code - 0x10000) & 0x3ff));
}

static void put_json(const json_t *j, struct eb_buf *out)
{
	eb_autofree char *text = json_dumps(j, JSON_INDENT(4));
	const unsigned char *p = (const unsigned char *)text;

	if (!text)
		eb_oom();
	while (*p)
		put_code(next_code(&p), out);
}

/* ---- a definition with the defaults ------------------------------------- */

static json_t *text_or_null(const char *text)
{
	return text ? json_string(text) : json_null();
}

static json_t *databricks(void)
{
	return json_pack("{s:[], s:[], s:[], s:[], s:[]}", "eggLibraries",
			 "jarLibraries", "mavenLibraries", "pypiLibraries",
			 "rcranLibraries");
}

static json_t *docker(const struct eb_azure *a)
{
	return json_pack(
		"{s:[], s:n, s:o, s:{s:n, s:n, s:n, s:n}, s:b, s:{s:s, s:s}, "
		"s:b, s:n}",
		"arguments", "baseDockerfile", "baseImage",
		text_or_null(a->image), "baseImageRegistry", "address",
		"password", "registryIdentity", "username", "enabled", 1,
		"platform", "architecture", "amd64", "os", "Linux",
		"sharedVolumes", 1, "shmSize");
}

static json_t *variables(const struct eb_azure *a)
{
	json_t *j = json_object();

	for (size_t i = 0; i < a->variable_name.n; i++)
		json_object_set_new(j, a->variable_name.v[i],
				    json_string(a->variable_value.v[i]));
	if (!a->variable_name.n)
		json_object_set_new(j, "EXAMPLE_ENV_VAR",
				    json_string("EXAMPLE_VALUE"));
	return j;
}

static json_t *python(const struct eb_azure *a)
{
	return json_pack("{s:n, s:n, s:s, s:b}", "baseCondaEnvironment",
			 "condaDependenciesFile", "interpreterPath",
			 a->interpreter ? a->interpreter : "python",
			 "userManagedDependencies", a->user_managed);
}

static json_t *with_defaults(const struct eb_azure *a)
{
	json_t *j = json_pack(
		"{s:o, s:o, s:o, s:n, s:o, s:o, s:n, "
		"s:{s:[], s:b, s:[]}, s:o}",
		"databricks", databricks(), "docker", docker(a),
		"environmentVariables", variables(a), "inferencingStackVersion",
		"name", text_or_null(a->name), "python", python(a), "r",
		"spark", "packages", "precachePackages", 1, "repositories",
		"version", text_or_null(a->version));

	if (!j)
		eb_oom();
	return j;
}

/* ---- as it was read ----------------------------------------------------- */

/* What has files of its own is left out; the name may have been changed. */
static json_t *as_read(const struct eb_azure *a)
{
	json_t *j = json_deep_copy(a->v1), *docker_map;

	if (!j)
		eb_oom();
	docker_map = json_object_get(j, "docker");
	json_object_del(json_object_get(j, "python"), "condaDependencies");
	if (json_object_get(docker_map, "baseDockerfile"))
		json_object_set_new(docker_map, "baseDockerfile", json_null());
	if (json_object_get(j, "name") || a->name)
		json_object_set_new(j, "name", text_or_null(a->name));
	if (json_object_get(j, "version") || a->version)
		json_object_set_new(j, "version", text_or_null(a->version));
	return j;
}

/* Its own text can be had again: nothing of it is elsewhere or changed. */
static bool is_unchanged(const struct eb_azure *a)
{
	return a->source && a->v1 &&
	       !json_object_get(json_object_get(a->v1, "python"),
				"condaDependencies") &&
	       !json_is_string(json_object_get(json_object_get(a->v1, "docker"),
					       "baseDockerfile"));
}

void eb_azure_v1_text(const struct eb_azure *a, struct eb_buf *out)
{
	json_t *j;

	if (is_unchanged(a)) {
		eb_buf_adds(out, a->source);
		return;
	}
	j = a->v1 ? as_read(a) : with_defaults(a);
	put_json(j, out);
	json_decref(j);
}
