/* SPDX-License-Identifier: Apache-2.0 */
/* One environment by its reference. */
#include <string.h>

#include "catalog_priv.h"
#include "curated.h"
#include "curated_near.h"
#include "named_rules.h"

/* --- own ones --- */

#define COLUMNS                                                       \
	"SELECT e.id, e.name, e.version, e.text, e.file, e.options, " \
	"e.origin, e.archived, e.time, e.files, e.variables "         \
	"FROM environment e "

static int take_row(void *data, const struct eb_db_row *row,
		    struct eb_error *err)
{
	struct eb_named **out = data;
	EB_CLEANUP(eb_named_free_ptr)
	struct eb_named *e = eb_calloc(1, sizeof *e);

	e->status = EB_ENV_OWN;
	e->name = eb_strdup(eb_db_text(row, 1));
	e->version = eb_strdup(eb_db_text(row, 2));
	e->text = eb_strdup(eb_db_text(row, 3));
	e->file = eb_strdup(eb_db_text(row, 4));
	e->origin = eb_strdup(eb_db_text(row, 6));
	e->archived = eb_db_int(row, 7);
	e->time = eb_db_int(row, 8);
	e->files = eb_strdup(eb_db_text(row, 9));
	if (eb_catalog_pairs_read(eb_db_text(row, 5), &e->option_name,
				  &e->option_value, err) < 0 ||
	    eb_catalog_pairs_read(eb_db_text(row, 10), &e->variable_name,
				  &e->variable_value, err) < 0)
		return -1;
	*out = eb_steal(e);
	return 1;
}

static int take_label(void *data, const struct eb_db_row *row,
		      struct eb_error *err)
{
	(void)err;
	eb_strv_add(data, eb_db_text(row, 0));
	return 0;
}

static int find_row(struct eb_catalog *c, const struct eb_env_ref *ref,
		    struct eb_named **out, struct eb_error *err)
{
	if (ref->version)
		return eb_db_run(
			c->db, COLUMNS "WHERE e.name = ? AND e.version = ?",
			take_row, out, err, "tt", ref->name, ref->version);
	if (ref->label && strcmp(ref->label, "latest"))
		return eb_db_run(c->db,
				 COLUMNS "JOIN label l ON l.environment = e.id "
					 "WHERE l.name = ? AND l.label = ?",
				 take_row, out, err, "tt", ref->name,
				 ref->label);
	return eb_db_run(c->db,
			 COLUMNS "WHERE e.name = ? "
				 "ORDER BY e.archived, e.id DESC LIMIT 1",
			 take_row, out, err, "t", ref->name);
}

static int get_own(struct eb_catalog *c, const struct eb_env_ref *ref,
		   struct eb_named **out, struct eb_error *err)
{
	if (ref->curated || eb_name_reserved(ref->name))
		return 0;
	if (eb_catalog_ready(c, err) < 0)
		return -1;
	if (!c->db)
		return 0;
	if (find_row(c, ref, out, err) < 0)
		return -1;
	if (!*out)
		return 0;
	return eb_db_run(c->db,
			 "SELECT l.label FROM label l JOIN environment e "
			 "ON e.id = l.environment WHERE e.name = ? AND "
			 "e.version = ? ORDER BY l.label",
			 take_label, &(*out)->labels, err, "tt", (*out)->name,
			 (*out)->version) < 0
		       ? -1
		       : 1;
}

/* --- what is not there --- */

static int take_name(void *data, const struct eb_db_row *row,
		     struct eb_error *err)
{
	(void)err;
	eb_strv_add(data, eb_db_text(row, 0));
	return 0;
}

int eb_catalog_no_name(struct eb_catalog *c, const char *name, bool curated,
		       struct eb_error *err)
{
	struct eb_near near EB_CLEANUP(eb_near_release) = { 0 };
	EB_CLEANUP(eb_strv_release) struct eb_strv own = { 0 };
	EB_CLEANUP(eb_strv_release) struct eb_strv none = { 0 };

	if (c->at && c->at->tell &&
	    c->at->tell(c->place, name, &own, &none, &none, err) < 0)
		return -1;
	if (c->db && eb_db_run(c->db, "SELECT DISTINCT name FROM environment",
			       take_name, &own, err, "") < 0)
		return -1;
	for (size_t i = 0; i < own.n; i++)
		eb_near_add(&near, own.v[i], name);
	if (curated)
		eb_near_curated(&near, name);
	return eb_near_error(&near, name, err);
}

static int say_versions(const char *name, const char *what, const char *value,
			const struct eb_strv *there, struct eb_error *err)
{
	EB_AUTOBUF(list, EB_MAX_TEXT);

	eb_err_set(err, EB_INPUT, "\"%s\" has no %s \"%s\"", name, what, value);
	for (size_t i = 0; i < there->n; i++)
		eb_buf_addf(&list, "%s\"%s\"", i ? ", " : "", there->v[i]);
	if (!there->n)
		return eb_err_hint(err, "it has none but \"latest\"");
	return eb_err_hint(err, "there %s %s", there->n == 1 ? "is" : "are",
			   list.data);
}

int eb_catalog_no_version(struct eb_catalog *c, const char *name,
			  const char *version, struct eb_error *err)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv there = { 0 };

	if (c->db && eb_db_run(c->db,
			       "SELECT version FROM environment WHERE name = ? "
			       "ORDER BY id DESC LIMIT 8",
			       take_name, &there, err, "t", name) < 0)
		return -1;
	if (!there.n)
		return eb_catalog_no_name(c, name, true, err);
	return say_versions(name, "version", version, &there, err);
}

static int no_label(struct eb_catalog *c, const char *name, const char *label,
		    struct eb_error *err)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv there = { 0 };

	if (c->db && eb_db_run(c->db,
			       "SELECT label FROM label WHERE name = ? "
			       "ORDER BY label",
			       take_name, &there, err, "t", name) < 0)
		return -1;
	return say_versions(name, "label", label, &there, err);
}

/* --- curated ones --- */

static int other_version(const struct eb_named *e, const char *version,
			 struct eb_error *err)
{
	eb_err_set(err, EB_INPUT, "version \"%s\" of \"%s\" is not public",
		   version, e->name);
	return eb_err_hint(err, "\"%s:%s\" is", e->name, e->version);
}

static int get_curated(const struct eb_env_ref *ref, struct eb_named **out,
		       struct eb_error *err)
{
	EB_CLEANUP(eb_named_free_ptr) struct eb_named *e = NULL;
	int rc = eb_curated_get(ref->name, &e, err);
	EB_CLEANUP(eb_strv_release) struct eb_strv none = { 0 };

	if (rc <= 0)
		return rc;
	if (ref->label && strcmp(ref->label, "latest"))
		return say_versions(e->name, "label", ref->label, &none, err);
	/* of one without a definition any version is as good */
	if (ref->version && e->version && strcmp(ref->version, e->version) &&
	    e->text)
		return other_version(e, ref->version, err);
	*out = eb_steal(e);
	return 1;
}

static bool is_curated(const char *name)
{
	struct eb_document d;

	return eb_name_reserved(name) || eb_document_find(name, &d);
}

static int has_name(struct eb_catalog *c, const char *name,
		    struct eb_error *err)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv one = { 0 };

	if (c->db && eb_db_run(c->db,
			       "SELECT name FROM environment WHERE name = ? "
			       "LIMIT 1",
			       take_name, &one, err, "t", name) < 0)
		return -1;
	return one.n > 0;
}

/* 0: it has nothing of that name. */
static int missing_elsewhere(struct eb_catalog *c, const struct eb_env_ref *ref,
			     struct eb_error *err)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv names = { 0 };
	EB_CLEANUP(eb_strv_release) struct eb_strv versions = { 0 };
	EB_CLEANUP(eb_strv_release) struct eb_strv labels = { 0 };

	if (c->at->tell(c->place, ref->name, &names, &versions, &labels, err) <
	    0)
		return -1;
	if (!versions.n || (!ref->version && !ref->label))
		return 0;
	return ref->version ? say_versions(ref->name, "version", ref->version,
					   &versions, err)
			    : say_versions(ref->name, "label", ref->label,
					   &labels, err);
}

int eb_catalog_missing(struct eb_catalog *c, const struct eb_env_ref *ref,
		       struct eb_error *err)
{
	int known;

	if (eb_catalog_ready(c, err) < 0)
		return -1;
	if (c->at && c->at->tell && !ref->curated &&
	    missing_elsewhere(c, ref, err) < 0)
		return -1;
	known = ref->curated ? 0 : has_name(c, ref->name, err);
	if (known < 0)
		return -1;
	if (!known || (!ref->version && !ref->label))
		return eb_catalog_no_name(c, ref->name, true, err);
	return ref->version
		       ? eb_catalog_no_version(c, ref->name, ref->version, err)
		       : no_label(c, ref->name, ref->label, err);
}

int eb_catalog_get(struct eb_catalog *c, const struct eb_env_ref *ref,
		   struct eb_named **out, struct eb_error *err)
{
	struct eb_named *e = NULL;
	int rc = 0;

	if (c->at && !ref->curated && !is_curated(ref->name))
		rc = c->at->get(c->place, ref, &e, err);
	if (rc == 0)
		rc = get_own(c, ref, &e, err);
	if (rc == 0)
		rc = get_curated(ref, &e, err);
	if (rc == 0)
		return eb_catalog_missing(c, ref, err);
	if (rc < 0) {
		eb_named_free(e);
		return -1;
	}
	*out = e;
	return 0;
}

int eb_catalog_labels(struct eb_catalog *c, struct eb_named *e,
		      struct eb_error *err)
{
	return e->status == EB_ENV_SHARED && c->at && c->at->labels
		       ? c->at->labels(c->place, e, err)
		       : 0;
}
