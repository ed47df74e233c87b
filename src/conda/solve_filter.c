/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which records of a name count: strict channel priority, channels that the
 * user wrote, builds with features that nothing asks for.
 */
#include <string.h>

#include <envbuild/mem.h>

#include "solve_int.h"

/* --- channels -------------------------------------------------------- */

bool eb_sv_channel_fits(const struct eb_sv *sv, const struct eb_matchspec *m,
			const struct eb_record *r, unsigned channel)
{
	const struct eb_channels *c = sv->q->channels;

	if (!eb_matchspec_channel(m))
		return true;
	if (c && channel < c->n &&
	    eb_channel_is_meant(&c->channel[channel], m, sv->alias))
		return true;
	return r->channel && eb_matchspec_channel_is(m, r->channel, sv->alias);
}

/* Does a spec of the user name a channel for this name? */
static bool is_qualified(const struct eb_sv *sv, const char *name)
{
	for (uint32_t i = 0; i < sv->n_user; i++) {
		const struct eb_matchspec *m = sv->spec[sv->user[i]].m;
		const char *own = eb_matchspec_name(m);

		if (own && eb_matchspec_channel(m) && !strcmp(own, name))
			return true;
	}
	return false;
}

static bool qualified_fits(const struct eb_sv *sv, const char *name,
			   const struct eb_record *r, unsigned channel)
{
	for (uint32_t i = 0; i < sv->n_user; i++) {
		const struct eb_matchspec *m = sv->spec[sv->user[i]].m;
		const char *own = eb_matchspec_name(m);

		if (own && !strcmp(own, name) &&
		    !eb_sv_channel_fits(sv, m, r, channel))
			return false;
	}
	return true;
}

static unsigned channel_of(const struct eb_sv *sv, uint32_t row)
{
	return eb_rd_channel_of(sv->rd, row);
}

/* The first channel that has the name decides. */
static unsigned first_channel(const struct eb_sv *sv, const uint32_t *row,
			      size_t n)
{
	unsigned first = UINT32_MAX;

	for (size_t i = 0; i < n; i++)
		if (channel_of(sv, row[i]) < first)
			first = channel_of(sv, row[i]);
	return first;
}

/* --- features -------------------------------------------------------- */

/* Is one of the space-separated features asked for? */
bool eb_sv_has_feature(const struct eb_sv *sv, const char *features)
{
	struct eb_strv part = { 0 };
	bool has = false;

	eb_strv_split(&part, features, " ");
	for (size_t i = 0; i < part.n && !has; i++)
		has = *part.v[i] && eb_strv_has(&sv->asked_features, part.v[i]);
	eb_strv_release(&part);
	return has;
}

static void ask(struct eb_sv *sv, const struct eb_matchspec *m, uint32_t row)
{
	const struct eb_record *r;
	unsigned channel;

	if (!eb_rd_tracks_of(sv->rd, row))
		return;
	r = eb_repodata_record(sv->rd, row, &channel);
	if (eb_matchspec_match(m, r, eb_sv_version_of(sv, r->version)) &&
	    eb_sv_channel_fits(sv, m, r, channel))
		eb_strv_split(&sv->asked_features, r->track_features, " ");
}

/* The features that packages track which the user names. */
void eb_sv_ask_features(struct eb_sv *sv)
{
	for (uint32_t i = 0; i < sv->n_user; i++) {
		const struct eb_matchspec *m = sv->spec[sv->user[i]].m;
		const char *name = eb_matchspec_name(m);
		const uint32_t *row;
		size_t n = name ? eb_repodata_by_name(sv->rd, name, &row) : 0;

		for (size_t k = 0; k < n; k++)
			ask(sv, m, row[k]);
	}
}

static bool unasked(const struct eb_sv *sv, uint32_t row)
{
	const char *features = eb_rd_features_of(sv->rd, row);

	return features && !eb_sv_has_feature(sv, features);
}

/* --- both ------------------------------------------------------------ */

static bool counts(struct eb_sv *sv, struct eb_sv_name *name, uint32_t row,
		   bool qualified)
{
	unsigned channel = channel_of(sv, row);

	if (qualified) {
		const struct eb_record *r =
			eb_repodata_record(sv->rd, row, NULL);

		if (!qualified_fits(sv, name->name, r, channel)) {
			name->hidden = true;
			return false;
		}
	} else if (sv->q->priority == EB_PRIORITY_STRICT &&
		   channel != name->channel) {
		name->hidden = true;
		return false;
	}
	if (sv->allow_featured || !unasked(sv, row))
		return true;
	sv->had_featured = true;
	return false;
}

/* Names with "__" say what the machine has: no channel can. */
static bool is_reserved(const struct eb_sv *sv, const char *name)
{
	static const char *const known[] = {
		"__unix", "__linux", "__osx",	   "__win",  "__glibc",
		"__cuda", "__conda", "__archspec", "__musl", "__cuda_arch",
	};

	if (!eb_sv_is_virtual_name(name))
		return false;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(known[i], name))
			return true;
	for (size_t i = 0; i < sv->q->n_virtuals; i++)
		if (!strcmp(sv->q->virtuals[i].name, name))
			return true;
	return false;
}

uint32_t *eb_sv_filter(struct eb_sv *sv, struct eb_sv_name *name, size_t *n)
{
	const uint32_t *row;
	size_t all = eb_repodata_by_name(sv->rd, name->name, &row);
	bool qualified = is_qualified(sv, name->name);
	uint32_t *list;

	*n = 0;
	if (is_reserved(sv, name->name))
		return NULL;
	list = eb_malloc((all + 1) * sizeof *list);
	name->channel = first_channel(sv, row, all);
	for (size_t i = 0; i < all; i++)
		if (counts(sv, name, row[i], qualified))
			list[(*n)++] = row[i];
	return list;
}
