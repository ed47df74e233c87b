/* SPDX-License-Identifier: Apache-2.0 */
/* Link order: dependencies first, the same whatever the order of the input. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <envbuild/mem.h>
#include <envbuild/solve.h>

struct sample {
	const char *name, *depends[4];
};

static void make(const struct sample *s, struct eb_record *r)
{
	*r = (struct eb_record){ .name = (char *)s->name };
	for (size_t i = 0; s->depends[i]; i++)
		eb_strv_add(&r->depends, s->depends[i]);
}

/* "b a c" for the samples, rotated by `turn`. */
static char *order_of(const struct sample *s, size_t n, size_t turn)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_record r[8];
	const struct eb_record *p[8];
	size_t order[8];
	struct eb_buf out;

	eb_buf_init(&out, EB_MAX_TEXT);
	for (size_t i = 0; i < n; i++) {
		make(&s[(i + turn) % n], &r[i]);
		p[i] = &r[i];
	}
	assert_int_equal(eb_link_order(p, n, order, &err), 0);
	for (size_t i = 0; i < n; i++)
		eb_buf_addf(&out, "%s%s", i ? " " : "", r[order[i]].name);
	for (size_t i = 0; i < n; i++)
		eb_strv_release(&r[i].depends);
	return eb_buf_steal(&out, NULL);
}

static void check(const struct sample *s, size_t n, const char *expect)
{
	for (size_t turn = 0; turn < n; turn++) {
		eb_autofree char *got = order_of(s, n, turn);

		assert_string_equal(got, expect);
	}
}

static void test_order(void **state)
{
	static const struct sample chain[] = {
		{ "python", { "zlib >=1.2,<1.3.0a0", "openssl=1.1" } },
		{ "numpy", { "python >=3.7", "libblas 3.*" } },
		{ "zlib", { "__glibc >=2.17" } },
		{ "openssl", { "ca-certificates" } },
		{ "ca-certificates", { NULL } },
		{ "libblas", { NULL } },
	};

	(void)state;
	check(chain, 6, "ca-certificates libblas zlib openssl python numpy");
}

static void test_cycle(void **state)
{
	static const struct sample ring[] = {
		{ "pip", { "python" } },
		{ "python", { "pip", "tk" } },
		{ "tk", { NULL } },
	};

	(void)state;
	check(ring, 3, "tk python pip");
}

static void test_prefix_names(void **state)
{
	static const struct sample near[] = {
		{ "lib", { "libx" } },
		{ "libx", { NULL } },
		{ "a", { "lib" } },
	};

	(void)state;
	check(near, 3, "libx lib a");
}

static void test_twice(void **state)
{
	struct eb_record r = { .name = (char *)"six" };
	const struct eb_record *p[] = { &r, &r };
	struct eb_error err = EB_ERROR_INIT;
	size_t order[2];

	(void)state;
	assert_int_equal(eb_link_order(p, 2, order, &err), -1);
	assert_int_equal(err.code, EB_INPUT);
	assert_non_null(strstr(err.message, "\"six\""));
	eb_err_release(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_cycle),
		cmocka_unit_test(test_prefix_names),
		cmocka_unit_test(test_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
