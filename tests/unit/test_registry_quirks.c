/* SPDX-License-Identifier: Apache-2.0 */
/* Reading from, and writing manifests to, a registry that has its own ways
 * (tests/fixtures/registry.py). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "registry/registry_int.h"

#include "httpd_ask.h"
#include "registry_work.h"

#define SIZE ((size_t)300000)

static struct strict_registry one, tls, team;
static char *dir, *pem;

/* --- what most tests begin with ----------------------------------- */

struct work {
	struct eb_events *events;
	char *heard; /* warnings, a line each */
	unsigned begun, ended;
	struct eb_registry *r;
	struct eb_repository *repo;
	struct work_image image; /* tag v1 */
	char *bytes;
	struct eb_digest blob; /* of `bytes` */
	struct eb_remote remote;
	struct eb_buf text;
	struct eb_error err;
};

static void listen(void *data, const struct eb_event *ev)
{
	struct work *w = data;

	w->begun += ev->type == EB_EV_TASK_BEGIN;
	w->ended += ev->type == EB_EV_TASK_END;
	if (ev->type == EB_EV_WARNING) {
		eb_autofree char *before = w->heard;

		w->heard = eb_asprintf("%s%s\n", before, ev->text);
	}
}

/* A new client, that knows nothing. */
static void work_again(struct work *w)
{
	static const struct eb_registry_options quick = {
		.backoff_ms = 10,
		.stall_s = 5,
		.token_dir = "",
	};

	if (w->r)
		eb_registry_free(w->r);
	w->r = eb_registry_new(&quick, w->events);
	w->repo = work_open(w->r, one.host, "quirks");
}

static void work_begin(struct work *w, const char *ways)
{
	memset(w, 0, sizeof *w);
	eb_buf_init(&w->text, 16 << 20);
	w->heard = eb_strdup("");
	w->events = eb_events_new(listen, w);
	strict_forget(&one);
	strict_change(&one, "PUT", "ways",
		      "head=yes\nimmutable=no\nreferrers=api\ndelete=yes\n"
		      "blob-redirect=no\nsubject-first=no\n");
	work_again(w);
	work_push(w->repo, "v1", 1, &w->image);
	w->bytes = work_bytes(SIZE, 1);
	work_put(w->repo, w->bytes, SIZE, &w->blob);
	if (ways)
		strict_change(&one, "PUT", "ways", ways);
	strict_change(&one, "DELETE", "log", NULL);
	work_again(w);
}

static void work_end(struct work *w)
{
	assert_no_violation(&one);
	assert_int_equal(strict_uploads(&one), 0);
	eb_registry_free(w->r);
	eb_events_free(w->events);
	eb_buf_release(&w->text);
	free(w->heard);
	free(w->image.text);
	free(w->bytes);
}

static int head(struct work *w, const char *ref)
{
	return eb_manifest_head(w->repo, ref, &w->remote, &w->err);
}

static int get(struct work *w, const char *ref)
{
	return eb_manifest_get(w->repo, ref, &w->text, &w->remote, &w->err);
}

static void assert_got(struct work *w)
{
	assert_true(eb_digest_equal(&w->remote.digest, &w->image.manifest));
	assert_int_equal(w->remote.size, w->image.len);
	assert_string_equal(w->remote.media_type, EB_MT_MANIFEST);
}

static int read_blob(struct work *w)
{
	eb_buf_reset(&w->text);
	return eb_blob_read(w->repo, &w->blob, 2 * SIZE, &w->text, &w->err);
}

static void assert_read(struct work *w)
{
	assert_answer(read_blob(w), 1, &w->err);
	assert_int_equal(w->text.len, SIZE);
	assert_memory_equal(w->text.data, w->bytes, SIZE);
}

static int put(struct work *w, const char *tag, bool *immutable)
{
	struct work_image other;
	struct eb_digest d;
	int rc;

	work_image(2, &other);
	work_put(w->repo, other.layer_text, strlen(other.layer_text), &d);
	rc = eb_manifest_put(w->repo, tag, EB_MT_MANIFEST, other.text,
			     other.len, immutable, &w->err);
	free(other.text);
	return rc;
}

/* --- HEAD and GET of manifests ------------------------------------ */

static void test_no_head(void **state)
{
	struct work w;

	(void)state;
	work_begin(&w, "head=no\n");
	assert_answer(head(&w, "v1"), 1, &w.err);
	assert_got(&w);
	assert_answer(head(&w, "v2"), 0, &w.err);
	assert_int_equal(strict_asked(&one, "HEAD", "/manifests/", 405), 1);
	assert_int_equal(strict_asked(&one, "GET", "/manifests/", 0), 2);
	work_end(&w);
}

static void test_poor_head(void **state)
{
	static const char *const how[] = {
		"[{'method': 'HEAD', 'set': {'Docker-Content-Digest': null}}]",
		("[{'method': 'HEAD',"
		 " 'set': {'Docker-Content-Digest': 'sha512:12'}}]"),
		"[{'method': 'HEAD', 'set': {'Content-Type': 'text/html'}}]",
		"[{'method': 'HEAD', 'status': 400}]",
	};
	struct work w;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof how / sizeof *how; i++) {
		work_begin(&w, NULL);
		/* from here on it is known to speak http */
		assert_answer(head(&w, "none"), 0, &w.err);
		strict_faults(&one, how[i]);
		assert_answer(head(&w, "v1"), 1, &w.err);
		assert_got(&w);
		assert_int_equal(strict_asked(&one, "GET", "/v1", 200), 1);
		work_end(&w);
	}
}

/* What cannot be told is an error that says why, not a "no". */
static void test_refused_head(void **state)
{
	struct work w;

	(void)state;
	work_begin(&w, NULL);
	strict_faults(&one, "[{'status': 403, 'code': 'DENIED', "
			    "'message': 'no reading', 'times': 0}]");
	assert_int_equal(head(&w, "v1"), -1);
	assert_error(&w.err, EB_REFUSED, "DENIED: no reading");
	strict_forget(&one);
	strict_faults(&one, "[{'status': 500, 'times': 0}]");
	assert_int_equal(head(&w, "v1"), -1);
	assert_error(&w.err, EB_NETWORK, "500");
	work_end(&w);
}

static void test_other_manifest(void **state)
{
	struct work w;
	char ref[EB_DIGEST_TEXT];

	(void)state;
	work_begin(&w, NULL);
	eb_digest_text(&w.image.manifest, ref);
	strict_faults(&one, "[{'method': 'GET', 'corrupt': 20}]");
	assert_answer(get(&w, ref), 1, &w.err);
	assert_got(&w);
	strict_faults(&one, "[{'method': 'GET', 'corrupt': 20, 'times': 2}]");
	assert_int_equal(get(&w, ref), -1);
	assert_error(&w.err, EB_INTEGRITY, "not of sha256:");
	strict_faults(&one, "[{'method': 'GET', 'corrupt': 20, 'times': 2}]");
	assert_int_equal(get(&w, "v1"), -1);
	assert_error(&w.err, EB_INTEGRITY, "these are the bytes of");
	/* a digest of an algorithm that we do not know tells nothing */
	strict_faults(&one, "[{'method': 'GET', 'set': "
			    "{'Docker-Content-Digest': 'sha512:12'}}]");
	assert_answer(get(&w, "v1"), 1, &w.err);
	assert_got(&w);
	work_end(&w);
}

static void test_page(void **state)
{
	static const char *const how[] = {
		"[{'method': 'GET', 'html': true, 'times': 2}]",
		"[{'method': 'GET', 'replace': '<html>hello', 'times': 2}]",
	};
	struct work w;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof how / sizeof *how; i++) {
		work_begin(&w, NULL);
		strict_faults(&one, how[i]);
		assert_int_equal(get(&w, "v1"), -1);
		assert_non_null(strstr(w.err.hint, "login page"));
		assert_error(&w.err, EB_NETWORK, "a web page, not a manifest");
		work_end(&w);
	}
	work_begin(&w, NULL);
	strict_faults(&one, "[{'html': true, 'times': 0}]");
	assert_int_equal(head(&w, "v1"), -1);
	assert_error(&w.err, EB_NETWORK, "a web page, not a manifest");
	assert_int_equal(eb_blob_head(w.repo, &w.blob, SIZE, &w.err), -1);
	assert_error(&w.err, EB_NETWORK, "a web page");
	strict_faults(&one, "[{'method': 'PUT', 'path': '/manifests/', "
			    "'html': true}]");
	assert_int_equal(put(&w, "v2", NULL), -1);
	assert_error(&w.err, EB_NETWORK, "a web page");
	strict_forget(&one);
	work_end(&w);
}

static void test_large_answer(void **state)
{
	EB_AUTOBUF(script, 8 << 20);
	struct work w;
	size_t i;

	(void)state;
	work_begin(&w, NULL);
	eb_buf_adds(&script, "[{'method': 'GET', 'replace': '{");
	for (i = 0; i < EB_MAX_REMOTE_MANIFEST / 8; i++)
		eb_buf_adds(&script, "        ");
	eb_buf_adds(&script, "}', 'times': 0}]");
	strict_faults(&one, script.data);
	assert_int_equal(get(&w, "v1"), -1);
	assert_error(&w.err, EB_INPUT, "larger than 4194304 bytes");
	strict_forget(&one);
	work_end(&w);
}

/* Redirects of what is read are followed, but not for ever. */
static void test_redirects(void **state)
{
	struct work w;

	(void)state;
	work_begin(&w, "blob-redirect=other\nblob-redirect-head=yes\n");
	assert_read(&w);
	assert_answer(eb_blob_head(w.repo, &w.blob, SIZE, &w.err), 1, &w.err);
	strict_faults(&one, "[{'method': 'GET', 'redirect': 3}]");
	assert_answer(get(&w, "v1"), 1, &w.err);
	strict_faults(&one, "[{'redirect': 'self', 'times': 0}]");
	assert_int_equal(get(&w, "v1"), -1);
	assert_error(&w.err, EB_NETWORK, "redirect");
	work_end(&w);
}

/* --- blobs -------------------------------------------------------- */

static void test_blob_faults(void **state)
{
	static const char *const how[] = {
		"[{'method': 'GET', 'corrupt': 100}]",
		"[{'method': 'GET', 'truncate': 70000}]",
		"[{'method': 'GET', 'reset-after': 70000}]",
		("[{'method': 'GET',"
		 " 'reset-after': 70000, 'set': {'ETag': null}}]"),
		"[{'method': 'GET', 'replace': 'short'}]",
		"[{'method': 'GET', 'html': true}]",
		"[{'method': 'GET', 'gzip': true}]",
		"[{'method': 'GET', 'unsized': true}]",
		"[{'method': 'GET', 'status': 502}]",
		"[{'method': 'GET', 'redirect': 'relative'}]",
	};
	struct work w;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof how / sizeof *how; i++) {
		work_begin(&w, NULL);
		strict_faults(&one, how[i]);
		assert_read(&w);
		work_end(&w);
	}
}

/* What breaks off again and again is tried as often as any request is. */
static void test_blob_breaks_off(void **state)
{
	struct work w;

	(void)state;
	work_begin(&w, NULL);
	strict_faults(&one, "[{'method': 'GET', 'truncate': 1000, 'times': 0, "
			    "'set': {'ETag': null}}]");
	assert_int_equal(read_blob(&w), -1);
	assert_error(&w.err, EB_INTEGRITY, "breaks off after 1000 of");
	assert_int_equal(strict_asked(&one, "GET", "/blobs/", 0), 5);
	strict_forget(&one);
	work_end(&w);
}

static void test_resumed(void **state)
{
	struct work w;
	struct eb_registry_counts counts;

	(void)state;
	work_begin(&w, NULL);
	assert_answer(head(&w, "none"), 0, &w.err);
	strict_faults(&one, "[{'method': 'GET', 'truncate': 200000}]");
	assert_read(&w);
	assert_int_equal(strict_asked(&one, "GET", "/blobs/", 206), 1);
	eb_registry_counts(w.r, &counts);
	assert_int_equal(counts.received, SIZE);
	work_end(&w);
}

static void test_wrong_blob(void **state)
{
	static const char *const how[] = {
		"[{'method': 'GET', 'corrupt': 100, 'times': 2}]",
		"[{'method': 'GET', 'html': true, 'times': 2}]",
		"[{'method': 'GET', 'gzip': true, 'times': 2}]",
	};
	struct work w;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof how / sizeof *how; i++) {
		char ref[EB_DIGEST_TEXT];

		work_begin(&w, NULL);
		strict_faults(&one, how[i]);
		assert_int_equal(read_blob(&w), -1);
		assert_int_equal(strict_asked(&one, "GET", "/blobs/", 200), 2);
		assert_error(&w.err, EB_INTEGRITY,
			     eb_digest_text(&w.blob, ref));
		assert_int_equal(w.text.len, 0);
		work_end(&w);
	}
}

static int swallow(void *data, const void *p, size_t n, uint64_t offset,
		   struct eb_error *err)
{
	(void)data, (void)p, (void)n, (void)offset, (void)err;
	return 0;
}

/* More than was asked for is not passed on; nor is the whole for a part. */
static void test_blob_size(void **state)
{
	struct work w;

	(void)state;
	work_begin(&w, NULL);
	assert_int_equal(eb_blob_get(w.repo, &w.blob, SIZE - 1, NULL, swallow,
				     NULL, &w.err),
			 -1);
	assert_error(&w.err, EB_INTEGRITY, "more than its 299999 bytes");
	assert_int_equal(eb_blob_get(w.repo, &w.blob, SIZE + 1, NULL, swallow,
				     NULL, &w.err),
			 -1);
	assert_error(&w.err, EB_INTEGRITY, "300000 bytes came, not 300001");
	strict_faults(&one, "[{'method': 'GET', 'as': 200, 'times': 0, "
			    "'set': {'Content-Range': null}}]");
	assert_int_equal(eb_blob_get_range(w.repo, &w.blob, 5, 10, NULL,
					   swallow, NULL, &w.err),
			 -1);
	assert_int_equal(w.err.code, EB_NETWORK);
	eb_err_release(&w.err);
	work_end(&w);
}

static void test_progress(void **state)
{
	struct eb_blob_source source = { .size = SIZE, .task = "blob" };
	struct work w;

	(void)state;
	work_begin(&w, NULL);
	assert_answer(eb_blob_get(w.repo, &w.blob, SIZE, "blob", swallow, NULL,
				  &w.err),
		      1, &w.err);
	assert_int_equal(w.begun, 1);
	assert_int_equal(w.ended, 1);
	source.data = w.bytes;
	assert_answer(eb_blob_put(w.repo, &w.blob, &source, &w.err), 0, &w.err);
	assert_int_equal(w.begun, 2);
	assert_int_equal(w.ended, 2);
	work_end(&w);
}

/* --- tags --------------------------------------------------------- */

static void test_pages(void **state)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv tags = { 0 };
	struct work w;

	(void)state;
	work_begin(&w, NULL);
	strict_faults(
		&one,
		"[{'path': '/tags/list', 'nth': 1, 'replace': "
		"  '{\\'name\\': \\'quirks\\', \\'tags\\': [\\'a\\']}',"
		"  'add': [['Link', '</v2/quirks/tags/list?n=1&last=a>; "
		"rel=\\'next\\''], ['Link', '<x>; rel=prev']]},"
		" {'path': 'last=a', 'replace': '{\\'tags\\': [\\'b\\']}',"
		"  'add': [['Link', '<y>; title=\\'a,b\\'; rel=prev, "
		"<$BASE/v2/quirks/tags/list?last=b>; rel=next']]},"
		" {'path': 'last=b', 'replace': '{\\'tags\\': null}'}]");
	assert_answer(eb_tags_list(w.repo, &tags, &w.err), 0, &w.err);
	assert_int_equal(tags.n, 2);
	assert_string_equal(tags.v[0], "a");
	assert_string_equal(tags.v[1], "b");
	assert_int_equal(strict_asked(&one, "GET", "/tags/list", 200), 3);
	strict_faults(&one, "[{'path': '/tags/list', 'times': 0, 'add': "
			    "[['Link', '</v2/quirks/tags/list>; rel=next']]}]");
	assert_int_equal(eb_tags_list(w.repo, &tags, &w.err), -1);
	assert_error(&w.err, EB_INPUT, "more than 100 pages");
	assert_int_equal(tags.n, 2);
	strict_faults(&one, "[{'path': '/tags/list', 'html': true}]");
	assert_int_equal(eb_tags_list(w.repo, &tags, &w.err), -1);
	assert_error(&w.err, EB_INPUT, "list of tags");
	work_end(&w);
}

/* --- writing manifests -------------------------------------------- */

static void test_immutable(void **state)
{
	static const char *const how[] = {
		"immutable=400 TAG_INVALID\n",
		"immutable=412 PRECONDITION\n",
		"immutable=409 DENIED\n",
	};
	struct work w;
	bool immutable = false;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof how / sizeof *how; i++) {
		work_begin(&w, how[i]);
		assert_int_equal(put(&w, "v1", &immutable), -1);
		assert_true(immutable);
		assert_non_null(strstr(w.err.hint, "cannot be moved"));
		assert_error(&w.err, EB_REFUSED, "immutable");
		assert_answer(put(&w, "new", &immutable), 0, &w.err);
		assert_false(immutable);
		work_end(&w);
	}
}

/* Azure says the same for a tag and for all of a registry. */
static void test_locked(void **state)
{
	static const char locked[] =
		"[{'method': 'PUT', 'path': '/manifests/', 'status': 405, "
		"'code': 'UNSUPPORTED', 'message': "
		"'The operation is disallowed on this registry'}]";
	struct work w;
	bool immutable = false;

	(void)state;
	work_begin(&w, NULL);
	strict_faults(&one, locked);
	assert_int_equal(put(&w, "v1", &immutable), -1);
	assert_true(immutable);
	assert_error(&w.err, EB_REFUSED, "disallowed");
	strict_faults(&one, locked);
	assert_int_equal(put(&w, "new", &immutable), -1);
	assert_false(immutable);
	assert_error(&w.err, EB_REFUSED, "disallowed");
	work_end(&w);
}

static void test_put_answers(void **state)
{
	static const struct {
		const char *fault;
		enum eb_code code;
		const char *words;
	} row[] = {
		{ "'forget': 'blobs'", EB_NO, "MANIFEST_BLOB_UNKNOWN" },
		{ "'status': 400, 'code': 'MANIFEST_INVALID'", EB_NETWORK,
		  "MANIFEST_INVALID" },
		{ "'status': 404, 'code': 'NAME_UNKNOWN'", EB_NETWORK,
		  "not there (404)" },
		{ "'status': 413", EB_REFUSED, "(413)" },
		{ "'set': {'Docker-Content-Digest': 'sha256:0000000000000000"
		  "000000000000000000000000000000000000000000000000'}",
		  EB_INTEGRITY, "the registry has got sha256:0000" },
	};
	struct work w;
	bool immutable = true;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof row / sizeof *row; i++) {
		eb_autofree char *fault = eb_asprintf(
			"[{'method': 'PUT', 'path': '/manifests/', %s}]",
			row[i].fault);

		work_begin(&w, NULL);
		strict_faults(&one, fault);
		assert_int_equal(put(&w, "v2", &immutable), -1);
		assert_false(immutable);
		assert_error(&w.err, row[i].code, row[i].words);
		work_end(&w);
	}
}

/* A blob that another one sends at this moment is unknown for a while. */
static void test_put_meanwhile(void **state)
{
	static const char both[] =
		"{\\\"errors\\\": [{\\\"code\\\": \\\"DIGEST_INVALID\\\"}, "
		"{\\\"code\\\": \\\"MANIFEST_BLOB_UNKNOWN\\\"}]}";
	static const char rule[] = "[{'method': 'PUT', 'path': '/manifests/', "
				   "'times': %d, 'status': 400, 'body': '%s'}]";
	eb_autofree char *twice = eb_asprintf(rule, 2, both);
	eb_autofree char *always = eb_asprintf(rule, 0, both);
	bool immutable = true;
	struct work w;

	(void)state;
	work_begin(&w, NULL);
	strict_faults(&one, twice);
	assert_int_equal(put(&w, "v3", &immutable), 0);
	assert_int_equal(strict_asked(&one, "PUT", "/manifests/v3", 0), 3);
	strict_faults(&one, always);
	assert_int_equal(put(&w, "v4", &immutable), -1);
	assert_error(&w.err, EB_NO, "MANIFEST_BLOB_UNKNOWN");
	work_end(&w);
}

static void test_no_delete(void **state)
{
	struct work w;

	(void)state;
	work_begin(&w, "delete=no\n");
	assert_int_equal(eb_manifest_delete(w.repo, &w.image.manifest, &w.err),
			 -1);
	assert_error(&w.err, EB_REFUSED, "deleting the manifest");
	work_end(&w);
}

/* --- referrers ---------------------------------------------------- */

static void test_referrers(void **state)
{
	static const struct {
		const char *ways;
		bool by_tag;
	} row[] = {
		{ "referrers=api\n", false },
		{ "referrers=404\n", true },
		{ "referrers=303\n", true },
	};
	struct work w;
	struct eb_digest a, b;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof row / sizeof *row; i++) {
		work_begin(&w, row[i].ways);
		work_refer(w.repo, &w.image, "application/x-one", "a note", &a);
		work_refer(w.repo, &w.image, "application/x+2", "two", &b);
		assert_int_equal(
			strict_asked(&one, "PUT", "/manifests/sha256-", 201),
			row[i].by_tag ? 2 : 0);
		assert_answer(eb_referrers_get(w.repo, &w.image.manifest, NULL,
					       &w.text, &w.err),
			      1, &w.err);
		assert_referrers(&w.text, 2, "a note", "two");
		assert_answer(eb_referrers_get(w.repo, &w.image.manifest,
					       "application/x+2", &w.text,
					       &w.err),
			      1, &w.err);
		assert_referrers(&w.text, 1, "two", "application/x+2");
		strict_change(&one, "DELETE", "violations", NULL);
		work_end(&w);
	}
}

/* Somebody else writes the list at the same time: ours is put in again. */
static void test_referrers_lost(void **state)
{
	struct work w;
	struct eb_digest a;

	(void)state;
	work_begin(&w, "referrers=404\n");
	strict_faults(&one, "[{'method': 'PUT', 'path': '/manifests/sha256-', "
			    "'status': 201, 'times': 2}]");
	work_refer(w.repo, &w.image, "application/x-one", "a note", &a);
	assert_answer(eb_referrers_get(w.repo, &w.image.manifest, NULL, &w.text,
				       &w.err),
		      1, &w.err);
	assert_referrers(&w.text, 1, "a note", "x-one");
	work_end(&w);
}

/* --- what is said ------------------------------------------------- */

static void test_warnings(void **state)
{
	struct work w;

	(void)state;
	work_begin(&w, NULL);
	strict_faults(&one,
		      "[{'times': 0, 'add': [['Warning', "
		      "'299 - \\'It is \\\\\\'old\\\\\\'\\''], ['Warning', "
		      "'299 - \\'and slow\\' \\'a date\\''], ['Warning', "
		      "'199 - \\'not this\\'']]}]");
	assert_answer(head(&w, "v1"), 1, &w.err);
	assert_answer(head(&w, "v1"), 1, &w.err);
	assert_answer(get(&w, "v1"), 1, &w.err);
	assert_non_null(strstr(w.heard, "says: It is \"old\"\n"));
	assert_non_null(strstr(w.heard, "says: and slow\n"));
	assert_null(strstr(w.heard, "not this"));
	assert_ptr_equal(strchr(strchr(w.heard, '\n') + 1, '\n'),
			 strrchr(w.heard, '\n'));
	work_end(&w);
}

static void test_words(void **state)
{
	static const struct {
		const char *body, *authorization, *words;
	} row[] = {
		{ "plain  text\nof two lines", NULL,
		  "plain text of two lines" },
		{ "<!DOCTYPE html><p>", NULL, "a web page" },
		{ "", NULL, "" },
		{ "at https://u:p@h.example/x?sig=abc end", NULL,
		  "at https://h.example/x end" },
		{ "the token Bearer abc.def is bad", NULL,
		  "the token Bearer *** is bad" },
		{ "got s3cret here", "Bearer s3cret", "got ****** here" },
		{ "user u, password pa:ss",
		  "Basic dTpwYTpzcw==", "user u, password *****" },
		{ "see eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.e30.AA now", NULL,
		  "see *** now" },
		{ "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495"
		  "991b7852b855",
		  NULL,
		  "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495"
		  "991b7852b855" },
		{ "\x1b[31mred\x07", NULL, "\\x1b[31mred\\x07" },
		{ "\xff\xfe", NULL, "" },
	};
	eb_autofree char *many = eb_malloc(5000);
	eb_autofree char *cut = NULL;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof row / sizeof *row; i++) {
		eb_autofree char *said = eb_registry_words(
			row[i].body, NULL, row[i].authorization);

		assert_string_equal(said, row[i].words);
	}
	memset(many, 'x', 4999);
	for (i = 9; i < 4999; i += 10)
		many[i] = ' ';
	many[4999] = '\0';
	cut = eb_registry_words(many, NULL, NULL);
	assert_int_equal(strlen(cut), 200);
	assert_true(eb_ends(cut, "..."));
}

static void test_said(void **state)
{
	struct work w;

	(void)state;
	work_begin(&w, NULL);
	strict_faults(&one, "[{'method': 'GET', 'status': 418, 'code': 'TEA', "
			    "'message': 'short and stout'}]");
	assert_int_equal(get(&w, "v1"), -1);
	assert_non_null(strstr(w.err.message, "/quirks:v1\": reading the "
					      "manifest: "));
	assert_error(&w.err, EB_NETWORK, "(418): TEA: short and stout");
	work_end(&w);
}

/* --- schemes ------------------------------------------------------ */

static int ask(const char *host, const struct eb_registry_options *o,
	       struct eb_error *err)
{
	EB_CLEANUP(eb_registry_free_ptr)
	struct eb_registry *r = eb_registry_new(o, NULL);
	struct eb_repository *repo = work_open(r, host, "quirks");
	struct eb_remote remote;

	return eb_manifest_head(repo, "none", &remote, err);
}

/* A server that takes connections and says nothing costs as many waits as
 * there are tries, also where the scheme is still to be found out. */
static void test_silence(void **state)
{
	static const struct eb_registry_options o = {
		.backoff_ms = 10,
		.token_dir = "",
		.timeout_ms = 300,
		.tries = 2,
	};
	struct eb_error err = EB_ERROR_INIT;
	uint64_t begin;

	(void)state;
	strict_forget(&one);
	strict_faults(&one, "[{'delay': 2, 'times': 0}]");
	begin = eb_now_ns();
	assert_int_equal(ask(one.host, &o, &err), -1);
	assert_int_equal(err.code, EB_NETWORK);
	eb_err_release(&err);
	assert_in_range((eb_now_ns() - begin) / 1000000, 600, 1500);
	strict_forget(&one);
}

static void test_tls(void **state)
{
	struct eb_registry_options o = { .backoff_ms = 10,
					 .token_dir = "",
					 .ca_file = pem };
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	if (!tls.port) {
		print_message("no certificate could be made\n");
		skip();
	}
	assert_answer(ask(tls.host, &o, &err), 0, &err);
	/* a CA for another one: loopback by http is found all the same */
	assert_answer(ask(one.host, &o, &err), 0, &err);
	o.plain_http = true;
	assert_answer(ask(tls.host, &o, &err), 0, &err);
	o.ca_file = NULL;
	assert_int_equal(ask(tls.host, &o, &err), -1);
	assert_error(&err, EB_REFUSED, "certificate");
	o.plain_http = false;
	assert_int_equal(ask(tls.host, &o, &err), -1);
	assert_error(&err, EB_REFUSED, "certificate");
}

static void write_text(const char *path, const char *text)
{
	struct eb_error err = EB_ERROR_INIT;

	assert_answer(eb_write_file(path, text, strlen(text), 0600, &err), 0,
		      &err);
}

/* What a folder of certificates names is asked by https alone. */
static void test_certs(void **state)
{
	static const struct eb_registry_options quick = {
		.backoff_ms = 10,
		.token_dir = "",
		.tries = 2,
	};
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *certs = NULL, *file = NULL, *plain = NULL;
	EB_AUTOBUF(text, 1 << 20);

	(void)state;
	if (!tls.port) {
		print_message("no certificate could be made\n");
		skip();
	}
	assert_answer(eb_read_file(pem, 1 << 20, &text, &err), 0, &err);
	certs = eb_asprintf("%s/.config/containers/certs.d/%s", dir, tls.host);
	file = eb_path_join(certs, "ca.crt");
	assert_answer(eb_mkdirs(certs, 0700, &err), 0, &err);
	write_text(file, text.data);
	assert_answer(ask(tls.host, &quick, &err), 0, &err);
	plain = eb_asprintf("%s/.config/containers/certs.d/%s", dir, one.host);
	assert_int_equal(rename(certs, plain), 0);
	assert_int_equal(ask(one.host, &quick, &err), -1);
	assert_int_equal(err.code, EB_REFUSED);
	eb_err_release(&err);
	assert_answer(eb_remove_tree(plain, &err), 0, &err);
}

/* registries.conf may say of a host what --plain-http says of all. */
static void test_insecure(void **state)
{
	static const struct eb_registry_options quick = {
		.backoff_ms = 10,
		.token_dir = "",
	};
	eb_autofree char *conf = eb_path_join(dir, "insecure.conf");
	eb_autofree char *text = eb_asprintf("[[registry]]\nlocation = \"%s\"\n"
					     "insecure = true\n",
					     tls.host);
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	if (!tls.port) {
		print_message("no certificate could be made\n");
		skip();
	}
	write_text(conf, text);
	setenv("CONTAINERS_REGISTRIES_CONF", conf, 1);
	assert_answer(ask(tls.host, &quick, &err), 0, &err);
	strict_alone(dir);
}

/* It is not said of the hosts that a registry leads to. */
static void test_insecure_alone(void **state)
{
	static const struct eb_registry_options quick = {
		.backoff_ms = 10,
		.token_dir = "",
	};
	static const struct eb_blob_source source = { .data = "it", .size = 2 };
	eb_autofree char *conf = eb_path_join(dir, "insecure.conf");
	EB_CLEANUP(eb_registry_free_ptr)
	struct eb_registry *r = eb_registry_new(&quick, NULL);
	struct eb_repository *repo = work_open(r, tls.host, "leads");
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest d;

	(void)state;
	if (!tls.port) {
		print_message("no certificate could be made\n");
		skip();
	}
	eb_sha256("it", 2, &d);
	setenv("CONTAINERS_REGISTRIES_CONF", conf, 1);
	strict_faults(&tls, "[{'method': 'POST', 'location': 'other'}]");
	assert_int_equal(eb_blob_put(repo, &d, &source, &err), -1);
	assert_error(&err, EB_REFUSED, "certificate");
	assert_answer(eb_blob_put(repo, &d, &source, &err), 0, &err);
	strict_forget(&tls);
	strict_alone(dir);
}

/* --- logins ------------------------------------------------------- */

static void test_bearer(void **state)
{
	const struct eb_registry_options o = { .backoff_ms = 10,
					       .token_dir = "",
					       .user = "u",
					       .password = "secret" };
	EB_CLEANUP(eb_registry_free_ptr)
	struct eb_registry *r = eb_registry_new(&o, NULL);
	struct eb_repository *repo = work_open(r, team.host, "team/a");
	struct eb_repository *other = work_open(r, team.host, "team/b");
	struct eb_repository *open = work_open(r, one.host, "open");
	struct work_image image;
	struct eb_remote remote;
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	strict_forget(&one);
	work_push(repo, "v1", 1, &image);
	/* worth nothing any more: asked for anew, once */
	strict_change(&team, "DELETE", "tokens", NULL);
	assert_answer(eb_manifest_head(repo, "v1", &remote, &err), 1, &err);
	assert_answer(eb_blob_mount(other, &image.layer, repo, &err), 1, &err);
	assert_answer(eb_blob_copy(open, repo, &image.layer, 0, NULL, &err), 1,
		      &err);
	strict_change(&team, "DELETE", "tokens", NULL);
	work_put(open, "back", 4, &image.layer);
	assert_answer(eb_blob_copy(repo, open, &image.layer, 4, NULL, &err), 1,
		      &err);
	assert_no_violation(&team);
	assert_no_violation(&one);
	free(image.text);
}

/* Whatever it asks for, there is an end, and an error. */
static void test_login_without_end(void **state)
{
	const struct eb_registry_options o = { .backoff_ms = 10,
					       .token_dir = "",
					       .user = "u",
					       .password = "secret" };
	EB_CLEANUP(eb_registry_free_ptr)
	struct eb_registry *r = eb_registry_new(&o, NULL);
	struct eb_repository *repo = work_open(r, team.host, "team/c");
	struct eb_repository *open = work_open(r, one.host, "endless");
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest d;

	(void)state;
	strict_forget(&one);
	work_put(repo, "endless", 7, &d);
	strict_change(&team, "DELETE", "log", NULL);
	strict_faults(&team, "[{'method': 'GET', 'path': '/blobs/', "
			     "'forget': 'tokens', 'times': 0}]");
	assert_int_equal(eb_blob_copy(open, repo, &d, 7, NULL, &err), -1);
	assert_true(eb_err_is_set(&err));
	assert_int_equal(err.code, EB_REFUSED);
	eb_err_release(&err);
	assert_in_range(strict_asked(&team, "GET", "/blobs/", 401), 2, 5);
	strict_forget(&team);
}

static void test_no_login(void **state)
{
	static const struct eb_registry_options quick = {
		.backoff_ms = 10,
		.token_dir = "",
	};
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	assert_int_equal(ask(team.host, &quick, &err), -1);
	assert_int_equal(err.code, EB_REFUSED);
	eb_err_release(&err);
}

/* --- the registries ----------------------------------------------- */

static int start(void **state)
{
	static const char *const with_login[] = { "--set", "auth=bearer",
						  "--login", "u:secret", NULL };
	const char *with_tls[] = { "--tls", NULL, NULL, NULL };
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	dir = eb_make_tempdir("/tmp", "test_registry.", &err);
	if (!dir)
		return -1;
	strict_alone(dir);
	pem = eb_path_join(dir, "tls.pem");
	with_tls[1] = with_tls[2] = pem;
	if (httpd_make_pem(pem) == 0 && strict_start(&tls, with_tls) < 0)
		return -1;
	tls.tls = true;
	snprintf(tls.host, sizeof tls.host, "localhost:%u", tls.port);
	return strict_start(&one, NULL) < 0 ||
	       strict_start(&team, with_login) < 0;
}

static int stop(void **state)
{
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	strict_stop(&one);
	strict_stop(&tls);
	strict_stop(&team);
	eb_remove_tree(dir, &err);
	free(pem);
	free(dir);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_head),
		cmocka_unit_test(test_poor_head),
		cmocka_unit_test(test_refused_head),
		cmocka_unit_test(test_other_manifest),
		cmocka_unit_test(test_page),
		cmocka_unit_test(test_large_answer),
		cmocka_unit_test(test_redirects),
		cmocka_unit_test(test_blob_faults),
		cmocka_unit_test(test_blob_breaks_off),
		cmocka_unit_test(test_resumed),
		cmocka_unit_test(test_wrong_blob),
		cmocka_unit_test(test_blob_size),
		cmocka_unit_test(test_progress),
		cmocka_unit_test(test_pages),
		cmocka_unit_test(test_immutable),
		cmocka_unit_test(test_locked),
		cmocka_unit_test(test_put_answers),
		cmocka_unit_test(test_put_meanwhile),
		cmocka_unit_test(test_no_delete),
		cmocka_unit_test(test_referrers),
		cmocka_unit_test(test_referrers_lost),
		cmocka_unit_test(test_warnings),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_said),
		cmocka_unit_test(test_silence),
		cmocka_unit_test(test_tls),
		cmocka_unit_test(test_certs),
		cmocka_unit_test(test_insecure),
		cmocka_unit_test(test_insecure_alone),
		cmocka_unit_test(test_bearer),
		cmocka_unit_test(test_login_without_end),
		cmocka_unit_test(test_no_login),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
