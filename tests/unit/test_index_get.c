/* SPDX-License-Identifier: Apache-2.0 */
/* Pages asked for: of indexes in HTML and in JSON, with and without
 * credentials, and of those that answer badly. */
#include "index_fixture.h"

#include <envbuild/index.h>
#include <envbuild/json.h>

#include "httpd.h"
#include "httpd_ask.h"

static char *dir, *wheels, *pem;
static struct index_server html, json, locked, faulty, tls;

static const char *const lines[] = {
	"one 1.0 python=>=3.6 kind=wheel,setup time=2019-05-06T07:08:09Z",
	"one 2.0+cpu yanked='no & good'",
	"one 3.0 yanked",
	"two-two 1.0 kind=wheel",
	NULL,
};

static int set_up(void **state)
{
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	dir = eb_make_tempdir("/tmp", "index-get-", &err);
	if (!dir)
		return -1;
	index_clean_environment(dir);
	wheels = eb_path_join(dir, "wheels");
	make_wheels(wheels, lines);
	write_text(wheels, "one-0.1.exe", "x");

	eb_autofree char *a = eb_asprintf("a=%s", wheels);
	eb_autofree char *b = eb_asprintf("b=%s", wheels);
	index_start(&html, (const char *[]){ "--index", a, NULL });
	index_start(&json, (const char *[]){ "--index", a, "--json",
					     "--relative", NULL });
	index_start(&locked,
		    (const char *[]){ "--index", a, "--index", b, "--login",
				      "a=me:se cret", "--login", "b=you:other",
				      NULL });
	index_start(&faulty, (const char *[]){ "--index", a, NULL });
	return 0;
}

static int tear_down(void **state)
{
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	index_stop(&html);
	index_stop(&json);
	index_stop(&locked);
	index_stop(&faulty);
	eb_remove_tree(dir, &err);
	free(wheels);
	free(dir);
	return 0;
}

static struct eb_http *new_http(void)
{
	static const struct eb_http_options options = { .backoff_ms = 20,
							.stall_s = 1,
							.tries = 2 };

	return eb_http_new(&options, NULL);
}

static int get(const struct eb_indexes *x, const char *index,
	       const char *project, struct eb_index_page *page,
	       struct eb_error *err)
{
	EB_CLEANUP(eb_http_free_ptr) struct eb_http *http = new_http();

	return eb_index_page_get(http, x, index, project, page, err);
}

static void must_get(const struct eb_indexes *x, const char *index,
		     const char *project, struct eb_index_page *page)
{
	struct eb_error err = EB_ERROR_INIT;
	int rc = get(x, index, project, page, &err);

	if (rc != 1)
		fail_msg("%s: %d %s", index, rc, err.message);
}

static char *index_url(const struct index_server *s, const char *login,
		       const char *path)
{
	return eb_asprintf("http://%s127.0.0.1:%u%s", login, s->port, path);
}

/* The same lines give the same bytes. */
static void test_fixture(void **state)
{
	eb_autofree char *again = eb_path_join(dir, "again");
	struct eb_index_page p, q;

	(void)state;
	make_wheels(again, lines);
	MUST(eb_index_links_get(NULL, NULL, wheels, &p, err));
	MUST(eb_index_links_get(NULL, NULL, again, &q, err));
	assert_int_equal(p.n, 5);
	assert_int_equal(q.n, p.n);
	for (size_t i = 0; i < p.n; i++) {
		eb_autofree char *a = eb_path_join(wheels, p.file[i].name);
		eb_autofree char *b = eb_path_join(again, q.file[i].name);
		EB_AUTOBUF(x, 65536);
		EB_AUTOBUF(y, 65536);

		MUST(eb_read_file(a, 65536, &x, err));
		MUST(eb_read_file(b, 65536, &y, err));
		assert_int_equal(x.len, y.len);
		assert_memory_equal(x.data, y.data, x.len);
	}
	eb_index_page_release(&p);
	eb_index_page_release(&q);
}

/* ---- good ones ------------------------------------------------------------
 */

static void test_html(void **state)
{
	eb_autofree char *url = index_url(&html, "", "/a/simple");
	struct eb_index_page p;
	const struct eb_index_file *f;

	(void)state;
	must_get(NULL, url, "One", &p);
	assert_int_equal(p.n, 4);
	f = eb_index_find(&p, "one-1.0-py3-none-any.whl");
	assert_true(f->has_sha256);
	assert_string_equal(f->requires_python, ">=3.6");
	assert_string_equal(f->upload_time, "2019-05-06T07:08:09Z");
	assert_int_equal(f->size, 0);
	assert_null(f->yanked);
	assert_null(f->metadata_url);
	assert_non_null(eb_index_find(&p, "one-1.0.tar.gz"));
	f = eb_index_find(&p, "one-2.0+cpu-py3-none-any.whl");
	assert_string_equal(f->yanked, "no & good");
	assert_true(eb_ends(f->url, "/a/files/one-2.0%2Bcpu-py3-none-any.whl"));
	f = eb_index_find(&p, "one-3.0-py3-none-any.whl");
	assert_string_equal(f->yanked, "");
	eb_index_page_release(&p);
}

static void test_json(void **state)
{
	eb_autofree char *url = index_url(&json, "", "/a/simple//");
	struct eb_index_page p, q;
	struct eb_error err = EB_ERROR_INIT;
	const struct eb_index_file *f;

	(void)state;
	must_get(NULL, url, "one", &p);
	assert_int_equal(p.n, 4);
	f = eb_index_find(&p, "one-2.0+cpu-py3-none-any.whl");
	assert_true(f->has_sha256);
	assert_true(f->size > 500);
	assert_string_equal(f->yanked, "no & good");
	assert_true(eb_ends(f->metadata_url, "any.whl.metadata"));
	assert_null(eb_index_find(&p, "one-1.0.tar.gz")->metadata_url);
	f = eb_index_find(&p, "one-3.0-py3-none-any.whl");
	assert_string_equal(f->yanked, "");
	/* what both kinds say is the same */
	eb_autofree char *other = index_url(&html, "", "/a/simple/");
	must_get(NULL, other, "ONE", &q);
	for (size_t i = 0; i < p.n; i++) {
		assert_string_equal(p.file[i].name, q.file[i].name);
		assert_true(
			eb_digest_equal(&p.file[i].sha256, &q.file[i].sha256));
	}
	eb_index_page_release(&p);
	eb_index_page_release(&q);
	must_get(NULL, url, "Two_.two", &p);
	assert_int_equal(p.n, 1);
	eb_index_page_release(&p);
	assert_int_equal(get(NULL, url, "three", &p, &err), 0);
	assert_false(eb_err_is_set(&err));
	assert_int_equal(p.n, 0);
	/* it was asked for both kinds, and came packed */
	eb_autofree char *log = index_ask(&json, "GET", "/_log", NULL);
	assert_non_null(strstr(log, "simple.v1+json, application/vnd.pypi"));
	assert_non_null(strstr(log, "\"/a/simple/two-two/\""));
	assert_non_null(strstr(log, "\"coding\": \"gzip\""));
}

/* ---- credentials ----------------------------------------------------------
 */

static void refuses(const struct eb_indexes *x, const char *index,
		    enum eb_code code, const char *what)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_index_page p;

	assert_int_equal(get(x, index, "one", &p, &err), -1);
	if (err.code != code || !strstr(err.message, what))
		fail_msg("%d: %s", (int)err.code, err.message);
	assert_null(strstr(err.message, "cret"));
	assert_null(p.file);
	eb_err_release(&err);
}

static void test_login(void **state)
{
	eb_autofree char *bare = index_url(&locked, "", "/a/simple/");
	eb_autofree char *own =
		index_url(&locked, "me:se%20cret@", "/a/simple/");
	eb_autofree char *wrong =
		index_url(&locked, "me:secret@", "/a/simple/");
	eb_autofree char *b = index_url(&locked, "you:other@", "/b/simple/");
	eb_autofree char *bare_b = index_url(&locked, "", "/b/simple");
	struct eb_indexes x = { .url = own };
	struct eb_index_page p;

	(void)state;
	refuses(NULL, bare, EB_REFUSED, "401");
	refuses(NULL, wrong, EB_REFUSED, "401");
	must_get(NULL, own, "one", &p);
	assert_int_equal(p.n, 4);
	/* no page has a login in its links */
	for (size_t i = 0; i < p.n; i++)
		assert_null(strchr(p.file[i].url, '@'));
	eb_index_page_release(&p);
	eb_strv_add(&x.extra, b);
	must_get(&x, bare, "one", &p);
	eb_index_page_release(&p);
	must_get(&x, bare_b, "one", &p);
	eb_index_page_release(&p);
	eb_strv_release(&x.extra);
	/* netrc */
	write_text(dir, ".netrc",
		   "machine 127.0.0.1 login you password other\n");
	must_get(NULL, bare_b, "one", &p);
	eb_index_page_release(&p);
	eb_autofree char *rc = eb_path_join(dir, ".netrc");
	unlink(rc);
}

static void set_faults(const char *text)
{
	free(index_ask(&faulty, "PUT", "/_faults", text));
	free(index_ask(&faulty, "DELETE", "/_log", NULL));
}

/* Elsewhere nobody learns who we are. */
static void test_away(void **state)
{
	eb_autofree char *url = index_url(&faulty, "me:secret@", "/a/simple");
	struct eb_index_page p;
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	set_faults("away=/a/simple/*\n");
	must_get(NULL, url, "one", &p);
	assert_int_equal(p.n, 4);
	assert_true(eb_starts(p.file[0].url, "http://localhost:"));
	eb_index_page_release(&p);
	eb_autofree char *text = index_ask(&faulty, "GET", "/_log", NULL);
	eb_autojson json_t *log =
		eb_json_parse(text, strlen(text), "log", &err);
	assert_int_equal(json_array_size(log), 2);
	assert_string_equal(eb_json_str(json_array_get(log, 0), "user"), "me");
	assert_null(eb_json_str(json_array_get(log, 1), "user"));
	assert_true(eb_starts(eb_json_str(json_array_get(log, 1), "host"),
			      "localhost:"));
}

/* ---- bad ones -------------------------------------------------------------
 */

static void test_faults(void **state)
{
	static const struct {
		const char *fault;
		enum eb_code code;
		const char *what;
	} cases[] = {
		{ "circle=/a/*", EB_NETWORK, "redirect" },
		{ "hang=/a/*", EB_NETWORK, "" },
		{ "stall=/a/*", EB_NETWORK, "" },
		{ "cut=/a/*", EB_INTEGRITY, "breaks off after" },
		{ "large=/a/*", EB_INTEGRITY, "longer than 67108864" },
		{ "type=/a/*", EB_INPUT, "its type is \"text/plain\"" },
		{ "403=/a/*", EB_REFUSED, "403" },
		{ "500=/a/*", EB_NETWORK, "500" },
		{ "418=/a/*", EB_NETWORK, "418" },
	};
	eb_autofree char *url =
		index_url(&faulty, "me:se%20cret@", "/a/simple/?sig=cret");

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		uint64_t begun = eb_now_ns();

		set_faults(cases[i].fault);
		refuses(NULL, url, cases[i].code, cases[i].what);
		assert_true(eb_now_ns() - begun < 20000000000u);
	}
}

static void test_better_luck(void **state)
{
	eb_autofree char *url = index_url(&faulty, "", "/a/simple/");
	struct eb_index_page p;
	struct eb_digest zero = { { 0 } };
	const struct eb_index_file *f;

	(void)state;
	set_faults("once-503=/a/*\n");
	must_get(NULL, url, "one", &p);
	assert_int_equal(p.n, 4);
	eb_index_page_release(&p);
	set_faults("html=/a/*\n");
	must_get(NULL, url, "one", &p);
	assert_int_equal(p.n, 0);
	eb_index_page_release(&p);
	set_faults("hash=one-3*\n");
	must_get(NULL, url, "one", &p);
	f = eb_index_find(&p, "one-3.0-py3-none-any.whl");
	assert_true(eb_digest_equal(&f->sha256, &zero));
	eb_index_page_release(&p);
	set_faults("404=/a/*\n");
	struct eb_error err = EB_ERROR_INIT;
	assert_int_equal(get(NULL, url, "one", &p, &err), 0);
	set_faults("410=/a/*\n");
	assert_int_equal(get(NULL, url, "one", &p, &err), 0);
}

static void test_wrong_words(void **state)
{
	static const char *const names[] = { "",    "a/b", "../a",
					     "a b", "-a",  "a%2f" };
	struct eb_index_page p;

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct eb_error err = EB_ERROR_INIT;

		assert_int_equal(
			get(NULL, "http://127.0.0.1:1/", names[i], &p, &err),
			-1);
		assert_int_equal(err.code, EB_INPUT);
		eb_err_release(&err);
	}
	refuses(NULL, "/some/folder", EB_INPUT, "no http or https URL");
	refuses(NULL, "ftp://u:secret@h/", EB_INPUT, "no http or https URL");
	refuses(NULL, "http://127.0.0.1:1/", EB_NETWORK, "");
}

/* ---- TLS ------------------------------------------------------------------
 */

/* timeout, retries, proxy: as pip's settings have them. */
static void test_patience(void **state)
{
	eb_autofree char *url = index_url(&faulty, "", "/a/simple/");
	struct eb_indexes x = { .timeout_s = 3 };
	uint64_t begun = eb_now_ns();
	struct eb_index_page p;

	(void)state;
	set_faults("once-503=/a/*\n");
	must_get(&x, url, "one", &p);
	eb_index_page_release(&p);
	x.has_retries = true;
	set_faults("once-503=/a/*\n");
	refuses(&x, url, EB_NETWORK, "503");
	set_faults("hang=/a/*\n");
	begun = eb_now_ns();
	refuses(&x, url, EB_NETWORK, "no byte came for 3 s");
	assert_true(eb_now_ns() - begun >= 3000000000u);
	x.timeout_s = 1;
	begun = eb_now_ns();
	refuses(&x, url, EB_NETWORK, "no byte came for 1 s");
	assert_true(eb_now_ns() - begun < 3000000000u);
}

/* The server sees the whole URL, as proxies do, and has no such page. */
static void test_proxy(void **state)
{
	eb_autofree char *proxy = index_url(&faulty, "", "");
	struct eb_indexes x = { .proxy = proxy };
	struct eb_error err = EB_ERROR_INIT;
	struct eb_index_page p;

	(void)state;
	unsetenv("no_proxy");
	unsetenv("NO_PROXY");
	set_faults("");
	assert_int_equal(
		get(&x, "http://index.example/simple/", "one", &p, &err), 0);
	eb_autofree char *text = index_ask(&faulty, "GET", "/_log", NULL);
	assert_non_null(strstr(text, "http://index.example/simple/one/"));
}

static void test_tls(void **state)
{
	eb_autofree char *a = eb_asprintf("a=%s", wheels);
	struct eb_indexes x = { 0 };
	struct eb_index_page p;

	(void)state;
	pem = eb_path_join(dir, "tls.pem");
	if (httpd_make_pem(pem) < 0)
		fail_msg("openssl made no certificate");
	index_start(&tls, (const char *[]){ "--index", a, "--tls", pem, NULL });
	eb_autofree char *url =
		eb_asprintf("https://localhost:%u/a/simple/", tls.port);
	eb_autofree char *host = eb_asprintf("localhost:%u", tls.port);
	refuses(&x, url, EB_REFUSED, "");
	x.ca_file = pem;
	must_get(&x, url, "one", &p);
	eb_index_page_release(&p);
	x.ca_file = NULL;
	eb_strv_add(&x.trusted_host, "other");
	eb_strv_add(&x.trusted_host, "localhost:1");
	refuses(&x, url, EB_REFUSED, "");
	eb_strv_add(&x.trusted_host, host);
	must_get(&x, url, "one", &p);
	eb_index_page_release(&p);
	x.trusted_host.n--;
	free(x.trusted_host.v[2]);
	eb_strv_add(&x.trusted_host, "LOCALHOST");
	must_get(&x, url, "one", &p);
	eb_index_page_release(&p);
	x.ca_file = (char *)"/not/there.pem";
	refuses(&x, url, EB_INPUT, "/not/there.pem");
	eb_strv_release(&x.trusted_host);
	index_stop(&tls);
	free(pem);
}

/* ---- folders and links ----------------------------------------------------
 */

static void test_links(void **state)
{
	EB_CLEANUP(eb_http_free_ptr) struct eb_http *http = new_http();
	eb_autofree char *url = eb_asprintf("file://%s", wheels);
	eb_autofree char *page = index_url(&html, "", "/a/simple/one/");
	eb_autofree char *none = eb_path_join(dir, "none");
	struct eb_index_page p;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		MUST(eb_index_links_get(http, NULL, i ? url : wheels, &p, err));
		assert_int_equal(p.n, 5);
		assert_string_equal(p.file[2].name,
				    "one-2.0+cpu-py3-none-any.whl");
		assert_true(p.file[2].size > 500);
		assert_true(eb_starts(p.file[2].url, "file:///"));
		assert_true(eb_ends(p.file[2].url, "/one-2.0+cpu-py3-none-any"
						   ".whl"));
		eb_index_page_release(&p);
	}
	MUST(eb_index_links_get(http, NULL, page, &p, err));
	assert_int_equal(p.n, 4);
	eb_index_page_release(&p);
	struct eb_error err = EB_ERROR_INIT;
	assert_int_equal(eb_index_links_get(http, NULL, none, &p, &err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fixture),
		cmocka_unit_test(test_html),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_login),
		cmocka_unit_test(test_away),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_better_luck),
		cmocka_unit_test(test_wrong_words),
		cmocka_unit_test(test_patience),
		cmocka_unit_test(test_proxy),
		cmocka_unit_test(test_tls),
		cmocka_unit_test(test_links),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
