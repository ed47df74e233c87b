/* SPDX-License-Identifier: Apache-2.0 */
/* The curated environments as text: documents, and the lines of one. */
#ifndef EB_CURATED_H
#define EB_CURATED_H

#include <stdbool.h>
#include <stddef.h>

struct eb_document {
	const char *text; /* behind its "---" line */
	size_t len;
};

/* From document to document: `d` zeroed begins; false at the end. */
bool eb_document_next(struct eb_document *d);
/* What stands behind `key` at the beginning of a line, without quotes; NULL:
 * there is no such line. Nothing is parsed. */
const char *eb_document_value(const struct eb_document *d, const char *key,
			      int *len);
/* The one of that name, or with that alias. */
bool eb_document_find(const char *name, struct eb_document *out);

#endif
