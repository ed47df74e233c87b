/* SPDX-License-Identifier: Apache-2.0 */
/* JSON: limits and positions, the canonical text, members. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include <envbuild/json.h>

static json_t *parse(const char *text, struct eb_error *err)
{
	return eb_json_parse(text, strlen(text), "f.json", err);
}

static void refused(void **state)
{
	static const struct {
		const char *text, *says;
		unsigned line;
	} t[] = {
		{ "", "end of file", 1 },
		{ "{\n\"a\": }", "unexpected token", 2 },
		{ "{\"a\":1,\n\n\"a\":2}", "duplicate", 3 },
		{ "{} {}", "end of file expected", 1 },
		{ "\"text\"", "'[' or '{' expected", 1 },
		{ "[\"\xff\"]", "decode byte 0xff", 1 },
		{ "[\"\\u0000\"]", "\\u0000", 1 },
		{ "[1e999]", "overflow", 1 },
		{ "[\"a\nb\"]", "newline", 1 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof t / sizeof *t; i++) {
		struct eb_error err = EB_ERROR_INIT;

		assert_null(parse(t[i].text, &err));
		assert_int_equal(err.code, EB_INPUT);
		assert_string_equal(err.file, "f.json");
		assert_int_equal(err.line, t[i].line);
		assert_non_null(strstr(err.message, "\"f.json\""));
		assert_non_null(strstr(err.message, t[i].says));
		eb_err_release(&err);
	}
}

static json_t *nested(unsigned depth, struct eb_error *err)
{
	EB_AUTOBUF(b, 100000);
	unsigned i;

	for (i = 0; i < depth; i++)
		eb_buf_adds(&b, i % 2 ? "[" : "{\"a\":");
	eb_buf_adds(&b, "1");
	for (i = depth; i > 0; i--)
		eb_buf_adds(&b, i % 2 ? "}" : "]");
	return eb_json_parse(b.data, b.len, "deep", err);
}

static void depth(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autojson json_t *good = nested(128, &err);

	(void)state;
	assert_non_null(good);
	assert_null(nested(129, &err));
	assert_int_equal(err.code, EB_INPUT);
	assert_non_null(strstr(err.message, "128"));
	eb_err_release(&err);
	assert_null(nested(10000, &err));
	assert_int_equal(err.code, EB_INPUT);
	eb_err_release(&err);
}

static void canonical(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autojson json_t *j =
		parse("{ \"b\" : [1, true ,null], \"a\":\"\\u00e9/\\n\","
		      " \"B\": {\"z\":-5,\"y\":{}}, \"\xc3\xa9\":[] }",
		      &err);
	EB_AUTOBUF(b, 1000);

	(void)state;
	eb_json_canonical(j, &b);
	assert_string_equal(b.data,
			    "{\"B\":{\"y\":{},\"z\":-5},\"a\":\"\xc3\xa9/\\n\","
			    "\"b\":[1,true,null],\"\xc3\xa9\":[]}");
}

static void canonical_too_long(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autojson json_t *j = parse("[\"0123456789\"]", &err);
	EB_AUTOBUF(b, 10);

	(void)state;
	eb_json_canonical(j, &b);
	assert_true(b.overflow);
}

static void pretty(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autojson json_t *j = parse("{\"b\":[1],\"a\":{}}", &err);
	EB_AUTOBUF(b, 1000);

	(void)state;
	eb_json_pretty(j, &b);
	assert_string_equal(b.data,
			    "{\n  \"a\": {},\n  \"b\": [\n    1\n  ]\n}\n");
}

static void members(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autojson json_t *j =
		parse("{\"s\":\"x\",\"i\":7,\"o\":{},\"a\":[]}", &err);

	(void)state;
	assert_string_equal(eb_json_str(j, "s"), "x");
	assert_null(eb_json_str(j, "i"));
	assert_null(eb_json_str(j, "none"));
	assert_int_equal(eb_json_int(j, "i", -1), 7);
	assert_int_equal(eb_json_int(j, "s", -1), -1);
	assert_non_null(eb_json_obj(j, "o"));
	assert_null(eb_json_obj(j, "a"));
	assert_non_null(eb_json_arr(j, "a"));
	assert_null(eb_json_arr(NULL, "a"));
	assert_string_equal(eb_json_need_str(j, "s", "f", &err), "x");
	assert_null(eb_json_need_str(j, "i", "f", &err));
	assert_string_equal(err.message, "\"f\", reading \"i\": is no text");
	eb_err_release(&err);
	assert_null(eb_json_need_str(j, "q", "f", &err));
	assert_string_equal(err.message, "\"f\", reading \"q\": is not there");
	eb_err_release(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refused),
		cmocka_unit_test(depth),
		cmocka_unit_test(canonical),
		cmocka_unit_test(canonical_too_long),
		cmocka_unit_test(pretty),
		cmocka_unit_test(members),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
