/* SPDX-License-Identifier: Apache-2.0 */
/* Pins: copies, JSON both ways, direct_url.json. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include <envbuild/json.h>
#include <envbuild/pin.h>

#define HEX "4721f391ed90541fddacab5acf947aa0d3dc7d27b2e1e8eda2be8970586c3274"
#define WHEEL                                                             \
	"{\"file\":\"six-1.17.0-py2.py3-none-any.whl\",\"name\":\"six\"," \
	"\"requested\":true,\"sha256\":\"" HEX "\",\"size\":11050,"       \
	"\"source\":\"wheel\",\"url\":\"https://files.example/six.whl\"," \
	"\"version\":\"1.17.0\"}"
#define REQUIRED                                                          \
	"{\"file\":\"wheel-0.42.0-py3-none-any.whl\",\"name\":\"wheel\"," \
	"\"sha256\":\"" HEX "\",\"size\":5,\"source\":\"wheel\","         \
	"\"version\":\"0.42.0\"}"

/* All that a pin can say. */
static const char *const full =
	"{\"build\":{\"isolated\":true,\"requires\":[" REQUIRED "],"
	"\"settings\":[\"--global-option=--x\"],"
	"\"variables\":[\"HOROVOD_WITH_MPI=1\"]},"
	"\"commit\":\"0123456789abcdef0123456789abcdef01234567\","
	"\"direct\":true,\"editable\":true,\"file\":\"p-1.0\","
	"\"index\":\"https://index.example/simple\",\"metadata\":\"egg-info\","
	"\"name\":\"p\","
	"\"requested\":true,\"requires-python\":\">=3.6\","
	"\"revision\":\"main\",\"sha256\":\"" HEX "\",\"size\":7,"
	"\"source\":\"vcs\",\"subdirectory\":\"python\","
	"\"upload-time\":\"2018-12-07T19:00:11.480185Z\","
	"\"url\":\"https://git.example/p.git\",\"vcs\":\"git\","
	"\"version\":\"1.0\",\"yanked\":\"\"}";

static int read_text(const char *text, struct eb_pin *p, struct eb_error *err)
{
	eb_autojson json_t *j = eb_json_parse(text, strlen(text), "t", err);

	assert_non_null(j);
	return eb_pin_from_json(j, "a.lock", p, err);
}

static void assert_pin(const struct eb_pin *p, const char *want)
{
	eb_autojson json_t *j = eb_pin_to_json(p);
	EB_AUTOBUF(text, 1 << 20);

	eb_json_canonical(j, &text);
	assert_string_equal(text.data, want);
}

static void round_trip(const char *text)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_pin p, copy;

	if (read_text(text, &p, &err) < 0)
		fail_msg("%s", err.message);
	assert_pin(&p, text);
	eb_pin_copy(&copy, &p);
	eb_pin_release(&p);
	assert_null(p.name);
	assert_pin(&copy, text);
	eb_pin_release(&copy);
}

static void test_json(void **state)
{
	(void)state;
	round_trip(WHEEL);
	round_trip(full);
	round_trip("{\"build\":{\"isolated\":false,\"requires\":[]},\"file\":"
		   "\"future-0.17.1.tar.gz\",\"name\":\"future\",\"sha256\":"
		   "\"" HEX "\",\"size\":829119,\"source\":\"sdist\","
		   "\"version\":\"0.17.1\"}");
	round_trip("{\"file\":\"d-1\",\"name\":\"d\",\"sha256\":\"" HEX "\","
		   "\"source\":\"dir\",\"version\":\"1\"}");
	round_trip("{\"commit\":\"c0\",\"file\":\"g-1\",\"name\":\"g\","
		   "\"source\":\"vcs\",\"vcs\":\"git\",\"version\":\"1\"}");
}

/* The wheel with one member changed, added or (NULL) taken away. */
static void read_badly(const char *base, const char *key, const char *value,
		       const char *words)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autojson json_t *j = eb_json_parse(base, strlen(base), "t", &err);
	struct eb_pin p;

	if (value)
		json_object_set_new(j, key,
				    json_loads(value, JSON_DECODE_ANY, NULL));
	else
		json_object_del(j, key);
	assert_int_equal(eb_pin_from_json(j, "a.lock", &p, &err), -1);
	assert_int_equal(err.code, EB_INPUT);
	if (!strstr(err.message, words) || !strstr(err.message, "\"a.lock\""))
		fail_msg("\"%s\", wanted \"%s\"", err.message, words);
	assert_null(p.name);
	eb_err_release(&err);
}

static void test_bad_json(void **state)
{
	(void)state;
	read_badly(WHEEL, "name", NULL, "\"name\" is missing");
	read_badly(WHEEL, "version", NULL, "\"six\": \"version\" is missing");
	read_badly(WHEEL, "file", "\"\"", "\"file\" is missing");
	read_badly(WHEEL, "url", "1", "\"url\" is no text");
	read_badly(WHEEL, "sha256", NULL, "\"sha256\" is no sha256");
	read_badly(WHEEL, "sha256", "\"12\"", "\"sha256\" is no sha256");
	read_badly(WHEEL, "size", NULL, "\"size\" is missing");
	read_badly(WHEEL, "size", "-1", "\"size\" is no size");
	read_badly(WHEEL, "size", "\"1\"", "\"size\" is no size");
	read_badly(WHEEL, "requested", "1", "is neither true nor false");
	read_badly(WHEEL, "source", NULL, "\"source\" is none of");
	read_badly(WHEEL, "source", "\"egg\"", "\"source\" is none of");
	read_badly(WHEEL, "source", "\"vcs\"", "\"vcs\" is missing");
	read_badly(WHEEL, "build", "{}", "\"build\" is not for a wheel");
	read_badly(full, "commit", NULL, "\"commit\" is missing");
	read_badly(full, "build", "{\"requires\":[]}", "\"isolated\"");
	read_badly(full, "build", "{\"isolated\":true}",
		   "\"requires\" is no list");
	read_badly(full, "build",
		   "{\"isolated\":true,\"requires\":[],\"settings\":[1]}",
		   "\"settings\" has what is no text");
	read_badly(full, "build", "{\"isolated\":true,\"requires\":[1]}",
		   "a project is no object");
	read_badly(full, "build",
		   "{\"isolated\":true,\"requires\":[" REQUIRED "," REQUIRED
		   "]}",
		   "\"name\" is out of order");
}

/* What a build requires is not built itself, so nothing nests. */
static void test_build_in_build(void **state)
{
	eb_autofree char *nested =
		eb_asprintf("{\"isolated\":true,\"requires\":[%s]}", full);

	(void)state;
	read_badly(full, "build", nested, "\"build\" is not for a wheel");
	read_badly(full, "build",
		   "{\"isolated\":true,\"requires\":[{\"name\":\"s\","
		   "\"version\":\"1\",\"file\":\"s.zip\",\"source\":\"sdist\","
		   "\"size\":1,\"sha256\":\"" HEX "\"}]}",
		   "\"source\" has to be wheel");
}

/* --- direct_url.json ---------------------------------------------------- */

static void assert_direct(struct eb_pin *p, const char *want)
{
	eb_autofree char *text = eb_pin_direct_url(p);

	assert_string_equal(text, want);
}

static struct eb_pin direct(enum eb_pin_source source, const char *url)
{
	struct eb_pin p = { .source = source,
			    .direct = true,
			    .url = (char *)(uintptr_t)url };

	assert_int_equal(eb_digest_parse(HEX, &p.sha256), 0);
	return p;
}

/* As pip writes it, byte for byte. */
static void test_direct_archive(void **state)
{
	struct eb_pin p = direct(EB_PIN_WHEEL,
				 "file:///tmp/six-1.17.0-py2.py3-none-any.whl");

	(void)state;
	assert_direct(&p, "{\"archive_info\": {\"hash\": \"sha256=" HEX
			  "\", \"hashes\": {\"sha256\": \"" HEX "\"}}, "
			  "\"url\": \"file:///tmp/six-1.17.0-py2.py3-none-any"
			  ".whl\"}");
	p.source = EB_PIN_SDIST;
	p.url = (char *)(uintptr_t) "https://f.example/\xc3\xbc.zip#sha256=1";
	p.subdirectory = (char *)(uintptr_t) "python";
	assert_direct(&p, "{\"archive_info\": {\"hash\": \"sha256=" HEX
			  "\", \"hashes\": {\"sha256\": \"" HEX "\"}}, "
			  "\"subdirectory\": \"python\", "
			  "\"url\": \"https://f.example/\\u00fc.zip\"}");
	p.direct = false;
	assert_null(eb_pin_direct_url(&p));
}

static void test_direct_vcs(void **state)
{
	struct eb_pin p = direct(EB_PIN_VCS, "git+https://git.example/p.git");

	(void)state;
	p.vcs = (char *)(uintptr_t) "git";
	p.commit = (char *)(uintptr_t) "c0";
	assert_direct(&p, "{\"url\": \"https://git.example/p.git\", "
			  "\"vcs_info\": {\"commit_id\": \"c0\", "
			  "\"vcs\": \"git\"}}");
	p.revision = (char *)(uintptr_t) "main";
	assert_direct(&p, "{\"url\": \"https://git.example/p.git\", "
			  "\"vcs_info\": {\"commit_id\": \"c0\", "
			  "\"requested_revision\": \"main\", "
			  "\"vcs\": \"git\"}}");
}

static void test_direct_dir(void **state)
{
	struct eb_pin p = direct(EB_PIN_DIR, "file:///home/u/p");

	(void)state;
	assert_direct(&p, "{\"dir_info\": {}, \"url\": \"file:///home/u/p\"}");
	p.editable = true;
	assert_direct(&p, "{\"dir_info\": {\"editable\": true}, "
			  "\"url\": \"file:///home/u/p\"}");
}

/* User and password go; a user "git" for git, and variables, stay. */
static void test_direct_credentials(void **state)
{
	static const char *const row[][2] = {
		{ "https://user:secret@git.example/p",
		  "https://git.example/p" },
		{ "https://token@git.example/p", "https://git.example/p" },
		{ "https://u:p@ss@git.example/p", "https://git.example/p" },
		{ "ssh://git@git.example/p", "ssh://git@git.example/p" },
		{ "ssh://git:x@git.example/p", "ssh://git.example/p" },
		{ "https://${USER}:${PASS_1}@git.example/p",
		  "https://${USER}:${PASS_1}@git.example/p" },
		{ "https://${TOKEN}@git.example/p",
		  "https://${TOKEN}@git.example/p" },
		{ "https://${USER}:secret@git.example/p",
		  "https://git.example/p" },
		{ "https://${}@git.example/p", "https://git.example/p" },
		{ "https://git.example/a@b?c@d",
		  "https://git.example/a@b?c@d" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct eb_pin p = direct(EB_PIN_VCS, row[i][0]);
		eb_autofree char *want =
			eb_asprintf("{\"url\": \"%s\", \"vcs_info\": "
				    "{\"commit_id\": \"c0\", "
				    "\"vcs\": \"git\"}}",
				    row[i][1]);

		p.vcs = (char *)(uintptr_t) "git";
		p.commit = (char *)(uintptr_t) "c0";
		assert_direct(&p, want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_bad_json),
		cmocka_unit_test(test_build_in_build),
		cmocka_unit_test(test_direct_archive),
		cmocka_unit_test(test_direct_vcs),
		cmocka_unit_test(test_direct_dir),
		cmocka_unit_test(test_direct_credentials),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
