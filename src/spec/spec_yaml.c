/* SPDX-License-Identifier: Apache-2.0 */
/* A definition written as a conda environment file. */
#include <string.h>

#include <envbuild/yaml.h>

#include <envbuild/spec.h>

struct writer {
	struct eb_buf *out;
	unsigned line; /* the next one */
	unsigned *at;  /* of the next item; or NULL */
};

/* "  - TEXT", a line of its own. */
static void put_item(struct writer *w, const char *indent, const char *text)
{
	eb_buf_addf(w->out, "%s- ", indent);
	eb_yaml_write_text(text, w->out);
	eb_buf_addch(w->out, '\n');
	if (w->at)
		*w->at++ = w->line;
	w->line++;
}

static void put_line(struct writer *w, const char *text)
{
	eb_buf_adds(w->out, text);
	w->line++;
}

static void put_channels(struct writer *w, const struct eb_spec *s)
{
	unsigned *at = w->at;

	w->at = NULL;
	if (s->channels.n)
		put_line(w, "channels:\n");
	for (size_t i = 0; i < s->channels.n; i++)
		put_item(w, "", s->channels.v[i]);
	w->at = at;
}

static void put_dependencies(struct writer *w, const struct eb_spec *s)
{
	put_line(w, s->n_conda || s->n_pip ? "dependencies:\n"
					   : "dependencies: []\n");
	for (size_t i = 0; i < s->n_conda; i++)
		put_item(w, "",
			 s->conda_at[i].text
				 ? s->conda_at[i].text
				 : eb_matchspec_normal(s->conda[i]));
	if (s->n_pip)
		put_line(w, "- pip:\n");
	for (size_t i = 0; i < s->n_pip; i++)
		put_item(w, "  ", s->pip[i].raw);
}

static void put_variables(struct writer *w, const struct eb_spec *s)
{
	if (s->variable_name.n)
		put_line(w, "variables:\n");
	for (size_t i = 0; i < s->variable_name.n; i++) {
		eb_buf_adds(w->out, "  ");
		eb_yaml_write_text(s->variable_name.v[i], w->out);
		eb_buf_adds(w->out, ": ");
		eb_yaml_write_text(s->variable_value.v[i], w->out);
		put_line(w, "\n");
	}
}

void eb_spec_yaml(const struct eb_spec *spec, unsigned *at, struct eb_buf *out)
{
	struct writer w = { .out = out, .line = 1, .at = at };

	put_channels(&w, spec);
	put_dependencies(&w, spec);
	put_variables(&w, spec);
}
