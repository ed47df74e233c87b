/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory: allocation that does not return NULL, and cleanup by attribute.
 *
 * Out of memory ends the process with exit status 7 and one sentence on
 * standard error, by eb_oom(); sizes from outside are capped before they get
 * here, so this is a machine's fault, never an input's.
 */
#ifndef EB_MEM_H
#define EB_MEM_H

#include <stddef.h>
#include <stdlib.h>

void *eb_malloc(size_t size);
void *eb_calloc(size_t n, size_t size); /* refuses overflow by eb_oom() */
void *eb_realloc(void *p, size_t n, size_t size); /* n * size bytes */
char *eb_strdup(const char *s);			  /* NULL gives NULL */
char *eb_strndup(const char *s, size_t n);
void *eb_memdup(const void *p, size_t n);
char *eb_asprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void eb_oom(void) __attribute__((noreturn));

/* Make room for one more element of a growing array. */
#define EB_GROW(array, n, alloc)                                               \
	do {                                                                   \
		if ((n) == (alloc)) {                                          \
			(alloc) = (alloc) ? (alloc)*2 : 16;                    \
			(array) =                                              \
				eb_realloc((array), (alloc), sizeof *(array)); \
		}                                                              \
	} while (0)

#define EB_CLEANUP(fn) __attribute__((cleanup(fn)))

static inline void eb_cleanup_free(void *p)
{
	free(*(void **)p);
}
void eb_cleanup_fd(int *fd); /* closes when >= 0; keeps errno */

#define eb_autofree EB_CLEANUP(eb_cleanup_free)
#define eb_autofd EB_CLEANUP(eb_cleanup_fd)

/* EB_AUTOPTR(struct eb_x, eb_x_free) defines eb_x_free_ptr() for
 * `EB_CLEANUP(eb_x_free_ptr) struct eb_x *x = NULL;` */
#define EB_AUTOPTR(type, fn)                  \
	static inline void fn##_ptr(type **p) \
	{                                     \
		if (*p)                       \
			fn(*p);               \
	}

/* Hand a pointer out of a cleanup variable. */
#define eb_steal(p)                             \
	({                                      \
		__typeof__(p) eb_stolen_ = (p); \
		(p) = NULL;                     \
		eb_stolen_;                     \
	})
static inline int eb_steal_fd(int *fd)
{
	int stolen = *fd;
	*fd = -1;
	return stolen;
}

#endif
