/* SPDX-License-Identifier: Apache-2.0 */
/* What holds for a pip section as a whole. */
#include <string.h>
#include <sys/stat.h>

#include <envbuild/mem.h>

#include "pip_line.h"

static int at(const struct eb_pip_line *l, struct eb_error *err)
{
	return eb_err_at(err, l->file, l->line, l->column);
}

/* ---- hashes
 * ----------------------------------------------------------------------- */

static const struct eb_pip_line *first_hash(const struct eb_pip_line *l,
					    size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (l[i].hash.n)
			return &l[i];
	return NULL;
}

static const struct eb_pip_line *asks(const struct eb_pip_set *s)
{
	const struct eb_pip_line *l = first_hash(s->requirement, s->n);

	return l ? l : first_hash(s->constraint, s->n_constraints);
}

bool eb_pip_set_hashed(const struct eb_pip_set *s)
{
	return s->require_hashes || asks(s);
}

/* "#sha256=..." of a URL, and the like */
static bool has_fragment(const struct eb_pip_line *l)
{
	static const char *const kinds[] = { "sha256=", "sha384=", "sha512=" };
	const char *p = strchr(l->text, '#');

	for (; p; p = strchr(p, '&')) {
		p++;
		for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
			if (eb_starts(p, kinds[i]))
				return true;
	}
	return false;
}

/* Its constraint, when that one has a hash. */
static const struct eb_pip_line *hashed_constraint(const struct eb_pip_set *s,
						   const struct eb_pip_line *l)
{
	for (size_t i = 0; l->name && i < s->n_constraints; i++) {
		const struct eb_pip_line *c = &s->constraint[i];

		if (c->hash.n && c->name && strcmp(c->name, l->name) == 0)
			return c;
	}
	return NULL;
}

static bool is_folder(const struct eb_pip_line *l)
{
	struct stat st;

	return l->path && stat(l->path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool is_repository(const struct eb_pip_line *l)
{
	const char *url = strstr(l->text, " @ ");

	return eb_pip_is_vcs(url ? url + 3 : l->text);
}

/* `name==1` alone, or a URL or file */
static bool is_pinned(const struct eb_pip_line *l)
{
	struct eb_pep508 r EB_CLEANUP(eb_pep508_release) = { 0 };
	struct eb_error no EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	if (l->normal.kind != EB_REQ_REQUIREMENT || l->path)
		return true;
	if (eb_pep508_parse(l->text, &r, &no) < 0)
		return false;
	return r.url ||
	       (r.specifiers.n == 1 && eb_starts(r.specifiers.v[0], "=="));
}

static int without(const struct eb_pip_set *s, const struct eb_pip_line *l,
		   struct eb_error *err)
{
	const struct eb_pip_line *first = asks(s);

	eb_err_set(err, EB_INPUT,
		   "\"%s\" has no --hash, and %s one on every line", l->shown,
		   first ? "one line with it asks for"
			 : "--require-hashes asks for");
	if (first)
		eb_err_hint(err,
			    "\"%s\" has one (%s:%u): give all lines theirs, "
			    "those of their dependencies too, or none",
			    first->shown, first->file, first->line);
	return at(l, err);
}

static int cannot(const struct eb_pip_line *l, const char *what,
		  const char *hint, struct eb_error *err)
{
	eb_err_set(err, EB_INPUT, "\"%s\" %s, where hashes are asked for",
		   l->shown, what);
	eb_err_hint(err, "%s", hint);
	return at(l, err);
}

static int check_hash(const struct eb_pip_set *s, const struct eb_pip_line *l,
		      struct eb_error *err)
{
	const struct eb_pip_line *constraint = hashed_constraint(s, l);

	if (l->marker)
		return 0;
	if (l->editable || is_folder(l))
		return cannot(l, "is a folder, which has no hash",
			      "leave out all hashes, or give a wheel of it",
			      err);
	if (is_repository(l))
		return cannot(l, "is a repository, which has no hash",
			      "leave out all hashes, or give an archive's URL "
			      "with #sha256=",
			      err);
	if (!l->hash.n && !has_fragment(l) && !constraint)
		return without(s, l, err);
	if (!is_pinned(l) && !(constraint && is_pinned(constraint)))
		return cannot(l, "is not pinned by ==",
			      "a hash belongs to one version: name it", err);
	return 0;
}

/* ---- outside
 * -------------------------------------------------------------------------- */

int eb_pip_set_check(const struct eb_pip_set *s, struct eb_error *err)
{
	for (size_t i = 0; i < s->n_constraints; i++)
		if (eb_requirement_as_constraint(&s->constraint[i].normal,
						 err) < 0)
			return at(&s->constraint[i], err);
	if (!eb_pip_set_hashed(s))
		return 0;
	for (size_t i = 0; i < s->n; i++)
		if (check_hash(s, &s->requirement[i], err) < 0)
			return -1;
	return 0;
}
