/* SPDX-License-Identifier: Apache-2.0 */
/* The last part of a tag: what the target's machine and C library run. */
#ifndef EB_TAGS_PLATFORM_H
#define EB_TAGS_PLATFORM_H

#include <envbuild/mem.h>
#include <envbuild/tags.h>

/* "linux_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64", ... */
int eb_tags_platforms(const struct eb_python_target *t, struct eb_strv *out,
		      struct eb_error *err);

/* "3.7" in front of a text: its two numbers of at most three digits. What
 * stands behind them; NULL when there are none. */
const char *eb_tags_numbers(const char *text, unsigned *major, unsigned *minor);

#endif
