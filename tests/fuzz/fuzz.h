/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every fuzzer begins with. One program a reader of outside bytes:
 * fuzz_NAME.c has the entry point that libFuzzer calls (and replay.c, for what
 * is kept in data/NAME), and says with FUZZ_CHECK what must hold whatever
 * came in, beyond "no crash, no leak, bounded".
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <envbuild/error.h>
#include <envbuild/mem.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_CHECK(what)                                                   \
	do {                                                               \
		if (!(what)) {                                             \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, \
				#what);                                    \
			abort();                                           \
		}                                                          \
	} while (0)

/* An error has a sentence and a code; without one there is none. */
static inline void fuzz_verdict(int rc, const struct eb_error *err)
{
	FUZZ_CHECK(rc >= -1);
	FUZZ_CHECK((rc < 0) == (err->code != EB_OK));
	FUZZ_CHECK(rc >= 0 || (err->message && *err->message));
}

#endif
