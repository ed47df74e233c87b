/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pip's settings in uv's words: uv.toml and environment variables. uv itself
 * reads neither pip's files nor PIP_*. What may be secret goes into the file,
 * mode 0600, and nothing into arguments.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/requirement.h>

#include "pip_line.h"
#include "uv.h"

int eb_uv_write(const char *dir, const char *name, const void *p, size_t n,
		struct eb_error *err)
{
	eb_autofree char *path = eb_path_join(dir, name);
	eb_autofd int fd =
		open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
		     0600);

	if (fd < 0)
		return eb_err_errno(err, EB_MACHINE, errno,
				    "\"%s\", writing for uv", path);
	return eb_write_all(fd, p, n, path, err);
}

/* --- the file -------------------------------------------------------- */

static void put_text(struct eb_buf *b, const char *key, const char *value)
{
	eb_buf_addf(b, "%s = ", key);
	eb_buf_add_json(b, value);
	eb_buf_addch(b, '\n');
}

static void put_list(struct eb_buf *b, const char *key,
		     const struct eb_strv *list)
{
	if (list->n == 0)
		return;
	eb_buf_addf(b, "%s = [", key);
	for (size_t i = 0; i < list->n; i++) {
		eb_buf_adds(b, i ? ", " : "");
		eb_buf_add_json(b, list->v[i]);
	}
	eb_buf_adds(b, "]\n");
}

static void put_index(struct eb_buf *b, const struct eb_indexes *x)
{
	struct eb_strv extra EB_CLEANUP(eb_wipe_all) = { 0 };

	for (size_t i = 0; i < x->extra.n; i++)
		eb_strv_take(&extra, eb_index_login(x, x->extra.v[i]));
	if (x->url) {
		char *url = eb_index_login(x, x->url);

		put_text(b, "index-url", url);
		eb_wipe(url);
	}
	put_list(b, "extra-index-url", &extra);
}

static const char *const strategies[] = {
	[EB_INDEX_FIRST] = "first-index",
	[EB_INDEX_FIRST_MATCH] = "unsafe-first-match",
	[EB_INDEX_BEST] = "unsafe-best-match",
};

/* Those that a line names go to the newest that fits, as with conda. */
static void put_named(struct eb_buf *b, const struct eb_pip_set *set)
{
	struct eb_strv names EB_CLEANUP(eb_strv_release) = { 0 };

	for (size_t i = 0; i < set->n; i++)
		if (set->requirement[i].name)
			eb_strv_add(&names, set->requirement[i].name);
	eb_strv_sort(&names);
	eb_strv_unique(&names);
	put_list(b, "upgrade-package", &names);
}

/* --pre, and --all-releases and --only-final of all; those of single projects
 * are arguments. */
static void put_releases(struct eb_buf *b, const struct eb_pip_request *r)
{
	if (r->indexes->pre || eb_strv_has(&r->set->all_releases, ":all:"))
		put_text(b, "prerelease", "allow");
	else if (eb_strv_has(&r->set->only_final, ":all:"))
		put_text(b, "prerelease", "disallow");
}

static void put_choice(struct eb_buf *b, const struct eb_uv_call_plan *plan)
{
	const struct eb_indexes *x = plan->r->indexes;

	if (plan->wheels) {
		eb_buf_adds(b, "only-binary = [\":all:\"]\n");
	} else {
		put_list(b, "no-binary", &x->no_binary);
		put_list(b, "only-binary", &x->only_binary);
	}
	put_releases(b, plan->r);
	if (plan->r->as_of)
		put_text(b, "exclude-newer", plan->r->as_of);
	if (plan->conda == EB_UV_PREFERENCES)
		put_named(b, plan->r->set);
}

/* What is told of a URL's project goes for every version; it is the only one
 * then. */
static bool is_behind(const struct eb_uv_call_plan *plan,
		      const struct eb_told *t)
{
	for (size_t i = 0; i < plan->n_told && !t->direct; i++)
		if (plan->told[i].direct &&
		    !strcmp(plan->told[i].name, t->name))
			return true;
	return false;
}

/* For what is named here nothing is built. */
static void put_told(struct eb_buf *b, const struct eb_told *t)
{
	eb_buf_adds(b, "[[dependency-metadata]]\n");
	put_text(b, "name", t->name);
	put_text(b, "version", t->version);
	if (t->requires_python)
		put_text(b, "requires-python", t->requires_python);
	put_list(b, "requires-dist", &t->depends);
	put_list(b, "provides-extra", &t->extras);
}

/* An index may have a file of the same version whose requirements are others:
 * those of a torch for GPUs, of which conda installs the one for CPUs. */
static void put_condas(struct eb_buf *b, const struct eb_uv_call_plan *plan)
{
	for (size_t i = 0; i < plan->r->n_installed; i++) {
		EB_CLEANUP(eb_told_release) struct eb_told t = { 0 };

		eb_uv_stub_told(&plan->r->installed[i], &t);
		if (!is_behind(plan, &t))
			put_told(b, &t);
	}
}

int eb_uv_settings_write(const struct eb_uv_call_plan *plan,
			 const struct eb_strv *find, const char *dir,
			 struct eb_error *err)
{
	const struct eb_indexes *x = plan->r->indexes;
	EB_AUTOBUF(text, EB_MAX_CONFIG);
	int rc;

	put_list(&text, "allow-insecure-host", &x->trusted_host);
	eb_buf_adds(&text, "[pip]\n");
	put_text(&text, "index-strategy", strategies[x->strategy]);
	if (x->no_index)
		eb_buf_adds(&text, "no-index = true\n");
	else
		put_index(&text, x);
	put_list(&text, "find-links", find);
	put_choice(&text, plan);
	put_condas(&text, plan);
	for (size_t i = 0; i < plan->n_told; i++)
		if (!is_behind(plan, &plan->told[i]))
			put_told(&text, &plan->told[i]);
	rc = text.overflow
		     ? eb_err_set(err, EB_INPUT,
				  "the settings of the package indexes "
				  "are larger than %zu bytes",
				  text.max)
		     : eb_uv_write(dir, "uv.toml", text.data, text.len, err);
	explicit_bzero(text.data, text.len);
	return rc;
}

/* --- the environment ------------------------------------------------- */

static void pass(struct eb_strv *env, const char *name)
{
	const char *value = getenv(name);

	if (value && *value)
		eb_strv_addf(env, "%s=%s", name, value);
}

static void put_proxy(struct eb_strv *env, const struct eb_indexes *x)
{
	static const char *const names[] = {
		"HTTP_PROXY",  "HTTPS_PROXY", "ALL_PROXY", "http_proxy",
		"https_proxy", "all_proxy",   "NO_PROXY",  "no_proxy",
	};

	if (x->proxy)
		for (size_t i = 0; i < 3; i++)
			eb_strv_addf(env, "%s=%s", names[i], x->proxy);
	for (size_t i = x->proxy ? 6 : 0; i < sizeof names / sizeof *names; i++)
		pass(env, names[i]);
}

static void put_repositories(struct eb_strv *env, const struct eb_pip_set *set)
{
	struct eb_strv urls EB_CLEANUP(eb_wipe_all) = { 0 };

	for (size_t i = 0; i < set->n; i++)
		if (strstr(set->requirement[i].text, "git+http"))
			eb_strv_add(&urls,
				    strstr(set->requirement[i].text, "git+"));
	for (size_t i = 0; i < set->n_constraints; i++)
		if (strstr(set->constraint[i].text, "git+http"))
			eb_strv_add(&urls,
				    strstr(set->constraint[i].text, "git+"));
	eb_git_logins(&urls, env);
}

/* NAME=the file as the call sees it, when there is one. */
static int put_file(const struct eb_uv_call_plan *plan,
		    struct eb_uv_call_made *out, const char *name,
		    const char *path, struct eb_error *err)
{
	eb_autofree char *seen = NULL;

	if (!path || !*path || access(path, R_OK) < 0)
		return 0;
	seen = eb_uv_stage(plan, out, path, err);
	if (!seen)
		return -1;
	eb_strv_addf(&out->env, "%s=%s", name, seen);
	return 0;
}

static char *netrc_path(void)
{
	const char *named = getenv("NETRC"), *home = getenv("HOME");

	if (named && *named)
		return eb_strdup(named);
	return home && *home ? eb_path_join(home, ".netrc") : NULL;
}

static int put_trust(const struct eb_uv_call_plan *plan,
		     struct eb_uv_call_made *out, struct eb_error *err)
{
	const struct eb_indexes *x = plan->r->indexes;
	eb_autofree char *netrc = netrc_path();
	const char *ca = x->ca_file ? x->ca_file : getenv("SSL_CERT_FILE");

	if (put_file(plan, out, "SSL_CERT_FILE", ca, err) < 0 ||
	    put_file(plan, out, "GIT_SSL_CAINFO", ca, err) < 0 ||
	    put_file(plan, out, "SSL_CLIENT_CERT", x->client_cert, err) < 0 ||
	    put_file(plan, out, "NETRC", netrc, err) < 0)
		return -1;
	if (!ca) {
		/* the system's certificates; the older name too */
		eb_strv_add(&out->env, "UV_SYSTEM_CERTS=1");
		eb_strv_add(&out->env, "UV_NATIVE_TLS=1");
	}
	return 0;
}

int eb_uv_settings_env(const struct eb_uv_call_plan *plan,
		       struct eb_uv_call_made *out, struct eb_error *err)
{
	const struct eb_indexes *x = plan->r->indexes;
	struct eb_strv *env = &out->env;

	eb_strv_add(env, "UV_PYTHON_DOWNLOADS=never");
	eb_strv_add(env, "UV_NO_PROGRESS=1");
	eb_strv_add(env, "RUST_LOG=uv_client=debug,uv_resolver=debug");
	eb_strv_add(env, "GIT_TERMINAL_PROMPT=0");
	eb_strv_add(env, "GIT_CONFIG_NOSYSTEM=1");
	eb_strv_add(env, "LC_ALL=C.UTF-8");
	if (x->timeout_s)
		eb_strv_addf(env, "UV_HTTP_TIMEOUT=%u", x->timeout_s);
	if (x->has_retries)
		eb_strv_addf(env, "UV_HTTP_RETRIES=%u", x->retries);
	put_proxy(env, x);
	put_repositories(env, plan->r->set);
	/* No Python starts but for uv's own question, which passes by this
	 * variable: so nothing can be built. */
	if (!plan->pip)
		eb_strv_add(env, "PYTHONHOME=/dev/null");
	if (!plan->away) {
		eb_strv_add(env, "PATH=/usr/local/bin:/usr/bin:/bin");
		eb_strv_addf(env, "HOME=%s/home", out->dir);
		eb_strv_addf(env, "TMPDIR=%s/home", out->dir);
	}
	return put_trust(plan, out, err);
}
