/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of `recent`: canonical JSON,
 *
 *	{"entries":[{"definition":HEX,"lock":HEX,"name":TEXT,"packages":N,
 *	"sketch":BASE64,"time":SECONDS}, ...],"format":1}
 *
 * newest first, at most EB_RECENT_MAX. The sketch is the first four bytes of
 * each package's sha256, the EB_SKETCH smallest of them, ascending.
 */
#ifndef EB_TEAM_RECENT_H
#define EB_TEAM_RECENT_H

#include "team_private.h"

#define EB_MAX_RECENT ((size_t)1 << 20)
#define EB_RECENT_NAME 256 /* bytes of a name */

void eb_recent_format(const struct eb_recent *r, struct eb_buf *out);
/* 0; -1: damaged or foreign, `out` is empty then. */
int eb_recent_parse(const char *text, size_t len, struct eb_recent *out);
/* A copy of it in front; its definition's older entry goes, and what is too
 * much. False: it is there as it is. */
bool eb_recent_add(struct eb_recent *r, const struct eb_recent_entry *e);
/* The newest of this name; NULL. */
const struct eb_recent_entry *eb_recent_named(const struct eb_recent *r,
					      const char *name);
void eb_recent_remove(struct eb_recent *r, const struct eb_recent_entry *e);

#endif
