/* SPDX-License-Identifier: Apache-2.0 */
/*
 * apt in the sandbox: the base unpacked, looked at, its own apt-get run in it,
 * looked at again. Of this machine it has the network, its proxies and
 * certificates, and nothing else; its sources are the base's.
 */
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/delta.h>

#include "apt.h"
#include "root.h"
#include "step.h"

#define APT_GET "/usr/bin/apt-get"
#define AT_CA "/run/envbuild-ca.pem"
#define POLICY "/usr/sbin/policy-rc.d"

struct apt {
	struct eb_build *b;
	struct eb_root *root;
	struct eb_strv argv, env;
	int log;
};

static void release(struct apt *a)
{
	for (size_t i = 0; i < a->env.n; i++) /* proxies have passwords */
		explicit_bzero(a->env.v[i], strlen(a->env.v[i]));
	eb_strv_release(&a->env);
	eb_strv_release(&a->argv);
	eb_root_free(a->root);
	eb_cleanup_fd(&a->log);
}

/* --- what is no part of the layer ------------------------------------------
 */
static bool among(const char *path, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(path, *list))
			return true;
	return false;
}

static bool is_below(const char *path, const char *const *folders)
{
	for (; *folders; folders++)
		if (eb_path_is_below(path, *folders))
			return true;
	return false;
}

/* What lies there is made anew or is of the moment. */
static bool left_out(const char *path, bool folder)
{
	static const char *const all[] = { "dev",
					   "proc",
					   "run",
					   "sys",
					   "tmp",
					   "var/tmp",
					   "var/lib/apt/lists",
					   NULL };
	/* of these the folders stay, as daemons want theirs */
	static const char *const files[] = { "var/cache", "var/log", NULL };
	static const char *const kept[] = { "var/cache/debconf", NULL };
	static const char *const names[] = {
		"etc/hostname",
		"etc/hosts",
		"etc/machine-id",
		"etc/resolv.conf",
		"var/cache/apt",
		"var/lib/dbus/machine-id",
		"var/lib/dpkg/lock",
		"var/lib/dpkg/lock-frontend",
		"var/lib/dpkg/triggers/Lock",
		"var/cache/debconf/config.dat-old",
		"var/cache/debconf/passwords.dat-old",
		"var/cache/debconf/templates.dat-old",
		"var/lib/dpkg/diversions-old",
		"var/lib/dpkg/statoverride-old",
		"var/lib/dpkg/status-old",
		NULL
	};

	if (among(path, names) || is_below(path, all))
		return true;
	return !folder && is_below(path, files) && !is_below(path, kept);
}

/* --- the call ---------------------------------------------------------------
 */
static void fill_env(struct apt *a)
{
	eb_root_env(a->root, NULL, &a->env);
	eb_root_add_proxies(&a->env);
	eb_strv_add(&a->env, "HOME=/root");
	eb_strv_add(&a->env, "LC_ALL=C.UTF-8");
	eb_strv_add(&a->env, "DEBIAN_FRONTEND=noninteractive");
	eb_strv_addf(&a->env, "SOURCE_DATE_EPOCH=%lld",
		     (long long)(a->b->lock->source_date_epoch
					 ? a->b->lock->source_date_epoch
					 : EB_FIXED_MTIME));
}

static void fill_argv(struct apt *a, const char *command)
{
	static const char *const options[] = {
		"-q",
		"-oAPT::Sandbox::User=root",
		"-oAPT::Update::Error-Mode=any",
		"-oAPT::Cmd::Pattern-Only=true",
		"-oAcquire::Languages=none",
		"-oAcquire::Retries=3",
		"-oDpkg::Use-Pty=0",
		"-oDpkg::Options::=--force-confdef",
		"-oDpkg::Options::=--force-confold",
		("-oAcquire::https::CAInfo=" AT_CA),
	};
	size_t n = sizeof options / sizeof *options;

	/* without a file of ours it is the base's own */
	n -= !eb_root_certificates(a->b->config);
	eb_strv_release(&a->argv);
	eb_strv_add(&a->argv, APT_GET);
	for (size_t i = 0; i < n; i++)
		eb_strv_add(&a->argv, options[i]);
	eb_strv_add(&a->argv, command);
}

static int call(struct apt *a, int *status, struct eb_error *err)
{
	const char *ca = eb_root_certificates(a->b->config);
	const struct eb_mount mount = { (char *)ca, (char *)AT_CA, true };
	const struct eb_root_command command = {
		.argv = (const char *const *)a->argv.v,
		.env = &a->env,
		.cwd = "/",
		.mount = &mount,
		.n_mounts = ca != NULL,
		.network = a->b->config->offline ? EB_NETWORK_NONE
						 : EB_NETWORK_HOST,
		.time = EB_LIMIT_BUILD_TIME,
		.writable = true,
		.owners = true,
		.log_fd = a->log,
	};

	return eb_root_run(a->root, &command, status, err);
}

/* --- what went wrong --------------------------------------------------------
 */
/* What stands between these words in the log, the last time; caller frees. */
static char *between(const char *log, const char *before, const char *after)
{
	const char *at = log, *found = NULL, *end;

	while ((at = strstr(at, before)))
		found = at += strlen(before);
	end = found ? strstr(found, after) : NULL;
	return end && !memchr(found, '\n', (size_t)(end - found))
		       ? eb_strndup(found, (size_t)(end - found))
		       : NULL;
}

/* A name or version that apt does not know; caller frees. */
static char *unknown(const char *log)
{
	static const char *const words[][2] = {
		{ "E: Unable to locate package ", "\n" },
		{ "E: Couldn't find any package by glob '", "'" },
		{ "E: Couldn't find any package by regex '", "'" },
		{ "E: Package '", "' has no installation candidate" },
	};
	eb_autofree char *version = between(log, "E: Version '", "' for '");
	eb_autofree char *of = between(log, "' for '", "' was not found");

	if (version && of)
		return eb_asprintf("%s=%s", of, version);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		char *name = between(log, words[i][0], words[i][1]);

		if (name)
			return name;
	}
	return NULL;
}

static int explain(struct apt *a, const char *doing, int status,
		   struct eb_error *err)
{
	eb_autofree char *text = eb_step_log_tail(a->log);
	eb_autofree char *path = eb_step_log_keep(a->log, EB_APT_STEP);
	eb_autofree char *name = unknown(text);
	const char *base = a->b->base->reference;
	EB_AUTOBUF(hint, EB_MAX_TEXT);

	if (err->hint) /* of a limit */
		eb_buf_addf(&hint, "%s\n  ", err->hint);
	if (!eb_err_is_set(err) && name)
		eb_err_set(err, EB_INPUT,
			   "\"%s\" (--apt): the apt sources of base \"%s\" do "
			   "not have it",
			   name, base);
	else if (!eb_err_is_set(err))
		eb_err_set(err, EB_STEP,
			   "base \"%s\", %s: apt-get ended with status %d",
			   base, doing, status);
	eb_step_log_tell(path, text, &hint);
	return eb_err_hint(err, "%s", hint.data);
}

static int run(struct apt *a, const char *doing, struct eb_error *err)
{
	int status = 0;

	if (call(a, &status, err) < 0)
		return err->code == EB_STEP ? explain(a, doing, status, err)
					    : -1;
	return status ? explain(a, doing, status, err) : 0;
}

/* --- around it --------------------------------------------------------------
 */
static int check(struct apt *a, struct eb_error *err)
{
	const struct eb_build *b = a->b;

	if (eb_root_is_program(a->root, APT_GET))
		return 0;
	eb_err_set(err, EB_INPUT,
		   "base \"%s\" has no apt-get, which --apt needs",
		   b->base->reference);
	return eb_err_hint(err, "name a Debian or Ubuntu base, or take the "
				"packages from a conda channel");
}

/* There is nobody whom services could serve. */
static void forbid_services(struct apt *a)
{
	static const char text[] = "#!/bin/sh\nexit 101\n";
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	eb_autofd int fd = eb_root_open(a->root, POLICY,
					O_WRONLY | O_CREAT | O_EXCL, 0755);

	if (fd >= 0)
		eb_write_all(fd, text, sizeof text - 1, POLICY, &ignored);
}

static int install(struct apt *a, struct eb_error *err)
{
	const struct eb_strv *list = &a->b->lock->apt;

	fill_env(a);
	fill_argv(a, "update");
	if (run(a, "reading its package lists", err) < 0)
		return -1;
	fill_argv(a, "install");
	eb_strv_add(&a->argv, "-y");
	eb_strv_add(&a->argv, "--no-install-recommends");
	for (size_t i = 0; i < list->n; i++)
		eb_strv_add(&a->argv, list->v[i]);
	return run(a, "installing system packages", err);
}

/* --- all -------------------------------------------------------------------
 */
static int work(struct apt *a, struct eb_digest *result, struct eb_error *err)
{
	struct eb_delta before EB_CLEANUP(eb_delta_release) = { 0 };
	int64_t begun;

	if (eb_root_of_base(a->b, &a->root, err) < 0 || check(a, err) < 0)
		return -1;
	a->log = eb_unnamed_file(a->root->dir, err);
	if (a->log < 0)
		return -1;
	forbid_services(a);
	if (eb_delta_scan(a->root->rootfs, left_out, &before, err) < 0)
		return -1;
	begun = time(NULL) - 1;
	if (install(a, err) < 0)
		return -1;
	return eb_step_layer(a->root, "system packages", left_out, &before,
			     begun, result, err);
}

int eb_apt_run(struct eb_build *b, struct eb_digest *result, char **log,
	       struct eb_error *err)
{
	struct apt a EB_CLEANUP(release) = { .b = b, .log = -1 };

	if (strcmp(b->lock->platform, eb_machine_platform())) {
		eb_err_set(err, EB_MACHINE,
			   "the apt of a base for %s cannot run on this "
			   "machine (%s)",
			   b->lock->platform, eb_machine_platform());
		return eb_err_hint(err, "build on such a machine");
	}
	if (work(&a, result, err) < 0)
		return -1;
	*log = eb_step_log_keep(a.log, EB_APT_STEP);
	return 0;
}
