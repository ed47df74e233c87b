/* SPDX-License-Identifier: Apache-2.0 */
/* The database handle as the files of this module see it. */
#ifndef EB_DB_HANDLE_H
#define EB_DB_HANDLE_H

#include <pthread.h>
#include <sqlite3.h>

#include <envbuild/db.h>
#include <envbuild/mem.h>

#define EB_DB_BUSY_MS 60000

struct eb_db_statement {
	const char *sql; /* its address is what counts */
	sqlite3_stmt *stmt;
	bool busy; /* a row callback of it is running */
};

struct eb_db {
	char *path;
	sqlite3 *sqlite;
	pthread_mutex_t mutex; /* recursive */
	unsigned depth; /* of transactions; all but the first savepoints */
	struct eb_db_statement **statement;
	size_t n_statements, alloc_statements;
};

EB_AUTOPTR(struct eb_db, eb_db_close)

void eb_db_lock(struct eb_db *db);
void eb_db_unlock(struct eb_db *db);
/* SQLite's error on the handle; returns -1. */
int eb_db_fail(const struct eb_db *db, const char *doing, struct eb_error *err);
/* Statements without arguments and rows. */
int eb_db_exec(struct eb_db *db, const char *sql, const char *doing,
	       struct eb_error *err);
/* First column of the first row ("" without one), or NULL with err. */
char *eb_db_pragma(struct eb_db *db, const char *sql, struct eb_error *err);
int eb_db_migrate(struct eb_db *db, const struct eb_db_schema *schema,
		  unsigned flags, struct eb_error *err);

#endif
