/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Into one tar: an OCI layout, for Docker with its manifest.json. The same
 * image gives the same bytes. Written beside, synced, renamed.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/json.h>
#include <envbuild/part.h>

#include "export.h"

#define BLOCK 512

struct out {
	struct eb_export *x;
	int fd;
};

static int put(struct out *o, const void *p, size_t n, struct eb_error *err)
{
	return eb_write_all(o->fd, p, n, o->x->path, err);
}

static int put_zeros(struct out *o, size_t n, struct eb_error *err)
{
	static const char zeros[2 * BLOCK];

	return put(o, zeros, n, err);
}

static int put_padding(struct out *o, uint64_t size, struct eb_error *err)
{
	return put_zeros(o, (BLOCK - size % BLOCK) % BLOCK, err);
}

static int put_header(struct out *o, char *name, uint64_t size,
		      struct eb_error *err)
{
	struct eb_entry entry = {
		.path = name, .type = EB_ENTRY_FILE, .mode = 0644, .size = size
	};
	EB_AUTOBUF(header, EB_MAX_TEXT);

	if (eb_tar_header(&header, &entry, err) < 0)
		return -1;
	return put(o, header.data, header.len, err);
}

static int put_text(struct out *o, const char *name, const char *text, size_t n,
		    struct eb_error *err)
{
	eb_autofree char *own = eb_strdup(name);

	if (put_header(o, own, n, err) < 0 || put(o, text, n, err) < 0)
		return -1;
	return put_padding(o, n, err);
}

static int put_blob(struct out *o, const struct eb_export_blob *b,
		    struct eb_error *err)
{
	char hex[EB_HEX_SIZE];
	eb_autofree char *name =
		eb_asprintf("blobs/sha256/%s", eb_digest_hex(&b->digest, hex));
	eb_autofd int from = eb_export_open(o->x, b, err);

	if (from < 0 || put_header(o, name, b->size, err) < 0 ||
	    eb_copy_fd(o->fd, from, 0, b->size, o->x->path, err) < 0)
		return -1;
	return put_padding(o, b->size, err);
}

static int put_texts(struct out *o, bool docker, struct eb_error *err)
{
	EB_AUTOBUF(index, EB_MAX_MANIFEST);
	EB_AUTOBUF(manifest, EB_MAX_MANIFEST);
	eb_autojson json_t *json = NULL;

	if (docker) {
		eb_export_docker_index(o->x, &index);
		eb_export_docker_manifest(o->x, &manifest);
	} else {
		json = eb_export_index(o->x, NULL);
		eb_json_canonical(json, &index);
	}
	if (put_text(o, "oci-layout", EB_OCI_LAYOUT, strlen(EB_OCI_LAYOUT),
		     err) < 0 ||
	    put_text(o, "index.json", index.data, index.len, err) < 0)
		return -1;
	if (!docker)
		return 0;
	return put_text(o, "manifest.json", manifest.data, manifest.len, err);
}

static int put_all(struct out *o, bool docker, struct eb_error *err)
{
	size_t i;

	if (put_texts(o, docker, err) < 0)
		return -1;
	for (i = 0; i < o->x->n; i++) {
		if (put_blob(o, &o->x->blob[i], err) < 0)
			return -1;
	}
	return put_zeros(o, 2 * BLOCK, err);
}

/* A device or a folder would not be written to but replaced. */
static int check_target(const char *path, struct eb_error *err)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return errno == ENOENT ? 0
				       : eb_err_errno(err, EB_OK, errno,
						      "\"%s\", writing", path);
	if (!S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode))
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" is there and not a file", path);
	return 0;
}

/* Without a name where that can be, so that a kill leaves nothing; *temp is
 * then NULL. */
static int open_beside(const char *path, char **temp, struct eb_error *err)
{
	const char *slash = strrchr(path, '/');
	eb_autofree char *dir =
		slash ? eb_strndup(path, (size_t)(slash - path) + 1)
		      : eb_strdup(".");
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0644);

	if (fd >= 0)
		return fd;
	*temp = eb_asprintf("%s.XXXXXX", path);
	fd = mkostemp(*temp, O_CLOEXEC);
	if (fd < 0) {
		eb_err_errno(err, EB_OK, errno,
			     "\"%s\", making a file beside it", path);
		free(eb_steal(*temp));
	}
	return fd;
}

static int give_name(int fd, const char *path, char **temp)
{
	char proc[64];
	unsigned try;

	snprintf(proc, sizeof proc, "/proc/self/fd/%d", fd);
	for (try = 0; try < 100; try++) {
		free(*temp);
		*temp = eb_asprintf("%s.%u.%u", path, (unsigned)getpid(), try);
		if (linkat(AT_FDCWD, proc, AT_FDCWD, *temp,
			   AT_SYMLINK_FOLLOW) == 0)
			return 0;
		if (errno != EEXIST)
			break;
	}
	free(eb_steal(*temp));
	return -1;
}

static int finish(struct out *o, char **temp, struct eb_error *err)
{
	const char *path = o->x->path;

	if (fchmod(o->fd, 0644) < 0 || fsync(o->fd) < 0)
		return eb_err_errno(err, EB_MACHINE, errno, "\"%s\", syncing",
				    path);
	if (!*temp && give_name(o->fd, path, temp) < 0)
		return eb_err_errno(err, EB_MACHINE, errno, "\"%s\", linking",
				    path);
	if (rename(*temp, path) < 0)
		return eb_err_errno(err, EB_MACHINE, errno,
				    "\"%s\", renaming to it", path);
	free(eb_steal(*temp));
	return 0;
}

int eb_export_archive(struct eb_export *x, bool docker, struct eb_error *err)
{
	eb_autofree char *temp = NULL;
	struct out o = { x, -1 };
	int got;

	if (check_target(x->path, err) < 0)
		return -1;
	o.fd = open_beside(x->path, &temp, err);
	if (o.fd < 0)
		return -1;
	got = put_all(&o, docker, err);
	if (got == 0)
		got = finish(&o, &temp, err);
	if (temp)
		unlink(temp);
	eb_cleanup_fd(&o.fd);
	return got;
}
