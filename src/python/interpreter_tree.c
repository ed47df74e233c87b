/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unpacked interpreters, kept in the store's folder "interpreters" under a key
 * of what they were unpacked from: unpacking one costs more than compiling a
 * small package. A tree is made elsewhere and renamed, so what is there is
 * whole; the newest few are kept. All of the folder may be removed at any
 * time.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/str.h>

#include "interpreter.h"

#define EPOCH 2 /* raised when other files are unpacked */
#define KEPT 4
#define KEPT_S 86400 /* a build that uses an older one has ended */

static void tree_key(const struct eb_interpreter_options *o, size_t n,
		     struct eb_digest *key)
{
	struct eb_keyer k;

	eb_key_begin(&k, "interpreter");
	eb_key_u64(&k, EPOCH);
	eb_key_text(&k, o->prefix);
	eb_key_text(&k, o->python_minor);
	for (size_t i = 0; i < n; i++)
		eb_key_digest(&k, &o->payload[i].plain);
	eb_key_end(&k, key);
}

/* "<age in seconds, as sortable text> <name>" of every tree. */
static void list_trees(const char *folder, struct eb_strv *out)
{
	DIR *d = opendir(folder);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		eb_autofree char *path = eb_path_join(folder, e->d_name);
		struct stat st;

		if (e->d_name[0] == '.' || stat(path, &st) < 0 ||
		    !S_ISDIR(st.st_mode))
			continue;
		eb_strv_addf(out, "%020lld %s",
			     (long long)(time(NULL) - st.st_mtime), e->d_name);
	}
	if (d)
		closedir(d);
	eb_strv_sort(out); /* the youngest first */
}

static void drop_old(const char *folder)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv tree = { 0 };
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	list_trees(folder, &tree);
	for (size_t i = KEPT; i < tree.n; i++) {
		const char *name = strchr(tree.v[i], ' ') + 1;
		eb_autofree char *path = eb_path_join(folder, name);

		if (atoll(tree.v[i]) > KEPT_S && eb_remove_tree(path, &err) < 0)
			eb_err_release(&err); /* the next one tries again */
	}
}

/* Made in tmp, renamed when whole. */
static int make(struct eb_interpreter *i, struct eb_store *store,
		const struct eb_interpreter_options *o, size_t n,
		const char *place, struct eb_error *err)
{
	eb_autofree char *root = NULL;

	i->dir = eb_make_tempdir(i->tmp, "interpreter-", err);
	if (!i->dir)
		return -1;
	root = eb_path_join(i->dir, "root");
	i->root = eb_steal(root);
	if (eb_interpreter_unpack(i, store, o->payload, n, err) < 0)
		return -1;
	if (rename(i->dir, place) < 0)
		return 0; /* it serves this build from where it is */
	free(i->root);
	free(i->dir);
	i->dir = NULL;
	i->root = eb_path_join(place, "root");
	return 0;
}

int eb_interpreter_tree(struct eb_interpreter *i, struct eb_store *store,
			const struct eb_interpreter_options *o, size_t n,
			struct eb_error *err)
{
	eb_autofree char *folder =
		eb_path_join(eb_store_dir(store), "interpreters");
	eb_autofree char *place = NULL, *lock = NULL;
	eb_autofd int fd = -1;
	struct eb_digest key;
	char hex[EB_HEX_SIZE];

	tree_key(o, n, &key);
	place = eb_path_join(folder, eb_digest_hex(&key, hex));
	lock = eb_asprintf("%s/.lock", folder);
	if (eb_mkdirs(folder, 0700, err) < 0 ||
	    eb_lock_file(lock, true, &fd, err) < 0)
		return -1;
	if (!eb_path_exists(place)) {
		if (make(i, store, o, n, place, err) < 0)
			return -1;
		drop_old(folder);
		return 0;
	}
	utimensat(AT_FDCWD, place, NULL, 0); /* used now */
	i->root = eb_path_join(place, "root");
	return 0;
}
