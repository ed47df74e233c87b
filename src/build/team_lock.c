/* SPDX-License-Identifier: Apache-2.0 */
/* locked-: the lock with its commentary, the map of its layers, their path
 * lists; read. */
#include "team_artifact.h"
#include "team_map.h"

int eb_team_get_lock(struct eb_team *t, const struct eb_digest *lock,
		     struct eb_buf *text, int64_t *time, struct eb_error *err)
{
	eb_autofree char *tag = eb_team_tag_of(EB_TAG_LOCKED, lock, NULL);
	EB_CLEANUP(eb_artifact_release) struct eb_artifact a = { 0 };
	int rc = eb_artifact_get(t, tag, EB_MT_LOCKED, &a, err);

	if (rc <= 0)
		return rc;
	*time = a.time;
	if (eb_artifact_read(t, &a, tag, EB_MT_LOCK_TEXT, EB_MAX_LOCK, text,
			     err) < 0)
		return -1;
	return 1;
}

struct reading {
	struct eb_team *team;
	const struct eb_artifact *artifact;
	const char *tag, *media_type;
	size_t max;
	struct eb_buf *out;
};

static int read_blob(void *arg, struct eb_error *err)
{
	struct reading *r = arg;

	return eb_artifact_unpack(r->team, r->artifact, r->tag, r->media_type,
				  r->max, r->out, err);
}

/* All at once where all is wanted anyway; else the map says whether. */
static int read_both(struct reading *map, struct reading *paths,
		     eb_wanted_fn *wanted, void *data, struct eb_error *err)
{
	if (!wanted)
		return eb_team_both(map->team, read_blob, map, read_blob, paths,
				    err) < 0
			       ? -1
			       : 1;
	if (read_blob(map, err) < 0)
		return -1;
	if (!eb_map_names(map->out->data, map->out->len, wanted, data))
		return 0;
	return read_blob(paths, err) < 0 ? -1 : 1;
}

int eb_team_get_map(struct eb_team *t, const struct eb_digest *lock,
		    eb_wanted_fn *wanted, void *data, struct eb_known *out,
		    struct eb_error *err)
{
	eb_autofree char *tag = eb_team_tag_of(EB_TAG_LOCKED, lock, NULL);
	eb_autofree char *what = eb_asprintf("%s:%s", t->text, tag);
	EB_CLEANUP(eb_artifact_release) struct eb_artifact a = { 0 };
	EB_AUTOBUF(map, EB_MAX_MAP);
	EB_AUTOBUF(paths, EB_MAX_PATHS);
	struct reading of_map = { t, &a, tag, EB_MT_MAP, EB_MAX_MAP, &map };
	struct reading of_paths = { t,		 &a,	       tag,
				    EB_MT_PATHS, EB_MAX_PATHS, &paths };
	int rc = eb_artifact_get(t, tag, EB_MT_LOCKED, &a, err);

	if (rc <= 0)
		return rc;
	rc = read_both(&of_map, &of_paths, wanted, data, err);
	if (rc > 0)
		rc = eb_map_parse(map.data, map.len, what, &paths, out, err);
	return rc < 0 ? -1 : 1;
}
