/* SPDX-License-Identifier: Apache-2.0 */
/* Wheels and zip files made in memory, as they should be and as they should
 * not. */
#ifndef TEST_MAKE_WHEEL_H
#define TEST_MAKE_WHEEL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <envbuild/buf.h>
#include <envbuild/digest.h>
#include <envbuild/error.h>
#include <envbuild/mem.h>
#include <envbuild/str.h>

#define WHEEL_MAX ((size_t)512 << 20)

/* A member; what is not given is as it should be. */
struct wheel_member {
	const char *name;
	const char *content;
	size_t size;   /* 0: strlen(content) */
	unsigned mode; /* 0: S_IFREG | 0644; DOS: none */
	bool stored, dos, zip64, descriptor, utf8;
	/* of RECORD */
	bool unlisted;
	const char *hash, *length; /* in place of the true ones */
	/* faults */
	const char *local_name;
	unsigned flags, method;
	uint32_t crc_xor, local_crc_xor;
	int size_more, packed_more, local_size_more;
	uint32_t at_more; /* of the offset in the directory */
	bool at_zero;
	size_t junk; /* bytes behind its data that belong to none */
};

struct make_wheel {
	struct eb_buf file, central, record;
	uint64_t n;
	const char *dist_info;
};

static inline void wheel_begin(struct make_wheel *w, const char *dist_info)
{
	*w = (struct make_wheel){ .dist_info = dist_info };
	eb_buf_init(&w->file, WHEEL_MAX);
	eb_buf_init(&w->central, WHEEL_MAX);
	eb_buf_init(&w->record, WHEEL_MAX);
}

static inline void wheel_release(struct make_wheel *w)
{
	eb_buf_release(&w->file);
	eb_buf_release(&w->central);
	eb_buf_release(&w->record);
}

static inline void wheel_16(struct eb_buf *b, unsigned v)
{
	const unsigned char p[] = { v & 255, v >> 8 & 255 };

	eb_buf_add(b, p, 2);
}

static inline void wheel_32(struct eb_buf *b, uint64_t v)
{
	wheel_16(b, v & 0xffff);
	wheel_16(b, v >> 16 & 0xffff);
}

static inline void wheel_64(struct eb_buf *b, uint64_t v)
{
	wheel_32(b, v);
	wheel_32(b, v >> 32);
}

/* Raw deflate of p into `out`. */
static inline void wheel_deflate(struct eb_buf *out, const void *p, size_t n)
{
	z_stream z = { 0 };
	size_t bound;

	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, -MAX_WBITS, 8,
				      Z_DEFAULT_STRATEGY),
			 Z_OK);
	bound = deflateBound(&z, n);
	assert_int_equal(eb_buf_reserve(out, bound), 0);
	z.next_in = (unsigned char *)(uintptr_t)p;
	z.avail_in = (unsigned)n;
	z.next_out = (unsigned char *)out->data + out->len;
	z.avail_out = (unsigned)bound;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	out->len += z.total_out;
	deflateEnd(&z);
}

static inline void wheel_base64(struct eb_buf *out, const struct eb_digest *d)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
		"0123456789-_";
	unsigned bits = 0, held = 0;

	for (size_t i = 0; i < 32; i++) {
		bits = bits << 8 | d->byte[i];
		for (held += 8; held >= 6; held -= 6)
			eb_buf_addch(out, digits[bits >> (held - 6) & 63]);
	}
	eb_buf_addch(out, digits[bits << (6 - held) & 63]);
}

/* "sha256=..." of a text; caller frees. */
static inline char *wheel_hash(const char *p, size_t n)
{
	struct eb_digest d;
	EB_AUTOBUF(text, 100);

	eb_sha256(p, n, &d);
	eb_buf_adds(&text, "sha256=");
	wheel_base64(&text, &d);
	return eb_buf_steal(&text, NULL);
}

static inline void wheel_row(struct make_wheel *w, const struct wheel_member *m,
			     size_t n)
{
	eb_autofree char *hash = wheel_hash(m->content, n);
	const char *quote = strpbrk(m->name, ",\"") ? "\"" : "";

	eb_buf_addf(&w->record, "%s%s%s,%s,", quote, m->name, quote,
		    m->hash ? m->hash : hash);
	if (m->length)
		eb_buf_addf(&w->record, "%s\n", m->length);
	else
		eb_buf_addf(&w->record, "%zu\n", n);
}

/* What the two headers have in common, but for faults of one of them. */
struct wheel_fields {
	unsigned flags, method;
	uint32_t crc;
	uint64_t size, packed, at;
};

static inline void wheel_local(struct make_wheel *w,
			       const struct wheel_member *m,
			       const struct wheel_fields *f)
{
	const char *name = m->local_name ? m->local_name : m->name;
	bool none = m->descriptor;
	uint64_t size = f->size + (uint64_t)(int64_t)m->local_size_more;

	wheel_32(&w->file, 0x04034b50);
	wheel_16(&w->file, 45);
	wheel_16(&w->file, f->flags);
	wheel_16(&w->file, f->method);
	wheel_32(&w->file, 0);
	wheel_32(&w->file, none ? 0 : f->crc ^ m->local_crc_xor);
	wheel_32(&w->file, none ? 0 : m->zip64 ? UINT32_MAX : f->packed);
	wheel_32(&w->file, none ? 0 : m->zip64 ? UINT32_MAX : size);
	wheel_16(&w->file, (unsigned)strlen(name));
	wheel_16(&w->file, m->zip64 ? 20 : 0);
	eb_buf_adds(&w->file, name);
	if (!m->zip64)
		return;
	wheel_16(&w->file, 1);
	wheel_16(&w->file, 16);
	wheel_64(&w->file, size);
	wheel_64(&w->file, f->packed);
}

static inline void wheel_central(struct make_wheel *w,
				 const struct wheel_member *m,
				 const struct wheel_fields *f)
{
	unsigned mode = m->mode ? m->mode : S_IFREG | 0644;
	uint64_t at = m->at_zero ? 0 : f->at + m->at_more;

	wheel_32(&w->central, 0x02014b50);
	wheel_16(&w->central, m->dos ? 20 : 3 << 8 | 20);
	wheel_16(&w->central, 45);
	wheel_16(&w->central, f->flags);
	wheel_16(&w->central, f->method);
	wheel_32(&w->central, 0);
	wheel_32(&w->central, f->crc);
	wheel_32(&w->central, m->zip64 ? UINT32_MAX : f->packed);
	wheel_32(&w->central, m->zip64 ? UINT32_MAX : f->size);
	wheel_16(&w->central, (unsigned)strlen(m->name));
	wheel_16(&w->central, m->zip64 ? 28 : 0);
	wheel_16(&w->central, 0);
	wheel_16(&w->central, 0);
	wheel_16(&w->central, 0);
	wheel_32(&w->central, m->dos ? 0 : (uint64_t)mode << 16);
	wheel_32(&w->central, m->zip64 ? UINT32_MAX : at);
	eb_buf_adds(&w->central, m->name);
	if (m->zip64) {
		wheel_16(&w->central, 1);
		wheel_16(&w->central, 24);
		wheel_64(&w->central, f->size);
		wheel_64(&w->central, f->packed);
		wheel_64(&w->central, at);
	}
	w->n++;
}

static inline void wheel_descriptor(struct make_wheel *w,
				    const struct wheel_fields *f)
{
	wheel_32(&w->file, 0x08074b50);
	wheel_32(&w->file, f->crc);
	wheel_32(&w->file, f->packed);
	wheel_32(&w->file, f->size);
}

/* Only into the zip. */
static inline void wheel_put(struct make_wheel *w, const struct wheel_member *m)
{
	size_t n = m->size ? m->size : strlen(m->content);
	struct wheel_fields f = {
		.flags = m->flags | (m->descriptor ? 8 : 0) |
			 (m->utf8 ? 0x800 : 0),
		.method = m->method   ? m->method
			  : m->stored ? 0
				      : 8,
		.at = w->file.len,
		.crc = (uint32_t)crc32(0, (const unsigned char *)m->content,
				       (unsigned)n) ^
		       m->crc_xor,
		.size = n + (uint64_t)(int64_t)m->size_more,
	};
	EB_AUTOBUF(packed, WHEEL_MAX);

	if (m->stored)
		eb_buf_add(&packed, m->content, n);
	else
		wheel_deflate(&packed, m->content, n);
	f.packed = packed.len + (uint64_t)(int64_t)m->packed_more;
	wheel_local(w, m, &f);
	eb_buf_add(&w->file, packed.data, packed.len);
	if (m->descriptor)
		wheel_descriptor(w, &f);
	for (size_t i = 0; i < m->junk; i++)
		eb_buf_addch(&w->file, 'j');
	wheel_central(w, m, &f);
}

static inline void wheel_add(struct make_wheel *w, const struct wheel_member *m)
{
	wheel_put(w, m);
	if (!m->unlisted)
		wheel_row(w, m, m->size ? m->size : strlen(m->content));
}

static inline void wheel_file(struct make_wheel *w, const char *name,
			      const char *content)
{
	wheel_add(w,
		  &(struct wheel_member){ .name = name, .content = content });
}

/* A file of dist-info. */
static inline void wheel_info(struct make_wheel *w, const char *name,
			      const char *content)
{
	eb_autofree char *path = eb_asprintf("%s/%s", w->dist_info, name);

	wheel_file(w, path, content);
}

/* WHEEL and METADATA as they usually are. */
static inline void wheel_meta(struct make_wheel *w, const char *name,
			      const char *version)
{
	eb_autofree char *text =
		eb_asprintf("Metadata-Version: 2.1\nName: %s\nVersion: %s\n"
			    "Requires-Dist: six\n\nVersion: 9\n",
			    name, version);

	wheel_info(w, "WHEEL",
		   "Wheel-Version: 1.0\nGenerator: test\n"
		   "Root-Is-Purelib: true\nTag: py3-none-any\n");
	wheel_info(w, "METADATA", text);
}

/* How the end departs from what it should be. */
struct wheel_end {
	bool zip64, two_volumes;
	int n_more, size_more, at_more; /* of the end record */
	int wide_n_more;		/* of the zip64 end record */
	const char *comment, *behind;
};

static inline void wheel_end64(struct make_wheel *w, const struct wheel_end *e,
			       uint64_t at, uint64_t size)
{
	uint64_t end = w->file.len;

	wheel_32(&w->file, 0x06064b50);
	wheel_64(&w->file, 44);
	wheel_32(&w->file, 45 | 45 << 16);
	wheel_64(&w->file, 0);
	wheel_64(&w->file, w->n + (uint64_t)(int64_t)e->wide_n_more);
	wheel_64(&w->file, w->n + (uint64_t)(int64_t)e->wide_n_more);
	wheel_64(&w->file, size);
	wheel_64(&w->file, at);
	wheel_32(&w->file, 0x07064b50);
	wheel_32(&w->file, 0);
	wheel_64(&w->file, end);
	wheel_32(&w->file, 1);
}

static inline void wheel_finish(struct make_wheel *w, const struct wheel_end *e)
{
	static const struct wheel_end usual;
	uint64_t at = w->file.len, size = w->central.len, n = w->n;
	const char *comment;

	e = e ? e : &usual;
	comment = e->comment ? e->comment : "";
	at += (uint64_t)(int64_t)e->at_more;
	size += (uint64_t)(int64_t)e->size_more;
	n += (uint64_t)(int64_t)e->n_more;
	eb_buf_add(&w->file, w->central.data, w->central.len);
	if (e->zip64)
		wheel_end64(w, e, at, size);
	wheel_32(&w->file, 0x06054b50);
	wheel_32(&w->file, e->two_volumes ? 1 : 0);
	wheel_16(&w->file, n > UINT16_MAX ? UINT16_MAX : (unsigned)n);
	wheel_16(&w->file, n > UINT16_MAX ? UINT16_MAX : (unsigned)n);
	wheel_32(&w->file, e->zip64 ? UINT32_MAX : size);
	wheel_32(&w->file, e->zip64 ? UINT32_MAX : at);
	wheel_16(&w->file, (unsigned)strlen(comment));
	eb_buf_adds(&w->file, comment);
	if (e->behind)
		eb_buf_adds(&w->file, e->behind);
}

/* RECORD goes last. */
static inline void wheel_record(struct make_wheel *w)
{
	eb_autofree char *path = eb_asprintf("%s/RECORD", w->dist_info);

	eb_buf_addf(&w->record, "%s,,\n", path);
	wheel_put(w, &(struct wheel_member){ .name = path,
					     .content = w->record.data });
}

static inline int wheel_fd(const struct make_wheel *w)
{
	int fd = memfd_create("wheel", MFD_CLOEXEC);

	assert_true(fd >= 0);
	for (size_t at = 0; at < w->file.len;) {
		ssize_t n = write(fd, w->file.data + at, w->file.len - at);

		assert_true(n > 0);
		at += (size_t)n;
	}
	return fd;
}

#endif
