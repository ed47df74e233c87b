/* SPDX-License-Identifier: Apache-2.0 */
/* What a build leaves: exactly one wheel, of the project and version that the
 * lock says, that fits the environment. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/tags.h>
#include <envbuild/wheel.h>

#include "sdist_build.h"
#include "step_source.h"

#define MANY 100000 /* entries of a folder that was ours to begin with */

static int refuse(const struct eb_sdist_build *s, const char *why,
		  const char *what, struct eb_error *err)
{
	return eb_err_set(err, EB_STEP, "\"%s\", building its wheel: %s%s%s",
			  s->pin->file, why, what ? " " : "", what ? what : "");
}

static int find(const struct eb_sdist_build *s, int folder, char **file,
		struct eb_error *err)
{
	DIR *dir = fdopendir(folder);
	unsigned n = 0, wheels = 0;
	struct dirent *e;

	while (dir && (e = readdir(dir)) && n++ < MANY) {
		if (!eb_ends(e->d_name, ".whl"))
			continue;
		wheels++;
		if (!*file)
			*file = eb_strdup(e->d_name);
	}
	if (dir)
		closedir(dir);
	if (wheels == 1)
		return 0;
	return refuse(s, wheels ? "it gave several wheels" : "it gave no wheel",
		      NULL, err);
}

static int open_it(const struct eb_sdist_build *s, const char *folder,
		   const char *file, struct eb_error *err)
{
	eb_autofree char *path = eb_path_join(folder, file);
	eb_autofd int fd =
		open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return refuse(s, "what it calls its wheel is no file:", file,
			      err);
	return eb_steal_fd(&fd);
}

/* --- is it the right one?
 * -------------------------------------------------------
 */
static int check_tags(const struct eb_sdist_build *s,
		      const struct eb_wheel_name *name, const char *file,
		      struct eb_error *err)
{
	const struct eb_build *b = s->b;
	const struct eb_base *base = b->base;
	EB_CLEANUP(eb_strv_release) struct eb_strv tags = { 0 };
	struct eb_python_target target;

	eb_describe_python(b, &target);
	target.glibc = base->glibc ? base->glibc : "2.17";
	if (eb_tags_of(&target, &tags, err) < 0)
		return -1;
	if (eb_wheel_rank(name, &tags) >= 0)
		return 0;
	return refuse(s,
		      "its wheel does not fit this Python or platform:", file,
		      err);
}

static int check_name(const struct eb_sdist_build *s, const char *file,
		      struct eb_error *err)
{
	const struct eb_pin *pin = s->pin;
	EB_CLEANUP(eb_wheel_name_release) struct eb_wheel_name name = { 0 };
	struct eb_error why EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	if (eb_wheel_name_parse(file, &name, &why) < 0)
		return refuse(s, why.message, NULL, err);
	if (strcmp(name.name, pin->name) ||
	    (pin->version && strcmp(name.version, pin->version)))
		return eb_err_set(err, EB_STEP,
				  "\"%s\", building its wheel: it gave %s %s, "
				  "the lock says %s %s",
				  pin->file, name.name, name.version, pin->name,
				  pin->version ? pin->version : "");
	return check_tags(s, &name, file, err);
}

static int check_content(const struct eb_sdist_build *s, int fd,
			 const char *file, struct eb_error *err)
{
	const struct eb_wheel_limits limits = eb_step_limits(s->b);
	EB_CLEANUP(eb_wheel_free_ptr) struct eb_wheel *wheel = NULL;
	struct eb_error why EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	if (eb_wheel_open(fd, file, &limits, &wheel, &why) == 0)
		return 0;
	return refuse(s, why.message, NULL, err);
}

int eb_sdist_build_result(struct eb_sdist_build *s, char **file, int *fd,
			  struct eb_error *err)
{
	eb_autofree char *folder = eb_path_join(s->dir, "out");
	eb_autofree char *found = NULL;
	eb_autofd int opened = -1;
	int dir = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (dir < 0)
		return refuse(s, "its folder for the wheel is gone", NULL, err);
	if (find(s, dir, &found, err) < 0)
		return -1;
	opened = open_it(s, folder, found, err);
	if (opened < 0 || check_name(s, found, err) < 0 ||
	    check_content(s, opened, found, err) < 0)
		return -1;
	*file = eb_steal(found);
	*fd = eb_steal_fd(&opened);
	return 0;
}
