/* SPDX-License-Identifier: Apache-2.0 */
/* Requests that send something, and answers that are looked at: methods,
 * bodies, header fields, statuses, ranges. */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#include <envbuild/digest.h>
#include <envbuild/file.h>
#include <envbuild/str.h>

#include "httpd_ask.h"

static struct httpd one, two, tls, asking;
static char *dir, *pem;

static const struct eb_http_options quick = { .backoff_ms = 20, .stall_s = 3 };

struct call {
	struct eb_http_request r;
	char url[256];
	struct eb_buf text;
};

static void call_to(struct call *c, const struct httpd *h, const char *method,
		    const char *path)
{
	memset(c, 0, sizeof *c);
	snprintf(c->url, sizeof c->url, "http://127.0.0.1:%u%s", h->port, path);
	eb_buf_init(&c->text, 1 << 20);
	c->r = (struct eb_http_request){
		.url = c->url, .method = method, .text = &c->text, .fd = -1
	};
}

static void run_with(struct call *c, const struct eb_http_options *o)
{
	struct eb_http *http = eb_http_new(o, NULL);
	struct eb_http_request *all[] = { &c->r };
	struct eb_error err = EB_ERROR_INIT;
	int rc = eb_http_do(http, all, 1, &err);

	assert_int_equal(rc, eb_err_is_set(&err) ? -1 : 0);
	assert_false(eb_err_is_set(&c->r.err));
	eb_err_move(&c->r.err, &err); /* for what follows */
	eb_http_free(http);
}

static void run(struct call *c)
{
	run_with(c, &quick);
}

static void call_free(struct call *c)
{
	eb_http_request_release(&c->r);
	eb_buf_release(&c->text);
}

static void assert_status(const struct call *c, long status)
{
	if (eb_err_is_set(&c->r.err))
		fail_msg("%s", c->r.err.message);
	assert_int_equal(c->r.status, status);
}

static void assert_fails(const struct call *c, enum eb_code code,
			 const char *words)
{
	if (!eb_err_is_set(&c->r.err))
		fail_msg("%s: no error, expected \"%s\"", c->url, words);
	if (!strstr(c->r.err.message, words))
		fail_msg("\"%s\" is not in: %s", words, c->r.err.message);
	assert_int_equal(c->r.err.code, code);
}

/* Some bytes that repeat nowhere near, and what the server says of them. */
static void *make_bytes(size_t n)
{
	unsigned char *p = eb_malloc(n);
	uint32_t x = 1;

	for (size_t i = 0; i < n; i++) {
		x = x * 1664525 + 1013904223;
		p[i] = (unsigned char)(x >> 24);
	}
	return p;
}

static void assert_arrived(const struct httpd *h, const char *path,
			   const void *p, size_t n)
{
	eb_autofree char *body = httpd_ask(h, "_body", path);
	struct eb_digest d;
	char hex[EB_HEX_SIZE], want[128];

	eb_sha256(p, n, &d);
	snprintf(want, sizeof want, "%zu %s", n, eb_digest_hex(&d, hex));
	assert_string_equal(body, want);
}

static bool was_told(const struct httpd *h, const char *path, const char *line)
{
	eb_autofree char *last = httpd_ask(h, "_last", path);

	return strstr(last, line) != NULL;
}

/* --- bodies ---------------------------------------------------------- */

static void test_memory(void **state)
{
	eb_autofree char *bytes = make_bytes(100000);
	struct call c;

	(void)state;
	call_to(&c, &one, "PUT", "/memory");
	c.r.body = (struct eb_http_body){ .kind = EB_HTTP_MEMORY,
					  .data = bytes,
					  .size = 100000 };
	run(&c);
	assert_status(&c, 201);
	assert_int_equal(c.r.sent, 100000);
	assert_string_equal(c.text.data, "stored");
	assert_arrived(&one, "/memory", bytes, 100000);
	assert_true(was_told(&one, "/memory", "PUT /memory"));
	assert_true(was_told(&one, "/memory", "Content-Length: 100000\n"));
	assert_false(was_told(&one, "/memory", "Content-Type:"));
	assert_false(was_told(&one, "/memory", "Expect:"));
	call_free(&c);
}

static void test_file_again(void **state)
{
	enum { SIZE = 3 << 20, FROM = 1000 };
	const char *path = "/@code=503,fail=2@/file";
	eb_autofree char *bytes = make_bytes(SIZE);
	eb_autofd int fd = memfd_create("body", MFD_CLOEXEC);
	struct call c;

	(void)state;
	assert_int_equal(write(fd, bytes, SIZE), SIZE);
	call_to(&c, &one, "PUT", path);
	c.r.body = (struct eb_http_body){ .kind = EB_HTTP_FD,
					  .fd = fd,
					  .offset = FROM,
					  .size = SIZE - FROM };
	run(&c);
	assert_status(&c, 201);
	assert_int_equal(c.r.sent, SIZE - FROM);
	assert_arrived(&one, path, bytes + FROM, SIZE - FROM);
	assert_int_equal(httpd_count(&one, path), 3);
	assert_true(was_told(&one, path, "Expect: 100-continue"));
	call_free(&c);

	call_to(&c, &one, "PUT", "/short");
	c.r.body = (struct eb_http_body){ .kind = EB_HTTP_FD,
					  .fd = fd,
					  .size = SIZE + 1 };
	run(&c);
	assert_fails(&c, EB_INTEGRITY, "the file ends after 3145728 of");
	call_free(&c);
}

/* Of a large body nothing is sent to a server that says no at once. */
static void test_early(void **state)
{
	enum { SIZE = 8 << 20 };
	eb_autofree char *bytes = make_bytes(SIZE);
	struct call c;

	(void)state;
	call_to(&c, &one, "PUT", "/@code=401,early@/early");
	c.r.any_status = true;
	c.r.body = (struct eb_http_body){ .kind = EB_HTTP_MEMORY,
					  .data = bytes,
					  .size = SIZE };
	run(&c);
	assert_status(&c, 401);
	assert_int_equal(c.r.sent, 0);
	call_free(&c);
}

static void test_methods(void **state)
{
	static const char *const empty[] = { "POST", "PUT", "PATCH" };
	struct call c;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		eb_autofree char *line = eb_asprintf("%s /empty", empty[i]);

		call_to(&c, &one, empty[i], "/empty");
		run(&c);
		assert_status(&c, 201);
		call_free(&c);
		assert_true(was_told(&one, "/empty", line));
		assert_true(was_told(&one, "/empty", "Content-Length: 0\n"));
		assert_false(was_told(&one, "/empty", "Transfer-Encoding"));
	}
	call_to(&c, &one, "PATCH", "/patch");
	c.r.body = (struct eb_http_body){ .kind = EB_HTTP_MEMORY,
					  .data = "abc",
					  .size = 3 };
	run(&c);
	assert_status(&c, 201);
	call_free(&c);
	assert_arrived(&one, "/patch", "abc", 3);
	assert_true(was_told(&one, "/patch", "PATCH /patch"));
	call_to(&c, &one, "DELETE", "/@size=1@/delete");
	run(&c);
	assert_status(&c, 200);
	call_free(&c);
	assert_true(was_told(&one, "/@size=1@/delete", "DELETE "));
	assert_false(was_told(&one, "/@size=1@/delete", "Content-Length"));
}

static void test_head(void **state)
{
	eb_autofree char *length = NULL;
	struct call c;

	(void)state;
	call_to(&c, &one, "HEAD", "/@size=5000,etag=h@/head");
	run(&c);
	assert_status(&c, 200);
	assert_int_equal(c.r.received, 0);
	assert_int_equal(c.text.len, 0);
	length = eb_http_field(&c.r, "content-length", 0);
	assert_string_equal(length, "5000");
	assert_string_equal(c.r.etag, "\"h\"");
	call_free(&c);
	call_to(&c, &one, "HEAD", "/@size=5000,hops=2@/head");
	run(&c);
	assert_status(&c, 200);
	assert_non_null(strstr(c.r.final_url, "hops=0@/head"));
	call_free(&c);
	call_to(&c, &one, "HEAD", "/@code=404@/head");
	c.r.any_status = true;
	run(&c);
	assert_status(&c, 404);
	call_free(&c);
	assert_true(was_told(&one, "/@code=404@/head", "HEAD "));
}

/* --- header fields --------------------------------------------------- */

static void test_headers(void **state)
{
	static const char *const lines[] = { "Accept: a/b, c/d", "X-One: 1",
					     NULL };
	static const char *const split[] = { "X: 1\r\nY: 2", NULL };
	const char *path = "/@size=3,hops=1@/headers";
	struct call c;

	(void)state;
	call_to(&c, &one, NULL, path);
	c.r.headers = lines;
	run(&c);
	assert_status(&c, 200);
	call_free(&c);
	for (int i = 0; i < 2; i++) {
		assert_true(was_told(&one, path, "Accept: a/b, c/d\n"));
		assert_true(was_told(&one, path, "X-One: 1\n"));
		path = "/@size=3,hops=0@/headers";
	}
	call_to(&c, &one, NULL, "/@size=3@/split");
	c.r.headers = split;
	run(&c);
	assert_fails(&c, EB_INPUT, "control characters");
	call_free(&c);
	assert_int_equal(httpd_count(&one, "/@size=3@/split"), 0);
}

static void test_authorization(void **state)
{
	const char *here = "/@size=3,hops=1@/auth";
	char away[64];
	struct call c;

	(void)state;
	call_to(&c, &one, NULL, here);
	c.r.authorization = "Bearer s3cret";
	run(&c);
	assert_status(&c, 200);
	call_free(&c);
	assert_true(was_told(&one, here, "Authorization: Bearer s3cret\n"));
	assert_true(was_told(&one, "/@size=3,hops=0@/auth", "Bearer s3cret"));

	snprintf(away, sizeof away, "/@to=127.0.0.1:%u@/away", two.port);
	call_to(&c, &one, NULL, away);
	c.r.authorization = "Bearer s3cret";
	c.r.any_status = true;
	run(&c);
	assert_status(&c, 404);
	call_free(&c);
	assert_true(was_told(&one, away, "Bearer s3cret"));
	assert_true(was_told(&two, "/away", "GET /away"));
	assert_false(was_told(&two, "/away", "uthorization"));
}

static void test_netrc(void **state)
{
	eb_autofree char *netrc = eb_path_join(dir, "netrc");
	const char *text = "machine 127.0.0.1 login me password n3t\n";
	struct eb_error err = EB_ERROR_INIT;
	struct call c;

	(void)state;
	assert_int_equal(eb_write_file(netrc, text, strlen(text), 0600, &err),
			 0);
	setenv("NETRC", netrc, 1);
	call_to(&c, &one, NULL, "/@size=1@/netrc");
	run(&c);
	call_free(&c);
	assert_true(was_told(&one, "/@size=1@/netrc", "Authorization: Basic"));
	call_to(&c, &one, NULL, "/@size=2@/netrc");
	c.r.no_netrc = true;
	run(&c);
	call_free(&c);
	assert_false(was_told(&one, "/@size=2@/netrc", "Authorization"));
	call_to(&c, &one, NULL, "/@size=3@/netrc");
	c.r.authorization = "Bearer x";
	run(&c);
	call_free(&c);
	assert_true(was_told(&one, "/@size=3@/netrc", "Authorization: Bearer"));
	assert_false(was_told(&one, "/@size=3@/netrc", "Basic"));
	unsetenv("NETRC");
}

static void test_fields(void **state)
{
	eb_autofree char *first = NULL, *last = NULL;
	struct call c;

	(void)state;
	call_to(&c, &one, NULL, "/@size=3,warn=3@/fields");
	run(&c);
	assert_status(&c, 200);
	first = eb_http_field(&c.r, "WARNING", 0);
	last = eb_http_field(&c.r, "warning", 2);
	assert_string_equal(first, "299 - \"number 0\"");
	assert_string_equal(last, "299 - \"number 2\"");
	assert_null(eb_http_field(&c.r, "warning", 3));
	assert_null(eb_http_field(&c.r, "warn", 0));
	assert_true(eb_starts(c.r.answer, "HTTP/1.1 200 "));
	call_free(&c);
	assert_null(eb_http_field(&c.r, "warning", 0));
}

/* --- statuses -------------------------------------------------------- */

static void test_any_status(void **state)
{
	eb_autofree char *challenge = NULL;
	struct call c;

	(void)state;
	call_to(&c, &one, NULL, "/@code=401@/who");
	c.r.any_status = true;
	run(&c);
	assert_status(&c, 401);
	challenge = eb_http_field(&c.r, "WWW-Authenticate", 0);
	assert_string_equal(challenge,
			    "Bearer realm=\"https://t/\",scope=\"x\"");
	assert_string_equal(c.r.error_body, "a fault");
	assert_int_equal(c.text.len, 0);
	call_free(&c);
	call_to(&c, &one, NULL, "/@code=401@/who");
	run(&c);
	assert_fails(&c, EB_REFUSED, "authentication is needed (401)");
	assert_string_equal(c.r.error_body, "a fault");
	call_free(&c);
	call_to(&c, &one, NULL, "/@code=410@/gone");
	c.r.any_status = true;
	run(&c);
	assert_status(&c, 404);
	call_free(&c);
	call_to(&c, &one, NULL, "/@code=503@/busy");
	c.r.any_status = true;
	c.r.tries = 2;
	run(&c);
	assert_fails(&c, EB_NETWORK, "service unavailable (503)");
	assert_int_equal(c.r.status, 503);
	call_free(&c);
	assert_int_equal(httpd_count(&one, "/@code=503@/busy"), 2);
}

/* Of a page about an error the beginning is kept, and no more is read. */
static void test_large_page(void **state)
{
	struct call c;

	(void)state;
	call_to(&c, &one, NULL, "/@code=404,page=65536@/page");
	c.r.any_status = true;
	run(&c);
	assert_status(&c, 404);
	assert_int_equal(strlen(c.r.error_body), 65536);
	call_free(&c);
	call_to(&c, &one, NULL, "/@code=403,page=90000000@/page");
	run(&c);
	assert_fails(&c, EB_REFUSED, "forbidden (403)");
	assert_int_equal(strlen(c.r.error_body), 65536);
	call_free(&c);
}

static void test_redirected_put(void **state)
{
	eb_autofree char *location = NULL;
	char path[64];
	struct call c;

	(void)state;
	snprintf(path, sizeof path, "/@code=307,to=127.0.0.1:%u@/put",
		 two.port);
	call_to(&c, &one, "PUT", path);
	c.r.body = (struct eb_http_body){ .kind = EB_HTTP_MEMORY,
					  .data = "abc",
					  .size = 3 };
	run(&c);
	assert_status(&c, 307);
	location = eb_http_field(&c.r, "Location", 0);
	assert_non_null(strstr(location, "http://127.0.0.1:"));
	call_free(&c);
	assert_int_equal(httpd_count(&two, "/x"), 0);
}

/* --- times ----------------------------------------------------------- */

static void test_timeout(void **state)
{
	const char *path = "/@size=1,slow=2000@/slow";
	uint64_t before = eb_now_ns();
	struct call c;

	(void)state;
	call_to(&c, &one, NULL, path);
	c.r.timeout_ms = 200;
	c.r.tries = 2;
	run(&c);
	assert_fails(&c, EB_NETWORK, "timed out after");
	assert_true(eb_now_ns() - before < 1900000000u);
	call_free(&c);
	assert_int_equal(httpd_count(&one, path), 2);
}

/* backoff_ms is the unit of every pause: 20 ms here stand for a second. */
static void test_retry_after_date(void **state)
{
	uint64_t before = eb_now_ns(), took;
	struct call c;

	(void)state;
	call_to(&c, &one, "PUT", "/@code=429,fail=1,date=21@/date");
	run(&c);
	took = eb_now_ns() - before;
	assert_status(&c, 201);
	assert_int_equal(c.r.retry_after, 0);
	assert_true(took >= 380000000u && took < 3000000000u);
	call_free(&c);
	call_to(&c, &one, NULL, "/@code=429,date=3600@/date");
	c.r.any_status = true;
	c.r.tries = 1;
	run(&c);
	assert_fails(&c, EB_NETWORK, "asks for a pause of 3");
	assert_in_range(c.r.retry_after, 3590, 3600);
	call_free(&c);
}

static void test_deaf(void **state)
{
	enum { SIZE = 16 << 20 };
	eb_autofree char *bytes = make_bytes(SIZE);
	struct call c;

	(void)state;
	call_to(&c, &one, "PUT", "/@deaf@/deaf");
	c.r.tries = 1;
	c.r.body = (struct eb_http_body){ .kind = EB_HTTP_MEMORY,
					  .data = bytes,
					  .size = SIZE };
	run_with(&c, &(struct eb_http_options){ .stall_s = 1 });
	assert_fails(&c, EB_NETWORK, "no byte came for 1 s");
	assert_in_range(c.r.sent, 1, SIZE - 1);
	call_free(&c);
}

/* --- answers' bodies ------------------------------------------------- */

struct seen {
	struct eb_buf bytes;
	unsigned starts;
	uint64_t stop_at; /* 0: never */
};

static int see(void *data, const void *p, size_t n, uint64_t offset,
	       struct eb_error *err)
{
	struct seen *s = data;

	if (offset == 0) {
		s->starts++;
		eb_buf_reset(&s->bytes);
	}
	assert_int_equal(offset, s->bytes.len);
	assert_int_equal(eb_buf_add(&s->bytes, p, n), 0);
	if (s->stop_at && s->bytes.len >= s->stop_at)
		return eb_err_set(err, EB_INPUT, "that is enough");
	return 0;
}

static void sink_of(struct call *c, struct seen *s, const char *path)
{
	memset(s, 0, sizeof *s);
	eb_buf_init(&s->bytes, 1 << 20);
	call_to(c, &one, NULL, path);
	c->r.sink = see;
	c->r.data = s;
}

static void test_sink(void **state)
{
	struct call plain, c;
	struct seen s;

	(void)state;
	call_to(&plain, &one, NULL, "/@size=60000@/sink");
	run(&plain);
	assert_status(&plain, 200);
	assert_int_equal(plain.text.len, 60000);

	sink_of(&c, &s, "/@size=60000,cut=25000,cuts=1@/sink");
	run(&c);
	assert_status(&c, 200);
	assert_int_equal(s.starts, 2);
	assert_int_equal(s.bytes.len, 60000);
	assert_memory_equal(s.bytes.data, plain.text.data, 60000);
	eb_buf_release(&s.bytes);
	call_free(&c);

	sink_of(&c, &s, "/@size=60000,cut=25000,cuts=1,etag=x@/sink");
	run(&c);
	assert_status(&c, 200);
	assert_int_equal(s.starts, 1);
	assert_memory_equal(s.bytes.data, plain.text.data, 60000);
	eb_buf_release(&s.bytes);
	call_free(&c);

	sink_of(&c, &s, "/@size=60000@/stop");
	s.stop_at = 20000;
	run(&c);
	assert_fails(&c, EB_INPUT, "that is enough");
	assert_int_equal(httpd_count(&one, "/@size=60000@/stop"), 1);
	eb_buf_release(&s.bytes);
	call_free(&c);
	call_free(&plain);
}

static void test_text(void **state)
{
	struct call c;

	(void)state;
	call_to(&c, &one, NULL, "/@size=9000,cut=5000,cuts=1@/text");
	eb_buf_adds(&c.text, "head:");
	run(&c);
	assert_status(&c, 200);
	assert_int_equal(c.text.len, 9005);
	assert_true(eb_starts(c.text.data, "head:"));
	assert_int_equal(c.r.received, 9000);
	call_free(&c);
	call_to(&c, &one, NULL, "/@size=9000@/limit");
	c.text.max = 8999;
	run(&c);
	assert_fails(&c, EB_INTEGRITY, "longer than 8999 bytes");
	assert_true(c.text.len <= 8999);
	call_free(&c);
}

static void test_range(void **state)
{
	struct call whole, c;

	(void)state;
	call_to(&whole, &one, NULL, "/@size=5000@/range");
	run(&whole);
	call_to(&c, &one, NULL, "/@size=5000@/range");
	c.r.range_from = 1000;
	c.r.range_size = 500;
	run(&c);
	assert_status(&c, 206);
	assert_int_equal(c.text.len, 500);
	assert_memory_equal(c.text.data, whole.text.data + 1000, 500);
	assert_true(was_told(&one, "/@size=5000@/range",
			     "Range: bytes=1000-1499\n"));
	call_free(&c);
	call_to(&c, &one, NULL, "/@size=5000,cut=200,cuts=1,etag=r@/range");
	c.r.range_from = 1000;
	c.r.range_size = 500;
	run(&c);
	assert_status(&c, 206);
	assert_int_equal(c.r.received, 500);
	assert_memory_equal(c.text.data, whole.text.data + 1000, 500);
	assert_true(was_told(&one, "/@size=5000,cut=200,cuts=1,etag=r@/range",
			     "Range: bytes=1200-1499\n"));
	call_free(&c);
	call_to(&c, &one, NULL, "/@size=5000,norange@/range");
	c.r.range_from = 1000;
	c.r.range_size = 500;
	run(&c);
	assert_fails(&c, EB_NETWORK, "sends the whole");
	assert_int_equal(c.text.len, 0);
	call_free(&c);
	call_free(&whole);
}

/* --- connections ----------------------------------------------------- */

static void test_kept_connection(void **state)
{
	struct eb_http *http = eb_http_new(&quick, NULL);
	struct eb_error err = EB_ERROR_INIT;
	int before = httpd_connections(&two);
	struct call c;

	(void)state;
	for (int i = 0; i < 50; i++) {
		struct eb_http_request *all[] = { &c.r };

		call_to(&c, &two, i % 3 ? "HEAD" : "PUT",
			i % 5 ? "/kept" : "/@code=404@/kept");
		c.r.any_status = true;
		assert_int_equal(eb_http_do(http, all, 1, &err), 0);
		call_free(&c);
	}
	eb_http_free(http);
	/* one of ours, one to ask */
	assert_int_equal(httpd_connections(&two) - before, 2);
}

/* --- TLS of one request ---------------------------------------------- */

static void tls_call(struct call *c, const struct httpd *h,
		     const struct eb_http_tls *how, const char *path)
{
	call_to(c, h, NULL, "");
	snprintf(c->url, sizeof c->url, "https://localhost:%u%s", h->port,
		 path);
	c->r.tls = how;
	c->r.tries = 1;
	run(c);
}

static char *pem_text(void)
{
	EB_AUTOBUF(text, 1 << 16);
	struct eb_error err = EB_ERROR_INIT;

	assert_int_equal(eb_read_file(pem, 1 << 16, &text, &err), 0);
	return eb_buf_steal(&text, NULL);
}

static void test_tls(void **state)
{
	eb_autofree char *ca = NULL;
	struct call c;
	char path[64];

	(void)state;
	if (!tls.port)
		skip();
	ca = pem_text();
	tls_call(&c, &tls, NULL, "/@size=3@/tls");
	assert_fails(&c, EB_REFUSED, "certificate");
	call_free(&c);
	tls_call(&c, &tls, &(struct eb_http_tls){ .ca = ca }, "/@size=3@/tls");
	assert_status(&c, 200);
	call_free(&c);
	tls_call(&c, &tls, &(struct eb_http_tls){ .insecure = true },
		 "/@size=3@/tls");
	assert_status(&c, 200);
	call_free(&c);
	/* what holds for one origin does not for the next */
	snprintf(path, sizeof path, "/@to=https://127.0.0.1:%u@/tls", tls.port);
	tls_call(&c, &tls, &(struct eb_http_tls){ .insecure = true }, path);
	assert_fails(&c, EB_REFUSED, "certificate");
	call_free(&c);
}

static void test_client_certificate(void **state)
{
	eb_autofree char *ca = NULL;
	struct call c;

	(void)state;
	if (!asking.port)
		skip();
	ca = pem_text();
	tls_call(&c, &asking, &(struct eb_http_tls){ .ca = ca },
		 "/@size=3@/cert");
	assert_fails(&c, EB_REFUSED, "certificate");
	call_free(&c);
	tls_call(&c, &asking,
		 &(struct eb_http_tls){ .ca = ca, .cert = pem, .key = pem },
		 "/@size=3@/cert");
	assert_status(&c, 200);
	call_free(&c);
}

/* --- URLs ------------------------------------------------------------ */

static void assert_resolves(const char *url, const char *location,
			    const char *want)
{
	eb_autofree char *got = eb_http_resolve(url, location);

	if (want)
		assert_string_equal(got, want);
	else
		assert_null(got);
}

static void test_urls(void **state)
{
	const char *url = "https://r.example:5000/v2/a/blobs/uploads/?x=1";
	eb_autofree char *a = eb_http_origin("https://R.Example/v2/");
	eb_autofree char *b = eb_http_origin(url);

	(void)state;
	assert_string_equal(a, "https://r.example:443");
	assert_string_equal(b, "https://r.example:5000");
	assert_null(eb_http_origin("ftp://r.example/"));
	assert_null(eb_http_origin("::"));
	assert_resolves(url, "/v2/a/blobs/uploads/77?_state=a%3D%3D&b",
			"https://r.example:5000/v2/a/blobs/uploads/77"
			"?_state=a%3D%3D&b");
	assert_resolves(url, "77?_state=x",
			"https://r.example:5000/v2/a/blobs/uploads/"
			"77?_state=x");
	assert_resolves(url, "http://other.example/up",
			"http://other.example/up");
	assert_resolves(url, "//other.example/up", "https://other.example/up");
	assert_resolves(url, "file:///etc/passwd", NULL);
}

/* --- frame ----------------------------------------------------------- */

static int setup(void **state)
{
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	dir = eb_make_tempdir("/tmp", "test_http_send.", &err);
	if (!dir)
		return -1;
	httpd_clean_environment(dir);
	pem = eb_path_join(dir, "tls.pem");
	if (httpd_make_pem(pem) == 0 &&
	    (httpd_start(&tls, NULL, pem) < 0 ||
	     httpd_start_asking(&asking, NULL, pem, pem) < 0))
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
	if (asking.port)
		httpd_stop(&asking);
	eb_remove_tree(dir, &err);
	free(dir);
	free(pem);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_file_again),
		cmocka_unit_test(test_early),
		cmocka_unit_test(test_methods),
		cmocka_unit_test(test_head),
		cmocka_unit_test(test_headers),
		cmocka_unit_test(test_authorization),
		cmocka_unit_test(test_netrc),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_any_status),
		cmocka_unit_test(test_large_page),
		cmocka_unit_test(test_redirected_put),
		cmocka_unit_test(test_timeout),
		cmocka_unit_test(test_retry_after_date),
		cmocka_unit_test(test_deaf),
		cmocka_unit_test(test_sink),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_range),
		cmocka_unit_test(test_kept_connection),
		cmocka_unit_test(test_tls),
		cmocka_unit_test(test_client_certificate),
		cmocka_unit_test(test_urls),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
