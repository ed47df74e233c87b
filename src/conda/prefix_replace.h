/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prefix replacement as a pass from a source that can be read anywhere to a
 * sink, with memory for a window of it only.
 */
#ifndef EB_PREFIX_REPLACE_H
#define EB_PREFIX_REPLACE_H

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>

#include <envbuild/error.h>

#define EB_PREFIX_WINDOW (256 << 10)
#define EB_PREFIX_ENCODINGS 5 /* UTF-8, UTF-16 LE and BE, UTF-32 LE and BE */

struct eb_prefix_source {
	int (*read)(void *data, uint64_t offset, void *p, size_t n,
		    struct eb_error *err);
	void *data;
	uint64_t size;
};
struct eb_prefix_sink {
	int (*add)(void *data, const void *p, size_t n, struct eb_error *err);
	void *data;
};
struct eb_prefix_job {
	const char *placeholder, *prefix;
	bool text;
	const char *what; /* for messages: the package */
	const char *path; /* the file, or NULL */
	size_t window;	  /* bytes held at once; 0: EB_PREFIX_WINDOW */
};

/* Which encodings of the placeholder occur, as bits; in texts bit 0 is set
 * always, for the first line may have to change. */
int eb_prefix_look(const struct eb_prefix_job *job,
		   const struct eb_prefix_source *source, unsigned *found,
		   struct eb_error *err);
/* One encoding replaced. One after the other gives what
 * eb_prefix_replace() gives. */
int eb_prefix_pass(const struct eb_prefix_job *job, unsigned encoding,
		   const struct eb_prefix_source *source,
		   const struct eb_prefix_sink *sink, struct eb_error *err);

#endif
