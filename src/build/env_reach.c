/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a definition of the team's catalogue may not reach: files of the
 * machine that builds it. Others do not have them; and who wrote it would get
 * them, in an image that lies where he may pull.
 */
#include <string.h>

#include <envbuild/base.h>
#include <envbuild/spec.h>

#include "env_catalog.h"

static int refuse(const char *what, struct eb_error *err)
{
	eb_err_set(err, EB_INPUT,
		   "\"%s\" is of one machine, and the team's catalogue is for "
		   "all",
		   what);
	return eb_err_hint(err, "write its lines into the definition; name "
				"what is made of a Dockerfile as an image in "
				"a registry");
}

static int check_options(const struct eb_named *e, struct eb_error *err)
{
	static const char *const files[] = { "dockerfile", "context" };
	static const char *const bases[] = { "base", "build-base" };

	for (size_t i = 0; i < 2; i++) {
		const char *file = eb_named_option(e, files[i]);
		const char *base = eb_named_option(e, bases[i]);

		if (file)
			return refuse(file, err);
		if (base && strcmp(base, "scratch") && !eb_base_is_remote(base))
			return refuse(base, err);
	}
	return 0;
}

/* What is no definition is told by those who use it. */
static int check_lines(const struct eb_named *e, const char *platform,
		       struct eb_error *err)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_CLEANUP(eb_spec_free_ptr) struct eb_spec *spec = NULL;

	if (eb_spec_parse(e->text, strlen(e->text), e->file, platform, NULL,
			  &spec, &ignored) < 0)
		return 0;
	for (size_t i = 0; i < spec->n_conda; i++) {
		const char *url = eb_matchspec_url(spec->conda[i]);
		const struct eb_spec_line *at = &spec->conda_at[i];

		if (!url || !eb_starts(url, "file:"))
			continue;
		refuse(url, err);
		return eb_err_at(err, eb_spec_place(spec, at), at->line,
				 at->column);
	}
	for (size_t i = 0; i < spec->n_pip; i++) {
		const char *path = spec->pip[i].argument;
		const struct eb_spec_line *at = &spec->pip_at[i];

		if (!path || eb_pip_is_remote(path))
			continue;
		refuse(path, err);
		return eb_err_at(err, eb_spec_place(spec, at), at->line,
				 at->column);
	}
	return 0;
}

int eb_environment_reach(const struct eb_named *e, struct eb_error *err)
{
	return check_options(e, err) < 0 ||
			       check_lines(e, "linux/amd64", err) < 0 ||
			       check_lines(e, "linux/arm64", err) < 0
		       ? -1
		       : 0;
}
