/* SPDX-License-Identifier: Apache-2.0 */
/* Zip files: what is read of them, and each kind that is refused. */
#include "make_wheel.h"

#include <sys/resource.h>
#include <time.h>

#include "python/zip_dir.h"

static const struct eb_zipdir_limits limits = { 200000, (uint64_t)16 << 30 };

/* A zip in the making, and what came of it. */
struct zip {
	struct make_wheel w;
	struct wheel_end end;
	struct eb_zipdir_limits limits;
	struct eb_zipdir dir;
	struct eb_error err;
	int fd, rc;
};

static int begin(void **state)
{
	struct zip *z = eb_calloc(1, sizeof *z);

	wheel_begin(&z->w, "t-1.dist-info");
	z->limits = limits;
	z->fd = -1;
	*state = z;
	return 0;
}

static int end(void **state)
{
	struct zip *z = *state;

	wheel_release(&z->w);
	eb_zipdir_release(&z->dir);
	eb_err_release(&z->err);
	eb_cleanup_fd(&z->fd);
	free(z);
	return 0;
}

static void open_bytes(struct zip *z)
{
	z->fd = wheel_fd(&z->w);
	z->rc = eb_zipdir_open(z->fd, "t.whl", &z->limits, &z->dir, &z->err);
}

static void open_zip(struct zip *z)
{
	wheel_finish(&z->w, &z->end);
	open_bytes(z);
}

static void well(struct zip *z)
{
	open_zip(z);
	if (z->rc < 0)
		fail_msg("%s", z->err.message);
}

static void told(struct zip *z, enum eb_code code, const char *words)
{
	assert_int_equal(z->rc, -1);
	if (z->err.code != code || !strstr(z->err.message, words) ||
	    !strstr(z->err.message, "\"t.whl\""))
		fail_msg("code %d \"%s\", wanted %d \"%s\"", z->err.code,
			 z->err.message, code, words);
	assert_null(z->dir.member);
}

static void badly(struct zip *z, enum eb_code code, const char *words)
{
	open_zip(z);
	told(z, code, words);
}

/* One member that is wrong, behind one that is not. */
static void one_bad(void **state, const struct wheel_member *m,
		    enum eb_code code, const char *words)
{
	struct zip *z = *state;

	wheel_file(&z->w, "first", "one");
	wheel_put(&z->w, m);
	badly(z, code, words);
}

static void assert_content(struct zip *z, const char *name, const char *text)
{
	const struct eb_zipdir_member *m = eb_zipdir_find(&z->dir, name);
	eb_autofree char *content = NULL;

	assert_non_null(m);
	if (eb_zipdir_read(&z->dir, m, &content, &z->err) < 0)
		fail_msg("%s", z->err.message);
	assert_int_equal(m->size, strlen(text));
	assert_string_equal(content, text);
}

/* --- what is read ------------------------------------------------------- */

static void test_forms(void **state)
{
	struct zip *z = *state;
	char head[4];
	size_t got;

	wheel_file(&z->w, "b/deflated", "deflate deflate deflate");
	wheel_put(&z->w, &(struct wheel_member){ .name = "b/stored",
						 .content = "as it is",
						 .stored = true });
	wheel_put(&z->w, &(struct wheel_member){ .name = "a/behind",
						 .content = "later",
						 .descriptor = true });
	wheel_put(&z->w, &(struct wheel_member){ .name = "wide",
						 .content = "zip64",
						 .zip64 = true });
	wheel_put(&z->w, &(struct wheel_member){ .name = "b/",
						 .content = "",
						 .stored = true,
						 .mode = S_IFDIR | 0755 });
	wheel_put(&z->w, &(struct wheel_member){ .name = "\xc3\xbc",
						 .content = "",
						 .utf8 = true });
	well(z);
	assert_int_equal(z->dir.n, 6);
	assert_string_equal(z->dir.member[0].name, "a/behind");
	assert_true(eb_zipdir_find(&z->dir, "b")->folder);
	assert_null(eb_zipdir_find(&z->dir, "b/"));
	assert_content(z, "b/deflated", "deflate deflate deflate");
	assert_content(z, "b/stored", "as it is");
	assert_content(z, "a/behind", "later");
	assert_content(z, "wide", "zip64");
	assert_content(z, "\xc3\xbc", "");
	assert_int_equal(eb_zipdir_peek(&z->dir,
					eb_zipdir_find(&z->dir, "b/deflated"),
					head, sizeof head, &got, &z->err),
			 0);
	assert_int_equal(got, 4);
	assert_memory_equal(head, "defl", 4);
	assert_int_equal(eb_zipdir_peek(&z->dir,
					eb_zipdir_find(&z->dir, "\xc3\xbc"),
					head, sizeof head, &got, &z->err),
			 0);
	assert_int_equal(got, 0);
}

static void test_zip64_end(void **state)
{
	struct zip *z = *state;

	wheel_file(&z->w, "a", "one");
	z->end.zip64 = true;
	well(z);
	assert_content(z, "a", "one");
}

static void test_comment_and_gaps(void **state)
{
	struct zip *z = *state;

	wheel_put(&z->w, &(struct wheel_member){
				 .name = "a", .content = "one", .junk = 7 });
	z->end.comment = "made by hand";
	well(z);
	assert_content(z, "a", "one");
}

static void test_empty(void **state)
{
	struct zip *z = *state;

	well(z);
	assert_int_equal(z->dir.n, 0);
	assert_null(eb_zipdir_find(&z->dir, "a"));
}

static long peak_kb(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return u.ru_maxrss;
}

/* More than 65,535, so that the zip64 end record counts them. */
static void test_100000_members(void **state)
{
	struct zip *z = *state;
	const unsigned n = 100000;
	long before;
	double took;
	struct timespec a, b;

	for (unsigned i = 0; i < n; i++) {
		eb_autofree char *name = eb_asprintf(
			"package/folder-%u/member-%u.py", i % 331, i);

		wheel_put(&z->w, &(struct wheel_member){ .name = name,
							 .content = "x",
							 .stored = true });
	}
	z->end.zip64 = true;
	wheel_finish(&z->w, &z->end);
	before = peak_kb();
	clock_gettime(CLOCK_MONOTONIC, &a);
	open_bytes(z);
	clock_gettime(CLOCK_MONOTONIC, &b);
	if (z->rc < 0)
		fail_msg("%s", z->err.message);
	took = (double)(b.tv_sec - a.tv_sec) +
	       (double)(b.tv_nsec - a.tv_nsec) / 1e9;
	print_message("100,000 members: %.2f s, %ld kB more\n", took,
		      peak_kb() - before);
	assert_int_equal(z->dir.n, n);
	assert_content(z, "package/folder-1/member-1.py", "x");
#ifndef __SANITIZE_ADDRESS__
	assert_true(peak_kb() - before < 64 << 10);
	assert_true(took < 20);
#endif
}

/* --- what is refused: names --------------------------------------------- */

static void test_names(void **state)
{
	static const struct {
		const char *name, *words;
	} bad[] = {
		{ "../out", "\"..\"" },
		{ "a/../../out", "\"..\"" },
		{ "/etc/passwd", "absolute" },
		{ "a//b", "an empty component" },
		{ "a/./b", "a component \".\"" },
		{ "", "it is empty" },
		{ "a\\b", "\"a\\b\" that has a backslash in its name" },
		{ ".wh.x", ".wh." },
		{ "\xff\xfe", "not ASCII and not marked as UTF-8" },
	};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		void *one;

		begin(&one);
		one_bad(&one,
			&(struct wheel_member){ .name = bad[i].name,
						.content = "x" },
			EB_INPUT, bad[i].words);
		end(&one);
	}
	one_bad(state,
		&(struct wheel_member){
			.name = "\xff\xfe", .content = "x", .utf8 = true },
		EB_INPUT, "not UTF-8");
}

static void test_nul_in_name(void **state)
{
	struct zip *z = *state;
	char *at;

	wheel_put(&z->w, &(struct wheel_member){ .name = "good_evil",
						 .content = "x" });
	wheel_finish(&z->w, NULL);
	for (int i = 0; i < 2; i++) {
		at = memmem(z->w.file.data, z->w.file.len, "good_evil", 9);
		assert_non_null(at);
		at[4] = '\0';
	}
	open_bytes(z);
	told(z, EB_INPUT, "\"good\" that has a NUL in its name");
}

static void test_long_name(void **state)
{
	char name[300];

	memset(name, 'n', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	one_bad(state, &(struct wheel_member){ .name = name, .content = "x" },
		EB_INPUT, "longer than 255 bytes");
}

static void test_twice(void **state)
{
	one_bad(state,
		&(struct wheel_member){ .name = "first", .content = "two" },
		EB_INPUT, "\"first\" that is there twice");
}

static void test_below_file(void **state)
{
	one_bad(state,
		&(struct wheel_member){ .name = "first/x", .content = "two" },
		EB_INPUT, "\"first/x\" below \"first\", which is a file");
}

static void test_folder_and_file(void **state)
{
	one_bad(state,
		&(struct wheel_member){
			.name = "first/", .content = "", .stored = true },
		EB_INPUT, "\"first\" that is there twice");
}

/* --- forms -------------------------------------------------------------- */

static void test_method(void **state)
{
	one_bad(state,
		&(struct wheel_member){
			.name = "m", .content = "x", .method = 12 },
		EB_INPUT, "\"m\" that is compressed by method 12");
}

static void test_encrypted(void **state)
{
	one_bad(state,
		&(struct wheel_member){
			.name = "m", .content = "x", .flags = 1 },
		EB_INPUT, "\"m\" that is encrypted");
}

static void test_symlink(void **state)
{
	one_bad(state,
		&(struct wheel_member){ .name = "m",
					.content = "/etc/passwd",
					.mode = S_IFLNK | 0777 },
		EB_INPUT, "\"m\" that is a symbolic link");
}

static void test_device(void **state)
{
	one_bad(state,
		&(struct wheel_member){
			.name = "m", .content = "", .mode = S_IFCHR | 0666 },
		EB_INPUT, "\"m\" that is neither a file nor a folder");
}

static void test_folder_by_mode(void **state)
{
	one_bad(state,
		&(struct wheel_member){
			.name = "m", .content = "", .mode = S_IFDIR | 0755 },
		EB_INPUT, "a folder by its mode and a file by its name");
}

static void test_folder_with_content(void **state)
{
	one_bad(state, &(struct wheel_member){ .name = "m/", .content = "x" },
		EB_INPUT, "\"m\" that is a folder with content");
}

static void test_stored_sizes(void **state)
{
	one_bad(state,
		&(struct wheel_member){ .name = "m",
					.content = "xyz",
					.stored = true,
					.size_more = 1 },
		EB_INPUT, "\"m\" that is stored and has two sizes");
}

static void test_local_name(void **state)
{
	one_bad(state,
		&(struct wheel_member){
			.name = "m", .content = "x", .local_name = "n" },
		EB_INPUT, "\"m\" that has another name in its header");
}

static void test_local_size(void **state)
{
	one_bad(state,
		&(struct wheel_member){
			.name = "m", .content = "x", .local_size_more = 1 },
		EB_INPUT, "\"m\" that has two sizes");
}

static void test_local_size_wide(void **state)
{
	one_bad(state,
		&(struct wheel_member){ .name = "m",
					.content = "x",
					.zip64 = true,
					.local_size_more = 1 },
		EB_INPUT, "\"m\" that has two sizes");
}

static void test_local_crc(void **state)
{
	one_bad(state,
		&(struct wheel_member){
			.name = "m", .content = "x", .local_crc_xor = 1 },
		EB_INPUT, "\"m\" that has two checksums");
}

static void test_local_method(void **state)
{
	struct zip *z = *state;

	wheel_file(&z->w, "a", "one");
	z->w.file.data[8] = 0; /* of the local header */
	badly(z, EB_INPUT, "\"a\" that is described in two ways");
}

static void test_local_place(void **state)
{
	one_bad(state,
		&(struct wheel_member){
			.name = "m", .content = "x", .at_more = 1 },
		EB_INTEGRITY, "a member is not where it should be");
}

static void test_local_outside(void **state)
{
	one_bad(state,
		&(struct wheel_member){
			.name = "m", .content = "x", .at_more = 1 << 30 },
		EB_INTEGRITY, "an offset points behind its end");
}

/* Two members of one header, so that one of them is seen by one name only. */
static void test_shared_header(void **state)
{
	struct zip *z = *state;

	wheel_file(&z->w, "a", "one");
	wheel_put(&z->w, &(struct wheel_member){ .name = "b",
						 .content = "one",
						 .local_name = "a",
						 .at_zero = true });
	badly(z, EB_INPUT, "\"b\" that has another name in its header");
}

/* A member that reaches into the next one: each byte is counted twice, as a
 * bomb of overlapping members does it. */
static void test_overlap(void **state)
{
	struct zip *z = *state;

	wheel_put(&z->w, &(struct wheel_member){ .name = "a",
						 .content = "one",
						 .packed_more = 30 });
	wheel_file(&z->w, "b", "a text that is long enough for thirty bytes");
	badly(z, EB_INPUT, "\"a\" that overlaps what follows it");
}

static void test_overlaps_directory(void **state)
{
	one_bad(state,
		&(struct wheel_member){
			.name = "m", .content = "x", .packed_more = 1 },
		EB_INPUT, "\"m\" that overlaps what follows it");
}

/* --- content ------------------------------------------------------------ */

static void read_badly(void **state, const struct wheel_member *m,
		       const char *words)
{
	struct zip *z = *state;
	eb_autofree char *content = NULL;

	wheel_put(&z->w, m);
	well(z);
	assert_int_equal(
		eb_zipdir_read(&z->dir, z->dir.member, &content, &z->err), -1);
	assert_int_equal(z->err.code, EB_INTEGRITY);
	if (!strstr(z->err.message, words))
		fail_msg("\"%s\", wanted \"%s\"", z->err.message, words);
	assert_null(content);
}

static void test_content_crc(void **state)
{
	read_badly(state,
		   &(struct wheel_member){
			   .name = "m", .content = "x", .crc_xor = 1 },
		   "\"m\": its checksum is wrong");
}

static void test_content_longer(void **state)
{
	read_badly(state,
		   &(struct wheel_member){
			   .name = "m", .content = "xyz", .size_more = -1 },
		   "\"m\": it is longer than it says");
}

static void test_content_shorter(void **state)
{
	read_badly(state,
		   &(struct wheel_member){
			   .name = "m", .content = "xyz", .size_more = 1 },
		   "\"m\": it is shorter than it says");
}

static void test_content_breaks_off(void **state)
{
	read_badly(state,
		   &(struct wheel_member){
			   .name = "m", .content = "xyz", .packed_more = -2 },
		   "\"m\": its data does not end where it says");
}

static void test_content_goes_on(void **state)
{
	read_badly(state,
		   &(struct wheel_member){ .name = "m",
					   .content = "xyz",
					   .packed_more = 3,
					   .junk = 3 },
		   "\"m\": its data does not end where it says");
}

static void test_content_damaged(void **state)
{
	struct zip *z = *state;
	eb_autofree char *content = NULL;

	wheel_file(&z->w, "m", "a text that is long enough to be damaged");
	memset(z->w.file.data + 31, 0xff, 8);
	well(z);
	assert_int_equal(
		eb_zipdir_read(&z->dir, z->dir.member, &content, &z->err), -1);
	assert_int_equal(z->err.code, EB_INTEGRITY);
	assert_non_null(strstr(z->err.message, "damaged deflate data"));
}

/* --- limits ------------------------------------------------------------- */

static void test_member_limit(void **state)
{
	struct zip *z = *state;

	wheel_file(&z->w, "a", "1");
	wheel_file(&z->w, "b", "2");
	z->limits.members = 1;
	badly(z, EB_INPUT, "has 2 members; the limit package-members is 1");
}

static void test_size_limit(void **state)
{
	struct zip *z = *state;

	wheel_file(&z->w, "a", "12");
	z->limits.member_size = 1;
	badly(z, EB_INPUT, "\"a\" of 2 bytes; the limit member-size is 1");
}

/* Sizes that the directory declares count, before anything is inflated. */
static void test_growth(void **state)
{
	struct zip *z = *state;

	for (int i = 0; i < 2; i++) {
		eb_autofree char *name = eb_asprintf("m%d", i);

		wheel_put(&z->w,
			  &(struct wheel_member){ .name = name,
						  .content = "x",
						  .size_more = (1 << 29) + 5 });
	}
	badly(z, EB_INPUT,
	      "grows beyond 1073741824 bytes, its limit, with "
	      "\"m1\"");
}

/* --- the end of the file ------------------------------------------------ */

static void test_no_end(void **state)
{
	struct zip *z = *state;

	eb_buf_adds(&z->w.file, "this is no zip file, however long it is");
	open_bytes(z);
	told(z, EB_INTEGRITY, "it has no end record");
}

static void test_breaks_off(void **state)
{
	struct zip *z = *state;

	wheel_file(&z->w, "a", "one");
	wheel_finish(&z->w, NULL);
	z->w.file.len -= 30;
	open_bytes(z);
	told(z, EB_INTEGRITY, "it has no end record");
}

static void test_begins_late(void **state)
{
	struct zip *z = *state;
	EB_AUTOBUF(rest, WHEEL_MAX);

	wheel_file(&z->w, "a", "one");
	wheel_finish(&z->w, NULL);
	eb_buf_add(&rest, z->w.file.data + 5, z->w.file.len - 5);
	eb_buf_reset(&z->w.file);
	eb_buf_add(&z->w.file, rest.data, rest.len);
	open_bytes(z);
	told(z, EB_INTEGRITY, "does not end where its end record begins");
}

static void end_badly(void **state, struct wheel_end e, const char *words)
{
	struct zip *z = *state;

	wheel_file(&z->w, "a", "one");
	wheel_file(&z->w, "b", "two");
	z->end = e;
	badly(z, EB_INTEGRITY, words);
}

static void test_bytes_behind(void **state)
{
	end_badly(state, (struct wheel_end){ .behind = "more" },
		  "it does not end with its end record");
}

static void test_end_in_comment(void **state)
{
	end_badly(state,
		  (struct wheel_end){
			  .comment = "PK\005\006 a second one, not whole" },
		  "it does not end with its end record");
}

static void test_volumes(void **state)
{
	end_badly(state, (struct wheel_end){ .two_volumes = true },
		  "it is one of several volumes");
}

static void test_counts_more(void **state)
{
	end_badly(state, (struct wheel_end){ .n_more = 1 },
		  "its directory is shorter than it says");
}

static void test_counts_less(void **state)
{
	end_badly(state, (struct wheel_end){ .n_more = -1 },
		  "its directory is longer than it says");
}

static void test_directory_moved(void **state)
{
	end_badly(state, (struct wheel_end){ .at_more = 1, .size_more = -1 },
		  "its directory is damaged");
}

static void test_directory_gap(void **state)
{
	end_badly(state, (struct wheel_end){ .size_more = -4 },
		  "does not end where its end record begins");
}

static void test_two_ends(void **state)
{
	end_badly(state, (struct wheel_end){ .zip64 = true, .wide_n_more = 1 },
		  "its two end records differ");
}

static void test_end64_lost(void **state)
{
	struct zip *z = *state;
	char *at;

	wheel_file(&z->w, "a", "one");
	wheel_finish(&z->w, &(struct wheel_end){ .zip64 = true });
	at = memmem(z->w.file.data, z->w.file.len, "PK\006\006", 4);
	assert_non_null(at);
	at[0] = 'Q';
	open_bytes(z);
	told(z, EB_INTEGRITY, "its zip64 end record is damaged");
}

static void test_wide_field_missing(void **state)
{
	struct zip *z = *state;
	unsigned char *p;

	wheel_file(&z->w, "a", "one");
	p = (unsigned char *)z->w.central.data;
	memset(p + 20, 0xff, 4);
	badly(z, EB_INTEGRITY, "a zip64 field is too short");
}

/* Each of many bytes changed, one at a time: an answer, and no more. */
static void test_any_byte(void **state)
{
	struct zip *z = *state;
	unsigned refused = 0;

	wheel_put(&z->w, &(struct wheel_member){ .name = "a/b",
						 .content = "some text",
						 .zip64 = true });
	wheel_put(&z->w, &(struct wheel_member){ .name = "c",
						 .content = "stored",
						 .stored = true });
	wheel_finish(&z->w, &(struct wheel_end){ .zip64 = true });
	for (size_t i = 0; i < z->w.file.len; i++) {
		z->w.file.data[i] ^= 0x55;
		open_bytes(z);
		refused += z->rc < 0;
		for (size_t m = 0; z->rc == 0 && m < z->dir.n; m++) {
			eb_autofree char *content = NULL;

			if (z->dir.member[m].size < 100 &&
			    eb_zipdir_read(&z->dir, &z->dir.member[m], &content,
					   &z->err) < 0)
				eb_err_release(&z->err);
		}
		eb_err_release(&z->err);
		eb_zipdir_release(&z->dir);
		eb_cleanup_fd(&z->fd);
		z->fd = -1;
		z->w.file.data[i] ^= 0x55;
	}
	assert_true(refused > 100);
}

#define T(name) cmocka_unit_test_setup_teardown(test_##name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(forms),
		T(zip64_end),
		T(comment_and_gaps),
		T(empty),
		T(100000_members),
		T(names),
		T(nul_in_name),
		T(long_name),
		T(twice),
		T(below_file),
		T(folder_and_file),
		T(method),
		T(encrypted),
		T(symlink),
		T(device),
		T(folder_by_mode),
		T(folder_with_content),
		T(stored_sizes),
		T(local_name),
		T(local_size),
		T(local_size_wide),
		T(local_crc),
		T(local_method),
		T(local_place),
		T(local_outside),
		T(shared_header),
		T(overlap),
		T(overlaps_directory),
		T(content_crc),
		T(content_longer),
		T(content_shorter),
		T(content_breaks_off),
		T(content_goes_on),
		T(content_damaged),
		T(member_limit),
		T(size_limit),
		T(growth),
		T(no_end),
		T(breaks_off),
		T(begins_late),
		T(bytes_behind),
		T(end_in_comment),
		T(volumes),
		T(counts_more),
		T(counts_less),
		T(directory_moved),
		T(directory_gap),
		T(two_ends),
		T(end64_lost),
		T(wide_field_missing),
		T(any_byte),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
