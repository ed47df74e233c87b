/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thing to change. What the machine lacks is an option; what a channel
 * hides, another priority; else the version of one of the lines, where the
 * request as a whole then has a solution: it was solved with it.
 */
#include <string.h>

#include <envbuild/mem.h>

#include "solve_explain.h"

#define MAX_LINES 3 /* of a problem, beyond which none is tried */
#define MAX_ALTERNATIVES 2

/* --- the machine ----------------------------------------------------- */

static void advise_cuda(const struct eb_sv *sv, uint32_t spec,
			struct eb_buf *out)
{
	if (sv->name[sv->spec[spec].name].n)
		eb_buf_addf(out,
			    "--cuda X.Y, with a version that \"%s\" allows",
			    sv->spec[spec].text);
	else
		eb_buf_adds(out, "--gpu, or --cuda X.Y, where the image is for "
				 "machines with a GPU");
}

static bool advise_machine(const struct eb_sv *sv, uint32_t spec,
			   struct eb_buf *out)
{
	const char *name = sv->name[sv->spec[spec].name].name;

	if (!strcmp(name, "__cuda"))
		advise_cuda(sv, spec, out);
	else if (!strcmp(name, "__glibc"))
		eb_buf_addf(out,
			    "--base with an image whose C library \"%s\" "
			    "allows",
			    sv->spec[spec].text);
	else if (!strcmp(name, "__osx") || !strcmp(name, "__win"))
		eb_buf_addf(out,
			    "images are for Linux: leave it out, or write "
			    "\"# [%s]\" behind it",
			    name + 2);
	else if (!strcmp(name, "__archspec"))
		eb_buf_adds(out, "CONDA_OVERRIDE_ARCHSPEC names the processors "
				 "that the image is for");
	else if (!strcmp(name, "__linux"))
		eb_buf_adds(out, "CONDA_OVERRIDE_LINUX names the kernel that "
				 "the image is for");
	return out->len > 0;
}

/* --- channels -------------------------------------------------------- */

static bool advise_priority(const struct eb_sv_asking *a,
			    const struct eb_sv_say *met, struct eb_buf *out)
{
	struct eb_solve_request other = *a->q;
	const char *name = met->sv->name[met->hidden].name;
	struct eb_sv_cand found;

	other.priority = EB_PRIORITY_FLEXIBLE;
	other.unsolved = NULL;
	if (a->q->priority != EB_PRIORITY_STRICT ||
	    !eb_sv_solves(&other, a->with, name, &found))
		return false;
	eb_buf_addf(out,
		    "--channel-priority flexible lets \"%s\" give \"%s\" too",
		    eb_sv_channel_name(met->sv, met->other), name);
	return true;
}

/* --- leaving out ----------------------------------------------------- */

static bool goes_without(const struct eb_sv_asking *a, size_t line)
{
	size_t n = a->q->n_specs;
	eb_autofree bool *less = eb_malloc((n + 1) * sizeof *less);
	EB_CLEANUP(eb_sv_free_ptr) struct eb_sv *sv = NULL;

	if (eb_now_ns() > a->until)
		return false;
	memcpy(less, a->with, n * sizeof *less);
	less[line] = false;
	sv = eb_sv_fails(a->q, less, a->until);
	return !sv;
}

static void advise_less(const struct eb_sv_asking *a, struct eb_buf *out)
{
	const struct eb_solve_request *q = a->q;
	eb_autofree size_t *order = eb_calloc(q->n_specs + 1, sizeof *order);
	unsigned told = 0;

	eb_sv_line_order(q, order);
	for (size_t i = 0; i < q->n_specs && told < MAX_ALTERNATIVES; i++)
		if (a->use[order[i]] && goes_without(a, order[i]))
			eb_buf_addf(out, "%s\"%s\"",
				    told++ ? ", or without "
					   : "it goes without ",
				    eb_sv_line_text(q, order[i]));
}

/* --- all ------------------------------------------------------------- */

static size_t count_lines(const struct eb_sv_asking *a, bool *same_name)
{
	const char *first = NULL;
	size_t n = 0;

	*same_name = true;
	for (size_t i = 0; i < a->q->n_specs; i++) {
		const char *name = eb_matchspec_name(a->q->spec[i]);

		if (!a->use[i])
			continue;
		n++;
		*same_name &= name && (!first || !strcmp(first, name));
		first = name;
	}
	return n;
}

static void advise_pin(const struct eb_sv_say *met, struct eb_buf *out)
{
	eb_buf_adds(out, "leave the pin ");
	eb_sv_add_pin(met->sv, met->pin, out);
	eb_buf_adds(out, " out, or change it");
}

bool eb_sv_advise(const struct eb_sv_asking *a, const struct eb_sv_say *met,
		  struct eb_buf *out)
{
	bool same_name;
	size_t n = count_lines(a, &same_name);

	if (met->machine != EB_SV_NONE &&
	    advise_machine(met->sv, met->machine, out))
		return false;
	if (met->pin != EB_SV_NONE) {
		advise_pin(met, out);
		return false;
	}
	if (met->hidden != EB_SV_NONE && advise_priority(a, met, out))
		return true;
	if (n > 1 && same_name) {
		eb_buf_adds(out, "keep one of the lines");
		return false;
	}
	if (n <= MAX_LINES)
		eb_sv_advise_lines(a, met->sv, out);
	if (out->len)
		return true;
	if (met->absent)
		eb_buf_addf(out, "add the channel that has \"%s\"",
			    met->absent);
	else if (n == 1)
		eb_sv_advise_cpu(a, out);
	return false;
}

/* Where nothing else helps. */
void eb_sv_advise_less(const struct eb_sv_asking *a, struct eb_buf *out)
{
	bool same_name;

	if (count_lines(a, &same_name) > 1)
		advise_less(a, out);
}
