/* SPDX-License-Identifier: Apache-2.0 */
/* Error objects: filling, adding to, handing on. */
#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <envbuild/error.h>
#include <envbuild/mem.h>

__attribute__((format(printf, 1, 0))) static char *format(const char *fmt,
							  va_list ap)
{
	char *text;

	if (vasprintf(&text, fmt, ap) < 0)
		eb_oom();
	return text;
}

static void fill(struct eb_error *err, enum eb_code code, char *message)
{
	assert(err->code == EB_OK);
	assert(code != EB_OK);
	err->code = code;
	err->message = message;
}

int eb_err_set(struct eb_error *err, enum eb_code code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fill(err, code, format(fmt, ap));
	va_end(ap);
	return -1;
}

static enum eb_code code_of_errno(int errnum)
{
	switch (errnum) {
	case ENOENT:
	case ENOTDIR:
	case ELOOP:
	case EISDIR:
	case EINVAL: return EB_INPUT;
	default: return EB_MACHINE;
	}
}

int eb_err_errno(struct eb_error *err, enum eb_code code, int errnum,
		 const char *fmt, ...)
{
	char buffer[128];
	eb_autofree char *text = NULL;
	va_list ap;

	if (code == EB_OK)
		code = code_of_errno(errnum);
	va_start(ap, fmt);
	text = format(fmt, ap);
	va_end(ap);
	return eb_err_set(err, code, "%s: %s", text,
			  strerror_r(errnum, buffer, sizeof buffer));
}

int eb_err_prefix(struct eb_error *err, const char *fmt, ...)
{
	eb_autofree char *prefix = NULL;
	char *joined;
	va_list ap;

	assert(err->code != EB_OK);
	va_start(ap, fmt);
	prefix = format(fmt, ap);
	va_end(ap);
	joined = eb_asprintf("%s: %s", prefix, err->message);
	free(err->message);
	err->message = joined;
	return -1;
}

int eb_err_hint(struct eb_error *err, const char *fmt, ...)
{
	char *hint;
	va_list ap;

	assert(err->code != EB_OK);
	va_start(ap, fmt);
	hint = format(fmt, ap);
	va_end(ap);
	free(err->hint);
	err->hint = hint;
	return -1;
}

int eb_err_at(struct eb_error *err, const char *file, unsigned line,
	      unsigned column)
{
	char *copy = eb_strdup(file);

	assert(err->code != EB_OK);
	free(err->file);
	err->file = copy;
	err->line = line;
	err->column = column;
	return -1;
}

void eb_err_release(struct eb_error *err)
{
	free(err->message);
	free(err->hint);
	free(err->file);
	*err = (struct eb_error)EB_ERROR_INIT;
}

void eb_err_move(struct eb_error *to, struct eb_error *from)
{
	assert(to->code == EB_OK);
	*to = *from;
	*from = (struct eb_error)EB_ERROR_INIT;
}

bool eb_err_is_set(const struct eb_error *err)
{
	return err->code != EB_OK;
}

const char *eb_code_name(enum eb_code code)
{
	switch (code) {
#define EB_CODE_CASE(name, status, text) \
	case EB_##name: return text;
		EB_CODES(EB_CODE_CASE)
#undef EB_CODE_CASE
	}
	return "unknown";
}
