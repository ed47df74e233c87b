/* SPDX-License-Identifier: Apache-2.0 */
/* The folder and the command line of one call of uv. */
#include <string.h>
#include <sys/stat.h>

#include <envbuild/file.h>
#include <envbuild/pep440.h>

#include "pip_line.h"
#include "uv.h"

/* Of every backend there is no such version: where the metadata of an sdist
 * has to be built, uv stops at once and names it. */
static const char *const backends[] = {
	"setuptools",
	"wheel",
	"flit-core",
	"flit",
	"hatchling",
	"hatch-vcs",
	"poetry-core",
	"poetry",
	"poetry-dynamic-versioning",
	"pdm-backend",
	"pdm-pep517",
	"maturin",
	"scikit-build",
	"scikit-build-core",
	"meson-python",
	"cmake",
	"ninja",
	"meson",
	"cython",
	"numpy",
	"pybind11",
	"nanobind",
	"cffi",
	"setuptools-scm",
	"setuptools-rust",
	"uv-build",
	"sipbuild",
	"sip",
	"whey",
	"enscons",
	"mesonpep517",
	"trampolim",
	"pbr",
	"versioneer",
	"packaging",
	"tomli",
	"pip",
	"torch",
	"jupyter-packaging",
	"hatch-fancy-pypi-readme",
	"pyproject-hooks",
};

static int write_builds(const char *dir, struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_CONFIG);

	for (size_t i = 0; i < sizeof backends / sizeof *backends; i++)
		eb_buf_addf(&text, "%s==0.0.0\n", backends[i]);
	return eb_uv_write(dir, "build.txt", text.data, text.len, err);
}

/* --- the lines -------------------------------------------------------- */

/* A repository of this machine is read where it is. */
static void see_repository(const struct eb_uv_call_plan *plan,
			   struct eb_uv_call_made *out,
			   const struct eb_pip_line *l)
{
	const char *at = strstr(l->text, "+file://");
	eb_autofree char *url = NULL, *path = NULL, *real = NULL;
	char *rev;

	if (!at || plan->away)
		return;
	url = eb_strndup(at + 1, strcspn(at + 1, "#?;\t "));
	rev = strrchr(url, '@');
	if (rev)
		*rev = 0;
	path = eb_pip_file_path(url);
	real = path ? realpath(path, NULL) : NULL;
	if (real)
		eb_strv_add(&out->see, real);
}

static const struct eb_standin *standin_of(const struct eb_uv_call_plan *plan,
					   const struct eb_pip_line *l)
{
	for (size_t i = 0; i < plan->n_standins; i++)
		if (plan->standin[i].line == l)
			return &plan->standin[i];
	return NULL;
}

static int put_standin(const struct eb_uv_call_plan *plan,
		       struct eb_uv_call_made *out, const struct eb_standin *s,
		       struct eb_buf *text, struct eb_error *err)
{
	const struct eb_pip_line *l = s->line;
	eb_autofree char *seen = eb_uv_stage(plan, out, s->path, err);

	if (!seen)
		return eb_err_at(err, l->file, l->line, l->column);
	eb_buf_adds(text, s->head);
	if (plan->away) {
		eb_buf_addf(text, "%s/%s", plan->urls ? plan->urls : ".", seen);
	} else {
		if (s->dir) /* what lies around it may count, too */
			eb_strv_add(&out->see, s->dir);
		eb_buf_adds(text, "file://");
		eb_pip_add_quoted(text, seen);
	}
	eb_buf_addf(text, "%s%s\n", l->marker ? " ; " : "",
		    l->marker ? l->marker : "");
	return 0;
}

/* What is a plain requirement is given in its normal text, which uv reads
 * whatever pip lets pass. */
static int put_line(const struct eb_uv_call_plan *plan,
		    struct eb_uv_call_made *out, const struct eb_pip_line *l,
		    struct eb_buf *text, struct eb_error *err)
{
	size_t at = 0, n = 0;
	eb_autofree char *seen = NULL, *bare = NULL;
	const struct eb_standin *s = standin_of(plan, l);
	bool local;

	if (s)
		return put_standin(plan, out, s, text, err);
	if (l->normal.kind == EB_REQ_REQUIREMENT && l->normal.text &&
	    !strchr(l->normal.text, '@')) {
		eb_buf_addf(text, "%s\n", l->normal.text);
		return 0;
	}
	see_repository(plan, out, l);
	local = eb_uv_local_in(l, &at, &n);
	if (local) {
		seen = eb_uv_stage(plan, out, l->path, err);
		if (!seen)
			return eb_err_at(err, l->file, l->line, l->column);
	}
	if (local && plan->away)
		eb_buf_addf(text, "%.*s%s/%s%s\n", (int)at, l->text,
			    plan->urls && at ? plan->urls : ".", seen,
			    l->text + at + n);
	else
		eb_buf_addf(text, "%s\n", bare = eb_git_bare(l->text));
	return 0;
}

static int write_lines(const struct eb_uv_call_plan *plan,
		       struct eb_uv_call_made *out,
		       const struct eb_pip_line *lines, size_t n,
		       struct eb_buf *text, const char *name,
		       struct eb_error *err)
{
	int rc = 0;

	for (size_t i = 0; i < n && rc == 0; i++)
		rc = put_line(plan, out, &lines[i], text, err);
	if (rc == 0)
		rc = eb_uv_write(out->dir, name, text->data, text->len, err);
	explicit_bzero(text->data, text->len);
	return rc;
}

static int write_requirements(const struct eb_uv_call_plan *plan,
			      struct eb_uv_call_made *out, struct eb_error *err)
{
	const struct eb_pip_set *set = plan->r->set;
	EB_AUTOBUF(text, EB_MAX_LOCK);

	return write_lines(plan, out, set->requirement, set->n, &text,
			   "requirements.in", err);
}

static int write_constraints(const struct eb_uv_call_plan *plan,
			     struct eb_uv_call_made *out, struct eb_error *err)
{
	const struct eb_pip_request *r = plan->r;
	EB_AUTOBUF(text, EB_MAX_LOCK);

	if (plan->conda == EB_UV_CONSTRAINTS)
		for (size_t i = 0; i < r->n_installed; i++)
			eb_buf_addf(&text, "%s==%s\n", r->installed[i].name,
				    r->installed[i].version);
	return write_lines(plan, out, r->set->constraint, r->set->n_constraints,
			   &text, "constraints.txt", err);
}

int eb_uv_call_lines(const struct eb_uv_call_plan *plan,
		     struct eb_uv_call_made *out, struct eb_error *err)
{
	return write_requirements(plan, out, err) < 0
		       ? -1
		       : write_constraints(plan, out, err);
}

/* --- what conda installs ---------------------------------------------- */

static int write_stubs(const struct eb_uv_call_plan *plan,
		       struct eb_uv_call_made *out, struct eb_strv *find,
		       struct eb_error *err)
{
	const struct eb_pip_request *r = plan->r;
	eb_autofree char *dir = eb_path_join(out->dir, "conda");

	if (r->n_installed == 0)
		return 0;
	if (eb_mkdirs(dir, 0700, err) < 0)
		return -1;
	for (size_t i = 0; i < r->n_installed; i++)
		if (eb_uv_stub_write(dir, &r->installed[i], err) < 0)
			return -1;
	return eb_uv_links(plan, out, dir, plan->away ? "conda" : dir, find,
			   err);
}

/* An answer that is there already is what uv prefers. */
static int write_preferences(const struct eb_uv_call_plan *plan,
			     const char *dir, struct eb_error *err)
{
	const struct eb_pip_request *r = plan->r;
	EB_AUTOBUF(text, EB_MAX_LOCK);

	if (plan->conda != EB_UV_PREFERENCES || r->n_installed == 0)
		return 0;
	eb_buf_adds(&text, "lock-version = \"1.0\"\ncreated-by = \"uv\"\n");
	for (size_t i = 0; i < r->n_installed; i++)
		eb_buf_addf(&text,
			    "\n[[packages]]\nname = \"%s\"\nversion = \"%s\"\n",
			    r->installed[i].name, r->installed[i].version);
	return eb_uv_write(dir, "pylock.toml", text.data, text.len, err);
}

/* --- links ------------------------------------------------------------ */

static int put_place(const struct eb_uv_call_plan *plan,
		     struct eb_uv_call_made *out, const char *path,
		     struct eb_strv *find, struct eb_error *err)
{
	struct stat st;
	char *seen;

	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return eb_uv_links(plan, out, path, NULL, find, err);
	seen = eb_uv_stage(plan, out, path, err);
	if (!seen)
		return -1;
	eb_strv_take(find, seen);
	return 0;
}

int eb_uv_call_links(const struct eb_uv_call_plan *plan,
		     struct eb_uv_call_made *out, struct eb_strv *find,
		     struct eb_error *err)
{
	const struct eb_indexes *x = plan->r->indexes;

	for (size_t i = 0; i < x->find_links.n; i++) {
		const char *link = x->find_links.v[i];
		const char *path = eb_starts(link, "file://") ? link + 7 : link;

		if (strstr(path, "://")) {
			eb_strv_take(find, eb_index_login(x, link));
		} else if (!eb_path_exists(path)) {
			continue; /* as with pip, which says so and goes on */
		} else if (put_place(plan, out, path, find, err) < 0) {
			return -1;
		}
	}
	return 0;
}

/* --- the whole --------------------------------------------------------- */

static void put_releases(struct eb_strv *argv, const struct eb_strv *names,
			 const char *mode)
{
	for (size_t i = 0; i < names->n; i++)
		if (strcmp(names->v[i], ":all:"))
			eb_strv_addf(argv, "--prerelease-package=%s=%s",
				     names->v[i], mode);
}

static int put_arguments(const struct eb_uv_call_plan *plan,
			 struct eb_uv_call_made *out, struct eb_error *err)
{
	static const char *const fixed[] = {
		"uv",	    "pip",
		"compile",  "--config-file",
		"uv.toml",  "--color",
		"never",    "--no-progress",
		"--format", "pylock.toml",
		"-o",	    "pylock.toml",
		"-c",	    "constraints.txt",
	};
	const struct eb_python_target *t = &plan->r->target;
	eb_autofree char *platform = eb_uv_platform(t);
	struct eb_strv *argv = &out->argv;

	for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
		eb_strv_add(argv, fixed[i]);
	eb_strv_addf(argv, "--cache-dir=%s", plan->cache);
	eb_strv_addf(argv, "--python=%s", plan->python);
	if (!t->free_threaded)
		eb_strv_addf(argv, "--python-version=%s", t->version);
	if (platform)
		eb_strv_addf(argv, "--python-platform=%s", platform);
	if (plan->r->offline)
		eb_strv_add(argv, "--offline");
	put_releases(argv, &plan->r->set->all_releases, "allow");
	put_releases(argv, &plan->r->set->only_final, "disallow");
	if (!plan->away)
		eb_strv_addf(argv, "--directory=%s", out->dir);
	eb_strv_add(argv, "--build-constraints=build.txt");
	eb_strv_add(argv, "requirements.in");
	return write_builds(out->dir, err);
}

int eb_uv_call_make(const struct eb_uv_call_plan *plan,
		    struct eb_uv_call_made *out, struct eb_error *err)
{
	struct eb_strv find EB_CLEANUP(eb_wipe_all) = { 0 };
	eb_autofree char *home = eb_path_join(out->dir, "home");

	if (eb_mkdirs(home, 0700, err) < 0 ||
	    write_stubs(plan, out, &find, err) < 0 ||
	    eb_uv_call_links(plan, out, &find, err) < 0 ||
	    eb_uv_settings_write(plan, &find, out->dir, err) < 0 ||
	    eb_uv_call_lines(plan, out, err) < 0 ||
	    write_preferences(plan, out->dir, err) < 0 ||
	    eb_uv_settings_env(plan, out, err) < 0)
		return -1;
	return put_arguments(plan, out, err);
}

void eb_uv_call_made_release(struct eb_uv_call_made *m)
{
	free(m->dir);
	for (size_t i = 0; i < m->env.n; i++) /* proxies have passwords */
		explicit_bzero(m->env.v[i], strlen(m->env.v[i]));
	eb_strv_release(&m->argv);
	eb_strv_release(&m->env);
	eb_strv_release(&m->see);
	eb_strv_release(&m->local);
	eb_strv_release(&m->staged);
	*m = (struct eb_uv_call_made){ 0 };
}
