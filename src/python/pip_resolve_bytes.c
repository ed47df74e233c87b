/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of which a line or a lock knows no sha256: they are read once, as they
 * come, and kept nowhere; what they turned out to be is remembered.
 */
#include "pip_resolve_int.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/json.h>

#include "pip_line.h"

#define MOST ((uint64_t)64 << 30) /* bytes, where no size is known */

static const char *const kinds[] = { "sha256", "sha384", "sha512" };
#define KINDS (sizeof kinds / sizeof *kinds)

struct reading {
	struct eb_pin *pin;
	char *url; /* with credentials */
	EVP_MD_CTX *digest[KINDS];
	struct eb_strv is; /* "sha512:<hex>" and so on, once it ended */
	uint64_t size;
	struct eb_index_way way;
	struct eb_http_request request;
};
struct readings {
	struct reading *v;
	struct eb_http_request **request;
	size_t n;
};

static void release(struct readings *all)
{
	for (size_t i = 0; i < all->n; i++) {
		struct reading *r = &all->v[i];

		eb_http_request_release(&r->request);
		eb_index_way_release(&r->way);
		for (size_t k = 0; k < KINDS; k++)
			EVP_MD_CTX_free(r->digest[k]);
		eb_strv_release(&r->is);
		eb_wipe(r->url);
	}
	free(all->v);
	free(all->request);
}

/* --- bytes -----------------------------------------------------------------
 */

static void begin(struct reading *r)
{
	for (size_t k = 0; k < KINDS; k++) {
		if (!r->digest[k])
			r->digest[k] = EVP_MD_CTX_new();
		EVP_DigestInit_ex(r->digest[k], EVP_get_digestbyname(kinds[k]),
				  NULL);
	}
	r->size = 0;
}

static int take(void *data, const void *p, size_t n, uint64_t offset,
		struct eb_error *err)
{
	struct reading *r = data;

	(void)err;
	if (offset == 0)
		begin(r);
	for (size_t k = 0; k < KINDS; k++)
		EVP_DigestUpdate(r->digest[k], p, n);
	r->size += n;
	return 0;
}

static void end(struct reading *r)
{
	for (size_t k = 0; k < KINDS; k++) {
		unsigned char sum[EVP_MAX_MD_SIZE];
		unsigned n = 0;
		char hex[2 * EVP_MAX_MD_SIZE + 1] = "";

		EVP_DigestFinal_ex(r->digest[k], sum, &n);
		for (unsigned i = 0; i < n; i++)
			snprintf(hex + 2 * (size_t)i, 3, "%02x", sum[i]);
		eb_strv_addf(&r->is, "%s:%s", kinds[k], hex);
	}
}

static int read_local(struct reading *r, const char *path, struct eb_error *err)
{
	eb_autofd int fd = open(path, O_RDONLY | O_CLOEXEC);
	char piece[1 << 16];
	ssize_t n = -1;

	while (fd >= 0 && ((n = read(fd, piece, sizeof piece)) > 0 ||
			   (n < 0 && errno == EINTR)))
		if (n > 0)
			take(r, piece, (size_t)n, r->size, err);
	return n == 0 ? 0
		      : eb_err_errno(err, EB_OK, errno, "\"%s\", reading",
				     path);
}

/* --- what is known ---------------------------------------------------------
 */

/* A file that was read before: told by any of its hashes. */
static bool take_known(const json_t *known, struct eb_pin *pin)
{
	for (size_t i = 0; i < pin->hash.n; i++) {
		const json_t *f = eb_json_obj(known, pin->hash.v[i]);
		const char *sha256 = eb_json_str(f, "sha256");
		json_int_t size = eb_json_int(f, "size", 0);
		struct eb_digest d;

		if (!sha256 || eb_digest_parse(sha256, &d) < 0 || size <= 0 ||
		    (!eb_digest_is_zero(&pin->sha256) &&
		     !eb_digest_equal(&d, &pin->sha256)))
			continue;
		pin->sha256 = d;
		pin->size = (uint64_t)size;
		eb_strv_release(&pin->hash);
		return true;
	}
	return false;
}

static void remember(const struct reading *r, json_t *fresh)
{
	for (size_t k = 1; k < r->is.n; k++) {
		json_t *f = json_object();

		json_object_set_new(f, "sha256", json_string(r->is.v[0]));
		json_object_set_new(f, "size",
				    json_integer((json_int_t)r->size));
		json_object_set_new(fresh, r->is.v[k], f);
	}
}

/* --- one, and all ----------------------------------------------------------
 */

static int judge(struct reading *r, json_t *fresh, struct eb_error *err)
{
	struct eb_pin *pin = r->pin;
	char text[EB_DIGEST_TEXT];
	bool good = false;

	end(r);
	for (size_t k = 0; k < r->is.n; k++)
		good = good || eb_strv_has(&pin->hash, r->is.v[k]);
	if (!good)
		return eb_err_set(err, EB_INTEGRITY,
				  "\"%s\" has none of the hashes that are "
				  "asked for; it has %s",
				  pin->file, r->is.v[KINDS - 1]);
	eb_digest_text(&pin->sha256, text);
	if (!eb_digest_is_zero(&pin->sha256) && strcmp(text, r->is.v[0]))
		return eb_err_set(err, EB_INTEGRITY,
				  "\"%s\" has %s, its index says %s", pin->file,
				  r->is.v[0], text);
	eb_digest_parse(r->is.v[0], &pin->sha256);
	pin->size = r->size;
	eb_strv_release(&pin->hash);
	remember(r, fresh);
	return 0;
}

static int ask(const struct eb_resolving *z, struct readings *all,
	       struct reading *r, struct eb_error *err)
{
	const struct eb_pin *pin = r->pin;

	r->url = eb_index_login(z->r->indexes, pin->url);
	r->request = (struct eb_http_request){
		.url = r->url,
		.task = pin->file,
		.expect_size = pin->size,
		.max_bytes = pin->size ? pin->size : MOST,
		.sink = take,
		.data = r,
		.fd = -1,
	};
	all->request[all->n++] = &r->request;
	return eb_index_request(z->r->indexes, &r->way, &r->request, err);
}

static int read_all(struct eb_resolving *z, struct readings *all,
		    struct eb_error *err)
{
	size_t n = all->n;

	all->n = 0;
	for (size_t i = 0; i < n; i++) {
		struct reading *r = &all->v[i];
		eb_autofree char *path = eb_pip_file_path(r->pin->url);

		begin(r);
		if ((path ? read_local(r, path, err) : ask(z, all, r, err)) < 0)
			return -1;
	}
	return all->n ? eb_http_do(z->r->http, all->request, all->n, err) : 0;
}

int eb_resolve_bytes(struct eb_resolving *z, struct eb_pin *pin, size_t n,
		     struct eb_error *err)
{
	eb_autojson json_t *known = NULL, *fresh = json_object();
	struct readings all EB_CLEANUP(release) = { 0 };
	size_t wanted = 0;
	int rc;

	for (size_t i = 0; i < n; i++)
		wanted += pin[i].hash.n != 0;
	if (!wanted)
		return 0;
	known = eb_uv_known_read(z->root, EB_RESOLVE_FILES);
	all.v = eb_calloc(wanted, sizeof *all.v);
	all.request = eb_calloc(wanted, sizeof *all.request);
	for (size_t i = 0; i < n; i++)
		if (pin[i].hash.n && !take_known(known, &pin[i]))
			all.v[all.n++].pin = &pin[i];
	wanted = all.n;
	rc = read_all(z, &all, err);
	all.n = wanted;
	for (size_t i = 0; rc == 0 && i < wanted; i++)
		rc = judge(&all.v[i], fresh, err);
	if (json_object_size(fresh))
		eb_uv_known_write(z->root, EB_RESOLVE_FILES, fresh);
	return rc;
}
