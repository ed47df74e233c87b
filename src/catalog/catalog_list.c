/* SPDX-License-Identifier: Apache-2.0 */
/* Own environments, one after the other, and what they hash to. */
#include <string.h>

#include "catalog_priv.h"

struct walk {
	eb_catalog_fn *fn;
	void *data;
};

static int tell(void *data, const struct eb_db_row *row, struct eb_error *err)
{
	struct walk *w = data;
	struct eb_digest hash;
	size_t n;
	const void *blob = eb_db_blob(row, 6, &n);
	const struct eb_catalog_row r = {
		.name = eb_db_text(row, 0),
		.version = eb_db_text(row, 1),
		.framework = eb_db_text(row, 2),
		.cuda = eb_db_text(row, 3),
		.time = eb_db_int(row, 4),
		.archived = eb_db_int(row, 5),
		.hash = blob && n == sizeof hash.byte ? &hash : NULL,
	};

	if (r.hash)
		memcpy(hash.byte, blob, n);
	return w->fn(w->data, &r, err);
}

#define COLUMNS                                                               \
	"SELECT e.name, e.version, e.framework, e.cuda, e.time, e.archived, " \
	"m.hash FROM environment e LEFT JOIN memo m "                         \
	"ON m.identity = e.definition AND m.settings = ? "

int eb_catalog_list(struct eb_catalog *c, const char *name, bool archived,
		    const struct eb_digest *settings, eb_catalog_fn *fn,
		    void *data, struct eb_error *err)
{
	static const struct eb_digest none;
	const struct eb_digest *s = settings ? settings : &none;
	struct walk w = { fn, data };

	if (c->at && c->at->list)
		return c->at->list(c->place, name, archived, fn, data, err);
	if (eb_catalog_ready(c, err) < 0)
		return -1;
	if (!c->db)
		return 0;
	if (name)
		return eb_db_run(c->db,
				 COLUMNS "WHERE e.name = ? AND e.archived <= ? "
					 "ORDER BY e.id DESC",
				 tell, &w, err, "bti", s->byte, sizeof s->byte,
				 name, (int64_t)archived);
	return eb_db_run(c->db,
			 COLUMNS "WHERE e.id IN (SELECT max(id) FROM "
				 "environment WHERE archived <= ? "
				 "GROUP BY name) ORDER BY e.name",
			 tell, &w, err, "bi", s->byte, sizeof s->byte,
			 (int64_t)archived);
}

int eb_catalog_remember(struct eb_catalog *c, const char *name,
			const char *version, const struct eb_digest *settings,
			const struct eb_digest *hash, struct eb_error *err)
{
	if (c->at)
		return 0;
	return eb_db_run(c->db,
			 "INSERT OR REPLACE INTO memo (identity, settings, "
			 "hash) SELECT definition, ?, ? FROM environment "
			 "WHERE name = ? AND version = ?",
			 NULL, NULL, err, "bbtt", settings->byte,
			 sizeof settings->byte, hash->byte, sizeof hash->byte,
			 name, version);
}
