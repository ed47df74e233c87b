/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8 (RFC 3629), one character at a time. */
#ifndef EB_CORE_UTF8_H
#define EB_CORE_UTF8_H

#include <stddef.h>

/* Bytes of the character that `s` begins with, of `n` bytes; 0 when it is
 * none: cut off, overlong, a surrogate, above U+10FFFF. */
size_t eb_utf8_step(const char *s, size_t n);
/* Write the code point (valid, not a surrogate); returns 1 to 4 bytes. */
size_t eb_utf8_put(char *out, unsigned long code);

#endif
