/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What worked is remembered for an hour in the user's cache, so that not every
 * build starts a container to find out. An answer holds for what it was found
 * with: the boot, the namespaces, the user, the runtimes as they lie on disk.
 * Without a cache folder nothing is remembered.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <envbuild/digest.h>
#include <envbuild/file.h>
#include <envbuild/str.h>

#include "sandbox_form.h"

#define FILE_NAME "sandbox-forms"
#define HOLDS_S 3600
#define FILE_MAX 4096 /* some fifty answers; then it begins anew */

static char *memory_path(void)
{
	eb_autofree char *dir = eb_xdg_dir("CACHE");

	return dir && eb_path_exists(dir) ? eb_path_join(dir, FILE_NAME) : NULL;
}

static void add_link(struct eb_keyer *k, const char *path)
{
	char target[64];
	ssize_t n = readlink(path, target, sizeof target - 1);

	target[n > 0 ? n : 0] = 0;
	eb_key_text(k, target);
}

static void add_file(struct eb_keyer *k, const char *path)
{
	struct stat st = { 0 };

	eb_key_text(k, path);
	if (stat(path, &st) == 0) {
		eb_key_u64(k, (uint64_t)st.st_ino);
		eb_key_u64(k, (uint64_t)st.st_mtim.tv_sec);
		eb_key_u64(k, (uint64_t)st.st_size);
	}
}

static void add_boot(struct eb_keyer *k)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_AUTOBUF(id, 64);

	eb_read_file("/proc/sys/kernel/random/boot_id", 64, &id, &ignored);
	eb_key_text(k, id.data);
}

static void question_key(const struct eb_forms *f,
			 const struct eb_form_use *use, char hex[EB_HEX_SIZE])
{
	static const char *const spaces[] = { "mnt", "user", "pid", "cgroup" };
	struct eb_digest d;
	struct eb_keyer k;

	eb_key_begin(&k, "sandbox form 1");
	add_boot(&k);
	for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
		eb_autofree char *path =
			eb_asprintf("/proc/self/ns/%s", spaces[i]);

		add_link(&k, path);
	}
	eb_key_u64(&k, geteuid());
	eb_key_u64(&k, use->network);
	eb_key_u64(&k, (uint64_t)use->counted << 2 | (uint64_t)use->ids << 1 |
			       use->confined);
	for (size_t i = 0; i < f->n; i++) {
		add_file(&k, f->form[i].program);
		eb_key_u64(&k, f->form[i].flags);
	}
	eb_key_end(&k, &d);
	eb_digest_hex(&d, hex);
}

static bool read_memory(const char *path, struct eb_buf *out)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	struct stat st;

	return lstat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	       st.st_uid == geteuid() && time(NULL) - st.st_mtime < HOLDS_S &&
	       eb_read_file(path, FILE_MAX, out, &ignored) == 0;
}

long eb_form_recall(const struct eb_forms *f, const struct eb_form_use *use)
{
	eb_autofree char *path = memory_path();
	EB_AUTOBUF(text, FILE_MAX);
	char hex[EB_HEX_SIZE];
	const char *line;
	size_t i;

	if (!path || !read_memory(path, &text))
		return -1;
	question_key(f, use, hex);
	line = strstr(text.data, hex);
	if (!line || sscanf(line + EB_HEX_SIZE - 1, " %zu", &i) != 1 ||
	    i >= f->n)
		return -1;
	return (long)i;
}

void eb_form_keep(const struct eb_forms *f, const struct eb_form_use *use,
		  size_t i)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	eb_autofree char *path = memory_path();
	EB_AUTOBUF(text, FILE_MAX);
	char hex[EB_HEX_SIZE];

	if (!path)
		return;
	if (!read_memory(path, &text) || text.len > FILE_MAX - 100)
		eb_buf_reset(&text);
	question_key(f, use, hex);
	eb_buf_addf(&text, "%s %zu\n", hex, i);
	eb_write_file(path, text.data, text.len, 0600, &ignored);
}

void eb_form_forget(void)
{
	eb_autofree char *path = memory_path();

	if (path)
		unlink(path);
}
