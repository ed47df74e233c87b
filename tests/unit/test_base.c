/* SPDX-License-Identifier: Apache-2.0 */
/* Bases: how a definition names them, what they are, which are refused. */
#include <utime.h>

#include <envbuild/base.h>

#include "oci_fixture.h"

#define FROM(w) (&(struct eb_base_from){ .store = (w)->store })

#define GNU(version)                                                           \
	"\177ELF...GNU C Library (Debian GLIBC " version "-9+deb12u4) stable " \
	"release version " version ".\nCopyright (C) 2022"
#define DEBIAN \
	"PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nNAME=\"Debian\"\n"
#define LIBC "usr/lib/x86_64-linux-gnu/libc.so.6"

static int setup(void **state)
{
	unsetenv("CONDA_OVERRIDE_GLIBC");
	return make_world(state);
}

static void debian(struct eb_buf *tar)
{
	tar_dir(tar, "./", 0755);
	tar_file(tar, "./etc/hosts", "h");
	tar_link(tar, "./lib", "usr/lib");
	tar_file(tar, "./usr/lib/os-release", DEBIAN);
	tar_file(tar, "./" LIBC, GNU("2.36"));
	tar_file(tar, "./usr/share/doc", "d");
	tar_end(tar);
}

static char *reference(const struct world *w, const char *form,
		       const char *name)
{
	return eb_asprintf("%s:%s/%s", form, w->dir, name);
}

static int resolve(const struct world *w, const char *form, const char *name,
		   struct eb_base **out, struct eb_error *err)
{
	eb_autofree char *text = reference(w, form, name);

	return eb_base_resolve(text, PLATFORM, FROM(w), out, err);
}

/* A rootfs tar of these bytes: its base's glibc is this (NULL: none). */
static void glibc_is(const struct world *w, struct eb_buf *tar,
		     const char *expect)
{
	struct eb_error err = EB_ERROR_INIT;
	EB_CLEANUP(eb_base_free_ptr) struct eb_base *b = NULL;

	tar_end(tar);
	write_bytes(w, "b.tar", tar->data, tar->len);
	ok(resolve(w, "rootfs", "b.tar", &b, &err), &err);
	if (!expect)
		assert_null(b->glibc);
	else if (!b->glibc)
		fail_msg("no glibc, wanted %s", expect);
	else
		assert_string_equal(b->glibc, expect);
	eb_buf_reset(tar);
}

/* ---- names -------------------------------------------------------------- */

static char *name_of(const struct world *w, const char *form, const char *name)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *text = reference(w, form, name);
	char *got = eb_base_name(text, PLATFORM, w->store, &err);

	if (!got)
		fail_msg("%s", err.message);
	return got;
}

static void test_names(void **state)
{
	struct world *w = *state;
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(tar, TAR_MAX);
	struct eb_digest file, layout;
	char f[EB_DIGEST_TEXT], l[EB_DIGEST_TEXT];
	eb_autofree char *dir = at(w, "l"), *path = at(w, "b.tar");
	eb_autofree char *a = NULL, *b = NULL, *c = NULL, *d = NULL;

	debian(&tar);
	write_bytes(w, "b.tar", tar.data, tar.len);
	make_layout(w, "l", &tar, 1, "");
	file = digest_of(tar.data, tar.len);
	eb_digest_text(&file, f);
	ok(eb_layout_resolve(dir, NULL, PLATFORM, &layout, &err), &err);
	eb_digest_text(&layout, l);
	shell_ok(w, "tar -C l -cf l.tar . && gzip -k l.tar");
	a = name_of(w, "rootfs", "b.tar");
	assert_string_equal(a, f);
	b = name_of(w, "oci", "l");
	assert_string_equal(b, l);
	c = name_of(w, "oci-archive", "l.tar");
	assert_string_equal(c, l);
	/* compressed: the file itself */
	free(c);
	c = name_of(w, "oci-archive", "l.tar.gz");
	assert_string_not_equal(c, l);
	d = eb_base_name("scratch", PLATFORM, NULL, &err);
	assert_string_equal(d, "scratch");
	free(d);
	d = eb_asprintf("rootfs:%s", path);
	free(a);
	a = eb_base_name(d, PLATFORM, NULL, &err);
	assert_string_equal(a, f);
}

/* Remembered by identity: once the file has settled it is not read again,
 * and another file of that name is another. */
static void test_name_remembered(void **state)
{
	struct world *w = *state;
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *path = at(w, "f"), *key = NULL;
	EB_AUTOBUF(fact, EB_MAX_TEXT);
	struct eb_digest d, other = { { 9 } };
	struct stat st;
	char hex[EB_DIGEST_TEXT];

	write_bytes(w, "f", "one", 3);
	ok(eb_file_digest(w->store, path, &d, &err), &err);
	assert_int_equal(lstat(path, &st), 0);
	key = eb_asprintf("%ju:%ju:3:%jd.%09ld:%jd.%09ld", (uintmax_t)st.st_dev,
			  (uintmax_t)st.st_ino, (intmax_t)st.st_mtim.tv_sec,
			  st.st_mtim.tv_nsec, (intmax_t)st.st_ctim.tv_sec,
			  st.st_ctim.tv_nsec);
	/* too young to be remembered */
	assert_int_equal(eb_store_find_fact(w->store, "base", key, &fact, &err),
			 0);
	sleep(4);
	ok(eb_file_digest(w->store, path, &d, &err), &err);
	assert_int_equal(eb_store_find_fact(w->store, "base", key, &fact, &err),
			 1);
	assert_string_equal(fact.data, eb_digest_text(&d, hex));
	/* that it is believed shows that nothing is read */
	ok(eb_store_put_fact(w->store, "base", key, eb_digest_text(&other, hex),
			     NULL, &err),
	   &err);
	ok(eb_file_digest(w->store, path, &d, &err), &err);
	assert_true(eb_digest_equal(&d, &other));
	write_bytes(w, "f", "two", 3);
	ok(eb_file_digest(w->store, path, &d, &err), &err);
	other = digest_of("two", 3);
	assert_true(eb_digest_equal(&d, &other));
}

static const struct {
	const char *text;
	enum eb_code code;
	const char *why;
} refused[] = {
	{ "store:env-1", EB_USAGE, "not a base" },
	{ "./base.tar", EB_USAGE, "oci-archive:FILE" },
	{ "oci:/no/such/folder", EB_INPUT, "/no/such/folder" },
	{ "oci-archive:/no/such", EB_INPUT, "/no/such" },
	{ "docker-archive:/no/such", EB_INPUT, "/no/such" },
	{ "rootfs:/no/such", EB_INPUT, "/no/such" },
	{ "rootfs:/dev/null", EB_INPUT, "not a regular file" },
	{ NULL, EB_USAGE, "--base" },
};

static void test_refused(void **state)
{
	struct world *w = *state;
	size_t i;

	for (i = 0; i < sizeof refused / sizeof *refused; i++) {
		struct eb_error err = EB_ERROR_INIT;
		struct eb_base *b = NULL;

		bad(eb_base_name(refused[i].text, PLATFORM, w->store, &err)
			    ? 0
			    : -1,
		    &err, refused[i].code, refused[i].why);
		bad(eb_base_resolve(refused[i].text, PLATFORM, FROM(w), &b,
				    &err),
		    &err, refused[i].code, refused[i].why);
	}
}

/* ---- bases -------------------------------------------------------------- */

static void test_scratch(void **state)
{
	struct world *w = *state;
	struct eb_error err = EB_ERROR_INIT;
	struct eb_base *b = NULL;

	ok(eb_base_resolve("scratch", PLATFORM, FROM(w), &b, &err), &err);
	assert_true(b->scratch);
	assert_int_equal(b->n_layers, 0);
	assert_true(eb_digest_is_zero(&b->digest));
	assert_null(b->glibc);
	assert_string_equal(eb_json_str(b->config, "architecture"), "amd64");
	eb_base_free(b);
	setenv("CONDA_OVERRIDE_GLIBC", "2.17", 1);
	ok(eb_base_resolve("scratch", PLATFORM, FROM(w), &b, &err), &err);
	assert_string_equal(b->glibc, "2.17");
	eb_base_free(b);
}

/* One tree in all its forms: the diff ID is one, the glibc is found. */
static void test_forms(void **state)
{
	static const char *const forms[][2] = {
		{ "oci", "l" },
		{ "oci-archive", "l.tar" },
		{ "rootfs", "b.tar" },
		{ "rootfs", "b.tar.gz" },
	};
	struct world *w = *state;
	EB_AUTOBUF(tar, TAR_MAX);
	struct eb_digest plain;
	size_t i;

	debian(&tar);
	plain = digest_of(tar.data, tar.len);
	write_bytes(w, "b.tar", tar.data, tar.len);
	make_layout(w, "l", &tar, 1, "");
	shell_ok(w, "tar -C l -cf l.tar . && gzip -k b.tar");
	for (i = 0; i < 4; i++) {
		struct eb_error err = EB_ERROR_INIT;
		EB_CLEANUP(eb_base_free_ptr) struct eb_base *b = NULL;

		ok(resolve(w, forms[i][0], forms[i][1], &b, &err), &err);
		assert_int_equal(b->n_layers, 1);
		assert_true(eb_digest_equal(&b->diff_id[0], &plain));
		assert_string_equal(b->glibc, "2.36");
		assert_string_equal(b->os_name,
				    "Debian GNU/Linux 12 (bookworm)");
		assert_int_equal(eb_store_has(w->store, &b->manifest, &err), 1);
		assert_true(eb_digest_equal(&b->digest,
					    i < 2 ? &b->manifest
						  : &b->image.config.digest));
	}
}

static void test_reopen(void **state)
{
	struct world *w = *state;
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(tar, TAR_MAX);
	eb_autofree char *text = reference(w, "rootfs", "b.tar");
	EB_CLEANUP(eb_base_free_ptr) struct eb_base *b = NULL;
	struct eb_base *again = NULL;
	struct eb_digest digest;
	eb_autofree char *layer = NULL;

	debian(&tar);
	write_bytes(w, "b.tar", tar.data, tar.len);
	ok(resolve(w, "rootfs", "b.tar", &b, &err), &err);
	digest = b->digest;
	/* from the store, though the file is gone */
	shell_ok(w, "mv b.tar away");
	ok(eb_base_reopen(text, &digest, PLATFORM, FROM(w), &again, &err),
	   &err);
	assert_true(eb_digest_equal(&again->manifest, &b->manifest));
	assert_string_equal(again->glibc, "2.36");
	eb_base_free(again);
	bad(eb_base_reopen(text, &digest, "linux/arm64", FROM(w), &again, &err),
	    &err, EB_INPUT, "not for");
	/* a layer is gone: by reference, from the file */
	layer = eb_store_blob_path(w->store, &b->image.layer[0].digest);
	assert_int_equal(unlink(layer), 0);
	bad(eb_base_reopen(text, &digest, PLATFORM, FROM(w), &again, &err),
	    &err, EB_INPUT, "b.tar");
	shell_ok(w, "mv away b.tar");
	ok(eb_base_reopen(text, &digest, PLATFORM, FROM(w), &again, &err),
	   &err);
	eb_base_free(again);
	/* another file under its name */
	assert_int_equal(unlink(layer), 0);
	eb_buf_reset(&tar);
	tar_file(&tar, LIBC, GNU("2.31"));
	tar_end(&tar);
	write_bytes(w, "b.tar", tar.data, tar.len);
	bad(eb_base_reopen(text, &digest, PLATFORM, FROM(w), &again, &err),
	    &err, EB_INPUT, "where the lock says");
}

static void test_reopen_others(void **state)
{
	struct world *w = *state;
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(tar, TAR_MAX);
	struct eb_digest zero = { { 0 } }, none = { { 5 } };
	struct eb_base *b = NULL;

	ok(eb_base_reopen("scratch", &zero, PLATFORM, FROM(w), &b, &err), &err);
	assert_true(b->scratch);
	eb_base_free(b);
	bad(eb_base_reopen("scratch", &none, PLATFORM, FROM(w), &b, &err), &err,
	    EB_INPUT, "where the lock says");
	debian(&tar);
	make_layout(w, "l", &tar, 1, "");
	ok(resolve(w, "oci", "l", &b, &err), &err);
	none = b->digest;
	eb_base_free(b);
	shell_ok(w, "rm -r l");
	ok(eb_base_reopen(NULL, &none, PLATFORM, FROM(w), &b, &err), &err);
	eb_base_free(b);
}

static void test_environment(void **state)
{
	struct world *w = *state;
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(tar, TAR_MAX);
	struct eb_base *b = NULL;

	debian(&tar);
	make_layout(w, "l", &tar, 1,
		    "\"Labels\":{\"dev.envbuild.lock\":\"x\"}");
	bad(resolve(w, "oci", "l", &b, &err), &err, EB_INPUT, "not a base");
	bad(resolve(w, "oci", "l", &b, &err), &err, EB_INPUT, "--replace-env");
	shell_ok(w, "rm -r l");
	make_layout(w, "l", &tar, 1, "");
	/* the annotation alone: the manifest's name changes with it */
	shell_ok(w,
		 "cd l/blobs/sha256; m=$(grep -l '\"layers\":' *); "
		 "sed 's/}$/,\"annotations\":{\"dev.envbuild.lock\":\"x\"}}/'"
		 " $m >x; n=$(sha256sum <x | cut -c 1-64); s=$(wc -c <x); "
		 "mv x $n; sed -i \"s/$m/$n/; s/\\\"size\\\":[0-9]*/"
		 "\\\"size\\\":$s/\" ../../index.json");
	bad(resolve(w, "oci", "l", &b, &err), &err, EB_INPUT, "not a base");
}

static void test_platform(void **state)
{
	struct world *w = *state;
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(tar, TAR_MAX);
	struct eb_base *b = NULL;
	eb_autofree char *d = NULL, *index = NULL;

	debian(&tar);
	d = put_image(w, "l", &tar, 1, "arm64", "");
	index = eb_asprintf("{\"schemaVersion\":2,\"manifests\":[%s]}", d);
	write_layout(w, "l", index);
	bad(resolve(w, "oci", "l", &b, &err), &err, EB_INPUT,
	    "for \"linux/arm64\", not for \"linux/amd64\"");
}

/* ---- glibc -------------------------------------------------------------- */

static const struct {
	const char *name, *version, *glibc;
} labels[] = {
	{ "ubuntu", "18.04", "2.27" },
	{ "ubuntu", "20.04", "2.31" },
	{ "ubuntu", "22.04", "2.35" },
	{ "ubuntu", "24.04", "2.39" },
	{ "ubuntu", "22.04.5", "2.35" },
	{ "debian", "10", "2.28" },
	{ "debian", "11", "2.31" },
	{ "debian", "12", "2.36" },
	{ "debian", "12.7", "2.36" },
	{ "debian", "13", "2.41" },
	/* of others we look at the layers */
	{ "ubuntu", "22", "2.99" },
	{ "ubuntu", "22.040", "2.99" },
	{ "debian", "1", "2.99" },
	{ "debian", "120", "2.99" },
	{ "fedora", "12", "2.99" },
	{ "mine", "22.04", "2.99" },
};

static void test_labels(void **state)
{
	struct world *w = *state;
	EB_AUTOBUF(tar, TAR_MAX);
	size_t i;

	tar_file(&tar, LIBC, GNU("2.99"));
	tar_end(&tar);
	for (i = 0; i < sizeof labels / sizeof *labels; i++) {
		struct eb_error err = EB_ERROR_INIT;
		EB_CLEANUP(eb_base_free_ptr) struct eb_base *b = NULL;
		eb_autofree char *inner = eb_asprintf(
			"\"Labels\":{\"org.opencontainers.image.ref.name\":"
			"\"%s\",\"org.opencontainers.image.version\":\"%s\"}",
			labels[i].name, labels[i].version);

		shell_ok(w, "rm -rf l");
		make_layout(w, "l", &tar, 1, inner);
		ok(resolve(w, "oci", "l", &b, &err), &err);
		assert_string_equal(b->glibc, labels[i].glibc);
	}
}

static void test_override(void **state)
{
	struct world *w = *state;
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(tar, TAR_MAX);
	struct eb_base *b = NULL;
	static const char *const wrong[] = { "2",    "2.", ".5",
					     "2.5x", "x",  "2.3.4" };
	size_t i;

	setenv("CONDA_OVERRIDE_GLIBC", "2.5", 1);
	tar_file(&tar, LIBC, GNU("2.36"));
	glibc_is(w, &tar, "2.5");
	setenv("CONDA_OVERRIDE_GLIBC", "", 1);
	tar_file(&tar, LIBC, GNU("2.36"));
	glibc_is(w, &tar, NULL);
	for (i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		setenv("CONDA_OVERRIDE_GLIBC", wrong[i], 1);
		bad(resolve(w, "rootfs", "b.tar", &b, &err), &err, EB_USAGE,
		    "CONDA_OVERRIDE_GLIBC");
	}
}

static void test_where(void **state)
{
	static const char *const paths[] = {
		"lib/x86_64-linux-gnu/libc.so.6",
		"./lib/x86_64-linux-gnu/libc.so.6",
		"/usr/lib/x86_64-linux-gnu/libc.so.6",
		"lib64/libc.so.6",
		"usr/lib64/libc.so.6",
		"usr/lib/libc.so.6",
		"lib/libc.so.6",
	};
	struct world *w = *state;
	EB_AUTOBUF(tar, TAR_MAX);
	size_t i;

	for (i = 0; i < sizeof paths / sizeof *paths; i++) {
		tar_file(&tar, paths[i], GNU("2.36"));
		glibc_is(w, &tar, "2.36");
	}
	tar_link(&tar, "lib/x86_64-linux-gnu/libc.so.6", "libc-2.31.so");
	glibc_is(w, &tar, "2.31");
	tar_link(&tar, "lib64/libc.so.6", "/usr/lib64/libc-2.17.so");
	glibc_is(w, &tar, "2.17");
	/* another architecture's */
	tar_file(&tar, "lib/libc.so.6", GNU("2.10"));
	tar_file(&tar, "lib64/libc.so.6", GNU("2.34"));
	glibc_is(w, &tar, "2.34");
	tar_file(&tar, "lib/i386-linux-gnu/libc.so.6", GNU("2.10"));
	glibc_is(w, &tar, NULL);
	tar_file(&tar, "lib64/libc.so.6", "GNU ld script, not a library");
	glibc_is(w, &tar, NULL);
	tar_file(&tar, "etc/hosts", "none at all");
	glibc_is(w, &tar, NULL);
}

/* Wherever the banner stands, also across the pieces that are read. */
static void test_banner_anywhere(void **state)
{
	struct world *w = *state;
	static const char banner[] = GNU("2.36");
	size_t sizes[] = { 65536 - 60, 65536 - 20, 65536, 131072 - 30, 400000 };
	EB_AUTOBUF(tar, TAR_MAX);
	size_t i;

	for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		EB_AUTOBUF(text, TAR_MAX);

		while (text.len < sizes[i])
			eb_buf_add(&text, "GNU C Librar ", 13);
		eb_buf_add(&text, banner, sizeof banner);
		tar_put(&tar, '0', LIBC, 0755, NULL, text.data, text.len);
		glibc_is(w, &tar, "2.36");
	}
}

/* The topmost layer that has the file counts. */
static void test_layers(void **state)
{
	struct world *w = *state;
	struct eb_error err = EB_ERROR_INIT;
	EB_CLEANUP(eb_base_free_ptr) struct eb_base *b = NULL;
	struct eb_buf tar[3];
	size_t i;

	for (i = 0; i < 3; i++)
		eb_buf_init(&tar[i], TAR_MAX);
	tar_file(&tar[0], "etc/os-release", "PRETTY_NAME='Old One'\n");
	tar_file(&tar[0], LIBC, GNU("2.30"));
	tar_file(&tar[1], LIBC, GNU("2.31"));
	tar_file(&tar[2], "etc/hosts", "h");
	for (i = 0; i < 3; i++)
		tar_end(&tar[i]);
	make_layout(w, "l", tar, 3, "");
	for (i = 0; i < 3; i++)
		eb_buf_release(&tar[i]);
	ok(resolve(w, "oci", "l", &b, &err), &err);
	assert_string_equal(b->glibc, "2.31");
	assert_string_equal(b->os_name, "Old One");
}

static void test_musl(void **state)
{
	struct world *w = *state;
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(tar, TAR_MAX);
	struct eb_base *b = NULL;
	int i;

	tar_file(&tar, "lib/ld-musl-x86_64.so.1", "m");
	tar_end(&tar);
	write_bytes(w, "b.tar", tar.data, tar.len);
	for (i = 0; i < 2; i++) /* read, remembered */
		bad(resolve(w, "rootfs", "b.tar", &b, &err), &err, EB_INPUT,
		    "musl");
	/* a glibc beside it */
	eb_buf_reset(&tar);
	tar_file(&tar, "usr/lib/ld-musl-x86_64.so.1", "m");
	tar_file(&tar, LIBC, GNU("2.36"));
	glibc_is(w, &tar, "2.36");
}

/* Found once, the layers are not read again. */
static void test_remembered(void **state)
{
	struct world *w = *state;
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(tar, TAR_MAX);
	EB_CLEANUP(eb_base_free_ptr) struct eb_base *b = NULL;
	struct eb_base *again = NULL;
	eb_autofree char *layer = NULL;

	debian(&tar);
	make_layout(w, "l", &tar, 1, "");
	ok(resolve(w, "oci", "l", &b, &err), &err);
	layer = eb_store_blob_path(w->store, &b->image.layer[0].digest);
	assert_int_equal(chmod(layer, 0644), 0);
	ok(eb_write_file(layer, "", 0, 0644, &err), &err);
	ok(eb_base_reopen("x", &b->digest, PLATFORM, FROM(w), &again, &err),
	   &err);
	assert_string_equal(again->glibc, "2.36");
	eb_base_free(again);
}

#define IN_WORLD(test) \
	cmocka_unit_test_setup_teardown(test, setup, remove_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_WORLD(test_names),
		IN_WORLD(test_name_remembered),
		IN_WORLD(test_refused),
		IN_WORLD(test_scratch),
		IN_WORLD(test_forms),
		IN_WORLD(test_reopen),
		IN_WORLD(test_reopen_others),
		IN_WORLD(test_environment),
		IN_WORLD(test_platform),
		IN_WORLD(test_labels),
		IN_WORLD(test_override),
		IN_WORLD(test_where),
		IN_WORLD(test_banner_anywhere),
		IN_WORLD(test_layers),
		IN_WORLD(test_musl),
		IN_WORLD(test_remembered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
