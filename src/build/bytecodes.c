/* SPDX-License-Identifier: Apache-2.0 */
/* Payloads become bytecode parts, by the environment's own interpreter. */
#include <string.h>

#include "build_private.h"

/* x/y.py -> x/__pycache__/y.cpython-37.pyc */
static char *bytecode_path(const char *py, const char *minor)
{
	const char *slash = strrchr(py, '/');
	const char *name = slash ? slash + 1 : py, *dot = strchr(minor, '.');
	size_t major = strcspn(minor, ".");

	return eb_asprintf("%.*s__pycache__/%.*s.cpython-%.*s%s.pyc",
			   (int)(name - py), py, (int)strlen(name) - 3, name,
			   (int)major, minor, dot ? dot + 1 : "");
}

/* Does another package with this path ship bytecode of it? */
static bool is_shipped(const struct eb_build *b, const struct eb_clash *c)
{
	eb_autofree char *pyc = bytecode_path(c->path, b->python_minor);

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
			eb_strv_take(out,
				     bytecode_path(c->path, b->python_minor));
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
			free(e->entry[i].path);
			free(e->entry[i].target);
			free(e->entry[i].note);
			continue;
		}
		e->entry[kept++] = e->entry[i];
	}
	e->n = kept;
}

struct job {
	struct eb_work *work;
	struct eb_interpreter *interpreter;
	struct eb_strv lost;
};

static int compile(struct job *job, struct eb_error *err)
{
	EB_CLEANUP(eb_entries_release) struct eb_entries entries = { 0 };
	struct eb_work *w = job->work;
	struct eb_build *b = w->build;
	const char *fn = w->package->record.fn;
	unsigned failed = 0;

	if (eb_bytecode_compile(job->interpreter, b->store, &w->payload, fn,
				&entries, &failed, err) < 0)
		return -1;
	if (job->lost.n)
		drop_lost(&entries, &job->lost);
	if (failed)
		eb_detail(b->events, "%u files of \"%s\" do not compile",
			  failed, fn);
	return eb_part_write(b->store, &b->compressor, EB_ITEM_PART,
			     &w->bytecode_key, &entries, fn, &w->bytecode, err);
}

static int compile_job(void *arg, struct eb_error *err)
{
	struct job *job = arg;
	const struct eb_record *r = &job->work->package->record;
	struct eb_event ev = { .type = EB_EV_TASK_BEGIN,
			       .name = r->fn,
			       .kind = "compile" };
	int rc;

	eb_emit(job->work->build->events, &ev);
	rc = compile(job, err);
	ev.type = EB_EV_TASK_END;
	eb_emit(job->work->build->events, &ev);
	job->work->have_bytecode = rc == 0;
	return rc;
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
		.servers = eb_pool_threads(b->pool),
		.memory_mib = (unsigned)(limit[EB_LIMIT_BUILD_MEMORY] >> 20),
		.cpu_s = (unsigned)limit[EB_LIMIT_BUILD_TIME],
	};

	payload[options.n++] = python->payload;
	for (size_t i = 0; i < b->n; i++)
		if (in[i] && &b->work[i] != python)
			payload[options.n++] = b->work[i].payload;
	return eb_interpreter_new(b->store, &options, b->events, out, err);
}

/* --- started while packages are still being packed -------------------------
 */
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
		if (in[i] && !b->work[i].have_payload)
			return;
	eb_pool_submit(b->pool, warm_job, b);
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
	rc = eb_store_find_item(b->store, EB_ITEM_PART, &w->bytecode_key,
				b->compressor.id, &w->bytecode, err);
	w->have_bytecode = rc > 0;
	return rc;
}

static int compile_all(struct eb_build *b, struct job *job, size_t n,
		       struct eb_error *err)
{
	EB_CLEANUP(eb_interpreter_free_ptr)
	struct eb_interpreter *interpreter = NULL;

	interpreter = eb_steal(b->warm);
	if (!interpreter && start_interpreter(b, &interpreter, err) < 0)
		return -1;
	eb_detail(b->events, "bytecode is compiled confined by %s",
		  eb_interpreter_way(interpreter));
	for (size_t i = 0; i < n; i++) {
		job[i].interpreter = interpreter;
		eb_pool_submit(b->pool, compile_job, &job[i]);
	}
	return eb_pool_wait(b->pool, err);
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
		    eb_part_paths(b->store, &w->bytecode, &w->bytecode_paths,
				  err) < 0)
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
	if (rc >= 0)
		rc = n ? compile_all(b, job, n, err) : 0;
	for (size_t i = 0; i < n; i++)
		eb_strv_release(&job[i].lost);
	return rc < 0 ? -1 : read_paths(b, err);
}
