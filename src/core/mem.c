/* SPDX-License-Identifier: Apache-2.0 */
/* Allocation that does not return NULL. */
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/error.h>
#include <envbuild/mem.h>

/* _exit: handlers of exit() may want memory, or a lock that we hold. */
void eb_oom(void)
{
	static const char text[] = "envbuild: out of memory\n";
	ssize_t n = write(STDERR_FILENO, text, sizeof text - 1);

	(void)n;
	_exit(EB_MACHINE);
}

static void *need(void *p)
{
	if (!p)
		eb_oom();
	return p;
}

void *eb_malloc(size_t size)
{
	return need(malloc(size ? size : 1));
}

void *eb_calloc(size_t n, size_t size)
{
	return need(n && size ? calloc(n, size) : calloc(1, 1));
}

void *eb_realloc(void *p, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes))
		eb_oom();
	return need(realloc(p, bytes ? bytes : 1));
}

char *eb_strdup(const char *s)
{
	return s ? need(strdup(s)) : NULL;
}

/* The text need not end: nothing behind its n bytes is looked at. */
char *eb_strndup(const char *s, size_t n)
{
	size_t len = strnlen(s, n);
	char *copy = eb_malloc(len + 1);

	memcpy(copy, s, len);
	copy[len] = '\0';
	return copy;
}

void *eb_memdup(const void *p, size_t n)
{
	void *copy = eb_malloc(n);

	if (n)
		memcpy(copy, p, n);
	return copy;
}

char *eb_asprintf(const char *fmt, ...)
{
	va_list ap;
	char *text;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0)
		eb_oom();
	return text;
}

void eb_cleanup_fd(int *fd)
{
	int saved = errno;

	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	errno = saved;
}
