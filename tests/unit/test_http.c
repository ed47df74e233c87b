/* SPDX-License-Identifier: Apache-2.0 */
/* Downloads from a server whose faults are scripted (fixtures/httpd.py). */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/buf.h>
#include <envbuild/file.h>
#include <envbuild/http.h>
#include <envbuild/str.h>

#include "httpd_ask.h"

static struct httpd one, two, tls;
static char *dir, *pem;

/* --- one download ---------------------------------------------------- */

struct get {
	struct eb_http_request r;
	char url[512];
	int fd;
};

static const struct eb_http_options quick = {
	.backoff_ms = 20,
	.stall_s = 3,
};

static void get_with(struct get *g, const struct eb_http_options *o)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_http *http = eb_http_new(o, NULL);

	g->r.url = g->url;
	g->r.fd = g->fd;
	eb_http_add(http, &g->r);
	assert_int_equal(eb_http_run(http, &err), 0);
	eb_http_free(http);
}

static void get_init(struct get *g, const char *host, unsigned port,
		     const char *path)
{
	memset(g, 0, sizeof *g);
	snprintf(g->url, sizeof g->url, "%s:%u%s", host, port, path);
	g->fd = memfd_create("body", MFD_CLOEXEC);
	assert_true(g->fd >= 0);
}

static void get(struct get *g, const char *path)
{
	get_init(g, "http://127.0.0.1", one.port, path);
	get_with(g, &quick);
}

static void get_free(struct get *g)
{
	eb_http_request_release(&g->r);
	close(g->fd);
}

static off_t size_of(int fd)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	return st.st_size;
}

static void assert_error(const struct get *g, enum eb_code code,
			 const char *words)
{
	if (!eb_err_is_set(&g->r.err))
		fail_msg("%s: no error, expected \"%s\"", g->url, words);
	if (!strstr(g->r.err.message, words))
		fail_msg("\"%s\" is not in: %s", words, g->r.err.message);
	assert_int_equal(g->r.err.code, code);
}

static void assert_good(const struct get *g, off_t size)
{
	if (eb_err_is_set(&g->r.err))
		fail_msg("%s: %s", g->url, g->r.err.message);
	assert_int_equal(size_of(g->fd), size);
	assert_int_equal(g->r.received, size);
}

/* Same bytes as the server makes for this name. */
static void assert_same_body(struct get *a, const char *path)
{
	static char x[1 << 16], y[1 << 16];
	struct get b;
	ssize_t n;

	get(&b, path);
	assert_int_equal(size_of(a->fd), size_of(b.fd));
	n = pread(a->fd, x, sizeof x, 0);
	assert_int_equal(pread(b.fd, y, sizeof y, 0), n);
	assert_memory_equal(x, y, (size_t)n);
	get_free(&b);
}

/* --- tests ----------------------------------------------------------- */

static void test_plain(void **state)
{
	struct get g;

	(void)state;
	get(&g, "/@size=100000,etag=abc,age=60@/plain");
	assert_good(&g, 100000);
	assert_int_equal(g.r.status, 200);
	assert_string_equal(g.r.etag, "\"abc\"");
	assert_string_equal(g.r.cache_control, "public, max-age=60");
	get_free(&g);
	get(&g, "/@size=5000,chunked@/chunked");
	assert_good(&g, 5000);
	get_free(&g);
}

static void test_append(void **state)
{
	struct get g;

	(void)state;
	get_init(&g, "http://127.0.0.1", one.port, "/@size=10@/append");
	assert_int_equal(write(g.fd, "12345", 5), 5);
	get_with(&g, &quick);
	assert_false(eb_err_is_set(&g.r.err));
	assert_int_equal(size_of(g.fd), 15);
	get_free(&g);
}

static void test_not_there(void **state)
{
	struct get g;

	(void)state;
	get(&g, "/nothing");
	assert_error(&g, EB_NETWORK, "not there (404)");
	assert_int_equal(g.r.status, 404);
	assert_int_equal(size_of(g.fd), 0);
	get_free(&g);
	assert_int_equal(httpd_count(&one, "/nothing"), 1);
	get(&g, "/@code=410@/gone");
	assert_error(&g, EB_NETWORK, "gone (410)");
	assert_int_equal(g.r.status, 404);
	get_free(&g);
	get(&g, "/@code=403@/forbidden");
	assert_error(&g, EB_REFUSED, "forbidden (403)");
	assert_int_equal(g.r.status, 403);
	get_free(&g);
	get(&g, "/@code=418@/teapot?signature=secret");
	assert_error(&g, EB_NETWORK, "/teapot\": downloading: ");
	get_free(&g);
	get(&g, "/@code=418@/teapot");
	assert_error(&g, EB_NETWORK, "(418)");
	get_free(&g);
	assert_int_equal(httpd_count(&one, "/@code=418@/teapot"), 1);
}

static void test_tries(void **state)
{
	static const int codes[] = {
		408, 425, 429, 499, 500, 502, 503, 504, 522
	};
	struct get g;
	char path[80];

	(void)state;
	for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
		snprintf(path, sizeof path, "/@size=99,code=%d,fail=2@/again",
			 codes[i]);
		get(&g, path);
		assert_good(&g, 99);
		get_free(&g);
		assert_int_equal(httpd_count(&one, path), 3);
	}
	get(&g, "/@code=500@/always");
	assert_error(&g, EB_NETWORK, "internal server error (500)");
	get_free(&g);
	assert_int_equal(httpd_count(&one, "/@code=500@/always"), 5);
}

/* backoff_ms is the unit of every pause: 20 ms here stand for a second. */
static void test_retry_after(void **state)
{
	struct get g;
	uint64_t before = eb_now_ns(), took;

	(void)state;
	get(&g, "/@size=9,code=429,fail=1,wait=20@/pause");
	took = eb_now_ns() - before;
	assert_good(&g, 9);
	get_free(&g);
	assert_true(took >= 400000000u);
	get(&g, "/@code=429,wait=3600@/long");
	assert_error(&g, EB_NETWORK, "a pause of 3600 s");
	assert_string_equal(g.r.err.hint, "try again after that time");
	get_free(&g);
	assert_int_equal(httpd_count(&one, "/@code=429,wait=3600@/long"), 1);
}

static void test_broken_off(void **state)
{
	struct get g;
	eb_autofree char *last = NULL;
	const char *resumed = "/@size=60000,cut=25000,cuts=1,etag=x@/r";
	const char *whole = "/@size=60000,cut=25000,cuts=2@/r";
	const char *weak = "/@size=60000,cut=25000,cuts=1,etag=Wx@/r";

	(void)state;
	get(&g, resumed);
	assert_good(&g, 60000);
	assert_same_body(&g, "/@size=60000@/r");
	get_free(&g);
	last = httpd_ask(&one, "_last", resumed);
	assert_non_null(strstr(last, "Range: bytes=25000-"));
	assert_non_null(strstr(last, "If-Range: \"x\""));

	get(&g, whole);
	assert_good(&g, 60000);
	assert_same_body(&g, "/@size=60000@/r");
	get_free(&g);
	assert_int_equal(httpd_count(&one, whole), 3);

	get(&g, weak);
	assert_good(&g, 60000);
	assert_same_body(&g, "/@size=60000@/r");
	get_free(&g);
	free(last);
	last = httpd_ask(&one, "_last", weak);
	assert_null(strstr(last, "Range:"));
}

static void test_truncated(void **state)
{
	struct get g;

	(void)state;
	get(&g, "/@size=1000,cut=400@/short");
	assert_error(&g, EB_INTEGRITY, "breaks off after 400 of 1000 bytes");
	get_free(&g);
	get(&g, "/@size=1000,length=5000@/lie");
	assert_error(&g, EB_INTEGRITY, "breaks off after 1000 of 5000 bytes");
	get_free(&g);
	get(&g, "/@size=1000,chunked,cut=400@/chunks");
	assert_error(&g, EB_INTEGRITY, "breaks off after 400 bytes");
	get_free(&g);
	get(&g, "/@size=1000,length=300@/more");
	assert_good(&g, 300);
	get_free(&g);
}

static void test_too_long(void **state)
{
	struct get g;

	(void)state;
	get_init(&g, "http://127.0.0.1", one.port, "/@size=1001@/long");
	g.r.max_bytes = 1000;
	get_with(&g, &quick);
	assert_error(&g, EB_INTEGRITY, "longer than 1000 bytes");
	get_free(&g);
	get_init(&g, "http://127.0.0.1", one.port, "/@size=1001,chunked@/long");
	g.r.max_bytes = 1000;
	get_with(&g, &quick);
	assert_error(&g, EB_INTEGRITY, "longer than 1000 bytes");
	assert_true(size_of(g.fd) <= 1000);
	get_free(&g);
	assert_int_equal(httpd_count(&one, "/@size=1001,chunked@/long"), 1);
}

static void test_conditional(void **state)
{
	struct get g;

	(void)state;
	get_init(&g, "http://127.0.0.1", one.port, "/@size=50,etag=v1@/cond");
	g.r.if_none_match = "\"v1\"";
	get_with(&g, &quick);
	assert_good(&g, 0);
	assert_int_equal(g.r.status, 304);
	assert_string_equal(g.r.etag, "\"v1\"");
	get_free(&g);
	get_init(&g, "http://127.0.0.1", one.port, "/@size=50,etag=v2@/cond");
	g.r.if_none_match = "\"v1\"";
	get_with(&g, &quick);
	assert_good(&g, 50);
	assert_int_equal(g.r.status, 200);
	get_free(&g);
}

static void test_redirect(void **state)
{
	struct get g;
	char path[128];

	(void)state;
	get(&g, "/@size=77,hops=10@/hops");
	assert_good(&g, 77);
	get_free(&g);
	get(&g, "/@size=77,hops=11@/hops");
	assert_error(&g, EB_NETWORK, "more than 10 redirects");
	get_free(&g);
	get(&g, "/@loop@/loop");
	assert_error(&g, EB_NETWORK, "more than 10 redirects");
	get_free(&g);
	get(&g, "/@to=file://@/etc/passwd");
	assert_error(&g, EB_REFUSED, "neither http nor https");
	get_free(&g);
	snprintf(path, sizeof path, "/@to=127.0.0.1:%u@/other", two.port);
	get(&g, path);
	assert_error(&g, EB_NETWORK, "not there (404)");
	get_free(&g);
	assert_int_equal(httpd_count(&two, "/other"), 1);
}

static void test_login(void **state)
{
	char host[] = "http://me:s%40cret@127.0.0.1", path[128];
	eb_autofree char *last = NULL;
	struct get g;

	(void)state;
	get(&g, "/@size=5,login=me:s%40cret@/in");
	assert_error(&g, EB_REFUSED, "authentication is needed (401)");
	get_free(&g);
	get_init(&g, host, one.port, "/@size=5,login=me:s@/in");
	get_with(&g, &quick);
	assert_error(&g, EB_REFUSED, "authentication is needed (401)");
	assert_null(strstr(g.r.err.message, "cret"));
	get_free(&g);
	get_init(&g, "http://me:secret@127.0.0.1", one.port,
		 "/@size=5,login=me:secret,hops=1@/in");
	get_with(&g, &quick);
	assert_good(&g, 5);
	get_free(&g);
	/* another port is another origin */
	snprintf(path, sizeof path, "/@to=127.0.0.1:%u@/login", two.port);
	get_init(&g, "http://me:secret@127.0.0.1", one.port, path);
	get_with(&g, &quick);
	get_free(&g);
	last = httpd_ask(&two, "_last", "/login");
	assert_non_null(strstr(last, "Host:"));
	assert_null(strstr(last, "Authorization"));
	free(last);
	last = httpd_ask(&one, "_last", path);
	assert_non_null(strstr(last, "Authorization: Basic"));
}

static void test_netrc(void **state)
{
	eb_autofree char *netrc = eb_path_join(dir, "netrc");
	const char *text = "machine 127.0.0.1 login me password n3t\n";
	struct eb_error err = EB_ERROR_INIT;
	struct get g;

	(void)state;
	assert_int_equal(eb_write_file(netrc, text, strlen(text), 0600, &err),
			 0);
	setenv("NETRC", netrc, 1);
	get(&g, "/@size=5,login=me:n3t@/netrc");
	unsetenv("NETRC");
	assert_good(&g, 5);
	get_free(&g);
}

static void test_slow(void **state)
{
	struct get g;

	(void)state;
	get(&g, "/@size=200,drip=100@/drip"); /* 1.3 s, never 3 s of silence */
	assert_good(&g, 200);
	get_free(&g);
	get_init(&g, "http://127.0.0.1", one.port,
		 "/@size=200,stall=10@/stall");
	get_with(&g, &(struct eb_http_options){
			     .backoff_ms = 1, .stall_s = 1, .tries = 2 });
	assert_error(&g, EB_NETWORK, "no byte came for 1 s");
	get_free(&g);
	assert_int_equal(httpd_count(&one, "/@size=200,stall=10@/stall"), 2);
}

static void test_unreachable(void **state)
{
	struct get g;

	(void)state;
	get_init(&g, "http://u:secret@127.0.0.1", 1, "/t/tk-123/x");
	get_with(&g, &quick);
	assert_error(&g, EB_NETWORK, "127.0.0.1:1/");
	assert_null(strstr(g.r.err.message, "secret"));
	assert_null(strstr(g.r.err.message, "tk-123"));
	assert_int_equal(g.r.status, 0);
	get_free(&g);
	get_init(&g, "ftp://127.0.0.1", 1, "/x");
	get_with(&g, &quick);
	assert_error(&g, EB_INPUT, "not an http or https URL");
	get_free(&g);
	get_init(&g, "http://127.0.0.1", one.port, "/@size=5@/offline");
	get_with(&g, &(struct eb_http_options){ .offline = true });
	assert_error(&g, EB_NETWORK, "--offline");
	get_free(&g);
	assert_int_equal(httpd_count(&one, "/@size=5@/offline"), 0);
}

static void get_tls(struct get *g, const char *path, const char *ca)
{
	get_init(g, "https://localhost", tls.port, path);
	get_with(g,
		 &(struct eb_http_options){ .backoff_ms = 1, .ca_file = ca });
}

static void test_tls(void **state)
{
	char path[80];
	struct get g;

	(void)state;
	if (!tls.port)
		skip();
	get_tls(&g, "/@size=31@/tls", pem);
	assert_good(&g, 31);
	get_free(&g);
	get_tls(&g, "/@size=31@/tls", NULL);
	assert_error(&g, EB_REFUSED, "certificate");
	assert_non_null(strstr(g.r.err.hint, "--ca-file"));
	get_free(&g);
	snprintf(path, sizeof path, "/@to=127.0.0.1:%u@/down", one.port);
	get_tls(&g, path, pem);
	assert_error(&g, EB_REFUSED, "a redirect from https to");
	get_free(&g);
	assert_int_equal(httpd_count(&one, "/down"), 0);
	/* upwards is fine */
	snprintf(path, sizeof path, "/@to=tls:%u@/up", tls.port);
	get_init(&g, "http://127.0.0.1", one.port, path);
	get_with(&g, &(struct eb_http_options){ .ca_file = pem });
	assert_error(&g, EB_NETWORK, "not there (404)");
	get_free(&g);
}

/* --- many ------------------------------------------------------------ */

struct chain {
	struct eb_http *http;
	struct get *g;
	unsigned ended, next, n;
};

static void one_more(void *data, struct eb_http_request *r)
{
	struct chain *c = data;

	assert_false(eb_err_is_set(&r->err));
	c->ended++;
	if (c->next < c->n)
		eb_http_add(c->http, &c->g[c->next++].r);
}

static void test_many(void **state)
{
	enum { N = 60, FIRST = 20 };
	struct get *g = eb_calloc(N, sizeof *g);
	struct chain c = { .g = g, .next = FIRST, .n = N };
	struct eb_error err = EB_ERROR_INIT;
	char path[64];

	(void)state;
	c.http = eb_http_new(&quick, NULL);
	for (int i = 0; i < N; i++) {
		snprintf(path, sizeof path, "/@size=%d@/many%d", 1000 + i, i);
		get_init(&g[i], "http://127.0.0.1", i % 2 ? one.port : two.port,
			 path);
		g[i].r.url = g[i].url;
		g[i].r.fd = g[i].fd;
		g[i].r.done = one_more;
		g[i].r.data = &c;
		if (i < FIRST)
			eb_http_add(c.http, &g[i].r);
	}
	assert_int_equal(eb_http_run(c.http, &err), 0);
	assert_int_equal(c.ended, N);
	for (int i = 0; i < N; i++) {
		assert_good(&g[i], 1000 + i);
		get_free(&g[i]);
	}
	eb_http_free(c.http);
	free(g);
}

struct seen {
	unsigned begin, step, end;
	uint64_t total, done;
};

static void see(void *data, const struct eb_event *ev)
{
	struct seen *s = data;

	s->begin += ev->type == EB_EV_TASK_BEGIN;
	s->step += ev->type == EB_EV_TASK_STEP;
	s->end += ev->type == EB_EV_TASK_END;
	if (ev->type == EB_EV_TASK_END)
		s->done = ev->done;
	s->total = ev->total;
}

static void test_events(void **state)
{
	struct seen seen = { 0 };
	struct eb_events *events = eb_events_new(see, &seen);
	struct eb_http *http = eb_http_new(&quick, events);
	struct eb_error err = EB_ERROR_INIT;
	struct get g;

	(void)state;
	get_init(&g, "http://127.0.0.1", one.port,
		 "/@size=160,drip=50,code=500,fail=1@/events");
	g.r.url = g.url;
	g.r.fd = g.fd;
	g.r.task = "x";
	eb_http_add(http, &g.r);
	assert_int_equal(eb_http_run(http, &err), 0);
	assert_good(&g, 160);
	assert_int_equal(seen.begin, 1);
	assert_int_equal(seen.end, 1);
	assert_true(seen.step >= 2 && seen.step <= 10);
	assert_int_equal(seen.done, 160);
	assert_int_equal(seen.total, 160);
	get_free(&g);
	eb_http_free(http);
	eb_events_free(events);
}

/* --- frame ----------------------------------------------------------- */

static int setup(void **state)
{
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	dir = eb_make_tempdir("/tmp", "test_http.", &err);
	if (!dir)
		return -1;
	httpd_clean_environment(dir);
	pem = eb_path_join(dir, "tls.pem");
	if (httpd_make_pem(pem) == 0 && httpd_start(&tls, NULL, pem) < 0)
		return -1;
	return httpd_start(&one, NULL, NULL) < 0 ||
			       httpd_start(&two, NULL, NULL) < 0
		       ? -1
		       : 0;
}

static int teardown(void **state)
{
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	httpd_stop(&one);
	httpd_stop(&two);
	if (tls.port)
		httpd_stop(&tls);
	eb_remove_tree(dir, &err);
	free(dir);
	free(pem);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_append),
		cmocka_unit_test(test_not_there),
		cmocka_unit_test(test_tries),
		cmocka_unit_test(test_retry_after),
		cmocka_unit_test(test_broken_off),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_too_long),
		cmocka_unit_test(test_conditional),
		cmocka_unit_test(test_redirect),
		cmocka_unit_test(test_login),
		cmocka_unit_test(test_netrc),
		cmocka_unit_test(test_slow),
		cmocka_unit_test(test_unreachable),
		cmocka_unit_test(test_tls),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_events),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
