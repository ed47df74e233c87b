/* SPDX-License-Identifier: Apache-2.0 */
/* SQLite: arguments and rows, transactions, migrations, several threads and
 * processes at once, read-only folders. */
#include "scratch.h"

#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <envbuild/db.h>

static const char *const scripts[] = {
	"CREATE TABLE t (k TEXT PRIMARY KEY, n INTEGER, b BLOB)",
	"CREATE TABLE child (k TEXT REFERENCES t (k)); "
	"INSERT INTO t VALUES ('made', 1, NULL)",
};
static const struct eb_db_schema schema = { scripts, 2 };

static void must(int status, struct eb_error *err)
{
	if (status < 0)
		fail_msg("%s", err->message);
}

static struct eb_db *open_db(unsigned flags)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_db *db = NULL;

	must(eb_db_open("d.sqlite", &schema, flags, &db, &err), &err);
	return db;
}

static int get_int(void *data, const struct eb_db_row *row,
		   struct eb_error *err)
{
	(void)err;
	*(int64_t *)data = eb_db_int(row, 0);
	return 0;
}

static int64_t count(struct eb_db *db)
{
	struct eb_error err = EB_ERROR_INIT;
	int64_t n = -1;

	must(eb_db_run(db, "SELECT count(*) FROM t", get_int, &n, &err, ""),
	     &err);
	return n;
}

static void insert(struct eb_db *db, const char *key, int64_t n)
{
	struct eb_error err = EB_ERROR_INIT;

	must(eb_db_run(db, "INSERT INTO t (k, n) VALUES (?, ?)", NULL, NULL,
		       &err, "ti", key, n),
	     &err);
}

struct rows {
	unsigned n, stop_after;
	char text[100];
	int64_t sum;
	size_t blob;
	bool null_text, null_blob;
};

static int take_row(void *data, const struct eb_db_row *row,
		    struct eb_error *err)
{
	struct rows *r = data;
	const char *text = eb_db_text(row, 0);
	const void *blob = eb_db_blob(row, 2, &r->blob);

	r->n++;
	r->sum += eb_db_int(row, 1);
	r->null_text = !text;
	r->null_blob = !blob;
	if (text)
		strncat(r->text, text, 20);
	if (r->stop_after == 77)
		return eb_err_set(err, EB_INPUT, "no such row please");
	return r->n == r->stop_after;
}

#define ALL "SELECT k, n, b FROM t ORDER BY k"

static void rows(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_db *db = open_db(0);
	struct rows r = { 0 };

	(void)state;
	insert(db, "a", 1);
	insert(db, "b", INT64_MIN);
	must(eb_db_run(db, ALL, take_row, &r, &err, ""), &err);
	assert_int_equal(r.n, 3);
	assert_string_equal(r.text, "abmade");
	assert_true(r.sum == INT64_MIN + 2);
	r = (struct rows){ .stop_after = 2 };
	must(eb_db_run(db, ALL, take_row, &r, &err, ""), &err);
	assert_int_equal(r.n, 2);
	r = (struct rows){ .stop_after = 77 };
	assert_int_equal(eb_db_run(db, ALL, take_row, &r, &err, ""), -1);
	assert_string_equal(err.message, "no such row please");
	eb_err_release(&err);
	must(eb_db_run(db, "DELETE FROM t WHERE n > ?", NULL, NULL, &err, "i",
		       (int64_t)0),
	     &err);
	assert_int_equal(eb_db_changes(db), 2);
	eb_db_close(db);
	eb_db_close(NULL);
}

static void null_and_blob(void **state)
{
	static const char sql[] = "INSERT OR REPLACE INTO t VALUES (?, ?, ?)";
	struct eb_error err = EB_ERROR_INIT;
	struct eb_db *db = open_db(0);
	struct rows r = { 0 };

	(void)state;
	must(eb_db_run(db, "DELETE FROM t", NULL, NULL, &err, ""), &err);
	must(eb_db_run(db, sql, NULL, NULL, &err, "tib", NULL, (int64_t)7,
		       "a\0b", (size_t)3),
	     &err);
	must(eb_db_run(db, ALL, take_row, &r, &err, ""), &err);
	assert_true(r.null_text);
	assert_int_equal(r.blob, 3);
	must(eb_db_run(db, "DELETE FROM t", NULL, NULL, &err, ""), &err);
	must(eb_db_run(db, sql, NULL, NULL, &err, "tib", "x", (int64_t)7, NULL,
		       (size_t)0),
	     &err);
	r = (struct rows){ 0 };
	must(eb_db_run(db, ALL, take_row, &r, &err, ""), &err);
	assert_true(r.null_blob);
	assert_int_equal(r.n, 1);
	eb_db_close(db);
}

static void bad_statements(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_db *db = open_db(0);

	(void)state;
	assert_int_equal(eb_db_run(db, "SELEKT", NULL, NULL, &err, ""), -1);
	assert_int_equal(err.code, EB_MACHINE);
	assert_non_null(strstr(err.message, "\"d.sqlite\", preparing"));
	eb_err_release(&err);
	assert_int_equal(eb_db_run(db, "INSERT INTO t (k) VALUES ('made')",
				   NULL, NULL, &err, ""),
			 -1);
	assert_non_null(strstr(err.message, "UNIQUE"));
	eb_err_release(&err);
	assert_int_equal(eb_db_run(db, "INSERT INTO child VALUES ('none')",
				   NULL, NULL, &err, ""),
			 -1);
	assert_non_null(strstr(err.message, "FOREIGN KEY"));
	eb_err_release(&err);
	eb_db_close(db);
}

struct nested {
	struct eb_db *db;
	unsigned depth, calls;
};

static int run_again(void *data, const struct eb_db_row *row,
		     struct eb_error *err)
{
	struct nested *n = data;
	int status = 0;

	(void)row;
	n->calls++;
	if (n->depth) {
		n->depth--;
		status = eb_db_run(n->db, ALL, run_again, n, err, "");
		n->depth++;
	}
	return status;
}

/* A statement that its own rows run again. */
static void statement_in_itself(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct nested n = { open_db(0), 2, 0 };

	(void)state;
	insert(n.db, "a", 1);
	must(eb_db_run(n.db, ALL, run_again, &n, &err, ""), &err);
	assert_int_equal(n.calls, 2 + 4 + 8);
	eb_db_close(n.db);
}

static void transactions(void **state)
{
	struct eb_error err = EB_ERROR_INIT, kept = EB_ERROR_INIT;
	struct eb_db *db = open_db(0), *other = open_db(0);

	(void)state;
	must(eb_db_begin(db, &err), &err);
	insert(db, "a", 1);
	assert_int_equal(count(other), 1);
	must(eb_db_end(db, true, &err), &err);
	assert_int_equal(count(other), 2);
	must(eb_db_begin(db, &err), &err);
	insert(db, "b", 1);
	eb_err_set(&kept, EB_INPUT, "kept");
	assert_int_equal(eb_db_end(db, false, &kept), 0);
	assert_string_equal(kept.message, "kept");
	eb_err_release(&kept);
	assert_int_equal(count(db), 2);
	eb_db_close(other);
	eb_db_close(db);
}

static void savepoints(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_db *db = open_db(0);

	(void)state;
	must(eb_db_begin(db, &err), &err);
	insert(db, "a", 1);
	must(eb_db_begin(db, &err), &err);
	insert(db, "b", 1);
	must(eb_db_begin(db, &err), &err);
	insert(db, "c", 1);
	must(eb_db_end(db, true, &err), &err);
	must(eb_db_end(db, false, &err), &err);
	must(eb_db_begin(db, &err), &err);
	insert(db, "d", 1);
	must(eb_db_end(db, true, &err), &err);
	assert_int_equal(count(db), 3);
	must(eb_db_end(db, true, &err), &err);
	assert_int_equal(count(db), 3);
	eb_db_close(db);
}

static void pragma(const char *sql, int64_t expected, struct eb_db *db)
{
	struct eb_error err = EB_ERROR_INIT;
	int64_t value = -1;

	must(eb_db_run(db, sql, get_int, &value, &err, ""), &err);
	assert_int_equal(value, expected);
}

static void settings(void **state)
{
	struct eb_db *db = open_db(0);

	(void)state;
	pragma("PRAGMA foreign_keys", 1, db);
	pragma("PRAGMA synchronous", 1, db);
	pragma("PRAGMA busy_timeout", 60000, db);
	pragma("PRAGMA user_version", 2, db);
	pragma("SELECT journal_mode = 'wal' FROM pragma_journal_mode", 1, db);
	eb_db_close(db);
	db = open_db(EB_DB_NO_WAL);
	pragma("SELECT journal_mode = 'delete' FROM pragma_journal_mode", 1,
	       db);
	eb_db_close(db);
}

static void migrations(void **state)
{
	static const struct eb_db_schema first = { scripts, 1 };
	struct eb_error err = EB_ERROR_INIT;
	struct eb_db *db = NULL;

	(void)state;
	must(eb_db_open("d.sqlite", &first, 0, &db, &err), &err);
	insert(db, "old", 1);
	eb_db_close(db);
	assert_int_equal(
		eb_db_open("d.sqlite", &schema, EB_DB_READONLY, &db, &err), -1);
	assert_int_equal(err.code, EB_MACHINE);
	eb_err_release(&err);
	db = open_db(0);
	assert_int_equal(count(db), 2);
	eb_db_close(db);
	assert_int_equal(eb_db_open("d.sqlite", &first, 0, &db, &err), -1);
	assert_int_equal(err.code, EB_MACHINE);
	assert_non_null(strstr(err.message, "its format is 2"));
	assert_non_null(strstr(err.hint, "newer envbuild"));
	eb_err_release(&err);
}

/* A script that fails leaves nothing of the row of scripts. */
static void failing_migration(void **state)
{
	static const char *const bad[] = { "CREATE TABLE t (k TEXT)",
					   "CREATE TABLE t (k TEXT)" };
	static const struct eb_db_schema bad_schema = { bad, 2 };
	struct eb_error err = EB_ERROR_INIT;
	struct eb_db *db = NULL;

	(void)state;
	assert_int_equal(eb_db_open("d.sqlite", &bad_schema, 0, &db, &err), -1);
	assert_non_null(strstr(err.message, "migrating"));
	eb_err_release(&err);
	db = open_db(0);
	assert_int_equal(count(db), 1);
	eb_db_close(db);
}

static void no_database(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_db *db = NULL;

	(void)state;
	must(eb_write_file("d.sqlite", "this is no database at all", 26, 0644,
			   &err),
	     &err);
	assert_int_equal(eb_db_open("d.sqlite", &schema, 0, &db, &err), -1);
	assert_int_equal(err.code, EB_INTEGRITY);
	eb_err_release(&err);
	assert_int_equal(eb_db_open("no/d", &schema, 0, &db, &err), -1);
	assert_int_equal(err.code, EB_MACHINE);
	assert_non_null(strstr(err.message, "\"no/d\", opening"));
	eb_err_release(&err);
	assert_int_equal(eb_db_open("none", NULL, EB_DB_READONLY, &db, &err),
			 -1);
	eb_err_release(&err);
	assert_null(db);
}

static int read_as_nobody(void)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_db *db = NULL;
	int64_t n = -1;

	if (setgid(65534) < 0 || setuid(65534) < 0)
		return 9;
	if (eb_db_open("ro/a b%c.sqlite", &schema, EB_DB_READONLY, &db, &err) <
	    0)
		return 8;
	if (eb_db_run(db, "SELECT count(*) FROM t", get_int, &n, &err, "") < 0)
		return 7;
	eb_db_close(db);
	return n == 1 ? 0 : 6;
}

/* In a folder that may not be written, by somebody to whom that matters. */
static void read_only_folder(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_db *db = NULL;
	int status;
	pid_t pid;

	if (getuid() != 0)
		skip();
	assert_int_equal(chmod(*state, 0755), 0);
	must(eb_mkdirs("ro", 0755, &err), &err);
	must(eb_db_open("ro/a b%c.sqlite", &schema, 0, &db, &err), &err);
	eb_db_close(db);
	assert_int_equal(chmod("ro/a b%c.sqlite", 0444), 0);
	assert_int_equal(chmod("ro", 0555), 0);
	pid = fork();
	if (pid == 0)
		_exit(read_as_nobody());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void read_only(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_db *db = open_db(0), *reader = open_db(EB_DB_READONLY);

	(void)state;
	insert(db, "a", 1);
	assert_int_equal(count(reader), 2);
	assert_int_equal(
		eb_db_run(reader, "DELETE FROM t", NULL, NULL, &err, ""), -1);
	assert_int_equal(err.code, EB_MACHINE);
	eb_err_release(&err);
	eb_db_close(reader);
	eb_db_close(db);
}

/* Each thread's transactions are its own: nobody's insert gets in between. */
static void *add_pairs(void *data)
{
	struct eb_db *db = data;
	struct eb_error err = EB_ERROR_INIT;
	int i, status = 0;

	for (i = 0; i < 100 && status == 0; i++) {
		int64_t before = 0, after = 0;

		status = eb_db_begin(db, &err);
		before = count(db);
		status |= eb_db_run(db, "INSERT INTO t (n) VALUES (1)", NULL,
				    NULL, &err, "");
		status |= eb_db_run(db, "INSERT INTO t (n) VALUES (2)", NULL,
				    NULL, &err, "");
		after = count(db);
		status |= eb_db_end(db, true, &err);
		if (after != before + 2)
			status = -1;
	}
	return status ? data : NULL;
}

static void threads(void **state)
{
	struct eb_db *db = open_db(0);
	pthread_t t[4];
	void *result;
	int i;

	(void)state;
	for (i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, add_pairs, db);
	for (i = 0; i < 4; i++) {
		pthread_join(t[i], &result);
		assert_null(result);
	}
	assert_int_equal(count(db), 801);
	eb_db_close(db);
}

static int open_and_add(void)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_db *db = NULL;
	int i;

	if (eb_db_open("d.sqlite", &schema, 0, &db, &err) < 0) {
		print_error("%s\n", err.message);
		return 1;
	}
	for (i = 0; i < 20; i++)
		if (eb_db_run(db, "INSERT INTO t (n) VALUES (5)", NULL, NULL,
			      &err, "") < 0)
			return 2;
	eb_db_close(db);
	return 0;
}

/* All begin with no database at all: one makes it, nobody fails. */
static void processes(void **state)
{
	struct eb_db *db;
	pid_t pid[6];
	int i, status;

	(void)state;
	for (i = 0; i < 6; i++) {
		pid[i] = fork();
		if (pid[i] == 0)
			_exit(open_and_add());
	}
	for (i = 0; i < 6; i++) {
		assert_int_equal(waitpid(pid[i], &status, 0), pid[i]);
		assert_int_equal(status, 0);
	}
	db = open_db(0);
	assert_int_equal(count(db), 121);
	eb_db_close(db);
}

#define IN_FOLDER(test) \
	cmocka_unit_test_setup_teardown(test, scratch_set_up, scratch_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(rows),
		IN_FOLDER(null_and_blob),
		IN_FOLDER(bad_statements),
		IN_FOLDER(statement_in_itself),
		IN_FOLDER(transactions),
		IN_FOLDER(savepoints),
		IN_FOLDER(settings),
		IN_FOLDER(migrations),
		IN_FOLDER(failing_migration),
		IN_FOLDER(no_database),
		IN_FOLDER(read_only_folder),
		IN_FOLDER(read_only),
		IN_FOLDER(threads),
		IN_FOLDER(processes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
