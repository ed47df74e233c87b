/* SPDX-License-Identifier: Apache-2.0 */
/* A local project: exactly what its digest is made of is built. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/spec.h>

#include "step_source.h"

char *eb_step_folder_path(const struct eb_pin *pin)
{
	char *path = eb_file_url_path(pin->url);

	return path ? path : eb_strdup(pin->url);
}

static int fail(const char *path, struct eb_error *err)
{
	return eb_err_errno(err, EB_MACHINE, errno, "\"%s\", copying a source",
			    path);
}

static int copy(void *data, const struct eb_local_entry *e,
		struct eb_error *err)
{
	eb_autofree char *to = eb_path_join(data, e->path);
	eb_autofree char *folder = eb_strdup(to);
	const struct timespec times[2] = { { .tv_sec = e->mtime },
					   { .tv_sec = e->mtime } };
	eb_autofd int fd = -1;

	*strrchr(folder, '/') = '\0';
	if (eb_mkdirs(folder, 0755, err) < 0)
		return -1;
	if (e->target)
		return symlink(e->target, to) < 0 ? fail(to, err) : 0;
	fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		  0600);
	if (fd < 0)
		return fail(to, err);
	if (eb_copy_fd(fd, e->fd, 0, e->size, e->path, err) < 0)
		return -1;
	fchmod(fd, e->executable ? 0755 : 0644);
	futimens(fd, times);
	return 0;
}

int eb_step_copy_folder(struct eb_build *b, const struct eb_pin *pin,
			const char *dir, struct eb_digest *digest,
			struct eb_error *err)
{
	eb_autofree char *path = eb_step_folder_path(pin);
	const char *besides =
		b->env && b->env->spec ? b->env->spec->file : NULL;

	return eb_local_source_each(path, besides, dir ? copy : NULL,
				    (void *)dir, digest, err);
}
