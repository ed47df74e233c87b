/* SPDX-License-Identifier: Apache-2.0 */
/* For the tests of images: a folder with a store, tars made byte by byte (as
 * wrong as a test wants), images made of them. */
#ifndef TEST_OCI_FIXTURE_H
#define TEST_OCI_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <envbuild/file.h>
#include <envbuild/image.h>
#include <envbuild/json.h>
#include <envbuild/layout.h>
#include <envbuild/reference.h>
#include <envbuild/store.h>

#define PLATFORM "linux/amd64"
#define TAR_MAX ((size_t)256 << 20)

struct world {
	char *dir;
	struct eb_store *store;
};

static inline void ok(int status, struct eb_error *err)
{
	if (status < 0)
		fail_msg("%s: %s", eb_code_name(err->code), err->message);
}

/* It failed with this code, and message or hint have this in them. */
static inline void bad(int status, struct eb_error *err, enum eb_code code,
		       const char *part)
{
	if (status >= 0)
		fail_msg("it went well, wanted \"%s\"", part);
	if (err->code != code || (!strstr(err->message, part) &&
				  !(err->hint && strstr(err->hint, part))))
		fail_msg("%s: \"%s\" (%s), wanted %s with \"%s\"",
			 eb_code_name(err->code), err->message,
			 err->hint ? err->hint : "", eb_code_name(code), part);
	eb_err_release(err);
}

static inline int make_world(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct world *w = eb_calloc(1, sizeof *w);
	eb_autofree char *dir = NULL;

	w->dir = eb_make_tempdir("/tmp", "test-oci-", &err);
	assert_non_null(w->dir);
	dir = eb_path_join(w->dir, "store");
	ok(eb_store_open(dir, 0, &w->store, &err), &err);
	*state = w;
	return 0;
}

static inline int remove_world(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct world *w = *state;

	eb_store_close(w->store);
	ok(eb_remove_tree(w->dir, &err), &err);
	free(w->dir);
	free(w);
	return 0;
}

/* A path in the world's folder; caller frees. */
static inline char *at(const struct world *w, const char *name)
{
	return eb_path_join(w->dir, name);
}

static inline void write_bytes(const struct world *w, const char *name,
			       const void *p, size_t n)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *path = at(w, name);

	ok(eb_write_file(path, p, n, 0644, &err), &err);
}

/* ---- tar --------------------------------------------------------------- */

static inline void octal(char *to, size_t n, uint64_t value)
{
	to[--n] = '\0';
	for (; n; value >>= 3)
		to[--n] = (char)('0' + (value & 7));
}

static inline void tar_sum(char *h)
{
	unsigned sum = 0;
	size_t i;

	memset(h + 148, ' ', 8);
	for (i = 0; i < 512; i++)
		sum += (unsigned char)h[i];
	octal(h + 148, 7, sum);
}

static inline void tar_pad(struct eb_buf *b)
{
	while (b->len % 512)
		eb_buf_addch(b, '\0');
}

/* A member of any type; `link` may be NULL. */
static inline void tar_put(struct eb_buf *b, char type, const char *name,
			   unsigned mode, const char *link, const void *content,
			   size_t n)
{
	char h[512] = { 0 };

	memcpy(h, name, strnlen(name, 100));
	octal(h + 100, 8, mode);
	octal(h + 108, 8, 0);
	octal(h + 116, 8, 0);
	octal(h + 124, 12, n);
	octal(h + 136, 12, 1000000000);
	h[156] = type;
	if (link)
		memcpy(h + 157, link, strnlen(link, 100));
	memcpy(h + 257, "ustar\00000", 8);
	tar_sum(h);
	eb_buf_add(b, h, sizeof h);
	eb_buf_add(b, content, n);
	tar_pad(b);
}

static inline void tar_file(struct eb_buf *b, const char *name,
			    const char *text)
{
	tar_put(b, '0', name, 0644, NULL, text, strlen(text));
}

static inline void tar_dir(struct eb_buf *b, const char *name, unsigned mode)
{
	tar_put(b, '5', name, mode, NULL, "", 0);
}

static inline void tar_link(struct eb_buf *b, const char *name, const char *to)
{
	tar_put(b, '2', name, 0777, to, "", 0);
}

static inline void tar_hard(struct eb_buf *b, const char *name, const char *to)
{
	tar_put(b, '1', name, 0644, to, "", 0);
}

/* One pax record, its length counted. */
static inline void pax_record(struct eb_buf *out, const char *key,
			      const void *value, size_t n)
{
	size_t rest = strlen(key) + n + 3, len = rest + 1;
	char number[24];

	while (len != rest + (size_t)sprintf(number, "%zu", len))
		len = rest + strlen(number);
	eb_buf_addf(out, "%zu %s=", len, key);
	eb_buf_add(out, value, n);
	eb_buf_addch(out, '\n');
}

static inline void tar_pax(struct eb_buf *b, const char *key, const char *value)
{
	EB_AUTOBUF(text, TAR_MAX);

	pax_record(&text, key, value, strlen(value));
	tar_put(b, 'x', "pax", 0644, NULL, text.data, text.len);
}

static inline void tar_end(struct eb_buf *b)
{
	static const char zeros[1024];

	eb_buf_add(b, zeros, sizeof zeros);
}

static inline void gzip(const struct eb_buf *in, struct eb_buf *out)
{
	z_stream z = { 0 };

	assert_int_equal(
		deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY),
		Z_OK);
	eb_buf_reserve(out, deflateBound(&z, in->len));
	z.next_in = (unsigned char *)in->data;
	z.avail_in = (unsigned)in->len;
	z.next_out = (unsigned char *)out->data;
	z.avail_out = (unsigned)deflateBound(&z, in->len);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	out->len = z.total_out;
	deflateEnd(&z);
}

static inline void zstd(const struct eb_buf *in, struct eb_buf *out)
{
	size_t bound = ZSTD_compressBound(in->len);

	eb_buf_reserve(out, bound);
	out->len = ZSTD_compress(out->data, bound, in->data, in->len, 3);
	assert_false(ZSTD_isError(out->len));
}

/* ---- images ------------------------------------------------------------ */

static inline struct eb_digest digest_of(const void *p, size_t n)
{
	struct eb_digest d;

	eb_sha256(p, n, &d);
	return d;
}

/* A blob in a layout; gives its descriptor as JSON text. */
static inline char *put_blob(const struct world *w, const char *layout,
			     const char *type, const void *p, size_t n)
{
	struct eb_digest d = digest_of(p, n);
	char hex[EB_HEX_SIZE];
	eb_autofree char *dir =
		eb_asprintf("%s/%s/blobs/sha256", w->dir, layout);
	eb_autofree char *name = eb_asprintf("%s/blobs/sha256/%s", layout,
					     eb_digest_hex(&d, hex));
	struct eb_error err = EB_ERROR_INIT;

	ok(eb_mkdirs(dir, 0755, &err), &err);
	write_bytes(w, name, p, n);
	return eb_asprintf("{\"mediaType\":\"%s\",\"digest\":\"sha256:%s\","
			   "\"size\":%zu}",
			   type, hex, n);
}

static inline void write_layout(const struct world *w, const char *layout,
				const char *index)
{
	eb_autofree char *mark = eb_asprintf("%s/oci-layout", layout);
	eb_autofree char *name = eb_asprintf("%s/index.json", layout);

	write_bytes(w, mark, "{\"imageLayoutVersion\":\"1.0.0\"}", 30);
	write_bytes(w, name, index, strlen(index));
}

/* An image of these plain tars (gzip layers) with these members of "config";
 * the manifest's descriptor is returned. */
static inline char *put_image(const struct world *w, const char *layout,
			      const struct eb_buf *tar, size_t n,
			      const char *arch, const char *inner)
{
	EB_AUTOBUF(ids, TAR_MAX);
	EB_AUTOBUF(layers, TAR_MAX);
	eb_autofree char *config = NULL, *cd = NULL, *manifest = NULL;
	char hex[EB_HEX_SIZE];
	size_t i;

	for (i = 0; i < n; i++) {
		EB_AUTOBUF(packed, TAR_MAX);
		struct eb_digest d = digest_of(tar[i].data, tar[i].len);
		eb_autofree char *ld = NULL;

		gzip(&tar[i], &packed);
		ld = put_blob(w, layout, EB_MT_LAYER_GZIP, packed.data,
			      packed.len);
		eb_buf_addf(&ids, "%s\"sha256:%s\"", i ? "," : "",
			    eb_digest_hex(&d, hex));
		eb_buf_addf(&layers, "%s%s", i ? "," : "", ld);
	}
	config = eb_asprintf("{\"architecture\":\"%s\",\"os\":\"linux\","
			     "\"rootfs\":{\"type\":\"layers\",\"diff_ids\":[%s]"
			     "},\"config\":{%s}}",
			     arch, ids.data, inner);
	cd = put_blob(w, layout, EB_MT_CONFIG, config, strlen(config));
	manifest = eb_asprintf("{\"schemaVersion\":2,\"mediaType\":\"%s\","
			       "\"config\":%s,\"layers\":[%s]}",
			       EB_MT_MANIFEST, cd, layers.data);
	return put_blob(w, layout, EB_MT_MANIFEST, manifest, strlen(manifest));
}

/* The same, with an index.json that names it alone. */
static inline void make_layout(const struct world *w, const char *layout,
			       const struct eb_buf *tar, size_t n,
			       const char *inner)
{
	eb_autofree char *d = put_image(w, layout, tar, n, "amd64", inner);
	eb_autofree char *index =
		eb_asprintf("{\"schemaVersion\":2,\"manifests\":[%s]}", d);

	write_layout(w, layout, index);
}

/* Straight into the store: the manifest of these plain layers. */
static inline struct eb_digest store_image(const struct world *w,
					   const struct eb_buf *tar, size_t n)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_manifest m = { 0 };
	eb_autojson json_t *config = eb_config_new(PLATFORM);
	EB_AUTOBUF(text, TAR_MAX);
	struct eb_digest d;
	size_t i;

	for (i = 0; i < n; i++) {
		ok(eb_store_put(w->store, tar[i].data, tar[i].len, &d, &err),
		   &err);
		eb_manifest_add_layer(&m, EB_MT_LAYER_TAR, &d, tar[i].len);
		eb_config_add_layer(config, &d, "1980-01-01T00:00:00Z", "t");
	}
	eb_config_format(config, &text);
	m.config.media_type = eb_strdup(EB_MT_CONFIG);
	m.config.size = text.len;
	ok(eb_store_put(w->store, text.data, text.len, &m.config.digest, &err),
	   &err);
	eb_buf_reset(&text);
	eb_manifest_format(&m, &text);
	ok(eb_store_put(w->store, text.data, text.len, &d, &err), &err);
	eb_manifest_release(&m);
	return d;
}

/* FORM:FOLDER/NAME as a reference. */
static inline struct eb_reference refer(const struct world *w, const char *form,
					const char *name)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_reference r;
	eb_autofree char *text = eb_asprintf("%s:%s/%s", form, w->dir, name);

	ok(eb_reference_parse(text, &r, &err), &err);
	return r;
}

static inline int import(const struct world *w, const char *form,
			 const char *name, struct eb_digest *manifest,
			 struct eb_digest *digest, struct eb_error *err)
{
	struct eb_reference r = refer(w, form, name);
	int got = eb_image_import(w->store, &r, PLATFORM, NULL, manifest,
				  digest, err);

	eb_reference_release(&r);
	return got;
}

/* ---- foreign programs -------------------------------------------------- */

/* Exit status of a shell command run in the world's folder; what it says goes
 * to the file "said" there. */
static inline int shell(const struct world *w, const char *command)
{
	eb_autofree char *all =
		eb_asprintf("cd '%s' && { %s; } >said 2>&1", w->dir, command);
	int status = system(all);

	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static inline void shell_ok(const struct world *w, const char *command)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *path = at(w, "said");
	EB_AUTOBUF(text, TAR_MAX);

	if (shell(w, command) == 0)
		return;
	ok(eb_read_file(path, TAR_MAX, &text, &err), &err);
	fail_msg("%s: %s", command, text.data);
}

static inline bool said(const struct world *w, const char *part)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *path = at(w, "said");
	EB_AUTOBUF(text, TAR_MAX);

	ok(eb_read_file(path, TAR_MAX, &text, &err), &err);
	return strstr(text.data, part) != NULL;
}

static inline void need_program(const struct world *w, const char *name)
{
	eb_autofree char *command = eb_asprintf("command -v %s", name);

	if (shell(w, command) != 0) {
		print_message("%s is not installed\n", name);
		skip();
	}
}

#endif
