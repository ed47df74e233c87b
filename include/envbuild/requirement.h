/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One line of a pip section in its normal form (PEP 503, 508, 440), for the
 * definition hash.
 */
#ifndef EB_REQUIREMENT_H
#define EB_REQUIREMENT_H

#include <envbuild/error.h>
#include <envbuild/mem.h>
#include <envbuild/str.h>

enum eb_requirement_kind {
	EB_REQ_REQUIREMENT, /* numpy>=1 ; marker */
	EB_REQ_URL,	    /* https://..., git+https://... */
	EB_REQ_OPTION,	    /* --index-url ... */
	EB_REQ_INCLUDE,	    /* -r FILE */
	EB_REQ_CONSTRAINT,  /* -c FILE */
	EB_REQ_EDITABLE,    /* -e ... */
	EB_REQ_PATH,	    /* ./x, ., archive or wheel path */
};

struct eb_requirement {
	enum eb_requirement_kind kind;
	char *text; /* normal text; no credentials. Several options on one
		     * line: one a line of this text */
	char *name; /* normalised project name, or NULL */
	/* The value of an include or a constraint; the path of a local source
	 * (also of file:// in a URL, a requirement or -e), or NULL. */
	char *argument;
	/* Of what has a path: the normal text before and behind it. */
	char *before, *behind;
	char *raw; /* the line as it was given: not expanded, but with the
		    * credentials that stand in it */
};

/*
 * A line as pip would read it from a requirements file: comment cut,
 * `${NAME}` expanded. Empty lines give kind OPTION with text "". Errors:
 * EB_INPUT: what is wrong, and conda syntax (`numpy=1.0`) or an option behind
 * a requirement with what to write instead.
 *
 * Credentials are left out of text, name and messages: user and password, a
 * conda token, the usual keys of a query (`sig=`, `token=` ...), and in a URL
 * and in --config-settings the value of a variable whose name says that it is
 * secret (a word TOKEN, TOK, KEY, SECRET, PASS, PASSWORD ...), for which
 * `${NAME}` stays.
 */
int eb_requirement_parse(const char *line, struct eb_requirement *out,
			 struct eb_error *err);
/* What may hold credentials is overwritten first. */
void eb_requirement_release(struct eb_requirement *r);
/* pip takes names and versions alone as constraints: nothing editable, nothing
 * without a name, no extras (EB_INPUT). Options and includes are fine. */
int eb_requirement_as_constraint(const struct eb_requirement *r,
				 struct eb_error *err);
/* "numpy" of "Num_Py" (PEP 503); caller frees. */
char *eb_project_name(const char *name);
/* The line with the credentials of its URLs removed, for messages. */
char *eb_requirement_shown(const char *line);

/* A requirement in the narrow sense, `name[extras]>=1,<2; marker` or
 * `name @ URL ; marker`. */
struct eb_pep508 {
	char *name;		   /* normalised */
	struct eb_strv extras;	   /* normalised, sorted, unique */
	struct eb_strv specifiers; /* the same, e.g. "<2", ">=1.16" */
	char *url;		   /* as given, with credentials; or NULL */
	char *marker;		   /* normal text, or NULL */
};
int eb_pep508_parse(const char *text, struct eb_pep508 *out,
		    struct eb_error *err);
void eb_pep508_release(struct eb_pep508 *r);

#endif
