/* SPDX-License-Identifier: Apache-2.0 */
/* Lint of packages that options name: by the text that stands for the whole
 * definition; what it says of their lines, or of it all, is told of them. */
#include <string.h>

#include "env_options.h"

struct looking {
	const struct eb_spec *spec;
	const unsigned *at; /* the line of each of conda's, then of pip's */
	struct eb_linted *out;
	bool alone; /* there is no file */
};

static const struct eb_spec_line *line_at(const struct looking *k,
					  unsigned line)
{
	const struct eb_spec *s = k->spec;

	for (size_t i = 0; i < s->n_conda; i++)
		if (k->at[i] == line)
			return &s->conda_at[i];
	for (size_t i = 0; i < s->n_pip; i++)
		if (k->at[s->n_conda + i] == line)
			return &s->pip_at[i];
	return NULL;
}

/* Lines of a file were looked at where they stand. */
static void take(const struct looking *k, const struct eb_lint_list *found)
{
	for (size_t i = 0; i < found->n; i++) {
		const struct eb_lint_found *f = &found->v[i];
		const struct eb_spec_line *at = line_at(k, f->line);

		if (!k->alone && (!at || !at->option))
			continue;
		eb_lint_lower(eb_lint_add(&k->out->findings, f->rule->name,
					  at && at->option ? at->option
							   : EB_COMMAND_LINE,
					  0, 0, f->fix, "%s", f->what),
			      f->level);
	}
}

static void look(const struct eb_spec *spec, const char *platform, bool alone,
		 struct eb_linted *out)
{
	struct eb_lint_list found EB_CLEANUP(eb_lint_release) = { 0 };
	eb_autofree unsigned *at =
		eb_calloc(spec->n_conda + spec->n_pip + 1, sizeof *at);
	const struct looking k = { spec, at, out, alone };
	EB_AUTOBUF(text, EB_MAX_YAML);

	eb_spec_yaml(spec, at, &text);
	eb_lint_text(text.data, text.len, EB_COMMAND_LINE, platform, &found);
	take(&k, &found);
}

int eb_lint_env(const char *input, const struct eb_config *config,
		struct eb_linted *out, struct eb_error *err)
{
	struct eb_env env = { 0 };
	const struct eb_spec_part part = eb_config_part(config);
	bool alone = !*input;

	if (eb_env_one_input(input, config, err) < 0)
		return -1;
	if (!alone &&
	    eb_lint_part(input, config->platform, &part, out, err) < 0)
		return -1;
	if (alone) {
		if (eb_env_open_options(&env, config, err) < 0)
			return -1;
		out->spec = env.spec;
		free(env.path);
	}
	env.spec = out->azure ? out->azure->spec : out->spec;
	if (!env.spec || env.spec->pylock || !eb_config_has_packages(config))
		return 0;
	env.path = (char *)input;
	if (eb_env_add_packages(&env, config, NULL, err) < 0)
		return -1;
	look(env.spec, config->platform, alone, out);
	eb_lint_sort(&out->findings);
	return 0;
}
