/* SPDX-License-Identifier: Apache-2.0 */
/* One call of the environment's pip: what it reads lies in one folder, and
 * what may be secret stands in a file of it, mode 0600. */
#include <string.h>

#include <envbuild/file.h>

#include "own_pip.h"
#include "pip_line.h"

/* --- pip.conf --------------------------------------------------------------
 */

static void put(struct eb_buf *b, const char *key, const char *value)
{
	if (value && *value)
		eb_buf_addf(b, "%s = %s\n", key, value);
}

static void put_list(struct eb_buf *b, const char *key,
		     const struct eb_strv *list)
{
	for (size_t i = 0; i < list->n; i++)
		eb_buf_addf(b, "%s%s%s", i ? "" : key, i ? "\n  " : " =\n  ",
			    list->v[i]);
	if (list->n)
		eb_buf_adds(b, "\n");
}

static void put_names(struct eb_buf *b, const char *key,
		      const struct eb_strv *names)
{
	for (size_t i = 0; i < names->n; i++)
		eb_buf_addf(b, "%s%s%s", i ? "" : key, i ? "," : " = ",
			    names->v[i]);
	if (names->n)
		eb_buf_adds(b, "\n");
}

static void put_index(struct eb_buf *b, const struct eb_indexes *x)
{
	struct eb_strv extra EB_CLEANUP(eb_wipe_all) = { 0 };
	char *url = x->url ? eb_index_login(x, x->url) : NULL;

	for (size_t i = 0; i < x->extra.n; i++)
		eb_strv_take(&extra, eb_index_login(x, x->extra.v[i]));
	put(b, "index-url", url);
	put_list(b, "extra-index-url", &extra);
	if (url)
		eb_wipe(url);
}

static void put_choice(struct eb_buf *b, const struct eb_uv_call_plan *plan)
{
	const struct eb_indexes *x = plan->r->indexes;

	if (plan->wheels) {
		eb_buf_adds(b, "only-binary = :all:\n");
		return;
	}
	put_names(b, "no-binary", &x->no_binary);
	put_names(b, "only-binary", &x->only_binary);
	if (x->pre)
		eb_buf_adds(b, "pre = yes\n");
}

static void put_network(struct eb_buf *b, const struct eb_indexes *x)
{
	put_list(b, "trusted-host", &x->trusted_host);
	put(b, "proxy", x->proxy);
	if (x->timeout_s)
		eb_buf_addf(b, "timeout = %u\n", x->timeout_s);
	if (x->has_retries)
		eb_buf_addf(b, "retries = %u\n", x->retries);
}

/* The certificates that the call sees for TLS are pip's, too. */
static const char *variable(const struct eb_strv *env, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < env->n; i++)
		if (!strncmp(env->v[i], name, n) && env->v[i][n] == '=')
			return env->v[i] + n + 1;
	return NULL;
}

static int write_settings(const struct eb_uv_call_plan *plan,
			  const struct eb_strv *find,
			  const struct eb_uv_call_made *made,
			  struct eb_error *err)
{
	const struct eb_indexes *x = plan->r->indexes;
	EB_AUTOBUF(text, EB_MAX_CONFIG);
	int rc;

	eb_buf_adds(&text, "[global]\n");
	if (x->no_index)
		eb_buf_adds(&text, "no-index = yes\n");
	else
		put_index(&text, x);
	put_list(&text, "find-links", find);
	put_choice(&text, plan);
	put_network(&text, x);
	put(&text, "cert", variable(&made->env, "SSL_CERT_FILE"));
	put(&text, "client-cert", variable(&made->env, "SSL_CLIENT_CERT"));
	rc = text.overflow
		     ? eb_err_set(err, EB_INPUT,
				  "the settings of the package indexes are "
				  "larger than %zu bytes",
				  text.max)
		     : eb_uv_write(made->dir, "pip.conf", text.data, text.len,
				   err);
	explicit_bzero(text.data, text.len);
	return rc;
}

/* --- the command -----------------------------------------------------------
 */

static int copy_pip(const struct eb_resolving *z,
		    const struct eb_uv_call_made *out, struct eb_error *err)
{
	EB_AUTOBUF(bytes, (size_t)32 << 20);

	if (!z->pip_file)
		return 0;
	if (eb_read_file(z->pip_file, bytes.max, &bytes, err) < 0)
		return -1;
	return eb_uv_write(out->dir, strrchr(z->pip_file, '/') + 1, bytes.data,
			   bytes.len, err);
}

static void put_arguments(const struct eb_resolving *z,
			  const struct eb_uv_call_plan *plan,
			  struct eb_strv *argv)
{
	static const char *const fixed[] = {
		"install", "--dry-run",	      "--report", "report.json",
		"-r",	   "requirements.in", "-c",	  "constraints.txt",
	};

	eb_strv_add(argv, plan->python);
	if (z->pip_file) {
		eb_strv_addf(argv, "%s/pip", strrchr(z->pip_file, '/') + 1);
	} else {
		eb_strv_add(argv, "-m");
		eb_strv_add(argv, "pip");
	}
	for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
		eb_strv_add(argv, fixed[i]);
	/* what a build asks for is installed somewhere else */
	eb_strv_add(argv, plan->wheels ? "--ignore-installed" : "--upgrade");
}

static void put_environment(struct eb_strv *env)
{
	static const char *const ours[] = {
		"PIP_CONFIG_FILE=pip.conf",
		"PIP_DISABLE_PIP_VERSION_CHECK=1",
		"PIP_NO_INPUT=1",
		"PIP_NO_COLOR=1",
		"PIP_NO_CACHE_DIR=1",
		"PIP_PROGRESS_BAR=off",
		"PIP_ROOT_USER_ACTION=ignore",
		"PYTHONDONTWRITEBYTECODE=1",
	};

	for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
		eb_strv_add(env, ours[i]);
}

int eb_own_pip_call(const struct eb_resolving *z,
		    const struct eb_uv_call_plan *plan,
		    struct eb_uv_call_made *out, struct eb_error *err)
{
	struct eb_strv find EB_CLEANUP(eb_wipe_all) = { 0 };

	if (eb_mkdirs(out->dir, 0700, err) < 0 ||
	    eb_uv_call_links(plan, out, &find, err) < 0 ||
	    eb_uv_call_lines(plan, out, err) < 0 ||
	    eb_uv_settings_env(plan, out, err) < 0 ||
	    write_settings(plan, &find, out, err) < 0 ||
	    copy_pip(z, out, err) < 0)
		return -1;
	put_environment(&out->env);
	put_arguments(z, plan, &out->argv);
	return 0;
}
