/* SPDX-License-Identifier: Apache-2.0 */
/* Members that are not directories, and what all members wear: owner,
 * extended attributes, mode, time. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/str.h>

#include "rootfs_tree.h"

#define PIECE ((size_t)256 << 10)

int eb_tree_fail(const struct eb_tree *t, const char *member, const char *doing,
		 int errnum, struct eb_error *err)
{
	/* What is wrong with paths is wrong with the layer. */
	enum eb_code code =
		errnum == ELOOP || errnum == ENAMETOOLONG || errnum == ENOTDIR
			? EB_INPUT
			: EB_MACHINE;

	return eb_err_errno(err, code, errnum, "\"%s\", unpacking \"%s\", %s",
			    t->dir, member, doing);
}

/* Owners outside of a user namespace cannot be had. */
static int own(struct eb_tree *t, const char *name, const struct eb_member *m,
	       struct eb_error *err)
{
	if (!t->privileged ||
	    fchownat(t->parent, name, m->uid, m->gid, AT_SYMLINK_NOFOLLOW) == 0)
		return 0;
	if (errno != EPERM && errno != EINVAL)
		return eb_tree_fail(t, m->name, "setting its owner", errno,
				    err);
	if (!t->told_owner)
		eb_note(t->events,
			"owners that cannot be set here are left "
			"out: \"%s\" and others",
			m->name);
	t->told_owner = true;
	return 0;
}

/* Those that describe another file system's bookkeeping stay away. */
static bool is_wanted(const char *name)
{
	return !eb_starts(name, "trusted.") &&
	       strcmp(name, "security.selinux") != 0;
}

static int set_xattrs(struct eb_tree *t, int fd, const struct eb_member *m,
		      struct eb_error *err)
{
	size_t i;

	for (i = 0; i < m->n_xattrs; i++) {
		const struct eb_xattr *x = &m->xattr[i];

		if (!is_wanted(x->name) ||
		    fsetxattr(fd, x->name, x->value, x->size, 0) == 0)
			continue;
		if (errno == ENOSPC || errno == EDQUOT || errno == EIO)
			return eb_tree_fail(t, m->name, "setting an attribute",
					    errno, err);
		if (!t->told_xattr)
			eb_note(t->events,
				"attributes that cannot be set here "
				"are left out: \"%s\" of \"%s\" and "
				"others",
				x->name, m->name);
		t->told_xattr = true;
	}
	return 0;
}

int eb_tree_dress_dir(struct eb_tree *t, const char *name,
		      const struct eb_member *m, struct eb_error *err)
{
	eb_autofd int fd = -1;

	if (own(t, name, m, err) < 0 || m->n_xattrs == 0)
		return eb_err_is_set(err) ? -1 : 0;
	fd = openat(t->parent, name,
		    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return eb_tree_fail(t, m->name, "opening", errno, err);
	return set_xattrs(t, fd, m, err);
}

static bool all_zero(const char *p, size_t n)
{
	return n == 0 || (*p == 0 && memcmp(p, p + 1, n - 1) == 0);
}

/* Runs of zeros become holes. */
static int write_content(int fd, const struct eb_member *m,
			 struct eb_stream *content, struct eb_error *err)
{
	eb_autofree char *buffer = NULL;
	uint64_t left = m->size;

	buffer = left ? eb_malloc(PIECE) : NULL;
	while (left) {
		size_t n = left < PIECE ? (size_t)left : PIECE;

		if (eb_stream_read_all(content, buffer, n, m->name, err) < 0)
			return -1;
		left -= n;
		if (n >= 4096 && all_zero(buffer, n)) {
			if (lseek(fd, (off_t)n, SEEK_CUR) < 0)
				return eb_err_errno(err, EB_MACHINE, errno,
						    "\"%s\", writing", m->name);
		} else if (eb_write_all(fd, buffer, n, m->name, err) < 0) {
			return -1;
		}
	}
	if (m->size && ftruncate(fd, (off_t)m->size) < 0)
		return eb_err_errno(err, EB_MACHINE, errno, "\"%s\", writing",
				    m->name);
	return 0;
}

static int set_time(struct eb_tree *t, const char *name,
		    const struct eb_member *m, struct eb_error *err)
{
	struct timespec times[2] = { { m->mtime, m->mtime_ns },
				     { m->mtime, m->mtime_ns } };

	if (utimensat(t->parent, name, times, AT_SYMLINK_NOFOLLOW) < 0)
		return eb_tree_fail(t, m->name, "setting its time", errno, err);
	return 0;
}

static int make_file(struct eb_tree *t, const struct eb_member *m,
		     const char *name, struct eb_stream *content,
		     struct eb_error *err)
{
	eb_autofd int fd = openat(
		t->parent, name,
		O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return eb_tree_fail(t, m->name, "making it", errno, err);
	if (write_content(fd, m, content, err) < 0 ||
	    own(t, name, m, err) < 0 || set_xattrs(t, fd, m, err) < 0)
		return -1;
	if (fchmod(fd, m->mode) < 0)
		return eb_tree_fail(t, m->name, "setting its mode", errno, err);
	return set_time(t, name, m, err);
}

static int make_link(struct eb_tree *t, const struct eb_member *m,
		     const char *name, struct eb_error *err)
{
	if (symlinkat(m->link, t->parent, name) < 0)
		return eb_tree_fail(t, m->name, "making a link", errno, err);
	if (own(t, name, m, err) < 0)
		return -1;
	return set_time(t, name, m, err);
}

static void tell_device(struct eb_tree *t, const char *name)
{
	if (!t->told_device)
		eb_note(t->events,
			"devices that cannot be made here are left "
			"out: \"%s\" and others",
			name);
	t->told_device = true;
}

/* Pipes and devices. */
static int make_node(struct eb_tree *t, const struct eb_member *m,
		     const char *name, struct eb_error *err)
{
	mode_t type = m->type == EB_MEMBER_FIFO	  ? S_IFIFO
		      : m->type == EB_MEMBER_CHAR ? S_IFCHR
						  : S_IFBLK;
	dev_t dev = type == S_IFIFO ? 0 : makedev(m->dev_major, m->dev_minor);

	if (type != S_IFIFO && t->no_devices)
		return 0;
	if (type != S_IFIFO && !t->privileged) {
		tell_device(t, m->name);
		return 0;
	}
	if (mknodat(t->parent, name, type | 0600, dev) < 0) {
		if (type == S_IFIFO || (errno != EPERM && errno != EINVAL))
			return eb_tree_fail(t, m->name, "making a device",
					    errno, err);
		tell_device(t, m->name);
		return 0;
	}
	if (own(t, name, m, err) < 0)
		return -1;
	if (fchmodat(t->parent, name, m->mode, 0) < 0)
		return eb_tree_fail(t, m->name, "setting its mode", errno, err);
	return set_time(t, name, m, err);
}

int eb_tree_make(struct eb_tree *t, const struct eb_member *m, const char *name,
		 struct eb_stream *content, struct eb_error *err)
{
	switch (m->type) {
	case EB_MEMBER_FILE: return make_file(t, m, name, content, err);
	case EB_MEMBER_LINK: return make_link(t, m, name, err);
	default: return make_node(t, m, name, err);
	}
}
