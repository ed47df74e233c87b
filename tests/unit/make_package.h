/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packages made by hand for tests, byte by byte, so that they may be as wrong
 * as a test wants: tar headers, zip members, compression.
 */
#ifndef MAKE_PACKAGE_H
#define MAKE_PACKAGE_H

#include <bzlib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include <cmocka.h>

#include <envbuild/buf.h>
#include <envbuild/package.h>

#define MAKE_MAX ((size_t)256 << 20)
#define MAKE_MTIME 1500000000

/* What one member is made of; zero is a plain file 0644. */
struct make_member {
	const char *path;
	char type; /* of ustar; '\0' = '0' */
	unsigned mode;
	const char *content; /* text */
	const char *target;
	int64_t mtime; /* 0: MAKE_MTIME */
	uint64_t size; /* declared, where it is not the content's */
};

/* Digits and a NUL. */
static inline void make_octal(char *to, size_t n, uint64_t value)
{
	to[--n] = '\0';
	for (; n; value >>= 3)
		to[--n] = (char)('0' + (value & 7));
}

static inline void make_header(struct eb_buf *tar, const struct make_member *m,
			       uint64_t size)
{
	char h[512] = { 0 };
	unsigned sum = 0;

	memcpy(h, m->path, strnlen(m->path, 100));
	make_octal(h + 100, 8, m->mode ? m->mode : 0644);
	make_octal(h + 108, 8, 0);
	make_octal(h + 116, 8, 0);
	make_octal(h + 124, 12, size);
	make_octal(h + 136, 12, m->mtime ? (uint64_t)m->mtime : MAKE_MTIME);
	memset(h + 148, ' ', 8);
	h[156] = m->type ? m->type : '0';
	if (m->target)
		memcpy(h + 157, m->target, strnlen(m->target, 100));
	memcpy(h + 257, "ustar\00000", 8);
	for (size_t i = 0; i < sizeof h; i++)
		sum += (unsigned char)h[i];
	make_octal(h + 148, 7, sum);
	assert_int_equal(eb_buf_add(tar, h, sizeof h), 0);
}

static inline void make_pad(struct eb_buf *tar)
{
	static const char zero[512];

	if (tar->len % 512)
		eb_buf_add(tar, zero, 512 - tar->len % 512);
}

static inline void make_bytes(struct eb_buf *tar, const struct make_member *m,
			      const void *p, size_t n)
{
	make_header(tar, m, m->size ? m->size : n);
	eb_buf_add(tar, p, n);
	make_pad(tar);
}

static inline void make_add(struct eb_buf *tar, const struct make_member *m)
{
	make_bytes(tar, m, m->content ? m->content : "",
		   m->content ? strlen(m->content) : 0);
}

static inline void make_pax_record(struct eb_buf *text, const char *key,
				   const char *value)
{
	size_t n = strlen(key) + strlen(value) + 3, digits = 1;

	while (snprintf(NULL, 0, "%zu", n + digits) != (int)digits)
		digits++;
	eb_buf_addf(text, "%zu %s=%s\n", n + digits, key, value);
}

/* A pax header for the member that follows: pairs of key and value, NULL. */
static inline void make_pax_all(struct eb_buf *tar, const char *const *pair)
{
	EB_AUTOBUF(text, MAKE_MAX);

	for (; *pair; pair += 2)
		make_pax_record(&text, pair[0], pair[1]);
	make_add(tar, &(struct make_member){ .path = "PaxHeaders/x",
					     .type = 'x',
					     .content = text.data });
}

static inline void make_pax(struct eb_buf *tar, const char *key,
			    const char *value)
{
	const char *const pair[] = { key, value, NULL };

	make_pax_all(tar, pair);
}

static inline void make_file(struct eb_buf *tar, const char *path,
			     const char *content)
{
	make_add(tar,
		 &(struct make_member){ .path = path, .content = content });
}

static inline void make_end(struct eb_buf *tar)
{
	static const char zero[1024];

	eb_buf_add(tar, zero, sizeof zero);
}

static inline void make_zstd(struct eb_buf *out, const void *p, size_t n)
{
	size_t bound = ZSTD_compressBound(n), got;

	assert_int_equal(eb_buf_reserve(out, bound), 0);
	got = ZSTD_compress(out->data + out->len, bound, p, n, 3);
	assert_false(ZSTD_isError(got));
	out->len += got;
	out->data[out->len] = '\0';
}

static inline void make_bzip2(struct eb_buf *out, const void *p, size_t n)
{
	unsigned got = (unsigned)(n + n / 100 + 600);

	assert_int_equal(eb_buf_reserve(out, got), 0);
	assert_int_equal(BZ2_bzBuffToBuffCompress(out->data + out->len, &got,
						  (char *)p, (unsigned)n, 1, 0,
						  0),
			 BZ_OK);
	out->len += got;
	out->data[out->len] = '\0';
}

/* How a zip member departs from what it should be. */
struct make_zip_fault {
	const char *local_name;
	unsigned method, flags;
	uint32_t packed_less;
	int zip64;
};

struct make_zip {
	struct eb_buf file, central;
	unsigned n;
};

static inline void make_16(struct eb_buf *b, unsigned v)
{
	const unsigned char p[] = { v & 255, v >> 8 & 255 };

	eb_buf_add(b, p, 2);
}

static inline void make_32(struct eb_buf *b, uint32_t v)
{
	make_16(b, v & 0xffff);
	make_16(b, v >> 16);
}

static inline void make_64(struct eb_buf *b, uint64_t v)
{
	make_32(b, (uint32_t)v);
	make_32(b, (uint32_t)(v >> 32));
}

static inline void make_zip_begin(struct make_zip *z)
{
	*z = (struct make_zip){ 0 };
	eb_buf_init(&z->file, MAKE_MAX);
	eb_buf_init(&z->central, 1 << 20);
}

static inline void make_zip_local(struct make_zip *z, const char *name,
				  size_t n, const struct make_zip_fault *f)
{
	const char *local = f->local_name ? f->local_name : name;

	make_32(&z->file, 0x04034b50);
	make_16(&z->file, 45);
	make_16(&z->file, f->flags);
	make_16(&z->file, f->method);
	make_64(&z->file, 0); /* time, date, CRC-32: not looked at */
	make_32(&z->file, f->zip64 ? UINT32_MAX : (uint32_t)n);
	make_32(&z->file, f->zip64 ? UINT32_MAX : (uint32_t)n);
	make_16(&z->file, (unsigned)strlen(local));
	make_16(&z->file, f->zip64 ? 20 : 0);
	eb_buf_adds(&z->file, local);
	if (!f->zip64)
		return;
	make_16(&z->file, 1);
	make_16(&z->file, 16);
	make_64(&z->file, n);
	make_64(&z->file, n);
}

static inline void make_zip_add(struct make_zip *z, const char *name,
				const void *p, size_t n,
				const struct make_zip_fault *fault)
{
	const struct make_zip_fault none = { 0 }, *f = fault ? fault : &none;
	uint32_t at = (uint32_t)z->file.len;

	make_zip_local(z, name, n, f);
	eb_buf_add(&z->file, p, n);
	make_32(&z->central, 0x02014b50);
	make_16(&z->central, 45);
	make_16(&z->central, 45);
	make_16(&z->central, f->flags);
	make_16(&z->central, f->method);
	make_64(&z->central, 0);
	make_32(&z->central,
		f->zip64 ? UINT32_MAX : (uint32_t)n - f->packed_less);
	make_32(&z->central, f->zip64 ? UINT32_MAX : (uint32_t)n);
	make_16(&z->central, (unsigned)strlen(name));
	make_16(&z->central, f->zip64 ? 28 : 0);
	make_64(&z->central, 0); /* comment, disk, attributes */
	make_16(&z->central, 0);
	make_32(&z->central, f->zip64 ? UINT32_MAX : at);
	eb_buf_adds(&z->central, name);
	if (f->zip64) {
		make_16(&z->central, 1);
		make_16(&z->central, 24);
		make_64(&z->central, n);
		make_64(&z->central, n);
		make_64(&z->central, at);
	}
	z->n++;
}

/* The end record; with zip64 its long form and the locator before it. */
static inline void make_zip_end(struct make_zip *z, int zip64)
{
	uint64_t at = z->file.len, size = z->central.len, end;

	eb_buf_add(&z->file, z->central.data, z->central.len);
	end = z->file.len;
	if (zip64) {
		make_32(&z->file, 0x06064b50);
		make_64(&z->file, 44);
		make_32(&z->file, 45 | 45 << 16);
		make_64(&z->file, 0);
		make_64(&z->file, z->n);
		make_64(&z->file, z->n);
		make_64(&z->file, size);
		make_64(&z->file, at);
		make_32(&z->file, 0x07064b50);
		make_32(&z->file, 0);
		make_64(&z->file, end);
		make_32(&z->file, 1);
	}
	make_32(&z->file, 0x06054b50);
	make_32(&z->file, 0);
	make_16(&z->file, zip64 ? 0xffff : z->n);
	make_16(&z->file, zip64 ? 0xffff : z->n);
	make_32(&z->file, zip64 ? UINT32_MAX : (uint32_t)size);
	make_32(&z->file, zip64 ? UINT32_MAX : (uint32_t)at);
	make_16(&z->file, 0);
	eb_buf_release(&z->central);
}

/* A .conda of two tars, which get their end here. */
static inline void make_conda(struct eb_buf *out, struct eb_buf *info,
			      struct eb_buf *pkg)
{
	static const char meta[] = "{\"conda_pkg_format_version\": 2}";
	struct make_zip z;
	EB_AUTOBUF(a, MAKE_MAX);
	EB_AUTOBUF(b, MAKE_MAX);

	make_end(info);
	make_end(pkg);
	make_zstd(&a, pkg->data, pkg->len);
	make_zstd(&b, info->data, info->len);
	make_zip_begin(&z);
	make_zip_add(&z, "metadata.json", meta, strlen(meta), NULL);
	make_zip_add(&z, "pkg-t-1-0.tar.zst", a.data, a.len, NULL);
	make_zip_add(&z, "info-t-1-0.tar.zst", b.data, b.len, NULL);
	make_zip_end(&z, 0);
	eb_buf_add(out, z.file.data, z.file.len);
	eb_buf_release(&z.file);
}

static inline int make_fd(const struct eb_buf *b)
{
	int fd = memfd_create("package", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_true(write(fd, b->data, b->len) == (ssize_t)b->len);
	return fd;
}

/* A record of these bytes; release with eb_record_release. */
static inline void make_record(struct eb_record *r, const char *fn,
			       const struct eb_buf *archive)
{
	*r = (struct eb_record){ .name = eb_strdup("t"),
				 .version = eb_strdup("1"),
				 .build = eb_strdup("0"),
				 .subdir = eb_strdup("linux-64"),
				 .fn = eb_strdup(fn),
				 .channel = eb_strdup("https://c.example/x"),
				 .url = eb_asprintf(
					 "https://c.example/x/linux-64/%s", fn),
				 .size = archive->len,
				 .has_sha256 = true };
	eb_sha256(archive->data, archive->len, &r->sha256);
}

static inline int make_read(const struct eb_buf *archive,
			    const struct eb_record *r, struct eb_package *out,
			    struct eb_error *err)
{
	eb_autofd int fd = make_fd(archive);

	return eb_package_read(fd, r, &eb_package_default_limits, "/tmp",
			       1 << 20, out, err);
}

#endif
