/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Advice to write a line in another way: with another version, without its
 * channel or build. The request was solved with each that is told.
 */
#include <string.h>

#include <envbuild/mem.h>

#include "solve_explain.h"

#define MAX_ALTERNATIVES 2

/* --- a request with something else in it ----------------------------- */

bool eb_sv_solves(const struct eb_solve_request *q, const bool *with,
		  const char *name, struct eb_sv_cand *found)
{
	EB_CLEANUP(eb_sv_free_ptr) struct eb_sv *sv = eb_sv_new(q, with, NULL);
	struct eb_error err = EB_ERROR_INIT;
	int rc = eb_sv_run(sv, &err);

	eb_err_release(&err);
	for (uint32_t i = 0; rc > 0 && i < sv->n_chosen; i++) {
		*found = sv->cand[sv->chosen[i]];
		if (!strcmp(sv->name[found->name].name, name))
			return true;
	}
	return false;
}

/* Likewise with this instead of one of the lines. */
static bool solves_as(const struct eb_sv_asking *a, size_t line,
		      const char *text, struct eb_sv_cand *found)
{
	const struct eb_solve_request *q = a->q;
	eb_autofree const struct eb_matchspec **spec =
		eb_calloc(q->n_specs + 1, sizeof *spec);
	struct eb_error err = EB_ERROR_INIT;
	EB_CLEANUP(eb_matchspec_free_ptr)
	struct eb_matchspec *m = eb_matchspec_parse(text, EB_LENIENT, &err);
	struct eb_solve_request other = *q;

	eb_err_release(&err);
	if (!m)
		return false;
	for (size_t i = 0; i < q->n_specs; i++)
		spec[i] = i == line ? m : q->spec[i];
	other.spec = spec;
	other.line = NULL;
	other.unsolved = NULL;
	return eb_now_ns() < a->until &&
	       eb_sv_solves(&other, a->with, eb_matchspec_name(m), found);
}

/* --- another version ------------------------------------------------- */

/* As many numbers as the line has, at least two. */
static size_t cut(const char *version, const char *like)
{
	unsigned numbers = 1, n = 0;
	size_t i = 0;

	for (; like && *like; like++)
		numbers += *like == '.' && like[1] != '*';
	numbers = numbers < 2 ? 2 : numbers;
	for (; version[i]; i++)
		if (version[i] == '.' && ++n == numbers)
			break;
	return i;
}

/* The line with another version; "" for any. Build and channel stay. */
static char *line_with(const struct eb_matchspec *m, const char *version)
{
	const char *channel = eb_matchspec_channel(m);
	const char *build = eb_matchspec_build(m);
	EB_AUTOBUF(out, EB_MAX_CONFIG);

	if (channel)
		eb_buf_addf(&out, "%s::", channel);
	eb_buf_adds(&out, eb_matchspec_name(m));
	if (*version)
		eb_buf_addf(&out, "=%s%s", version, build ? ".*" : "");
	else if (build)
		eb_buf_adds(&out, "=*");
	if (build)
		eb_buf_addf(&out, "=%s", build);
	return eb_buf_steal(&out, NULL);
}

static bool has_cuda(const struct eb_solve_request *q)
{
	for (size_t i = 0; i < q->n_virtuals; i++)
		if (!strcmp(q->virtuals[i].name, "__cuda"))
			return true;
	return false;
}

/* A build for the CPU is no advice to who has a GPU, or had another. */
static bool is_cpu_instead(const struct eb_solve_request *q,
			   const struct eb_sv *sv, const char *name,
			   const struct eb_sv_cand *found)
{
	if (!strstr(found->r->build, "cpu"))
		return false;
	if (has_cuda(q))
		return true;
	for (uint32_t i = 0; i < sv->n_cands; i++)
		if (!strcmp(sv->name[sv->cand[i].name].name, name) &&
		    sv->cand[i].dead != EB_SV_USER &&
		    !strstr(sv->cand[i].r->build, "cpu"))
			return true;
	return false;
}

/* The version that the line would have to name, NULL: none. Caller frees. */
static char *other_version(const struct eb_sv_asking *a, const struct eb_sv *sv,
			   size_t line, const char *version)
{
	const struct eb_matchspec *m = a->q->spec[line];
	eb_autofree char *text = line_with(m, version);
	eb_autofree char *number = NULL;
	struct eb_sv_cand found;

	if (!solves_as(a, line, text, &found) ||
	    is_cpu_instead(a->q, sv, eb_matchspec_name(m), &found))
		return NULL;
	number = eb_strndup(found.r->version,
			    cut(found.r->version,
				*version ? eb_matchspec_version(m) : NULL));
	return line_with(m, number);
}

static bool wants_gpu(const struct eb_matchspec *m)
{
	const char *build = eb_matchspec_build(m);

	return build && (strstr(build, "cuda") || strstr(build, "gpu"));
}

/* Name and version. Caller frees. */
static char *bare_line(const struct eb_matchspec *m)
{
	const char *version = eb_matchspec_version(m);
	const char *op = version && strchr("0123456789", *version) ? "=" : "";
	char *text = eb_asprintf("%s%s%s", eb_matchspec_name(m), op,
				 version ? version : "");

	if (*op && eb_ends(text, ".*"))
		text[strlen(text) - 2] = 0;
	return text;
}

/* The line without its channel and build; NULL: that does not help. Caller
 * frees. */
static char *looser(const struct eb_sv_asking *a, const struct eb_sv *sv,
		    size_t line)
{
	const struct eb_matchspec *m = a->q->spec[line];
	eb_autofree char *text = NULL;
	struct eb_sv_cand found;

	if (wants_gpu(m))
		return NULL;
	text = bare_line(m);
	if (!solves_as(a, line, text, &found) ||
	    is_cpu_instead(a->q, sv, eb_matchspec_name(m), &found))
		return NULL;
	return eb_steal(text);
}

/* Lines that may give way: a package by name, nothing of the machine. */
static bool may_change(const struct eb_matchspec *m)
{
	return eb_matchspec_name(m) && !eb_matchspec_is_bare(m) &&
	       !eb_matchspec_url(m) &&
	       !eb_sv_is_virtual_name(eb_matchspec_name(m));
}

/* The release series of a version with three numbers: "3.6". Caller frees. */
static char *series_of(const struct eb_matchspec *m)
{
	const char *version = eb_matchspec_version(m);
	size_t n = strspn(version, "0123456789.");
	const char *second = strchr(version, '.');

	second = second ? strchr(second + 1, '.') : NULL;
	if (!second || version[n] || second[1] == '*')
		return NULL;
	return eb_strndup(version, (size_t)(second - version));
}

/* A line that would do instead: near to it, then any version, then without its
 * channel or build. Caller frees. */
static char *other_line(const struct eb_sv_asking *a, const struct eb_sv *sv,
			size_t line)
{
	const struct eb_matchspec *m = a->q->spec[line];
	eb_autofree char *series =
		eb_matchspec_version(m) ? series_of(m) : NULL;
	char *text = NULL;

	if (series)
		text = other_version(a, sv, line, series);
	if (!text && eb_matchspec_version(m))
		text = other_version(a, sv, line, "");
	if (!text && (eb_matchspec_build(m) || eb_matchspec_channel(m)))
		text = looser(a, sv, line);
	return text;
}

void eb_sv_advise_lines(const struct eb_sv_asking *a, const struct eb_sv *sv,
			struct eb_buf *out)
{
	const struct eb_solve_request *q = a->q;
	eb_autofree size_t *order = eb_calloc(q->n_specs + 1, sizeof *order);
	unsigned told = 0;

	eb_sv_line_order(q, order);
	for (size_t i = 0; i < q->n_specs && told < MAX_ALTERNATIVES; i++) {
		eb_autofree char *text = NULL;

		if (!a->use[order[i]] || !may_change(q->spec[order[i]]))
			continue;
		text = other_line(a, sv, order[i]);
		if (text)
			eb_buf_addf(out, "%s\"%s\" instead of \"%s\"",
				    told++ ? ", or with " : "it goes with ",
				    text, eb_sv_line_text(q, order[i]));
	}
}

void eb_sv_advise_cpu(const struct eb_sv_asking *a, struct eb_buf *out)
{
	for (size_t i = 0; i < a->q->n_specs && !out->len; i++) {
		const struct eb_matchspec *m = a->q->spec[i];
		eb_autofree char *text = NULL;
		struct eb_sv_cand found;

		if (!a->use[i] || !may_change(m) || !wants_gpu(m))
			continue;
		text = bare_line(m);
		if (solves_as(a, i, text, &found) &&
		    strstr(found.r->build, "cpu"))
			eb_buf_addf(out,
				    "\"%s\" has a solution, with a build for "
				    "the CPU only",
				    text);
	}
}
