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
	eb_lock_format(lock, &text);
	assert_true(eb_lock_is(text.data, text.len));
	assert_false(eb_lock_is("name: x\n", 8));
	assert_int_equal(eb_lock_parse(text.data, text.len, "t", &again, &err),
			 0);
	eb_lock_format(again, &text2);
	assert_string_equal(text.data, text2.data);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_what_counts),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_every_prefix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
