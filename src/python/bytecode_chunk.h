/* SPDX-License-Identifier: Apache-2.0 */
/* A chunk: sources in memory, compiled one after the other by one fork. */
#ifndef EB_BYTECODE_CHUNK_H
#define EB_BYTECODE_CHUNK_H

#include "interpreter.h"

struct eb_source {
	char *path; /* "/opt/env/lib/python3.7/x.py" */
	char *pyc;  /* path of its bytecode in the payload */
	int64_t mtime;
	char *text;
	uint64_t size;
};

struct eb_chunk {
	struct eb_source *source;
	size_t n, alloc;
	void *owner;
};

/* `failed` is called for a source that does not compile. */
struct eb_chunk_use {
	struct eb_interpreter *interpreter;
	int (*compiled)(void *owner, const struct eb_source *source,
			const struct eb_buf *pyc, struct eb_error *err);
	void (*failed)(void *owner, const char *path, const char *why);
};

void eb_chunk_add(struct eb_chunk *c, const struct eb_source *source);
int eb_chunk_compile(const struct eb_chunk *c, const struct eb_chunk_use *use,
		     struct eb_error *err);
void eb_chunk_free(struct eb_chunk *c);
EB_AUTOPTR(struct eb_chunk, eb_chunk_free)

#endif
