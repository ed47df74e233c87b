/* SPDX-License-Identifier: Apache-2.0 */
/* A store in a folder of its own, and what the tests of store and layer say
 * often. */
#ifndef TEST_STORE_FIXTURE_H
#define TEST_STORE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/store.h>
#include <envbuild/str.h>

static inline void must(int status, struct eb_error *err)
{
	if (status < 0)
		fail_msg("%s", err->message);
}

/* The call failed with this code, and its message has this in it. */
static inline void must_fail(int status, struct eb_error *err,
			     enum eb_code code, const char *part)
{
	assert_int_equal(status, -1);
	if (err->code != code || !strstr(err->message, part))
		fail_msg("%s: \"%s\", wanted %s with \"%s\"",
			 eb_code_name(err->code), err->message,
			 eb_code_name(code), part);
	eb_err_release(err);
}

static inline int make_folder(void **state)
{
	struct eb_error err = EB_ERROR_INIT;

	*state = eb_make_tempdir("/tmp", "test-store-", &err);
	return *state ? 0 : -1;
}

static inline int remove_folder(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	int status = eb_remove_tree(*state, &err);

	eb_err_release(&err);
	free(*state);
	return status;
}

static inline struct eb_store *open_store(void **state, unsigned flags)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_store *s = NULL;

	must(eb_store_open(*state, flags, &s, &err), &err);
	return s;
}

static inline struct eb_digest put_text(struct eb_store *s, const char *text)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest d;

	must(eb_store_put(s, text, strlen(text), &d, &err), &err);
	return d;
}

static inline struct eb_digest digest_of(const char *text)
{
	struct eb_digest d;

	eb_sha256(text, strlen(text), &d);
	return d;
}

static inline void remove_blob(struct eb_store *s, const struct eb_digest *d)
{
	eb_autofree char *path = eb_store_blob_path(s, d);

	assert_int_equal(unlink(path), 0);
}

/* Other bytes under the same name. */
static inline void damage_blob(struct eb_store *s, const struct eb_digest *d,
			       const char *text)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *path = eb_store_blob_path(s, d);

	must(eb_write_file(path, text, strlen(text), 0444, &err), &err);
}

static inline struct eb_store_report check_store(struct eb_store *s, bool deep)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_store_report r;

	must(eb_store_check(s, deep, false, NULL, &r, &err), &err);
	return r;
}

/* Events gathered as lines of text. */
struct said {
	struct eb_strv lines;
	struct eb_events *events;
};

static inline void hear(void *data, const struct eb_event *ev)
{
	struct said *said = data;

	if (ev->text)
		eb_strv_add(&said->lines, ev->text);
}

static inline size_t count_said(const struct said *said, const char *part)
{
	size_t i, n = 0;

	for (i = 0; i < said->lines.n; i++)
		n += strstr(said->lines.v[i], part) != NULL;
	return n;
}

#endif
