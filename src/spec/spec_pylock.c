/* SPDX-License-Identifier: Apache-2.0 */
/* A pylock.toml as a definition of its own: its packages are the pip section,
 * and what it asks of Python is asked of conda. */
#include <string.h>

#include "spec_pip_files.h"
#include "spec_reader.h"

/* "python >=3.9,<3.13": both sides write versions in one way, but for an equal
 * text. */
static char *python_of(const struct eb_pylock *l, struct eb_error *err)
{
	struct eb_strv range EB_CLEANUP(eb_strv_release) = { 0 };
	EB_AUTOBUF(out, EB_MAX_CONFIG);

	if (eb_pylock_python(l, &range, err) < 0)
		return NULL;
	eb_buf_adds(&out, "python");
	for (size_t i = 0; i < range.n; i++) {
		const char *one = range.v[i];

		eb_buf_addf(&out, "%s%s", i ? "," : " ",
			    eb_starts(one, "===") ? one + 1 : one);
	}
	return eb_buf_steal(&out, NULL);
}

static int add_python(struct eb_spec_reader *r)
{
	struct eb_spec *s = r->spec;
	eb_autofree char *text = python_of(s->pylock, r->err);
	struct eb_matchspec *m =
		text ? eb_matchspec_parse(text, EB_STRICT, r->err) : NULL;

	if (!m)
		return r->err->file ? -1 : eb_err_at(r->err, s->file, 1, 1);
	EB_GROW(s->conda, s->n_conda, r->alloc_conda);
	EB_GROW(s->conda_at, s->n_conda, r->alloc_conda_at);
	s->conda_at[s->n_conda] =
		(struct eb_spec_line){ .line = 1, .column = 1 };
	s->conda[s->n_conda++] = m;
	return 0;
}

int eb_spec_pylock_content(void *data, const char *path, struct eb_digest *out,
			   struct eb_error *err)
{
	const struct eb_spec *s = data;

	return eb_local_source(path, s->file, out, err);
}

/* Wrong packages are found now, not when a build has begun. */
int eb_spec_pylock(struct eb_spec_reader *r, const char *text, size_t len)
{
	struct eb_strv normal EB_CLEANUP(eb_strv_release) = { 0 };
	struct eb_spec *s = r->spec;

	if (eb_pylock_parse(text, len, s->file, r->events, &s->pylock, r->err) <
		    0 ||
	    add_python(r) < 0 ||
	    eb_pylock_normal(s->pylock, eb_spec_pylock_content, s, &normal,
			     r->err) < 0)
		return -1;
	s->has_pip_section = json_array_size(s->pylock->packages) > 0;
	if (!s->has_pip_section)
		eb_warn_at(r->events, s->file, 1, 1, "no package is in it");
	return 0;
}
