/* SPDX-License-Identifier: Apache-2.0 */
/* What happened to a folder, as a layer: what is in it, and that the same gives
 * the same bytes. */
#include "store_fixture.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/delta.h>
#include <envbuild/file.h>
#include <envbuild/layout.h>

#define OLD 1500000000 /* before it began */
#define BEGUN 1600000000
#define NEW 1700000000

static void set_time(const char *path, time_t t)
{
	const struct timespec times[2] = { { .tv_sec = t }, { .tv_sec = t } };

	assert_int_equal(utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW),
			 0);
}

static void put(const char *path, const char *text, unsigned mode, time_t t)
{
	struct eb_error err = EB_ERROR_INIT;

	must(eb_write_file(path, text, strlen(text), 0644, &err), &err);
	assert_int_equal(chmod(path, mode), 0);
	set_time(path, t);
}

static void folder(const char *path, unsigned mode)
{
	assert_int_equal(mkdir(path, 0755), 0);
	assert_int_equal(chmod(path, mode), 0);
}

static bool left_out(const char *path, bool is_folder)
{
	return is_folder ? !strcmp(path, "cache") : !strcmp(path, "etc/moment");
}

static void scan(struct eb_delta *out)
{
	struct eb_error err = EB_ERROR_INIT;

	must(eb_delta_scan("root", left_out, out, &err), &err);
}

static void make_before(void **state)
{
	assert_int_equal(chdir(*state), 0);
	folder("root", 0755);
	folder("root/etc", 0750);
	folder("root/gone", 0755);
	folder("root/swap", 0755);
	folder("root/cache", 0755);
	put("root/etc/same", "same", 0644, OLD);
	put("root/etc/lost", "lost", 0644, OLD);
	put("root/etc/mode", "mode", 0644, OLD);
	put("root/gone/deep", "deep", 0644, OLD);
	put("root/swap/below", "below", 0644, OLD);
}

static void make_after(void)
{
	assert_int_equal(unlink("root/etc/lost"), 0);
	assert_int_equal(chmod("root/etc/mode", 0600), 0);
	assert_int_equal(unlink("root/gone/deep"), 0);
	assert_int_equal(rmdir("root/gone"), 0);
	assert_int_equal(unlink("root/swap/below"), 0);
	assert_int_equal(rmdir("root/swap"), 0);
	put("root/swap", "a file now", 0644, OLD);
	put("root/etc/moment", "x", 0644, NEW);
	put("root/cache/x", "x", 0644, NEW);
	folder("root/etc/new", 01777);
	put("root/etc/new/made", "made", 04755, NEW);
	assert_int_equal(link("root/etc/new/made", "root/etc/new/too"), 0);
	assert_int_equal(symlink("made", "root/etc/new/link"), 0);
	set_time("root/etc/new/link", OLD);
	assert_int_equal(mkfifo("root/etc/new/pipe", 0600), 0);
}

static unsigned mine(unsigned id, bool group)
{
	(void)id;
	return group ? 3000000 : 7;
}

static int tell(void *data, const struct eb_member *m,
		struct eb_stream *content, struct eb_error *err)
{
	struct eb_buf *out = data;

	(void)content;
	(void)err;
	eb_buf_addf(out, "%c %04o %u:%u %lld %s%s%s\n", m->type, m->mode,
		    m->uid, m->gid, (long long)m->mtime, m->name,
		    *m->link ? " -> " : "", m->link);
	return 0;
}

static const char expected[] =
	"f 0644 0:0 1000000000 .wh.gone\n"
	"d 0750 7:3000000 1000000000 etc\n"
	"f 0644 0:0 1000000000 etc/.wh.lost\n"
	"f 0600 7:3000000 1500000000 etc/mode\n"
	"d 1777 7:3000000 1000000000 etc/new\n"
	"l 0777 7:3000000 1500000000 etc/new/link -> made\n"
	"f 0755 7:3000000 1000000000 etc/new/made\n"
	"h 0755 7:3000000 1000000000 etc/new/too -> etc/new/made\n"
	"f 0644 7:3000000 1500000000 swap\n";

static void pack(struct eb_store *s, const struct eb_delta *before,
		 const struct eb_delta *after, struct eb_delta_report *report,
		 struct eb_item *out)
{
	const struct eb_delta_rules rules = { .begun = BEGUN,
					      .stamp = 1000000000,
					      .owner = mine };
	struct eb_error err = EB_ERROR_INIT;
	struct eb_compressor gzip;

	must(eb_compressor_init(&gzip, "gzip", &err), &err);
	must(eb_delta_layer(s, &gzip, "root", before, after, &rules, report,
			    out, &err),
	     &err);
}

static void one_layer(void **state)
{
	EB_CLEANUP(eb_store_close_ptr)
	struct eb_store *s = open_store(state, 0);
	struct eb_delta before EB_CLEANUP(eb_delta_release) = { 0 };
	struct eb_delta after EB_CLEANUP(eb_delta_release) = { 0 };
	struct eb_delta_report report EB_CLEANUP(
		eb_delta_report_release) = { 0 };
	struct eb_delta_report once EB_CLEANUP(eb_delta_report_release) = { 0 };
	struct eb_error err = EB_ERROR_INIT;
	struct eb_item layer, again;
	struct eb_descriptor d = { 0 };
	EB_AUTOBUF(text, 10000);

	make_before(state);
	scan(&before);
	make_after();
	scan(&after);
	pack(s, &before, &after, &report, &layer);
	pack(s, &before, &after, &once, &again);
	assert_true(eb_digest_equal(&layer.blob, &again.blob));
	d.digest = layer.blob;
	must(eb_layer_walk(s, &d, tell, &text, &err), &err);
	assert_string_equal(text.data, expected);
	assert_int_equal(report.n_entries, 9);
	assert_int_equal(report.n_removed, 2);
	assert_int_equal(report.set_id.n, 1);
	assert_string_equal(report.set_id.v[0], "etc/new/made");
	assert_int_equal(report.left.n, 1);
	assert_string_equal(report.left.v[0], "etc/new/pipe");
}

static void nothing(void **state)
{
	EB_CLEANUP(eb_store_close_ptr)
	struct eb_store *s = open_store(state, 0);
	struct eb_delta before EB_CLEANUP(eb_delta_release) = { 0 };
	struct eb_delta_report report EB_CLEANUP(
		eb_delta_report_release) = { 0 };
	struct eb_item layer;

	make_before(state);
	scan(&before);
	pack(s, &before, &before, &report, &layer);
	assert_int_equal(report.n_entries, 0);
	assert_int_equal(layer.plain_size, 1024);
}

static void bad_names(void **state)
{
	struct eb_delta t EB_CLEANUP(eb_delta_release) = { 0 };
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	assert_int_equal(chdir(*state), 0);
	folder("root", 0755);
	put("root/.wh.x", "x", 0644, OLD);
	assert_int_equal(eb_delta_scan("root", NULL, &t, &err), -1);
	assert_int_equal(err.code, EB_INPUT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(one_layer, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(nothing, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(bad_names, make_folder,
						remove_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
