/* SPDX-License-Identifier: Apache-2.0 */
/* Folders, temporary files, locks, and where the user's files belong. */
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/mem.h>

static int make_one(const char *path, mode_t mode, const char *whole,
		    struct eb_error *err)
{
	struct stat st;

	if (mkdir(path, mode) == 0)
		return 0;
	if (errno == EEXIST && stat(path, &st) == 0) {
		if (S_ISDIR(st.st_mode))
			return 0;
		errno = ENOTDIR;
	}
	return eb_err_errno(err, EB_MACHINE, errno, "\"%s\", making folder",
			    whole);
}

int eb_mkdirs(const char *path, mode_t mode, struct eb_error *err)
{
	eb_autofree char *part = eb_strdup(path);
	struct stat st;
	char *p;

	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return 0;
	for (p = part + 1; *part && *p; p++) {
		if (*p != '/' || p[-1] == '/')
			continue;
		*p = '\0';
		if (make_one(part, mode, path, err) < 0)
			return -1;
		*p = '/';
	}
	return make_one(part, mode, path, err);
}

static int named_then_unlinked(const char *dir, struct eb_error *err)
{
	eb_autofree char *path = eb_asprintf("%s/unnamed.XXXXXX", dir);
	int fd = mkostemp(path, O_CLOEXEC);

	if (fd < 0)
		return eb_err_errno(err, EB_MACHINE, errno,
				    "\"%s\", making a temporary file in it",
				    dir);
	unlink(path);
	return fd;
}

int eb_unnamed_file(const char *dir, struct eb_error *err)
{
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	return fd >= 0 ? fd : named_then_unlinked(dir, err);
}

char *eb_make_tempdir(const char *dir, const char *prefix, struct eb_error *err)
{
	eb_autofree char *path = eb_asprintf("%s/%sXXXXXX", dir, prefix);

	if (!mkdtemp(path)) {
		eb_err_errno(err, EB_MACHINE, errno,
			     "\"%s\", making a temporary folder in it", dir);
		return NULL;
	}
	return eb_steal(path);
}

/* Whether what is open is still what stands there: a lock on a file that
 * somebody removed meanwhile keeps nobody out. */
static bool still_there(int fd, const char *path)
{
	struct stat a, b;

	return fstat(fd, &a) == 0 && stat(path, &b) == 0 &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static int lock_fd(int fd, const char *path, bool wait, struct eb_error *err)
{
	if (flock(fd, LOCK_EX | (wait ? 0 : LOCK_NB)) == 0)
		return 1;
	if (errno == EWOULDBLOCK)
		return 0;
	return eb_err_errno(err, errno == EINTR ? EB_INTERRUPTED : EB_MACHINE,
			    errno, "\"%s\", locking", path);
}

int eb_lock_file(const char *path, bool wait, int *fd, struct eb_error *err)
{
	for (;;) {
		eb_autofd int own =
			open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
		int got;

		if (own < 0)
			return eb_err_errno(err, EB_MACHINE, errno,
					    "\"%s\", opening for a lock", path);
		got = lock_fd(own, path, wait, err);
		if (got <= 0)
			return got;
		if (still_there(own, path)) {
			*fd = eb_steal_fd(&own);
			return 1;
		}
	}
}

bool eb_path_exists(const char *path)
{
	return access(path, F_OK) == 0;
}

char *eb_path_join(const char *a, const char *b)
{
	size_t n = strlen(a);

	if (n == 0)
		return eb_strdup(b);
	return eb_asprintf("%s%s%s", a, a[n - 1] == '/' ? "" : "/", b);
}

static char *home(void)
{
	const char *value = getenv("HOME");
	eb_autofree char *buffer = NULL;
	struct passwd pw, *found = NULL;
	const size_t size = 16 << 10;

	if (value && *value == '/')
		return eb_strdup(value);
	buffer = eb_malloc(size);
	if (getpwuid_r(getuid(), &pw, buffer, size, &found) != 0 || !found)
		return NULL;
	return eb_strdup(pw.pw_dir);
}

static const struct {
	const char *which, *variable, *below_home;
} xdg[] = {
	{ "CACHE", "XDG_CACHE_HOME", ".cache" },
	{ "CONFIG", "XDG_CONFIG_HOME", ".config" },
	{ "DATA", "XDG_DATA_HOME", ".local/share" },
	{ "STATE", "XDG_STATE_HOME", ".local/state" },
	{ "RUNTIME", "XDG_RUNTIME_DIR", NULL },
};

/* A relative path in one of these variables counts as unset, as the XDG
 * specification wants it. */
static char *xdg_base(size_t i)
{
	const char *value = getenv(xdg[i].variable);
	eb_autofree char *from_home = NULL;

	if (value && *value == '/')
		return eb_strdup(value);
	if (!xdg[i].below_home)
		return NULL;
	from_home = home();
	return from_home ? eb_path_join(from_home, xdg[i].below_home) : NULL;
}

char *eb_xdg_dir(const char *which)
{
	size_t i;

	for (i = 0; i < sizeof xdg / sizeof *xdg; i++) {
		eb_autofree char *base = NULL;

		if (strcmp(xdg[i].which, which) != 0)
			continue;
		base = xdg_base(i);
		return base ? eb_path_join(base, "envbuild") : NULL;
	}
	return NULL;
}
