/* SPDX-License-Identifier: Apache-2.0 */
/* The list of what `verify` found. */
#include <stdio.h>

#include <envbuild/mem.h>
#include <envbuild/verify.h>

static void __attribute__((format(printf, 5, 0)))
add(struct eb_findings *f, bool note, const char *check, const char *subject,
    const char *fmt, va_list ap)
{
	struct eb_finding *one;
	char *text;

	if (vasprintf(&text, fmt, ap) < 0)
		eb_oom();
	EB_GROW(f->v, f->n, f->alloc);
	one = &f->v[f->n++];
	one->note = note;
	one->check = check;
	one->subject = eb_strdup(subject);
	one->text = text;
	f->bad += !note;
}

void eb_finding_add(struct eb_findings *f, const char *check,
		    const char *subject, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(f, false, check, subject, fmt, ap);
	va_end(ap);
}

void eb_finding_note(struct eb_findings *f, const char *check,
		     const char *subject, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(f, true, check, subject, fmt, ap);
	va_end(ap);
}

void eb_findings_release(struct eb_findings *f)
{
	for (size_t i = 0; i < f->n; i++) {
		free(f->v[i].subject);
		free(f->v[i].text);
	}
	free(f->v);
}

void eb_verified_release(struct eb_verified *v)
{
	for (size_t i = 0; i < v->n; i++)
		eb_installed_release(&v->project[i]);
	eb_strv_release(&v->site_packages);
	free(v->project);
	free(v->prefix);
	free(v->python);
}
