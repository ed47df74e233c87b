/* SPDX-License-Identifier: Apache-2.0 */
/* Where parts lie in a joined layer; path lists from their texts. */
#include "store_fixture.h"

#include <envbuild/part.h>

#define N 4

struct joined {
	struct eb_store *store;
	struct eb_compressor c;
	struct eb_item part[N], layer;
};

/* Files of this many bytes; the third part has no file at all. */
static const size_t sizes[N] = { 100, 3 << 20, 0, 70000 };

static void make_part(struct joined *j, unsigned i)
{
	EB_CLEANUP(eb_entries_release) struct eb_entries e = { 0 };
	eb_autofree char *content = eb_calloc(sizes[i] + 1, 1);
	eb_autofree char *path = eb_asprintf("opt/env/p%u/a\tb", i);
	eb_autofree char *key = eb_asprintf("part %u", i);
	struct eb_digest d = digest_of(key);
	struct eb_error err = EB_ERROR_INIT;

	for (size_t k = 0; k < sizes[i]; k++)
		content[k] = (char)(k * k >> 7 ^ k);
	if (sizes[i])
		must(eb_entries_add_file(&e, path, 0644, EB_FIXED_MTIME,
					 content, sizes[i], &err),
		     &err);
	else
		eb_entries_add(&e, path, EB_ENTRY_DIR)->mode = 0755;
	must(eb_part_write(j->store, &j->c, EB_ITEM_PART, &d, &e, key,
			   &j->part[i], &err),
	     &err);
}

static void make(struct joined *j, void **state, const char *compression)
{
	struct eb_digest key = digest_of("layer");
	struct eb_error err = EB_ERROR_INIT;

	j->store = open_store(state, 0);
	must(eb_compressor_init(&j->c, compression, &err), &err);
	for (unsigned i = 0; i < N; i++)
		make_part(j, i);
	must(eb_part_join(j->store, &j->c, &key, j->part, N, &j->layer, &err),
	     &err);
}

static void read_blob(struct joined *j, const struct eb_digest *d,
		      struct eb_buf *out)
{
	struct eb_error err = EB_ERROR_INIT;

	must(eb_store_read(j->store, d, EB_MAX_TEXT, out, &err), &err);
}

/* Each part's blob is found where it is said to be. */
static void check_places(struct joined *j)
{
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(whole, EB_MAX_TEXT);
	uint64_t at;

	must(eb_part_place(&j->c, &j->layer, j->part, N, &at, &err), &err);
	assert_true(at > 0);
	read_blob(j, &j->layer.blob, &whole);
	for (unsigned i = 0; i < N; i++) {
		EB_AUTOBUF(part, EB_MAX_TEXT);

		read_blob(j, &j->part[i].blob, &part);
		assert_int_equal(part.len, j->part[i].size);
		assert_true(at + part.len <= whole.len);
		assert_memory_equal(whole.data + at, part.data, part.len);
		at += part.len;
	}
	assert_true(at < whole.len);
}

static void places(void **state)
{
	static const char *const kinds[] = { "gzip", "zstd", "zstd:9" };

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		struct joined j = { 0 };

		make(&j, state, kinds[i]);
		check_places(&j);
		eb_store_close(j.store);
	}
}

static void too_small(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct joined j = { 0 };
	uint64_t at;

	make(&j, state, "gzip");
	j.layer.size = j.part[1].size;
	must_fail(eb_part_place(&j.c, &j.layer, j.part, N, &at, &err), &err,
		  EB_INTEGRITY, "smaller than they are");
	j.part[0].size = j.part[1].size = UINT64_MAX;
	must_fail(eb_part_place(&j.c, &j.layer, j.part, N, &at, &err), &err,
		  EB_INTEGRITY, "smaller than they are");
	eb_store_close(j.store);
}

static void lists(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct joined j = { 0 };

	make(&j, state, "gzip");
	for (unsigned i = 0; i < N; i++) {
		EB_CLEANUP(eb_entries_release)
		struct eb_entries a = { 0 }, b = { 0 };
		EB_AUTOBUF(text, EB_MAX_TEXT);

		must(eb_part_paths(j.store, &j.part[i], &a, &err), &err);
		read_blob(&j, &j.part[i].paths, &text);
		must(eb_part_paths_parse(text.data, text.len, "x", &b, &err),
		     &err);
		assert_int_equal(a.n, 1);
		assert_int_equal(b.n, 1);
		assert_string_equal(a.entry[0].path, b.entry[0].path);
		assert_true(a.entry[0].type == b.entry[0].type);
		assert_int_equal(a.entry[0].size, b.entry[0].size);
		assert_true(eb_digest_equal(&a.entry[0].sha256,
					    &b.entry[0].sha256));
	}
	eb_store_close(j.store);
}

static void bad_lists(void **state)
{
	EB_CLEANUP(eb_entries_release) struct eb_entries e = { 0 };
	struct eb_error err = EB_ERROR_INIT;
	struct joined j = { 0 };
	EB_AUTOBUF(text, EB_MAX_TEXT);

	make(&j, state, "gzip");
	/* A joined layer's names parts, which are no entries. */
	read_blob(&j, &j.layer.paths, &text);
	must_fail(eb_part_paths_parse(text.data, text.len, "joined", &e, &err),
		  &err, EB_INTEGRITY, "\"joined\"");
	eb_buf_reset(&text);
	read_blob(&j, &j.part[0].paths, &text);
	for (size_t n = 0; n < text.len; n++) {
		EB_CLEANUP(eb_entries_release) struct eb_entries cut = { 0 };
		int rc = eb_part_paths_parse(text.data, n, "cut", &cut, &err);

		if (rc == 0) { /* right behind its first line */
			assert_int_equal(cut.n, 0);
			assert_int_equal(text.data[n - 1], '\n');
			continue;
		}
		must_fail(rc, &err, EB_INTEGRITY, "\"cut\"");
	}
	eb_store_close(j.store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(places, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(too_small, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(lists, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(bad_lists, make_folder,
						remove_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
