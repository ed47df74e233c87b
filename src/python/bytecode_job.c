/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytecode of one payload: its sources, read once and gathered into
 * chunks, which threads of the pool compile.
 *
 * Where a chunk ends depends on the sources and their sizes alone, for what a
 * file becomes depends on those that the same process compiled before it.
 * Who compiles a chunk, and when, makes no difference.
 */
#include <stdlib.h>
#include <string.h>

#include "bytecode_chunk.h"

/* A fork costs about as much as compiling 10 kB. Chunks are 1, 2, 4 or 8,
 * and about equal, so that no processor of several waits for another. */
#define CHUNK_SIZE ((uint64_t)256 << 10)
#define CHUNKS_MAX 8

struct run {
	struct eb_bytecode_job *job;
	struct eb_interpreter *i;
	struct eb_entries paths;
	char *library;	       /* "opt/env/lib/python3.7" */
	struct eb_strv linked; /* sources that links lead to */
	uint64_t size, taken;  /* of all sources, in bytes */
	unsigned n_chunks;
	struct eb_chunk *filling;
	pthread_mutex_t lock; /* of what follows and of the job's results */
	unsigned pending;     /* chunks on their way, and who gathers them */
	bool failed;
};

static void does_not_compile(void *owner, const char *path, const char *why)
{
	struct run *r = owner;

	eb_detail(r->i->events, "\"%s\": \"%s\" does not compile: %s",
		  r->job->what, path, why);
	pthread_mutex_lock(&r->lock);
	r->job->n_failed++;
	pthread_mutex_unlock(&r->lock);
}

static int compiled(void *owner, const struct eb_source *source,
		    const struct eb_buf *pyc, struct eb_error *err)
{
	struct run *r = owner;
	int rc;

	pthread_mutex_lock(&r->lock);
	rc = eb_entries_add_file(&r->job->out, source->pyc, 0644,
				 EB_FIXED_MTIME, pyc->data, pyc->len, err);
	pthread_mutex_unlock(&r->lock);
	return rc;
}

static int compile_chunk(struct run *r, const struct eb_chunk *c,
			 struct eb_error *err)
{
	const struct eb_chunk_use use = { r->i, compiled, does_not_compile };

	if (eb_chunk_compile(c, &use, err) == 0)
		return 0;
	if (err->code == EB_STEP)
		eb_err_hint(err, "--pyc=none builds without bytecode");
	return eb_err_prefix(err, "\"%s\"", r->job->what);
}

/* --- the end ---------------------------------------------------------------
 */
static void release(struct run *r)
{
	pthread_mutex_destroy(&r->lock);
	eb_chunk_free(r->filling);
	eb_entries_release(&r->paths);
	eb_strv_release(&r->linked);
	free(r->library);
	free(r);
}

/* Whoever comes last has the job's own end to do. */
static int leave(struct run *r, int rc, struct eb_error *err)
{
	struct eb_bytecode_job *job = r->job;
	bool last, failed;

	pthread_mutex_lock(&r->lock);
	r->failed |= rc < 0;
	failed = r->failed;
	last = --r->pending == 0;
	pthread_mutex_unlock(&r->lock);
	if (!last)
		return rc;
	release(r);
	if (!failed && eb_entries_sort(&job->out, job->what, err) < 0)
		failed = true, rc = -1;
	if (job->done(job, !failed, err) < 0)
		rc = -1;
	eb_entries_release(&job->out);
	return rc;
}

/* --- chunks for others -----------------------------------------------------
 */
static struct run *take_on(struct eb_chunk *c)
{
	struct run *r = c->owner;

	__atomic_sub_fetch(&r->i->n_waiting, 1, __ATOMIC_RELAXED);
	return r;
}

static int chunk_job(void *arg, struct eb_error *err)
{
	EB_CLEANUP(eb_chunk_free_ptr) struct eb_chunk *c = arg;
	struct run *r = take_on(c);

	return leave(r, compile_chunk(r, c, err), err);
}

static void drop_chunk(void *arg)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_CLEANUP(eb_chunk_free_ptr) struct eb_chunk *c = arg;

	leave(take_on(c), -1, &ignored);
}

/* Only so many wait, for they wait in memory. */
static bool give_away(struct run *r, struct eb_chunk *c)
{
	unsigned *waiting = &r->i->n_waiting, most = 2 * r->i->n_workers;

	if (!r->job->pool || r->i->n_workers < 2)
		return false;
	if (__atomic_add_fetch(waiting, 1, __ATOMIC_RELAXED) > most) {
		__atomic_sub_fetch(waiting, 1, __ATOMIC_RELAXED);
		return false;
	}
	pthread_mutex_lock(&r->lock);
	r->pending++;
	pthread_mutex_unlock(&r->lock);
	eb_pool_submit_owned(r->job->pool, chunk_job, c, drop_chunk);
	return true;
}

/* The last one is this thread's: it has nothing else to do. */
static int end_chunk(struct run *r, bool last, struct eb_error *err)
{
	EB_CLEANUP(eb_chunk_free_ptr)
	struct eb_chunk *c = eb_steal(r->filling);

	if (!c)
		return 0;
	if (!last && give_away(r, c)) {
		c = NULL;
		return 0;
	}
	return compile_chunk(r, c, err);
}

/* --- gathering -------------------------------------------------------------
 */
/* A long name gets longer. */
static bool fits(const char *path, const char *what)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	return eb_path_check(path, what, &err) == 0;
}

static int add_source(struct run *r, const struct eb_entry *e,
		      const struct eb_entry *file, char *pyc, char *text,
		      struct eb_error *err)
{
	uint64_t before = r->taken * r->n_chunks;
	const struct eb_source source = { .path = eb_asprintf("/%s", e->path),
					  .pyc = pyc,
					  .mtime = file->mtime,
					  .text = text,
					  .size = file->size };

	if (!r->filling) {
		r->filling = eb_calloc(1, sizeof *r->filling);
		r->filling->owner = r;
	}
	eb_chunk_add(r->filling, &source);
	r->taken += file->size;
	if (!r->size || before / r->size == r->taken * r->n_chunks / r->size)
		return 0;
	return end_chunk(r, r->taken >= r->size, err);
}

/* One source under one name: its own, or that of a link to it. */
static int take_as(struct run *r, const struct eb_entry *e,
		   const struct eb_entry *file, struct eb_stream *content,
		   struct eb_error *err)
{
	eb_autofree char *pyc =
		eb_bytecode_path(&r->paths, e, r->library, r->i->minor);
	eb_autofree char *text = NULL;

	if (!pyc)
		return 0;
	if (!fits(pyc, r->job->what)) {
		does_not_compile(r, e->path, "the name is too long");
		return 0;
	}
	if (file->size > EB_SOURCE_MAX) {
		does_not_compile(r, e->path, "it is larger than 64 MiB");
		return 0;
	}
	text = eb_malloc(file->size + 1);
	if (eb_stream_read_all(content, text, file->size, e->path, err) < 0)
		return -1;
	return add_source(r, e, file, eb_steal(pyc), eb_steal(text), err);
}

/* A file that links lead to is compiled once for each of its names. */
static int take_linked(struct run *r, const struct eb_entry *file,
		       struct eb_stream *content, struct eb_error *err)
{
	eb_autofree char *text = eb_malloc(file->size + 1);

	if (eb_stream_read_all(content, text, file->size, file->path, err) < 0)
		return -1;
	for (size_t k = 0; k < r->paths.n; k++) {
		const struct eb_entry *e = &r->paths.entry[k];
		EB_CLEANUP(eb_stream_free_ptr) struct eb_stream *again = NULL;

		if (eb_source_of(&r->paths, e) != file)
			continue;
		again = eb_stream_mem(text, file->size);
		if (take_as(r, e, file, again, err) < 0)
			return -1;
	}
	return 0;
}

static int take(void *data, const struct eb_entry *e, struct eb_stream *content,
		struct eb_error *err)
{
	struct run *r = data;
	const struct eb_entry *file = eb_entries_find(&r->paths, e->path);

	if (e->type != EB_ENTRY_FILE || !file)
		return 0;
	if (file->size <= EB_SOURCE_MAX && eb_strv_has(&r->linked, e->path))
		return take_linked(r, file, content, err);
	return take_as(r, e, e, content, err);
}

static void measure(struct run *r)
{
	r->size = 0;
	for (size_t k = 0; k < r->paths.n; k++) {
		const struct eb_entry *e = &r->paths.entry[k];
		eb_autofree char *pyc =
			eb_bytecode_path(&r->paths, e, r->library, r->i->minor);

		if (pyc)
			r->size += eb_source_of(&r->paths, e)->size;
	}
	r->n_chunks = 1;
	while (r->n_chunks < CHUNKS_MAX && r->size > r->n_chunks * CHUNK_SIZE)
		r->n_chunks *= 2;
}

static int gather(struct run *r, struct eb_error *err)
{
	const struct eb_bytecode_job *job = r->job;

	if (eb_part_paths(job->store, job->payload, &r->paths, err) < 0)
		return -1;
	eb_linked_sources(&r->paths, r->library, &r->linked);
	measure(r);
	if (eb_part_walk_with(job->store, job->payload, &r->paths, take, r,
			      err) < 0)
		return -1;
	return end_chunk(r, true, err);
}

int eb_bytecode_run(struct eb_bytecode_job *job, struct eb_error *err)
{
	struct run *r = eb_calloc(1, sizeof *r);

	r->job = job;
	r->i = job->interpreter;
	r->library = eb_python_library(r->i->prefix, r->i->minor);
	r->pending = 1;
	pthread_mutex_init(&r->lock, NULL);
	job->n_failed = 0;
	return leave(r, gather(r, err), err);
}
