/* SPDX-License-Identifier: Apache-2.0 */
/* info/paths.json, link.json, files, has_prefix and no_link of a package with
 * three files; the texts are parted by lines of `%%`. */
#include "fuzz_package.h"

static const char *const member[] = { "info/paths.json", "info/link.json",
				      "info/files", "info/has_prefix",
				      "info/no_link" };

static void add_infos(struct eb_buf *tar, char *text)
{
	for (size_t i = 0; text && i < sizeof member / sizeof *member; i++) {
		char *end = strstr(text, "\n%%\n");

		if (end)
			*end = '\0';
		if (*text)
			make_file(tar, member[i], text);
		text = end ? end + 4 : NULL;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	eb_autofree char *text = eb_strndup((const char *)data, size);
	EB_AUTOBUF(tar, MAKE_MAX);
	EB_AUTOBUF(archive, MAKE_MAX);

	make_file(&tar, "info/index.json", "{\"name\": \"t\"}");
	add_infos(&tar, text);
	make_file(&tar, "bin/t", "#!/old/prefix/bin/python\nprint(1)\n");
	make_file(&tar, "site-packages/t.py", "x = 1\n");
	make_add(&tar, &(struct make_member){ .path = "lib/l",
					      .type = '2',
					      .target = "../bin/t" });
	make_end(&tar);
	make_bzip2(&archive, tar.data, tar.len);
	fuzz_archive(&archive, "t-1-0.tar.bz2");
	return 0;
}
