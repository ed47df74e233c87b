/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sharded repodata: what is fetched of it, what is kept, what is done where it
 * is not what it should be.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include <envbuild/json.h>
#include <envbuild/repodata.h>

#include "conda/msgpack_json.h"
#include "conda/repodata_int.h"
#include "httpd.h"
#include "make_shards.h"

static char *top; /* of everything that a test writes */
static struct httpd server;

/* --- MessagePack ----------------------------------------------------- */

#define B(text) text, sizeof text - 1

static const struct {
	const char *p;
	size_t n;
	const char *json;
} good[] = {
	{ B("\xc0"), "null" },
	{ B("\xc2"), "false" },
	{ B("\xc3"), "true" },
	{ B("\x7f"), "127" },
	{ B("\xe0"), "-32" },
	{ B("\xcc\xff"), "255" },
	{ B("\xcd\x01\x00"), "256" },
	{ B("\xce\xff\xff\xff\xff"), "4294967295" },
	{ B("\xcf\xff\xff\xff\xff\xff\xff\xff\xff"), "18446744073709551615" },
	{ B("\xd0\x80"), "-128" },
	{ B("\xd1\xff\x00"), "-256" },
	{ B("\xd2\x80\x00\x00\x00"), "-2147483648" },
	{ B("\xd3\xff\xff\xff\xff\xff\xff\xff\xff"), "-1" },
	{ B("\xca\x3f\x80\x00\x00"), "1" },
	{ B("\xcb\x40\x09\x00\x00\x00\x00\x00\x00"), "3.125" },
	{ B("\xcb\x7f\xf0\x00\x00\x00\x00\x00\x00"), "null" },
	{ B("\xa3"
	    "a\"\n"),
	  "\"a\\\"\\u000a\"" },
	{ B("\xd9\x01x"), "\"x\"" },
	{ B("\xda\x00\x01\\"), "\"\\\\\"" },
	{ B("\xdb\x00\x00\x00\x01y"), "\"y\"" },
	{ B("\xc4\x02\x0f\xa0"), "\"0fa0\"" },
	{ B("\xc5\x00\x01\xff"), "\"ff\"" },
	{ B("\xc6\x00\x00\x00\x00"), "\"\"" },
	{ B("\x90"), "[]" },
	{ B("\x92\x01\x91\xc0"), "[1,[null]]" },
	{ B("\xdc\x00\x01\x05"), "[5]" },
	{ B("\xdd\x00\x00\x00\x01\x05"), "[5]" },
	{ B("\x80"), "{}" },
	{ B("\x82\xa1"
	    "a\x01\xd9\x01"
	    "b\x90"),
	  "{\"a\":1,\"b\":[]}" },
	{ B("\xde\x00\x01\xa1"
	    "a\x01"),
	  "{\"a\":1}" },
	{ B("\xdf\x00\x00\x00\x01\xa1"
	    "a\x01"),
	  "{\"a\":1}" },
};

static void test_msgpack(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		struct eb_error err = EB_ERROR_INIT;

		for (size_t n = 0; n < good[i].n; n++) {
			EB_AUTOBUF(cut, 1000);

			assert_int_equal(
				eb_msgpack_json(good[i].p, n, "x", &cut, &err),
				-1);
			assert_int_equal(err.code, EB_INTEGRITY);
			eb_err_release(&err);
		}
		EB_AUTOBUF(out, 1000);
		assert_int_equal(
			eb_msgpack_json(good[i].p, good[i].n, "x", &out, &err),
			0);
		assert_string_equal(out.data, good[i].json);
	}
}

static const struct {
	const char *p;
	size_t n;
	enum eb_code code;
	const char *words;
} wrong[] = {
	{ B("\xc1"), EB_INPUT, "an unknown type at byte 0" },
	{ B("\xc7\x01\x05x"), EB_INPUT, "an unknown type" },
	{ B("\xd4\x05x"), EB_INPUT, "an unknown type" },
	{ B("\x81\x01\x01"), EB_INPUT, "a key that is no text at byte 1" },
	{ B("\x81\xc4\x01x\x01"), EB_INPUT, "a key that is no text" },
	{ B("\x01\x02"), EB_INPUT, "something behind the end at byte 1" },
	{ B("\xdd\xff\xff\xff\xff"), EB_INTEGRITY, "breaks off after 5" },
	{ B("\xdf\xff\xff\xff\xff\xa1"
	    "a"),
	  EB_INTEGRITY, "breaks off" },
	{ B("\xdb\xff\xff\xff\xff"
	    "abc"),
	  EB_INTEGRITY, "breaks off" },
	{ B("\xc6\xff\xff\xff\xff"
	    "abc"),
	  EB_INTEGRITY, "breaks off" },
	{ B("\xdc\x00\x40\xaf"
	    "aaaaaaaaaaaaaaa\xaf"
	    "bbbbbbbbbbbbbbb\xaf"
	    "ccccccccccccccc"),
	  EB_INPUT, "more than is allowed" },
};

static void test_msgpack_wrong(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	char deep[5000];
	EB_AUTOBUF(out, 1000);

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		EB_AUTOBUF(small, 40);

		assert_int_equal(eb_msgpack_json(wrong[i].p, wrong[i].n, "x",
						 &small, &err),
				 -1);
		if (!strstr(err.message, wrong[i].words))
			fail_msg("\"%s\" is not in: %s", wrong[i].words,
				 err.message);
		assert_int_equal(err.code, wrong[i].code);
		eb_err_release(&err);
	}
	memset(deep, '\x91', sizeof deep);
	assert_int_equal(eb_msgpack_json(deep, sizeof deep, "x", &out, &err),
			 -1);
	assert_non_null(strstr(err.message, "more than 64 levels"));
	eb_err_release(&err);
}

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

/* With ' for ". */
static json_t *parse(const char *text)
{
	eb_autofree char *copy = eb_strdup(text);
	json_t *j;

	for (char *p = copy; *p; p++)
		if (*p == '\'')
			*p = '"';
	j = json_loads(copy, 0, NULL);
	assert_non_null(j);
	return j;
}

struct channel {
	const char *name;
	json_t *shards; /* of the index */
	json_t *info;
};

static void begin(struct channel *c, const char *name)
{
	c->name = name;
	c->shards = json_object();
	c->info = parse("{'subdir':'noarch','base_url':'','shards_base_url':"
			"'./shards/'}");
}

/* The bytes of `name`'s shard, with the digest of `of`. */
static void add_bytes(struct channel *c, const char *name,
		      const struct eb_buf *bytes, const struct eb_buf *of)
{
	char hex[EB_HEX_SIZE];
	struct eb_digest digest;
	eb_autofree char *path = NULL;
	eb_autofree char *value = NULL;

	eb_sha256(of->data, of->len, &digest);
	eb_digest_hex(&digest, hex);
	path = eb_asprintf("%s/noarch/shards/%s.msgpack.zst", c->name, hex);
	value = eb_asprintf("hex:%s", hex);
	json_object_set_new(c->shards, name, json_string(value));
	if (bytes)
		put(path, bytes->data, bytes->len);
}

static void shard_bytes(const char *text, struct eb_buf *out)
{
	EB_AUTOBUF(raw, EB_MAX_TEXT);
	json_t *j = parse(text);

	pack_json(&raw, j);
	squeeze_bytes(raw.data, raw.len, out);
	json_decref(j);
}

/* A shard with the versions 1 and 2 of a name, which need `depends`. */
static char *shard_text(const char *name, const char *depends)
{
	return eb_asprintf(
		"{'packages':{'%s-1-0.tar.bz2':{'name':'%s','version':'1',"
		"'build':'0','build_number':0,'depends':[%s],'md5':"
		"'hex:00112233445566778899aabbccddeeff'}},'packages.conda':{"
		"'%s-2-0.conda':{'name':'%s','version':'2','build':'0',"
		"'build_number':0,'depends':[%s],'size':77,'sha256':"
		"'hex:000102030405060708090a0b0c0d0e0f"
		"101112131415161718191a1b1c1d1e1f'}}}",
		name, name, depends, name, name, depends);
}

static void add(struct channel *c, const char *name, const char *depends)
{
	eb_autofree char *text = shard_text(name, depends);
	EB_AUTOBUF(bytes, EB_MAX_TEXT);

	shard_bytes(text, &bytes);
	add_bytes(c, name, &bytes, &bytes);
}

static void put_index(const struct channel *c, const void *p, size_t n)
{
	eb_autofree char *path =
		eb_asprintf("%s/noarch/repodata_shards.msgpack.zst", c->name);

	put(path, p, n);
}

static void finish(struct channel *c)
{
	json_t *j = json_pack("{sO sO si}", "info", c->info, "shards",
			      c->shards, "version", 1);
	EB_AUTOBUF(raw, EB_MAX_TEXT);
	EB_AUTOBUF(bytes, EB_MAX_TEXT);

	pack_json(&raw, j);
	squeeze_bytes(raw.data, raw.len, &bytes);
	put_index(c, bytes.data, bytes.len);
	json_decref(j);
}

static void release(struct channel *c)
{
	json_decref(c->shards);
	json_decref(c->info);
}

/* The whole, which has but the name "whole". */
static void put_whole(const char *channel)
{
	static const char text[] =
		"{\"packages\":{\"whole-1-0.tar.bz2\":{\"name\":\"whole\","
		"\"version\":\"1\",\"build\":\"0\"}}}";
	eb_autofree char *path =
		eb_asprintf("%s/noarch/repodata.json", channel);

	put(path, text, strlen(text));
}

/* a needs b and c, c needs a; lone is nobody's. */
static void put_loop(const char *name)
{
	struct channel c;

	begin(&c, name);
	add(&c, "a", "'b >=1','x::c 1.*'");
	add(&c, "b", "'missing'");
	add(&c, "c", "'a'");
	add(&c, "lone", "");
	finish(&c);
	release(&c);
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
	const char *spec;  /* NULL: all names */
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

static void load(struct load *l, const char *channel, const struct options *use)
{
	struct eb_repodata_options options = use->o;
	struct eb_events *events = eb_events_new(keep_warning, l);
	EB_CLEANUP(eb_http_free_ptr) struct eb_http *http = NULL;
	EB_CLEANUP(eb_store_close_ptr) struct eb_store *store = NULL;
	EB_CLEANUP(eb_matchspec_free_ptr) struct eb_matchspec *spec = NULL;
	eb_autofree char *dir = NULL;

	memset(l, 0, sizeof *l);
	options.subdir = "linux-64";
	if (use->spec) {
		spec = eb_matchspec_parse(use->spec, EB_LENIENT, &l->err);
		assert_non_null(spec);
		options.spec = (const struct eb_matchspec *const *)&spec;
		options.n_specs = 1;
	}
	if (use->store) {
		dir = eb_path_join(top, use->store);
		if (eb_store_open(dir, 0, &store, &l->err) < 0)
			fail_msg("%s", l->err.message);
	}
	http = eb_http_new(
		&(struct eb_http_options){ .backoff_ms = 1,
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

static void load_local(struct load *l, const char *name, const char *spec)
{
	eb_autofree char *path = eb_path_join(top, name);

	load(l, path, &(struct options){ .spec = spec });
}

/* Channel `name` below top, by http, with the server's options. */
static void load_http(struct load *l, const char *options, const char *name,
		      const struct options *o)
{
	eb_autofree char *url = eb_asprintf("http://127.0.0.1:%u%s/%s",
					    server.port, options, name);

	load(l, url, o);
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
	load_free(l);
}

/* The whole was used instead, and why is told. */
static void assert_whole(struct load *l, const char *words)
{
	const uint32_t *list;

	assert_loaded(l, 1);
	assert_int_equal(eb_repodata_by_name(l->rd, "whole", &list), 1);
	assert_int_equal(l->warnings, 1);
	if (!strstr(l->warning, words) ||
	    !strstr(l->warning, "repodata.json is used instead"))
		fail_msg("\"%s\" is not in: %s", words, l->warning);
	load_free(l);
}

static size_t count(const struct load *l, const char *name)
{
	const uint32_t *list;

	return eb_repodata_by_name(l->rd, name, &list);
}

/* --- what is there --------------------------------------------------- */

static void check_record(const struct load *l)
{
	const uint32_t *list;
	const struct eb_record *r;
	char hex[EB_HEX_SIZE];
	eb_autofree char *url =
		eb_asprintf("file://%s/plain/noarch/a-2-0.conda", top);

	assert_int_equal(eb_repodata_by_name(l->rd, "a", &list), 2);
	r = eb_repodata_record(l->rd, list[0], NULL);
	assert_string_equal(r->md5, "00112233445566778899aabbccddeeff");
	r = eb_repodata_record(l->rd, list[1], NULL);
	assert_string_equal(r->url, url);
	assert_string_equal(r->depends.v[1], "x::c 1.*");
	assert_int_equal(r->size, 77);
	assert_string_equal(eb_digest_hex(&r->sha256, hex),
			    "000102030405060708090a0b0c0d0e0f1011121314151617"
			    "18191a1b1c1d1e1f");
}

static void test_names(void **state)
{
	static const struct {
		const char *spec;
		size_t n;
	} rows[] = {
		{ "a", 6 },    { "b", 2 },     { "lone", 2 }, { "missing", 0 },
		{ "c=1", 6 },  { "l*", 2 },    { "*", 8 },    { NULL, 8 },
		{ "A >1", 6 }, { "[abc]", 0 },
	};
	struct load l;

	(void)state;
	put_loop("plain");
	for (size_t i = 0; i + 1 < sizeof rows / sizeof *rows; i++) {
		load_local(&l, "plain", rows[i].spec);
		assert_loaded(&l, rows[i].n);
		assert_int_equal(l.warnings, 0);
		load_free(&l);
	}
	load_local(&l, "plain", "a");
	check_record(&l);
	load_free(&l);
}

static void add_groups(struct channel *c, const char *name, const char *more)
{
	eb_autofree char *text = eb_asprintf(
		"{'v3':{'conda':{'%s-1-0':{'name':'%s','version':'1',"
		"'build':'0',%s}}}}",
		name, name, more);
	EB_AUTOBUF(bytes, EB_MAX_TEXT);

	shard_bytes(text, &bytes);
	add_bytes(c, name, &bytes, &bytes);
}

/* CEP 44: p is a group's alone, and its own group needs q. */
static void put_groups(const char *name)
{
	struct channel c;

	begin(&c, name);
	add_groups(&c, "g",
		   "'depends':['b'],'extra_depends':{'none':[],"
		   "'x':['p[extras=[y]]']}");
	add_groups(&c, "p", "'flags':['cpu'],'extra_depends':{'y':['q','g']}");
	add(&c, "b", "");
	add(&c, "q", "");
	add(&c, "user", "'g[extras=x]'");
	finish(&c);
	release(&c);
}

/* What is there of a name. */
static size_t have(const struct load *l, const char *name)
{
	const uint32_t *list;

	return eb_repodata_by_name(l->rd, name, &list);
}

static void test_groups(void **state)
{
	static const struct {
		const char *spec;
		bool g, b, p, q;
	} rows[] = {
		{ "g", true, true, false, false },
		{ "g[extras=x]", true, true, true, true },
		{ "g[extras=none]", true, true, true, true },
		{ "user", true, true, true, true },
		{ "p", false, false, true, false },
		{ "p[extras=y]", true, true, true, true },
		{ "b", false, true, false, false },
	};
	struct load l;

	(void)state;
	put_groups("groups");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		load_local(&l, "groups", rows[i].spec);
		assert_int_equal(have(&l, "g") > 0, rows[i].g);
		assert_int_equal(have(&l, "b") > 0, rows[i].b);
		assert_int_equal(have(&l, "p") > 0, rows[i].p);
		assert_int_equal(have(&l, "q") > 0, rows[i].q);
		load_free(&l);
	}
}

/* The names are all there, for who misspelt one. */
static void test_all_names(void **state)
{
	struct load l;
	size_t n;

	(void)state;
	put_loop("plain");
	load_local(&l, "plain", "b");
	eb_rd_names(l.rd, &n);
	assert_int_equal(n, 4);
	load_free(&l);
}

static void test_base_url(void **state)
{
	struct channel c;
	struct load l;
	const uint32_t *list;

	(void)state;
	begin(&c, "based");
	add(&c, "a", "");
	json_object_set_new(c.info, "base_url",
			    json_string("https://u:p@cdn.example/pk"));
	finish(&c);
	release(&c);
	load_local(&l, "based", "a");
	assert_loaded(&l, 2);
	assert_int_equal(eb_repodata_by_name(l.rd, "a", &list), 2);
	assert_string_equal(eb_repodata_record(l.rd, list[1], NULL)->url,
			    "https://cdn.example/pk/a-2-0.conda");
	load_free(&l);
}

/* Another package's records in a shard count for nothing, a malformed one is
 * told. */
static void test_odd_records(void **state)
{
	static const char text[] =
		"{'packages':{'b-9-0.tar.bz2':{'name':'b','version':'9',"
		"'build':'0'},'a-1-0.tar.bz2':{'name':'a','version':'1',"
		"'build':'0'},'a-3-0.tar.bz2':{'name':'a','version':'1',"
		"'build':'0','depends':7}},'removed':[],'more':{'x':[1]}}";
	EB_AUTOBUF(bytes, EB_MAX_TEXT);
	struct channel c;
	struct load l;

	(void)state;
	begin(&c, "odd");
	shard_bytes(text, &bytes);
	add_bytes(&c, "a", &bytes, &bytes);
	add(&c, "b", "");
	add_bytes(&c, "../x", NULL, &bytes);
	finish(&c);
	release(&c);
	load_local(&l, "odd", "*");
	assert_loaded(&l, 3);
	assert_int_equal(count(&l, "b"), 2);
	assert_int_equal(l.warnings, 1);
	assert_non_null(strstr(l.warning, "1 malformed record is left out"));
	assert_non_null(eb_repodata_malformed(l.rd, "a"));
	load_free(&l);
}

/* --- what is wrong --------------------------------------------------- */

static void test_wrong_digest(void **state)
{
	EB_AUTOBUF(good_bytes, EB_MAX_TEXT);
	EB_AUTOBUF(other, EB_MAX_TEXT);
	struct options o = { .store = "wrong-store", .spec = "a" };
	struct channel c;
	struct load l;

	(void)state;
	begin(&c, "wrong");
	shard_bytes("{'packages':{}}", &good_bytes);
	shard_bytes("{'packages':{},'x':1}", &other);
	add_bytes(&c, "a", &other, &good_bytes);
	finish(&c);
	release(&c);
	put_whole("wrong");
	load_local(&l, "wrong", "a");
	assert_failed(&l, EB_INTEGRITY, "reading a shard: its sha256 is ");
	load_http(&l, "", "wrong", &o);
	assert_failed(&l, EB_INTEGRITY, "reading a shard: its sha256 is ");
}

/* Bytes whose digest is right but that are no shard. */
static void test_no_shard(void **state)
{
	static char pad[17 << 20];
	EB_AUTOBUF(bytes, 20 << 20);
	const struct {
		const void *p;
		size_t n;
		const char *words;
	} rows[] = {
		{ B("\xc1"), "an unknown type" },
		{ B("\x81"), "breaks off" },
		{ B("\x90"), "no object" },
		{ pad, sizeof pad, "more than 16777216 bytes" },
	};

	(void)state;
	for (size_t i = 0; i <= sizeof rows / sizeof *rows; i++) {
		struct channel c;
		struct load l;

		begin(&c, "none");
		if (i < sizeof rows / sizeof *rows)
			squeeze_bytes(rows[i].p, rows[i].n, &bytes);
		add_bytes(&c, "a",
			  i < sizeof rows / sizeof *rows ? &bytes : NULL,
			  &bytes);
		finish(&c);
		release(&c);
		if (i == sizeof rows / sizeof *rows) {
			eb_autofree char *gone =
				eb_asprintf("%s/none/noarch/shards", top);
			struct eb_error err = EB_ERROR_INIT;

			assert_int_equal(eb_remove_tree(gone, &err), 0);
		}
		put_whole("none");
		load_local(&l, "none", "a");
		assert_whole(&l, i < sizeof rows / sizeof *rows
					 ? rows[i].words
					 : "opening: No such file");
	}
}

static void test_wrong_index(void **state)
{
	static const struct {
		const void *p;
		size_t n;
		const char *words;
	} rows[] = {
		{ B("\xc1"), "an unknown type" },
		{ B(""), "breaks off" },
		{ B("\x80"), "no \"shards\"" },
		{ B("\x81\xa6shards\x90"), "no object" },
		{ B("\x81\xa6shards\x81\xa1"
		    "a\xc4\x01x"),
		  "a digest that is none" },
		{ B("\x81\xa6shards\x81\xa1"
		    "a\x01"),
		  "a digest that is none" },
		{ B("\x81\xa6shards\xdf\xff\xff\xff\xff"), "breaks off" },
	};
	EB_AUTOBUF(bytes, EB_MAX_TEXT);
	struct channel c = { .name = "index" };
	struct load l;

	(void)state;
	put_whole("index");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		squeeze_bytes(rows[i].p, rows[i].n, &bytes);
		put_index(&c, bytes.data, bytes.len);
		load_local(&l, "index", "whole");
		assert_whole(&l, rows[i].words);
	}
	put_index(&c, bytes.data, bytes.len - 3);
	load_local(&l, "index", "whole");
	assert_whole(&l, "repodata_shards.msgpack.zst\"");
	put_index(&c, "no zstd", 7);
	load_local(&l, "index", "whole");
	assert_whole(&l, "repodata_shards.msgpack.zst\"");
}

/* --- servers --------------------------------------------------------- */

static int asked(const char *options, const char *rest)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_http *http =
		eb_http_new(&(struct eb_http_options){ .backoff_ms = 1 }, NULL);
	EB_AUTOBUF(text, 4096);
	eb_autofree char *url = eb_asprintf("http://127.0.0.1:%u/_count%s/%s",
					    server.port, options, rest);
	struct eb_http_request r = { .url = url, .fd = -1, .text = &text };

	eb_http_add(http, &r);
	assert_int_equal(eb_http_run(http, &err), 0);
	assert_false(eb_err_is_set(&r.err));
	eb_http_request_release(&r);
	eb_http_free(http);
	return atoi(text.data);
}

/* How often the shard of a channel's name was asked for. */
static int asked_for(const struct channel *c, const char *name)
{
	const char *hex = json_string_value(json_object_get(c->shards, name));
	eb_autofree char *path = eb_asprintf("%s/noarch/shards/%s.msgpack.zst",
					     c->name, hex + 4);

	return asked("", path);
}

static void test_kept(void **state)
{
	struct options o = { .store = "kept-store", .spec = "a" };
	struct channel c;
	struct load l;

	(void)state;
	begin(&c, "kept");
	add(&c, "a", "'b'");
	add(&c, "b", "");
	add(&c, "d", "'a'");
	finish(&c);
	for (int i = 0; i < 2; i++) {
		load_http(&l, "", "kept", &o);
		assert_loaded(&l, 4);
		load_free(&l);
	}
	assert_int_equal(asked_for(&c, "a"), 1);
	assert_int_equal(asked_for(&c, "d"), 0);
	assert_int_equal(asked("", "kept/noarch/repodata_shards.msgpack.zst"),
			 2);
	assert_int_equal(asked("", "kept/noarch/repodata.json.zst"), 0);
	/* one more name */
	o.spec = "d";
	load_http(&l, "", "kept", &o);
	assert_loaded(&l, 6);
	load_free(&l);
	assert_int_equal(asked_for(&c, "a"), 1);
	/* one of them changes */
	add(&c, "b", "'e'");
	add(&c, "e", "");
	finish(&c);
	load_http(&l, "", "kept", &o);
	assert_loaded(&l, 8);
	load_free(&l);
	assert_int_equal(asked_for(&c, "a"), 1);
	assert_int_equal(asked_for(&c, "b"), 1);
	release(&c);
	/* all of it is here */
	o.o.offline = true;
	load_http(&l, "", "kept", &o);
	assert_loaded(&l, 8);
	load_free(&l);
}

static void test_offline(void **state)
{
	struct options o = { .store = "off-store", .spec = "b" };
	struct load l;

	(void)state;
	put_loop("off");
	load_http(&l, "", "off", &o);
	assert_loaded(&l, 2);
	load_free(&l);
	o.o.offline = true;
	o.spec = "lone";
	load_http(&l, "", "off", &o);
	assert_failed(&l, EB_NETWORK, "the shard of lone: not in the store");
}

/* A server that has none, or says so otherwise. */
static void test_none(void **state)
{
	static const char *const how[] = { "", "/@code=403@", "/@code=501@" };
	struct load l;

	(void)state;
	for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
		eb_autofree char *store = eb_asprintf("none-store%zu", i);
		struct options o = { .store = store, .spec = "whole" };

		put_whole("only");
		load_http(&l, how[i], "only", &o);
		if (!i)
			assert_loaded(&l, 1);
		assert_int_equal(l.warnings, 0);
		load_free(&l);
	}
	/* what was not there is not asked for again */
	for (int i = 0; i < 2; i++) {
		struct options o = { .store = "none-store0", .spec = "whole" };

		load_http(&l, "", "only", &o);
		assert_loaded(&l, 1);
		load_free(&l);
	}
	assert_int_equal(asked("", "only/noarch/repodata_shards.msgpack.zst"),
			 1);
	assert_int_equal(asked("", "only/noarch/repodata.json.zst"), 1);
	assert_int_equal(asked("", "only/noarch/repodata.json"), 3);
}

/* The file that a subdir had goes, another comes. */
static void test_moved(void **state)
{
	struct options o = { .store = "moved-store", .spec = "whole" };
	eb_autofree char *json =
		eb_path_join(top, "moved/noarch/repodata.json");
	struct load l;

	(void)state;
	put_whole("moved");
	load_http(&l, "", "moved", &o);
	assert_loaded(&l, 1);
	load_free(&l);
	assert_int_equal(remove(json), 0);
	put_loop("moved");
	o.spec = "b";
	load_http(&l, "", "moved", &o);
	assert_loaded(&l, 2);
	load_free(&l);
}

/* Its shards lag behind its index. */
static void test_lag(void **state)
{
	struct options o = { .store = "lag-store", .spec = "a" };
	EB_AUTOBUF(bytes, EB_MAX_TEXT);
	struct channel c;
	struct load l;

	(void)state;
	begin(&c, "lag");
	add(&c, "a", "'gone'");
	shard_bytes("{'packages':{}}", &bytes);
	add_bytes(&c, "gone", NULL, &bytes);
	finish(&c);
	release(&c);
	load_http(&l, "", "lag", &o);
	assert_failed(&l, EB_NETWORK, ".msgpack.zst\": downloading: not there");
	put_whole("lag");
	load_http(&l, "", "lag", &o);
	assert_whole(&l, "downloading: not there (404)");
}

static void test_login(void **state)
{
	struct options o = { .store = "login-store", .spec = "a" };
	eb_autofree char *url = eb_asprintf(
		"http://me:secret@127.0.0.1:%u/@login=me:secret@/login",
		server.port);
	struct load l;

	(void)state;
	put_loop("login");
	load(&l, url, &o);
	assert_loaded(&l, 6);
	load_free(&l);
}

/* --- an index that suffered ------------------------------------------ */

/* Whatever stands in it: no read outside. */
static void test_damaged_segment(void **state)
{
	EB_CLEANUP(eb_rd_build_free_ptr)
	struct eb_rd_build *b = eb_rd_build_new("file:///x/");
	char name[] = "a", version[] = "1", build[] = "0", dep[] = "b >1";
	char *deps[] = { dep, NULL };
	struct eb_record r = { .name = name,
			       .version = version,
			       .build = build,
			       .depends = { .v = deps, .n = 1 } };
	eb_autofree struct eb_rd_head *h = NULL;
	size_t size;

	(void)state;
	eb_rd_build_add(b, &r);
	h = eb_rd_seal_memory(b);
	size = h->size;
	assert_true(eb_rd_segment_ok(h, size));
	assert_false(eb_rd_segment_ok(h, size - 1));
	for (size_t i = 0; i < 8 * size; i++) {
		eb_autofree struct eb_rd_head *copy = eb_malloc(size);
		const struct eb_rd_group *g;
		size_t n;

		memcpy(copy, h, size);
		((char *)copy)[i / 8] ^= (char)(1 << i % 8);
		if (!eb_rd_segment_ok(copy, size))
			continue;
		g = eb_rd_group_of(copy, "a");
		for (uint32_t k = 0; g && k < g->n; k++) {
			const struct eb_rd_row *row =
				eb_rd_rows(copy) + g->first + k;
			const uint32_t *id = eb_rd_list(copy, row, &n);

			while (n--)
				assert_non_null(eb_rd_text(copy, id[n]));
		}
	}
}

/* --- names of dependencies ------------------------------------------- */

static void test_need_names(void **state)
{
	static const struct {
		const char *text, *name;
	} rows[] = {
		{ "python", "python" },
		{ "Python >=3", "python" },
		{ "numpy=1.2", "numpy" },
		{ "numpy>=1", "numpy" },
		{ "  x<2", "x" },
		{ "x!=2", "x" },
		{ "x~=2", "x" },
		{ "x[version='>1']", "x" },
		{ "x[version='>1',extras=[a]]", "x[]" },
		{ "c::x[extras=a]", "x[]" },
		{ "conda-forge::x 1.*", "x" },
		{ "conda-forge/linux-64::x", "x" },
		{ "py* >1", "py*" },
		{ "_x86_64-microarch-level", "_x86_64-microarch-level" },
		{ "", NULL },
		{ ">=2", NULL },
	};
	char name[EB_RD_MAX_NAME];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		assert_int_equal(eb_rd_need_name(rows[i].text, name),
				 rows[i].name != NULL);
		if (rows[i].name)
			assert_string_equal(name, rows[i].name);
	}
}

/* --- frame ----------------------------------------------------------- */

static int setup(void **state)
{
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	unsetenv("http_proxy");
	top = eb_make_tempdir("/tmp", "test_shards.", &err);
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
		cmocka_unit_test(test_msgpack),
		cmocka_unit_test(test_msgpack_wrong),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_all_names),
		cmocka_unit_test(test_base_url),
		cmocka_unit_test(test_odd_records),
		cmocka_unit_test(test_wrong_digest),
		cmocka_unit_test(test_no_shard),
		cmocka_unit_test(test_wrong_index),
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_offline),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_moved),
		cmocka_unit_test(test_lag),
		cmocka_unit_test(test_login),
		cmocka_unit_test(test_damaged_segment),
		cmocka_unit_test(test_need_names),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
