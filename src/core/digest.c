/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SHA-256 and MD5 by libcrypto's low-level functions. The EVP layer loads
 * providers and configuration first, which costs milliseconds at process
 * start; a check has to answer at once. Hence the suppressed deprecation, in
 * this file alone.
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <errno.h>
#include <openssl/md5.h>
#include <openssl/sha.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/digest.h>
#include <envbuild/mem.h>

_Static_assert(sizeof(SHA256_CTX) <= sizeof(struct eb_sha256),
	       "struct eb_sha256 holds a SHA256_CTX");
_Static_assert(_Alignof(SHA256_CTX) <= _Alignof(struct eb_sha256),
	       "struct eb_sha256 is aligned for a SHA256_CTX");
_Static_assert(sizeof(MD5_CTX) <= sizeof(struct eb_md5),
	       "struct eb_md5 holds an MD5_CTX");
_Static_assert(_Alignof(MD5_CTX) <= _Alignof(struct eb_md5),
	       "struct eb_md5 is aligned for an MD5_CTX");

static const char hex_digit[] = "0123456789abcdef";

static void to_hex(const uint8_t *byte, size_t n, char *hex)
{
	size_t i;

	for (i = 0; i < n; i++) {
		*hex++ = hex_digit[byte[i] >> 4];
		*hex++ = hex_digit[byte[i] & 15];
	}
	*hex = '\0';
}

void eb_sha256_init(struct eb_sha256 *s)
{
	memset(s, 0, sizeof *s);
	SHA256_Init((SHA256_CTX *)s->opaque);
}

void eb_sha256_add(struct eb_sha256 *s, const void *p, size_t n)
{
	SHA256_Update((SHA256_CTX *)s->opaque, p, n);
}

void eb_sha256_end(struct eb_sha256 *s, struct eb_digest *out)
{
	SHA256_Final(out->byte, (SHA256_CTX *)s->opaque);
}

void eb_sha256(const void *p, size_t n, struct eb_digest *out)
{
	struct eb_sha256 s;

	eb_sha256_init(&s);
	eb_sha256_add(&s, p, n);
	eb_sha256_end(&s, out);
}

int eb_sha256_fd(int fd, struct eb_digest *out, uint64_t *size,
		 struct eb_error *err)
{
	const size_t piece = 256 << 10;
	eb_autofree char *buffer = eb_malloc(piece);
	struct eb_sha256 s;
	uint64_t offset = 0;
	ssize_t n;

	eb_sha256_init(&s);
	for (;;) {
		n = pread(fd, buffer, piece, (off_t)offset);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return eb_err_errno(err, EB_MACHINE, errno,
					    "hashing a file");
		if (n == 0)
			break;
		eb_sha256_add(&s, buffer, (size_t)n);
		offset += (uint64_t)n;
	}
	eb_sha256_end(&s, out);
	if (size)
		*size = offset;
	return 0;
}

void eb_md5_init(struct eb_md5 *m)
{
	memset(m, 0, sizeof *m);
	MD5_Init((MD5_CTX *)m->opaque);
}

void eb_md5_add(struct eb_md5 *m, const void *p, size_t n)
{
	MD5_Update((MD5_CTX *)m->opaque, p, n);
}

void eb_md5_end(struct eb_md5 *m, char hex[33])
{
	uint8_t sum[16];

	MD5_Final(sum, (MD5_CTX *)m->opaque);
	to_hex(sum, sizeof sum, hex);
}

char *eb_digest_hex(const struct eb_digest *d, char hex[EB_HEX_SIZE])
{
	to_hex(d->byte, sizeof d->byte, hex);
	return hex;
}

char *eb_digest_text(const struct eb_digest *d, char text[EB_DIGEST_TEXT])
{
	memcpy(text, "sha256:", 7);
	to_hex(d->byte, sizeof d->byte, text + 7);
	return text;
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

int eb_digest_parse(const char *text, struct eb_digest *d)
{
	struct eb_digest parsed;
	size_t i;

	if (strncmp(text, "sha256:", 7) == 0)
		text += 7;
	if (strnlen(text, 65) != 64)
		return -1;
	for (i = 0; i < sizeof parsed.byte; i++) {
		int high = hex_value(text[2 * i]);
		int low = hex_value(text[2 * i + 1]);

		if (high < 0 || low < 0)
			return -1;
		parsed.byte[i] = (uint8_t)(high << 4 | low);
	}
	*d = parsed;
	return 0;
}

bool eb_digest_equal(const struct eb_digest *a, const struct eb_digest *b)
{
	return memcmp(a, b, sizeof *a) == 0;
}

int eb_digest_compare(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct eb_digest));
}

bool eb_digest_is_zero(const struct eb_digest *d)
{
	static const struct eb_digest zero;

	return eb_digest_equal(d, &zero);
}
