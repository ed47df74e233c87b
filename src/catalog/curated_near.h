/* SPDX-License-Identifier: Apache-2.0 */
/* What is near to a name that is not there, or not complete. */
#ifndef EB_CURATED_NEAR_H
#define EB_CURATED_NEAR_H

#include <envbuild/catalog.h>

#define EB_NOT_NEAR 99
#define EB_NEAR 3

struct eb_near {
	char *name[EB_NEAR + 1];
	unsigned distance[EB_NEAR + 1];
	size_t n;
};
void eb_near_add(struct eb_near *near, const char *name, const char *than);
void eb_near_curated(struct eb_near *near, const char *than);
void eb_near_release(struct eb_near *near);
/* EB_INPUT "no environment is named ...", with what is near; -1. */
int eb_near_error(const struct eb_near *near, const char *name,
		  struct eb_error *err);
unsigned eb_name_distance(const char *a, const char *b);

/* The complete one of the same framework whose version is next; NULL. */
char *eb_nearest_complete(const struct eb_named *e);

#endif
