/* SPDX-License-Identifier: Apache-2.0 */
/* Images outside a registry: found, imported with every byte verified,
 * exported so that other programs read them. */
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>

#include <envbuild/rootfs.h>

#include "oci_fixture.h"

/* Computed by a program of its own from the formats' descriptions. */
#define GOLDEN_CONFIG \
	"sha256:"     \
	"94b6e81e9ba7997a26bb46d793f49f78dd465b2d10884e3d19e4f97fae69f102"
#define GOLDEN_OCI_ARCHIVE \
	"sha256:"          \
	"8f67966b149a32e692a665518d7e44d663d4714a0a5fb90667220536f18f793c"
#define GOLDEN_DOCKER_ARCHIVE \
	"sha256:"             \
	"a6fb9d196dca94b6e6caead8c1e9e83349da0281b8ca49e368e93076d7eabd31"

#define INDEX(list) "{\"schemaVersion\":2,\"manifests\":[" list "]}"

/* Two small layers. */
static void two_layers(struct eb_buf tar[2])
{
	eb_buf_init(&tar[0], TAR_MAX);
	eb_buf_init(&tar[1], TAR_MAX);
	tar_dir(&tar[0], "etc/", 0755);
	tar_file(&tar[0], "etc/hosts", "one\n");
	tar_end(&tar[0]);
	tar_file(&tar[1], "etc/motd", "two\n");
	tar_end(&tar[1]);
}

static void release_layers(struct eb_buf tar[2])
{
	eb_buf_release(&tar[0]);
	eb_buf_release(&tar[1]);
}

static void make_simple(const struct world *w, const char *layout)
{
	struct eb_buf tar[2];

	two_layers(tar);
	make_layout(w, layout, tar, 2, "\"Env\":[\"PATH=/bin\"]");
	release_layers(tar);
}

static int resolve(const struct world *w, const char *layout, const char *tag,
		   const char *platform, struct eb_digest *d,
		   struct eb_error *err)
{
	eb_autofree char *dir = at(w, layout);

	return eb_layout_resolve(dir, tag, platform, d, err);
}

/* ---- resolving ---------------------------------------------------------- */

static char *tagged(const char *descriptor, const char *tag)
{
	return eb_asprintf("%.*s,\"annotations\":{\"org.opencontainers.image."
			   "ref.name\":\"%s\"}}",
			   (int)strlen(descriptor) - 1, descriptor, tag);
}

static char *for_platform(const char *descriptor, const char *arch)
{
	return eb_asprintf("%.*s,\"platform\":{\"os\":\"linux\","
			   "\"architecture\":\"%s\"}}",
			   (int)strlen(descriptor) - 1, descriptor, arch);
}

static struct eb_digest digest_in(const char *descriptor)
{
	struct eb_digest d;
	eb_autofree char *text =
		eb_strndup(strstr(descriptor, "sha256:"), 7 + 64);

	assert_int_equal(eb_digest_parse(text, &d), 0);
	return d;
}

static void test_resolve_tags(void **state)
{
	struct world *w = *state;
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *a = put_image(w, "l", NULL, 0, "amd64", "");
	eb_autofree char *b = put_image(w, "l", NULL, 0, "amd64", "\"x\":1");
	eb_autofree char *ta = tagged(a, "v1"), *tb = tagged(b, "v2");
	eb_autofree char *index = eb_asprintf(INDEX("%s,%s"), ta, tb);
	struct eb_digest d, want = digest_in(b);

	write_layout(w, "l", index);
	ok(resolve(w, "l", "v2", PLATFORM, &d, &err), &err);
	assert_true(eb_digest_equal(&d, &want));
	bad(resolve(w, "l", "v3", PLATFORM, &d, &err), &err, EB_INPUT,
	    "it has: v1, v2");
	bad(resolve(w, "l", NULL, PLATFORM, &d, &err), &err, EB_INPUT,
	    "several images");
	bad(resolve(w, "none", NULL, PLATFORM, &d, &err), &err, EB_INPUT,
	    "opening");
	bad(resolve(w, "store", NULL, PLATFORM, &d, &err), &err, EB_INPUT,
	    "has no \"oci-layout\"");
}

static void test_resolve_platform(void **state)
{
	struct world *w = *state;
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *a = put_image(w, "l", NULL, 0, "amd64", "");
	eb_autofree char *b = put_image(w, "l", NULL, 0, "arm64", "");
	eb_autofree char *pa = for_platform(a, "amd64");
	eb_autofree char *pb = for_platform(b, "arm64");
	eb_autofree char *inner = eb_asprintf(INDEX("%s,%s"), pa, pb);
	eb_autofree char *id =
		put_blob(w, "l", EB_MT_INDEX, inner, strlen(inner));
	eb_autofree char *outer = eb_asprintf(INDEX("%s"), id);
	struct eb_digest d, want = digest_in(b);

	write_layout(w, "l", inner);
	ok(resolve(w, "l", NULL, "linux/arm64", &d, &err), &err);
	assert_true(eb_digest_equal(&d, &want));
	bad(resolve(w, "l", NULL, "linux/s390x", &d, &err), &err, EB_INPUT,
	    "linux/amd64, linux/arm64");
	write_layout(w, "l", outer);
	ok(resolve(w, "l", NULL, "linux/arm64", &d, &err), &err);
	assert_true(eb_digest_equal(&d, &want));
	bad(resolve(w, "l", NULL, "linux/s390x", &d, &err), &err, EB_INPUT,
	    "no image for");
}

static void test_resolve_depth(void **state)
{
	struct world *w = *state;
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *d = put_image(w, "l", NULL, 0, "amd64", "");
	struct eb_digest got;
	int depth;

	for (depth = 1; depth <= 6; depth++) {
		eb_autofree char *index = eb_asprintf(INDEX("%s"), d);

		write_layout(w, "l", index);
		if (depth <= 5)
			ok(resolve(w, "l", NULL, PLATFORM, &got, &err), &err);
		free(d);
		d = put_blob(w, "l", EB_MT_INDEX, index, strlen(index));
	}
	bad(resolve(w, "l", NULL, PLATFORM, &got, &err), &err, EB_INPUT,
	    "nested more than 4 deep");
}

static void test_resolve_damaged(void **state)
{
	struct world *w = *state;
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *a = put_image(w, "l", NULL, 0, "amd64", "");
	eb_autofree char *inner = eb_asprintf(INDEX("%s"), a);
	eb_autofree char *id =
		put_blob(w, "l", EB_MT_INDEX, inner, strlen(inner));
	eb_autofree char *outer = eb_asprintf(INDEX("%s"), id);
	struct eb_digest d = digest_in(id);
	char hex[EB_HEX_SIZE];
	eb_autofree char *blob =
		eb_asprintf("l/blobs/sha256/%s", eb_digest_hex(&d, hex));

	write_layout(w, "l", outer);
	inner[5] ^= 1;
	write_bytes(w, blob, inner, strlen(inner));
	bad(resolve(w, "l", NULL, PLATFORM, &d, &err), &err, EB_INTEGRITY,
	    "does not have the digest");
	write_bytes(w, blob, inner, 3);
	bad(resolve(w, "l", NULL, PLATFORM, &d, &err), &err, EB_INTEGRITY,
	    "were declared");
	write_layout(w, "l", "{");
	bad(resolve(w, "l", NULL, PLATFORM, &d, &err), &err, EB_INPUT,
	    "index.json");
	write_layout(w, "l", INDEX(""));
	bad(resolve(w, "l", NULL, PLATFORM, &d, &err), &err, EB_INPUT,
	    "has no image");
}

/* ---- import ------------------------------------------------------------- */

static void test_import_oci(void **state)
{
	struct world *w = *state;
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest m, d, again;
	EB_AUTOBUF(text, EB_MAX_MANIFEST);
	struct eb_manifest image;
	struct eb_store_report r;
	size_t i;

	make_simple(w, "l");
	ok(import(w, "oci", "l", &m, &d, &err), &err);
	assert_true(eb_digest_equal(&m, &d));
	ok(eb_store_read(w->store, &m, EB_MAX_MANIFEST, &text, &err), &err);
	ok(eb_manifest_parse(text.data, text.len, "m", &image, &err), &err);
	assert_int_equal(image.n_layers, 2);
	assert_int_equal(eb_store_has(w->store, &image.config.digest, &err), 1);
	for (i = 0; i < 2; i++)
		assert_int_equal(
			eb_store_has(w->store, &image.layer[i].digest, &err),
			1);
	eb_manifest_release(&image);
	ok(eb_store_check(w->store, true, false, NULL, &r, &err), &err);
	assert_int_equal(r.bad + r.missing, 0);
	/* other bytes in the store: that they are not seen shows that a layer
	 * is measured once */
	shell_ok(w, "for f in store/blobs/sha256/*; do if gzip -t <$f; then "
		    "chmod u+w $f; printf x | dd of=$f conv=notrunc; fi; done");
	ok(import(w, "oci", "l", &again, &d, &err), &err);
	assert_true(eb_digest_equal(&m, &again));
}

/* Every blob of the layout, one by one: other bytes, one byte less. */
static void test_import_oci_damaged(void **state)
{
	struct world *w = *state;
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest m, d;
	int damaged = 0, i;

	make_simple(w, "l");
	for (i = 1; i <= 4; i++) {
		eb_autofree char *flip = eb_asprintf(
			"rm -rf x; cp -r l x; f=$(ls x/blobs/sha256/* | sed -n "
			"%dp); printf '\\377' | dd of=$f bs=1 seek=20 "
			"conv=notrunc",
			i);
		eb_autofree char *cut = eb_asprintf(
			"rm -rf x; cp -r l x; f=$(ls x/blobs/sha256/* | sed -n "
			"%dp); truncate -s -1 $f",
			i);
		eb_autofree char *gone = eb_asprintf(
			"rm -rf x; cp -r l x; f=$(ls x/blobs/sha256/* | sed -n "
			"%dp); rm $f",
			i);

		shell_ok(w, flip);
		damaged += import(w, "oci", "x", &m, &d, &err) < 0 &&
			   err.code == EB_INTEGRITY;
		eb_err_release(&err);
		shell_ok(w, cut);
		damaged += import(w, "oci", "x", &m, &d, &err) < 0 &&
			   err.code == EB_INTEGRITY;
		eb_err_release(&err);
		shell_ok(w, gone);
		damaged += import(w, "oci", "x", &m, &d, &err) < 0 &&
			   err.code == EB_INPUT;
		eb_err_release(&err);
	}
	assert_int_equal(damaged, 12);
}

static void test_import_wrong_diff_id(void **state)
{
	struct world *w = *state;
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest m, d;
	EB_AUTOBUF(packed, TAR_MAX);
	eb_autofree char *ld = NULL, *cd = NULL, *md = NULL, *index = NULL;
	eb_autofree char *manifest = NULL;
	struct eb_buf tar[2];
	static const char config[] =
		"{\"architecture\":\"amd64\",\"os\":\"linux\",\"rootfs\":{"
		"\"type\":\"layers\",\"diff_ids\":[\"sha256:"
		"0000000000000000000000000000000000000000000000000000000000000"
		"001\"]}}";

	two_layers(tar);
	gzip(&tar[0], &packed);
	release_layers(tar);
	ld = put_blob(w, "l", EB_MT_LAYER_GZIP, packed.data, packed.len);
	cd = put_blob(w, "l", EB_MT_CONFIG, config, strlen(config));
	manifest = eb_asprintf("{\"schemaVersion\":2,\"config\":%s,\"layers\":["
			       "%s]}",
			       cd, ld);
	md = put_blob(w, "l", EB_MT_MANIFEST, manifest, strlen(manifest));
	index = eb_asprintf(INDEX("%s"), md);
	write_layout(w, "l", index);
	bad(import(w, "oci", "l", &m, &d, &err), &err, EB_INTEGRITY,
	    "has the diff ID");
	/* and again, when it is remembered */
	bad(import(w, "oci", "l", &m, &d, &err), &err, EB_INTEGRITY,
	    "has the diff ID");
	free(manifest);
	manifest = eb_asprintf("{\"schemaVersion\":2,\"config\":%s,\"layers\":["
			       "%s,%s]}",
			       cd, ld, ld);
	free(md);
	md = put_blob(w, "l", EB_MT_MANIFEST, manifest, strlen(manifest));
	free(index);
	index = eb_asprintf(INDEX("%s"), md);
	write_layout(w, "l", index);
	bad(import(w, "oci", "l", &m, &d, &err), &err, EB_INPUT,
	    "1 diff IDs for 2 layers");
}

/* A layer of zeros: 20 MiB of them are taken, a bomb is not. */
static void test_import_bomb(void **state)
{
	struct world *w = *state;
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest m, d;

	need_program(w, "zstd");
	shell_ok(w, "head -c 1200M /dev/zero | zstd -q -o bomb.tar");
	bad(import(w, "rootfs", "bomb.tar", &m, &d, &err), &err, EB_INPUT,
	    "bytes, the limit");
}

static void test_import_archive(void **state)
{
	struct world *w = *state;
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest m, d, whole;
	eb_autofree char *path = at(w, "a.tar");
	eb_autofree char *packed = at(w, "a.tar.gz");

	make_simple(w, "l");
	ok(resolve(w, "l", NULL, PLATFORM, &whole, &err), &err);
	shell_ok(w, "tar -C l -cf a.tar . && gzip -k a.tar && "
		    "tar -C l -cf b.tar oci-layout index.json blobs");
	ok(import(w, "oci-archive", "a.tar", &m, &d, &err), &err);
	assert_true(eb_digest_equal(&m, &whole));
	ok(import(w, "oci-archive", "b.tar", &m, &d, &err), &err);
	assert_true(eb_digest_equal(&d, &whole));
	ok(import(w, "oci-archive", "a.tar.gz", &m, &d, &err), &err);
	assert_true(eb_digest_equal(&m, &whole));
	assert_int_equal(eb_archive_resolve(path, NULL, PLATFORM, &d, &err), 1);
	assert_true(eb_digest_equal(&d, &whole));
	assert_int_equal(eb_archive_resolve(packed, NULL, PLATFORM, &d, &err),
			 0);
	shell_ok(w, "head -c 3000 a.tar >cut.tar; echo hello >no.tar");
	bad(import(w, "oci-archive", "cut.tar", &m, &d, &err), &err,
	    EB_INTEGRITY, "breaks off");
	bad(import(w, "oci-archive", "no.tar", &m, &d, &err), &err,
	    EB_INTEGRITY, "breaks off");
	bad(import(w, "oci-archive", "l", &m, &d, &err), &err, EB_INPUT,
	    "not a regular file");
}

/* As Docker has written them for long: plain layers, one of them a link. */
static void make_docker_archive(const struct world *w, const char *name,
				const char *tags)
{
	EB_AUTOBUF(out, TAR_MAX);
	struct eb_digest d[2];
	struct eb_buf tar[2];
	char a[EB_HEX_SIZE], b[EB_HEX_SIZE];
	eb_autofree char *config = NULL, *manifest = NULL;

	two_layers(tar);
	d[0] = digest_of(tar[0].data, tar[0].len);
	d[1] = digest_of(tar[1].data, tar[1].len);
	config = eb_asprintf(
		"{\"architecture\":\"amd64\",\"os\":\"linux\",\"rootfs\":{"
		"\"type\":\"layers\",\"diff_ids\":[\"sha256:%s\",\"sha256:%s\","
		"\"sha256:%s\"]}}",
		eb_digest_hex(&d[0], a), eb_digest_hex(&d[1], b), a);
	manifest = eb_asprintf("[{\"Config\":\"c.json\",\"RepoTags\":[%s],"
			       "\"Layers\":[\"1/layer.tar\",\"2/layer.tar\","
			       "\"3/layer.tar\"]}]",
			       tags);
	tar_put(&out, '0', "1/layer.tar", 0644, NULL, tar[0].data, tar[0].len);
	tar_put(&out, '0', "2/layer.tar", 0644, NULL, tar[1].data, tar[1].len);
	tar_link(&out, "3/layer.tar", "../1/layer.tar");
	tar_file(&out, "c.json", config);
	tar_file(&out, "manifest.json", manifest);
	tar_end(&out);
	write_bytes(w, name, out.data, out.len);
	release_layers(tar);
}

static void test_import_docker(void **state)
{
	struct world *w = *state;
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest m, d, m2, d2;
	struct eb_manifest image;
	EB_AUTOBUF(text, EB_MAX_MANIFEST);

	make_docker_archive(w, "d.tar", "\"base:1\"");
	ok(import(w, "docker-archive", "d.tar", &m, &d, &err), &err);
	ok(eb_store_read(w->store, &m, EB_MAX_MANIFEST, &text, &err), &err);
	ok(eb_manifest_parse(text.data, text.len, "m", &image, &err), &err);
	assert_true(eb_digest_equal(&image.config.digest, &d));
	assert_int_equal(image.n_layers, 3);
	assert_string_equal(image.layer[0].media_type, EB_MT_LAYER_GZIP);
	assert_true(eb_digest_equal(&image.layer[0].digest,
				    &image.layer[2].digest));
	eb_manifest_release(&image);
	ok(import(w, "docker-archive", "d.tar:docker.io/library/base:1", &m2,
		  &d2, &err),
	   &err);
	assert_true(eb_digest_equal(&m, &m2));
	assert_true(eb_digest_equal(&d, &d2));
	bad(import(w, "docker-archive", "d.tar:base:2", &m, &d, &err), &err,
	    EB_INPUT, "base:1");
	shell_ok(w, "gzip -k d.tar");
	ok(import(w, "docker-archive", "d.tar.gz", &m2, &d2, &err), &err);
	assert_true(eb_digest_equal(&m, &m2));
}

static void test_import_docker_damaged(void **state)
{
	struct world *w = *state;
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest m, d;

	make_docker_archive(w, "d.tar", "\"base:1\"");
	shell_ok(w, "sed -i s/one/ONE/ d.tar");
	bad(import(w, "docker-archive", "d.tar", &m, &d, &err), &err,
	    EB_INTEGRITY, "where the configuration says");
	make_docker_archive(w, "d.tar", "\"base:1\"");
	shell_ok(w, "sed -i s:3/layer:4/layer: d.tar");
	assert_int_equal(import(w, "docker-archive", "d.tar", &m, &d, &err),
			 -1);
	eb_err_release(&err);
	make_simple(w, "l");
	shell_ok(w, "tar -C l -cf a.tar .");
	bad(import(w, "docker-archive", "a.tar", &m, &d, &err), &err, EB_INPUT,
	    "manifest.json");
}

static void check_rootfs(const struct world *w, const char *name,
			 const char *type, struct eb_digest *config)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest m;
	struct eb_manifest image;
	EB_AUTOBUF(text, EB_MAX_MANIFEST);

	ok(import(w, "rootfs", name, &m, config, &err), &err);
	ok(eb_store_read(w->store, &m, EB_MAX_MANIFEST, &text, &err), &err);
	ok(eb_manifest_parse(text.data, text.len, "m", &image, &err), &err);
	assert_string_equal(image.layer[0].media_type, type);
	assert_true(eb_digest_equal(&image.config.digest, config));
	eb_manifest_release(&image);
}

/* One tar, however it is compressed, is one configuration: the golden one. */
static void test_import_rootfs(void **state)
{
	struct world *w = *state;
	struct eb_digest plain, other;
	struct eb_buf tar[2];
	EB_AUTOBUF(gz, TAR_MAX);
	EB_AUTOBUF(zst, TAR_MAX);
	char text[EB_DIGEST_TEXT];

	two_layers(tar);
	gzip(&tar[0], &gz);
	zstd(&tar[0], &zst);
	write_bytes(w, "r.tar", tar[0].data, tar[0].len);
	write_bytes(w, "r.tar.gz", gz.data, gz.len);
	write_bytes(w, "r.tar.zst", zst.data, zst.len);
	release_layers(tar);
	check_rootfs(w, "r.tar", EB_MT_LAYER_GZIP, &plain);
	assert_string_equal(eb_digest_text(&plain, text), GOLDEN_CONFIG);
	check_rootfs(w, "r.tar.gz", EB_MT_LAYER_GZIP, &other);
	assert_true(eb_digest_equal(&plain, &other));
	check_rootfs(w, "r.tar.zst", EB_MT_LAYER_ZSTD, &other);
	assert_true(eb_digest_equal(&plain, &other));
	check_rootfs(w, "r.tar", EB_MT_LAYER_GZIP, &other);
	assert_true(eb_digest_equal(&plain, &other));
}

static void test_import_rootfs_large(void **state)
{
	struct world *w = *state;
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest m, d;

	shell_ok(w, "mkdir big && head -c 3500000 /dev/urandom >big/noise && "
		    "head -c 5000000 /dev/zero >big/zeros && "
		    "tar -C big -cf big.tar . && bzip2 -k big.tar");
	ok(import(w, "rootfs", "big.tar", &m, &d, &err), &err);
	shell_ok(w, "f=$(ls -S store/blobs/sha256/* | head -n 1); "
		    "gzip -dc $f | cmp - big.tar");
	ok(import(w, "rootfs", "big.tar.bz2", &m, &d, &err), &err);
}

static void test_import_rootfs_bad(void **state)
{
	struct world *w = *state;
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest m, d;
	struct eb_buf tar[2];

	two_layers(tar);
	write_bytes(w, "cut.tar", tar[0].data, 1100);
	release_layers(tar);
	bad(import(w, "rootfs", "cut.tar", &m, &d, &err), &err, EB_INTEGRITY,
	    "breaks off");
	shell_ok(w, "head -c 2000 /dev/urandom >no.tar; gzip -c no.tar >no.gz;"
		    " gzip -c cut.tar | head -c 60 >cut.gz; >empty");
	bad(import(w, "rootfs", "no.tar", &m, &d, &err), &err, EB_INPUT,
	    "is not a tar archive");
	bad(import(w, "rootfs", "no.gz", &m, &d, &err), &err, EB_INPUT,
	    "is not a tar archive");
	bad(import(w, "rootfs", "cut.gz", &m, &d, &err), &err, EB_INTEGRITY,
	    "breaks off");
	bad(import(w, "rootfs", "empty", &m, &d, &err), &err, EB_INPUT,
	    "holds no files");
	bad(import(w, "rootfs", "absent", &m, &d, &err), &err, EB_INPUT,
	    "opening");
}

/* ---- export ------------------------------------------------------------- */

static void export(const struct world *w, const struct eb_digest *m,
		   const char *form, const char *to)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_reference r = refer(w, form, to);

	ok(eb_image_export(w->store, m, &r, "env-1", PLATFORM, NULL, &err),
	   &err);
	eb_reference_release(&r);
}

static struct eb_digest stored(const struct world *w)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest m, d;

	make_simple(w, "l");
	ok(import(w, "oci", "l", &m, &d, &err), &err);
	return m;
}

static void test_export_round_trip(void **state)
{
	struct world *w = *state;
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest m = stored(w), m2, d, config;

	export(w, &m, "oci", "o");
	ok(resolve(w, "o", "env-1", PLATFORM, &d, &err), &err);
	assert_true(eb_digest_equal(&m, &d));
	export(w, &m, "oci", "o:second");
	export(w, &m, "oci", "o:second");
	ok(resolve(w, "o", "second", PLATFORM, &d, &err), &err);
	shell_ok(w, "test $(grep -o second o/index.json | wc -l) = 1 && "
		    "test $(ls -A o | wc -l) = 3 && "
		    "test $(ls -A o/blobs/sha256 | wc -l) = 4");
	export(w, &m, "oci-archive", "a.tar");
	ok(import(w, "oci-archive", "a.tar:env-1", &m2, &d, &err), &err);
	assert_true(eb_digest_equal(&m, &m2));
	export(w, &m, "docker-archive", "d.tar:name:1");
	ok(import(w, "docker-archive", "d.tar:name:1", &m2, &config, &err),
	   &err);
	ok(import(w, "oci-archive", "d.tar:1", &m2, &d, &err), &err);
	assert_true(eb_digest_equal(&m, &m2));
}

/* The same image gives the same archive, in any order of days. */
static void test_export_golden(void **state)
{
	struct world *w = *state;
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest m, d, config;
	struct eb_buf tar[2];
	eb_autofree char *path = at(w, "a.tar");
	eb_autofree char *docker = at(w, "d.tar");
	char text[EB_DIGEST_TEXT];

	two_layers(tar);
	m = store_image(w, tar, 2);
	release_layers(tar);
	export(w, &m, "oci-archive", "a.tar");
	ok(eb_file_digest(NULL, path, &d, &err), &err);
	assert_string_equal(eb_digest_text(&d, text), GOLDEN_OCI_ARCHIVE);
	export(w, &m, "docker-archive", "d.tar");
	ok(eb_file_digest(NULL, docker, &d, &err), &err);
	assert_string_equal(eb_digest_text(&d, text), GOLDEN_DOCKER_ARCHIVE);
	ok(import(w, "docker-archive", "d.tar:envbuild:env-1", &m, &config,
		  &err),
	   &err);
	shell_ok(w, "tar -tf d.tar | head -n 3 | tr '\\n' ' '");
	assert_true(said(w, "oci-layout index.json manifest.json"));
}

static void test_export_repairs(void **state)
{
	struct world *w = *state;
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest m = stored(w), m2, d;

	export(w, &m, "oci", "o");
	shell_ok(w, "for f in o/blobs/sha256/*; do rm $f; echo x >$f; done; "
		    "echo junk >o/.envbuild.part");
	export(w, &m, "oci", "o");
	shell_ok(w, "cd o/blobs/sha256; for f in *; do echo \"$f  $f\"; done | "
		    "sha256sum -c --quiet; test ! -e ../../.envbuild.part");
	/* of the same length */
	shell_ok(w, "for f in o/blobs/sha256/*; do cp $f x; rm $f; "
		    "tr a-m n-z <x >$f; done");
	export(w, &m, "oci", "o");
	ok(import(w, "oci", "o:env-1", &m2, &d, &err), &err);
	shell_ok(w, "cd o/blobs/sha256; for f in *; do echo \"$f  $f\"; done | "
		    "sha256sum -c --quiet");
}

/* Onto another file system blobs are copied, not linked. */
static void test_export_copies(void **state)
{
	struct world *w = *state;
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest m = stored(w);
	eb_autofree char *dir = eb_make_tempdir("/dev/shm", "test-oci-", &err);
	eb_autofree char *text = NULL, *check = NULL;
	struct eb_reference r;

	if (!dir)
		eb_err_release(&err);
	if (!dir || access(dir, W_OK) < 0)
		skip();
	text = eb_asprintf("oci:%s/o", dir);
	ok(eb_reference_parse(text, &r, &err), &err);
	ok(eb_image_export(w->store, &m, &r, "t", PLATFORM, NULL, &err), &err);
	eb_reference_release(&r);
	check = eb_asprintf("cd %s/o/blobs/sha256; for f in *; do echo \"$f  "
			    "$f\"; done | sha256sum -c --quiet",
			    dir);
	shell_ok(w, check);
	ok(eb_remove_tree(dir, &err), &err);
}

static void refuse_export(const struct world *w, const struct eb_digest *m,
			  const char *form, const char *to, enum eb_code code,
			  const char *part)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_reference r = refer(w, form, to);

	bad(eb_image_export(w->store, m, &r, "t", PLATFORM, NULL, &err), &err,
	    code, part);
	eb_reference_release(&r);
}

static void test_export_refused(void **state)
{
	struct world *w = *state;
	struct eb_digest m = stored(w), none = { { 1 } };

	shell_ok(w, "mkdir full old dir; echo x >full/file; mkfifo pipe; "
		    "echo '{\"imageLayoutVersion\":\"2.0\"}' >old/oci-layout");
	refuse_export(w, &m, "oci", "full", EB_INPUT, "has \"file\"");
	refuse_export(w, &m, "oci", "old", EB_INPUT, "version 1");
	refuse_export(w, &m, "oci", "full/file", EB_MACHINE, "full/file");
	refuse_export(w, &m, "oci-archive", "dir", EB_INPUT, "not a file");
	refuse_export(w, &m, "oci-archive", "pipe", EB_INPUT, "not a file");
	refuse_export(w, &m, "oci-archive", "no/x.tar", EB_INPUT, "no/x.tar");
	refuse_export(w, &m, "rootfs", "x", EB_USAGE, "no place");
	refuse_export(w, &none, "oci", "o", EB_INTEGRITY, "sha256:01");
	shell_ok(w, "test \"$(ls -A full)\" = file; test ! -e no; "
		    "test -z \"$(ls -A dir)\"");
}

/* A blob is missing: no archive, and the old one stays as it was. */
static void test_export_breaks(void **state)
{
	struct world *w = *state;
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest m = stored(w);
	struct eb_manifest image;
	EB_AUTOBUF(text, EB_MAX_MANIFEST);
	eb_autofree char *blob = NULL;

	ok(eb_store_read(w->store, &m, EB_MAX_MANIFEST, &text, &err), &err);
	ok(eb_manifest_parse(text.data, text.len, "m", &image, &err), &err);
	blob = eb_store_blob_path(w->store, &image.layer[1].digest);
	eb_manifest_release(&image);
	assert_int_equal(unlink(blob), 0);
	shell_ok(w, "echo old >a.tar");
	refuse_export(w, &m, "oci-archive", "a.tar", EB_INTEGRITY, "missing");
	refuse_export(w, &m, "oci", "o", EB_INTEGRITY, "missing");
	shell_ok(w, "test $(cat a.tar) = old; test $(ls -d a.tar* | wc -l) = 1;"
		    " test ! -e o/index.json");
}

/* Each blob that is there has the digest that it is named by. */
static void blobs_are_whole(const struct world *w, const char *layout)
{
	eb_autofree char *command = eb_asprintf(
		"for f in %s/blobs/sha256/*; do test ! -e $f || "
		"test \"$(sha256sum <$f | cut -c 1-64)\" = ${f##*/} || exit 1;"
		" done",
		layout);

	shell_ok(w, command);
}

/* In a process of its own, with a store handle of its own. */
static pid_t export_in_child(const struct world *w, const struct eb_digest *m,
			     const char *to)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *dir = at(w, "store");
	struct world own = *w;
	struct eb_reference r;
	pid_t pid = fork();
	int got;

	if (pid != 0)
		return pid;
	if (eb_store_open(dir, 0, &own.store, &err) < 0)
		_exit(2);
	r = refer(&own, "oci", to);
	got = eb_image_export(own.store, m, &r, "t", PLATFORM, NULL, &err);
	_exit(got < 0 ? 1 : 0);
}

static void test_export_at_once(void **state)
{
	struct world *w = *state;
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest m = stored(w), d;
	pid_t pid[6];
	int i, status;

	for (i = 0; i < 6; i++) {
		eb_autofree char *to = eb_asprintf("o:tag%d", i);

		pid[i] = export_in_child(w, &m, to);
	}
	for (i = 0; i < 6; i++) {
		assert_int_equal(waitpid(pid[i], &status, 0), pid[i]);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
	for (i = 0; i < 6; i++) {
		eb_autofree char *tag = eb_asprintf("tag%d", i);

		ok(resolve(w, "o", tag, PLATFORM, &d, &err), &err);
		assert_true(eb_digest_equal(&m, &d));
	}
	shell_ok(w, "test $(ls -A o | wc -l) = 3");
}

/* Killed at any moment: what is there is whole, and the next one mends the
 * rest. */
static void test_export_killed(void **state)
{
	struct world *w = *state;
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest m = stored(w), d;
	int i, status, killed = 0;

	for (i = 0; i < 40; i++) {
		pid_t pid;

		shell_ok(w, "rm -rf o");
		pid = export_in_child(w, &m, "o:t");
		usleep((useconds_t)i * 150);
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		killed += WIFSIGNALED(status);
		blobs_are_whole(w, "o");
		if (resolve(w, "o", "t", PLATFORM, &d, &err) < 0)
			eb_err_release(&err);
		else
			assert_true(eb_digest_equal(&m, &d));
		export(w, &m, "oci", "o:t");
		shell_ok(w, "test \"$(ls -A o | tr '\n' ' ')\" = "
			    "'blobs index.json oci-layout '");
	}
	print_message("%d of %d were killed\n", killed, i);
	assert_true(killed > 0);
}

/* 0 as it should be; 77: no small file system is to be had. */
static int fill_disk(const struct world *w, const struct eb_digest *m)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *small = at(w, "small"), *dir = at(w, "store");
	eb_autofree char *root = at(w, "small/r");
	static const char *const forms[] = { "oci", "oci-archive" };
	struct world own = *w;
	size_t i;

	if (unshare(CLONE_NEWNS) < 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mkdir(small, 0755) < 0 ||
	    mount("tmpfs", small, "tmpfs", 0, "size=200k") < 0)
		return 77;
	if (eb_store_open(dir, 0, &own.store, &err) < 0)
		return 2;
	for (i = 0; i < 2; i++) {
		struct eb_reference r = refer(w, forms[i], "small/x");

		if (eb_image_export(own.store, m, &r, "t", PLATFORM, NULL,
				    &err) == 0 ||
		    err.code != EB_MACHINE ||
		    !strstr(err.message, "No space left"))
			return 3;
		eb_err_release(&err);
		if (i == 0 && shell(w, "test ! -e small/x/index.json && "
				       "rm -r small/x") != 0)
			return 4;
	}
	if (eb_rootfs_unpack(own.store, m, root, NULL, &err) == 0 ||
	    err.code != EB_MACHINE || !strstr(err.message, "No space left"))
		return 5;
	eb_err_release(&err);
	eb_store_close(own.store);
	return shell(w, "test -z \"$(ls -A small)\"") ? 6 : 0;
}

static void test_full_disk(void **state)
{
	struct world *w = *state;
	EB_AUTOBUF(noise, TAR_MAX);
	struct eb_buf tar;
	struct eb_digest m;
	uint32_t seed = 1;
	int status;
	pid_t pid;

	while (noise.len < 300000) {
		seed = seed * 1664525u + 1013904223u;
		eb_buf_addch(&noise, (char)(seed >> 24));
	}
	eb_buf_init(&tar, TAR_MAX);
	tar_file(&tar, "a/b", "first");
	tar_put(&tar, '0', "a/noise", 0644, NULL, noise.data, noise.len);
	tar_end(&tar);
	m = store_image(w, &tar, 1);
	eb_buf_release(&tar);
	pid = fork();
	if (pid == 0)
		_exit(fill_disk(w, &m));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* ---- foreign judges ----------------------------------------------------- */

static void test_skopeo(void **state)
{
	struct world *w = *state;
	struct eb_digest m;
	char text[EB_DIGEST_TEXT];

	need_program(w, "skopeo");
	m = stored(w);
	export(w, &m, "oci", "o:v1");
	export(w, &m, "oci-archive", "a.tar:v1");
	export(w, &m, "docker-archive", "d.tar:x/name:v1");
	shell_ok(w, "skopeo inspect oci:o:v1");
	assert_true(said(w, eb_digest_text(&m, text)));
	assert_true(said(w, "PATH=/bin"));
	shell_ok(w, "skopeo inspect oci-archive:a.tar:v1");
	assert_true(said(w, text));
	shell_ok(w, "skopeo inspect docker-archive:d.tar:x/name:v1");
	shell_ok(w, "for f in oci:o:v1 oci-archive:a.tar:v1 "
		    "docker-archive:d.tar:x/name:v1 oci-archive:d.tar:v1; do "
		    "rm -rf c; skopeo --insecure-policy copy $f dir:c; done");
}

static void test_umoci(void **state)
{
	struct world *w = *state;
	struct eb_digest m;

	need_program(w, "umoci");
	m = stored(w);
	export(w, &m, "oci", "o:v1");
	shell_ok(w, "umoci stat --image o:v1");
	shell_ok(w, "umoci raw unpack --rootless --image o:v1 u && "
		    "test \"$(cat u/etc/hosts u/etc/motd)\" = 'one\ntwo'");
	/* what umoci has added stays when we add ours */
	shell_ok(w, "umoci tag --image o:v1 theirs");
	export(w, &m, "oci", "o:v2");
	shell_ok(w, "umoci ls --layout o | tr '\\n' ' '");
	assert_true(said(w, "theirs") && said(w, "v1") && said(w, "v2"));
}

/* The strictest reader: what it loads has our configuration as its name. */
static void test_podman(void **state)
{
#define PODMAN "podman --root $PWD/pod --runroot $PWD/run --storage-driver vfs "
	struct world *w = *state;
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest m, m2, config;
	char hex[EB_HEX_SIZE];

	need_program(w, "podman");
	if (shell(w, "timeout 20 " PODMAN "info") != 0)
		skip();
	m = stored(w);
	export(w, &m, "docker-archive", "d.tar:x/name:v1");
	ok(import(w, "docker-archive", "d.tar", &m2, &config, &err), &err);
	shell_ok(w, "timeout 60 " PODMAN "load -q -i d.tar");
	assert_true(said(w, "x/name:v1"));
	shell_ok(w, "timeout 20 " PODMAN "images -q --no-trunc");
	assert_true(said(w, eb_digest_hex(&config, hex)));
	shell_ok(w, "timeout 20 " PODMAN "rmi -a -f");
#undef PODMAN
}

/* And the other way round: we read what skopeo and umoci write. */
static void test_read_theirs(void **state)
{
	struct world *w = *state;
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest m, d;

	need_program(w, "skopeo");
	make_simple(w, "l");
	shell_ok(w, "skopeo --insecure-policy copy oci:l oci-archive:a.tar:t");
	ok(import(w, "oci-archive", "a.tar:t", &m, &d, &err), &err);
	shell_ok(w, "skopeo --insecure-policy copy oci:l "
		    "docker-archive:d.tar:n:t");
	ok(import(w, "docker-archive", "d.tar:n:t", &m, &d, &err), &err);
	shell_ok(w, "skopeo --insecure-policy copy --dest-compress-format zstd "
		    "oci:l oci:z:t");
	ok(import(w, "oci", "z:t", &m, &d, &err), &err);
}

#define IN_WORLD(test) \
	cmocka_unit_test_setup_teardown(test, make_world, remove_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_WORLD(test_resolve_tags),
		IN_WORLD(test_resolve_platform),
		IN_WORLD(test_resolve_depth),
		IN_WORLD(test_resolve_damaged),
		IN_WORLD(test_import_oci),
		IN_WORLD(test_import_oci_damaged),
		IN_WORLD(test_import_wrong_diff_id),
		IN_WORLD(test_import_bomb),
		IN_WORLD(test_import_archive),
		IN_WORLD(test_import_docker),
		IN_WORLD(test_import_docker_damaged),
		IN_WORLD(test_import_rootfs),
		IN_WORLD(test_import_rootfs_large),
		IN_WORLD(test_import_rootfs_bad),
		IN_WORLD(test_export_round_trip),
		IN_WORLD(test_export_golden),
		IN_WORLD(test_export_repairs),
		IN_WORLD(test_export_copies),
		IN_WORLD(test_export_refused),
		IN_WORLD(test_export_breaks),
		IN_WORLD(test_export_at_once),
		IN_WORLD(test_export_killed),
		IN_WORLD(test_full_disk),
		IN_WORLD(test_skopeo),
		IN_WORLD(test_umoci),
		IN_WORLD(test_podman),
		IN_WORLD(test_read_theirs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
