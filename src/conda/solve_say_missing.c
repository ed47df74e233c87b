/* SPDX-License-Identifier: Apache-2.0 */
/* Specs that nothing matches: no such name, channel, version or build. */
#include <string.h>

#include <envbuild/mem.h>

#include "solve_explain.h"

#define MAX_BUILDS 4

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

static void say_no_name(const struct eb_sv *sv, const char *name,
			struct eb_buf *out)
{
	const char *why = eb_repodata_malformed(sv->rd, name);
	size_t before;

	if (why) {
		eb_buf_addf(out, "its records are malformed: %s", why);
		return;
	}
	if (eb_sv_is_virtual_name(name)) {
		eb_buf_adds(out, "the machine that the image is for has none");
		return;
	}
	eb_buf_adds(out, "no channel has a package of that name");
	before = out->len;
	eb_buf_adds(out, " (near: ");
	eb_repodata_near(sv->rd, name, out);
	if (out->len > before + 8) {
		eb_buf_addch(out, ')');
		return;
	}
	out->len = before;
	out->data[before] = 0;
}

/* --- hidden channels ------------------------------------------------- */

/* The channel of a record that the spec matches but for the channels' rules;
 * UINT_MAX when there is none. */
static unsigned elsewhere(struct eb_sv *sv, const struct eb_matchspec *m)
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

static bool say_hidden(struct eb_sv *sv, const struct eb_sv_name *name,
		       const struct eb_matchspec *m, struct eb_buf *out)
{
	unsigned channel = elsewhere(sv, m);

	if (!name->hidden || channel == UINT32_MAX)
		return false;
	if (eb_matchspec_channel(m))
		eb_buf_addf(out, "not in that channel; \"%s\" has it",
			    eb_sv_channel_name(sv, channel));
	else
		eb_buf_addf(out,
			    "\"%s\" has it, but \"%s\" comes before it and has "
			    "\"%s\" too (strict channel priority)",
			    eb_sv_channel_name(sv, channel),
			    eb_sv_channel_name(sv, name->channel), name->name);
	return true;
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

/* Builds of the versions that would do; false when there are none. */
static bool say_builds(const struct eb_sv *sv, const struct eb_sv_name *name,
		       const struct eb_matchspec *m, struct eb_buf *out)
{
	EB_CLEANUP(eb_verspec_free_ptr)
	struct eb_verspec *want = version_part(m);
	struct eb_strv seen = { 0 };
	bool any;

	for (uint32_t i = name->n; i-- && seen.n <= MAX_BUILDS;) {
		const struct eb_sv_cand *c = &sv->cand[name->first + i];

		if ((!want || eb_verspec_match(want, c->version)) &&
		    !eb_strv_has(&seen, c->r->build))
			eb_strv_add(&seen, c->r->build);
	}
	if (seen.n)
		eb_buf_addf(out, "%sno such build; there are ",
			    want ? "the version is there, but " : "");
	for (size_t i = 0; i < seen.n && i < MAX_BUILDS; i++)
		eb_buf_addf(out, "%s\"%s\"", i ? ", " : "", seen.v[i]);
	if (seen.n > MAX_BUILDS)
		eb_buf_adds(out, " and others");
	any = seen.n > 0;
	eb_strv_release(&seen);
	return any;
}

static void say_no_version(struct eb_sv *sv, uint32_t name,
			   const struct eb_matchspec *m, struct eb_buf *out)
{
	if (eb_matchspec_version(m)) {
		eb_buf_adds(out, "no such version; the nearest are ");
		eb_sv_near_versions(sv, name, m, out);
		return;
	}
	eb_buf_adds(out, "nothing of that name matches; there are the "
			 "versions ");
	eb_sv_near_versions(sv, name, NULL, out);
}

void eb_sv_say_missing(struct eb_sv *sv, uint32_t spec, struct eb_buf *out)
{
	const struct eb_matchspec *m = sv->spec[spec].m;
	uint32_t number = sv->spec[spec].name;
	const struct eb_sv_name *name;
	const uint32_t *row;

	eb_buf_addf(out, "\"%s\": ", sv->spec[spec].text);
	if (number == EB_SV_NONE) {
		eb_buf_adds(out, "no package matches");
		return;
	}
	name = &sv->name[number];
	if (!name->n && !eb_repodata_by_name(sv->rd, name->name, &row)) {
		say_no_name(sv, name->name, out);
		return;
	}
	if (say_hidden(sv, name, m, out))
		return;
	if (!name->n)
		eb_buf_addf(out, "that channel has no \"%s\"", name->name);
	else if (!say_builds(sv, name, m, out))
		say_no_version(sv, number, m, out);
}
