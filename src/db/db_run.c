/* SPDX-License-Identifier: Apache-2.0 */
/* SQLite: one statement with its arguments and rows. */
#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include "db_handle.h"

struct eb_db_row {
	sqlite3_stmt *stmt;
};

static sqlite3_stmt *prepare(struct eb_db *db, const char *sql, bool keep,
			     struct eb_error *err)
{
	sqlite3_stmt *stmt = NULL;

	if (sqlite3_prepare_v3(db->sqlite, sql, -1,
			       keep ? SQLITE_PREPARE_PERSISTENT : 0, &stmt,
			       NULL) != SQLITE_OK)
		eb_db_fail(db, "preparing a statement", err);
	return stmt;
}

static struct eb_db_statement *find(struct eb_db *db, const char *sql)
{
	size_t i;

	for (i = 0; i < db->n_statements; i++)
		if (db->statement[i]->sql == sql)
			return db->statement[i];
	return NULL;
}

static struct eb_db_statement *cached(struct eb_db *db, const char *sql,
				      struct eb_error *err)
{
	struct eb_db_statement *s = find(db, sql);
	sqlite3_stmt *stmt;

	if (s)
		return s;
	stmt = prepare(db, sql, true, err);
	if (!stmt)
		return NULL;
	s = eb_malloc(sizeof *s);
	*s = (struct eb_db_statement){ sql, stmt, false };
	EB_GROW(db->statement, db->n_statements, db->alloc_statements);
	db->statement[db->n_statements++] = s;
	return s;
}

static int bind_one(sqlite3_stmt *stmt, int i, char type, va_list *ap)
{
	const void *p;

	switch (type) {
	case 't':
		return sqlite3_bind_text(stmt, i, va_arg(*ap, const char *), -1,
					 SQLITE_STATIC);
	case 'i': return sqlite3_bind_int64(stmt, i, va_arg(*ap, int64_t));
	case 'b':
		p = va_arg(*ap, const void *);
		return sqlite3_bind_blob64(stmt, i, p, va_arg(*ap, size_t),
					   SQLITE_STATIC);
	}
	return SQLITE_MISUSE;
}

static int bind_all(struct eb_db *db, sqlite3_stmt *stmt, const char *types,
		    va_list *ap, struct eb_error *err)
{
	int i, n = (int)strlen(types);

	assert(sqlite3_bind_parameter_count(stmt) == n);
	for (i = 0; i < n; i++)
		if (bind_one(stmt, i + 1, types[i], ap) != SQLITE_OK)
			return eb_db_fail(db, "binding an argument", err);
	return 0;
}

static int step_all(struct eb_db *db, sqlite3_stmt *stmt, eb_db_row_fn *row,
		    void *data, struct eb_error *err)
{
	struct eb_db_row r = { stmt };
	int code, status = 0;

	while (status == 0) {
		code = sqlite3_step(stmt);
		if (code == SQLITE_DONE)
			return 0;
		if (code != SQLITE_ROW)
			return eb_db_fail(db, "executing a statement", err);
		if (row)
			status = row(data, &r, err);
	}
	return status < 0 ? -1 : 0;
}

static int run_stmt(struct eb_db *db, sqlite3_stmt *stmt, eb_db_row_fn *row,
		    void *data, struct eb_error *err, const char *types,
		    va_list *ap)
{
	int status = bind_all(db, stmt, types, ap, err);

	if (status == 0)
		status = step_all(db, stmt, row, data, err);
	sqlite3_reset(stmt);
	sqlite3_clear_bindings(stmt);
	return status;
}

/* A statement that is run again by its own row callback is prepared anew. */
static int run_locked(struct eb_db *db, const char *sql, eb_db_row_fn *row,
		      void *data, struct eb_error *err, const char *types,
		      va_list *ap)
{
	struct eb_db_statement *s = cached(db, sql, err);
	sqlite3_stmt *again;
	int status;

	if (!s)
		return -1;
	if (!s->busy) {
		s->busy = true;
		status = run_stmt(db, s->stmt, row, data, err, types, ap);
		s->busy = false;
		return status;
	}
	again = prepare(db, sql, false, err);
	if (!again)
		return -1;
	status = run_stmt(db, again, row, data, err, types, ap);
	sqlite3_finalize(again);
	return status;
}

int eb_db_run(struct eb_db *db, const char *sql, eb_db_row_fn *row, void *data,
	      struct eb_error *err, const char *types, ...)
{
	va_list ap;
	int status;

	eb_db_lock(db);
	va_start(ap, types);
	status = run_locked(db, sql, row, data, err, types, &ap);
	va_end(ap);
	eb_db_unlock(db);
	return status;
}

int64_t eb_db_int(const struct eb_db_row *row, int column)
{
	return sqlite3_column_int64(row->stmt, column);
}

const char *eb_db_text(const struct eb_db_row *row, int column)
{
	return (const char *)sqlite3_column_text(row->stmt, column);
}

const void *eb_db_blob(const struct eb_db_row *row, int column, size_t *n)
{
	const void *p = sqlite3_column_blob(row->stmt, column);

	*n = (size_t)sqlite3_column_bytes(row->stmt, column);
	return p;
}

int64_t eb_db_changes(struct eb_db *db)
{
	int64_t n;

	eb_db_lock(db);
	n = sqlite3_changes64(db->sqlite);
	eb_db_unlock(db);
	return n;
}
