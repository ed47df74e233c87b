/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errors: one object, filled once, carried up.
 *
 * Every function that can fail takes a `struct eb_error *err` as its last
 * parameter and returns 0 or -1 (look-ups: 1 found, 0 not there, -1 error).
 * On -1 the object is filled; otherwise it is untouched, so calls can be
 * chained. `err` is never NULL. Filling a filled object is a bug (asserted).
 *
 * A message names the object in quotes, says what was being done and ends
 * with the system's words; no full stop, no newline, no "failed to". Advice
 * goes into the hint.
 *
 *	struct eb_error err = EB_ERROR_INIT;
 *	if (eb_read_file(path, max, &buf, &err) < 0)
 *		...
 *	eb_err_release(&err);
 */
#ifndef EB_ERROR_H
#define EB_ERROR_H

#include <stdbool.h>

/* code, exit status, name in JSON */
#define EB_CODES(X)                                                          \
	X(OK, 0, "ok")                                                       \
	X(NO, 1, "no")		     /* a clear no: miss, findings, unsat */ \
	X(USAGE, 2, "usage")	     /* wrong use of the command line */     \
	X(INPUT, 3, "input")	     /* a file, lock, package, name */       \
	X(NETWORK, 4, "network")     /* network or server, after retries */  \
	X(REFUSED, 5, "refused")     /* authentication, policy */            \
	X(INTEGRITY, 6, "integrity") /* bytes are not what they should be */ \
	X(MACHINE, 7, "machine")     /* disk, memory, permission, program */ \
	X(STEP, 8, "step")	     /* an executed step */                  \
	X(INTERRUPTED, 130, "interrupted")                                   \
	X(TERMINATED, 143, "terminated")

enum eb_code {
#define EB_CODE_ENUM(name, status, text) EB_##name = status,
	EB_CODES(EB_CODE_ENUM)
#undef EB_CODE_ENUM
};

struct eb_error {
	enum eb_code code; /* EB_OK while nothing happened */
	char *message;
	char *hint;	       /* what to do about it, or NULL */
	char *file;	       /* where in the input, or NULL */
	unsigned line, column; /* from 1; 0 = unknown */
};

#define EB_ERROR_INIT \
	{             \
		0     \
	}

/* All of these return -1, so that `return eb_err_set(...)` reads well. */
int eb_err_set(struct eb_error *err, enum eb_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Like eb_err_set with ": " and strerror(errnum) appended. `code` EB_OK asks
 * for the code that fits the errno: EB_MACHINE for all but ENOENT, ENOTDIR,
 * ELOOP, EISDIR and EINVAL, which are EB_INPUT. */
int eb_err_errno(struct eb_error *err, enum eb_code code, int errnum,
		 const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* The following add to a filled object; a hint or a place given before is
 * replaced, a prefix goes in front of the message with ": ". */
int eb_err_prefix(struct eb_error *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
int eb_err_hint(struct eb_error *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
int eb_err_at(struct eb_error *err, const char *file, unsigned line,
	      unsigned column);

void eb_err_release(struct eb_error *err); /* back to EB_ERROR_INIT */
void eb_err_move(struct eb_error *to, struct eb_error *from);
bool eb_err_is_set(const struct eb_error *err);
/* "ok", "no", "usage" ... */
const char *eb_code_name(enum eb_code code);

#endif
