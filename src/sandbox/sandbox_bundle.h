/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bundle: the folder of one container, with config.json, the runtime's
 * state (its --root, so nothing of the system is touched) and its log.
 *
 *  1. eb_bundle_open()
 *  2. eb_bundle_write()
 *  3. eb_bundle_process() fills a struct eb_process; start it
 *  4. eb_bundle_wait(), or eb_bundle_kill() when it has to end
 *  5. eb_bundle_complaint() after a failure
 *  6. eb_bundle_close(): the container is gone, the folder too
 */
#ifndef EB_SANDBOX_BUNDLE_H
#define EB_SANDBOX_BUNDLE_H

#include <jansson.h>

#include <envbuild/process.h>
#include <envbuild/str.h>

#include "sandbox_child.h"
#include "sandbox_form.h"

struct eb_bundle {
	char *dir; /* absolute */
	char *id;
	char *state, *log, *pid_file, *failed;
	struct eb_form form;
	struct eb_strv argv, remove; /* run it, remove what is left of it */
	struct eb_child_setup setup;
	bool started, ended; /* ended: by its monitor's account */
	/* Called some times a second while it runs; true: kill it. Or NULL. */
	bool (*look)(void *data);
	void *look_data;
};

int eb_bundle_open(struct eb_bundle *b, const struct eb_form *f,
		   const char *tmp, struct eb_error *err);
int eb_bundle_write(struct eb_bundle *b, const json_t *config,
		    struct eb_error *err);
/* argv and preparation of `run`; the caller sets in, out, err. */
void eb_bundle_process(struct eb_bundle *b, struct eb_process *p);
/* SIGKILL for everything in the container. Of a process without a bundle
 * (NULL): for its group. */
void eb_bundle_kill(struct eb_bundle *b, const struct eb_process *p);
/* Did the runtime fail, so that no command ever ran? */
bool eb_bundle_failed(const struct eb_bundle *b);
/* What the runtime wrote as its error, or NULL; caller frees. */
char *eb_bundle_complaint(const struct eb_bundle *b);
void eb_bundle_close(struct eb_bundle *b);

/* Until the process (with or without a bundle) ends. A signal INT or TERM that
 * this process gets is passed on; what does not end within 10 s of it, or by
 * the deadline, is killed. *timed_out tells the latter. timeout_s 0: no limit.
 * `forward` false: signals are left to others. */
int eb_bundle_wait(struct eb_bundle *b, struct eb_process *p,
		   unsigned timeout_s, bool forward, bool *timed_out,
		   int *status, struct eb_error *err);

/* Signals that are passed on while at least one container runs. */
int eb_forward_begin(pid_t pid, struct eb_error *err); /* a slot */
void eb_forward_end(int slot);
int eb_forward_fd(void);     /* readable when one came */
int eb_forward_signal(void); /* which, 0 = none */

#endif
