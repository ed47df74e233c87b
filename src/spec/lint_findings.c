/* SPDX-License-Identifier: Apache-2.0 */
/* A list of findings. */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <envbuild/lint.h>

struct eb_lint_found *eb_lint_add(struct eb_lint_list *f, const char *rule,
				  const char *file, unsigned line,
				  unsigned column, const char *fix,
				  const char *fmt, ...)
{
	struct eb_lint_found *one;
	va_list ap;

	EB_GROW(f->v, f->n, f->alloc);
	one = &f->v[f->n++];
	*one = (struct eb_lint_found){ .rule = eb_rule_find(rule),
				       .file = eb_strdup(file),
				       .line = line,
				       .column = column,
				       .fix = eb_strdup(fix) };
	assert(one->rule);
	one->level = one->rule->level;
	va_start(ap, fmt);
	if (vasprintf(&one->what, fmt, ap) < 0)
		eb_oom();
	va_end(ap);
	return one;
}

void eb_lint_lower(struct eb_lint_found *found, enum eb_level level)
{
	if (level < found->level)
		found->level = level;
}

static void release(struct eb_lint_found *f)
{
	free(f->file);
	free(f->what);
	free(f->fix);
	free(f->edit.old);
	free(f->edit.text);
}

void eb_lint_release(struct eb_lint_list *f)
{
	for (size_t i = 0; i < f->n; i++)
		release(&f->v[i]);
	free(f->v);
	*f = (struct eb_lint_list){ 0 };
}

static int compare(const void *a, const void *b)
{
	const struct eb_lint_found *x = a, *y = b;
	int c = strcmp(x->file, y->file);

	if (!c)
		c = (x->line > y->line) - (x->line < y->line);
	if (!c)
		c = (x->column > y->column) - (x->column < y->column);
	if (!c)
		c = strcmp(x->rule->name, y->rule->name);
	return c ? c : strcmp(x->what, y->what);
}

void eb_lint_sort(struct eb_lint_list *f)
{
	size_t n = 0;

	if (f->n)
		qsort(f->v, f->n, sizeof *f->v, compare);
	for (size_t i = 0; i < f->n; i++) {
		if (n && !compare(&f->v[n - 1], &f->v[i]))
			release(&f->v[i]);
		else
			f->v[n++] = f->v[i];
	}
	f->n = n;
}

bool eb_lint_fails(const struct eb_lint_list *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->v[i].level == EB_LEVEL_ERROR)
			return true;
	return false;
}
