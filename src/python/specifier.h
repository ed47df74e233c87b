/* SPDX-License-Identifier: Apache-2.0 */
/* One version specifier, as reading and matching see it. */
#ifndef EB_SPECIFIER_H
#define EB_SPECIFIER_H

#include "pep440_key.h"

enum eb_specifier_op {
	EB_OP_ARBITRARY,  /* === */
	EB_OP_EQUAL,	  /* == */
	EB_OP_COMPATIBLE, /* ~= */
	EB_OP_UNEQUAL,	  /* != */
	EB_OP_AT_MOST,	  /* <= */
	EB_OP_AT_LEAST,	  /* >= */
	EB_OP_BELOW,	  /* < */
	EB_OP_ABOVE,	  /* > */
};

struct eb_specifier {
	enum eb_specifier_op op;
	char *given;		  /* the version as it is written */
	bool wild;		  /* it ends with ".*" */
	struct eb_pep440 version; /* not of === */
	struct eb_pep440_key key; /* the same, to compare */
};

struct eb_specifiers {
	struct eb_specifier *v;
	size_t n, alloc;
};

/* The operator that a text begins with; its length, 0 when there is none. */
size_t eb_specifier_op(const char *p, enum eb_specifier_op *op);
/* A whole text of one, `>= 1`, blanks around it left out. */
int eb_specifier_read(const char *text, struct eb_specifier *out,
		      struct eb_error *err);
void eb_specifier_release(struct eb_specifier *s);
/* A whole text, `>=1, <2`; empty pieces count for nothing. */
int eb_specifiers_read(const char *text, struct eb_specifiers *out,
		       struct eb_error *err);
void eb_specifiers_release(struct eb_specifiers *s);

/* Does one version match? `v` is NULL when `text` is no version. */
bool eb_specifier_matches(const struct eb_specifier *s, const char *text,
			  const struct eb_pep440_key *v);

#endif
