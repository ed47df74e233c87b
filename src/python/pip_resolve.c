/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pip section resolved: which calls of uv it takes. First with what conda
 * installs as constraints, then, where that may be replaced, as preferences;
 * each as often as it stops at a project that has to be asked.
 */
#include "own_pip.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <envbuild/file.h>

#define KEPT_S 86400 /* folders of calls that were killed */

enum outcome { FAILED = -1, ANSWERED, STOPPED, UNSOLVED, NOWHERE };

/* --- folders ----------------------------------------------------------------
 */

/* What killed runs left. */
static void sweep(const char *root)
{
	DIR *d = opendir(root);
	struct dirent *e;
	struct stat st;

	while (d && (e = readdir(d))) {
		eb_autofree char *path = eb_path_join(root, e->d_name);
		struct eb_error ignored = EB_ERROR_INIT;

		if (eb_starts(e->d_name, "run-") && lstat(path, &st) == 0 &&
		    st.st_mtime + KEPT_S < time(NULL))
			eb_remove_tree(path, &ignored);
		eb_err_release(&ignored);
	}
	if (d)
		closedir(d);
}

static int open_folders(struct eb_resolving *z, struct eb_error *err)
{
	if (eb_mkdirs(z->r->cache, 0700, err) < 0)
		return -1;
	z->root = realpath(z->r->cache, NULL);
	if (!z->root)
		return eb_err_set(err, EB_MACHINE, "\"%s\" cannot be found",
				  z->r->cache);
	sweep(z->root);
	z->cache = eb_path_join(z->root, "uv");
	z->dir = eb_make_tempdir(z->root, "run-", err);
	return z->dir ? eb_mkdirs(z->cache, 0700, err) : -1;
}

static void release(struct eb_resolving *z)
{
	struct eb_error ignored = EB_ERROR_INIT;

	if (z->dir)
		eb_remove_tree(z->dir, &ignored);
	eb_err_release(&ignored);
	free(z->uv);
	free(z->pip_file);
	json_decref(z->answer);
	free(z->version);
	free(z->python);
	free(z->python_folder);
	free(z->root);
	free(z->cache);
	free(z->dir);
	free(z->stop);
	eb_resolve_seen_release(z);
	eb_strv_release(&z->tags);
	eb_strv_release(&z->wanted);
	eb_resolve_told_release(z);
	eb_resolve_standins_release(z);
	eb_uv_call_made_release(&z->made);
	eb_uv_log_release(&z->log);
}

/* --- a call ------------------------------------------------------------------
 */

static int run_here(struct eb_resolving *z, struct eb_buf *said,
		    struct eb_error *err)
{
	struct eb_uv_job job = {
		.root = z->root,
		.env = (const char *const *)z->made.env.v,
		.timeout_s = z->r->time_s ? z->r->time_s : EB_UV_TIME,
		.log = said,
	};

	free(z->made.argv.v[0]);
	z->made.argv.v[0] = realpath(z->uv, NULL);
	eb_strv_take(&z->made.see, realpath(z->uv, NULL));
	if (z->python_folder)
		eb_strv_add(&z->made.see, z->python_folder);
	eb_strv_sort(&z->made.see);
	eb_strv_unique(&z->made.see);
	job.argv = (const char *const *)z->made.argv.v;
	job.see = (const char *const *)z->made.see.v;
	if (eb_uv_run(&job, z->events, err) < 0)
		return -1;
	z->status = job.status;
	return 0;
}

static int run_away(struct eb_resolving *z, struct eb_buf *said,
		    struct eb_error *err)
{
	struct eb_uv_call call = {
		.dir = z->made.dir,
		.argv = (const char *const *)z->made.argv.v,
		.env = (const char *const *)z->made.env.v,
		.uv = z->uv,
		.see = (const char *const *)z->made.see.v,
		.out = said,
	};

	int rc = z->r->elsewhere(z->r->data, &call, err);

	z->status = call.status;
	return rc;
}

/* By uv, unless it answered the very same before. */
static int ask_here(struct eb_resolving *z, const struct eb_uv_call_plan *plan,
		    struct eb_buf *said, struct eb_error *err)
{
	z->kept = eb_uv_answer_key(plan, &z->made, z->uv, &z->key) > 0;
	if (z->kept && !z->r->refresh &&
	    eb_uv_answer_find(z->root, &z->key, &z->made, said)) {
		z->kept = false; /* it is there */
		z->status = 0;
		return 0;
	}
	return run_here(z, said, err);
}

/* Nothing of it came from an index, so it holds as long as its key does. */
static void keep_answer(const struct eb_resolving *z)
{
	if (z->kept && z->status == 0 && !z->log.page.n && !z->log.yanked.n)
		eb_uv_answer_keep(z->root, &z->key, &z->made, z->log.text);
}

static enum outcome judge(struct eb_resolving *z, const char *said)
{
	eb_uv_log_read(said, z->r->indexes, z->status != 0, &z->log);
	z->stop = eb_uv_log_stop(&z->log);
	if (z->status == 0 && !z->log.built) {
		keep_answer(z);
		return ANSWERED;
	}
	if (z->stop)
		return STOPPED;
	return strstr(z->log.text, "No solution found when resolving")
		       ? UNSOLVED
		       : FAILED;
}

static enum outcome call(struct eb_resolving *z, bool away,
			 struct eb_error *err)
{
	struct eb_uv_call_plan plan = {
		.r = z->r,
		.conda = z->conda,
		.away = away,
		.wheels = z->what != NULL,
		.python = away ? z->r->python : z->python,
		.cache = away ? "cache" : z->cache,
		.root = z->root,
		.tags = &z->tags,
		.told = z->told,
		.n_told = z->n_told,
		.standin = z->standin,
		.n_standins = z->n_standins,
	};
	EB_AUTOBUF(said, EB_UV_ANSWER);
	enum outcome end;
	int rc;

	eb_uv_call_made_release(&z->made);
	eb_uv_log_release(&z->log);
	free(eb_steal(z->stop));
	z->away = away;
	z->kept = false;
	z->made.dir = eb_asprintf("%s/%u", z->dir, z->calls++);
	if (plan.away && !plan.python)
		plan.python = EB_UV_PYTHON;
	if (eb_uv_call_make(&plan, &z->made, err) < 0)
		return FAILED;
	rc = away ? run_away(z, &said, err) : ask_here(z, &plan, &said, err);
	if (rc)
		return rc < 0 ? FAILED : NOWHERE;
	end = judge(z, said.data);
	explicit_bzero(said.data, said.len);
	if (end != ANSWERED)
		eb_detail(z->events, "uv: %s", z->log.text);
	return end == FAILED ? (enum outcome)eb_resolve_explain_other(z, err)
			     : end;
}

/* Can uv be told of the target without its Python? */
static bool only_away(const struct eb_resolving *z)
{
	const struct eb_python_target *t = &z->r->target;
	eb_autofree char *platform = eb_uv_platform(t);

	return t->free_threaded || !platform;
}

static int cannot_run(const struct eb_resolving *z, struct eb_error *err)
{
	const struct eb_python_target *t = &z->r->target;

	return eb_err_set(err, EB_MACHINE,
			  "Python %s%s on %s: the resolver can be told of it "
			  "by that Python alone, and it cannot be run here",
			  t->version,
			  t->free_threaded ? " (free-threaded)" : "", t->arch);
}

static enum outcome attempt(struct eb_resolving *z, enum eb_uv_conda conda,
			    struct eb_error *err)
{
	bool away = only_away(z);
	enum outcome end;
	int rc;

	z->conda = conda;
	if (away && !z->r->elsewhere)
		return (enum outcome)cannot_run(z, err);
	for (;;) {
		end = call(z, away, err);
		if (end == NOWHERE)
			return (enum outcome)cannot_run(z, err);
		if (end != STOPPED || z->what)
			return end;
		rc = eb_resolve_learn(z, err);
		if (rc <= 0)
			return rc < 0 ? FAILED : STOPPED;
	}
}

/* --- the whole ---------------------------------------------------------------
 */

static int solve(struct eb_resolving *z, struct eb_error *err)
{
	const struct eb_pip_request *r = z->r;
	enum outcome end = attempt(z, EB_UV_CONSTRAINTS, err);

	if (end == UNSOLVED && r->replace && r->n_installed) {
		eb_detail(z->events, "what conda installs does not go with "
				     "the pip section; it may be replaced");
		end = attempt(z, EB_UV_PREFERENCES, err);
	}
	if (end == STOPPED)
		return eb_resolve_explain_build(z, err);
	if (end == UNSOLVED)
		return eb_resolve_explain(z, err);
	return end == ANSWERED ? 0 : -1;
}

static int by_uv(struct eb_resolving *z, struct eb_error *err)
{
	if (!z->uv)
		z->uv = eb_uv_find(z->root, &z->version, err);
	if (!z->uv)
		return -1;
	if (!z->python)
		z->python = eb_uv_python(&z->python_folder, err);
	return z->python ? solve(z, err) : -1;
}

static int ask(struct eb_resolving *z, struct eb_pip_result *out,
	       struct eb_error *err)
{
	if ((eb_uv_is_absent() ? eb_own_pip_resolve(z, err) : by_uv(z, err)) <
	    0)
		return -1;
	if (eb_resolve_answer(z, out, err) == 0)
		return 0;
	eb_pip_result_release(out);
	return -1;
}

/* With what is known of builds, unless that is of other files. */
static int find_set(struct eb_resolving *z, struct eb_pip_result *out,
		    struct eb_error *err)
{
	int rc;

	if (!z->what)
		eb_resolve_built_tell(z);
	rc = ask(z, out, err);
	if (!z->n_built || (rc < 0 && err->code != EB_NO) ||
	    (rc == 0 && eb_resolve_built_holds(z, out->pin, out->n)))
		return rc;
	eb_pip_result_release(out);
	eb_err_release(err);
	eb_resolve_told_release(z);
	eb_resolve_seen_release(z);
	return ask(z, out, err);
}

int eb_resolve(const struct eb_pip_request *r, const char *what,
	       struct eb_events *events, struct eb_pip_result *out,
	       struct eb_error *err)
{
	struct eb_resolving z EB_CLEANUP(
		release) = { .r = r, .events = events, .what = what };

	*out = (struct eb_pip_result){ 0 };
	if (eb_tags_of(&r->target, &z.tags, err) < 0 ||
	    open_folders(&z, err) < 0 ||
	    (!what && eb_resolve_standins(&z, err) < 0) ||
	    find_set(&z, out, err) < 0)
		return -1;
	eb_resolve_told_mark(&z, out->pin, out->n);
	out->built_metadata = z.away || z.asked;
	out->resolver = eb_asprintf("%s %s", z.uv ? "uv" : "pip", z.version);
	return 0;
}

int eb_pip_resolve(const struct eb_pip_request *r, struct eb_events *events,
		   struct eb_pip_result *out, struct eb_error *err)
{
	return eb_resolve(r, NULL, events, out, err);
}

void eb_pip_result_release(struct eb_pip_result *r)
{
	for (size_t i = 0; i < r->n; i++)
		eb_pin_release(&r->pin[i]);
	free(r->pin);
	eb_strv_release(&r->replaced);
	free(r->resolver);
	*r = (struct eb_pip_result){ 0 };
}
