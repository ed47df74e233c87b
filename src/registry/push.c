/* SPDX-License-Identifier: Apache-2.0 */
/* Blobs into a repository, in the background: a queue and a few threads. */
#include <string.h>

#include <envbuild/mem.h>

#include "push_int.h"

#define AT_ONCE 6 /* as many as a host is given anyhow */

struct job {
	struct eb_push *push;
	struct eb_blob_ref blob;
	bool fresh; /* made just now: it is not looked for */
	void *data; /* its bytes, or NULL */
	char *task;
};

struct eb_push *eb_push_new(struct eb_registry *registry,
			    struct eb_repository *to, struct eb_store *store,
			    struct eb_events *events)
{
	struct eb_push *p = eb_calloc(1, sizeof *p);

	p->registry = registry;
	p->to = to;
	p->store = store;
	p->events = events;
	pthread_mutex_init(&p->mutex, NULL);
	p->pool = eb_pool_new(AT_ONCE);
	return p;
}

static void free_job(void *arg)
{
	struct job *job = arg;

	free(job->data);
	free(job->task);
	free(job);
}

void eb_push_forget(struct eb_push *p, const struct eb_digest *d)
{
	pthread_mutex_lock(&p->mutex);
	eb_digests_remove(&p->seen, d);
	pthread_mutex_unlock(&p->mutex);
}

static void drop_job(void *arg)
{
	struct job *job = arg;

	eb_push_forget(job->push, &job->blob.digest);
	free_job(job);
}

/* With the mutex held. */
static void count(struct eb_push_totals *t, enum eb_push_way way, uint64_t size)
{
	if (way == EB_PUSH_THERE)
		t->n_there++;
	if (way == EB_PUSH_MOUNTED)
		t->n_mounted++;
	if (way == EB_PUSH_SENT) {
		t->n_sent++;
		t->sent += size;
	}
	if (way == EB_PUSH_COPIED) {
		t->n_copied++;
		t->copied += size;
	}
}

static void note_done(struct eb_push *p, const struct job *job,
		      enum eb_push_way way)
{
	static const char *const how[] = { "", "is there", "mounted", "sent",
					   "copied" };
	struct eb_event ev = { .type = EB_EV_TOTAL, .name = "push" };

	pthread_mutex_lock(&p->mutex);
	if (!job->data) {
		count(&p->totals, way, job->blob.size);
		eb_digests_add(&p->fresh, &job->blob.digest);
	}
	ev.done = ++p->done;
	ev.total = p->queued;
	pthread_mutex_unlock(&p->mutex);
	eb_emit(p->events, &ev);
	eb_detail(p->events, "%s: %s %s", eb_repository_text(p->to), job->task,
		  how[way]);
}

static int do_job(const struct job *job, enum eb_push_way *way,
		  struct eb_error *err)
{
	*way = EB_PUSH_NOT;
	if (atomic_load(&job->push->ending))
		return 0;
	if (!job->fresh)
		return eb_push_one(job->push, &job->blob, job->data, job->task,
				   way, err);
	*way = EB_PUSH_SENT;
	return eb_push_send(job->push, &job->blob, job->data, job->task, err);
}

static int run_job(void *arg, struct eb_error *err)
{
	struct job *job = arg;
	struct eb_push *p = job->push;
	enum eb_push_way way;
	int rc = do_job(job, &way, err);

	if (rc < 0)
		eb_push_forget(p, &job->blob.digest);
	else if (way != EB_PUSH_NOT)
		note_done(p, job, way);
	free_job(job);
	return rc;
}

/* `like` is copied, with what it points to. */
static void queue(struct eb_push *p, const struct job *like)
{
	const struct eb_digest *d = &like->blob.digest;
	struct job *job;
	bool fresh;

	pthread_mutex_lock(&p->mutex);
	fresh = eb_digests_add(&p->seen, d);
	if (fresh)
		p->queued++;
	pthread_mutex_unlock(&p->mutex);
	if (!fresh)
		return;
	job = eb_calloc(1, sizeof *job);
	*job = *like;
	job->push = p;
	job->task = like->task ? eb_strdup(like->task) : eb_blob_task(d);
	if (like->data)
		job->data = eb_memdup(like->data, (size_t)like->blob.size);
	eb_pool_submit_owned(p->pool, run_job, job, drop_job);
}

void eb_push_blob(struct eb_push *p, const struct eb_digest *d, uint64_t size,
		  const char *task)
{
	const struct job job = { .blob = { *d, size }, .task = (char *)task };

	queue(p, &job);
}

void eb_push_data(struct eb_push *p, const struct eb_digest *d,
		  const void *data, uint64_t size, const char *task)
{
	const struct job job = { .blob = { *d, size },
				 .data = (void *)data,
				 .task = (char *)task };

	queue(p, &job);
}

void eb_push_fresh(struct eb_push *p, const struct eb_digest *d,
		   const void *data, uint64_t size, const char *task)
{
	const struct job job = { .blob = { *d, size },
				 .fresh = true,
				 .data = (void *)data,
				 .task = (char *)task };

	queue(p, &job);
}

static void note_fresh(struct eb_push *p, const struct eb_digest *d)
{
	pthread_mutex_lock(&p->mutex);
	eb_digests_add(&p->fresh, d);
	pthread_mutex_unlock(&p->mutex);
}

int eb_push_now(struct eb_push *p, const struct eb_digest *d, const void *data,
		uint64_t size, struct eb_error *err)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv place = { 0 };
	const struct eb_blob_ref blob = { *d, size };

	if (eb_blob_source_find(p->store, d, &place, err) < 0)
		return -1;
	if (!eb_push_mount(p, &blob, &place) &&
	    eb_push_send(p, &blob, data, NULL, err) < 0)
		return -1;
	note_fresh(p, d);
	return 0;
}

void eb_push_first(struct eb_push *p)
{
	p->first = true;
}

void eb_push_known(struct eb_push *p, const struct eb_digest *d)
{
	pthread_mutex_lock(&p->mutex);
	eb_digests_add(&p->seen, d);
	eb_digests_add(&p->fresh, d);
	pthread_mutex_unlock(&p->mutex);
}

/* A hint for later: a push that went well does not fail for it. */
void eb_push_remember(struct eb_push *p, const struct eb_digests *there)
{
	struct eb_error err = EB_ERROR_INIT;

	if (eb_blob_source_put(p->store, eb_repository_text(p->to), there->v,
			       there->n, &err) < 0)
		eb_detail(p->events, "%s", err.message);
	eb_err_release(&err);
}

int eb_push_wait(struct eb_push *p, struct eb_error *err)
{
	EB_CLEANUP(eb_digests_release) struct eb_digests fresh = { 0 };
	int rc = eb_pool_wait(p->pool, err);

	pthread_mutex_lock(&p->mutex);
	fresh = p->fresh;
	memset(&p->fresh, 0, sizeof p->fresh);
	pthread_mutex_unlock(&p->mutex);
	eb_push_remember(p, &fresh);
	return rc;
}

void eb_push_totals(const struct eb_push *p, struct eb_push_totals *out)
{
	struct eb_push *open = (struct eb_push *)p;

	pthread_mutex_lock(&open->mutex);
	*out = p->totals;
	pthread_mutex_unlock(&open->mutex);
}

/* A transfer that is under way is not cut off: it ends by itself, well or
 * not. */
void eb_push_free(struct eb_push *p)
{
	if (!p)
		return;
	atomic_store(&p->ending, true);
	eb_pool_free(p->pool);
	pthread_mutex_destroy(&p->mutex);
	eb_digests_release(&p->seen);
	eb_digests_release(&p->fresh);
	free(p);
}
