/* SPDX-License-Identifier: Apache-2.0 */
/* Logins: every place, their order, the forms of files, helpers, netrc. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <envbuild/credential.h>
#include <envbuild/str.h>

#include "registry/credential_int.h"

#include "login_fixture.h"

static struct eb_credential c;
static struct eb_error err;

static char *auth(const char *login)
{
	return eb_base64(login, strlen(login));
}

/* {"auths": {KEY: {"auth": LOGIN}}} */
static void put_auth(const char *file, const char *key, const char *login)
{
	eb_autofree char *code = auth(login);
	eb_autofree char *text = eb_asprintf(
		"{\"auths\": {\"%s\": {\"auth\": \"%s\"}}}", key, code);

	put(file, text);
}

static int find(const char *host, const char *repository)
{
	int found;

	eb_credential_release(&c);
	eb_err_release(&err);
	found = eb_credential_find(host, repository, &c, &err);
	if (found < 0)
		assert_null(c.from);
	return found;
}

/* `login` is USER:PASSWORD. */
static void assert_login(const char *host, const char *repository,
			 const char *login, const char *from)
{
	eb_autofree char *got = NULL;
	int found = find(host, repository);

	if (found != 1)
		fail_msg("%s/%s: %s", host, repository,
			 found ? err.message : "none");
	got = eb_asprintf("%s:%s", c.user, c.password);
	assert_string_equal(got, login);
	if (!eb_ends(c.from, from))
		fail_msg("from %s, not %s", c.from, from);
}

static void assert_none(const char *host, const char *repository)
{
	int found = find(host, repository);

	if (found)
		fail_msg("%s/%s: %s", host, repository,
			 found < 0 ? err.message : c.from);
}

static void assert_wrong(const char *host, enum eb_code code, const char *part)
{
	if (find(host, "x") != -1)
		fail_msg("\"%s\" was expected", part);
	assert_int_equal(err.code, code);
	if (!strstr(err.message, part))
		fail_msg("\"%s\" is not in: %s", part, err.message);
}

static int setup(void **state)
{
	(void)state;
	return login_home_make();
}

static int teardown(void **state)
{
	(void)state;
	eb_credential_release(&c);
	eb_err_release(&err);
	return login_home_remove();
}

/* --- order ---------------------------------------------------------------- */

static void order(void **state)
{
	eb_autofree char *places = NULL;

	(void)state;
	assert_none("r.example", "a/b");
	put(".netrc", "machine r.example login n password 1\n");
	assert_login("r.example", "a/b", "n:1", "/.netrc");
	put(".dockercfg", "{\"r.example\": {\"auth\": \"Yzoy\"}}");
	assert_login("r.example", "a/b", "c:2", "/.dockercfg");
	put_auth(".docker/config.json", "r.example", "d:3");
	assert_login("r.example", "a/b", "d:3", "/.docker/config.json");
	put_auth("dc/config.json", "r.example", "D:4");
	set_to_home("DOCKER_CONFIG", "dc");
	assert_login("r.example", "a/b", "D:4", "/dc/config.json");
	setenv("DOCKER_AUTH_CONFIG",
	       "{\"auths\": {\"r.example\": {\"auth\": \"ZTo1\"}}}", 1);
	assert_login("r.example", "a/b", "e:5", "DOCKER_AUTH_CONFIG");
	put_auth(".config/containers/auth.json", "r.example", "f:6");
	assert_login("r.example", "a/b", "f:6",
		     "/.config/containers/auth.json");
	put_auth("run/containers/auth.json", "r.example", "g:7");
	assert_login("r.example", "a/b", "g:7", "/run/containers/auth.json");
	put_auth("given.json", "r.example", "h:8");
	set_to_home("REGISTRY_AUTH_FILE", "given.json");
	assert_login("r.example", "a/b", "h:8", "/given.json");
	setenv("ENVBUILD_REGISTRY_USER", "i", 1);
	setenv("ENVBUILD_REGISTRY_PASSWORD", "9:9", 1);
	assert_login("r.example", "a/b", "i:9:9", "ENVBUILD_REGISTRY_USER");
	/* a place without an entry is passed by */
	unsetenv("ENVBUILD_REGISTRY_USER");
	unsetenv("ENVBUILD_REGISTRY_PASSWORD");
	assert_none("other.example", "a/b");
	put(".dockercfg", "{\"other.example\": {\"auth\": \"Yzoy\"}}");
	assert_login("other.example", "a/b", "c:2", "/.dockercfg");
	places = eb_credential_places(true);
	assert_true(eb_starts(places, "ENVBUILD_REGISTRY_USER, "));
	assert_non_null(strstr(places, "given.json, "));
	assert_true(eb_ends(places, "/.netrc"));
}

static void half_an_environment(void **state)
{
	(void)state;
	setenv("ENVBUILD_REGISTRY_USER", "i", 1);
	assert_wrong("r.example", EB_INPUT,
		     "ENVBUILD_REGISTRY_PASSWORD is not set");
	unsetenv("ENVBUILD_REGISTRY_USER");
	setenv("ENVBUILD_REGISTRY_PASSWORD", "hidden-word", 1);
	assert_wrong("r.example", EB_INPUT,
		     "ENVBUILD_REGISTRY_USER is not set");
	assert_null(strstr(err.message, "hidden"));
	unsetenv("ENVBUILD_REGISTRY_PASSWORD");
}

static void without_a_runtime_folder(void **state)
{
	eb_autofree char *places = NULL, *wanted = NULL;

	(void)state;
	unsetenv("XDG_RUNTIME_DIR");
	unsetenv("XDG_CONFIG_HOME");
	places = eb_credential_places(false);
	wanted = eb_asprintf("/run/containers/%u/auth.json, "
			     "%s/.config/containers/auth.json, ",
			     (unsigned)geteuid(), home);
	assert_true(eb_starts(places, wanted));
}

/* As somebody who may not enter the home: nothing of it counts, and a file that
 * is in reach but closed is told. */
static int as_nobody(const char *path)
{
	struct eb_host_tls tls;

	if (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534))
		return 1;
	if (eb_credential_find("r.example", "a", &c, &err) != 0 ||
	    eb_host_tls_find("r.example", &tls, &err) != 0)
		return 2;
	setenv("REGISTRY_AUTH_FILE", path, 1);
	if (eb_credential_find("r.example", "a", &c, &err) != -1)
		return 3;
	return err.code == EB_MACHINE && strstr(err.message, path) ? 0 : 4;
}

static void out_of_reach(void **state)
{
	/* where nobody can look for it */
	eb_autofree char *closed =
		eb_asprintf("/tmp/envbuild-closed-%ld", (long)getpid());
	int status;
	pid_t pid;

	(void)state;
	if (geteuid())
		skip();
	put_auth(".docker/config.json", "r.example", "u:p");
	put(".config/containers/certs.d/r.example/ca.crt", "x");
	assert_int_equal(eb_write_file(closed, "{}", 2, 0600, &err), 0);
	pid = fork();
	if (!pid)
		_exit(as_nobody(closed));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	unlink(closed);
	assert_int_equal(status, 0);
	assert_int_equal(find("r.example", "a"), 1);
}

static void stamps(void **state)
{
	struct eb_digest one, two;

	(void)state;
	eb_credential_stamp(true, &one);
	eb_credential_stamp(true, &two);
	assert_true(eb_digest_equal(&one, &two));
	put(".docker/config.json", "{}");
	eb_credential_stamp(true, &two);
	assert_false(eb_digest_equal(&one, &two));
	setenv("ENVBUILD_REGISTRY_USER", "u", 1);
	eb_credential_stamp(true, &one);
	assert_false(eb_digest_equal(&one, &two));
	eb_credential_stamp(false, &one);
	assert_true(eb_digest_equal(&one, &two));
	unsetenv("ENVBUILD_REGISTRY_USER");
}

/* --- forms of files ------------------------------------------------------- */

static void namespaces(void **state)
{
	(void)state;
	put("run/containers/auth.json",
	    "{\"auths\": {\"r.example\": {\"auth\": \"YTox\"},"
	    "\"r.example/team\": {\"auth\": \"Yjoy\"},"
	    "\"r.example/team/x\": {\"auth\": \"Yzoz\"},"
	    "\"r.example:5000\": {\"auth\": \"ZDo0\"}}}");
	assert_login("r.example", "x", "a:1", "auth.json");
	assert_login("r.example", "teams/x", "a:1", "auth.json");
	assert_login("r.example", "team/y", "b:2", "auth.json");
	assert_login("r.example", "team", "b:2", "auth.json");
	assert_login("r.example", "team/x", "c:3", "auth.json");
	assert_login("r.example", "team/x/y", "c:3", "auth.json");
	assert_login("r.example", NULL, "a:1", "auth.json");
	assert_login("r.example:5000", "team/x", "d:4", "auth.json");
	assert_none("r.example:50", "x");
	assert_none("example", "x");
	/* Docker's keys are hosts, however they are written */
	put("run/containers/auth.json", "{}");
	put_auth(".docker/config.json", "r.example/team", "q:1");
	assert_login("r.example", "elsewhere", "q:1", "config.json");
	put_auth(".docker/config.json", "https://r.example/v1/", "q:2");
	assert_login("r.example", "x", "q:2", "config.json");
	put_auth(".docker/config.json", "http://r.example:80", "q:3");
	assert_login("r.example:80", "x", "q:3", "config.json");
}

static void hub(void **state)
{
	static const char *const keys[] = { "https://index.docker.io/v1/",
					    "docker.io",
					    "index.docker.io",
					    "registry-1.docker.io",
					    "https://docker.io",
					    "index.docker.io/v1/" };

	(void)state;
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		put_auth(".docker/config.json", keys[i], "hub:1");
		assert_login("docker.io", "library/debian", "hub:1",
			     "config.json");
		put(".docker/config.json", "{}");
		put_auth("run/containers/auth.json", keys[i], "hub:2");
		assert_login("docker.io", "library/debian", "hub:2",
			     "auth.json");
		put("run/containers/auth.json", "{}");
	}
	put_auth("run/containers/auth.json", "docker.io/team", "hub:3");
	assert_login("docker.io", "team/x", "hub:3", "auth.json");
	assert_none("docker.io", "library/debian");
}

static void entries(void **state)
{
	(void)state;
	/* padded with NULs; a password with colons */
	put(".docker/config.json",
	    "{\"auths\": {\"a\": {\"auth\": \"dTpwOnEAAA==\"},"
	    "\"b\": {\"username\": \"u\", \"password\": \"p\"},"
	    "\"c\": {\"identitytoken\": \"idt\", \"auth\": \"dTo=\"},"
	    "\"d\": {\"registrytoken\": \"rt\"},"
	    "\"e\": {}, \"f\": {\"auth\": \"\"},"
	    "\"g\": {\"auth\": \"dTo=\"},"
	    "\"h\": {\"identitytoken\": \"idt\", \"auth\": \"dTpw\"}}}");
	assert_login("a", "x", "u:p:q", "config.json");
	assert_login("b", "x", "u:p", "config.json");
	assert_int_equal(find("c", "x"), 1);
	assert_null(c.user);
	assert_null(c.password);
	assert_string_equal(c.identity_token, "idt");
	assert_int_equal(find("d", "x"), 1);
	assert_string_equal(c.registry_token, "rt");
	assert_none("e", "x");
	assert_none("f", "x");
	assert_login("g", "x", "u:", "config.json");
	assert_login("h", "x", "u:p", "config.json");
	assert_string_equal(c.identity_token, "idt");
}

static void wrong_files(void **state)
{
	(void)state;
	put(".docker/config.json", "{\"auths\":\n {\"a\": hidden }}");
	assert_wrong("a", EB_INPUT,
		     "/.docker/config.json\", reading: not JSON");
	assert_true(eb_ends(err.file, "/.docker/config.json"));
	assert_int_equal(err.line, 2);
	assert_null(strstr(err.message, "hidden"));
	put(".docker/config.json", "[]");
	assert_wrong("a", EB_INPUT, "not a JSON object");
	put(".docker/config.json", "{\"auths\": []}");
	assert_wrong("a", EB_INPUT, "\"auths\" is no object");
	put(".docker/config.json", "{\"credHelpers\": \"x\"}");
	assert_wrong("a", EB_INPUT, "\"credHelpers\" is no object");
	put(".docker/config.json",
	    "{\"auths\": {\"a\": {\"auth\": \"aGlkZGVu\"}}}");
	assert_wrong("a", EB_INPUT, "no base64 of USER:PASSWORD");
	assert_null(strstr(err.message, "hidden"));
	assert_null(strstr(err.message, "aGlkZGVu"));
	put(".docker/config.json", "{\"auths\": {\"a\": {\"auth\": \"?:?\"}}}");
	assert_wrong("a", EB_INPUT, "no base64 of USER:PASSWORD");
	/* of no concern for another host */
	assert_none("b", "x");
	/* an empty file is as none */
	put(".docker/config.json", " \n");
	assert_none("a", "x");
	setenv("DOCKER_AUTH_CONFIG", "nothing", 1);
	assert_wrong("a", EB_INPUT, "\"DOCKER_AUTH_CONFIG\"");
}

static void too_large(void **state)
{
	eb_autofree char *text = eb_malloc(((size_t)1 << 20) + 2);

	(void)state;
	memset(text, ' ', ((size_t)1 << 20) + 1);
	text[((size_t)1 << 20) + 1] = '\0';
	put(".docker/config.json", text);
	assert_wrong("a", EB_INPUT, "more than 1048576 bytes");
}

/* --- helpers -------------------------------------------------------------- */

static void put_helper(const char *name, const char *body)
{
	eb_autofree char *file = eb_asprintf("bin/docker-credential-%s", name);
	eb_autofree char *text = eb_asprintf("#!/bin/sh\n%s\n", body);

	put_mode(file, text, 0700);
}

static void use_path(void)
{
	eb_autofree char *path = eb_asprintf("%s/bin:/usr/bin:/bin", home);

	setenv("PATH", path, 1);
}

static void helpers(void **state)
{
	(void)state;
	use_path();
	/* says what it was asked and how */
	put_helper("echo", "test \"$#$1\" = 1get && read -r url; printf "
			   "'{\"ServerURL\":\"x\",\"Username\":\"%s\","
			   "\"Secret\":\"s\"}' \"$url\"");
	put_helper("token", "printf '{\"Username\":\"<token>\",\"Secret\":"
			    "\"idt\"}'");
	put_helper("none", "echo credentials not found in native keychain; "
			   "exit 1");
	put_helper("empty", "printf '{\"Username\":\"\",\"Secret\":\"\"}'");
	put(".docker/config.json",
	    "{\"credHelpers\": {\"r.example:5000\": \"echo\","
	    "\"https://index.docker.io/v1/\": \"echo\", \"t\": \"token\","
	    "\"n\": \"none\", \"b\": \"\", \"m\": \"empty\"},"
	    "\"auths\": {\"n\": {\"auth\": \"bjox\"},"
	    "\"r.example:5000\": {\"auth\": \"bjox\"},"
	    "\"b\": {\"auth\": \"Yjox\"}}}");
	assert_login("r.example:5000", "x", "r.example:5000:s",
		     "/.docker/config.json)");
	assert_true(eb_starts(c.from, "docker-credential-echo (of /"));
	assert_login("docker.io", "library/x", "https://index.docker.io/v1/:s",
		     "config.json)");
	assert_int_equal(find("t", "x"), 1);
	assert_string_equal(c.identity_token, "idt");
	assert_null(c.user);
	assert_login("n", "x", "n:1", "config.json");
	assert_login("b", "x", "b:1", "config.json");
	assert_none("m", "x");
	/* a store for all, but for those with a helper of their own */
	put(".docker/config.json", "{\"credsStore\": \"echo\","
				   "\"credHelpers\": {\"t\": \"token\"}}");
	assert_login("any.example", "x", "any.example:s", "config.json)");
	assert_int_equal(find("t", "x"), 1);
	assert_string_equal(c.identity_token, "idt");
}

static void hub_of_containers(void **state)
{
	(void)state;
	use_path();
	put_helper("name", "read -r url; case $url in docker.io) printf "
			   "'{\"Username\":\"u\",\"Secret\":\"s\"}';; *) echo "
			   "credentials not found in native keychain; exit 1;; "
			   "esac");
	put("run/containers/auth.json",
	    "{\"credHelpers\": {\"docker.io\": \"name\"}}");
	assert_login("docker.io", "library/x", "u:s", "auth.json)");
}

static void failing_helpers(void **state)
{
	(void)state;
	use_path();
	put(".docker/config.json", "{\"credHelpers\": {\"a\": \"missing\","
				   "\"b\": \"bad\", \"c\": \"json\","
				   "\"d\": \"../x\", \"e\": \"leak\","
				   "\"f\": \"long\"}}");
	assert_wrong("a", EB_MACHINE, "\"docker-credential-missing\"");
	assert_non_null(strstr(err.hint, "config.json"));
	put_helper("bad", "echo first >&2; echo 'no bus for "
			  "ghp_abcdefghij0123456789KLMNOP' >&2; exit 3");
	assert_wrong("b", EB_REFUSED, "exit status 3: no bus for [...]");
	put_helper("json", "echo hello-hidden");
	assert_wrong("c", EB_REFUSED, "\"Username\" and \"Secret\"");
	assert_null(strstr(err.message, "hidden"));
	assert_wrong("d", EB_INPUT, "no name of a credential helper");
	put_helper("leak", "printf '{\"Username\":\"u\",\"Secret\":"
			   "\"hidden\"}'; exit 1");
	assert_wrong("e", EB_REFUSED, "exit status 1");
	assert_null(strstr(err.message, "hidden"));
	put_helper("long", "head -c 100000 /dev/zero | tr '\\0' 'x'");
	assert_wrong("f", EB_REFUSED, "\"Username\" and \"Secret\"");
}

/* --- netrc ---------------------------------------------------------------- */

static void netrc(const char *text, const char *host, const char *wanted)
{
	eb_autofree char *got = NULL;
	int found;

	eb_credential_release(&c);
	eb_err_release(&err);
	found = eb_netrc_find(text, strlen(text), "n", host, &c, &err);
	if (found < 0)
		fail_msg("%s: %u: %s", text, err.line, err.message);
	if (found)
		got = eb_asprintf("%s:%s", c.user, c.password);
	if (!wanted)
		assert_null(got);
	else
		assert_string_equal(got ? got : "(none)", wanted);
}

static void netrc_words(void **state)
{
	const char *two = "machine a login u1 password p1\n"
			  "machine b:5000\n\tpassword p2\n\tlogin u2\n"
			  "default login u3 password p3\n";

	(void)state;
	netrc("", "a", NULL);
	netrc(two, "a", "u1:p1");
	netrc(two, "a:443", "u1:p1");
	netrc(two, "b:5000", "u2:p2");
	netrc(two, "b", "u3:p3");
	netrc("machine a login \"u \\\"x\\\" \\\\\" password \"p\\tq r\"", "a",
	      "u \"x\" \\:p\tq r");
	netrc("machine a login u password \"\"", "a", "u:");
	netrc("machine a\r\nlogin u\r\npassword p\r\n", "a", "u:p");
	netrc("machine docker.io login u password p", "docker.io", "u:p");
	netrc("machine index.docker.io login u password p", "docker.io", "u:p");
	/* the first that is whole counts */
	netrc("machine a login u machine a login v password q "
	      "machine a login w password r",
	      "a", "v:q");
	netrc("machine a account x port 1 login u password p", "a", "u:p");
	netrc("machine aa login u password p", "a", NULL);
}

static void netrc_comments(void **state)
{
	(void)state;
	netrc("# machine a login x password y\n  # more\n"
	      "machine a # login x password y\n login u password #p\n",
	      "a", "u:#p");
	netrc("#\n", "a", NULL);
}

static void netrc_macros(void **state)
{
	(void)state;
	netrc("macdef init\nmachine a login x password y\n\n"
	      "machine a login u password p\n",
	      "a", "u:p");
	netrc("machine a login u macdef m\ncd /x\n\r\npassword p\n", "a",
	      "u:p");
	netrc("macdef init\nmachine a login x password y", "a", NULL);
	netrc("macdef init", "a", NULL);
}

static void netrc_wrong(void **state)
{
	static const struct {
		const char *text;
		unsigned line;
	} wrong[] = { { "machine a\nlogin \"u\npassword p", 2 },
		      { "machine", 1 },
		      { "machine a login", 1 },
		      { "\n\nmachine a login u password", 3 },
		      { "macdef", 1 } };

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		eb_err_release(&err);
		assert_int_equal(eb_netrc_find(wrong[i].text,
					       strlen(wrong[i].text), "f", "a",
					       &c, &err),
				 -1);
		assert_int_equal(err.code, EB_INPUT);
		assert_string_equal(err.file, "f");
		assert_int_equal(err.line, wrong[i].line);
	}
	put("my.netrc", "machine a login hidden password \"hidden");
	set_to_home("NETRC", "my.netrc");
	assert_wrong("a", EB_INPUT, "/my.netrc\", reading: a quote");
	assert_null(strstr(err.message, "hidden"));
}

static void netrc_any_bytes(void **state)
{
	static const char *const piece[] = {
		"machine", "default", "login", "password", "macdef", "account",
		"a",	   "\"",      "\\",    " ",	   " ",	     "\n",
		"\n",	   "#",	      "\t",    "\r\n",	   "\x80"
	};
	uint32_t x = 362436069u, found = 0;

	(void)state;
	for (int row = 0; row < 40000; row++) {
		char text[256];
		size_t len = 0;

		x ^= x << 13;
		x ^= x >> 17;
		x ^= x << 5;
		for (uint32_t y = x, i = 0; i < x % 25;
		     i++, y = y * 69069 + 1) {
			const char *p = piece[(y >> 8) %
					      (sizeof piece / sizeof *piece)];

			memcpy(text + len, p, strlen(p));
			len += strlen(p);
		}
		eb_credential_release(&c);
		eb_err_release(&err);
		found += eb_netrc_find(text, len, "n", "a", &c, &err) >= 0;
	}
	assert_in_range(found, 1000, 39999);
}

/* --- secrets -------------------------------------------------------------- */

static void assert_code(const char *text, const char *wanted)
{
	size_t n;
	eb_autofree char *got = eb_base64_decode(text, strlen(text), &n);

	if (!wanted) {
		assert_null(got);
		return;
	}
	assert_non_null(got);
	assert_int_equal(n, strlen(wanted));
	assert_memory_equal(got, wanted, n);
}

static void base64(void **state)
{
	/* RFC 4648, section 10 */
	static const char *const vector[][2] = { { "", "" },
						 { "f", "Zg==" },
						 { "fo", "Zm8=" },
						 { "foo", "Zm9v" },
						 { "foob", "Zm9vYg==" },
						 { "fooba", "Zm9vYmE=" },
						 { "foobar", "Zm9vYmFy" } };

	(void)state;
	for (size_t i = 0; i < 7; i++) {
		eb_autofree char *code =
			eb_base64(vector[i][0], strlen(vector[i][0]));

		assert_string_equal(code, vector[i][1]);
		assert_code(code, vector[i][0]);
		code[strcspn(code, "=")] = '\0';
		assert_code(code, vector[i][0]);
	}
	assert_code("-_-_", "\xfb\xff\xbf");
	assert_code("+/+/", "\xfb\xff\xbf");
	assert_code("Z", NULL);
	assert_code("Zm9v?", NULL);
	assert_code("Zm 9v", NULL);
}

static void assert_redacted(const char *text, const char *wanted)
{
	const char *secrets[] = { "hunter2", "two words", NULL };
	eb_autofree char *got = eb_secret_redact(text, secrets);

	assert_string_equal(got, wanted);
}

static void redacted(void **state)
{
	(void)state;
	assert_redacted("nothing here", "nothing here");
	assert_redacted("  pw=xhunter2y, two words\nline two",
			"pw=x[...]y, [...]");
	assert_redacted("token eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.e30.x",
			"token [...].e30.x");
	assert_redacted("see https://u:p@h.example/x",
			"see https://h.example/x");
	assert_redacted("a\x1b[31mb", "a\\x1b[31mb");
	assert_redacted("", "");
	/* words and names of hosts stay */
	assert_redacted("internationalization of 123456789012.dkr.example",
			"internationalization of 123456789012.dkr.example");
}

/* Is the file's text anywhere in memory that this process writes? Looked at
 * through shared memory, which is not looked into. */
static bool in_memory(const char *file)
{
	const size_t most = (size_t)256 << 20;
	eb_autofree char *path = at_home(file);
	eb_autofd int fd = open(path, O_RDONLY | O_CLOEXEC);
	eb_autofd int mem = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	size_t len = (size_t)lseek(fd, 0, SEEK_END);
	FILE *maps = fopen("/proc/self/maps", "re");
	char *text = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, 0);
	char *room = mmap(NULL, most, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	unsigned long from, to;
	char line[512], mode[8];
	bool found = false;

	assert_true(text != MAP_FAILED && room != MAP_FAILED && maps);
	assert_true(len >= 20);
	while (!found && fgets(line, sizeof line, maps)) {
		ssize_t n;

		if (sscanf(line, "%lx-%lx %7s", &from, &to, mode) != 3 ||
		    strcmp(mode, "rw-p") || to - from > most)
			continue;
		n = pread(mem, room, to - from, (off_t)from);
		found = n > 0 && memmem(room, (size_t)n, text, len);
	}
	fclose(maps);
	munmap(text, len);
	munmap(room, most);
	return found;
}

/* A password that another process makes is in memory while we have it, and
 * nowhere afterwards. */
static void zeroed(void **state)
{
	static const char *const script[] = {
		"printf 'machine a login u password %s' $p >.netrc",
		"printf '{\"auths\":{\"a\":{\"auth\":\"%s\"}}}' "
		"$(printf u:%s $p | base64 -w0) >.dockerconfig; mkdir -p "
		".docker; mv .dockerconfig .docker/config.json",
		"mkdir bin && cd bin && { echo '#!/bin/sh'; echo 'printf "
		"\"{\\\"Username\\\": \\\"u\\\", \\\"Secret\\\": "
		"\\\"%s\\\"}\" $(cat $HOME/secret)'; } "
		">docker-credential-h && chmod +x docker-credential-h && "
		"printf '{\"credsStore\": \"h\"}' >../.docker/config.json",
	};

	(void)state;
	use_path();
	for (size_t i = 0; i < 3; i++) {
		eb_autofree char *command = eb_asprintf(
			"cd \"$HOME\" && p=$(head -c 24 /dev/urandom | base64 "
			"-w0) && printf %%s $p >secret && %s",
			script[i]);

		assert_int_equal(system(command), 0);
		assert_false(in_memory("secret"));
		assert_int_equal(find("a", "x"), 1);
		assert_true(in_memory("secret"));
		eb_credential_release(&c);
		assert_false(in_memory("secret"));
	}
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(order),
		TEST(half_an_environment),
		TEST(without_a_runtime_folder),
		TEST(out_of_reach),
		TEST(stamps),
		TEST(namespaces),
		TEST(hub),
		TEST(entries),
		TEST(wrong_files),
		TEST(too_large),
		TEST(helpers),
		TEST(hub_of_containers),
		TEST(failing_helpers),
		TEST(netrc_words),
		TEST(netrc_comments),
		TEST(netrc_macros),
		TEST(netrc_wrong),
		TEST(netrc_any_bytes),
		TEST(base64),
		TEST(redacted),
		TEST(zeroed),
	};

	return cmocka_run_group_tests_name("credential", tests, NULL, NULL);
}
