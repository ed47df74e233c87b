/* SPDX-License-Identifier: Apache-2.0 */
/* The client of the distribution protocol, against Debian's docker-registry. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <sys/mman.h>

#include <envbuild/image.h>
#include <envbuild/json.h>
#include <envbuild/registry.h>

#include "real_registry.h"
#include "registry_work.h"
#include "strict_registry.h"

static struct real_registry one, two;
static char *dir;
static bool absent;

/* --- what most tests begin with ----------------------------------- */

static struct eb_registry *client(void)
{
	static const struct eb_registry_options quick = {
		.backoff_ms = 20,
		.stall_s = 10,
		.token_dir = "",
	};

	if (absent) {
		print_message("docker-registry is not installed\n");
		skip();
	}
	return eb_registry_new(&quick, NULL);
}

static struct eb_repository *
open_at(struct eb_registry *r, const struct real_registry *d, const char *name)
{
	return work_open(r, d->host, name);
}

/* --- manifests ---------------------------------------------------- */

static void test_manifest(void **state)
{
	EB_CLEANUP(eb_registry_free_ptr) struct eb_registry *r = client();
	struct eb_repository *repo = open_at(r, &one, "m/one");
	struct work_image image;
	struct eb_remote remote;
	struct eb_error err = EB_ERROR_INIT;
	char ref[EB_DIGEST_TEXT];
	EB_AUTOBUF(text, EB_MAX_REMOTE_MANIFEST);

	(void)state;
	assert_answer(eb_manifest_head(repo, "v1", &remote, &err), 0, &err);
	assert_answer(eb_manifest_get(repo, "v1", &text, &remote, &err), 0,
		      &err);
	work_push(repo, "v1", 1, &image);
	assert_answer(eb_manifest_head(repo, "v1", &remote, &err), 1, &err);
	assert_true(eb_digest_equal(&remote.digest, &image.manifest));
	assert_int_equal(remote.size, image.len);
	assert_string_equal(remote.media_type, EB_MT_MANIFEST);
	eb_digest_text(&image.manifest, ref);
	assert_answer(eb_manifest_get(repo, ref, &text, &remote, &err), 1,
		      &err);
	assert_int_equal(text.len, image.len);
	assert_memory_equal(text.data, image.text, image.len);
	assert_true(eb_digest_equal(&remote.digest, &image.manifest));
	free(image.text);
}

static void test_manifest_of_missing_blobs(void **state)
{
	EB_CLEANUP(eb_registry_free_ptr) struct eb_registry *r = client();
	struct eb_repository *repo = open_at(r, &one, "m/missing");
	struct work_image image;
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	work_image(99, &image);
	assert_int_equal(eb_manifest_put(repo, "v1", EB_MT_MANIFEST, image.text,
					 image.len, NULL, &err),
			 -1);
	assert_error(&err, EB_NO, "MANIFEST_BLOB_UNKNOWN");
	assert_non_null(strstr(one.host, ":"));
	free(image.text);
}

static void test_manifest_too_large(void **state)
{
	EB_CLEANUP(eb_registry_free_ptr) struct eb_registry *r = client();
	struct eb_repository *repo = open_at(r, &one, "m/large");
	eb_autofree char *text = eb_calloc(1, EB_MAX_REMOTE_MANIFEST + 1);
	struct eb_registry_counts counts;
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	assert_int_equal(eb_manifest_put(repo, "v1", EB_MT_MANIFEST, text,
					 EB_MAX_REMOTE_MANIFEST + 1, NULL,
					 &err),
			 -1);
	assert_error(&err, EB_INPUT, "4194305 bytes");
	eb_registry_counts(r, &counts);
	assert_int_equal(counts.requests, 0);
}

static void test_delete(void **state)
{
	EB_CLEANUP(eb_registry_free_ptr) struct eb_registry *r = client();
	struct eb_repository *repo = open_at(r, &one, "m/delete");
	struct work_image image;
	struct eb_remote remote;
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	work_push(repo, "v1", 2, &image);
	assert_answer(eb_manifest_delete(repo, &image.manifest, &err), 1, &err);
	assert_answer(eb_manifest_head(repo, "v1", &remote, &err), 0, &err);
	assert_answer(eb_manifest_delete(repo, &image.manifest, &err), 0, &err);
	free(image.text);
}

static void test_names(void **state)
{
	static const char *const bad[][2] = {
		{ "127.0.0.1:1", "Upper" },  { "127.0.0.1:1", "a//b" },
		{ "127.0.0.1:1", "a:tag" },  { "host", "name" },
		{ "127.0.0.1:99999", "a" },  { "docker.io", "debian" },
		{ "127.0.0.1:1", "../etc" }, { "", "a" },
	};
	EB_CLEANUP(eb_registry_free_ptr) struct eb_registry *r = client();
	struct eb_repository *repo, *again;
	struct eb_remote remote;
	struct eb_error err = EB_ERROR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_int_equal(eb_repository_open(r, bad[i][0], bad[i][1],
						    &repo, &err),
				 -1);
		assert_int_equal(err.code, EB_USAGE);
		eb_err_release(&err);
	}
	repo = work_open(r, "docker.io", "library/debian");
	again = work_open(r, "docker.io", "library/debian");
	assert_ptr_equal(repo, again);
	assert_string_equal(eb_repository_text(repo),
			    "docker.io/library/debian");
	repo = open_at(r, &one, "m/one");
	assert_int_equal(eb_manifest_head(repo, "no tag", &remote, &err), -1);
	assert_error(&err, EB_USAGE, "no tag");
	assert_int_equal(eb_manifest_head(repo, "sha256:12", &remote, &err),
			 -1);
	assert_error(&err, EB_USAGE, "sha256:12");
}

/* --- indexes ------------------------------------------------------ */

static void put_index(struct eb_repository *repo, const char *tag,
		      const char *child_type, const struct eb_digest *child,
		      size_t size, struct eb_digest *out)
{
	char ref[EB_DIGEST_TEXT];
	eb_autofree char *text = eb_asprintf(
		"{\"schemaVersion\":2,\"mediaType\":\"%s\",\"manifests\":[{"
		"\"mediaType\":\"%s\",\"digest\":\"%s\",\"size\":%zu,"
		"\"platform\":{\"os\":\"linux\",\"architecture\":\"amd64\"}}]}",
		EB_MT_INDEX, child_type, eb_digest_text(child, ref), size);
	struct eb_error err = EB_ERROR_INIT;

	assert_answer(eb_manifest_put(repo, tag, EB_MT_INDEX, text,
				      strlen(text), NULL, &err),
		      0, &err);
	eb_sha256(text, strlen(text), out);
}

static size_t size_at(struct eb_repository *repo, const char *tag)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_remote remote;

	assert_answer(eb_manifest_head(repo, tag, &remote, &err), 1, &err);
	return (size_t)remote.size;
}

static void test_resolve(void **state)
{
	EB_CLEANUP(eb_registry_free_ptr) struct eb_registry *r = client();
	struct eb_repository *repo = open_at(r, &one, "m/index");
	struct eb_digest index, outer, third, top;
	struct work_image image;
	struct eb_remote remote;
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(text, EB_MAX_REMOTE_MANIFEST);

	(void)state;
	work_push(repo, "image", 3, &image);
	put_index(repo, "index", EB_MT_MANIFEST, &image.manifest, image.len,
		  &index);
	assert_answer(eb_manifest_resolve(repo, "index", "linux/amd64", &text,
					  &remote, &top, &err),
		      1, &err);
	assert_true(eb_digest_equal(&remote.digest, &image.manifest));
	assert_true(eb_digest_equal(&top, &index));
	put_index(repo, "outer", EB_MT_INDEX, &index, size_at(repo, "index"),
		  &outer);
	assert_answer(eb_manifest_resolve(repo, "outer", "linux/amd64", &text,
					  &remote, NULL, &err),
		      1, &err);
	assert_true(eb_digest_equal(&remote.digest, &image.manifest));
	put_index(repo, "third", EB_MT_INDEX, &outer, size_at(repo, "outer"),
		  &third);
	assert_int_equal(eb_manifest_resolve(repo, "third", "linux/amd64",
					     &text, &remote, NULL, &err),
			 -1);
	assert_error(&err, EB_INPUT, "an index in an index in an index");
	assert_int_equal(eb_manifest_resolve(repo, "index", "linux/arm64",
					     &text, &remote, NULL, &err),
			 -1);
	assert_error(&err, EB_INPUT, "no image for \"linux/arm64\"");
	assert_answer(eb_manifest_resolve(repo, "none", "linux/amd64", &text,
					  &remote, NULL, &err),
		      0, &err);
	put_index(repo, "wrong", EB_MT_MANIFEST, &image.manifest, image.len + 1,
		  &index);
	assert_int_equal(eb_manifest_resolve(repo, "wrong", "linux/amd64",
					     &text, &remote, NULL, &err),
			 -1);
	assert_error(&err, EB_INTEGRITY, "the index says");
	free(image.text);
}

/* --- blobs -------------------------------------------------------- */

static void test_blob_of_memory(void **state)
{
	EB_CLEANUP(eb_registry_free_ptr) struct eb_registry *r = client();
	struct eb_repository *repo = open_at(r, &one, "b/memory");
	struct eb_blob_source source = { .data = "hello\n", .size = 6 };
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest d;
	EB_AUTOBUF(text, 100);

	(void)state;
	eb_sha256("hello\n", 6, &d);
	assert_answer(eb_blob_head(repo, &d, 0, &err), 0, &err);
	assert_answer(eb_blob_read(repo, &d, 100, &text, &err), 0, &err);
	assert_answer(eb_blob_put(repo, &d, &source, &err), 0, &err);
	assert_answer(eb_blob_head(repo, &d, 0, &err), 1, &err);
	assert_answer(eb_blob_head(repo, &d, 6, &err), 1, &err);
	assert_answer(eb_blob_head(repo, &d, 7, &err), 0, &err);
	eb_buf_adds(&text, "> ");
	assert_answer(eb_blob_read(repo, &d, 6, &text, &err), 1, &err);
	assert_string_equal(text.data, "> hello\n");
	assert_int_equal(eb_blob_read(repo, &d, 5, &text, &err), -1);
	assert_error(&err, EB_INPUT, "larger than 5 bytes");
	assert_string_equal(text.data, "> hello\n");
}

static void test_blob_of_nothing(void **state)
{
	EB_CLEANUP(eb_registry_free_ptr) struct eb_registry *r = client();
	struct eb_repository *repo = open_at(r, &one, "b/empty");
	struct eb_blob_source source = { .data = "" };
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest d;
	EB_AUTOBUF(text, 100);

	(void)state;
	eb_sha256("", 0, &d);
	assert_answer(eb_blob_put(repo, &d, &source, &err), 0, &err);
	assert_answer(eb_blob_read(repo, &d, 0, &text, &err), 1, &err);
	assert_int_equal(text.len, 0);
}

struct seen {
	struct eb_sha256 sha;
	uint64_t n;
};

static int look(void *data, const void *p, size_t n, uint64_t offset,
		struct eb_error *err)
{
	struct seen *s = data;

	(void)err;
	if (offset == 0)
		*s = (struct seen){ 0 };
	if (offset == 0)
		eb_sha256_init(&s->sha);
	assert_int_equal(offset, s->n);
	eb_sha256_add(&s->sha, p, n);
	s->n += n;
	return 0;
}

#define LARGE ((size_t)5 << 20)

static void test_blob_of_file(void **state)
{
	EB_CLEANUP(eb_registry_free_ptr) struct eb_registry *r = client();
	struct eb_repository *repo = open_at(r, &one, "b/file");
	eb_autofree char *bytes = work_bytes(LARGE + 7, 1);
	eb_autofd int fd = memfd_create("blob", MFD_CLOEXEC);
	struct eb_blob_source source = { .fd = fd, .size = LARGE };
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest d, got;
	struct eb_registry_counts counts;
	struct seen seen;

	(void)state;
	/* behind what is sent there may be more */
	assert_int_equal(write(fd, bytes, LARGE + 7), LARGE + 7);
	eb_sha256(bytes, LARGE, &d);
	assert_answer(eb_blob_put(repo, &d, &source, &err), 0, &err);
	assert_answer(eb_blob_get(repo, &d, LARGE, NULL, look, &seen, &err), 1,
		      &err);
	eb_sha256_end(&seen.sha, &got);
	assert_true(eb_digest_equal(&d, &got));
	assert_int_equal(seen.n, LARGE);
	eb_registry_counts(r, &counts);
	assert_int_equal(counts.requests, 3); /* POST, PUT, GET */
	assert_int_equal(counts.sent, LARGE);
	assert_int_equal(counts.received, LARGE);
}

static void test_blob_range(void **state)
{
	EB_CLEANUP(eb_registry_free_ptr) struct eb_registry *r = client();
	struct eb_repository *repo = open_at(r, &one, "b/range");
	eb_autofree char *bytes = work_bytes(100000, 2);
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest d, want, got;
	struct seen seen;

	(void)state;
	work_put(repo, bytes, 100000, &d);
	assert_answer(eb_blob_get_range(repo, &d, 1000, 5000, NULL, look, &seen,
					&err),
		      1, &err);
	eb_sha256(bytes + 1000, 5000, &want);
	eb_sha256_end(&seen.sha, &got);
	assert_true(eb_digest_equal(&want, &got));
	assert_int_equal(seen.n, 5000);
	eb_sha256("none", 4, &d);
	assert_answer(
		eb_blob_get_range(repo, &d, 0, 10, NULL, look, &seen, &err), 0,
		&err);
}

static void test_blob_of_other_bytes(void **state)
{
	EB_CLEANUP(eb_registry_free_ptr) struct eb_registry *r = client();
	struct eb_repository *repo = open_at(r, &one, "b/wrong");
	struct eb_blob_source source = { .data = "hello\n", .size = 6 };
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest d;

	(void)state;
	eb_sha256("other", 5, &d);
	assert_int_equal(eb_blob_put(repo, &d, &source, &err), -1);
	assert_error(&err, EB_INTEGRITY, "what we have here");
	assert_answer(eb_blob_head(repo, &d, 0, &err), 0, &err);
}

static void test_mount(void **state)
{
	EB_CLEANUP(eb_registry_free_ptr) struct eb_registry *r = client();
	struct eb_repository *from = open_at(r, &one, "b/from");
	struct eb_repository *to = open_at(r, &one, "b/to");
	struct eb_repository *far = open_at(r, &two, "b/to");
	struct eb_error err = EB_ERROR_INIT;
	struct eb_registry_counts before, after;
	struct eb_digest d, none;

	(void)state;
	work_put(from, "mounted", 7, &d);
	assert_answer(eb_blob_mount(to, &d, from, &err), 1, &err);
	assert_answer(eb_blob_head(to, &d, 7, &err), 1, &err);
	eb_sha256("nowhere", 7, &none);
	assert_answer(eb_blob_mount(to, &none, from, &err), 0, &err);
	eb_registry_counts(r, &before);
	assert_answer(eb_blob_mount(far, &d, from, &err), 0, &err);
	eb_registry_counts(r, &after);
	assert_int_equal(before.requests, after.requests);
	assert_int_equal(
		real_asked(&one, "DELETE", "/b/to/blobs/uploads/", 204), 1);
}

static void test_copy(void **state)
{
	EB_CLEANUP(eb_registry_free_ptr) struct eb_registry *r = client();
	struct eb_repository *from = open_at(r, &one, "c/from");
	struct eb_repository *near = open_at(r, &one, "c/near");
	struct eb_repository *far = open_at(r, &two, "c/far");
	eb_autofree char *bytes = work_bytes(LARGE, 3);
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest d, none, got;
	struct seen seen;

	(void)state;
	work_put(from, bytes, LARGE, &d);
	assert_answer(eb_blob_copy(near, from, &d, LARGE, NULL, &err), 2, &err);
	assert_answer(eb_blob_copy(far, from, &d, LARGE, NULL, &err), 1, &err);
	assert_answer(eb_blob_get(far, &d, LARGE, NULL, look, &seen, &err), 1,
		      &err);
	eb_sha256_end(&seen.sha, &got);
	assert_true(eb_digest_equal(&d, &got));
	eb_sha256("nowhere", 7, &none);
	assert_answer(eb_blob_copy(far, from, &none, 0, NULL, &err), 0, &err);
	assert_answer(eb_blob_copy(far, from, &d, LARGE - 1, NULL, &err), 0,
		      &err);
	eb_sha256("", 0, &none);
	work_put(from, "", 0, &none);
	assert_answer(eb_blob_copy(far, from, &none, 0, NULL, &err), 1, &err);
}

/* More pairs than there may be transfers to one host. */
struct copies {
	struct eb_repository *from, *to;
	struct eb_digest d[16];
	size_t next;
	pthread_mutex_t lock;
};

static void *copy_some(void *data)
{
	struct copies *c = data;
	struct eb_error err = EB_ERROR_INIT;

	for (;;) {
		size_t i;

		pthread_mutex_lock(&c->lock);
		i = c->next++;
		pthread_mutex_unlock(&c->lock);
		if (i >= 16)
			return NULL;
		if (eb_blob_copy(c->to, c->from, &c->d[i], 1 << 18, NULL,
				 &err) != 1) {
			print_error("%s\n", err.message);
			eb_err_release(&err);
			return c;
		}
	}
}

static void test_copies_at_once(void **state)
{
	EB_CLEANUP(eb_registry_free_ptr) struct eb_registry *r = client();
	struct copies c = { .from = open_at(r, &one, "c/many"),
			    .to = open_at(r, &two, "c/many"),
			    .lock = PTHREAD_MUTEX_INITIALIZER };
	pthread_t thread[12];
	void *bad;
	size_t i;

	(void)state;
	for (i = 0; i < 16; i++) {
		eb_autofree char *bytes = work_bytes(1 << 18, 50 + i);

		work_put(c.from, bytes, 1 << 18, &c.d[i]);
	}
	for (i = 0; i < 12; i++)
		assert_int_equal(
			pthread_create(&thread[i], NULL, copy_some, &c), 0);
	for (i = 0; i < 12; i++) {
		assert_int_equal(pthread_join(thread[i], &bad), 0);
		assert_null(bad);
	}
}

/* --- lists -------------------------------------------------------- */

static void test_tags(void **state)
{
	EB_CLEANUP(eb_registry_free_ptr) struct eb_registry *r = client();
	struct eb_repository *repo = open_at(r, &one, "t/tags");
	struct eb_strv tags = { 0 };
	struct work_image image;
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	assert_answer(eb_tags_list(repo, &tags, &err), 0, &err);
	assert_int_equal(tags.n, 0);
	work_push(repo, "b", 4, &image);
	free(image.text);
	work_push(repo, "a", 5, &image);
	free(image.text);
	assert_answer(eb_tags_list(repo, &tags, &err), 0, &err);
	eb_strv_sort(&tags);
	assert_int_equal(tags.n, 2);
	assert_string_equal(tags.v[0], "a");
	assert_string_equal(tags.v[1], "b");
	eb_strv_release(&tags);
}

static void test_referrers_by_tag(void **state)
{
	EB_CLEANUP(eb_registry_free_ptr) struct eb_registry *r = client();
	struct eb_repository *repo = open_at(r, &one, "t/refer");
	struct work_image image;
	struct eb_digest first, second;
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(index, EB_MAX_REMOTE_MANIFEST);

	(void)state;
	work_push(repo, "v1", 6, &image);
	assert_answer(
		eb_referrers_get(repo, &image.manifest, NULL, &index, &err), 0,
		&err);
	work_refer(repo, &image, "application/x-one", "a note", &first);
	work_refer(repo, &image, "application/x-two", "another", &second);
	work_refer(repo, &image, "application/x-one", "a note", &first);
	assert_answer(
		eb_referrers_get(repo, &image.manifest, NULL, &index, &err), 1,
		&err);
	assert_referrers(&index, 2, "a note", "another");
	assert_answer(eb_referrers_get(repo, &image.manifest,
				       "application/x-two", &index, &err),
		      1, &err);
	assert_referrers(&index, 1, "another", "application/x-two");
	assert_answer(eb_referrers_get(repo, &image.manifest,
				       "application/x-three", &index, &err),
		      0, &err);
	free(image.text);
}

/* --- the rest ----------------------------------------------------- */

static void test_ping(void **state)
{
	EB_CLEANUP(eb_registry_free_ptr) struct eb_registry *r = client();
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	assert_answer(eb_registry_ping(open_at(r, &one, "a"), &err), 0, &err);
	assert_int_equal(
		eb_registry_ping(work_open(r, "127.0.0.1:1", "a"), &err), -1);
	assert_error(&err, EB_NETWORK, "127.0.0.1:1");
}

static void test_single(void **state)
{
	static const struct eb_registry_options single = {
		.single = true,
		.token_dir = "",
	};
	EB_CLEANUP(eb_registry_free_ptr) struct eb_registry *r = client();
	struct eb_error err = EB_ERROR_INIT;
	struct eb_remote remote;
	struct eb_digest d;

	(void)state;
	eb_registry_free(r);
	r = eb_registry_new(&single, NULL);
	assert_answer(
		eb_manifest_head(open_at(r, &one, "none"), "x", &remote, &err),
		0, &err);
	work_put(open_at(r, &one, "b/single"), "single", 6, &d);
	assert_answer(eb_blob_copy(open_at(r, &two, "b/single"),
				   open_at(r, &one, "b/single"), &d, 6, NULL,
				   &err),
		      1, &err);
}

static void test_offline(void **state)
{
	static const struct eb_registry_options offline = {
		.offline = true,
		.token_dir = "",
	};
	EB_CLEANUP(eb_registry_free_ptr) struct eb_registry *r = client();
	struct eb_blob_source source = { .data = "x", .size = 1 };
	struct eb_error err = EB_ERROR_INIT;
	struct eb_repository *repo;
	struct eb_digest d;

	(void)state;
	eb_registry_free(r);
	r = eb_registry_new(&offline, NULL);
	repo = open_at(r, &one, "b/offline");
	eb_sha256("x", 1, &d);
	assert_int_equal(eb_blob_put(repo, &d, &source, &err), -1);
	assert_error(&err, EB_NETWORK, "--offline");
}

/* A mirror serves what is read; what is written goes to the place itself. */
static void test_mirror(void **state)
{
	EB_CLEANUP(eb_registry_free_ptr) struct eb_registry *r = client();
	struct eb_repository *at_mirror = open_at(r, &two, "mirror/m/here");
	struct eb_repository *repo;
	eb_autofree char *conf =
		eb_asprintf("[[registry]]\nlocation = \"%s/m\"\n"
			    "[[registry.mirror]]\nlocation = \"%s/mirror/m\"\n",
			    one.host, two.host);
	eb_autofree char *path = eb_path_join(dir, "mirrors.conf");
	struct work_image image;
	struct eb_remote remote;
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(text, EB_MAX_REMOTE_MANIFEST);

	(void)state;
	work_push(at_mirror, "v1", 7, &image);
	assert_int_equal(eb_write_file(path, conf, strlen(conf), 0600, &err),
			 0);
	eb_registry_free(r);
	setenv("CONTAINERS_REGISTRIES_CONF", path, 1);
	r = client();
	repo = open_at(r, &one, "m/here");
	assert_answer(eb_manifest_get(repo, "v1", &text, &remote, &err), 1,
		      &err);
	assert_answer(eb_blob_head(repo, &image.layer, 0, &err), 0, &err);
	assert_answer(eb_manifest_head(repo, "v1", &remote, &err), 0, &err);
	free(image.text);
	/* not at the mirror: it is looked for at home */
	work_push(repo, "v2", 8, &image);
	free(image.text);
	eb_registry_free(r);
	r = client();
	assert_answer(eb_manifest_get(open_at(r, &one, "m/here"), "v2", &text,
				      &remote, &err),
		      1, &err);
	strict_alone(dir);
}

/* --- both registries ---------------------------------------------- */

static int start_at(struct real_registry *r, const char *name)
{
	eb_autofree char *at = eb_path_join(dir, name);

	return real_start(r, at) ? 0 : -1;
}

static int start(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *program = eb_find_program("docker-registry");

	(void)state;
	absent = !program;
	dir = eb_make_tempdir("/tmp", "test_registry.", &err);
	if (!dir)
		return -1;
	strict_alone(dir);
	if (absent)
		return 0;
	return start_at(&one, "one") < 0 || start_at(&two, "two") < 0 ? -1 : 0;
}

static int stop(void **state)
{
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	real_stop(&one);
	real_stop(&two);
	eb_remove_tree(dir, &err);
	free(dir);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_manifest),
		cmocka_unit_test(test_manifest_of_missing_blobs),
		cmocka_unit_test(test_manifest_too_large),
		cmocka_unit_test(test_delete),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_resolve),
		cmocka_unit_test(test_blob_of_memory),
		cmocka_unit_test(test_blob_of_nothing),
		cmocka_unit_test(test_blob_of_file),
		cmocka_unit_test(test_blob_range),
		cmocka_unit_test(test_blob_of_other_bytes),
		cmocka_unit_test(test_mount),
		cmocka_unit_test(test_copy),
		cmocka_unit_test(test_copies_at_once),
		cmocka_unit_test(test_tags),
		cmocka_unit_test(test_referrers_by_tag),
		cmocka_unit_test(test_ping),
		cmocka_unit_test(test_single),
		cmocka_unit_test(test_offline),
		cmocka_unit_test(test_mirror),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
