/* SPDX-License-Identifier: Apache-2.0 */
/* Manifests, indexes, configurations: read, edited, written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <envbuild/image.h>
#include <envbuild/json.h>
#include <envbuild/mem.h>

#define A         \
	"sha256:" \
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B         \
	"sha256:" \
	"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define C         \
	"sha256:" \
	"cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"
#define DOCKER "application/vnd.docker."

static const char oci_manifest[] =
	"{\"annotations\":{\"a\":\"1\",\"z\":\"2\"},\"config\":{\"digest\":\"" A
	"\",\"mediaType\":\"" EB_MT_CONFIG "\",\"size\":7},\"layers\":["
	"{\"annotations\":{\"k\":\"v\"},\"digest\":\"" B
	"\",\"mediaType\":\"" EB_MT_LAYER_GZIP "\",\"size\":8},{\"digest\":\"" C
	"\",\"mediaType\":\"" EB_MT_LAYER_ZSTD "\",\"size\":9}],"
	"\"mediaType\":\"" EB_MT_MANIFEST "\",\"schemaVersion\":2}";

static void parse_ok(const char *text, struct eb_manifest *m)
{
	struct eb_error err = EB_ERROR_INIT;

	if (eb_manifest_parse(text, strlen(text), "m.json", m, &err) < 0)
		fail_msg("%s", err.message);
}

static void test_manifest_round_trip(void **state)
{
	struct eb_manifest m;
	EB_AUTOBUF(out, EB_MAX_MANIFEST);

	(void)state;
	parse_ok(oci_manifest, &m);
	assert_int_equal(m.n_layers, 2);
	assert_int_equal(m.layer[1].size, 9);
	eb_manifest_format(&m, &out);
	assert_string_equal(out.data, oci_manifest);
	eb_manifest_release(&m);
}

static void test_manifest_of_docker(void **state)
{
	static const char text[] =
		"{\"schemaVersion\":2,\"mediaType\":\"" DOCKER
		"distribution.manifest.v2+json\",\"config\":{\"mediaType\":"
		"\"" DOCKER
		"container.image.v1+json\",\"size\":1,\"digest\":\"" A
		"\"},\"layers\":[{\"mediaType\":\"" DOCKER
		"image.rootfs.diff.tar.gzip\",\"size\":2,\"digest\":\"" B
		"\"}]}";
	struct eb_manifest m;
	EB_AUTOBUF(out, EB_MAX_MANIFEST);

	(void)state;
	parse_ok(text, &m);
	assert_string_equal(m.config.media_type, EB_MT_CONFIG);
	assert_string_equal(m.layer[0].media_type, EB_MT_LAYER_GZIP);
	eb_manifest_format(&m, &out);
	assert_null(strstr(out.data, "docker"));
	eb_manifest_release(&m);
}

static void test_manifest_made(void **state)
{
	struct eb_manifest m;
	struct eb_descriptor *d;
	struct eb_digest digest;
	EB_AUTOBUF(out, EB_MAX_MANIFEST);

	(void)state;
	parse_ok(oci_manifest, &m);
	eb_digest_parse(A, &digest);
	d = eb_manifest_add_layer(&m, EB_MT_LAYER_TAR, &digest, 10);
	eb_descriptor_annotate(d, "m", "2");
	eb_descriptor_annotate(d, "z", "3");
	eb_descriptor_annotate(d, "a", "1");
	eb_descriptor_annotate(d, "z", "4");
	assert_int_equal(d->annotations.n, 6);
	assert_string_equal(d->annotations.v[0], "a");
	assert_string_equal(d->annotations.v[2], "m");
	assert_string_equal(d->annotations.v[5], "4");
	assert_null(d->annotations.v[6]);
	eb_manifest_format(&m, &out);
	assert_non_null(strstr(out.data, "{\"annotations\":{\"a\":\"1\",\"m\":"
					 "\"2\",\"z\":\"4\"},\"digest\":\"" A));
	eb_manifest_release(&m);
}

#define CONFIG_D \
	"{\"mediaType\":\"" EB_MT_CONFIG "\",\"size\":1,\"digest\":\"" A "\"}"

static const struct {
	const char *text, *why;
} bad_manifests[] = {
	{ "{", "reading as JSON" },
	{ "[]", "schemaVersion" },
	{ "{\"schemaVersion\":1}", "schemaVersion" },
	{ "{\"schemaVersion\":2,\"mediaType\":\"" EB_MT_INDEX "\"}",
	  "not an image manifest but" },
	{ "{\"schemaVersion\":2}", "\"config\"" },
	{ "{\"schemaVersion\":2,\"config\":{\"mediaType\":\"x\",\"size\":1,"
	  "\"digest\":\"" A "\"},\"layers\":[]}",
	  "its configuration is \"x\"" },
	{ "{\"schemaVersion\":2,\"config\":{\"size\":1,\"digest\":\"" A "\"}}",
	  "mediaType" },
	{ "{\"schemaVersion\":2,\"config\":" CONFIG_D "}", "is no list" },
	{ "{\"schemaVersion\":2,\"config\":" CONFIG_D ",\"layers\":[7]}",
	  "layers[0]" },
	{ "{\"schemaVersion\":2,\"config\":" CONFIG_D ",\"layers\":[" CONFIG_D
	  "]}",
	  "is not a layer" },
	{ "{\"schemaVersion\":2,\"config\":" CONFIG_D ",\"layers\":["
	  "{\"mediaType\":\"" EB_MT_LAYER_TAR "+encrypted\",\"size\":1,"
	  "\"digest\":\"" A "\"}]}",
	  "is not a layer" },
	{ "{\"schemaVersion\":2,\"config\":" CONFIG_D ",\"layers\":["
	  "{\"mediaType\":\"" EB_MT_LAYER_TAR "\",\"size\":-1,\"digest\":\"" A
	  "\"}]}",
	  "size" },
	{ "{\"schemaVersion\":2,\"config\":" CONFIG_D ",\"layers\":["
	  "{\"mediaType\":\"" EB_MT_LAYER_TAR "\",\"size\":1,\"digest\":"
	  "\"sha512:12\"}]}",
	  "not a sha256 digest" },
	{ "{\"schemaVersion\":2,\"config\":" CONFIG_D ",\"layers\":[],"
	  "\"annotations\":{\"a\":1}}",
	  "annotation" },
};

static void test_bad_manifests(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof bad_manifests / sizeof *bad_manifests; i++) {
		struct eb_error err = EB_ERROR_INIT;
		struct eb_manifest m;
		const char *text = bad_manifests[i].text;

		if (eb_manifest_parse(text, strlen(text), "m.json", &m, &err) ==
		    0)
			fail_msg("taken: %s", text);
		assert_int_equal(err.code, EB_INPUT);
		assert_non_null(strstr(err.message, "m.json"));
		if (!strstr(err.message, bad_manifests[i].why))
			fail_msg("%s", err.message);
		eb_err_release(&err);
	}
}

#define ENTRY(d, platform, more)                                           \
	"{\"mediaType\":\"" EB_MT_MANIFEST "\",\"size\":1,\"digest\":\"" d \
	"\",\"platform\":" platform more "}"
#define INDEX(list) "{\"schemaVersion\":2,\"manifests\":[" list "]}"
#define AMD64 "{\"os\":\"linux\",\"architecture\":\"amd64\"}"
#define AMD64V3 \
	"{\"os\":\"linux\",\"architecture\":\"amd64\",\"variant\":\"v3\"}"
#define ARM64 "{\"os\":\"linux\",\"architecture\":\"arm64\",\"variant\":\"v8\"}"
#define NOTHING "{\"os\":\"unknown\",\"architecture\":\"unknown\"}"
#define ATTEST                                                           \
	",\"annotations\":{\"vnd.docker.reference.type\":\"attestation-" \
	"manifest\"}"

static void pick(const char *index, const char *platform, const char *expect)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_descriptor d;
	char text[EB_DIGEST_TEXT];
	int got = eb_index_pick(index, strlen(index), "i.json", platform, &d,
				&err);

	if (!expect) {
		assert_int_equal(got, -1);
		assert_int_equal(err.code, EB_INPUT);
		assert_non_null(strstr(err.message, platform));
		eb_err_release(&err);
		return;
	}
	if (got < 0)
		fail_msg("%s", err.message);
	assert_string_equal(eb_digest_text(&d.digest, text), expect);
	eb_descriptor_release(&d);
}

static void test_pick(void **state)
{
	static const char all[] = INDEX(
		ENTRY(C, NOTHING, ATTEST) "," ENTRY(C, AMD64, ATTEST) "," ENTRY(
			C, AMD64V3, "") "," ENTRY(B, ARM64,
						  "") "," ENTRY(A, AMD64, ""));

	(void)state;
	pick(all, "linux/amd64", A);
	pick(all, "linux/amd64/v1", A);
	pick(all, "linux/amd64/v3", C);
	pick(all, "linux/arm64", B);
	pick(all, "linux/arm64/v8", B);
	pick(all, "linux/ppc64le", NULL);
	pick(INDEX(ENTRY(A, NOTHING, "")), "linux/amd64", NULL);
	pick(INDEX(""), "linux/amd64", NULL);
}

static void test_pick_hint(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_descriptor d;
	static const char text[] =
		INDEX(ENTRY(A, ARM64, "") "," ENTRY(B, AMD64V3, ""));

	(void)state;
	assert_int_equal(
		eb_index_pick(text, strlen(text), "i", "linux/s390x", &d, &err),
		-1);
	assert_string_equal(err.hint, "it has: linux/amd64/v3, linux/arm64");
	eb_err_release(&err);
	assert_int_equal(
		eb_index_pick(text, strlen(text), "i", "linux", &d, &err), -1);
	assert_int_equal(err.code, EB_USAGE);
	eb_err_release(&err);
}

static const char base_config[] =
	"{\"architecture\":\"amd64\",\"author\":\"x\",\"config\":{\"Env\":["
	"\"PATH=/bin\",\"A=1\",\"PATH=/usr/bin\",\"AB=2\"],\"Healthcheck\":"
	"{\"Test\":[\"NONE\"]},\"Labels\":{\"keep\":\"me\"},\"OnBuild\":null},"
	"\"container_config\":{\"Tty\":false},\"history\":[{\"created_by\":"
	"\"ADD\"},{\"created_by\":\"ENV\",\"empty_layer\":true}],\"os\":"
	"\"linux\",\"rootfs\":{\"diff_ids\":[\"" A "\",\"" B "\"],\"type\":"
	"\"layers\"}}";

static json_t *config_ok(const char *text)
{
	struct eb_error err = EB_ERROR_INIT;
	json_t *json = eb_config_parse(text, strlen(text), "c.json", &err);

	if (!json)
		fail_msg("%s", err.message);
	return json;
}

static void test_config_kept(void **state)
{
	eb_autojson json_t *config = config_ok(base_config);
	EB_AUTOBUF(out, EB_MAX_CONFIG);
	eb_autofree struct eb_digest *ids = NULL;
	struct eb_error err = EB_ERROR_INIT;
	char text[EB_DIGEST_TEXT];
	size_t n;

	(void)state;
	eb_config_format(config, &out);
	assert_string_equal(out.data, base_config);
	assert_int_equal(eb_config_diff_ids(config, &ids, &n, &err), 0);
	assert_int_equal(n, 2);
	assert_string_equal(eb_digest_text(&ids[1], text), B);
}

static void test_config_env(void **state)
{
	eb_autojson json_t *config = config_ok(base_config);
	const json_t *env = eb_json_arr(eb_json_obj(config, "config"), "Env");

	(void)state;
	assert_string_equal(eb_config_env(config, "PATH"), "/usr/bin");
	assert_string_equal(eb_config_env(config, "A"), "1");
	assert_null(eb_config_env(config, "PAT"));
	eb_config_set_env(config, "PATH", "/opt/env/bin:/usr/bin");
	eb_config_set_env(config, "NEW", "a=b");
	eb_config_set_env(config, "A", "");
	assert_int_equal(json_array_size(env), 4);
	assert_string_equal(json_string_value(json_array_get(env, 0)),
			    "PATH=/opt/env/bin:/usr/bin");
	assert_string_equal(json_string_value(json_array_get(env, 1)), "A=");
	assert_string_equal(json_string_value(json_array_get(env, 2)), "AB=2");
	assert_string_equal(json_string_value(json_array_get(env, 3)),
			    "NEW=a=b");
	assert_string_equal(eb_config_env(config, "NEW"), "a=b");
}

static void test_config_edit(void **state)
{
	static const char expect[] =
		"{\"architecture\":\"amd64\",\"config\":{\"Env\":[\"X=1\"],"
		"\"Labels\":{\"k\":\"w\"}},\"history\":[{\"created\":"
		"\"1980-01-01T00:00:00Z\",\"created_by\":\"layer of the base "
		"image\"},{\"created\":\"2026-01-01T00:00:00Z\",\"created_by\":"
		"\"me\"}],\"os\":\"linux\",\"rootfs\":{\"diff_ids\":[\"" A
		"\",\"" B "\"],\"type\":\"layers\"}}";
	eb_autojson json_t *config = config_ok(
		"{\"os\":\"linux\",\"architecture\":\"amd64\",\"rootfs\":{"
		"\"type\":\"layers\",\"diff_ids\":[\"" A "\"]},\"config\":{"
		"\"Env\":null,\"Labels\":null},\"history\":null}");
	struct eb_digest d;
	EB_AUTOBUF(out, EB_MAX_CONFIG);

	(void)state;
	eb_digest_parse(B, &d);
	eb_config_fix_history(config, "1980-01-01T00:00:00Z");
	eb_config_set_env(config, "X", "1");
	eb_config_set_label(config, "k", "v");
	eb_config_set_label(config, "k", "w");
	eb_config_add_layer(config, &d, "2026-01-01T00:00:00Z", "me");
	eb_config_format(config, &out);
	assert_string_equal(out.data, expect);
}

/* One entry of two is made up; too many say nothing and go. */
static void test_config_history(void **state)
{
	eb_autojson json_t *config = config_ok(base_config);
	eb_autojson json_t *many = config_ok(
		"{\"os\":\"linux\",\"architecture\":\"amd64\",\"rootfs\":{"
		"\"type\":\"layers\",\"diff_ids\":[\"" A "\"]},\"history\":[{},"
		"{}]}");

	(void)state;
	eb_config_fix_history(config, "1980-01-01T00:00:00Z");
	assert_int_equal(json_array_size(json_object_get(config, "history")),
			 3);
	eb_config_fix_history(config, "1980-01-01T00:00:00Z");
	assert_int_equal(json_array_size(json_object_get(config, "history")),
			 3);
	eb_config_fix_history(many, "1980-01-01T00:00:00Z");
	assert_int_equal(json_array_size(json_object_get(many, "history")), 1);
}

static void test_config_new(void **state)
{
	eb_autojson json_t *plain = eb_config_new("linux/amd64");
	eb_autojson json_t *arm = eb_config_new("linux/arm/v7");
	EB_AUTOBUF(out, EB_MAX_CONFIG);

	(void)state;
	eb_config_format(plain, &out);
	assert_string_equal(out.data,
			    "{\"architecture\":\"amd64\",\"config\":{},"
			    "\"history\":[],\"os\":\"linux\",\"rootfs\":{"
			    "\"diff_ids\":[],\"type\":\"layers\"}}");
	assert_string_equal(eb_json_str(arm, "variant"), "v7");
	json_decref(config_ok(out.data));
}

#define HEAD "{\"os\":\"linux\",\"architecture\":\"amd64\","
#define ROOTFS "\"rootfs\":{\"type\":\"layers\",\"diff_ids\":[]}"

static const struct {
	const char *text, *why;
} bad_configs[] = {
	{ "[]", "architecture" },
	{ "{\"architecture\":\"amd64\"," ROOTFS "}", "\"os\"" },
	{ HEAD "\"a\":1}", "rootfs.type" },
	{ HEAD "\"rootfs\":{\"type\":\"layers\",\"diff_ids\":{}}}", "no list" },
	{ HEAD "\"rootfs\":{\"type\":\"layers\",\"diff_ids\":[\"x\"]}}",
	  "sha256" },
	{ HEAD "\"rootfs\":{\"type\":\"layers\",\"diff_ids\":[1]}}", "sha256" },
	{ HEAD ROOTFS ",\"config\":[]}", "\"config\"" },
	{ HEAD ROOTFS ",\"config\":{\"Env\":{}}}", "config.Env" },
	{ HEAD ROOTFS ",\"config\":{\"Env\":[1]}}", "config.Env" },
	{ HEAD ROOTFS ",\"config\":{\"Labels\":[]}}", "config.Labels" },
	{ HEAD ROOTFS ",\"history\":{}}", "history" },
	{ HEAD ROOTFS "," ROOTFS "}", "duplicate" },
};

static void test_bad_configs(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof bad_configs / sizeof *bad_configs; i++) {
		struct eb_error err = EB_ERROR_INIT;
		const char *text = bad_configs[i].text;

		if (eb_config_parse(text, strlen(text), "c.json", &err))
			fail_msg("taken: %s", text);
		assert_int_equal(err.code, EB_INPUT);
		if (!strstr(err.message, bad_configs[i].why))
			fail_msg("%s", err.message);
		eb_err_release(&err);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_manifest_round_trip),
		cmocka_unit_test(test_manifest_of_docker),
		cmocka_unit_test(test_manifest_made),
		cmocka_unit_test(test_bad_manifests),
		cmocka_unit_test(test_pick),
		cmocka_unit_test(test_pick_hint),
		cmocka_unit_test(test_config_kept),
		cmocka_unit_test(test_config_env),
		cmocka_unit_test(test_config_edit),
		cmocka_unit_test(test_config_history),
		cmocka_unit_test(test_config_new),
		cmocka_unit_test(test_bad_configs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
