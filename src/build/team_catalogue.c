/* SPDX-License-Identifier: Apache-2.0 */
/* The team's catalogue: opened, and one environment of it by its reference. */
#include <string.h>

#include "team_catalogue.h"

#define TIMEOUT_MS 10000
#define TRIES 3

/* --- artifacts -------------------------------------------------------- */
static bool is_note(const struct eb_artifact *a, const char *note,
		    const char *want)
{
	const char *is = eb_artifact_noted(a, note);

	return is && !strcmp(is, want);
}

static int other_one(const struct eb_shared *s, const char *tag,
		     struct eb_error *err)
{
	return eb_err_set(err, EB_INTEGRITY,
			  "\"%s:%s\" is an environment of another name",
			  s->team->text, tag);
}

int eb_shared_artifact(struct eb_shared *s, const char *stem, const char *name,
		       const char *version, struct eb_artifact *out,
		       struct eb_error *err)
{
	eb_autofree char *tag = eb_catalogue_tag(stem, name, version);
	bool label = !strcmp(stem, "label");
	int rc = eb_artifact_get(s->team, tag, EB_MT_ENVIRONMENT, out, err);
	const char *noted;

	if (rc <= 0)
		return rc;
	noted = eb_artifact_noted(out, EB_NOTE_VERSION);
	if (is_note(out, EB_NOTE_NAME, name) &&
	    is_note(out, label ? EB_NOTE_LABEL : EB_NOTE_VERSION, version) &&
	    noted && eb_shared_may_be(name, noted))
		return 1;
	eb_artifact_release(out);
	return other_one(s, tag, err);
}

bool eb_shared_is_archived(const struct eb_artifact *a)
{
	return is_note(a, EB_NOTE_ARCHIVED, "true");
}

int eb_shared_take(struct eb_shared *s, const struct eb_artifact *a,
		   struct eb_named **out, struct eb_error *err)
{
	EB_CLEANUP(eb_named_free_ptr) struct eb_named *e = NULL;
	EB_AUTOBUF(text, EB_MAX_ENVIRONMENT);
	const char *name = eb_artifact_noted(a, EB_NOTE_NAME);
	const char *version = eb_artifact_noted(a, EB_NOTE_VERSION);
	eb_autofree char *tag = eb_catalogue_tag("def", name, version);
	eb_autofree char *what = eb_asprintf("%s:%s", s->team->text, tag);

	if (eb_artifact_read(s->team, a, tag, EB_MT_ENVIRONMENT_TEXT,
			     EB_MAX_ENVIRONMENT, &text, err) < 0 ||
	    eb_environment_parse(text.data, text.len, what, &e, err) < 0)
		return -1;
	e->name = eb_strdup(name);
	e->version = eb_strdup(version);
	e->origin = eb_strdup(eb_artifact_noted(a, EB_NOTE_ORIGIN));
	e->archived = eb_shared_is_archived(a);
	e->time = a->time;
	*out = eb_steal(e);
	return 1;
}

/* --- by a reference --------------------------------------------------- */
static int get_version(struct eb_shared *s, const char *name,
		       const char *version, struct eb_named **out,
		       struct eb_error *err)
{
	EB_CLEANUP(eb_artifact_release) struct eb_artifact a = { 0 };
	int rc = eb_shared_artifact(s, "def", name, version, &a, err);

	return rc > 0 ? eb_shared_take(s, &a, out, err) : rc;
}

/* The label's own artifact may be older than an archiving of its version. */
static int get_label(struct eb_shared *s, const struct eb_env_ref *ref,
		     struct eb_named **out, struct eb_error *err)
{
	EB_CLEANUP(eb_artifact_release) struct eb_artifact a = { 0 };
	int rc = eb_shared_artifact(s, "label", ref->name, ref->label, &a, err);

	return rc > 0 ? get_version(s, ref->name,
				    eb_artifact_noted(&a, EB_NOTE_VERSION), out,
				    err)
		      : rc;
}

static int get_latest(struct eb_shared *s, const char *name,
		      struct eb_named **out, struct eb_error *err)
{
	EB_CLEANUP(eb_versions_release) struct eb_versions v = { 0 };
	const struct eb_version *latest;

	if (eb_versions_read(s, name, &v, err) < 0 ||
	    eb_versions_settle(s, &v, err) < 0)
		return -1;
	latest = eb_versions_latest(&v, 0, true);
	return latest ? eb_shared_take(s, &latest->artifact, out, err) : 0;
}

static int get(void *place, const struct eb_env_ref *ref, struct eb_named **out,
	       struct eb_error *err)
{
	struct eb_shared *s = place;
	int rc = ref->version
			 ? get_version(s, ref->name, ref->version, out, err)
		 : ref->label && strcmp(ref->label, "latest")
			 ? get_label(s, ref, out, err)
			 : get_latest(s, ref->name, out, err);

	if (rc > 0)
		eb_environment_keep(&s->config, ref, *out, s->events);
	return rc;
}

/* --- opening ---------------------------------------------------------- */
static void close_shared(void *place)
{
	struct eb_shared *s = place;

	eb_team_free(s->team);
	eb_config_release(&s->config);
	eb_strv_release(&s->tags);
	free(s);
}

static const struct eb_catalog_place shared = {
	.get = get,
	.labels = eb_shared_labels,
	.add = eb_shared_add,
	.label = eb_shared_label,
	.archive = eb_shared_archive,
	.list = eb_shared_list,
	.tell = eb_shared_tell,
	.close = close_shared,
};

static int no_registry(struct eb_error *err)
{
	eb_err_set(err, EB_USAGE,
		   "the team's catalogue is in its registry, and none is set");
	return eb_err_hint(err, "--registry HOST/PREFIX names it");
}

int eb_shared_open(const struct eb_config *config, struct eb_events *events,
		   struct eb_catalog **out, struct eb_error *err)
{
	static const struct eb_asking asking = { .tries = TRIES,
						 .timeout_ms = TIMEOUT_MS };
	struct eb_shared *s;

	if (!config->registry || config->local || config->offline)
		return no_registry(err);
	s = eb_calloc(1, sizeof *s);
	eb_config_copy(config, &s->config);
	s->config.no_push = false; /* of images */
	s->events = events;
	if (eb_team_open_as(&s->config, &asking, events, &s->team, err) < 0) {
		close_shared(s);
		return -1;
	}
	*out = eb_catalog_at(&shared, s);
	return 0;
}
