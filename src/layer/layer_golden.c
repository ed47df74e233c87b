/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The golden block: a fixed pattern of text, tables and noise is compressed
 * and what comes out compared by its digest. A library or a processor on which
 * ISA-L writes other bytes is found by it, and its blobs get another
 * compressor id.
 */
#include <string.h>

#include "layer_priv.h"

#define PATTERN (128 << 10)
#define SECTION 4096

static uint32_t step(uint32_t *x)
{
	*x = *x * 1664525 + 1013904223;
	return *x >> 8;
}

static void put_words(char *p, size_t n, uint32_t *x)
{
	static const char word[16][8] = {
		"import ", "return ", "self.",	 "def ", "__init_", "    ",
		"\n",	   "(x, y)",  " = None", "lib/", "python",  "site-pa",
		"ckages/", "0.1",     ", ",	 ": ",
	};
	size_t i = 0;

	while (i < n) {
		const char *w = word[step(x) & 15];
		size_t len = strnlen(w, 8);

		if (len > n - i)
			len = n - i;
		memcpy(p + i, w, len);
		i += len;
	}
}

static void put_table(char *p, size_t n, uint32_t *x)
{
	size_t i;

	for (i = 0; i < n; i++)
		p[i] = (char)(i % 16 < 10 ? i / 512 : step(x) & 3);
}

static void put_noise(char *p, size_t n, uint32_t *x)
{
	size_t i;

	for (i = 0; i < n; i++)
		p[i] = (char)step(x);
}

static void make_pattern(char *p)
{
	uint32_t x = 20180627;
	size_t i;

	for (i = 0; i < PATTERN; i += SECTION) {
		switch (i / SECTION % 4) {
		case 0:
		case 2: put_words(p + i, SECTION, &x); break;
		case 1: put_table(p + i, SECTION, &x); break;
		case 3: put_noise(p + i, SECTION, &x); break;
		}
	}
}

static const char golden[] =
	"e106f5a4fb4f46cf9f6c0344b5b9d2fe876022237dd502587690c4feb35164ea";

bool eb_golden_gzip(struct eb_digest *got)
{
	EB_CLEANUP(eb_gzip_free_ptr) struct eb_gzip *z = eb_gzip_new();
	eb_autofree char *pattern = eb_malloc(PATTERN);
	eb_autofree char *out = eb_malloc(eb_gzip_bound(PATTERN));
	char hex[EB_HEX_SIZE];

	make_pattern(pattern);
	eb_sha256(out, eb_gzip_block(z, pattern, PATTERN, out), got);
	return strcmp(eb_digest_hex(got, hex), golden) == 0;
}
