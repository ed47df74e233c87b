/* SPDX-License-Identifier: Apache-2.0 */
/* WWW-Authenticate: what registries send, what they might send, and bytes
 * that nobody should. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include <envbuild/mem.h>
#include <envbuild/str.h>

#include "registry/challenge.h"
#include "registry/token_int.h"

static struct eb_challenges c;

static void parse(const char *value)
{
	eb_challenges_release(&c);
	eb_challenges_add(&c, value);
}

static int release(void **state)
{
	(void)state;
	eb_challenges_release(&c);
	return 0;
}

static void assert_text(const char *text, const char *wanted)
{
	if (!wanted)
		assert_null(text);
	else
		assert_string_equal(text ? text : "(none)", wanted);
}

static void assert_one(size_t i, enum eb_challenge_scheme scheme,
		       const char *realm, const char *service,
		       const char *scope)
{
	assert_true(i < c.n);
	assert_int_equal(c.v[i].scheme, scheme);
	assert_text(c.v[i].realm, realm);
	assert_text(c.v[i].service, service);
	assert_text(c.v[i].scope, scope);
}

static void registries(void **state)
{
	(void)state;
	parse("Bearer realm=\"https://auth.docker.io/token\",service=\""
	      "registry.docker.io\",scope=\"repository:library/debian:pull\"");
	assert_int_equal(c.n, 1);
	assert_one(0, EB_CHALLENGE_BEARER, "https://auth.docker.io/token",
		   "registry.docker.io", "repository:library/debian:pull");
	/* two scopes in one attribute, an error behind */
	parse("Bearer realm=\"https://r/token\",service=\"r\",scope=\""
	      "repository:a/b:pull,push repository:c/d:pull\",error=\""
	      "insufficient_scope\"");
	assert_one(0, EB_CHALLENGE_BEARER, "https://r/token", "r",
		   "repository:a/b:pull,push repository:c/d:pull");
	assert_text(c.v[0].error, "insufficient_scope");
	parse("Basic realm=\"basic-realm\"");
	assert_one(0, EB_CHALLENGE_BASIC, "basic-realm", NULL, NULL);
	parse("Basic realm=\"https://123.dkr.ecr.eu-west-1.amazonaws.com/\","
	      "service=\"ecr.amazonaws.com\"");
	assert_one(0, EB_CHALLENGE_BASIC,
		   "https://123.dkr.ecr.eu-west-1.amazonaws.com/",
		   "ecr.amazonaws.com", NULL);
}

static void any_case_and_space(void **state)
{
	(void)state;
	parse("  bEaReR\tREALM = \"https://r/t\" ,\t, Service=r , scope=\"\"");
	assert_int_equal(c.n, 1);
	assert_one(0, EB_CHALLENGE_BEARER, "https://r/t", "r", "");
	parse("BASIC");
	assert_one(0, EB_CHALLENGE_BASIC, NULL, NULL, NULL);
	/* values that should have been quoted */
	parse("Bearer realm=https://r/t?a=b,service=x.y");
	assert_one(0, EB_CHALLENGE_BEARER, "https://r/t?a=b", "x.y", NULL);
	/* no commas at all */
	parse("Bearer realm=\"https://r/t\" service=\"s\" scope=\"x\"");
	assert_one(0, EB_CHALLENGE_BEARER, "https://r/t", "s", "x");
}

static void quotes(void **state)
{
	(void)state;
	parse("Basic realm=\"a \\\"b\\\" c, Bearer realm=\\\"x\\\"\", "
	      "charset=\"UTF-8\"");
	assert_int_equal(c.n, 1);
	assert_one(0, EB_CHALLENGE_BASIC, "a \"b\" c, Bearer realm=\"x\"", NULL,
		   NULL);
	parse("Basic realm=\"never closed, Bearer realm=x");
	assert_int_equal(c.n, 1);
	parse("Basic realm=\"ends in a backslash\\");
	assert_int_equal(c.n, 1);
	parse("Basic realm=\"\"");
	assert_one(0, EB_CHALLENGE_BASIC, "", NULL, NULL);
}

static void several(void **state)
{
	(void)state;
	parse("Negotiate, NTLM TlRMTVNTUAACAAAA==, Basic realm=\"a\", "
	      "Bearer realm=\"https://r/t\", service=\"s\"");
	assert_int_equal(c.n, 4);
	assert_string_equal(c.v[0].name, "Negotiate");
	assert_string_equal(c.v[1].name, "NTLM");
	assert_one(1, EB_CHALLENGE_OTHER, NULL, NULL, NULL);
	assert_one(2, EB_CHALLENGE_BASIC, "a", NULL, NULL);
	assert_one(3, EB_CHALLENGE_BEARER, "https://r/t", "s", NULL);
	assert_ptr_equal(eb_challenges_pick(&c), &c.v[2]);
	/* fields are added to one another */
	eb_challenges_release(&c);
	eb_challenges_add(&c,
			  "Digest realm=\"d\", nonce=\"abc,def\", qop=auth");
	eb_challenges_add(&c, "Bearer realm=\"https://r/t\"");
	assert_int_equal(c.n, 2);
	assert_ptr_equal(eb_challenges_pick(&c), &c.v[1]);
	/* a Bearer without a realm cannot be answered */
	parse("Bearer, Basic realm=x");
	assert_ptr_equal(eb_challenges_pick(&c), &c.v[1]);
	parse("Bearer error=\"invalid_token\"");
	assert_null(eb_challenges_pick(&c));
	parse("Negotiate");
	assert_null(eb_challenges_pick(&c));
	/* a token68 of one "=" is no parameter */
	parse("Kerberos abc=, Basic realm=z");
	assert_int_equal(c.n, 2);
	assert_one(1, EB_CHALLENGE_BASIC, "z", NULL, NULL);
}

static void first_of_a_name_counts(void **state)
{
	(void)state;
	parse("Bearer realm=\"https://a/\",realm=\"https://b/\"");
	assert_one(0, EB_CHALLENGE_BEARER, "https://a/", NULL, NULL);
}

static void rubbish(void **state)
{
	static const char *const texts[] = { "",
					     ",",
					     ",,,",
					     "=",
					     "\"",
					     "realm=\"x\"",
					     "  ",
					     "===",
					     "@",
					     "Bearer =x",
					     "Bearer ,realm",
					     "\"Bearer\" realm=x",
					     "(x)",
					     "Bearer realm",
					     "/ / /",
					     "[::1]" };

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		parse(texts[i]);
		assert_null(eb_challenges_pick(&c));
	}
	/* what cannot be read does not hide what can */
	parse("@@@, (((, Basic realm=\"a\"");
	assert_non_null(eb_challenges_pick(&c));
}

static void limits(void **state)
{
	EB_AUTOBUF(text, (size_t)1 << 20);

	(void)state;
	for (int i = 0; i < 1000; i++)
		eb_buf_addf(&text, "%sS%d a=b", i ? ", " : "", i);
	parse(text.data);
	assert_int_equal(c.n, EB_MAX_CHALLENGES);
	eb_buf_reset(&text);
	eb_buf_adds(&text, "Bearer realm=\"");
	for (int i = 0; i < 20000; i++)
		eb_buf_addch(&text, 'a');
	eb_buf_adds(&text, "\", service=\"s\"");
	parse(text.data);
	assert_one(0, EB_CHALLENGE_BEARER, NULL, "s", NULL);
}

/* xorshift: the same rows every time */
static uint32_t next(uint32_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 17;
	*x ^= *x << 5;
	return *x;
}

/* Pieces of challenges in any order: it ends, and what it gives is made of
 * what it got. */
static void any_bytes(void **state)
{
	static const char *const piece[] = {
		"Bearer", "Basic",	 "realm",  "service", "scope",
		"=",	  "=",		 "\"",	   "\"",      ",",
		",",	  " ",		 " ",	   "\\",      "\t",
		"==",	  "https://r/t", "a",	   "/",	      "@",
		"\x80",	  "Negotiate",	 "abc+/=", "'",	      "{}"
	};
	uint32_t seed = 2463534242u, found = 0;

	(void)state;
	for (int row = 0; row < 60000; row++) {
		char text[256] = "";
		size_t n = next(&seed) % 20, len = 0;

		for (size_t i = 0; i < n; i++) {
			const char *p = piece[next(&seed) %
					      (sizeof piece / sizeof *piece)];

			if (next(&seed) % 50 == 0)
				text[len++] = (char)(1 + next(&seed) % 255);
			memcpy(text + len, p, strlen(p));
			len += strlen(p);
		}
		parse(text);
		for (size_t i = 0; i < c.n; i++) {
			assert_non_null(strstr(text, c.v[i].name));
			assert_true(!c.v[i].realm ||
				    strlen(c.v[i].realm) <= strlen(text));
		}
		found += eb_challenges_pick(&c) != NULL;
	}
	/* a good part of the rows held a challenge */
	assert_in_range(found, 1000, 59000);
}

/* A challenge cut anywhere, or with one byte changed, is never more than it
 * was. */
static void broken_ones(void **state)
{
	const char *whole =
		"Negotiate abc==, Bearer realm=\"https://r/t,\\\"x\","
		"service=\"s\", scope=\"a b\", Basic realm=q";
	uint32_t seed = 88172645u;
	char text[256];

	(void)state;
	for (size_t n = 0; n <= strlen(whole); n++) {
		memcpy(text, whole, n);
		text[n] = '\0';
		parse(text);
		assert_in_range(c.n, 0, 3);
	}
	for (int i = 0; i < 20000; i++) {
		strcpy(text, whole);
		text[next(&seed) % strlen(whole)] =
			(char)(1 + next(&seed) % 255);
		parse(text);
		assert_in_range(c.n, 0, EB_MAX_CHALLENGES);
	}
}

/* --- scopes --------------------------------------------------------------- */

static void assert_scopes(const struct eb_want *w, bool mount,
			  const char *challenge, const char *wanted)
{
	struct eb_strv list = { 0 };
	EB_AUTOBUF(text, EB_MAX_TEXT);

	eb_scopes_make(w, mount, challenge, &list);
	for (size_t i = 0; i < list.n; i++)
		eb_buf_addf(&text, "%s%s", i ? " " : "", list.v[i]);
	assert_string_equal(text.data, wanted);
	eb_strv_release(&list);
}

static void scopes(void **state)
{
	struct eb_want w = { .access = { { "a/b", EB_PULL | EB_PUSH },
					 { "c/d", EB_PULL } },
			     .n = 1 };

	(void)state;
	assert_scopes(&w, true, NULL, "repository:a/b:pull,push");
	assert_scopes(&w, true, "repository:a/b:pull",
		      "repository:a/b:pull,push");
	assert_scopes(&w, true, "repository:a/b:delete,pull,x",
		      "repository:a/b:pull,push,delete,x");
	/* the request's own first, wherever the challenge has it */
	w.n = 2;
	assert_scopes(&w, true, "repository:c/d:pull repository:a/b:push",
		      "repository:a/b:pull,push repository:c/d:pull");
	assert_scopes(&w, false, "repository:c/d:pull repository:a/b:push",
		      "repository:a/b:pull,push");
	/* a registry that knows it by another name */
	assert_scopes(&w, true, "repository:project/a/b:pull",
		      "repository:project/a/b:pull");
	/* no repository: what the challenge asks for */
	w.n = 0;
	assert_scopes(&w, true, "registry:catalog:*", "registry:catalog:*");
	assert_scopes(&w, true, NULL, "");
	/* a port in the name: the last colon counts */
	w = (struct eb_want){ .access = { { "h:5000/x", EB_PULL } }, .n = 1 };
	assert_scopes(&w, true, "repository:h:5000/x:push",
		      "repository:h:5000/x:pull,push");
	assert_scopes(&w, true, "rubbish : :: :x a: repository:h:5000/x:pull",
		      "repository:h:5000/x:pull");
}

static void access_is_parsed(void **state)
{
	struct eb_access a = { 0 };
	char *text;

	(void)state;
	assert_int_equal(eb_access_parse("repository:h:1/a/b:push,pull", &a),
			 0);
	assert_string_equal(a.repository, "h:1/a/b");
	assert_int_equal(a.actions, EB_PULL | EB_PUSH);
	text = eb_access_text(&a);
	assert_string_equal(text, "repository:h:1/a/b:pull,push");
	free(text);
	free(a.repository);
	assert_int_equal(eb_access_parse("repository:", &a), -1);
	assert_int_equal(eb_access_parse("repository::pull", &a), -1);
	assert_int_equal(eb_access_parse("registry:catalog:*", &a), -1);
	assert_int_equal(eb_access_parse("", &a), -1);
}

/* --- realms --------------------------------------------------------------- */

static void assert_realm(const char *realm, const char *url, bool good)
{
	struct eb_error err = EB_ERROR_INIT;
	int got = eb_realm_check(realm, url, &err);

	if ((got == 0) != good)
		fail_msg("%s for %s: %s", realm, url,
			 good ? err.message : "was taken");
	if (!good)
		assert_int_equal(err.code, EB_REFUSED);
	eb_err_release(&err);
}

static void realms(void **state)
{
	static const char *const private[] = { "https://10.0.0.1/t",
					       "https://192.168.1.1/t",
					       "https://172.16.0.1/t",
					       "https://172.31.255.255/t",
					       "https://169.254.169.254/t",
					       "https://127.0.0.1/t",
					       "https://127.1/t",
					       "https://2130706433/t",
					       "https://0x7f.1/t",
					       "https://0251.0376.0251.0376/t",
					       "https://100.64.0.1/t",
					       "https://0.0.0.0/t",
					       "https://255.255.255.255/t",
					       "https://224.0.0.1/t",
					       "https://[::1]/t",
					       "https://[::]/t",
					       "https://[fe80::1]/t",
					       "https://[fc00::1]/t",
					       "https://[fd12:3456::1]/t",
					       "https://[::ffff:10.0.0.1]/t",
					       "https://[::ffff:a9fe:a9fe]/t",
					       "https://[64:ff9b::a00:1]/t",
					       "https://[2002:7f00:1::]/t",
					       "https://localhost/t",
					       "https://LOCALHOST:1/t",
					       "https://a.localhost/t",
					       "https://127.0.0.1./t" };
	static const char *const odd[] = { "",
					   "token",
					   "/token",
					   "ftp://r.example/t",
					   "file:///etc/x",
					   "https:///t",
					   "https://u:p@r.example/t",
					   "https://r.example\\@10.0.0.1/t",
					   "https://r.example /t",
					   "https://r.example/t#x",
					   "https://r%2eexample/t",
					   "https://r.example/\x01",
					   "https://r\xc3\xa9.example/t",
					   "gopher://r.example/" };
	const char *registry = "https://r.example/v2/a/manifests/b";
	size_t i;

	(void)state;
	assert_realm("https://auth.example/token", registry, true);
	assert_realm("https://auth.example:8443/token?x=y", registry, true);
	assert_realm("https://r.example/token", registry, true);
	assert_realm("https://8.8.8.8/t", registry, true);
	assert_realm("https://172.32.0.1/t", registry, true);
	assert_realm("https://[2606:4700::1]/t", registry, true);
	for (i = 0; i < sizeof private / sizeof *private; i++)
		assert_realm(private[i], registry, false);
	for (i = 0; i < sizeof odd / sizeof *odd; i++)
		assert_realm(odd[i], registry, false);
	/* http only where the registry itself is */
	assert_realm("http://auth.example/token", registry, false);
	assert_realm("http://auth.example/token", "http://r.example/v2/", true);
	assert_realm("https://auth.example/t", "http://r.example/v2/", true);
	/* a private registry may name itself, and no other */
	assert_realm("https://10.0.0.1:1/t", "https://10.0.0.1:5000/v2/", true);
	assert_realm("https://10.0.0.2/t", "https://10.0.0.1/v2/", false);
	assert_realm("http://127.0.0.1:9/t", "http://localhost:5000/v2/", true);
	assert_realm("http://localhost/t", "http://127.0.0.1:5000/v2/", true);
	assert_realm("http://127.0.0.1:9/t", "http://10.0.0.1/v2/", false);
	assert_realm("http://10.0.0.1/t", "http://127.0.0.1/v2/", false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(registries, release),
		cmocka_unit_test_teardown(any_case_and_space, release),
		cmocka_unit_test_teardown(quotes, release),
		cmocka_unit_test_teardown(several, release),
		cmocka_unit_test_teardown(first_of_a_name_counts, release),
		cmocka_unit_test_teardown(rubbish, release),
		cmocka_unit_test_teardown(limits, release),
		cmocka_unit_test_teardown(any_bytes, release),
		cmocka_unit_test_teardown(broken_ones, release),
		cmocka_unit_test(scopes),
		cmocka_unit_test(access_is_parsed),
		cmocka_unit_test(realms),
	};

	return cmocka_run_group_tests_name("challenge", tests, NULL, NULL);
}
