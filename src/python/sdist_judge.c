/* SPDX-License-Identifier: Apache-2.0 */
/* What the texts of a source distribution tell together. */
#include <string.h>

#include <envbuild/requirement.h>
#include <envbuild/tags.h>

#include "sdist_int.h"

/* Of what no pyproject.toml says; the first setuptools that has it (PEP 517).
 */
#define LEGACY "setuptools.build_meta:__legacy__"
#define SETUPTOOLS "setuptools>=40.8.0"

/* Is a requirement of this project among them? */
static bool names(const struct eb_strv *list, const char *project)
{
	for (size_t i = 0; i < list->n; i++) {
		const char *text = list->v[i];
		size_t n = strcspn(text, " \t[(<>=!~;@");
		eb_autofree char *name = eb_strndup(text, n);
		eb_autofree char *normal = eb_project_name(name);

		if (!strcmp(normal, project))
			return true;
	}
	return false;
}

static void add_missing(struct eb_strv *list, const char *requirement)
{
	size_t n = strcspn(requirement, " \t[(<>=!~;@");
	eb_autofree char *name = eb_strndup(requirement, n);
	eb_autofree char *normal = eb_project_name(name);

	if (*normal && !names(list, normal))
		eb_strv_add(list, requirement);
}

static void add_lines(struct eb_strv *list, const char *text)
{
	struct eb_strv lines EB_CLEANUP(eb_strv_release) = { 0 };

	eb_strv_split(&lines, text ? text : "", "\n");
	for (size_t i = 0; i < lines.n; i++) {
		const char *line = eb_strip(lines.v[i]);

		if (*line && *line != '#' && *line != '[')
			add_missing(list, line);
	}
}

/* setuptools' own backend needs wheel in its older versions, whatever the
 * project says; what its setup.py requires was written down by the one who
 * made the archive. */
static void complete(struct eb_sdist *s, const char *setup_requires)
{
	s->legacy = !s->backend;
	if (s->legacy) {
		s->backend = eb_strdup(LEGACY);
		add_missing(&s->requires, SETUPTOOLS);
	}
	if (!eb_starts(s->backend, "setuptools.build_meta"))
		return;
	add_missing(&s->requires, "wheel");
	add_lines(&s->requires, setup_requires);
}

/* Does a setup.py or setup.cfg name something? "setup_requires=[]" does not. */
static bool has_setup_requires(const char *text)
{
	static const char word[] = "setup_requires";

	while (text && (text = strstr(text, word))) {
		text += strlen(word);
		text += strspn(text, " \t");
		if (*text == '=')
			text += 1 + strspn(text + 1, " \t");
		if (!eb_starts(text, "[]") && !eb_starts(text, "()") &&
		    !eb_starts(text, "None"))
			return true;
	}
	return false;
}

/* May its backend require more when it is asked? setuptools' does what a
 * setup.py says by `setup_requires`; of some it is known that they do not. */
static bool may_ask(const struct eb_sdist *s, const struct eb_sdist_texts *t)
{
	static const char *const never[] = {
		"flit_core.",	       "flit.buildapi", "uv_build",
		"poetry.core.masonry", "pdm.backend",
	};

	if (s->path.n)
		return true;
	if (eb_starts(s->backend, "setuptools.build_meta"))
		return has_setup_requires(t->setup_py) ||
		       has_setup_requires(t->setup_cfg);
	if (eb_starts(s->backend, "hatchling."))
		return t->pyproject && strstr(t->pyproject, "hooks");
	for (size_t i = 0; i < sizeof never / sizeof *never; i++)
		if (eb_starts(s->backend, never[i]))
			return false;
	return true;
}

/* distutils alone, whose setup() knows of no requirements, in a setup.py that
 * has no word of any: not even one that setuptools, slipped under it, would
 * hear. */
static bool requires_nothing(const struct eb_sdist_texts *t)
{
	return !t->pyproject && !t->egg && t->setup_py &&
	       strstr(t->setup_py, "distutils") &&
	       !strstr(t->setup_py, "setuptools") &&
	       !strstr(t->setup_py, "require") &&
	       !(t->setup_cfg && strstr(t->setup_cfg, "require"));
}

static void name_by_file(const char *file, struct eb_sdist *s)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	eb_autofree char *name = NULL, *version = NULL;

	if ((s->name && s->version) ||
	    eb_sdist_name_parse(file, &name, &version, &ignored) < 0)
		return;
	if (!s->name)
		s->name = eb_strdup(name);
	if (!s->version && !strcmp(s->name, name))
		s->version = eb_steal(version);
}

int eb_sdist_judge(struct eb_sdist_texts *t, const char *file, bool named,
		   struct eb_sdist *out, struct eb_error *err)
{
	if (t->pkg_info)
		eb_sdist_take_pkg_info(t->pkg_info, out);
	if (named)
		name_by_file(file, out);
	if (t->pyproject &&
	    eb_sdist_take_project(t->pyproject, file, out, err) < 0)
		return -1;
	if (!out->metadata && t->egg)
		eb_sdist_take_egg(t->requires, out);
	if (!out->metadata && requires_nothing(t))
		out->metadata = "setup.py";
	complete(out, t->setup_requires);
	out->asks = may_ask(out, t);
	out->has_build = t->pyproject || t->setup_py || t->setup_cfg;
	out->c_file = eb_steal(t->c_file);
	out->has_c = out->c_file != NULL;
	return 0;
}

void eb_sdist_release(struct eb_sdist *s)
{
	free(s->name);
	free(s->version);
	free(s->top);
	free(s->backend);
	free(s->requires_python);
	free(s->c_file);
	eb_strv_release(&s->requires);
	eb_strv_release(&s->path);
	eb_strv_release(&s->depends);
	memset(s, 0, sizeof *s);
}
