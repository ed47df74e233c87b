/* SPDX-License-Identifier: Apache-2.0 */
/* SQLite: numbered migrations. */
#include <stdio.h>

#include "db_handle.h"

static int read_version(struct eb_db *db, long *version, struct eb_error *err)
{
	eb_autofree char *text = eb_db_pragma(db, "PRAGMA user_version", err);

	if (!text)
		return -1;
	*version = strtol(text, NULL, 10);
	return 0;
}

/* 1: up to date, 0: to be migrated */
static int compare(struct eb_db *db, const struct eb_db_schema *schema,
		   long *version, struct eb_error *err)
{
	if (read_version(db, version, err) < 0)
		return -1;
	if (*version >= 0 && *version <= (long)schema->n)
		return *version == (long)schema->n;
	eb_err_set(err, EB_MACHINE,
		   "\"%s\", opening: its format is %ld, and the newest that "
		   "this envbuild knows is %u",
		   db->path, *version, schema->n);
	return eb_err_hint(err, "a newer envbuild wrote it: use that one, or "
				"another folder");
}

static int run_scripts(struct eb_db *db, const struct eb_db_schema *schema,
		       long version, struct eb_error *err)
{
	char sql[48];

	for (; version < (long)schema->n; version++) {
		snprintf(sql, sizeof sql, "PRAGMA user_version = %ld",
			 version + 1);
		if (eb_db_exec(db, schema->script[version], "migrating", err) <
			    0 ||
		    eb_db_exec(db, sql, "migrating", err) < 0)
			return -1;
	}
	return 0;
}

/* Looks at the version again within the transaction: between the first look
 * and the lock another process may have done it all. */
int eb_db_migrate(struct eb_db *db, const struct eb_db_schema *schema,
		  unsigned flags, struct eb_error *err)
{
	long version;
	int status = compare(db, schema, &version, err);

	if (status)
		return status < 0 ? -1 : 0;
	if (flags & EB_DB_READONLY)
		return eb_err_set(err, EB_MACHINE,
				  "\"%s\", opening read-only: its format %ld "
				  "would have to become %u",
				  db->path, version, schema->n);
	if (eb_db_begin(db, err) < 0)
		return -1;
	status = compare(db, schema, &version, err);
	if (status == 0)
		status = run_scripts(db, schema, version, err);
	if (status < 0) {
		eb_db_end(db, false, err);
		return -1;
	}
	return eb_db_end(db, true, err);
}
