/* SPDX-License-Identifier: Apache-2.0 */
/* YAML: the tree and its positions, encodings, everything that is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/buf.h>
#include <envbuild/file.h>
#include <envbuild/yaml.h>

#define AUTOYAML EB_CLEANUP(eb_yaml_free_ptr) struct eb_yaml

static struct eb_yaml *parse_bytes(const char *data, size_t n)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_yaml *doc = NULL;

	if (eb_yaml_parse(data, n, "f.yml", &doc, &err) < 0)
		fail_msg("%u:%u: %s", err.line, err.column, err.message);
	return doc;
}

static struct eb_yaml *parse(const char *text)
{
	return parse_bytes(text, strlen(text));
}

/* The tree as one line: [a,"b"] {k:v}, @line.column behind where asked for */
static void show(const struct eb_yaml_node *n, bool places, struct eb_buf *out)
{
	size_t i;

	if (n->type == EB_YAML_SCALAR)
		eb_buf_addf(out, n->plain && !n->tagged_str ? "%s" : "'%s'",
			    n->text);
	else
		eb_buf_addch(out, n->type == EB_YAML_LIST ? '[' : '{');
	for (i = 0; i < n->n; i++) {
		if (i)
			eb_buf_addch(out, ',');
		if (n->type == EB_YAML_MAP) {
			show(n->key[i], places, out);
			eb_buf_addch(out, ':');
		}
		show(n->item[i], places, out);
	}
	if (n->type != EB_YAML_SCALAR)
		eb_buf_addch(out, n->type == EB_YAML_LIST ? ']' : '}');
	if (places)
		eb_buf_addf(out, "@%u.%u", n->line, n->column);
}

static void expect(const char *text, const char *shown)
{
	AUTOYAML *doc = parse(text);
	EB_AUTOBUF(out, 100000);

	show(doc->root, false, &out);
	assert_string_equal(out.data, shown);
}

static void trees(void **state)
{
	(void)state;
	expect("a: 1\nb: [x, 'y', \"z\\n\"]\n", "{a:1,b:[x,'y','z\n']}");
	expect("- a\n- - b\n  - c\n-\n", "[a,[b,c],]");
	expect("--- # comment\nx\n...\n", "x");
	expect("%YAML 1.1\n---\nx\n", "x");
	expect("a: |\n  one\n  two\nb: >-\n  one\n  two\n",
	       "{a:'one\ntwo\n',b:'one two'}");
	expect("a: !!str 1\nb: ! 2\nc: !!int '3'\nd: !!float 1\n",
	       "{a:'1',b:'2',c:3,d:1}");
	expect("!!map {a: !!seq [!!null ~, !!bool on]}", "{a:[~,on]}");
	expect("<<: {a: 1}\nb: 2\n", "{<<:{a:1},b:2}");
	expect("", "");
	expect("# nothing\n", "");
	expect("---\n", "");
}

static void places(void **state)
{
	AUTOYAML *doc = parse("name: x\n\ndeps:\n  - a\n  - pip:\n      - b\n");
	EB_AUTOBUF(out, 1000);

	(void)state;
	show(doc->root, true, &out);
	assert_string_equal(out.data,
			    "{name@1.1:x@1.7,deps@3.1:[a@4.5,{pip@5.5:"
			    "[b@6.9]@6.7}@5.5]@4.3}@1.1");
}

static void aliases(void **state)
{
	(void)state;
	expect("a: &x [1, 2]\nb: *x\nc: {k: *x}\n",
	       "{a:[1,2],b:[1,2],c:{k:[1,2]}}");
	expect("[&a one, *a, &a two, *a]", "[one,one,two,two]");
	expect("&k a: 1\nb: *k\n", "{a:1,b:a}");
	expect("- &k a\n- *k : 1\n", "[a,{a:1}]");
}

static void look_ups(void **state)
{
	AUTOYAML *doc = parse("a: 1\n\"b\": [2]\n");
	const struct eb_yaml_node *b = eb_yaml_get(doc->root, "b");

	(void)state;
	assert_string_equal(eb_yaml_get(doc->root, "a")->text, "1");
	assert_int_equal(b->n, 1);
	assert_null(eb_yaml_get(doc->root, "c"));
	assert_null(eb_yaml_get(b, "a"));
	assert_null(eb_yaml_get(NULL, "a"));
}

static void expect_line(const struct eb_yaml *doc, unsigned line,
			const char *text)
{
	size_t n = 99;
	const char *p = eb_yaml_line(doc, line, &n);

	assert_int_equal(n, text ? strlen(text) : 0);
	if (text)
		assert_memory_equal(p, text, n);
	else
		assert_null(p);
}

static void lines(void **state)
{
	AUTOYAML *doc = parse("a: 1\r\n\r\nb: 'x\xe2\x80\xa8 y'\rc: 3");

	(void)state;
	expect_line(doc, 0, NULL);
	expect_line(doc, 1, "a: 1");
	expect_line(doc, 2, "");
	expect_line(doc, 3, "b: 'x");
	expect_line(doc, 4, " y'");
	expect_line(doc, 5, "c: 3");
	expect_line(doc, 6, NULL);
	assert_int_equal(doc->root->key[2]->line, 5);
	assert_null(strchr(doc->source, '\r'));
}

/* UTF-16 of a text in ASCII but for U+1F600 where the text has a '*' */
static size_t to_utf16(const char *text, bool little, char *out)
{
	static const unsigned char pair[] = { 0xd8, 0x3d, 0xde, 0x00 };
	size_t n = 0, i;

	out[n++] = (char)(little ? 0xff : 0xfe);
	out[n++] = (char)(little ? 0xfe : 0xff);
	for (; *text; text++) {
		const char two[] = { 0, *text };
		const char *from = *text == '*' ? (const char *)pair : two;

		for (i = 0; i < (*text == '*' ? 4 : 2); i++)
			out[n++] = from[little ? i ^ 1 : i];
	}
	return n;
}

static void encodings(void **state)
{
	const char *text = "a: x*\r\nb: 2\n";
	char utf16[100];
	int i;

	(void)state;
	for (i = 0; i < 3; i++) {
		size_t n = to_utf16(text, i, utf16);
		AUTOYAML *doc = i < 2 ? parse_bytes(utf16, n)
				      : parse("\xef\xbb\xbf"
					      "a: x\xf0\x9f\x98\x80\n"
					      "b: 2\n");

		assert_string_equal(doc->source,
				    "a: x\xf0\x9f\x98\x80\nb: 2\n");
		assert_int_equal(doc->root->key[0]->column, 1);
		assert_string_equal(doc->root->item[0]->text,
				    "x\xf0\x9f\x98\x80");
		assert_int_equal(doc->root->key[1]->line, 2);
	}
}

static void refused_bytes(const char *data, size_t n, unsigned line,
			  unsigned column, const char *says)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_yaml *doc = NULL;

	assert_int_equal(eb_yaml_parse(data, n, "f.yml", &doc, &err), -1);
	assert_null(doc);
	assert_int_equal(err.code, EB_INPUT);
	if (!strstr(err.message, says))
		fail_msg("\"%s\" is not in: %s", says, err.message);
	assert_non_null(strstr(err.message, "\"f.yml\""));
	if (line)
		assert_string_equal(err.file, "f.yml");
	assert_int_equal(err.line, line);
	assert_int_equal(err.column, column);
	eb_err_release(&err);
}

static void bad_encodings(void **state)
{
	(void)state;
	refused_bytes("a\nb: \xff\n", 7, 2, 4, "no UTF-8: byte 0xFF");
	refused_bytes("\xc3\xa9\n\xc3", 4, 2, 1, "no UTF-8: byte 0xC3");
	refused_bytes("a\0", 2, 1, 2, "control character U+00");
	refused_bytes("a: \x1b[1m", 7, 1, 4, "control character U+1B");
	refused_bytes("a: \xc2\x9b", 5, 1, 4, "control character U+9B");
	refused_bytes("a: \xef\xbf\xbf", 6, 1, 4, "control character U+FFFF");
	refused_bytes("\xff\xfe\0\0a\0\0\0", 8, 0, 0, "UTF-32");
	refused_bytes("\xff\xfe"
		      "a",
		      3, 0, 0, "half a character");
	refused_bytes("\xfe\xff\0\n\xd8\x3d\0a", 8, 2, 0, "unpaired 0xD83D");
	refused_bytes("\xfe\xff\xdc\x00", 4, 1, 0, "unpaired 0xDC00");
	refused_bytes("\xfe\xff\xd8\x00", 4, 1, 0, "unpaired 0xD800");
	refused_bytes("a\0:\0", 4, 1, 2, "control character U+00");
}

static void refused(void **state)
{
	static const struct {
		const char *text;
		unsigned line, column;
		const char *says;
	} t[] = {
		{ "a: 1\nb: 2\na: 3\n", 3, 1,
		  "key \"a\" of line 1 again in line 3" },
		{ "x: {a: 1,\n 'a': 2}", 2, 2, "line 1 again in line 2" },
		{ "- a\n- [b, c]: 1\n", 2, 3, "a list as a key" },
		{ "{a: 1}: 1\n", 1, 1, "a mapping as a key" },
		{ "a: !!python/tuple [1]\n", 1, 4, "\"!!python/tuple\"" },
		{ "a: !mine x\n", 1, 4, "\"!mine\"" },
		{ "a: !<tag:x,2000:y> x\n", 1, 4, "\"tag:x,2000:y\"" },
		{ "a: !!binary eA==\n", 1, 4, "\"!!binary\"" },
		{ "a: !!set {x}\n", 1, 4, "\"!!set\"" },
		{ "a: !!int x\n", 1, 4, "tag \"!!int\" on \"x\"" },
		{ "a: !!map x\n", 1, 4, "\"!!map\"" },
		{ "a: 1\n---\nb: 1\n", 2, 1, "second document" },
		{ "a: *x\n", 1, 4, "unknown alias \"x\"" },
		{ "a: &x [1, *x]\n", 1, 11, "alias \"x\" within" },
		{ "&x {a: {b: *x}}\n", 1, 12, "alias \"x\" within" },
		{ "a: \"x\\0y\"\n", 1, 4, "NUL" },
		{ "a: [1\n", 2, 1, "(line 1)" },
		{ "a: 'x\n", 2, 1, "quoted scalar" },
		{ "a: b: c\n", 1, 5, "mapping values are not allowed" },
		{ "%YAML 3.0\n---\na\n", 1, 1, "incompatible" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof t / sizeof *t; i++)
		refused_bytes(t[i].text, strlen(t[i].text), t[i].line,
			      t[i].column, t[i].says);
}

static char *hint_for(const char *text)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_yaml *doc = NULL;
	char *hint;

	assert_int_equal(eb_yaml_parse(text, strlen(text), "f", &doc, &err),
			 -1);
	hint = eb_strdup(err.hint ? err.hint : "none");
	eb_err_release(&err);
	return hint;
}

static void hints(void **state)
{
	static const struct {
		const char *text, *says;
	} t[] = {
		{ "name: {{ name }}\n", "template" },
		{ "{% if x %}\na: 1\n{% endif %}\n", "template" },
		{ "a:\n\t- b\n", "tabs" },
		{ "a: \xff\n", "UTF-8" },
		{ "a: [\n", "none" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof t / sizeof *t; i++) {
		eb_autofree char *hint = hint_for(t[i].text);

		if (!strstr(hint, t[i].says))
			fail_msg("%s: %s", t[i].text, hint);
	}
	expect("a: '{{ x }}'", "{a:'{{ x }}'}");
}

/* 200000 nodes are read, one more is not; nor is a bomb of aliases. */
static void many_nodes(void **state)
{
	EB_AUTOBUF(b, EB_MAX_YAML);
	struct eb_yaml *doc;
	int i;

	(void)state;
	for (i = 0; i < 199999; i++)
		eb_buf_adds(&b, "- a\n");
	doc = parse_bytes(b.data, b.len);
	assert_int_equal(doc->root->n, 199999);
	eb_yaml_free(doc);
	eb_buf_adds(&b, "- a\n");
	refused_bytes(b.data, b.len, 200000, 3, "200000");
}

/* a5 has 79,315 nodes: its second use in a6 is one too many. */
static void alias_bomb(void **state)
{
	EB_AUTOBUF(b, EB_MAX_YAML);
	int i;

	(void)state;
	eb_buf_adds(&b, "a0: &a0 [x,x,x,x,x,x,x,x,x]\n");
	for (i = 1; i < 10; i++)
		eb_buf_addf(&b, "a%d: &a%d [*a%d,*a%d,*a%d,*a%d,*a%d,*a%d]\n",
			    i, i, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
	refused_bytes(b.data, b.len, 7, 14, "200000");
}

/* `depth` lists around `inner`, behind `before` */
static void nest(struct eb_buf *b, const char *before, int depth,
		 const char *inner)
{
	int i;

	eb_buf_reset(b);
	eb_buf_adds(b, before);
	for (i = 0; i < depth; i++)
		eb_buf_addch(b, '[');
	eb_buf_adds(b, inner);
	for (i = 0; i < depth; i++)
		eb_buf_addch(b, ']');
}

/* What an alias stands for counts where it is used: below the map and 53
 * lists there is room for 10 levels. */
static void depth(void **state)
{
	EB_AUTOBUF(b, 1000);

	(void)state;
	nest(&b, "", 64, "");
	eb_yaml_free(parse_bytes(b.data, b.len));
	nest(&b, "", 65, "");
	refused_bytes(b.data, b.len, 1, 65, "64 deep");
	nest(&b, "a: &a [[[[[[[[[[]]]]]]]]]]\nb: ", 53, "*a");
	eb_yaml_free(parse_bytes(b.data, b.len));
	nest(&b, "a: &a [[[[[[[[[[[]]]]]]]]]]]\nb: ", 53, "*a");
	refused_bytes(b.data, b.len, 2, 57, "64 deep");
}

static void too_long(void **state)
{
	eb_autofree char *data = eb_malloc(EB_MAX_YAML + 1);

	(void)state;
	memset(data, '\n', EB_MAX_YAML + 1);
	refused_bytes(data, EB_MAX_YAML + 1, 0, 0, "4194304");
	eb_yaml_free(parse_bytes(data, EB_MAX_YAML));
}

static void many_anchors(void **state)
{
	EB_AUTOBUF(b, EB_MAX_YAML);
	struct eb_yaml *doc;
	int i;

	(void)state;
	for (i = 0; i < 60000; i++)
		eb_buf_addf(&b, "- &a%d x\n- *a%d\n", i, i);
	doc = parse_bytes(b.data, b.len);
	assert_int_equal(doc->root->n, 120000);
	eb_yaml_free(doc);
}

static void reading(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *dir = eb_make_tempdir("/tmp", "yaml-", &err);
	eb_autofree char *path = eb_path_join(dir, "e.yml");
	AUTOYAML *doc = NULL;
	AUTOYAML *standard = NULL;
	int saved = dup(0);

	(void)state;
	assert_int_equal(eb_write_file(path, "a: 1\n", 5, 0644, &err), 0);
	assert_int_equal(eb_yaml_read(path, &doc, &err), 0);
	assert_string_equal(doc->name, path);
	assert_non_null(freopen(path, "r", stdin));
	assert_int_equal(eb_yaml_read("-", &standard, &err), 0);
	assert_string_equal(standard->name, "-");
	dup2(saved, 0);
	close(saved);
	assert_int_equal(truncate(path, (off_t)EB_MAX_YAML + 1), 0);
	assert_int_equal(eb_yaml_read(path, &doc, &err), -1);
	assert_int_equal(err.code, EB_INPUT);
	eb_err_release(&err);
	assert_int_equal(eb_remove_tree(dir, &err), 0);
	assert_int_equal(eb_yaml_read(path, &doc, &err), -1);
	assert_int_equal(err.code, EB_INPUT);
	eb_err_release(&err);
}

static void node_error(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	AUTOYAML *doc = parse("a:\n  b");

	(void)state;
	assert_int_equal(eb_yaml_err(doc, doc->root->item[0], &err,
				     "\"%s\" is odd", "b"),
			 -1);
	assert_int_equal(err.code, EB_INPUT);
	assert_string_equal(err.message, "\"b\" is odd");
	assert_string_equal(err.file, "f.yml");
	assert_int_equal(err.line, 2);
	assert_int_equal(err.column, 3);
	eb_err_release(&err);
	eb_yaml_err(doc, NULL, &err, "x");
	assert_int_equal(err.line, 0);
	eb_err_release(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trees),	 cmocka_unit_test(places),
		cmocka_unit_test(aliases),	 cmocka_unit_test(look_ups),
		cmocka_unit_test(lines),	 cmocka_unit_test(encodings),
		cmocka_unit_test(bad_encodings), cmocka_unit_test(refused),
		cmocka_unit_test(hints),	 cmocka_unit_test(many_nodes),
		cmocka_unit_test(alias_bomb),	 cmocka_unit_test(depth),
		cmocka_unit_test(too_long),	 cmocka_unit_test(many_anchors),
		cmocka_unit_test(reading),	 cmocka_unit_test(node_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
