/* SPDX-License-Identifier: Apache-2.0 */
/* What interpreter.c, interpreter_unpack.c and bytecode.c share. */
#ifndef EB_INTERPRETER_H
#define EB_INTERPRETER_H

#include <pthread.h>

#include <envbuild/bytecode.h>
#include <envbuild/str.h>

#include "compile_server.h"

struct eb_interpreter {
	char *prefix, *minor, *tag; /* "/opt/env", "3.7", "cpython-37" */
	char *tmp, *dir, *root; /* dir: ours or NULL; root: seen at prefix */
	const char *way;
	unsigned memory_mib, cpu_s; /* of a process */
	unsigned n_workers;
	struct eb_events *events;
	pthread_mutex_t lock;
	pthread_cond_t freed;
	struct eb_compile_server server;
	unsigned n_busy, n_waiting; /* workers; chunks that wait for a thread */
	bool ill;		    /* a worker ended badly */
};

/* Write the interpreter, its library and its shared libraries below root. */
int eb_interpreter_unpack(struct eb_interpreter *i, struct eb_store *store,
			  const struct eb_item *payload, size_t n,
			  struct eb_error *err);
/* interpreter_tree.c: the same for the first n payloads, from the store where
 * it was unpacked before; sets root, and dir where the tree is this build's
 * alone. */
int eb_interpreter_tree(struct eb_interpreter *i, struct eb_store *store,
			const struct eb_interpreter_options *o, size_t n,
			struct eb_error *err);
/* A worker that nobody else uses; waits for one. */
int eb_interpreter_borrow(struct eb_interpreter *i,
			  struct eb_compile_worker **out, struct eb_error *err);
/* `well` false: it ended or its state is unknown. */
void eb_interpreter_give_back(struct eb_interpreter *i,
			      struct eb_compile_worker *w, bool well);

/* "cpython-37" of "3.7"; caller frees */
char *eb_cache_tag(const char *python_minor);
/* "opt/env/lib/python3.7"; the library is there, or with a "t" behind it when
 * the interpreter is free-threaded */
char *eb_python_library(const char *prefix, const char *python_minor);
/* What follows the library's folder in a path below it, else NULL. */
const char *eb_in_library(const char *path, const char *library);
/* Path of the bytecode of an entry, where it is a source without one of its
 * own; else NULL. */
char *eb_bytecode_path(const struct eb_entries *paths, const struct eb_entry *e,
		       const char *library, const char *python_minor);

/* bytecode_links.c: the file that an entry is or leads to within its payload
 * (NULL: none), and the files below the library that links lead to, sorted. */
const struct eb_entry *eb_source_of(const struct eb_entries *paths,
				    const struct eb_entry *e);
void eb_linked_sources(const struct eb_entries *paths, const char *library,
		       struct eb_strv *out);

#endif
