/* SPDX-License-Identifier: Apache-2.0 */
/* SQLite: open and close. */
#include <ctype.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/buf.h>
#include <envbuild/file.h>

#include "db_handle.h"

static void init_mutex(pthread_mutex_t *mutex)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(mutex, &attr);
	pthread_mutexattr_destroy(&attr);
}

static int open_sqlite(struct eb_db *db, const char *name, int flags,
		       struct eb_error *err)
{
	int code = sqlite3_open_v2(name, &db->sqlite,
				   flags | SQLITE_OPEN_NOMUTEX, NULL);

	if (!db->sqlite)
		eb_oom();
	if (code != SQLITE_OK)
		return eb_db_fail(db, "opening", err);
	sqlite3_extended_result_codes(db->sqlite, 1);
	sqlite3_busy_timeout(db->sqlite, EB_DB_BUSY_MS);
	return 0;
}

char *eb_db_pragma(struct eb_db *db, const char *sql, struct eb_error *err)
{
	sqlite3_stmt *stmt = NULL;
	char *text = NULL;
	int code = sqlite3_prepare_v2(db->sqlite, sql, -1, &stmt, NULL);

	if (code == SQLITE_OK)
		code = sqlite3_step(stmt);
	if (code == SQLITE_ROW)
		text = eb_strdup((const char *)sqlite3_column_text(stmt, 0));
	if (code != SQLITE_ROW && code != SQLITE_DONE)
		eb_db_fail(db, "reading its settings", err);
	else if (!text)
		text = eb_strdup("");
	sqlite3_finalize(stmt);
	return text;
}

static char *immutable_uri(const char *path)
{
	EB_AUTOBUF(uri, EB_MAX_TEXT);

	eb_buf_adds(&uri, "file:");
	for (; *path; path++) {
		if (isalnum((unsigned char)*path) || strchr("/._-", *path))
			eb_buf_addch(&uri, *path);
		else
			eb_buf_addf(&uri, "%%%02X", (unsigned char)*path);
	}
	eb_buf_adds(&uri, "?immutable=1");
	return eb_buf_steal(&uri, NULL);
}

static bool readable(struct eb_db *db)
{
	struct eb_error ignored = EB_ERROR_INIT;
	eb_autofree char *version =
		eb_db_pragma(db, "PRAGMA user_version", &ignored);

	eb_err_release(&ignored);
	return version;
}

/* In WAL mode a reader writes too, into the -shm file. Where the folder may
 * not be written and no -wal file says that somebody else is at work, the
 * file does not change and can be read as it is. */
static int open_readonly(struct eb_db *db, struct eb_error *err)
{
	eb_autofree char *wal = eb_asprintf("%s-wal", db->path);
	eb_autofree char *uri = NULL;

	if (open_sqlite(db, db->path, SQLITE_OPEN_READONLY, err) < 0)
		return -1;
	if (readable(db) || eb_path_exists(wal))
		return 0;
	sqlite3_close_v2(db->sqlite);
	db->sqlite = NULL;
	uri = immutable_uri(db->path);
	return open_sqlite(db, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI,
			   err);
}

/* The change to WAL needs the file for itself and does not wait for it as
 * other statements do. */
static int change_journal(struct eb_db *db, const char *sql,
			  struct eb_error *err)
{
	const int pause_ms = 20;
	int waited, code = SQLITE_BUSY;

	for (waited = 0; waited < EB_DB_BUSY_MS; waited += pause_ms) {
		code = sqlite3_exec(db->sqlite, sql, NULL, NULL, NULL);
		if ((code & 0xff) != SQLITE_BUSY)
			break;
		sqlite3_sleep(pause_ms);
	}
	if (code != SQLITE_OK)
		return eb_db_fail(db, "choosing its journal", err);
	return 0;
}

static int set_journal(struct eb_db *db, unsigned flags, struct eb_error *err)
{
	bool wal = !(flags & EB_DB_NO_WAL);
	eb_autofree char *now = eb_db_pragma(db, "PRAGMA journal_mode", err);

	if (!now)
		return -1;
	if (strcmp(now, wal ? "wal" : "delete") == 0)
		return 0;
	return change_journal(db,
			      wal ? "PRAGMA journal_mode = WAL"
				  : "PRAGMA journal_mode = DELETE",
			      err);
}

static int open_and_configure(struct eb_db *db, unsigned flags,
			      struct eb_error *err)
{
	if (flags & EB_DB_READONLY)
		return open_readonly(db, err);
	if (open_sqlite(db, db->path,
			SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, err) < 0 ||
	    set_journal(db, flags, err) < 0)
		return -1;
	if (flags & EB_DB_KEEP_WAL)
		sqlite3_db_config(db->sqlite, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE,
				  1, NULL);
	return eb_db_exec(db, "PRAGMA synchronous = NORMAL", "configuring",
			  err);
}

/* Foreign keys come last: a migration may have to replace a table that
 * others refer to. */
int eb_db_open(const char *path, const struct eb_db_schema *schema,
	       unsigned flags, struct eb_db **out, struct eb_error *err)
{
	struct eb_db *db EB_CLEANUP(eb_db_close_ptr) = eb_calloc(1, sizeof *db);

	db->path = eb_strdup(path);
	init_mutex(&db->mutex);
	if (open_and_configure(db, flags, err) < 0)
		return -1;
	if (schema && eb_db_migrate(db, schema, flags, err) < 0)
		return -1;
	if (eb_db_exec(db, "PRAGMA foreign_keys = ON", "configuring", err) < 0)
		return -1;
	*out = eb_steal(db);
	return 0;
}

void eb_db_close(struct eb_db *db)
{
	size_t i;

	if (!db)
		return;
	for (i = 0; i < db->n_statements; i++) {
		sqlite3_finalize(db->statement[i]->stmt);
		free(db->statement[i]);
	}
	free(db->statement);
	sqlite3_close_v2(db->sqlite);
	pthread_mutex_destroy(&db->mutex);
	free(db->path);
	free(db);
}
