/* SPDX-License-Identifier: Apache-2.0 */
/* .tar.bz2 packages, as they are or from the tar inside (`t`). */
#include "fuzz_package.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	EB_AUTOBUF(archive, MAKE_MAX);

	if (size < 1)
		return 0;
	if (*data == 'r')
		eb_buf_add(&archive, data + 1, size - 1);
	else
		make_bzip2(&archive, data + 1, size - 1);
	fuzz_archive(&archive, "t-1-0.tar.bz2");
	return 0;
}
