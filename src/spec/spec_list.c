/* SPDX-License-Identifier: Apache-2.0 */
/* A list of package specs, a MatchSpec a line, as a definition of its own: what
 * `conda list --export` writes and `conda create --file` reads (CEP 23). */
#include <ctype.h>
#include <string.h>

#include "spec_list.h"

#define MAX_LINES 100000

/* ---- lines ----------------------------------------------------------------
 */

int eb_list_at(const struct eb_list_line *l, size_t at, struct eb_error *err)
{
	return eb_err_at(err, l->file, l->line, l->column + (unsigned)at);
}

static int other_platform(const struct eb_list_line *l, const char *has,
			  const char *want, struct eb_error *err)
{
	eb_autofree char *shown = eb_printable(has);

	eb_err_set(err, EB_INPUT, "it is for %.64s, not for %s", shown, want);
	eb_err_hint(err, "--platform names the image's");
	return eb_list_at(l, (size_t)(has - l->text), err);
}

/* "# platform: linux-64" */
static int check_platform(struct eb_spec_reader *r,
			  const struct eb_list_line *l)
{
	static const char key[] = "platform:";
	const char *subdir = eb_conda_subdir(r->platform), *p = l->text + 1;

	p += strspn(p, " \t");
	if (!eb_starts(p, key))
		return 0;
	p += strlen(key);
	p += strspn(p, " \t");
	if (!*p || !strcmp(p, "noarch") || (subdir && !strcmp(p, subdir)))
		return 0;
	return other_platform(l, p, subdir ? subdir : r->platform, r->err);
}

static int one_line(struct eb_spec_reader *r, struct eb_list_line *l,
		    eb_list_fn *fn, void *data)
{
	l->column = 1 + (unsigned)strspn(l->text, " \t");
	l->text = eb_strip(l->text);
	if (!*l->text)
		return 0;
	return *l->text == '#' ? check_platform(r, l) : fn(data, l, r->err);
}

static size_t line_length(const char *p, const char *end)
{
	const char *lf = memchr(p, '\n', (size_t)(end - p));

	return (size_t)((lf ? lf : end) - p);
}

int eb_list_read(struct eb_spec_reader *r, const char *text, eb_list_fn *fn,
		 void *data)
{
	struct eb_list_line l = { .file = r->spec->file };
	const char *end = text + strlen(text);

	for (const char *p = text; *p;) {
		size_t n = line_length(p, end);
		eb_autofree char *copy = eb_strndup(p, n);

		l.text = copy;
		if (l.line++ == MAX_LINES) {
			eb_err_set(r->err, EB_INPUT,
				   "\"%s\" has more than %d lines", l.file,
				   MAX_LINES);
			return -1;
		}
		if (one_line(r, &l, fn, data) < 0)
			return -1;
		p += n + (p[n] == '\n');
	}
	return 0;
}

/* ---- specs ----------------------------------------------------------------
 */

/* "pillow=8.0=pypi_0": conda notes what pip installed, and can install none of
 * it. */
static int of_pip(const struct eb_list_line *l, const struct eb_matchspec *m,
		  struct eb_error *err)
{
	eb_err_set(err, EB_INPUT,
		   "\"%s\" was installed by pip: no channel has it",
		   eb_matchspec_name(m));
	eb_err_hint(err, "\"conda env export\" writes an environment file with "
			 "a pip section");
	return eb_list_at(l, 0, err);
}

static bool is_of_pip(const struct eb_matchspec *m)
{
	const char *build = eb_matchspec_build(m);

	return eb_matchspec_name(m) && build &&
	       (!strcmp(build, "pypi_0") || !strcmp(build, "<pip>"));
}

static int add_spec(void *data, const struct eb_list_line *l,
		    struct eb_error *err)
{
	struct eb_spec_reader *r = data;
	struct eb_spec *s = r->spec;
	EB_CLEANUP(eb_matchspec_free_ptr)
	struct eb_matchspec *m = eb_matchspec_parse(l->text, EB_STRICT, err);

	if (!m)
		return eb_list_at(l, 0, err);
	if (is_of_pip(m))
		return of_pip(l, m, err);
	EB_GROW(s->conda, s->n_conda, r->alloc_conda);
	EB_GROW(s->conda_at, s->n_conda, r->alloc_conda_at);
	s->conda_at[s->n_conda] = (struct eb_spec_line){
		.line = l->line, .column = l->column, .text = eb_strdup(l->text)
	};
	s->conda[s->n_conda++] = eb_steal(m);
	return 0;
}

int eb_spec_list(struct eb_spec_reader *r, const char *text)
{
	if (eb_list_read(r, text, add_spec, r) < 0)
		return -1;
	if (!r->spec->n_conda)
		eb_warn_at(r->events, r->spec->file, 1, 1,
			   "no package is in it");
	return 0;
}

/* ---- which is it? ---------------------------------------------------------
 */

/* What conda writes above its own lists. */
static bool is_headed(const char *comment)
{
	return strstr(comment, "conda create --name <env> --file") ||
	       strstr(comment, "$ conda install --file");
}

/* "conda" between other words: conda-requirements.txt. */
static bool is_named(const char *file)
{
	const char *slash = strrchr(file, '/');
	const char *name = slash ? slash + 1 : file;
	const char *at = strstr(name, "conda");

	if (eb_starts(name, "spec-file") && eb_ends(name, ".txt"))
		return true;
	return at && eb_ends(name, ".txt") &&
	       (at == name || !isalnum((unsigned char)at[-1])) &&
	       !isalnum((unsigned char)at[strlen("conda")]);
}

struct telling {
	bool explicit, headed, foreign, all; /* foreign: no requirement */
	unsigned n;
};

/* A requirement, an option, or what else only pip has: all that it does not
 * call wrong. */
static bool is_pips(const char *line)
{
	struct eb_error no EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	struct eb_requirement q EB_CLEANUP(eb_requirement_release) = { 0 };

	return strpbrk(line, "\\@;") || *line == '-' || *line == '.' ||
	       eb_requirement_parse(line, &q, &no) == 0;
}

/* A spec, and no prose: words can be versions. */
static bool is_condas(const char *line)
{
	struct eb_error no EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_CLEANUP(eb_matchspec_free_ptr)
	struct eb_matchspec *m = eb_matchspec_parse(line, EB_STRICT, &no);
	const char *version = m ? eb_matchspec_version(m) : NULL;

	return m && eb_matchspec_name(m) &&
	       (!version || strpbrk(version, "0123456789*"));
}

static void tell_line(struct telling *t, const char *line)
{
	t->explicit |= !strcmp(line, EB_EXPLICIT);
	if (!*line)
		return;
	if (*line == '#') {
		t->headed |= is_headed(line);
		return;
	}
	t->n++;
	t->all = t->all && is_condas(line);
	t->foreign |= t->all && !is_pips(line);
}

/* What is parsed to be told leaves copies: none of a login. */
static void hide_logins(char *line)
{
	for (char *p = strstr(line, "://"); p; p = strstr(p, "://")) {
		char *end;

		p += 3;
		end = p + strcspn(p, "/ \t");
		for (char *at = memrchr(p, '@', (size_t)(end - p)); p < at; p++)
			*p = 'x';
	}
}

static char *line_to_tell(const char *p, size_t n)
{
	char *line = eb_strndup(p, n);

	hide_logins(line);
	return line;
}

enum eb_list_kind eb_list_kind(const char *file, const char *text)
{
	bool pips = strstr(file, "requirements") != NULL;
	struct telling t = { .all = eb_ends(file, ".txt") };
	const char *end = text + strlen(text);

	for (const char *p = text; *p && t.n < MAX_LINES;) {
		size_t n = line_length(p, end);
		eb_autofree char *line = line_to_tell(p, n);

		tell_line(&t, eb_strip(line));
		if (t.explicit)
			return EB_LIST_EXPLICIT;
		p += n + (p[n] == '\n');
	}
	if (t.headed && !eb_ends(file, ".yml") && !eb_ends(file, ".yaml"))
		return EB_LIST_SPECS;
	return t.n && t.all && (is_named(file) || (t.foreign && !pips))
		       ? EB_LIST_SPECS
		       : EB_LIST_NONE;
}
