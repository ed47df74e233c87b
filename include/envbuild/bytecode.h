/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytecode: .pyc of a payload's .py files, by the environment's own
 * interpreter, which compiles and imports nothing of the packages (DESIGN
 * "Layers", .pyc). Unchecked-hash (PEP 552) from Python 3.7 on, time stamp
 * before: that of the source, which has it in the layer too. CPython 2.7 and
 * from 3.5 on, free-threaded builds too.
 *
 * An interpreter is unpacked once for a build from the payloads of `python`
 * and its dependencies into a scratch folder; it runs confined (confine.h), as
 * a server with a worker a thread, which forks for each chunk of files.
 */
#ifndef EB_BYTECODE_H
#define EB_BYTECODE_H

#include <stdbool.h>

#include <envbuild/entry.h>
#include <envbuild/error.h>
#include <envbuild/event.h>
#include <envbuild/part.h>
#include <envbuild/pool.h>
#include <envbuild/store.h>

struct eb_interpreter;

struct eb_interpreter_options {
	const char *prefix;	  /* "/opt/env" */
	const char *python_minor; /* "3.7" */
	/* of python, which comes first, and of what it depends on: unpacked
	 * only when python does not start alone */
	const struct eb_item *payload;
	size_t n;
	const char *tmp;
	unsigned workers;	    /* how many chunks at once */
	unsigned memory_mib, cpu_s; /* of a process; 0: as in confine.h */
};
/* EB_MACHINE when it cannot run here; the hint names --pyc=none. */
int eb_interpreter_new(struct eb_store *store,
		       const struct eb_interpreter_options *options,
		       struct eb_events *events, struct eb_interpreter **out,
		       struct eb_error *err);
void eb_interpreter_free(struct eb_interpreter *i);
EB_AUTOPTR(struct eb_interpreter, eb_interpreter_free)
const char *eb_interpreter_way(const struct eb_interpreter *i);

/* Where Python looks for the bytecode of this source ("x/y.py"):
 * "x/__pycache__/y.cpython-313.pyc" (PEP 3147), free-threaded or not; with
 * Python 2 "x/y.pyc". Caller frees. */
char *eb_bytecode_place(const char *source, const char *python_minor);
/* Does the payload hold anything to compile? (.py below lib/pythonX.Y, or
 * lib/pythonX.Yt, without a .pyc of its own; from the path list alone.) */
bool eb_bytecode_wanted(const struct eb_entries *payload, const char *prefix,
			const char *python_minor);
/* `interpreter`: what the interpreter is made of. It is more than the sha256
 * of its own package, for it loads libraries of what that depends on: another
 * library in its place must not give bytecode under the same key. */
void eb_bytecode_key(const struct eb_digest *payload_key,
		     const struct eb_digest *interpreter,
		     struct eb_digest *key);
/* What a cached payload holds, compiled in chunks whose bounds depend on the
 * payload alone. Files that do not compile are left out and counted (detail
 * event). */
struct eb_bytecode_job {
	struct eb_interpreter *interpreter;
	struct eb_store *store;
	struct eb_pool *pool; /* chunks go to its threads; NULL: to none */
	const struct eb_item *payload;
	const char *what; /* the package, for messages */
	/* Called once, when all is done, perhaps by another thread; the job
	 * may be freed after it came back. Without `ok` nothing is to be
	 * made of it, and no error to be set: there is one. */
	int (*done)(struct eb_bytecode_job *job, bool ok, struct eb_error *err);
	void *data; /* of the caller */
	/* filled; `out`, sorted by path, is released after done() */
	struct eb_entries out;
	unsigned n_failed;
};
/* Comes back when all chunks are compiled or given to the pool, of which the
 * caller may be a thread. Thread-safe: waits for a free worker. */
int eb_bytecode_run(struct eb_bytecode_job *job, struct eb_error *err);

#endif
