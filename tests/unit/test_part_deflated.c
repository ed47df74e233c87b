/* SPDX-License-Identifier: Apache-2.0 */
/* Members of zips that become parts without being compressed again: foreign
 * readers, the same bytes from any number of threads, and every lie. */
#include "store_fixture.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <zlib.h>

#include <envbuild/part.h>
#include <layer/layer_priv.h>

#define MIB ((size_t)1 << 20)
#define GOLDEN_PLAIN \
	"6a10a8c12f24b0a3aea227ac314151c002d2ca8b55f3709d317b3de27907693e"
#define GOLDEN_BLOB \
	"e398171a50f42fb1d5ec92e944edc8dd426f2c4dc75cdd2e40efaf2ef03ccd05"

static struct eb_compressor compressor(const char *text)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_compressor c;

	must(eb_compressor_init(&c, text, &err), &err);
	return c;
}

/* A file of streams, and what is to be packed: once as it lies deflated there
 * and once as plain content. */
struct fixture {
	struct eb_store *store;
	int fd;
	uint64_t end;
	struct eb_entries deflated, plain;
	struct eb_buf last; /* the stream that was added last */
};

static void release(struct fixture *f)
{
	eb_entries_release(&f->deflated);
	eb_entries_release(&f->plain);
	eb_buf_release(&f->last);
	eb_store_close(f->store);
	close(f->fd);
}

static struct fixture fixture(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct fixture f = { .store = open_store(state, 0) };

	f.fd = eb_unnamed_file(*state, &err);
	assert_true(f.fd >= 0);
	eb_buf_init(&f.last, SIZE_MAX / 2);
	return f;
}

static void fill(char *p, size_t n, unsigned seed)
{
	size_t i;

	for (i = 0; i < n; i++) {
		seed = seed * 1664525 + 1013904223;
		p[i] = (char)(i % 8 < 5 ? 'a' + i / 64 % 20 : seed >> 24);
	}
}

/* zlib is the judge of what a deflate stream is. */
static void deflate_all(struct eb_buf *out, const char *p, size_t n, int level)
{
	eb_autofree unsigned char *room = NULL;
	z_stream z = { 0 };

	assert_int_equal(deflateInit2(&z, level, Z_DEFLATED, -15, 8, 0), Z_OK);
	room = eb_malloc(deflateBound(&z, n));
	z.next_in = (unsigned char *)p;
	z.avail_in = (unsigned)n;
	z.next_out = room;
	z.avail_out = (unsigned)deflateBound(&z, n);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	eb_buf_reset(out);
	eb_buf_add(out, room, z.total_out);
	deflateEnd(&z);
}

/* Something lies before and behind each stream. */
static void put_stream(struct fixture *f, const void *p, size_t n,
		       struct eb_deflated *d)
{
	d->fd = f->fd;
	d->offset = f->end + 7;
	d->packed = n;
	assert_int_equal(pwrite(f->fd, "between", 7, (off_t)f->end), 7);
	assert_int_equal(pwrite(f->fd, p, n, (off_t)d->offset), n);
	f->end = d->offset + n;
	assert_int_equal(pwrite(f->fd, "behind", 6, (off_t)f->end), 6);
}

static struct eb_entry *add_deflated(struct fixture *f, const char *path,
				     const char *p, size_t n, bool stored)
{
	struct eb_entry *e = eb_entries_add(&f->deflated, path, EB_ENTRY_FILE);

	e->mtime = 1500000000;
	e->size = n;
	eb_sha256(p, n, &e->sha256);
	e->deflated = eb_calloc(1, sizeof *e->deflated);
	e->deflated->crc32 =
		(uint32_t)crc32(0, (const unsigned char *)p, (unsigned)n);
	e->deflated->stored = stored;
	if (stored) {
		eb_buf_reset(&f->last);
		eb_buf_add(&f->last, p, n);
	} else {
		deflate_all(&f->last, p, n, 1);
	}
	put_stream(f, f->last.data, f->last.len, e->deflated);
	return e;
}

static struct eb_entry *add(struct fixture *f, const char *path, size_t n,
			    bool stored)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *text = eb_malloc(n + 1);

	fill(text, n, (unsigned)(n + (unsigned char)path[strlen(path) - 1]));
	must(eb_entries_add_file(&f->plain, path, 0644, 1500000000, text, n,
				 &err),
	     &err);
	return add_deflated(f, path, text, n, stored);
}

/* The same file in both, as plain content; and a link and a folder. */
static void add_others(struct fixture *f)
{
	struct eb_error err = EB_ERROR_INIT;
	int i;

	for (i = 0; i < 2; i++) {
		struct eb_entries *e = i ? &f->plain : &f->deflated;

		must(eb_entries_add_file(e, "opt/env/bin/tool", 0755,
					 1500000000, "#!/bin/sh\n", 10, &err),
		     &err);
		eb_entries_add(e, "opt/env/lib/l", EB_ENTRY_LINK)->target =
			eb_strdup("../bin/tool");
		eb_entries_add(e, "opt/env/lib/none", EB_ENTRY_DIR);
	}
}

static struct fixture wheel(void **state)
{
	struct fixture f = fixture(state);

	add(&f, "opt/env/lib/a/__init__.py", 0, false);
	add(&f, "opt/env/lib/a/empty", 0, true);
	add(&f, "opt/env/lib/a/big.so", 9 * MIB + 77, false);
	add(&f, "opt/env/lib/a/c.py", 1, false);
	add(&f, "opt/env/lib/a/d.py", 511, false);
	add(&f, "opt/env/lib/a/e.py", 512, false);
	add(&f, "opt/env/lib/a/f.npz", 3 * MIB + 1, true);
	add(&f, "opt/env/lib/a/g.so", 5 * MIB, false);
	add(&f, "opt/env/lib/a/h.so", 256 << 10, false);
	add(&f, "opt/env/lib/b.so", 128 << 10, false);
	add(&f, "opt/env/lib/c.so", 300 << 10, false);
	add_others(&f);
	return f;
}

static int pack(struct fixture *f, unsigned threads, const char *compression,
		struct eb_item *item, struct eb_error *err)
{
	struct eb_compressor c = compressor(compression);
	struct eb_digest key = digest_of("key");

	return eb_part_write_by(threads, f->store, &c, EB_ITEM_LAYER, &key,
				&f->deflated, "some-1.0.whl", item, err);
}

static struct eb_item packed(struct fixture *f, unsigned threads,
			     const char *compression)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_item item;

	must(pack(f, threads, compression, &item, &err), &err);
	return item;
}

/* What the same content gives that did not lie deflated. */
static struct eb_item usual(struct fixture *f, const char *compression)
{
	struct eb_compressor c = compressor(compression);
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest key = digest_of("key");
	struct eb_item item;

	must(eb_part_write(f->store, &c, EB_ITEM_LAYER, &key, &f->plain,
			   "some-1.0.whl", &item, &err),
	     &err);
	return item;
}

static void says(const char *command, const char *want)
{
	char got[200] = "";
	FILE *p = popen(command, "re");

	assert_non_null(p);
	if (!fgets(got, sizeof got, p))
		got[0] = '\0';
	assert_int_equal(pclose(p), 0);
	got[strcspn(got, "\n")] = '\0';
	if (strcmp(got, want) != 0)
		fail_msg("%s: \"%s\", not \"%s\"", command, got, want);
}

/* gzip or zstd find it sound and give the plain bytes; tar gives each file's
 * content. */
static void judged(struct fixture *f, const struct eb_item *item,
		   const char *tool)
{
	eb_autofree char *blob = eb_store_blob_path(f->store, &item->blob);
	eb_autofree char *test =
		eb_asprintf("%s -qt <'%s' && echo sound", tool, blob);
	eb_autofree char *sum = eb_asprintf(
		"%s -dc <'%s' | sha256sum | cut -c1-64", tool, blob);
	char hex[EB_HEX_SIZE];
	size_t i;

	says(test, "sound");
	says(sum, eb_digest_hex(&item->plain, hex));
	for (i = 0; i < f->plain.n; i++) {
		const struct eb_entry *e = &f->plain.entry[i];
		eb_autofree char *one = eb_asprintf(
			"%s -dc <'%s' | tar xO '%s' | sha256sum | cut -c1-64",
			tool, blob, e->path);

		if (e->type == EB_ENTRY_FILE)
			says(one, eb_digest_hex(&e->sha256, hex));
	}
}

static void foreign_readers(void **state)
{
	struct fixture f EB_CLEANUP(release) = wheel(state);
	struct eb_item item = packed(&f, 4, "gzip"), same = usual(&f, "gzip");

	assert_memory_equal(&item.plain, &same.plain, sizeof item.plain);
	assert_int_equal(item.plain_size, same.plain_size);
	assert_false(eb_digest_equal(&item.blob, &same.blob));
	judged(&f, &item, "gzip");
}

static void foreign_readers_zstd(void **state)
{
	struct fixture f EB_CLEANUP(release) = wheel(state);
	struct eb_item item, same;

	if (system("command -v zstd >/dev/null") != 0) {
		print_message("zstd is missing\n");
		skip();
	}
	item = packed(&f, 4, "zstd");
	same = usual(&f, "zstd");
	assert_memory_equal(&item.blob, &same.blob, sizeof item.blob);
	judged(&f, &item, "zstd");
}

/* Its header, the stream byte for byte, its CRC and its length. */
static void stream_as_it_is(void **state)
{
	static const char head[] = "\x1f\x8b\x08\0\0\0\0\0\0\xff";
	struct fixture f EB_CLEANUP(release) = fixture(state);
	struct eb_entry *e = add(&f, "opt/env/x.so", 5 * MIB + 3, false);
	EB_AUTOBUF(want, SIZE_MAX / 2);
	EB_AUTOBUF(blob, SIZE_MAX / 2);
	struct eb_error err = EB_ERROR_INIT;
	struct eb_item item;
	uint32_t tail[2] = { e->deflated->crc32, (uint32_t)e->size };
	const char *at;

	eb_buf_add(&want, head, 10);
	eb_buf_add(&want, f.last.data, f.last.len);
	eb_buf_add(&want, tail, 8);
	item = packed(&f, 2, "gzip");
	must(eb_store_read(f.store, &item.blob, SIZE_MAX, &blob, &err), &err);
	at = memmem(blob.data, blob.len, want.data, want.len);
	assert_non_null(at);
	assert_non_null(memmem(blob.data, (size_t)(at - blob.data), head, 10));
	assert_non_null(memmem(at + want.len,
			       blob.len - want.len - (size_t)(at - blob.data),
			       head, 10));
}

/* A deflate stream of blocks that are stored: no library's own choice. */
static void golden(void **state)
{
	struct fixture f EB_CLEANUP(release) = fixture(state);
	struct eb_entry *e = add(&f, "opt/env/lib/golden.bin", 60000, false);
	eb_autofree char *text = eb_malloc(60000);
	unsigned char block[5] = { 1, 60000 & 255, 60000 >> 8,
				   255 - (60000 & 255), 255 - (60000 >> 8) };
	char hex[EB_HEX_SIZE];
	struct eb_item item;

	fill(text, 60000, 60000 + 'n');
	eb_buf_reset(&f.last);
	eb_buf_add(&f.last, block, 5);
	eb_buf_add(&f.last, text, 60000);
	put_stream(&f, f.last.data, f.last.len, e->deflated);
	item = packed(&f, 1, "gzip");
	assert_string_equal(eb_digest_hex(&item.plain, hex), GOLDEN_PLAIN);
	if (compressor("gzip").golden)
		assert_string_equal(eb_digest_hex(&item.blob, hex),
				    GOLDEN_BLOB);
}

static void threads_do_not_count(void **state)
{
	static const char *const kind[] = { "gzip", "zstd:1" };
	struct fixture f EB_CLEANUP(release) = wheel(state);
	struct eb_item first, item;
	unsigned i, k;

	for (k = 0; k < 2; k++) {
		first = packed(&f, 1, kind[k]);
		for (i = 0; i < 12; i++) {
			item = packed(&f, 1 + i % 6, kind[k]);
			assert_memory_equal(&item, &first, sizeof item);
		}
	}
}

/* The product's own readers: list, walk, join. */
struct seen {
	const struct eb_entries *want;
	size_t files;
};

static int see(void *data, const struct eb_entry *e, struct eb_stream *content,
	       struct eb_error *err)
{
	const struct eb_entry *want;
	struct seen *seen = data;
	struct eb_sha256 sha;
	struct eb_digest d;
	char buffer[70000];
	ssize_t got;

	if (!content)
		return 0;
	eb_sha256_init(&sha);
	while ((got = eb_stream_read(content, buffer, sizeof buffer, err)) > 0)
		eb_sha256_add(&sha, buffer, (size_t)got);
	eb_sha256_end(&sha, &d);
	want = eb_entries_find(seen->want, e->path);
	assert_non_null(want);
	assert_memory_equal(&d, &want->sha256, sizeof d);
	assert_memory_equal(&d, &e->sha256, sizeof d);
	assert_int_equal(e->size, want->size);
	seen->files++;
	return got < 0 ? -1 : 0;
}

static void own_readers(void **state)
{
	struct fixture f EB_CLEANUP(release) = wheel(state);
	struct eb_digest a = digest_of("part"), b = digest_of("joined");
	struct eb_compressor c = compressor("gzip");
	struct eb_error err = EB_ERROR_INIT;
	struct seen seen = { &f.plain, 0 };
	struct eb_item part, joined;
	size_t i;

	for (i = 0; i < f.deflated.n; i++) /* to be found out */
		if (f.deflated.entry[i].deflated)
			memset(&f.deflated.entry[i].sha256, 0, 32);
	must(eb_part_write(f.store, &c, EB_ITEM_PART, &a, &f.deflated, "w",
			   &part, &err),
	     &err);
	must(eb_part_join(f.store, &c, &b, &part, 1, &joined, &err), &err);
	must(eb_entries_sort(&f.plain, "plain", &err), &err);
	must(eb_part_walk(f.store, &part, see, &seen, &err), &err);
	must(eb_part_walk(f.store, &joined, see, &seen, &err), &err);
	assert_int_equal(seen.files, 2 * 12);
	judged(&f, &joined, "gzip");
}

/* --- lies ---------------------------------------------------------------- */
enum lie {
	WRONG_SHA,
	WRONG_CRC,
	DECLARED_LESS,
	DECLARED_MORE,
	DECLARED_NONE,
	BREAKS_OFF,
	BEHIND_1,
	BEHIND_6,
	NO_STREAM,
	PAST_THE_FILE,
	DAMAGED, /* and stays so */
	N_LIES
};
static const char *const said[N_LIES] = {
	"checking its bytes", "CRC-32",	      "larger than declared",
	"smaller than",	      "larger than",  "breaks off",
	"is behind",	      "is behind",    "breaks off",
	"unpacking it",	      "unpacking it",
};

static void tell(const struct fixture *f, struct eb_entry *e, enum lie lie)
{
	struct eb_deflated *d = e->deflated;

	switch (lie) {
	case WRONG_SHA: e->sha256.byte[31] ^= 1; break;
	case WRONG_CRC: d->crc32 ^= 0x80000000; break;
	case DECLARED_LESS: e->size--; break;
	case DECLARED_MORE: e->size++; break;
	case DECLARED_NONE: e->size = 0; break;
	case BREAKS_OFF: d->packed--; break;
	case BEHIND_1: d->packed++; break;
	case BEHIND_6: d->packed += 6; break;
	case DAMAGED:
		assert_int_equal(pwrite(f->fd, "\xff\xff\xff\xff\xff", 5,
					(off_t)(d->offset + d->packed / 2)),
				 5);
		break;
	case NO_STREAM: d->packed = 0; break;
	case PAST_THE_FILE: d->packed += 100 * MIB; break;
	case N_LIES: break;
	}
}

static void nothing_left(struct fixture *f)
{
	struct eb_compressor c = compressor("gzip");
	struct eb_digest key = digest_of("key");
	struct eb_error err = EB_ERROR_INIT;
	struct eb_item item;
	eb_autofree char *command =
		eb_asprintf("find '%s' -type f -size +100k | wc -l",
			    eb_store_tmp(f->store));

	assert_int_equal(eb_store_find_item(f->store, EB_ITEM_LAYER, &key, c.id,
					    &item, &err),
			 0);
	says(command, "0");
}

static void is_found(struct fixture *f, enum lie lie, unsigned threads,
		     const char *compression)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_item item;

	assert_int_equal(pack(f, threads, compression, &item, &err), -1);
	assert_int_equal(err.code, EB_INTEGRITY);
	if (!strstr(err.message, "opt/env/lib/liar.so") ||
	    !strstr(err.message, "some-1.0.whl") ||
	    !strstr(err.message, said[lie]))
		fail_msg("lie %d: %s", lie, err.message);
	eb_err_release(&err);
	nothing_left(f);
}

/* The names are in order, so the liar stays where it is. */
static void all_lies(void **state, size_t size)
{
	struct fixture f EB_CLEANUP(release) = fixture(state);
	struct eb_entry *e, entry;
	struct eb_deflated deflated;
	unsigned i;

	add(&f, "opt/env/lib/before.so", 300000, false);
	add(&f, "opt/env/lib/liar.so", size, false);
	add(&f, "opt/env/lib/zz.so", 6 * MIB, false);
	e = &f.deflated.entry[1];
	entry = *e;
	deflated = *e->deflated;
	for (i = 0; i < N_LIES; i++) {
		tell(&f, e, i);
		is_found(&f, i, 1, "gzip");
		is_found(&f, i, 4, "gzip");
		is_found(&f, i, 2, "zstd:1");
		*e = entry;
		*e->deflated = deflated;
	}
}

static void lies(void **state)
{
	all_lies(state, 2000);
	all_lies(state, 700000);
}

static void lies_of_stored(void **state)
{
	struct fixture f EB_CLEANUP(release) = fixture(state);
	struct eb_entry *e = add(&f, "opt/env/stored", 70000, true);
	struct eb_error err = EB_ERROR_INIT;
	struct eb_item item;

	e->size--;
	must_fail(pack(&f, 1, "gzip", &item, &err), &err, EB_INTEGRITY,
		  "stored with another size");
	e->size++;
	e->deflated->crc32++;
	must_fail(pack(&f, 1, "gzip", &item, &err), &err, EB_INTEGRITY,
		  "CRC-32");
	e->deflated->crc32--;
	e->sha256.byte[0]++;
	must_fail(pack(&f, 1, "gzip", &item, &err), &err, EB_INTEGRITY,
		  "checking its bytes");
	e->sha256.byte[0]--;
	packed(&f, 1, "gzip");
}

/* Empty members are looked at too. */
static void lies_of_empty(void **state)
{
	struct fixture f EB_CLEANUP(release) = fixture(state);
	struct eb_entry *e = add(&f, "opt/env/empty", 0, false);
	struct eb_error err = EB_ERROR_INIT;
	struct eb_item item;

	packed(&f, 1, "gzip");
	e->deflated->packed += 2;
	must_fail(pack(&f, 1, "gzip", &item, &err), &err, EB_INTEGRITY,
		  "is behind");
	e->deflated->packed -= 2;
	e->sha256.byte[0]++;
	must_fail(pack(&f, 1, "gzip", &item, &err), &err, EB_INTEGRITY,
		  "checking its bytes");
	e->sha256.byte[0]--;
	e->deflated->crc32 = 1;
	must_fail(pack(&f, 1, "gzip", &item, &err), &err, EB_INTEGRITY,
		  "CRC-32");
}

/* Of several faults the first one in order is told, whoever was faster. */
static void first_fault(void **state)
{
	struct fixture f EB_CLEANUP(release) = fixture(state);
	struct eb_error err = EB_ERROR_INIT;
	struct eb_item item;
	unsigned i;

	add(&f, "opt/env/a.so", 6 * MIB, false);
	tell(&f, add(&f, "opt/env/b.so", 5 * MIB, false), WRONG_SHA);
	tell(&f, add(&f, "opt/env/c.so", 200000, false), DAMAGED);
	tell(&f, add(&f, "opt/env/d.so", 200000, false), WRONG_CRC);
	add(&f, "opt/env/e.so", 5 * MIB, false);
	for (i = 0; i < 60; i++)
		must_fail(pack(&f, 1 + i % 6, "gzip", &item, &err), &err,
			  EB_INTEGRITY, "opt/env/b.so");
}

/* Blocks without content: long input, no output. */
static void endless_nothing(void **state)
{
	struct fixture f EB_CLEANUP(release) = fixture(state);
	struct eb_entry *e = add(&f, "opt/env/x", 300000, false);
	struct eb_error err = EB_ERROR_INIT;
	struct eb_item item;
	size_t i;

	eb_buf_reset(&f.last);
	for (i = 0; i < 400000; i++)
		eb_buf_add(&f.last, "\0\0\0\xff\xff", 5);
	put_stream(&f, f.last.data, f.last.len, e->deflated);
	must_fail(pack(&f, 1, "gzip", &item, &err), &err, EB_INTEGRITY,
		  "breaks off");
	eb_buf_add(&f.last, "\1\0\0\xff\xff", 5);
	put_stream(&f, f.last.data, f.last.len, e->deflated);
	must_fail(pack(&f, 1, "gzip", &item, &err), &err, EB_INTEGRITY,
		  "smaller than declared");
}

static void many_members(void **state)
{
	struct fixture f EB_CLEANUP(release) = fixture(state);
	struct eb_item a, b;
	char path[60];
	unsigned i;

	for (i = 0; i < 5000; i++) {
		snprintf(path, sizeof path, "opt/env/lib/%02u/m%u.py", i % 50,
			 i);
		add(&f, path, i % 97 ? i % 3000 : 200000, i % 7 == 0);
	}
	a = packed(&f, 1, "gzip");
	b = packed(&f, 5, "gzip");
	assert_memory_equal(&a, &b, sizeof a);
	b = usual(&f, "gzip");
	assert_memory_equal(&a.plain, &b.plain, sizeof a.plain);
}

/* --- memory -------------------------------------------------------------- */
#define ROUND (16 * MIB)
#define ROUNDS 64

/* 1 GiB of zeros: what deflates 16 MiB of them, again and again, and an empty
 * block that is the last one. */
static void add_large(struct fixture *f)
{
	eb_autofree unsigned char *zeros = eb_calloc(1, ROUND);
	eb_autofree unsigned char *out = eb_malloc(MIB);
	struct eb_entry *e =
		eb_entries_add(&f->deflated, "opt/env/large.so", EB_ENTRY_FILE);
	z_stream z = { .next_in = zeros,
		       .avail_in = ROUND,
		       .next_out = out,
		       .avail_out = MIB };
	unsigned long crc = crc32(0, zeros, ROUND), all = 0;
	unsigned i;

	assert_int_equal(deflateInit2(&z, 1, Z_DEFLATED, -15, 9, 0), Z_OK);
	assert_int_equal(deflate(&z, Z_FULL_FLUSH), Z_OK);
	assert_int_equal(z.avail_in, 0);
	deflateEnd(&z);
	eb_buf_reset(&f->last);
	for (i = 0; i < ROUNDS; i++) {
		eb_buf_add(&f->last, out, z.total_out);
		all = crc32_combine(all, crc, ROUND);
	}
	eb_buf_add(&f->last, "\3\0", 2);
	e->size = (uint64_t)ROUND * ROUNDS;
	e->deflated = eb_calloc(1, sizeof *e->deflated);
	e->deflated->crc32 = (uint32_t)all;
	put_stream(f, f->last.data, f->last.len, e->deflated);
}

static int pack_large(void **state, const char *compression)
{
	struct fixture f EB_CLEANUP(release) = fixture(state);
	struct rusage before, after;
	struct eb_item item;

	add_large(&f);
	getrusage(RUSAGE_SELF, &before);
	item = packed(&f, 4, compression);
	getrusage(RUSAGE_SELF, &after);
	if (item.plain_size < (uint64_t)ROUND * ROUNDS)
		return 2;
	return after.ru_maxrss - before.ru_maxrss < 24 << 10 ? 0 : 1;
}

static void bounded(void **state, const char *compression)
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(pack_large(state, compression));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void bounded_memory(void **state)
{
	bounded(state, "gzip");
	bounded(state, "zstd:1");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(foreign_readers),
		TEST(foreign_readers_zstd),
		TEST(stream_as_it_is),
		TEST(golden),
		TEST(threads_do_not_count),
		TEST(own_readers),
		TEST(lies),
		TEST(lies_of_stored),
		TEST(lies_of_empty),
		TEST(first_fault),
		TEST(endless_nothing),
		TEST(many_members),
		TEST(bounded_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
