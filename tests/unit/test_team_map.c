/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of layers and parts, and the map as text: round trip, golden
 * bytes, foreign zstd, hostile input. */
#include "team_fixture.h"

#include <build/team_artifact.h>
#include <build/team_map.h>

#include <envbuild/process.h>

/* One own layer, a bucket of three parts (one of them empty), one of one. */
static void fill(struct eb_known *k)
{
	struct eb_item bucket;

	add_layer(k, "numpy", GZIP, 4000000);
	bucket = add_layer(k, "bucket 3", GZIP, 1000);
	add_part(k, &bucket, "six", 100, 300, "f\t644\t1\t5\t\topt/six\t\t\n");
	add_part(k, &bucket, "six record", 400, 0, "");
	add_part(k, &bucket, "toolz", 400, 600, "l\t777\t1\t0\t\ta\tb\t\n");
	bucket = add_layer(k, "bucket 9", GZIP, 70);
	add_part(k, &bucket, "zlib", 10, 20, "");
	eb_known_sort(k);
}

#define GOLDEN_TEXT \
	"87062589ce474ba39d52e92a3885afd92f6020cd6e0aa22184e0fb0011c50176"
#define GOLDEN_PATHS \
	"2b7ab4920d8fef09abf44674da58f53aefff422d683f17189b5596ffdd620ca1"

struct both { /* a map's two texts */
	struct eb_buf text, paths;
};

static void release(struct both *b)
{
	eb_buf_release(&b->text);
	eb_buf_release(&b->paths);
}

static void format(const struct eb_known *k, struct both *out)
{
	struct eb_error err = EB_ERROR_INIT;

	eb_buf_init(&out->text, EB_MAX_MAP);
	eb_buf_init(&out->paths, EB_MAX_PATHS);
	must(eb_map_format(k, &out->text, &out->paths, &err), &err);
}

static const struct eb_known_item *find(const struct eb_known *k,
					enum eb_item_kind kind,
					const char *name, const char *by)
{
	struct eb_digest key = digest_of(name);

	return eb_known_find(k, kind, &key, by);
}

static void test_find(void **state)
{
	struct eb_known k EB_CLEANUP(eb_known_release) = EB_KNOWN_INIT;
	const struct eb_known_item *i;

	(void)state;
	assert_null(find(&k, EB_ITEM_LAYER, "numpy", GZIP));
	fill(&k);
	assert_int_equal(k.n, 7);
	i = find(&k, EB_ITEM_PART, "toolz", GZIP);
	assert_non_null(i);
	assert_int_equal(i->offset, 400);
	assert_int_equal(i->item.size, 600);
	assert_int_equal(i->container_size, 1000);
	assert_non_null(find(&k, EB_ITEM_LAYER, "numpy", GZIP));
	assert_null(find(&k, EB_ITEM_PART, "numpy", GZIP));
	assert_null(find(&k, EB_ITEM_LAYER, "numpy", "zstd3-1.5.4"));
	assert_null(find(&k, EB_ITEM_LAYER, "nothing", GZIP));
}

/* The same key from two maps: the one that was added first stays. */
static void test_first_wins(void **state)
{
	struct eb_known k EB_CLEANUP(eb_known_release) = EB_KNOWN_INIT;

	(void)state;
	add_layer(&k, "b", GZIP, 10);
	add_layer(&k, "a", GZIP, 1);
	add_layer(&k, "a", "zstd3-1.5.4", 2);
	add_layer(&k, "a", GZIP, 3);
	add_layer(&k, "b", GZIP, 20);
	eb_known_sort(&k);
	assert_int_equal(k.n, 3);
	assert_int_equal(find(&k, EB_ITEM_LAYER, "a", GZIP)->item.size, 1);
	assert_int_equal(find(&k, EB_ITEM_LAYER, "b", GZIP)->item.size, 10);
	assert_int_equal(find(&k, EB_ITEM_LAYER, "a", "zstd3-1.5.4")->item.size,
			 2);
}

static void test_paths_are_checked(void **state)
{
	struct eb_known k EB_CLEANUP(eb_known_release) = EB_KNOWN_INIT;
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(paths, EB_MAX_PATHS);
	EB_AUTOBUF(other, EB_MAX_PATHS);
	struct eb_item a, b;

	(void)state;
	a = make_item(EB_ITEM_LAYER, "a", GZIP, 5, "", &paths);
	b = make_item(EB_ITEM_LAYER, "b", GZIP, 5, "", &other);
	must_fail(eb_known_add(&k, &a, &a.blob, 5, 0, other.data, other.len,
			       &err),
		  &err, EB_INTEGRITY, "path list");
	/* the right digest of a list that is another item's */
	b.key = a.key;
	must_fail(eb_known_add(&k, &b, &b.blob, 5, 0, other.data, other.len,
			       &err),
		  &err, EB_INTEGRITY, "path list");
	assert_int_equal(k.n, 0);
	assert_int_equal(k.paths.len, 0);
}

static void same_items(const struct eb_known *a, const struct eb_known *b)
{
	assert_int_equal(a->n, b->n);
	for (size_t i = 0; i < a->n; i++) {
		const struct eb_known_item *x = &a->item[i], *y = &b->item[i];

		assert_memory_equal(&x->item.key, &y->item.key, 32);
		assert_memory_equal(&x->item.plain, &y->item.plain, 32);
		assert_memory_equal(&x->item.blob, &y->item.blob, 32);
		assert_memory_equal(&x->item.paths, &y->item.paths, 32);
		assert_memory_equal(&x->container, &y->container, 32);
		assert_int_equal(x->item.kind, y->item.kind);
		assert_int_equal(x->item.size, y->item.size);
		assert_int_equal(x->item.plain_size, y->item.plain_size);
		assert_int_equal(x->offset, y->offset);
		assert_int_equal(x->container_size, y->container_size);
		assert_string_equal(x->item.compressor, y->item.compressor);
		assert_int_equal(x->paths_size, y->paths_size);
		assert_memory_equal(a->paths.data + x->paths_at,
				    b->paths.data + y->paths_at, x->paths_size);
	}
}

static void test_round_trip(void **state)
{
	struct eb_known k EB_CLEANUP(eb_known_release) = EB_KNOWN_INIT;
	struct eb_known back EB_CLEANUP(eb_known_release) = EB_KNOWN_INIT;
	struct both b EB_CLEANUP(release) = { 0 };
	struct both again EB_CLEANUP(release) = { 0 };
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	fill(&k);
	format(&k, &b);
	must(eb_map_parse(b.text.data, b.text.len, "map", &b.paths, &back,
			  &err),
	     &err);
	eb_known_sort(&back);
	same_items(&k, &back);
	format(&back, &again);
	assert_string_equal(b.text.data, again.text.data);
	assert_string_equal(b.paths.data, again.paths.data);
}

static void test_golden(void **state)
{
	struct eb_known k EB_CLEANUP(eb_known_release) = EB_KNOWN_INIT;
	struct both b EB_CLEANUP(release) = { 0 };
	char hex[EB_HEX_SIZE];
	struct eb_digest d;

	(void)state;
	fill(&k);
	format(&k, &b);
	d = digest_of(b.text.data);
	assert_string_equal(eb_digest_hex(&d, hex), GOLDEN_TEXT);
	d = digest_of(b.paths.data);
	assert_string_equal(eb_digest_hex(&d, hex), GOLDEN_PATHS);
}

/* Two layers of the same bytes, one without any, none at all. */
static void test_odd_maps(void **state)
{
	struct eb_known k EB_CLEANUP(eb_known_release) = EB_KNOWN_INIT;
	struct eb_known back EB_CLEANUP(eb_known_release) = EB_KNOWN_INIT;
	struct both b EB_CLEANUP(release) = { 0 };
	struct both none EB_CLEANUP(release) = { 0 };
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(paths, EB_MAX_PATHS);
	struct eb_item a, same;

	(void)state;
	format(&k, &none);
	assert_string_equal(none.text.data, "envbuild-map 1\n");
	a = add_layer(&k, "a", GZIP, 50);
	add_part(&k, &a, "part", 0, 50, "");
	same = a;
	same.key = digest_of("the same bytes");
	eb_store_item_header(&same, &paths);
	eb_sha256(paths.data, paths.len, &same.paths);
	must(eb_known_add(&k, &same, &same.blob, 50, 0, paths.data, paths.len,
			  &err),
	     &err);
	eb_known_sort(&k);
	format(&k, &b);
	must(eb_map_parse(b.text.data, b.text.len, "map", &b.paths, &back,
			  &err),
	     &err);
	eb_known_sort(&back);
	same_items(&k, &back);
}

static void test_part_without_layer(void **state)
{
	struct eb_known k EB_CLEANUP(eb_known_release) = EB_KNOWN_INIT;
	struct eb_known other EB_CLEANUP(eb_known_release) = EB_KNOWN_INIT;
	struct both b EB_CLEANUP(release) = { 0 };
	struct eb_error err = EB_ERROR_INIT;
	struct eb_item layer;

	(void)state;
	layer = add_layer(&other, "a", GZIP, 50);
	add_part(&k, &layer, "part", 0, 50, "");
	eb_buf_init(&b.text, EB_MAX_MAP);
	eb_buf_init(&b.paths, EB_MAX_PATHS);
	must_fail(eb_map_format(&k, &b.text, &b.paths, &err), &err, EB_INPUT,
		  "1 parts are in none");
}

/* --- hostile input ---------------------------------------------------- */
/* `from` (all of them, or the first) replaced in the text. */
static char *edit(const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);

	if (!at)
		fail_msg("\"%s\" is not in the map", from);
	return eb_asprintf("%.*s%s%s", (int)(at - text), text, to,
			   at + strlen(from));
}

static void refused(const char *text, size_t len, const struct eb_buf *paths,
		    enum eb_code code, const char *part)
{
	struct eb_known out EB_CLEANUP(eb_known_release) = EB_KNOWN_INIT;
	struct eb_error err = EB_ERROR_INIT;

	add_layer(&out, "there before", GZIP, 1);
	must_fail(eb_map_parse(text, len, "map", paths, &out, &err), &err, code,
		  part);
	assert_int_equal(out.n, 1);
}

static void test_hostile(void **state)
{
	static const struct {
		const char *from, *to;
		enum eb_code code;
		const char *says;
	} rows[] = {
		{ "envbuild-map 1\n", "envbuild-map 2\n", EB_MACHINE, "newer" },
		{ "envbuild-map 1\n", "envbuild-map 0\n", EB_INTEGRITY, "map" },
		{ "envbuild-map 1\n", "", EB_INTEGRITY, "not that of a map" },
		{ "envbuild-map 1\n", "envbuild-map 1 \n", EB_INTEGRITY,
		  "map" },
		{ "layer", "Layer", EB_INTEGRITY, "line 2" },
		{ "layer\t", "layer", EB_INTEGRITY, "is none" },
		{ "layer\t", "layer\t0", EB_INTEGRITY, "is no layer" },
		{ "layer\t", "layer\tsha256:", EB_INTEGRITY, "is no layer" },
		{ "\t4000000\t", "\t4000001\t", EB_INTEGRITY, "path list" },
		{ "\t4000000\t", "\t-1\t", EB_INTEGRITY, "is no layer" },
		{ "\t4000000\t", "\t99999999999999999999\t", EB_INTEGRITY,
		  "is no layer" },
		{ "\t4000000\t", "\t0x10\t", EB_INTEGRITY, "is no layer" },
		{ GZIP, "", EB_INTEGRITY, "is no layer" },
		{ GZIP, "../../etc", EB_INTEGRITY, "is no layer" },
		{ GZIP,
		  "gzip-isal1-gzip-isal1-gzip-isal1-gzip-isal1-gzip-isal1",
		  EB_INTEGRITY, "is no layer" },
		{ "\t100\n", "\t99\n", EB_OK, NULL }, /* a gap is fine */
		{ "\t100\n", "\t800\n", EB_INTEGRITY, "beyond its layer" },
		{ "\t100\n", "\t1001\n", EB_INTEGRITY, "beyond its layer" },
		{ "\t100\n", "\t101\t\n", EB_INTEGRITY, "is none" },
		{ "\t100\n", "\t9223372036854775807\n", EB_INTEGRITY,
		  "is no part" },
		{ "\t100\n", "\t350\n", EB_INTEGRITY, "over another" },
	};

	struct eb_known k EB_CLEANUP(eb_known_release) = EB_KNOWN_INIT;
	struct both b EB_CLEANUP(release) = { 0 };

	(void)state;
	fill(&k);
	format(&k, &b);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		eb_autofree char *text =
			edit(b.text.data, rows[i].from, rows[i].to);
		struct eb_known out EB_CLEANUP(eb_known_release) =
			EB_KNOWN_INIT;
		struct eb_error err = EB_ERROR_INIT;

		if (rows[i].code)
			refused(text, strlen(text), &b.paths, rows[i].code,
				rows[i].says);
		else
			must(eb_map_parse(text, strlen(text), "map", &b.paths,
					  &out, &err),
			     &err);
	}
}

/* Lines in another order, path lists that are too long or too short. */
static void test_hostile_order(void **state)
{
	struct eb_known k EB_CLEANUP(eb_known_release) = EB_KNOWN_INIT;
	struct both b EB_CLEANUP(release) = { 0 };
	eb_autofree char *first = NULL;
	const char *part;

	(void)state;
	fill(&k);
	format(&k, &b);
	part = strstr(b.text.data, "part\t");
	first = eb_asprintf("envbuild-map 1\n%s", part);
	refused(first, strlen(first), &b.paths, EB_INTEGRITY,
		"a part of no layer");
	b.paths.len--;
	refused(b.text.data, b.text.len, &b.paths, EB_INTEGRITY, "their end");
	b.paths.len++;
	eb_buf_addch(&b.paths, 'x');
	refused(b.text.data, b.text.len, &b.paths, EB_INTEGRITY,
		"more path lists");
	b.paths.data[40] ^= 1;
	refused(b.text.data, b.text.len, &b.paths, EB_INTEGRITY, "path list");
}

/* However it breaks off, it is refused; whatever byte changes, nothing lies
 * outside of its layer. */
static void test_hostile_bytes(void **state)
{
	static const char bytes[] = "\0\t\n019afpl\xff";
	struct eb_known k EB_CLEANUP(eb_known_release) = EB_KNOWN_INIT;
	struct both b EB_CLEANUP(release) = { 0 };
	unsigned taken = 0, not = 0;

	(void)state;
	fill(&k);
	format(&k, &b);
	for (size_t n = 0; n < b.text.len; n++)
		refused(b.text.data, n, &b.paths, EB_INTEGRITY, "map");
	for (size_t i = 0; i < b.text.len; i++) {
		char was = b.text.data[i];

		for (size_t j = 0; j + 1 < sizeof bytes; j++) {
			struct eb_known out EB_CLEANUP(eb_known_release) =
				EB_KNOWN_INIT;
			struct eb_error err = EB_ERROR_INIT;
			int rc;

			if (bytes[j] == was)
				continue;
			b.text.data[i] = bytes[j];
			rc = eb_map_parse(b.text.data, b.text.len, "map",
					  &b.paths, &out, &err);
			taken += rc == 0;
			not += rc < 0;
			for (size_t m = 0; m < out.n; m++)
				assert_true(out.item[m].offset +
						    out.item[m].item.size <=
					    out.item[m].container_size);
			eb_err_release(&err);
		}
		b.text.data[i] = was;
	}
	print_message("%u changes refused, %u taken\n", not, taken);
	assert_true(not > 100 * taken);
}

static void test_too_many_lines(void **state)
{
	struct eb_known k EB_CLEANUP(eb_known_release) = EB_KNOWN_INIT;
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(text, EB_MAX_MAP);
	EB_AUTOBUF(paths, EB_MAX_PATHS);
	EB_AUTOBUF(one, EB_MAX_PATHS);
	char key[EB_HEX_SIZE], plain[EB_HEX_SIZE], blob[EB_HEX_SIZE],
		list[EB_HEX_SIZE];
	struct eb_item item = make_item(EB_ITEM_LAYER, "a", GZIP, 5, "", &one);

	(void)state;
	eb_digest_hex(&item.key, key);
	eb_digest_hex(&item.plain, plain);
	eb_digest_hex(&item.blob, blob);
	eb_digest_hex(&item.paths, list);
	eb_buf_adds(&text, "envbuild-map 1\n");
	for (size_t i = 0; i <= EB_MAP_LINES; i++) {
		eb_buf_addf(&text, "layer\t%s\t%s\t%s\t15\t%s\t5\t%s\t%zu\n",
			    key, GZIP, plain, blob, list, one.len);
		eb_buf_add(&paths, one.data, one.len);
	}
	assert_false(text.overflow);
	must_fail(eb_map_parse(text.data, text.len, "map", &paths, &k, &err),
		  &err, EB_INTEGRITY, "one too many");
}

/* --- zstd ------------------------------------------------------------- */
static void test_zstd(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(zeros, 32 << 20);
	EB_AUTOBUF(packed, 32 << 20);
	EB_AUTOBUF(out, 32 << 20);

	(void)state;
	eb_buf_reserve(&zeros, 8 << 20);
	memset(zeros.data, 0, 8 << 20);
	zeros.len = 8 << 20;
	eb_team_zstd(zeros.data, zeros.len, &packed);
	assert_true(packed.len < 4096);
	must(eb_team_unzstd(packed.data, packed.len, "z", 8 << 20, &out, &err),
	     &err);
	assert_int_equal(out.len, 8 << 20);
	eb_buf_reset(&out);
	must_fail(eb_team_unzstd(packed.data, packed.len, "z", (8 << 20) - 1,
				 &out, &err),
		  &err, EB_INTEGRITY, "more than");
	eb_buf_reset(&out);
	must_fail(eb_team_unzstd(packed.data, packed.len / 2, "z", 8 << 20,
				 &out, &err),
		  &err, EB_INTEGRITY, "z");
	eb_buf_reset(&out);
	must_fail(eb_team_unzstd("no zstd at all", 14, "z", 100, &out, &err),
		  &err, EB_INTEGRITY, "z");
	eb_buf_reset(&out);
	must_fail(eb_team_unzstd("", 0, "z", 100, &out, &err), &err,
		  EB_INTEGRITY, "z");
}

/* The zstd of others reads what goes to the registry. */
static void test_foreign_zstd(void **state)
{
	static const char *const argv[] = { "zstd", "-dc", NULL };
	struct eb_known k EB_CLEANUP(eb_known_release) = EB_KNOWN_INIT;
	struct both b EB_CLEANUP(release) = { 0 };
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(packed, EB_MAX_MAP);
	EB_AUTOBUF(out, EB_MAX_MAP);
	eb_autofree char *program = eb_find_program("zstd");
	int status;

	(void)state;
	if (!program) {
		print_message("zstd is not installed\n");
		skip();
	}
	fill(&k);
	format(&k, &b);
	eb_team_zstd(b.text.data, b.text.len, &packed);
	must(eb_process_run(argv, NULL, packed.data, packed.len, EB_MAX_MAP, 20,
			    &out, NULL, &status, &err),
	     &err);
	assert_int_equal(status, 0);
	assert_string_equal(out.data, b.text.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_first_wins),
		cmocka_unit_test(test_paths_are_checked),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_odd_maps),
		cmocka_unit_test(test_part_without_layer),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_hostile_order),
		cmocka_unit_test(test_hostile_bytes),
		cmocka_unit_test(test_too_many_lines),
		cmocka_unit_test(test_zstd),
		cmocka_unit_test(test_foreign_zstd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
