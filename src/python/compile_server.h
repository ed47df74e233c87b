/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One confined interpreter that compiles: our end of the protocol that stands
 * at the top of compile_worker.py.
 *
 *  1. eb_compile_server_start()
 *  2. by each worker, one thread a worker: a chunk: _begin(), _file() for
 *     each, _end()
 *  3. after any error: _stop(); no worker can be used any more
 */
#ifndef EB_COMPILE_SERVER_H
#define EB_COMPILE_SERVER_H

#include <pthread.h>

#include <envbuild/buf.h>
#include <envbuild/confine.h>
#include <envbuild/stream.h>

#define EB_SOURCE_MAX ((uint64_t)64 << 20)  /* of a file that is compiled */
#define EB_BYTECODE_MAX ((size_t)256 << 20) /* of its .pyc */
#define EB_WORKERS_MAX (EB_CONFINED_MORE + 1)

struct eb_compile_worker { /* a process of the server, and its pipes */
	struct eb_compile_server *server;
	int fd_in, fd_out;
	bool busy; /* the interpreter's */
};

struct eb_compile_server {
	/* set before start */
	unsigned memory_mib, cpu_s; /* of a process; 0: confine.h's */
	unsigned n;		    /* workers, 1 to EB_WORKERS_MAX */
	/* set by it */
	struct eb_confined c;
	struct eb_compile_worker *worker;
	char *program; /* "/opt/env/bin/python3.7" */
	char *ready;   /* what it said: "3.7 cpython-37 7f00..." */
	bool running;
	pthread_mutex_t lock; /* of how it ended */
	struct eb_error end;
};

/* root: scratch folder, seen at `at` */
int eb_compile_server_start(struct eb_compile_server *s, const char *root,
			    const char *at, const char *python_minor,
			    const char *tmp, struct eb_events *events,
			    struct eb_error *err);
int eb_compile_begin(struct eb_compile_worker *w, struct eb_error *err);
/* 1 compiled, `answer` is the .pyc; 0 it does not compile, `answer` says why;
 * -1 error. `path`: as it stands in the image, absolute. */
int eb_compile_file(struct eb_compile_worker *w, const char *path,
		    int64_t mtime, const void *source, uint64_t size,
		    struct eb_buf *answer, struct eb_error *err);
int eb_compile_end(struct eb_compile_worker *w, struct eb_error *err);
/* Started or not; `kill`: what it is doing is not waited for. Its memory is
 * zeroed. */
void eb_compile_server_stop(struct eb_compile_server *s, bool kill);

/* A write to a server that has ended must not kill this process: SIGPIPE is
 * kept from the calling thread until the guard is released. */
struct eb_pipe_guard {
	bool blocked; /* by us */
};
void eb_pipe_guard_take(struct eb_pipe_guard *g);
void eb_pipe_guard_release(struct eb_pipe_guard *g);

extern const char eb_compile_worker_py[], eb_compile_worker_2_py[];

#endif
