/* SPDX-License-Identifier: Apache-2.0 */
/*
 * uv, or a pip in its place, in the environment's own root: it has the host's
 * network and certificates, and sees of this machine what it was given. uv
 * builds nothing there; pip may, for metadata.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/file.h>

#include "root.h"

#define MAX_OUT ((size_t)16 << 20)
#define AT "/build"
#define AT_CALL EB_CALL_AT
#define AT_UV AT "/bin/uv"
#define AT_CA AT "/ca.pem"

/* Where systems have their certificates in one file. */
static const char *system_bundle(void)
{
	static const char *const places[] = {
		"/etc/ssl/certs/ca-certificates.crt",
		"/etc/pki/tls/certs/ca-bundle.crt",
		"/etc/ssl/ca-bundle.pem",
		"/etc/ssl/cert.pem",
	};

	for (size_t i = 0; i < sizeof places / sizeof *places; i++)
		if (access(places[i], R_OK) == 0)
			return places[i];
	return NULL;
}

const char *eb_root_certificates(const struct eb_config *config)
{
	const char *variable = getenv("SSL_CERT_FILE");

	if (config->ca_file)
		return config->ca_file;
	if (variable && *variable && access(variable, R_OK) == 0)
		return variable;
	return system_bundle();
}

/* --- the call ---------------------------------------------------------------
 */
struct call {
	struct eb_root *root;
	struct eb_uv_call *uv;
	char *dir; /* scratch */
	struct eb_strv argv, env;
	struct eb_mount *mount;
	size_t n_mounts, alloc_mounts;
	int log;
};

static void release(struct call *c)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	for (size_t i = 0; i < c->env.n; i++) /* proxies have passwords */
		explicit_bzero(c->env.v[i], strlen(c->env.v[i]));
	eb_strv_release(&c->argv);
	eb_strv_release(&c->env);
	for (size_t i = 0; i < c->n_mounts; i++) {
		free(c->mount[i].source);
		free(c->mount[i].destination);
	}
	free(c->mount);
	if (c->dir)
		eb_sandbox_remove(c->dir, &ignored);
	free(c->dir);
	eb_cleanup_fd(&c->log);
}

static void add_mount(struct call *c, const char *source,
		      const char *destination, bool read_only)
{
	EB_GROW(c->mount, c->n_mounts, c->alloc_mounts);
	c->mount[c->n_mounts++] = (struct eb_mount){
		.source = eb_strdup(source),
		.destination = eb_strdup(destination),
		.read_only = read_only,
	};
}

static bool has_variable(const struct eb_strv *env, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < env->n; i++)
		if (!strncmp(env->v[i], name, n) && env->v[i][n] == '=')
			return true;
	return false;
}

void eb_root_add_proxies(struct eb_strv *env)
{
	static const char *const proxies[] = {
		"http_proxy", "https_proxy", "all_proxy", "no_proxy",
		"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY",
	};

	for (size_t i = 0; i < sizeof proxies / sizeof *proxies; i++) {
		const char *value = getenv(proxies[i]);

		if (value && *value && !has_variable(env, proxies[i]))
			eb_strv_addf(env, "%s=%s", proxies[i], value);
	}
}

static void fill_env(struct call *c)
{
	const char *ca = eb_root_certificates(c->root->b->config);

	for (const char *const *e = c->uv->env; e && *e; e++)
		eb_strv_add(&c->env, *e);
	eb_root_add_proxies(&c->env);
	if (ca && !has_variable(&c->env, "SSL_CERT_FILE")) {
		add_mount(c, ca, AT_CA, true);
		eb_strv_add(&c->env, "SSL_CERT_FILE=" AT_CA);
		eb_strv_add(&c->env, "PIP_CERT=" AT_CA);
	}
	eb_root_env(c->root, NULL, &c->env);
	eb_strv_add(&c->env, "HOME=/tmp");
}

static int fill(struct call *c, struct eb_error *err)
{
	c->dir = eb_make_tempdir(c->root->dir, "uv-", err);
	if (!c->dir)
		return -1;
	add_mount(c, c->uv->dir, AT_CALL, false);
	if (c->uv->uv)
		add_mount(c, c->uv->uv, AT_UV, true);
	add_mount(c, c->dir, "/tmp", false);
	for (size_t i = 0; c->uv->see && c->uv->see[i]; i++) {
		eb_autofree char *at =
			eb_asprintf(AT_CALL "/" EB_UV_SEE "/%zu", i);

		add_mount(c, c->uv->see[i], at, true);
	}
	fill_env(c);
	eb_strv_add(&c->argv, c->uv->uv ? AT_UV : c->uv->argv[0]);
	for (const char *const *a = c->uv->argv + 1; *a; a++)
		eb_strv_add(&c->argv, *a);
	c->log = eb_unnamed_file(c->root->dir, err);
	return c->log < 0 ? -1 : 0;
}

static int run(struct call *c, struct eb_error *err)
{
	const struct eb_root_command command = {
		.argv = (const char *const *)c->argv.v,
		.env = &c->env,
		.cwd = AT_CALL,
		.mount = c->mount,
		.n_mounts = c->n_mounts,
		.network = EB_NETWORK_HOST,
		.time = EB_LIMIT_PIP_TIME,
		.log_fd = c->log,
	};
	off_t size;

	if (eb_root_run(c->root, &command, &c->uv->status, err) < 0)
		return -1;
	size = lseek(c->log, 0, SEEK_END);
	if (size > (off_t)MAX_OUT)
		return eb_err_set(err, EB_STEP,
				  "uv says more than %zu bytes, resolving in "
				  "the environment",
				  MAX_OUT);
	lseek(c->log, 0, SEEK_SET);
	return eb_read_fd(c->log, "uv", MAX_OUT, c->uv->out, err);
}

int eb_root_uv(void *build, struct eb_uv_call *call, struct eb_error *err)
{
	struct call c EB_CLEANUP(release) = { .uv = call, .log = -1 };
	const struct eb_build *b = build;

	if (strcmp(b->lock->platform, eb_machine_platform()))
		return 1;
	if (eb_build_root(build, false, &c.root, err) < 0)
		return -1;
	if (!eb_root_has_python(c.root))
		return 1;
	return fill(&c, err) < 0 ? -1 : run(&c, err);
}
