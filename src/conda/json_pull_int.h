/* SPDX-License-Identifier: Apache-2.0 */
/* What the two files of the pull reader share: bytes of the stream. */
#ifndef EB_JSON_PULL_INT_H
#define EB_JSON_PULL_INT_H

#include "json_pull.h"

int eb_json_fill(struct eb_json_pull *j);
int eb_json_byte(struct eb_json_pull *j);

#endif
