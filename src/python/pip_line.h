/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of reading a pip line. */
#ifndef EB_PIP_LINE_H
#define EB_PIP_LINE_H

#include <stdbool.h>

#include <envbuild/requirement.h>
#include <envbuild/str.h>

/* Variables that were expanded and whose names say that they are secret. */
struct eb_secrets {
	struct eb_strv name, value;
};
/* `${NAME}` of capital letters, digits and "_" by the environment; an unset
 * or empty one stays as it is. NULL when it gets too long. */
char *eb_pip_expand(const char *line, struct eb_secrets *secrets,
		    struct eb_error *err);
/* Puts `${NAME}` back where a secret stands: everywhere, or only behind the
 * first "://" (`url`). Frees `text`. */
char *eb_secrets_hide(const struct eb_secrets *s, char *text, bool url);
void eb_secrets_release(struct eb_secrets *s);

/* Has it a scheme that pip takes (https, file, git+ssh ...)? */
bool eb_pip_is_url(const char *text);
bool eb_pip_is_vcs(const char *url);
/* The text with the credentials of all its URLs removed. */
char *eb_pip_clean(const char *text);
/* Path of a file: URL on this machine, or NULL. */
char *eb_pip_file_path(const char *url);
/* Value of "#egg=" as written, or NULL. */
char *eb_pip_egg(const char *url);
/* Name of an archive that pip installs (.whl, .zip, .tar.gz ...)? */
bool eb_pip_is_archive(const char *path);

/* The options of one line. */
struct eb_pip_options {
	struct eb_strv global; /* normal text of each: "--index-url URL" */
	struct eb_strv include, constraint, editable; /* values */
	struct eb_strv hash, setting;		      /* of a requirement */
};
/* Split like a shell's words, then read as options. */
int eb_pip_options_parse(const char *text, struct eb_pip_options *out,
			 struct eb_error *err);
void eb_pip_options_release(struct eb_pip_options *o);
int eb_pip_words(const char *text, struct eb_strv *out, struct eb_error *err);

/* A requirement, URL or path (`args`), or with `editable` the value of -e. */
int eb_pip_source_parse(const char *args, bool editable,
			const struct eb_secrets *secrets,
			struct eb_requirement *out, struct eb_error *err);

#endif
