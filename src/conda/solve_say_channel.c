/* SPDX-License-Identifier: Apache-2.0 */
/* Lines that only another channel could meet: one that strict priority or the
 * line itself leaves aside. */
#include <string.h>

#include <envbuild/mem.h>

#include "solve_explain.h"

const char *eb_sv_channel_name(const struct eb_sv *sv, unsigned channel)
{
	const struct eb_channels *c = sv->q->channels;

	if (c && channel < c->n)
		return c->channel[channel].name;
	for (size_t i = 0; i < sv->rd->n_sources; i++)
		if (sv->rd->source[i].channel == channel)
			return sv->rd->source[i].channel_url;
	return "?";
}

unsigned eb_sv_hidden_in(struct eb_sv *sv, const struct eb_matchspec *m)
{
	const uint32_t *row;
	size_t n = eb_repodata_by_name(sv->rd, eb_matchspec_name(m), &row);

	for (size_t i = 0; i < n; i++) {
		unsigned channel;
		const struct eb_record *r =
			eb_repodata_record(sv->rd, row[i], &channel);
		const struct eb_version *v = eb_sv_version_of(sv, r->version);

		if (v && eb_matchspec_match(m, r, v))
			return channel;
	}
	return UINT32_MAX;
}

/* Is the channel that a line names one of the environment's? */
static bool is_listed(const struct eb_sv *sv, const struct eb_matchspec *m)
{
	struct eb_record r = { 0 };

	for (size_t i = 0; i < sv->rd->n_sources; i++) {
		r.channel = sv->rd->source[i].channel_url;
		if (eb_sv_channel_fits(sv, m, &r, sv->rd->source[i].channel))
			return true;
	}
	return false;
}

/* A line behind the name of the channel that has it. */
static void say_from(struct eb_sv_say *say, const char *channel,
		     const char *text)
{
	const char *own = strstr(text, "::");

	eb_buf_addf(say->advice, "\"%s::%s\" takes it from there", channel,
		    own ? own + 2 : text);
}

static void say_other_channel(struct eb_sv_say *say, uint32_t spec,
			      unsigned channel)
{
	const struct eb_matchspec *m = say->sv->spec[spec].m;
	const char *want = eb_matchspec_channel(m);
	const char *has = eb_sv_channel_name(say->sv, channel);
	const char *text = say->sv->spec[spec].text;

	if (is_listed(say->sv, m)) {
		eb_buf_addf(say->out, "not in that channel; \"%s\" has it",
			    has);
		say_from(say, has, text);
		return;
	}
	eb_buf_addf(say->out,
		    "the channel \"%s\" is not among those given; \"%s\" has "
		    "the package",
		    want, has);
	eb_buf_addf(say->advice, "add \"%s\" to the channels", want);
}

bool eb_sv_say_hidden(struct eb_sv_say *say, const struct eb_sv_name *name,
		      uint32_t spec)
{
	struct eb_sv *sv = say->sv;
	const struct eb_matchspec *m = sv->spec[spec].m;
	unsigned channel;

	if (!name->hidden)
		return false;
	channel = eb_sv_hidden_in(sv, m);
	if (channel == UINT32_MAX)
		return false;
	if (eb_matchspec_channel(m)) {
		say_other_channel(say, spec, channel);
		return true;
	}
	eb_buf_addf(say->out, "\"%s\" has it", eb_sv_channel_name(sv, channel));
	eb_sv_say_before(sv, sv->spec[spec].name, say->out);
	say_from(say, eb_sv_channel_name(sv, channel), sv->spec[spec].text);
	return true;
}
