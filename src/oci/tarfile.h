/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading tar: ustar, pax, GNU (long names, sparse files), v7. Names are
 * bytes and stay as they are; no locale counts. Bounded memory.
 */
#ifndef EB_OCI_TARFILE_H
#define EB_OCI_TARFILE_H

#include <envbuild/layout.h>
#include <envbuild/stream.h>

#define EB_TARFILE_BLOCK 512

struct eb_tarfile;

/* `in` is owned from here on; `name` is copied, for messages. */
struct eb_tarfile *eb_tarfile_open(struct eb_stream *in, const char *name);
/* A plain tar in a file: content that nobody reads is jumped over. fd is not
 * owned. */
struct eb_tarfile *eb_tarfile_open_fd(int fd, uint64_t size, const char *name);
/* 1 a member (it lives until the next call), 0 the end, -1. What is no tar:
 * EB_INPUT; what breaks off: EB_INTEGRITY. */
int eb_tarfile_next(struct eb_tarfile *t, const struct eb_member **out,
		    struct eb_error *err);
/* The member's content, owned by `t`, good until the next member. */
struct eb_stream *eb_tarfile_content(struct eb_tarfile *t);
/* Where the content begins in the file; false when it is not in one piece. */
bool eb_tarfile_offset(const struct eb_tarfile *t, uint64_t *offset);
/* Read to the end of the stream below: what stands behind the end blocks. */
int eb_tarfile_drain(struct eb_tarfile *t, struct eb_error *err);
void eb_tarfile_free(struct eb_tarfile *t);
EB_AUTOPTR(struct eb_tarfile, eb_tarfile_free)

#endif
