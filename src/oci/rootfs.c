/* SPDX-License-Identifier: Apache-2.0 */
/* A root file system folder from an image: layer by layer, and nothing when
 * that fails. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/rootfs.h>

#include "rootfs_tree.h"

static int apply(void *data, const struct eb_member *m,
		 struct eb_stream *content, struct eb_error *err)
{
	return eb_tree_apply(data, m, content, err);
}

static int apply_layers(struct eb_store *store, const struct eb_manifest *m,
			struct eb_tree *t, struct eb_error *err)
{
	char name[EB_DIGEST_TEXT];
	size_t i;

	for (i = 0; i < m->n_layers; i++) {
		t->layer = eb_digest_text(&m->layer[i].digest, name);
		t->first = i == 0;
		eb_inodes_clear(&t->made);
		if (eb_layer_walk(store, &m->layer[i], apply, t, err) < 0)
			return -1;
	}
	t->layer = t->dir;
	return eb_tree_finish_dirs(t, err);
}

static int read_manifest(struct eb_store *store,
			 const struct eb_digest *manifest,
			 struct eb_manifest *out, struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_MANIFEST);
	char name[EB_DIGEST_TEXT];

	if (eb_store_read(store, manifest, EB_MAX_MANIFEST, &text, err) < 0)
		return -1;
	return eb_manifest_parse(text.data, text.len,
				 eb_digest_text(manifest, name), out, err);
}

static int need_empty(const char *path, struct eb_error *err)
{
	DIR *dir = opendir(path);
	struct dirent *e;
	bool empty = true;

	if (!dir)
		return eb_err_errno(err, EB_OK, errno, "\"%s\", opening", path);
	while (empty && (e = readdir(dir)))
		empty = !strcmp(e->d_name, ".") || !strcmp(e->d_name, "..");
	closedir(dir);
	if (!empty)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\", unpacking into it: it is not empty",
				  path);
	return 0;
}

int eb_rootfs_add(struct eb_store *store, const struct eb_digest *blob,
		  size_t n, const char *dir, struct eb_events *events,
		  struct eb_error *err)
{
	eb_autofd int root = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char name[EB_DIGEST_TEXT];
	struct eb_tree t;
	int got = 0;

	if (root < 0)
		return eb_err_errno(err, EB_OK, errno, "\"%s\", opening", dir);
	eb_tree_init(&t, root, dir);
	t.events = events;
	t.no_devices = true;
	for (size_t i = 0; i < n && got == 0; i++) {
		const struct eb_descriptor layer = { .digest = blob[i] };

		t.layer = eb_digest_text(&blob[i], name);
		eb_inodes_clear(&t.made);
		got = eb_layer_walk(store, &layer, apply, &t, err);
	}
	t.layer = t.dir;
	if (got == 0)
		got = eb_tree_finish_dirs(&t, err);
	eb_tree_release(&t);
	return got;
}

/* What went wrong is known; that the cleaning does too would hide it. */
static void empty_again(struct eb_tree *t)
{
	struct eb_error ignored = EB_ERROR_INIT;

	if (eb_tree_empty(t, "", false, &ignored) < 0)
		eb_err_release(&ignored);
}

static int unpack(struct eb_store *store, const struct eb_manifest *m,
		  const char *dir, bool devices, struct eb_events *events,
		  struct eb_error *err)
{
	eb_autofd int root = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct eb_tree t;
	int got;

	if (root < 0)
		return eb_err_errno(err, EB_OK, errno, "\"%s\", opening", dir);
	eb_tree_init(&t, root, dir);
	t.events = events;
	t.no_devices = !devices;
	got = apply_layers(store, m, &t, err);
	if (got < 0)
		empty_again(&t);
	eb_tree_release(&t);
	return got;
}

static int unpack_into(struct eb_store *store, const struct eb_digest *manifest,
		       const char *dir, bool devices, struct eb_events *events,
		       struct eb_error *err)
{
	bool was_there = eb_path_exists(dir);
	struct eb_manifest m;
	int got;

	if ((was_there && need_empty(dir, err) < 0) ||
	    read_manifest(store, manifest, &m, err) < 0)
		return -1;
	got = eb_mkdirs(dir, 0755, err);
	if (got == 0)
		got = unpack(store, &m, dir, devices, events, err);
	if (got < 0 && !was_there)
		rmdir(dir);
	eb_manifest_release(&m);
	return got;
}

int eb_rootfs_unpack(struct eb_store *store, const struct eb_digest *manifest,
		     const char *dir, struct eb_events *events,
		     struct eb_error *err)
{
	return unpack_into(store, manifest, dir, true, events, err);
}

int eb_rootfs_unpack_for_run(struct eb_store *store,
			     const struct eb_digest *manifest, const char *dir,
			     struct eb_events *events, struct eb_error *err)
{
	return unpack_into(store, manifest, dir, false, events, err);
}
