/* SPDX-License-Identifier: Apache-2.0 */
/* Callers of several threads, one loop. */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "httpd_ask.h"

#define THREADS 8
#define ROUNDS 50

static struct httpd one;

static const struct eb_http_options quick = { .backoff_ms = 5, .stall_s = 10 };

struct caller {
	pthread_t thread;
	struct eb_http *http;
	unsigned number, wrong;
};

static size_t size_of(unsigned i)
{
	return 100 + i * 977 % 5000;
}

static const char *path_of(unsigned number, unsigned i, char path[64])
{
	snprintf(path, 64, "/@size=%zu%s@/t%u", size_of(i),
		 i == 7 ? ",code=503,fail=1" : "", number);
	return path;
}

/* Three requests at once: a text, a HEAD and something that is not there. */
static bool three(struct eb_http *http, unsigned number, unsigned i)
{
	char path[64];
	eb_autofree char *url = eb_asprintf("http://127.0.0.1:%u%s", one.port,
					    path_of(number, i, path));
	eb_autofree char *none =
		eb_asprintf("http://127.0.0.1:%u/none", one.port);
	EB_AUTOBUF(text, 8192);
	struct eb_http_request get = { .url = url, .text = &text };
	struct eb_http_request head = { .url = url, .method = "HEAD" };
	struct eb_http_request no = { .url = none, .fd = -1 };
	struct eb_http_request *all[] = { &get, &head, &no };
	struct eb_error err = EB_ERROR_INIT;
	int rc = eb_http_do(http, all, 3, &err);
	bool good = rc == -1 && strstr(err.message, "(404)") &&
		    get.status == 200 && text.len == size_of(i) &&
		    head.status == 200 && no.status == 404;

	eb_err_release(&err);
	for (size_t k = 0; k < 3; k++)
		eb_http_request_release(all[k]);
	return good;
}

static void *call(void *data)
{
	struct caller *c = data;

	for (unsigned i = 0; i < ROUNDS; i++)
		c->wrong += !three(c->http, c->number, i);
	return NULL;
}

static void test_many(void **state)
{
	struct eb_http *http = eb_http_new(&quick, NULL);
	struct caller caller[THREADS];
	struct eb_error err = EB_ERROR_INIT;
	int before = httpd_connections(&one);

	(void)state;
	assert_int_equal(eb_http_start(http, &err), 0);
	assert_int_equal(eb_http_start(http, &err), 0);
	for (unsigned i = 0; i < THREADS; i++) {
		caller[i] = (struct caller){ .http = http, .number = i };
		pthread_create(&caller[i].thread, NULL, call, &caller[i]);
	}
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(caller[i].thread, NULL);
	for (unsigned i = 0; i < THREADS; i++)
		assert_int_equal(caller[i].wrong, 0);
	eb_http_free(http);
	assert_int_equal(httpd_count(&one, "/none"), THREADS * ROUNDS);
	/* six at once to one host, one to ask; not one a request */
	assert_true(httpd_connections(&one) - before < 20);
}

static void *call_slowly(void *data)
{
	struct caller *c = data;
	eb_autofree char *url =
		eb_asprintf("http://127.0.0.1:%u/@size=1,slow=5000@/slow%u",
			    one.port, c->number);
	struct eb_http_request r = { .url = url, .fd = -1 };
	struct eb_http_request *all[] = { &r };
	struct eb_error err = EB_ERROR_INIT;

	c->wrong = eb_http_do(c->http, all, 1, &err) == 0 ||
		   err.code != EB_NETWORK || !strstr(err.message, "given up");
	eb_err_release(&err);
	eb_http_request_release(&r);
	return NULL;
}

/* More than may run at once, so that some of them wait. */
static void test_freed_while_they_run(void **state)
{
	struct eb_http *http = eb_http_new(&quick, NULL);
	struct caller caller[THREADS];
	struct eb_error err = EB_ERROR_INIT;
	uint64_t before = eb_now_ns();

	(void)state;
	assert_int_equal(eb_http_start(http, &err), 0);
	for (unsigned i = 0; i < THREADS; i++) {
		caller[i] = (struct caller){ .http = http, .number = i };
		pthread_create(&caller[i].thread, NULL, call_slowly,
			       &caller[i]);
	}
	usleep(200000);
	eb_http_free(http);
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(caller[i].thread, NULL);
		assert_int_equal(caller[i].wrong, 0);
	}
	assert_true(eb_now_ns() - before < 3000000000u);
}

/* A request may be used again; one that was not asked for never runs. */
static void test_again(void **state)
{
	struct eb_http *http = eb_http_new(&quick, NULL);
	eb_autofree char *url = eb_asprintf(
		"http://127.0.0.1:%u/@size=9,code=404,fail=1@/again", one.port);
	struct eb_http_request r = { .url = url, .fd = -1, .any_status = true };
	struct eb_http_request *all[] = { &r };
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	assert_int_equal(eb_http_start(http, &err), 0);
	assert_int_equal(eb_http_do(http, all, 0, &err), 0);
	assert_int_equal(eb_http_do(http, all, 1, &err), 0);
	assert_int_equal(r.status, 404);
	assert_non_null(r.error_body);
	assert_int_equal(eb_http_do(http, all, 1, &err), 0);
	assert_int_equal(r.status, 200);
	assert_null(r.error_body);
	assert_int_equal(r.received, 9);
	eb_http_request_release(&r);
	eb_http_free(http);
}

/* --- frame ----------------------------------------------------------- */

static int setup(void **state)
{
	(void)state;
	httpd_clean_environment("/nonexistent");
	return httpd_start(&one, NULL, NULL);
}

static int teardown(void **state)
{
	(void)state;
	httpd_stop(&one);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_freed_while_they_run),
		cmocka_unit_test(test_again),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
