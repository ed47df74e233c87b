/* SPDX-License-Identifier: Apache-2.0 */
/* Files: whole reads, whole writes, copies. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/mem.h>

static int too_large(const char *name, uint64_t size, size_t max,
		     struct eb_error *err)
{
	return eb_err_set(err, EB_INPUT,
			  "\"%s\", reading: %" PRIu64
			  " bytes or more, where at most %zu are allowed",
			  name, size, max);
}

/* Regular files tell their size, so that one too large is not read at all. */
static int check_size(int fd, const char *name, size_t max, struct eb_buf *out,
		      struct eb_error *err)
{
	struct stat st;
	size_t room = out->max - out->len;

	if (max > room)
		max = room;
	if (fstat(fd, &st) < 0)
		return eb_err_errno(err, EB_OK, errno, "\"%s\", reading", name);
	if (!S_ISREG(st.st_mode))
		return 0;
	if ((uint64_t)st.st_size > max)
		return too_large(name, (uint64_t)st.st_size, max, err);
	eb_buf_reserve(out, (size_t)st.st_size);
	return 0;
}

int eb_read_fd(int fd, const char *name, size_t max, struct eb_buf *out,
	       struct eb_error *err)
{
	const size_t piece = 64 << 10;
	eb_autofree char *buffer = eb_malloc(piece);
	size_t total = 0;
	ssize_t n;

	if (check_size(fd, name, max, out, err) < 0)
		return -1;
	for (;;) {
		n = read(fd, buffer, piece);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return eb_err_errno(err, EB_OK, errno,
					    "\"%s\", reading", name);
		if (n == 0)
			return 0;
		total += (size_t)n;
		if (total > max || eb_buf_add(out, buffer, (size_t)n) < 0)
			return too_large(name, total, max, err);
	}
}

int eb_read_file(const char *path, size_t max, struct eb_buf *out,
		 struct eb_error *err)
{
	eb_autofd int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return eb_err_errno(err, EB_OK, errno, "\"%s\", opening", path);
	return eb_read_fd(fd, path, max, out, err);
}

int eb_write_all(int fd, const void *p, size_t n, const char *name,
		 struct eb_error *err)
{
	const char *at = p;
	ssize_t done;

	while (n) {
		done = write(fd, at, n);
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return eb_err_errno(err, EB_MACHINE, errno,
					    "\"%s\", writing", name);
		at += done;
		n -= (size_t)done;
	}
	return 0;
}

int eb_pread_all(int fd, void *p, size_t n, uint64_t offset, const char *name,
		 struct eb_error *err)
{
	char *at = p;
	ssize_t done;

	while (n) {
		done = pread(fd, at, n, (off_t)offset);
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return eb_err_errno(err, EB_MACHINE, errno,
					    "\"%s\", reading", name);
		if (done == 0)
			return eb_err_set(err, EB_INTEGRITY,
					  "\"%s\" breaks off at byte %" PRIu64,
					  name, offset);
		at += done;
		n -= (size_t)done;
		offset += (uint64_t)done;
	}
	return 0;
}

/* A rename is on disk once its folder is. */
static int sync_folder_of(const char *path, struct eb_error *err)
{
	const char *slash = strrchr(path, '/');
	eb_autofree char *folder = NULL;
	eb_autofd int fd = -1;

	if (!slash)
		folder = eb_strdup(".");
	else
		folder = eb_strndup(path, slash == path ? 1 : slash - path);
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || (fsync(fd) < 0 && errno != EINVAL))
		return eb_err_errno(err, EB_MACHINE, errno,
				    "\"%s\", syncing its folder", path);
	return 0;
}

static int fill_and_rename(int fd, const char *temp, const char *path,
			   mode_t mode, const void *p, size_t n,
			   struct eb_error *err)
{
	if (eb_write_all(fd, p, n, path, err) < 0)
		return -1;
	if (fchmod(fd, mode) < 0)
		return eb_err_errno(err, EB_MACHINE, errno,
				    "\"%s\", setting its mode", path);
	if (fsync(fd) < 0)
		return eb_err_errno(err, EB_MACHINE, errno, "\"%s\", syncing",
				    path);
	if (rename(temp, path) < 0)
		return eb_err_errno(err, EB_MACHINE, errno,
				    "\"%s\", renaming to it", path);
	return 0;
}

int eb_write_file(const char *path, const void *p, size_t n, mode_t mode,
		  struct eb_error *err)
{
	eb_autofree char *temp = eb_asprintf("%s.XXXXXX", path);
	eb_autofd int fd = mkostemp(temp, O_CLOEXEC);

	if (fd < 0)
		return eb_err_errno(err, EB_MACHINE, errno,
				    "\"%s\", making a file beside it", path);
	if (fill_and_rename(fd, temp, path, mode, p, n, err) < 0) {
		unlink(temp);
		return -1;
	}
	return sync_folder_of(path, err);
}

/* Not every pair of file systems can: those errors leave it to read and
 * write. Gives what was copied, or -1 with err. */
static int64_t copy_in_kernel(int to, int from, uint64_t offset, uint64_t size,
			      const char *name, struct eb_error *err)
{
	off_t at = (off_t)offset;
	uint64_t left = size;
	ssize_t n;

	while (left) {
		n = copy_file_range(from, &at, to, NULL,
				    left > 1 << 30 ? 1 << 30 : left, 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == ENOSPC || errno == EIO ||
			      errno == EDQUOT || errno == EFBIG))
			return eb_err_errno(err, EB_MACHINE, errno,
					    "\"%s\", copying", name);
		if (n <= 0)
			break;
		left -= (uint64_t)n;
	}
	return (int64_t)(size - left);
}

int eb_copy_fd(int to, int from, uint64_t offset, uint64_t size,
	       const char *name, struct eb_error *err)
{
	const size_t piece = 256 << 10;
	eb_autofree char *buffer = NULL;
	int64_t copied = copy_in_kernel(to, from, offset, size, name, err);

	if (copied < 0)
		return -1;
	offset += (uint64_t)copied;
	size -= (uint64_t)copied;
	buffer = size ? eb_malloc(piece) : NULL;
	while (size) {
		size_t n = size < piece ? size : piece;

		if (eb_pread_all(from, buffer, n, offset, name, err) < 0 ||
		    eb_write_all(to, buffer, n, name, err) < 0)
			return -1;
		offset += n;
		size -= n;
	}
	return 0;
}
