/* SPDX-License-Identifier: Apache-2.0 */
/* Members of a layout folder or of a plain tar. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/str.h>

#include "source.h"
#include "tarfile.h"

#define MAX_MEMBERS 100000
#define MAX_LINKS 8

/* Without O_NONBLOCK a named pipe would hold us. */
int eb_open_regular(int dir, const char *path, const char *name, uint64_t *size,
		    struct eb_error *err)
{
	eb_autofd int fd =
		openat(dir, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return eb_err_errno(err, EB_OK, errno, "\"%s\", opening", name);
	if (!S_ISREG(st.st_mode))
		return eb_err_set(err, EB_INPUT, "\"%s\" is not a regular file",
				  name);
	*size = (uint64_t)st.st_size;
	return eb_steal_fd(&fd);
}

int eb_source_open_dir(struct eb_source *s, const char *path,
		       struct eb_error *err)
{
	*s = (struct eb_source)EB_SOURCE_INIT;
	s->dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->dir < 0)
		return eb_err_errno(err, EB_OK, errno, "\"%s\", opening", path);
	s->name = eb_strdup(path);
	return 0;
}

static void drop_last(struct eb_strv *s)
{
	free(s->v[--s->n]);
	s->v[s->n] = NULL;
}

/* Without "./" in front and without empty, "." and ".." components. */
static char *plain_name(const char *name)
{
	struct eb_strv in = { 0 }, out = { 0 };
	EB_AUTOBUF(text, EB_MAX_TEXT);
	size_t i;

	eb_strv_split(&in, name, "/");
	for (i = 0; i < in.n; i++) {
		if (strcmp(in.v[i], "..") == 0 && out.n)
			drop_last(&out);
		else if (*in.v[i] && strcmp(in.v[i], ".") != 0)
			eb_strv_add(&out, in.v[i]);
	}
	for (i = 0; i < out.n; i++)
		eb_buf_addf(&text, "%s%s", i ? "/" : "", out.v[i]);
	eb_strv_release(&in);
	eb_strv_release(&out);
	return eb_buf_steal(&text, NULL);
}

static char *link_name(const struct eb_member *m)
{
	const char *slash = strrchr(m->name, '/');
	eb_autofree char *joined = NULL;

	if (m->type == EB_MEMBER_HARD_LINK || !slash || *m->link == '/')
		return plain_name(m->link);
	joined = eb_asprintf("%.*s/%s", (int)(slash - m->name), m->name,
			     m->link);
	return plain_name(joined);
}

static int add_member(struct eb_source *s, const struct eb_tarfile *t,
		      const struct eb_member *m, struct eb_error *err)
{
	bool link = m->type == EB_MEMBER_LINK || m->type == EB_MEMBER_HARD_LINK;
	struct eb_source_member *to;

	if (!link && m->type != EB_MEMBER_FILE)
		return 0;
	if (s->n == MAX_MEMBERS)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" has more than %d members, the limit",
				  s->name, MAX_MEMBERS);
	EB_GROW(s->member, s->n, s->alloc);
	to = &s->member[s->n++];
	*to = (struct eb_source_member){ .name = plain_name(m->name),
					 .link = link ? link_name(m) : NULL,
					 .size = m->size };
	if (!eb_tarfile_offset(t, &to->offset))
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" holds \"%s\" as a sparse file",
				  s->name, m->name);
	return 0;
}

int eb_source_open_tar(struct eb_source *s, int fd, const char *name,
		       struct eb_error *err)
{
	EB_CLEANUP(eb_tarfile_free_ptr) struct eb_tarfile *t = NULL;
	const struct eb_member *m;
	struct stat st;
	int got;

	*s = (struct eb_source)EB_SOURCE_INIT;
	s->file = fd;
	s->name = eb_strdup(name);
	if (fstat(fd, &st) < 0) {
		eb_err_errno(err, EB_OK, errno, "\"%s\", reading", name);
		eb_source_release(s);
		return -1;
	}
	t = eb_tarfile_open_fd(fd, (uint64_t)st.st_size, name);
	while ((got = eb_tarfile_next(t, &m, err)) > 0) {
		got = add_member(s, t, m, err);
		if (got < 0)
			break;
	}
	if (got < 0)
		eb_source_release(s);
	return got;
}

void eb_source_release(struct eb_source *s)
{
	size_t i;

	for (i = 0; i < s->n; i++) {
		free(s->member[i].name);
		free(s->member[i].link);
	}
	free(s->member);
	free(s->name);
	eb_cleanup_fd(&s->dir);
	eb_cleanup_fd(&s->file);
	*s = (struct eb_source)EB_SOURCE_INIT;
}

void eb_piece_release(struct eb_piece *p)
{
	if (p->owned)
		eb_cleanup_fd(&p->fd);
	*p = (struct eb_piece)EB_PIECE_INIT;
}

/* As tar does, the last of two members of one name counts. */
static const struct eb_source_member *lookup(const struct eb_source *s,
					     const char *name)
{
	size_t i = s->n;

	while (i-- > 0) {
		if (strcmp(s->member[i].name, name) == 0)
			return &s->member[i];
	}
	return NULL;
}

static int find_in_tar(const struct eb_source *s, const char *name,
		       struct eb_piece *out)
{
	const struct eb_source_member *m = lookup(s, name);
	int links = 0;

	while (m && m->link && links++ < MAX_LINKS)
		m = lookup(s, m->link);
	if (!m || m->link)
		return 0;
	*out = (struct eb_piece){ s->file, false, m->offset, m->size };
	return 1;
}

int eb_source_find(const struct eb_source *s, const char *member,
		   struct eb_piece *out, struct eb_error *err)
{
	eb_autofree char *name = NULL;
	eb_autofree char *plain = plain_name(member);

	if (s->dir < 0)
		return find_in_tar(s, plain, out);
	name = eb_path_join(s->name, plain);
	if (faccessat(s->dir, plain, F_OK, 0) < 0 && errno == ENOENT)
		return 0;
	*out = (struct eb_piece)EB_PIECE_INIT;
	out->fd = eb_open_regular(s->dir, plain, name, &out->size, err);
	out->owned = true;
	return out->fd < 0 ? -1 : 1;
}

static int read_piece(const struct eb_piece *p, const char *name, size_t max,
		      struct eb_buf *out, struct eb_error *err)
{
	if (p->size > max || eb_buf_reserve(out, p->size) < 0)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\", reading: %" PRIu64
				  " bytes, where at most %zu are allowed",
				  name, p->size, max);
	if (eb_pread_all(p->fd, out->data + out->len, p->size, p->offset, name,
			 err) < 0)
		return -1;
	out->len += p->size;
	out->data[out->len] = '\0';
	return 0;
}

int eb_source_read(const struct eb_source *s, const char *member, size_t max,
		   struct eb_buf *out, struct eb_error *err)
{
	eb_autofree char *name = eb_path_join(s->name, member);
	struct eb_piece p = EB_PIECE_INIT;
	int got = eb_source_find(s, member, &p, err);

	if (got == 0)
		return eb_err_set(err, EB_INPUT, "\"%s\" has no \"%s\"",
				  s->name, member);
	if (got > 0)
		got = read_piece(&p, name, max, out, err);
	eb_piece_release(&p);
	return got;
}

static char *blob_name(const struct eb_digest *d)
{
	char hex[EB_HEX_SIZE];

	return eb_asprintf("blobs/sha256/%s", eb_digest_hex(d, hex));
}

int eb_source_blob(const struct eb_source *s, const struct eb_descriptor *d,
		   struct eb_piece *out, struct eb_error *err)
{
	eb_autofree char *name = blob_name(&d->digest);
	int got = eb_source_find(s, name, out, err);

	if (got == 0)
		return eb_err_set(err, EB_INPUT, "\"%s\" has no \"%s\"",
				  s->name, name);
	if (got > 0 && out->size != d->size) {
		got = eb_err_set(err, EB_INTEGRITY,
				 "\"%s/%s\" has %" PRIu64
				 " bytes, where %" PRIu64 " were declared",
				 s->name, name, out->size, d->size);
		eb_piece_release(out);
	}
	return got < 0 ? -1 : 0;
}

int eb_source_read_blob(const struct eb_source *s,
			const struct eb_descriptor *d, struct eb_buf *out,
			struct eb_error *err)
{
	eb_autofree char *member = blob_name(&d->digest);
	eb_autofree char *name = eb_path_join(s->name, member);
	struct eb_piece p = EB_PIECE_INIT;
	struct eb_digest have;
	int got = eb_source_blob(s, d, &p, err);

	if (got == 0)
		got = read_piece(&p, name, EB_MAX_MANIFEST, out, err);
	eb_piece_release(&p);
	if (got < 0)
		return -1;
	eb_sha256(out->data, out->len, &have);
	if (!eb_digest_equal(&have, &d->digest))
		return eb_err_set(err, EB_INTEGRITY,
				  "\"%s\" does not have the digest that it is "
				  "named by",
				  name);
	return 0;
}
