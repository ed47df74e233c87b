/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of indexes: HTML as it comes, JSON, what is left out, what is
 * refused, bytes of any kind. */
#include "index_fixture.h"

#include <python/index_int.h>

#define HTML "text/html"
#define JSON "application/vnd.pypi.simple.v1+json"
#define URL "https://index.example/simple/one/"
#define HEX "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

static void parse(const char *text, const char *type,
		  struct eb_index_page *page)
{
	MUST(eb_index_page_parse(text, strlen(text), type, URL, page, err));
}

static void refused(const char *text, const char *type, const char *what)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_index_page page;

	assert_int_equal(
		eb_index_page_parse(text, strlen(text), type, URL, &page, &err),
		-1);
	assert_int_equal(err.code, EB_INPUT);
	if (!strstr(err.message, what))
		fail_msg("\"%s\" is not in \"%s\"", what, err.message);
	assert_int_equal(page.n, 0);
	eb_err_release(&err);
}

#define assert_text(a, b)                                      \
	do {                                                   \
		const char *a_ = (a), *b_ = (b);               \
		if (!b_)                                       \
			assert_null(a_);                       \
		else                                           \
			assert_string_equal(a_ ? a_ : "", b_); \
	} while (0)

/* ---- HTML -----------------------------------------------------------------
 */

static const char as_it_comes[] =
	"<!DOCTYPE html>\n<html><head><title>Links for one</title></head>\n"
	"<body>\n<h1>Links for one</h1>\n"
	"<a href=\"https://files.example/a/one-1.0.tar.gz#sha256=" HEX
	"\" data-requires-python=\"&gt;=3.6.1\">one-1.0.tar.gz</a><br/>\n"
	"<A "
	"HREF='../../files/one-1.0%2Bcpu-py3-none-any.whl#md5=1&amp;sha256=" HEX
	"' data-yanked='' data-core-metadata=true data-upload-time="
	"2018-12-07T19:00:11.480185Z>text</A>\n"
	"<a data-yanked=\"it is &quot;bad&#34; &amp; &#x6f;ld\" "
	"href=one-2.0.zip"
	" data-dist-info-metadata=\"sha256=" HEX "\" rel=internal>z</a>\n"
	"<a href=\"one-1.exe\">e</a><a href=\"one-1-py2.7.egg\">e</a>"
	"<a href=\"one-1.rpm\">e</a><a>no link</a><a href=\"\">none</a>\n"
	"</body></html>\n";

static void test_html(void **state)
{
	struct eb_index_page p;
	struct eb_digest d;

	(void)state;
	parse(as_it_comes, HTML "; charset=utf-8", &p);
	assert_int_equal(eb_digest_parse(HEX, &d), 0);
	assert_int_equal(p.n, 3);
	assert_string_equal(p.file[0].name, "one-1.0.tar.gz");
	assert_string_equal(p.file[0].url,
			    "https://files.example/a/one-1.0.tar.gz");
	assert_true(p.file[0].has_sha256);
	assert_true(eb_digest_equal(&p.file[0].sha256, &d));
	assert_string_equal(p.file[0].requires_python, ">=3.6.1");
	assert_null(p.file[0].yanked);
	assert_null(p.file[0].metadata_url);
	assert_null(p.file[0].upload_time);
	assert_int_equal(p.file[0].size, 0);

	assert_string_equal(p.file[1].name, "one-1.0+cpu-py3-none-any.whl");
	assert_string_equal(p.file[1].url, "https://index.example/files/"
					   "one-1.0%2Bcpu-py3-none-any.whl");
	assert_true(eb_digest_equal(&p.file[1].sha256, &d));
	assert_string_equal(p.file[1].yanked, "");
	assert_string_equal(p.file[1].upload_time,
			    "2018-12-07T19:00:11.480185Z");
	assert_string_equal(p.file[1].metadata_url,
			    "https://index.example/files/"
			    "one-1.0%2Bcpu-py3-none-any.whl.metadata");

	assert_string_equal(p.file[2].url,
			    "https://index.example/simple/one/one-2.0.zip");
	assert_string_equal(p.file[2].yanked, "it is \"bad\" & old");
	assert_false(p.file[2].has_sha256);
	assert_non_null(p.file[2].metadata_url);
	assert_ptr_equal(eb_index_find(&p, "one-2.0.zip"), &p.file[2]);
	assert_null(eb_index_find(&p, "one-1.exe"));
	eb_index_page_release(&p);
}

/* One page, one file; NULL: none. */
static void test_oddities(void **state)
{
	static const struct {
		const char *text, *url;
	} cases[] = {
		{ "<a\nhref\t=\n\"x-1.zip\"\n>", URL "x-1.zip" },
		{ "<a href = 'x-1.zip'/>", URL "x-1.zip" },
		{ "<a/href=x-1.zip>", URL "x-1.zip" },
		{ "<a href=\"x-1.zip\"data-yanked>", URL "x-1.zip" },
		{ "<a title='<a href=y-1.zip>' href=x-1.zip>", URL "x-1.zip" },
		{ "<a href=\"y-1.zip\" href=\"x-1.zip\">", URL "x-1.zip" },
		{ "<!-- <a href=y-1.zip> --><a href=x-1.zip>", URL "x-1.zip" },
		{ "<!--><a href=x-1.zip>", URL "x-1.zip" },
		{ "<!-- --!> <a href=x-1.zip>", NULL },
		{ "<script>'<a href=y-1.zip>'</SCRIPT ><a href=x-1.zip>",
		  URL "x-1.zip" },
		{ "1 < 2 <a href=x-1.zip>", URL "x-1.zip" },
		{ "<<a href=x-1.zip>", URL "x-1.zip" },
		{ "<a href=x-1.zip", URL "x-1.zip" },
		{ "<a href=\"x-1.zip", URL "x-1.zip" },
		{ "<a href=", NULL },
		{ "<a ", NULL },
		{ "<", NULL },
		{ "<abbr href=x-1.zip>", NULL },
		{ "<a name-that-is-longer-than-any-that-is-known=1 "
		  "href=x-1.zip>",
		  URL "x-1.zip" },
		{ "<base href=\"https://files.example/d/\">"
		  "<base href=\"https://other.example/\"><a href=x-1.zip>",
		  "https://files.example/d/x-1.zip" },
		{ "<base href=\"/d/\"><a href=x-1.zip>",
		  "https://index.example/d/x-1.zip" },
		{ "<a href=\"//files.example/x-1.zip\">",
		  "https://files.example/x-1.zip" },
		{ "<a href=\"x-1.zip?a=1&amp;b=2\">", URL "x-1.zip?a=1&b=2" },
		{ "<a href=\"x y-1.zip\">", URL "x%20y-1.zip" },
		{ "<a href=\"https://u:p@files.example/x-1.zip\">",
		  "https://files.example/x-1.zip" },
		{ "<a href=\"ftp://files.example/x-1.zip\">", NULL },
		{ "<a href=\"file:///etc/x-1.zip\">", NULL },
		{ "<a href=\"a%2fb-1.zip\">", NULL },
		{ "<a href=\"a%00b-1.zip\">", NULL },
		{ "<a href=\"a%0ab-1.zip\">", NULL },
		{ "<a href=\"a%ffb-1.zip\">", NULL },
		{ "<a href=\".whl\">", NULL },
		{ "<a href=\"..%5cx-1.zip\">", NULL },
		{ "<a href=\"x-1.zip#sha256=12\">", NULL },
		{ "<a href=\"x-1.zip#sha256=" HEX "0\">", NULL },
		{ "<a href=\"x-1.zip#sha256=zz112233445566778899aabbccddeeff"
		  "00112233445566778899aabbccddeeff\">",
		  NULL },
		{ "<a href=\"x-1.zip#egg=x\">", URL "x-1.zip" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct eb_index_page p;

		parse(cases[i].text, HTML, &p);
		if (p.n != (cases[i].url != NULL))
			fail_msg("%s: %zu", cases[i].text, p.n);
		if (p.n)
			assert_string_equal(p.file[0].url, cases[i].url);
		eb_index_page_release(&p);
	}
}

static void test_upper_case_digest(void **state)
{
	struct eb_index_page p;

	(void)state;
	parse("<a href=\"x-1.zip#sha256=00112233445566778899AABBCCDDEEFF"
	      "00112233445566778899AABBCCDDEEFF\">",
	      HTML, &p);
	assert_int_equal(p.n, 1);
	assert_true(p.file[0].has_sha256);
	eb_index_page_release(&p);
}

static void test_entities(void **state)
{
	static const char *const cases[][2] = {
		{ "&lt;&gt;&amp;&quot;&apos;", "<>&\"'" },
		{ "&gt=3,&lt4", ">=3,<4" },
		{ "&#62;&#x3E;&#X3e;&#62", ">>>>" },
		{ "&#xe9;&#x20ac;&#x1f40d;",
		  "\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\x8d" },
		{ "&#0;&#xd800;&#x110000;&#99999999999999;",
		  "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
		{ "&nothing; & &; &#; &#x;", "&nothing; & &; &#; &#x;" },
		{ "&amp;lt;", "&lt;" },
		{ "&apos", "&apos" },
		{ "a=1&b=2&", "a=1&b=2&" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		eb_autofree char *text = eb_strdup(cases[i][0]);

		eb_html_unescape(text);
		assert_string_equal(text, cases[i][1]);
	}
}

/* ---- JSON -----------------------------------------------------------------
 */

static const char in_json[] =
	"{\"meta\": {\"api-version\": \"1.1\"}, \"name\": \"one\", \"files\": ["
	"{\"filename\": \"one-1.0.tar.gz\", \"url\": "
	"\"../../f/one-1.0.tar.gz\","
	" \"hashes\": {\"sha256\": \"" HEX "\"}, \"size\": 829, "
	"\"requires-python\": \">=3.6\", \"yanked\": false, "
	"\"upload-time\": \"2020-01-01T00:00:00Z\"},"
	"{\"filename\": \"one-1.0-py3-none-any.whl\", "
	"\"url\": \"https://files.example/w.whl?sig=1\", \"hashes\": {}, "
	"\"yanked\": \"no good\", \"core-metadata\": {\"sha256\": \"x\"}},"
	"{\"filename\": \"one-2.zip\", \"url\": \"one-2.zip#sha256=" HEX "\","
	" \"yanked\": true, \"dist-info-metadata\": true, \"size\": -1},"
	"{\"filename\": \"one-3.zip\", \"url\": \"one-3.zip\", \"yanked\": "
	"\"\","
	" \"core-metadata\": false},"
	"{\"url\": \"one-4.zip\", \"requires-python\": null},"
	"{\"filename\": \"../one-5.zip\", \"url\": \"one-5.zip\"},"
	"{\"filename\": \"one-6.zip\"}, 7, {\"filename\": \"one-7.exe\","
	" \"url\": \"one-7.exe\"},"
	"{\"filename\": \"one-8.zip\", \"url\": \"one-8.zip\","
	" \"hashes\": {\"sha256\": \"12\"}}], \"versions\": [\"1.0\"]}";

static void test_json(void **state)
{
	struct eb_index_page p;

	(void)state;
	parse(in_json, JSON, &p);
	assert_int_equal(p.n, 5);
	assert_string_equal(p.file[0].url,
			    "https://index.example/f/one-1.0.tar.gz");
	assert_true(p.file[0].has_sha256);
	assert_int_equal(p.file[0].size, 829);
	assert_string_equal(p.file[0].requires_python, ">=3.6");
	assert_string_equal(p.file[0].upload_time, "2020-01-01T00:00:00Z");
	assert_null(p.file[0].yanked);
	assert_string_equal(p.file[1].name, "one-1.0-py3-none-any.whl");
	assert_string_equal(p.file[1].url, "https://files.example/w.whl?sig=1");
	assert_string_equal(p.file[1].metadata_url,
			    "https://files.example/w.whl.metadata?sig=1");
	assert_string_equal(p.file[1].yanked, "no good");
	assert_string_equal(p.file[2].yanked, "");
	assert_int_equal(p.file[2].size, 0);
	assert_true(p.file[2].has_sha256);
	assert_non_null(p.file[2].metadata_url);
	assert_null(p.file[3].yanked);
	assert_null(p.file[3].metadata_url);
	assert_string_equal(p.file[4].name, "one-4.zip");
	eb_index_page_release(&p);
}

static void test_refused(void **state)
{
	(void)state;
	refused("{}", "application/json", "its type is \"application/json\"");
	refused("{}", "text/html5", "its type");
	refused("{}", NULL, "its type is \"\"");
	refused("{", JSON, "reading as JSON");
	refused("[]", JSON, "no list of files");
	refused("{\"files\": {}}", JSON, "no list of files");
	refused("{\"meta\": {\"api-version\": \"2.0\"}, \"files\": []}", JSON,
		"version \"2.0\"");
	refused("<meta name=\"pypi:repository-version\" content=\"2.1\">", HTML,
		"version \"2.1\"");
	refused("{\"files\": [], \"files\": []}", JSON, "duplicate");
}

static void test_limits(void **state)
{
	struct eb_index_page p;
	EB_AUTOBUF(text, EB_INDEX_PAGE_MAX + 64);

	(void)state;
	for (unsigned i = 0; i < EB_INDEX_FILES_MAX; i++)
		eb_buf_addf(&text, "<a href=x-%u.zip>", i);
	parse(text.data, HTML, &p);
	assert_int_equal(p.n, EB_INDEX_FILES_MAX);
	eb_index_page_release(&p);
	eb_buf_adds(&text, "<a href=x-y.zip>");
	refused(text.data, HTML, "more than 200000 files");
}

/* As much as there may be of what is no page, and one byte more. */
static void test_large(void **state)
{
	struct eb_error bad = EB_ERROR_INIT;
	size_t n = EB_INDEX_PAGE_MAX + 1;
	eb_autofree char *text = eb_malloc(n);
	struct eb_index_page p;

	(void)state;
	memset(text, '<', n);
	assert_int_equal(eb_index_page_parse(text, n, HTML, URL, &p, &bad), -1);
	assert_non_null(strstr(bad.message, "more than 67108864 bytes"));
	eb_err_release(&bad);
	MUST(eb_index_page_parse(text, n - 1, HTML, URL, &p, err));
	assert_int_equal(p.n, 0);
}

/* A long reason is a reason, a long address none. */
static void test_long_values(void **state)
{
	struct eb_index_page p;
	EB_AUTOBUF(text, 1 << 20);
	eb_autofree char *x = eb_malloc(EB_HTML_VALUE + 2);

	(void)state;
	memset(x, 'x', EB_HTML_VALUE + 1);
	x[EB_HTML_VALUE + 1] = '\0';
	eb_buf_addf(&text, "<a href=a-1.zip data-yanked=\"%s\"><a href=\"%s\">",
		    x, x);
	eb_buf_addf(&text, "<a href=b-1.zip data-requires-python=\"%.5000s\">",
		    x);
	eb_buf_adds(&text, "<a ");
	for (unsigned i = 0; i < 1000; i++)
		eb_buf_addf(&text, "a%u=1 ", i);
	eb_buf_adds(&text, "><a href=c-1.zip>");
	parse(text.data, HTML, &p);
	assert_int_equal(p.n, 2);
	assert_text(p.file[0].yanked, "");
	assert_string_equal(p.file[1].name, "c-1.zip");
	eb_index_page_release(&p);
}

/* Whatever the bytes: no read outside, and an end. */
static void test_any_bytes(void **state)
{
	static const char alphabet[] = "<a href='\"=>/!-&#x1;.zip%\0\n?base ";
	uint64_t seed = 7;

	(void)state;
	for (unsigned round = 0; round < 20000; round++) {
		struct eb_error err = EB_ERROR_INIT;
		struct eb_index_page p;
		size_t n = round % 97;
		char *text = eb_malloc(n ? n : 1);

		for (size_t i = 0; i < n; i++) {
			seed = seed * 6364136223846793005u +
			       1442695040888963407u;
			text[i] =
				alphabet[(seed >> 33) % (sizeof alphabet - 1)];
		}
		if (round & 1 && n > 20)
			memcpy(text, "<a href=\"q-1.zip\"", 17);
		if (eb_index_page_parse(text, n, round % 5 ? HTML : JSON, URL,
					&p, &err) < 0)
			eb_err_release(&err);
		else
			eb_index_page_release(&p);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_html),
		cmocka_unit_test(test_oddities),
		cmocka_unit_test(test_upper_case_digest),
		cmocka_unit_test(test_entities),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_long_values),
		cmocka_unit_test(test_any_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
