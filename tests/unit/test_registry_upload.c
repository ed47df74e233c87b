/* SPDX-License-Identifier: Apache-2.0 */
/* Blobs sent to a registry that fails, refuses and forgets as it is told to
 * (tests/fixtures/registry.py). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/mman.h>

#include "registry/registry_int.h"

#include "registry_work.h"

#define SIZE ((size_t)300000)

static struct strict_registry one, two;
static char *dir;

/* --- what most tests begin with ----------------------------------- */

struct work {
	struct eb_events *events;
	unsigned begun, ended;
	uint64_t done;
	struct eb_registry *r;
	struct eb_repository *repo;
	char *bytes;
	size_t size;
	struct eb_digest d;
	struct eb_error err;
};

static void listen(void *data, const struct eb_event *ev)
{
	struct work *w = data;

	w->begun += ev->type == EB_EV_TASK_BEGIN;
	w->ended += ev->type == EB_EV_TASK_END;
	if (ev->type == EB_EV_TASK_STEP || ev->type == EB_EV_TASK_END)
		w->done = ev->done;
}

static void work_begin(struct work *w, size_t size, const char *ways)
{
	static const struct eb_registry_options quick = {
		.backoff_ms = 10,
		.stall_s = 5,
		.token_dir = "",
	};

	memset(w, 0, sizeof *w);
	strict_forget(&one);
	strict_forget(&two);
	strict_change(&one, "PUT", "ways",
		      "put-max=none\nlocation=absolute\nmount=works\n"
		      "mount-unknown=202\nchunks=any\nchunk-max=none\n");
	if (ways)
		strict_change(&one, "PUT", "ways", ways);
	w->events = eb_events_new(listen, w);
	w->r = eb_registry_new(&quick, w->events);
	w->repo = work_open(w->r, one.host, "up/loads");
	w->size = size;
	w->bytes = work_bytes(size, size);
	eb_sha256(w->bytes, size, &w->d);
}

static int put(struct work *w)
{
	struct eb_blob_source source = { .data = w->bytes,
					 .size = w->size,
					 .task = "blob" };

	return eb_blob_put(w->repo, &w->d, &source, &w->err);
}

static void assert_there(struct work *w)
{
	EB_AUTOBUF(text, 64 << 20);

	assert_answer(eb_blob_read(w->repo, &w->d, w->size, &text, &w->err), 1,
		      &w->err);
	assert_int_equal(text.len, w->size);
	assert_memory_equal(text.data, w->bytes, w->size);
}

/* Nothing is open, nothing was done that the standard forbids. */
static void work_end(struct work *w)
{
	assert_no_violation(&one);
	assert_no_violation(&two);
	assert_int_equal(strict_uploads(&one), 0);
	free(w->bytes);
	eb_registry_free(w->r);
	eb_events_free(w->events);
	assert_int_equal(w->begun, w->ended);
}

/* --- as it should be ---------------------------------------------- */

static void test_put(void **state)
{
	struct work w;

	(void)state;
	work_begin(&w, SIZE, NULL);
	assert_answer(put(&w), 0, &w.err);
	assert_there(&w);
	assert_int_equal(strict_asked(&one, "POST", "/uploads/", 202), 1);
	assert_int_equal(strict_asked(&one, "PUT", "/uploads/", 201), 1);
	assert_int_equal(strict_asked(&one, "PATCH", "", 0), 0);
	work_end(&w);
}

static void test_location(void **state)
{
	static const char *const how[] = {
		"[{'method': 'POST', 'location': 'relative'}]",
		"[{'method': 'POST', 'location': 'other'}]",
		"[{'method': 'POST', 'redirect': 1}]",
		"[{'method': 'PUT', 'redirect': 1}]",
		"[{'method': 'PUT', 'redirect': 'relative'}]",
		"[{'method': 'POST', 'as': 200}]",
		"[{'method': 'PUT', 'as': 204}]",
		"[{'method': 'PUT', 'set': {'Docker-Content-Digest': null}}]",
	};
	struct work w;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof how / sizeof *how; i++) {
		work_begin(&w, SIZE, NULL);
		strict_faults(&one, how[i]);
		assert_answer(put(&w), 0, &w.err);
		assert_there(&w);
		work_end(&w);
	}
}

static void test_no_location(void **state)
{
	struct work w;

	(void)state;
	work_begin(&w, SIZE, NULL);
	strict_faults(&one, "[{'method': 'POST', 'location': 'none'}]");
	assert_int_equal(put(&w), -1);
	assert_error(&w.err, EB_NETWORK, "has no Location");
	strict_forget(&one);
	strict_faults(&one, "[{'method': 'POST', "
			    "'set': {'Location': 'http://10.1.2.3/x'}}]");
	assert_int_equal(put(&w), -1);
	assert_error(&w.err, EB_REFUSED, "private network");
	strict_forget(&one);
	strict_faults(&one, "[{'method': 'PUT', 'redirect': 'self', "
			    "'times': 0}]");
	assert_int_equal(put(&w), -1);
	assert_error(&w.err, EB_NETWORK, "(307)");
	strict_forget(&one);
	work_end(&w);
}

/* --- the ladder --------------------------------------------------- */

static void test_stream(void **state)
{
	struct work w;

	(void)state;
	work_begin(&w, SIZE, "put-max=100000\n");
	assert_answer(put(&w), 0, &w.err);
	assert_there(&w);
	assert_int_equal(strict_asked(&one, "PUT", "/uploads/", 413), 1);
	assert_int_equal(strict_asked(&one, "PATCH", "/uploads/", 202), 1);
	/* from now on at once */
	w.bytes[0] ^= 1;
	eb_sha256(w.bytes, w.size, &w.d);
	assert_answer(put(&w), 0, &w.err);
	assert_int_equal(strict_asked(&one, "PUT", "/uploads/", 413), 1);
	assert_int_equal(strict_asked(&one, "PATCH", "/uploads/", 202), 2);
	work_end(&w);
}

static void test_chunks(void **state)
{
	struct work w;

	(void)state;
	work_begin(&w, (9 << 20) + 5, "put-max=100000\nchunk-max=4194304\n");
	strict_faults(&one, "[{'method': 'PATCH', 'status': 413}]");
	assert_answer(put(&w), 0, &w.err);
	assert_there(&w);
	assert_int_equal(strict_asked(&one, "PATCH", "/uploads/", 202), 3);
	assert_int_equal(w.done, w.size);
	work_end(&w);
}

static void test_chunks_of_file(void **state)
{
	eb_autofd int fd = memfd_create("blob", MFD_CLOEXEC);
	struct eb_blob_source source = { .fd = fd };
	struct work w;

	(void)state;
	work_begin(&w, (5 << 20) + 5, "put-max=100000\n");
	source.size = w.size;
	assert_int_equal(write(fd, w.bytes, w.size), w.size);
	strict_faults(&one, "[{'method': 'PATCH', 'status': 413}]");
	assert_answer(eb_blob_put(w.repo, &w.d, &source, &w.err), 0, &w.err);
	assert_there(&w);
	assert_int_equal(strict_asked(&one, "PATCH", "/uploads/", 202), 2);
	work_end(&w);
}

/* It took less than was sent: the rest goes after it. */
static void test_short_accept(void **state)
{
	struct work w;

	(void)state;
	work_begin(&w, SIZE, "put-max=100000\n");
	strict_faults(&one, "[{'method': 'PATCH', 'accept': 1000}]");
	assert_answer(put(&w), 0, &w.err);
	assert_there(&w);
	assert_int_equal(strict_asked(&one, "PATCH", "/uploads/", 202), 2);
	work_end(&w);
}

static void test_resync(void **state)
{
	struct work w;

	(void)state;
	work_begin(&w, (6 << 20), "put-max=100000\nrange-told=yes\n");
	strict_faults(&one, "[{'method': 'PATCH', 'status': 413},"
			    " {'method': 'PATCH', 'nth': 1, 'accept': 1000, "
			    "  'set': {'Range': null}}]");
	assert_answer(put(&w), 0, &w.err);
	assert_there(&w);
	assert_int_equal(strict_asked(&one, "PATCH", "/uploads/", 416), 1);
	/* the chunk that did not fit was an error of nobody here */
	strict_change(&one, "DELETE", "violations", NULL);
	work_end(&w);
}

/* A vendor that keeps the first chunk alone is sent none. */
static void test_no_chunks(void **state)
{
	static const char *const hosts[] = {
		"1.dkr.ecr.eu-west-1.amazonaws.com",
		"europe-docker.pkg.dev:443",
		"gcr.io",
		"eu.gcr.io",
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof hosts / sizeof *hosts; i++)
		assert_false(eb_host_takes_chunks(hosts[i]));
	assert_true(eb_host_takes_chunks("ghcr.io"));
	assert_true(eb_host_takes_chunks("amazonaws.com.example"));
}

/* --- what breaks -------------------------------------------------- */

static void test_vanished(void **state)
{
	static const char *const how[] = {
		"[{'method': 'PUT', 'forget': 'upload'}]",
		"[{'method': 'PUT', 'forget': 'upload', 'status': 404, "
		"'code': 'BLOB_UPLOAD_INVALID'}]",
		"[{'method': 'PUT', 'status': 416}]",
		"[{'method': 'PUT', 'status': 503}]",
		"[{'method': 'PUT', 'status': 429, "
		"'fields': [['Retry-After', '1']]}]",
		"[{'method': 'PUT', 'reset': 70000}]",
		"[{'method': 'PUT', 'cut': 70000}]",
		"[{'method': 'POST', 'status': 500}]",
	};
	struct work w;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof how / sizeof *how; i++) {
		work_begin(&w, SIZE, NULL);
		strict_faults(&one, how[i]);
		assert_answer(put(&w), 0, &w.err);
		assert_there(&w);
		assert_int_equal(strict_asked(&one, "POST", "/uploads/", 0), 2);
		assert_int_equal(strict_asked(&one, "PATCH", "", 0), 0);
		work_end(&w);
	}
}

/* An answer that never came: what it had opened stays so. */
static void test_lost_answer(void **state)
{
	struct work w;

	(void)state;
	work_begin(&w, SIZE, NULL);
	strict_faults(&one, "[{'method': 'POST', 'lose': true}]");
	assert_answer(put(&w), 0, &w.err);
	assert_there(&w);
	assert_int_equal(strict_uploads(&one), 1);
	assert_no_violation(&one);
	strict_forget(&one);
	/* that of the last request: the blob is there, and sent once more */
	strict_faults(&one, "[{'method': 'PUT', 'lose': true}]");
	assert_answer(put(&w), 0, &w.err);
	assert_there(&w);
	strict_forget(&one);
	work_end(&w);
}

/* One PUT that breaks off twice may be what a proxy does to large ones. */
static void test_broken_twice(void **state)
{
	struct work w;

	(void)state;
	work_begin(&w, (size_t)2 << 20, NULL);
	strict_faults(&one, "[{'method': 'PUT', 'reset': 70000, 'times': 2}]");
	assert_answer(put(&w), 0, &w.err);
	assert_there(&w);
	assert_int_equal(strict_asked(&one, "PATCH", "/uploads/", 202), 1);
	work_end(&w);
}

static void test_never(void **state)
{
	struct work w;

	(void)state;
	work_begin(&w, SIZE, NULL);
	strict_faults(&one, "[{'method': 'PUT', 'status': 503, 'times': 0}]");
	assert_int_equal(put(&w), -1);
	assert_error(&w.err, EB_NETWORK, "503");
	assert_int_equal(strict_asked(&one, "PUT", "/uploads/", 503), 5);
	strict_forget(&one);
	strict_faults(&one, "[{'method': 'PUT', 'status': 429, 'fields': "
			    "[['Retry-After', '86400']], 'times': 0}]");
	assert_int_equal(put(&w), -1);
	assert_error(&w.err, EB_NETWORK, "86400 s");
	assert_int_equal(strict_asked(&one, "PUT", "/uploads/", 429), 1);
	strict_forget(&one);
	strict_faults(&one, "[{'method': 'PUT', 'status': 403, "
			    "'code': 'DENIED', 'message': 'not you'}]");
	assert_int_equal(put(&w), -1);
	assert_error(&w.err, EB_REFUSED, "DENIED: not you");
	assert_int_equal(strict_asked(&one, "PUT", "/uploads/", 0), 1);
	work_end(&w);
}

static void test_digest(void **state)
{
	static const char wrong[] =
		"[{'method': 'PUT', 'forget': 'upload', 'status': 400, "
		"'code': 'DIGEST_INVALID', 'times': %d}]";
	eb_autofree char *once = eb_asprintf(wrong, 1);
	eb_autofree char *twice = eb_asprintf(wrong, 2);
	struct work w;

	(void)state;
	work_begin(&w, SIZE, NULL);
	strict_faults(&one, once);
	assert_answer(put(&w), 0, &w.err);
	assert_there(&w);
	strict_forget(&one);
	strict_faults(&one, twice);
	assert_int_equal(put(&w), -1);
	assert_error(&w.err, EB_INTEGRITY, "DIGEST_INVALID");
	work_end(&w);
}

/* --- mounts ------------------------------------------------------- */

static void test_mount(void **state)
{
	struct eb_repository *from;
	struct eb_digest d;
	struct work w;

	(void)state;
	work_begin(&w, SIZE, NULL);
	from = work_open(w.r, one.host, "up/from");
	work_put(from, "mounted", 7, &d);
	assert_answer(eb_blob_mount(w.repo, &d, from, &w.err), 1, &w.err);
	assert_answer(eb_blob_mount(w.repo, &w.d, from, &w.err), 0, &w.err);
	assert_int_equal(strict_uploads(&one), 0);
	work_end(&w);
}

static void test_mount_refused(void **state)
{
	static const int status[] = { 400, 401, 403, 404, 405 };
	struct eb_repository *from;
	struct work w;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof status / sizeof *status; i++) {
		eb_autofree char *fault = eb_asprintf(
			"[{'method': 'POST', 'status': %d, 'times': 0}]",
			status[i]);

		work_begin(&w, SIZE, NULL);
		from = work_open(w.r, one.host, "up/from");
		strict_faults(&one, fault);
		assert_answer(eb_blob_mount(w.repo, &w.d, from, &w.err), 0,
			      &w.err);
		work_end(&w);
	}
}

/* --- copies ------------------------------------------------------- */

/* From registry two to registry one. */
static int copy(struct work *w)
{
	struct eb_repository *from = work_open(w->r, two.host, "up/far");

	return eb_blob_copy(w->repo, from, &w->d, w->size, NULL, &w->err);
}

static void copy_begin(struct work *w, size_t size, const char *ways)
{
	struct eb_digest d;

	work_begin(w, size, ways);
	work_put(work_open(w->r, two.host, "up/far"), w->bytes, size, &d);
}

static void test_copy(void **state)
{
	static const char *const how[] = {
		"put-max=none\n",
		"put-max=1000\n",
	};
	struct work w;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof how / sizeof *how; i++) {
		copy_begin(&w, 3 << 20, how[i]);
		assert_answer(copy(&w), 1, &w.err);
		assert_there(&w);
		work_end(&w);
	}
}

static void test_copy_in_chunks(void **state)
{
	struct work w;

	(void)state;
	copy_begin(&w, (5 << 20) + 3, "put-max=1000\n");
	strict_faults(&one, "[{'method': 'PATCH', 'status': 413}]");
	assert_answer(copy(&w), 1, &w.err);
	assert_there(&w);
	assert_int_equal(strict_asked(&one, "PATCH", "/uploads/", 202), 2);
	work_end(&w);
}

static void test_copy_of_wrong_bytes(void **state)
{
	static const char wrong[] = "[{'method': 'GET', 'path': '/blobs/', "
				    "'corrupt': 70000, 'times': %d}]";
	eb_autofree char *once = eb_asprintf(wrong, 1);
	eb_autofree char *twice = eb_asprintf(wrong, 2);
	struct work w;

	(void)state;
	copy_begin(&w, SIZE, NULL);
	strict_faults(&two, once);
	assert_answer(copy(&w), 1, &w.err);
	assert_there(&w);
	work_end(&w);
	copy_begin(&w, SIZE, NULL);
	strict_faults(&two, twice);
	assert_int_equal(copy(&w), -1);
	assert_error(&w.err, EB_INTEGRITY, "these are the bytes of");
	assert_answer(eb_blob_head(w.repo, &w.d, 0, &w.err), 0, &w.err);
	/* the registry that is sent to was never given the last bytes */
	assert_int_equal(strict_asked(&one, "PUT", "/uploads/", 400), 0);
	work_end(&w);
}

static void test_copy_that_breaks(void **state)
{
	static const struct {
		struct strict_registry *at;
		const char *fault;
	} how[] = {
		{ &two, "[{'method': 'GET', 'truncate': 70000}]" },
		{ &two, "[{'method': 'GET', 'reset-after': 70000}]" },
		{ &two, "[{'method': 'GET', 'status': 503}]" },
		{ &one, "[{'method': 'PUT', 'reset': 70000}]" },
		{ &one, "[{'method': 'PUT', 'status': 503}]" },
		{ &one, "[{'method': 'PUT', 'forget': 'upload'}]" },
		{ &one, "[{'method': 'PUT', 'status': 413, 'early': true}]" },
	};
	struct work w;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof how / sizeof *how; i++) {
		copy_begin(&w, 2 << 20, NULL);
		strict_faults(how[i].at, how[i].fault);
		assert_answer(copy(&w), 1, &w.err);
		assert_there(&w);
		work_end(&w);
	}
}

/* A source that does not give it is tried as often as any request is, and is
 * no reason to send in another way. */
static void test_copy_from_what_is_down(void **state)
{
	struct work w;

	(void)state;
	copy_begin(&w, SIZE, NULL);
	strict_change(&two, "DELETE", "log", NULL);
	strict_faults(&two, "[{'method': 'GET', 'path': '/blobs/', "
			    "'status': 503, 'times': 0}]");
	assert_int_equal(copy(&w), -1);
	assert_error(&w.err, EB_NETWORK, "fetching the blob");
	assert_int_equal(strict_asked(&two, "GET", "/blobs/", 503), 5);
	strict_faults(&two, "[{'method': 'GET', 'path': '/blobs/', 'nth': 2, "
			    "'reset-after': 1000, 'times': 3, "
			    "'set': {'ETag': null}}]");
	assert_answer(copy(&w), 1, &w.err);
	assert_there(&w);
	assert_int_equal(strict_asked(&one, "PATCH", "", 0), 0);
	work_end(&w);
}

/* The last of the pieces is kept back when they are wrong. */
static void test_copy_of_wrong_pieces(void **state)
{
	static const char wrong[] = "[{'method': 'GET', 'path': '/blobs/', "
				    "'nth': 3, 'corrupt': 70000, 'times': %d}]";
	static const char pieces[] = "[{'method': 'PATCH', 'status': 413}]";
	eb_autofree char *once = eb_asprintf(wrong, 1);
	eb_autofree char *always = eb_asprintf(wrong, 0);
	struct work w;

	(void)state;
	copy_begin(&w, (5 << 20) + 3, "put-max=1000\n");
	strict_faults(&one, pieces);
	strict_faults(&two, once);
	assert_answer(copy(&w), 1, &w.err);
	assert_there(&w);
	work_end(&w);
	copy_begin(&w, (5 << 20) + 3, "put-max=1000\n");
	strict_faults(&one, pieces);
	strict_faults(&two, always);
	assert_int_equal(copy(&w), -1);
	assert_error(&w.err, EB_INTEGRITY, "these are the bytes of");
	assert_answer(eb_blob_head(w.repo, &w.d, 0, &w.err), 0, &w.err);
	assert_int_equal(strict_asked(&one, "PUT", "/uploads/", 400), 0);
	work_end(&w);
}

static void test_copy_of_nothing(void **state)
{
	struct work w;

	(void)state;
	work_begin(&w, SIZE, NULL);
	assert_answer(copy(&w), 0, &w.err);
	work_end(&w);
}

/* --- where we may be led to --------------------------------------- */

static void test_where_to(void **state)
{
	static const struct {
		const char *from, *to, *result; /* NULL: refused */
	} row[] = {
		{ "https://r.example/v2/a/", "/v2/b?x=1",
		  "https://r.example/v2/b?x=1" },
		{ "https://r.example/v2/a/", "https://s.example/up?s=a%2Bb",
		  "https://s.example/up?s=a%2Bb" },
		{ "http://r.example/v2/a/", "https://r.example/up",
		  "https://r.example/up" },
		{ "http://127.0.0.1:5000/v2/", "http://localhost:5001/up",
		  "http://localhost:5001/up" },
		{ "http://10.0.0.1:5000/v2/", "http://10.0.0.1:5001/up",
		  "http://10.0.0.1:5001/up" },
		{ "https://r.example/v2/a/", "http://r.example/up", NULL },
		{ "https://r.example/v2/a/", "https://127.0.0.1/up", NULL },
		{ "https://r.example/v2/a/", "https://localhost/up", NULL },
		{ "https://r.example/v2/a/", "https://10.1.2.3/up", NULL },
		{ "https://r.example/v2/a/", "https://192.168.1.1/up", NULL },
		{ "https://r.example/v2/a/", "https://169.254.169.254/", NULL },
		{ "https://r.example/v2/a/", "https://[::1]/up", NULL },
		{ "https://r.example/v2/a/", "https://[fe80::1]/up", NULL },
		{ "https://r.example/v2/a/", "https://[::ffff:10.1.1.1]/up",
		  NULL },
		{ "https://r.example/v2/a/", "https://2130706433/up", NULL },
		{ "http://127.0.0.1/v2/a/", "http://10.1.2.3/up", NULL },
		{ "https://r.example/v2/a/", "ftp://r.example/up", NULL },
		{ "https://r.example/v2/a/", "http://[", NULL },
	};
	struct eb_error err = EB_ERROR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof row / sizeof *row; i++) {
		eb_autofree char *to =
			eb_host_location(row[i].from, row[i].to, &err);

		if (!row[i].result) {
			if (to)
				fail_msg("%s is followed", row[i].to);
			assert_true(eb_err_is_set(&err));
			eb_err_release(&err);
		} else {
			assert_answer(to != NULL, 1, &err);
			assert_string_equal(to, row[i].result);
		}
	}
}

/* --- both registries ---------------------------------------------- */

static int start(void **state)
{
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	dir = eb_make_tempdir("/tmp", "test_registry.", &err);
	if (!dir)
		return -1;
	strict_alone(dir);
	return strict_start(&one, NULL) < 0 || strict_start(&two, NULL) < 0;
}

static int stop(void **state)
{
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	strict_stop(&one);
	strict_stop(&two);
	eb_remove_tree(dir, &err);
	free(dir);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_put),
		cmocka_unit_test(test_location),
		cmocka_unit_test(test_no_location),
		cmocka_unit_test(test_stream),
		cmocka_unit_test(test_chunks),
		cmocka_unit_test(test_chunks_of_file),
		cmocka_unit_test(test_short_accept),
		cmocka_unit_test(test_resync),
		cmocka_unit_test(test_no_chunks),
		cmocka_unit_test(test_vanished),
		cmocka_unit_test(test_lost_answer),
		cmocka_unit_test(test_broken_twice),
		cmocka_unit_test(test_never),
		cmocka_unit_test(test_digest),
		cmocka_unit_test(test_mount),
		cmocka_unit_test(test_mount_refused),
		cmocka_unit_test(test_copy),
		cmocka_unit_test(test_copy_in_chunks),
		cmocka_unit_test(test_copy_of_wrong_bytes),
		cmocka_unit_test(test_copy_that_breaks),
		cmocka_unit_test(test_copy_from_what_is_down),
		cmocka_unit_test(test_copy_of_wrong_pieces),
		cmocka_unit_test(test_copy_of_nothing),
		cmocka_unit_test(test_where_to),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
