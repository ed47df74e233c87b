/* SPDX-License-Identifier: Apache-2.0 */
/* The care of a store: check, making the index anew, collecting. */
#include "store_fixture.h"

#include <envbuild/db.h>

static void add_said(struct said *said)
{
	said->events = eb_events_new(hear, said);
}

static void release_said(struct said *said)
{
	eb_events_free(said->events);
	eb_strv_release(&said->lines);
}

static struct eb_item put_item(struct eb_store *s, enum eb_item_kind kind,
			       const char *name, const struct eb_item *part,
			       size_t n)
{
	struct eb_item item = { .kind = kind, .compressor = "gzip-isal1" };
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(list, 100000);
	size_t i;

	item.key = digest_of(name);
	item.blob = put_text(s, name);
	item.size = strlen(name);
	eb_store_item_header(&item, &list);
	for (i = 0; i < n; i++)
		eb_store_part_line(part + i, &list);
	must(eb_store_put(s, list.data, list.len, &item.paths, &err), &err);
	must(n ? eb_store_put_joined(s, &item, part, n, &err)
	       : eb_store_put_item(s, &item, &err),
	     &err);
	return item;
}

static int find(struct eb_store *s, const struct eb_item *item)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_item got;
	int found = eb_store_find_item(s, item->kind, &item->key,
				       item->compressor, &got, &err);

	must(found, &err);
	return found;
}

static struct eb_image_row put_image(struct eb_store *s, const char *name,
				     const struct eb_item *layer, size_t n)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *config = eb_asprintf("config of %s", name);
	struct eb_image_row row = { .lock = digest_of(name),
				    .compressor = "gzip-isal1",
				    .manifest = put_text(s, name),
				    .config = put_text(s, config),
				    .time = 1000 };
	struct eb_digest blob[8];
	size_t i;

	for (i = 0; i < n; i++)
		blob[i] = layer[i].blob;
	must(eb_store_put_image(s, &row, blob, n, &err), &err);
	return row;
}

static int find_image(struct eb_store *s, const struct eb_image_row *row)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_image_row got;
	int found = eb_store_find_manifest(s, &row->manifest, &got, &err);

	must(found, &err);
	return found;
}

static struct eb_store_report check(struct eb_store *s, bool deep, bool rebuild,
				    struct said *said)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_store_report r;

	must(eb_store_check(s, deep, rebuild, said ? said->events : NULL, &r,
			    &err),
	     &err);
	return r;
}

static void check_finds_damage(void **state)
{
	struct eb_store *s = open_store(state, 0), *ro;
	struct eb_item a = put_item(s, EB_ITEM_LAYER, "layer a", NULL, 0);
	struct eb_item b = put_item(s, EB_ITEM_LAYER, "layer b", NULL, 0);
	struct eb_digest stray = put_text(s, "nothing names me");
	struct said said EB_CLEANUP(release_said) = { 0 };
	struct eb_store_report r;

	add_said(&said);
	r = check(s, true, false, &said);
	assert_int_equal(r.blobs, 5);
	assert_int_equal(r.rows, 4);
	assert_int_equal(r.unknown, 1);
	assert_int_equal(r.bad + r.missing + said.lines.n, 0);

	damage_blob(s, &a.blob, "layer x"); /* same size */
	damage_blob(s, &stray, "nothing");
	r = check(s, false, false, &said);
	assert_int_equal(r.bad + r.missing, 0);
	ro = open_store(state, EB_STORE_READONLY);
	r = check(ro, true, false, &said);
	eb_store_close(ro);
	assert_int_equal(r.bad, 2);
	assert_int_equal(count_said(&said, "is damaged"), 2);
	assert_int_equal(find(s, &a), 1);
	r = check(s, true, false, &said);
	assert_int_equal(r.bad, 2);
	assert_int_equal(r.missing, 0);
	assert_int_equal(find(s, &a), 0);
	assert_int_equal(find(s, &b), 1);
	r = check(s, true, false, &said);
	assert_int_equal(r.bad + r.missing, 0);
	eb_store_close(s);
}

static void check_finds_what_is_missing(void **state)
{
	struct eb_store *s = open_store(state, 0);
	struct eb_item a = put_item(s, EB_ITEM_PART, "part a", NULL, 0);
	struct eb_item b = put_item(s, EB_ITEM_PART, "part b", NULL, 0);
	struct said said EB_CLEANUP(release_said) = { 0 };
	struct eb_store_report r;

	add_said(&said);
	remove_blob(s, &a.blob);
	damage_blob(s, &b.blob, "shorter or longer");
	r = check(s, false, false, &said);
	assert_int_equal(r.missing, 1);
	assert_int_equal(r.bad, 1);
	assert_int_equal(count_said(&said, "of a part is not there"), 1);
	put_text(s, "part a");
	put_text(s, "part b");
	assert_int_equal(find(s, &a), 0); /* the rows were removed */
	assert_int_equal(find(s, &b), 0);
	r = check(s, true, false, &said);
	assert_int_equal(r.bad + r.missing, 0);
	eb_store_close(s);
}

static void nothing_is_repaired_under_a_build(void **state)
{
	struct eb_store *s = open_store(state, 0), *other;
	struct eb_item a = put_item(s, EB_ITEM_PART, "part a", NULL, 0);
	struct said said EB_CLEANUP(release_said) = { 0 };

	add_said(&said);
	other = open_store(state, 0);
	damage_blob(s, &a.blob, "part x");
	assert_int_equal(check(s, true, false, &said).bad, 1);
	assert_int_equal(count_said(&said, "while another envbuild"), 1);
	assert_int_equal(find(s, &a), 1);
	eb_store_close(other);
	assert_int_equal(check(s, true, false, &said).bad, 1);
	assert_int_equal(find(s, &a), 0);
	eb_store_close(s);
}

static int dump_row(void *data, const struct eb_db_row *row,
		    struct eb_error *err)
{
	(void)err;
	eb_strv_add(data, eb_db_text(row, 0));
	return 0;
}

/* All rows but the time of last use and the serial numbers. */
static void dump_index(void **state, struct eb_strv *out)
{
	static const char sql[] =
		"SELECT 'item ' || kind || hex(key) || compressor || "
		"hex(plain) || plain_size || hex(blob) || size || hex(paths) "
		"FROM item UNION ALL "
		"SELECT 'part ' || hex(layer) || compressor || position || "
		"hex(part) || hex(paths) FROM layer_part UNION ALL "
		"SELECT 'lock ' || hex(lock) || hex(definition) || hex(text) "
		"|| hex(record) || time FROM lock UNION ALL "
		"SELECT 'image ' || hex(manifest) || hex(lock) || compressor "
		"|| hex(config) || hex(record) || size || time FROM image "
		"UNION ALL "
		"SELECT 'blob ' || hex(manifest) || hex(blob) FROM image_blob";
	eb_autofree char *path = eb_asprintf("%s/index.sqlite", (char *)*state);
	struct eb_error err = EB_ERROR_INIT;
	struct eb_db *db = NULL;

	must(eb_db_open(path, NULL, EB_DB_READONLY, &db, &err), &err);
	must(eb_db_run(db, sql, dump_row, out, &err, ""), &err);
	eb_db_close(db);
	eb_strv_sort(out);
}

static void same_rows(const struct eb_strv *a, const struct eb_strv *b)
{
	size_t i;

	assert_int_equal(a->n, b->n);
	for (i = 0; i < a->n; i++)
		assert_string_equal(a->v[i], b->v[i]);
}

static void put_everything(struct eb_store *s)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_item part[3] = {
		put_item(s, EB_ITEM_PART, "part a", NULL, 0),
		put_item(s, EB_ITEM_PART, "part b", NULL, 0),
		put_item(s, EB_ITEM_PART, "part c", NULL, 0),
	};
	struct eb_item layer[2] = {
		put_item(s, EB_ITEM_LAYER, "own layer", NULL, 0),
		put_item(s, EB_ITEM_LAYER, "bucket", part, 3),
	};
	struct eb_lock_row lock = { digest_of("image"), put_text(s, "lock"),
				    digest_of("definition"), 77 };

	must(eb_store_put_lock(s, &lock, &err), &err);
	lock.time = 78;
	must(eb_store_put_lock(s, &lock, &err), &err);
	put_image(s, "image", layer, 2);
}

static void index_is_made_anew(void **state)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv before = { 0 };
	EB_CLEANUP(eb_strv_release) struct eb_strv after = { 0 };
	eb_autofree char *path = eb_asprintf("%s/index.sqlite", (char *)*state);
	struct eb_store *s = open_store(state, 0);
	struct eb_store_report r;

	put_everything(s);
	eb_store_close(s);
	dump_index(state, &before);
	assert_int_equal(before.n, 5 + 3 + 1 + 1 + 2);
	assert_int_equal(unlink(path), 0);
	s = open_store(state, 0);
	r = check(s, true, true, NULL);
	assert_int_equal(r.bad + r.missing, 0);
	eb_store_close(s);
	dump_index(state, &after);
	same_rows(&before, &after);
}

/* A channel's file can look like a record; only what the store marked is. */
static void foreign_records_are_not_believed(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_store *s = open_store(state, 0);
	struct eb_item evil = { .kind = EB_ITEM_LAYER, .compressor = "gzip" };
	EB_AUTOBUF(text, 10000);

	evil.key = digest_of("python");
	evil.blob = put_text(s, "evil layer");
	evil.size = strlen("evil layer");
	eb_store_item_header(&evil, &text);
	must(eb_store_put(s, text.data, text.len, &evil.paths, &err), &err);
	check(s, true, true, NULL);
	assert_int_equal(find(s, &evil), 0);
	eb_store_close(s);
}

static void rebuild_leaves_out_what_lacks_blobs(void **state)
{
	struct eb_store *s = open_store(state, 0);
	struct eb_item a = put_item(s, EB_ITEM_LAYER, "a", NULL, 0);
	struct eb_item b = put_item(s, EB_ITEM_LAYER, "b", NULL, 0);
	struct eb_image_row of_a = put_image(s, "image a", &a, 1);
	struct eb_image_row of_b = put_image(s, "image b", &b, 1);
	struct eb_store_report r;

	remove_blob(s, &a.blob);
	damage_blob(s, &b.paths, "envbuild-item 1\t");
	r = check(s, true, true, NULL);
	assert_int_equal(r.missing, 0);
	assert_int_equal(r.bad, 1); /* the path list, seen by the check */
	assert_int_equal(find(s, &a), 0);
	assert_int_equal(find(s, &b), 0);
	assert_int_equal(find_image(s, &of_a), 0);
	assert_int_equal(find_image(s, &of_b), 1);
	eb_store_close(s);
}

static struct eb_store_report gc(struct eb_store *s, uint64_t max_bytes,
				 int64_t max_age, bool dry_run)
{
	struct eb_gc_options o = { max_bytes, max_age, dry_run };
	struct eb_error err = EB_ERROR_INIT;
	struct eb_store_report r;

	must(eb_store_gc(s, &o, NULL, &r, &err), &err);
	return r;
}

static void gc_removes_what_nothing_reaches(void **state)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv before = { 0 };
	EB_CLEANUP(eb_strv_release) struct eb_strv after = { 0 };
	struct eb_store *s = open_store(state, 0);
	struct eb_item loose_part, loose_layer;
	struct eb_store_report r;

	put_everything(s);
	/* the record of the lock before it was confirmed */
	assert_int_equal(gc(s, 0, 0, false).removed, 1);
	dump_index(state, &before);
	loose_part = put_item(s, EB_ITEM_PART, "loose part", NULL, 0);
	loose_layer = put_item(s, EB_ITEM_LAYER, "loose", &loose_part, 1);
	put_text(s, "stray");
	r = gc(s, 0, 0, true);
	assert_int_equal(r.removed, 5);
	assert_int_equal(find(s, &loose_part), 1);
	r = gc(s, 0, 0, false);
	assert_int_equal(r.removed, 5);
	assert_int_equal(find(s, &loose_part), 0);
	assert_int_equal(find(s, &loose_layer), 0);
	assert_int_equal(gc(s, 0, 0, false).removed, 0);
	dump_index(state, &after);
	same_rows(&before, &after);
	r = check_store(s, true);
	assert_int_equal(r.bad + r.missing + r.unknown, 0);
	eb_store_close(s);
}

/* Three images with two layers of 500 bytes each, of which they share one. */
static void put_three(struct eb_store *s, struct eb_image_row image[3],
		      struct eb_item *shared)
{
	char text[501];
	unsigned i;

	memset(text, 's', 500);
	text[500] = '\0';
	*shared = put_item(s, EB_ITEM_LAYER, text, NULL, 0);
	for (i = 0; i < 3; i++) {
		char name[] = { 'i', (char)('0' + i), '\0' };
		struct eb_item layer[2] = { *shared };

		text[0] = (char)('0' + i);
		layer[1] = put_item(s, EB_ITEM_LAYER, text, NULL, 0);
		image[i] = put_image(s, name, layer, 2);
		usleep(2000);
	}
}

static void gc_by_size_takes_the_oldest(void **state)
{
	struct eb_store *s = open_store(state, 0);
	struct eb_image_row image[3];
	struct eb_item shared;
	struct eb_store_report r;
	uint64_t all;

	put_three(s, image, &shared);
	all = gc(s, 0, 0, false).bytes;
	assert_int_equal(gc(s, all, 0, false).removed, 0);
	r = gc(s, all - 1, 0, false);
	assert_int_equal(find_image(s, &image[0]), 0);
	assert_int_equal(find_image(s, &image[1]), 1);
	assert_int_equal(find_image(s, &image[2]), 1);
	assert_int_equal(find(s, &shared), 1);
	assert_true(r.removed_bytes >= 500 && r.bytes <= all - 500);
	gc(s, 2400, 0, false); /* one with its lists and rows */
	assert_int_equal(find_image(s, &image[1]), 0);
	assert_int_equal(find_image(s, &image[2]), 1);
	r = gc(s, 1, 0, false);
	assert_int_equal(r.blobs, 0);
	assert_int_equal(r.rows, 0);
	eb_store_close(s);
}

static void gc_by_age(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_store *s = open_store(state, 0);
	struct eb_digest blob = put_text(s, "repodata");
	struct eb_image_row image[3];
	struct eb_item shared;
	struct eb_lock_row lock = { digest_of("old"), put_text(s, "lock"),
				    digest_of("d"), 5 };
	struct eb_lock_row kept = { digest_of("i2"), put_text(s, "lock 2"),
				    digest_of("d2"), 5 };

	put_three(s, image, &shared);
	must(eb_store_put_fact(s, "repodata", "url", "x", &blob, &err), &err);
	must(eb_store_put_lock(s, &lock, &err), &err);
	must(eb_store_put_lock(s, &kept, &err), &err);
	gc(s, 0, 3600, false);
	assert_int_equal(find_image(s, &image[0]), 1);
	assert_int_equal(eb_store_has(s, &blob, &err), 1);
	assert_int_equal(eb_store_find_lock(s, &lock.lock, &lock, &err), 0);
	assert_int_equal(eb_store_find_lock(s, &kept.lock, &kept, &err), 1);
	sleep(2);
	put_image(s, "i2", &shared, 1);
	gc(s, 0, 1, false);
	assert_int_equal(find_image(s, &image[0]), 0);
	assert_int_equal(find_image(s, &image[1]), 0);
	assert_int_equal(find_image(s, &image[2]), 1);
	assert_int_equal(eb_store_has(s, &blob, &err), 0);
	eb_store_close(s);
}

/* What one reference needs: a fact for each blob, all of one age. */
static void gc_and_facts_of_one_image(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_store *s = open_store(state, 0);
	struct eb_digest d[] = { put_text(s, "manifest"), put_text(s, "config"),
				 put_text(s, "layer"), put_text(s, "other") };
	const struct eb_fact fact[] = { { "x/y:z linux/amd64", "", &d[0] },
					{ "x/y:z linux/amd64 1", "", &d[1] },
					{ "x/y:z linux/amd64 2", "", &d[2] } };
	const struct eb_fact moved[] = { { "x/y:z linux/amd64", "", &d[3] } };

	must(eb_store_put_facts(s, "pulled", NULL, fact, 3, &err), &err);
	assert_int_equal(gc(s, 0, 0, false).removed, 1); /* "other" */
	assert_int_equal(gc(s, 19, 0, false).removed, 0);
	d[3] = put_text(s, "other");
	must(eb_store_put_facts(s, "pulled", "x/y:z linux/amd64 ", moved, 1,
				&err),
	     &err);
	assert_int_equal(gc(s, 0, 0, false).removed, 3);
	assert_int_equal(eb_store_has(s, &d[3], &err), 1);
	must(eb_store_put_facts(s, "pulled", NULL, fact, 3, &err), &err);
	put_text(s, "manifest");
	put_text(s, "config");
	put_text(s, "layer");
	assert_int_equal(gc(s, 18, 0, false).blobs, 0);
	eb_store_close(s);
}

static void gc_keeps_away_from_builds(void **state)
{
	struct eb_gc_options o = { 1, 0, false };
	struct eb_error err = EB_ERROR_INIT;
	struct eb_store *s = open_store(state, 0), *build;
	struct eb_store_report r;
	struct eb_digest d;

	build = open_store(state, 0);
	d = put_text(build, "not named yet");
	must_fail(eb_store_gc(s, &o, NULL, &r, &err), &err, EB_MACHINE,
		  "another envbuild uses the store");
	assert_int_equal(eb_store_has(build, &d, &err), 1);
	eb_store_close(build);
	must(eb_store_gc(s, &o, NULL, &r, &err), &err);
	assert_int_equal(r.removed, 1);
	build = open_store(state, 0); /* and lets them in again */
	eb_store_close(build);
	eb_store_close(s);
}

static void locks_and_leftovers_are_swept(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_store *s = open_store(state, 0);
	struct eb_digest d = digest_of("definition");
	eb_autofree char *left =
		eb_asprintf("%s/tmp/left/over", (char *)*state);
	eb_autofree char *lock = NULL;
	char hex[EB_HEX_SIZE];
	int fd;

	must(eb_store_lock_build(s, &d, NULL, &fd, &err), &err);
	close(fd);
	lock = eb_asprintf("%s/locks/%s", (char *)*state,
			   eb_digest_hex(&d, hex));
	assert_true(eb_path_exists(lock));
	must(eb_mkdirs(left, 0700, &err), &err);
	eb_store_close(open_store(state, 0)); /* s is open: not alone */
	assert_true(eb_path_exists(left));
	gc(s, 0, 0, false);
	assert_false(eb_path_exists(lock));
	eb_store_close(s);
	eb_store_close(open_store(state, 0));
	assert_false(eb_path_exists(left));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(check_finds_damage),
		TEST(check_finds_what_is_missing),
		TEST(nothing_is_repaired_under_a_build),
		TEST(index_is_made_anew),
		TEST(foreign_records_are_not_believed),
		TEST(rebuild_leaves_out_what_lacks_blobs),
		TEST(gc_removes_what_nothing_reaches),
		TEST(gc_by_size_takes_the_oldest),
		TEST(gc_by_age),
		TEST(gc_and_facts_of_one_image),
		TEST(gc_keeps_away_from_builds),
		TEST(locks_and_leftovers_are_swept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
