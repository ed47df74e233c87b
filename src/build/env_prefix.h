/* SPDX-License-Identifier: Apache-2.0 */
/* An environment that conda made, as what is asked for. */
#ifndef EB_ENV_PREFIX_H
#define EB_ENV_PREFIX_H

#include <envbuild/spec.h>

/* Its packages as exact records, what pip installed besides as pins, the
 * variables that it sets. EB_INPUT: it is no such environment, it is for
 * another platform, or something in it can be had nowhere. */
int eb_prefix_spec(const char *dir, const char *platform, struct eb_spec **out,
		   struct eb_error *err);
/* How many of its files no package has, or has otherwise, as notes. Every file
 * is read for that. */
int eb_prefix_tell(const char *dir, struct eb_events *events,
		   struct eb_error *err);

#endif
