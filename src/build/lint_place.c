/* SPDX-License-Identifier: Apache-2.0 */
/* Words looked for in a definition. */
#include "lint_base.h"

#include <string.h>

#include <envbuild/buf.h>
#include <envbuild/file.h>

struct eb_place eb_place_of_words(const char *file, const char *words)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_AUTOBUF(text, EB_MAX_YAML);
	struct eb_place at = { .file = file };
	const char *found;

	if (!words || eb_read_file(file, EB_MAX_YAML, &text, &ignored) < 0)
		return at;
	found = strstr(text.data, words);
	if (!found)
		return at;
	at.line = at.column = 1;
	for (const char *p = text.data; p < found; p++) {
		at.column = *p == '\n' ? 1 : at.column + 1;
		at.line += *p == '\n';
	}
	return at;
}
