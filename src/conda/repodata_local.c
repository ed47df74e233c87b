/* SPDX-License-Identifier: Apache-2.0 */
/* Channels in files. */
#include <errno.h>
#include <fcntl.h>
#include <time.h>

#include <envbuild/file.h>
#include <envbuild/mem.h>

#include "repodata_job.h"

/* A file that was changed so lately may change again within the same tick of
 * the clock that dates it. */
#define SETTLED_S 2

int eb_rd_open_local(const struct eb_rd_job *job, const struct eb_rd_file *f,
		     int *fd, struct stat *st, struct eb_error *err)
{
	eb_autofree char *path =
		eb_path_join(job->path, eb_rd_file_name[f->kind]);

	*fd = open(path, O_RDONLY | O_CLOEXEC);
	if (*fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return 0;
	if (*fd < 0)
		return eb_err_errno(err, EB_OK, errno, "\"%s\": opening", path);
	if (fstat(*fd, st) < 0)
		return eb_err_errno(err, EB_OK, errno, "\"%s\": reading",
				    f->key);
	if (!S_ISREG(st->st_mode))
		return eb_err_set(err, EB_INPUT,
				  "\"%s\": reading: not a regular file",
				  f->key);
	return 1;
}

char *eb_rd_local_state(const struct stat *st)
{
	time_t now = time(NULL);

	if (st->st_mtim.tv_sec + SETTLED_S > now ||
	    st->st_ctim.tv_sec + SETTLED_S > now)
		return NULL;
	return eb_asprintf("file:%llx.%llx.%llx.%lld.%09ld.%lld.%09ld",
			   (unsigned long long)st->st_dev,
			   (unsigned long long)st->st_ino,
			   (unsigned long long)st->st_size,
			   (long long)st->st_mtim.tv_sec, st->st_mtim.tv_nsec,
			   (long long)st->st_ctim.tv_sec, st->st_ctim.tv_nsec);
}
