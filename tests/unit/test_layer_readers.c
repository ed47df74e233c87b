/* SPDX-License-Identifier: Apache-2.0 */
/* Layers read by foreign programs: tar, Python, skopeo, umoci, podman. The
 * image around them is made here, as small as an image can be. */
#include "store_fixture.h"

#include <sys/stat.h>
#include <sys/wait.h>

#include <envbuild/part.h>

#define DEEP                                                               \
	"opt/env/lib/python3.11/site-packages/a_package_with_a_long_name/" \
	"and_a_module_with_a_long_name/and_another_one_below_it/"

static void add(struct eb_entries *e, const char *path, const char *text)
{
	struct eb_error err = EB_ERROR_INIT;

	must(eb_entries_add_file(e, path, 0644, 1500000000, text, strlen(text),
				 &err),
	     &err);
}

static struct eb_item write_item(struct eb_store *s,
				 const struct eb_compressor *c,
				 enum eb_item_kind kind, const char *name,
				 struct eb_entries *e)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest key = digest_of(name);
	struct eb_item item;

	must(eb_part_write(s, c, kind, &key, e, name, &item, &err), &err);
	return item;
}

/* An own layer with all kinds of names, a bucket of two parts. */
static void make_layers(struct eb_store *s, const struct eb_compressor *c,
			struct eb_item layer[2])
{
	struct eb_entries e[3] = { { 0 }, { 0 }, { 0 } };
	eb_autofree char *bulk = eb_malloc(2500000);
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest key = digest_of("bucket");
	struct eb_item part[2];
	size_t i;

	for (i = 0; i < 2500000; i++)
		bulk[i] = "abcdefghijklmnop"[i * i / 1000 % 16];
	must(eb_entries_add_file(&e[0], "opt/env/lib/libbig.so.1", 0755, 77,
				 bulk, 2500000, &err),
	     &err);
	eb_entries_add(&e[0], "opt/env/lib/libbig.so", EB_ENTRY_LINK)->target =
		eb_strdup("libbig.so.1");
	add(&e[0], DEEP "deep.py", "deep\n");
	add(&e[0],
	    "opt/env/share/gr\xc3\xbc\xc3\x9f"
	    "e",
	    "hello\n");
	eb_entries_add(&e[0], "opt/env/var/empty", EB_ENTRY_DIR);
	layer[0] = write_item(s, c, EB_ITEM_LAYER, "own", &e[0]);
	add(&e[1], "opt/env/bin/a", "a\n");
	add(&e[1], "opt/env/lib/a/x", "x\n");
	part[0] = write_item(s, c, EB_ITEM_PART, "part a", &e[1]);
	add(&e[2], "opt/env/bin/b", "b\n");
	add(&e[2], "opt/env/lib/b/y", "y\n");
	part[1] = write_item(s, c, EB_ITEM_PART, "part b", &e[2]);
	must(eb_part_join(s, c, &key, part, 2, &layer[1], &err), &err);
	for (i = 0; i < 3; i++)
		eb_entries_release(&e[i]);
}

static void add_descriptor(struct eb_buf *out, const char *type,
			   const struct eb_digest *d, uint64_t size)
{
	char text[EB_DIGEST_TEXT];

	eb_buf_addf(out,
		    "{\"mediaType\":\"%s\",\"digest\":\"%s\",\"size\":%llu}",
		    type, eb_digest_text(d, text), (unsigned long long)size);
}

static void add_config(struct eb_buf *out, const struct eb_item layer[2])
{
	char a[EB_DIGEST_TEXT], b[EB_DIGEST_TEXT];

	eb_buf_addf(out,
		    "{\"architecture\":\"amd64\",\"os\":\"linux\",\"config\":{}"
		    ",\"rootfs\":{\"type\":\"layers\",\"diff_ids\":[\"%s\","
		    "\"%s\"]}}",
		    eb_digest_text(&layer[0].plain, a),
		    eb_digest_text(&layer[1].plain, b));
}

static void add_manifest(struct eb_buf *out, struct eb_store *s,
			 const struct eb_compressor *c,
			 const struct eb_item layer[2])
{
	EB_AUTOBUF(config, 10000);
	struct eb_digest d;

	add_config(&config, layer);
	d = put_text(s, config.data);
	eb_buf_adds(out, "{\"schemaVersion\":2,\"mediaType\":\"application/vnd."
			 "oci.image.manifest.v1+json\",\"config\":");
	add_descriptor(out, "application/vnd.oci.image.config.v1+json", &d,
		       config.len);
	eb_buf_adds(out, ",\"layers\":[");
	add_descriptor(out, eb_compressor_media_type(c), &layer[0].blob,
		       layer[0].size);
	eb_buf_addch(out, ',');
	add_descriptor(out, eb_compressor_media_type(c), &layer[1].blob,
		       layer[1].size);
	eb_buf_adds(out, "]}");
}

static void write_text(void **state, const char *name, const char *text)
{
	eb_autofree char *path =
		eb_asprintf("%s/image/%s", (char *)*state, name);
	struct eb_error err = EB_ERROR_INIT;

	must(eb_write_file(path, text, strlen(text), 0644, &err), &err);
}

/* The store's own blobs folder serves as the layout's. */
static void make_layout(void **state, const char *compression)
{
	struct eb_store *s = open_store(state, 0);
	eb_autofree char *dir = eb_asprintf("%s/image", (char *)*state);
	eb_autofree char *blobs = eb_asprintf("%s/blobs", dir);
	struct eb_error err = EB_ERROR_INIT;
	struct eb_compressor c;
	struct eb_item layer[2];
	EB_AUTOBUF(manifest, 10000);
	EB_AUTOBUF(index, 10000);
	struct eb_digest d;

	must(eb_mkdirs(dir, 0755, &err), &err);
	assert_int_equal(symlink("../blobs", blobs), 0);
	must(eb_compressor_init(&c, compression, &err), &err);
	make_layers(s, &c, layer);
	add_manifest(&manifest, s, &c, layer);
	d = put_text(s, manifest.data);
	eb_buf_adds(&index, "{\"schemaVersion\":2,\"manifests\":[");
	add_descriptor(&index, "application/vnd.oci.image.manifest.v1+json", &d,
		       manifest.len);
	index.data[--index.len] = '\0'; /* the brace comes again */
	eb_buf_adds(&index, ",\"annotations\":{\"org.opencontainers.image.ref."
			    "name\":\"t\"}}]}");
	write_text(state, "index.json", index.data);
	write_text(state, "oci-layout", "{\"imageLayoutVersion\":\"1.0.0\"}");
	eb_store_close(s);
}

/* A shell line in the test's folder; `out` is where it unpacked. */
static void run(void **state, const char *tool, const char *line)
{
	eb_autofree char *probe =
		eb_asprintf("command -v %s >/dev/null 2>&1", tool);
	eb_autofree char *command = eb_asprintf(
		"cd '%s' && { %s; } >log 2>&1 </dev/null || { cat log >&2; "
		"exit 1; }",
		(char *)*state, line);

	if (system(probe) != 0) {
		print_message("%s is missing\n", tool);
		skip();
	}
	if (system(command) != 0)
		fail_msg("%s", line);
}

#define LOOK(root)                                                   \
	"cd '" root "/opt/env' && "                                  \
	"test \"$(cat bin/a bin/b lib/a/x lib/b/y)\" = \"$(printf "  \
	"'a\\nb\\nx\\ny')\" && "                                     \
	"test \"$(cat 'share/gr\xc3\xbc\xc3\x9f"                     \
	"e')\" = hello && "                                          \
	"test \"$(cat ../../" DEEP "deep.py)\" = deep && "           \
	"test \"$(stat -Lc %s:%a lib/libbig.so)\" = 2500000:755 && " \
	"test -d var/empty"

static void by_tar(void **state)
{
	make_layout(state, "gzip");
	run(state, "tar",
	    "mkdir out && for b in $(grep -o 'tar+gzip\",\"digest\":"
	    "\"sha256:[0-9a-f]*' blobs/sha256/* | grep -o '[0-9a-f]*$'); do "
	    "tar -xzf blobs/sha256/$b -C out || exit 1; done; " LOOK("out"));
}

static void by_skopeo(void **state)
{
	make_layout(state, "gzip");
	run(state, "skopeo",
	    "timeout 60 skopeo copy --insecure-policy oci:image:t "
	    "docker-archive:x.tar:x:y && test -s x.tar");
}

static void by_umoci(void **state)
{
	make_layout(state, "gzip");
	run(state, "umoci",
	    "timeout 60 umoci unpack --rootless --image image:t out && " LOOK(
		    "out/rootfs"));
}

/* podman refuses a layer with a path twice. */
static void by_podman_of(void **state, const char *compression)
{
	make_layout(state, compression);
	if (geteuid() != 0) {
		print_message("podman is tried as root only\n");
		skip();
	}
	run(state, "podman",
	    "P=\"timeout 100 podman --root $PWD/r --runroot $PWD/rr "
	    "--storage-driver vfs\"; I=$($P pull -q oci:image:t) && "
	    "M=$($P image mount $I) && (" LOOK(
		    "'$M'") "); S=$?; "
			    "$P image umount -f $I; $P rmi -f $I; exit $S");
}

static void by_podman_gzip(void **state)
{
	by_podman_of(state, "gzip");
}

static void by_podman_zstd(void **state)
{
	by_podman_of(state, "zstd");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(by_tar),	      TEST(by_skopeo),	    TEST(by_umoci),
		TEST(by_podman_gzip), TEST(by_podman_zstd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
