/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packages and wheels become payload layers and parts. What the store has is
 * taken from there; of the rest, archives are fetched (largest first) while
 * those that are there are packed, several at once. What has to be built from
 * source comes when all others are there.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/file.h>

#include "build_private.h"
#include "conda_settings.h"
#include "step.h"

enum eb_item_kind eb_payload_kind(const struct eb_work *w)
{
	return w->member->own ? EB_ITEM_LAYER : EB_ITEM_PART;
}

static void task(struct eb_work *w, enum eb_event_type type, const char *text)
{
	struct eb_event ev = { .type = type,
			       .name = w->file,
			       .kind = "pack",
			       .text = text,
			       .total = w->packed_size };

	eb_emit(w->build->events, &ev);
}

static void push_own(const struct eb_work *w)
{
	if (w->payload.kind == EB_ITEM_LAYER)
		eb_build_push(w->build, &w->payload, w->file);
}

static int pack_job(void *arg, struct eb_error *err)
{
	struct eb_work *w = arg;
	int rc;

	task(w, EB_EV_TASK_BEGIN, NULL);
	rc = w->package ? eb_pack_package(w, err)
			: eb_pack_wheel(w, w->fd, w->file, err);
	close(w->fd);
	w->fd = -1;
	w->have_payload = w->payload_here = rc == 0;
	w->failed = rc < 0;
	task(w, EB_EV_TASK_END, rc < 0 ? "stopped" : "");
	if (rc < 0)
		return -1;
	__atomic_add_fetch(&w->build->built->packed, w->payload.plain_size,
			   __ATOMIC_RELAXED);
	push_own(w);
	return 0;
}

/* --- where the archive comes from ---------------------------------------- */
static int open_local(struct eb_work *w, const char *path, struct eb_error *err)
{
	w->fd = open(path, O_RDONLY | O_CLOEXEC);
	w->failed = w->fd < 0;
	if (w->fd >= 0)
		return 0;
	eb_err_errno(err, EB_NETWORK, errno, "package \"%s\"", path);
	return eb_err_hint(err, "the channel's index names it: is the channel "
				"complete?");
}

static void fetched(void *data, struct eb_http_request *request)
{
	struct eb_work *w = data;

	w->failed = eb_err_is_set(&request->err);
	if (w->failed)
		return;
	__atomic_add_fetch(&w->build->built->fetched, request->received,
			   __ATOMIC_RELAXED);
	eb_pool_submit(w->build->pool, pack_job, w);
}

static int ask_for(struct eb_work *w, struct eb_error *err)
{
	w->fd = eb_unnamed_file(eb_store_tmp(w->build->store), err);
	if (w->fd < 0)
		return -1;
	w->request = (struct eb_http_request){
		.url = w->url,
		.task = w->file,
		.expect_size = w->packed_size,
		.max_bytes = w->packed_size,
		.fd = w->fd,
		.done = fetched,
		.data = w,
	};
	if (w->pin && eb_fetch_pin_way(w->build, &w->way, &w->request, err) < 0)
		return -1;
	if (!w->pin)
		eb_channel_way_ask(&w->ways.way[w->at], &w->request);
	eb_http_add(w->build->http, &w->request);
	return 0;
}

/* From a registry, which checks it by its sha256. */
static int oci_job(void *arg, struct eb_error *err)
{
	struct eb_work *w = arg;
	struct eb_record at = w->package->record;

	at.url = w->ways.way[w->at].shown;
	w->failed = eb_oci_package_get(w->build->channels, &at, w->fd, err) < 0;
	if (w->failed)
		return -1;
	__atomic_add_fetch(&w->build->built->fetched, w->packed_size,
			   __ATOMIC_RELAXED);
	return pack_job(w, err);
}

static int ask_registry(struct eb_work *w, struct eb_error *err)
{
	struct eb_build *b = w->build;

	if (!b->channels)
		b->channels = eb_channel_registry(NULL, b->config, b->events);
	w->fd = eb_unnamed_file(eb_store_tmp(b->store), err);
	if (w->fd < 0)
		return -1;
	eb_pool_submit(b->pool, oci_job, w);
	return 0;
}

/* "file:" before it is known. */
static const char *place_of(const struct eb_work *w)
{
	const char *url = w->ways.n ? w->ways.way[w->at].shown : w->url;

	return url ? url : "file:";
}

static int find_place(struct eb_work *w, struct eb_error *err)
{
	struct eb_build *b = w->build;

	if (w->pin && eb_pin_has_place(w->pin, err) < 0)
		return -1;
	if (w->pin && !w->url)
		w->url = eb_fetch_pin_url(b, w->pin);
	if (w->pin)
		return 0;
	if (!w->ways.n && eb_fetch_ways(b->config, b->env, &w->package->record,
					&w->ways, err) < 0)
		return -1;
	return eb_fetch_may_ask(b->config, place_of(w), err);
}

static int start(struct eb_work *w, struct eb_error *err)
{
	eb_autofree char *path = NULL;

	w->failed = false;
	if (find_place(w, err) < 0)
		return -1;
	path = eb_file_url_path(place_of(w));
	if (!path && w->package && eb_channel_is_oci(place_of(w)))
		return ask_registry(w, err);
	if (!path)
		return ask_for(w, err);
	if (open_local(w, path, err) < 0)
		return -1;
	eb_pool_submit(w->build->pool, pack_job, w);
	return 0;
}

/* --- all of them ------------------------------------------------------------
 */
static int larger_first(const void *a, const void *b)
{
	const struct eb_work *const *p = a, *const *q = b;
	uint64_t x = (*p)->packed_size, y = (*q)->packed_size;

	return x < y ? 1 : x > y ? -1 : 0;
}

static int find_cached(struct eb_work *w, struct eb_error *err)
{
	struct eb_build *b = w->build;
	int rc = eb_build_find(b, eb_payload_kind(w), &w->payload_key,
			       &w->payload, err);

	w->have_payload = rc > 0;
	if (rc > 0) {
		rc = eb_build_is_here(b, &w->payload, err);
		w->payload_here = rc > 0;
		push_own(w);
	}
	return rc < 0 ? -1 : 0;
}

static size_t missing(struct eb_build *b, struct eb_work **out)
{
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++)
		if (!b->work[i].have_payload && !b->work[i].left)
			out[n++] = &b->work[i];
	qsort(out, n, sizeof *out, larger_first);
	return n;
}

static void close_archives(struct eb_build *b)
{
	for (size_t i = 0; i < b->n; i++) {
		if (b->work[i].fd >= 0)
			close(b->work[i].fd);
		b->work[i].fd = -1;
	}
}

/* The first request that went wrong, in order of the packages; all of them
 * are released. */
static void request_error(struct eb_build *b, struct eb_error *err)
{
	for (size_t i = 0; i < b->n; i++) {
		struct eb_work *w = &b->work[i];

		if (!eb_err_is_set(err) && eb_err_is_set(&w->request.err))
			eb_err_move(err, &w->request.err);
		eb_http_request_release(&w->request);
		eb_index_way_release(&w->way);
	}
}

static int look_at(struct eb_work *w, struct eb_error *err)
{
	struct eb_build *b = w->build;

	if (w->looked_at)
		return 0;
	if (eb_build_paths(b, &w->payload, &w->paths, err) < 0)
		return -1;
	if (w->package)
		eb_link_facts(&w->paths, &w->package->record, &b->target,
			      &w->facts);
	w->placed = w->payload;
	w->looked_at = true;
	return 0;
}

/* At those that are there, while the others are packed. What goes wrong here
 * is said in its turn. */
static void look_ahead(struct eb_build *b, struct eb_work **todo, size_t n)
{
	eb_autofree bool *packed = eb_calloc(b->n + 1, sizeof *packed);

	for (size_t i = 0; i < n; i++)
		packed[todo[i] - b->work] = true;
	for (size_t i = 0; i < b->n; i++) {
		struct eb_error later EB_CLEANUP(eb_err_release) =
			EB_ERROR_INIT;

		if (!packed[i] && b->work[i].have_payload &&
		    look_at(&b->work[i], &later) < 0)
			eb_entries_release(&b->work[i].paths);
	}
}

/* What came of one round: what packing said counts before the network. */
struct round {
	struct eb_error pack, fetch;
};

/* Until all are packed or one error is there; pool and loop are idle then. */
static int run_round(struct eb_build *b, struct eb_work **todo, size_t n,
		     struct round *r)
{
	struct eb_error loop = EB_ERROR_INIT;
	int rc = 0;

	for (size_t i = 0; i < n && rc == 0; i++)
		rc = start(todo[i], &r->fetch);
	if (eb_http_run(b->http, &loop) < 0 && rc == 0)
		eb_err_move(&r->fetch, &loop);
	eb_err_release(&loop);
	look_ahead(b, todo, n);
	rc = eb_pool_wait(b->pool, &r->pack);
	request_error(b, &r->fetch);
	close_archives(b);
	return rc < 0 || eb_err_is_set(&r->fetch) ? -1 : 0;
}

static void round_error(struct round *r, struct eb_error *err)
{
	if (eb_err_is_set(&r->pack))
		eb_err_move(err, &r->pack);
	else
		eb_err_move(err, &r->fetch);
	eb_err_release(&r->pack);
	eb_err_release(&r->fetch);
}

/* Bytes with a wrong digest are fetched once more, if they came by network. */
static bool worth_another_try(struct eb_work **todo, size_t n,
			      const struct round *r)
{
	bool any = false;

	if (r->pack.code != EB_INTEGRITY)
		return false;
	for (size_t i = 0; i < n; i++)
		any = any || !eb_starts(place_of(todo[i]), "file:");
	return any;
}

/* Those that a mirror did not give are asked for at the next one. */
static bool fall_over(struct eb_build *b, struct eb_work **todo, size_t n,
		      struct round *r)
{
	const struct eb_error *why =
		eb_err_is_set(&r->pack) ? &r->pack : &r->fetch;
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		struct eb_work *w = todo[i];

		if (!w->failed || w->have_payload || w->at + 1 >= w->ways.n)
			continue;
		w->at++;
		if (!any)
			eb_warn(b->events, "%s; \"%s\" is asked instead",
				why->message, place_of(w));
		any = true;
	}
	return any;
}

static int run_again(struct eb_build *b, struct eb_work **todo, size_t *n,
		     struct round *r)
{
	eb_err_release(&r->pack);
	eb_err_release(&r->fetch);
	*n = missing(b, todo);
	return run_round(b, todo, *n, r);
}

static int make_missing(struct eb_build *b, struct eb_error *err)
{
	eb_autofree struct eb_work **todo =
		eb_calloc(b->n + 1, sizeof(struct eb_work *));
	size_t n = missing(b, todo);
	struct round r = { 0 };
	int rc;

	if (n)
		eb_build_warm(b);
	rc = run_round(b, todo, n, &r);
	while (rc < 0 && fall_over(b, todo, n, &r))
		rc = run_again(b, todo, &n, &r);
	if (rc < 0 && worth_another_try(todo, n, &r)) {
		eb_warn(b->events, "%s; fetching once more", r.pack.message);
		rc = run_again(b, todo, &n, &r);
	}
	if (rc < 0)
		round_error(&r, err);
	return rc;
}

/* --- what a payload needs of this build ------------------------------------
 */
static void tell_left(const struct eb_work *w, const char *kind)
{
	eb_warn(w->build->events, "the %s of \"%s\" is not run", kind, w->file);
}

static int check_link_scripts(struct eb_work *w, struct eb_error *err)
{
	const char *policy = w->build->lock->post_link;
	const char *kind =
		w->facts.pre_link ? "pre-link script" : "post-link script";

	if (!strcmp(policy, "skip")) {
		tell_left(w, kind);
		return 0;
	}
	if (!strcmp(policy, "error"))
		eb_err_set(err, EB_REFUSED,
			   "package \"%s\" has a %s, which "
			   "--post-link=error refuses",
			   w->file, kind);
	else if (w->facts.pre_link)
		eb_err_set(err, EB_MACHINE,
			   "package \"%s\" has a pre-link script, which "
			   "nothing can run where packages are not unpacked "
			   "first",
			   w->file);
	else
		return 0; /* post_link.c runs it */
	return eb_err_hint(err, "--post-link=skip builds without it");
}

static int check_scripts(struct eb_work *w, struct eb_error *err)
{
	if (w->facts.n_activate && !strcmp(w->build->lock->activation, "none"))
		tell_left(w, "activation");
	if (!w->facts.post_link && !w->facts.pre_link)
		return 0;
	return check_link_scripts(w, err);
}

/* --- what has to be built from source ---------------------------------------
 */
static int build_one(struct eb_work *w, struct eb_error *err)
{
	eb_autofree char *file = NULL;
	eb_autofd int fd = -1;
	struct eb_digest result;

	if (eb_step_wheel(w->build, w->pin, &fd, &file, &result, err) < 0)
		return -1;
	task(w, EB_EV_TASK_BEGIN, NULL);
	w->have_payload = eb_pack_wheel(w, fd, file, err) == 0;
	w->payload_here = w->have_payload;
	task(w, EB_EV_TASK_END, w->have_payload ? "" : "stopped");
	if (!w->have_payload)
		return -1;
	__atomic_add_fetch(&w->build->built->packed, w->payload.plain_size,
			   __ATOMIC_RELAXED);
	push_own(w);
	return 0;
}

/* Those that need nothing of the environment come first, for the others may
 * need them. */
static int build_missing(struct eb_build *b, bool isolated,
			 struct eb_error *err)
{
	for (size_t i = 0; i < b->n; i++) {
		struct eb_work *w = &b->work[i];

		if (w->left && !w->have_payload &&
		    w->pin->build->isolated == isolated &&
		    build_one(w, err) < 0)
			return -1;
	}
	return 0;
}

static bool is_built(const struct eb_work *w)
{
	return w->pin && w->pin->source != EB_PIN_WHEEL;
}

static int all_payloads(struct eb_build *b, struct eb_error *err)
{
	for (size_t i = 0; i < b->n; i++) {
		if (find_cached(&b->work[i], err) < 0)
			return -1;
		b->work[i].left = b->work[i].left || is_built(&b->work[i]);
	}
	return make_missing(b, err);
}

int eb_build_some_payloads(struct eb_build *b,
			   bool (*wanted)(const struct eb_work *w),
			   struct eb_error *err)
{
	for (size_t i = 0; i < b->n; i++)
		b->work[i].left = !wanted(&b->work[i]);
	if (all_payloads(b, err) < 0)
		return -1;
	for (size_t i = 0; i < b->n; i++)
		if (!b->work[i].left && look_at(&b->work[i], err) < 0)
			return -1;
	return 0;
}

int eb_build_find_payloads(struct eb_build *b, struct eb_error *err)
{
	for (size_t i = 0; i < b->n; i++) {
		struct eb_work *w = &b->work[i];

		if (find_cached(w, err) < 0)
			return -1;
		if (!w->have_payload)
			w->placed = w->payload = (struct eb_item){
				.kind = eb_payload_kind(w),
				.key = w->payload_key,
			};
		else if (look_at(w, err) < 0)
			return -1;
	}
	return 0;
}

int eb_build_payloads(struct eb_build *b, struct eb_error *err)
{
	if (all_payloads(b, err) < 0 || build_missing(b, true, err) < 0 ||
	    build_missing(b, false, err) < 0)
		return -1;
	for (size_t i = 0; i < b->n; i++)
		if (look_at(&b->work[i], err) < 0 ||
		    (b->work[i].package && check_scripts(&b->work[i], err) < 0))
			return -1;
	return 0;
}
