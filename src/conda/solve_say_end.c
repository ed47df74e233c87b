/* SPDX-License-Identifier: Apache-2.0 */
/* How a clause ends at what is not there: the machine lacks it, no channel has
 * it, or a channel hides it. */
#include <string.h>

#include <envbuild/mem.h>

#include "solve_explain.h"

static void end_machine(struct eb_sv_say *say, uint32_t spec)
{
	const struct eb_sv_name *name =
		&say->sv->name[say->sv->spec[spec].name];

	say->machine = spec;
	eb_buf_adds(say->out, ", but the machine that the image is for has ");
	if (name->n)
		eb_buf_addf(say->out, "%s %s", name->name,
			    eb_sv_machine_has(&say->sv->cand[name->first]));
	else
		eb_buf_addf(say->out, "no %s", name->name);
}

static void end_absent(struct eb_sv_say *say, const struct eb_sv_name *name)
{
	const char *why = eb_repodata_malformed(say->sv->rd, name->name);

	if (name->hidden) {
		eb_buf_adds(say->out, ", which the channel asked for has not");
		return;
	}
	eb_buf_adds(say->out, ", which no channel has");
	say->absent = name->name;
	if (why)
		eb_buf_addf(say->out, " (malformed: %s)", why);
}

/* All versions of a name. */
static void say_range(const struct eb_sv *sv, uint32_t name, struct eb_buf *out)
{
	const struct eb_sv_name *n = &sv->name[name];
	const struct eb_version *low = sv->cand[n->first].version, *high = low;

	for (uint32_t i = n->first; i < n->first + n->n; i++) {
		if (eb_version_compare(sv->cand[i].version, low) < 0)
			low = sv->cand[i].version;
		if (eb_version_compare(sv->cand[i].version, high) > 0)
			high = sv->cand[i].version;
	}
	eb_buf_adds(out, eb_version_text(low));
	if (eb_version_compare(low, high))
		eb_buf_addf(out, " to %s", eb_version_text(high));
}

void eb_sv_say_before(const struct eb_sv *sv, uint32_t name, struct eb_buf *out)
{
	const struct eb_sv_name *n = &sv->name[name];

	eb_buf_addf(out, ", but \"%s\" comes before it",
		    eb_sv_channel_name(sv, n->channel));
	if (n->n) {
		eb_buf_addf(out, " and has only %s ", n->name);
		say_range(sv, name, out);
	}
	eb_buf_adds(out, " (strict channel priority)");
}

static void end_versions(struct eb_sv_say *say, uint32_t spec)
{
	struct eb_sv *sv = say->sv;
	const struct eb_sv_spec *s = &sv->spec[spec];
	const struct eb_sv_name *name = &sv->name[s->name];
	unsigned other = name->hidden ? eb_sv_hidden_in(sv, s->m) : UINT32_MAX;

	if (other != UINT32_MAX) {
		say->hidden = s->name;
		say->other = other;
		eb_buf_addf(say->out, ", which \"%s\" has",
			    eb_sv_channel_name(sv, other));
		eb_sv_say_before(sv, s->name, say->out);
		return;
	}
	say->absent = s->text;
	eb_buf_adds(say->out, ", which no channel has (near: ");
	if (!eb_matchspec_build(s->m))
		eb_sv_near_versions(sv, s->name, s->m, say->out);
	else
		eb_sv_near_builds(sv, s->name, s->m, say->out);
	eb_buf_addch(say->out, ')');
}

void eb_sv_end_unmatched(struct eb_sv_say *say, uint32_t spec)
{
	const struct eb_sv_spec *s = &say->sv->spec[spec];
	const struct eb_sv_name *name;

	if (!s->m || s->name == EB_SV_NONE) {
		eb_buf_adds(say->out, ", which cannot be read");
		return;
	}
	name = &say->sv->name[s->name];
	if (eb_sv_is_virtual_name(name->name))
		end_machine(say, spec);
	else if (!name->n)
		end_absent(say, name);
	else
		end_versions(say, spec);
}
