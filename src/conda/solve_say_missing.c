/* SPDX-License-Identifier: Apache-2.0 */
/* Lines that nothing matches: no such name, version or build; and
 * what would match. */
#include <string.h>

#include <envbuild/mem.h>

#include "solve_explain.h"

/* --- no such name ---------------------------------------------------- */

/* "a", "b" or "c" */
static void say_list(const struct eb_strv *list, struct eb_buf *out)
{
	for (size_t i = 0; i < list->n; i++)
		eb_buf_addf(out, "%s\"%s\"",
			    !i		      ? ""
			    : i + 1 < list->n ? ", "
					      : " and ",
			    list->v[i]);
}

/* A comment behind a line keeps it to a platform. */
static void advise_platform(const struct eb_strv *subdir, struct eb_buf *out)
{
	bool osx = true, win = true;

	for (size_t i = 0; i < subdir->n; i++) {
		osx &= eb_starts(subdir->v[i], "osx-");
		win &= eb_starts(subdir->v[i], "win-");
	}
	eb_buf_adds(out, "leave it out");
	if (osx || win)
		eb_buf_addf(out, ", or write \"# [%s]\" behind it",
			    osx ? "osx" : "win");
}

static bool say_platforms(struct eb_sv_say *say, const char *name)
{
	const struct eb_solve_request *q = say->sv->q;
	struct eb_strv list = { 0 };
	bool any;

	if (q->elsewhere)
		q->elsewhere(q->elsewhere_data, name, &list);
	any = list.n > 0;
	if (any) {
		eb_buf_adds(say->out,
			    "no channel has it for this platform, only for ");
		say_list(&list, say->out);
		advise_platform(&list, say->advice);
	}
	eb_strv_release(&list);
	return any;
}

static void say_virtual(struct eb_sv_say *say, uint32_t spec)
{
	say->machine = spec;
	eb_buf_adds(say->out, "the machine that the image is for has none");
}

static void say_no_name(struct eb_sv_say *say, uint32_t spec)
{
	const char *name = say->sv->name[say->sv->spec[spec].name].name;
	const char *why = eb_repodata_malformed(say->sv->rd, name);
	EB_AUTOBUF(near, EB_MAX_CONFIG);

	if (why) {
		eb_buf_addf(say->out, "its records are malformed: %s", why);
		return;
	}
	if (eb_sv_is_virtual_name(name)) {
		say_virtual(say, spec);
		return;
	}
	if (say_platforms(say, name))
		return;
	eb_buf_adds(say->out, "no channel has a package of that name");
	eb_repodata_near(say->sv->rd, name, &near);
	if (near.len) {
		eb_buf_addf(say->out, " (near: %s)", near.data);
		eb_buf_addf(say->advice, "write %s if that is what is meant",
			    near.data);
	} else if (*name == '_') {
		eb_buf_adds(say->advice,
			    "correct the name, or leave the line out");
	} else {
		eb_buf_addf(say->advice,
			    "if \"%s\" is a project of a Python index, its "
			    "place is the pip section",
			    name);
	}
}

/* --- versions and builds --------------------------------------------- */

static struct eb_verspec *version_part(const struct eb_matchspec *m)
{
	const char *text = eb_matchspec_version(m);
	struct eb_error err = EB_ERROR_INIT;
	struct eb_verspec *v = NULL;

	if (text)
		v = eb_verspec_parse(text, EB_LENIENT, &err);
	eb_err_release(&err);
	return v;
}

/* Is there a build of a version that would do? */
static bool has_version(const struct eb_sv *sv, const struct eb_sv_name *name,
			const struct eb_matchspec *m)
{
	EB_CLEANUP(eb_verspec_free_ptr)
	struct eb_verspec *want = version_part(m);

	for (uint32_t i = 0; i < name->n; i++)
		if (!want ||
		    eb_verspec_match(want, sv->cand[name->first + i].version))
			return true;
	return false;
}

/* Those of the name whose build would do. */
static struct eb_sv_set of_build(const struct eb_sv *sv, uint32_t name,
				 const struct eb_matchspec *m)
{
	const struct eb_sv_name *self = &sv->name[name];
	struct eb_sv_set set = { .name = name };
	eb_autofree char *text = eb_asprintf("%s[build='%s']", self->name,
					     eb_matchspec_build(m));
	struct eb_error err = EB_ERROR_INIT;
	EB_CLEANUP(eb_matchspec_free_ptr)
	struct eb_matchspec *any = eb_matchspec_parse(text, EB_LENIENT, &err);

	eb_err_release(&err);
	set.cand = eb_calloc(self->n + 1, sizeof *set.cand);
	for (uint32_t i = self->first; any && i < self->first + self->n; i++)
		if (eb_matchspec_match(any, sv->cand[i].r, sv->cand[i].version))
			set.cand[set.n++] = i;
	return set;
}

static void say_builds(struct eb_sv_say *say, uint32_t name,
		       const struct eb_matchspec *m)
{
	struct eb_sv_set other = of_build(say->sv, name, m);

	EB_AUTOBUF(near, EB_MAX_CONFIG);
	size_t n = eb_sv_near_builds(say->sv, name, m, &near);

	eb_buf_addf(say->out, "%sno such build; there %s %s",
		    eb_matchspec_version(m) ? "the version is there, but " : "",
		    n == 1 ? "is" : "are", near.data);
	if (other.n) {
		eb_buf_adds(say->out, "; such builds exist for ");
		eb_sv_say_versions(say->sv, &other, say->out);
	}
	eb_sv_set_release(&other);
}

/* `a=2.5=cuda*` is 2.5, not 2.5.1: would that have been meant? */
static bool is_exact_by_build(const struct eb_sv *sv, uint32_t name,
			      const struct eb_matchspec *m)
{
	const struct eb_sv_name *n = &sv->name[name];
	const char *version = eb_matchspec_version(m);
	size_t len;

	version += strspn(version, "=");
	len = strlen(version);
	if (!eb_matchspec_build(m) || strspn(version, "0123456789.") < len)
		return false;
	for (uint32_t i = n->first; i < n->first + n->n; i++)
		if (eb_starts(sv->cand[i].r->version, version) &&
		    sv->cand[i].r->version[len] == '.')
			return true;
	return false;
}

static void say_versions(struct eb_sv_say *say, uint32_t name,
			 const struct eb_matchspec *m)
{
	if (eb_matchspec_version(m)) {
		EB_AUTOBUF(near, EB_MAX_CONFIG);
		size_t n = eb_sv_near_versions(say->sv, name, m, &near);

		eb_buf_addf(say->out, "no such version; the nearest %s %s",
			    n == 1 ? "is" : "are", near.data);
		if (is_exact_by_build(say->sv, name, m))
			eb_buf_adds(say->out, " (a version in front of a build "
					      "is meant exactly)");
		return;
	}
	eb_buf_adds(say->out,
		    "nothing of that name matches; there are the versions ");
	eb_sv_near_versions(say->sv, name, NULL, say->out);
}

const char *eb_sv_machine_has(const struct eb_sv_cand *c)
{
	return strcmp(c->r->name, "__archspec") ? c->r->version : c->r->build;
}

/* What the machine has instead. */
static void say_machine(struct eb_sv_say *say, uint32_t spec)
{
	const struct eb_sv_name *name =
		&say->sv->name[say->sv->spec[spec].name];

	say->machine = spec;
	eb_buf_addf(say->out, "the machine that the image is for has %s %s",
		    name->name, eb_sv_machine_has(&say->sv->cand[name->first]));
}

void eb_sv_say_missing(struct eb_sv_say *say, uint32_t spec)
{
	const struct eb_matchspec *m = say->sv->spec[spec].m;
	uint32_t number = say->sv->spec[spec].name;
	const struct eb_sv_name *name;
	const uint32_t *row;

	if (number == EB_SV_NONE) {
		eb_buf_adds(say->out, "no package matches");
		return;
	}
	name = &say->sv->name[number];
	if (!name->n && !eb_repodata_by_name(say->sv->rd, name->name, &row))
		say_no_name(say, spec);
	else if (eb_sv_is_virtual_name(name->name))
		name->n ? say_machine(say, spec) : say_virtual(say, spec);
	else if (eb_sv_say_hidden(say, name, spec))
		return;
	else if (!name->n)
		eb_buf_addf(say->out, "that channel has no \"%s\"", name->name);
	else if (eb_matchspec_build(m) && has_version(say->sv, name, m))
		say_builds(say, number, m);
	else
		say_versions(say, number, m);
}
