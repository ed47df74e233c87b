/* SPDX-License-Identifier: Apache-2.0 */
/* The Python that Azure gives to an environment that asks for none. */
#include <string.h>

#include <envbuild/spec.h>

static bool asks_for_python(const struct eb_spec *s)
{
	for (size_t i = 0; i < s->n_conda; i++) {
		const char *name = eb_matchspec_name(s->conda[i]);

		if (name && !strcmp(name, "python"))
			return true;
	}
	return false;
}

static void add(struct eb_spec *s, struct eb_matchspec *m, const char *text)
{
	s->conda = eb_realloc(s->conda, s->n_conda + 1, sizeof *s->conda);
	s->conda_at =
		eb_realloc(s->conda_at, s->n_conda + 1, sizeof *s->conda_at);
	s->conda_at[s->n_conda] =
		(struct eb_spec_line){ .text = eb_strdup(text) };
	s->conda[s->n_conda++] = m;
}

int eb_azure_default_python(struct eb_spec *spec, struct eb_events *events,
			    struct eb_error *err)
{
	struct eb_matchspec *m;

	if ((!spec->n_conda && !spec->n_pip) || asks_for_python(spec))
		return 0;
	m = eb_matchspec_parse(EB_AZURE_PYTHON, EB_STRICT, err);
	if (!m)
		return -1;
	add(spec, m, EB_AZURE_PYTHON);
	eb_warn_at(events, spec->file, 0, 0,
		   "no line asks for a Python: " EB_AZURE_PYTHON
		   " is added, which is Azure ML's default; write the version "
		   "that is meant");
	return 1;
}
