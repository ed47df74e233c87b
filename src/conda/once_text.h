/* SPDX-License-Identifier: Apache-2.0 */
/* A text of something immutable that is made when it is first asked for, maybe
 * by two threads at once: the first one's stays. */
#ifndef EB_CONDA_ONCE_TEXT_H
#define EB_CONDA_ONCE_TEXT_H

#include <stdlib.h>

static inline char *eb_once_text(char **place)
{
	return __atomic_load_n(place, __ATOMIC_ACQUIRE);
}

/* Takes `made` over. */
static inline char *eb_once_keep(char **place, char *made)
{
	char *other = NULL;

	if (__atomic_compare_exchange_n(place, &other, made, 0,
					__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return made;
	free(made);
	return other;
}

#endif
