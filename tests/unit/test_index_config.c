/* SPDX-License-Identifier: Apache-2.0 */
/* pip's settings: files, variables, the section's own; and pip as a judge. */
#include "index_fixture.h"

#include <envbuild/json.h>
#include <python/index_ini.h>
#include <python/index_int.h>

static char *dir;

static int set_up(void **state)
{
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	dir = eb_make_tempdir("/tmp", "index-config-", &err);
	if (!dir)
		return -1;
	index_clean_environment(dir);
	return 0;
}

static int tear_down(void **state)
{
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	eb_remove_tree(dir, &err);
	free(dir);
	return 0;
}

/* Settings of `etc` below dir, and of the environment. */
static void read_in(struct eb_indexes *x)
{
	eb_autofree char *etc = eb_path_join(dir, "etc");

	MUST(eb_indexes_read_in(etc, NULL, x, NULL, err));
}

static char *joined(const struct eb_strv *v)
{
	EB_AUTOBUF(out, 65536);

	for (size_t i = 0; i < v->n; i++)
		eb_buf_addf(&out, "%s%s", i ? " " : "", v->v[i]);
	return eb_buf_steal(&out, NULL);
}

#define assert_list(list, text)                           \
	do {                                              \
		eb_autofree char *joined_ = joined(list); \
		assert_string_equal(joined_, text);       \
	} while (0)

/* ---- files ----------------------------------------------------------------
 */

static void test_ini(void **state)
{
	static const char text[] =
		"# a comment\r\n[DEFAULT]\nproxy: http://p/\n"
		"[global]\nIndex-URL = https://one/simple\n"
		"extra-index-url =\n    https://two/\n    # in between\n\n"
		"  https://three/\nno-index=\n"
		"[install] ; said of it\nproxy = x=y:z\n[empty]\n";
	struct eb_ini ini;
	const struct eb_ini_item *item;

	(void)state;
	MUST(eb_ini_parse(text, sizeof text - 1, "pip.conf", &ini, err));
	assert_list(&ini.section, "global install empty");
	item = eb_ini_item(&ini, "global", 0);
	assert_string_equal(item->key, "proxy");
	assert_string_equal(item->value, "http://p/");
	item = eb_ini_item(&ini, "global", 1);
	assert_string_equal(item->key, "index-url");
	assert_string_equal(item->value, "https://one/simple");
	assert_int_equal(item->line, 5);
	item = eb_ini_item(&ini, "global", 2);
	assert_string_equal(item->value, "\nhttps://two/\n\nhttps://three/");
	item = eb_ini_item(&ini, "global", 3);
	assert_string_equal(item->value, "");
	assert_null(eb_ini_item(&ini, "global", 4));
	assert_string_equal(eb_ini_item(&ini, "install", 0)->value, "x=y:z");
	assert_string_equal(eb_ini_item(&ini, "empty", 0)->value, "http://p/");
	assert_null(eb_ini_item(&ini, "empty", 1));
	eb_ini_release(&ini);
}

static void test_ini_refused(void **state)
{
	static const struct {
		const char *text, *what;
		unsigned line;
	} bad[] = {
		{ "index-url = x\n", "before the first [section]", 1 },
		{ "[global]\n\nword\n", "no \"key = value\"", 3 },
		{ "[global]\n = x\n", "without a key", 2 },
		{ "[global]\na=1\nA=2\n", "key that stands there twice", 3 },
		{ "[global]\n[global]\n", "section that stands there twice",
		  2 },
		{ "[]\n", "without a name", 1 },
		{ "[global]\na=\xff\n", "no UTF-8", 0 },
		{ "\xef\xbb\xbf[global]\n", "before the first", 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct eb_error err = EB_ERROR_INIT;
		struct eb_ini ini;

		assert_int_equal(eb_ini_parse(bad[i].text, strlen(bad[i].text),
					      "pip.conf", &ini, &err),
				 -1);
		assert_int_equal(err.code, EB_INPUT);
		assert_non_null(strstr(err.message, bad[i].what));
		assert_int_equal(err.line, bad[i].line);
		eb_err_release(&err);
	}
}

static void test_order(void **state)
{
	struct eb_indexes x;

	(void)state;
	write_text(dir, "etc/xdg/pip/pip.conf",
		   "[global]\nindex-url = http://xdg/\ntimeout = 7.2\n"
		   "proxy = http://xdg-proxy/\n");
	write_text(dir, "etc/pip.conf",
		   "[global]\nindex-url = http://etc/\nretries = 3\n"
		   "[install]\nextra-index-url = http://etc-install/\n"
		   "[wheel]\nno-index = true\n");
	write_text(dir, ".pip/pip.conf",
		   "[global]\nindex-url = http://old/\nretries = 4\n"
		   "extra_index_url = http://user/\n");
	write_text(dir, ".config/pip/pip.conf",
		   "[global]\nindex-url = http://new/\ncert = ~/ca.pem\n");
	read_in(&x);
	assert_string_equal(x.url, "http://new/");
	assert_list(&x.extra, "http://etc-install/");
	assert_int_equal(x.timeout_s, 8);
	assert_int_equal(x.retries, 4);
	assert_string_equal(x.proxy, "http://xdg-proxy/");
	assert_false(x.no_index);
	assert_true(eb_ends(x.ca_file, "/ca.pem"));
	assert_int_equal(*x.ca_file, '/');
	eb_indexes_release(&x);

	/* PIP_CONFIG_FILE hides the user's; an empty value takes away */
	write_text(dir, "own.conf",
		   "[global]\nindex-url = http://own/\nproxy =\n");
	eb_autofree char *own = eb_path_join(dir, "own.conf");
	setenv("PIP_CONFIG_FILE", own, 1);
	read_in(&x);
	assert_string_equal(x.url, "http://own/");
	assert_int_equal(x.retries, 3);
	assert_null(x.proxy);
	eb_indexes_release(&x);

	write_text(dir, "venv/pip.conf", "[install]\npre = on\n");
	eb_autofree char *venv = eb_path_join(dir, "venv");
	setenv("VIRTUAL_ENV", venv, 1);
	setenv("PIP_INDEX_URL", "http://variable/", 1);
	setenv("PIP_EXTRA_INDEX_URL", " http://a/  http://b/ ", 1);
	read_in(&x);
	assert_string_equal(x.url, "http://variable/");
	assert_list(&x.extra, "http://a/ http://b/");
	assert_true(x.pre);
	assert_true(eb_strv_has(&x.source, "PIP_INDEX_URL"));
	eb_indexes_release(&x);
	unsetenv("VIRTUAL_ENV");

	setenv("PIP_CONFIG_FILE", "/dev/null", 1);
	unsetenv("PIP_INDEX_URL");
	unsetenv("PIP_EXTRA_INDEX_URL");
	read_in(&x);
	assert_null(x.url);
	assert_int_equal(x.retries, 0);
	assert_int_equal(x.source.n, 0);
	eb_indexes_release(&x);
	unsetenv("PIP_CONFIG_FILE");
}

static void test_refused(void **state)
{
	static const struct {
		const char *name, *value;
	} bad[] = {
		{ "PIP_NO_INDEX", "maybe" },
		{ "PIP_PRE", "2" },
		{ "PIP_TIMEOUT", "soon" },
		{ "PIP_DEFAULT_TIMEOUT", "-1" },
		{ "PIP_RETRIES", "1.5" },
		{ "PIP_KEYRING_PROVIDER", "vault" },
	};
	struct eb_indexes x;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct eb_error err = EB_ERROR_INIT;

		setenv(bad[i].name, bad[i].value, 1);
		assert_int_equal(eb_indexes_read_in(dir, NULL, &x, NULL, &err),
				 -1);
		assert_int_equal(err.code, EB_INPUT);
		assert_non_null(strstr(err.message, bad[i].name));
		assert_null(strstr(err.message, bad[i].value));
		eb_err_release(&err);
		unsetenv(bad[i].name);
	}
	write_text(dir, "bad/pip.conf", "[global]\n\nno-index = 7\n");
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *etc = eb_path_join(dir, "bad");
	assert_int_equal(eb_indexes_read_in(etc, NULL, &x, NULL, &err), -1);
	assert_int_equal(err.line, 3);
	assert_true(eb_ends(err.file, "bad/pip.conf"));
	eb_err_release(&err);
}

static void hear(void *data, const struct eb_event *ev)
{
	if (ev->type == EB_EV_WARNING)
		eb_buf_addf(data, "%s\n", ev->text);
}

static void test_warnings(void **state)
{
	EB_AUTOBUF(heard, 65536);
	struct eb_events *events = eb_events_new(hear, &heard);
	struct eb_indexes x;

	(void)state;
	setenv("PIP_CONSTRAINT", "c.txt", 1);
	setenv("PIP_TRUSTED_HOST", "index.example", 1);
	setenv("PIP_CONFIG_FILE", dir, 1);
	MUST(eb_indexes_read_in(dir, NULL, &x, events, err));
	assert_non_null(strstr(heard.data, "PIP_CONSTRAINT"));
	assert_non_null(strstr(heard.data, "\"index.example\": its TLS"));
	assert_non_null(strstr(heard.data, "Is a directory"));
	eb_indexes_release(&x);
	eb_events_free(events);
	unsetenv("PIP_CONSTRAINT");
	unsetenv("PIP_TRUSTED_HOST");
	unsetenv("PIP_CONFIG_FILE");
}

/* ---- the section's own ----------------------------------------------------
 */

static void test_set(void **state)
{
	struct eb_pip_set set = { .index_url = (char *)"http://set/",
				  .pre = true };
	struct eb_indexes x;

	(void)state;
	setenv("PIP_CONFIG_FILE", "/dev/null", 1);
	setenv("PIP_INDEX_URL", "http://conf/", 1);
	setenv("PIP_EXTRA_INDEX_URL", "http://conf-extra/", 1);
	setenv("PIP_FIND_LINKS", "/conf", 1);
	setenv("PIP_NO_BINARY", "numpy,Foo_Bar", 1);
	eb_strv_add(&set.extra_index, "http://set-extra/");
	eb_strv_add(&set.find_links, "wheels");
	eb_strv_add(&set.only_binary, "foo.bar");
	MUST(eb_indexes_read_in(dir, &set, &x, NULL, err));
	assert_string_equal(x.url, "http://set/");
	assert_list(&x.extra, "http://set-extra/");
	assert_int_equal(x.find_links.n, 2);
	assert_string_equal(x.find_links.v[0], "/conf");
	assert_int_equal(*x.find_links.v[1], '/');
	assert_true(eb_ends(x.find_links.v[1], "/wheels"));
	assert_list(&x.no_binary, "numpy");
	assert_list(&x.only_binary, "foo-bar");
	assert_true(x.pre);
	eb_indexes_release(&x);

	set.no_index = true;
	MUST(eb_indexes_read_in(dir, &set, &x, NULL, err));
	assert_true(x.no_index);
	assert_null(x.url);
	assert_int_equal(x.extra.n, 0);
	eb_indexes_release(&x);
	eb_strv_release(&set.extra_index);
	eb_strv_release(&set.find_links);
	eb_strv_release(&set.only_binary);
	index_clean_environment(dir);
}

static void test_format(void **state)
{
	static const struct {
		const char *value, *target, *other;
	} cases[] = {
		{ "a,B_c", "x a b-c", "y" },
		{ "y", "x y", "" },
		{ ":all:", ":all:", "" },
		{ ":none:", "", "y" },
		{ "a,:all:,b", ":all:", "" },
		{ ":all:,:none:,b", "b", "" },
		{ ":none:,:all:,b", ":all:", "" },
		{ "", "x", "y" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct eb_strv target = { 0 }, other = { 0 };

		eb_strv_add(&target, "x");
		eb_strv_add(&other, "y");
		eb_index_format(cases[i].value, &target, &other);
		assert_list(&target, cases[i].target);
		assert_list(&other, cases[i].other);
		eb_strv_release(&target);
		eb_strv_release(&other);
	}
}

/* ---- pip as a judge -------------------------------------------------------
 */

struct judged {
	const char *own;   /* of PIP_CONFIG_FILE, or NULL */
	const char *old;   /* ~/.pip/pip.conf */
	const char *user;  /* $XDG_CONFIG_HOME/pip/pip.conf */
	const char *other; /* in XDG_CONFIG_DIRS */
	const char *variable[12];
	const char *line[4];
	bool ends; /* pip refuses it */
};

static const struct judged judged[] = {
	{ .user = "[global]\nindex-url = http://u/\n" },
	{ .old = "[global]\nindex-url = http://o/\nextra-index-url = http://e/",
	  .user = "[global]\nindex_url: http://u/\n",
	  .other = "[install]\nindex-url = http://x/\ntimeout = 9\n" },
	{ .own = "[global]\nindex-url = http://own/\n",
	  .user = "[global]\nindex-url = http://u/\nretries=9\n" },
	{ .user = "[DEFAULT]\nproxy = http://p/\n[install]\n"
		  "[global]\nextra-index-url=\n  http://1/\n\n  # no\n"
		  "   http://2/ http://3/\nfind-links = /a\n\t/b\n" },
	{ .user = "[global]\nno-index = ON\nindex-url = http://u/\n" },
	{ .user = "[global]\nno-binary = numpy,scipy\n[install]\n"
		  "only-binary = numpy\n",
	  .variable = { "PIP_NO_BINARY=:none:,foo" } },
	{ .variable = { "PIP_INDEX_URL=http://v/", "PIP_PRE=y",
			"PIP_EXTRA_INDEX_URL=http://a/ http://b/",
			"PIP_FIND_LINKS=/x /y", "PIP_TRUSTED_HOST=h1 h2:80",
			"PIP_CERT=/c.pem", "PIP_CLIENT_CERT=~/k.pem",
			"PIP_PROXY=http://u:p@proxy:1", "PIP_RETRIES=2",
			"PIP_DEFAULT_TIMEOUT=33",
			"PIP_KEYRING_PROVIDER=subprocess",
			"PIP_REQUIRE_HASHES=1" } },
	{ .user = "[global]\nindex-url = http://u/\nextra-index-url = http://"
		  "e/\nfind-links = /f\n",
	  .line = { "--index-url http://line/",
		    "--extra-index-url http://line-extra/",
		    "--find-links /line" } },
	{ .user = "[install]\nindex-url = http://u/\nextra-index-url = http://"
		  "e/\nonly-binary = :all:\n",
	  .line = { "--extra-index-url http://line-extra/", "--pre",
		    "--trusted-host lh" } },
	{ .user = "[global]\nindex-url = http://u/\n",
	  .line = { "--no-index", "--find-links /line" } },
	{ .variable = { "PIP_NO_INDEX=1", "PIP_FIND_LINKS=/w" },
	  .line = { "--index-url http://line/" } },
	{ .variable = { "PIP_PYPI_URL=http://alias/", "PIP_NO_INDEX=" } },
	{ .variable = { "PIP_NO_INDEX=perhaps" }, .ends = true },
	{ .user = "index-url = http://u/\n", .ends = true },
	{ .user = "[global]\nindex-url\n", .ends = true },
	{ .user = "[global]\nretries = many\n", .ends = true },
	{ .user = "[global]\nkeyring-provider = vault\n", .ends = true },
	{ .user = "[global]\nkey = 1\nkey = 2\n", .ends = true },
	{ .own = "" },
};
#define N_JUDGED (sizeof judged / sizeof *judged)

static void put_file(const char *base, const char *name, const char *text)
{
	if (text)
		write_text(base, name, text);
}

/* The environment of a case, set here and told to pip. */
static json_t *set_environment(const struct judged *j, const char *base)
{
	json_t *env = json_object();
	struct eb_strv v EB_CLEANUP(eb_strv_release) = { 0 };

	index_clean_environment(base);
	eb_strv_addf(&v, "HOME=%s", base);
	eb_strv_addf(&v, "XDG_CONFIG_HOME=%s/config", base);
	eb_strv_addf(&v, "XDG_CONFIG_DIRS=%s/dirs", base);
	if (j->own)
		eb_strv_addf(&v, "PIP_CONFIG_FILE=%s/own.conf", base);
	for (size_t i = 0; i < 12 && j->variable[i]; i++)
		eb_strv_add(&v, j->variable[i]);
	for (size_t i = 0; i < v.n; i++) {
		eb_autofree char *name =
			eb_strndup(v.v[i], strcspn(v.v[i], "="));
		const char *value = v.v[i] + strlen(name) + 1;

		setenv(name, value, 1);
		json_object_set_new(env, name, json_string(value));
	}
	return env;
}

static void add_line(struct eb_pip_set *set, const char *line)
{
	const char *value = strchr(line, ' ');

	value = value ? value + 1 : "";
	if (eb_starts(line, "--index-url "))
		set->index_url = (char *)(uintptr_t)value;
	else if (eb_starts(line, "--extra-index-url "))
		eb_strv_add(&set->extra_index, value);
	else if (eb_starts(line, "--find-links "))
		eb_strv_add(&set->find_links, value);
	else if (eb_starts(line, "--trusted-host "))
		eb_strv_add(&set->trusted_host, value);
	else if (!strcmp(line, "--no-index"))
		set->no_index = true;
	else if (!strcmp(line, "--pre"))
		set->pre = true;
	else
		fail_msg("%s", line);
}

static json_t *list_of(const struct eb_strv *v)
{
	json_t *out = json_array();

	for (size_t i = 0; i < v->n; i++)
		json_array_append_new(out, json_string(v->v[i]));
	return out;
}

static json_t *text_of(const char *text)
{
	return text ? json_string(text) : json_null();
}

static json_t *sorted_of(const struct eb_strv *v)
{
	struct eb_strv copy EB_CLEANUP(eb_strv_release) = { 0 };

	eb_strv_copy(&copy, v);
	eb_strv_sort(&copy);
	return list_of(&copy);
}

/* In the words of index_pip.py. */
static json_t *ours(const struct judged *j)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_pip_set set = { 0 };
	struct eb_indexes x;
	json_t *out = json_object(), *indexes;

	for (size_t i = 0; i < 4 && j->line[i]; i++)
		add_line(&set, j->line[i]);
	if (eb_indexes_read(&set, &x, NULL, &err) < 0) {
		json_object_set_new(out, "error", json_true());
		eb_err_release(&err);
		return out;
	}
	indexes = list_of(&x.extra);
	if (!x.no_index)
		json_array_insert_new(indexes, 0,
				      json_string(x.url ? x.url : ""));
	json_object_set_new(out, "indexes", indexes);
	json_object_set_new(out, "find_links", list_of(&x.find_links));
	json_object_set_new(out, "trusted", list_of(&x.trusted_host));
	json_object_set_new(out, "cert", text_of(x.ca_file));
	json_object_set_new(out, "client_cert", text_of(x.client_cert));
	json_object_set_new(out, "proxy", text_of(x.proxy));
	json_object_set_new(out, "keyring",
			    text_of(x.keyring ? x.keyring : "auto"));
	json_object_set_new(out, "timeout",
			    json_integer(x.timeout_s ? x.timeout_s : 15));
	json_object_set_new(out, "retries",
			    json_integer(x.retries ? x.retries : 5));
	json_object_set_new(out, "no_binary", sorted_of(&x.no_binary));
	json_object_set_new(out, "only_binary", sorted_of(&x.only_binary));
	json_object_set_new(out, "pre", json_boolean(x.pre));
	json_object_set_new(out, "require_hashes",
			    json_boolean(x.require_hashes));
	eb_indexes_release(&x);
	eb_strv_release(&set.extra_index);
	eb_strv_release(&set.find_links);
	eb_strv_release(&set.trusted_host);
	return out;
}

static void make_case(size_t i, json_t *cases, json_t *answers)
{
	const struct judged *j = &judged[i];
	eb_autofree char *base = eb_asprintf("%s/case%zu", dir, i);
	json_t *lines = json_array();

	MUST(eb_mkdirs(base, 0755, err));
	put_file(base, "own.conf", j->own);
	put_file(base, ".pip/pip.conf", j->old);
	put_file(base, "config/pip/pip.conf", j->user);
	put_file(base, "dirs/pip/pip.conf", j->other);
	for (size_t k = 0; k < 4 && j->line[k]; k++)
		json_array_append_new(lines, json_string(j->line[k]));
	json_array_append_new(cases, json_pack("{s:o, s:o}", "env",
					       set_environment(j, base),
					       "lines", lines));
	json_array_append_new(answers, ours(j));
}

/* NULL: there is no pip. */
static json_t *ask_pip(const json_t *cases)
{
	eb_autofree char *script = fixture_path("index_pip.py");
	const char *argv[] = { "python3", script, NULL };
	struct eb_error err = EB_ERROR_INIT;
	char *text = json_dumps(cases, 0);
	EB_AUTOBUF(out, 1 << 20);
	EB_AUTOBUF(said, 1 << 20);
	int status = 1;

	if (eb_process_run(argv, NULL, text, strlen(text), 1 << 20, 60, &out,
			   &said, &status, &err) < 0)
		fail_msg("%s", err.message);
	free(text);
	if (status == 77)
		return NULL;
	if (status)
		fail_msg("index_pip.py: %s", said.data);
	return eb_json_parse(out.data, out.len, "index_pip.py", &err);
}

/* Every member of ours is as pip has it. */
static void compare(size_t i, const json_t *mine, const json_t *pips)
{
	const char *key;
	json_t *value;

	json_object_foreach ((json_t *)(uintptr_t)mine, key, value) {
		const json_t *other = json_object_get(pips, key);
		double a = json_number_value(value);

		if (json_is_number(value) && json_is_number(other) &&
		    a >= json_number_value(other) &&
		    a < json_number_value(other) + 1)
			continue;
		if (!json_equal(value, (json_t *)(uintptr_t)other)) {
			char *x = json_dumps(mine, JSON_SORT_KEYS);
			char *y = json_dumps(pips, JSON_SORT_KEYS);

			fail_msg("case %zu, %s:\n%s\n%s", i, key, x, y);
		}
	}
}

static void test_pip(void **state)
{
	eb_autojson json_t *cases = json_array();
	eb_autojson json_t *mine = json_array();
	eb_autojson json_t *pips = NULL;
	eb_autofree char *path = eb_strdup(getenv("PATH"));

	(void)state;
	for (size_t i = 0; i < N_JUDGED; i++)
		make_case(i, cases, mine);
	index_clean_environment(dir);
	setenv("PATH", path, 1);
	pips = ask_pip(cases);
	if (!pips) {
		print_message("there is no pip of 23.1 or newer to ask\n");
		skip();
	}
	assert_int_equal(json_array_size(pips), N_JUDGED);
	for (size_t i = 0; i < N_JUDGED; i++) {
		const json_t *p = json_array_get(pips, i);

		assert_int_equal(json_is_true(json_object_get(p, "error")),
				 judged[i].ends);
		compare(i, json_array_get(mine, i), p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ini),
		cmocka_unit_test(test_ini_refused),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_warnings),
		cmocka_unit_test(test_set),
		cmocka_unit_test(test_format),
		cmocka_unit_test(test_pip),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
