/* SPDX-License-Identifier: Apache-2.0 */
/* A commit of a repository, as a pip line names it. */
#ifndef EB_PYTHON_VCS_LINE_H
#define EB_PYTHON_VCS_LINE_H

#include <stdbool.h>

#include <envbuild/mem.h>

struct eb_vcs_line {
	char *url;	/* for git, with its login; overwritten at the end */
	char *revision; /* or NULL */
	char *subdirectory; /* or NULL */
	char *extras;	    /* "[a,b]", or NULL */
};
/* "NAME[EXTRAS] @ git+URL@REVISION#subdirectory=S ; MARKER", or without a name
 * and with "#egg=NAME[EXTRAS]". false: it is none of git. */
bool eb_vcs_line_parse(const char *text, struct eb_vcs_line *out);
void eb_vcs_line_release(struct eb_vcs_line *v);
/* The URL for locks and messages: without a login, but for the user of ssh,
 * who is no secret and without whom nothing is reached (PEP 610). Caller
 * frees. */
char *eb_vcs_shown(const char *url);

#endif
