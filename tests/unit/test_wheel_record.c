/* SPDX-License-Identifier: Apache-2.0 */
/* What says that a wheel is installed, made of path lists; and metadata that
 * others installed. */
#include "make_wheel.h"

#include <envbuild/part.h>
#include <envbuild/spool.h>
#include <envbuild/wheel.h>

#include "store_fixture.h"

#define SITE "opt/env/lib/python3.7/site-packages/"
#define INFO SITE "Some_Project-1.0.dist-info/"
#define OF_NOTHING "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"
#define OF_X "LXEWQrcmsEQBYnyp-6wy9chTD7GQPMTbAiWHF5IaSIE"
#define OF_SCRIPT "bN2MFShwkTwSw6co-FuQNgLi1cgwx4LJYmcJEOosg8k"
#define ROW(name) "Some_Project-1.0.dist-info/" name
#define INSTALLER_ROW                                                       \
	ROW("INSTALLER,sha256=4gP0VHxYWJucRWQ4c6IxSglOZ6svMiZWBBOD3895vSc," \
	    "9\r\n")
#define METADATA_ROW                                                       \
	ROW("METADATA,sha256=_u5Xz56Y6BrfnIxxoEeEiOaR2R4Y0f1hQ3aTE17SO-Y," \
	    "32\r\n")
#define RECORD_ROW ROW("RECORD,,\r\n")
#define WHEEL_ROW \
	ROW("WHEEL,sha256=hPnzolO11CFKQQfo-cfRSowPfsQIecdrr39HeOvVHcE,19\r\n")
#define INIT_ROW "some/__init__.py,sha256=" OF_NOTHING ",0\r\n"
#define USUAL_ROWS INSTALLER_ROW METADATA_ROW RECORD_ROW WHEEL_ROW

static const struct eb_wheel_target target = {
	.prefix = "/opt/env",
	.python_minor = "3.7",
	.site_packages = "lib/python3.7/site-packages",
};

static void add(struct eb_entries *e, const char *path, const char *content,
		const char *note)
{
	struct eb_error err = EB_ERROR_INIT;

	must(eb_entries_add_file(e, path, 0644, 0, content, strlen(content),
				 &err),
	     &err);
	e->entry[e->n - 1].note = eb_strdup(note);
}

static void add_usual(struct eb_entries *e)
{
	add(e, INFO "METADATA", "Name: Some.Project\nVersion: 1.0\n", NULL);
	add(e, INFO "WHEEL", "Wheel-Version: 1.0\n", NULL);
	add(e, SITE "some/__init__.py", "", NULL);
}

static char *text_of(const struct eb_entries *e, const char *path)
{
	const struct eb_entry *found = eb_entries_find(e, path);
	struct eb_error err = EB_ERROR_INIT;
	char *text;

	if (!found)
		fail_msg("no \"%s\"", path);
	assert_int_equal(found->mode, 0644);
	assert_int_equal(found->mtime, EB_FIXED_MTIME);
	text = eb_calloc(1, (size_t)found->size + 1);
	must(eb_spool_read(found->spool, found->offset, text,
			   (size_t)found->size, &err),
	     &err);
	return text;
}

static void make(struct eb_entries *payload, const struct eb_entries *bytecode,
		 bool requested, const char *direct_url, struct eb_entries *out)
{
	struct eb_error err = EB_ERROR_INIT;

	must(eb_entries_sort(payload, "payload", &err), &err);
	must(eb_wheel_record("some-project", payload, bytecode, requested,
			     direct_url, &target, out, &err),
	     &err);
}

static void assert_record(const struct eb_entries *out, const char *want)
{
	eb_autofree char *text = text_of(out, INFO "RECORD");

	assert_string_equal(text, want);
}

static void test_record(void **state)
{
	EB_CLEANUP(eb_entries_release) struct eb_entries payload = { 0 };
	EB_CLEANUP(eb_entries_release) struct eb_entries out = { 0 };
	eb_autofree char *installer = NULL;

	(void)state;
	add_usual(&payload);
	add(&payload, "opt/env/bin/some", "#!/opt/env/bin/python\n", NULL);
	add(&payload, "opt/env/lib/python3.7/x", "x", NULL);
	add(&payload, "opt/env/lib/python3.70", "x", NULL);
	add(&payload, "opt/env/share/a,b", "x", NULL);
	make(&payload, NULL, false, NULL, &out);
	assert_int_equal(out.n, 2);
	installer = text_of(&out, INFO "INSTALLER");
	assert_string_equal(installer, "envbuild\n");
	assert_record(&out, "../../../bin/some,sha256=" OF_SCRIPT ",22\r\n"
			    "\"../../../share/a,b\",sha256=" OF_X ",1\r\n"
			    "../../python3.70,sha256=" OF_X ",1\r\n"
			    "../x,sha256=" OF_X ",1\r\n" USUAL_ROWS INIT_ROW);
}

static void test_all_files(void **state)
{
	EB_CLEANUP(eb_entries_release) struct eb_entries payload = { 0 };
	EB_CLEANUP(eb_entries_release) struct eb_entries bytecode = { 0 };
	EB_CLEANUP(eb_entries_release) struct eb_entries out = { 0 };
	eb_autofree char *direct_url = NULL, *requested = NULL;

	(void)state;
	add_usual(&payload);
	add(&bytecode, SITE "some/__pycache__/__init__.cpython-37.pyc", "x",
	    NULL);
	make(&payload, &bytecode, true, "{}", &out);
	assert_int_equal(out.n, 4);
	requested = text_of(&out, INFO "REQUESTED");
	assert_string_equal(requested, "");
	direct_url = text_of(&out, INFO "direct_url.json");
	assert_string_equal(direct_url, "{}");
	assert_record(
		&out, INSTALLER_ROW METADATA_ROW RECORD_ROW
		"Some_Project-1.0.dist-info/REQUESTED,sha256=" OF_NOTHING
		",0\r\n" WHEEL_ROW
		"Some_Project-1.0.dist-info/direct_url.json,sha256="
		"RBNvo1WzZ4oRRq0W9-hknpT7T8If536DEMBg9hyq_4o,2\r\n" INIT_ROW
		"some/__pycache__/__init__.cpython-37.pyc,,\r\n");
}

static void test_notes(void **state)
{
	EB_CLEANUP(eb_entries_release) struct eb_entries payload = { 0 };
	EB_CLEANUP(eb_entries_release) struct eb_entries out = { 0 };

	(void)state;
	add_usual(&payload);
	add(&payload, SITE "a", "x", "{\"hash\":\"sha256=" OF_X "=\"}");
	add(&payload, SITE "b", "x", "{\"rows\":2,\"size\":\"\"}");
	add(&payload, SITE "c", "x", "{\"hash\":\"\",\"size\":\"\"}");
	make(&payload, NULL, false, NULL, &out);
	assert_record(&out, USUAL_ROWS "a,sha256=" OF_X "=,1\r\n"
				       "b,sha256=" OF_X ",\r\n"
				       "b,sha256=" OF_X ",\r\n"
				       "c,,\r\n" INIT_ROW);
}

static void record_badly(struct eb_entries *payload, enum eb_code code,
			 const char *words)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_entries out;

	must(eb_entries_sort(payload, "payload", &err), &err);
	must_fail(eb_wheel_record("some-project", payload, NULL, false, NULL,
				  &target, &out, &err),
		  &err, code, words);
	assert_int_equal(out.n, 0);
}

static void test_bad_note(void **state)
{
	static const char *const note[] = { "{\"rows\":0}",
					    "{\"rows\":2000000}",
					    "{\"size\":\"7\"}" };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		EB_CLEANUP(eb_entries_release)
		struct eb_entries payload = { 0 };

		add_usual(&payload);
		add(&payload, SITE "a", "x", note[i]);
		record_badly(&payload, EB_INTEGRITY,
			     "the note of \"" SITE "a\" is damaged");
	}
}

static void test_no_metadata(void **state)
{
	EB_CLEANUP(eb_entries_release) struct eb_entries payload = { 0 };

	(void)state;
	add(&payload, SITE "other-1.dist-info/METADATA", "", NULL);
	add(&payload, SITE "x/some_project-1.dist-info/METADATA", "", NULL);
	record_badly(&payload, EB_INPUT,
		     "its files have no dist-info with METADATA");
}

/* From a wheel through a store's path list: rows that pip would keep as they
 * are come out as they were. */
static void test_round_trip(void **state)
{
	EB_CLEANUP(eb_entries_release) struct eb_entries payload = { 0 };
	EB_CLEANUP(eb_entries_release) struct eb_entries paths = { 0 };
	EB_CLEANUP(eb_entries_release) struct eb_entries out = { 0 };
	EB_CLEANUP(eb_wheel_free_ptr) struct eb_wheel *wheel = NULL;
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest key = { { 1 } };
	struct eb_store *store = open_store(state, 0);
	struct eb_compressor c;
	struct eb_item item;
	struct make_wheel w;
	eb_autofd int fd = -1;

	wheel_begin(&w, "Some_Project-1.0.dist-info");
	wheel_info(&w, "METADATA", "Name: Some.Project\nVersion: 1.0\n");
	wheel_info(&w, "WHEEL", "Wheel-Version: 1.0\n");
	wheel_file(&w, "some/__init__.py", "");
	wheel_add(&w, &(struct wheel_member){ .name = "a",
					      .content = "x",
					      .hash = "sha256=" OF_X "=",
					      .length = "" });
	wheel_file(&w, "Some_Project-1.0.data/data/share/a,b", "x");
	wheel_file(&w, "Some_Project-1.0.data/scripts/some", "#!python\n");
	wheel_record(&w);
	wheel_finish(&w, NULL);
	fd = wheel_fd(&w);
	wheel_release(&w);
	must(eb_wheel_open(fd, "Some_Project-1.0-py3-none-any.whl",
			   &eb_wheel_default_limits, &wheel, &err),
	     &err);
	must(eb_wheel_payload(wheel, &target, &payload, NULL, &err), &err);
	must(eb_compressor_init(&c, "gzip", &err), &err);
	must(eb_part_write(store, &c, EB_ITEM_PART, &key, &payload, "t", &item,
			   &err),
	     &err);
	must(eb_part_paths(store, &item, &paths, &err), &err);
	must(eb_wheel_record("some-project", &paths, NULL, false, NULL, &target,
			     &out, &err),
	     &err);
	assert_record(&out,
		      "../../../bin/some,sha256=" OF_SCRIPT ",22\r\n"
		      "\"../../../share/a,b\",sha256=" OF_X ",1\r\n" USUAL_ROWS
		      "a,sha256=" OF_X "=,\r\n" INIT_ROW);
	eb_store_close(store);
}

/* --- keys --------------------------------------------------------------- */

static void test_keys(void **state)
{
	struct eb_digest sha = { { 1 } }, other = { { 2 } };
	struct eb_wheel_target t[5] = { target, target, target, target,
					target };
	struct eb_digest key[7];

	(void)state;
	t[1].prefix = "/opt/other";
	t[2].python_minor = "3.8";
	t[3].site_packages = "lib/python3.7t/site-packages";
	t[4].source_date_epoch = 1000;
	for (size_t i = 0; i < 5; i++)
		eb_wheel_key(&sha, &t[i], &key[i]);
	eb_wheel_key(&other, &target, &key[5]);
	eb_wheel_record_key(&key[0], NULL, false, NULL, &key[6]);
	for (size_t i = 0; i < 7; i++)
		for (size_t j = 0; j < i; j++)
			assert_false(eb_digest_equal(&key[i], &key[j]));
	/* a later epoch changes no byte */
	t[4].source_date_epoch = 1600000000;
	eb_wheel_key(&sha, &t[4], &key[1]);
	assert_true(eb_digest_equal(&key[0], &key[1]));
}

static void test_record_keys(void **state)
{
	struct eb_digest payload = { { 1 } }, other = { { 2 } }, key[6];

	(void)state;
	eb_wheel_record_key(&payload, NULL, false, NULL, &key[0]);
	eb_wheel_record_key(&payload, &other, false, NULL, &key[1]);
	eb_wheel_record_key(&payload, NULL, true, NULL, &key[2]);
	eb_wheel_record_key(&payload, NULL, false, "", &key[3]);
	eb_wheel_record_key(&payload, NULL, false, "{}", &key[4]);
	eb_wheel_record_key(&other, NULL, false, NULL, &key[5]);
	for (size_t i = 0; i < 6; i++)
		for (size_t j = 0; j < i; j++)
			assert_false(eb_digest_equal(&key[i], &key[j]));
}

/* --- metadata of others ------------------------------------------------- */

static void test_find_metadata(void **state)
{
	static const char *const path[] = {
		SITE "a-1.dist-info/METADATA",
		SITE "b-1.egg-info",
		SITE "c-1.egg-info/PKG-INFO",
		SITE "a-1.dist-info/RECORD",
		SITE "c-1.egg-info/requires.txt",
		SITE "d/e-1.dist-info/METADATA",
		SITE "METADATA",
		SITE "f.egg-link",
		"opt/env/lib/python3.7/g-1.egg-info",
		"opt/env/lib/python3.7/site-packages2/h-1.egg-info",
	};
	EB_CLEANUP(eb_entries_release) struct eb_entries e = { 0 };
	struct eb_wheel_target none = { .prefix = "/opt/env" };
	struct eb_strv found = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof path / sizeof *path; i++)
		add(&e, path[i], "", NULL);
	eb_wheel_find_metadata(&e, &target, &found);
	assert_int_equal(found.n, 3);
	for (size_t i = 0; i < 3; i++)
		assert_string_equal(found.v[i], path[i]);
	eb_strv_release(&found);
	eb_wheel_find_metadata(&e, &none, &found);
	assert_int_equal(found.n, 0);
}

static void test_read_metadata(void **state)
{
	static const char *const row[][3] = {
		{ "Metadata-Version: 1.1\nName: ruamel_yaml\nVersion: "
		  "0.15.46\n",
		  "ruamel-yaml", "0.15.46" },
		{ "name:pyOpenSSL\r\nVERSION:  18.0.0 \r\nX: y", "pyopenssl",
		  "18.0.0" },
		{ "Name: certifi\nVersion: 2018.08.24\n\nName: no\n", "certifi",
		  "2018.8.24" },
		{ "Summary: a\n Name: b\nName: c\nVersion: not one\n", "c",
		  "not one" },
	};
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		eb_autofree char *name = NULL, *version = NULL;

		must(eb_wheel_read_metadata(row[i][0], strlen(row[i][0]), "x",
					    &name, &version, &err),
		     &err);
		assert_string_equal(name, row[i][1]);
		assert_string_equal(version, row[i][2]);
	}
}

static void test_read_metadata_badly(void **state)
{
	static const char *const row[][2] = {
		{ "", "\"x\" does not say its Name" },
		{ "Name:\nVersion: 1\n", "\"x\" does not say its Name" },
		{ "Name: a\n\nVersion: 1\n", "\"x\" does not say its Version" },
	};
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		char *name, *version;

		must_fail(eb_wheel_read_metadata(row[i][0], strlen(row[i][0]),
						 "x", &name, &version, &err),
			  &err, EB_INPUT, row[i][1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_record),
		cmocka_unit_test(test_all_files),
		cmocka_unit_test(test_notes),
		cmocka_unit_test(test_bad_note),
		cmocka_unit_test(test_no_metadata),
		cmocka_unit_test_setup_teardown(test_round_trip, make_folder,
						remove_folder),
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_record_keys),
		cmocka_unit_test(test_find_metadata),
		cmocka_unit_test(test_read_metadata),
		cmocka_unit_test(test_read_metadata_badly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
