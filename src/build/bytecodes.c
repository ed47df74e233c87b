/* SPDX-License-Identifier: Apache-2.0 */
/* Payloads become bytecode parts, by the environment's own interpreter. */
#include <string.h>

#include "build_private.h"

/* Does another package with this path ship bytecode of it? */
static bool is_shipped(const struct eb_build *b, const struct eb_clash *c)
{
	eb_autofree char *pyc = eb_bytecode_place(c->path, b->python_minor);

	for (size_t i = 0; i < c->n; i++)
		if (c->member[i] != c->winner &&
		    eb_entries_find(&b->work[c->member[i]].paths, pyc))
			return true;
	return false;
}

/* Paths of this package whose bytecode is left out: those that another one
 * wins, for it would be the loser's; and where the loser ships bytecode, for
 * that stays, and a path is there once. */
static void lost_paths(const struct eb_work *w, struct eb_strv *out)
{
	const struct eb_build *b = w->build;
	size_t me = (size_t)(w - b->work);

	for (size_t i = 0; i < b->clashes.n; i++) {
		const struct eb_clash *c = &b->clashes.clash[i];
		bool mine = false;

		for (size_t j = 0; j < c->n; j++)
			mine |= c->member[j] == me;
		if (mine && eb_ends(c->path, ".py") &&
		    (c->winner != me || is_shipped(b, c)))
			eb_strv_take(out, eb_bytecode_place(c->path,
							    b->python_minor));
	}
}

static void key_of(struct eb_work *w, const struct eb_strv *lost)
{
	struct eb_build *b = w->build;
	struct eb_keyer k;

	eb_bytecode_key(&w->payload_key, &b->interpreter, &w->bytecode_key);
	if (!lost->n)
		return;
	eb_key_begin(&k, "envbuild reduced bytecode 2");
	eb_key_digest(&k, &w->bytecode_key);
	for (size_t i = 0; i < lost->n; i++)
		eb_key_text(&k, lost->v[i]);
	eb_key_end(&k, &w->bytecode_key);
}

static void drop_lost(struct eb_entries *e, const struct eb_strv *lost)
{
	size_t kept = 0;

	for (size_t i = 0; i < e->n; i++) {
		if (eb_in_sorted(lost, e->entry[i].path)) {
			eb_entry_release(&e->entry[i]);
			continue;
		}
		e->entry[kept++] = e->entry[i];
	}
	e->n = kept;
}

struct job {
	struct eb_work *work;
	struct eb_strv lost;
	struct eb_bytecode_job compile;
};

static void task(const struct job *job, enum eb_event_type type)
{
	struct eb_event ev = { .type = type,
			       .name = job->work->file,
			       .kind = "compile" };

	eb_emit(job->work->build->events, &ev);
}

static int write_part(struct job *job, struct eb_error *err)
{
	struct eb_work *w = job->work;
	struct eb_build *b = w->build;
	const char *fn = w->file;

	if (job->lost.n)
		drop_lost(&job->compile.out, &job->lost);
	if (job->compile.n_failed)
		eb_detail(b->events, "%u files of \"%s\" do not compile",
			  job->compile.n_failed, fn);
	return eb_part_write(b->store, &b->compressor, EB_ITEM_PART,
			     &w->bytecode_key, &job->compile.out, fn,
			     &w->bytecode, err);
}

static int compiled(struct eb_bytecode_job *compile, bool ok,
		    struct eb_error *err)
{
	struct job *job = compile->data;
	int rc = ok ? write_part(job, err) : 0;

	task(job, EB_EV_TASK_END);
	job->work->have_bytecode = ok && rc == 0;
	return rc;
}

static int compile_job(void *arg, struct eb_error *err)
{
	struct job *job = arg;

	task(job, EB_EV_TASK_BEGIN);
	if (eb_build_bring(job->work->build, &job->work->payload, 1, err) < 0)
		return -1;
	return eb_bytecode_run(&job->compile, err);
}

static bool all_here(struct eb_build *b, const struct eb_item *payload,
		     size_t n)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	for (size_t i = 0; i < n; i++)
		if (eb_build_is_here(b, &payload[i], &ignored) <= 0)
			return false;
	return true;
}

/* Of payloads that lie in a registry python's alone is fetched, where it
 * starts alone. */
static int new_interpreter(struct eb_build *b, struct eb_interpreter_options *o,
			   struct eb_interpreter **out, struct eb_error *err)
{
	struct eb_error alone EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	size_t n = o->n;

	if (b->known && !all_here(b, o->payload, n)) {
		o->n = 1;
		if (eb_build_bring(b, o->payload, 1, err) < 0)
			return -1;
		if (eb_interpreter_new(b->store, o, b->events, out, &alone) ==
		    0)
			return 0;
		o->n = n;
	}
	if (eb_build_bring(b, o->payload, n, err) < 0)
		return -1;
	return eb_interpreter_new(b->store, o, b->events, out, err);
}

static int start_interpreter(struct eb_build *b, struct eb_interpreter **out,
			     struct eb_error *err)
{
	const struct eb_work *python = eb_find_work(b, "python");
	eb_autofree bool *in = eb_interpreter_closure(b);
	eb_autofree struct eb_item *payload =
		eb_calloc(b->n + 1, sizeof *payload);
	const uint64_t *limit = b->config->limit;
	struct eb_interpreter_options options = {
		.prefix = b->lock->prefix,
		.python_minor = b->python_minor,
		.payload = payload,
		.tmp = eb_store_tmp(b->store),
		.workers = eb_pool_threads(b->pool),
		.memory_mib = (unsigned)(limit[EB_LIMIT_BUILD_MEMORY] >> 20),
		.cpu_s = (unsigned)limit[EB_LIMIT_BUILD_TIME],
	};

	payload[options.n++] = python->payload;
	for (size_t i = 0; i < b->n; i++)
		if (in[i] && &b->work[i] != python)
			payload[options.n++] = b->work[i].payload;
	return new_interpreter(b, &options, out, err);
}

/* --- started while packages are still being packed, and stopped while the
 * rest is done; both by a thread that mostly waits ------------------------- */
static struct eb_pool *aside(struct eb_build *b)
{
	if (!b->aside)
		b->aside = eb_pool_new(1);
	return b->aside;
}

static int stop_job(void *arg, struct eb_error *err)
{
	(void)err;
	eb_interpreter_free(arg);
	return 0;
}

static void stop_interpreter(struct eb_build *b, struct eb_interpreter *i)
{
	eb_pool_submit(aside(b), stop_job, i);
}

void eb_build_cool(struct eb_build *b)
{
	if (!b->aside)
		return;
	eb_pool_free(b->aside);
	b->aside = NULL;
	if (b->warm)
		eb_interpreter_free(eb_steal(b->warm));
}

static int warm_job(void *arg, struct eb_error *err)
{
	struct eb_error later EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	struct eb_build *b = arg;

	(void)err; /* what is wrong is said where the interpreter is needed */
	if (start_interpreter(b, &b->warm, &later) < 0)
		b->warm = NULL;
	return 0;
}

void eb_build_warm(struct eb_build *b)
{
	eb_autofree bool *in = eb_interpreter_closure(b);

	if (strcmp(b->lock->pyc, "compile"))
		return;
	for (size_t i = 0; i < b->n; i++)
		if (in[i] &&
		    (!b->work[i].have_payload || !b->work[i].payload_here))
			return;
	eb_pool_submit(aside(b), warm_job, b);
}

static int find_cached(struct eb_work *w, struct job *job, struct eb_error *err)
{
	struct eb_build *b = w->build;
	int rc;

	job->work = w;
	if (!eb_bytecode_wanted(&w->paths, b->lock->prefix, b->python_minor))
		return 1;
	lost_paths(w, &job->lost);
	eb_strv_sort(&job->lost);
	key_of(w, &job->lost);
	rc = eb_build_find(b, EB_ITEM_PART, &w->bytecode_key, &w->bytecode,
			   err);
	w->have_bytecode = rc > 0;
	return rc;
}

static int compile_all(struct eb_build *b, struct job *job, size_t n,
		       struct eb_error *err)
{
	struct eb_interpreter *interpreter;
	int rc;

	if (b->aside && eb_pool_wait(b->aside, err) < 0)
		return -1;
	interpreter = eb_steal(b->warm);
	if (!interpreter && start_interpreter(b, &interpreter, err) < 0)
		return -1;
	eb_detail(b->events, "bytecode is compiled confined by %s",
		  eb_interpreter_way(interpreter));
	for (size_t i = 0; i < n; i++) {
		job[i].compile = (struct eb_bytecode_job){
			.interpreter = interpreter,
			.store = b->store,
			.pool = b->pool,
			.payload = &job[i].work->payload,
			.what = job[i].work->file,
			.done = compiled,
			.data = &job[i],
		};
		eb_pool_submit(b->pool, compile_job, &job[i]);
	}
	rc = eb_pool_wait(b->pool, err);
	stop_interpreter(b, interpreter);
	return rc;
}

/* Of a plan: an interpreter would be started, and read the payloads. */
static int foresee(struct eb_build *b, struct job *job, size_t n,
		   struct eb_error *err)
{
	const struct eb_work *python = eb_find_work(b, "python");
	struct eb_item from[2] = { python->payload };

	for (size_t i = 0; i < n; i++) {
		struct eb_work *w = job[i].work;

		from[1] = w->payload;
		if (eb_foresee(b, EB_ITEM_PART, &w->bytecode_key, from, 2,
			       &w->bytecode, err) < 0)
			return -1;
		w->have_bytecode = true;
	}
	return 0;
}

static int larger_first(const void *a, const void *b)
{
	uint64_t x = ((const struct job *)a)->work->payload.plain_size;
	uint64_t y = ((const struct job *)b)->work->payload.plain_size;

	return x < y ? 1 : x > y ? -1 : 0;
}

static int read_paths(struct eb_build *b, struct eb_error *err)
{
	for (size_t i = 0; i < b->n; i++) {
		struct eb_work *w = &b->work[i];

		if (w->have_bytecode &&
		    eb_build_paths(b, &w->bytecode, &w->bytecode_paths, err) <
			    0)
			return -1;
	}
	return 0;
}

int eb_build_bytecodes(struct eb_build *b, struct eb_error *err)
{
	eb_autofree struct job *job = eb_calloc(b->n + 1, sizeof *job);
	size_t n = 0;
	int rc = 0;

	if (strcmp(b->lock->pyc, "compile"))
		return 0;
	eb_interpreter_identity(b, &b->interpreter);
	for (size_t i = 0; i < b->n && rc >= 0; i++) {
		rc = find_cached(&b->work[i], &job[n], err);
		if (rc == 0)
			n++;
		else
			eb_strv_release(&job[n].lost);
	}
	qsort(job, n, sizeof *job, larger_first);
	if (rc >= 0 && b->foreseen)
		rc = foresee(b, job, n, err);
	else if (rc >= 0)
		rc = n ? compile_all(b, job, n, err) : 0;
	for (size_t i = 0; i < n; i++)
		eb_strv_release(&job[i].lost);
	return rc < 0 ? -1 : b->foreseen ? 0 : read_paths(b, err);
}
