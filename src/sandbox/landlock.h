/* SPDX-License-Identifier: Apache-2.0 */
/* Landlock: a process that sees a few folders and nothing else. */
#ifndef EB_LANDLOCK_H
#define EB_LANDLOCK_H

#include <stdbool.h>

#include <envbuild/error.h>

/* Files and folders; lists have a NULL at their end, what is absent in them
 * is passed over. */
struct eb_landlock {
	const char *const *read;
	const char *const *execute; /* and read; or NULL */
	const char *write;	    /* and read, not execute; /dev/null and
				     * random numbers with it; or NULL */
	const char *program;	    /* executed, with its loader; or NULL */
	bool network;		    /* may connect */
};

/* Version of the kernel's interface; -1 with errno where there is none. */
int eb_landlock_abi(void);
/* A descriptor of rules. -1: error. */
int eb_landlock_rules(const struct eb_landlock *l, struct eb_error *err);
/* The loader that an ELF program names, or NULL; caller frees. */
char *eb_elf_interpreter(const char *path);

#endif
