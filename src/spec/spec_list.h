/* SPDX-License-Identifier: Apache-2.0 */
/* Files of a line a package, as `conda create --file` reads them (CEP 23). */
#ifndef EB_SPEC_LIST_H
#define EB_SPEC_LIST_H

#include "spec_reader.h"

#define EB_EXPLICIT "@EXPLICIT"

struct eb_list_line {
	const char *file;
	char *text; /* without white space around it; never empty */
	unsigned line, column;
};
typedef int eb_list_fn(void *data, const struct eb_list_line *l,
		       struct eb_error *err);
/* Every line but empty ones and comments. A comment "# platform: SUBDIR" that
 * names another platform is EB_INPUT. */
int eb_list_read(struct eb_spec_reader *r, const char *text, eb_list_fn *fn,
		 void *data);
/* Puts the place of the line's byte `at` into an error; -1. */
int eb_list_at(const struct eb_list_line *l, size_t at, struct eb_error *err);

/* Digits of an MD5 or SHA-256, the latter also behind "sha256:"; -1: neither.
 */
int eb_spec_take_hash(const char *text, struct eb_record *r);

enum eb_list_kind { EB_LIST_NONE, EB_LIST_EXPLICIT, EB_LIST_SPECS };
/* Which of them is it: by a line @EXPLICIT; by what conda writes above its own
 * lists; or a .txt, all of whose lines are conda's, that has the word "conda"
 * in its name, or not "requirements" and a line that pip does not know. */
enum eb_list_kind eb_list_kind(const char *file, const char *text);
int eb_spec_explicit(struct eb_spec_reader *r, const char *text);
int eb_spec_list(struct eb_spec_reader *r, const char *text);

#endif
