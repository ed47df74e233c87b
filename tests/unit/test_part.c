/* SPDX-License-Identifier: Apache-2.0 */
/* Parts and layers: golden blobs, determinism, joining, walking, damage. */
#include "store_fixture.h"

#include <dirent.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <envbuild/part.h>
#include <layer/layer_priv.h>

static struct eb_compressor compressor(const char *text)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_compressor c;

	must(eb_compressor_init(&c, text, &err), &err);
	return c;
}

static void compressors(void **state)
{
	static const char *const bad[] = { "",	     "xz",	"zstd:",
					   "zstd:0", "zstd:20", "zstd:3x",
					   "gzip:1", "zstd:-1", "GZIP" };
	struct eb_compressor c = compressor("gzip");
	struct eb_error err = EB_ERROR_INIT;
	size_t i;

	(void)state;
	assert_int_equal(c.zstd_level, 0);
	if (c.golden)
		assert_string_equal(c.id, "gzip-isal1");
	else
		assert_int_equal(strlen(c.id), strlen("gzip-isal1-01234567"));
	assert_true(eb_ends(eb_compressor_media_type(&c), "v1.tar+gzip"));
	c = compressor("zstd");
	assert_true(eb_starts(c.id, "zstd3-1."));
	c = compressor("zstd:19");
	assert_true(eb_starts(c.id, "zstd19-1."));
	assert_true(eb_ends(eb_compressor_media_type(&c), "v1.tar+zstd"));
	for (i = 0; i < sizeof bad / sizeof *bad; i++)
		must_fail(eb_compressor_init(&c, bad[i], &err), &err, EB_USAGE,
			  "no kind of compression");
}

/* What a block becomes does not depend on the blocks before it, nor on where
 * it lies in memory; noise becomes stored blocks. */
static void blocks_are_independent(void **state)
{
	const size_t n = EB_GZIP_BLOCK;
	eb_autofree char *text = eb_malloc(n + 1), *noise = eb_malloc(n);
	eb_autofree char *a = eb_malloc(eb_gzip_bound(n));
	eb_autofree char *b = eb_malloc(eb_gzip_bound(n));
	EB_CLEANUP(eb_gzip_free_ptr) struct eb_gzip *z = eb_gzip_new();
	uint32_t x = 1;
	size_t i, len;

	(void)state;
	for (i = 0; i < n; i++) {
		x = x * 1664525 + 1013904223;
		noise[i] = (char)(x >> 24);
		text[i] = "the quick brown fox"[(x >> 28) + i % 3];
	}
	len = eb_gzip_block(z, text, n, a);
	assert_true(len < n);
	assert_memory_equal(a, "\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
	i = eb_gzip_block(z, noise, n, b);
	assert_true(i > n && i <= eb_gzip_bound(n));
	memmove(text + 1, text, n);
	assert_int_equal(eb_gzip_block(z, text + 1, n, b), len);
	assert_memory_equal(a, b, len);
}

/* Small numbers all over the memory that is taken next. */
static void soil_memory(uint16_t number)
{
	uint16_t *p[8];
	size_t i, k;

	for (k = 0; k < 8; k++) {
		p[k] = eb_malloc(200000 * (k + 1));
		for (i = 0; i < 100000 * (k + 1); i++)
			p[k][i] = number;
	}
	for (k = 0; k < 8; k++)
		free(p[k]);
}

/* Nor does it depend on what the memory held before. */
static void memory_does_not_count(void **state)
{
	struct eb_compressor first = compressor("gzip"), c;
	uint16_t i;

	(void)state;
	for (i = 1; i < 16; i++) {
		soil_memory(i);
		c = compressor("gzip");
		assert_string_equal(c.id, first.id);
	}
	if (!first.golden)
		print_message("this ISA-L writes other bytes: \"%s\"\n",
			      first.id);
}

static void fill(char *p, size_t n, unsigned seed)
{
	size_t i;

	for (i = 0; i < n; i++) {
		seed = seed * 1664525 + 1013904223;
		p[i] = (char)(i % 8 < 5 ? 'a' + i / 64 % 20 : seed >> 24);
	}
}

static void add_file(struct eb_entries *e, const char *path, size_t size)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *text = eb_malloc(size + 1);

	fill(text, size, (unsigned)(size + path[strlen(path) - 1]));
	must(eb_entries_add_file(e, path, size % 2 ? 0755 : 0644,
				 1500000000 + (int64_t)size, text, size, &err),
	     &err);
}

/* A package: files small and large, links, an empty directory, notes. */
static void package(struct eb_entries *e, const char *name)
{
	static const char *const sub[] = { "bin/%s", "lib/%s/a.so",
					   "lib/%s/data.bin",
					   "lib/%s/\xc3\xbc.py" };
	static const size_t size[] = { 100, 1500000, 3000000, 0 };
	struct eb_entry *entry;
	size_t i;

	for (i = 0; i < 4; i++) {
		EB_AUTOBUF(path, 10000);
		const char *s = strstr(sub[i], "%s");

		eb_buf_addf(&path, "opt/env/%.*s%s%s", (int)(s - sub[i]),
			    sub[i], name, s + 2);
		add_file(e, path.data, size[i]);
		e->entry[e->n - 1].note = eb_asprintf("note %zu", i);
	}
	for (i = 0; i < 2; i++) {
		eb_autofree char *path = eb_asprintf(i ? "opt/env/lib/%s/empty"
						       : "opt/env/lib/lib%s.so",
						     name);

		entry = eb_entries_add(e, path,
				       i ? EB_ENTRY_DIR : EB_ENTRY_LINK);
		entry->target = i ? NULL : eb_asprintf("%s/a.so", name);
	}
}

static bool is_empty(const char *dir)
{
	DIR *d = opendir(dir);
	bool empty = true;
	struct dirent *e;

	assert_non_null(d);
	while ((e = readdir(d)))
		empty = empty && *e->d_name == '.';
	closedir(d);
	return empty;
}

static struct eb_item write_item(struct eb_store *s,
				 const struct eb_compressor *c,
				 enum eb_item_kind kind, const char *name)
{
	EB_CLEANUP(eb_entries_release) struct eb_entries e = { 0 };
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest key = digest_of(name);
	struct eb_item item;

	package(&e, name);
	must(eb_part_write(s, c, kind, &key, &e, name, &item, &err), &err);
	return item;
}

/* The plain bytes by a foreign program, and their digest. */
static void check_plain(struct eb_store *s, const struct eb_item *item,
			const char *tool)
{
	eb_autofree char *blob = eb_store_blob_path(s, &item->blob);
	eb_autofree char *command = eb_asprintf(
		"%s -dc <'%s' | sha256sum | cut -c1-64", tool, blob);
	char hex[EB_HEX_SIZE], want[EB_HEX_SIZE];
	FILE *p = popen(command, "re");

	assert_non_null(p);
	assert_int_equal(fscanf(p, "%64s", hex), 1);
	pclose(p);
	assert_string_equal(hex, eb_digest_hex(&item->plain, want));
}

static void is_golden(const char *what, const struct eb_digest *d,
		      const char *want)
{
	char hex[EB_HEX_SIZE];

	if (strcmp(eb_digest_hex(d, hex), want) != 0)
		fail_msg("%s is %s, not %s", what, hex, want);
}

/* Raised only together with the format epoch of the keys. */
static void golden_part(void **state)
{
	struct eb_store *s = open_store(state, 0);
	struct eb_compressor c = compressor("gzip");
	struct eb_item item = write_item(s, &c, EB_ITEM_PART, "pkg"), layer;
	struct eb_item found;
	struct eb_error err = EB_ERROR_INIT;

	is_golden("plain part", &item.plain,
		  "5db9487e5b25da63b13f5d5b7dddebf8657d48229aaa2bb43c0cba1189fc"
		  "0e3e");
	assert_int_equal(item.plain_size % 512, 0);
	layer = write_item(s, &c, EB_ITEM_LAYER, "pkg");
	is_golden("plain layer", &layer.plain,
		  "ec2e3b40b27e236fa0e7d66013eab341bbe6e29a618e3d6b7546c2fa8cf0"
		  "7e6f");
	assert_int_equal(eb_store_find_item(s, EB_ITEM_LAYER, &layer.key, c.id,
					    &found, &err),
			 1);
	assert_true(eb_digest_equal(&found.blob, &layer.blob));
	check_plain(s, &item, "gzip");
	check_plain(s, &layer, "gzip");
	if (c.golden) {
		is_golden("part's blob", &item.blob,
			  "c90f92f6e4e5fe46c3c8e2afe033f63f18be71955ec38adb9511"
			  "bf7fa605e809");
		is_golden("layer's blob", &layer.blob,
			  "96ebfc26ce07f71a7984123ad9288846a09b996d7bb14c263b67"
			  "78996291c355");
	}
	eb_store_close(s);
}

struct asked {
	struct eb_store *store;
	unsigned times;
	bool refuse;
};

/* eb_part_check_fn */
static int ask(void *data, struct eb_error *err)
{
	struct asked *a = data;
	eb_autofree char *dir =
		eb_asprintf("%s/blobs/sha256", eb_store_dir(a->store));

	a->times++;
	assert_true(is_empty(dir));
	return a->refuse ? eb_err_set(err, EB_INTEGRITY, "it is another one")
			 : 0;
}

/* Nothing of it is in the store before the answer, nor after a no. */
static void checked(void **state)
{
	struct eb_store *s = open_store(state, 0);
	struct eb_compressor c = compressor("gzip");
	struct asked a = { .store = s, .refuse = true };
	struct eb_digest key = digest_of("pkg");
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *dir = eb_asprintf("%s/blobs/sha256", eb_store_dir(s));
	struct eb_item item, found, plain;

	for (int i = 0; i < 2; i++) {
		EB_CLEANUP(eb_entries_release) struct eb_entries e = { 0 };
		int rc;

		package(&e, "pkg");
		rc = eb_part_write_checked(s, &c, EB_ITEM_PART, &key, &e, "pkg",
					   ask, &a, &item, &err);
		assert_int_equal(a.times, i + 1);
		assert_int_equal(rc, a.refuse ? -1 : 0);
		assert_int_equal(eb_store_find_item(s, EB_ITEM_PART, &key, c.id,
						    &found, &err),
				 a.refuse ? 0 : 1);
		assert_int_equal(is_empty(dir), a.refuse);
		if (a.refuse)
			assert_string_equal(err.message, "it is another one");
		eb_err_release(&err);
		a.refuse = false;
	}
	plain = write_item(s, &c, EB_ITEM_PART, "pkg");
	assert_true(eb_digest_equal(&plain.blob, &item.blob));
	eb_store_close(s);
}

static void zstd_part(void **state)
{
	struct eb_store *s = open_store(state, 0);
	struct eb_compressor c = compressor("zstd:5"), g = compressor("gzip");
	struct eb_item item = write_item(s, &c, EB_ITEM_PART, "pkg");
	struct eb_item same = write_item(s, &g, EB_ITEM_PART, "pkg");

	assert_true(eb_digest_equal(&item.plain, &same.plain));
	assert_false(eb_digest_equal(&item.blob, &same.blob));
	if (system("command -v zstd >/dev/null") != 0) {
		eb_store_close(s);
		print_message("zstd is missing\n");
		skip();
	}
	check_plain(s, &item, "zstd");
	eb_store_close(s);
}

/* Another order of arrival, umask, time zone and folder: the same bytes. */
static void same_bytes_anywhere(void **state)
{
	struct eb_store *s = open_store(state, 0), *t;
	struct eb_compressor c = compressor("gzip");
	struct eb_item a = write_item(s, &c, EB_ITEM_LAYER, "pkg"), b;
	EB_CLEANUP(eb_entries_release) struct eb_entries e = { 0 };
	eb_autofree char *dir = eb_asprintf("%s/other", (char *)*state);
	struct eb_error err = EB_ERROR_INIT;
	mode_t mask = umask(0);
	size_t i;

	must(eb_store_open(dir, 0, &t, &err), &err);
	setenv("TZ", "Pacific/Chatham", 1);
	package(&e, "pkg");
	for (i = 0; i < e.n / 2; i++) {
		struct eb_entry swap = e.entry[i];

		e.entry[i] = e.entry[e.n - 1 - i];
		e.entry[e.n - 1 - i] = swap;
	}
	must(eb_part_write(t, &c, EB_ITEM_LAYER, &a.key, &e, "pkg", &b, &err),
	     &err);
	unsetenv("TZ");
	umask(mask);
	assert_memory_equal(&a, &b, sizeof a);
	eb_store_close(s);
	eb_store_close(t);
}

struct seen {
	struct eb_strv lines;
	uint64_t bytes;
	size_t stop_after, n;
	bool read;
};

static int see(void *data, const struct eb_entry *e, struct eb_stream *content,
	       struct eb_error *err)
{
	struct seen *seen = data;
	struct eb_sha256 sha;
	struct eb_digest d;
	char buffer[5000];
	ssize_t got = 0;

	eb_strv_addf(&seen->lines, "%c %s", (char)e->type, e->path);
	assert_int_equal(content != NULL, e->type == EB_ENTRY_FILE);
	if (content && seen->read) {
		eb_sha256_init(&sha);
		while ((got = eb_stream_read(content, buffer, sizeof buffer,
					     err)) > 0) {
			eb_sha256_add(&sha, buffer, (size_t)got);
			seen->bytes += (uint64_t)got;
		}
		if (got < 0)
			return -1;
		eb_sha256_end(&sha, &d);
		assert_true(eb_digest_equal(&d, &e->sha256));
		assert_non_null(e->note);
	}
	return seen->stop_after && ++seen->n == seen->stop_after;
}

static void release_seen(struct seen *seen)
{
	eb_strv_release(&seen->lines);
}

static void walked(struct eb_store *s, const struct eb_item *item, bool read,
		   size_t entries, uint64_t bytes)
{
	struct seen seen EB_CLEANUP(release_seen) = { .read = read };
	struct eb_error err = EB_ERROR_INIT;

	must(eb_part_walk(s, item, see, &seen, &err), &err);
	assert_int_equal(seen.lines.n, entries);
	assert_int_equal(seen.bytes, bytes);
}

static void walking(void **state)
{
	static const char *const want[] = { "f opt/env/bin/pkg",
					    "l opt/env/lib/libpkg.so",
					    "f opt/env/lib/pkg/a.so",
					    "f opt/env/lib/pkg/data.bin",
					    "f opt/env/lib/pkg/\xc3\xbc.py" };
	struct eb_store *s = open_store(state, 0);
	struct eb_compressor c = compressor("gzip"), z = compressor("zstd");
	struct eb_item part = write_item(s, &c, EB_ITEM_PART, "pkg");
	struct eb_item layer = write_item(s, &z, EB_ITEM_LAYER, "pkg");
	struct seen seen EB_CLEANUP(release_seen) = { .stop_after = 3 };
	struct eb_error err = EB_ERROR_INIT;
	size_t i;

	walked(s, &part, true, 5, 4500100);
	walked(s, &part, false, 5, 0);
	walked(s, &layer, true, 5, 4500100);
	must(eb_part_walk(s, &part, see, &seen, &err), &err);
	assert_int_equal(seen.lines.n, 3);
	seen.stop_after = 0;
	eb_strv_release(&seen.lines);
	must(eb_part_walk(s, &part, see, &seen, &err), &err);
	for (i = 0; i < 5; i++)
		assert_string_equal(seen.lines.v[i], want[i]);
	eb_store_close(s);
}

static void path_list(void **state)
{
	EB_CLEANUP(eb_entries_release) struct eb_entries got = { 0 };
	EB_CLEANUP(eb_entries_release) struct eb_entries want = { 0 };
	struct eb_store *s = open_store(state, 0);
	struct eb_compressor c = compressor("gzip");
	struct eb_item item = write_item(s, &c, EB_ITEM_PART, "pkg");
	struct eb_error err = EB_ERROR_INIT;
	size_t i;

	package(&want, "pkg");
	must(eb_entries_sort(&want, "pkg", &err), &err);
	must(eb_part_paths(s, &item, &got, &err), &err);
	assert_int_equal(got.n, want.n);
	for (i = 0; i < got.n; i++) {
		const struct eb_entry *a = &got.entry[i], *b = &want.entry[i];

		assert_string_equal(a->path, b->path);
		assert_int_equal(a->type, b->type);
		assert_int_equal(a->mode, b->mode);
		assert_int_equal(a->mtime, b->mtime);
		assert_int_equal(a->size, b->size);
		assert_true(eb_digest_equal(&a->sha256, &b->sha256));
		assert_string_equal(a->note ? a->note : "-",
				    b->note ? b->note : "-");
		assert_string_equal(a->target ? a->target : "-",
				    b->target ? b->target : "-");
		assert_null(a->spool);
	}
	eb_store_close(s);
}

static void odd_names_in_lists(void **state)
{
	static const char *const odd[] = { "a\tb",  "a\nb", "a\\b",
					   "a\\tb", "\\",   "x\\\n\t\\\\" };
	EB_CLEANUP(eb_entries_release) struct eb_entries e = { 0 };
	EB_CLEANUP(eb_entries_release) struct eb_entries got = { 0 };
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(text, 100000);
	size_t i;

	(void)state;
	for (i = 0; i < 6; i++) {
		eb_entries_add(&e, odd[i], EB_ENTRY_LINK)->target =
			eb_strdup(odd[5 - i]);
		eb_list_line(&e.entry[i], &text);
	}
	must(eb_list_parse(text.data, text.len, &got, "t", &err), &err);
	assert_int_equal(got.n, 6);
	for (i = 0; i < 6; i++) {
		assert_string_equal(got.entry[i].path, odd[i]);
		assert_string_equal(got.entry[i].target, odd[5 - i]);
	}
}

static void hostile_lists(void **state)
{
	static const char *const bad[] = {
		"f\t644\t0\t0\t\tp\t\t\n", /* no digest */
		"x\t644\t0\t0\t\tp\t\t\n",
		"l\t648\t0\t0\t\tp\tt\t\n",
		"l\t644\tx\t0\t\tp\tt\t\n",
		"l\t644\t0\t-1\t\tp\tt\t\n",
		"l\t644\t0\t0\t\tp\\x\tt\t\n",
		"l\t644\t0\t0\t\tp\tt\n",
		"l\t644\t0\t0\t\tp\tt\t\t\n",
		"l\t644\t0\t0\t\tp\tt\t",
		"\n",
		"l\t6440000\t0\t0\t\tp\tt\t\n",
	};
	struct eb_error err = EB_ERROR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof bad / sizeof *bad; i++) {
		EB_CLEANUP(eb_entries_release) struct eb_entries e = { 0 };

		must_fail(
			eb_list_parse(bad[i], strlen(bad[i]), &e, "list", &err),
			&err, EB_INTEGRITY, "\"list\"");
	}
}

static void not_a_list(void **state)
{
	EB_CLEANUP(eb_entries_release) struct eb_entries e = { 0 };
	struct eb_store *s = open_store(state, 0);
	struct eb_error err = EB_ERROR_INIT;
	struct eb_item item = { .paths = put_text(s, "something") };

	must_fail(eb_part_paths(s, &item, &e, &err), &err, EB_INTEGRITY,
		  "something else");
	eb_store_close(s);
}

static void join(struct eb_store *s, const struct eb_compressor *c,
		 const struct eb_item *part, size_t n, struct eb_item *out)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest key = digest_of("joined");

	must(eb_part_join(s, c, &key, part, n, out, &err), &err);
}

/* The joined tar is what tar says it is: directories first, each once, then
 * the parts in their order. */
static void check_listing(struct eb_store *s, const struct eb_item *item)
{
	static const char want[] =
		"opt/\nopt/env/\nopt/env/bin/\nopt/env/lib/\nopt/env/lib/a/\n"
		"opt/env/lib/a/empty/\nopt/env/lib/b/\nopt/env/lib/b/empty/\n"
		"opt/env/bin/b\nopt/env/lib/b/a.so\nopt/env/lib/b/data.bin\n"
		"opt/env/lib/b/\xc3\xbc.py\nopt/env/lib/libb.so\n"
		"opt/env/bin/a\nopt/env/lib/a/a.so\nopt/env/lib/a/data.bin\n"
		"opt/env/lib/a/\xc3\xbc.py\nopt/env/lib/liba.so\n";
	eb_autofree char *blob = eb_store_blob_path(s, &item->blob);
	eb_autofree char *command =
		eb_asprintf("tar --quoting-style=literal -tf '%s'", blob);
	char got[sizeof want + 100];
	FILE *p = popen(command, "re");
	size_t n;

	assert_non_null(p);
	n = fread(got, 1, sizeof got - 1, p);
	got[n] = '\0';
	assert_int_equal(pclose(p), 0);
	assert_string_equal(got, want);
}

static void joining(void **state, const char *compression, const char *tool)
{
	struct eb_store *s = open_store(state, 0);
	struct eb_compressor c = compressor(compression);
	struct eb_item part[] = { write_item(s, &c, EB_ITEM_PART, "b"),
				  write_item(s, &c, EB_ITEM_PART, "a") };
	EB_CLEANUP(eb_entries_release) struct eb_entries e = { 0 };
	struct eb_error err = EB_ERROR_INIT;
	struct eb_item out, found;

	join(s, &c, part, 2, &out);
	check_listing(s, &out);
	check_plain(s, &out, tool);
	assert_int_equal(eb_store_find_item(s, EB_ITEM_LAYER, &out.key, c.id,
					    &found, &err),
			 1);
	assert_memory_equal(&out, &found, sizeof out);
	walked(s, &out, true, 10, 2 * 4500100);
	must(eb_part_paths(s, &out, &e, &err), &err);
	assert_int_equal(e.n, 12);
	assert_non_null(eb_entries_find(&e, "opt/env/lib/a/empty"));
	eb_store_close(s);
}

static void joining_gzip(void **state)
{
	joining(state, "gzip", "gzip");
}

static void joining_zstd(void **state)
{
	if (system("command -v zstd >/dev/null") != 0) {
		print_message("zstd is missing\n");
		skip();
	}
	joining(state, "zstd", "zstd");
}

/* A join of one part is byte for byte what comes out of a fresh one. */
static void golden_join(void **state)
{
	struct eb_store *s = open_store(state, 0);
	struct eb_compressor c = compressor("gzip");
	struct eb_item part[] = { write_item(s, &c, EB_ITEM_PART, "b"),
				  write_item(s, &c, EB_ITEM_PART, "a") };
	struct eb_item out;

	join(s, &c, part, 2, &out);
	is_golden("joined plain", &out.plain,
		  "6eef7826a0716dd51767d8a26abfe088a2fa53bfb8959d4b03fe80d1cc85"
		  "4846");
	if (c.golden)
		is_golden("joined blob", &out.blob,
			  "71e6bababc426c4447ec01f03f4ae641c7caf6ba9efed52aa763"
			  "6caccd84c0d8");
	eb_store_close(s);
}

static void one_path_twice(void **state)
{
	struct eb_store *s = open_store(state, 0);
	struct eb_compressor c = compressor("gzip");
	struct eb_item part[3] = { write_item(s, &c, EB_ITEM_PART, "a"),
				   write_item(s, &c, EB_ITEM_PART, "b") };
	EB_CLEANUP(eb_entries_release) struct eb_entries e = { 0 };
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest key = digest_of("k");
	struct eb_item out;
	struct stat st;
	eb_autofree char *tmp = eb_asprintf("%s/tmp", (char *)*state);

	part[2] = part[0];
	must_fail(eb_part_join(s, &c, &key, part, 3, &out, &err), &err,
		  EB_INPUT, "is there twice");
	add_file(&e, "opt/env/lib/b", 5); /* a folder in the other */
	must(eb_part_write(s, &c, EB_ITEM_PART, &key, &e, "x", &part[2], &err),
	     &err);
	must_fail(eb_part_join(s, &c, &key, part, 3, &out, &err), &err,
		  EB_INPUT, "lies below \"opt/env/lib/b\"");
	assert_int_equal(stat(tmp, &st), 0);
	assert_int_equal(st.st_nlink, 2);
	eb_store_close(s);
}

static void parts_of_another_compressor(void **state)
{
	struct eb_store *s = open_store(state, 0);
	struct eb_compressor c = compressor("gzip"), z = compressor("zstd");
	struct eb_item part = write_item(s, &z, EB_ITEM_PART, "a"), out;
	struct eb_error err = EB_ERROR_INIT;

	must_fail(eb_part_join(s, &c, &part.key, &part, 1, &out, &err), &err,
		  EB_INPUT, "packed by zstd3");
	eb_store_close(s);
}

static void nothing_in_it(void **state)
{
	struct eb_store *s = open_store(state, 0);
	struct eb_compressor c = compressor("gzip");
	struct eb_entries none = { 0 };
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest key = digest_of("none");
	struct eb_item part[2], out;

	must(eb_part_write(s, &c, EB_ITEM_PART, &key, &none, "none", &part[0],
			   &err),
	     &err);
	assert_int_equal(part[0].size, 0);
	assert_int_equal(part[0].plain_size, 0);
	walked(s, &part[0], true, 0, 0);
	part[1] = write_item(s, &c, EB_ITEM_PART, "a");
	join(s, &c, part, 2, &out);
	walked(s, &out, true, 5, 4500100);
	join(s, &c, NULL, 0, &out);
	assert_int_equal(out.plain_size, 1024);
	walked(s, &out, true, 0, 0);
	eb_store_close(s);
}

static void opaque_folder(void **state)
{
	struct eb_store *s = open_store(state, 0);
	struct eb_compressor c = compressor("gzip");
	EB_CLEANUP(eb_entries_release) struct eb_entries e = { 0 };
	struct seen seen EB_CLEANUP(release_seen) = { 0 };
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest key = digest_of("k");
	struct eb_item item;

	eb_entries_add(&e, "opt/env", EB_ENTRY_OPAQUE);
	add_file(&e, "opt/env/bin/x", 7);
	must(eb_part_write(s, &c, EB_ITEM_LAYER, &key, &e, "x", &item, &err),
	     &err);
	must(eb_part_walk(s, &item, see, &seen, &err), &err);
	assert_int_equal(seen.lines.n, 2);
	assert_string_equal(seen.lines.v[0], "o opt/env");
	assert_string_equal(seen.lines.v[1], "f opt/env/bin/x");
	eb_store_close(s);
}

/* Nothing of a package with a bad name is kept. */
static void bad_entries_are_refused(void **state)
{
	static const char *const bad[] = { "../x", "/etc/x", "a/.wh.b", "" };
	struct eb_store *s = open_store(state, 0);
	struct eb_compressor c = compressor("gzip");
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest key = digest_of("k");
	struct eb_item item;
	size_t i;

	for (i = 0; i < 6; i++) {
		EB_CLEANUP(eb_entries_release) struct eb_entries e = { 0 };

		if (i < 4)
			add_file(&e, i == 3 ? "x" : bad[i], 3);
		if (i == 3)
			e.entry[0].path[0] = '\0';
		if (i == 4)
			eb_entries_add(&e, "l", EB_ENTRY_LINK);
		if (i == 5)
			eb_entries_add(&e, "l", EB_ENTRY_LINK)->target =
				eb_strdup("\xff");
		must_fail(eb_part_write(s, &c, EB_ITEM_PART, &key, &e,
					"evil-1.0", &item, &err),
			  &err, EB_INPUT, "\"evil-1.0\"");
	}
	assert_int_equal(check_store(s, false).blobs, 0);
	eb_store_close(s);
}

/* Bytes of one blob set in the place of another's. */
static void swap_blob(struct eb_store *s, const struct eb_digest *to,
		      const struct eb_digest *from, size_t cut, size_t flip)
{
	eb_autofree char *a = eb_store_blob_path(s, to);
	eb_autofree char *b = eb_store_blob_path(s, from);
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(text, 100 << 20);

	must(eb_read_file(b, text.max, &text, &err), &err);
	if (flip)
		text.data[flip] ^= 1;
	must(eb_write_file(a, text.data, text.len - cut, 0444, &err), &err);
}

static void damage_is_found(void **state)
{
	struct eb_store *s = open_store(state, 0);
	struct eb_compressor c = compressor("gzip");
	struct eb_item good = write_item(s, &c, EB_ITEM_PART, "a");
	struct eb_item hurt = write_item(s, &c, EB_ITEM_PART, "b"), out;
	struct seen seen EB_CLEANUP(release_seen) = { 0 };
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest key = digest_of("k"), copy = put_text(s, "x");

	swap_blob(s, &copy, &hurt.blob, 0, 0);
	swap_blob(s, &hurt.blob, &copy, 0, 1000);
	assert_int_equal(eb_part_walk(s, &hurt, see, &seen, &err), -1);
	assert_int_equal(err.code, EB_INTEGRITY);
	eb_err_release(&err);
	assert_int_equal(eb_part_join(s, &c, &key, &hurt, 1, &out, &err), -1);
	assert_int_equal(err.code, EB_INTEGRITY);
	eb_err_release(&err);
	swap_blob(s, &hurt.blob, &copy, 700, 0);
	must_fail(eb_part_walk(s, &hurt, see, &seen, &err), &err, EB_INTEGRITY,
		  "breaks off");
	must_fail(eb_part_join(s, &c, &key, &hurt, 1, &out, &err), &err,
		  EB_INTEGRITY, "the bytes of this blob are others");
	swap_blob(s, &hurt.blob, &good.blob, 0, 0); /* good, but another */
	hurt.size = good.size;
	must_fail(eb_part_walk(s, &hurt, see, &seen, &err), &err, EB_INTEGRITY,
		  "plain bytes are others");
	must_fail(eb_part_join(s, &c, &key, &hurt, 1, &out, &err), &err,
		  EB_INTEGRITY, "the bytes of this blob are others");
	hurt.plain_size -= 512;
	must_fail(eb_part_walk(s, &hurt, see, &seen, &err), &err, EB_INTEGRITY,
		  "more bytes than its row says");
	assert_int_equal(
		eb_store_find_item(s, EB_ITEM_LAYER, &key, c.id, &out, &err),
		0);
	eb_store_close(s);
}

/* A file of 96 MiB passes with a few MiB of memory. */
static int pack_large(void **state, const char *compression)
{
	struct eb_store *s = open_store(state, 0);
	struct eb_compressor c = compressor(compression);
	EB_CLEANUP(eb_entries_release) struct eb_entries e = { 0 };
	eb_autofree char *block = eb_malloc(1 << 20);
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest key = digest_of("large");
	struct eb_spool *spool = eb_spool_new(eb_store_tmp(s), 1 << 20);
	struct eb_entry *entry = eb_entries_add(&e, "large", EB_ENTRY_FILE);
	struct seen seen EB_CLEANUP(release_seen) = { 0 };
	struct eb_item item, layer;
	struct rusage before, after;
	unsigned i;

	eb_entries_take_spool(&e, spool);
	entry->spool = spool;
	entry->size = (uint64_t)96 << 20;
	for (i = 0; i < 96; i++) {
		fill(block, 1 << 20, i);
		must(eb_spool_add(spool, block, 1 << 20, &err), &err);
	}
	getrusage(RUSAGE_SELF, &before);
	must(eb_part_write(s, &c, EB_ITEM_PART, &key, &e, "large", &item, &err),
	     &err);
	join(s, &c, &item, 1, &layer);
	must(eb_part_walk(s, &layer, see, &seen, &err), &err);
	getrusage(RUSAGE_SELF, &after);
	eb_store_close(s);
	return after.ru_maxrss - before.ru_maxrss < 24 << 10 ? 0 : 1;
}

static void bounded_memory(void **state, const char *compression)
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(pack_large(state, compression));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void bounded_memory_gzip(void **state)
{
	bounded_memory(state, "gzip");
}

static void bounded_memory_zstd(void **state)
{
	bounded_memory(state, "zstd");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compressors),
		cmocka_unit_test(blocks_are_independent),
		cmocka_unit_test(memory_does_not_count),
		cmocka_unit_test(odd_names_in_lists),
		cmocka_unit_test(hostile_lists),
		TEST(golden_part),
		TEST(checked),
		TEST(zstd_part),
		TEST(same_bytes_anywhere),
		TEST(walking),
		TEST(path_list),
		TEST(not_a_list),
		TEST(joining_gzip),
		TEST(joining_zstd),
		TEST(golden_join),
		TEST(one_path_twice),
		TEST(parts_of_another_compressor),
		TEST(nothing_in_it),
		TEST(opaque_folder),
		TEST(bad_entries_are_refused),
		TEST(damage_is_found),
		TEST(bounded_memory_gzip),
		TEST(bounded_memory_zstd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
