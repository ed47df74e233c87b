/* SPDX-License-Identifier: Apache-2.0 */
/* From one server to another through memory: who is ahead waits, and where one
 * side ends badly, so does the other. */
#include <string.h>

#include <envbuild/digest.h>

#include "http/http_int.h"
#include "httpd_ask.h"

#define MIB ((size_t)1 << 20)

static struct httpd one, two;

struct copy {
	char from[160], to[160];
	struct eb_http_request get, put;
	struct eb_http_pipe *pipe;
	struct eb_sha256 sum;
	uint64_t most; /* bytes that were between the two */
	uint64_t stop_at;
	struct eb_error err;
	int rc;
};

static int watch(void *data, const void *p, size_t n, uint64_t offset,
		 struct eb_error *err)
{
	struct copy *c = data;
	const struct eb_transfer *taker = c->put.transfer;
	uint64_t between = offset + n - taker->sent;

	if (between > c->most)
		c->most = between;
	eb_sha256_add(&c->sum, p, n);
	if (c->stop_at && offset + n >= c->stop_at)
		return eb_err_set(err, EB_INTEGRITY, "other bytes");
	return 0;
}

static void copy_init(struct copy *c, const char *from, const char *to,
		      uint64_t size, size_t capacity)
{
	memset(c, 0, sizeof *c);
	snprintf(c->from, sizeof c->from, "http://127.0.0.1:%u%s", one.port,
		 from);
	snprintf(c->to, sizeof c->to, "http://127.0.0.1:%u%s", two.port, to);
	c->pipe = eb_http_pipe_new(capacity);
	eb_sha256_init(&c->sum);
	c->get = (struct eb_http_request){ .url = c->from,
					   .to_pipe = c->pipe,
					   .sink = watch,
					   .data = c,
					   .any_status = true,
					   .fd = -1 };
	c->put = (struct eb_http_request){
		.url = c->to,
		.method = "PUT",
		.any_status = true,
		.fd = -1,
		.body = { .kind = EB_HTTP_PIPE, .pipe = c->pipe, .size = size },
	};
}

static void copy_run(struct copy *c, bool threaded)
{
	static const struct eb_http_options quick = { .backoff_ms = 20,
						      .stall_s = 5 };
	struct eb_http *http = eb_http_new(&quick, NULL);
	struct eb_http_request *both[] = { &c->put, &c->get };

	if (threaded)
		assert_int_equal(eb_http_start(http, &c->err), 0);
	c->rc = eb_http_do(http, both, 2, &c->err);
	eb_http_free(http);
}

static void copy_free(struct copy *c)
{
	eb_http_request_release(&c->get);
	eb_http_request_release(&c->put);
	eb_http_pipe_free(c->pipe);
	eb_err_release(&c->err);
}

static void assert_copied(struct copy *c, const char *to, uint64_t size)
{
	eb_autofree char *body = NULL;
	char want[128], hex[EB_HEX_SIZE];
	struct eb_digest d;

	if (c->rc < 0)
		fail_msg("%s", c->err.message);
	assert_int_equal(c->get.status, 200);
	assert_int_equal(c->put.status, 201);
	assert_int_equal(c->get.received, size);
	assert_int_equal(c->put.sent, size);
	eb_sha256_end(&c->sum, &d);
	snprintf(want, sizeof want, "%llu %s", (unsigned long long)size,
		 eb_digest_hex(&d, hex));
	body = httpd_ask(&two, "_body", to);
	assert_string_equal(body, want);
}

static void assert_failed(const struct copy *c, enum eb_code code,
			  const char *words)
{
	assert_int_equal(c->rc, -1);
	if (!strstr(c->err.message, words))
		fail_msg("\"%s\" is not in: %s", words, c->err.message);
	assert_int_equal(c->err.code, code);
}

/* --- tests ----------------------------------------------------------- */

static void test_large(void **state)
{
	struct copy c;

	(void)state;
	for (int threaded = 0; threaded < 2; threaded++) {
		copy_init(&c, "/@size=52428800@/large", "/large", 50 * MIB,
			  MIB);
		copy_run(&c, threaded);
		assert_copied(&c, "/large", 50 * MIB);
		/* more than a few pieces, not more than there is room for */
		assert_in_range(c.most, 100000, MIB + 65536);
		copy_free(&c);
	}
	copy_init(&c, "/@size=1@/small", "/small", 1, 0);
	copy_run(&c, false);
	assert_copied(&c, "/small", 1);
	copy_free(&c);
}

static void test_slow_sides(void **state)
{
	struct copy c;

	(void)state;
	copy_init(&c, "/@size=160,drip=20@/drip", "/drip", 160, MIB);
	copy_run(&c, false);
	assert_copied(&c, "/drip", 160);
	copy_free(&c);
	copy_init(&c, "/@size=3000000@/slow", "/@slow=300@/slow", 3000000,
		  65536);
	copy_run(&c, false);
	assert_copied(&c, "/@slow=300@/slow", 3000000);
	assert_true(c.most <= 65536);
	copy_free(&c);
}

static void test_giver_resumes(void **state)
{
	const char *from = "/@size=3000000,cut=1500000,cuts=1,etag=x@/resume";
	struct copy c;

	(void)state;
	copy_init(&c, from, "/resume", 3000000, MIB);
	copy_run(&c, false);
	assert_copied(&c, "/resume", 3000000);
	copy_free(&c);
	assert_int_equal(httpd_count(&one, from), 2);
	assert_int_equal(httpd_count(&two, "/resume"), 1);
}

static void test_giver_breaks_off(void **state)
{
	const char *from = "/@size=3000000,cut=1500000@/broken";
	struct copy c;

	(void)state;
	copy_init(&c, from, "/broken", 3000000, MIB);
	copy_run(&c, false);
	assert_failed(&c, EB_INTEGRITY, "breaks off after 1500000 of 3000000");
	assert_int_equal(c.get.err.code, EB_INTEGRITY);
	assert_int_equal(c.put.status, 0);
	copy_free(&c);
	assert_int_equal(httpd_count(&one, from), 1);
}

static void test_giver_has_nothing(void **state)
{
	struct copy c;

	(void)state;
	copy_init(&c, "/@code=404@/nothing", "/nothing", 100, MIB);
	copy_run(&c, false);
	assert_failed(&c, EB_NETWORK, "gives nothing (404)");
	assert_int_equal(c.get.status, 404);
	assert_false(eb_err_is_set(&c.get.err));
	copy_free(&c);
	assert_int_equal(httpd_count(&two, "/nothing"), 0);
	copy_init(&c, "/@code=503@/busy", "/nothing", 100, MIB);
	copy_run(&c, false);
	assert_failed(&c, EB_NETWORK, "service unavailable (503)");
	copy_free(&c);
	assert_int_equal(httpd_count(&one, "/@code=503@/busy"), 5);
	assert_int_equal(httpd_count(&two, "/nothing"), 0);
}

static void test_giver_is_busy(void **state)
{
	struct copy c;

	(void)state;
	copy_init(&c, "/@size=300000,code=503,fail=2@/busy", "/busy", 300000,
		  MIB);
	copy_run(&c, false);
	assert_copied(&c, "/busy", 300000);
	copy_free(&c);
}

static void test_other_size(void **state)
{
	struct copy c;

	(void)state;
	copy_init(&c, "/@size=3000@/size", "/size", 3001, MIB);
	copy_run(&c, false);
	assert_failed(&c, EB_INTEGRITY, "longer or shorter than 3001");
	copy_free(&c);
	assert_int_equal(httpd_count(&two, "/size"), 0);
	copy_init(&c, "/@size=3000,chunked@/size", "/size", 3001, MIB);
	copy_run(&c, false);
	assert_failed(&c, EB_INTEGRITY, "gives 3000 of 3001 bytes");
	copy_free(&c);
	copy_init(&c, "/@size=3000,chunked@/size", "/size", 2999, MIB);
	copy_run(&c, false);
	assert_failed(&c, EB_INTEGRITY, "longer or shorter than 2999");
	copy_free(&c);
}

/* The last bytes are kept back when they are not the right ones. */
static void test_watcher_stops(void **state)
{
	eb_autofree char *body = NULL;
	struct copy c;

	(void)state;
	copy_init(&c, "/@size=3000000@/wrong", "/wrong", 3000000, MIB);
	c.stop_at = 3000000;
	copy_run(&c, false);
	assert_failed(&c, EB_INTEGRITY, "other bytes");
	assert_int_equal(c.put.status, 0);
	copy_free(&c);
	body = httpd_ask(&two, "_body", "/wrong");
	assert_true(strtoull(body, NULL, 10) < 3000000);
}

/* Also where the bytes were those that a pause had kept. */
static void test_watcher_stops_after_a_pause(void **state)
{
	struct copy c;

	(void)state;
	for (uint64_t at = 70000; at < 1000000; at += 90001) {
		copy_init(&c, "/@size=3000000@/pause", "/@slow=20@/pause",
			  3000000, 65536);
		c.stop_at = at;
		copy_run(&c, false);
		assert_failed(&c, EB_INTEGRITY, "other bytes");
		assert_true(c.get.received < at);
		copy_free(&c);
	}
}

/* An answer before the end is the taker's, and ends the giver. */
static void test_taker_says_no(void **state)
{
	const char *to = "/@code=401,early@/no";
	struct copy c;

	(void)state;
	copy_init(&c, "/@size=52428800@/no", to, 50 * MIB, MIB);
	copy_run(&c, false);
	assert_failed(&c, EB_NETWORK, "answered (401) after 0 of 52428800");
	assert_int_equal(c.put.status, 401);
	assert_false(eb_err_is_set(&c.put.err));
	assert_string_equal(c.put.error_body, "a fault");
	copy_free(&c);
	assert_int_equal(httpd_count(&two, to), 1);
}

/* What has been taken is gone: no second try. */
static void test_sent_once(void **state)
{
	const char *to = "/@code=503@/once";
	struct copy c;

	(void)state;
	copy_init(&c, "/@size=3000@/once", to, 3000, MIB);
	copy_run(&c, false);
	assert_failed(&c, EB_NETWORK, "service unavailable (503)");
	copy_free(&c);
	assert_int_equal(httpd_count(&two, to), 1);
}

static void test_no_taker(void **state)
{
	struct eb_http_options options = { .backoff_ms = 1 };
	struct eb_http *http = eb_http_new(&options, NULL);
	struct copy c;
	struct eb_http_request *all[] = { &c.get };

	(void)state;
	copy_init(&c, "/@size=3000@/alone", "/alone", 3000, MIB);
	c.rc = eb_http_do(http, all, 1, &c.err);
	assert_failed(&c, EB_INPUT, "nothing is at the other end");
	eb_http_free(http);
	copy_free(&c);
}

/* --- many at once ---------------------------------------------------- */

struct copier {
	pthread_t thread;
	struct eb_http *http;
	struct copy c;
	char to[32];
};

static void *copier(void *data)
{
	struct copier *p = data;
	struct eb_http_request *both[] = { &p->c.get, &p->c.put };

	p->c.rc = eb_http_do(p->http, both, 2, &p->c.err);
	return NULL;
}

/* More pairs than may run at once: no giver waits for a taker that cannot
 * start. */
static void test_many(void **state)
{
	enum { N = 12 };
	struct eb_http_options options = { .max_transfers = 3, .per_host = 2 };
	struct eb_http *http = eb_http_new(&options, NULL);
	struct copier *all = eb_calloc(N, sizeof *all);
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	assert_int_equal(eb_http_start(http, &err), 0);
	for (int i = 0; i < N; i++) {
		snprintf(all[i].to, sizeof all[i].to, "/many%d", i);
		copy_init(&all[i].c, "/@size=2000000@/many", all[i].to, 2000000,
			  65536);
		all[i].http = http;
		pthread_create(&all[i].thread, NULL, copier, &all[i]);
	}
	for (int i = 0; i < N; i++)
		pthread_join(all[i].thread, NULL);
	for (int i = 0; i < N; i++) {
		assert_copied(&all[i].c, all[i].to, 2000000);
		copy_free(&all[i].c);
	}
	eb_http_free(http);
	free(all);
}

/* --- frame ----------------------------------------------------------- */

static int setup(void **state)
{
	(void)state;
	httpd_clean_environment("/nonexistent");
	return httpd_start(&one, NULL, NULL) < 0 ||
			       httpd_start(&two, NULL, NULL) < 0
		       ? -1
		       : 0;
}

static int teardown(void **state)
{
	(void)state;
	httpd_stop(&one);
	httpd_stop(&two);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_slow_sides),
		cmocka_unit_test(test_giver_resumes),
		cmocka_unit_test(test_giver_breaks_off),
		cmocka_unit_test(test_giver_has_nothing),
		cmocka_unit_test(test_giver_is_busy),
		cmocka_unit_test(test_other_size),
		cmocka_unit_test(test_watcher_stops),
		cmocka_unit_test(test_watcher_stops_after_a_pause),
		cmocka_unit_test(test_taker_says_no),
		cmocka_unit_test(test_sent_once),
		cmocka_unit_test(test_no_taker),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
