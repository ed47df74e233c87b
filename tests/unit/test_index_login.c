/* SPDX-License-Identifier: Apache-2.0 */
/* Credentials of indexes: whose they are, and that no text shows them. */
#include "index_fixture.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <python/index_int.h>

static char *dir;

static int set_up(void **state)
{
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	dir = eb_make_tempdir("/tmp", "index-login-", &err);
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

static void logs_in(const struct eb_indexes *x, const char *url,
		    const char *want)
{
	eb_autofree char *login = eb_index_login(x, url);

	assert_string_equal(login, want);
}

static void test_nearest(void **state)
{
	struct eb_indexes x = {
		.url = (char *)"https://u:p%40x@h.example/a/simple/",
	};

	(void)state;
	eb_strv_add(&x.extra, "https://v:q@h.example/b/simple");
	eb_strv_add(&x.extra, "https://h.example:444/c/simple/");
	eb_strv_add(&x.extra, "http://w:r@h.example/a/simple/");
	eb_strv_add(&x.find_links, "https://token@links.example/");
	/* the URL's own */
	logs_in(&x, "https://i:j@h.example/a/simple/",
		"https://i:j@h.example/a/simple/");
	/* most of the path, in whole parts */
	logs_in(&x, "https://h.example/a/simple/torch/",
		"https://u:p%40x@h.example/a/simple/torch/");
	logs_in(&x, "https://h.example/a/files/t-1.zip",
		"https://u:p%40x@h.example/a/files/t-1.zip");
	logs_in(&x, "https://H.example:443/b/simple/x/",
		"https://v:q@H.example:443/b/simple/x/");
	logs_in(&x, "https://h.example/b?x=1", "https://v:q@h.example/b?x=1");
	logs_in(&x, "https://h.example/other",
		"https://u:p%40x@h.example/other");
	/* another scheme, port or host has its own or none */
	logs_in(&x, "http://h.example/a/x", "http://w:r@h.example/a/x");
	logs_in(&x, "https://h.example:444/a/simple/",
		"https://h.example:444/a/simple/");
	logs_in(&x, "https://h.example.evil.example/a/simple/",
		"https://h.example.evil.example/a/simple/");
	logs_in(&x, "https://links.example/x-1.zip",
		"https://token@links.example/x-1.zip");
	logs_in(&x, "file:///h.example/a", "file:///h.example/a");
	logs_in(NULL, "https://h.example/a", "https://h.example/a");
	eb_strv_release(&x.extra);
	eb_strv_release(&x.find_links);
}

static void test_userinfo(void **state)
{
	static const char *const cases[][2] = {
		{ "https://u:p@h/", "u:p" }, { "https://u@h:1/p@th", "u" },
		{ "https://h/a@b", NULL },   { "https://u:p@q@h?x@y", "u:p@q" },
		{ "/path@x", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		eb_autofree char *info = eb_index_userinfo(cases[i][0]);

		if (!cases[i][1])
			assert_null(info);
		else
			assert_string_equal(info, cases[i][1]);
	}
}

/* ---- netrc and keyring ----------------------------------------------------
 */

static void test_netrc(void **state)
{
	(void)state;
	assert_false(eb_index_in_netrc("https://h.example/"));
	write_text(dir, ".netrc",
		   "machine other.example login machine "
		   "password h.example\nmachine\nH.example "
		   "login a password b\n");
	assert_true(eb_index_in_netrc("https://u@h.example:8/x"));
	assert_true(eb_index_in_netrc("https://other.example"));
	assert_false(eb_index_in_netrc("https://example/"));
	assert_false(eb_index_in_netrc("/path"));
	write_text(dir, "rc", "machine a login default password default\n");
	eb_autofree char *rc = eb_path_join(dir, "rc");
	setenv("NETRC", rc, 1);
	assert_false(eb_index_in_netrc("https://h.example/"));
	write_text(dir, "rc", "machine a login b password c\ndefault login d");
	assert_true(eb_index_in_netrc("https://h.example/"));
	unsetenv("NETRC");
	eb_autofree char *path = eb_path_join(dir, ".netrc");
	unlink(path);
}

/* A program `keyring` first in PATH that notes how it was called. */
static void put_keyring(const char *body)
{
	eb_autofree char *path = eb_path_join(dir, "bin/keyring");
	eb_autofree char *text = eb_asprintf("#!/bin/sh\necho \"$@\" >> "
					     "%s/calls\n%s\n",
					     dir, body);

	write_text(dir, "bin/keyring", text);
	assert_int_equal(chmod(path, 0755), 0);
	write_text(dir, "calls", "");
}

static char *calls(void)
{
	eb_autofree char *path = eb_path_join(dir, "calls");
	EB_AUTOBUF(text, 65536);

	MUST(eb_read_file(path, 65536, &text, err));
	return eb_buf_steal(&text, NULL);
}

static void with_keyring(struct eb_indexes *x, const char *url)
{
	setenv("PIP_CONFIG_FILE", "/dev/null", 1);
	setenv("PIP_KEYRING_PROVIDER", "subprocess", 1);
	setenv("PIP_INDEX_URL", url, 1);
	MUST(eb_indexes_read_in(dir, NULL, x, NULL, err));
}

#define CREDS "echo '{\"username\": \"me\", \"password\": \"p@:/ \\\"x\"}'"

static void test_keyring(void **state)
{
	eb_autofree char *old = eb_strdup(getenv("PATH"));
	eb_autofree char *bin = eb_asprintf("%s/bin:%s", dir, old);
	struct eb_indexes x;

	(void)state;
	setenv("PATH", bin, 1);
	put_keyring(CREDS);
	with_keyring(&x, "https://h.example/simple");
	logs_in(&x, "https://h.example/simple/torch/",
		"https://me:p%40%3A%2F%20%22x@h.example/simple/torch/");
	logs_in(&x, "https://h.example/files/a.whl",
		"https://me:p%40%3A%2F%20%22x@h.example/files/a.whl");
	eb_autofree char *once = calls();
	assert_string_equal(once, "--mode=creds --output=json get "
				  "https://h.example/simple/\n");
	/* and it is masked from then on */
	eb_autofree char *masked =
		eb_indexes_mask(&x, "it was p@:/ \"x or p%40%3A%2F%20%22x");
	assert_string_equal(masked, "it was **** or ****");
	eb_indexes_release(&x);

	/* a user that the URL names; the host where the URL is not known */
	put_keyring("case $4 in h.example) echo '{\"username\": \"u\", "
		    "\"password\": \"w\"}';; *) exit 1;; esac");
	with_keyring(&x, "https://u%41@h.example/simple/?sig=hidden");
	logs_in(&x, "https://h.example/x", "https://u:w@h.example/x");
	eb_autofree char *named = calls();
	assert_string_equal(named, "--mode=creds --output=json get "
				   "h.example uA\n");
	eb_indexes_release(&x);

	/* an old one; netrc goes before */
	put_keyring("[ $1 = get ] || exit 2\necho secret");
	with_keyring(&x, "https://u@h.example/simple/");
	logs_in(&x, "https://h.example/x", "https://u:secret@h.example/x");
	write_text(dir, ".netrc", "machine h.example login a password b\n");
	logs_in(&x, "https://h.example/y", "https://u@h.example/y");
	eb_autofree char *rc = eb_path_join(dir, ".netrc");
	unlink(rc);
	eb_indexes_release(&x);

	/* not asked for without need */
	put_keyring(CREDS);
	with_keyring(&x, "https://u:p@h.example/simple/");
	logs_in(&x, "https://h.example/x", "https://u:p@h.example/x");
	free(x.keyring);
	x.keyring = eb_strdup("auto");
	logs_in(&x, "https://i.example/x", "https://i.example/x");
	eb_autofree char *none = calls();
	assert_string_equal(none, "");
	eb_indexes_release(&x);
	setenv("PATH", old, 1);
}

static void test_bad_keyring(void **state)
{
	static const char *const body[] = {
		"exit 1",     "echo '{\"username\": 1}'", "echo not json",
		"kill -9 $$", "head -c 100000 /dev/zero",
	};
	eb_autofree char *old = eb_strdup(getenv("PATH"));
	eb_autofree char *bin = eb_asprintf("%s/bin:%s", dir, old);
	eb_autofree char *only = eb_path_join(dir, "empty");
	struct eb_indexes x;
	uint64_t begun;

	(void)state;
	setenv("PATH", bin, 1);
	for (size_t i = 0; i < sizeof body / sizeof *body; i++) {
		put_keyring(body[i]);
		with_keyring(&x, "https://h.example/simple/");
		logs_in(&x, "https://h.example/x", "https://h.example/x");
		eb_indexes_release(&x);
	}
	/* one that hangs is asked once, 5 s */
	put_keyring("exec sleep 30");
	with_keyring(&x, "https://h.example/simple/");
	begun = eb_now_ns();
	logs_in(&x, "https://h.example/x", "https://h.example/x");
	logs_in(&x, "https://i.example/x", "https://i.example/x");
	assert_true(eb_now_ns() - begun < 9000000000u);
	eb_indexes_release(&x);
	/* none at all */
	setenv("PATH", only, 1);
	with_keyring(&x, "https://h.example/simple/");
	logs_in(&x, "https://h.example/x", "https://h.example/x");
	eb_indexes_release(&x);
	setenv("PATH", old, 1);
	index_clean_environment(dir);
}

/* ---- what is shown --------------------------------------------------------
 */

static void test_shown(void **state)
{
	static const char *const cases[][2] = {
		{ "https://u:p@h.example/simple/",
		  "https://h.example/simple/" },
		{ "https://token@h.example/", "https://h.example/" },
		{ "https://h.example/t/abc/simple",
		  "https://h.example/simple" },
		{ "https://h.example/x?a=1&sig=zz&X-Amz-Signature=y#f",
		  "https://h.example/x?a=1#f" },
		{ "https://h.example/x?token=1", "https://h.example/x" },
		{ "/some/folder", "/some/folder" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		eb_autofree char *shown = eb_index_shown(cases[i][0]);

		assert_string_equal(shown, cases[i][1]);
	}
}

static void test_mask(void **state)
{
	static const char *const cases[][2] = {
		{ "error: https://user:hunter22@h.example/simple/ says 401",
		  "error: https://h.example/simple/ says 401" },
		{ "Password was hunter22!", "Password was ****!" },
		{ "Authorization: Basic dXNlcjpodW50ZXIyMg==",
		  "Authorization: Basic ****" },
		{ "p@ss/w and p%40ss%2fw", "**** and ****" },
		{ "the token ghp_0123456789", "the token ****" },
		{ "Basic Z2hwXzAxMjM0NTY3ODk6", "Basic ****" },
		{ "proxy xyz, not xyzzy nor wxyz", "proxy ****, not xyzzy nor "
						   "wxyz" },
		{ "signed with s1gn4ture here", "signed with **** here" },
		{ "tok/t0kt0k/simple", "tok/****/simple" },
		{ "https://other.example/?sig=1 and http://a:b@c",
		  "https://other.example/ and http://c" },
		{ "nothing of it\n", "nothing of it\n" },
	};
	struct eb_indexes x = {
		.url = (char *)"https://user:hunter22@h.example/simple/",
		.proxy = (char *)"http://who:xyz@proxy.example:3128",
	};

	(void)state;
	eb_strv_add(&x.extra, "https://u:p%40ss%2fw@i.example/");
	eb_strv_add(&x.extra, "https://ghp_0123456789@j.example/");
	eb_strv_add(&x.extra, "https://k.example/t/t0kt0k/simple");
	eb_strv_add(&x.find_links,
		    "https://l.example/w?page=1&sig=s1gn4ture#x");
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		eb_autofree char *text = eb_indexes_mask(&x, cases[i][0]);

		assert_string_equal(text, cases[i][1]);
	}
	eb_autofree char *bare =
		eb_indexes_mask(NULL, "https://a:b@c.example/x hunter22");
	assert_string_equal(bare, "https://c.example/x hunter22");
	eb_strv_release(&x.extra);
	eb_strv_release(&x.find_links);
}

/* The first login of a host is for all of it, another one for its own. */
static void test_git(void **state)
{
	static const char *const wanted[] = {
		"GIT_CONFIG_KEY_0=http.https://g.example/.extraHeader",
		"GIT_CONFIG_VALUE_0=Authorization: Basic dG9rZW46",
		"GIT_CONFIG_KEY_1=http.https://g.example/b.git.extraHeader",
		"GIT_CONFIG_VALUE_1=",
		"GIT_CONFIG_KEY_2=http.https://g.example/b.git.extraHeader",
		"GIT_CONFIG_VALUE_2=Authorization: Basic dTpwQHNz",
		"GIT_CONFIG_COUNT=3",
	};
	struct eb_strv urls EB_CLEANUP(eb_strv_release) = { 0 };
	struct eb_strv env EB_CLEANUP(eb_strv_release) = { 0 };
	eb_autofree char *bare = NULL, *other = NULL;

	(void)state;
	eb_strv_add(&urls, "git+ssh://git@g.example/x.git");
	eb_strv_add(&urls, "git+https://open.example/x.git");
	eb_strv_add(&urls, "git+https://token@g.example/a.git@v1#egg=a");
	eb_strv_add(&urls, "https://u:p%40ss@g.example/b.git@v2");
	eb_git_logins(&urls, &env);
	assert_int_equal(env.n, sizeof wanted / sizeof *wanted);
	for (size_t i = 0; i < env.n; i++)
		assert_string_equal(env.v[i], wanted[i]);
	bare = eb_git_bare("a @ git+https://token@g.example/a.git@v1 ; x");
	assert_string_equal(bare, "a @ git+https://g.example/a.git@v1 ; x");
	other = eb_git_bare("a @ git+ssh://git@g.example/a.git");
	assert_string_equal(other, "a @ git+ssh://git@g.example/a.git");
}

/* What a requirement says of its URL, and of no other. */
static void test_direct(void **state)
{
	static const char *const cases[][2] = {
		{ "https://d.example/a-1.whl",
		  "https://u:p@d.example/a-1.whl" },
		{ "https://d.example/b-1.whl", "https://d.example/b-1.whl" },
		{ "git+https://d.example/r.git",
		  "git+https://t@d.example/r.git" },
		{ "https://d.example/r", "https://d.example/r" },
	};
	struct eb_indexes x = { 0 };

	(void)state;
	eb_strv_add(&x.direct, "https://u:p@d.example/a-1.whl#sha256=00");
	eb_strv_add(&x.direct, "https://t@d.example/r.git@main#egg=r");
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		eb_autofree char *url = eb_index_login(&x, cases[i][0]);

		assert_string_equal(url, cases[i][1]);
	}
	eb_strv_release(&x.direct);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nearest),
		cmocka_unit_test(test_userinfo),
		cmocka_unit_test(test_netrc),
		cmocka_unit_test(test_keyring),
		cmocka_unit_test(test_bad_keyring),
		cmocka_unit_test(test_shown),
		cmocka_unit_test(test_mask),
		cmocka_unit_test(test_git),
		cmocka_unit_test(test_direct),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
