/* SPDX-License-Identifier: Apache-2.0 */
/* A fuzzer without its engine: each file that is named is put in once. What a
 * run of the engine once found stays found where there is no clang. */
#include <envbuild/buf.h>
#include <envbuild/file.h>

#include "fuzz.h"

#define MAX_INPUT ((size_t)4 << 20)

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
		EB_AUTOBUF(input, MAX_INPUT);

		if (eb_read_file(argv[i], MAX_INPUT, &input, &err) < 0) {
			fprintf(stderr, "%s\n", err.message);
			return 2;
		}
		LLVMFuzzerTestOneInput((const uint8_t *)input.data, input.len);
	}
	printf("%d\n", argc - 1);
	return argc < 2;
}
