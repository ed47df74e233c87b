/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of an executed step. */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <envbuild/file.h>

#include "sandbox_limits.h"
#include "sandbox_family.h"
#include "seccomp.h"

#define LOOK_NS 200000000ULL
#define NICE 10	      /* of a container whose processes are only counted */
#define LOOK_SHARE 10 /* of the time at most a tenth is spent on looking */
#define SPACE_MORE ((uint64_t)1 << 20) /* so that a full one is seen to be */
#define ADDRESSES_LEAST ((uint64_t)1 << 30)

bool eb_limits_any(const struct eb_sandbox *s)
{
	return s->memory || s->disk || s->processes;
}

static bool is_below(const char *path, const char *folder)
{
	size_t n = strlen(folder);

	return strncmp(path, folder, n) == 0 && (!path[n] || path[n] == '/');
}

/* Of two of which one holds the other the outer one counts. */
static void add_folder(struct eb_strv *list, const char *source)
{
	eb_autofree char *path = realpath(source, NULL);
	size_t i;

	for (i = 0; path && i < list->n; i++) {
		if (is_below(path, list->v[i]))
			return;
		if (is_below(list->v[i], path)) {
			free(list->v[i]);
			list->v[i] = eb_steal(path);
			return;
		}
	}
	if (path)
		eb_strv_take(list, eb_steal(path));
}

static struct eb_space look_at_folders(const struct eb_limits *l)
{
	struct eb_space sum = { 0, false };

	for (size_t i = 0; i < l->folder.n; i++)
		eb_space_add(&sum, l->folder.v[i]);
	return sum;
}

/* A log without a name is seen among what is open. */
static uint64_t logged(const struct eb_limits *l)
{
	struct stat st;

	if (l->s->log_fd <= 2 || fstat(l->s->log_fd, &st) < 0 ||
	    !S_ISREG(st.st_mode) || !st.st_nlink)
		return 0;
	return (uint64_t)st.st_size;
}

static void open_disk(struct eb_limits *l)
{
	const struct eb_sandbox *s = l->s;
	size_t i;

	if (!s->disk)
		return;
	if (!s->read_only)
		add_folder(&l->folder, s->rootfs);
	for (i = 0; i < s->n_mounts; i++)
		if (!s->mount[i].read_only)
			add_folder(&l->folder, s->mount[i].source);
	l->left = eb_calloc(l->folder.n + 1, sizeof *l->left);
	for (i = 0; i < l->folder.n; i++)
		l->left[i] = eb_space_left(l->folder.v[i]);
	l->held = look_at_folders(l).bytes;
	l->logged = logged(l);
}

static void say(const struct eb_limits *l, struct eb_events *events)
{
	static const char by_cgroup[] = "by cgroup";

	eb_detail(events, "limits: memory %s, processes %s, disk %s%s%s",
		  !l->s->memory	     ? "none"
		  : l->cgroup.memory ? by_cgroup
				     : "by looking, and address space",
		  !l->s->processes		? "none"
		  : l->cgroup.processes		? by_cgroup
		  : eb_form_counts(&l->b->form) ? "by the kernel's count"
						: "by looking",
		  l->s->disk ? "by looking" : "none",
		  l->cgroup.why_not ? "; no cgroup: " : "",
		  l->cgroup.why_not ? l->cgroup.why_not : "");
}

/* Where only looking holds the processes, who looks comes before them (where
 * we may say so): the container gives way, and this thread, which sleeps but
 * for moments, goes ahead. */
static void make_haste(struct eb_limits *l)
{
	if (!l->s->processes || l->cgroup.processes)
		return;
	l->b->setup.nice = NICE;
	l->priority = getpriority(PRIO_PROCESS, 0);
	l->hasty = true;
	setpriority(PRIO_PROCESS, 0, -20);
}

void eb_limits_open(struct eb_limits *l, const struct eb_sandbox *s,
		    struct eb_bundle *b, struct eb_sandbox_kind *kind,
		    struct eb_events *events)
{
	memset(l, 0, sizeof *l);
	l->s = s;
	l->b = b;
	eb_cgroup_open(&l->cgroup, b->id, s->memory, s->processes);
	open_disk(l);
	b->setup.enter = (const char *const *)l->cgroup.enter.v;
	b->setup.leave = (const char *const *)l->cgroup.leave.v;
	kind->step = true;
	if (s->disk)
		kind->file = s->disk + SPACE_MORE;
	if (s->memory && !l->cgroup.memory)
		kind->addresses = s->memory > ADDRESSES_LEAST / 2
					  ? 2 * s->memory
					  : ADDRESSES_LEAST;
	if (s->processes && !l->cgroup.processes)
		kind->processes = (uint64_t)s->processes + EB_CGROUP_ROOM;
	say(l, events);
	make_haste(l);
}

static bool disk_is_full(const struct eb_limits *l, uint64_t nameless)
{
	struct eb_space now = look_at_folders(l);
	uint64_t before = l->held + l->logged;
	uint64_t bytes = now.bytes + logged(l) + nameless;
	size_t i;

	if (bytes > before && bytes - before > l->s->disk)
		return true;
	for (i = 0; now.hidden && i < l->folder.n; i++) {
		uint64_t left = eb_space_left(l->folder.v[i]);

		if (left < l->left[i] && l->left[i] - left > l->s->disk)
			return true;
	}
	return false;
}

static enum eb_limit_hit ask_cgroup(const struct eb_limits *l)
{
	if (eb_cgroup_memory_hit(&l->cgroup))
		return EB_HIT_MEMORY;
	return eb_cgroup_processes_hit(&l->cgroup) ? EB_HIT_PROCESSES
						   : EB_HIT_NONE;
}

/* How many there can be at most: the cgroup counts the runtime, too, while it
 * starts; without one it is those of the whole machine. */
static bool may_be_many(const struct eb_limits *l)
{
	uint64_t n;

	if (!l->s->processes)
		return false;
	n = l->cgroup.processes ? eb_cgroup_processes(&l->cgroup)
				: eb_family_of_all();
	return n > l->s->processes;
}

/* As long as the runtime has not said which is the first process (where many
 * run it comes late to it), all that the monitor began counts, the runtime,
 * too. *room is for that. */
static int read_family(const struct eb_limits *l, struct eb_family *f,
		       unsigned *room)
{
	pid_t first = eb_monitor_read_pid(l->b->pid_file);

	*room = first < 2 ? EB_CGROUP_ROOM : 0;
	return eb_family_read(f, first < 2 ? l->p->pid : first);
}

static enum eb_limit_hit look_at_processes(const struct eb_limits *l,
					   uint64_t *nameless)
{
	bool memory = l->s->memory && !l->cgroup.memory;
	bool many = may_be_many(l);
	struct eb_family EB_CLEANUP(eb_family_release) f = { 0 };
	unsigned room;

	if ((!memory && !many && !l->s->disk) || read_family(l, &f, &room) < 0)
		return EB_HIT_NONE;
	if (many && f.threads > (uint64_t)l->s->processes + room)
		return EB_HIT_PROCESSES;
	if (memory && eb_family_memory(&f) > l->s->memory)
		return EB_HIT_MEMORY;
	if (l->s->disk)
		*nameless = eb_family_nameless(&f);
	return EB_HIT_NONE;
}

/* All but the monitor, which hears of it. */
static void kill_all(const struct eb_limits *l)
{
	struct eb_family EB_CLEANUP(eb_family_release) f = { 0 };

	if (eb_family_read(&f, l->p->pid) == 0)
		eb_family_kill(&f, l->p->pid);
}

/* What it took says when to look again. */
static enum eb_limit_hit look_at_all(struct eb_limits *l)
{
	uint64_t begin = eb_now_ns(), nameless = 0, took;
	enum eb_limit_hit hit = ask_cgroup(l);

	if (!hit)
		hit = look_at_processes(l, &nameless);
	if (!hit && l->s->disk && disk_is_full(l, nameless))
		hit = EB_HIT_DISK;
	took = eb_now_ns() - begin;
	l->next_ns = begin + (took * LOOK_SHARE > LOOK_NS ? took * LOOK_SHARE
							  : LOOK_NS);
	return hit;
}

/* More on the machine than when we last looked: the steps of a fork bomb are
 * short. */
static bool grows(struct eb_limits *l)
{
	uint64_t all;
	bool much;

	if (!l->s->processes || l->cgroup.processes)
		return false;
	all = eb_family_of_all();
	much = all > l->all + l->s->processes / 2;
	if (much || all < l->all)
		l->all = all;
	return much;
}

bool eb_limits_look(void *limits)
{
	struct eb_limits *l = limits;

	if (!l->hit && (grows(l) || eb_now_ns() >= l->next_ns))
		l->hit = look_at_all(l);
	if (l->hit)
		kill_all(l);
	return l->hit != EB_HIT_NONE;
}

int eb_limits_judge(struct eb_limits *l, bool timed_out, struct eb_error *err)
{
	if (!l->hit && eb_limits_any(l->s))
		l->hit = ask_cgroup(l);
	if (!l->hit && timed_out)
		l->hit = EB_HIT_TIME;
	if (!l->hit && l->s->disk && disk_is_full(l, 0))
		l->hit = EB_HIT_DISK;
	return eb_limits_say(l, err);
}

void eb_limits_close(struct eb_limits *l)
{
	if (l->hasty)
		setpriority(PRIO_PROCESS, 0, l->priority);
	eb_cgroup_close(&l->cgroup);
	eb_strv_release(&l->folder);
	free(l->left);
	memset(l, 0, sizeof *l);
}
