/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 (FIPS 180-4) and, for packages of old channels, MD5 (RFC 1321). */
#ifndef EB_DIGEST_H
#define EB_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <envbuild/error.h>
#include <envbuild/mem.h>

#define EB_HEX_SIZE 65	  /* 64 digits and NUL */
#define EB_DIGEST_TEXT 72 /* "sha256:", 64 digits and NUL */

struct eb_digest {
	uint8_t byte[32];
};

/* Plain data: may be copied to fork a running digest. */
struct eb_sha256 {
	uint64_t opaque[16];
};

void eb_sha256_init(struct eb_sha256 *s);
void eb_sha256_add(struct eb_sha256 *s, const void *p, size_t n);
void eb_sha256_end(struct eb_sha256 *s, struct eb_digest *out);
void eb_sha256(const void *p, size_t n, struct eb_digest *out);
int eb_sha256_fd(int fd, struct eb_digest *out, uint64_t *size,
		 struct eb_error *err); /* from offset 0, by pread */
/* The same beside what the caller does, in a thread of its own without
 * signals; where there is none to be had, by eb_sum_end(). The descriptor stays
 * the caller's and open until then. */
struct eb_sum;
struct eb_sum *eb_sum_begin(int fd);
/* Waits for it, and frees s in every case. */
int eb_sum_end(struct eb_sum *s, struct eb_digest *out, uint64_t *size,
	       struct eb_error *err);
void eb_sum_abort(struct eb_sum *s); /* soon; NULL is fine */
EB_AUTOPTR(struct eb_sum, eb_sum_abort)

struct eb_md5 {
	uint64_t opaque[16];
};
void eb_md5_init(struct eb_md5 *m);
void eb_md5_add(struct eb_md5 *m, const void *p, size_t n);
void eb_md5_end(struct eb_md5 *m, char hex[33]);

char *eb_digest_hex(const struct eb_digest *d, char hex[EB_HEX_SIZE]);
/* "sha256:<hex>" */
char *eb_digest_text(const struct eb_digest *d, char text[EB_DIGEST_TEXT]);
/* Takes 64 lower-case hex digits, with or without "sha256:"; -1 if not. */
int eb_digest_parse(const char *text, struct eb_digest *d);
bool eb_digest_equal(const struct eb_digest *a, const struct eb_digest *b);
int eb_digest_compare(const void *a, const void *b); /* for qsort */
bool eb_digest_is_zero(const struct eb_digest *d);

/* Keys: fields joined unambiguously, so that two different rows of fields
 * never give one key. The sum is over "<length>:<bytes>," for each field, the
 * domain first; "-," stands for an absent one. A number is its decimal text,
 * a digest its 32 bytes. */
struct eb_keyer {
	struct eb_sha256 sha;
};
void eb_key_begin(struct eb_keyer *k, const char *domain);
void eb_key_text(struct eb_keyer *k, const char *text); /* NULL = absent */
void eb_key_u64(struct eb_keyer *k, uint64_t value);
void eb_key_digest(struct eb_keyer *k, const struct eb_digest *d);
void eb_key_end(struct eb_keyer *k, struct eb_digest *out);

#endif
