/* SPDX-License-Identifier: Apache-2.0 */
/* PKG-INFO (core metadata: fields as in mail, up to an empty line), and what
 * setuptools leaves in *.egg-info. */
#include <string.h>
#include <strings.h>

#include <envbuild/pep440.h>
#include <envbuild/requirement.h>

#include "sdist_int.h"

/* The next field; a value's further lines begin with white space. false: there
 * is none. */
static bool next_field(const char **at, char **name, char **value)
{
	const char *p = *at;
	size_t n = strcspn(p, "\r\n"), colon = strcspn(p, ":\r\n");

	if (!n)
		return false;
	*name = eb_strndup(p, colon < n ? colon : n);
	p += colon < n ? colon + 1 : n;
	for (;;) {
		p += strcspn(p, "\n");
		p += *p == '\n';
		if (*p != ' ' && *p != '\t')
			break;
	}
	n = (size_t)(p - *at) - strlen(*name);
	*value = eb_strndup(*at + strlen(*name) + (n > 0), n ? n - 1 : 0);
	eb_strip(*value);
	*at = p;
	return true;
}

/* "2.2" and later ones say which fields are a guess. */
static bool tells_dynamic(const char *version)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	int order = -1;

	return version &&
	       eb_pep440_compare(version, "2.2", &order, &ignored) == 0 &&
	       order >= 0;
}

struct fields {
	char *format, *name, *version, *requires_python;
	struct eb_strv requires;
	bool dynamic; /* what it depends on */
};

static void release(struct fields *f)
{
	free(f->format);
	free(f->name);
	free(f->version);
	free(f->requires_python);
	eb_strv_release(&f->requires);
}

static void keep(char **place, char **value)
{
	if (!*place)
		*place = eb_steal(*value);
}

static bool decides(const char *field)
{
	return !strcasecmp(field, "Requires-Dist") ||
	       !strcasecmp(field, "Requires-Python") ||
	       !strcasecmp(field, "Provides-Extra");
}

static void take_field(struct fields *f, const char *name, char **value)
{
	if (!strcasecmp(name, "Metadata-Version"))
		keep(&f->format, value);
	else if (!strcasecmp(name, "Name"))
		keep(&f->name, value);
	else if (!strcasecmp(name, "Version"))
		keep(&f->version, value);
	else if (!strcasecmp(name, "Requires-Python"))
		keep(&f->requires_python, value);
	else if (!strcasecmp(name, "Requires-Dist"))
		eb_strv_take(&f->requires, eb_steal(*value));
	else if (!strcasecmp(name, "Dynamic"))
		f->dynamic |= decides(*value);
}

static void read_fields(const char *text, struct fields *f)
{
	char *name, *value;

	while (next_field(&text, &name, &value)) {
		take_field(f, name, &value);
		free(name);
		free(value);
	}
}

void eb_sdist_take_pkg_info(const char *text, struct eb_sdist *out)
{
	struct fields f EB_CLEANUP(release) = { 0 };
	struct eb_pep440 version;

	read_fields(text, &f);
	if (f.name && *f.name)
		out->name = eb_project_name(f.name);
	if (f.version &&
	    eb_pep440_parse(f.version, strlen(f.version), &version) == 0) {
		out->version = eb_steal(version.text);
		eb_pep440_release(&version);
	}
	out->static_metadata = tells_dynamic(f.format) && !f.dynamic &&
			       out->name && out->version;
	if (!out->static_metadata && !f.requires.n)
		return;
	out->metadata = "PKG-INFO";
	eb_strv_copy(&out->depends, &f.requires);
	out->requires_python = eb_steal(f.requires_python);
}

/* --- requires.txt: requirements, and sections [extra], [extra:marker],
 * [:marker] -----------------------------------------------------------------
 */
static char *condition(const char *section)
{
	eb_autofree char *extra = eb_strndup(section, strcspn(section, ":"));
	const char *marker = section + strlen(extra);

	marker += *marker == ':';
	if (*extra && *marker)
		return eb_asprintf("(%s) and extra == '%s'", marker, extra);
	return *extra ? eb_asprintf("extra == '%s'", extra) : eb_strdup(marker);
}

static void add_conditional(struct eb_strv *out, const char *line,
			    const char *when)
{
	const char *semicolon = strchr(line, ';');

	if (!when || !*when)
		eb_strv_add(out, line);
	else if (semicolon)
		eb_strv_addf(out, "%.*s; (%s) and (%s)",
			     (int)(semicolon - line), line, semicolon + 1,
			     when);
	else
		eb_strv_addf(out, "%s ; %s", line, when);
}

void eb_sdist_take_egg(const char *requires, struct eb_sdist *out)
{
	struct eb_strv lines EB_CLEANUP(eb_strv_release) = { 0 };
	eb_autofree char *when = NULL;

	out->metadata = "egg-info";
	eb_strv_split(&lines, requires ? requires : "", "\n");
	for (size_t i = 0; i < lines.n; i++) {
		char *line = eb_strip(lines.v[i]);
		size_t n = strlen(line);

		if (*line == '[' && line[n - 1] == ']') {
			line[n - 1] = '\0';
			free(when);
			when = condition(line + 1);
		} else if (*line && *line != '#') {
			add_conditional(&out->depends, line, when);
		}
	}
}
