/* SPDX-License-Identifier: Apache-2.0 */
/* What of the sandbox works on this machine. */
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/seccomp.h>

#include <envbuild/buf.h>
#include <envbuild/file.h>

#include "landlock.h"
#include "sandbox_bundle.h"
#include "sandbox_cgroup.h"

void eb_checks_add(struct eb_checks *c, const char *name, bool ok,
		   const char *fmt, ...)
{
	va_list ap;
	EB_AUTOBUF(text, EB_MAX_TEXT);

	va_start(ap, fmt);
	eb_buf_vaddf(&text, fmt, ap);
	va_end(ap);
	EB_GROW(c->check, c->n, c->alloc);
	c->check[c->n++] =
		(struct eb_check){ .name = eb_strdup(name),
				   .ok = ok,
				   .detail = eb_buf_steal(&text, NULL) };
}

void eb_checks_release(struct eb_checks *c)
{
	size_t i;

	for (i = 0; i < c->n; i++) {
		free(c->check[i].name);
		free(c->check[i].detail);
	}
	free(c->check);
	memset(c, 0, sizeof *c);
}

/* "runc version 1.1.5+ds1" -> "runc 1.1.5+ds1" */
static char *version_of(const struct eb_form *f)
{
	const char *const argv[] = { f->program, "--version", NULL };
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	const char *found;
	int status = 1;
	EB_AUTOBUF(out, EB_MAX_CONFIG);

	if (eb_process_run(argv, NULL, NULL, 0, 4096, 10, &out, NULL, &status,
			   &err) < 0 ||
	    status != 0)
		return eb_strdup(f->name);
	found = strstr(out.data, "version ");
	found = found ? found + strlen("version ") : "";
	return eb_asprintf("%s %.*s", f->name, (int)strcspn(found, " \n"),
			   found);
}

/* One row a runtime: its first form that works, or what each said. */
static size_t check_runtime(struct eb_checks *out, const struct eb_forms *f,
			    size_t from, const char *tmp)
{
	static const struct eb_form_use use = { .network = EB_NETWORK_NONE };
	eb_autofree char *version = version_of(&f->form[from]);
	eb_autofree char *works = NULL;
	const char *name = f->form[from].name;
	size_t i;
	EB_AUTOBUF(said, EB_MAX_TEXT);

	for (i = from; i < f->n && strcmp(f->form[i].name, name) == 0; i++) {
		struct eb_error why EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

		if (works)
			continue;
		if (eb_form_try(&f->form[i], &use, tmp, &why) == 0)
			works = eb_form_text(&f->form[i]);
		else
			eb_buf_addf(&said, "; %s", why.message);
	}
	if (!works)
		eb_checks_add(out, "OCI runtime", false, "%s%s", version,
			      said.data);
	else
		eb_checks_add(out, "OCI runtime", true, "%s, works as %s",
			      version, works);
	return i;
}

static void check_runtimes(struct eb_checks *out, const char *tmp)
{
	static const struct eb_form_use use = { .network = EB_NETWORK_NONE };
	struct eb_forms f EB_CLEANUP(eb_forms_release) = { 0 };
	size_t i = 0;

	eb_forms_list(&f, &use);
	while (i < f.n)
		i = check_runtime(out, &f, i, tmp);
	if (!f.n)
		eb_checks_add(out, "OCI runtime", false,
			      "neither runc nor crun is in PATH");
}

/* In a child, because there is no way back. 0 or an errno. */
static int try_user_namespace(void)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		return errno;
	if (pid == 0)
		_exit(unshare(CLONE_NEWUSER) < 0 ? errno & 255 : 0);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
}

static void check_user_namespace(struct eb_checks *out)
{
	struct eb_id_range uid = { 0, 0 }, gid = { 0, 0 };
	int e = try_user_namespace();

	if (e)
		eb_checks_add(out, "user namespaces", false, "%s", strerror(e));
	else if (geteuid() != 0 && eb_sub_ids(&uid, &gid))
		eb_checks_add(out, "user namespaces", true,
			      "yes, with %u subordinate ids", uid.n);
	else
		eb_checks_add(out, "user namespaces", true, "yes%s",
			      geteuid() ? ", one id each (no newuidmap, or no "
					  "line in /etc/subuid)"
					: "");
}

/* Without a cgroup they hold, too, but not at once. */
static void check_step_limits(struct eb_checks *out)
{
	eb_autofree char *id = eb_asprintf("envbuild-%d-doctor", (int)getpid());
	struct eb_cgroup c;

	eb_cgroup_open(&c, id, 1 << 30, 1024);
	if (c.version)
		eb_checks_add(out, "limits of steps", true,
			      "memory and processes by cgroups (version %d), "
			      "disk by looking 5 times a second",
			      c.version);
	else
		eb_checks_add(out, "limits of steps", true,
			      "memory, processes and disk by looking 5 times a "
			      "second: no cgroup can be made (%s)",
			      c.why_not);
	eb_cgroup_close(&c);
}

void eb_sandbox_doctor(struct eb_checks *out, const char *tmp)
{
	int abi;

	check_runtimes(out, tmp);
	check_user_namespace(out);
	check_step_limits(out);
	abi = eb_landlock_abi();
	if (abi < 0)
		eb_checks_add(out, "Landlock", false, "%s", strerror(errno));
	else
		eb_checks_add(out, "Landlock", true, "version %d", abi);
	if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) < 0)
		eb_checks_add(out, "seccomp", false, "%s", strerror(errno));
	else
		eb_checks_add(out, "seccomp", true, "filters can be set");
}
