/* SPDX-License-Identifier: Apache-2.0 */
/* Streams: sources, decompressors with every way that data can be damaged,
 * limit, digest. The data are made here, by zlib, libzstd and libbz2. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <bzlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <envbuild/buf.h>
#include <envbuild/file.h>
#include <envbuild/stream.h>

#define MAX ((size_t)16 << 20)

/* Bytes that compress a little: text with noise, the same every time. */
static void fill(struct eb_buf *b, size_t n, unsigned seed)
{
	while (n--) {
		seed = seed * 1103515245 + 12345;
		eb_buf_addch(b, seed >> 16 & 8 ? "envbuild"[seed >> 20 & 7]
					       : (char)(seed >> 16));
	}
}

/* ---- a source that gives few bytes at a time, or an error ---- */

struct drip {
	const char *at;
	size_t left, piece;
	bool fails; /* at its end */
};

static ssize_t read_drip(void *state, void *p, size_t n, struct eb_error *err)
{
	struct drip *s = state;

	if (s->left == 0 && s->fails)
		return eb_err_set(err, EB_NETWORK, "the line is dead");
	if (n > s->piece)
		n = s->piece;
	if (n > s->left)
		n = s->left;
	memcpy(p, s->at, n);
	s->at += n;
	s->left -= n;
	return (ssize_t)n;
}

static struct eb_stream *drip(const struct eb_buf *b, size_t piece, bool fails)
{
	static const struct eb_stream_ops ops = { read_drip, free };
	struct drip *s = eb_malloc(sizeof *s);

	*s = (struct drip){ b->data, b->len, piece, fails };
	return eb_stream_new(&ops, s);
}

/* ---- the three formats alike ---- */

static void pack_gzip(const struct eb_buf *in, struct eb_buf *out)
{
	z_stream z = { 0 };

	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, 0), Z_OK);
	assert_int_equal(eb_buf_reserve(out, deflateBound(&z, in->len)), 0);
	z.next_in = (Bytef *)in->data;
	z.avail_in = (uInt)in->len;
	z.next_out = (Bytef *)out->data + out->len;
	z.avail_out = (uInt)(out->alloc - out->len - 1);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	out->len += z.total_out;
	deflateEnd(&z);
}

static void pack_zstd(const struct eb_buf *in, struct eb_buf *out)
{
	ZSTD_CCtx *z = ZSTD_createCCtx();
	size_t n = ZSTD_compressBound(in->len);

	ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1);
	assert_int_equal(eb_buf_reserve(out, n), 0);
	n = ZSTD_compress2(z, out->data + out->len, n, in->data, in->len);
	assert_false(ZSTD_isError(n));
	out->len += n;
	ZSTD_freeCCtx(z);
}

static void pack_bzip2(const struct eb_buf *in, struct eb_buf *out)
{
	unsigned n = (unsigned)(in->len + in->len / 100 + 600);

	assert_int_equal(eb_buf_reserve(out, n), 0);
	assert_int_equal(BZ2_bzBuffToBuffCompress(out->data + out->len, &n,
						  in->data, (unsigned)in->len,
						  1, 0, 0),
			 BZ_OK);
	out->len += n;
}

static struct eb_stream *unzstd(struct eb_stream *below, const char *name)
{
	return eb_stream_unzstd(below, 27, name);
}

static const struct format {
	const char *name;
	void (*pack)(const struct eb_buf *in, struct eb_buf *out);
	struct eb_stream *(*unpack)(struct eb_stream *below, const char *name);
} format[] = {
	{ "gzip", pack_gzip, eb_stream_gunzip },
	{ "zstd", pack_zstd, unzstd },
	{ "bzip2", pack_bzip2, eb_stream_bunzip2 },
};

#define FOR_FORMATS(f) for (f = format; f < format + 3; f++)

/* Everything out of `s` (which is freed), `piece` bytes at a time. */
static int drain(struct eb_stream *s, size_t piece, struct eb_buf *out,
		 struct eb_error *err)
{
	eb_autofree char *p = eb_malloc(piece);
	ssize_t n;

	while ((n = eb_stream_read(s, p, piece, err)) > 0) {
		assert_true((size_t)n <= piece);
		assert_int_equal(eb_buf_add(out, p, (size_t)n), 0);
	}
	if (n == 0)
		assert_int_equal(eb_stream_read(s, p, piece, err), 0);
	eb_stream_free(s);
	return (int)n;
}

static void expect(struct eb_stream *s, size_t piece,
		   const struct eb_buf *expected)
{
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(out, MAX);

	if (drain(s, piece, &out, &err) < 0)
		fail_msg("%s", err.message);
	assert_int_equal(out.len, expected->len);
	assert_memory_equal(out.data, expected->data, out.len);
}

static void expect_error(struct eb_stream *s, enum eb_code code,
			 const char *says)
{
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(out, MAX);

	assert_int_equal(drain(s, 5000, &out, &err), -1);
	if (!strstr(err.message, says))
		fail_msg("\"%s\" is not in: %s", says, err.message);
	assert_int_equal(err.code, code);
	eb_err_release(&err);
}

static void round_trip(void **state)
{
	static const size_t size[] = { 0, 1, 70000, 1500000 };
	const struct format *f;
	size_t i;

	(void)state;
	FOR_FORMATS(f)
	{
		for (i = 0; i < 4; i++) {
			EB_AUTOBUF(plain, MAX);
			EB_AUTOBUF(packed, MAX);

			fill(&plain, size[i], 1);
			f->pack(&plain, &packed);
			expect(f->unpack(eb_stream_mem(packed.data, packed.len),
					 "f"),
			       65536, &plain);
		}
	}
}

/* Byte by byte in, in small pieces out, several members one after another. */
static void members_in_drops(void **state)
{
	const struct format *f;

	(void)state;
	FOR_FORMATS(f)
	{
		EB_AUTOBUF(plain, MAX);
		EB_AUTOBUF(packed, MAX);
		size_t piece;
		int i;

		for (i = 0; i < 4; i++) {
			EB_AUTOBUF(part, MAX);

			fill(&part, i == 2 ? 0 : 3000, (unsigned)i);
			eb_buf_add(&plain, part.data, part.len);
			f->pack(&part, &packed);
		}
		for (piece = 1; piece < 20; piece++)
			expect(f->unpack(drip(&packed, piece, false), "f"),
			       21 - piece, &plain);
	}
}

/* Cut at each byte of the last member: all but nothing of it is an error. */
static void breaking_off(void **state)
{
	const struct format *f;

	(void)state;
	FOR_FORMATS(f)
	{
		EB_AUTOBUF(plain, MAX);
		EB_AUTOBUF(packed, MAX);
		size_t first, n;

		fill(&plain, 300, 3);
		f->pack(&plain, &packed);
		first = packed.len;
		f->pack(&plain, &packed);
		expect_error(f->unpack(eb_stream_mem(NULL, 0), "f"),
			     EB_INTEGRITY, "\"f\" breaks off");
		for (n = 1; n < packed.len; n++)
			if (n != first)
				expect_error(
					f->unpack(eb_stream_mem(packed.data, n),
						  "f"),
					EB_INTEGRITY, "\"f\" breaks off");
		expect(f->unpack(eb_stream_mem(packed.data, first), "f"), 100,
		       &plain);
	}
}

/* Every bit of a small stream turned: an error, or the very same bytes (a
 * few bits of the headers mean nothing), never others. */
static void turned_bits(void **state)
{
	const struct format *f;

	(void)state;
	FOR_FORMATS(f)
	{
		EB_AUTOBUF(plain, MAX);
		EB_AUTOBUF(packed, MAX);
		size_t bit, errors = 0;

		fill(&plain, 200, 4);
		f->pack(&plain, &packed);
		for (bit = 0; bit < packed.len * 8; bit++) {
			struct eb_error err = EB_ERROR_INIT;
			EB_AUTOBUF(out, MAX);

			packed.data[bit / 8] ^= (char)(1 << bit % 8);
			if (drain(f->unpack(drip(&packed, 50, false), "f"),
				  1000, &out, &err) < 0) {
				errors++;
			} else {
				assert_int_equal(out.len, plain.len);
				assert_memory_equal(out.data, plain.data,
						    out.len);
			}
			eb_err_release(&err);
			packed.data[bit / 8] ^= (char)(1 << bit % 8);
		}
		assert_true(errors > packed.len * 7);
	}
}

static void something_behind(void **state)
{
	const struct format *f;

	(void)state;
	FOR_FORMATS(f)
	{
		EB_AUTOBUF(plain, MAX);
		EB_AUTOBUF(packed, MAX);

		fill(&plain, 100, 5);
		f->pack(&plain, &packed);
		eb_buf_adds(&packed, "garbage!");
		expect_error(
			f->unpack(eb_stream_mem(packed.data, packed.len), "f"),
			EB_INTEGRITY, f->name);
		expect_error(f->unpack(eb_stream_mem("garbage!", 8), "f"),
			     EB_INTEGRITY, f->name);
	}
}

/* The error of what lies below comes through as it is. */
static void error_below(void **state)
{
	const struct format *f;

	(void)state;
	FOR_FORMATS(f)
	{
		EB_AUTOBUF(plain, MAX);
		EB_AUTOBUF(packed, MAX);

		fill(&plain, 300000, 6);
		f->pack(&plain, &packed);
		packed.len /= 2;
		expect_error(f->unpack(drip(&packed, 9000, true), "f"),
			     EB_NETWORK, "the line is dead");
	}
}

/* ---- one format alone ---- */

static void gzip_padding(void **state)
{
	char zeros[70000] = "";
	EB_AUTOBUF(plain, MAX);
	EB_AUTOBUF(packed, MAX);

	(void)state;
	fill(&plain, 100, 7);
	pack_gzip(&plain, &packed);
	eb_buf_add(&packed, zeros, sizeof zeros);
	expect(eb_stream_gunzip(drip(&packed, 1 << 20, false), "f"), 99,
	       &plain);
	expect(eb_stream_gunzip(drip(&packed, 333, false), "f"), 99, &plain);
	pack_gzip(&plain, &packed);
	expect_error(eb_stream_gunzip(drip(&packed, 1 << 20, false), "f"),
		     EB_INTEGRITY, "behind its end");
	expect_error(eb_stream_gunzip(eb_stream_mem(zeros, 100), "f"),
		     EB_INTEGRITY, "gzip");
}

/* Name, comment, extra field and header checksum. */
static void gzip_header(void **state)
{
	gz_header h = { .name = (Bytef *)"name",
			.comment = (Bytef *)"a comment",
			.extra = (Bytef *)"extra",
			.extra_len = 5,
			.hcrc = 1 };
	EB_AUTOBUF(plain, MAX);
	EB_AUTOBUF(packed, MAX);
	z_stream z = { 0 };
	size_t piece;

	(void)state;
	fill(&plain, 5000, 8);
	eb_buf_reserve(&packed, 10000);
	deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 9, 0);
	deflateSetHeader(&z, &h);
	z.next_in = (Bytef *)plain.data;
	z.avail_in = (uInt)plain.len;
	z.next_out = (Bytef *)packed.data;
	z.avail_out = 10000;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	packed.len = z.total_out;
	deflateEnd(&z);
	for (piece = 1; piece < 40; piece++)
		expect(eb_stream_gunzip(drip(&packed, piece, false), "f"), 4096,
		       &plain);
}

static void gzip_wrong_sums(void **state)
{
	EB_AUTOBUF(plain, MAX);
	EB_AUTOBUF(packed, MAX);
	size_t i;

	(void)state;
	fill(&plain, 5000, 9);
	pack_gzip(&plain, &packed);
	for (i = 1; i <= 8; i++) {
		packed.data[packed.len - i] ^= 1;
		expect_error(eb_stream_gunzip(drip(&packed, 7000, false), "f"),
			     EB_INTEGRITY, "wrong checksum or length");
		packed.data[packed.len - i] ^= 1;
	}
}

static void zstd_skippable(void **state)
{
	static const char skip[] = "\x53\x2a\x4d\x18\x05\0\0\0hello";
	EB_AUTOBUF(plain, MAX);
	EB_AUTOBUF(packed, MAX);

	(void)state;
	fill(&plain, 1000, 10);
	eb_buf_add(&packed, skip, 13);
	pack_zstd(&plain, &packed);
	eb_buf_add(&packed, skip, 13);
	expect(eb_stream_unzstd(drip(&packed, 3, false), 27, "f"), 50, &plain);
	expect(eb_stream_decompress(drip(&packed, 3, false), "f"), 50, &plain);
	packed.len--;
	expect_error(eb_stream_unzstd(drip(&packed, 3, false), 27, "f"),
		     EB_INTEGRITY, "breaks off");
}

static void zstd_window(void **state)
{
	EB_AUTOBUF(plain, MAX);
	EB_AUTOBUF(packed, MAX);
	ZSTD_CCtx *z = ZSTD_createCCtx();
	ZSTD_outBuffer out = { NULL, 0, 0 };
	ZSTD_inBuffer in;

	(void)state;
	fill(&plain, 100000, 11);
	eb_buf_reserve(&packed, 200000);
	out = (ZSTD_outBuffer){ packed.data, 200000, 0 };
	in = (ZSTD_inBuffer){ plain.data, plain.len, 0 };
	ZSTD_CCtx_setParameter(z, ZSTD_c_windowLog, 20);
	ZSTD_compressStream2(z, &out, &in, ZSTD_e_flush);
	assert_int_equal(ZSTD_compressStream2(z, &out, &in, ZSTD_e_end), 0);
	ZSTD_freeCCtx(z);
	packed.len = out.pos;
	expect(eb_stream_unzstd(drip(&packed, 9999, false), 20, "f"), 5000,
	       &plain);
	expect_error(eb_stream_unzstd(drip(&packed, 9999, false), 19, "f"),
		     EB_INPUT, "2^19");
}

static void by_magic(void **state)
{
	const struct format *f;
	EB_AUTOBUF(plain, MAX);

	(void)state;
	fill(&plain, 3000, 12);
	FOR_FORMATS(f)
	{
		EB_AUTOBUF(packed, MAX);

		f->pack(&plain, &packed);
		expect(eb_stream_decompress(drip(&packed, 1, false), "f"), 100,
		       &plain);
	}
	expect(eb_stream_decompress(drip(&plain, 1, false), "f"), 3, &plain);
	for (plain.len = 0; plain.len < 6; plain.len++)
		expect(eb_stream_decompress(drip(&plain, 2, false), "f"), 3,
		       &plain);
	eb_buf_reset(&plain);
	eb_buf_adds(&plain, "BZh0, which is no bzip2");
	expect(eb_stream_decompress(drip(&plain, 4, false), "f"), 3, &plain);
	eb_stream_free(eb_stream_decompress(drip(&plain, 4, false), "f"));
	plain.len = 1;
	expect_error(eb_stream_decompress(drip(&plain, 4, true), "f"),
		     EB_NETWORK, "dead");
}

/* ---- sources, limit, digest ---- */

static void from_a_file(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofd int fd = eb_unnamed_file("/tmp", &err);
	EB_AUTOBUF(plain, MAX);
	EB_AUTOBUF(part, MAX);

	(void)state;
	fill(&plain, 100000, 13);
	assert_int_equal(eb_write_all(fd, plain.data, plain.len, "f", &err), 0);
	eb_buf_add(&part, plain.data + 1000, 50000);
	expect(eb_stream_fd(fd, 1000, 50000, "f"), 4096, &part);
	expect(eb_stream_fd(fd, 0, UINT64_MAX, "f"), 4096, &plain);
	expect_error(eb_stream_fd(fd, 0, 100001, "f"), EB_INTEGRITY,
		     "\"f\" breaks off at byte 100000");
	expect_error(eb_stream_fd(-1, 0, 5, "f"), EB_MACHINE, "\"f\", reading");
}

static void limit(void **state)
{
	EB_AUTOBUF(plain, MAX);

	(void)state;
	fill(&plain, 1000, 14);
	expect(eb_stream_limit(drip(&plain, 77, false), 1000, "w"), 90, &plain);
	expect_error(eb_stream_limit(drip(&plain, 77, false), 999, "w"),
		     EB_INPUT, "\"w\" has more than 999 bytes");
	plain.len = 0;
	expect(eb_stream_limit(drip(&plain, 77, false), 0, "w"), 90, &plain);
}

static void digest(void **state)
{
	struct eb_digest whole, got;
	struct eb_sha256 sha;
	uint64_t size = 99;
	EB_AUTOBUF(plain, MAX);

	(void)state;
	fill(&plain, 12345, 15);
	eb_sha256(plain.data, plain.len, &whole);
	expect(eb_stream_sha256(drip(&plain, 77, false), &sha, &size), 90,
	       &plain);
	eb_sha256_end(&sha, &got);
	assert_int_equal(size, 12345);
	assert_true(eb_digest_equal(&whole, &got));
}

static void all_and_skip(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	EB_CLEANUP(eb_stream_free_ptr) struct eb_stream *s = NULL;
	EB_AUTOBUF(plain, MAX);
	char p[100];

	(void)state;
	fill(&plain, 50000, 16);
	s = drip(&plain, 7, false);
	assert_int_equal(eb_stream_read_all(s, p, 100, "f", &err), 0);
	assert_memory_equal(p, plain.data, 100);
	assert_int_equal(eb_stream_skip(s, 40000, "f", &err), 0);
	assert_int_equal(eb_stream_read_all(s, p, 100, "f", &err), 0);
	assert_memory_equal(p, plain.data + 40100, 100);
	assert_int_equal(eb_stream_skip(s, 9801, "f", &err), -1);
	assert_int_equal(err.code, EB_INTEGRITY);
	assert_string_equal(err.message,
			    "\"f\" breaks off: 1 bytes are missing");
	eb_err_release(&err);
	assert_int_equal(eb_stream_read_all(s, p, 3, "f", &err), -1);
	assert_int_equal(err.code, EB_INTEGRITY);
	eb_err_release(&err);
}

/* An error stays one. */
static void sticking(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	EB_CLEANUP(eb_stream_free_ptr) struct eb_stream *s = NULL;
	EB_AUTOBUF(plain, MAX);
	char p[10];

	(void)state;
	s = drip(&plain, 7, true);
	assert_int_equal(eb_stream_read(s, p, 10, &err), -1);
	eb_err_release(&err);
	assert_int_equal(eb_stream_read(s, p, 10, &err), -1);
	assert_int_equal(err.code, EB_NETWORK);
	eb_err_release(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trip),
		cmocka_unit_test(members_in_drops),
		cmocka_unit_test(breaking_off),
		cmocka_unit_test(turned_bits),
		cmocka_unit_test(something_behind),
		cmocka_unit_test(error_below),
		cmocka_unit_test(gzip_padding),
		cmocka_unit_test(gzip_header),
		cmocka_unit_test(gzip_wrong_sums),
		cmocka_unit_test(zstd_skippable),
		cmocka_unit_test(zstd_window),
		cmocka_unit_test(by_magic),
		cmocka_unit_test(from_a_file),
		cmocka_unit_test(limit),
		cmocka_unit_test(digest),
		cmocka_unit_test(all_and_skip),
		cmocka_unit_test(sticking),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
