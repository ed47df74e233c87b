/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Removing what a container left. In a user namespace with subordinate ids it
 * makes files that belong to those, which its user may not remove; a process
 * in such a namespace may.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/process.h>
#include <envbuild/sandbox.h>

#include "sandbox_form.h"

#define MAP_S 20

static int cannot(const char *dir, int errnum, struct eb_error *err)
{
	return eb_err_errno(err, EB_MACHINE, errnum,
			    "\"%s\", removing it in a user namespace", dir);
}

/* In the child: tell that the namespace is there, wait for its ids. */
static void remove_inside(const char *dir, int ready, int go)
{
	struct eb_error err = EB_ERROR_INIT;
	char byte = 0;

	prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 ||
	    unshare(CLONE_NEWUSER) < 0 || write(ready, &byte, 1) != 1 ||
	    read(go, &byte, 1) != 1 || eb_remove_tree(dir, &err) < 0)
		_exit(1);
	_exit(0);
}

static int map(const char *program, pid_t pid, unsigned own,
	       const struct eb_id_range *sub, struct eb_error *err)
{
	struct eb_strv argv EB_CLEANUP(eb_strv_release) = { 0 };
	int status;

	eb_strv_add(&argv, program);
	eb_strv_addf(&argv, "%d", (int)pid);
	eb_strv_addf(&argv, "0");
	eb_strv_addf(&argv, "%u", own);
	eb_strv_addf(&argv, "1");
	eb_strv_addf(&argv, "1");
	eb_strv_addf(&argv, "%u", sub->first);
	eb_strv_addf(&argv, "%u", sub->n);
	if (eb_process_run((const char *const *)argv.v, NULL, NULL, 0, 0, MAP_S,
			   NULL, NULL, &status, err) < 0)
		return -1;
	if (status)
		return eb_err_set(err, EB_MACHINE, "\"%s\": exit status %d",
				  program, status);
	return 0;
}

static int map_both(pid_t pid, const struct eb_id_range *uid,
		    const struct eb_id_range *gid, struct eb_error *err)
{
	if (map("newuidmap", pid, geteuid(), uid, err) < 0)
		return -1;
	return map("newgidmap", pid, getegid(), gid, err);
}

/* Until the child has ended: 0 it removed everything. */
static int outside(pid_t pid, int *ready, int *go,
		   const struct eb_id_range *uid, const struct eb_id_range *gid,
		   struct eb_error *err)
{
	char byte = 0;
	int status;

	if (read(*ready, &byte, 1) == 1 && map_both(pid, uid, gid, err) == 0)
		(void)!write(*go, &byte, 1);
	eb_cleanup_fd(go);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return status ? -1 : 0;
}

static int remove_as_root_of_ids(const char *dir, const struct eb_id_range *uid,
				 const struct eb_id_range *gid,
				 struct eb_error *err)
{
	eb_autofd int ready_in = -1, ready_out = -1, go_in = -1, go_out = -1;
	int ready[2], go[2], result;
	pid_t pid;

	if (pipe2(ready, O_CLOEXEC) < 0)
		return cannot(dir, errno, err);
	ready_in = ready[0];
	ready_out = ready[1];
	if (pipe2(go, O_CLOEXEC) < 0)
		return cannot(dir, errno, err);
	go_in = go[0];
	go_out = go[1];
	pid = fork();
	if (pid < 0)
		return cannot(dir, errno, err);
	if (pid == 0) {
		close(go_out);
		remove_inside(dir, ready_out, go_in);
	}
	eb_cleanup_fd(&ready_out);
	result = outside(pid, &ready_in, &go_out, uid, gid, err);
	if (result < 0 && !eb_err_is_set(err))
		cannot(dir, EPERM, err);
	return result;
}

int eb_sandbox_remove(const char *dir, struct eb_error *err)
{
	struct eb_error why EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	struct eb_id_range uid, gid;

	if (eb_remove_tree(dir, &why) == 0)
		return 0;
	if (geteuid() == 0 || !eb_sub_ids(&uid, &gid)) {
		eb_err_move(err, &why);
		return -1;
	}
	return remove_as_root_of_ids(dir, &uid, &gid, err);
}
