/* SPDX-License-Identifier: Apache-2.0 */
/* Locks: round trip, what the hash covers, what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <envbuild/json.h>
#include <envbuild/lock.h>

static void add(struct eb_lock *lock, const char *name, bool requested)
{
	struct eb_locked_package *p = &lock->package[lock->n++];
	struct eb_record *r = &p->record;

	p->requested = requested;
	r->name = eb_strdup(name);
	r->version = eb_strdup("1.0");
	r->build = eb_strdup("0");
	r->subdir = eb_strdup("linux-64");
	r->fn = eb_asprintf("%s-1.0-0.conda", name);
	r->channel = eb_strdup("https://channel.test/c");
	r->url = eb_asprintf("%s/linux-64/%s", r->channel, r->fn);
	r->has_sha256 = true;
	eb_sha256(name, strlen(name), &r->sha256);
	r->size = 4711;
	r->timestamp = 1500000000000;
}

static struct eb_lock *sample(void)
{
	struct eb_lock *lock = eb_calloc(1, sizeof *lock);

	lock->platform = eb_strdup("linux/amd64");
	lock->prefix = eb_strdup("/opt/env");
	lock->base_scratch = true;
	lock->package = eb_calloc(4, sizeof *lock->package);
	add(lock, "python", true);
	add(lock, "zlib", false);
	lock->config = json_pack("{s:[s]}", "Env", "PATH=/opt/env/bin");
	lock->variables = json_pack("{s:s}", "K", "V");
	lock->pyc = eb_strdup("none");
	lock->post_link = eb_strdup("run");
	lock->activation = eb_strdup("env");
	lock->epoch = EB_BUILD_EPOCH;
	eb_sha256("x", 1, &lock->definition);
	lock->time = 1600000000;
	lock->tool = eb_strdup("envbuild test");
	lock->base_reference = eb_strdup("scratch");
	lock->evidence = json_array();
	return lock;
}

static void hash_hex(const struct eb_lock *lock, char hex[EB_HEX_SIZE])
{
	struct eb_digest d;

	eb_lock_hash(lock, &d);
	eb_digest_hex(&d, hex);
}

static void test_round_trip(void **state)
{
	EB_CLEANUP(eb_lock_free_ptr) struct eb_lock *lock = sample();
	EB_CLEANUP(eb_lock_free_ptr) struct eb_lock *again = NULL;
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(text, EB_MAX_LOCK);
	EB_AUTOBUF(text2, EB_MAX_LOCK);

	(void)state;
	lock->naming = eb_strdup("azureml");
	eb_lock_format(lock, &text);
	assert_true(eb_lock_is(text.data, text.len));
	assert_false(eb_lock_is("name: x\n", 8));
	assert_int_equal(eb_lock_parse(text.data, text.len, "t", &again, &err),
			 0);
	eb_lock_format(again, &text2);
	assert_string_equal(text.data, text2.data);
	assert_string_equal(again->naming, "azureml");
	assert_int_equal(again->n, 2);
	assert_true(again->package[0].requested);
	assert_int_equal(again->time, 1600000000);
	assert_int_equal(eb_lock_created(again), 1500000000);
}

/* The hash covers the hashed part, and the commentary not at all. */
static void test_what_counts(void **state)
{
	EB_CLEANUP(eb_lock_free_ptr) struct eb_lock *lock = sample();
	char was[EB_HEX_SIZE], is[EB_HEX_SIZE];

	(void)state;
	hash_hex(lock, was);
	lock->time++;
	lock->tool[0] = 'E';
	eb_sha256("y", 1, &lock->definition);
	hash_hex(lock, is);
	assert_string_equal(was, is);

	lock->naming = eb_strdup("azureml");
	hash_hex(lock, is);
	assert_string_not_equal(was, is);
	free(lock->naming);
	lock->naming = NULL;
	lock->package[1].requested = true;
	hash_hex(lock, is);
	assert_string_not_equal(was, is);
	lock->package[1].requested = false;
	lock->package[1].record.sha256.byte[0] ^= 1;
	hash_hex(lock, is);
	assert_string_not_equal(was, is);
	lock->package[1].record.sha256.byte[0] ^= 1;
	json_object_set_new(lock->variables, "K", json_string("W"));
	hash_hex(lock, is);
	assert_string_not_equal(was, is);
	json_object_set_new(lock->variables, "K", json_string("V"));
	lock->source_date_epoch = 5;
	hash_hex(lock, is);
	assert_string_not_equal(was, is);
}

static void refuse(const char *from, const char *to, enum eb_code code,
		   const char *words)
{
	EB_CLEANUP(eb_lock_free_ptr) struct eb_lock *lock = sample();
	EB_CLEANUP(eb_lock_free_ptr) struct eb_lock *read = NULL;
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(text, EB_MAX_LOCK);
	EB_AUTOBUF(other, EB_MAX_LOCK);
	const char *at;

	eb_lock_format(lock, &text);
	at = strstr(text.data, from);
	assert_non_null(at);
	eb_buf_add(&other, text.data, (size_t)(at - text.data));
	eb_buf_adds(&other, to);
	eb_buf_adds(&other, at + strlen(from));
	assert_int_equal(eb_lock_parse(other.data, other.len, "t", &read, &err),
			 -1);
	assert_int_equal(err.code, code);
	assert_non_null(strstr(err.message, words));
	eb_err_release(&err);
}

static void test_refusals(void **state)
{
	(void)state;
	refuse("\"envbuild-lock\": 1", "\"envbuild-lock\": 2", EB_MACHINE,
	       "format 2");
	refuse("\"envbuild-lock\": 1", "\"envbuild-lock\": 0", EB_INPUT,
	       "not a lock");
	refuse("\"version\": \"1.0\"", "\"version\": \"1.1\"", EB_INPUT,
	       "was changed");
	refuse("\"name\": \"zlib\"", "\"name\": \"python\"", EB_INPUT,
	       "\"python\"");
	refuse("\"platform\"", "\"plattform\"", EB_INPUT, "platform");
	refuse("\"size\": 4711", "\"site\": 4711", EB_INPUT, "size");
	refuse("{", "[", EB_INPUT, "");
	refuse("\"pyc\"", "\"pic\"", EB_INPUT, "pyc");
}

/* A lock whose hash fits is no less from outside: what is built from it is
 * looked at. */
static void refuse_made(struct eb_lock *lock, const char *words)
{
	EB_CLEANUP(eb_lock_free_ptr) struct eb_lock *own = lock;
	EB_CLEANUP(eb_lock_free_ptr) struct eb_lock *read = NULL;
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(text, EB_MAX_LOCK);

	eb_lock_format(own, &text);
	assert_int_equal(eb_lock_parse(text.data, text.len, "t", &read, &err),
			 -1);
	assert_int_equal(err.code, EB_INPUT);
	assert_non_null(strstr(err.message, "lock \"t\""));
	assert_non_null(strstr(err.message, words));
	eb_err_release(&err);
}

static void replace(char **text, const char *with)
{
	free(*text);
	*text = eb_strdup(with);
}

static void test_values(void **state)
{
	struct eb_lock *lock;

	(void)state;
	lock = sample();
	replace(&lock->prefix, "");
	refuse_made(lock, "prefix \"\"");
	lock = sample();
	replace(&lock->prefix, "/opt/other");
	refuse_made(lock, "\"/opt/other\"");
	lock = sample();
	replace(&lock->platform, "../x");
	refuse_made(lock, "platform");
	lock = sample();
	replace(&lock->pyc, "compile|none");
	refuse_made(lock, "pyc");
	lock = sample();
	replace(&lock->post_link, "maybe");
	refuse_made(lock, "post-link");
	lock = sample();
	lock->naming = eb_strdup("other");
	refuse_made(lock, "naming");
	lock = sample();
	replace(&lock->activation, "");
	refuse_made(lock, "activation");
	lock = sample();
	json_object_set_new(lock->variables, "K", json_integer(1));
	refuse_made(lock, "variables");
	lock = sample();
	lock->source_date_epoch = -1;
	refuse_made(lock, "source-date-epoch");
	lock = sample();
	free(lock->package[0].record.channel);
	lock->package[0].record.channel = NULL;
	refuse_made(lock, "channel");
}

static void test_every_prefix(void **state)
{
	EB_CLEANUP(eb_lock_free_ptr) struct eb_lock *lock = sample();
	EB_AUTOBUF(text, EB_MAX_LOCK);

	(void)state;
	eb_lock_format(lock, &text);
	for (size_t n = 0; n + 2 < text.len; n += 7) {
		struct eb_error err = EB_ERROR_INIT;
		struct eb_lock *read = NULL;

		assert_int_equal(eb_lock_parse(text.data, n, "t", &read, &err),
				 -1);
		assert_int_equal(err.code, EB_INPUT);
		eb_err_release(&err);
	}
}

/* --- the Python side --------------------------------------------------- */
static struct eb_pin *add_pin(struct eb_lock *lock, const char *name,
			      enum eb_pin_source source)
{
	struct eb_pin *p;

	lock->pin = eb_realloc(lock->pin, lock->n_pins + 1, sizeof *lock->pin);
	p = &lock->pin[lock->n_pins++];
	*p = (struct eb_pin){
		.name = eb_strdup(name),
		.version = eb_strdup("2.0"),
		.source = source,
		.file = eb_asprintf("%s-2.0%s", name,
				    source == EB_PIN_WHEEL ? "-py3-none-any.whl"
							   : ".tar.gz"),
		.url = eb_asprintf("https://files.example/%s", name),
		.index = eb_strdup("https://index.example/simple/"),
		.upload_time = eb_strdup("2020-01-02T03:04:05Z"),
		.size = 1234,
	};
	eb_sha256(name, strlen(name), &p->sha256);
	if (source == EB_PIN_SDIST) {
		p->build = eb_calloc(1, sizeof *p->build);
		p->build->isolated = true;
	}
	return p;
}

/* What is to be had, and where, does not count; what is installed does. */
static void test_pins(void **state)
{
	EB_CLEANUP(eb_lock_free_ptr) struct eb_lock *lock = sample();
	EB_CLEANUP(eb_lock_free_ptr) struct eb_lock *again = NULL;
	char without[EB_HEX_SIZE], with[EB_HEX_SIZE], then[EB_HEX_SIZE];
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(text, EB_MAX_LOCK);
	EB_AUTOBUF(hashed, EB_MAX_LOCK);

	(void)state;
	hash_hex(lock, without);
	add_pin(lock, "alpha", EB_PIN_WHEEL);
	add_pin(lock, "beta", EB_PIN_SDIST);
	hash_hex(lock, with);
	assert_string_not_equal(with, without);
	eb_lock_format(lock, &text);
	assert_int_equal(eb_lock_parse(text.data, text.len, "t", &again, &err),
			 0);
	assert_int_equal(again->n_pins, 2);
	assert_string_equal(again->pin[0].url, "https://files.example/alpha");
	assert_string_equal(again->pin[1].upload_time, "2020-01-02T03:04:05Z");
	assert_true(again->pin[1].build->isolated);
	replace(&lock->pin[0].url, "https://mirror.example/alpha");
	replace(&lock->pin[0].index, "https://mirror.example/");
	hash_hex(lock, then);
	assert_string_equal(then, with);
	eb_lock_hashed(lock, &hashed);
	assert_null(strstr(hashed.data, "mirror.example"));
	assert_non_null(strstr(hashed.data, "\"executed\":true"));
	lock->pin[0].requested = true;
	hash_hex(lock, then);
	assert_string_not_equal(then, with);
}

/* Results of steps are commentary: what is not known of one stays out. */
static void test_steps(void **state)
{
	EB_CLEANUP(eb_lock_free_ptr) struct eb_lock *lock = sample();
	EB_CLEANUP(eb_lock_free_ptr) struct eb_lock *again = NULL;
	char without[EB_HEX_SIZE], with[EB_HEX_SIZE];
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(text, EB_MAX_LOCK);

	(void)state;
	add_pin(lock, "alpha", EB_PIN_SDIST);
	hash_hex(lock, without);
	lock->step = eb_calloc(2, sizeof *lock->step);
	lock->n_steps = 2;
	for (size_t i = 0; i < 2; i++) {
		lock->step[i].name = eb_strdup(i ? "b" : "a");
		eb_sha256(i ? "b" : "a", 1, &lock->step[i].key);
		eb_sha256("r", 1, &lock->step[i].result);
	}
	lock->step[1].milliseconds = 1234;
	lock->step[1].log = eb_strdup("x.log");
	hash_hex(lock, with);
	assert_string_equal(with, without);
	eb_lock_format(lock, &text);
	assert_int_equal(eb_lock_parse(text.data, text.len, "t", &again, &err),
			 0);
	assert_int_equal(again->n_steps, 2);
	assert_string_equal(again->step[0].name, "a");
	assert_int_equal(again->step[0].milliseconds, 0);
	assert_null(again->step[0].log);
	assert_int_equal(again->step[1].milliseconds, 1234);
	assert_string_equal(again->step[1].log, "x.log");
	assert_memory_equal(&again->step[1].key, &lock->step[1].key,
			    sizeof lock->step[1].key);
}

/* What builds run on counts by its digest, whatever it is called. */
static void test_build_base(void **state)
{
	EB_CLEANUP(eb_lock_free_ptr) struct eb_lock *lock = sample();
	EB_CLEANUP(eb_lock_free_ptr) struct eb_lock *again = NULL;
	char without[EB_HEX_SIZE], with[EB_HEX_SIZE], then[EB_HEX_SIZE];
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(text, EB_MAX_LOCK);

	(void)state;
	add_pin(lock, "beta", EB_PIN_SDIST);
	hash_hex(lock, without);
	lock->has_build_base = true;
	eb_sha256("builder", 7, &lock->build_base);
	lock->build_base_reference = eb_strdup("rootfs:builder.tar");
	hash_hex(lock, with);
	assert_string_not_equal(with, without);
	eb_lock_format(lock, &text);
	assert_int_equal(eb_lock_parse(text.data, text.len, "t", &again, &err),
			 0);
	assert_true(again->has_build_base);
	assert_true(eb_digest_equal(&again->build_base, &lock->build_base));
	assert_string_equal(again->build_base_reference, "rootfs:builder.tar");
	replace(&again->build_base_reference, "oci:elsewhere");
	hash_hex(again, then);
	assert_string_equal(then, with);
	again->build_base.byte[0] ^= 1;
	hash_hex(again, then);
	assert_string_not_equal(then, with);
}

/* In direct_url.json the URL is part of the image. */
static void test_direct(void **state)
{
	EB_CLEANUP(eb_lock_free_ptr) struct eb_lock *lock = sample();
	char before[EB_HEX_SIZE], after[EB_HEX_SIZE];

	(void)state;
	add_pin(lock, "alpha", EB_PIN_WHEEL)->direct = true;
	hash_hex(lock, before);
	replace(&lock->pin[0].url, "https://mirror.example/alpha");
	hash_hex(lock, after);
	assert_string_not_equal(before, after);
}

static void test_items(void **state)
{
	EB_CLEANUP(eb_lock_free_ptr) struct eb_lock *lock = sample();
	eb_autofree struct eb_locked_item *item = NULL;
	size_t n;

	(void)state;
	add_pin(lock, "alpha", EB_PIN_WHEEL);
	add_pin(lock, "zlib", EB_PIN_WHEEL);
	item = eb_lock_items(lock, &n);
	assert_int_equal(n, 4);
	assert_string_equal(item[0].name, "alpha");
	assert_string_equal(item[1].name, "python");
	assert_string_equal(item[2].name, "zlib");
	assert_false(item[2].python_side);
	assert_true(item[3].python_side);
	assert_int_equal(item[3].size, 1234);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_what_counts),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_every_prefix),
		cmocka_unit_test(test_pins),
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_build_base),
		cmocka_unit_test(test_direct),
		cmocka_unit_test(test_items),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
