/* SPDX-License-Identifier: Apache-2.0 */
/* The store and its file system: what it can do, who else is there, what a
 * killed build left. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/sandbox.h>

#include "store_priv.h"

/* An unnamed file is linked by its name in /proc. */
bool eb_store_unnamed_works(const char *tmp)
{
	eb_autofd int fd = open(tmp, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	return fd >= 0 && access("/proc/self/fd", X_OK) == 0;
}

/* A file system without locks: nobody can be kept out, so nobody is alone. */
int eb_store_use_alone(struct eb_store *s)
{
	return flock(s->use, LOCK_EX | LOCK_NB) == 0;
}

int eb_store_use_shared(struct eb_store *s, struct eb_error *err)
{
	if (flock(s->use, LOCK_SH) == 0)
		return 0;
	if (errno == ENOLCK || errno == EOPNOTSUPP)
		return 0;
	return eb_err_errno(err, errno == EINTR ? EB_INTERRUPTED : EB_MACHINE,
			    errno, "\"%s\", locking the store", s->dir);
}

/* Only called by who is alone; what cannot be removed does no harm. */
void eb_store_sweep_tmp(struct eb_store *s)
{
	DIR *dir = opendir(s->tmp);
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		struct eb_error err = EB_ERROR_INIT;
		eb_autofree char *path = NULL;

		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		path = eb_path_join(s->tmp, e->d_name);
		if (eb_sandbox_remove(path, &err) < 0)
			eb_err_release(&err);
	}
	if (dir)
		closedir(dir);
}
