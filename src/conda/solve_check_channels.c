/* SPDX-License-Identifier: Apache-2.0 */
/* A set of records against what their channels have besides: channels in their
 * order, builds with features. */
#include <string.h>

#include <envbuild/mem.h>

#include "solve_check_int.h"

/* --- channels -------------------------------------------------------- */

/* The number of its channel; as many as there are: it is none of them. */
static size_t channel_of(const struct eb_channels *all,
			 const struct eb_record *r)
{
	size_t i = 0;

	while (i < all->n && (!r->channel || strcmp(all->channel[i].canonical,
						    r->channel) != 0))
		i++;
	return i;
}

/* Does a spec say which channel this name is from? */
static bool is_qualified(const struct eb_sc *c, const char *name)
{
	for (size_t i = 0; i < c->set->n_specs; i++) {
		const struct eb_matchspec *m = c->set->spec[i];

		if (eb_matchspec_channel(m) && eb_matchspec_name(m) &&
		    !strcmp(eb_matchspec_name(m), name))
			return true;
	}
	return false;
}

/* The first channel that has the name; `before` where none of these has. */
static size_t first_with(const struct eb_sc *c, const char *name, size_t before)
{
	const uint32_t *row;
	size_t n = eb_repodata_by_name(c->set->repodata, name, &row);
	unsigned channel;

	for (size_t i = 0; i < n; i++) {
		if (eb_repodata_record(c->set->repodata, row[i], &channel) &&
		    channel < before)
			before = channel;
	}
	return before;
}

static void check_channel(struct eb_sc *c, const struct eb_record *r)
{
	const struct eb_channels *all = c->set->channels;
	eb_autofree char *label = eb_sc_label(r);
	size_t own = channel_of(all, r), first;

	if (own == all->n) {
		eb_sc_add(c, "channel", label,
			  "is from \"%s\", which is not "
			  "among the channels",
			  r->channel ? r->channel : "?");
		return;
	}
	if (!c->set->repodata || c->set->priority != EB_PRIORITY_STRICT ||
	    is_qualified(c, r->name))
		return;
	first = first_with(c, r->name, own);
	if (first < own)
		eb_sc_add(c, "priority", label,
			  "is from \"%s\", and \"%s\", which comes before, has "
			  "%s",
			  all->channel[own].name, all->channel[first].name,
			  r->name);
}

/* --- features -------------------------------------------------------- */

static bool tracks(const struct eb_record *r, const char *feature)
{
	struct eb_strv word EB_CLEANUP(eb_strv_release) = { 0 };

	if (r->track_features)
		eb_strv_split(&word, r->track_features, " ");
	return eb_strv_has(&word, feature);
}

/* The first feature of a build that nothing there tracks; caller frees. */
static char *untracked(const struct eb_sc *c, const struct eb_record *r)
{
	struct eb_strv word EB_CLEANUP(eb_strv_release) = { 0 };

	if (r->features)
		eb_strv_split(&word, r->features, " ");
	for (size_t i = 0; i < word.n; i++) {
		size_t k = 0;

		while (k < c->n && !tracks(c->member[k].r, word.v[i]))
			k++;
		if (k == c->n && *word.v[i])
			return eb_strdup(word.v[i]);
	}
	return NULL;
}

/* What the members say of this name holds for the record as well? */
static bool is_allowed(const struct eb_sc *c, const struct eb_strv *list,
		       const struct eb_record *r,
		       const struct eb_version *version)
{
	for (size_t i = 0; i < list->n; i++) {
		struct eb_error bad EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
		EB_CLEANUP(eb_matchspec_free_ptr)
		struct eb_matchspec *m =
			eb_matchspec_parse(list->v[i], EB_LENIENT, &bad);
		const char *name = m ? eb_matchspec_name(m) : NULL;

		if (name && !strcmp(name, r->name) &&
		    !eb_sc_fits(c, m, r, version))
			return false;
	}
	return true;
}

static bool others_allow(const struct eb_sc *c, const struct eb_record *r,
			 const struct eb_version *version)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct eb_record *other = c->member[i].r;

		if (!strcmp(other->name, r->name))
			continue;
		if (!is_allowed(c, &other->depends, r, version) ||
		    !is_allowed(c, &other->constrains, r, version))
			return false;
	}
	for (size_t i = 0; i < c->set->n_specs; i++) {
		const struct eb_matchspec *m = c->set->spec[i];
		const char *name = eb_matchspec_name(m);

		if (name && !strcmp(name, r->name) &&
		    !eb_sc_fits(c, m, r, version))
			return false;
	}
	return true;
}

/* Would it do in the place of the one of its name? */
static bool would_do(const struct eb_sc *c, const struct eb_record *r,
		     const struct eb_version *version)
{
	const struct eb_sc_member *other;

	for (size_t i = 0; i < r->depends.n; i++)
		if (eb_sc_needs(c, r->depends.v[i], &other) != EB_SC_FITS)
			return false;
	for (size_t i = 0; i < r->constrains.n; i++)
		if (eb_sc_allows(c, r->constrains.v[i], &other) != EB_SC_FITS)
			return false;
	return others_allow(c, r, version);
}

/* The same version without such a feature, which fits as well; or NULL. */
static const struct eb_record *instead(const struct eb_sc *c,
				       const struct eb_sc_member *of)
{
	const struct eb_repodata *rd = c->set->repodata;
	const uint32_t *row;
	size_t n = rd ? eb_repodata_by_name(rd, of->r->name, &row) : 0;

	for (size_t i = 0; i < n; i++) {
		const struct eb_record *r =
			eb_repodata_record(rd, row[i], NULL);
		eb_autofree char *lacks = untracked(c, r);

		if (!lacks && r->channel && of->r->channel &&
		    !strcmp(r->channel, of->r->channel) &&
		    !strcmp(r->version, of->r->version) &&
		    would_do(c, r, of->version))
			return r;
	}
	return NULL;
}

static void check_features(struct eb_sc *c, const struct eb_sc_member *m)
{
	eb_autofree char *feature = untracked(c, m->r);
	eb_autofree char *label = eb_sc_label(m->r);
	const struct eb_record *better = feature ? instead(c, m) : NULL;

	if (better)
		eb_sc_add(c, "features", label,
			  "has the feature \"%s\", which nothing there asks "
			  "for; build %s has it not",
			  feature, better->build);
	else if (feature)
		eb_sc_note(c, "features", label,
			   "has the feature \"%s\", which nothing there asks "
			   "for",
			   feature);
}

void eb_sc_channels(struct eb_sc *c)
{
	for (size_t i = 0; i < c->n; i++) {
		if (c->set->channels)
			check_channel(c, c->member[i].r);
		check_features(c, &c->member[i]);
	}
}
