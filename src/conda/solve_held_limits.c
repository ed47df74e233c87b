/* SPDX-License-Identifier: Apache-2.0 */
/* What keeps the newest version of all out: a line, a pin or a channel. */
#include <string.h>

#include <envbuild/mem.h>

#include "solve_explain.h"

static void say_kept_out(struct eb_sv_look *l, const struct eb_sv_set *set,
			 struct eb_buf *out)
{
	const struct eb_sv_cand *c = &l->sv->cand[set->cand[set->n - 1]];

	if (c->dead == EB_SV_PIN) {
		eb_sv_add_pin(l->sv, c->dead_by, out);
		eb_buf_addf(out, " is pinned, which keeps %s out",
			    eb_version_text(l->newest));
		return;
	}
	l->line[eb_sv_asked(l->sv, c->dead_by)] = true;
	eb_buf_addf(out, "\"%s\" keeps %s out", l->sv->spec[c->dead_by].text,
		    eb_version_text(l->newest));
}

/* The channel of a version, UINT_MAX. */
static unsigned channel_with(struct eb_sv_look *l, const struct eb_version *v)
{
	const uint32_t *row;
	struct eb_sv *sv = l->sv;
	size_t n = eb_repodata_by_name(sv->rd, sv->name[l->name].name, &row);

	for (size_t i = 0; i < n; i++) {
		unsigned channel;
		const struct eb_record *r =
			eb_repodata_record(sv->rd, row[i], &channel);
		const struct eb_version *own = eb_sv_version_of(sv, r->version);

		if (own && !eb_version_compare(own, v))
			return channel;
	}
	return UINT32_MAX;
}

static void say_channel(struct eb_sv_look *l, struct eb_buf *out)
{
	const struct eb_sv_name *n = &l->sv->name[l->name];
	unsigned other = channel_with(l, l->newest);
	uint32_t line = eb_sv_user_spec(l->sv, l->name);
	const char *has = eb_sv_channel_name(l->sv, other);
	const char *text = eb_version_text(l->newest);

	if (line != EB_SV_NONE && eb_matchspec_channel(l->sv->spec[line].m)) {
		l->line[eb_sv_asked(l->sv, line)] = true;
		eb_buf_addf(out,
			    "%s is in \"%s\", and \"%s\" names another "
			    "channel",
			    text, has, l->sv->spec[line].text);
		return;
	}
	eb_buf_addf(out,
		    "%s is in \"%s\", but \"%s\" comes before it and has "
		    "\"%s\" too (strict channel priority)",
		    text, has, eb_sv_channel_name(l->sv, n->channel), n->name);
}

void eb_sv_say_limits(struct eb_sv_look *l, struct eb_buf *out)
{
	struct eb_sv_set set =
		eb_sv_of_version(l->sv, l->name, l->newest, true);

	if (set.n)
		say_kept_out(l, &set, out);
	else
		say_channel(l, out);
	eb_sv_set_release(&set);
}
