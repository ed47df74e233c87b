/* SPDX-License-Identifier: Apache-2.0 */
/* Landlock: a process that sees a few folders read-only and nothing else. */
#ifndef EB_LANDLOCK_H
#define EB_LANDLOCK_H

#include <envbuild/error.h>

/* Version of the kernel's interface; -1 with errno where there is none. */
int eb_landlock_abi(void);
/* A descriptor of rules: `folder` (NULL at the end; absent ones are passed
 * over) can be read, `program` and its loader executed. -1: error. */
int eb_landlock_rules(const char *const *folder, const char *program,
		      struct eb_error *err);
/* The loader that an ELF program names, or NULL; caller frees. */
char *eb_elf_interpreter(const char *path);

#endif
