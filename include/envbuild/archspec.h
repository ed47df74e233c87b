/* SPDX-License-Identifier: Apache-2.0 */
/* CPU microarchitectures as conda's virtual package __archspec names them
 * (CEP 30; the names and what descends from what: archspec). */
#ifndef EB_ARCHSPEC_H
#define EB_ARCHSPEC_H

#include <stdbool.h>
#include <stddef.h>

#define EB_ARCHSPEC_MOST 32 /* more than any has ancestors, itself included */

/* Its name as __archspec has it, of any spelling ("x86-64-v3", "Zen4"); NULL:
 * it is none that is known. Static. */
const char *eb_archspec_name(const char *text);
/* "x86_64" or "aarch64": what it descends from; NULL as above. */
const char *eb_archspec_family(const char *name);
/* Itself, then all that it descends from, whose programs it runs too, each
 * once; how many. An unknown one stands alone. */
size_t eb_archspec_all(const char *name, const char *out[EB_ARCHSPEC_MOST]);

#endif
