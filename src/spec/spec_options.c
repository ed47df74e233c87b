/* SPDX-License-Identifier: Apache-2.0 */
/* Packages that options name: lines of a definition that stand in no file. */
#include <string.h>

#include "azure_name.h"
#include "spec_options.h"
#include "spec_pip_files.h"

#define CONDA "--conda-package"
#define PIP "--pip-package"
#define PYTHON "--python"

struct adding {
	struct eb_spec *spec;
	struct eb_error *err;
};

/* ---- one of conda's ----------------------------------------------------- */

static bool is_there(const struct eb_spec *s, const struct eb_matchspec *m)
{
	for (size_t i = 0; i < s->n_conda; i++)
		if (!strcmp(eb_matchspec_normal(s->conda[i]),
			    eb_matchspec_normal(m)))
			return true;
	return false;
}

static int add_conda(struct adding *a, const char *text, const char *option)
{
	EB_CLEANUP(eb_matchspec_free_ptr)
	struct eb_matchspec *m = eb_matchspec_parse(text, EB_STRICT, a->err);
	struct eb_spec *s = a->spec;

	if (!m || (!is_there(s, m) && eb_spec_clash(s, m, text, a->err) < 0))
		return eb_err_at(a->err, option, 0, 0);
	if (is_there(s, m))
		return 0;
	s->conda = eb_realloc(s->conda, s->n_conda + 1, sizeof *s->conda);
	s->conda_at =
		eb_realloc(s->conda_at, s->n_conda + 1, sizeof *s->conda_at);
	s->conda_at[s->n_conda] =
		(struct eb_spec_line){ .option = option,
				       .text = eb_strdup(text) };
	s->conda[s->n_conda++] = eb_steal(m);
	return 0;
}

/* ---- the Python --------------------------------------------------------- */

/* "3", "3.8", "3.8.13" */
static bool is_version(const char *text)
{
	unsigned parts = 0;

	for (;; text++) {
		size_t n = strspn(text, "0123456789");

		if (!n || n > 4 || ++parts > 3)
			return false;
		text += n;
		if (*text != '.')
			return !*text;
	}
}

static int add_python(struct adding *a, const char *version)
{
	eb_autofree char *line = eb_asprintf("python=%s", version);

	if (is_version(version))
		return add_conda(a, line, PYTHON);
	eb_err_set(a->err, EB_USAGE, "option \"python\" cannot be \"%s\"",
		   version);
	return eb_err_hint(a->err, "write X, X.Y or X.Y.Z; " CONDA
				   " 'python>=3.8' says everything else");
}

/* ---- one of pip's ------------------------------------------------------- */

static bool has_line(const struct eb_spec *s, const struct eb_requirement *q)
{
	for (size_t i = 0; i < s->n_pip; i++)
		if (s->pip[i].kind == q->kind &&
		    !strcmp(s->pip[i].text, q->text))
			return true;
	return false;
}

static int read_pip(const char *text, struct eb_requirement *out,
		    struct eb_error *err)
{
	if (strpbrk(text, "\r\n"))
		return eb_err_set(err, EB_INPUT,
				  "one option is one line of a requirements "
				  "file: there is more than one");
	if (eb_requirement_parse(text, out, err) < 0)
		return -1;
	return out->kind == EB_REQ_OPTION && !*out->text
		       ? eb_err_set(err, EB_INPUT, "no requirement is in it")
		       : 0;
}

static int add_pip(struct adding *a, const char *text)
{
	struct eb_requirement q EB_CLEANUP(eb_requirement_release) = { 0 };
	struct eb_spec *s = a->spec;

	if (read_pip(text, &q, a->err) < 0)
		return eb_err_at(a->err, PIP, 0, 0);
	if (has_line(s, &q))
		return 0;
	if (eb_spec_pip_clash(s, &q, a->err) < 0)
		return eb_err_at(a->err, PIP, 0, 0);
	s->pip = eb_realloc(s->pip, s->n_pip + 1, sizeof *s->pip);
	s->pip_at = eb_realloc(s->pip_at, s->n_pip + 1, sizeof *s->pip_at);
	s->pip_at[s->n_pip] = (struct eb_spec_line){ .option = PIP };
	s->pip[s->n_pip++] = q;
	q = (struct eb_requirement){ 0 };
	s->has_pip_section = true;
	return 0;
}

/* ---- all of them -------------------------------------------------------- */

static int refuse_pylock(const struct eb_spec *spec, struct eb_error *err)
{
	eb_err_set(err, EB_INPUT,
		   "\"%s\" is resolved already: nothing can be added to it",
		   spec->file);
	eb_err_hint(err, "add it to what that file was made from");
	return eb_err_at(err, PIP, 0, 0);
}

/* Azure's name is one of the text that now stands for it. */
static int rename_azure(struct eb_spec *spec, struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_YAML);

	*spec->azure_name = '\0';
	if (spec->pylock)
		return 0;
	eb_spec_yaml(spec, NULL, &text);
	if (text.overflow)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" and the options: more than %zu bytes "
				  "in all",
				  spec->file, EB_MAX_YAML);
	return eb_azure_conda_name(text.data, text.len, spec->file,
				   spec->azure_name, err);
}

int eb_spec_add_options(struct eb_spec *spec, const struct eb_spec_options *o,
			struct eb_events *events, struct eb_error *err)
{
	struct adding a = { .spec = spec, .err = err };

	if (spec->pylock && o->pip->n)
		return refuse_pylock(spec, err);
	for (size_t i = 0; i < o->python->n; i++)
		if (add_python(&a, o->python->v[i]) < 0)
			return -1;
	for (size_t i = 0; i < o->conda->n; i++)
		if (add_conda(&a, o->conda->v[i], CONDA) < 0)
			return -1;
	for (size_t i = 0; i < o->pip->n; i++)
		if (add_pip(&a, o->pip->v[i]) < 0)
			return -1;
	if (o->pip->n && eb_pip_files_check(spec, events, err) < 0)
		return -1;
	return rename_azure(spec, err);
}
