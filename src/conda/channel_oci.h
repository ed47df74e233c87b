/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Channels in a registry of containers, oci://HOST/PATH: a repository
 * PATH/SUBDIR/NAME for each package, whose blobs are the files, and
 * PATH/SUBDIR/repodata.json, whose tag "latest" has the records.
 */
#ifndef EB_CHANNEL_OCI_H
#define EB_CHANNEL_OCI_H

#include <envbuild/channel.h>
#include <envbuild/registry.h>

/* The repository of `name` in the folder (a subdir's URL, "/" at its end). */
int eb_channel_oci_open(struct eb_registry *registry, const char *dir_url,
			const char *name, struct eb_repository **out,
			struct eb_error *err);
/* A blob to a file, from its start; 1, 0 not there, -1. */
int eb_channel_oci_blob(struct eb_repository *repo, const struct eb_digest *d,
			uint64_t size, const char *task, int fd,
			struct eb_error *err);

#endif
