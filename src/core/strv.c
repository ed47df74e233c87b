/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of strings. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <envbuild/mem.h>
#include <envbuild/str.h>

void eb_strv_take(struct eb_strv *s, char *text)
{
	if (s->n + 1 >= s->alloc) {
		s->alloc = s->alloc ? s->alloc * 2 : 16;
		s->v = eb_realloc(s->v, s->alloc, sizeof *s->v);
	}
	s->v[s->n++] = text;
	s->v[s->n] = NULL;
}

void eb_strv_add(struct eb_strv *s, const char *text)
{
	eb_strv_take(s, eb_strdup(text));
}

void eb_strv_addf(struct eb_strv *s, const char *fmt, ...)
{
	va_list ap;
	char *text;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0)
		eb_oom();
	eb_strv_take(s, text);
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void eb_strv_sort(struct eb_strv *s)
{
	if (s->n > 1)
		qsort(s->v, s->n, sizeof *s->v, by_bytes);
}

void eb_strv_unique(struct eb_strv *s)
{
	size_t i, kept = 0;

	for (i = 0; i < s->n; i++) {
		if (kept && strcmp(s->v[kept - 1], s->v[i]) == 0)
			free(s->v[i]);
		else
			s->v[kept++] = s->v[i];
	}
	s->n = kept;
	if (s->v)
		s->v[kept] = NULL;
}

bool eb_strv_has(const struct eb_strv *s, const char *text)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (strcmp(s->v[i], text) == 0)
			return true;
	return false;
}

void eb_strv_copy(struct eb_strv *to, const struct eb_strv *from)
{
	size_t i, n = from->n;

	for (i = 0; i < n; i++)
		eb_strv_add(to, from->v[i]);
}

void eb_strv_release(struct eb_strv *s)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		free(s->v[i]);
	free(s->v);
	*s = (struct eb_strv){ 0 };
}

void eb_strv_split(struct eb_strv *s, const char *text, const char *delimiters)
{
	size_t n;

	for (;;) {
		n = strcspn(text, delimiters);
		eb_strv_take(s, eb_strndup(text, n));
		if (!text[n])
			return;
		text += n + 1;
	}
}
