/* SPDX-License-Identifier: Apache-2.0 */
/* Looking for images in an index. */
#ifndef EB_OCI_INDEX_PICK_H
#define EB_OCI_INDEX_PICK_H

#include "descriptor.h"

/* NULL with EB_INPUT when it is no index. */
json_t *eb_index_parse(const char *text, size_t len, const char *what,
		       struct eb_error *err);
/* How many entries are images of this tag (NULL: any) that are for `want`
 * (NULL: any) or do not say for what they are; *first is the first of them. */
size_t eb_index_images(const json_t *index, const char *tag,
		       const struct eb_platform *want, const json_t **first);
/* EB_INPUT with what there is in the hint; returns -1 */
int eb_index_no_platform(const json_t *index, const char *what,
			 const char *platform, struct eb_error *err);

#endif
