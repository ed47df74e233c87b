/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known to go wrong with conda packages and their records, hazard by
 * hazard: the table at the end says which test shows what becomes of each,
 * here or elsewhere, and a test reads those files for them.
 */
#include <sys/stat.h>

#include <envbuild/file.h>
#include <envbuild/json.h>
#include <envbuild/link.h>
#include <envbuild/matchspec.h>
#include <envbuild/str.h>

#include "make_package.h"

#include "conda/package_int.h"

static const struct eb_link_target plain_target = { .prefix = "/opt/env",
						    .python_minor = "3.7" };

/* ---- reading and linking ------------------------------------------------ */

static const struct eb_entry *find(const struct eb_entries *e, const char *path)
{
	for (size_t i = 0; i < e->n; i++) {
		if (strcmp(e->entry[i].path, path) == 0)
			return &e->entry[i];
	}
	fail_msg("no \"%s\"", path);
	return NULL;
}

static char *content(const struct eb_entry *e)
{
	char *text = eb_calloc(1, (size_t)e->size + 1);
	struct eb_error err = EB_ERROR_INIT;

	assert_int_equal(
		eb_spool_read(e->spool, e->offset, text, (size_t)e->size, &err),
		0);
	return text;
}

static void has_text(const struct eb_entries *e, const char *path,
		     const char *want)
{
	eb_autofree char *has = content(find(e, path));

	assert_string_equal(has, want);
}

/* A whole archive; `words` NULL: it is read. */
static void read_archive(const struct eb_buf *archive, const char *fn,
			 struct eb_package *p, enum eb_code code,
			 const char *words)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	struct eb_record r EB_CLEANUP(eb_record_release) = { 0 };
	int rc;

	make_record(&r, fn, archive);
	rc = make_read(archive, &r, p, &err);
	if (!words) {
		if (rc < 0)
			fail_msg("%s", err.message);
		return;
	}
	assert_int_equal(rc, -1);
	if (err.code != code || !strstr(err.message, words))
		fail_msg("code %d \"%s\", wanted %d \"%s\"", err.code,
			 err.message, code, words);
	for (const char *c = err.message; *c; c++)
		assert_false((unsigned char)*c < ' ' || *c == 127);
}

/* The tar gets its end here, and becomes a .tar.bz2. */
static void read_tar(struct eb_buf *tar, struct eb_package *p)
{
	EB_AUTOBUF(archive, MAKE_MAX);

	make_end(tar);
	make_bzip2(&archive, tar->data, tar->len);
	read_archive(&archive, "t-1-0.tar.bz2", p, EB_OK, NULL);
}

static void refuse_tar(struct eb_buf *tar, enum eb_code code, const char *words)
{
	struct eb_package p;
	EB_AUTOBUF(archive, MAKE_MAX);

	make_end(tar);
	make_bzip2(&archive, tar->data, tar->len);
	read_archive(&archive, "t-1-0.tar.bz2", &p, code, words);
}

static int link_tar(struct eb_buf *tar, const struct eb_link_target *t,
		    enum eb_noarch noarch, struct eb_entries *out,
		    struct eb_error *err)
{
	const struct eb_record r = { .name = (char *)"t",
				     .subdir = (char *)"linux-64",
				     .noarch = noarch };
	struct eb_package p;
	int rc;

	read_tar(tar, &p);
	rc = eb_link_payload(&p, &r, t, out, NULL, err);
	eb_package_release(&p);
	return rc;
}

static void link_well(struct eb_buf *tar, const struct eb_link_target *t,
		      struct eb_entries *out)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	if (link_tar(tar, t, EB_NOARCH_NONE, out, &err) < 0)
		fail_msg("%s", err.message);
}

/* ---- zip ---------------------------------------------------------------- */

static void small_conda(struct eb_buf *out)
{
	EB_AUTOBUF(info, MAKE_MAX);
	EB_AUTOBUF(pkg, MAKE_MAX);

	make_file(&info, "info/paths.json", "{}");
	make_file(&pkg, "lib/a", "a");
	make_conda(out, &info, &pkg);
}

/* What follows the end record within its reach is passed over, as by conda's
 * reader; what looks like an end itself, or lies too far behind, is not. */
static void zip_trailing_garbage(void **state)
{
	struct eb_package p;
	size_t size;
	EB_AUTOBUF(archive, MAKE_MAX);
	EB_AUTOBUF(other, MAKE_MAX);

	(void)state;
	small_conda(&archive);
	small_conda(&other);
	size = archive.len;
	for (int i = 0; i < 60000; i++)
		eb_buf_addch(&archive, (char)(i * 7));
	read_archive(&archive, "t-1-0.conda", &p, EB_OK, NULL);
	has_text(&p.files, "lib/a", "a");
	eb_package_release(&p);
	for (int i = 0; i < 6000; i++)
		eb_buf_addch(&archive, (char)(i * 7));
	read_archive(&archive, "t-1-0.conda", &p, EB_INTEGRITY,
		     "it has no end record");
	/* The directory of the second is looked for where the first one has
	 * its own. */
	archive.len = size;
	eb_buf_add(&archive, other.data, other.len);
	read_archive(&archive, "t-1-0.conda", &p, EB_INTEGRITY,
		     "its directory is not where its end begins");
}

/* Behind bzip2 and zstd nothing else may follow. */
static void stream_trailing_garbage(void **state)
{
	static const char *const words[] = { "bzip2", "pkg-t.tar.zst" };
	struct eb_package p;
	EB_AUTOBUF(none, MAKE_MAX);
	EB_AUTOBUF(tar, MAKE_MAX);

	(void)state;
	make_zstd(&none, "", 0);
	make_file(&tar, "lib/a", "a");
	make_end(&tar);
	for (int conda = 0; conda < 2; conda++) {
		struct make_zip z;
		EB_AUTOBUF(bz2, MAKE_MAX);
		EB_AUTOBUF(zst, MAKE_MAX);

		make_bzip2(&bz2, tar.data, tar.len);
		make_zstd(&zst, tar.data, tar.len);
		eb_buf_adds(conda ? &zst : &bz2, "garbage");
		make_zip_begin(&z);
		make_zip_add(&z, "info-t.tar.zst", none.data, none.len, NULL);
		make_zip_add(&z, "pkg-t.tar.zst", zst.data, zst.len, NULL);
		make_zip_end(&z, 0);
		read_archive(conda ? &z.file : &bz2,
			     conda ? "t-1-0.conda" : "t-1-0.tar.bz2", &p,
			     EB_INTEGRITY, words[conda]);
		eb_buf_release(&z.file);
	}
}

static void zip_one_name_twice(void **state)
{
	struct eb_package p;
	struct make_zip z;
	EB_AUTOBUF(zst, MAKE_MAX);

	(void)state;
	make_zstd(&zst, "", 0);
	make_zip_begin(&z);
	make_zip_add(&z, "info-t.tar.zst", zst.data, zst.len, NULL);
	make_zip_add(&z, "pkg-t.tar.zst", zst.data, zst.len, NULL);
	make_zip_add(&z, "pkg-t.tar.zst", zst.data, zst.len, NULL);
	make_zip_end(&z, 0);
	read_archive(&z.file, "t-1-0.conda", &p, EB_INPUT,
		     "two members of one kind: \"pkg-t.tar.zst\" and "
		     "\"pkg-t.tar.zst\"");
	eb_buf_release(&z.file);
}

#define LARGE "pkg-t.tar.zst"

/* A member that its zip64 field says is of `size` bytes. */
static void large_central(struct eb_buf *out, uint64_t size)
{
	make_32(out, 0x02014b50);
	make_64(out, 0);
	make_64(out, 0);
	make_64(out, UINT64_MAX); /* both sizes */
	make_16(out, strlen(LARGE));
	make_16(out, 20);
	make_64(out, 0);
	make_16(out, 0);
	make_32(out, 0); /* where it begins */
	eb_buf_adds(out, LARGE);
	make_16(out, 1);
	make_16(out, 16);
	make_64(out, size);
	make_64(out, size);
}

/* The directory at `at` is all that there is in `out`. */
static void large_end(struct eb_buf *out, uint64_t at)
{
	uint64_t size = out->len;

	make_32(out, 0x06064b50);
	make_64(out, 44);
	make_32(out, 45 | 45 << 16);
	make_64(out, 0);
	make_64(out, 1);
	make_64(out, 1);
	make_64(out, size);
	make_64(out, at);
	make_32(out, 0x07064b50);
	make_32(out, 0);
	make_64(out, at + size);
	make_32(out, 1);
	make_32(out, 0x06054b50);
	make_32(out, 0);
	make_32(out, UINT32_MAX); /* both numbers */
	make_64(out, UINT64_MAX); /* size and place */
	make_16(out, 0);
}

/* A member of `there` bytes, all of them a hole, is said to have `size`. */
static int open_large(uint64_t size, uint64_t there, struct eb_zip *out,
		      struct eb_error *err)
{
	eb_autofd int fd = memfd_create("large", MFD_CLOEXEC);
	EB_AUTOBUF(head, 4096);
	EB_AUTOBUF(tail, 4096);
	uint64_t at;

	make_32(&head, 0x04034b50);
	make_64(&head, 0);
	make_64(&head, 0);
	make_32(&head, 0);
	make_16(&head, 0);
	make_16(&head, strlen(LARGE));
	make_16(&head, 0);
	eb_buf_adds(&head, LARGE);
	at = head.len + there;
	large_central(&tail, size);
	large_end(&tail, at);
	assert_int_equal(pwrite(fd, head.data, head.len, 0), head.len);
	assert_int_equal(pwrite(fd, tail.data, tail.len, (off_t)at), tail.len);
	return eb_zip_open(fd, at + tail.len, "t-1-0.conda", out, err);
}

static void zip_beyond_32_bits(void **state)
{
	const uint64_t size = ((uint64_t)5 << 30) + 7;
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	struct eb_zip z;

	(void)state;
	if (open_large(size, size, &z, &err) < 0)
		fail_msg("%s", err.message);
	assert_true(z.pkg.size == size);
	assert_true(z.pkg.offset == 30 + strlen(LARGE));
	eb_zip_release(&z);
	/* only said to be that large */
	assert_int_equal(open_large(size, 100, &z, &err), -1);
	assert_int_equal(err.code, EB_INTEGRITY);
	assert_non_null(strstr(err.message, "reaches into the directory"));
	eb_err_release(&err);
	assert_int_equal(open_large(UINT64_MAX - 20, 100, &z, &err), -1);
	assert_int_equal(err.code, EB_INTEGRITY);
}

/* ---- tar ---------------------------------------------------------------- */

static void pax_size(void **state)
{
	struct eb_package p;
	EB_AUTOBUF(tar, MAKE_MAX);

	(void)state;
	make_pax(&tar, "size", "5");
	make_header(&tar, &(struct make_member){ .path = "lib/a" }, 0);
	eb_buf_adds(&tar, "hello");
	make_pad(&tar);
	make_file(&tar, "lib/b", "b");
	read_tar(&tar, &p);
	has_text(&p.files, "lib/a", "hello");
	has_text(&p.files, "lib/b", "b");
	eb_package_release(&p);
}

#define DEEP "deep/deep/deep/deep/deep/deep/deep/deep/deep/deep/deep/deep/"
#define LONG DEEP DEEP DEEP "file"

static void gnu_long_names(void **state)
{
	const struct make_member name = { .path = "././@LongLink",
					  .type = 'L' },
				 link = { .path = "././@LongLink",
					  .type = 'K' };
	struct eb_package p;
	EB_AUTOBUF(tar, MAKE_MAX);

	(void)state;
	make_bytes(&tar, &name, LONG, sizeof LONG);
	make_file(&tar, "deep/cut", "x");
	make_bytes(&tar, &link, LONG, sizeof LONG);
	make_bytes(&tar, &name, LONG "2", sizeof LONG + 1);
	make_add(&tar, &(struct make_member){
			       .path = "cut", .type = '2', .target = "cut" });
	make_bytes(&tar, &link, "./" LONG, sizeof LONG + 2);
	make_add(&tar, &(struct make_member){
			       .path = "hard", .type = '1', .target = "cut" });
	read_tar(&tar, &p);
	assert_int_equal(p.files.n, 3);
	has_text(&p.files, LONG, "x");
	assert_string_equal(find(&p.files, LONG "2")->target, LONG);
	has_text(&p.files, "hard", "x");
	eb_package_release(&p);
}

/* Names and limits hold whatever way a name came. */
static void long_forms_are_checked(void **state)
{
	const struct make_member name = { .path = "././@LongLink",
					  .type = 'L' };
	EB_AUTOBUF(gnu, MAKE_MAX);
	EB_AUTOBUF(pax, MAKE_MAX);
	EB_AUTOBUF(huge, MAKE_MAX);
	eb_autofree char *value = eb_calloc(1, (2 << 20) + 1);

	(void)state;
	make_bytes(&gnu, &name, "lib/../../x", 12);
	make_file(&gnu, "x", "");
	refuse_tar(&gnu, EB_INPUT, "\"lib/../../x\"");
	make_pax(&pax, "path", "/etc/x");
	make_file(&pax, "x", "");
	refuse_tar(&pax, EB_INPUT, "\"/etc/x\"");
	memset(value, 'x', 2 << 20);
	make_pax(&huge, "comment", value);
	make_file(&huge, "x", "");
	refuse_tar(&huge, EB_INTEGRITY, "reading as tar: ");
}

/* What a builder's account or mask left behind is nobody's business. */
static void owners_and_umask(void **state)
{
	const char *const owner[] = { "uid",   "4711",	"gid",
				      "4711",  "uname", "build",
				      "gname", "build", NULL };
	struct eb_package p;
	mode_t mask = umask(0777);
	EB_AUTOBUF(tar, MAKE_MAX);

	(void)state;
	make_pax_all(&tar, owner);
	make_add(&tar, &(struct make_member){ .path = "bin/a", .mode = 0700 });
	make_add(&tar, &(struct make_member){ .path = "lib/b", .mode = 0666 });
	make_add(&tar, &(struct make_member){ .path = "lib/c", .mode = 0400 });
	make_add(&tar, &(struct make_member){ .path = "bin/d", .mode = 0611 });
	read_tar(&tar, &p);
	umask(mask);
	assert_int_equal(find(&p.files, "bin/a")->mode, 0755);
	assert_int_equal(find(&p.files, "lib/b")->mode, 0644);
	assert_int_equal(find(&p.files, "lib/c")->mode, 0644);
	assert_int_equal(find(&p.files, "bin/d")->mode, 0755);
	eb_package_release(&p);
}

/* No package may bring them; a file's content is all that is taken. */
static void extended_attributes(void **state)
{
	const char *const more[] = { "SCHILY.xattr.security.capability",
				     "\1\2",
				     "LIBARCHIVE.xattr.user.mime_type",
				     "dGV4dA",
				     "SCHILY.acl.access",
				     "user::rw-,user:4711:rwx,group::r--,"
				     "mask::rwx,other::r--",
				     "SCHILY.fflags",
				     "immutable",
				     NULL };
	struct eb_package with, without;
	EB_AUTOBUF(a, MAKE_MAX);
	EB_AUTOBUF(b, MAKE_MAX);

	(void)state;
	make_pax_all(&a, more);
	make_file(&a, "bin/ping", "ping");
	make_file(&b, "bin/ping", "ping");
	read_tar(&a, &with);
	read_tar(&b, &without);
	assert_int_equal(with.files.n, 1);
	has_text(&with.files, "bin/ping", "ping");
	assert_int_equal(with.files.entry[0].mode, 0644);
	assert_int_equal(with.files.entry[0].mtime,
			 without.files.entry[0].mtime);
	assert_null(with.files.entry[0].note);
	eb_package_release(&with);
	eb_package_release(&without);
}

/* ---- names -------------------------------------------------------------- */

static void nul_in_names(void **state)
{
	static const char pax[] = "16 path=a\0/../x\n";
	static const char *const list[] = {
		"{\"paths\":[{\"_path\":\"a\\u0000b\"}]}",
		"{\"paths\":[{\"_path\":\"a\",\"prefix_placeholder\":"
		"\"/p\\u0000\"}]}",
	};
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	struct eb_entries out;
	struct eb_package p;
	EB_AUTOBUF(tar, MAKE_MAX);

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		EB_AUTOBUF(listed, MAKE_MAX);

		make_file(&listed, "info/paths.json", list[i]);
		make_file(&listed, "a", "");
		assert_int_equal(
			link_tar(&listed, &plain_target, 0, &out, &err), -1);
		assert_int_equal(err.code, EB_INPUT);
		eb_err_release(&err);
	}
	/* In a tar a name ends there, and is checked as what it is then. */
	make_bytes(&tar,
		   &(struct make_member){ .path = "PaxHeaders/x", .type = 'x' },
		   pax, sizeof pax - 1);
	make_file(&tar, "x", "x");
	read_tar(&tar, &p);
	assert_int_equal(p.files.n, 1);
	has_text(&p.files, "a", "x");
	eb_package_release(&p);
}

/* A terminal's own signs in a name that is refused do not reach it. */
static void newline_names(void **state)
{
	struct eb_entries out;
	EB_AUTOBUF(good, MAKE_MAX);
	EB_AUTOBUF(bad, MAKE_MAX);

	(void)state;
	make_file(&good, "info/paths.json",
		  "{\"paths\":[{\"_path\":\"share/two\\nlines\\t\"}]}");
	make_file(&good, "share/two\nlines\t", "x");
	link_well(&good, &plain_target, &out);
	has_text(&out, "opt/env/share/two\nlines\t", "x");
	eb_entries_release(&out);
	make_file(&bad, "../two\nlines\x1b[2J", "x");
	refuse_tar(&bad, EB_INPUT, "\"../two\\x0alines\\x1b[2J\"");
}

/* read_archive() sees to it that no message has such a name as it stands. */
static void newlines_in_messages(void **state)
{
	static const struct {
		struct make_member m[2];
		const char *words;
	} row[] = {
		{ { { .path = "a\nb" }, { .path = "a\nb" } },
		  "two members with the path \"a\\x0ab\"" },
		{ { { .path = "a\nb" }, { .path = "a\nb/c" } },
		  "\"a\\x0ab/c\" below \"a\\x0ab\"" },
		{ { { .path = "a\nb", .type = '2', .target = "/e\nf" },
		    { .path = "a\nb/c" } },
		  "through \"a\\x0ab\", a link to \"/e\\x0af\"" },
		{ { { .path = "a\nb", .type = '1', .target = "c\nd" } },
		  "hard link \"a\\x0ab\" to \"c\\x0ad\"" },
		{ { { .path = "a\nb", .type = '2', .target = "" } },
		  "link \"a\\x0ab\" whose target is empty" },
		{ { { .path = "a\nb", .type = '3' } },
		  "\"a\\x0ab\" that is a device" },
		{ { { .path = "conda-meta/a\nb" } },
		  "\"conda-meta/a\\x0ab\"; conda-meta/" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		EB_AUTOBUF(tar, MAKE_MAX);

		for (size_t k = 0; k < 2 && row[i].m[k].path; k++)
			make_add(&tar, &row[i].m[k]);
		refuse_tar(&tar, EB_INPUT, row[i].words);
	}
}

static void bytes_that_are_no_utf8(void **state)
{
	static const char *const name[] = {
		"share/caf\xe9",	    /* Latin-1 */
		"share/\xc0\xae\xc0\xae/x", /* ".." written too long */
		"share/\xed\xa0\x80",	    /* half of a pair */
		"share/\xf4\x90\x80\x80",   /* beyond the last letter */
		"share/x\xe2\x82",	    /* broken off */
	};

	(void)state;
	for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
		EB_AUTOBUF(tar, MAKE_MAX);

		make_file(&tar, name[i], "");
		refuse_tar(&tar, EB_INPUT, "it is not UTF-8");
	}
}

static void names_that_differ_in_case(void **state)
{
	struct eb_entries out;
	EB_AUTOBUF(tar, MAKE_MAX);

	(void)state;
	make_file(&tar, "info/files",
		  "share/terminfo/N/x\nshare/terminfo/n/x\n"
		  "include/xt_MARK.h\ninclude/xt_mark.h\n");
	make_file(&tar, "share/terminfo/N/x", "1");
	make_file(&tar, "share/terminfo/n/x", "2");
	make_file(&tar, "include/xt_MARK.h", "3");
	make_file(&tar, "include/xt_mark.h", "4");
	link_well(&tar, &plain_target, &out);
	assert_int_equal(out.n, 4);
	has_text(&out, "opt/env/share/terminfo/N/x", "1");
	has_text(&out, "opt/env/share/terminfo/n/x", "2");
	has_text(&out, "opt/env/include/xt_MARK.h", "3");
	has_text(&out, "opt/env/include/xt_mark.h", "4");
	eb_entries_release(&out);
}

/* ---- links and times ---------------------------------------------------- */

#define EMPTY "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define OTHER "3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d"

/* They stay as they are; the sums that are listed for a link are those of the
 * file that it leads to, and nobody can hold the link to them. */
static void links_to_nowhere(void **state)
{
	static const struct make_member member[] = {
		{ .path = "abs", .target = "/usr/lib/libcuda.so.1" },
		{ .path = "lib/dangling", .target = "missing.so.1" },
		{ .path = "lib/self", .target = "self" },
		{ .path = "lib/good", .target = "real" },
	};
	struct eb_entries out;
	EB_AUTOBUF(tar, MAKE_MAX);

	(void)state;
	make_file(&tar, "info/paths.json",
		  "{\"paths\":[{\"_path\":\"abs\",\"path_type\":\"softlink\"},"
		  "{\"_path\":\"lib/dangling\",\"path_type\":\"softlink\","
		  "\"sha256\":\"" EMPTY "\",\"size_in_bytes\":0},"
		  "{\"_path\":\"lib/self\",\"path_type\":\"softlink\"},"
		  "{\"_path\":\"lib/good\",\"path_type\":\"softlink\","
		  "\"sha256\":\"" OTHER "\",\"size_in_bytes\":77},"
		  "{\"_path\":\"lib/real\",\"path_type\":\"hardlink\"}]}");
	make_file(&tar, "lib/real", "real");
	for (size_t i = 0; i < sizeof member / sizeof *member; i++) {
		struct make_member m = member[i];

		m.type = '2';
		make_add(&tar, &m);
	}
	link_well(&tar, &plain_target, &out);
	for (size_t i = 0; i < sizeof member / sizeof *member; i++) {
		eb_autofree char *path =
			eb_asprintf("opt/env/%s", member[i].path);

		assert_int_equal(find(&out, path)->type, EB_ENTRY_LINK);
		assert_string_equal(find(&out, path)->target, member[i].target);
	}
	assert_string_equal(find(&out, "opt/env/lib/dangling")->note,
			    "{\"n\":0,\"s\":\"" EMPTY "\"}");
	eb_entries_release(&out);
}

/* A layer can hold them, though a zip file cannot; and a .pyc that a package
 * ships tells the time of its source. Before 1970 there is nothing. */
static void times_before_1980(void **state)
{
	static const struct {
		const char *pax;
		int64_t mtime;
	} row[] = {
		{ "-1", 0 }, { "-86400.5", 0 },	 { "0", 0 },
		{ "1", 1 },  { "86400", 86400 }, { "315532799", 315532799 },
	};
	struct eb_entries out;
	EB_AUTOBUF(tar, MAKE_MAX);
	EB_AUTOBUF(files, 4096);

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		eb_buf_addf(&files, "f%zu\n", i);
	make_file(&tar, "info/files", files.data);
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		eb_autofree char *name = eb_asprintf("f%zu", i);

		make_pax(&tar, "mtime", row[i].pax);
		make_file(&tar, name, "");
	}
	link_well(&tar, &plain_target, &out);
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		eb_autofree char *path = eb_asprintf("opt/env/f%zu", i);

		assert_int_equal(find(&out, path)->mtime, row[i].mtime);
	}
	eb_entries_release(&out);
}

/* ---- prefixes ----------------------------------------------------------- */

#define HOLDER "/build/place/holder_holder_holder_holder_holder_holder"

static void link_to_prefix(const char *prefix, struct eb_entries *out)
{
	struct eb_link_target t = plain_target;
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_AUTOBUF(tar, MAKE_MAX);

	t.prefix = prefix;
	make_file(&tar, "info/link.json",
		  "{\"noarch\":{\"type\":\"python\",\"entry_points\":"
		  "[\"go = a:b\"]}}");
	make_file(&tar, "info/paths.json",
		  "{\"paths\":[{\"_path\":\"python-scripts/x\","
		  "\"prefix_placeholder\":\"" HOLDER "\"},"
		  "{\"_path\":\"etc/y\",\"prefix_placeholder\":\"" HOLDER
		  "\"}]}");
	make_file(&tar, "python-scripts/x",
		  "#!" HOLDER "/bin/python -E\nroot = '" HOLDER "'\n");
	make_file(&tar, "etc/y", "root = " HOLDER "\n");
	if (link_tar(&tar, &t, EB_NOARCH_PYTHON, out, &err) < 0)
		fail_msg("%s", err.message);
}

/* A kernel takes no blank in a first line, so env finds the interpreter. */
static void prefix_with_spaces(void **state)
{
	struct eb_entries out;

	(void)state;
	link_to_prefix("/opt/my env", &out);
	has_text(&out, "opt/my env/bin/x",
		 "#!/usr/bin/env python -E\nroot = '/opt/my env'\n");
	has_text(&out, "opt/my env/etc/y", "root = /opt/my env\n");
	assert_non_null(find(&out, "opt/my env/bin/go"));
	eb_entries_release(&out);
}

/* Of 127 bytes with its newline the kernel reads all; one more, and a shell
 * begins in its place. Of a script's own line that count is without it. */
static void long_first_lines(void **state)
{
	static const struct {
		const char *file;
		size_t prefix;
		const char *line;
	} row[] = {
		{ "go", 110, "#!/opt/x" },
		{ "go", 111, "#!/bin/sh\n'''exec' \"/opt/x" },
		{ "x", 111, "#!/opt/x" },
		{ "x", 112, "#!/usr/bin/env python -E\n" },
	};
	char prefix[128];

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct eb_entries out;
		eb_autofree char *path = NULL, *text = NULL;

		memset(prefix, 'x', sizeof prefix);
		memcpy(prefix, "/opt/", 5);
		prefix[row[i].prefix] = '\0';
		link_to_prefix(prefix, &out);
		path = eb_asprintf("%s/bin/%s", prefix + 1, row[i].file);
		text = content(find(&out, path));
		if (!eb_starts(text, row[i].line))
			fail_msg("%s, %zu: %.40s", row[i].file, row[i].prefix,
				 text);
		assert_true(strcspn(text, "\n") <= 127);
		eb_entries_release(&out);
	}
}

/* ---- what records say --------------------------------------------------- */

/* 1 it matches, 0 it does not, -1 it is no spec: a build that needs it is
 * none to choose. */
static int needs(const char *spec, const char *name, const char *version)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_CLEANUP(eb_matchspec_free_ptr)
	struct eb_matchspec *m = eb_matchspec_parse(spec, EB_LENIENT, &err);
	const struct eb_record r = { .name = (char *)name,
				     .version = (char *)version,
				     .build = (char *)"0" };
	EB_CLEANUP(eb_version_free_ptr) struct eb_version *v = NULL;

	if (!m)
		return -1;
	v = eb_version_parse(version, &err);
	assert_non_null(v);
	return eb_matchspec_match(m, &r, v);
}

static void odd_dependencies(void **state)
{
	static const struct {
		const char *spec, *name, *version;
		int want;
	} row[] = {
		/* an inner star is a regular expression's, as conda has it,
		 * so that a version of three parts is not meant by four */
		{ "python 2.7.*.*", "python", "2.7.1.3", 1 },
		{ "python 2.7.*.*", "python", "2.7.1", 0 },
		{ "python 2.7*", "python", "2.7.15", 1 },
		{ "python 2.7.*", "python", "2.70", 0 },
		{ "jpeg *", "jpeg", "9b", 1 },
		{ "blas * mkl", "blas", "1.0", 0 },
		/* blanks */
		{ "numpy ", "numpy", "1.2", 1 },
		{ "numpy  >=1.1 ", "numpy", "1.2", 1 },
		{ "numpy >=1.1,  <1.2 ", "numpy", "1.2", 0 },
		{ "numpy >= 1.1\t", "numpy", "1.2", 1 },
		{ " numpy", "numpy", "1.2", 1 },
		/* a condition is cut off; one of Python's is no spec, or one
		 * that nothing fits */
		{ "colorama if win", "colorama", "0.4", 1 },
		{ "colorama >=1 if python_version < '3.8'", "colorama", "0.4",
		  0 },
		{ "colorama ; sys_platform == 'win32'", "colorama", "0.4", -1 },
		{ "colorama >=0.3 ; extra", "colorama", "0.4", 0 },
		{ "colorama>=0.3;extra", "colorama", "0.4", -1 },
		/* names */
		{ "__anaconda_core_depends", "__anaconda_core_depends", "1",
		  1 },
		{ "__anaconda_core_depends 2019.03", "__anaconda_core_depends",
		  "2019.03", 1 },
		{ "_libgcc_mutex 0.1 main", "_libgcc_mutex", "0.1", 0 },
		{ "Pillow", "pillow", "5.2", 1 },
		{ "ruamel.yaml.clib >=0.1", "ruamel.yaml.clib", "0.2", 1 },
		/* versions */
		{ "tool v1.0", "tool", "v1.0", 1 },
		{ "tool 1.0", "tool", "v1.0", 0 },
		{ "tool >=0.9", "tool", "v1.0", 0 },
		{ "openssl >=1.0.2o,<1.0.3a", "openssl", "1.0.2p", 1 },
		{ "", "x", "1", -1 },
		{ ";", "x", "1", -1 },
		{ " if ", "x", "1", -1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		int got = needs(row[i].spec, row[i].name, row[i].version);

		if (got != row[i].want)
			fail_msg("\"%s\" and %s %s: %d, not %d", row[i].spec,
				 row[i].name, row[i].version, got, row[i].want);
	}
}

/* ---- the table ---------------------------------------------------------- */

#define HERE "unit/test_hazards.c"
#define PACKAGE "unit/test_package.c"
#define LINK "unit/test_link.c"
#define CLASH "unit/test_clash.c"
#define RECORD "unit/test_record.c"
#define REPODATA "unit/test_repodata.c"
#define FAULTS "integration/package_faults.sh"
#define HAZARDS "integration/hazards.sh"

/* A row without a hazard goes on with the one above it. */
static const struct {
	const char *hazard, *file, *test;
} table[] = {
	{ "zip: ZIP64 headers always", PACKAGE, "good_zip64" },
	{ "zip: stored only", PACKAGE, "damaged_zip" },
	{ NULL, FAULTS, "archives" },
	{ "zip: two names of one member", PACKAGE, "damaged_zip" },
	{ "zip: duplicate members", HERE, "zip_one_name_twice" },
	{ NULL, PACKAGE, "wrong_zip" },
	{ "zip: trailing garbage", HERE, "zip_trailing_garbage" },
	{ NULL, HERE, "stream_trailing_garbage" },
	{ NULL, HAZARDS, "garbage" },
	{ "zip: a member beyond 32 bits", HERE, "zip_beyond_32_bits" },
	{ "tar: pax path and linkpath", PACKAGE, "names_stay" },
	{ "tar: pax size", HERE, "pax_size" },
	{ "tar: pax mtime", PACKAGE, "times" },
	{ "tar: sparse files by pax", PACKAGE, "sparse" },
	{ "tar: GNU long names and links", HERE, "gnu_long_names" },
	{ NULL, HERE, "long_forms_are_checked" },
	{ "tar: names with \"./\"", PACKAGE, "good_bz2" },
	{ NULL, HERE, "gnu_long_names" },
	{ "tar: hard links, from the top", PACKAGE, "good_bz2" },
	{ NULL, PACKAGE, "hostile_members" },
	{ NULL, FAULTS, "links" },
	{ "tar: devices, fifos", PACKAGE, "hostile_members" },
	{ NULL, FAULTS, "kinds" },
	{ "tar: setuid bits", LINK, "setid" },
	{ NULL, FAULTS, "harmless" },
	{ "tar: owners and modes", HERE, "owners_and_umask" },
	{ NULL, "integration/layers.sh", "form" },
	{ "traversal: \"..\", absolute names", PACKAGE, "hostile_members" },
	{ NULL, FAULTS, "names" },
	{ "traversal: a link of the package", PACKAGE, "hostile_members" },
	{ NULL, FAULTS, "links" },
	{ "traversal: a link of another package", CLASH,
	  "bad_links_are_refused" },
	{ NULL, FAULTS, "one_path" },
	{ "traversal: _path of paths.json", LINK, "bad_lists" },
	{ NULL, FAULTS, "names" },
	{ "traversal: NUL", HERE, "nul_in_names" },
	{ "traversal: conda-meta/", PACKAGE, "hostile_members" },
	{ NULL, LINK, "bad_lists" },
	{ "traversal: whiteouts", PACKAGE, "hostile_members" },
	{ NULL, FAULTS, "names" },
	{ "names that differ in case", HERE, "names_that_differ_in_case" },
	{ NULL, "integration/clashes.sh", "cased" },
	{ "absolute links", LINK, "links" },
	{ NULL, HAZARDS, "links" },
	{ "dangling links", HERE, "links_to_nowhere" },
	{ NULL, HAZARDS, "links" },
	{ "times before 1980", HERE, "times_before_1980" },
	{ NULL, HAZARDS, "times" },
	{ "names that are not UTF-8", HERE, "bytes_that_are_no_utf8" },
	{ NULL, FAULTS, "names" },
	{ "names with newlines", HERE, "newline_names" },
	{ NULL, HERE, "newlines_in_messages" },
	{ NULL, FAULTS, "harmless" },
	{ "bombs", PACKAGE, "bombs" },
	{ NULL, FAULTS, "bombs" },
	{ "sha256 and md5 of the archive", PACKAGE, "sums" },
	{ NULL, FAULTS, "sums" },
	{ "sha256 and size of each file", LINK, "bad_lists" },
	{ NULL, FAULTS, "declared" },
	{ "listed sums of a link", HERE, "links_to_nowhere" },
	{ "a prefix longer than the placeholder", LINK, "bad_lists" },
	{ NULL, FAULTS, "declared" },
	{ "a prefix with spaces", HERE, "prefix_with_spaces" },
	{ NULL, LINK, "noarch_elsewhere" },
	{ "a first line of more than 127 bytes", HERE, "long_first_lines" },
	{ NULL, "unit/test_prefix.c", "reference_vectors" },
	{ "record: units of timestamps", RECORD, "odd_values" },
	{ NULL, REPODATA, "test_fields" },
	{ "record: noarch: true", RECORD, "odd_values" },
	{ "record: track_features, text and list", RECORD, "odd_values" },
	{ "record: no sha256", FAULTS, "without_sha256" },
	{ "record: globs in depends", HERE, "odd_dependencies" },
	{ "record: blanks in depends", HERE, "odd_dependencies" },
	{ NULL, HAZARDS, "records" },
	{ "record: \" if \" and \";\" in depends", HERE, "odd_dependencies" },
	{ NULL, HAZARDS, "records" },
	{ "record: __anaconda_core_depends", HERE, "odd_dependencies" },
	{ NULL, HAZARDS, "records" },
	{ "record: version v1.0", HERE, "odd_dependencies" },
	{ NULL, HAZARDS, "records" },
	{ "packages with post-link scripts", LINK, "facts" },
	{ NULL, FAULTS, "scripts" },
	{ "packages with activate.d", LINK, "facts" },
	{ NULL, FAULTS, "scripts" },
	{ "bytecode at first run", "integration/layers.sh", "bytecode" },
	{ "extended attributes, capabilities", HERE, "extended_attributes" },
	{ NULL, HAZARDS, "attributes" },
};

/* A line that runs the test: `TEST(NAME)` and the like, `it '...' NAME`. */
static bool runs(const char *text, const char *test)
{
	eb_autofree char *c = eb_asprintf("(%s)", test);
	struct eb_strv lines EB_CLEANUP(eb_strv_release) = { 0 };

	eb_strv_split(&lines, text, "\n");
	for (size_t i = 0; i < lines.n; i++) {
		const char *line = lines.v[i], *last = strrchr(line, ' ');
		bool unit = strstr(line, "TEST") || strstr(line, "unit_test");

		if (unit ? strstr(line, c) != NULL
			 : eb_starts(line, "it ") && last &&
				    strcmp(last + 1, test) == 0)
			return true;
	}
	return false;
}

static void table_is_true(void **state)
{
	const char *hazard = NULL;
	size_t n = 0;

	(void)state;
	if (!eb_path_exists("tests/" HERE)) {
		print_message("not run in the top folder\n");
		skip();
	}
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		eb_autofree char *path = eb_asprintf("tests/%s", table[i].file);
		struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
		EB_AUTOBUF(text, 1 << 20);

		if (eb_read_file(path, text.max, &text, &err) < 0)
			fail_msg("%s", err.message);
		n += table[i].hazard != NULL;
		hazard = table[i].hazard ? table[i].hazard : hazard;
		if (!runs(text.data, table[i].test))
			fail_msg("%s: no test \"%s\" in \"%s\"", hazard,
				 table[i].test, path);
	}
	print_message("%zu hazards, %zu tests of them\n", n,
		      sizeof table / sizeof *table);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(zip_trailing_garbage),
	cmocka_unit_test(stream_trailing_garbage),
	cmocka_unit_test(zip_one_name_twice),
	cmocka_unit_test(zip_beyond_32_bits),
	cmocka_unit_test(pax_size),
	cmocka_unit_test(gnu_long_names),
	cmocka_unit_test(long_forms_are_checked),
	cmocka_unit_test(owners_and_umask),
	cmocka_unit_test(extended_attributes),
	cmocka_unit_test(nul_in_names),
	cmocka_unit_test(newline_names),
	cmocka_unit_test(newlines_in_messages),
	cmocka_unit_test(bytes_that_are_no_utf8),
	cmocka_unit_test(names_that_differ_in_case),
	cmocka_unit_test(links_to_nowhere),
	cmocka_unit_test(times_before_1980),
	cmocka_unit_test(prefix_with_spaces),
	cmocka_unit_test(long_first_lines),
	cmocka_unit_test(odd_dependencies),
	cmocka_unit_test(table_is_true),
};

/* What is tested here stands in the table. */
static bool is_listed(const char *test)
{
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		if (strcmp(table[i].file, HERE) == 0 &&
		    strcmp(table[i].test, test) == 0)
			return true;
	}
	return false;
}

int main(void)
{
	for (size_t i = 0; i + 1 < sizeof tests / sizeof *tests; i++) {
		if (!is_listed(tests[i].name)) {
			fprintf(stderr, "\"%s\" is not in the table\n",
				tests[i].name);
			return 1;
		}
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
