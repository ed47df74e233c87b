/* SPDX-License-Identifier: Apache-2.0 */
/* What pip's indexes have of the lines of a pip section; the words are those
 * of a resolution that fails. */
#include <string.h>

#include <envbuild/pip_look.h>

#include "lint_base.h"
#include "lint_index.h"

/* Where nothing tells the C library, no wheel is left out for its own. */
#define ANY_GLIBC "2.60"

struct pip_looking {
	struct eb_looking *k;
	struct eb_pip_set set;
	struct eb_indexes indexes;
	struct eb_decision *d; /* NULL: none could be made */
	const char *image;     /* that options or definition name, or NULL */
};

static void release(struct pip_looking *p)
{
	eb_pip_set_release(&p->set);
	eb_indexes_release(&p->indexes);
	eb_decision_free(p->d);
}

/* ---- what may be asked ----------------------------------------------------*/

static bool is_folder(const char *link)
{
	return eb_starts(link, "file:") || !strstr(link, "://");
}

/* Is all that a resolver would ask here? */
static bool is_here(const struct eb_indexes *x)
{
	for (size_t i = 0; i < x->find_links.n; i++)
		if (!is_folder(x->find_links.v[i]))
			return false;
	return x->no_index;
}

static void note(const struct pip_looking *p, const char *rule, const char *fix,
		 const char *what)
{
	const struct eb_pip_line *l = &p->set.requirement[0];

	eb_lint_add(p->k->out, rule, l->file, l->line, l->column, fix, "%s",
		    what);
}

/* May the pages be asked for? What keeps that from being is said where it was
 * wanted. */
static bool may_ask(const struct pip_looking *p)
{
	const struct eb_indexes *x = &p->indexes;

	if (is_here(x))
		return true;
	if (p->k->config->offline) {
		note(p, "index-silent", NULL,
		     "the projects of the pip section were not looked for: "
		     "this is offline");
		return false;
	}
	if (!p->k->network)
		return false;
	if (x->url) /* without one the resolver's own is asked, too */
		return true;
	note(p, "index-silent",
	     "set index-url in pip's configuration, or no-index",
	     "no package index is configured here: the projects of the pip "
	     "section were not looked for");
	return false;
}

static int check_policy(const struct pip_looking *p, struct eb_error *err)
{
	const struct eb_indexes *x = &p->indexes;

	if (x->url && eb_policy_index(p->k->config, x->url, err) < 0)
		return -1;
	for (size_t i = 0; i < x->extra.n; i++)
		if (eb_policy_index(p->k->config, x->extra.v[i], err) < 0)
			return -1;
	return 0;
}

/* ---- compilers ------------------------------------------------------------*/

static bool brings_compiler(const struct eb_looking *k)
{
	static const char *const names[] = {
		"gxx", "gxx_linux-64", "cxx-compiler", "compilers",
		"gcc", "gcc_linux-64", "c-compiler",
	};

	for (size_t i = 0; i < k->spec->n_conda; i++) {
		const char *name = eb_matchspec_name(k->spec->conda[i]);

		for (size_t n = 0; name && n < sizeof names / sizeof *names;
		     n++)
			if (!strcmp(names[n], name))
				return true;
	}
	return k->config->build_base || k->config->apt.n;
}

/* Has the image none, as far as anybody knows? *named: it is known. */
static bool lacks_compiler(const struct pip_looking *p, bool *known)
{
	const char *image = p->image ? p->image : p->d ? p->d->image : NULL;
	struct eb_base_row row = { 0 };
	bool lacks = true;

	*known = image && eb_base_row_find(image, &row) > 0;
	if (*known)
		lacks = row.flavour != EB_FLAVOUR_DEVEL;
	eb_base_row_release(&row);
	return lacks && !brings_compiler(p->k);
}

/* ---- findings -------------------------------------------------------------*/

static const char *const rules[] = {
	[EB_LACK_PROJECT] = "no-such-package",
	[EB_LACK_VERSION] = "no-such-version",
	[EB_LACK_PYTHON] = "requires-python",
	[EB_LACK_MACHINE] = "other-platform",
};

static bool conda_has(const struct eb_looking *k, const char *name)
{
	const uint32_t *row;

	return k->rd && eb_repodata_by_name(k->rd, name, &row) > 0;
}

/* What conda's packages bring needs no index; which those are is not solved. */
static void tell_lack(const struct pip_looking *p, const struct eb_pip_line *l,
		      const struct eb_pip_looked *s)
{
	bool conda = s->lack == EB_LACK_PROJECT && conda_has(p->k, l->name);
	struct eb_lint_found *f = eb_lint_add(
		p->k->out, rules[s->lack], l->file, l->line, l->column,
		conda ? "a channel has a package of that name: ask conda for it"
		      : s->fix,
		"%s", s->what);

	if (conda)
		eb_lint_lower(f, EB_LEVEL_WARNING);
}

static void tell_source(const struct pip_looking *p,
			const struct eb_pip_line *l,
			const struct eb_pip_looked *s)
{
	bool known;

	if (!s->source || !lacks_compiler(p, &known))
		return;
	eb_lint_add(p->k->out, "source-only", l->file, l->line, l->column,
		    "name a --build-base with compilers, or a version that has "
		    "a wheel",
		    "\"%s\": version %s has no wheel for Python %s: it is "
		    "built from source, which fails where that is not Python "
		    "alone: %s has no compiler%s",
		    l->shown, s->version, p->k->python.v[0],
		    p->image ? p->image : "the base",
		    known || !p->image ? "" : " that anybody knows of");
}

static void tell_found(const struct pip_looking *p, const struct eb_pip_line *l,
		       const struct eb_pip_looked *s)
{
	struct eb_lint_list *out = p->k->out;

	if (s->withdrawn)
		eb_lint_add(
			out, "withdrawn", l->file, l->line, l->column,
			"take another version",
			"\"%s\": the version was withdrawn by its maker%s%s",
			l->shown, *s->withdrawn ? ": " : "", s->withdrawn);
	tell_source(p, l, s);
}

static void tell(const struct pip_looking *p, const struct eb_pip_line *l,
		 const struct eb_pip_looked *s)
{
	if (s->lack == EB_LACK_NOTHING)
		tell_found(p, l, s);
	else if (s->lack != EB_LACK_UNKNOWN)
		tell_lack(p, l, s);
	if (s->other && strcmp(s->other, s->index))
		eb_lint_add(p->k->out, "several-indexes", l->file, l->line,
			    l->column,
			    "keep one index, or give the project a name of "
			    "its own",
			    "\"%s\" is on \"%s\" and on \"%s\": who may "
			    "publish on the first decides what is installed",
			    l->name, s->index, s->other);
}

static void tell_silent(const struct pip_looking *p,
			const struct eb_pip_look *look)
{
	for (size_t i = 0; i < look->silent.n; i++)
		note(p, "index-silent",
		     "is it reachable from here? its projects were not looked "
		     "at",
		     look->silent.v[i]);
	for (size_t i = 0; i < look->refused.n; i++)
		note(p, "index-login",
		     "credentials of an index stand in its URL, in netrc, or "
		     "in a keyring",
		     look->refused.v[i]);
}

/* ---- the whole ------------------------------------------------------------*/

static int look(struct pip_looking *p, struct eb_error *err)
{
	const struct eb_looking *k = p->k;
	struct eb_pip_look q EB_CLEANUP(eb_pip_look_release) = {
		.set = &p->set,
		.indexes = &p->indexes,
		.http = &k->http_options,
		.python = &k->python,
		.glibc = p->d && p->d->glibc ? p->d->glibc : ANY_GLIBC,
		.arch = strstr(k->config->platform, "arm64") ? "aarch64"
							     : "x86_64",
		.as_of = k->config->as_of,
	};
	eb_autofree struct eb_pip_looked *seen =
		eb_calloc(p->set.n + 1, sizeof *seen);
	int rc = eb_pip_look(&q, seen, err);

	for (size_t i = 0; rc == 0 && i < p->set.n; i++)
		tell(p, &p->set.requirement[i], &seen[i]);
	tell_silent(p, &q);
	for (size_t i = 0; i < p->set.n; i++)
		eb_pip_looked_release(&seen[i]);
	return rc;
}

/* Waiting is short, and for once. */
static void hasten(struct pip_looking *p)
{
	p->indexes.timeout_s = p->k->http_options.stall_s;
	p->indexes.has_retries = true;
	p->indexes.retries = 0;
}

int eb_look_pip(struct eb_looking *k, const struct eb_linted *l,
		struct eb_error *err)
{
	struct eb_error why EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	struct pip_looking p EB_CLEANUP(
		release) = { .k = k, .image = eb_linted_image(l, k->config) };

	if (!k->spec->n_pip || eb_spec_pip_set(k->spec, &p.set, &why) < 0 ||
	    !p.set.n)
		return 0;
	if (eb_indexes_read(&p.set, &p.indexes, NULL, err) < 0)
		return -1;
	if (!may_ask(&p))
		return 0;
	if (check_policy(&p, err) < 0)
		return -1;
	hasten(&p);
	if (eb_lint_decide(k->config, l, &p.d, &why) < 0)
		p.d = NULL;
	return look(&p, err);
}
