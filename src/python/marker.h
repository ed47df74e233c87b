/* SPDX-License-Identifier: Apache-2.0 */
/* A marker as a tree: lists of comparisons joined by `and` and `or`. */
#ifndef EB_MARKER_H
#define EB_MARKER_H

#include <stdbool.h>

#include <envbuild/error.h>
#include <envbuild/mem.h>

#define EB_MARKER_DEPTH 100 /* parentheses in parentheses */

struct eb_marker_operand {
	const char *variable; /* normal name, or NULL: a value */
	char *value;
};

struct eb_marker {
	struct eb_marker *next; /* of the list that it is in */
	bool or_before;		/* joined to the one before by `or` */
	struct eb_marker *list; /* in parentheses; or NULL: a comparison */
	const char *op;
	struct eb_marker_operand left, right;
};

/* The whole text; NULL: EB_INPUT. */
struct eb_marker *eb_marker_parse(const char *text, struct eb_error *err);
void eb_marker_free(struct eb_marker *m);
EB_AUTOPTR(struct eb_marker, eb_marker_free)

#endif
