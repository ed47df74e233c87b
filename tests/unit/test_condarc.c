/* SPDX-License-Identifier: Apache-2.0 */
/* conda's settings: where they stand, what several of them say together, what
 * they make of channels, and the logins that other programs keep. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/channel.h>
#include <envbuild/condarc.h>
#include <envbuild/file.h>
#include <envbuild/matchspec.h>
#include <envbuild/mem.h>

/* A machine of its own: nothing of the one that the tests run on counts. */
static char *root;

static const char *const variables[] = {
	"CONDARC",
	"CONDA_ROOT",
	"CONDA_EXE",
	"CONDA_PREFIX",
	"XDG_CONFIG_HOME",
	"RATTLER_AUTH_FILE",
	"BINSTAR_CONFIG_DIR",
	"CONDA_CHANNELS",
	"CONDA_CHANNEL_ALIAS",
	"CONDA_OFFLINE",
	"CONDA_CHANNEL_PRIORITY",
	"CONDA_PINNED_PACKAGES",
	"CONDA_SSL_VERIFY",
	"CONDA_ADD_ANACONDA_TOKEN",
};

static void put(const char *path, const char *text)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *file = eb_path_join(root, path);
	eb_autofree char *folder = eb_strdup(file);

	*strrchr(folder, '/') = '\0';
	assert_int_equal(eb_mkdirs(folder, 0700, &err), 0);
	assert_int_equal(eb_write_file(file, text, strlen(text), 0600, &err),
			 0);
}

static int set_up(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *home = NULL;

	(void)state;
	root = eb_make_tempdir("/tmp", "condarc.", &err);
	home = eb_path_join(root, "home");
	setenv("HOME", home, 1);
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
		unsetenv(variables[i]);
	return root ? 0 : -1;
}

static int tear_down(void **state)
{
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	eb_remove_tree(root, &err);
	free(root);
	return 0;
}

static void set_path(const char *name, const char *path)
{
	eb_autofree char *value = eb_path_join(root, path);

	setenv(name, value, 1);
}

static struct eb_condarc *read_good(void)
{
	struct eb_condarc *c = eb_condarc_read_in(root);

	if (eb_err_is_set(&c->err))
		fail_msg("%s:%u: %s", c->err.file, c->err.line, c->err.message);
	return c;
}

static void assert_list(const struct eb_strv *list, const char *want)
{
	EB_AUTOBUF(text, EB_MAX_CONFIG);

	for (size_t i = 0; i < list->n; i++)
		eb_buf_addf(&text, "%s%s", i ? " " : "", list->v[i]);
	assert_string_equal(text.data, want);
}

/* --- places ---------------------------------------------------------- */

static void test_none(void **state)
{
	struct eb_condarc *c = read_good();

	(void)state;
	assert_int_equal(c->file.n, 0);
	assert_int_equal(c->channels.n, 0);
	assert_null(c->channel_alias);
	assert_null(c->channel_priority);
	assert_true(c->add_anaconda_token);
	assert_false(c->offline);
	assert_ptr_equal(eb_condarc_ref(c), c);
	eb_condarc_unref(c);
	eb_condarc_unref(c);
	eb_condarc_unref(NULL);
}

static void test_places(void **state)
{
	static const char *const places[] = {
		"etc/conda/.condarc",	     "etc/conda/condarc",
		"etc/conda/condarc.d/a.yml", "etc/conda/condarc.d/b.yaml",
		"var/lib/conda/condarc",     "opt/conda/.condarc",
		"xdg/conda/condarc.d/x.yml", "home/.config/conda/.condarc",
		"home/.conda/condarc",	     "home/.condarc",
		"prefix/condarc.d/p.yml",    "given.yml",
	};
	EB_AUTOBUF(want, EB_MAX_CONFIG);
	struct eb_condarc *c;

	(void)state;
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		eb_autofree char *text = eb_asprintf("channels: [c%zu]\n", i);

		put(places[i], text);
	}
	put("etc/conda/condarc.d/c.txt", "channels: [no]\n");
	put("home/conda", "channels: [no]\n");
	set_path("CONDA_EXE", "opt/conda/bin/conda");
	set_path("XDG_CONFIG_HOME", "xdg");
	set_path("CONDA_PREFIX", "prefix");
	set_path("CONDARC", "given.yml");
	c = read_good();
	assert_int_equal(c->file.n, sizeof places / sizeof *places);
	for (size_t i = 0; i < c->file.n; i++)
		assert_string_equal(c->file.v[i] + strlen(root) + 1, places[i]);
	for (size_t i = c->file.n; i--;)
		eb_buf_addf(&want, "c%zu%s", i, i ? " " : "");
	assert_list(&c->channels, want.data);
	eb_condarc_unref(c);
}

/* The same file by two ways counts once; a folder may be given; another name
 * is none of conda's. */
static void test_given(void **state)
{
	struct eb_condarc *c;

	(void)state;
	put("home/.config/conda/.condarc", "channels: [a]\n");
	put("more/1.yml", "channels: [b]\n");
	put("more/2.yml", "channels: [c]\n");
	put("other.txt", "channels: [d]\n");
	set_path("XDG_CONFIG_HOME", "home/.config");
	setenv("CONDARC", "~/../more", 1);
	c = read_good();
	assert_int_equal(c->file.n, 3);
	assert_list(&c->channels, "c b a");
	eb_condarc_unref(c);
	set_path("CONDARC", "other.txt");
	c = read_good();
	assert_list(&c->channels, "a");
	eb_condarc_unref(c);
}

/* --- merging --------------------------------------------------------- */

static const struct {
	const char *first, *second, *variable, *want;
} lists[] = {
	{ "channels: [a, b]", "channels: [c]", NULL, "c a b" },
	{ "channels: [a, b]", "channels: [b, c]", NULL, "b c a" },
	{ "channels: [a]", "channels: [b]", "c, d,,", "c d b a" },
	{ "channels:\n- a #!top\n- b\n", "channels: [c]", NULL, "a c b" },
	{ "channels:\n- a\n- b  #!bottom\n", "channels: [b, c]", "d",
	  "d c a b" },
	{ "channels:\n- a #!top\n", "channels:\n- b #!top\n- c\n", NULL,
	  "a b c" },
	{ "channels:\n- a #!bottom\n", "channels:\n- b #!bottom\n- c\n", NULL,
	  "c b a" },
	{ "channels:\n- a\n- x #!top\n- x #!bottom\n", "channels: [c]", NULL,
	  "c a x" },
	{ "channels: #!final\n- a\n", "channels: [b]", "c", "a" },
	{ "channels: [a] #!final", "channels: [b]", NULL, "a" },
	{ "channels: [a, b] #!top", "channels: [c]", NULL, "c a b" },
	{ "channels: [a]", "channels: #!final\n  - b\n", "c", "b a" },
	{ "channels:\n- a # !top is no mark\n", "channels: [b]", NULL, "b a" },
	{ "channels: [a]", "channels:\n", NULL, "a" },
	{ "channels: [a]", "", NULL, "a" },
	{ "channel: [a]", "channels: [b]", NULL, "b a" },
	{ "{channels: ['${TEST_ONE}', $TEST_NO/x]}", "channels: []", NULL,
	  "https://h.example/t/x $TEST_NO/x" },
};

static void test_lists(void **state)
{
	(void)state;
	setenv("TEST_ONE", "https://h.example/t/x", 1);
	unsetenv("TEST_NO");
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		struct eb_condarc *c;

		put("etc/conda/.condarc", lists[i].first);
		put("home/.condarc", lists[i].second);
		if (lists[i].variable)
			setenv("CONDA_CHANNELS", lists[i].variable, 1);
		else
			unsetenv("CONDA_CHANNELS");
		c = read_good();
		assert_list(&c->channels, lists[i].want);
		eb_condarc_unref(c);
	}
}

static const struct {
	const char *first, *second, *variable, *want;
} texts[] = {
	{ "channel_priority: strict", "channel_priority: flexible", NULL,
	  "flexible" },
	{ "channel_priority: strict #!final", "channel_priority: flexible",
	  "disabled", "strict" },
	{ "channel_priority: Strict", "", "disabled", "disabled" },
	{ "channel_priority: true", "", NULL, "flexible" },
	{ "", "channel_priority: no", NULL, "disabled" },
	{ "", "", " strict !important", "strict" },
};

static void test_texts(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct eb_condarc *c;

		put("etc/conda/.condarc", texts[i].first);
		put("home/.condarc", texts[i].second);
		if (texts[i].variable)
			setenv("CONDA_CHANNEL_PRIORITY", texts[i].variable, 1);
		else
			unsetenv("CONDA_CHANNEL_PRIORITY");
		c = read_good();
		assert_string_equal(c->channel_priority, texts[i].want);
		eb_condarc_unref(c);
	}
}

static const struct eb_strv *named(const struct eb_condarc_names *names,
				   const char *name)
{
	for (size_t i = 0; i < names->n; i++)
		if (!strcmp(names->v[i].name, name))
			return &names->v[i].url;
	fail_msg("no \"%s\"", name);
	return NULL;
}

static void test_maps(void **state)
{
	struct eb_condarc *c;

	(void)state;
	put("etc/conda/.condarc", "custom_channels:\n"
				  "  a: https://one.example\n"
				  "  b: https://one.example #!final\n"
				  "  c: https://one.example\n"
				  "custom_multichannels:\n"
				  "  m:\n  - x\n  - y\n"
				  "  f: #!final\n  - z\n");
	put("home/.condarc", "custom_channels:\n"
			     "  a: https://two.example\n"
			     "  b: https://two.example\n"
			     "  d: https://two.example\n"
			     "  c:\n"
			     "custom_multichannels: {m: [v], f: [w]}\n");
	c = read_good();
	assert_int_equal(c->custom_channels.n, 4);
	assert_list(named(&c->custom_channels, "a"), "https://two.example");
	assert_list(named(&c->custom_channels, "b"), "https://one.example");
	assert_list(named(&c->custom_channels, "c"), "https://one.example");
	assert_list(named(&c->custom_channels, "d"), "https://two.example");
	assert_list(named(&c->custom_multichannels, "m"), "v x y");
	assert_list(named(&c->custom_multichannels, "f"), "z");
	eb_condarc_unref(c);
}

static void test_other_keys(void **state)
{
	struct eb_condarc *c;

	(void)state;
	put("ca.pem", "PEM\n");
	setenv("TEST_ROOT", root, 1);
	put("home/.condarc",
	    "verify_ssl: ${TEST_ROOT}/ca.pem\n"
	    "client_ssl_cert: /x/cert.pem\n"
	    "remote_read_timeout_secs: 30.5\n"
	    "remote_max_retries: 1\n"
	    "add_binstar_token: off\n"
	    "offline: yes\n"
	    "pinned_packages: [python 3.10.*, numpy]\n"
	    "envs_dirs: [/x]\n"
	    "channel_settings:\n"
	    "- {channel: https://h.example/*, auth: a-plugin}\n"
	    "- {channel: other, username: me}\n");
	setenv("CONDA_PINNED_PACKAGES", "scipy>1,<2&blas", 1);
	c = read_good();
	assert_string_equal(c->tls.ca, "PEM\n");
	assert_string_equal(c->tls.cert, "/x/cert.pem");
	assert_string_equal(c->tls.key, "/x/cert.pem");
	assert_false(c->tls.insecure);
	assert_int_equal(c->read_timeout_s, 31);
	assert_int_equal(c->tries, 2);
	assert_false(c->add_anaconda_token);
	assert_true(c->offline);
	assert_int_equal(c->pinned_packages.n, 4);
	assert_string_equal(c->pinned_packages.v[0], "scipy>1,<2");
	assert_string_equal(c->pinned_packages.v[2], "python 3.10.*");
	assert_list(&c->auth_plugins, "https://h.example/* a-plugin");
	assert_list(&c->variable, "CONDA_PINNED_PACKAGES");
	eb_condarc_unref(c);
	setenv("CONDA_SSL_VERIFY", "false", 1);
	setenv("CONDA_OFFLINE", "0", 1);
	c = read_good();
	assert_true(c->tls.insecure);
	assert_null(c->tls.ca);
	assert_false(c->offline);
	eb_condarc_unref(c);
}

/* --- errors ---------------------------------------------------------- */

static const struct {
	const char *text;
	unsigned line, column;
	const char *words;
} bad[] = {
	{ "channels: [a\n", 2, 1, NULL },
	{ "- a\n", 1, 1, "a map of keys" },
	{ "channels: a\n", 1, 11, "\"channels\" must be a list" },
	{ "x: 1\nchannels:\n- a\n- {b: c}\n", 4, 3,
	  "an item of \"channels\" must be text" },
	{ "channels: [a]\nchannel: [b]\n", 2, 1, "beside \"channels\"" },
	{ "custom_channels: [a]\n", 1, 18, "must be a map" },
	{ "custom_channels:\n  a: [b]\n", 2, 6, "\"a\" must be text" },
	{ "mirrored_channels: {a: b}\n", 1, 24, "\"a\" must be a list" },
	{ "channel_alias: [a]\n", 1, 16, "must be text" },
	{ "channel_alias: conda.example\n", 1, 16, "no URL" },
	{ "channel_priority: often\n", 1, 19, "\"often\"" },
	{ "offline: maybe\n", 1, 10, "neither true nor false" },
	{ "remote_max_retries: many\n", 1, 21, "no number" },
	{ "ssl_verify: /nonexistent/ca\n", 1, 13, "/nonexistent/ca" },
	{ "ssl_verify: /\n", 1, 13, "a folder" },
	{ "channel_settings: [a]\n", 1, 20, "must be a map" },
	{ "channels: !!python/tuple [a]\n", 1, 11, "python/tuple" },
	{ "channels: [a]\nchannels: [b]\n", 2, 1, "channels" },
};

/* None of it counts, and it is known where the fault is. */
static void test_bad(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		eb_autofree char *file = eb_path_join(root, "home/.condarc");
		struct eb_condarc *c;

		put("etc/conda/.condarc", "channels: [good]\noffline: true\n");
		put("home/.condarc", bad[i].text);
		c = eb_condarc_read_in(root);
		if (!eb_err_is_set(&c->err))
			fail_msg("no error: %s", bad[i].text);
		assert_int_equal(c->err.code, EB_INPUT);
		assert_string_equal(c->err.file, file);
		assert_int_equal(c->err.line, bad[i].line);
		assert_int_equal(c->err.column, bad[i].column);
		if (bad[i].words && !strstr(c->err.message, bad[i].words))
			fail_msg("%s: %s", bad[i].text, c->err.message);
		assert_null(strchr(c->err.message, '\n'));
		assert_int_equal(c->channels.n, 0);
		assert_false(c->offline);
		eb_condarc_unref(c);
	}
}

static void test_bounds(void **state)
{
	EB_AUTOBUF(text, EB_MAX_TEXT);
	struct eb_condarc *c;

	(void)state;
	eb_buf_adds(&text, "channels:\n");
	for (int i = 0; i < 10001; i++)
		eb_buf_addf(&text, "- c%d\n", i);
	put("home/.condarc", text.data);
	c = eb_condarc_read_in(root);
	assert_int_equal(c->err.line, 10002);
	eb_condarc_unref(c);
	while (text.len <= EB_MAX_YAML)
		eb_buf_adds(&text, "# a long comment, again and again\n");
	put("home/.condarc", text.data);
	c = eb_condarc_read_in(root);
	assert_int_equal(c->err.code, EB_INPUT);
	assert_non_null(strstr(c->err.message, ".condarc"));
	eb_condarc_unref(c);
	put("home/.condarc", "");
	for (int i = 0; i < 65; i++) {
		eb_autofree char *name =
			eb_asprintf("etc/conda/condarc.d/%d.yml", i);

		put(name, "");
	}
	c = eb_condarc_read_in(root);
	assert_non_null(strstr(c->err.message, "more than 64 files"));
	eb_condarc_unref(c);
}

/* --- names ----------------------------------------------------------- */

#define SETTINGS                                                          \
	"channel_alias: https://me:pw@alias.example/conda/\n"             \
	"migrated_channel_aliases:\n"                                     \
	"- http://old.example/\n"                                         \
	"- https://older.example/c\n"                                     \
	"default_channels: [https://d.example/t/tk-1/pkgs/main, extra]\n" \
	"custom_channels:\n"                                              \
	"  mine: https://host.example/stuff\n"                            \
	"  mine/deep: file:///srv\n"                                      \
	"  local-one: /srv/x y\n"                                         \
	"  named: no-url\n"                                               \
	"custom_multichannels:\n"                                         \
	"  team:\n"                                                       \
	"  - https://m.example/a/b\n"                                     \
	"  - conda-forge\n"                                               \
	"  empty: []\n"                                                   \
	"migrated_custom_channels:\n"                                     \
	"  mine: https://gone.example/here\n"

static const struct {
	const char *in, *names, *canonical, *also;
} names[] = {
	{ "conda-forge", "conda-forge",
	  "https://alias.example/conda/conda-forge", "" },
	{ "conda-forge/linux-64", "conda-forge",
	  "https://alias.example/conda/conda-forge", "" },
	{ "mine", "mine", "https://host.example/stuff/mine", "" },
	{ "mine/label/dev", "mine/label/dev",
	  "https://host.example/stuff/mine/label/dev", "" },
	{ "mine/deep/er", "mine/deep/er", "file:///srv/mine/deep/er", "" },
	{ "mines", "mines", "https://alias.example/conda/mines", "" },
	{ "local-one/noarch", "local-one", "file:///srv/x%20y/local-one", "" },
	{ "named", "named", "https://alias.example/conda/named", "" },
	{ "https://host.example/stuff/mine/x", "mine/x",
	  "https://host.example/stuff/mine/x", "" },
	{ "defaults", "https://d.example/pkgs/main extra",
	  "https://d.example/pkgs/main https://alias.example/conda/extra",
	  "defaults" },
	{ "pkgs/main", "https://d.example/pkgs/main",
	  "https://d.example/pkgs/main", "" },
	{ "pkgs/r", "pkgs/r", "https://repo.anaconda.com/pkgs/r", "" },
	{ "team", "https://m.example/a/b conda-forge",
	  "https://m.example/a/b https://alias.example/conda/conda-forge",
	  "team" },
	{ "a/b/label/x", "https://m.example/a/b/label/x",
	  "https://m.example/a/b/label/x", "" },
	{ "empty", "", "", "" },
	{ "nodefaults", "", "", "" },
	{ "https://old.example/bioconda/noarch", "bioconda",
	  "https://alias.example/conda/bioconda", "" },
	{ "http://u:p@older.example/c/mine", "mine",
	  "https://host.example/stuff/mine", "" },
	{ "https://older.example/cc/x", "https://older.example/cc/x",
	  "https://older.example/cc/x", "" },
	{ "https://gone.example/here/mine/label/x", "mine/label/x",
	  "https://host.example/stuff/mine/label/x", "" },
};

static void assert_names(const struct eb_condarc *rc, size_t i)
{
	const struct eb_channel_rules rules = { .condarc = rc };
	EB_CLEANUP(eb_channels_release) struct eb_channels c = { 0 };
	EB_CLEANUP(eb_strv_release) struct eb_strv name = { 0 }, url = { 0 };
	struct eb_error err = EB_ERROR_INIT;

	if (eb_channels_add_by(&c, names[i].in, &rules, &err) < 0)
		fail_msg("%s: %s", names[i].in, err.message);
	for (size_t k = 0; k < c.n; k++) {
		eb_strv_add(&name, c.channel[k].name);
		eb_strv_add(&url, c.channel[k].canonical);
		assert_list(&c.channel[k].also, names[i].also);
	}
	assert_list(&name, names[i].names);
	assert_list(&url, names[i].canonical);
	assert_ptr_equal(c.rules.condarc, rc);
}

static void test_names(void **state)
{
	struct eb_condarc *rc;

	(void)state;
	put("home/.condarc", SETTINGS);
	rc = read_good();
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		assert_names(rc, i);
	eb_condarc_unref(rc);
}

/* "team::x" means every member of it, "defaults::x" those of here. */
static void test_meant(void **state)
{
	static const struct {
		const char *spec;
		bool team, forge, main;
	} rows[] = {
		{ "x", true, true, true },
		{ "team::x", true, true, false },
		{ "conda-forge::x", false, true, false },
		{ "defaults::x", false, false, true },
		{ "https://m.example/a/b::x", true, false, false },
		{ "other::x", false, false, false },
	};
	struct eb_error err = EB_ERROR_INIT;
	EB_CLEANUP(eb_channels_release) struct eb_channels c = { 0 };
	struct eb_channel_rules rules = { 0 };
	struct eb_condarc *rc;

	(void)state;
	put("home/.condarc", SETTINGS);
	rules.condarc = rc = read_good();
	eb_channels_add_by(&c, "https://m.example/a/b", &rules, &err);
	eb_channels_add_by(&c, "team", &rules, &err);
	eb_channels_add_by(&c, "defaults", &rules, &err);
	assert_int_equal(c.n, 4);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		EB_CLEANUP(eb_matchspec_free_ptr)
		struct eb_matchspec *m =
			eb_matchspec_parse(rows[i].spec, EB_STRICT, &err);

		assert_non_null(m);
		assert_int_equal(eb_channel_is_meant(&c.channel[0], m, NULL),
				 rows[i].team);
		assert_int_equal(eb_channel_is_meant(&c.channel[1], m, NULL),
				 rows[i].forge);
		assert_int_equal(eb_channel_is_meant(&c.channel[2], m, NULL),
				 rows[i].main);
	}
	eb_condarc_unref(rc);
}

static const struct {
	const char *settings, *channel;
	enum eb_code code; /* EB_OK: allowed */
} allowed[] = {
	{ "denylist_channels: [bad]", "bad", EB_REFUSED },
	{ "denylist_channels: [bad]", "good", EB_OK },
	{ "allowlist_channels: [good]", "good", EB_OK },
	{ "allowlist_channels: [good]", "https://conda.anaconda.org/good",
	  EB_OK },
	{ "whitelist_channels: [defaults]", "pkgs/r", EB_OK },
	{ "allowlist_channels: [good]", "good/label/x", EB_REFUSED },
	{ "allowlist_channels: [good]\ndenylist_channels: [good]", "good",
	  EB_REFUSED },
	{ "allowlist_channels: ['a b']", "good", EB_INPUT },
	{ "custom_channels: {good: 'https://h.example'}\n"
	  "allowlist_channels: [good]",
	  "https://h.example/good", EB_OK },
};

static void test_allowed(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++) {
		struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
		EB_CLEANUP(eb_channels_release) struct eb_channels c = { 0 };
		struct eb_condarc *rc;
		int rc_of;

		put("home/.condarc", allowed[i].settings);
		rc = read_good();
		eb_channels_add(&c, allowed[i].channel, NULL, &err);
		rc_of = eb_condarc_allows(rc, c.channel->canonical, NULL, &err);
		assert_int_equal(rc_of, allowed[i].code ? -1 : 0);
		assert_int_equal(err.code, allowed[i].code);
		if (allowed[i].code)
			assert_non_null(strstr(err.message, ".condarc"));
		eb_condarc_unref(rc);
	}
}

/* --- ways ------------------------------------------------------------ */

#define PLACES                                                         \
	"channel_alias: https://alias.example/t/tk-a\n"                \
	"custom_channels: {mine: 'https://u:pw@host.example/stuff'}\n" \
	"channels: ['https://u2:pw2@host.example/stuff/mine/deep']\n"  \
	"mirrored_channels:\n"                                         \
	"  forge:\n"                                                   \
	"  - https://m1.example/forge/\n"                              \
	"  - https://m:x@m2.example/f\n"                               \
	"  - /srv/forge\n"                                             \
	"  - oci://r.example/mirrors/forge\n"                          \
	"  https://plain.example/c: [https://host.example/stuff/mine]\n"

static const struct {
	const char *url, *ways;
} ways_of[] = {
	{ "https://alias.example/c/noarch/x-1-0.conda",
	  "https://alias.example/t/tk-a/c/noarch/x-1-0.conda" },
	{ "https://alias.example.evil/c/x", "https://alias.example.evil/c/x" },
	{ "https://host.example/stuff/mine/noarch/x",
	  "https://u:pw@host.example/stuff/mine/noarch/x" },
	{ "https://host.example/stuff/mine/deep/noarch/x",
	  "https://u2:pw2@host.example/stuff/mine/deep/noarch/x" },
	{ "https://host.example/other/x", "https://host.example/other/x" },
	{ "https://alias.example/forge/noarch/x",
	  "https://m1.example/forge/noarch/x "
	  "https://m:x@m2.example/f/noarch/x file:///srv/forge/noarch/x "
	  "oci://r.example/mirrors/forge/noarch/x" },
	{ "https://alias.example/forgery/x",
	  "https://alias.example/t/tk-a/forgery/x" },
	{ "https://plain.example/c/noarch/x",
	  "https://u:pw@host.example/stuff/mine/noarch/x" },
	{ "file:///x/t/y/z", "file:///x/t/y/z" },
};

static void test_ways(void **state)
{
	struct eb_channel_rules rules = { 0 };
	struct eb_condarc *rc;

	(void)state;
	put("home/.condarc", PLACES);
	rules.condarc = rc = read_good();
	for (size_t i = 0; i < sizeof ways_of / sizeof *ways_of; i++) {
		struct eb_error err = EB_ERROR_INIT;
		EB_CLEANUP(eb_channel_ways_release) struct eb_channel_ways w;
		EB_CLEANUP(eb_strv_release) struct eb_strv all = { 0 };

		if (eb_channel_ways(NULL, &rules, ways_of[i].url, &w, &err) < 0)
			fail_msg("%s: %s", ways_of[i].url, err.message);
		for (size_t k = 0; k < w.n; k++) {
			eb_strv_add(&all, w.way[k].url);
			assert_null(strstr(w.way[k].shown, "pw"));
			assert_null(strstr(w.way[k].shown, "tk-a"));
			assert_int_equal(w.way[k].more, k + 1 < w.n);
		}
		assert_list(&all, ways_of[i].ways);
	}
	eb_condarc_unref(rc);
}

static void test_bad_mirror(void **state)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_CLEANUP(eb_channel_ways_release) struct eb_channel_ways w = { 0 };
	struct eb_channel_rules rules = { 0 };
	struct eb_condarc *rc;

	(void)state;
	put("home/.condarc",
	    "mirrored_channels: {c: ['ftp://u:secret@h.example/x']}\n");
	rules.condarc = rc = read_good();
	assert_int_equal(eb_channel_ways(NULL, &rules,
					 "https://conda.anaconda.org/c/x", &w,
					 &err),
			 -1);
	assert_int_equal(err.code, EB_INPUT);
	assert_non_null(strstr(err.message, "ftp://h.example/x"));
	assert_null(strstr(err.message, "secret"));
	eb_condarc_unref(rc);
}

static const struct {
	const char *url, *proxy;
} proxied[] = {
	{ "https://h.example/c/x", "http://own.example:1" },
	{ "https://h.example:8443/c/x", "http://own.example:1" },
	{ "http://h.example/c/x", "http://any.example:3" },
	{ "https://i.example/c/x", "http://tls.example:2" },
	{ "http://i.example/c/x", "http://all.example:4" },
};

static void test_asking(void **state)
{
	struct eb_condarc *rc;
	struct eb_channel_rules rules = { 0 };

	(void)state;
	put("ca.pem", "PEM\n");
	setenv("TEST_ROOT", root, 1);
	put("home/.condarc", "proxy_servers:\n"
			     "  https://h.example: http://own.example:1\n"
			     "  https: http://tls.example:2\n"
			     "  all://h.example: http://any.example:3\n"
			     "  all: http://all.example:4\n"
			     "ssl_verify: $TEST_ROOT/ca.pem\n"
			     "remote_max_retries: 9\n"
			     "remote_read_timeout_secs: 7\n");
	rules.condarc = rc = read_good();
	for (size_t i = 0; i < sizeof proxied / sizeof *proxied; i++) {
		bool tls = eb_starts(proxied[i].url, "https");
		struct eb_error err = EB_ERROR_INIT;
		EB_CLEANUP(eb_channel_ways_release) struct eb_channel_ways w;
		struct eb_http_request r = { 0 };

		eb_channel_ways(NULL, &rules, proxied[i].url, &w, &err);
		eb_channel_way_ask(w.way, &r);
		assert_string_equal(r.url, proxied[i].url);
		assert_string_equal(r.proxy, proxied[i].proxy);
		assert_int_equal(r.tries, 5);
		assert_int_equal(r.stall_s, 7);
		assert_int_equal(r.tls->ca != NULL, tls);
	}
	rules.own_ca = true;
	{
		struct eb_error err = EB_ERROR_INIT;
		EB_CLEANUP(eb_channel_ways_release) struct eb_channel_ways w;

		eb_channel_ways(NULL, &rules, "https://h.example/x", &w, &err);
		assert_null(w.way->tls.ca);
	}
	eb_condarc_unref(rc);
}

/* --- logins of other programs ---------------------------------------- */

#define RATTLER                                                      \
	"{\"r.example\": {\"BearerToken\": \"bear\"},\n"             \
	" \"*.wild.example\": {\"CondaToken\": \"tk-w\"},\n"         \
	" \"b.example\": {\"BasicHTTP\": {\"username\": \"me\","     \
	" \"password\": \"pw\"}},\n"                                 \
	" \"o.example\": {\"OAuth\": {\"access_token\": \"oa\"}},\n" \
	" \"s.example\": {\"S3Credentials\": {}}}\n"

#define MAMBA                                                                \
	"{\"m.example\": {\"type\": \"CondaToken\", \"token\": \"tk-m\"},\n" \
	" \"m.example/private\": {\"type\": \"BasicHTTPAuthentication\","    \
	" \"user\": \"me\", \"password\": \"cHc=\"},\n"                      \
	" \"r.example\": {\"type\": \"BearerToken\", \"token\": \"no\"}}\n"

static const struct {
	const char *url, *got, *authorization;
} logins[] = {
	{ "https://r.example/c/x", "https://r.example/c/x", "Bearer bear" },
	{ "https://r.example:8443/c/x", "https://r.example:8443/c/x",
	  "Bearer bear" },
	{ "https://a.b.wild.example/c/x", "https://a.b.wild.example/t/tk-w/c/x",
	  NULL },
	{ "https://wild.example/c/x", "https://wild.example/t/tk-w/c/x", NULL },
	{ "https://b.example/c/x", "https://b.example/c/x", "Basic bWU6cHc=" },
	{ "https://o.example/c/x", "https://o.example/c/x", "Bearer oa" },
	{ "https://s.example/c/x", "https://s.example/c/x", NULL },
	{ "https://m.example/c/x", "https://m.example/t/tk-m/c/x", NULL },
	{ "https://m.example/private/c/x", "https://m.example/private/c/x",
	  "Basic bWU6cHc=" },
	{ "https://m.example/privates/x", "https://m.example/t/tk-m/privates/x",
	  NULL },
	{ "https://conda.srv.example/c/x",
	  "https://conda.srv.example/t/tk-b/c/x", NULL },
	{ "https://api.srv.example/c/x", "https://api.srv.example/t/tk-b/c/x",
	  NULL },
	{ "https://conda.srv.example.evil/x",
	  "https://conda.srv.example.evil/x", NULL },
	{ "http://conda.srv.example/x", "http://conda.srv.example/x", NULL },
	{ "oci://r.example/c/x", "oci://r.example/c/x", NULL },
};

static void put_logins(void)
{
	put("home/.rattler/credentials.json", RATTLER);
	put("home/.mamba/auth/authentication.json", MAMBA);
	put("home/.config/binstar/https%3A%2F%2Fapi.srv.example.token",
	    "tk-b\n");
}

static void assert_login(const struct eb_channel_rules *rules, const char *url,
			 const char *got, const char *authorization)
{
	struct eb_error err = EB_ERROR_INIT;
	EB_CLEANUP(eb_channel_ways_release) struct eb_channel_ways w;

	if (eb_channel_ways(NULL, rules, url, &w, &err) < 0)
		fail_msg("%s: %s", url, err.message);
	assert_string_equal(w.way->url, got);
	assert_string_equal(w.way->shown, url);
	if (authorization)
		assert_string_equal(w.way->authorization, authorization);
	else
		assert_null(w.way->authorization);
}

static void test_logins(void **state)
{
	struct eb_condarc *rc = read_good();
	const struct eb_channel_rules rules = { .condarc = rc };

	(void)state;
	put_logins();
	for (size_t i = 0; i < sizeof logins / sizeof *logins; i++)
		assert_login(&rules, logins[i].url, logins[i].got,
			     logins[i].authorization);
	eb_condarc_unref(rc);
}

/* The file that RATTLER_AUTH_FILE names comes first; a URL's own login and one
 * of the settings come before all of them; tokens can be left out. */
static void test_login_order(void **state)
{
	struct eb_channel_rules rules = { 0 };
	struct eb_condarc *rc;

	(void)state;
	put_logins();
	put("auth.json", "{\"r.example\": {\"CondaToken\": \"tk-f\"}}");
	set_path("RATTLER_AUTH_FILE", "auth.json");
	put("home/.condarc", "channel_alias: https://u:p@b.example\n"
			     "add_anaconda_token: false\n");
	rules.condarc = rc = read_good();
	assert_login(&rules, "https://r.example/c",
		     "https://r.example/t/tk-f/c", NULL);
	assert_login(&rules, "https://b.example/c", "https://u:p@b.example/c",
		     NULL);
	assert_login(&rules, "https://conda.srv.example/c",
		     "https://conda.srv.example/c", NULL);
	eb_condarc_unref(rc);
	put("data/data/https%3A%2F%2Fq.example.token", "tk-q");
	set_path("BINSTAR_CONFIG_DIR", "data");
	setenv("CONDA_ADD_ANACONDA_TOKEN", "true", 1);
	rules.condarc = rc = read_good();
	assert_login(&rules, "https://q.example/c",
		     "https://q.example/t/tk-q/c", NULL);
	assert_login(&rules, "https://conda.srv.example/c",
		     "https://conda.srv.example/c", NULL);
	eb_condarc_unref(rc);
}

static const struct {
	const char *file, *text, *words;
} damaged[] = {
	{ "home/.rattler/credentials.json", "{\"h\": s3cret}", NULL },
	{ "home/.rattler/credentials.json", "[\"s3cret\"]", "JSON object" },
	{ "home/.rattler/credentials.json",
	  "{\"h\": {\"BasicHTTP\": {\"password\": \"s3cret\"}}}",
	  "\"username\"" },
	{ "home/.rattler/credentials.json",
	  "{\"h\": {\"CondaToken\": \"s3cret/../x\"}}", "no token" },
	{ "home/.rattler/credentials.json",
	  "{\"h\": {\"BearerToken\": \"s3cret\\r\\nX: y\"}}",
	  "control character" },
	{ "home/.mamba/auth/authentication.json",
	  "{\"h\": {\"type\": \"BasicHTTPAuthentication\","
	  " \"password\": \"s3cret!\"}}",
	  "Base64" },
	{ "home/.config/binstar/https%3A%2F%2Fh.token", "s3cret x",
	  "no token" },
};

static void test_damaged_logins(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
		struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
		eb_autofree char *file = eb_path_join(root, damaged[i].file);
		EB_CLEANUP(eb_channel_ways_release)
		struct eb_channel_ways w = { 0 };
		struct eb_condarc *rc = read_good();
		const struct eb_channel_rules rules = { .condarc = rc };

		put(damaged[i].file, damaged[i].text);
		assert_int_equal(
			eb_channel_ways(NULL, &rules, "https://h/c", &w, &err),
			-1);
		assert_int_equal(err.code, EB_INPUT);
		assert_non_null(strstr(err.message, file));
		assert_null(strstr(err.message, "s3cret"));
		if (damaged[i].words && !strstr(err.message, damaged[i].words))
			fail_msg("%s", err.message);
		assert_int_equal(unlink(file), 0);
		eb_condarc_unref(rc);
	}
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_none),	TEST(test_places),
		TEST(test_given),	TEST(test_lists),
		TEST(test_texts),	TEST(test_maps),
		TEST(test_other_keys),	TEST(test_bad),
		TEST(test_bounds),	TEST(test_names),
		TEST(test_meant),	TEST(test_allowed),
		TEST(test_ways),	TEST(test_bad_mirror),
		TEST(test_asking),	TEST(test_logins),
		TEST(test_login_order), TEST(test_damaged_logins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
