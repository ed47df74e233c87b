/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pip section resolved where there is no uv: by a pip of the environment's
 * own Python, in its own root, where sdists may build their metadata. What
 * conda installs lies there, so pip takes it for installed; first it is a
 * constraint, too.
 */
#include <string.h>
#include <sys/stat.h>

#include <envbuild/file.h>

#include "own_pip.h"

static int take_report(struct eb_resolving *z, struct eb_error *err)
{
	eb_autofree char *path = eb_path_join(z->made.dir, "report.json");
	EB_AUTOBUF(text, EB_UV_ANSWER);
	struct stat st;
	json_t *packages;

	/* written elsewhere, it could be anything */
	if (lstat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return eb_err_set(err, EB_STEP,
				  "\"pip\" gave no answer: \"%s\" is no file",
				  path);
	if (eb_read_file(path, text.max, &text, err) < 0)
		return -1;
	packages = eb_own_pip_packages(text.data, text.len, err);
	if (!packages)
		return -1;
	z->answer = json_object();
	json_object_set_new(z->answer, "packages", packages);
	return 0;
}

static int nothing_runs(struct eb_error *err)
{
	eb_err_set(err, EB_MACHINE,
		   "there is no uv, and no Python of the environment can run "
		   "here in its place");
	return eb_err_hint(err, "install uv (`make deps`, or "
				"ENVBUILD_UV=/path/to/uv)");
}

static int run(struct eb_resolving *z, struct eb_buf *said,
	       struct eb_error *err)
{
	struct eb_uv_call call = {
		.dir = z->made.dir,
		.argv = (const char *const *)z->made.argv.v,
		.env = (const char *const *)z->made.env.v,
		.see = (const char *const *)z->made.see.v,
		.out = said,
	};

	int rc = z->r->elsewhere(z->r->data, &call, err);

	z->status = call.status;
	return rc > 0 ? nothing_runs(err) : rc;
}

/* 1 answered, 0 there is no such set, -1; `last`: then that is explained. */
static int attempt(struct eb_resolving *z, enum eb_uv_conda conda, bool last,
		   struct eb_error *err)
{
	struct eb_uv_call_plan plan = {
		.r = z->r,
		.conda = conda,
		.away = true,
		.pip = true,
		.wheels = z->what != NULL,
		.python = z->r->python ? z->r->python : EB_UV_PYTHON,
		.root = z->root,
		.cache = "cache",
		.tags = &z->tags,
		.urls = "file://" EB_CALL_AT,
		.standin = z->standin,
		.n_standins = z->n_standins,
	};
	EB_AUTOBUF(said, EB_UV_ANSWER);

	eb_uv_call_made_release(&z->made);
	z->made.dir = eb_asprintf("%s/%u", z->dir, z->calls++);
	if (eb_own_pip_call(z, &plan, &z->made, err) < 0 ||
	    run(z, &said, err) < 0)
		return -1;
	if (z->status == 0)
		return take_report(z, err) < 0 ? -1 : 1;
	if (!last && eb_own_pip_unsolved(said.data))
		return 0;
	return eb_own_pip_explain(z, said.data, err);
}

static int check(const struct eb_resolving *z, struct eb_error *err)
{
	const struct eb_pip_request *r = z->r;

	if (!r->elsewhere)
		return nothing_runs(err);
	if (!r->as_of && !r->offline)
		return 0;
	eb_err_set(err, EB_MACHINE,
		   "there is no uv, and pip in its place knows no --%s",
		   r->as_of ? "as-of" : "offline");
	return eb_err_hint(err, "install uv (`make deps`, or "
				"ENVBUILD_UV=/path/to/uv)");
}

static void say(const struct eb_resolving *z)
{
	if (z->what)
		return;
	eb_note(z->events, "no uv: pip %s of the environment resolves",
		z->version);
	if (z->r->indexes->extra.n)
		eb_warn(z->events, "pip takes the best version of all indexes, "
				   "whichever has it");
}

int eb_own_pip_resolve(struct eb_resolving *z, struct eb_error *err)
{
	const struct eb_pip_request *r = z->r;
	bool replace = r->replace && r->n_installed;
	int rc;

	z->away = true;
	if (check(z, err) < 0 || eb_own_pip_find(z, err) < 0)
		return -1;
	say(z);
	rc = attempt(z, EB_UV_CONSTRAINTS, !replace, err);
	if (rc == 0) {
		eb_detail(z->events, "what conda installs does not go with "
				     "the pip section; it may be replaced");
		rc = attempt(z, EB_UV_PREFERENCES, true, err);
	}
	return rc < 0 ? -1 : 0;
}
