/* SPDX-License-Identifier: Apache-2.0 */
/* Claims for versions of the team's catalogue: written, and those of others. */
#include <string.h>
#include <time.h>

#include "team_catalogue_claim.h"

#define PAUSE_NS 10000000L /* 10, 20, ... ms */
#define MOST_NS 640000000L
#define FAR 64 /* one who goes on does not go farther than this */

static int list(struct eb_adding *a, struct eb_error *err)
{
	struct eb_shared *s = a->shared;

	eb_strv_release(&s->tags);
	if (eb_tags_list(s->team->repo, &s->tags, err) < 0)
		return -1;
	eb_strv_sort(&s->tags);
	return 0;
}

static size_t place_of(const struct eb_strv *sorted, const char *text)
{
	size_t from = 0, to = sorted->n;

	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (strcmp(sorted->v[mid], text) < 0)
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

/* Who claimed this number has claimed a later one since. */
static bool has_gone_on(const struct eb_adding *a, uint64_t number,
			const char *claimant)
{
	for (uint64_t n = number + 1; number && n <= number + FAR; n++) {
		eb_autofree char *version =
			eb_asprintf("%llu", (unsigned long long)n);
		eb_autofree char *stem =
			eb_catalogue_claims(a->e->name, version);
		eb_autofree char *tag = eb_asprintf("%s%s", stem, claimant);

		if (eb_in_sorted(&a->shared->tags, tag))
			return true;
	}
	return false;
}

struct eb_others eb_claims_of_others(const struct eb_adding *a,
				     const char *version)
{
	eb_autofree char *stem = eb_catalogue_claims(a->e->name, version);
	const struct eb_strv *tags = &a->shared->tags;
	uint64_t number = eb_version_number(version);
	struct eb_others o = { .at = place_of(tags, stem) };

	for (size_t i = o.at; i < tags->n && eb_starts(tags->v[i], stem); i++) {
		const char *claimant = eb_catalogue_claimant(tags->v[i]);

		if (!claimant ||
		    !strncmp(claimant, a->claimant, EB_CLAIM_IDENTITY) ||
		    has_gone_on(a, number, claimant))
			continue;
		o.before += strcmp(claimant, a->claimant) < 0;
		o.n++;
	}
	return o;
}

bool eb_claim_may_be_there(const struct eb_adding *a, const char *version)
{
	eb_autofree char *stem = eb_catalogue_claims(a->e->name, version);
	eb_autofree char *ours =
		eb_asprintf("%s%.*s-", stem, EB_CLAIM_IDENTITY, a->claimant);
	const struct eb_strv *tags = &a->shared->tags;
	size_t i = place_of(tags, ours), any = place_of(tags, stem);

	return any == tags->n || !eb_starts(tags->v[any], stem) ||
	       (i < tags->n && eb_starts(tags->v[i], ours));
}

static void describe(const struct eb_adding *a, const char *version,
		     struct eb_artifact *out, struct eb_artifact_data *data)
{
	const struct eb_named *e = a->e;
	eb_autofree char *framework = eb_named_framework(e);
	eb_autofree char *cuda = eb_named_cuda(e);
	const char *slash = e->origin ? strrchr(e->origin, '/') : NULL;
	char hex[EB_HEX_SIZE];

	out->time = time(NULL);
	eb_descriptor_annotate(eb_artifact_add(out, EB_MT_ENVIRONMENT_TEXT,
					       &a->blob, a->text.len),
			       EB_NOTE_NAME, "environment.json");
	data[0] = (struct eb_artifact_data){ a->text.data, a->text.len };
	eb_artifact_note(out, EB_NOTE_NAME, e->name);
	eb_artifact_note(out, EB_NOTE_VERSION, version);
	eb_artifact_note(out, EB_NOTE_IDENTITY,
			 eb_digest_hex(a->identity, hex));
	eb_artifact_note(out, EB_NOTE_FRAMEWORK, framework);
	eb_artifact_note(out, EB_NOTE_CUDA, cuda);
	/* of a path its last part: the rest is this machine's */
	eb_artifact_note(out, EB_NOTE_ORIGIN, slash ? slash + 1 : e->origin);
}

int eb_claim_put(struct eb_adding *a, const char *tag, const char *version,
		 bool given_up, struct eb_error *err)
{
	EB_CLEANUP(eb_artifact_release) struct eb_artifact artifact = { 0 };
	struct eb_artifact_data data[EB_ARTIFACT_LAYERS] = { 0 };

	describe(a, version, &artifact, data);
	eb_artifact_note(&artifact, EB_NOTE_GIVEN_UP, given_up ? "true" : NULL);
	return eb_artifact_point(a->shared->team, tag, EB_MT_ENVIRONMENT,
				 &artifact, data, err);
}

int eb_claim(struct eb_adding *a, const char *version, struct eb_error *err)
{
	eb_autofree char *stem = eb_catalogue_claims(a->e->name, version);
	eb_autofree char *tag = eb_asprintf("%s%s", stem, a->claimant);
	struct timespec pause = { .tv_nsec = PAUSE_NS };

	if (eb_claim_put(a, tag, version, false, err) < 0)
		return -1;
	for (unsigned i = 0; i < EB_CLAIM_LISTS / 2; i++, pause.tv_nsec *= 2) {
		if (i)
			nanosleep(&pause, NULL);
		if (list(a, err) < 0)
			return -1;
		if (eb_in_sorted(&a->shared->tags, tag))
			return 0;
	}
	eb_warn(a->shared->events,
		"\"%s\" lists tags late: two who register \"%s\" at once may "
		"get one version",
		a->shared->team->text, a->e->name);
	return 0;
}

int eb_claim_wait(struct eb_adding *a, const char *version, struct eb_others *o,
		  unsigned lists, struct eb_error *err)
{
	eb_autofree char *tag = eb_catalogue_tag("def", a->e->name, version);
	struct timespec pause = { .tv_nsec = PAUSE_NS };

	*o = eb_claims_of_others(a, version);
	for (unsigned i = 0; i < lists && o->n && !o->before; i++) {
		if (eb_in_sorted(&a->shared->tags, tag))
			return 0;
		nanosleep(&pause, NULL);
		pause.tv_nsec *= 2;
		if (pause.tv_nsec > MOST_NS)
			pause.tv_nsec = MOST_NS;
		if (list(a, err) < 0)
			return -1;
		*o = eb_claims_of_others(a, version);
	}
	return 0;
}
