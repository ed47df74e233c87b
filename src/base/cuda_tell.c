/* SPDX-License-Identifier: Apache-2.0 */
/* A decision as a person would tell it: what comes out, who forced it, who
 * brings the libraries, what was not taken, what a host needs, what would
 * change it. */
#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#include <envbuild/mem.h>
#include <envbuild/str.h>

#include "cuda_int.h"

#define WIDTH 78

/* ---- paragraphs -----------------------------------------------------------*/

/* Words up to the width; further lines stand under the first word. */
static void wrapped(struct eb_buf *out, const char *lead, const char *text)
{
	size_t indent = strlen(lead), at = indent;

	eb_buf_adds(out, lead);
	while (*(text += strspn(text, " "))) {
		size_t n = strcspn(text, " ");

		if (at > indent && at + 1 + n > WIDTH) {
			eb_buf_addf(out, "\n%*s", (int)indent, "");
			at = indent;
		} else if (at > indent) {
			eb_buf_addch(out, ' ');
			at++;
		}
		eb_buf_add(out, text, n);
		at += n;
		text += n;
	}
	eb_buf_addch(out, '\n');
}

static void heading(struct eb_buf *out, const char *text)
{
	eb_buf_addf(out, "\n%s\n", text);
}

__attribute__((format(printf, 2, 3))) static void item(struct eb_buf *out,
						       const char *fmt, ...)
{
	EB_AUTOBUF(text, EB_MAX_TEXT);
	va_list ap;

	va_start(ap, fmt);
	eb_buf_vaddf(&text, fmt, ap);
	va_end(ap);
	wrapped(out, "  - ", text.data);
}

static void list(struct eb_buf *out, const char *title, const struct eb_strv *v)
{
	if (!v->n)
		return;
	heading(out, title);
	for (size_t i = 0; i < v->n; i++)
		wrapped(out, "  - ", v->v[i]);
}

/* A clause as a sentence; caller frees. */
static char *sentence(const char *clause)
{
	char *s = eb_asprintf("%s.", clause);

	*s = (char)toupper((unsigned char)*s);
	return s;
}

static char *words(const struct eb_strv *v)
{
	EB_AUTOBUF(out, EB_MAX_TEXT);

	for (size_t i = 0; i < v->n; i++)
		eb_buf_addf(&out, "%s%s",
			    !i		    ? ""
			    : i + 1 == v->n ? " and "
					    : ", ",
			    v->v[i]);
	return eb_buf_steal(&out, NULL);
}

/* ---- the parts ------------------------------------------------------------*/

static void tell_refusal(const struct eb_decision *d, struct eb_buf *out)
{
	eb_autofree char *reason = sentence(d->reason);
	eb_autofree char *advice = d->advice ? sentence(d->advice) : NULL;

	wrapped(out, "", "This environment is refused.");
	wrapped(out, "", reason);
	if (advice)
		wrapped(out, "", advice);
}

static void tell_image(const struct eb_decision *d, struct eb_buf *out)
{
	char digest[EB_DIGEST_TEXT];
	eb_autofree char *line = NULL;
	const char *whose = d->image_given ? ", which is the one that was "
					     "asked for"
					   : "";

	if (!d->image)
		return;
	if (d->os)
		line = eb_asprintf("The base image is %s (%s, glibc %s)%s.",
				   d->image, d->os,
				   d->glibc ? d->glibc : "not known", whose);
	else
		line = eb_asprintf("The base image is %s%s.", d->image, whose);
	wrapped(out, "", line);
	if (d->has_digest) {
		eb_autofree char *pin =
			eb_asprintf("Its digest is %s.",
				    eb_digest_text(&d->digest, digest));

		wrapped(out, "", pin);
	} else if (!d->image_given) {
		wrapped(out, "",
			"Its digest is not in the tables: the registry has to "
			"be asked.");
	}
}

static void tell_gpu(const struct eb_decision *d, struct eb_buf *out)
{
	eb_autofree char *line = NULL;

	if (!d->gpu)
		line = eb_strdup("The environment runs on the CPU.");
	else if (!d->cuda)
		line = eb_strdup("The environment can use a GPU, with a CUDA "
				 "that nobody names.");
	else if (d->cudnn)
		line = eb_asprintf("The environment runs on CUDA %s with cuDNN "
				   "%s.",
				   d->cuda, d->cudnn);
	else
		line = eb_asprintf("The environment runs on CUDA %s.", d->cuda);
	wrapped(out, "", line);
	if (d->because)
		wrapped(out, "", d->because);
}

static void tell_from(const struct eb_decision *d, struct eb_buf *out)
{
	wrapped(out, "",
		d->solved ? "This was decided from the packages that were "
			    "chosen."
			  : "This was decided from the lines of the file "
			    "alone; nothing was solved.");
}

static void tell_forced(const struct eb_decision *d, struct eb_buf *out)
{
	if (!d->n_forced)
		return;
	heading(out, "What was said about CUDA:");
	for (size_t i = 0; i < d->n_forced; i++) {
		const struct eb_forced *f = &d->forced[i];
		eb_autofree char *why = sentence(f->why);

		if (f->file && f->line)
			item(out, "%s:%u:%u: %s", f->file, f->line, f->column,
			     why);
		else if (f->file && eb_starts(f->file, "--")) /* an option */
			item(out, "%s: %s", f->file, why);
		else
			item(out, "%s", why);
	}
}

/* Rows with one reason are told together. */
static void tell_rows(const struct eb_decision *d, struct eb_buf *out)
{
	if (!d->n_rows)
		return;
	heading(out, "What was not taken:");
	for (size_t i = 0; i < d->n_rows; i++) {
		EB_AUTOBUF(names, EB_MAX_TEXT);
		bool told = false;

		for (size_t k = 0; k < i && !told; k++)
			told = strcmp(d->row[k].why, d->row[i].why) == 0;
		for (size_t k = i; k < d->n_rows && !told; k++)
			if (strcmp(d->row[k].why, d->row[i].why) == 0)
				eb_buf_addf(&names, "%s%s",
					    names.len ? ", " : "",
					    d->row[k].row);
		if (!told)
			item(out, "%s: %s.", names.data, d->row[i].why);
	}
}

static void tell_host(const struct eb_decision *d, struct eb_buf *out)
{
	eb_autofree char *arch = words(&d->gpu_arch);

	if (!d->gpu || !d->cuda)
		return;
	heading(out, "What a host needs:");
	if (d->driver_floor)
		item(out, "Its driver is %s or newer.", d->driver_floor);
	else
		item(out, "Which driver CUDA %s needs is not known.", d->cuda);
	if (d->toolkit_driver &&
	    (!d->driver_floor ||
	     eb_cuda_compare(d->toolkit_driver, d->driver_floor) > 0))
		item(out,
		     "Driver %s is the toolkit's own: from there on nothing is "
		     "missing.",
		     d->toolkit_driver);
	if (d->gpu_arch.n)
		item(out, "Its GPU is one that the kernels are made for: %s.",
		     arch);
}

static const char *need(const char *what)
{
	static const struct {
		const char *what, *text;
	} all[] = {
		{ "framework-first", "a framework that is there first" },
		{ "compiler", "a compiler" },
		{ "InfiniBand", "libraries for InfiniBand" },
	};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (strcmp(all[i].what, what) == 0)
			return all[i].text;
	return what;
}

static void tell_condition(const struct eb_condition *c, struct eb_buf *out)
{
	const char *when = c->at_build ? " while it is built" : "";
	const char *what = need(c->what);
	bool first = strcmp(c->what, "framework-first") == 0;

	if (c->by)
		item(out, "%s needs %s%s, which %s %s.", c->package, what, when,
		     first ? "is" : c->by, first ? c->by : "has");
	else
		item(out, "%s needs %s%s, which nothing brings: %s.",
		     c->package, what, when,
		     c->advice ? c->advice : "no advice is known");
}

static void tell_conditions(const struct eb_decision *d, struct eb_buf *out)
{
	if (!d->n_conditions)
		return;
	heading(out, "What distributed training needs:");
	for (size_t i = 0; i < d->n_conditions; i++)
		tell_condition(&d->condition[i], out);
	if (d->build_image)
		item(out, "For what is compiled: --build-base %s.",
		     d->build_image);
}

static void tell_change(const struct eb_decision *d, struct eb_buf *out)
{
	if (!d->n_alternatives)
		return;
	heading(out, "What would change with another driver or other GPUs:");
	for (size_t i = 0; i < d->n_alternatives; i++)
		item(out, "%s.", d->alternative[i].why);
}

void eb_decision_tell(const struct eb_decision *d, struct eb_buf *out)
{
	if (d->refused) {
		tell_refusal(d, out);
	} else {
		tell_gpu(d, out);
		tell_image(d, out);
	}
	tell_from(d, out);
	tell_forced(d, out);
	list(out, "Who brings the libraries:", &d->libraries);
	tell_rows(d, out);
	if (!d->refused) {
		tell_host(d, out);
		tell_conditions(d, out);
		tell_change(d, out);
		list(out, "Variables of the image:", &d->variable);
	}
	list(out, "What was taken for granted:", &d->assumption);
	list(out, "Warnings:", &d->warning);
}
