/* SPDX-License-Identifier: Apache-2.0 */
/* Packages of channels that are in a registry of containers. */
#include "channel_oci.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/mem.h>
#include <envbuild/record.h>

#define SCHEME "oci://"

bool eb_channel_is_oci(const char *url)
{
	return eb_starts(url, SCHEME);
}

int eb_channel_oci_open(struct eb_registry *registry, const char *dir_url,
			const char *name, struct eb_repository **out,
			struct eb_error *err)
{
	const char *rest = dir_url + strlen(SCHEME);
	size_t n = strcspn(rest, "/");
	eb_autofree char *host = eb_strndup(rest, n);
	/* No repository's name begins with "_". */
	eb_autofree char *path =
		eb_asprintf("%s%s%s", rest[n] ? rest + n + 1 : "",
			    *name == '_' ? "zzz" : "", name);

	if (!registry)
		return eb_err_set(err, EB_NETWORK,
				  "\"%s%s\": downloading: nobody may be asked",
				  dir_url, name);
	return eb_repository_open(registry, host, path, out, err);
}

static int write_at(void *data, const void *p, size_t n, uint64_t offset,
		    struct eb_error *err)
{
	int fd = *(int *)data;

	if (!offset && ftruncate(fd, 0) < 0)
		return eb_err_errno(err, EB_MACHINE, errno, "writing a blob");
	for (const char *from = p; n;) {
		ssize_t done = pwrite(fd, from, n, (off_t)offset);

		if (done < 0 && errno != EINTR)
			return eb_err_errno(err, EB_MACHINE, errno,
					    "writing a blob");
		if (done < 0)
			continue;
		from += done;
		n -= (size_t)done;
		offset += (uint64_t)done;
	}
	return 0;
}

int eb_channel_oci_blob(struct eb_repository *repo, const struct eb_digest *d,
			uint64_t size, const char *task, int fd,
			struct eb_error *err)
{
	return eb_blob_get(repo, d, size, task, write_at, &fd, err);
}

int eb_oci_package_get(struct eb_registry *registry, const struct eb_record *r,
		       int fd, struct eb_error *err)
{
	eb_autofree char *dir =
		eb_strndup(r->url, strlen(r->url) - strlen(r->fn));
	struct eb_repository *repo;
	int got;

	if (!r->has_sha256)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\": downloading: its record has no "
				  "sha256, by which a registry is asked",
				  r->url);
	if (eb_channel_oci_open(registry, dir, r->name, &repo, err) < 0)
		return -1;
	got = eb_channel_oci_blob(repo, &r->sha256, r->size, r->fn, fd, err);
	if (got != 0)
		return got < 0 ? -1 : 0;
	return eb_err_set(err, EB_NETWORK,
			  "\"%s\": downloading: not there (404)", r->url);
}
