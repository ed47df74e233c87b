/* SPDX-License-Identifier: Apache-2.0 */
/* tar headers: golden bytes, pax where it is needed, foreign readers, and our
 * own reader with good and hostile input. */
#include "store_fixture.h"

#include <envbuild/part.h>
#include <layer/layer_priv.h>

#define S10 "abcdefghi/"
#define S50 S10 S10 S10 S10 S10
#define S100 S50 S50

static void add_header(struct eb_buf *out, const struct eb_entry *e)
{
	struct eb_error err = EB_ERROR_INIT;

	must(eb_tar_header(out, e, &err), &err);
}

static struct eb_entry file(const char *path, uint64_t size, int64_t mtime)
{
	return (struct eb_entry){ .path = (char *)path,
				  .type = EB_ENTRY_FILE,
				  .mode = 0644,
				  .size = size,
				  .mtime = mtime };
}

static void plain_header(void **state)
{
	struct eb_entry e = file("opt/env/bin/python", 1234, 1530000000);
	EB_AUTOBUF(b, 10000);

	(void)state;
	e.mode = 0755;
	add_header(&b, &e);
	assert_int_equal(b.len, 512);
	assert_string_equal(b.data, "opt/env/bin/python");
	assert_string_equal(b.data + 100, "0000755");
	assert_string_equal(b.data + 108, "0000000");
	assert_string_equal(b.data + 116, "0000000");
	assert_string_equal(b.data + 124, "00000002322");
	assert_string_equal(b.data + 136, "13314371200");
	assert_memory_equal(b.data + 155, " 0", 2);
	assert_memory_equal(b.data + 257, "ustar\00000", 8);
	assert_memory_equal(b.data + 265, (char[64]){ 0 }, 64);
}

static void needs_pax(const struct eb_entry *e, const char *record)
{
	EB_AUTOBUF(b, 100000);
	char name[101];

	add_header(&b, e);
	if (!record) {
		assert_int_equal(b.len, 512);
		return;
	}
	assert_true(b.len >= 3 * 512);
	assert_int_equal(b.data[156], 'x');
	snprintf(name, sizeof name, "%s", b.data);
	assert_true(eb_starts(name, "PaxHeaders/"));
	assert_true(strlen(name) > strlen("PaxHeaders/"));
	if (!memmem(b.data + 512, b.len - 1024, record, strlen(record)))
		fail_msg("%s is not in %s", record, b.data + 512);
}

static void pax_only_where_needed(void **state)
{
	struct eb_entry e = file("a", 0, 0);

	(void)state;
	needs_pax(&e, NULL);
	e = file(&S50 S50 "/x"[2], 0, 0); /* 100 bytes */
	assert_int_equal(strlen(e.path), 100);
	needs_pax(&e, NULL);
	e = file(&S100 S50 "abcd/" S100[1], 0, 0); /* both fields full */
	needs_pax(&e, NULL);
	e = file(S100 S100 S100, 0, 0);
	needs_pax(&e, " path=" S100);
	e = file("x/" S10 "\xc3\xa4.py", 0, 0);
	needs_pax(&e, " path=x/abcdefghi/\xc3\xa4.py\n");
	e = file("big", ((uint64_t)1 << 33) - 1, 0);
	needs_pax(&e, NULL);
	e = file("big", (uint64_t)1 << 33, 0);
	needs_pax(&e, "19 size=8589934592\n");
	e = file("old", 0, -86400);
	needs_pax(&e, "16 mtime=-86400\n");
	e = file("far", 0, (int64_t)1 << 33);
	needs_pax(&e, "20 mtime=8589934592\n");
	e = file("l", 0, 0);
	e.type = EB_ENTRY_LINK;
	e.target = (char *)S100;
	needs_pax(&e, NULL);
	e.target = (char *)S100 "x";
	needs_pax(&e, "115 linkpath=" S100 "x\n");
	e.target = (char *)"\xe2\x82\xac";
	needs_pax(&e, "16 linkpath=\xe2\x82\xac\n");
}

/* A record's length counts its own digits: 99 becomes 101, never 100. */
static void record_lengths(void **state)
{
	char path[600];
	size_t n;

	(void)state;
	for (n = 101; n < 500; n++) {
		struct eb_entry e = file(path, 0, 0);
		EB_AUTOBUF(b, 100000);
		unsigned long len;
		char *end;

		memset(path, 'p', sizeof path);
		path[n] = '\0';
		add_header(&b, &e);
		len = strtoul(b.data + 512, &end, 10);
		assert_memory_equal(end, " path=ppp", 9);
		assert_int_equal(b.data[512 + len - 1], '\n');
		assert_int_equal(b.data[512 + len], '\0');
		assert_int_equal((size_t)(end - (b.data + 512)) + 6 + n + 1,
				 len);
	}
}

/* Every kind of entry that there is, sorted. */
static void sample(struct eb_entries *e)
{
	struct eb_error err = EB_ERROR_INIT;

	must(eb_entries_add_file(e, "opt/env/bin/tool", 0755, 1530000000,
				 "#!/bin/sh\n", 10, &err),
	     &err);
	must(eb_entries_add_file(e, "opt/env/empty", 0644, 0, "", 0, &err),
	     &err);
	must(eb_entries_add_file(e,
				 "opt/env/share/gr\xc3\xbc\xc3\x9f"
				 "e/" S100 "end",
				 0644, 1, "long", 4, &err),
	     &err);
	must(eb_entries_add_file(e, "opt/env/" S100 "n", 0644, 2, "split", 5,
				 &err),
	     &err);
	must(eb_entries_add_file(e, "opt/env/old", 0644, -5, "old", 3, &err),
	     &err);
	eb_entries_add(e, "opt/env/lib64", EB_ENTRY_LINK)->target =
		eb_strdup("lib");
	eb_entries_add(e, "opt/env/long", EB_ENTRY_LINK)->target =
		eb_strdup(S100 S100 "target");
	eb_entries_add(e, "opt/env/lib", EB_ENTRY_DIR);
	eb_entries_add(e, "opt/env/weird\tand\nmore", EB_ENTRY_DIR);
	must(eb_entries_sort(e, "sample", &err), &err);
}

static void add_content(struct eb_buf *out, const struct eb_entry *e)
{
	struct eb_error err = EB_ERROR_INIT;
	char text[EB_TAR_BLOCK] = "";

	if (e->size == 0)
		return;
	must(eb_spool_read(e->spool, e->offset, text, e->size, &err), &err);
	eb_buf_add(out, text, sizeof text);
}

static void make_tar(const struct eb_entries *e, struct eb_buf *out)
{
	static const char zeros[2 * EB_TAR_BLOCK];
	size_t i;

	for (i = 0; i < e->n; i++) {
		add_header(out, &e->entry[i]);
		add_content(out, &e->entry[i]);
	}
	eb_buf_add(out, zeros, sizeof zeros);
}

/* Raised only together with the format epoch of the keys. */
static void golden_bytes(void **state)
{
	EB_CLEANUP(eb_entries_release) struct eb_entries e = { 0 };
	EB_AUTOBUF(b, 1 << 20);
	struct eb_digest d;
	char hex[EB_HEX_SIZE];

	(void)state;
	sample(&e);
	make_tar(&e, &b);
	eb_sha256(b.data, b.len, &d);
	assert_string_equal(eb_digest_hex(&d, hex),
			    "88f30ecf63c8299443fad561cfea83e0950a9ef681460da4d2"
			    "75df8dfdac42f9");
}

static void same_text(const char *a, const char *b)
{
	assert_string_equal(a ? a : "", b ? b : "");
}

static void own_reader(void **state)
{
	EB_CLEANUP(eb_entries_release) struct eb_entries e = { 0 };
	EB_CLEANUP(eb_stream_free_ptr) struct eb_stream *in = NULL;
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(b, 1 << 20);
	struct eb_entry got;
	size_t i;

	(void)state;
	sample(&e);
	eb_entries_add(&e, "zz/gone", EB_ENTRY_OPAQUE);
	make_tar(&e, &b);
	in = eb_stream_mem(b.data, b.len);
	for (i = 0; i < e.n; i++) {
		const struct eb_entry *want = &e.entry[i];

		assert_int_equal(eb_untar_next(in, "t", &got, &err), 1);
		assert_string_equal(got.path, want->path);
		assert_int_equal(got.type, want->type);
		assert_int_equal(got.mtime, want->mtime);
		assert_int_equal(got.size, want->size);
		same_text(got.target, want->target);
		if (want->type == EB_ENTRY_FILE)
			assert_int_equal(got.mode, want->mode);
		must(eb_stream_skip(in, got.size + eb_tar_padding(got.size),
				    "t", &err),
		     &err);
		free(got.path);
		free(got.target);
	}
	assert_int_equal(eb_untar_next(in, "t", &got, &err), 0);
}

static void reads_only(const char *p, size_t n, const char *why)
{
	EB_CLEANUP(eb_stream_free_ptr)
	struct eb_stream *in = eb_stream_mem(p, n);
	struct eb_error err = EB_ERROR_INIT;
	struct eb_entry got;

	must_fail(eb_untar_next(in, "t", &got, &err), &err, EB_INTEGRITY, why);
}

static void fix_sum(char *h)
{
	unsigned sum = 8 * ' ', i;

	for (i = 0; i < 512; i++)
		if (i < 148 || i >= 156)
			sum += (unsigned char)h[i];
	snprintf(h + 148, 8, "%06o", sum);
	h[155] = ' ';
}

static void pax_of(struct eb_buf *b, const char *records)
{
	struct eb_entry e = file("x", strlen(records), 0);
	char block[512] = "";

	eb_buf_reset(b);
	add_header(b, &e);
	b->data[156] = 'x';
	fix_sum(b->data);
	memcpy(block, records, strlen(records));
	eb_buf_add(b, block, sizeof block);
	e.size = 0;
	add_header(b, &e);
}

static void hostile_tars(void **state)
{
	static const char *const records[] = {
		"8 path=x\n",	  "99 path=x\n",
		"path=x\n",	  "9 path=xx",
		"9 path xx\n",	  "-9 path=x\n",
		"11 size=-1\n",	  "10 size=x\n",
		"12 mtime=1.5\n", "13 atime=100\n",
		"4 =\n",	  "18446744073709551616 path=x\n",
	};
	struct eb_entry e = file("x", 0, 0);
	EB_AUTOBUF(b, 10000);
	size_t i;

	(void)state;
	add_header(&b, &e);
	reads_only(b.data, 511, "breaks off");
	b.data[0]++;
	reads_only(b.data, 512, "checksum");
	b.data[156] = '3';
	fix_sum(b.data);
	reads_only(b.data, 512, "none of ours");
	b.data[156] = '0';
	memcpy(b.data + 124, "0000000000x", 11);
	fix_sum(b.data);
	reads_only(b.data, 512, "none of ours");
	for (i = 0; i < sizeof records / sizeof *records; i++) {
		pax_of(&b, records[i]);
		reads_only(b.data, b.len, "pax record");
	}
	pax_of(&b, "9 path=x\n");
	reads_only(b.data, 1024, "pax header before nothing");
	e = file("x", 1 << 20, 0);
	eb_buf_reset(&b);
	add_header(&b, &e);
	b.data[156] = 'x';
	fix_sum(b.data);
	reads_only(b.data, 512, "pax header without size");
}

static void write_tar(void **state, char **path)
{
	EB_CLEANUP(eb_entries_release) struct eb_entries e = { 0 };
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(b, 1 << 20);

	sample(&e);
	make_tar(&e, &b);
	*path = eb_asprintf("%s/t.tar", (char *)*state);
	must(eb_write_file(*path, b.data, b.len, 0644, &err), &err);
}

static void run_or_skip(const char *tool, const char *command)
{
	eb_autofree char *probe =
		eb_asprintf("command -v %s >/dev/null 2>&1", tool);

	if (system(probe) != 0) {
		print_message("%s is missing\n", tool);
		skip();
	}
	if (system(command) != 0)
		fail_msg("%s", command);
}

static void read_by_gnu_tar(void **state)
{
	eb_autofree char *path = NULL, *command = NULL;

	write_tar(state, &path);
	command = eb_asprintf(
		"cd '%s' && mkdir x && tar -xf t.tar -C x 2>t.err && "
		"! grep -v 'implausibly old' t.err && cd x/opt/env && "
		"test \"$(stat -c %%a:%%Y bin/tool)\" = 755:1530000000 && "
		"test \"$(stat -c %%Y old)\" = -5 && "
		"test \"$(readlink lib64)\" = lib && "
		"test \"$(readlink long)\" = '" S100 S100 "target' && "
		"test \"$(cat '" S100 "n')\" = split && "
		"test \"$(cat 'share/gr\xc3\xbc\xc3\x9f"
		"e/" S100
		"end')\" = long && test \"$(find . -type d -name 'weird*' | "
		"wc -l)\" = 2",
		(char *)*state);
	run_or_skip("tar", command);
}

static void read_by_python(void **state)
{
	static const char program[] =
		"import sys, tarfile\n"
		"t = tarfile.open(sys.argv[1], 'r:')\n"
		"n = 0\n"
		"for m in t:\n"
		"    n += 1\n"
		"    assert m.uid == m.gid == 0, m\n"
		"    assert m.uname == m.gname == '', m\n"
		"    if m.isfile(): t.extractfile(m).read()\n"
		"assert n == 9, n\n"
		"assert t.getmember('opt/env/old').mtime == -5\n"
		"assert t.getmember('opt/env/lib').isdir()\n"
		"s = 'abcdefghi/' * 10\n"
		"m = t.getmember('opt/env/share/gr\\xfc\\xdfe/' + s + 'end')\n"
		"assert t.extractfile(m).read() == b'long'\n"
		"assert t.getmember('opt/env/long').linkname == "
		"s * 2 + 'target'\n";
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *path = NULL, *command = NULL, *script = NULL;

	write_tar(state, &path);
	script = eb_asprintf("%s/t.py", (char *)*state);
	must(eb_write_file(script, program, strlen(program), 0644, &err), &err);
	command = eb_asprintf("python3 '%s' '%s'", script, path);
	run_or_skip("python3", command);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_header),
		cmocka_unit_test(pax_only_where_needed),
		cmocka_unit_test(record_lengths),
		cmocka_unit_test(golden_bytes),
		cmocka_unit_test(own_reader),
		cmocka_unit_test(hostile_tars),
		TEST(read_by_gnu_tar),
		TEST(read_by_python),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
