/* SPDX-License-Identifier: Apache-2.0 */
/* .conda packages, as they are or from the two tars inside (`t`, and the size
 * of the first, little-endian, in two bytes). */
#include "fuzz_package.h"

static void from_tars(const uint8_t *data, size_t size, struct eb_buf *archive)
{
	EB_AUTOBUF(info, MAKE_MAX);
	EB_AUTOBUF(pkg, MAKE_MAX);
	size_t n = size < 2 ? 0 : data[0] | (size_t)data[1] << 8;

	if (size < 2)
		return;
	n = n < size - 2 ? n : size - 2;
	eb_buf_add(&info, data + 2, n);
	eb_buf_add(&pkg, data + 2 + n, size - 2 - n);
	make_conda(archive, &info, &pkg);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	EB_AUTOBUF(archive, MAKE_MAX);

	if (size < 1)
		return 0;
	if (*data == 'r')
		eb_buf_add(&archive, data + 1, size - 1);
	else
		from_tars(data + 1, size - 1, &archive);
	fuzz_archive(&archive, "t-1-0.conda");
	return 0;
}
