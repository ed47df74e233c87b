/* SPDX-License-Identifier: Apache-2.0 */
/* From a layout's index.json to a manifest (image-spec image-layout.md). */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/json.h>
#include <envbuild/layout.h>
#include <envbuild/str.h>

#include "index_pick.h"
#include "source.h"

#define MAX_DEPTH 4

static int check_version(const struct eb_source *s, struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_MANIFEST);
	eb_autojson json_t *json = NULL;
	const char *version;

	if (eb_source_read(s, "oci-layout", EB_MAX_MANIFEST, &text, err) < 0) {
		if (err->code == EB_INPUT && !err->hint)
			eb_err_hint(err, "an OCI image layout has this file");
		return -1;
	}
	json = eb_json_parse(text.data, text.len, s->name, err);
	if (!json)
		return -1;
	version = eb_json_str(json, "imageLayoutVersion");
	if (!version || !eb_starts(version, "1."))
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" is not an OCI image layout of "
				  "version 1",
				  s->name);
	return 0;
}

static char *tags(const json_t *index)
{
	EB_AUTOBUF(text, EB_MAX_TEXT);
	json_t *entry;
	size_t i;

	json_array_foreach (eb_json_arr(index, "manifests"), i, entry) {
		const char *tag = eb_json_str(eb_json_obj(entry, "annotations"),
					      EB_REF_NAME);

		if (tag && text.len < 1024)
			eb_buf_addf(&text, "%s%s", text.len ? ", " : "", tag);
	}
	return eb_buf_steal(&text, NULL);
}

static int no_image(const json_t *index, const char *name, const char *tag,
		    struct eb_error *err)
{
	eb_autofree char *have = tags(index);

	if (tag)
		eb_err_set(err, EB_INPUT, "\"%s\" has no image \"%s\"", name,
			   tag);
	else
		eb_err_set(err, EB_INPUT, "\"%s\" has no image", name);
	if (*have)
		eb_err_hint(err, "it has: %s", have);
	return -1;
}

static int several(const json_t *index, const char *name, struct eb_error *err)
{
	eb_autofree char *have = tags(index);

	eb_err_set(err, EB_INPUT, "\"%s\" has several images", name);
	return eb_err_hint(err, "name one by its tag, \"oci:%s:TAG\": %s", name,
			   *have ? have : "they have none");
}

/* Two entries that name one manifest are one. */
static bool all_same(const json_t *index, const char *tag,
		     const struct eb_platform *want, const json_t *first)
{
	const char *digest = eb_json_str(first, "digest");
	eb_autojson json_t *others = json_object();
	json_t *list = json_array(), *entry;
	size_t i;

	json_object_set_new(others, "manifests", list);
	json_array_foreach (eb_json_arr(index, "manifests"), i, entry) {
		const char *d = eb_json_str(entry, "digest");

		if (!d || !digest || strcmp(d, digest) != 0)
			json_array_append(list, entry);
	}
	return eb_index_images(others, tag, want, NULL) == 0;
}

static int pick_first(const struct eb_source *s, const char *tag,
		      const char *platform, struct eb_descriptor *out,
		      struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_MANIFEST);
	eb_autojson json_t *index = NULL;
	eb_autofree char *name = eb_path_join(s->name, "index.json");
	const json_t *entry = NULL;
	struct eb_platform want;
	size_t n;

	if (eb_source_read(s, "index.json", EB_MAX_MANIFEST, &text, err) < 0)
		return -1;
	index = eb_index_parse(text.data, text.len, name, err);
	if (!index || eb_platform_parse(platform, &want, err) < 0)
		return -1;
	n = eb_index_images(index, tag, &want, &entry);
	if (n == 0 && eb_index_images(index, tag, NULL, NULL) > 0)
		return eb_index_no_platform(index, s->name, platform, err);
	if (n == 0)
		return no_image(index, s->name, tag, err);
	if (n > 1 && !all_same(index, tag, &want, entry))
		return several(index, s->name, err);
	return eb_descriptor_parse(entry, name, "manifests", out, err);
}

/* One index further. */
static int step(const struct eb_source *s, const char *platform,
		struct eb_descriptor *d, struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_MANIFEST);
	struct eb_descriptor next;

	if (eb_source_read_blob(s, d, &text, err) < 0 ||
	    eb_index_pick(text.data, text.len, s->name, platform, &next, err) <
		    0)
		return -1;
	eb_descriptor_release(d);
	*d = next;
	return 0;
}

int eb_source_resolve(const struct eb_source *s, const char *tag,
		      const char *platform, struct eb_descriptor *out,
		      struct eb_error *err)
{
	int depth, got = 0;

	memset(out, 0, sizeof *out);
	if (check_version(s, err) < 0 ||
	    pick_first(s, tag, platform, out, err) < 0)
		return -1;
	for (depth = 1; strcmp(out->media_type, EB_MT_INDEX) == 0; depth++) {
		if (depth > MAX_DEPTH)
			got = eb_err_set(err, EB_INPUT,
					 "\"%s\" has indexes nested more than "
					 "%d deep",
					 s->name, MAX_DEPTH);
		else
			got = step(s, platform, out, err);
		if (got < 0)
			break;
	}
	if (got < 0)
		eb_descriptor_release(out);
	return got;
}

static int resolve(struct eb_source *s, const char *tag, const char *platform,
		   struct eb_digest *manifest, struct eb_error *err)
{
	struct eb_descriptor d;
	int got = eb_source_resolve(s, tag, platform, &d, err);

	eb_source_release(s);
	if (got < 0)
		return -1;
	*manifest = d.digest;
	eb_descriptor_release(&d);
	return 0;
}

int eb_layout_resolve(const char *dir, const char *tag, const char *platform,
		      struct eb_digest *manifest, struct eb_error *err)
{
	struct eb_source s;

	if (eb_source_open_dir(&s, dir, err) < 0)
		return -1;
	return resolve(&s, tag, platform, manifest, err);
}

/* gzip, zstd, bzip2, xz: by their first bytes */
static bool is_compressed(const unsigned char *h)
{
	return (h[0] == 0x1f && h[1] == 0x8b) ||
	       memcmp(h, "\x28\xb5\x2f\xfd", 4) == 0 ||
	       memcmp(h, "BZh", 3) == 0 ||
	       memcmp(h,
		      "\xfd"
		      "7zXZ",
		      5) == 0;
}

int eb_archive_resolve(const char *file, const char *tag, const char *platform,
		       struct eb_digest *manifest, struct eb_error *err)
{
	unsigned char head[6] = { 0 };
	struct eb_source s;
	uint64_t size;
	int fd = eb_open_regular(AT_FDCWD, file, file, &size, err);

	if (fd < 0)
		return -1;
	if (pread(fd, head, sizeof head, 0) == (ssize_t)sizeof head &&
	    is_compressed(head)) {
		close(fd);
		return 0;
	}
	if (eb_source_open_tar(&s, fd, file, err) < 0)
		return -1;
	return resolve(&s, tag, platform, manifest, err) < 0 ? -1 : 1;
}
