/* SPDX-License-Identifier: Apache-2.0 */
/* pyproject.toml: how to build (PEP 517, 518), and a project that states its
 * metadata there (PEP 621). */
#include <string.h>

#include <envbuild/json.h>
#include <envbuild/pep440.h>
#include <envbuild/requirement.h>
#include <envbuild/toml.h>

#include "sdist_int.h"

static int wrong(const char *file, const char *what, struct eb_error *err)
{
	return eb_err_set(err, EB_INPUT,
			  "\"%s\", reading its pyproject.toml: %s", file, what);
}

static int take_strings(const json_t *list, struct eb_strv *out,
			const char *file, const char *what,
			struct eb_error *err)
{
	size_t i;
	json_t *item;

	if (!json_is_array(list))
		return wrong(file, what, err);
	json_array_foreach ((json_t *)list, i, item) {
		if (!json_is_string(item))
			return wrong(file, what, err);
		eb_strv_add(out, json_string_value(item));
	}
	return 0;
}

static bool is_inside(const char *path)
{
	return !strcmp(path, ".") || eb_sdist_link_stays("x", path);
}

static int take_build_system(const json_t *b, const char *file,
			     struct eb_sdist *out, struct eb_error *err)
{
	const json_t *backend = json_object_get(b, "build-backend");
	const json_t *path = json_object_get(b, "backend-path");

	if (take_strings(json_object_get(b, "requires"), &out->requires, file,
			 "\"requires\" of [build-system] has to be a list of "
			 "texts",
			 err) < 0)
		return -1;
	if (backend && !json_is_string(backend))
		return wrong(file, "\"build-backend\" has to be a text", err);
	if (backend)
		out->backend = eb_strdup(json_string_value(backend));
	if (path &&
	    take_strings(path, &out->path, file,
			 "\"backend-path\" has to be a list of texts", err) < 0)
		return -1;
	for (size_t i = 0; i < out->path.n; i++)
		if (!is_inside(out->path.v[i]))
			return wrong(file, "\"backend-path\" leads out of it",
				     err);
	return 0;
}

/* --- [project] --------------------------------------------------------------
 */
static bool is_dynamic(const json_t *project, const char *field)
{
	const json_t *list = eb_json_arr(project, "dynamic");
	size_t i;
	json_t *item;

	if (!list)
		return false;
	json_array_foreach ((json_t *)list, i, item) {
		if (json_is_string(item) &&
		    !strcmp(json_string_value(item), field))
			return true;
	}
	return false;
}

static void take_identity(const json_t *project, struct eb_sdist *out)
{
	const char *name = eb_json_str(project, "name");
	const char *version = eb_json_str(project, "version");
	struct eb_pep440 v;

	if (name && !out->name)
		out->name = eb_project_name(name);
	if (!version || out->version ||
	    eb_pep440_parse(version, strlen(version), &v) < 0)
		return;
	out->version = eb_steal(v.text);
	eb_pep440_release(&v);
}

static void add_extra(struct eb_strv *out, const char *requirement,
		      const char *extra)
{
	const char *semicolon = strchr(requirement, ';');

	if (semicolon)
		eb_strv_addf(out, "%.*s; (%s) and extra == '%s'",
			     (int)(semicolon - requirement), requirement,
			     semicolon + 1, extra);
	else
		eb_strv_addf(out, "%s ; extra == '%s'", requirement, extra);
}

static int take_extras(const json_t *project, const char *file,
		       struct eb_sdist *out, struct eb_error *err)
{
	const json_t *extras = eb_json_obj(project, "optional-dependencies");
	const char *extra;
	json_t *list;

	if (!extras)
		return 0;
	json_object_foreach ((json_t *)extras, extra, list) {
		EB_CLEANUP(eb_strv_release) struct eb_strv one = { 0 };

		if (take_strings(list, &one, file,
				 "\"optional-dependencies\" has to hold lists "
				 "of texts",
				 err) < 0)
			return -1;
		for (size_t i = 0; i < one.n; i++)
			add_extra(&out->depends, one.v[i], extra);
	}
	return 0;
}

/* What is stated here and not called dynamic is what the build will say. */
static int take_dependencies(const json_t *project, const char *file,
			     struct eb_sdist *out, struct eb_error *err)
{
	const json_t *list = json_object_get(project, "dependencies");
	const char *python = eb_json_str(project, "requires-python");

	if (out->static_metadata || is_dynamic(project, "dependencies") ||
	    is_dynamic(project, "optional-dependencies") ||
	    is_dynamic(project, "requires-python"))
		return 0;
	eb_strv_release(&out->depends);
	if (list &&
	    take_strings(list, &out->depends, file,
			 "\"dependencies\" has to be a list of texts", err) < 0)
		return -1;
	if (take_extras(project, file, out, err) < 0)
		return -1;
	free(out->requires_python);
	out->requires_python = eb_strdup(python);
	out->metadata = "pyproject.toml";
	out->static_metadata = out->name && out->version;
	return 0;
}

int eb_sdist_take_project(const char *text, const char *file,
			  struct eb_sdist *out, struct eb_error *err)
{
	eb_autofree char *name = eb_asprintf("%s/pyproject.toml", file);
	eb_autojson json_t *j = eb_toml_parse(text, strlen(text), name, err);
	const json_t *build, *project;

	if (!j)
		return -1;
	build = json_object_get(j, "build-system");
	project = eb_json_obj(j, "project");
	if (build && !json_is_object(build))
		return wrong(file, "[build-system] has to be a table", err);
	if (build && take_build_system(build, file, out, err) < 0)
		return -1;
	if (!project)
		return 0;
	take_identity(project, out);
	return take_dependencies(project, file, out, err);
}
