/* SPDX-License-Identifier: Apache-2.0 */
/* What a project requires, by the headers of its METADATA, as a resolver is
 * told it. */
#include <string.h>
#include <strings.h>

#include <envbuild/pep440.h>
#include <envbuild/requirement.h>

#include "uv.h"
#include "wheel_int.h"

/* A line that a resolver could not read would cost the whole answer. */
static int take_requirement(char *value, const char *what, struct eb_told *out,
			    struct eb_error *err)
{
	EB_CLEANUP(eb_pep508_release) struct eb_pep508 r = { 0 };

	if (eb_pep508_parse(value, &r, err) < 0)
		return eb_err_prefix(err,
				     "\"%s\" has a Requires-Dist that cannot "
				     "be read",
				     what);
	eb_strv_add(&out->depends, value);
	return 0;
}

static int take_field(char *line, const char *what, struct eb_told *out,
		      struct eb_error *err)
{
	char *value = strchr(line, ':');

	if (!value)
		return 0;
	*value = '\0';
	value = eb_strip(value + 1);
	if (!strcasecmp(line, "Requires-Dist"))
		return take_requirement(value, what, out, err);
	if (!strcasecmp(line, "Provides-Extra"))
		eb_strv_add(&out->extras, value);
	if (!strcasecmp(line, "Requires-Python")) {
		free(out->requires_python);
		out->requires_python = eb_strdup(value);
	}
	return 0;
}

/* The headers, each in one line. */
static char *unfolded(const char *metadata, size_t len)
{
	char *text = eb_strndup(metadata, len), *to = text;

	for (const char *p = text; *p; p++) {
		bool fold = *p == '\n' && (p[1] == ' ' || p[1] == '\t');

		if (*p == '\n' && (to == text || to[-1] == '\n'))
			break;
		if (*p != '\r' && !fold)
			*to++ = *p;
	}
	*to = '\0';
	return text;
}

int eb_told_read(const char *metadata, size_t len, const char *what,
		 struct eb_told *out, struct eb_error *err)
{
	EB_CLEANUP(eb_told_release) struct eb_told t = { 0 };
	eb_autofree char *text = unfolded(metadata, len);
	char *rest = text, *line;

	if (eb_wheel_read_metadata(metadata, len, what, &t.name, &t.version,
				   err) < 0)
		return -1;
	while ((line = strsep(&rest, "\n")))
		if (take_field(line, what, &t, err) < 0)
			return -1;
	*out = t;
	t = (struct eb_told){ 0 };
	return 0;
}

void eb_told_release(struct eb_told *t)
{
	free(t->name);
	free(t->version);
	free(t->requires_python);
	free(t->built);
	eb_strv_release(&t->depends);
	eb_strv_release(&t->extras);
	*t = (struct eb_told){ 0 };
}
