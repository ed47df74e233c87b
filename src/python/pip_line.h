/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of reading a pip line. */
#ifndef EB_PIP_LINE_H
#define EB_PIP_LINE_H

#include <stdbool.h>

#include <envbuild/buf.h>
#include <envbuild/pip_set.h>
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
/* Overwrites and frees. */
void eb_wipe(char *text);
void eb_wipe_all(struct eb_strv *texts);

/* Has it a scheme that pip takes (https, file, git+ssh ...)? */
bool eb_pip_is_url(const char *text);
bool eb_pip_is_vcs(const char *url);
/* The text with the credentials of all its URLs removed. */
char *eb_pip_clean(const char *text);
/* Path of a file: URL on this machine, or NULL. */
char *eb_pip_file_path(const char *url);
/* A path as it stands in a URL. */
void eb_pip_add_quoted(struct eb_buf *out, const char *path);
/* Value of "#egg=" as written, or NULL. */
char *eb_pip_egg(const char *url);
/* Name of an archive that pip installs (.whl, .zip, .tar.gz ...)? */
bool eb_pip_is_archive(const char *path);

/* The options of one line. */
struct eb_pip_options {
	struct eb_strv global;	    /* normal text of each: "--index-url URL" */
	struct eb_strv name, value; /* the same: "--index-url", the value as it
				     * is written ("": it has none) */
	struct eb_strv include, constraint, editable; /* values */
	struct eb_strv hash, setting;		      /* of a requirement */
};
/* Split like a shell's words, then read as options. */
int eb_pip_options_parse(const char *text, struct eb_pip_options *out,
			 struct eb_error *err);
void eb_pip_options_release(struct eb_pip_options *o);
int eb_pip_words(const char *text, struct eb_strv *out, struct eb_error *err);

/* A line, expanded, in its two halves. */
struct eb_pip_split {
	char *text; /* what is before the options */
	struct eb_pip_options options;
	struct eb_secrets secrets;
};
int eb_pip_split(const char *line, struct eb_pip_split *out,
		 struct eb_error *err);
void eb_pip_split_release(struct eb_pip_split *s);

/* What a resolver needs beside the normal text. */
struct eb_pip_exact {
	const char *dir; /* of relative paths */
	char *text;	 /* with credentials, without -e and options */
	char *path;	 /* absolute, of a local source; or NULL */
	char *marker;	 /* normal text, or NULL */
};
void eb_pip_exact_release(struct eb_pip_exact *e);
/* Each fills it; `marker` is "; ..." with or without a blank in front, or "".
 * Nothing is done for NULL. */
void eb_pip_exact_requirement(struct eb_pip_exact *e, const char *args,
			      const char *marker);
void eb_pip_exact_url(struct eb_pip_exact *e, const char *url,
		      const char *before, const char *marker);
void eb_pip_exact_path(struct eb_pip_exact *e, const char *path,
		       const char *extras, const char *marker);

/* A requirement, URL or path (`args`), or with `editable` the value of -e.
 * `exact` may be NULL. */
int eb_pip_source_parse(const char *args, bool editable,
			const struct eb_secrets *secrets,
			struct eb_requirement *out, struct eb_pip_exact *exact,
			struct eb_error *err);

/* An absolute path; `dir` may be relative, too. */
char *eb_pip_absolute(const char *dir, const char *path);
/* The URL; a file: URL of a relative path becomes absolute. */
char *eb_pip_absolute_url(const char *dir, const char *url);
/* Options of one line, taken into the set. */
int eb_pip_set_options(struct eb_pip_set *s, const struct eb_pip_options *o,
		       const char *dir, struct eb_error *err);

#endif
