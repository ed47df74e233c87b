/* SPDX-License-Identifier: Apache-2.0 */
/* Bundles: folder, command line of the runtime, its complaints, removal. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/buf.h>
#include <envbuild/file.h>
#include <envbuild/json.h>

#include "sandbox_bundle.h"

/* Ids are unique on the machine: cgroups are named by them. */
static char *make_id(void)
{
	static atomic_uint count;
	uint32_t chance = 0;

	while (getrandom(&chance, sizeof chance, 0) < 0 && errno == EINTR)
		;
	return eb_asprintf("envbuild-%d-%u-%08x", (int)getpid(),
			   atomic_fetch_add(&count, 1), chance);
}

int eb_bundle_open(struct eb_bundle *b, const struct eb_form *f,
		   const char *tmp, struct eb_error *err)
{
	eb_autofree char *real = realpath(tmp, NULL);

	if (!real)
		return eb_err_errno(err, EB_MACHINE, errno,
				    "\"%s\", making a bundle in it", tmp);
	b->dir = eb_make_tempdir(real, "sandbox-", err);
	if (!b->dir)
		return -1;
	eb_form_copy(&b->form, f);
	b->id = make_id();
	b->state = eb_path_join(b->dir, "state");
	b->log = eb_path_join(b->dir, "log");
	b->pid_file = eb_path_join(b->dir, "pid");
	b->failed = eb_path_join(b->dir, "failed");
	return eb_mkdirs(b->state, 0700, err);
}

/* Not synced, as eb_write_file() does it: the folder does not live longer than
 * this process, and the runtime waits for the file. */
static int write_now(const char *path, const struct eb_buf *text,
		     struct eb_error *err)
{
	eb_autofd int fd =
		open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0)
		return eb_err_errno(err, EB_MACHINE, errno, "\"%s\", making it",
				    path);
	return eb_write_all(fd, text->data, text->len, path, err);
}

int eb_bundle_write(struct eb_bundle *b, const json_t *config,
		    struct eb_error *err)
{
	eb_autofree char *path = eb_path_join(b->dir, "config.json");
	EB_AUTOBUF(text, EB_MAX_MANIFEST);

	eb_json_canonical(config, &text);
	if (text.overflow)
		return eb_err_set(err, EB_INPUT,
				  "the container's configuration is longer "
				  "than %zu bytes",
				  text.max);
	return write_now(path, &text, err);
}

/* Options that stand before the verb. */
static void add_options(struct eb_bundle *b, struct eb_strv *argv)
{
	eb_strv_add(argv, b->form.program);
	if (b->form.crun)
		eb_strv_add(argv, "--cgroup-manager=disabled");
	else if (b->form.flags & EB_FORM_ROOTLESS)
		eb_strv_add(argv, "--rootless=true");
	eb_strv_addf(argv, "--root=%s", b->state);
	eb_strv_addf(argv, "--log=%s", b->log);
	eb_strv_add(argv, "--log-format=json");
}

void eb_bundle_process(struct eb_bundle *b, struct eb_process *p)
{
	add_options(b, &b->argv);
	eb_strv_add(&b->argv, "run");
	eb_strv_add(&b->argv, "--detach");
	eb_strv_addf(&b->argv, "--bundle=%s", b->dir);
	eb_strv_addf(&b->argv, "--pid-file=%s", b->pid_file);
	if (p->n_more)
		eb_strv_addf(&b->argv, "--preserve-fds=%u", p->n_more);
	eb_strv_add(&b->argv, b->id);
	b->setup.pid_file = b->pid_file;
	b->setup.failed = b->failed;
	add_options(b, &b->remove);
	eb_strv_add(&b->remove, "delete");
	eb_strv_add(&b->remove, "--force");
	eb_strv_add(&b->remove, b->id);
	b->setup.remove = (const char *const *)b->remove.v;
	b->setup.form_flags = b->form.flags;
	eb_child_setup_init(&b->setup);
	p->argv = (const char *const *)b->argv.v;
	p->prepare = eb_child_setup;
	p->prepare_data = &b->setup;
	b->started = true;
}

/* The monitor kills it, too, and whatever the runtime is still about to start;
 * but where the container keeps all processors busy that may take seconds. It
 * is the first process that ends the others, so that it comes first (where we
 * may say so). */
void eb_bundle_kill(struct eb_bundle *b, const struct eb_process *p)
{
	pid_t first = b ? eb_monitor_read_pid(b->pid_file) : 0;

	if (first > 1) {
		setpriority(PRIO_PROCESS, (id_t)first, -20);
		kill(first, SIGKILL);
	}
	if (b)
		kill(p->pid, EB_MONITOR_KILL);
	else
		kill(p->new_group ? -p->pid : p->pid, SIGKILL);
}

bool eb_bundle_failed(const struct eb_bundle *b)
{
	return eb_path_exists(b->failed);
}

/* A line of the log: {"level": "error", "msg": "..."}. */
static char *error_of(const char *line)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	eb_autojson json_t *o = eb_json_parse(line, strlen(line), "log", &err);
	const char *level, *text;

	if (!o)
		return *line ? eb_strdup(line) : NULL;
	level = eb_json_str(o, "level");
	text = eb_json_str(o, "msg");
	if (!text || (level && strcmp(level, "error") != 0 &&
		      strcmp(level, "fatal") != 0))
		return NULL;
	return eb_strdup(text);
}

char *eb_bundle_complaint(const struct eb_bundle *b)
{
	struct eb_strv line EB_CLEANUP(eb_strv_release) = { 0 };
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	char *last = NULL, *text;
	size_t i;
	EB_AUTOBUF(log, EB_MAX_CONFIG);

	if (!eb_path_exists(b->log) ||
	    eb_read_file(b->log, EB_MAX_CONFIG, &log, &err) < 0)
		return NULL;
	eb_strv_split(&line, log.data, "\n");
	for (i = 0; i < line.n; i++) {
		text = error_of(eb_strip(line.v[i]));
		if (!text)
			continue;
		free(last);
		last = text;
	}
	return last;
}

/* The container's state, and its cgroups where it has any. Of one that has
 * ended crun keeps nothing but the state, which goes with the folder: it gets
 * no cgroups (add_options) and no hooks. */
static void delete_left(struct eb_bundle *b)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	eb_autofree char *left = eb_path_join(b->state, b->id);
	int status;

	if (!b->started || !eb_path_exists(left) ||
	    (b->form.crun && b->ended && !eb_bundle_failed(b)))
		return;
	eb_process_run((const char *const *)b->remove.v, NULL, NULL, 0, 0, 20,
		       NULL, NULL, &status, &err);
}

void eb_bundle_close(struct eb_bundle *b)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	if (b->dir) {
		delete_left(b);
		eb_remove_tree(b->dir, &err);
	}
	eb_form_release(&b->form);
	eb_strv_release(&b->argv);
	eb_strv_release(&b->remove);
	free(b->dir);
	free(b->id);
	free(b->state);
	free(b->log);
	free(b->pid_file);
	free(b->failed);
	memset(b, 0, sizeof *b);
}
