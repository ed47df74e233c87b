/* SPDX-License-Identifier: Apache-2.0 */
/* A requirements file as a definition of its own. */
#include <fnmatch.h>
#include <string.h>

#include "spec_pip_files.h"
#include "spec_reader.h"

bool eb_spec_is_requirements(const char *file, const char *text, size_t len)
{
	const char *slash = strrchr(file, '/');
	const char *name = slash ? slash + 1 : file;

	if (!eb_ends(name, ".txt") && fnmatch("requirements*.in", name, 0) != 0)
		return false;
	return !eb_spec_find_line(text, len, "dependencies:");
}

/* Wheels need a Python, and a requirements file does not say which. */
static int add_python(struct eb_spec_reader *r)
{
	struct eb_spec *s = r->spec;
	struct eb_matchspec *m =
		eb_matchspec_parse("python", EB_STRICT, r->err);

	if (!m)
		return -1;
	EB_GROW(s->conda, s->n_conda, r->alloc_conda);
	EB_GROW(s->conda_at, s->n_conda, r->alloc_conda_at);
	s->conda_at[s->n_conda] =
		(struct eb_spec_line){ .line = 1, .column = 1 };
	s->conda[s->n_conda++] = m;
	return 0;
}

int eb_spec_requirements(struct eb_spec_reader *r, const char *text, size_t len)
{
	struct eb_spec *s = r->spec;
	EB_WIPEDBUF(plain, EB_MAX_METADATA);

	if (eb_pip_decode(text, len, s->file, &plain, r->err) < 0 ||
	    add_python(r) < 0 || eb_spec_pip_lines(r, plain.data, 1, 1) < 0)
		return -1;
	if (!s->n_pip)
		eb_warn_at(r->events, s->file, 1, 1, "no requirement is in it");
	s->has_pip_section = s->n_pip > 0;
	return eb_pip_files_check(s, r->events, r->err);
}
