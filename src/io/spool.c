/* SPDX-License-Identifier: Apache-2.0 */
/* A spool: the first bytes in memory, the rest in an unnamed file. */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/spool.h>

struct eb_spool {
	char *dir;
	size_t memory; /* this much at most in `data` */
	char *data;
	size_t len, alloc;
	int fd; /* -1 until the first byte goes there */
	uint64_t in_file;
};

struct eb_spool *eb_spool_new(const char *dir, size_t memory)
{
	struct eb_spool *s = eb_calloc(1, sizeof *s);

	s->dir = eb_strdup(dir);
	s->memory = memory;
	s->fd = -1;
	return s;
}

static void grow(struct eb_spool *s, size_t want)
{
	size_t alloc = s->alloc ? s->alloc : 4096;

	while (alloc < want)
		alloc *= 2;
	if (alloc > s->memory)
		alloc = s->memory;
	s->data = eb_realloc(s->data, alloc, 1);
	s->alloc = alloc;
}

static void add_to_memory(struct eb_spool *s, const void *p, size_t n)
{
	if (s->len + n > s->alloc)
		grow(s, s->len + n);
	memcpy(s->data + s->len, p, n);
	s->len += n;
}

static int add_to_file(struct eb_spool *s, const void *p, size_t n,
		       struct eb_error *err)
{
	if (s->fd < 0)
		s->fd = eb_unnamed_file(s->dir, err);
	if (s->fd < 0)
		return -1;
	if (eb_write_all(s->fd, p, n, s->dir, err) < 0)
		return -1;
	s->in_file += n;
	return 0;
}

int eb_spool_add(struct eb_spool *s, const void *p, size_t n,
		 struct eb_error *err)
{
	size_t room = s->memory - s->len, head = n < room ? n : room;

	if (head)
		add_to_memory(s, p, head);
	if (n == head)
		return 0;
	return add_to_file(s, (const char *)p + head, n - head, err);
}

uint64_t eb_spool_size(const struct eb_spool *s)
{
	return s->len + s->in_file;
}

int eb_spool_read(struct eb_spool *s, uint64_t offset, void *p, size_t n,
		  struct eb_error *err)
{
	uint64_t size = eb_spool_size(s);
	size_t head = 0;

	if (offset > size || n > size - offset)
		return eb_err_set(
			err, EB_INTEGRITY,
			"a spool in \"%s\" breaks off: it has %" PRIu64
			" bytes",
			s->dir, size);
	if (offset < s->len) {
		head = s->len - offset < n ? s->len - offset : n;
		memcpy(p, s->data + offset, head);
	}
	if (n == head)
		return 0;
	return eb_pread_all(s->fd, (char *)p + head, n - head,
			    offset + head - s->len, s->dir, err);
}

void eb_spool_free(struct eb_spool *s)
{
	if (!s)
		return;
	if (s->fd >= 0)
		close(s->fd);
	free(s->data);
	free(s->dir);
	free(s);
}
