/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams of bytes that stack: each owns the one below it and frees it.
 *
 * eb_stream_read() gives 1 to n bytes, 0 at the end, -1 on an error; the
 * error sticks. Nobody may read a stream after -1.
 */
#ifndef EB_STREAM_H
#define EB_STREAM_H

#include <stdint.h>
#include <sys/types.h>

#include <envbuild/digest.h>
#include <envbuild/error.h>
#include <envbuild/mem.h>

struct eb_stream;

struct eb_stream_ops {
	ssize_t (*read)(void *state, void *p, size_t n, struct eb_error *err);
	void (*free)(void *state);
};

struct eb_stream *eb_stream_new(const struct eb_stream_ops *ops, void *state);
ssize_t eb_stream_read(struct eb_stream *s, void *p, size_t n,
		       struct eb_error *err);
/* Exactly n bytes; EB_INTEGRITY ("NAME" breaks off) when there are fewer. */
int eb_stream_read_all(struct eb_stream *s, void *p, size_t n, const char *name,
		       struct eb_error *err);
int eb_stream_skip(struct eb_stream *s, uint64_t n, const char *name,
		   struct eb_error *err);
void eb_stream_free(struct eb_stream *s);
EB_AUTOPTR(struct eb_stream, eb_stream_free)

/* Sources. `name` is copied, for messages. A file that has fewer than `size`
 * bytes is EB_INTEGRITY; UINT64_MAX reads to its end, wherever that is. */
struct eb_stream *eb_stream_fd(int fd, uint64_t offset, uint64_t size,
			       const char *name); /* by pread; fd not owned */
struct eb_stream *eb_stream_pipe(int fd, const char *name); /* by read */
struct eb_stream *eb_stream_mem(const void *p, size_t n);   /* not copied */

/* Filters; `below` is owned from here on. Corrupt data: EB_INTEGRITY that
 * names the stream. */
struct eb_stream *eb_stream_gunzip(struct eb_stream *below, const char *name);
/* window_log_max 27 covers every level up to 22 */
struct eb_stream *eb_stream_unzstd(struct eb_stream *below, int window_log_max,
				   const char *name);
struct eb_stream *eb_stream_bunzip2(struct eb_stream *below, const char *name);
/* gzip, zstd, bzip2 by their magic, otherwise as it is */
struct eb_stream *eb_stream_decompress(struct eb_stream *below,
				       const char *name);
/* More than `max` bytes: EB_INPUT, names `what` and the limit. */
struct eb_stream *eb_stream_limit(struct eb_stream *below, uint64_t max,
				  const char *what);
/* Hashes what passes; the sums are valid once read has given 0. `sha` and
 * `size` belong to the caller and must outlive the stream; `sha` is
 * initialised here. */
struct eb_stream *eb_stream_sha256(struct eb_stream *below,
				   struct eb_sha256 *sha, uint64_t *size);

#endif
