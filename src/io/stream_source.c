/* SPDX-License-Identifier: Apache-2.0 */
/* Streams that begin somewhere: a part of a file, a piece of memory. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/stream.h>

struct fd_source {
	int fd;
	uint64_t offset, left;
	char *name;
};

static ssize_t read_fd(void *state, void *p, size_t n, struct eb_error *err)
{
	struct fd_source *s = state;
	ssize_t got;

	if (n > s->left)
		n = s->left;
	if (n == 0)
		return 0;
	do
		got = pread(s->fd, p, n, (off_t)s->offset);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return eb_err_errno(err, EB_MACHINE, errno, "\"%s\", reading",
				    s->name);
	if (got == 0 && s->left != UINT64_MAX)
		return eb_err_set(err, EB_INTEGRITY,
				  "\"%s\" breaks off at byte %" PRIu64, s->name,
				  s->offset);
	s->offset += (uint64_t)got;
	if (s->left != UINT64_MAX)
		s->left -= (uint64_t)got;
	return got;
}

static void free_fd(void *state)
{
	struct fd_source *s = state;

	free(s->name);
	free(s);
}

struct eb_stream *eb_stream_fd(int fd, uint64_t offset, uint64_t size,
			       const char *name)
{
	static const struct eb_stream_ops ops = { read_fd, free_fd };
	struct fd_source *s = eb_malloc(sizeof *s);

	*s = (struct fd_source){ fd, offset, size, eb_strdup(name) };
	return eb_stream_new(&ops, s);
}

static ssize_t read_pipe(void *state, void *p, size_t n, struct eb_error *err)
{
	struct fd_source *s = state;
	ssize_t got;

	do
		got = read(s->fd, p, n);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return eb_err_errno(err, EB_MACHINE, errno, "\"%s\", reading",
				    s->name);
	return got;
}

struct eb_stream *eb_stream_pipe(int fd, const char *name)
{
	static const struct eb_stream_ops ops = { read_pipe, free_fd };
	struct fd_source *s = eb_malloc(sizeof *s);

	*s = (struct fd_source){ fd, 0, UINT64_MAX, eb_strdup(name) };
	return eb_stream_new(&ops, s);
}

struct mem_source {
	const char *at;
	size_t left;
};

static ssize_t read_mem(void *state, void *p, size_t n, struct eb_error *err)
{
	struct mem_source *s = state;

	(void)err;
	if (n > s->left)
		n = s->left;
	if (n)
		memcpy(p, s->at, n);
	s->at += n;
	s->left -= n;
	return (ssize_t)n;
}

struct eb_stream *eb_stream_mem(const void *p, size_t n)
{
	static const struct eb_stream_ops ops = { read_mem, free };
	struct mem_source *s = eb_malloc(sizeof *s);

	*s = (struct mem_source){ p ? p : "", n };
	return eb_stream_new(&ops, s);
}
