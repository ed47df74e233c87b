/* SPDX-License-Identifier: Apache-2.0 */
/* The store: blobs, items, locks, images, facts; one handle, one process. */
#include "store_fixture.h"

#include <fcntl.h>
#include <sys/stat.h>

static size_t files_in(const char *store, const char *sub)
{
	eb_autofree char *command =
		eb_asprintf("find '%s/%s' -mindepth 1 | wc -l", store, sub);
	FILE *p = popen(command, "re");
	size_t n = 0;

	assert_non_null(p);
	assert_int_equal(fscanf(p, "%zu", &n), 1);
	pclose(p);
	return n;
}

static void opens_and_refuses(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *dir = eb_asprintf("%s/a/b", (char *)*state);
	struct eb_store *s = NULL;
	struct stat st;

	must_fail(eb_store_open(dir, EB_STORE_READONLY, &s, &err), &err, EB_NO,
		  dir);
	assert_false(eb_path_exists(dir));
	must(eb_store_open(dir, 0, &s, &err), &err);
	assert_string_equal(eb_store_dir(s), dir);
	assert_int_equal(stat(dir, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	eb_store_close(s);
	must(eb_store_open(dir, EB_STORE_READONLY, &s, &err), &err);
	must_fail(eb_store_put(s, "x", 1, NULL, &err), &err, EB_MACHINE,
		  "opened for reading");
	eb_store_close(s);
}

static void newer_format_is_refused(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_store *s = open_store(state, 0);
	eb_autofree char *command =
		eb_asprintf("python3 -c 'import sqlite3; c = sqlite3.connect("
			    "\"%s/index.sqlite\"); c.execute(\"PRAGMA "
			    "user_version = 99\"); c.commit()'",
			    (char *)*state);

	eb_store_close(s);
	if (system("python3 -c 'import sqlite3'") != 0) {
		print_message("python3 with sqlite3 is missing\n");
		skip();
	}
	assert_int_equal(system(command), 0);
	must_fail(eb_store_open(*state, 0, &s, &err), &err, EB_MACHINE,
		  "format");
}

static void damaged_index_is_named(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_store *s = open_store(state, 0);
	eb_autofree char *path = eb_asprintf("%s/index.sqlite", (char *)*state);
	char noise[8192];

	eb_store_close(s);
	memset(noise, 'x', sizeof noise);
	must(eb_write_file(path, noise, sizeof noise, 0600, &err), &err);
	assert_int_equal(eb_store_open(*state, 0, &s, &err), -1);
	assert_int_equal(err.code, EB_INTEGRITY);
	assert_non_null(strstr(err.hint, "remove index.sqlite"));
	eb_err_release(&err);
}

static void blob_goes_in_and_out(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_store *s = open_store(state, 0);
	struct eb_digest d = put_text(s, "hello"), other = digest_of("other");
	EB_AUTOBUF(text, 100);
	uint64_t size = 0;
	int fd = -1;

	assert_int_equal(eb_store_has(s, &d, &err), 1);
	assert_int_equal(eb_store_has(s, &other, &err), 0);
	must(eb_store_read(s, &d, 100, &text, &err), &err);
	assert_string_equal(text.data, "hello");
	assert_int_equal(eb_store_blob(s, &d, &fd, &size, &err), 1);
	assert_int_equal(size, 5);
	close(fd);
	assert_int_equal(eb_store_blob(s, &other, &fd, &size, &err), 0);
	must_fail(eb_store_read(s, &other, 100, &text, &err), &err,
		  EB_INTEGRITY, "not there");
	must_fail(eb_store_read(s, &d, 4, &text, &err), &err, EB_INPUT, "4");
	put_text(s, "hello");
	assert_int_equal(files_in(*state, "tmp"), 0);
	assert_int_equal(files_in(*state, "blobs/sha256"), 1);
	eb_store_close(s);
}

static void wrong_digest_is_not_kept(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_store *s = open_store(state, 0);
	struct eb_digest want = digest_of("right"), got;
	struct eb_blob_writer *w = NULL;

	must(eb_blob_begin(s, &w, &err), &err);
	must(eb_blob_write(w, "wrong", 5, &err), &err);
	must_fail(eb_blob_commit(w, &want, "pkg-1.0.conda", &got, NULL, &err),
		  &err, EB_INTEGRITY, "pkg-1.0.conda");
	must(eb_blob_begin(s, &w, &err), &err);
	must(eb_blob_write(w, "gone", 4, &err), &err);
	eb_blob_abort(w);
	assert_int_equal(files_in(*state, "blobs/sha256"), 0);
	assert_int_equal(files_in(*state, "tmp"), 0);
	eb_store_close(s);
}

static void damaged_blob_is_replaced(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_store *s = open_store(state, 0);
	struct eb_digest d = put_text(s, "content");
	EB_AUTOBUF(text, 100);

	damage_blob(s, &d, "cont");
	must_fail(eb_store_read(s, &d, 100, &text, &err), &err, EB_INTEGRITY,
		  "its bytes are others");
	eb_buf_reset(&text);
	put_text(s, "content");
	must(eb_store_read(s, &d, 100, &text, &err), &err);
	assert_string_equal(text.data, "content");
	assert_int_equal(files_in(*state, "tmp"), 0);
	eb_store_close(s);
}

static void blob_from_a_file(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_store *s = open_store(state, 0);
	struct eb_digest from = put_text(s, "0123456789"), d;
	struct eb_digest want = digest_of("<345>");
	struct eb_blob_writer *w = NULL;
	uint64_t size;
	int fd;

	assert_int_equal(eb_store_blob(s, &from, &fd, &size, &err), 1);
	must(eb_blob_begin(s, &w, &err), &err);
	must(eb_blob_write(w, "<", 1, &err), &err);
	must(eb_blob_write_fd(w, fd, 3, 3, &err), &err);
	must(eb_blob_write(w, ">", 1, &err), &err);
	must(eb_blob_commit(w, &want, "piece", &d, &size, &err), &err);
	assert_int_equal(size, 5);
	must(eb_blob_begin(s, &w, &err), &err);
	must_fail(eb_blob_write_fd(w, fd, 8, 3, &err), &err, EB_INTEGRITY,
		  "breaks off");
	eb_blob_abort(w);
	close(fd);
	eb_store_close(s);
}

static struct eb_item make_item(struct eb_store *s, enum eb_item_kind kind,
				const char *name)
{
	struct eb_item item = { .kind = kind, .compressor = "gzip-isal1" };
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(list, 10000);

	item.key = digest_of(name);
	item.plain = digest_of("plain");
	item.plain_size = 1000;
	item.blob = put_text(s, name);
	item.size = strlen(name);
	eb_store_item_header(&item, &list);
	must(eb_store_put(s, list.data, list.len, &item.paths, &err), &err);
	return item;
}

static void same_item(const struct eb_item *a, const struct eb_item *b)
{
	assert_int_equal(a->kind, b->kind);
	assert_true(eb_digest_equal(&a->key, &b->key));
	assert_string_equal(a->compressor, b->compressor);
	assert_true(eb_digest_equal(&a->plain, &b->plain));
	assert_int_equal(a->plain_size, b->plain_size);
	assert_true(eb_digest_equal(&a->blob, &b->blob));
	assert_int_equal(a->size, b->size);
	assert_true(eb_digest_equal(&a->paths, &b->paths));
}

static void items(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_store *s = open_store(state, 0);
	struct eb_item item = make_item(s, EB_ITEM_PART, "numpy"), got;

	assert_int_equal(eb_store_find_item(s, EB_ITEM_PART, &item.key,
					    "gzip-isal1", &got, &err),
			 0);
	must(eb_store_put_item(s, &item, &err), &err);
	assert_int_equal(eb_store_find_item(s, EB_ITEM_PART, &item.key,
					    "gzip-isal1", &got, &err),
			 1);
	same_item(&item, &got);
	assert_int_equal(eb_store_find_item(s, EB_ITEM_LAYER, &item.key,
					    "gzip-isal1", &got, &err),
			 0);
	assert_int_equal(eb_store_find_item(s, EB_ITEM_PART, &item.key,
					    "zstd3-1.5.4", &got, &err),
			 0);
	eb_store_close(s);
}

/* The row goes with its blob, and comes back with it. */
static void row_without_blob_is_deleted(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_store *s = open_store(state, 0);
	struct eb_item item = make_item(s, EB_ITEM_LAYER, "scipy"), got;

	must(eb_store_put_item(s, &item, &err), &err);
	remove_blob(s, &item.blob);
	assert_int_equal(eb_store_find_item(s, EB_ITEM_LAYER, &item.key,
					    "gzip-isal1", &got, &err),
			 0);
	put_text(s, "scipy");
	assert_int_equal(eb_store_find_item(s, EB_ITEM_LAYER, &item.key,
					    "gzip-isal1", &got, &err),
			 0);
	must(eb_store_put_item(s, &item, &err), &err);
	assert_int_equal(eb_store_find_item(s, EB_ITEM_LAYER, &item.key,
					    "gzip-isal1", &got, &err),
			 1);
	eb_store_close(s);
}

static void item_text(void **state)
{
	struct eb_store *s = open_store(state, 0);
	struct eb_item item = make_item(s, EB_ITEM_PART, "x"), got;
	EB_AUTOBUF(text, 10000);
	EB_AUTOBUF(part, 10000);
	size_t i;

	eb_store_item_header(&item, &text);
	assert_int_equal(eb_store_item_parse(text.data, text.len, &got),
			 text.len);
	got.paths = item.paths;
	same_item(&item, &got);
	eb_store_part_line(&item, &part);
	assert_int_equal(eb_store_part_parse(part.data, part.len, &got),
			 part.len);
	same_item(&item, &got);
	for (i = 0; i < text.len; i++)
		assert_int_equal(eb_store_item_parse(text.data, i, &got), -1);
	assert_int_equal(eb_store_part_parse(text.data, text.len, &got), -1);
	assert_int_equal(eb_store_item_parse(part.data, part.len, &got), -1);
	eb_store_close(s);
}

static void hostile_item_text(void **state)
{
	char hex[EB_HEX_SIZE];
	struct eb_digest d = digest_of("");
	struct eb_item got;
	const char *const format[] = {
		"envbuild-item 2\tP\t%s\tgzip\t%s\t1\t%s\t2\n",
		"envbuild-item 1\tX\t%s\tgzip\t%s\t1\t%s\t2\n",
		"envbuild-item 1\tP\t%.63s\tgzip\t%s\t1\t%s\t2\n",
		"envbuild-item 1\tP\t%s\t\t%s\t1\t%s\t2\n",
		"envbuild-item "
		"1\tP\t%s\taaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		"aaaaaaaaa\t%s\t1\t%s\t2\n",
		"envbuild-item 1\tP\t%s\tgzip\t%s\t-1\t%s\t2\n",
		("envbuild-item 1\tP\t%s\tgzip\t%s\t1\t%s\t"
		 "18446744073709551615\n"),
		"envbuild-item 1\tP\t%s\tgzip\t%s\t1\t%s\n",
		"envbuild-item 1\tP\t%s\tgzip\t%s\t1\t%s\t2\t3\n",
	};
	size_t i;

	(void)state;
	eb_digest_hex(&d, hex);
	for (i = 0; i < sizeof format / sizeof *format; i++) {
		char text[1000];
		int n;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		n = snprintf(text, sizeof text, format[i], hex, hex, hex);
#pragma GCC diagnostic pop
		if (eb_store_item_parse(text, (size_t)n, &got) != -1)
			fail_msg("accepted: %s", text);
	}
}

static struct eb_lock_row put_lock(struct eb_store *s, const char *lock,
				   const char *definition, const char *text,
				   int64_t time)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_lock_row row = { digest_of(lock), put_text(s, text),
				   digest_of(definition), time };

	must(eb_store_put_lock(s, &row, &err), &err);
	return row;
}

static void newest_lock_answers(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_store *s = open_store(state, 0);
	struct eb_lock_row a = put_lock(s, "A", "d", "text a", 100);
	struct eb_lock_row b = put_lock(s, "B", "d", "text b", 100), got;
	struct eb_digest d = digest_of("d"), none = digest_of("none");

	assert_int_equal(eb_store_find_definition(s, &d, &got, &err), 1);
	assert_true(eb_digest_equal(&got.lock, &b.lock));
	put_lock(s, "old", "d", "text old", 50);
	assert_int_equal(eb_store_find_definition(s, &d, &got, &err), 1);
	assert_true(eb_digest_equal(&got.lock, &b.lock));
	put_lock(s, "A", "d", "text a", 200); /* confirmed */
	assert_int_equal(eb_store_find_definition(s, &d, &got, &err), 1);
	assert_true(eb_digest_equal(&got.lock, &a.lock));
	assert_int_equal(got.time, 200);
	assert_int_equal(eb_store_find_definition(s, &none, &got, &err), 0);
	assert_int_equal(eb_store_find_lock(s, &b.lock, &got, &err), 1);
	assert_true(eb_digest_equal(&got.text, &b.text));
	assert_int_equal(eb_store_find_lock(s, &none, &got, &err), 0);
	eb_store_close(s);
}

static void two_definitions_one_lock(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_store *s = open_store(state, 0);
	struct eb_lock_row a = put_lock(s, "L", "pinned", "text 1", 1);
	struct eb_lock_row b = put_lock(s, "L", "unpinned", "text 2", 2), got;

	assert_int_equal(eb_store_find_definition(s, &a.definition, &got, &err),
			 1);
	assert_true(eb_digest_equal(&got.text, &a.text));
	assert_int_equal(eb_store_find_definition(s, &b.definition, &got, &err),
			 1);
	assert_true(eb_digest_equal(&got.text, &b.text));
	assert_int_equal(eb_store_find_lock(s, &a.lock, &got, &err), 1);
	assert_true(eb_digest_equal(&got.definition, &b.definition));
	remove_blob(s, &b.text); /* the one before answers then */
	assert_int_equal(eb_store_find_lock(s, &a.lock, &got, &err), 1);
	assert_true(eb_digest_equal(&got.definition, &a.definition));
	eb_store_close(s);
}

static struct eb_image_row put_image(struct eb_store *s, const char *name,
				     const char *lock, int64_t time,
				     struct eb_digest blob[2])
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *config = eb_asprintf("config of %s", name);
	struct eb_image_row row = { .lock = digest_of(lock),
				    .compressor = "gzip-isal1",
				    .manifest = put_text(s, name),
				    .config = put_text(s, config),
				    .size = 4711,
				    .time = time };

	must(eb_store_put_image(s, &row, blob, 2, &err), &err);
	return row;
}

static void images(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_store *s = open_store(state, 0);
	struct eb_digest blob[] = { put_text(s, "layer 1"),
				    put_text(s, "layer 2") };
	struct eb_image_row a = put_image(s, "one", "L", 10, blob), got;
	struct eb_digest none = digest_of("none");

	assert_int_equal(
		eb_store_find_image(s, &a.lock, "gzip-isal1", &got, &err), 1);
	assert_true(eb_digest_equal(&got.manifest, &a.manifest));
	assert_true(eb_digest_equal(&got.config, &a.config));
	assert_int_equal(got.size, 4711);
	assert_int_equal(got.time, 10);
	assert_int_equal(eb_store_find_image(s, &a.lock, "zstd", &got, &err),
			 0);
	assert_int_equal(eb_store_find_image(s, &a.lock, NULL, &got, &err), 1);
	assert_int_equal(eb_store_find_image(s, &none, NULL, &got, &err), 0);
	assert_int_equal(eb_store_find_manifest(s, &a.manifest, &got, &err), 1);
	assert_int_equal(eb_store_find_manifest(s, &none, &got, &err), 0);
	eb_store_close(s);
}

/* An older one of the same lock answers when there is one. */
static void image_without_a_blob_is_a_miss(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_store *s = open_store(state, 0), *ro;
	struct eb_digest both[] = { put_text(s, "layer 1"),
				    put_text(s, "layer 2") };
	struct eb_digest first[] = { both[0], both[0] };
	struct eb_image_row a = put_image(s, "one", "L", 10, both), got;
	struct eb_image_row b = put_image(s, "two", "L", 5, first);

	remove_blob(s, &both[1]);
	ro = open_store(state, EB_STORE_READONLY);
	assert_int_equal(eb_store_find_manifest(ro, &a.manifest, &got, &err),
			 0);
	assert_int_equal(eb_store_find_image(ro, &a.lock, NULL, &got, &err), 1);
	assert_true(eb_digest_equal(&got.manifest, &b.manifest));
	eb_store_close(ro);
	assert_int_equal(eb_store_find_image(s, &a.lock, NULL, &got, &err), 1);
	put_text(s, "layer 2"); /* the row is gone for good */
	assert_int_equal(eb_store_find_manifest(s, &a.manifest, &got, &err), 0);
	remove_blob(s, &both[0]);
	assert_int_equal(eb_store_find_image(s, &a.lock, NULL, &got, &err), 0);
	eb_store_close(s);
}

static int note_time(void *data, const struct eb_image_row *row,
		     struct eb_error *err)
{
	(void)err;
	eb_strv_addf(data, "%d", (int)row->time);
	return 0;
}

static void images_newest_first(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_store *s = open_store(state, 0);
	struct eb_digest blob[2] = { put_text(s, "l1"), put_text(s, "l2") };
	EB_CLEANUP(eb_strv_release) struct eb_strv times = { 0 };
	struct eb_image_row got;

	put_image(s, "a", "A", 2, blob);
	put_image(s, "b", "B", 3, blob);
	put_image(s, "c", "A", 1, blob);
	must(eb_store_images(s, note_time, &times, &err), &err);
	assert_int_equal(times.n, 3);
	assert_string_equal(times.v[0], "3");
	assert_string_equal(times.v[1], "2");
	assert_string_equal(times.v[2], "1");
	got.lock = digest_of("A");
	assert_int_equal(eb_store_find_image(s, &got.lock, NULL, &got, &err),
			 1);
	assert_int_equal(got.time, 2);
	eb_store_close(s);
}

static void facts(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_store *s = open_store(state, 0);
	struct eb_digest blob = put_text(s, "repodata");
	EB_AUTOBUF(text, 100);

	assert_int_equal(eb_store_find_fact(s, "base", "k", &text, &err), 0);
	must(eb_store_put_fact(s, "base", "k", "one", NULL, &err), &err);
	must(eb_store_put_fact(s, "base", "k", "two", NULL, &err), &err);
	must(eb_store_put_fact(s, "repodata", "k", "three", &blob, &err), &err);
	assert_int_equal(eb_store_find_fact(s, "base", "k", &text, &err), 1);
	assert_string_equal(text.data, "two");
	eb_buf_reset(&text);
	assert_int_equal(eb_store_find_fact(s, "repodata", "k", &text, &err),
			 1);
	assert_string_equal(text.data, "three");
	remove_blob(s, &blob);
	eb_buf_reset(&text);
	assert_int_equal(eb_store_find_fact(s, "repodata", "k", &text, &err),
			 0);
	assert_int_equal(text.len, 0);
	put_text(s, "repodata");
	assert_int_equal(eb_store_find_fact(s, "repodata", "k", &text, &err),
			 0);
	eb_store_close(s);
}

static int find_text(struct eb_store *s, const char *key, const char *want)
{
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(text, 100);
	int got = eb_store_find_fact(s, "k", key, &text, &err);

	if (got > 0)
		assert_string_equal(text.data, want);
	return got;
}

static void facts_at_once(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_store *s = open_store(state, 0);
	struct eb_digest blob = put_text(s, "one");
	const struct eb_fact first[] = { { "a 1", "x", &blob },
					 { "a 2", "y", NULL },
					 { "ab", "z", NULL } };
	const struct eb_fact second[] = { { "a 3", "new", &blob } };
	const struct eb_fact wrong[] = { { "a 4", "w", NULL },
					 { "a 5", NULL, NULL } };

	must(eb_store_put_facts(s, "k", NULL, first, 3, &err), &err);
	assert_int_equal(find_text(s, "a 1", "x"), 1);
	assert_int_equal(find_text(s, "a 2", "y"), 1);
	must(eb_store_put_facts(s, "other", "a ", second, 1, &err), &err);
	assert_int_equal(find_text(s, "a 2", "y"), 1);
	must(eb_store_put_facts(s, "k", "a ", second, 1, &err), &err);
	assert_int_equal(find_text(s, "a 1", ""), 0);
	assert_int_equal(find_text(s, "a 2", ""), 0);
	assert_int_equal(find_text(s, "a 3", "new"), 1);
	assert_int_equal(find_text(s, "ab", "z"), 1);
	must_fail(eb_store_put_facts(s, "k", "a ", wrong, 2, &err), &err,
		  EB_MACHINE, "NOT NULL");
	assert_int_equal(find_text(s, "a 3", "new"), 1);
	assert_int_equal(find_text(s, "a 4", ""), 0);
	eb_store_close(s);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(opens_and_refuses),
		TEST(newer_format_is_refused),
		TEST(damaged_index_is_named),
		TEST(blob_goes_in_and_out),
		TEST(wrong_digest_is_not_kept),
		TEST(damaged_blob_is_replaced),
		TEST(blob_from_a_file),
		TEST(items),
		TEST(row_without_blob_is_deleted),
		TEST(item_text),
		cmocka_unit_test(hostile_item_text),
		TEST(newest_lock_answers),
		TEST(two_definitions_one_lock),
		TEST(images),
		TEST(image_without_a_blob_is_a_miss),
		TEST(images_newest_first),
		TEST(facts),
		TEST(facts_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
