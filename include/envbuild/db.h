/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SQLite: open, statements, migrations.
 *
 * One handle may be used from several threads: every call that touches it
 * takes the handle's mutex, and eb_db_begin() holds it until eb_db_end().
 */
#ifndef EB_DB_H
#define EB_DB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <envbuild/error.h>

struct eb_db;

/* Numbered migrations: script i lifts user_version i to i + 1. A database
 * with a higher user_version than `n` is refused (EB_MACHINE) with a hint
 * that a newer envbuild wrote it. Two processes may migrate at once. */
struct eb_db_schema {
	const char *const *script;
	unsigned n;
};

/* EB_DB_READONLY works in a folder that may not be written too, and takes no
 * schema older than `n`. EB_DB_NO_WAL: rollback journal, for network file
 * systems. EB_DB_KEEP_WAL: the journal is not worked into the file whenever the
 * last one closes it, which waits for the disk; from time to time it is. */
enum { EB_DB_READONLY = 1, EB_DB_NO_WAL = 2, EB_DB_KEEP_WAL = 4 };
int eb_db_open(const char *path, const struct eb_db_schema *schema,
	       unsigned flags, struct eb_db **out, struct eb_error *err);
void eb_db_close(struct eb_db *db);

/* IMMEDIATE transaction; commit=false rolls back, always gives 0 and leaves
 * `err` alone, so that it may be filled. Busy is waited for 60 s. Begun again
 * by the same thread it is a savepoint within the first. */
int eb_db_begin(struct eb_db *db, struct eb_error *err);
int eb_db_end(struct eb_db *db, bool commit, struct eb_error *err);

/* One statement; `types` has one letter an argument:
 *   t const char *          (NULL binds NULL)
 *   i int64_t
 *   b const void *, size_t  (blob)
 * Statements are prepared once and cached by the address of `sql`, so `sql`
 * has to be a literal. Rows go to `row` (NULL where none are wanted); it
 * returns 0 to go on, 1 to stop, -1 with err. */
struct eb_db_row;
typedef int eb_db_row_fn(void *data, const struct eb_db_row *row,
			 struct eb_error *err);
int eb_db_run(struct eb_db *db, const char *sql, eb_db_row_fn *row, void *data,
	      struct eb_error *err, const char *types, ...);
int64_t eb_db_int(const struct eb_db_row *row, int column);
const char *eb_db_text(const struct eb_db_row *row, int column); /* or NULL */
const void *eb_db_blob(const struct eb_db_row *row, int column, size_t *n);
/* Rows that the last statement changed; between begin and end it is ours. */
int64_t eb_db_changes(struct eb_db *db);

#endif
