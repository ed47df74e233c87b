/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What speaks against a row of candidates of one name, group by group. A group
 * is told in one clause, followed to its end: `needs python 3.11 or newer, but
 * "python=3.9" is asked for`.
 */
#include <string.h>

#include <envbuild/mem.h>

#include "solve_explain.h"

#define MAX_DEPTH 5
#define MAX_GROUPS 3

static void say_groups(struct eb_sv_say *say, const struct eb_sv_faults *list,
		       const struct eb_sv_set *set, const char *subject,
		       unsigned depth);

/* `python 3.11 or newer`, or the one text in quotes. */
static void say_wanted(struct eb_sv_say *say, const struct eb_sv_fault *g,
		       const struct eb_sv_set *want)
{
	const struct eb_sv *sv = say->sv;

	if (eb_sv_one_text(sv, g) || !want->n) {
		eb_buf_addf(say->out, "\"%s\"",
			    sv->spec[g->spec[eb_sv_fault_newest(sv, g)]].text);
		if (!eb_sv_one_text(sv, g))
			eb_buf_adds(say->out, " or the like");
		return;
	}
	eb_buf_addf(say->out, "%s ", sv->name[g->target].name);
	eb_sv_say_versions(sv, want, say->out);
}

/* "1.1.*", which people write as "=1.1". */
static bool is_series(const char *version)
{
	size_t n = strspn(version, "0123456789.");

	return n > 1 && version[n - 1] == '.' && !strcmp(version + n, "*");
}

/* As people write them. */
void eb_sv_add_pin(const struct eb_sv *sv, uint32_t spec, struct eb_buf *out)
{
	const struct eb_matchspec *m = sv->spec[spec].m;
	const char *version = eb_matchspec_version(m);
	const char *build = eb_matchspec_build(m);

	eb_buf_addf(out, "\"%s", eb_matchspec_name(m));
	if (build)
		eb_buf_addf(out, " %s %s", version ? version : "*", build);
	else if (version && is_series(version))
		eb_buf_addf(out, "=%.*s", (int)strlen(version) - 2, version);
	else if (version && strchr("<>!=~", *version))
		eb_buf_adds(out, version);
	else if (version)
		eb_buf_addf(out, " %s", version);
	eb_buf_addch(out, '"');
}

static void say_pin(struct eb_sv_say *say, const char *before, uint32_t spec)
{
	say->pin = spec;
	eb_buf_addf(say->out, "%s ", before);
	eb_sv_add_pin(say->sv, spec, say->out);
	eb_buf_adds(say->out, " is pinned");
}

/* What a row ends at, where all of it ends at one line or package. */
static bool say_one_end(struct eb_sv_say *say, const struct eb_sv_fault *g,
			const struct eb_sv_set *want)
{
	if (g->kind == EB_SV_WHY_USER && say->n_told < EB_SV_TOLD)
		say->told[say->n_told++] = g->target;
	if (g->kind == EB_SV_WHY_USER)
		eb_buf_addf(say->out, ", but \"%s\" is asked for",
			    say->sv->spec[g->target].text);
	else if (g->kind == EB_SV_WHY_PIN)
		say_pin(say, ", but", g->target);
	else if (g->kind == EB_SV_WHY_OTHER) {
		eb_buf_adds(say->out, ", but ");
		eb_sv_say_other(say, g->target, want);
	} else {
		return false;
	}
	return true;
}

static void say_wanted_of(struct eb_sv_say *say, const struct eb_sv_fault *g,
			  unsigned depth)
{
	struct eb_sv_set want = eb_sv_wanted(say->sv, g);
	struct eb_sv_faults list = eb_sv_faults_of(say->sv, &want);
	bool split = list.n > 1 && depth < MAX_DEPTH;

	if (split && !eb_sv_one_text(say->sv, g))
		eb_buf_adds(say->out, say->sv->name[g->target].name);
	else
		say_wanted(say, g, &want);
	if (!want.n)
		eb_sv_end_unmatched(say,
				    g->spec[eb_sv_fault_newest(say->sv, g)]);
	else if (split)
		say_groups(say, &list, &want, ", of which", depth + 1);
	else if (!say_one_end(say, &list.v[0], &want) && depth < MAX_DEPTH)
		say_groups(say, &list, &want, ", which", depth + 1);
	eb_sv_faults_release(&list);
	eb_sv_set_release(&want);
}

/* Nothing that it goes together with exists, as `cpuonly <0` means it. */
static bool excludes_all(const struct eb_sv *sv, const struct eb_sv_fault *g)
{
	if (eb_sv_is_virtual_name(sv->name[g->target].name))
		return false;
	for (uint32_t i = 0; i < g->set.n; i++) {
		const struct eb_sv_spec *s = &sv->spec[g->spec[i]];
		const char *version = eb_matchspec_version(s->m);

		if (s->n_match || !version || !eb_starts(version, "<0"))
			return false;
	}
	return true;
}

static void say_excluded(struct eb_sv_say *say, const struct eb_sv_fault *g,
			 bool many)
{
	uint32_t line = eb_sv_user_spec(say->sv, g->target);

	eb_buf_addf(say->out, "%s %s", many ? "exclude" : "excludes",
		    say->sv->name[g->target].name);
	if (line != EB_SV_NONE)
		eb_buf_addf(say->out, ", but \"%s\" is asked for",
			    say->sv->spec[line].text);
}

static void say_group(struct eb_sv_say *say, const struct eb_sv_fault *g,
		      bool many, unsigned depth)
{
	if (g->kind == EB_SV_WHY_USER) {
		eb_buf_addf(say->out, "%s not what \"%s\" asks for",
			    many ? "are" : "is", say->sv->spec[g->target].text);
	} else if (g->kind == EB_SV_WHY_PIN) {
		say_pin(say, many ? "are out, since" : "is out, since",
			g->target);
	} else if (g->kind == EB_SV_WHY_OTHER) {
		eb_buf_adds(say->out,
			    many ? "are out, since " : "is out, since ");
		eb_sv_say_other(say, g->target, &g->set);
	} else if (g->kind == EB_SV_WHY_NEEDS && g->target == EB_SV_NONE &&
		   !say->sv->spec[*g->spec].m) {
		eb_buf_addf(say->out, "%s \"%s\", which cannot be read",
			    many ? "need" : "needs",
			    say->sv->spec[*g->spec].text);
	} else if (g->kind == EB_SV_WHY_NOTHING || g->target == EB_SV_NONE) {
		eb_buf_addf(say->out, "%s with none of the others",
			    many ? "go" : "goes");
	} else if (g->kind == EB_SV_WHY_EXCLUDES && excludes_all(say->sv, g)) {
		say_excluded(say, g, many);
	} else {
		if (g->kind == EB_SV_WHY_NEEDS)
			eb_buf_adds(say->out, many ? "need " : "needs ");
		else
			eb_buf_adds(say->out,
				    many ? "go only with " : "goes only with ");
		say_wanted_of(say, g, depth);
	}
}

static bool many_versions(const struct eb_sv *sv, const struct eb_sv_set *set)
{
	for (uint32_t i = 1; i < set->n; i++)
		if (eb_version_compare(sv->cand[set->cand[i]].version,
				       sv->cand[set->cand[0]].version))
			return true;
	return false;
}

/* The versions of a group, or that it is other builds of those of the last. */
static bool say_part(struct eb_sv_say *say, const struct eb_sv_set *set,
		     char **last)
{
	EB_AUTOBUF(text, EB_MAX_CONFIG);

	eb_sv_say_versions(say->sv, set, &text);
	if (*last && !strcmp(*last, text.data)) {
		eb_buf_adds(say->out, "other builds of it ");
		return true;
	}
	eb_buf_addf(say->out, "%s ", text.data);
	free(*last);
	*last = eb_buf_steal(&text, NULL);
	return many_versions(say->sv, set);
}

/* It ends at a line that was told already with the same name. */
static bool is_repeated(struct eb_sv_say *say, const struct eb_sv_fault *g)
{
	struct eb_sv_set want;
	struct eb_sv_faults list;
	bool repeated = false;

	if ((g->kind != EB_SV_WHY_NEEDS && g->kind != EB_SV_WHY_EXCLUDES) ||
	    g->target == EB_SV_NONE)
		return false;
	want = eb_sv_wanted(say->sv, g);
	list = eb_sv_faults_of(say->sv, &want);
	if (list.n == 1 && list.v[0].kind == EB_SV_WHY_USER)
		for (unsigned i = 0; i < say->n_told && !repeated; i++)
			repeated = say->told[i] == list.v[0].target;
	eb_sv_faults_release(&list);
	eb_sv_set_release(&want);
	return repeated;
}

/* One group has the subject; of more, each is named by its versions. */
static void say_groups(struct eb_sv_say *say, const struct eb_sv_faults *list,
		       const struct eb_sv_set *set, const char *subject,
		       unsigned depth)
{
	uint32_t most = depth > 1 ? 1 : depth ? 2 : MAX_GROUPS;
	eb_autofree char *last = NULL;

	if (list->n == 1) {
		eb_buf_addf(say->out, "%s ", subject);
		say_group(say, &list->v[0], false, depth);
		return;
	}
	if (depth)
		eb_buf_addf(say->out, "%s ", subject);
	for (uint32_t i = 0; i < list->n && i < most; i++) {
		if (i && depth && is_repeated(say, &list->v[i]))
			continue;
		if (i)
			eb_buf_adds(say->out, depth ? ", and " : "; ");
		else if (!depth)
			eb_buf_addf(say->out, "%s ",
				    say->sv->name[set->name].name);
		say_group(say, &list->v[i],
			  say_part(say, &list->v[i].set, &last), depth);
	}
}

void eb_sv_say_reasons(struct eb_sv_say *say, const struct eb_sv_set *set,
		       const char *subject)
{
	struct eb_sv_faults list = eb_sv_faults_of(say->sv, set);

	say_groups(say, &list, set, subject, 0);
	eb_sv_faults_release(&list);
}
