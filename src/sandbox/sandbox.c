/* SPDX-License-Identifier: Apache-2.0 */
/* Run a command on a root file system through an OCI runtime. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/json.h>
#include <envbuild/sandbox.h>

#include "sandbox_bundle.h"
#include "sandbox_command.h"
#include "sandbox_config.h"
#include "sandbox_limits.h"
#include "seccomp.h"

static int check_command(const struct eb_sandbox *s, int *status,
			 struct eb_events *events)
{
	switch (eb_sandbox_command(s)) {
	case EB_COMMAND_FOUND: return 0;
	case EB_COMMAND_MISSING:
		eb_warn(events, "\"%s\" was not found in the container",
			s->argv[0]);
		*status = 127;
		return 1;
	case EB_COMMAND_REFUSED:
		eb_warn(events, "\"%s\" is no program that can be executed",
			s->argv[0]);
		*status = 126;
		return 1;
	}
	return 0;
}

static int write_config(struct eb_bundle *b, const struct eb_sandbox *s,
			struct eb_sandbox_kind *kind, struct eb_error *err)
{
	eb_autojson json_t *seccomp =
		kind->step ? eb_seccomp_step_json() : NULL;
	eb_autojson json_t *config = NULL;

	kind->seccomp = seccomp;
	config = eb_sandbox_config(s, &b->form, kind, err);
	kind->seccomp = NULL;

	return config ? eb_bundle_write(b, config, err) : -1;
}

/* The runtime works (it was tried), so a complaint about the execution is
 * the command's fault: another processor, a script without interpreter. */
static bool is_about_execution(const char *said)
{
	return strstr(said, "exec:") || strstr(said, "exec format") ||
	       strstr(said, "exec user process") || strstr(said, "exec /") ||
	       strstr(said, "open executable") ||
	       strstr(said, "exec container");
}

static int judge(const struct eb_bundle *b, const struct eb_sandbox *s,
		 int *status, struct eb_events *events, struct eb_error *err)
{
	eb_autofree char *said = NULL;

	if (!eb_bundle_failed(b))
		return 0;
	said = eb_bundle_complaint(b);
	if (said && is_about_execution(said)) {
		eb_warn(events, "\"%s\" could not be started: %s", s->argv[0],
			said);
		*status = 126;
		return 0;
	}
	eb_err_set(err, EB_MACHINE, "\"%s\", starting it by %s: %s", s->argv[0],
		   b->form.name, said ? said : "no reason given");
	return -1;
}

static void place_outputs(const struct eb_sandbox *s, struct eb_process *p)
{
	bool log = s->log_fd > 2;

	p->in = log ? EB_IO_NULL : EB_IO_INHERIT;
	p->out = p->err = log ? EB_IO_FD : EB_IO_INHERIT;
	p->fd_out = p->fd_err = s->log_fd;
}

static int run(struct eb_bundle *b, const struct eb_sandbox *s,
	       struct eb_limits *limits, int *status, struct eb_events *events,
	       struct eb_error *err)
{
	struct eb_process p = { .pid = 0 };
	bool timed_out = false;

	place_outputs(s, &p);
	limits->p = &p;
	eb_bundle_process(b, &p);
	if (eb_process_start(&p, err) < 0 ||
	    eb_bundle_wait(b, &p, s->timeout_s, true, &timed_out, status, err) <
		    0 ||
	    eb_limits_judge(limits, timed_out, err) < 0)
		return -1;
	return judge(b, s, status, events, err);
}

static int run_limited(struct eb_bundle *b, const struct eb_sandbox *s,
		       int *status, struct eb_events *events,
		       struct eb_limits *limits, struct eb_error *err)
{
	struct eb_sandbox_kind kind = { .confined = false };

	limits->s = s;
	if (eb_limits_any(s)) {
		eb_limits_open(limits, s, b, &kind, events);
		b->look = eb_limits_look;
		b->look_data = limits;
	}
	if (write_config(b, s, &kind, err) < 0)
		return -1;
	if (run(b, s, limits, status, events, err) == 0)
		return 0;
	if (err->code != EB_STEP)
		eb_form_forget();
	return -1;
}

/* Of root the kernel limits no processes: without a cgroup somebody else has
 * to be root in there. */
static bool shall_count(const struct eb_sandbox *s)
{
	eb_autofree char *id = eb_asprintf("envbuild-%d-try", (int)getpid());
	struct eb_cgroup c;
	bool works;

	if (!s->processes || geteuid() != 0)
		return false;
	eb_cgroup_open(&c, id, s->memory, s->processes);
	works = c.processes;
	eb_cgroup_close(&c);
	return !works;
}

int eb_sandbox_run(const struct eb_sandbox *s, int *status,
		   struct eb_events *events, struct eb_error *err)
{
	eb_autofree char *rootfs = realpath(s->rootfs, NULL);
	struct eb_limits limits EB_CLEANUP(eb_limits_close) = { 0 };
	struct eb_bundle b EB_CLEANUP(eb_bundle_close) = { 0 };
	struct eb_form form EB_CLEANUP(eb_form_release) = { 0 };
	const struct eb_form_use use = { .network = s->network,
					 .ids = s->ids || s->uid || s->gid,
					 .counted = shall_count(s) };
	struct eb_sandbox real = *s;
	eb_autofree char *words = NULL;

	if (!rootfs)
		return eb_err_errno(err, EB_OK, errno, "\"%s\", running in it",
				    s->rootfs);
	real.rootfs = rootfs;
	if (check_command(&real, status, events) != 0)
		return 0;
	if (eb_form_find(&use, s->tmp, &form, err) < 0)
		return -1;
	words = eb_form_text(&form);
	eb_detail(events, "running \"%s\" by %s", s->argv[0], words);
	if (eb_bundle_open(&b, &form, s->tmp, err) < 0)
		return -1;
	return run_limited(&b, &real, status, events, &limits, err);
}
