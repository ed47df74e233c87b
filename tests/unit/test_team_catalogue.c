/* SPDX-License-Identifier: Apache-2.0 */
/* The team's catalogue: names of tags, definitions as text, what may be
 * shared. */
#include "team_fixture.h"

#include <build/team_catalogue.h>

#define X "0123456789abcdef0123456789abcdef"

/* --- tags ------------------------------------------------------------- */
static void tag_is(char *tag, const char *want)
{
	assert_string_equal(tag, want);
	free(tag);
}

static void length_is(char *tag, size_t want)
{
	assert_int_equal(strlen(tag), want);
	free(tag);
}

static void test_tags(void **state)
{
	char name[200];

	(void)state;
	tag_is(eb_catalogue_tag("def", "pytorch-1.6-gpu", "12"),
	       "def-pytorch-1.6-gpu.v12");
	tag_is(eb_catalogue_tag("label", "n", "prod.v2"), "label-n.vprod.v2");
	/* sha256("a.v1" NUL "2") */
	tag_is(eb_catalogue_tag("def", "a.v1", "2"),
	       "def-3bcf718802a4adcaadc253dfbb1b953b");
	/* the longest, and one more */
	snprintf(name, sizeof name, "%0121d", 1);
	length_is(eb_catalogue_tag("def", name, "1"), 128);
	snprintf(name, sizeof name, "%0122d", 1);
	length_is(eb_catalogue_tag("def", name, "1"), 36);
	tag_is(eb_catalogue_claims("a.v1", "2"),
	       "claim-3bcf718802a4adcaadc253dfbb1b953b-");
}

static void reads(const char *tag, int want, const char *name,
		  const char *version)
{
	eb_autofree char *n = NULL, *v = NULL;

	assert_int_equal(eb_catalogue_tag_read(tag, "def", &n, &v), want);
	if (want <= 0) {
		assert_null(n);
		assert_null(v);
		return;
	}
	assert_string_equal(n, name);
	assert_string_equal(v, version);
}

static void test_tags_read(void **state)
{
	(void)state;
	reads("def-n.v1", 1, "n", "1");
	reads("def-a.b-c_d.vx.v2", 1, "a.b-c_d", "x.v2");
	reads("def-" X, 0, NULL, NULL);
	reads("def-" X ".v1", 1, X, "1");
	reads("def-" X "0", -1, NULL, NULL);
	reads("def-0123456789ABCDEF0123456789ABCDEF", -1, NULL, NULL);
	reads("def-n", -1, NULL, NULL);
	reads("def-.v1", -1, NULL, NULL);
	reads("def-n.v", -1, NULL, NULL);
	reads("def-", -1, NULL, NULL);
	reads("def", -1, NULL, NULL);
	reads("definition-n.v1", -1, NULL, NULL);
	reads("n-n.v1", -1, NULL, NULL);
}

static void test_claims(void **state)
{
	static const char *const none[] = {
		"claim-" X "-" X "-0123456",
		"claim-" X "-" X "-012345678",
		"claim-" X "-" X "-0123456g",
		"claim-" X "-" X,
		"claim-" X "--" X "-01234567",
		"claim-",
		"claim",
		"klaim-" X "-" X "-01234567",
	};

	(void)state;
	assert_string_equal(eb_catalogue_claimant("claim-" X "-" X "-01234567"),
			    X "-01234567");
	for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
		assert_null(eb_catalogue_claimant(none[i]));
		assert_false(eb_catalogue_tag_is(none[i]));
	}
	assert_true(eb_catalogue_tag_is("claim-" X "-" X "-01234567"));
	assert_true(eb_catalogue_tag_is("label-n.vprod"));
	assert_true(eb_catalogue_tag_is("def-" X));
	assert_false(eb_catalogue_tag_is("n-n.v1"));
	assert_false(eb_catalogue_tag_is("env-" X));
	assert_false(eb_catalogue_tag_is("latest"));
}

static void test_numbers(void **state)
{
	(void)state;
	assert_int_equal(eb_version_number("1"), 1);
	assert_int_equal(eb_version_number("4503599627370496"), UINT64_C(1)
									<< 52);
	assert_int_equal(eb_version_number("4503599627370497"), 0);
	assert_int_equal(eb_version_number("0"), 0);
	assert_int_equal(eb_version_number("01"), 0);
	assert_int_equal(eb_version_number("1.0"), 0);
	assert_int_equal(eb_version_number(""), 0);
}

/* --- which is the latest ---------------------------------------------- */
static void add(struct eb_versions *v, const char *name, const char *version,
		int64_t time, bool archived)
{
	struct eb_version *e;

	EB_GROW(v->v, v->n, v->alloc);
	e = &v->v[v->n++];
	*e = (struct eb_version){ .name = eb_strdup(name),
				  .version = eb_strdup(version),
				  .tag = eb_strdup("x"),
				  .number = eb_version_number(version),
				  .seen = true };
	e->artifact.time = time;
	eb_artifact_note(&e->artifact, EB_NOTE_ARCHIVED,
			 archived ? "true" : NULL);
}

static void latest_is(const struct eb_versions *v, size_t at, bool archived,
		      const char *want)
{
	const struct eb_version *e = eb_versions_latest(v, at, archived);

	if (!want) {
		assert_null(e);
		return;
	}
	assert_non_null(e);
	assert_string_equal(e->version, want);
}

static void test_latest(void **state)
{
	EB_CLEANUP(eb_versions_release) struct eb_versions v = { 0 };

	(void)state;
	latest_is(&v, 0, true, NULL);
	add(&v, "b", "2", 9, false);
	add(&v, "b", "10", 1, true);
	add(&v, "b", "9", 2, false);
	add(&v, "b", "text", 10, false);
	add(&v, "c", "x", 2, false);
	add(&v, "c", "y", 1, false);
	add(&v, "a", "1", 1, true);
	add(&v, "a", "3", 1, true);
	eb_versions_sort(&v);
	latest_is(&v, 0, false, NULL);
	latest_is(&v, 0, true, "3");
	assert_int_equal(eb_versions_next(&v, 0), 2);
	latest_is(&v, 2, true, "9");
	assert_int_equal(eb_versions_next(&v, 2), 6);
	latest_is(&v, 6, false, "x");
	assert_int_equal(eb_versions_next(&v, 6), 8);
	v.v[6].gone = true;
	latest_is(&v, 6, false, "y");
}

/* --- text ------------------------------------------------------------- */
static struct eb_named sample(void)
{
	struct eb_named e = { 0 };

	e.text = eb_strdup("dependencies: [python]\n");
	e.file = eb_strdup("conda_dependencies.yml");
	eb_named_add_option(&e, "base", "scratch");
	eb_strv_add(&e.variable_name, "A");
	eb_strv_add(&e.variable_value, "b=c");
	return e;
}

static void drop(struct eb_named *e)
{
	free(e->text);
	free(e->file);
	free(e->files);
	eb_strv_release(&e->option_name);
	eb_strv_release(&e->option_value);
	eb_strv_release(&e->variable_name);
	eb_strv_release(&e->variable_value);
}

static const char golden[] =
	"{\"file\":\"conda_dependencies.yml\",\"format\":1,"
	"\"options\":[[\"base\",\"scratch\"]],"
	"\"text\":\"dependencies: [python]\\n\","
	"\"variables\":[[\"A\",\"b=c\"]]}";

static void test_text(void **state)
{
	struct eb_named e EB_CLEANUP(drop) = sample();
	EB_CLEANUP(eb_named_free_ptr) struct eb_named *back = NULL;
	EB_AUTOBUF(text, EB_MAX_ENVIRONMENT);
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	eb_environment_format(&e, &text);
	assert_string_equal(text.data, golden);
	must(eb_environment_parse(text.data, text.len, "x", &back, &err), &err);
	assert_int_equal(back->status, EB_ENV_SHARED);
	assert_string_equal(back->text, e.text);
	assert_string_equal(back->file, e.file);
	assert_null(back->files);
	assert_string_equal(eb_named_option(back, "base"), "scratch");
	assert_string_equal(back->variable_value.v[0], "b=c");
	eb_buf_reset(&text);
	e.files = eb_strdup("{}");
	eb_environment_format(&e, &text);
	eb_named_free(eb_steal(back));
	must(eb_environment_parse(text.data, text.len, "x", &back, &err), &err);
	assert_string_equal(back->files, "{}");
}

static void refused(const char *text, enum eb_code code, const char *says)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_named *e = NULL;

	must_fail(eb_environment_parse(text, strlen(text), "NAME", &e, &err),
		  &err, code, says);
	assert_null(e);
}

#define WITH(file, options, variables)                                        \
	"{\"format\":1,\"text\":\"x\",\"file\":" file ",\"options\":" options \
	",\"variables\":" variables "}"

static void test_damaged(void **state)
{
	(void)state;
	refused("", EB_INTEGRITY, "NAME");
	refused("[]", EB_INTEGRITY, "no JSON object of ours");
	refused("{\"format\":1,\"format\":1}", EB_INTEGRITY, "no JSON object");
	refused("{\"format\":0}", EB_INTEGRITY, "no JSON object");
	refused("{\"format\":2}", EB_MACHINE, "newest known is 1");
	refused("{\"format\":1}", EB_INTEGRITY, "no text");
	refused(WITH("\"a/b\"", "[]", "[]"), EB_INTEGRITY, "no name of a file");
	refused(WITH("\"\"", "[]", "[]"), EB_INTEGRITY, "no name of a file");
	refused(WITH("\"\\u001b\"", "[]", "[]"), EB_INTEGRITY,
		"name of a file");
	refused(WITH("\"f\"", "{}", "[]"), EB_INTEGRITY, "its options");
	refused(WITH("\"f\"", "[[\"base\"]]", "[]"), EB_INTEGRITY,
		"its options");
	refused(WITH("\"f\"", "[[\"base\",1]]", "[]"), EB_INTEGRITY,
		"its options");
	refused(WITH("\"f\"", "[[\"cache-dir\",\"/\"]]", "[]"), EB_INTEGRITY,
		"its options");
	refused(WITH("\"f\"", "[]", "[[\"A=B\",\"c\"]]"), EB_INTEGRITY,
		"its variables");
	refused(WITH("\"f\"", "[]", "[[\"\",\"c\"]]"), EB_INTEGRITY,
		"its variables");
}

/* --- what may be shared ----------------------------------------------- */
static bool may_share(const char *text)
{
	struct eb_named e EB_CLEANUP(drop) = sample();
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	free(e.text);
	e.text = eb_strdup(text);
	return eb_environment_check(&e, &err) == 0;
}

static void test_secrets(void **state)
{
	static const char *const good[] = {
		"channels: [https://conda.example/x, conda-forge]",
		"git+ssh://git@files.example/x.git",
		"ssh://me@files.example/x",
		"--index-url https://${USER}:${TOKEN}@index.example/simple",
		"git+https://${TOKEN}@files.example/x.git",
		"channels: ['https://conda.example/t/${TOKEN}/x']",
		"https://me:${TOKEN}@conda.example/t/${TOKEN}/x",
		"x @ https://files.example/x.whl?sv=1&sig=${SIG}&x=1",
		"x @ https://files.example/x.whl?sv=1&se=2030-01-01",
		"--find-links file:///srv/t/wheels/x",
		"channels: [https://conda.example,b@c]",
		"https://index.example/a@b",
		"https://index.example/team/x",
		"://",
	};
	static const char *const bad[] = {
		"channels: [https://u:p@conda.example/x]",
		"- https://token@conda.example/x",
		"- 'https://conda.example/t/to-ken/x'",
		"git+ssh://git:secret@files.example/x.git",
		"# https://u:p@conda.example",
		"x @ git+https://u:p@files.example/x.git",
		"first: https://index.example\nhttps://u@index.example",
		"https://${USER}:word@index.example/simple",
		"https://word${X}@index.example/simple",
		"https://me:word${X}@index.example/simple",
		"https://${USER}@me:word@index.example/simple",
		"https://${U}:${P}@conda.example/t/to-ken/x",
		"https://conda.example/t/to-ken${X}/x",
		"https://me:w,o;r'd@index.example/simple",
		"https://me:wo[rd]|<x>@index.example/simple",
		"x @ https://files.example/x.whl?sv=1&se=2030-01-01&sig=a%2Fb",
		"x @ https://files.example/x.whl?token=word#sha256=1",
	};

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		if (!may_share(good[i]))
			fail_msg("refused: %s", good[i]);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		if (may_share(bad[i]))
			fail_msg("shared: %s", bad[i]);
}

/* Written by anybody who may push, built by everybody: not to be had are files
 * of those who build. */
static void test_reach(void **state)
{
	static const char *const options[][2] = {
		{ "dockerfile", "/srv/Dockerfile" },
		{ "context", "/home" },
		{ "build-base", "rootfs:/srv/base.tar" },
	};
	char project[] = "/tmp/eb-reach-XXXXXX";
	eb_autofree char *setup = NULL, *text = NULL;
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	assert_true(may_share("dependencies:\n- pip:\n  - a\n"));
	assert_non_null(mkdtemp(project));
	setup = eb_path_join(project, "setup.py");
	must(eb_write_file(setup, "", 0, 0600, &err), &err);
	text = eb_asprintf("dependencies:\n- pip:\n  - %s\n", project);
	assert_false(may_share(text));
	must(eb_remove_tree(project, &err), &err);
	for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
		struct eb_named e EB_CLEANUP(drop) = sample();
		EB_AUTOBUF(artifact, EB_MAX_ENVIRONMENT);

		eb_strv_add(&e.option_name, options[i][0]);
		eb_strv_add(&e.option_value, options[i][1]);
		must_fail(eb_environment_check(&e, &err), &err, EB_INPUT,
			  options[i][1]);
		eb_environment_format(&e, &artifact);
		refused(artifact.data, EB_INPUT, "is of one machine");
	}
}

static void test_secret_places(void **state)
{
	struct eb_named e EB_CLEANUP(drop) = sample();
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	must(eb_environment_check(&e, &err), &err);
	eb_strv_add(&e.variable_name, "PIP_INDEX_URL");
	eb_strv_add(&e.variable_value, "https://u:p@index.example");
	must_fail(eb_environment_check(&e, &err), &err, EB_INPUT, "a login");
	eb_strv_release(&e.variable_name);
	eb_strv_release(&e.variable_value);
	e.files = eb_strdup("{\"a\": \"https://u:p@index.example\"}");
	must_fail(eb_environment_check(&e, &err), &err, EB_INPUT, "a login");
	free(eb_steal(e.files));
	eb_named_add_option(&e, "build-env", "X=https://u:p@index.example");
	must_fail(eb_environment_check(&e, &err), &err, EB_INPUT, "a login");
}

static void test_limits(void **state)
{
	struct eb_named e EB_CLEANUP(drop) = sample();
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	e.text[0] = '\xff';
	must_fail(eb_environment_check(&e, &err), &err, EB_INPUT, "not UTF-8");
	free(e.text);
	e.text = eb_malloc(EB_MAX_ENVIRONMENT + 1);
	memset(e.text, 'x', EB_MAX_ENVIRONMENT);
	e.text[EB_MAX_ENVIRONMENT] = '\0';
	must_fail(eb_environment_check(&e, &err), &err, EB_INPUT,
		  "longer than");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tags),
		cmocka_unit_test(test_tags_read),
		cmocka_unit_test(test_claims),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_latest),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_secrets),
		cmocka_unit_test(test_reach),
		cmocka_unit_test(test_secret_places),
		cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
