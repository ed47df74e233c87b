/* SPDX-License-Identifier: Apache-2.0 */
/* Texts in other encodings than UTF-8. */
#ifndef EB_PIP_TEXT_H
#define EB_PIP_TEXT_H

#include <stddef.h>

#include <envbuild/buf.h>
#include <envbuild/error.h>

/* As UTF-8, added to `out`; `encoding` by Python's names. -1: it is not known,
 * or the bytes are none of it. UTF-8 is taken as it is, valid or not. */
int eb_text_decode(const char *data, size_t len, const char *encoding,
		   struct eb_buf *out);
/* The error for that; returns -1. */
int eb_text_cannot(const char *encoding, const char *file,
		   struct eb_error *err);

#endif
