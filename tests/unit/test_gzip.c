/* SPDX-License-Identifier: Apache-2.0 */
/* A gzip member depends on its bytes alone: not on where the compressor lies,
 * nor on what was there before (layer_gzip.c says why that is tested). */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <envbuild/digest.h>
#include <envbuild/gzip.h>
#include <envbuild/stream.h>

static uint32_t noise(uint32_t *x)
{
	*x = *x * 1664525 + 1013904223;
	return *x >> 8;
}

/* Text with repetitions, other for each seed. */
static void make_text(char *p, size_t n, uint32_t seed)
{
	for (size_t i = 0; i < n; i++)
		p[i] = noise(&seed) % 3 && i > 40 ? p[i - 7 - seed % 31]
						  : (char)('a' + seed % 23);
}

static void member_digest(struct eb_gzip *z, const char *text, size_t n,
			  struct eb_digest *out)
{
	eb_autofree char *member = eb_malloc(eb_gzip_bound(n));
	size_t len = eb_gzip_block(z, text, n, member);

	assert_true(len <= eb_gzip_bound(n));
	eb_sha256(member, len, out);
}

/* Many compressors at once, so that each has an address of its own. */
#define COMPRESSORS 24
#define BLOCKS 300

static void test_addresses(void **state)
{
	static const size_t sizes[] = { 1, 5, 16, 17, 300, 1000, 5000 };
	struct eb_gzip *z[COMPRESSORS];
	char text[5000];

	(void)state;
	for (int i = 0; i < COMPRESSORS; i++)
		z[i] = eb_gzip_new();
	for (uint32_t b = 0; b < BLOCKS; b++) {
		size_t n = sizes[b % (sizeof sizes / sizeof *sizes)];
		struct eb_digest want, got;

		make_text(text, n, b);
		member_digest(z[0], text, n, &want);
		for (int i = 1; i < COMPRESSORS; i++) {
			member_digest(z[i], text, n, &got);
			assert_true(eb_digest_equal(&want, &got));
		}
	}
	for (int i = 0; i < COMPRESSORS; i++)
		eb_gzip_free(z[i]);
}

static void round_trip(struct eb_gzip *z, const char *text, size_t n)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *member = eb_malloc(eb_gzip_bound(n));
	eb_autofree char *back = eb_malloc(n + 1);
	size_t len = eb_gzip_block(z, text, n, member);
	EB_CLEANUP(eb_stream_free_ptr)
	struct eb_stream *s = eb_stream_gunzip(eb_stream_mem(member, len), "m");

	assert_int_equal(eb_stream_read_all(s, back, n, "m", &err), 0);
	assert_memory_equal(back, text, n);
	assert_int_equal(eb_stream_read(s, back, 1, &err), 0);
}

static void test_round_trip(void **state)
{
	struct eb_gzip *z = eb_gzip_new();
	eb_autofree char *text = eb_malloc(EB_GZIP_BLOCK);
	uint32_t seed = 7;

	(void)state;
	make_text(text, EB_GZIP_BLOCK, 3);
	round_trip(z, text, EB_GZIP_BLOCK);
	for (size_t n = 0; n < 600; n++)
		round_trip(z, text, n);
	memset(text, 0, EB_GZIP_BLOCK);
	round_trip(z, text, EB_GZIP_BLOCK);
	for (size_t i = 0; i < EB_GZIP_BLOCK; i++)
		text[i] = (char)noise(&seed);
	round_trip(z, text, EB_GZIP_BLOCK);
	eb_gzip_free(z);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_round_trip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
