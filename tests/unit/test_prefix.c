/* SPDX-License-Identifier: Apache-2.0 */
/* Prefix replacement: reference vectors, and the same in windows of any size
 * as in memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <envbuild/file.h>
#include <envbuild/json.h>
#include <envbuild/link.h>

#include "conda/prefix_replace.h"

#define MAX ((size_t)64 << 20)

static void from_hex(const char *hex, struct eb_buf *out)
{
	char two[3] = { 0 };

	for (; hex[0] && hex[1]; hex += 2) {
		memcpy(two, hex, 2);
		eb_buf_addch(out, (char)strtoul(two, NULL, 16));
	}
}

static void check_case(const json_t *c)
{
	const char *expected = eb_json_str(c, "expected_hex");
	bool text = strcmp(eb_json_str(c, "mode"), "text") == 0;
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(in, MAX);
	EB_AUTOBUF(want, MAX);
	EB_AUTOBUF(out, MAX);
	int rc;

	from_hex(eb_json_str(c, "input_hex"), &in);
	rc = eb_prefix_replace(
		in.data, in.len, text, eb_json_str(c, "placeholder"),
		eb_json_str(c, "new_prefix"), &out, "a file", &err);
	if (strncmp(expected, "ERR:", 4) == 0) {
		assert_int_equal(rc, -1);
		assert_int_equal(err.code, EB_INPUT);
		assert_non_null(strstr(err.message, "\"a file\""));
		eb_err_release(&err);
		return;
	}
	from_hex(expected, &want);
	assert_int_equal(rc, 0);
	assert_int_equal(out.len, want.len);
	assert_memory_equal(out.data, want.data, want.len);
}

static void reference_vectors(void **state)
{
	const char *data = getenv("ENVBUILD_DATA");
	eb_autofree char *path = NULL;
	struct eb_error err = EB_ERROR_INIT;
	eb_autojson json_t *j = NULL;
	const json_t *cases;
	json_t *c;
	size_t i;
	EB_AUTOBUF(text, MAX);

	(void)state;
	path = eb_asprintf("%s/vectors/prefix_replace_reference.json",
			   data ? data : "../shared/data");
	if (!eb_path_exists(path)) {
		print_message("no \"%s\"\n", path);
		skip();
	}
	assert_int_equal(eb_read_file(path, MAX, &text, &err), 0);
	j = eb_json_parse(text.data, text.len, path, &err);
	cases = eb_json_arr(j, "cases");
	assert_true(json_array_size(cases) >= 18);
	json_array_foreach (cases, i, c)
		check_case(c);
	print_message("%zu vectors\n", i);
}

/* ---- windows of any size ------------------------------------------------ */

static int read_buf(void *data, uint64_t offset, void *p, size_t n,
		    struct eb_error *err)
{
	const struct eb_buf *b = data;

	(void)err;
	assert_true(offset + n <= b->len);
	memcpy(p, b->data + offset, n);
	return 0;
}

static int add_buf(void *data, const void *p, size_t n, struct eb_error *err)
{
	(void)err;
	return eb_buf_add(data, p, n);
}

static void windowed(const struct eb_buf *in, const struct eb_prefix_job *job,
		     struct eb_buf *out)
{
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(now, MAX);
	unsigned found;

	eb_buf_add(&now, in->data, in->len);
	for (unsigned i = 0; i < EB_PREFIX_ENCODINGS; i++) {
		const struct eb_prefix_source source = { read_buf, &now,
							 now.len };
		const struct eb_prefix_sink sink = { add_buf, out };

		assert_int_equal(eb_prefix_look(job, &source, &found, &err), 0);
		if (!(found & 1u << i))
			continue;
		eb_buf_reset(out);
		assert_int_equal(eb_prefix_pass(job, i, &source, &sink, &err),
				 0);
		eb_buf_reset(&now);
		eb_buf_add(&now, out->data, out->len);
	}
	eb_buf_reset(out);
	eb_buf_add(out, now.data, now.len);
}

static uint32_t next(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 16;
}

static void add_piece(struct eb_buf *b, const char *placeholder, uint32_t *seed)
{
	uint32_t kind = next(seed) % 9;
	size_t n = next(seed) % 40;

	if (kind < 3)
		eb_buf_adds(b, placeholder);
	else if (kind == 3)
		eb_buf_add(b, placeholder, n % strlen(placeholder));
	else if (kind == 4)
		eb_buf_add(b, "\0\0\0\0", 1 + n % 4);
	else if (kind == 5)
		for (const char *p = placeholder; *p; p++)
			eb_buf_add(b, (char[]){ *p, 0 }, 2);
	else if (kind == 6)
		for (const char *p = placeholder; *p; p++)
			eb_buf_add(b, (char[]){ 0, 0, 0, *p }, 4);
	else
		while (n--)
			eb_buf_addch(b, "/abc\n x"[next(seed) % 7]);
}

static void any_window(void **state)
{
	const struct eb_prefix_job big = { .placeholder = "/abc/ph_ph",
					   .prefix = "/abc/p",
					   .what = "t" };
	uint32_t seed = 7;

	(void)state;
	for (int round = 0; round < 3000; round++) {
		struct eb_prefix_job job = big;
		EB_AUTOBUF(in, MAX);
		EB_AUTOBUF(one, MAX);
		EB_AUTOBUF(two, MAX);

		job.text = round % 2;
		job.window = 20 + next(&seed) % 50;
		for (uint32_t i = next(&seed) % 30; i; i--)
			add_piece(&in, job.placeholder, &seed);
		windowed(&in, &big, &one);
		windowed(
			&in,
			&(struct eb_prefix_job){ .placeholder = big.placeholder,
						 .prefix = big.prefix,
						 .what = "t",
						 .window = job.window },
			&two);
		assert_int_equal(one.len, in.len); /* a binary keeps it */
		assert_int_equal(two.len, one.len);
		assert_memory_equal(two.data, one.data, one.len);
		eb_buf_reset(&one);
		eb_buf_reset(&two);
		job.text = true;
		windowed(&in, &job, &one);
		job.window = 0;
		windowed(&in, &job, &two);
		assert_int_equal(two.len, one.len);
		assert_memory_equal(two.data, one.data, one.len);
		assert_null(memmem(two.data, two.len, "/abc/ph_ph", 10));
	}
}

static void replace(const char *in, size_t n, bool text, const char *from,
		    const char *to, const char *want, size_t want_n)
{
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(out, MAX);

	assert_int_equal(
		eb_prefix_replace(in, n, text, from, to, &out, "t", &err), 0);
	assert_int_equal(out.len, want_n);
	assert_memory_equal(out.data, want, want_n);
}
#define REPLACE(in, text, from, to, want) \
	replace(in, sizeof in - 1, text, from, to, want, sizeof want - 1)

static void by_hand(void **state)
{
	(void)state;
	/* The second of two c-strings is not terminated: it stays. */
	REPLACE("/long/x\0y/long/z", false, "/long", "/s",
		"/s/x\0\0\0\0y/long/z");
	/* A NUL of UTF-16 need not be aligned; what follows does not move. */
	REPLACE("/\0a\0b\0\0\0Q", false, "/ab", "/x", "/\0x\0\0\0\0\0Q");
	/* Text in UTF-32 changes its length. */
	REPLACE("\0\0\0/\0\0\0a\0\0\0b\0\0\0c", true, "/ab", "/",
		"\0\0\0/\0\0\0c");
	/* Only the first line is a "#!" line. */
	REPLACE("a\n#!/ph/bin/x\n", true, "/ph", "/a b", "a\n#!/a b/bin/x\n");
	REPLACE("", true, "/ph", "/p", "");
	REPLACE("", false, "/ph", "/p", "");
	REPLACE("/ph/ph/ph\0", false, "/ph", "/p", "/p/p/p\0\0\0\0");
}

static void refused(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(out, 16);

	(void)state;
	assert_int_equal(
		eb_prefix_replace("a", 1, true, "", "/p", &out, "t", &err), -1);
	assert_int_equal(err.code, EB_INPUT);
	eb_err_release(&err);
	assert_int_equal(eb_prefix_replace("/a\0", 3, false, "/a", "/long",
					   &out, "t", &err),
			 -1);
	assert_string_equal(err.message,
			    "\"t\", replacing the prefix: the prefix is longer "
			    "than the placeholder, and a binary cannot grow");
	eb_err_release(&err);
	assert_int_equal(eb_prefix_replace("aaaaaaaaaaaaaaaaaaaaaaaaaaa", 27,
					   true, "b", "c", &out, "t", &err),
			 -1);
	assert_non_null(strstr(err.message, "more than 16 bytes"));
	eb_err_release(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reference_vectors),
		cmocka_unit_test(any_window),
		cmocka_unit_test(by_hand),
		cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
