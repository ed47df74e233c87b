/* SPDX-License-Identifier: Apache-2.0 */
/* Names of images in registries: HOST/REPOSITORY:TAG@DIGEST. */
#ifndef EB_OCI_REFERENCE_NAME_H
#define EB_OCI_REFERENCE_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include <envbuild/error.h>
#include <envbuild/reference.h>

/* `text` is the whole reference, for messages; `name` the part to parse. What
 * is filled in before an error stays, for eb_reference_release(). */
int eb_reference_parse_name(const char *text, const char *name,
			    struct eb_reference *out, struct eb_error *err);
bool eb_reference_is_tag(const char *s, size_t n);
/* EB_USAGE; returns -1 */
int eb_reference_bad(const char *text, const char *why, struct eb_error *err);

#endif
