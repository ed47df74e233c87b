/* SPDX-License-Identifier: Apache-2.0 */
/* References: what they mean, how they are written, what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <envbuild/mem.h>
#include <envbuild/reference.h>
#include <envbuild/str.h>

#define HEX "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static const struct {
	const char *text, *registry, *repository, *tag;
	bool digest;
	const char *full;
} registry[] = {
	{ "ubuntu", "docker.io", "library/ubuntu", NULL, false,
	  "docker.io/library/ubuntu" },
	{ "ubuntu:22.04", "docker.io", "library/ubuntu", "22.04", false,
	  "docker.io/library/ubuntu:22.04" },
	{ "index.docker.io/ubuntu", "docker.io", "library/ubuntu", NULL, false,
	  "docker.io/library/ubuntu" },
	{ "nvidia/cuda:12.1.1-base", "docker.io", "nvidia/cuda", "12.1.1-base",
	  false, "docker.io/nvidia/cuda:12.1.1-base" },
	{ "ghcr.io/a/b/c", "ghcr.io", "a/b/c", NULL, false, "ghcr.io/a/b/c" },
	{ "docker://ghcr.io/a/b:t", "ghcr.io", "a/b", "t", false,
	  "ghcr.io/a/b:t" },
	{ "localhost/x", "localhost", "x", NULL, false, "localhost/x" },
	{ "localhost:5000/x:y", "localhost:5000", "x", "y", false,
	  "localhost:5000/x:y" },
	{ "[::1]:5000/x", "[::1]:5000", "x", NULL, false, "[::1]:5000/x" },
	{ "[::1]/x", "[::1]", "x", NULL, false, "[::1]/x" },
	{ "a__b/c-d--e.f_g", "docker.io", "a__b/c-d--e.f_g", NULL, false,
	  "docker.io/a__b/c-d--e.f_g" },
	{ "r.example/x:_T.-", "r.example", "x", "_T.-", false,
	  "r.example/x:_T.-" },
	{ "r.example/x@sha256:" HEX, "r.example", "x", NULL, true,
	  "r.example/x@sha256:" HEX },
	{ "r.example/x:t@sha256:" HEX, "r.example", "x", "t", true,
	  "r.example/x:t@sha256:" HEX },
	{ "r.example/" HEX, "r.example", HEX, NULL, false, "r.example/" HEX },
};

static void same(const char *a, const char *b)
{
	if (!a || !b)
		assert_ptr_equal(a, b);
	else
		assert_string_equal(a, b);
}

static void test_registry(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof registry / sizeof *registry; i++) {
		struct eb_reference r;
		char hex[EB_HEX_SIZE];
		eb_autofree char *full = NULL;

		if (eb_reference_parse(registry[i].text, &r, &err) < 0)
			fail_msg("%s", err.message);
		assert_int_equal(r.kind, EB_REF_REGISTRY);
		same(r.registry, registry[i].registry);
		same(r.repository, registry[i].repository);
		same(r.tag, registry[i].tag);
		assert_int_equal(r.has_digest, registry[i].digest);
		if (r.has_digest)
			same(eb_digest_hex(&r.digest, hex), HEX);
		full = eb_reference_format(&r);
		same(full, registry[i].full);
		eb_reference_release(&r);
	}
}

static const struct {
	const char *text;
	enum eb_ref_kind kind;
	const char *path, *tag;
	bool digest;
} local[] = {
	{ "scratch", EB_REF_SCRATCH, NULL, NULL, false },
	{ "store:env-1", EB_REF_STORE, NULL, "env-1", false },
	{ "store:sha256:" HEX, EB_REF_STORE, NULL, NULL, true },
	{ "oci:dir", EB_REF_OCI, "dir", NULL, false },
	{ "oci:/a b/c:v1", EB_REF_OCI, "/a b/c", "v1", false },
	{ "oci:d:host:5/x:t", EB_REF_OCI, "d", "host:5/x:t", false },
	{ "oci-archive:a.tar", EB_REF_OCI_ARCHIVE, "a.tar", NULL, false },
	{ "oci-archive:a.tar:v1", EB_REF_OCI_ARCHIVE, "a.tar", "v1", false },
	{ "docker-archive:a.tar", EB_REF_DOCKER_ARCHIVE, "a.tar", NULL, false },
	{ "docker-archive:a.tar:n:t", EB_REF_DOCKER_ARCHIVE, "a.tar", "n:t",
	  false },
	{ "rootfs:./a:b.tar", EB_REF_ROOTFS, "./a:b.tar", NULL, false },
};

static void test_local(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof local / sizeof *local; i++) {
		struct eb_reference r;
		eb_autofree char *full = NULL;

		if (eb_reference_parse(local[i].text, &r, &err) < 0)
			fail_msg("%s", err.message);
		assert_int_equal(r.kind, local[i].kind);
		same(r.path, local[i].path);
		same(r.tag, local[i].tag);
		assert_int_equal(r.has_digest, local[i].digest);
		full = eb_reference_format(&r);
		same(full, local[i].text);
		eb_reference_release(&r);
	}
}

static const struct {
	const char *text, *why;
} refused[] = {
	{ "", "no name" },
	{ ":tag", "no name" },
	{ "Ubuntu", "small letters" },
	{ "a//b", "small letters" },
	{ "a/", "small letters" },
	{ "a___b", "small letters" },
	{ "a.-b", "small letters" },
	{ "-a", "small letters" },
	{ "../x", "host" },
	{ "./env.tar", "host" },
	{ "r.example/", "small letters" },
	{ "r.example/X", "small letters" },
	{ "r..example/x", "host" },
	{ "-r.example/x", "host" },
	{ "r.example-/x", "host" },
	{ "r.example:port/x", "host" },
	{ "r.example:99999/x", "host" },
	{ "r.example:/x", "host" },
	{ "[::1/x", "host" },
	{ "[zz]/x", "host" },
	{ "x:", "a tag is" },
	{ "x:.t", "a tag is" },
	{ "x:a b", "a tag is" },
	{ "x@sha256:12", "a digest is" },
	{ "x@sha512:" HEX HEX, "a digest is" },
	{ "x@" HEX, "a digest is" },
	{ HEX, "64 hexadecimal" },
	{ "store:", "tag" },
	{ "store:sha256:00", "a digest is" },
	{ "oci:", "no path" },
	{ "oci::tag", "no path" },
	{ "oci:dir:", "tag" },
	{ "oci:dir:a//b", "tag" },
	{ "oci:dir:-x", "tag" },
	{ "rootfs:", "no path" },
	{ "docker-archive:f:UPPER:t", "small letters" },
	{ "docker-archive:f:n@sha256:" HEX, "digest" },
};

static void test_refused(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof refused / sizeof *refused; i++) {
		struct eb_error err = EB_ERROR_INIT;
		struct eb_reference r;

		if (eb_reference_parse(refused[i].text, &r, &err) == 0)
			fail_msg("\"%s\" was taken", refused[i].text);
		assert_int_equal(err.code, EB_USAGE);
		if (!strstr(err.message, refused[i].why) ||
		    !strstr(err.message, refused[i].text))
			fail_msg("%s", err.message);
		eb_err_release(&err);
	}
}

static void test_length(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_reference r;
	char text[400] = "r.example/";

	(void)state;
	memset(text + 10, 'a', 245);
	assert_int_equal(eb_reference_parse(text, &r, &err), 0);
	eb_reference_release(&r);
	text[255] = 'a';
	assert_int_equal(eb_reference_parse(text, &r, &err), -1);
	assert_non_null(strstr(err.message, "longer than 255"));
	eb_err_release(&err);
	memcpy(text, "x:", 2);
	memset(text + 2, 't', 128);
	text[130] = '\0';
	assert_int_equal(eb_reference_parse(text, &r, &err), 0);
	eb_reference_release(&r);
	text[130] = 't';
	text[131] = '\0';
	assert_int_equal(eb_reference_parse(text, &r, &err), -1);
	eb_err_release(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_registry),
		cmocka_unit_test(test_local),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
