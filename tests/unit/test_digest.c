/* SPDX-License-Identifier: Apache-2.0 */
/* Digests: published vectors, texts, and keys that cannot be confused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/digest.h>
#include <envbuild/file.h>

/* FIPS 180-4 examples */
static void vectors(void **state)
{
	static const struct {
		const char *in, *hex;
	} t[] = {
		{ "", "e3b0c44298fc1c149afbf4c8996fb924"
		      "27ae41e4649b934ca495991b7852b855" },
		{ "abc", "ba7816bf8f01cfea414140de5dae2223"
			 "b00361a396177a9cb410ff61f20015ad" },
		{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		  "248d6a61d20638b8e5c026930c3e6039"
		  "a33ce45964ff2167f6ecedd419db06c1" },
	};
	char hex[EB_HEX_SIZE];
	struct eb_digest d;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof t / sizeof *t; i++) {
		eb_sha256(t[i].in, strlen(t[i].in), &d);
		assert_string_equal(eb_digest_hex(&d, hex), t[i].hex);
	}
}

/* A copy of a running digest goes on by itself. */
static void forked(void **state)
{
	struct eb_sha256 a, b;
	struct eb_digest da, db, whole;

	(void)state;
	eb_sha256_init(&a);
	eb_sha256_add(&a, "ab", 2);
	b = a;
	eb_sha256_add(&a, "c", 1);
	eb_sha256_add(&b, "d", 1);
	eb_sha256_end(&a, &da);
	eb_sha256_end(&b, &db);
	eb_sha256("abc", 3, &whole);
	assert_true(eb_digest_equal(&da, &whole));
	eb_sha256("abd", 3, &whole);
	assert_true(eb_digest_equal(&db, &whole));
}

/* RFC 1321 examples */
static void md5(void **state)
{
	struct eb_md5 m;
	char hex[33];

	(void)state;
	eb_md5_init(&m);
	eb_md5_add(&m, "message ", 8);
	eb_md5_add(&m, "digest", 6);
	eb_md5_end(&m, hex);
	assert_string_equal(hex, "f96b697d7cb7938d525a2f31aaf161d0");
	eb_md5_init(&m);
	eb_md5_end(&m, hex);
	assert_string_equal(hex, "d41d8cd98f00b204e9800998ecf8427e");
}

static void of_a_file(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *data = eb_calloc(1000, 1000);
	eb_autofd int fd = eb_unnamed_file("/tmp", &err);
	struct eb_digest whole, d;
	uint64_t size = 0;

	(void)state;
	assert_int_equal(eb_write_all(fd, data, 1000000, "f", &err), 0);
	assert_int_equal(eb_sha256_fd(fd, &d, &size, &err), 0);
	eb_sha256(data, 1000000, &whole);
	assert_int_equal(size, 1000000);
	assert_true(eb_digest_equal(&d, &whole));
	assert_int_equal(eb_sha256_fd(-1, &d, NULL, &err), -1);
	assert_int_equal(err.code, EB_MACHINE);
	eb_err_release(&err);
}

/* Beside what else is done: the same sum, or none. */
static void beside(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofd int fd = eb_unnamed_file("/tmp", &err);
	eb_autofree char *data = eb_calloc(5000001, 1);
	struct eb_digest whole, d;
	uint64_t size = 0;

	(void)state;
	memset(data + 1000, 7, 3000000);
	assert_int_equal(eb_write_all(fd, data, 5000001, "f", &err), 0);
	eb_sha256(data, 5000001, &whole);
	assert_int_equal(eb_sum_end(eb_sum_begin(fd), &d, &size, &err), 0);
	assert_int_equal(size, 5000001);
	assert_true(eb_digest_equal(&d, &whole));
	assert_int_equal(eb_sum_end(eb_sum_begin(fd), &d, NULL, &err), 0);
	assert_true(eb_digest_equal(&d, &whole));
	for (int i = 0; i < 20; i++)
		eb_sum_abort(eb_sum_begin(fd));
	eb_sum_abort(NULL);
	assert_int_equal(eb_sum_end(eb_sum_begin(-1), &d, NULL, &err), -1);
	assert_int_equal(err.code, EB_MACHINE);
	eb_err_release(&err);
}

static void texts(void **state)
{
	char text[EB_DIGEST_TEXT], again[EB_DIGEST_TEXT];
	struct eb_digest d, e = { { 0 } };

	(void)state;
	assert_true(eb_digest_is_zero(&e));
	eb_sha256("x", 1, &d);
	assert_false(eb_digest_is_zero(&d));
	eb_digest_text(&d, text);
	assert_int_equal(strlen(text), 71);
	assert_int_equal(eb_digest_parse(text, &e), 0);
	assert_true(eb_digest_equal(&d, &e));
	assert_int_equal(eb_digest_parse(text + 7, &e), 0);
	assert_string_equal(eb_digest_text(&e, again), text);
}

static void bad_texts(void **state)
{
	char text[EB_DIGEST_TEXT + 8];
	struct eb_digest d, before;

	(void)state;
	eb_sha256("x", 1, &d);
	before = d;
	eb_digest_text(&d, text);
	strcat(text, "0");
	assert_int_equal(eb_digest_parse(text, &d), -1);
	text[70] = '\0';
	assert_int_equal(eb_digest_parse(text, &d), -1);
	memset(text + 7, 'A', 64);
	text[71] = '\0';
	assert_int_equal(eb_digest_parse(text, &d), -1);
	assert_int_equal(eb_digest_parse("", &d), -1);
	assert_int_equal(eb_digest_parse("sha256:", &d), -1);
	memset(text + 7, '0', 64);
	text[3] = '1';
	assert_int_equal(eb_digest_parse(text, &d), -1);
	assert_true(eb_digest_equal(&d, &before));
}

static void order(void **state)
{
	struct eb_digest a = { { 1 } }, b = { { 1, 200 } };

	(void)state;
	assert_true(eb_digest_compare(&a, &b) < 0);
	assert_true(eb_digest_compare(&b, &a) > 0);
	assert_int_equal(eb_digest_compare(&a, &a), 0);
}

static struct eb_digest key_of(const char *a, const char *b)
{
	struct eb_keyer k;
	struct eb_digest d;

	eb_key_begin(&k, "test");
	eb_key_text(&k, a);
	eb_key_text(&k, b);
	eb_key_end(&k, &d);
	return d;
}

/* Rows that a plain joining would confuse. */
static void keys_differ(void **state)
{
	static const char *const row[][2] = {
		{ "a", "b" },	 { "ab", "" },	  { "", "ab" },
		{ NULL, "ab" },	 { "ab", NULL },  { NULL, NULL },
		{ "", "" },	 { "-", "" },	  { "a,1:b", "" },
		{ "a", ",1:b" }, { "1:a,", "b" }, { "-,", "" },
		{ "a,", "b" },	 { "a", ",b" },
	};
	const size_t n = sizeof row / sizeof *row;
	struct eb_digest d[sizeof row / sizeof *row];
	size_t i, j;

	(void)state;
	for (i = 0; i < n; i++)
		d[i] = key_of(row[i][0], row[i][1]);
	for (i = 0; i < n; i++)
		for (j = 0; j < i; j++)
			assert_false(eb_digest_equal(&d[i], &d[j]));
}

/* The form is part of what is stored: sha256 of "1:d,2:ab,-,1:7,32:...," */
static void key_form(void **state)
{
	struct eb_digest d, e, zero = { { 0 } };
	char plain[64] = "1:d,2:ab,-,1:7,32:";
	struct eb_keyer k;
	size_t n = strlen(plain);

	(void)state;
	memset(plain + n, 0, 32);
	plain[n + 32] = ',';
	eb_sha256(plain, n + 33, &e);
	eb_key_begin(&k, "d");
	eb_key_text(&k, "ab");
	eb_key_text(&k, NULL);
	eb_key_u64(&k, 7);
	eb_key_digest(&k, &zero);
	eb_key_end(&k, &d);
	assert_true(eb_digest_equal(&d, &e));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vectors),     cmocka_unit_test(forked),
		cmocka_unit_test(md5),	       cmocka_unit_test(of_a_file),
		cmocka_unit_test(texts),       cmocka_unit_test(bad_texts),
		cmocka_unit_test(beside),      cmocka_unit_test(order),
		cmocka_unit_test(keys_differ), cmocka_unit_test(key_form),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
