/* SPDX-License-Identifier: Apache-2.0 */
/* The user's own environments: versions, labels, archived ones, several
 * processes at once, a file of a newer format. */
#include "scratch.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <envbuild/catalog.h>
#include <envbuild/db.h>

#define AUTONAMED(name) \
	EB_CLEANUP(eb_named_free_ptr) struct eb_named *name = NULL
#define AUTOCATALOG(name) \
	EB_CLEANUP(eb_catalog_close_ptr) struct eb_catalog *name = NULL

static void must(int status, struct eb_error *err)
{
	if (status < 0)
		fail_msg("%s", err->message);
}

static struct eb_catalog *open_catalog(unsigned flags)
{
	struct eb_catalog *c = NULL;
	AUTOERR(err);

	must(eb_catalog_open("c.sqlite", flags, &c, &err), &err);
	return c;
}

static struct eb_named *definition(const char *name, const char *version,
				   const char *text)
{
	struct eb_named *e = eb_calloc(1, sizeof *e);

	e->name = eb_strdup(name);
	e->version = eb_strdup(version);
	e->text = eb_strdup(text);
	e->file = eb_strdup("conda_dependencies.yml");
	return e;
}

/* The version that it gets; caller frees. */
static char *add(struct eb_catalog *c, const char *name, const char *version,
		 const char *text, bool *made)
{
	AUTONAMED(e);
	AUTOERR(err);
	bool ignored;

	e = definition(name, version, text);
	must(eb_catalog_add(c, e, made ? made : &ignored, &err), &err);
	return eb_strdup(e->version);
}

static void gets(struct eb_catalog *c, const char *name, const char *version,
		 const char *text, const char *want)
{
	eb_autofree char *got = add(c, name, version, text, NULL);

	assert_string_equal(got, want);
}

static void is(struct eb_catalog *c, const char *reference, const char *version)
{
	struct eb_env_ref ref EB_CLEANUP(eb_env_ref_release) = { 0 };
	AUTONAMED(e);
	AUTOERR(err);

	must(eb_env_ref_parse(reference, &ref, &err), &err);
	must(eb_catalog_get(c, &ref, &e, &err), &err);
	assert_string_equal(e->version, version);
}

static void is_not(struct eb_catalog *c, const char *reference,
		   const char *word)
{
	struct eb_env_ref ref EB_CLEANUP(eb_env_ref_release) = { 0 };
	AUTONAMED(e);
	AUTOERR(err);
	eb_autofree char *all = NULL;

	must(eb_env_ref_parse(reference, &ref, &err), &err);
	assert_int_equal(eb_catalog_get(c, &ref, &e, &err), -1);
	assert_int_equal(err.code, EB_INPUT);
	all = eb_asprintf("%s; %s", err.message, err.hint ? err.hint : "");
	if (!strstr(all, word))
		fail_msg("%s", all);
}

#define A "dependencies: [a]\n"
#define B "dependencies: [b]\n"
#define C "dependencies: [c]\n"

static void test_versions(void **state)
{
	AUTOCATALOG(c);
	bool made;

	(void)state;
	c = open_catalog(0);
	gets(c, "n", NULL, A, "1");
	gets(c, "n", NULL, B, "2");
	free(add(c, "n", NULL, "# the same\ndependencies:\n- a\n", &made));
	assert_false(made);
	gets(c, "n", NULL, A, "1");
	gets(c, "other", NULL, A, "1");
	gets(c, "n", "2020-beta", C, "2020-beta");
	gets(c, "n", "7", C, "7");
	gets(c, "n", NULL, "dependencies: [d]\n", "8");
	gets(c, "n", "007", A, "007");
	gets(c, "n", NULL, "dependencies: [e]\n", "9");
	is(c, "n", "9");
	is(c, "n:2", "2");
	is(c, "n:2020-beta", "2020-beta");
	is(c, "n@latest", "9");
	is_not(c, "n:3", "\"9\", ");
	is_not(c, "n@prod", "none but \"latest\"");
}

static void test_never_changes(void **state)
{
	AUTOCATALOG(c);
	AUTONAMED(e);
	AUTOERR(err);
	bool made;

	(void)state;
	c = open_catalog(0);
	gets(c, "n", "1", A, "1");
	gets(c, "n", "1", A, "1");
	e = definition("n", "1", B);
	assert_int_equal(eb_catalog_add(c, e, &made, &err), -1);
	assert_int_equal(err.code, EB_INPUT);
	assert_non_null(strstr(err.message, "\"n:1\""));
	is(c, "n", "1");
}

/* Options are of the definition; their order is not. */
static void test_options(void **state)
{
	static const char *const options[][2] = {
		{ "base", "debian:12" },
		{ "as-of", "2020-09-30" },
		{ "build-env", "A=1" },
		{ "build-env", "B=2" },
	};
	struct eb_env_ref ref = { .name = (char *)"n" };
	AUTOCATALOG(c);
	AUTONAMED(e);
	AUTONAMED(f);
	AUTONAMED(got);
	AUTOERR(err);
	bool made;

	(void)state;
	c = open_catalog(0);
	gets(c, "n", NULL, A, "1");
	e = definition("n", NULL, A);
	f = definition("n", NULL, A);
	for (size_t i = 0; i < 4; i++) {
		eb_named_add_option(e, options[i][0], options[i][1]);
		eb_named_add_option(f, options[3 - i][0], options[3 - i][1]);
	}
	must(eb_catalog_add(c, e, &made, &err), &err);
	assert_string_equal(e->version, "2");
	must(eb_catalog_add(c, f, &made, &err), &err);
	assert_string_equal(f->version, "2");
	must(eb_catalog_get(c, &ref, &got, &err), &err);
	assert_string_equal(eb_named_option(got, "base"), "debian:12");
	assert_string_equal(eb_named_option(got, "build-env"), "A=1");
	assert_int_equal(got->option_name.n, 4);
	assert_string_equal(got->text, A);
}

static void refused(struct eb_catalog *c, const char *name, const char *version,
		    const char *text, enum eb_code code, const char *word)
{
	AUTONAMED(e);
	AUTOERR(err);
	bool made;

	e = definition(name, version, text);
	assert_int_equal(eb_catalog_add(c, e, &made, &err), -1);
	if (err.code != code || !strstr(err.message, word))
		fail_msg("%s", err.message);
}

static void test_refused(void **state)
{
	AUTOCATALOG(c);

	(void)state;
	c = open_catalog(0);
	refused(c, "AzureML-x", NULL, A, EB_USAGE, "reserved");
	refused(c, "sklearn-1.5", NULL, A, EB_USAGE, "curated");
	refused(c, "a b", NULL, A, EB_USAGE, "a b");
	refused(c, "n", "a/b", A, EB_USAGE, "a/b");
	refused(c, "n", NULL, "[", EB_INPUT, "conda_dependencies.yml");
	refused(c, "n", NULL, "dependencies: [python, {pip: [./x]}]", EB_INPUT,
		"./x");
	refused(c, "n", NULL, "dependencies: [python, {pip: [-r x.txt]}]",
		EB_INPUT, "x.txt");
	is_not(c, "n", "no environment is named \"n\"");
}

static void test_labels(void **state)
{
	AUTOCATALOG(c);
	AUTOERR(err);

	(void)state;
	c = open_catalog(0);
	gets(c, "n", NULL, A, "1");
	gets(c, "n", NULL, B, "2");
	must(eb_catalog_label(c, "n", "1", "prod", &err), &err);
	is(c, "n@prod", "1");
	must(eb_catalog_label(c, "n", "2", "prod", &err), &err);
	is(c, "n@prod", "2");
	is_not(c, "n@test", "\"prod\"");
	assert_int_equal(eb_catalog_label(c, "n", "3", "prod", &err), -1);
	assert_int_equal(err.code, EB_INPUT);
	eb_err_release(&err);
	assert_int_equal(eb_catalog_label(c, "n", "1", "latest", &err), -1);
	assert_int_equal(err.code, EB_USAGE);
	eb_err_release(&err);
	assert_int_equal(eb_catalog_label(c, "sklearn-1.5", "1", "x", &err),
			 -1);
	assert_int_equal(err.code, EB_USAGE);
	is(c, "n@prod", "2");
}

static int count(void *data, const struct eb_catalog_row *row,
		 struct eb_error *err)
{
	(void)row;
	(void)err;
	++*(size_t *)data;
	return 0;
}

static size_t listed(struct eb_catalog *c, const char *name, bool archived)
{
	size_t n = 0;
	AUTOERR(err);

	must(eb_catalog_list(c, name, archived, NULL, count, &n, &err), &err);
	return n;
}

static void test_archive(void **state)
{
	AUTOCATALOG(c);
	AUTOERR(err);

	(void)state;
	c = open_catalog(0);
	gets(c, "n", NULL, A, "1");
	gets(c, "n", NULL, B, "2");
	gets(c, "m", NULL, A, "1");
	must(eb_catalog_archive(c, "n", "2", true, &err), &err);
	is(c, "n", "1");
	is(c, "n:2", "2");
	assert_int_equal(listed(c, "n", false), 1);
	must(eb_catalog_archive(c, "n", NULL, true, &err), &err);
	is(c, "n", "2");
	assert_int_equal(listed(c, NULL, false), 1);
	assert_int_equal(listed(c, NULL, true), 2);
	must(eb_catalog_archive(c, "n", NULL, false, &err), &err);
	assert_int_equal(listed(c, NULL, false), 2);
	assert_int_equal(listed(c, "n", false), 2);
	assert_int_equal(eb_catalog_archive(c, "x", NULL, true, &err), -1);
	assert_int_equal(err.code, EB_INPUT);
}

struct seen {
	size_t n, known;
	struct eb_digest hash;
};

static int see(void *data, const struct eb_catalog_row *row,
	       struct eb_error *err)
{
	struct seen *s = data;

	(void)err;
	s->n++;
	if (row->hash) {
		s->known++;
		s->hash = *row->hash;
	}
	return 0;
}

/* What a definition hashes to is known of all that have it, under the settings
 * that it was told for. */
static void test_memo(void **state)
{
	struct eb_digest settings, other, hash;
	struct seen s = { 0 };
	AUTOCATALOG(c);
	AUTOERR(err);

	(void)state;
	memset(&settings, 1, sizeof settings);
	memset(&other, 2, sizeof other);
	memset(&hash, 3, sizeof hash);
	c = open_catalog(0);
	gets(c, "a", NULL, A, "1");
	gets(c, "twin", NULL, A, "1");
	gets(c, "z", NULL, B, "1");
	must(eb_catalog_remember(c, "a", "1", &settings, &hash, &err), &err);
	must(eb_catalog_list(c, NULL, false, &settings, see, &s, &err), &err);
	assert_int_equal(s.n, 3);
	assert_int_equal(s.known, 2);
	assert_true(eb_digest_equal(&s.hash, &hash));
	s = (struct seen){ 0 };
	must(eb_catalog_list(c, NULL, false, &other, see, &s, &err), &err);
	assert_int_equal(s.known, 0);
}

/* An own one wins, but not by azureml://; near names are of both kinds. */
static void test_both_kinds(void **state)
{
	AUTOCATALOG(c);

	(void)state;
	c = open_catalog(0);
	gets(c, "mine", NULL, A, "1");
	is(c, "AzureML-PyTorch-1.6-GPU", "4");
	is(c, "azureml:AzureML-PyTorch-1.6-GPU:4", "4");
	is(c,
	   "azureml://registries/azureml/environments/"
	   "AzureML-PyTorch-1.6-GPU/labels/latest",
	   "4");
	is_not(c, "AzureML-PyTorch-1.6-GPU:3", "\"AzureML-PyTorch-1.6-GPU:4\"");
	is_not(c, "azureml://registries/azureml/environments/mine/versions/1",
	       "no environment");
	is_not(c, "mien", "\"mine\"");
	is_not(c, "pytorch-1.6-gpu", "\"AzureML-PyTorch-1.6-GPU\"");
	is_not(c, "AzureML-pytorch-1.6-gpu", "\"AzureML-PyTorch-1.6-GPU\"");
	is_not(c, "nothing-like-it-anywhere", "list --all");
}

static void test_readonly(void **state)
{
	AUTOCATALOG(c);

	(void)state;
	c = open_catalog(EB_CATALOG_READONLY);
	assert_int_equal(listed(c, NULL, true), 0);
	is(c, "AzureML-Tutorial", "49");
	is_not(c, "mine", "no environment");
	assert_int_not_equal(access("c.sqlite", F_OK), 0);
}

/* --- several at once --- */

#define PROCESSES 8
#define EACH 20

static void child(int which)
{
	struct eb_catalog *c = open_catalog(0);

	for (int i = 0; i < EACH; i++) {
		eb_autofree char *text =
			eb_asprintf("dependencies: [p%d-%d]\n", which, i);

		free(add(c, "n", NULL, text, NULL));
	}
	eb_catalog_close(c);
	_exit(0);
}

/* UNIQUE would make one of two fail: none may, and all numbers are given. */
static void test_concurrent(void **state)
{
	AUTOCATALOG(c);
	eb_autofree char *last = NULL;

	(void)state;
	for (int i = 0; i < PROCESSES; i++)
		if (fork() == 0)
			child(i);
	for (int i = 0; i < PROCESSES; i++) {
		int status;

		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	c = open_catalog(0);
	assert_int_equal(listed(c, "n", true), PROCESSES * EACH);
	last = eb_asprintf("%d", PROCESSES * EACH);
	is(c, "n", last);
}

static void test_newer(void **state)
{
	static const char *const scripts[] = { "CREATE TABLE a (b)",
					       "CREATE TABLE c (d)" };
	const struct eb_db_schema schema = { scripts, 2 };
	struct eb_env_ref ref = { .name = (char *)"n" };
	struct eb_catalog *none = NULL;
	struct eb_db *db = NULL;
	AUTOCATALOG(c);
	AUTONAMED(e);
	AUTOERR(err);

	(void)state;
	must(eb_db_open("c.sqlite", &schema, 0, &db, &err), &err);
	eb_db_close(db);
	assert_int_equal(eb_catalog_open("c.sqlite", 0, &none, &err), -1);
	assert_int_equal(err.code, EB_MACHINE);
	assert_non_null(strstr(err.message, "format is 2"));
	assert_non_null(strstr(err.message, "is 1"));
	eb_err_release(&err);
	c = open_catalog(EB_CATALOG_READONLY);
	assert_int_equal(eb_catalog_get(c, &ref, &e, &err), -1);
	assert_int_equal(err.code, EB_MACHINE);
}

/* Anything may stand in the file. */
static void test_damaged(void **state)
{
	struct eb_catalog *none = NULL;
	char text[8192];
	AUTOERR(err);

	(void)state;
	memset(text, 'x', sizeof text);
	must(eb_write_file("c.sqlite", text, sizeof text, 0600, &err), &err);
	assert_int_equal(eb_catalog_open("c.sqlite", 0, &none, &err), -1);
	assert_int_not_equal(err.code, EB_OK);
}

#define T(name) \
	cmocka_unit_test_setup_teardown(name, scratch_set_up, scratch_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_versions),   T(test_never_changes), T(test_options),
		T(test_refused),    T(test_labels),	   T(test_archive),
		T(test_both_kinds), T(test_readonly),	   T(test_concurrent),
		T(test_newer),	    T(test_damaged),	   T(test_memo),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
