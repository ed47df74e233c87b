/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytecode: .pyc of a payload's .py files, by the environment's own
 * interpreter, which compiles and imports nothing of the packages (DESIGN
 * "Layers", .pyc). Unchecked-hash (PEP 552) from Python 3.7 on, time stamp
 * before.
 *
 * An interpreter is unpacked once for a build from the payloads of `python`
 * and its dependencies into a scratch folder; it runs confined (confine.h),
 * one server a thread, one fork of it a package.
 */
#ifndef EB_BYTECODE_H
#define EB_BYTECODE_H

#include <stdbool.h>

#include <envbuild/entry.h>
#include <envbuild/error.h>
#include <envbuild/event.h>
#include <envbuild/part.h>
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
	unsigned servers;	    /* how many packages at once */
	unsigned memory_mib, cpu_s; /* of a server; 0: as in confine.h */
};
/* EB_MACHINE when it cannot run here; the hint names --pyc=none. */
int eb_interpreter_new(struct eb_store *store,
		       const struct eb_interpreter_options *options,
		       struct eb_events *events, struct eb_interpreter **out,
		       struct eb_error *err);
void eb_interpreter_free(struct eb_interpreter *i);
EB_AUTOPTR(struct eb_interpreter, eb_interpreter_free)
const char *eb_interpreter_way(const struct eb_interpreter *i);

/* Does the payload hold anything to compile? (.py below lib/pythonX.Y without
 * a .pyc of its own; from the path list alone.) */
bool eb_bytecode_wanted(const struct eb_entries *payload, const char *prefix,
			const char *python_minor);
/* `interpreter`: what the interpreter is made of. It is more than the sha256
 * of its own package, for it loads libraries of what that depends on: another
 * library in its place must not give bytecode under the same key. */
void eb_bytecode_key(const struct eb_digest *payload_key,
		     const struct eb_digest *interpreter,
		     struct eb_digest *key);
/* Compile what a cached payload holds into entries (sorted by path). Files
 * that do not compile are left out and counted (detail event). Thread-safe:
 * waits for a free server. */
int eb_bytecode_compile(struct eb_interpreter *i, struct eb_store *store,
			const struct eb_item *payload, const char *what,
			struct eb_entries *out, unsigned *n_failed,
			struct eb_error *err);

#endif
