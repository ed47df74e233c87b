/* SPDX-License-Identifier: Apache-2.0 */
/* Processes of a container: /proc. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/mem.h>
#include <envbuild/str.h>

#include "sandbox_family.h"

#define NAMELESS 4096 /* that are told apart */

struct process {
	pid_t pid, parent;
	unsigned threads;
	bool below;
};

struct processes {
	struct process *p;
	size_t n, alloc;
};

static bool read_text(const char *path, char *out, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, out, size - 1);

	if (fd >= 0)
		close(fd);
	out[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* What is in a file of /proc/PID; false when the process has gone. */
static bool read_of(pid_t pid, const char *name, char *out, size_t size)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
	return read_text(path, out, size);
}

/* "PID (NAME) STATE PPID ...": the name may hold anything. Number 20 is how
 * many threads it has. */
static bool read_process(pid_t pid, struct process *p)
{
	char text[1024], *after;
	long threads;
	int parent;

	if (!read_of(pid, "stat", text, sizeof text))
		return false;
	after = strrchr(text, ')');
	if (!after ||
	    sscanf(after + 1,
		   " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d "
		   "%*d %*d %*d %ld",
		   &parent, &threads) != 2)
		return false;
	*p = (struct process){ .pid = pid,
			       .parent = parent,
			       .threads = threads > 0 ? (unsigned)threads : 1 };
	return true;
}

static int by_pid(const void *a, const void *b)
{
	const struct process *p = a, *q = b;

	return p->pid < q->pid ? -1 : p->pid > q->pid;
}

static int read_all(struct processes *all)
{
	DIR *d = opendir("/proc");
	const struct dirent *e;

	if (!d)
		return -1;
	while ((e = readdir(d))) {
		struct process p;
		uint64_t pid;

		if (eb_parse_u64(e->d_name, 1 << 30, &pid) < 0 ||
		    !read_process((pid_t)pid, &p))
			continue;
		EB_GROW(all->p, all->n, all->alloc);
		all->p[all->n++] = p;
	}
	closedir(d);
	if (all->n)
		qsort(all->p, all->n, sizeof *all->p, by_pid);
	return 0;
}

static bool parent_is_below(const struct processes *all, pid_t pid)
{
	const struct process key = { .pid = pid };
	const struct process *found =
		bsearch(&key, all->p, all->n, sizeof key, by_pid);

	return found && found->below;
}

/* Numbers grow, so that parents mostly come first, and one round does. */
static void mark(struct processes *all, pid_t first)
{
	bool more = true;
	size_t i;

	while (more) {
		more = false;
		for (i = 0; i < all->n; i++) {
			struct process *p = &all->p[i];

			if (p->below || (p->pid != first &&
					 !parent_is_below(all, p->parent)))
				continue;
			p->below = more = true;
		}
	}
}

int eb_family_read(struct eb_family *t, pid_t first)
{
	struct processes all = { 0 };
	size_t i;

	memset(t, 0, sizeof *t);
	if (read_all(&all) < 0)
		return -1;
	mark(&all, first);
	t->pid = eb_calloc(all.n + 1, sizeof *t->pid);
	for (i = 0; i < all.n; i++) {
		if (!all.p[i].below)
			continue;
		t->pid[t->n++] = all.p[i].pid;
		t->threads += all.p[i].threads;
	}
	free(all.p);
	return 0;
}

void eb_family_release(struct eb_family *t)
{
	free(t->pid);
	memset(t, 0, sizeof *t);
}

static void kill_now(pid_t pid)
{
	setpriority(PRIO_PROCESS, (id_t)pid, -20);
	kill(pid, SIGKILL);
}

/* "NSpid:	812	1": it is 1 in the innermost. */
static bool is_first_of_namespace(pid_t pid)
{
	char text[4096], *line, *end;

	if (!read_of(pid, "status", text, sizeof text))
		return false;
	line = strstr(text, "\nNSpid:");
	end = line ? strchr(line + 1, '\n') : NULL;
	return end && end[-1] == '1' && end[-2] == '\t';
}

void eb_family_kill(const struct eb_family *t, pid_t spared)
{
	size_t i;

	for (i = 0; i < t->n; i++) {
		if (t->pid[i] == spared || !is_first_of_namespace(t->pid[i]))
			continue;
		kill_now(t->pid[i]);
		break;
	}
	for (i = 0; i < t->n; i++)
		if (t->pid[i] != spared)
			kill_now(t->pid[i]);
}

/* "RssAnon:     1234 kB" */
static uint64_t field(const char *text, const char *name)
{
	const char *line = strstr(text, name);

	return line ? strtoull(line + strlen(name), NULL, 10) << 10 : 0;
}

uint64_t eb_family_memory(const struct eb_family *t)
{
	uint64_t sum = 0, shared = 0, n;
	char text[4096];

	for (size_t i = 0; i < t->n; i++) {
		if (!read_of(t->pid[i], "status", text, sizeof text))
			continue;
		sum += field(text, "\nRssAnon:");
		n = field(text, "\nRssShmem:");
		shared = n > shared ? n : shared;
	}
	return sum + shared;
}

struct seen {
	struct {
		dev_t device;
		ino_t inode;
	} file[NAMELESS];
	size_t n;
};

static bool is_new(struct seen *seen, const struct stat *st)
{
	for (size_t i = 0; i < seen->n; i++)
		if (seen->file[i].device == st->st_dev &&
		    seen->file[i].inode == st->st_ino)
			return false;
	if (seen->n == NAMELESS)
		return false;
	seen->file[seen->n].device = st->st_dev;
	seen->file[seen->n++].inode = st->st_ino;
	return true;
}

static uint64_t nameless_of(pid_t pid, struct seen *seen)
{
	eb_autofree char *path = eb_asprintf("/proc/%d/fd", (int)pid);
	const struct dirent *e;
	DIR *d = opendir(path);
	uint64_t sum = 0;
	struct stat st;

	while (d && (e = readdir(d)))
		if (e->d_name[0] != '.' &&
		    fstatat(dirfd(d), e->d_name, &st, 0) == 0 &&
		    S_ISREG(st.st_mode) && st.st_nlink == 0 &&
		    is_new(seen, &st))
			sum += (uint64_t)st.st_blocks * 512;
	if (d)
		closedir(d);
	return sum;
}

uint64_t eb_family_nameless(const struct eb_family *t)
{
	eb_autofree struct seen *seen = eb_calloc(1, sizeof *seen);
	uint64_t sum = 0;

	for (size_t i = 0; i < t->n; i++)
		sum += nameless_of(t->pid[i], seen);
	return sum;
}

/* "0.00 0.01 0.05 RUNNING/ALL LAST" */
uint64_t eb_family_of_all(void)
{
	char text[128];
	unsigned long long all;

	if (!read_text("/proc/loadavg", text, sizeof text) ||
	    sscanf(text, "%*s %*s %*s %*u/%llu", &all) != 1)
		return UINT64_MAX;
	return all;
}
