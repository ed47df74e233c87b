/* SPDX-License-Identifier: Apache-2.0 */
/* A new version of a name. */
#include <string.h>
#include <time.h>

#include "catalog_priv.h"
#include "curated.h"

struct found {
	int64_t id;
	char *version;
	struct eb_digest definition;
};

static int take(void *data, const struct eb_db_row *row, struct eb_error *err)
{
	struct found *f = data;
	size_t n;
	const void *blob = eb_db_blob(row, 2, &n);

	(void)err;
	f->id = eb_db_int(row, 0);
	free(f->version);
	f->version = eb_strdup(eb_db_text(row, 1));
	if (blob && n == sizeof f->definition.byte)
		memcpy(f->definition.byte, blob, n);
	return 1;
}

static int take_number(void *data, const struct eb_db_row *row,
		       struct eb_error *err)
{
	(void)err;
	*(int64_t *)data = eb_db_int(row, 0);
	return 1;
}

int eb_catalog_find(struct eb_catalog *c, const char *name, const char *version,
		    int64_t *id, struct eb_error *err)
{
	struct found f = { 0 };
	int rc = c->db ? eb_db_run(c->db,
				   "SELECT id, version, definition FROM "
				   "environment WHERE name = ? AND version = ?",
				   take, &f, err, "tt", name, version)
		       : 0;

	free(f.version);
	*id = f.id;
	return rc < 0 ? -1 : f.id != 0;
}

/* Whole numbers as they are written by us: without zeros before them. */
static int64_t number_of(const char *version)
{
	uint64_t n;

	if (*version == '0' || eb_parse_u64(version, INT64_C(1) << 52, &n) < 0)
		return 0;
	return (int64_t)n;
}

static int next_version(struct eb_catalog *c, struct eb_named *e,
			struct eb_error *err)
{
	int64_t last = 0;

	if (eb_db_run(c->db,
		      "SELECT coalesce(max(number), 0) FROM environment "
		      "WHERE name = ?",
		      take_number, &last, err, "t", e->name) < 0)
		return -1;
	e->version = eb_asprintf("%lld", (long long)last + 1);
	return 0;
}

static int insert(struct eb_catalog *c, const struct eb_named *e,
		  const struct eb_digest *definition, struct eb_error *err)
{
	eb_autofree char *options =
		eb_catalog_pairs_text(&e->option_name, &e->option_value);
	eb_autofree char *variables =
		eb_catalog_pairs_text(&e->variable_name, &e->variable_value);
	eb_autofree char *framework = eb_named_framework(e);
	eb_autofree char *cuda = eb_named_cuda(e);
	int64_t number = number_of(e->version);

	return eb_db_run(c->db,
			 "INSERT INTO environment (name, version, number, "
			 "definition, text, file, files, variables, options, "
			 "origin, framework, cuda, time) VALUES (?, ?, "
			 "nullif(?, 0), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
			 NULL, NULL, err, "ttibtttttttti", e->name, e->version,
			 number, definition->byte, sizeof definition->byte,
			 e->text, e->file, e->files, variables, options,
			 e->origin, framework, cuda, (int64_t)time(NULL));
}

static int is_other(const struct eb_named *e, struct eb_error *err)
{
	eb_err_set(err, EB_INPUT,
		   "\"%s:%s\" is there already, with another definition",
		   e->name, e->version);
	return eb_err_hint(err, "a version never changes: leave --version out, "
				"or choose another");
}

/* The version that is asked for, or the newest that has the definition. */
static int look(struct eb_catalog *c, const struct eb_named *e,
		const struct eb_digest *definition, struct found *f,
		struct eb_error *err)
{
	if (e->version)
		return eb_db_run(c->db,
				 "SELECT id, version, definition FROM "
				 "environment WHERE name = ? AND version = ?",
				 take, f, err, "tt", e->name, e->version);
	return eb_db_run(c->db,
			 "SELECT id, version, definition FROM environment "
			 "WHERE name = ? AND definition = ? "
			 "ORDER BY id DESC LIMIT 1",
			 take, f, err, "tb", e->name, definition->byte,
			 sizeof definition->byte);
}

/* Within a transaction. */
static int add(struct eb_catalog *c, struct eb_named *e,
	       const struct eb_digest *definition, bool *made,
	       struct eb_error *err)
{
	struct found f = { 0 };
	int rc = look(c, e, definition, &f, err);
	eb_autofree char *version = f.version;

	*made = !f.id;
	if (rc < 0)
		return -1;
	if (f.id && !eb_digest_equal(&f.definition, definition))
		return is_other(e, err);
	if (f.id) {
		free(e->version);
		e->version = eb_steal(version);
		return 0;
	}
	if (!e->version && next_version(c, e, err) < 0)
		return -1;
	return insert(c, e, definition, err);
}

static int is_curated(const char *name, struct eb_error *err)
{
	struct eb_document d;

	if (!eb_document_find(name, &d))
		return 0;
	eb_err_set(err, EB_USAGE,
		   "\"%s\" cannot be a name of your own: a curated environment "
		   "has it",
		   name);
	return eb_err_hint(err, "choose another name");
}

int eb_catalog_add(struct eb_catalog *c, struct eb_named *e, bool *made,
		   struct eb_error *err)
{
	struct eb_digest definition;

	if (eb_env_name_check(e->name, err) < 0 ||
	    is_curated(e->name, err) < 0 ||
	    (e->version && eb_env_version_check(e->version, err) < 0) ||
	    eb_catalog_identity(e, &definition, err) < 0)
		return -1;
	if (c->at)
		return c->at->add(c->place, e, &definition, made, err);
	if (eb_db_begin(c->db, err) < 0)
		return -1;
	if (add(c, e, &definition, made, err) < 0) {
		eb_db_end(c->db, false, err);
		return -1;
	}
	return eb_db_end(c->db, true, err);
}
