/* SPDX-License-Identifier: Apache-2.0 */
/* Repodata: what is read out of it, what is left out, where it comes from. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <envbuild/file.h>
#include <envbuild/json.h>
#include <envbuild/repodata.h>

#include "httpd.h"

static char *top; /* of everything that a test writes */
static struct httpd server;

/* --- a channel on disk ----------------------------------------------- */

static void put(const char *path, const void *p, size_t n)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *full = eb_path_join(top, path);
	eb_autofree char *dir = eb_strdup(full);

	*strrchr(dir, '/') = 0;
	assert_int_equal(eb_mkdirs(dir, 0700, &err), 0);
	assert_int_equal(eb_write_file(full, p, n, 0600, &err), 0);
}

static void put_text(const char *path, const char *text)
{
	put(path, text, strlen(text));
}

static void put_zst(const char *path, const char *text, size_t cut)
{
	size_t room = ZSTD_compressBound(strlen(text)), n;
	eb_autofree char *z = eb_malloc(room);

	n = ZSTD_compress(z, room, text, strlen(text), 3);
	assert_false(ZSTD_isError(n));
	put(path, z, cut < n ? n - cut : 0);
}

/* One row of a map of records, with ' for ". */
#define R(fn, name, version, more)                                             \
	"'" fn "':{'name':'" name "','version':'" version "','build':'0'" more \
	"}"

static void add_map(struct eb_buf *json, const char *key,
		    const char *const *rows)
{
	eb_buf_addf(json, "'%s':{", key);
	for (size_t i = 0; rows && rows[i]; i++)
		eb_buf_addf(json, "%s%s", i ? "," : "", rows[i]);
	eb_buf_adds(json, "}");
}

/* repodata.json of the rows for .conda and .tar.bz2, each ended by NULL. */
static void put_rows(const char *path, const char *const *conda,
		     const char *const *old)
{
	EB_AUTOBUF(json, EB_MAX_TEXT);

	eb_buf_adds(&json, "{");
	add_map(&json, "packages.conda", conda);
	eb_buf_adds(&json, ",");
	add_map(&json, "packages", old);
	eb_buf_adds(&json, "}");
	for (char *p = json.data; *p; p++)
		if (*p == '\'')
			*p = '"';
	put_text(path, json.data);
}

/* {"packages.conda": {"NAME-1-0.conda": a plain record}} */
static char *tiny(const char *name)
{
	return eb_asprintf("{\"packages.conda\": {\"%s-1-0.conda\": {"
			   "\"name\": \"%s\", \"version\": \"1\", "
			   "\"build\": \"0\", \"build_number\": 0}}}",
			   name, name);
}

/* --- loading --------------------------------------------------------- */

struct load {
	struct eb_repodata *rd;
	struct eb_channels channels;
	struct eb_error err;
	char *warning;
	unsigned warnings;
	int got;
};

struct options {
	struct eb_repodata_options o;
	const char *store; /* below top; NULL: none is needed */
	unsigned tries;
};

static void keep_warning(void *data, const struct eb_event *ev)
{
	struct load *l = data;

	if (ev->type != EB_EV_WARNING)
		return;
	l->warnings++;
	if (!l->warning)
		l->warning = eb_strdup(ev->text);
}

static void load(struct load *l, const char *channel, const struct options *o)
{
	static const struct options plain;
	const struct options *use = o ? o : &plain;
	struct eb_repodata_options options = use->o;
	struct eb_events *events = eb_events_new(keep_warning, l);
	EB_CLEANUP(eb_http_free_ptr) struct eb_http *http = NULL;
	EB_CLEANUP(eb_store_close_ptr) struct eb_store *store = NULL;
	eb_autofree char *dir = NULL;

	memset(l, 0, sizeof *l);
	options.subdir = "linux-64";
	if (use->store) {
		dir = eb_path_join(top, use->store);
		if (eb_store_open(dir, 0, &store, &l->err) < 0)
			fail_msg("%s", l->err.message);
	}
	http = eb_http_new(
		&(struct eb_http_options){ .backoff_ms = 1,
					   .tries = use->tries,
					   .offline = options.offline },
		events);
	assert_int_equal(eb_channels_add(&l->channels, channel, NULL, &l->err),
			 0);
	l->got = eb_repodata_load(&l->channels, &options, store, http, events,
				  &l->rd, &l->err);
	eb_events_free(events);
}

static void load_free(struct load *l)
{
	eb_repodata_free(l->rd);
	eb_channels_release(&l->channels);
	eb_err_release(&l->err);
	free(l->warning);
}

static void load_local(struct load *l, const char *name)
{
	eb_autofree char *path = eb_path_join(top, name);

	load(l, path, NULL);
}

static void assert_loaded(struct load *l, size_t n)
{
	if (l->got < 0)
		fail_msg("%s", l->err.message);
	assert_int_equal(eb_repodata_count(l->rd), n);
}

static void assert_failed(struct load *l, enum eb_code code, const char *words)
{
	assert_int_equal(l->got, -1);
	if (!strstr(l->err.message, words))
		fail_msg("\"%s\" is not in: %s", words, l->err.message);
	assert_int_equal(l->err.code, code);
}

static const struct eb_record *only(const struct load *l, const char *name)
{
	const uint32_t *list;
	size_t n = eb_repodata_by_name(l->rd, name, &list);
	unsigned channel = 99;
	const struct eb_record *r;

	assert_int_equal(n, 1);
	r = eb_repodata_record(l->rd, list[0], &channel);
	assert_int_equal(channel, 0);
	return r;
}

/* --- records --------------------------------------------------------- */

static void check_new(const struct load *l)
{
	const struct eb_record *r = only(l, "foo_x");
	eb_autofree char *url = eb_asprintf(
		"file://%s/fields/linux-64/Foo_x-1.0-py_0.tar.bz2", top);
	char hex[EB_HEX_SIZE];

	assert_string_equal(r->url, url);
	assert_string_equal(r->fn, "Foo_x-1.0-py_0.tar.bz2");
	assert_string_equal(r->name, "foo_x");
	assert_string_equal(r->version, "1.0");
	assert_string_equal(r->build, "py_0");
	assert_int_equal(r->build_number, 12);
	assert_string_equal(r->subdir, "linux-64");
	assert_string_equal(r->channel, l->channels.channel[0].canonical);
	assert_int_equal(r->depends.n, 2);
	assert_string_equal(r->depends.v[0], "a >=1,<2");
	assert_null(r->depends.v[2]);
	assert_int_equal(r->constrains.n, 1);
	assert_string_equal(r->constrains.v[0], "c <1");
	assert_string_equal(r->track_features, "t1 t2 t3");
	assert_string_equal(r->features, "f");
	assert_int_equal(r->noarch, EB_NOARCH_PYTHON);
	assert_int_equal(r->timestamp, 1512345678901);
	assert_true(r->has_sha256);
	assert_string_equal(eb_digest_hex(&r->sha256, hex),
			    "0123456789abcdef0123456789abcdef0123456789abcdef"
			    "0123456789abcdef");
	assert_string_equal(r->md5, "00112233445566778899aabbccddeeff");
	assert_true(r->size == 4294967296u);
	assert_string_equal(r->license, "MIT \xc3\xa9\xf0\x9f\x98\x80");
	assert_string_equal(r->python_site_packages_path,
			    "lib/python3.13t/site-packages");
}

static void check_old(const struct load *l)
{
	const struct eb_record *r = only(l, "old");

	assert_int_equal(r->noarch, EB_NOARCH_GENERIC);
	assert_int_equal(r->timestamp, 1512345678000);
	assert_false(r->has_sha256);
	assert_string_equal(r->md5, "");
	assert_null(r->track_features);
	assert_null(r->license);
	assert_string_equal(r->subdir, "noarch");
}

static void test_fields(void **state)
{
	static const char text[] =
		"{\"info\":{\"subdir\":\"linux-64\"},\n \"unknown\":[1,{}],"
		"\"packages\":{\"Foo_x-1.0-py_0.tar.bz2\":{\"build\":"
		"\"py_0\",\"build_number\":12,\"constrains\":[\"c <1\"],"
		"\"depends\":[\"a >=1,<2\",\"b\"],\"features\":\"f\","
		"\"license\":\"MIT \\u00e9\\ud83d\\ude00\","
		"\"license_family\":\"MIT\",\"md5\":"
		"\"00112233445566778899aabbccddeeff\",\"name\":\"Foo_X\","
		"\"noarch\":\"python\",\"sha256\":\"0123456789abcdef"
		"0123456789abcdef0123456789ABCDEF0123456789abcdef\","
		"\"size\":4294967296,\"subdir\":\"linux-64\","
		"\"timestamp\":1512345678901,\"track_features\":[\"t1\","
		"\"t2,t3\"],\"url\":\"https://x/\",\"version\":\"1.0\","
		"\"python_site_packages_path\":"
		"\"lib/python3.13t/site-packages\","
		"\"more\":{\"a\":[null]}}}}";
	static const char *const old[] = {
		R("old-1-0.tar.bz2", "old", "1",
		  ",'build_number':0,'noarch':true,'timestamp':1512345678.5,"
		  "'sha256':null,'depends':[],'track_features':'',"
		  "'license':null"),
		NULL,
	};
	struct load l;

	(void)state;
	put_text("fields/linux-64/repodata.json", text);
	put_rows("fields/noarch/repodata.json", NULL, old);
	load_local(&l, "fields");
	assert_loaded(&l, 2);
	check_new(&l);
	check_old(&l);
	assert_int_equal(l.warnings, 0);
	load_free(&l);
}

static void test_base_url(void **state)
{
	static const struct {
		const char *base, *url;
	} rows[] = {
		{ "https://cdn.example/pk/", "https://cdn.example/pk/" },
		{ "https://u:p@cdn.example/pk", "https://cdn.example/pk/" },
		{ "../../files", "file://%s/files/" },
		{ "./sub/", "file://%s/based/noarch/sub/" },
		{ "/abs/x", "file:///abs/x/" },
		{ "", "file://%s/based/noarch/" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct load l;
		eb_autofree char *json = eb_asprintf(
			"{\"packages.conda\":{\"x-1-0.conda\":{\"name\":\"x\","
			"\"version\":\"1\",\"build\":\"0\"}},"
			"\"info\":{\"base_url\":\"%s\"}}",
			rows[i].base);
		char want[512];
		const char *mark = strstr(rows[i].url, "%s");

		snprintf(want, sizeof want, "%.*s%s%sx-1-0.conda",
			 mark ? (int)(mark - rows[i].url) : 0, rows[i].url,
			 mark ? top : "", mark ? mark + 2 : rows[i].url);
		put_text("based/noarch/repodata.json", json);
		load_local(&l, "based");
		assert_loaded(&l, 1);
		assert_string_equal(only(&l, "x")->url, want);
		load_free(&l);
	}
}

static void test_conda_wins(void **state)
{
	static const char *const conda[] = {
		R("a-1-0.conda", "a", "1", ""),
		R("odd.conda", "odd", "1", ""),
		NULL,
	};
	static const char *const old[] = {
		R("a-1-0.tar.bz2", "a", "1", ""),
		R("a-2-0.tar.bz2", "a", "2", ""),
		R("odd.tar.bz2", "odd", "1", ""),
		R("b-1-0.tar.bz2", "b", "1", ",'size':1"),
		R("b-1-0.tar.bz2", "b", "1", ",'size':2"),
		NULL,
	};
	struct load l;

	(void)state;
	put_rows("wins/noarch/repodata.json", conda, old);
	load_local(&l, "wins");
	assert_loaded(&l, 4);
	assert_string_equal(only(&l, "odd")->fn, "odd.conda");
	assert_int_equal(only(&l, "b")->size, 2);
	assert_string_equal(eb_repodata_record(l.rd, 0, NULL)->fn,
			    "a-1-0.conda");
	load_free(&l);
}

/* CEP 48: keys without an ending; what has no known kind is passed over. */
static void test_v3(void **state)
{
	static const char text[] =
		"{\"v3\":{\"conda\":{\"a-1-0\":{\"name\":\"a\",\"version\":"
		"\"1\",\"build\":\"0\"}},\"tar.bz2\":{\"b-1.0.conda-0\":{"
		"\"name\":\"b\",\"version\":\"1\",\"build\":\"0\"}},"
		"\"whl\":{\"c\":{\"name\":\"c\"}}},\"packages\":{}}";
	struct load l;

	(void)state;
	put_text("v3/noarch/repodata.json", text);
	load_local(&l, "v3");
	assert_loaded(&l, 2);
	assert_string_equal(only(&l, "a")->fn, "a-1-0.conda");
	assert_string_equal(only(&l, "b")->fn, "b-1.0.conda-0.tar.bz2");
	assert_int_equal(l.warnings, 0);
	load_free(&l);
	put_text("v3/noarch/repodata.json", "{\"v3\":[]}");
	load_local(&l, "v3");
	assert_loaded(&l, 0);
	load_free(&l);
}

/* CEP 44 and 45: groups of optional dependencies, flags. */
static void test_extras(void **state)
{
	static const char text[] =
		"{\"v3\":{\"conda\":{\"a-1-0\":{\"name\":\"a\",\"version\":"
		"\"1\",\"build\":\"0\",\"depends\":[\"d\"],\"constrains\":["
		"\"c\"],\"flags\":[\"cpu\",\"blas:mkl\"],\"extra_depends\":{"
		"\"x\":[\"p\",\"q[when=\\\"r\\\"]\"],\"none\":[],\"y\":[\"z\"]}"
		"},\"b-1-0\":{\"name\":\"b\",\"version\":\"1\",\"build\":"
		"\"0\",\"flags\":[\"A\"]},\"b-2-0\":{\"name\":\"b\","
		"\"version\":\"2\",\"build\":\"0\",\"extra_depends\":{"
		"\"g\":[\"\"]}},\"b-3-0\":{\"name\":\"b\",\"version\":"
		"\"3\",\"build\":\"0\",\"extra_depends\":{\"g\":[],"
		"\"g\":[]}},\"b-4-0\":{\"name\":\"b\",\"version\":\"4\","
		"\"build\":\"0\",\"extra_depends\":{\"g h\":[]}},\"b-5-0\":{"
		"\"name\":\"b\",\"version\":\"5\",\"build\":\"0\",\"flags\":"
		"null,\"extra_depends\":null}}}}";
	const struct eb_record *r;
	struct load l;

	(void)state;
	put_text("extras/noarch/repodata.json", text);
	load_local(&l, "extras");
	assert_loaded(&l, 2);
	r = only(&l, "a");
	assert_string_equal(r->depends.v[0], "d");
	assert_string_equal(r->constrains.v[0], "c");
	assert_int_equal(r->constrains.n, 1);
	assert_int_equal(r->flags.n, 2);
	assert_string_equal(r->flags.v[1], "blas:mkl");
	assert_int_equal(r->n_extras, 3);
	assert_string_equal(r->extra[0].name, "x");
	assert_int_equal(r->extra[0].depends.n, 2);
	assert_string_equal(r->extra[0].depends.v[1], "q[when=\"r\"]");
	assert_int_equal(eb_record_extra(r, "none")->depends.n, 0);
	assert_string_equal(eb_record_extra(r, "y")->depends.v[0], "z");
	assert_string_equal(only(&l, "b")->version, "5");
	load_free(&l);
}

/* What there was before a .conda came. */
static void test_as_of_conda(void **state)
{
	static const char *const conda[] = {
		R("a-1-0.conda", "a", "1", ",'timestamp':1600000000002"),
		R("odd.conda", "b", "1", ",'timestamp':1600000000002"),
		R("c-1-0.conda", "c", "1", ",'timestamp':1600000000000"),
		NULL,
	};
	static const char *const old[] = {
		R("a-1-0.tar.bz2", "a", "1", ",'timestamp':1600000000000"),
		R("odd.tar.bz2", "b", "1", ",'timestamp':1600000000000"),
		R("c-1-0.tar.bz2", "c", "1", ""),
		NULL,
	};
	struct options o = { .o = { .as_of = 1600000000000 } };
	eb_autofree char *path = eb_path_join(top, "asofconda");
	struct load l;

	(void)state;
	put_rows("asofconda/noarch/repodata.json", conda, old);
	load(&l, path, &o);
	assert_loaded(&l, 3);
	assert_string_equal(only(&l, "a")->fn, "a-1-0.tar.bz2");
	assert_string_equal(only(&l, "b")->fn, "odd.tar.bz2");
	assert_string_equal(only(&l, "c")->fn, "c-1-0.conda");
	load_free(&l);
	load(&l, path, NULL);
	assert_loaded(&l, 3);
	assert_string_equal(only(&l, "a")->fn, "a-1-0.conda");
	assert_string_equal(only(&l, "b")->fn, "odd.conda");
	load_free(&l);
}

static void test_as_of(void **state)
{
	static const char *const old[] = {
		R("a-1-0.tar.bz2", "a", "1", ""),
		R("b-1-0.tar.bz2", "b", "1", ",'timestamp':1600000000001"),
		R("c-1-0.tar.bz2", "c", "1", ",'timestamp':1600000000000"),
		R("d-1-0.tar.bz2", "d", "1",
		  ",'timestamp':1,'indexed_timestamp':1700000000000"),
		NULL,
	};
	struct options o = { .o = { .as_of = 1600000000000 } };
	eb_autofree char *path = eb_path_join(top, "asof");
	struct load l;

	(void)state;
	put_rows("asof/noarch/repodata.json", NULL, old);
	load(&l, path, &o);
	assert_loaded(&l, 2);
	only(&l, "a");
	only(&l, "c");
	load_free(&l);
}

/* --- what is left out ------------------------------------------------ */

static const char *const malformed[] = {
	R("../../etc/x-1-0.conda", "h1", "1", ""),
	R("/abs-1-0.conda", "h2", "1", ""),
	R("..-1-0.conda", "h3", "1", ""),
	R("a\\\\b-1-0.conda", "h4", "1", ""),
	R("x y-1-0.conda", "h5", "1", ""),
	R("q-1-0.conda?x", "h6", "1", ""),
	R("q-1-0.zip", "h7", "1", ""),
	R("n-1-0.conda", "..", "1", ""),
	R("n2-1-0.conda", "a/b", "1", ""),
	R("n3-1-0.conda", "", "1", ""),
	R("v-1-0.conda", "h8", "../1", ""),
	R("v2-1-0.conda", "h9", "1--2", ""),
	"'b-1-0.conda':{'name':'i1','version':'1','build':'../x'}",
	"'b2-1-0.conda':{'name':'i2','version':'1'}",
	"'i3-1-0.conda':{'version':'1','build':'0'}",
	"'i4-1-0.conda':{'name':4,'version':'1','build':'0'}",
	R("i5-1-0.conda", "i5", "1", ",'depends':'a'"),
	R("i6-1-0.conda", "i6", "1", ",'depends':[1]"),
	R("i7-1-0.conda", "i7", "1", ",'build_number':-1"),
	R("i8-1-0.conda", "i8", "1", ",'size':'3'"),
	R("i9-1-0.conda", "i9", "1", ",'sha256':'abc'"),
	R("j1-1-0.conda", "j1", "1", ",'md5':5"),
	R("j2-1-0.conda", "j2", "1", ",'noarch':'perl'"),
	R("j3-1-0.conda", "j3", "1", ",'timestamp':'x'"),
	R("j4-1-0.conda", "j4", "1",
	  ",'python_site_packages_path':'lib/../../x'"),
	"'j5-1-0.conda':[]",
	R("j6-1-0.conda", "j6", "1", ",'track_features':[{}, 'x']"),
	R("ok-1-0.conda", "ok", "1", ""),
	NULL,
};

static void test_malformed(void **state)
{
	static const char *const good[] = {
		R("ok2-1-0.tar.bz2", "ok2", "1", ""),
		NULL,
	};
	struct load l;

	(void)state;
	put_rows("bad/noarch/repodata.json", malformed, good);
	load_local(&l, "bad");
	assert_loaded(&l, 2);
	only(&l, "ok");
	only(&l, "ok2");
	assert_int_equal(l.warnings, 1);
	assert_non_null(strstr(l.warning, "27 malformed records are left out"));
	assert_non_null(strstr(l.warning, "leads elsewhere"));
	assert_string_equal(eb_repodata_malformed(l.rd, "i5"),
			    "\"i5-1-0.conda\": \"depends\" or "
			    "\"constrains\" is no list");
	assert_non_null(eb_repodata_malformed(l.rd, "i3"));
	assert_non_null(eb_repodata_malformed(l.rd, "j5"));
	assert_null(eb_repodata_malformed(l.rd, "ok"));
	load_free(&l);
}

static const struct {
	const char *text, *words;
	enum eb_code code;
} not_json[] = {
	{ "<html>login</html>", "no object at line 1, column 1", EB_INPUT },
	{ "[]", "no object", EB_INPUT },
	{ "{\"a\" 1}", "no \":\" behind a key", EB_INPUT },
	{ "{\n  \"a\":1,\n}",
	  "a key that is no string at line 3, "
	  "column 1",
	  EB_INPUT },
	{ "{} x", "something behind the end", EB_INPUT },
	{ "{\"a\":tru}", "an unknown word", EB_INPUT },
	{ "{\"a\":01}", "zero in front", EB_INPUT },
	{ "{\"a\":-}", "no digit", EB_INPUT },
	{ "{\"a\":1.}", "no digit", EB_INPUT },
	{ "{\"a\":[1 2]}", "neither \",\" nor \"]\"", EB_INPUT },
	{ "{\"a\":\"\\x\"}", "an unknown escape", EB_INPUT },
	{ "{\"a\":\"\\u12g4\"}", "four hex digits", EB_INPUT },
	{ "{\"a\":\"\\ud800x\"}", "surrogate", EB_INPUT },
	{ "{\"a\":\"\\udc00\"}", "surrogate", EB_INPUT },
	{ "{\"a\":\"\\u0000\"}", "a NUL in a string", EB_INPUT },
	{ "{\"a\":\"\xff\"}", "not UTF-8", EB_INPUT },
	{ "{\"a\":\"\xc0\xaf\"}", "not UTF-8", EB_INPUT },
	{ "{\"a\":\"x\ny\"}", "a control in a string", EB_INPUT },
	{ "{\"packages\":{\"a-1-0.conda\":{\"name\":\"a\"",
	  "breaks off after 38 bytes", EB_INTEGRITY },
	{ "{\"a\":\"xyz", "breaks off", EB_INTEGRITY },
	{ "{\"a\":tr", "breaks off", EB_INTEGRITY },
	{ "{\"a\"", "breaks off", EB_INTEGRITY },
	{ "{", "breaks off", EB_INTEGRITY },
};

static void test_not_json(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof not_json / sizeof *not_json; i++) {
		struct load l;

		put_text("nojson/noarch/repodata.json", not_json[i].text);
		load_local(&l, "nojson");
		assert_failed(&l, not_json[i].code, not_json[i].words);
		assert_non_null(strstr(l.err.message, "channel \""));
		assert_non_null(strstr(l.err.message,
				       "/nojson/noarch/repodata.json\""));
		load_free(&l);
	}
}

static void test_deep_and_long(void **state)
{
	EB_AUTOBUF(json, EB_MAX_TEXT);
	struct load l;

	(void)state;
	eb_buf_adds(&json, "{\"a\":");
	for (int i = 0; i < 200000; i++)
		eb_buf_addch(&json, '[');
	put_text("deep/noarch/repodata.json", json.data);
	load_local(&l, "deep");
	assert_failed(&l, EB_INPUT, "more than 128 levels");
	load_free(&l);

	eb_buf_reset(&json);
	eb_buf_adds(&json, "{\"a\":\"");
	for (int i = 0; i < 1100000; i++)
		eb_buf_addch(&json, 'x');
	eb_buf_adds(&json, "\"}");
	put_text("deep/noarch/repodata.json", json.data);
	load_local(&l, "deep");
	assert_failed(&l, EB_INPUT, "a string of more than 1 MiB");
	load_free(&l);
}

/* Every value across the window's edge: keys, escapes, numbers, words. */
static void test_window(void **state)
{
	struct load l;

	(void)state;
	for (int pad = 65536 - 180; pad < 65536 + 8; pad++) {
		EB_AUTOBUF(json, EB_MAX_TEXT);

		eb_buf_adds(&json, "{\"pad\":\"");
		for (int i = 0; i < pad - 10; i++)
			eb_buf_addch(&json, 'p');
		eb_buf_adds(&json,
			    "\"  ,  \"packages.conda\"  :\n{\"wi-1.2-0.conda\":"
			    "{\"name\" : \"w\\u0069\",\"version\":\"1.2\","
			    "\"build\":\"0\",\"build_number\":123456,\"x\":true"
			    ",\"license\":\"\xc3\xa9\",\"size\":1.0e+5,"
			    "\"depends\":[\"a\",\"b\"]}}}");
		put_text("window/noarch/repodata.json", json.data);
		load_local(&l, "window");
		assert_loaded(&l, 0); /* the size is no whole number */
		assert_string_equal(eb_repodata_malformed(l.rd, "wi"),
				    "\"wi-1.2-0.conda\": \"size\" is no whole "
				    "number");
		load_free(&l);
	}
}

/* --- local channels -------------------------------------------------- */

static void test_local(void **state)
{
	eb_autofree char *a = tiny("a");
	eb_autofree char *b = tiny("b");
	struct load l;

	(void)state;
	put_text("local/noarch/repodata.json", "");
	load_local(&l, "local");
	assert_loaded(&l, 0);
	load_free(&l);

	put_text("local/noarch/repodata.json", a);
	put_zst("local/noarch/repodata.json.zst", b, 0);
	put_zst("local/linux-64/repodata.json.zst", a, 0);
	load_local(&l, "local");
	assert_loaded(&l, 2);
	only(&l, "b");
	load_free(&l);

	put_zst("local/noarch/repodata.json.zst", b, 3);
	load_local(&l, "local");
	assert_loaded(&l, 2);
	assert_int_equal(l.warnings, 1);
	assert_non_null(strstr(l.warning, "repodata.json is used instead"));
	load_free(&l);

	put_text("local/noarch/repodata.json", "{\"packages\":{");
	load_local(&l, "local");
	assert_failed(&l, EB_INTEGRITY, "repodata.json.zst\"");
	assert_non_null(strstr(l.err.hint, "repodata.json\" breaks off"));
	load_free(&l);

	put_text("empty/x", "");
	load_local(&l, "empty");
	assert_failed(&l, EB_NETWORK, "neither \"file://");
	load_free(&l);
}

/* --- servers --------------------------------------------------------- */

/* Channel `name` below top, with the server's options. */
static char *at_server(const char *options, const char *name)
{
	return eb_asprintf("http://127.0.0.1:%u%s/%s", server.port, options,
			   name);
}

static char *ask(const char *what, const char *options, const char *rest)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_http_request r = { 0 };
	struct eb_http *http =
		eb_http_new(&(struct eb_http_options){ .backoff_ms = 1 }, NULL);
	EB_AUTOBUF(text, 4096);
	eb_autofree char *url = eb_asprintf("http://127.0.0.1:%u/%s%s/%s",
					    server.port, what, options, rest);
	eb_autofd int fd = eb_unnamed_file(top, &err);

	r.url = url;
	r.fd = fd;
	eb_http_add(http, &r);
	assert_int_equal(eb_http_run(http, &err), 0);
	assert_false(eb_err_is_set(&r.err));
	lseek(fd, 0, SEEK_SET);
	assert_int_equal(eb_read_fd(fd, "count", 4096, &text, &err), 0);
	eb_http_request_release(&r);
	eb_http_free(http);
	return eb_buf_steal(&text, NULL);
}

static int count(const char *options, const char *rest)
{
	eb_autofree char *text = ask("_count", options, rest);

	return atoi(text);
}

static void load_http(struct load *l, const char *options, const char *name,
		      const struct options *o)
{
	eb_autofree char *url = at_server(options, name);

	load(l, url, o);
}

static void test_conditional(void **state)
{
	struct options o = { .store = "store1" };
	eb_autofree char *a = tiny("a");
	eb_autofree char *b = tiny("bb");
	eb_autofree char *last = NULL;
	const uint32_t *list;
	struct load l;

	(void)state;
	put_zst("http1/linux-64/repodata.json.zst", a, 0);
	put_zst("http1/noarch/repodata.json.zst", b, 0);
	for (int i = 1; i <= 3; i++) {
		load_http(&l, "", "http1", &o);
		assert_loaded(&l, 2);
		assert_int_equal(count("", "http1/noarch/repodata.json.zst"),
				 i);
		load_free(&l);
	}
	assert_int_equal(count("", "http1/noarch/repodata.json"), 0);
	/* changed on the server */
	put_zst("http1/noarch/repodata.json.zst", a, 0);
	load_http(&l, "", "http1", &o);
	assert_loaded(&l, 2);
	assert_int_equal(eb_repodata_by_name(l.rd, "bb", &list), 0);
	load_free(&l);
	last = ask("_last", "", "http1/noarch/repodata.json.zst");
	assert_non_null(strstr(last, "If-None-Match: \""));
	assert_non_null(strstr(last, "If-Modified-Since: "));
}

static void test_fresh(void **state)
{
	struct options o = { .store = "store2" };
	const char *zst = "http2/noarch/repodata.json.zst";
	eb_autofree char *a = tiny("a");
	struct load l;

	(void)state;
	put_zst("http2/noarch/repodata.json.zst", a, 0);
	for (int i = 0; i < 3; i++) {
		load_http(&l, "/@age=100@", "http2", &o);
		assert_loaded(&l, 1);
		load_free(&l);
	}
	assert_int_equal(count("/@age=100@", zst), 1);
	o.o.refresh = true;
	load_http(&l, "/@age=100@", "http2", &o);
	assert_loaded(&l, 1);
	load_free(&l);
	assert_int_equal(count("/@age=100@", zst), 2);
}

static void test_offline(void **state)
{
	struct options o = { .store = "store3", .o = { .offline = true } };
	eb_autofree char *a = tiny("a");
	struct load l;

	(void)state;
	put_text("http3/noarch/repodata.json", a);
	load_http(&l, "", "http3", &o);
	assert_failed(&l, EB_NETWORK, "not in the store, and --offline");
	assert_non_null(strstr(l.err.message, "/http3\": "));
	assert_non_null(l.err.hint);
	load_free(&l);
	o.o.offline = false;
	load_http(&l, "", "http3", &o);
	assert_loaded(&l, 1);
	load_free(&l);
	o.o.offline = true;
	load_http(&l, "", "http3", &o);
	assert_loaded(&l, 1);
	load_free(&l);
	assert_int_equal(count("", "http3/noarch/repodata.json"), 1);
}

static void test_other_file(void **state)
{
	struct options o = { .store = "store4" };
	eb_autofree char *a = tiny("a");
	eb_autofree char *b = tiny("b");
	struct load l;

	(void)state;
	/* no .zst */
	put_text("http4/noarch/repodata.json", a);
	load_http(&l, "", "http4", &o);
	assert_loaded(&l, 1);
	assert_int_equal(l.warnings, 0);
	load_free(&l);
	/* a damaged one; it was not there lately */
	put_zst("http4/noarch/repodata.json.zst", b, 2);
	o.o.refresh = true;
	load_http(&l, "", "http4", &o);
	assert_loaded(&l, 1);
	assert_int_equal(l.warnings, 0);
	assert_int_equal(count("", "http4/noarch/repodata.json.zst"), 1);
	load_free(&l);
	o.store = "store4b";
	load_http(&l, "", "http4", &o);
	assert_loaded(&l, 1);
	only(&l, "a");
	assert_int_equal(l.warnings, 1);
	assert_non_null(strstr(l.warning, "repodata.json is used instead"));
	load_free(&l);
	o.o.refresh = false;
	/* 403 as some stores of files say it */
	put_text("http5/noarch/repodata.json", a);
	load_http(&l, "/@code=403@", "http5", &o);
	assert_failed(&l, EB_REFUSED, "forbidden (403)");
	load_free(&l);
}

/* bzip2 of tiny("a"), by bzip2 itself. */
static void test_bz2(void **state)
{
	eb_autofree char *a = tiny("a");
	eb_autofree char *command =
		eb_asprintf("bzip2 -f %s/bz2/noarch/repodata.json", top);
	struct options o = { .store = "store-bz2" };
	struct load l;

	(void)state;
	put_text("bz2/noarch/repodata.json", a);
	if (system(command) != 0)
		skip();
	load_local(&l, "bz2");
	assert_loaded(&l, 1);
	load_free(&l);
	load_http(&l, "", "bz2", &o);
	assert_loaded(&l, 1);
	assert_int_equal(count("", "bz2/noarch/repodata.json.bz2"), 1);
	load_free(&l);
}

static void test_truncated(void **state)
{
	struct options o = { .store = "store5", .tries = 2 };
	eb_autofree char *a = tiny("a");
	struct load l;

	(void)state;
	put_text("http6/noarch/repodata.json", a);
	load_http(&l, "/@cut=20,noetag@", "http6", &o);
	assert_failed(&l, EB_INTEGRITY, "breaks off after 20 of ");
	load_free(&l);
	put_text("http6/noarch/repodata.json", "{\"packages\": {");
	load_http(&l, "", "http6", &o);
	assert_failed(&l, EB_INTEGRITY, "breaks off after 14 bytes");
	load_free(&l);
	/* nothing of it stays */
	o.o.offline = true;
	load_http(&l, "", "http6", &o);
	assert_failed(&l, EB_NETWORK, "not in the store");
	load_free(&l);
}

static void test_absent(void **state)
{
	struct options o = { .store = "store6", .tries = 1 };
	struct load l;

	(void)state;
	load_http(&l, "", "nothing", &o);
	assert_failed(&l, EB_NETWORK, "neither \"http://127.0.0.1:");
	load_free(&l);
	load(&l, "http://u:secret@127.0.0.1:1/t/tk-77/x", &o);
	assert_failed(&l, EB_NETWORK,
		      "channel \"http://127.0.0.1:1/x\": "
		      "\"http://127.0.0.1:1/x/linux-64/"
		      "repodata.json.zst\": downloading: ");
	assert_null(strstr(l.err.message, "secret"));
	assert_null(strstr(l.err.message, "tk-77"));
	load_free(&l);
}

static void test_login(void **state)
{
	struct options o = { .store = "store7" };
	eb_autofree char *a = tiny("a");
	eb_autofree char *url =
		eb_asprintf("http://me:secret@127.0.0.1:%u/@login=me:secret@/"
			    "http7",
			    server.port);
	struct load l;
	struct eb_store *store = NULL;
	eb_autofree char *dir = eb_path_join(top, "store7");
	eb_autofree char *key = NULL;
	EB_AUTOBUF(text, 65536);

	(void)state;
	put_text("http7/noarch/repodata.json", a);
	load(&l, url, &o);
	assert_loaded(&l, 1);
	assert_null(strstr(only(&l, "a")->url, "me:secret@127"));
	load_free(&l);
	key = eb_asprintf("http://127.0.0.1:%u/@login=me:secret@/http7/noarch/"
			  "repodata.json",
			  server.port);
	assert_int_equal(eb_store_open(dir, 0, &store, &l.err), 0);
	assert_int_equal(
		eb_store_find_fact(store, "repodata", key, &text, &l.err), 1);
	assert_non_null(strstr(text.data, "\"digest\":\"sha256:"));
	assert_null(strstr(text.data, "secret@127"));
	eb_store_close(store);
}

/* Another byte in the blob of this text, and no index of it. */
static void damage(const char *store_name, const char *text)
{
	struct eb_error err = EB_ERROR_INIT;
	EB_CLEANUP(eb_store_close_ptr) struct eb_store *store = NULL;
	eb_autofree char *dir = eb_path_join(top, store_name);
	eb_autofree char *other = eb_strdup(text);
	eb_autofree char *path = NULL;
	struct eb_digest digest;

	eb_sha256(text, strlen(text), &digest);
	assert_int_equal(eb_store_open(dir, 0, &store, &err), 0);
	assert_int_equal(eb_store_has(store, &digest, &err), 1);
	assert_int_equal(
		eb_store_put_facts(store, "repodata-index", "", NULL, 0, &err),
		0);
	path = eb_store_blob_path(store, &digest);
	other[strlen(other) - 5] ^= 1;
	assert_int_equal(eb_write_file(path, other, strlen(other), 0600, &err),
			 0);
}

static void test_damaged_blob(void **state)
{
	struct options o = { .store = "store8" };
	eb_autofree char *a = tiny("a");
	struct load l;

	(void)state;
	put_text("http8/noarch/repodata.json", a);
	load_http(&l, "", "http8", &o);
	assert_loaded(&l, 1);
	load_free(&l);

	damage("store8", a);
	load_http(&l, "", "http8", &o);
	assert_loaded(&l, 1);
	assert_int_equal(l.warnings, 1);
	assert_non_null(strstr(l.warning, "damaged; it is fetched anew"));
	load_free(&l);

	damage("store8", a);
	o.o.offline = true;
	load_http(&l, "", "http8", &o);
	assert_failed(&l, EB_INTEGRITY, "damaged");
	load_free(&l);
}

/* --- by hand, and real files ----------------------------------------- */

static void test_add(void **state)
{
	struct eb_repodata *rd = eb_repodata_new();
	char name[] = "a", version[] = "1.0", build[] = "0", sub[] = "noarch";
	struct eb_record r = {
		.name = name, .version = version, .build = build, .subdir = sub
	};
	const uint32_t *list;
	unsigned channel;

	(void)state;
	eb_repodata_add(rd, &r, 0);
	assert_int_equal(eb_repodata_by_name(rd, "a", &list), 1);
	*version = '2';
	eb_repodata_add(rd, &r, 3);
	assert_int_equal(eb_repodata_by_name(rd, "a", &list), 2);
	assert_string_equal(eb_repodata_record(rd, list[1], &channel)->version,
			    "2.0");
	assert_int_equal(channel, 3);
	assert_int_equal(eb_repodata_by_name(rd, "b", &list), 0);
	eb_repodata_free(rd);
}

/* The same fields as by a document tree and eb_record_from_json. */
static void compare(const struct load *l, const json_t *whole, const char *map,
		    size_t *seen)
{
	const char *fn;
	json_t *j;

	json_object_foreach (json_object_get(whole, map), fn, j) {
		struct eb_error err = EB_ERROR_INIT;
		struct eb_record want = { 0 };
		const uint32_t *list;
		size_t n;
		bool found = false;

		assert_int_equal(
			eb_record_from_json(j, fn, "linux-64", &want, &err), 0);
		n = eb_repodata_by_name(l->rd, want.name, &list);
		for (size_t i = 0; i < n && !found; i++) {
			const struct eb_record *r =
				eb_repodata_record(l->rd, list[i], NULL);
			eb_autojson json_t *x = NULL, *y = NULL;

			if (strcmp(r->fn, fn))
				continue;
			found = true;
			free(want.url);
			free(want.channel);
			want.url = eb_strdup(r->url);
			want.channel = eb_strdup(r->channel);
			x = eb_record_to_json(r);
			y = eb_record_to_json(&want);
			if (!json_equal(x, y))
				fail_msg("%s differs", fn);
		}
		*seen += found;
		eb_record_release(&want);
	}
}

static void test_real(void **state)
{
	const char *data = getenv("ENVBUILD_DATA");
	eb_autofree char *dir =
		eb_path_join(data ? data : "ENVBUILD_DATA",
			     "conda/repodata/real/conda-forge-subchannel-2024");
	eb_autofree char *path = eb_path_join(dir, "linux-64/repodata.json");
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(text, EB_MAX_TEXT);
	eb_autojson json_t *whole = NULL;
	struct load l;
	size_t seen = 0, n;

	(void)state;
	if (!eb_path_exists(path)) {
		print_message("%s is not there\n", path);
		skip();
	}
	assert_int_equal(eb_read_file(path, EB_MAX_TEXT, &text, &err), 0);
	whole = eb_json_parse(text.data, text.len, path, &err);
	assert_non_null(whole);
	load(&l, dir, NULL);
	assert_int_equal(l.got, 0);
	assert_int_equal(l.warnings, 0);
	compare(&l, whole, "packages.conda", &seen);
	compare(&l, whole, "packages", &seen);
	n = json_object_size(json_object_get(whole, "packages.conda")) +
	    json_object_size(json_object_get(whole, "packages"));
	assert_true(n > 2000);
	assert_int_equal(seen, n);
	load_free(&l);
}

/* --- frame ----------------------------------------------------------- */

static int setup(void **state)
{
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	unsetenv("http_proxy");
	top = eb_make_tempdir("/tmp", "test_repodata.", &err);
	if (!top)
		return -1;
	setenv("HOME", top, 1);
	return httpd_start(&server, top, NULL);
}

static int teardown(void **state)
{
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	httpd_stop(&server);
	eb_remove_tree(top, &err);
	free(top);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_base_url),
		cmocka_unit_test(test_conda_wins),
		cmocka_unit_test(test_as_of),
		cmocka_unit_test(test_as_of_conda),
		cmocka_unit_test(test_v3),
		cmocka_unit_test(test_extras),
		cmocka_unit_test(test_bz2),
		cmocka_unit_test(test_malformed),
		cmocka_unit_test(test_not_json),
		cmocka_unit_test(test_deep_and_long),
		cmocka_unit_test(test_window),
		cmocka_unit_test(test_local),
		cmocka_unit_test(test_conditional),
		cmocka_unit_test(test_fresh),
		cmocka_unit_test(test_offline),
		cmocka_unit_test(test_other_file),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_absent),
		cmocka_unit_test(test_login),
		cmocka_unit_test(test_damaged_blob),
		cmocka_unit_test(test_add),
		cmocka_unit_test(test_real),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
