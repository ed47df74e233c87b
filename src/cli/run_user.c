/* SPDX-License-Identifier: Apache-2.0 */
/* Who a command runs as: the image's User (image-spec config.md), numbers or
 * names of the image's own /etc/passwd and /etc/group. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/mem.h>
#include <envbuild/str.h>

#include "run_user.h"

#define FILE_MAX ((size_t)1 << 20)

/* No link is followed: the image is not ours. */
static int open_inside(const char *rootfs, const char *name)
{
	eb_autofree char *etc = eb_path_join(rootfs, "etc");
	eb_autofd int dir =
		open(etc, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return dir < 0 ? -1
		       : openat(dir, name,
				O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

/* Field `want` of the line whose field `by` is `key`; 1 found. */
static int look_up(const char *rootfs, const char *file, const char *key,
		   size_t by, size_t want, unsigned *out)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv line = { 0 };
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_AUTOBUF(text, FILE_MAX);
	eb_autofd int fd = open_inside(rootfs, file);
	uint64_t n;

	if (fd < 0 || eb_read_fd(fd, file, FILE_MAX, &text, &ignored) < 0)
		return 0;
	eb_strv_split(&line, text.data, "\n");
	for (size_t i = 0; i < line.n; i++) {
		EB_CLEANUP(eb_strv_release) struct eb_strv f = { 0 };

		eb_strv_split(&f, line.v[i], ":");
		if (f.n <= by || f.n <= want || strcmp(f.v[by], key) ||
		    eb_parse_u64(f.v[want], UINT32_MAX - 1, &n) < 0)
			continue;
		*out = (unsigned)n;
		return 1;
	}
	return 0;
}

static int resolve(const char *rootfs, const char *file, const char *text,
		   unsigned *out, struct eb_error *err)
{
	uint64_t n;

	if (eb_parse_u64(text, UINT32_MAX - 1, &n) == 0) {
		*out = (unsigned)n;
		return 0;
	}
	if (look_up(rootfs, file, text, 0, 2, out))
		return 0;
	return eb_err_set(err, EB_INPUT,
			  "the image runs as \"%s\", which its /etc/%s does "
			  "not have",
			  text, file);
}

int eb_run_user(const char *rootfs, const char *user, unsigned *uid,
		unsigned *gid, struct eb_error *err)
{
	const char *colon = user ? strchr(user, ':') : NULL;
	eb_autofree char *name =
		user ? eb_strndup(user, strcspn(user, ":")) : NULL;
	eb_autofree char *number = NULL;

	*uid = *gid = 0;
	if (!name || !*name)
		return 0;
	if (resolve(rootfs, "passwd", name, uid, err) < 0)
		return -1;
	if (colon && colon[1])
		return resolve(rootfs, "group", colon + 1, gid, err);
	number = eb_asprintf("%u", *uid);
	look_up(rootfs, "passwd", number, 2, 3, gid);
	return 0;
}
