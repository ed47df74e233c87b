/* SPDX-License-Identifier: Apache-2.0 */
/* Reading packages: what is in them, and what is refused with which words. */
#include <dirent.h>
#include <fcntl.h>
#include <locale.h>

#include <envbuild/file.h>
#include <envbuild/str.h>

#include "make_package.h"

static const struct eb_entry *find(const struct eb_package *p, const char *path)
{
	for (size_t i = 0; i < p->files.n; i++) {
		if (strcmp(p->files.entry[i].path, path) == 0)
			return &p->files.entry[i];
	}
	return NULL;
}

static void assert_content(const struct eb_entry *e, const char *want)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest d;
	char has[4096];

	assert_non_null(e);
	assert_int_equal(e->size, strlen(want));
	assert_int_equal(
		eb_spool_read(e->spool, e->offset, has, (size_t)e->size, &err),
		0);
	assert_memory_equal(has, want, strlen(want));
	eb_sha256(want, strlen(want), &d);
	assert_true(eb_digest_equal(&d, &e->sha256));
}

/* ---- good packages ------------------------------------------------------ */

static void add_info(struct eb_buf *tar)
{
	make_file(tar, "info/index.json", "{\"name\": \"t\"}");
	make_file(tar, "info/paths.json", "{}");
	make_file(tar, "info/recipe/meta.yaml", "not kept");
}

static void add_members(struct eb_buf *tar)
{
	make_add(tar, &(struct make_member){ .path = "lib/", .type = '5' });
	make_add(tar, &(struct make_member){ .path = "bin/tool",
					     .mode = 04711,
					     .content = "tool" });
	make_file(tar, "./lib/a.txt", "text");
	make_add(tar, &(struct make_member){ .path = "lib/b",
					     .type = '2',
					     .mode = 0777,
					     .target = "../bin/tool" });
	make_add(tar, &(struct make_member){ .path = "lib/hard",
					     .type = '1',
					     .target = "lib/a.txt" });
	make_file(tar, "empty", "");
}

static void assert_members(const struct eb_package *p)
{
	const struct eb_entry *tool = find(p, "bin/tool"), *link, *hard;

	assert_content(tool, "tool");
	assert_int_equal(tool->mode, 0755);
	assert_int_equal(tool->mtime, MAKE_MTIME);
	assert_content(find(p, "lib/a.txt"), "text");
	assert_int_equal(find(p, "lib/a.txt")->mode, 0644);
	link = find(p, "lib/b");
	assert_int_equal(link->type, EB_ENTRY_LINK);
	assert_string_equal(link->target, "../bin/tool");
	hard = find(p, "lib/hard");
	assert_content(hard, "text");
	assert_int_equal(hard->offset, find(p, "lib/a.txt")->offset);
	assert_content(find(p, "empty"), "");
	assert_int_equal(find(p, "lib")->type, EB_ENTRY_DIR);
	assert_int_equal(p->files.n, 6);
	assert_int_equal(p->n_info, 2);
	assert_string_equal(eb_package_info(p, "index.json")->text,
			    "{\"name\": \"t\"}");
	assert_null(eb_package_info(p, "recipe/meta.yaml"));
	assert_int_equal(p->n_setid, 1);
	assert_string_equal(p->setid.v[0], "bin/tool");
}

static void read_good(const struct eb_buf *archive, const char *fn,
		      struct eb_package *p)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_record r;

	make_record(&r, fn, archive);
	if (make_read(archive, &r, p, &err) < 0)
		fail_msg("%s", err.message);
	eb_record_release(&r);
}

static void good_bz2(void **state)
{
	struct eb_package p;
	EB_AUTOBUF(tar, MAKE_MAX);
	EB_AUTOBUF(archive, MAKE_MAX);

	(void)state;
	add_members(&tar);
	add_info(&tar);
	make_end(&tar);
	/* Two streams, as parallel compressors write them. */
	make_bzip2(&archive, tar.data, 700);
	make_bzip2(&archive, tar.data + 700, tar.len - 700);
	read_good(&archive, "t-1-0.tar.bz2", &p);
	assert_members(&p);
	assert_int_equal(p.window_log, 0);
	eb_package_release(&p);
}

static void good_conda(void **state)
{
	struct eb_package p;
	EB_AUTOBUF(info, MAKE_MAX);
	EB_AUTOBUF(pkg, MAKE_MAX);
	EB_AUTOBUF(archive, MAKE_MAX);

	(void)state;
	add_info(&info);
	add_members(&pkg);
	make_conda(&archive, &info, &pkg);
	read_good(&archive, "t-1-0.conda", &p);
	assert_members(&p);
	assert_in_range(p.window_log, 1, 23);
	eb_package_release(&p);
}

/* Long form of all sizes, another member, an info member without a tar. */
static void good_zip64(void **state)
{
	const struct make_zip_fault wide = { .zip64 = 1 };
	struct eb_package p;
	struct make_zip z;
	EB_AUTOBUF(tar, MAKE_MAX);
	EB_AUTOBUF(zst, MAKE_MAX);
	EB_AUTOBUF(none, MAKE_MAX);

	(void)state;
	add_members(&tar);
	add_info(&tar);
	make_end(&tar);
	/* Skippable frame, then two frames. */
	eb_buf_add(&zst, "\x53\x2a\x4d\x18\3\0\0\0abc", 11);
	make_zstd(&zst, tar.data, 700);
	make_zstd(&zst, tar.data + 700, tar.len - 700);
	make_zstd(&none, "", 0);
	make_zip_begin(&z);
	make_zip_add(&z, "other/pkg-x.tar.zst", "?", 1, NULL);
	make_zip_add(&z, "info-other-name.tar.zst", none.data, none.len, &wide);
	make_zip_add(&z, "pkg-t-1-0.tar.zst", zst.data, zst.len, &wide);
	make_zip_end(&z, 1);
	read_good(&z.file, "t-1-0.conda", &p);
	assert_members(&p);
	eb_package_release(&p);
	eb_buf_release(&z.file);
}

/* The name is "e" and a combining accent: no locale composes it. */
static void names_stay(void **state)
{
	static const char *const locales[] = { "C", "C.UTF-8", "en_US.UTF-8" };
	EB_AUTOBUF(tar, MAKE_MAX);
	EB_AUTOBUF(archive, MAKE_MAX);

	(void)state;
	make_pax(&tar, "path", "lib/e\xcc\x81.txt");
	make_file(&tar, "lib/x", "1");
	make_file(&tar, "raw/e\xcc\x81.txt", "2");
	make_pax(&tar, "linkpath", "e\xcc\x81.txt");
	make_add(&tar, &(struct make_member){ .path = "lib/two\nlines",
					      .type = '2',
					      .target = "x" });
	make_end(&tar);
	make_bzip2(&archive, tar.data, tar.len);
	for (size_t i = 0; i < 3; i++) {
		struct eb_package p;

		setlocale(LC_ALL, locales[i]);
		read_good(&archive, "t-1-0.tar.bz2", &p);
		assert_content(find(&p, "lib/e\xcc\x81.txt"), "1");
		assert_content(find(&p, "raw/e\xcc\x81.txt"), "2");
		assert_string_equal(find(&p, "lib/two\nlines")->target,
				    "e\xcc\x81.txt");
		eb_package_release(&p);
	}
	setlocale(LC_ALL, "C");
}

static void times(void **state)
{
	struct eb_package p;
	EB_AUTOBUF(tar, MAKE_MAX);
	EB_AUTOBUF(archive, MAKE_MAX);

	(void)state;
	make_pax(&tar, "mtime", "-5");
	make_file(&tar, "early", "");
	make_pax(&tar, "mtime", "99999999999999");
	make_file(&tar, "late", "");
	make_pax(&tar, "mtime", "1234567890.987654321");
	make_file(&tar, "exact", "");
	make_end(&tar);
	make_bzip2(&archive, tar.data, tar.len);
	read_good(&archive, "t-1-0.tar.bz2", &p);
	assert_int_equal(find(&p, "early")->mtime, 0);
	assert_int_equal(find(&p, "late")->mtime, 8589934591);
	assert_int_equal(find(&p, "exact")->mtime, 1234567890);
	eb_package_release(&p);
}

/* Four bytes between two holes. */
static void sparse(void **state)
{
	static const char map[1024] = "2\n6\n4\n12\n0\n";
	static const char *const pair[] = { "GNU.sparse.major",
					    "1",
					    "GNU.sparse.minor",
					    "0",
					    "GNU.sparse.name",
					    "lib/holes",
					    "GNU.sparse.realsize",
					    "12",
					    NULL };
	char content[516], has[12];
	struct eb_error err = EB_ERROR_INIT;
	const struct eb_entry *e;
	struct eb_package p;
	EB_AUTOBUF(tar, MAKE_MAX);
	EB_AUTOBUF(archive, MAKE_MAX);

	(void)state;
	memcpy(content, map, 512);
	memcpy(content + 512, "data", 4);
	make_pax_all(&tar, pair);
	make_bytes(&tar, &(struct make_member){ .path = "GNUSparseFile/x" },
		   content, sizeof content);
	make_end(&tar);
	make_bzip2(&archive, tar.data, tar.len);
	read_good(&archive, "t-1-0.tar.bz2", &p);
	e = find(&p, "lib/holes");
	assert_int_equal(e->size, 12);
	assert_int_equal(eb_spool_read(e->spool, e->offset, has, 12, &err), 0);
	assert_memory_equal(has, "\0\0\0\0\0\0data\0\0", 12);
	eb_package_release(&p);
}

/* Content larger than what stays in memory, and a member below a link that
 * stays inside. */
static void spooled(void **state)
{
	eb_autofree char *big = eb_calloc(1, 3 << 20);
	eb_autofree char *has = eb_calloc(1, 3 << 20);
	const struct make_member m = { .path = "real/big" };
	struct eb_error err = EB_ERROR_INIT;
	struct eb_package p;
	const struct eb_entry *e;
	EB_AUTOBUF(tar, MAKE_MAX);
	EB_AUTOBUF(archive, MAKE_MAX);

	(void)state;
	for (size_t i = 0; i < 3 << 20; i++)
		big[i] = (char)(i * i >> 7);
	make_bytes(&tar, &m, big, 3 << 20);
	make_add(&tar, &(struct make_member){ .path = "way/to",
					      .type = '2',
					      .target = "../real" });
	make_file(&tar, "way/to/more", "x");
	make_end(&tar);
	make_bzip2(&archive, tar.data, tar.len);
	read_good(&archive, "t-1-0.tar.bz2", &p);
	e = find(&p, "real/big");
	assert_int_equal(eb_spool_read(e->spool, e->offset, has, 3 << 20, &err),
			 0);
	assert_memory_equal(has, big, 3 << 20);
	assert_content(find(&p, "way/to/more"), "x");
	eb_package_release(&p);
}

/* ---- refused members ---------------------------------------------------- */

static void refused(const struct eb_buf *archive, const struct eb_record *r,
		    enum eb_code code, const char *words)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_package p;

	assert_int_equal(make_read(archive, r, &p, &err), -1);
	if (err.code != code || !strstr(err.message, words) ||
	    !strstr(err.message, r->fn))
		fail_msg("code %d \"%s\", wanted %d \"%s\"", err.code,
			 err.message, code, words);
	assert_null(strchr(err.message, '\n'));
	eb_err_release(&err);
	assert_null(p.what);
}

static void refused_archive(const struct eb_buf *archive, const char *fn,
			    enum eb_code code, const char *words)
{
	struct eb_record r;

	make_record(&r, fn, archive);
	refused(archive, &r, code, words);
	eb_record_release(&r);
}

static void refused_tar(struct eb_buf *tar, enum eb_code code,
			const char *words)
{
	EB_AUTOBUF(archive, MAKE_MAX);

	make_end(tar);
	make_bzip2(&archive, tar->data, tar->len);
	refused_archive(&archive, "t-1-0.tar.bz2", code, words);
}

#define LONG "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"

static const struct {
	struct make_member m[3];
	const char *words;
} hostile[] = {
	{ { { .path = "../x" } }, "\"../x\"" },
	{ { { .path = "lib/../../x" } }, "\"lib/../../x\"" },
	{ { { .path = "/etc/passwd" } }, "\"/etc/passwd\"" },
	{ { { .path = "/", .type = '5' } }, "\"/\"" },
	{ { { .path = "lib//x" } }, "\"lib//x\"" },
	{ { { .path = "lib/.wh.x" } }, "\"lib/.wh.x\"" },
	{ { { .path = ".wh..wh..opq" } }, "\".wh..wh..opq\"" },
	{ { { .path = "bad\xff" } }, "\"bad" },
	{ { { .path = "info/../../x" } }, "\"info/../../x\"" },
	{ { { .path = "info" } }, "\"info\"" },
	{ { { .path = "conda-meta/x.json" } },
	  "\"conda-meta/x.json\"; conda-meta/ is not a package's" },
	{ { { .path = "conda-meta", .type = '2', .target = "x" } },
	  "\"conda-meta\"" },
	{ { { .path = "dev/c", .type = '3' } }, "\"dev/c\" that is a device" },
	{ { { .path = "dev/b", .type = '4' } }, "\"dev/b\" that is a device" },
	{ { { .path = "dev/f", .type = '6' } }, "\"dev/f\" that is a fifo" },
	{ { { .path = "a" }, { .path = "./a" } },
	  "two members with the path \"a\"" },
	{ { { .path = "a", .type = '2', .target = "b" }, { .path = "a" } },
	  "two members with the path \"a\"" },
	{ { { .path = "a", .type = '5' }, { .path = "a" } },
	  "two members with the path \"a\"" },
	{ { { .path = "info/files" }, { .path = "info/files" } },
	  "two members with the path \"info/files\"" },
	{ { { .path = "info/files", .type = '2', .target = "x" } },
	  "\"info/files\" that is no plain file" },
	{ { { .path = "a" }, { .path = "a/b" } },
	  "\"a/b\" below \"a\", which is a file" },
	{ { { .path = "a", .type = '2', .target = "/etc" }, { .path = "a/b" } },
	  "\"a/b\" that leaves the prefix through \"a\", a link to "
	  "\"/etc\"" },
	{ { { .path = "lib/a", .type = '2', .target = "../../etc" },
	    { .path = "lib/a/b" } },
	  "\"lib/a/b\" that leaves the prefix through \"lib/a\"" },
	{ { { .path = "a", .type = '2', .target = "b" },
	    { .path = "b", .type = '2', .target = "../.." },
	    { .path = "a/c" } },
	  "\"a/c\" that leaves the prefix through \"b\"" },
	{ { { .path = "a", .type = '2', .target = "a" }, { .path = "a/c" } },
	  "\"a/c\" that leaves the prefix" },
	{ { { .path = "a", .type = '2', .target = "" } },
	  "a link \"a\" whose target is empty" },
	{ { { .path = "a", .type = '2', .target = "\xff" } },
	  "a link \"a\" whose target is not UTF-8" },
	{ { { .path = "a", .type = '1', .target = "b" } },
	  "a hard link \"a\" to \"b\", which is not before it" },
	{ { { .path = "a", .type = '1', .target = "b" }, { .path = "b" } },
	  "a hard link \"a\" to \"b\", which is not before it" },
	{ { { .path = "b", .type = '5' },
	    { .path = "a", .type = '1', .target = "b" } },
	  "a hard link \"a\" to \"b\", which is a folder" },
	{ { { .path = "a", .type = '1', .target = "../x" } }, "\"../x\"" },
	{ { { .path = "a", .type = '1', .target = "/etc/shadow" } },
	  "\"/etc/shadow\"" },
};

static void hostile_members(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
		EB_AUTOBUF(tar, MAKE_MAX);

		for (size_t k = 0; k < 3 && hostile[i].m[k].path; k++)
			make_add(&tar, &hostile[i].m[k]);
		refused_tar(&tar, EB_INPUT, hostile[i].words);
	}
	print_message("%zu hostile archives\n",
		      sizeof hostile / sizeof *hostile);
}

static void long_names(void **state)
{
	EB_AUTOBUF(tar, MAKE_MAX);

	(void)state;
	make_pax(&tar, "path", "lib/" LONG LONG LONG LONG);
	make_file(&tar, "x", "");
	refused_tar(&tar, EB_INPUT, "\"lib/" LONG);
}

/* ---- limits and bombs --------------------------------------------------- */

static void limited(const struct eb_buf *archive,
		    const struct eb_package_limits *limits, const char *words)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_package p;
	struct eb_record r;
	eb_autofd int fd = make_fd(archive);

	make_record(&r, "t-1-0.tar.bz2", archive);
	assert_int_equal(eb_package_read(fd, &r, limits, "/tmp", 0, &p, &err),
			 -1);
	assert_int_equal(err.code, EB_INPUT);
	if (!strstr(err.message, words))
		fail_msg("\"%s\", wanted \"%s\"", err.message, words);
	assert_non_null(strstr(err.hint, "--limit"));
	eb_err_release(&err);
	eb_record_release(&r);
}

static void limits(void **state)
{
	struct eb_package_limits l = eb_package_default_limits;
	EB_AUTOBUF(tar, MAKE_MAX);
	EB_AUTOBUF(archive, MAKE_MAX);

	(void)state;
	add_info(&tar);
	add_members(&tar);
	make_end(&tar);
	make_bzip2(&archive, tar.data, tar.len);
	l.members = 8;
	limited(&archive, &l, "more than 8 members");
	l.members = 9;
	l.member_size = 3;
	limited(&archive, &l, "\"bin/tool\" of 4 bytes; 3 is the limit");
	l.member_size = 4;
	l.metadata = 12;
	limited(&archive, &l, "\"info/index.json\" of 13 bytes; 12 is");
}

/* A frame of blocks that each are one byte, 128 KiB long. */
static void add_zeros(struct eb_buf *zst, unsigned blocks)
{
	const uint32_t block = (128 << 10) << 3 | 1 << 1;

	eb_buf_add(zst, "\x28\xb5\x2f\xfd\x00\x38", 6);
	for (unsigned i = 0; i < blocks; i++) {
		uint32_t head = block | (i + 1 == blocks);

		eb_buf_addch(zst, (char)head);
		eb_buf_addch(zst, (char)(head >> 8));
		eb_buf_addch(zst, (char)(head >> 16));
		eb_buf_addch(zst, 0);
	}
}

static void refused_conda(const struct eb_buf *pkg, enum eb_code code,
			  const char *words)
{
	struct make_zip z;
	EB_AUTOBUF(info, MAKE_MAX);

	make_zstd(&info, "", 0);
	make_zip_begin(&z);
	make_zip_add(&z, "pkg-t.tar.zst", pkg->data, pkg->len, NULL);
	make_zip_add(&z, "info-t.tar.zst", info.data, info.len, NULL);
	make_zip_end(&z, 0);
	refused_archive(&z.file, "t-1-0.conda", code, words);
	eb_buf_release(&z.file);
}

static void bombs(void **state)
{
	EB_AUTOBUF(tar, MAKE_MAX);
	EB_AUTOBUF(sparse, MAKE_MAX);
	EB_AUTOBUF(hard, MAKE_MAX);
	EB_AUTOBUF(zst, MAKE_MAX);
	static const char map[512] = "1\n4294967296\n0\n";
	static const char *const hole[] = { "GNU.sparse.major",
					    "1",
					    "GNU.sparse.minor",
					    "0",
					    "GNU.sparse.name",
					    "hole",
					    "GNU.sparse.realsize",
					    "4294967296",
					    NULL };
	eb_autofree char *mega = eb_calloc(1, 8 << 20);

	(void)state;
	/* Declared alone. */
	make_add(&tar, &(struct make_member){ .path = "big",
					      .size = (uint64_t)2 << 30 });
	refused_tar(&tar, EB_INPUT, "with \"big\"");
	/* A hole. */
	make_pax_all(&sparse, hole);
	make_bytes(&sparse, &(struct make_member){ .path = "GNUSparseFile/x" },
		   map, sizeof map);
	refused_tar(&sparse, EB_INPUT, "with \"hole\"");
	/* One file two hundred times. */
	make_bytes(&hard, &(struct make_member){ .path = "one" }, mega,
		   8 << 20);
	for (int i = 0; i < 200; i++) {
		char name[16];

		snprintf(name, sizeof name, "h%d", i);
		make_add(&hard, &(struct make_member){ .path = name,
						       .type = '1',
						       .target = "one" });
	}
	refused_tar(&hard, EB_INPUT, "grows beyond 1073741824 bytes");
	/* Behind the end of the tar. */
	add_zeros(&zst, 8200);
	refused_conda(&zst, EB_INPUT, "more than 1073741824 bytes");
}

/* ---- damaged archives --------------------------------------------------- */

static void sums(void **state)
{
	struct eb_record r;
	EB_AUTOBUF(tar, MAKE_MAX);
	EB_AUTOBUF(archive, MAKE_MAX);
	struct eb_package p;
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	make_file(&tar, "../hostile", "");
	make_end(&tar);
	make_bzip2(&archive, tar.data, tar.len);
	make_record(&r, "t-1-0.tar.bz2", &archive);
	refused(&archive, &r, EB_INPUT, "\"../hostile\"");
	/* Another file altogether is no hostile package: its sum is said. */
	r.sha256.byte[5] ^= 1;
	refused(&archive, &r, EB_INTEGRITY, "has the sha256 ");
	r.size++;
	refused(&archive, &r, EB_INTEGRITY, "bytes; its record says");
	r.size = 0;
	r.has_sha256 = false;
	strcpy(r.md5, "0123456789abcdef0123456789abcdef");
	refused(&archive, &r, EB_INTEGRITY, "has the md5 ");
	r.md5[0] = '\0';
	refused(&archive, &r, EB_INPUT, "\"../hostile\"");
	eb_buf_reset(&tar);
	eb_buf_reset(&archive);
	make_file(&tar, "good", "");
	make_end(&tar);
	make_bzip2(&archive, tar.data, tar.len);
	assert_int_equal(make_read(&archive, &r, &p, &err), 0);
	eb_package_release(&p);
	eb_record_release(&r);
	make_record(&r, "t-1-0.tar.bz2", &archive);
	r.sha256.byte[31] ^= 1;
	refused(&archive, &r, EB_INTEGRITY, "has the sha256 ");
	eb_record_release(&r);
}

static void damaged_bz2(void **state)
{
	EB_AUTOBUF(tar, MAKE_MAX);
	EB_AUTOBUF(archive, MAKE_MAX);
	EB_AUTOBUF(part, MAKE_MAX);

	(void)state;
	add_members(&tar);
	make_end(&tar);
	make_bzip2(&archive, tar.data, tar.len);
	eb_buf_add(&part, archive.data, archive.len - 20);
	refused_archive(&part, "t-1-0.tar.bz2", EB_INTEGRITY, "breaks off");
	archive.data[archive.len / 2] ^= 0x55;
	refused_archive(&archive, "t-1-0.tar.bz2", EB_INTEGRITY, "bzip2");
	eb_buf_reset(&part);
	eb_buf_adds(&part, "<html>404</html>");
	refused_archive(&part, "t-1-0.tar.bz2", EB_INTEGRITY, "bzip2");
	refused_archive(&part, "t-1-0.conda", EB_INTEGRITY,
			"reading as zip: it has no end record");
	refused_archive(&part, "t-1-0.whl", EB_INPUT,
			"neither a .conda nor a .tar.bz2");
	eb_buf_reset(&part);
	refused_archive(&part, "t-1-0.tar.bz2", EB_INTEGRITY, "breaks off");
	refused_archive(&part, "t-1-0.conda", EB_INTEGRITY, "zip");
}

/* What is declared and what is there differ, or it is no tar at all. */
static void damaged_tar(void **state)
{
	EB_AUTOBUF(tar, MAKE_MAX);
	EB_AUTOBUF(more, MAKE_MAX);
	EB_AUTOBUF(cut, MAKE_MAX);
	EB_AUTOBUF(archive, MAKE_MAX);

	(void)state;
	make_add(&tar, &(struct make_member){
			       .path = "a", .content = "abc", .size = 4000 });
	refused_tar(&tar, EB_INTEGRITY, "reading as tar: Truncated");
	make_add(&more, &(struct make_member){ .path = "a",
					       .content = LONG LONG LONG LONG
						       LONG LONG LONG LONG LONG,
					       .size = 100 });
	refused_tar(&more, EB_INTEGRITY, "reading as tar: Damaged");
	add_members(&cut);
	make_bzip2(&archive, cut.data, 700);
	refused_archive(&archive, "t-1-0.tar.bz2", EB_INTEGRITY,
			"reading as tar: ");
}

static void damaged_zst(void **state)
{
	EB_AUTOBUF(tar, MAKE_MAX);
	EB_AUTOBUF(zst, MAKE_MAX);
	EB_AUTOBUF(part, MAKE_MAX);

	(void)state;
	add_members(&tar);
	make_end(&tar);
	make_zstd(&zst, tar.data, tar.len);
	eb_buf_add(&part, zst.data, zst.len - 9);
	refused_conda(&part, EB_INTEGRITY, "breaks off");
	zst.data[zst.len / 2] ^= 0x55;
	refused_conda(&zst, EB_INTEGRITY, "t-1-0.conda/pkg-t.tar.zst");
	eb_buf_reset(&part);
	/* A window of 256 MiB. */
	eb_buf_add(&part, "\x28\xb5\x2f\xfd\x00\x90\x01\x00\x00", 9);
	refused_conda(&part, EB_INPUT, "its window is larger");
}

static void damaged_zip(void **state)
{
	static const struct {
		struct make_zip_fault f;
		enum eb_code code;
		const char *words;
	} row[] = {
		{ { .method = 8 },
		  EB_INPUT,
		  "a compressed member \"pkg-t.tar.zst\" (method 8)" },
		{ { .flags = 1 },
		  EB_INPUT,
		  "an encrypted member \"pkg-t.tar.zst\"" },
		{ { .packed_less = 1 },
		  EB_INTEGRITY,
		  "a stored member \"pkg-t.tar.zst\" of two sizes" },
		{ { .local_name = "pkg-u.tar.zst" },
		  EB_INTEGRITY,
		  "a member has two names" },
		{ { .local_name = "short" },
		  EB_INTEGRITY,
		  "a member is not where it should be" },
	};
	EB_AUTOBUF(zst, MAKE_MAX);

	(void)state;
	make_zstd(&zst, "", 0);
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct make_zip z;

		make_zip_begin(&z);
		make_zip_add(&z, "info-t.tar.zst", zst.data, zst.len, NULL);
		make_zip_add(&z, "pkg-t.tar.zst", zst.data, zst.len, &row[i].f);
		make_zip_end(&z, 0);
		refused_archive(&z.file, "t-1-0.conda", row[i].code,
				row[i].words);
		eb_buf_release(&z.file);
	}
}

static void zip_members(const char *const *name, const char *words)
{
	struct make_zip z;
	EB_AUTOBUF(zst, MAKE_MAX);

	make_zstd(&zst, "", 0);
	make_zip_begin(&z);
	for (; *name; name++) {
		const char *meta = "{\"conda_pkg_format_version\": 3}";

		if (strcmp(*name, "metadata.json") == 0)
			make_zip_add(&z, *name, meta, strlen(meta), NULL);
		else
			make_zip_add(&z, *name, zst.data, zst.len, NULL);
	}
	make_zip_end(&z, 0);
	refused_archive(&z.file, "t-1-0.conda", EB_INPUT, words);
	eb_buf_release(&z.file);
}

static void wrong_zip(void **state)
{
	static const char *const no_pkg[] = { "info-t.tar.zst", NULL };
	static const char *const no_info[] = { "pkg-t.tar.zst", NULL };
	static const char *const two[] = { "pkg-t.tar.zst", "pkg-u.tar.zst",
					   "info-t.tar.zst", NULL };
	static const char *const version[] = { "metadata.json", "pkg-t.tar.zst",
					       "info-t.tar.zst", NULL };

	(void)state;
	zip_members(no_pkg, "no member \"pkg-*.tar.zst\"");
	zip_members(no_info, "no member \"info-*.tar.zst\"");
	zip_members(two, "two members of one kind: \"pkg-t.tar.zst\" and "
			 "\"pkg-u.tar.zst\"");
	zip_members(version, "the .conda format 3; 2 is known");
}

/* Any byte changed anywhere: read or refused, nothing else. */
static void any_byte(void **state)
{
	unsigned good = 0, bad = 0;
	EB_AUTOBUF(info, MAKE_MAX);
	EB_AUTOBUF(pkg, MAKE_MAX);
	EB_AUTOBUF(archive, MAKE_MAX);

	(void)state;
	add_info(&info);
	add_members(&pkg);
	make_conda(&archive, &info, &pkg);
	for (size_t i = 0; i < archive.len; i++) {
		struct eb_error err = EB_ERROR_INIT;
		struct eb_package p;
		struct eb_record r;
		int rc;

		archive.data[i] ^= (char)(1 << i % 8);
		make_record(&r, "t-1-0.conda", &archive);
		rc = make_read(&archive, &r, &p, &err);
		archive.data[i] ^= (char)(1 << i % 8);
		eb_record_release(&r);
		if (rc == 0) {
			eb_package_release(&p);
			good++;
			continue;
		}
		bad++;
		assert_true(err.code == EB_INPUT || err.code == EB_INTEGRITY);
		eb_err_release(&err);
	}
	assert_true(bad > good);
	print_message("%u changes refused, %u without effect\n", bad, good);
}

/* ---- windows ------------------------------------------------------------ */

static uint64_t window_of(const char *header, size_t n)
{
	struct make_zip z;
	uint64_t window;
	int fd;

	make_zip_begin(&z);
	make_zip_add(&z, "pkg-t.tar.zst", header, n, NULL);
	make_zip_add(&z, "info-t.tar.zst", "", 0, NULL);
	make_zip_end(&z, 0);
	fd = make_fd(&z.file);
	window = eb_package_window(fd, "t-1-0.conda");
	close(fd);
	eb_buf_release(&z.file);
	return window;
}
#define WINDOW(text) window_of(text, sizeof text - 1)

static void windows(void **state)
{
	EB_AUTOBUF(text, 64);
	int fd;

	(void)state;
	/* 2^23, 2^23 and an eighth, 2^27, one segment of 8 MiB and of 16 MiB */
	assert_int_equal(WINDOW("\x28\xb5\x2f\xfd\x00\x68\x01\x00\x00"), 0);
	assert_int_equal(WINDOW("\x28\xb5\x2f\xfd\x00\x69\x01\x00\x00"),
			 9 << 20);
	assert_int_equal(WINDOW("\x28\xb5\x2f\xfd\x00\x88\x01\x00\x00"),
			 128 << 20);
	assert_int_equal(
		WINDOW("\x28\xb5\x2f\xfd\xa0\x00\x00\x80\x00\x01\x00\x00"), 0);
	assert_int_equal(
		WINDOW("\x28\xb5\x2f\xfd\xa0\x00\x00\x00\x01\x01\x00\x00"),
		16 << 20);
	/* behind a small frame with a check sum; more than anyone is given */
	assert_int_equal(WINDOW("\x28\xb5\x2f\xfd\x04\x00\x02\x00\x00x"
				"\x01\x00\x00....\x28\xb5\x2f\xfd\x00\x70"
				"\x01\x00\x00"),
			 16 << 20);
	assert_int_equal(WINDOW("\x28\xb5\x2f\xfd\x00\xf8\x01\x00\x00"),
			 128 << 20);
	assert_int_equal(WINDOW("\x28\xb5"), 0);
	eb_buf_adds(&text, "no zip");
	fd = make_fd(&text);
	assert_int_equal(eb_package_window(fd, "x"), 0);
	close(fd);
}

/* ---- real ones ---------------------------------------------------------- */

static void read_real(const char *folder, const char *name, uint64_t max,
		      size_t *n, size_t *members)
{
	eb_autofree char *path = eb_path_join(folder, name);
	eb_autofd int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct eb_error err = EB_ERROR_INIT;
	struct eb_record r = { .fn = (char *)name, .has_sha256 = true };
	struct eb_package p;

	assert_true(fd >= 0);
	assert_int_equal(eb_sha256_fd(fd, &r.sha256, &r.size, &err), 0);
	if (r.size > max)
		return;
	if (eb_package_read(fd, &r, &eb_package_default_limits, "/tmp", 4 << 20,
			    &p, &err) < 0)
		fail_msg("%s", err.message);
	assert_non_null(eb_package_info(&p, "index.json"));
	++*n;
	*members += p.files.n;
	eb_package_release(&p);
}

static void read_folder(const char *folder, uint64_t max, size_t *n,
			size_t *members)
{
	DIR *d = opendir(folder);
	struct dirent *e;

	assert_non_null(d);
	while ((e = readdir(d))) {
		if (eb_ends(e->d_name, ".conda") ||
		    eb_ends(e->d_name, ".tar.bz2"))
			read_real(folder, e->d_name, max, n, members);
	}
	closedir(d);
}

static void real_packages(void **state)
{
	static const char *const folder[] = {
		"conda/packages/misc/linux-64",
		"conda/packages/misc/noarch",
		"conda/packages/conda-forge-aarch64/linux-aarch64",
		"conda/fixtures/rattler/test-data/clobber",
		"conda/fixtures/conda/tests/data/test-recipes/noarch",
	};
	const char *data = getenv("ENVBUILD_DATA");
	size_t n = 0, members = 0;

	(void)state;
	if (!data)
		data = "../shared/data";
	if (!eb_path_exists(data)) {
		print_message("no \"%s\"\n", data);
		skip();
	}
	for (size_t i = 0; i < sizeof folder / sizeof *folder; i++) {
		eb_autofree char *path = eb_path_join(data, folder[i]);

		read_folder(path, 1 << 20, &n, &members);
	}
	assert_true(n > 80);
	print_message("%zu real packages, %zu members\n", n, members);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_bz2),
		cmocka_unit_test(good_conda),
		cmocka_unit_test(good_zip64),
		cmocka_unit_test(names_stay),
		cmocka_unit_test(times),
		cmocka_unit_test(sparse),
		cmocka_unit_test(spooled),
		cmocka_unit_test(hostile_members),
		cmocka_unit_test(long_names),
		cmocka_unit_test(limits),
		cmocka_unit_test(bombs),
		cmocka_unit_test(sums),
		cmocka_unit_test(damaged_bz2),
		cmocka_unit_test(damaged_tar),
		cmocka_unit_test(damaged_zst),
		cmocka_unit_test(damaged_zip),
		cmocka_unit_test(wrong_zip),
		cmocka_unit_test(any_byte),
		cmocka_unit_test(windows),
		cmocka_unit_test(real_packages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
