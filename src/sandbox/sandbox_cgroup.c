/* SPDX-License-Identifier: Apache-2.0 */
/* Cgroups: made, asked, removed. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <envbuild/buf.h>
#include <envbuild/file.h>

#include "sandbox_cgroup.h"

#define PREFIX "envbuild-"
#define DEPTH 4 /* of folders that are asked */

static int put(const char *dir, const char *name, const char *text)
{
	eb_autofree char *path = eb_path_join(dir, name);
	eb_autofd int fd = open(path, O_WRONLY | O_CLOEXEC);
	size_t n = strlen(text);

	return fd >= 0 && write(fd, text, n) == (ssize_t)n ? 0 : -1;
}

static int put_number(const char *dir, const char *name, uint64_t n)
{
	char text[24];

	snprintf(text, sizeof text, "%" PRIu64, n);
	return put(dir, name, text);
}

static bool get(const char *dir, const char *name, struct eb_buf *out)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	eb_autofree char *path = eb_path_join(dir, name);

	eb_buf_reset(out);
	return eb_read_file(path, out->max, out, &err) == 0;
}

/* "key 12" among lines; 0 when it is not there. */
static uint64_t value_of(const struct eb_buf *text, const char *key)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv line = { 0 };
	size_t n = strlen(key), i;
	uint64_t value;

	eb_strv_split(&line, text->data, "\n");
	for (i = 0; i < line.n; i++)
		if (strncmp(line.v[i], key, n) == 0 && line.v[i][n] == ' ' &&
		    eb_parse_u64(line.v[i] + n + 1, UINT64_MAX, &value) == 0)
			return value;
	return 0;
}

/* A process that is no more left it: it was killed with all that it had. One
 * that holds a process cannot be removed. */
static void sweep(const char *parent)
{
	DIR *d = opendir(parent);
	const struct dirent *e;
	int pid;

	while (d && (e = readdir(d))) {
		eb_autofree char *top = eb_path_join(parent, e->d_name);
		eb_autofree char *run = eb_path_join(top, "run");

		if (sscanf(e->d_name, PREFIX "%d-", &pid) != 1 ||
		    kill(pid, 0) == 0 || errno != ESRCH)
			continue;
		rmdir(run);
		rmdir(top);
	}
	if (d)
		closedir(d);
}

static int make(struct eb_cgroup *c, const char *parent, const char *id)
{
	eb_autofree char *top = eb_path_join(parent, id);

	sweep(parent);
	if (mkdir(top, 0755) < 0)
		return -1;
	eb_strv_take(&c->top, eb_steal(top));
	return 0;
}

/* The folder that processes are in, once the limits stand. */
static int make_run(struct eb_cgroup *c)
{
	const char *top = c->top.v[c->top.n - 1];
	eb_autofree char *run = eb_path_join(top, "run");

	if (mkdir(run, 0755) < 0)
		return -1;
	eb_strv_take(&c->enter, eb_path_join(run, "cgroup.procs"));
	eb_strv_add(&c->leave, run);
	return 0;
}

static bool has_both(const char *dir, const char *name)
{
	EB_AUTOBUF(text, 4096);

	return get(dir, name, &text) && strstr(text.data, "memory") &&
	       strstr(text.data, "pids");
}

/* Below us where we may make controllers work there, else beside us. */
static char *parent_of_two(void)
{
	eb_autofree char *own = eb_cgroup_own(NULL);
	char *slash;

	if (!own || !has_both(own, "cgroup.controllers"))
		return NULL;
	if (has_both(own, "cgroup.subtree_control") ||
	    put(own, "cgroup.subtree_control", "+memory +pids") == 0)
		return eb_steal(own);
	slash = strrchr(own, '/');
	if (slash == own)
		return NULL;
	*slash = '\0';
	return has_both(own, "cgroup.subtree_control") ? eb_steal(own) : NULL;
}

static int limit_two(const char *top, uint64_t memory, unsigned processes)
{
	if (put(top, "cgroup.subtree_control", "+memory +pids") < 0 ||
	    (memory && put_number(top, "memory.max", memory) < 0) ||
	    (processes &&
	     put_number(top, "pids.max", processes + EB_CGROUP_ROOM) < 0))
		return -1;
	if (memory) /* without swap there is no such file */
		put(top, "memory.swap.max", "0");
	return 0;
}

static int make_two(struct eb_cgroup *c, const char *id, uint64_t memory,
		    unsigned processes)
{
	eb_autofree char *parent = parent_of_two();

	if (!parent || make(c, parent, id) < 0 ||
	    limit_two(c->top.v[0], memory, processes) < 0 || make_run(c) < 0)
		return -1;
	c->version = 2;
	c->memory = memory;
	c->processes = processes;
	return 0;
}

static int limit_one(struct eb_cgroup *c, const char *controller,
		     const char *file, const char *id, uint64_t limit)
{
	eb_autofree char *own = eb_cgroup_own(controller);
	const char *top;

	if (!own || make(c, own, id) < 0)
		return -1;
	top = c->top.v[c->top.n - 1];
	if (put_number(top, file, limit) < 0)
		return -1;
	if (strcmp(controller, "memory") == 0)
		put_number(top, "memory.memsw.limit_in_bytes", limit);
	return make_run(c);
}

static int make_one(struct eb_cgroup *c, const char *id, uint64_t memory,
		    unsigned processes)
{
	if ((memory &&
	     limit_one(c, "memory", "memory.limit_in_bytes", id, memory) < 0) ||
	    (processes && limit_one(c, "pids", "pids.max", id,
				    processes + EB_CGROUP_ROOM) < 0))
		return -1;
	c->version = 1;
	c->memory = memory;
	c->processes = processes;
	return 0;
}

/* Whether a process may enter is seen when one does. */
static bool can_enter(const struct eb_cgroup *c)
{
	int status;
	size_t i;
	pid_t pid = fork();

	if (pid == 0) {
		for (i = 0; i < c->enter.n; i++) {
			int fd = open(c->enter.v[i], O_WRONLY | O_CLOEXEC);

			if (fd < 0 || write(fd, "0", 1) != 1)
				_exit(1);
		}
		_exit(0);
	}
	if (pid < 0)
		return false;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	return status == 0;
}

/* Limits before their folders: the order in which they go. */
static void add_tops(struct eb_cgroup *c)
{
	for (size_t i = 0; i < c->top.n; i++)
		eb_strv_add(&c->leave, c->top.v[i]);
}

void eb_cgroup_open(struct eb_cgroup *c, const char *id, uint64_t memory,
		    unsigned processes)
{
	static int (*const way[])(struct eb_cgroup *, const char *, uint64_t,
				  unsigned) = { make_two, make_one };
	const char *chosen = getenv("ENVBUILD_CGROUP");
	int e = 0;

	memset(c, 0, sizeof *c);
	if (!memory && !processes)
		return;
	if (chosen && strcmp(chosen, "none") == 0) {
		c->why_not = eb_strdup("ENVBUILD_CGROUP is \"none\"");
		return;
	}
	for (size_t i = 0; i < sizeof way / sizeof *way; i++) {
		errno = 0;
		if (way[i](c, id, memory, processes) == 0 && can_enter(c)) {
			add_tops(c);
			return;
		}
		e = errno ? errno : e;
		add_tops(c);
		eb_cgroup_close(c);
	}
	c->why_not = eb_strdup(e ? strerror(e) : "no controllers");
}

/* The sum below a folder: version 1 counts where it happens. */
static uint64_t sum(const char *dir, const char *file, const char *key,
		    unsigned depth)
{
	uint64_t n = 0;
	const struct dirent *e;
	DIR *d;
	EB_AUTOBUF(text, 4096);

	if (get(dir, file, &text))
		n = value_of(&text, key);
	d = depth ? opendir(dir) : NULL;
	while (d && (e = readdir(d))) {
		eb_autofree char *below = eb_path_join(dir, e->d_name);

		if (e->d_type == DT_DIR && e->d_name[0] != '.')
			n += sum(below, file, key, depth - 1);
	}
	if (d)
		closedir(d);
	return n;
}

static bool any(const struct eb_cgroup *c, const char *file, const char *key)
{
	for (size_t i = 0; i < c->top.n; i++)
		if (sum(c->top.v[i], file, key, DEPTH))
			return true;
	return false;
}

bool eb_cgroup_memory_hit(const struct eb_cgroup *c)
{
	return c->memory &&
	       any(c, c->version == 2 ? "memory.events" : "memory.oom_control",
		   "oom_kill");
}

bool eb_cgroup_processes_hit(const struct eb_cgroup *c)
{
	return c->processes && any(c, "pids.events", "max");
}

uint64_t eb_cgroup_processes(const struct eb_cgroup *c)
{
	uint64_t n;
	EB_AUTOBUF(text, 64);

	if (!c->processes ||
	    !get(c->top.v[c->top.n - 1], "pids.current", &text))
		return UINT64_MAX;
	return eb_parse_u64(eb_strip(text.data), UINT64_MAX, &n) == 0
		       ? n
		       : UINT64_MAX;
}

/* The last process may take a moment to be gone. */
static void remove_one(const char *dir)
{
	for (int i = 0; i < 50 && rmdir(dir) < 0 && errno == EBUSY; i++)
		usleep(10000);
}

void eb_cgroup_close(struct eb_cgroup *c)
{
	for (size_t i = 0; i < c->leave.n; i++)
		remove_one(c->leave.v[i]);
	eb_strv_release(&c->top);
	eb_strv_release(&c->enter);
	eb_strv_release(&c->leave);
	free(c->why_not);
	memset(c, 0, sizeof *c);
}
