/* SPDX-License-Identifier: Apache-2.0 */
/* registries.conf: its TOML, its meaning, its files; and certs.d. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <envbuild/credential.h>
#include <envbuild/str.h>

#include "registry/registries_conf.h"

#include "login_fixture.h"

/* --- the reader ----------------------------------------------------------- */

static int table(void *data, const struct eb_strv *path, bool array,
		 unsigned line, struct eb_error *err)
{
	struct eb_buf *out = data;

	(void)err;
	eb_buf_addf(out, "%s%u:", out->len ? " " : "", line);
	for (size_t i = 0; i < path->n; i++)
		eb_buf_addf(out, "%s%s", i ? "." : "", path->v[i]);
	eb_buf_adds(out, array ? "[]" : "{}");
	return 0;
}

static int value(void *data, const struct eb_strv *key,
		 const struct eb_toml_value *v, struct eb_error *err)
{
	struct eb_buf *out = data;

	(void)err;
	if (out->len)
		eb_buf_addch(out, ' ');
	for (size_t i = 0; i < key->n; i++)
		eb_buf_addf(out, "%s%s", i ? "." : "", key->v[i]);
	if (v->kind == EB_TOML_TEXT)
		eb_buf_addf(out, "=<%s>", v->text);
	else if (v->kind == EB_TOML_BOOLEAN)
		eb_buf_adds(out, v->yes ? "=yes" : "=no");
	else
		eb_buf_adds(out, "=?");
	return 0;
}

static const struct eb_toml_calls calls = { table, value };

static void assert_toml(const char *text, const char *wanted)
{
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(out, (size_t)1 << 20);

	if (eb_toml_read(text, strlen(text), "t", &calls, &out, &err) < 0)
		fail_msg("%s: %u:%u: %s", text, err.line, err.column,
			 err.message);
	assert_string_equal(out.data, wanted);
}

static void assert_no_toml(const char *text, unsigned line, unsigned column)
{
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(out, (size_t)1 << 20);

	if (eb_toml_read(text, strlen(text), "f.conf", &calls, &out, &err) == 0)
		fail_msg("%s: was taken as %s", text, out.data);
	assert_int_equal(err.code, EB_INPUT);
	assert_string_equal(err.file, "f.conf");
	if (err.line != line || err.column != column)
		fail_msg("%s: %u:%u instead of %u:%u: %s", text, err.line,
			 err.column, line, column, err.message);
	eb_err_release(&err);
}

static void toml_lines(void **state)
{
	(void)state;
	assert_toml("", "");
	assert_toml("\xef\xbb\xbf# a mark of order\n", "");
	assert_toml("a = true # x\r\n\r\nb=false", "a=yes b=no");
	assert_toml("[a]\n[ b . \"c.d\" ]\n[[e.f]]#\n",
		    "1:a{} 2:b.c.d{} 3:e.f[]");
	assert_toml("a.b . 'c d' = 1\n\"\" = 2", "a.b.c d=? =?");
	assert_toml("1-2_x = ''", "1-2_x=<>");
}

static void toml_texts(void **state)
{
	(void)state;
	assert_toml("a = \"x \\\"y\\\" \\\\ \\t \\u00e9 \\U0001f600\"",
		    "a=<x \"y\" \\ \t \xc3\xa9 \xf0\x9f\x98\x80>");
	assert_toml("a = 'C:\\new # no'", "a=<C:\\new # no>");
	assert_toml("a = \"\"\"\nx\n\"y\" \"\" \\\n   z\"\"\"",
		    "a=<x\n\"y\" \"\" z>");
	assert_toml("a = \"\"\"x\"\"\"\"\"", "a=<x\"\">");
	assert_toml("a = '''\r\nx''y\\n'''", "a=<x''y\\n>");
	assert_toml("a = \"\"\nb = ''", "a=<> b=<>");
}

static void toml_others(void **state)
{
	(void)state;
	assert_toml("a = 1\nb = -0.5e+3\nc = 0xff_ff\nd = +inf\ne = nan",
		    "a=? b=? c=? d=? e=?");
	assert_toml("a = 1979-05-27T07:32:00Z\nb = 1979-05-27 07:32:00.99\n"
		    "c = 07:32:00 # t",
		    "a=? b=? c=?");
	assert_toml("a = [\n \"x\", # one\n 'y' ,\n\n]\nb = []\nc = [[1], []]",
		    "a=? b=? c=?");
	assert_toml("a = { b = 1, \"c\" = { d = [1,\n2] } }\ne = {}",
		    "a=? e=?");
}

static void toml_wrong(void **state)
{
	(void)state;
	assert_no_toml("a", 1, 2);
	assert_no_toml("a =", 1, 4);
	assert_no_toml("a = yes", 1, 5);
	assert_no_toml("\n\na = \"x", 3, 7);
	assert_no_toml("a = \"x\ny\"", 1, 7);
	assert_no_toml("a = '''x\n\ny", 3, 2);
	assert_no_toml("a = \"\\q\"", 1, 7);
	assert_no_toml("a = \"\\u12g4\"", 1, 10);
	assert_no_toml("a = \"\\ud800\"", 1, 12);
	assert_no_toml("a = \"\x01\"", 1, 6);
	assert_no_toml("a = true false", 1, 10);
	assert_no_toml("a = [1 2]", 1, 8);
	assert_no_toml("a = [", 1, 6);
	assert_no_toml("a = { b = 1", 1, 12);
	assert_no_toml("[a", 1, 3);
	assert_no_toml("[[a]", 1, 4);
	assert_no_toml("[a] b = 1", 1, 5);
	assert_no_toml("= 1", 1, 1);
	assert_no_toml("a. = 1", 1, 4);
	assert_no_toml("{}", 1, 1);
	assert_no_toml("a = \"\xff\"", 1, 8);
	assert_no_toml("\"\"\"a\"\"\" = 1", 1, 1);
}

static void toml_deep(void **state)
{
	char text[600] = "a = ";

	(void)state;
	memset(text + 4, '[', 500);
	text[504] = '\0';
	assert_no_toml(text, 1, 38);
}

static uint32_t next(uint32_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 17;
	*x ^= *x << 5;
	return *x;
}

static void toml_any_bytes(void **state)
{
	static const char *const piece[] = {
		"[",  "]",	  "[[",	      "]]",   "=",  "=",
		"\"", "'",	  "\"\"\"",   "'''",  "\n", "\n",
		"\\", ",",	  "{",	      "}",    ".",  "#",
		"a",  "registry", "location", "true", " ",  "\t",
		"1",  "\\u0041",  "\x80",     "\r\n"
	};
	uint32_t seed = 123459876u, good = 0;

	(void)state;
	for (int row = 0; row < 40000; row++) {
		struct eb_error err = EB_ERROR_INIT;
		struct eb_registries_conf c = { 0 };
		char text[256];
		size_t n = next(&seed) % 24, len = 0;

		for (size_t i = 0; i < n; i++) {
			const char *p = piece[next(&seed) %
					      (sizeof piece / sizeof *piece)];

			memcpy(text + len, p, strlen(p));
			len += strlen(p);
		}
		if (eb_registries_conf_add(&c, text, len, "t", &err) == 0)
			good++;
		else
			assert_string_equal(err.file, "t");
		eb_registries_conf_release(&c);
		eb_err_release(&err);
	}
	assert_in_range(good, 500, 39000);
}

/* --- what it means -------------------------------------------------------- */

/* "host/repository" of each place; "!" insecure, "~" a mirror. */
static char *places(const char *host, const char *repository, bool by_digest,
		    struct eb_error *err)
{
	EB_AUTOBUF(out, (size_t)1 << 16);
	struct eb_place *p;
	size_t n;

	if (eb_places_find(host, repository, by_digest, &p, &n, err) < 0)
		return NULL;
	for (size_t i = 0; i < n; i++)
		eb_buf_addf(&out, "%s%s%s%s/%s", i ? " " : "",
			    p[i].mirror ? "~" : "", p[i].insecure ? "!" : "",
			    p[i].host, p[i].repository);
	eb_places_release(p, n);
	return eb_buf_steal(&out, NULL);
}

static void assert_places(const char *host, const char *repository,
			  bool by_digest, const char *wanted)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *got = places(host, repository, by_digest, &err);

	if (!got)
		fail_msg("%s", err.message);
	assert_string_equal(got, wanted);
}

static void assert_wrong(const char *text, unsigned line, const char *part)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *got = NULL, *file = at_home("r.conf");

	put("r.conf", text);
	got = places("h.example", "x", false, &err);
	if (got)
		fail_msg("%s: was taken: %s", text, got);
	assert_int_equal(err.code, EB_INPUT);
	assert_string_equal(err.file, file);
	assert_int_equal(err.line, line);
	assert_non_null(strstr(err.message, part));
	eb_err_release(&err);
}

static void without_files(void **state)
{
	(void)state;
	set_to_home("CONTAINERS_REGISTRIES_CONF", "none.conf");
	assert_places("docker.io", "library/debian", false,
		      "docker.io/library/debian");
}

static void mirrors(void **state)
{
	(void)state;
	set_to_home("CONTAINERS_REGISTRIES_CONF", "r.conf");
	put("r.conf",
	    "unqualified-search-registries = [\"docker.io\",\n\t'quay.io']\n"
	    "short-name-mode=\"enforcing\"\n"
	    "[[registry]]\nprefix = \"docker.io\"\n"
	    "location = \"registry-1.docker.io/\"\n"
	    "[[registry.mirror]]\nlocation = \"cache.example:5000/hub\"\n"
	    "insecure = true\n"
	    "[[registry.mirror]]\nlocation = 'd.example'\n"
	    "pull-from-mirror = \"digest-only\"\n"
	    "[[registry.mirror]]\nlocation = 't.example'\n"
	    "pull-from-mirror = \"tag-only\"\n"
	    "[aliases]\n\"registry\" = \"docker.io/library/registry\"\n"
	    "mirror = { x = 1 }\n"
	    "[[registry]]\nlocation = \"docker.io/team\"\nfuture = [1, 2]\n"
	    "[[registry]]\nprefix = \"q.example/a\"\nlocation = \"l.example\"\n"
	    "mirror-by-digest-only = true\ninsecure = true\n"
	    "[[registry.mirror]]\nlocation = \"m.example/b\"\n");
	assert_places("docker.io", "library/debian", false,
		      "~!cache.example:5000/hub/library/debian "
		      "~t.example/library/debian "
		      "registry-1.docker.io/library/debian");
	assert_places("docker.io", "library/debian", true,
		      "~!cache.example:5000/hub/library/debian "
		      "~d.example/library/debian "
		      "registry-1.docker.io/library/debian");
	/* the longest prefix, by whole parts */
	assert_places("docker.io", "team/x", false, "docker.io/team/x");
	assert_places("docker.io", "teams/x", false,
		      "~!cache.example:5000/hub/teams/x ~t.example/teams/x "
		      "registry-1.docker.io/teams/x");
	assert_places("q.example", "a/x", false, "!l.example/x");
	assert_places("q.example", "a/x", true, "~m.example/b/x !l.example/x");
	assert_places("q.example", "b/x", true, "q.example/b/x");
	/* another port is another host */
	assert_places("docker.io:443", "x", true, "docker.io:443/x");
}

static void no_repository_left(void **state)
{
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	put("r.conf", "[[registry]]\nprefix = \"q.example/a\"\n"
		      "location = \"l.example\"\n");
	assert_null(places("q.example", "a", false, &err));
	assert_int_equal(err.code, EB_INPUT);
	eb_err_release(&err);
}

static void wildcards(void **state)
{
	(void)state;
	put("r.conf", "[[registry]]\nprefix = \"*.example.com\"\n"
		      "insecure = true\n[[registry]]\n"
		      "prefix = \"*.b.example.com\"\nlocation = \"l.net/x\"\n");
	assert_places("a.example.com", "r", false, "!a.example.com/r");
	assert_places("a.example.com:5000", "r", false,
		      "!a.example.com:5000/r");
	assert_places("a.b.example.com:5000", "r", false, "l.net/x/r");
	assert_places("example.com", "r", false, "example.com/r");
	assert_places("x.net", "a.example.com", false, "x.net/a.example.com");
}

static void blocked(void **state)
{
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	put("r.conf", "\n[[registry]]\nlocation = \"bad.example\"\n"
		      "blocked = true\n");
	assert_null(places("bad.example", "x", false, &err));
	assert_int_equal(err.code, EB_REFUSED);
	assert_non_null(strstr(err.message, "\"bad.example/x\""));
	assert_non_null(strstr(err.message, "r.conf, line 2"));
	eb_err_release(&err);
	assert_places("good.example", "x", false, "good.example/x");
}

static void wrong_meaning(void **state)
{
	(void)state;
	assert_wrong("[[registry]]\n\nprefix = 5\n", 3, "\"prefix\"");
	assert_wrong("[[registry]]\ninsecure = \"yes\"\n", 2, "\"insecure\"");
	assert_wrong("[[registry]]\nlocation = \"https://x\"\n", 2, "scheme");
	assert_wrong("[[registry]]\nlocation = \"x y\"\n", 2, "\"location\"");
	assert_wrong("[[registry]]\nlocation = \"x\"\nlocation = \"y\"\n", 3,
		     "twice");
	assert_wrong("# x\n[[registry]]\nblocked = true\n", 2, "neither");
	assert_wrong("[registry]\nlocation = \"x\"\n", 1, "[[registry]]");
	assert_wrong("registry = [{location = \"x\"}]\n", 1, "[[registry]]");
	assert_wrong("[[registry.mirror]]\nlocation = \"x\"\n", 1, "mirror");
	assert_wrong("[[registry]]\nlocation = \"x\"\nmirror = []\n", 3,
		     "[[registry.mirror]]");
	assert_wrong("[[registry]]\nlocation = \"x\"\n[registry.mirror]\n", 3,
		     "[[registry.mirror]]");
	assert_wrong("[[registry]]\nlocation = \"x\"\n[[registry.mirror]]\n", 1,
		     "location");
	assert_wrong("[[registry]]\nlocation=\"x\"\n[[registry.mirror]]\n"
		     "location=\"y\"\npull-from-mirror = \"never\"\n",
		     5, "digest-only");
	assert_wrong("[[registry]]\nprefix = \"a.*.x\"\n", 1, "*");
	assert_wrong("[[registry]]\nprefix = \"*.x/y\"\n", 1, "*");
	assert_wrong("[[registry]\n", 1, "]");
}

/* --- its files ------------------------------------------------------------ */

static void drop_ins(void **state)
{
	(void)state;
	put("r.conf", "[[registry]]\nlocation = \"a.example\"\n"
		      "[[registry.mirror]]\nlocation = \"m0.example\"\n");
	put("r.conf.d/20-b.conf", "[[registry]]\nlocation = \"a.example\"\n"
				  "[[registry.mirror]]\n"
				  "location = \"m2.example\"\n");
	put("r.conf.d/10-a.conf", "[[registry]]\nlocation = \"a.example\"\n"
				  "[[registry.mirror]]\n"
				  "location = \"m1.example\"\n"
				  "[[registry]]\nlocation = \"b.example\"\n"
				  "insecure = true\n");
	put("r.conf.d/30.txt", "no TOML");
	assert_places("a.example", "x", false, "~m2.example/x a.example/x");
	assert_places("b.example", "x", false, "!b.example/x");
}

static void own_file(void **state)
{
	(void)state;
	unsetenv("CONTAINERS_REGISTRIES_CONF");
	put(".config/containers/registries.conf",
	    "[[registry]]\nlocation = \"own.example\"\ninsecure = true\n");
	put(".config/containers/registries.conf.d/x.conf",
	    "[[registry]]\nlocation = \"more.example\"\ninsecure = true\n");
	assert_places("own.example", "x", false, "!own.example/x");
	assert_places("more.example", "x", false, "!more.example/x");
}

/* --- certs.d -------------------------------------------------------------- */

#define CERTS ".config/containers/certs.d/"

static void certs(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_host_tls t;

	(void)state;
	assert_int_equal(eb_host_tls_find("r.example:5000", &t, &err), 0);
	assert_null(t.ca);
	put(CERTS "r.example:5000/b.crt", "TWO\n");
	put(CERTS "r.example:5000/a.crt", "ONE");
	put(CERTS "r.example:5000/readme", "x");
	assert_int_equal(eb_host_tls_find("r.example:5000", &t, &err), 1);
	assert_string_equal(t.ca, "ONE\nTWO\n");
	assert_null(t.cert);
	eb_host_tls_release(&t);
	/* the port is a part of the name */
	assert_int_equal(eb_host_tls_find("r.example", &t, &err), 0);
	put(CERTS "r.example:5000/c.cert", "C");
	put(CERTS "r.example:5000/c.key", "K");
	assert_int_equal(eb_host_tls_find("r.example:5000", &t, &err), 1);
	assert_true(eb_ends(t.cert, "/r.example:5000/c.cert"));
	assert_true(eb_ends(t.key, "/r.example:5000/c.key"));
	eb_host_tls_release(&t);
	assert_int_equal(eb_host_tls_find("..", &t, &err), 0);
	assert_int_equal(eb_host_tls_find("", &t, &err), 0);
	assert_int_equal(eb_host_tls_find("r.example:5000/../x", &t, &err), 0);
}

static void half_a_pair(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_host_tls t;

	(void)state;
	put(CERTS "h.example/c.cert", "C");
	assert_int_equal(eb_host_tls_find("h.example", &t, &err), -1);
	assert_int_equal(err.code, EB_INPUT);
	assert_non_null(strstr(err.message, "\"c.key\" is not beside it"));
	eb_err_release(&err);
	put(CERTS "k.example/c.key", "K");
	assert_int_equal(eb_host_tls_find("k.example", &t, &err), -1);
	assert_non_null(strstr(err.message, "\"c.cert\" is not beside it"));
	eb_err_release(&err);
}

static int setup(void **state)
{
	(void)state;
	return login_home_make();
}

static int teardown(void **state)
{
	(void)state;
	return login_home_remove();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(toml_lines),
		cmocka_unit_test(toml_texts),
		cmocka_unit_test(toml_others),
		cmocka_unit_test(toml_wrong),
		cmocka_unit_test(toml_deep),
		cmocka_unit_test(toml_any_bytes),
		cmocka_unit_test(without_files),
		cmocka_unit_test(mirrors),
		cmocka_unit_test(no_repository_left),
		cmocka_unit_test(wildcards),
		cmocka_unit_test(blocked),
		cmocka_unit_test(wrong_meaning),
		cmocka_unit_test(drop_ins),
		cmocka_unit_test(own_file),
		cmocka_unit_test(certs),
		cmocka_unit_test(half_a_pair),
	};

	return cmocka_run_group_tests_name("registries_conf", tests, setup,
					   teardown);
}
