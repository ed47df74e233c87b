/* SPDX-License-Identifier: Apache-2.0 */
/* SQLite: what every call needs, and transactions. */
#include <assert.h>
#include <stdio.h>

#include "db_handle.h"

void eb_db_lock(struct eb_db *db)
{
	pthread_mutex_lock(&db->mutex);
}

void eb_db_unlock(struct eb_db *db)
{
	pthread_mutex_unlock(&db->mutex);
}

static enum eb_code kind_of(int sqlite_code)
{
	switch (sqlite_code & 0xff) {
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB: return EB_INTEGRITY;
	default: return EB_MACHINE;
	}
}

int eb_db_fail(const struct eb_db *db, const char *doing, struct eb_error *err)
{
	return eb_err_set(err, kind_of(sqlite3_errcode(db->sqlite)),
			  "\"%s\", %s: %s", db->path, doing,
			  sqlite3_errmsg(db->sqlite));
}

int eb_db_exec(struct eb_db *db, const char *sql, const char *doing,
	       struct eb_error *err)
{
	if (sqlite3_exec(db->sqlite, sql, NULL, NULL, NULL) != SQLITE_OK)
		return eb_db_fail(db, doing, err);
	return 0;
}

/* The outermost is a transaction, those within it are savepoints, named by
 * their depth. */
int eb_db_begin(struct eb_db *db, struct eb_error *err)
{
	char sql[32] = "BEGIN IMMEDIATE";

	eb_db_lock(db);
	if (db->depth)
		snprintf(sql, sizeof sql, "SAVEPOINT s%u", db->depth);
	if (eb_db_exec(db, sql, "beginning a transaction", err) < 0) {
		eb_db_unlock(db);
		return -1;
	}
	db->depth++;
	return 0;
}

/* A rollback that SQLite refuses has happened already. */
static void roll_back(struct eb_db *db)
{
	char sql[64] = "ROLLBACK";

	if (db->depth)
		snprintf(sql, sizeof sql, "ROLLBACK TO s%u; RELEASE s%u",
			 db->depth, db->depth);
	sqlite3_exec(db->sqlite, sql, NULL, NULL, NULL);
}

static int commit_it(struct eb_db *db, struct eb_error *err)
{
	char sql[32] = "COMMIT";

	if (db->depth)
		snprintf(sql, sizeof sql, "RELEASE s%u", db->depth);
	if (eb_db_exec(db, sql, "committing", err) == 0)
		return 0;
	roll_back(db);
	return -1;
}

int eb_db_end(struct eb_db *db, bool commit, struct eb_error *err)
{
	int status = 0;

	assert(db->depth > 0);
	db->depth--;
	if (commit)
		status = commit_it(db, err);
	else
		roll_back(db);
	eb_db_unlock(db);
	return status;
}
