/* SPDX-License-Identifier: Apache-2.0 */
/* Small images and blobs for tests of registries. Include cmocka.h first. */
#ifndef TEST_REGISTRY_WORK_H
#define TEST_REGISTRY_WORK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include <envbuild/image.h>
#include <envbuild/json.h>
#include <envbuild/registry.h>

#include "strict_registry.h"

/* What a call gave; an error is shown. */
static inline void assert_answer_(int rc, int want, struct eb_error *err,
				  const char *file, int line)
{
	if (rc == want && !eb_err_is_set(err))
		return;
	print_error("%d instead of %d: %s\n", rc, want,
		    err->message ? err->message : "no error");
	_fail(file, line);
}
#define assert_answer(rc, want, err) \
	assert_answer_(rc, want, err, __FILE__, __LINE__)

/* The error it has to be; it is released. */
static inline void assert_error_(struct eb_error *err, enum eb_code code,
				 const char *words, const char *file, int line)
{
	if (!eb_err_is_set(err) || err->code != code ||
	    !strstr(err->message, words)) {
		print_error("%s, not %s with \"%s\": %s\n",
			    eb_code_name(err->code), eb_code_name(code), words,
			    err->message ? err->message : "no error");
		_fail(file, line);
	}
	eb_err_release(err);
}
#define assert_error(err, code, words) \
	assert_error_(err, code, words, __FILE__, __LINE__)

static inline struct eb_repository *
work_open(struct eb_registry *r, const char *host, const char *name)
{
	struct eb_repository *repo;
	struct eb_error err = EB_ERROR_INIT;

	assert_answer(eb_repository_open(r, host, name, &repo, &err), 0, &err);
	return repo;
}

/* `n` bytes that are others for each `seed`. */
static inline char *work_bytes(size_t n, uint64_t seed)
{
	char *bytes = eb_malloc(n + 1);
	uint64_t x = seed * 0x9e3779b97f4a7c15u + 1;
	size_t i;

	for (i = 0; i < n; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		bytes[i] = (char)x;
	}
	bytes[n] = '\0';
	return bytes;
}

static inline void work_put(struct eb_repository *repo, const void *data,
			    size_t n, struct eb_digest *d)
{
	struct eb_blob_source source = { .data = data, .size = n };
	struct eb_error err = EB_ERROR_INIT;

	eb_sha256(data, n, d);
	assert_answer(eb_blob_put(repo, d, &source, &err), 0, &err);
}

struct work_image {
	char layer_text[32];
	struct eb_digest config, layer, manifest;
	char *text;
	size_t len;
};

/* The manifest of an image with one layer; nothing is sent. */
static inline void work_image(unsigned n, struct work_image *out)
{
	char config[EB_DIGEST_TEXT], layer[EB_DIGEST_TEXT];

	snprintf(out->layer_text, sizeof out->layer_text, "layer %u", n);
	eb_sha256("{}", 2, &out->config);
	eb_sha256(out->layer_text, strlen(out->layer_text), &out->layer);
	out->text = eb_asprintf(
		"{\"schemaVersion\":2,\"mediaType\":\"%s\",\"config\":{"
		"\"mediaType\":\"%s\",\"digest\":\"%s\",\"size\":2},"
		"\"layers\":[{\"mediaType\":\"%s\",\"digest\":\"%s\","
		"\"size\":%zu}]}",
		EB_MT_MANIFEST, EB_MT_CONFIG,
		eb_digest_text(&out->config, config), EB_MT_LAYER_GZIP,
		eb_digest_text(&out->layer, layer), strlen(out->layer_text));
	out->len = strlen(out->text);
	eb_sha256(out->text, out->len, &out->manifest);
}

/* The same, and there. */
static inline void work_push(struct eb_repository *repo, const char *tag,
			     unsigned n, struct work_image *out)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest d;

	work_image(n, out);
	work_put(repo, "{}", 2, &d);
	work_put(repo, out->layer_text, strlen(out->layer_text), &d);
	assert_answer(eb_manifest_put(repo, tag, EB_MT_MANIFEST, out->text,
				      out->len, NULL, &err),
		      0, &err);
}

/* An artifact that says something of the image. */
static inline void work_refer(struct eb_repository *repo,
			      const struct work_image *image, const char *type,
			      const char *note, struct eb_digest *out)
{
	char config[EB_DIGEST_TEXT], subject[EB_DIGEST_TEXT];
	eb_autofree char *text = eb_asprintf(
		"{\"schemaVersion\":2,\"mediaType\":\"%s\","
		"\"artifactType\":\"%s\",\"config\":{"
		"\"mediaType\":\"application/vnd.oci.empty.v1+json\","
		"\"digest\":\"%s\",\"size\":2},\"layers\":[],"
		"\"subject\":{\"mediaType\":\"%s\",\"digest\":\"%s\","
		"\"size\":%zu},\"annotations\":{\"note\":\"%s\"}}",
		EB_MT_MANIFEST, type, eb_digest_text(&image->config, config),
		EB_MT_MANIFEST, eb_digest_text(&image->manifest, subject),
		image->len, note);
	struct eb_error err = EB_ERROR_INIT;

	assert_answer(eb_referrer_put(repo, text, strlen(text), out, &err), 0,
		      &err);
}

/* `n` of them, and both words somewhere in the index. */
static inline void assert_referrers(const struct eb_buf *index, size_t n,
				    const char *a, const char *b)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autojson json_t *json =
		eb_json_parse(index->data, index->len, "index", &err);

	assert_non_null(json);
	assert_string_equal(eb_json_str(json, "mediaType"), EB_MT_INDEX);
	assert_int_equal(json_array_size(eb_json_arr(json, "manifests")), n);
	assert_non_null(strstr(index->data, a));
	assert_non_null(strstr(index->data, b));
}

/* Has it been talked to as the standard wants it? */
static inline void assert_no_violation_(const struct strict_registry *r,
					const char *file, int line)
{
	eb_autofree char *text = strict_tell(r, "GET", "violations", NULL);

	if (strcmp(text, "[]") == 0)
		return;
	print_error("%s\n", text);
	_fail(file, line);
}
#define assert_no_violation(r) assert_no_violation_(r, __FILE__, __LINE__)

#endif
