/* SPDX-License-Identifier: Apache-2.0 */
/* What of two environments is a difference that an image can have; how that
 * goes into its configuration; what the keys of scripts depend on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <envbuild/delta.h>
#include <envbuild/image.h>
#include <envbuild/json.h>

#include "../../src/build/build_private.h"

/* Rows of NAME=VALUE on lines, what the result is in canonical JSON. */
static const struct {
	const char *before, *after, *result;
} rows[] = {
	{ "A=1\nB=2", "B=2\nA=1", "{\"set\":{},\"unset\":[],\"warnings\":[]}" },
	{ "A=1\nB=2", "A=1\nC=3",
	  "{\"set\":{\"C\":\"3\"},\"unset\":[\"B\"],\"warnings\":[]}" },
	{ "A=1", "A=", "{\"set\":{\"A\":\"\"},\"unset\":[],\"warnings\":[]}" },
	{ "AB=1", "A=1\nAB=1",
	  "{\"set\":{\"A\":\"1\"},\"unset\":[],\"warnings\":[]}" },
	{ "A=1=2", "A=1=3",
	  "{\"set\":{\"A\":\"1=3\"},\"unset\":[],\"warnings\":[]}" },
	/* the shell's own */
	{ "_=a\nPWD=/\nSHLVL=1", "_=b\nPWD=/x\nSHLVL=2\nOLDPWD=/",
	  "{\"set\":{},\"unset\":[],\"warnings\":[]}" },
	/* what holds in any case; others of conda's do change */
	{ "CONDA_PREFIX=/opt/env\nCONDA_SHLVL=1",
	  "CONDA_PREFIX=/else\nCONDA_BACKUP_CC=gcc",
	  "{\"set\":{\"CONDA_BACKUP_CC\":\"gcc\"},\"unset\":[],\"warnings\":["
	  "\"\\\"CONDA_PREFIX\\\" stays as it is\","
	  "\"\\\"CONDA_SHLVL\\\" stays as it is\"]}" },
	/* names and values that no image can have */
	{ "", "BASH_FUNC_f%%=() { :; }\n1A=1\nA-B=1\n=x",
	  "{\"set\":{},\"unset\":[],\"warnings\":["
	  "\"\\\"1A\\\" is no variable that an image can have\","
	  "\"\\\"\\\" is no variable that an image can have\","
	  "\"\\\"A-B\\\" is no variable that an image can have\","
	  "\"\\\"BASH_FUNC_f%%\\\" is no variable that an image can have\"]}" },
	{ "", "A=\xff",
	  "{\"set\":{},\"unset\":[],\"warnings\":["
	  "\"\\\"A\\\" has a value that is not UTF-8\"]}" },
};

static void test_result(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		EB_CLEANUP(eb_strv_release)
		struct eb_strv before = { 0 }, after = { 0 }, none = { 0 };
		EB_AUTOBUF(text, EB_MAX_TEXT);
		eb_autojson json_t *j = NULL;

		eb_strv_split(&before, rows[i].before, "\n");
		eb_strv_split(&after, rows[i].after, "\n");
		if (!*before.v[0])
			free(before.v[--before.n]);
		j = eb_activation_result(&before, &after, &none);
		eb_json_canonical(j, &text);
		assert_string_equal(text.data, rows[i].result);
	}
}

static void test_warnings(void **state)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv none = { 0 }, said = { 0 };
	EB_AUTOBUF(text, EB_MAX_TEXT);
	eb_autojson json_t *j = NULL;

	(void)state;
	eb_strv_add(&said, "a\x1b[1m");
	eb_strv_add(&said, "\xff is no name");
	j = eb_activation_result(&none, &none, &said);
	eb_json_canonical(j, &text);
	assert_string_equal(text.data,
			    "{\"set\":{},\"unset\":[],\"warnings\":["
			    "\"a\\\\x1b[1m\",\"\\\\xff is no name\"]}");
}

static void test_apply(void **state)
{
	eb_autojson json_t *config =
		json_pack("{s:{s:[s, s, s, s]}}", "config", "Env", "A=1", "B=2",
			  "C=3", "B=4");
	eb_autojson json_t *result =
		json_pack("{s:{s:s, s:s}, s:[s, s], s:[]}", "set", "C", "new",
			  "D", "", "unset", "B", "none", "warnings");
	EB_AUTOBUF(text, EB_MAX_TEXT);

	(void)state;
	eb_activation_apply(NULL, config);
	eb_activation_apply(result, config);
	eb_json_canonical(config, &text);
	assert_string_equal(
		text.data, "{\"config\":{\"Env\":[\"A=1\",\"C=new\",\"D=\"]}}");
}

static void test_entrypoint(void **state)
{
	eb_autojson json_t *own =
		json_pack("{s:{s:[s, s]}}", "config", "Entrypoint", "/a", "-b");
	eb_autojson json_t *bare = json_pack("{s:{}}", "config");
	EB_AUTOBUF(text, EB_MAX_TEXT);

	(void)state;
	eb_activation_set_entrypoint("/opt/env", own);
	eb_activation_set_entrypoint("/opt/env", bare);
	eb_json_canonical(own, &text);
	eb_json_canonical(bare, &text);
	assert_string_equal(text.data,
			    "{\"config\":{\"Entrypoint\":[\"/opt/env/bin/"
			    ".envbuild-entrypoint\",\"/a\",\"-b\"]}}"
			    "{\"config\":{\"Entrypoint\":[\"/opt/env/bin/"
			    ".envbuild-entrypoint\"]}}");
}

/* --- keys -------------------------------------------------------------------
 */
struct keys {
	struct eb_digest linked, sourced;
};

static struct eb_lock *sample(void)
{
	struct eb_lock *lock = eb_calloc(1, sizeof *lock);
	struct eb_record *r;

	lock->platform = eb_strdup("linux/amd64");
	lock->prefix = eb_strdup("/opt/env");
	lock->package = eb_calloc(1, sizeof *lock->package);
	lock->pin = eb_calloc(1, sizeof *lock->pin);
	lock->n = 1;
	r = &lock->package->record;
	r->name = eb_strdup("a");
	r->version = eb_strdup("1.0");
	eb_sha256("a", 1, &r->sha256);
	eb_sha256("base", 4, &lock->base);
	lock->config = json_pack("{s:[s]}", "Env", "A=1");
	lock->pyc = eb_strdup("none");
	lock->post_link = eb_strdup("run");
	lock->activation = eb_strdup("env");
	return lock;
}

static struct keys keys_of(struct eb_lock *lock)
{
	struct eb_build b = { .lock = lock };
	struct eb_error err = EB_ERROR_INIT;
	struct keys k;

	assert_true(eb_script_has_keys(lock));
	assert_int_equal(eb_post_link_key(&b, &k.linked, &err), 0);
	assert_int_equal(eb_activation_key(&b, &k.sourced, &err), 0);
	assert_false(eb_digest_equal(&k.linked, &k.sourced));
	return k;
}

static void put(char **text, const char *value)
{
	free(*text);
	*text = eb_strdup(value);
}

static void change(struct eb_lock *lock, int what)
{
	struct eb_record *r = &lock->package->record;

	switch (what) {
	case 0: eb_sha256("b", 1, &r->sha256); break;
	case 1: put(&r->version, "2.0"); break;
	case 2: r->build_number = 1; break;
	case 3: eb_sha256("other", 5, &lock->base); break;
	case 4: put(&lock->pyc, "compile"); break;
	case 5: put(&lock->post_link, "skip"); break;
	case 6: lock->source_date_epoch = 1; break;
	case 7: put(&lock->platform, "linux/arm64"); break;
	case 8: /* a wheel */
		lock->pin->name = eb_strdup("w");
		lock->n_pins = 1;
		break;
	case 9: /* system packages */
		eb_strv_add(&lock->apt, "git");
		lock->apt_date = eb_strdup("2026-11-22");
		break;
	default: /* a variable of the image: activation alone */
		json_decref(lock->config);
		lock->config = json_pack("{s:[s]}", "Env", "A=2");
	}
}

static void test_keys(void **state)
{
	EB_CLEANUP(eb_lock_free_ptr) struct eb_lock *same = sample();
	struct keys was = keys_of(same), is;

	(void)state;
	is = keys_of(same);
	assert_memory_equal(&was, &is, sizeof is);
	for (int i = 0; i <= 10; i++) {
		EB_CLEANUP(eb_lock_free_ptr) struct eb_lock *lock = sample();

		change(lock, i);
		is = keys_of(lock);
		assert_int_equal(eb_digest_equal(&was.linked, &is.linked),
				 i == 10);
		assert_false(eb_digest_equal(&was.sourced, &is.sourced));
	}
}

/* A source whose build the lock does not tell has no key, and is no wheel. */
static void test_no_key(void **state)
{
	EB_CLEANUP(eb_lock_free_ptr) struct eb_lock *lock = sample();
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	struct eb_build b = { .lock = lock };
	struct eb_digest key;

	(void)state;
	lock->n_pins = 1;
	lock->pin->name = eb_strdup("s");
	lock->pin->file = eb_strdup("s-1.0.tar.gz");
	lock->pin->source = EB_PIN_SDIST;
	assert_false(eb_script_has_keys(lock));
	assert_int_equal(eb_post_link_key(&b, &key, &err), -1);
	assert_int_equal(err.code, EB_INPUT);
	assert_non_null(strstr(err.message, "\"s-1.0.tar.gz\""));
}

/* --- what changed ------------------------------------------------------------
 */
static struct eb_delta look(const struct eb_delta_node *node, size_t n)
{
	return (struct eb_delta){ .node = (struct eb_delta_node *)node,
				  .n = n };
}

static void test_changed(void **state)
{
	static char folder[] = "a", kept[] = "a/kept", gone[] = "a/gone",
		    other[] = "a/other", fresh[] = "b";
	const struct eb_delta_node was[] = {
		{ .path = folder, .mode = 0040755 },
		{ .path = gone, .mode = 0100644 },
		{ .path = kept, .mode = 0100644, .size = 1 },
		{ .path = other, .mode = 0100644, .size = 1 },
	};
	const struct eb_delta_node is[] = {
		{ .path = folder, .mode = 0040755, .mtime.tv_sec = 5 },
		{ .path = kept, .mode = 0100644, .size = 1 },
		{ .path = other, .mode = 0100755, .size = 1 },
		{ .path = fresh, .mode = 0100644 },
	};
	const struct eb_delta before = look(was, 4), after = look(is, 4);
	EB_CLEANUP(eb_strv_release) struct eb_strv changed = { 0 };
	size_t n_new;

	(void)state;
	eb_delta_changed(&before, &after, &changed, &n_new);
	assert_int_equal(n_new, 1);
	assert_int_equal(changed.n, 2);
	assert_string_equal(changed.v[0], "a/gone");
	assert_string_equal(changed.v[1], "a/other");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_result),
		cmocka_unit_test(test_warnings),
		cmocka_unit_test(test_apply),
		cmocka_unit_test(test_entrypoint),
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_no_key),
		cmocka_unit_test(test_changed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
