/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TOML against the reader in Python's own library, over documents that are put
 * together at random (the same ones every time) and over real files: both take
 * a document or neither does, and what they read is the same.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include <envbuild/json.h>
#include <envbuild/process.h>
#include <envbuild/toml.h>

#define AUTOERR(name) \
	struct eb_error name EB_CLEANUP(eb_err_release) = EB_ERROR_INIT

/*
 * Each line is [document, value or null]. What is text with us stands as
 * {"any text": ...}: dates, and floats without a JSON number. Left out: what
 * the two read differently on purpose (an escaped NUL, integers beyond 64
 * bits, a leap second, the year 0, more than 64 levels).
 */
static const char script[] =
	"import datetime, glob, json, math, random, sys\n"
	"try: import tomllib\n"
	"except ImportError: sys.exit(3)\n"
	"R = random.Random(20261121)\n"
	"KEYS = ['a', 'b', 'c', 'a.b', 'a.b.c', '\"a\"', \"'b'\", 'a . "
	"\"c\"',\n"
	"    '\"\"', '1', 'a.1', '-', '\\u00e9', 'b.a', '\"\"\"x\"\"\"']\n"
	"VALUES = r'''1 0 -0 +0 01 1_0 1__0 _1 1_ 0x1F 0xfg 0x 0x_1 0x1_f 0X1\n"
	"    +0x1 0o17 0o8 0b101 0b2 1.0 1. .5 1e5 1E+05 1e_5 1.5e-3_0 +1.0\n"
	"    00.5 -00 inf -inf +nan nan infx 1e400 9223372036854775807\n"
	"    -9223372036854775808 0x7fffffffffffffff true false True \"x\" "
	"'x'\n"
	"    \"\\n\\t\\b\\f\\r\\\"\\\\\" \"\\x41\" \"\\e\" "
	"\"\\u00e9\\U0001F600\"\n"
	"    \"\\ud800\" \"\\U00110000\" \"\\u12\" [] [1,2] [1,] [,] "
	"[[1],[{}]]\n"
	"    {} {a=1} {a=1,} {a=1,b=2} {a.b=1,a.c=2} {a={x=1},a.y=2} "
	"{a=1,a=2}\n"
	"    1979-05-27 1979-02-29 1979-13-01 1979-05-27T07:32:00Z\n"
	"    1979-05-27t07:32:00.123456789z 1979-05-27T07:32:00+07:00\n"
	"    1979-05-27T07:32:00+7:00 07:32:00 07:32 24:00:00 07:32:00.5\n"
	"    07:32:00. 07:32:00Z 1979-05-27T 1979-5-27 # = a'''.split() + [\n"
	"    '', '1979-05-27 07:32:00', '1979-05-27 07:32', '1979-05-27 ',\n"
	"    '[1 2]', '[1,\\n2 # c\\n,]', '{\\na=1}', '{a=[\\n1]}',\n"
	"    '{a=\"\"\"x\\ny\"\"\"}', '\"\"\"a\\nb\"\"\"',\n"
	"    '\"\"\"\\na\\\\\\n   b\"\"\"', \"'''a'b''c'''\", \"''''x'''''\",\n"
	"    '\"\"\"\"x\"\"\"\"\"', '\"\"\"x\"\"\"\"\"\"', '\"\"\"\\\\ \\n "
	"x\"\"\"',\n"
	"    '\"\"\"\\\\   x\"\"\"', '\"\"\"a\\r\\nb\"\"\"', '\"a\\rb\"',\n"
	"    '\"a\\tb\"', '\"a\\x00\"', '\"unclosed', \"'un\", '\"\"\"un']\n"
	"BLANKS = ['', ' ', '\\t', '  ']\n"
	"ENDS = ['\\n', '\\n', '\\n', '\\r\\n', ' # c\\n', '\\n\\n', '\\r', "
	"'',\n"
	"    ' \\n', '# \\x01\\n', '#\\u00e9\\n']\n"
	"c = R.choice\n"
	"def path(): return '.'.join(c('abc') for _ in range(R.randint(1, "
	"3)))\n"
	"def shape():\n"
	"    return c(['[%s]\\n', '[%s]\\n', '[[%s]]\\n', '%s=1\\n', "
	"'%s={}\\n',\n"
	"        '%s=[{}]\\n', '%s={a.b=1}\\n']) % path()\n"
	"def line():\n"
	"    if R.random() < .15:\n"
	"        return c(['[%s]', '[[%s]]']) % (c(BLANKS) + c(KEYS)) + "
	"c(ENDS)\n"
	"    return (c(BLANKS) + c(KEYS) + c(BLANKS) + '=' + c(BLANKS) +\n"
	"        c(VALUES) + c(ENDS))\n"
	"def noise(): return c('ab.=[]{},\"\\'\\\\\\n\\r #1-0_:T+eux')\n"
	"def plain(x):\n"
	"    if isinstance(x, dict): return {k: plain(v) for k, v in "
	"x.items()}\n"
	"    if isinstance(x, list): return [plain(v) for v in x]\n"
	"    if isinstance(x, (datetime.date, datetime.time)):\n"
	"        return {'any text': 1}\n"
	"    if isinstance(x, float) and not math.isfinite(x):\n"
	"        return {'any text': 1}\n"
	"    return x\n"
	"def put(text):\n"
	"    try: value = plain(tomllib.loads(text))\n"
	"    except ValueError: value = None\n"
	"    print(json.dumps([text, value]))\n"
	"for i in range(int(sys.argv[1])):\n"
	"    part = c([shape, shape, line, line, noise])\n"
	"    put(''.join(part() for _ in range(R.randint(1, 8))))\n"
	"for name in glob.glob('/usr/lib/python3/dist-packages/**/*.toml',\n"
	"        recursive=True) + glob.glob('/usr/share/doc/**/*.toml',\n"
	"        recursive=True):\n"
	"    try: put(open(name, encoding='utf-8', newline='').read())\n"
	"    except UnicodeDecodeError: pass\n";

static bool same(const json_t *want, const json_t *got);

static bool same_object(const json_t *want, const json_t *got)
{
	const char *key;
	json_t *value;

	if (json_object_get(want, "any text"))
		return json_is_string(got);
	if (json_object_size(want) != json_object_size(got))
		return false;
	json_object_foreach ((json_t *)want, key, value) {
		if (!same(value, json_object_get(got, key)))
			return false;
	}
	return true;
}

static bool same(const json_t *want, const json_t *got)
{
	size_t i;
	json_t *value;

	if (!got)
		return false;
	if (json_is_object(want))
		return same_object(want, got);
	if (!json_is_array(want))
		return json_equal((json_t *)want, (json_t *)got);
	if (json_array_size(want) != json_array_size(got))
		return false;
	json_array_foreach (want, i, value) {
		if (!same(value, json_array_get(got, i)))
			return false;
	}
	return true;
}

struct counts {
	size_t documents, valid, differ;
};

static void one(const char *line, struct counts *n)
{
	eb_autojson json_t *row = json_loads(line, JSON_ALLOW_NUL, NULL);
	const json_t *text = json_array_get(row, 0);
	const json_t *want = json_array_get(row, 1);
	eb_autojson json_t *got = NULL;
	AUTOERR(err);

	assert_true(json_is_string(text) && want);
	got = eb_toml_parse(json_string_value(text), json_string_length(text),
			    "x.toml", &err);
	n->documents++;
	n->valid += got != NULL;
	if (json_is_null(want) ? !got : same(want, got))
		return;
	n->differ++;
	print_message("%s\n%s\n", line, got ? "taken" : err.message);
}

static void agrees(void **state)
{
	const char *const argv[] = { "python3", "-c", script, "20000", NULL };
	EB_AUTOBUF(out, EB_MAX_METADATA);
	EB_AUTOBUF(complaint, EB_MAX_CONFIG);
	struct counts n = { 0 };
	AUTOERR(err);
	int status;

	(void)state;
	if (eb_process_run(argv, NULL, NULL, 0, EB_MAX_METADATA, 100, &out,
			   &complaint, &status, &err) < 0 ||
	    status == 3) {
		print_message("skipped: no python3 with tomllib\n");
		skip();
	}
	if (status != 0 || out.overflow)
		fail_msg("%s", complaint.data);
	for (char *line = out.data, *end; (end = strchr(line, '\n'));
	     line = end + 1) {
		*end = '\0';
		one(line, &n);
	}
	print_message("%zu documents, %zu valid, %zu differ\n", n.documents,
		      n.valid, n.differ);
	assert_int_equal(n.differ, 0);
	assert_true(n.documents >= 20000 && n.valid > 2000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
