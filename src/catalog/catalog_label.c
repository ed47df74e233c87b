/* SPDX-License-Identifier: Apache-2.0 */
/* Labels, and what is archived. */
#include "catalog_priv.h"
#include "curated.h"

int eb_catalog_not_own(const char *name, struct eb_error *err)
{
	eb_err_set(err, EB_USAGE,
		   "\"%s\" is curated, and nothing of it can be changed", name);
	return eb_err_hint(err,
			   "`envbuild clone %s NEWNAME` makes it one of "
			   "your own",
			   name);
}

static int set_label(struct eb_catalog *c, const char *name,
		     const char *version, const char *label,
		     struct eb_error *err)
{
	int64_t id;
	int rc = eb_catalog_find(c, name, version, &id, err);

	if (rc < 0)
		return -1;
	if (!rc)
		return eb_catalog_no_version(c, name, version, err);
	return eb_db_run(c->db,
			 "INSERT INTO label (name, label, environment) "
			 "VALUES (?, ?, ?) ON CONFLICT (name, label) "
			 "DO UPDATE SET environment = excluded.environment",
			 NULL, NULL, err, "tti", name, label, id);
}

static int set_archived(struct eb_catalog *c, const char *name,
			const char *version, bool archived,
			struct eb_error *err)
{
	int rc = version ? eb_db_run(c->db,
				     "UPDATE environment SET archived = ? "
				     "WHERE name = ? AND version = ?",
				     NULL, NULL, err, "itt", (int64_t)archived,
				     name, version)
			 : eb_db_run(c->db,
				     "UPDATE environment SET archived = ? "
				     "WHERE name = ?",
				     NULL, NULL, err, "it", (int64_t)archived,
				     name);

	if (rc < 0 || eb_db_changes(c->db) > 0)
		return rc < 0 ? -1 : 0;
	return version ? eb_catalog_no_version(c, name, version, err)
		       : eb_catalog_no_name(c, name, false, err);
}

static bool only_curated(struct eb_catalog *c, const char *name)
{
	struct eb_document d;
	struct eb_error ignored = EB_ERROR_INIT;
	struct eb_env_ref ref = { .name = (char *)name };
	EB_CLEANUP(eb_named_free_ptr) struct eb_named *e = NULL;
	int rc;

	if (c->at) /* they have no name of a curated one */
		return eb_document_find(name, &d);
	rc = eb_catalog_get(c, &ref, &e, &ignored);
	eb_err_release(&ignored);
	return rc == 0 && e->status != EB_ENV_OWN;
}

static int end(struct eb_catalog *c, int rc, struct eb_error *err)
{
	if (rc == 0)
		return eb_db_end(c->db, true, err);
	eb_db_end(c->db, false, err);
	return -1;
}

static int elsewhere(struct eb_catalog *c, const char *name,
		     const char *version, int rc, struct eb_error *err)
{
	struct eb_env_ref ref = { .name = (char *)name,
				  .version = (char *)version };

	if (rc)
		return rc < 0 ? -1 : 0;
	return eb_catalog_missing(c, &ref, err);
}

int eb_catalog_label(struct eb_catalog *c, const char *name,
		     const char *version, const char *label,
		     struct eb_error *err)
{
	if (eb_env_label_check(label, err) < 0)
		return -1;
	if (only_curated(c, name))
		return eb_catalog_not_own(name, err);
	if (c->at)
		return elsewhere(
			c, name, version,
			c->at->label(c->place, name, version, label, err), err);
	if (eb_db_begin(c->db, err) < 0)
		return -1;
	return end(c, set_label(c, name, version, label, err), err);
}

int eb_catalog_archive(struct eb_catalog *c, const char *name,
		       const char *version, bool archived, struct eb_error *err)
{
	if (only_curated(c, name))
		return eb_catalog_not_own(name, err);
	if (c->at)
		return elsewhere(
			c, name, version,
			c->at->archive(c->place, name, version, archived, err),
			err);
	if (eb_db_begin(c->db, err) < 0)
		return -1;
	return end(c, set_archived(c, name, version, archived, err), err);
}
