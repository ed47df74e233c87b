/* SPDX-License-Identifier: Apache-2.0 */
/* What is in the store: the files of blobs/sha256, the blobs that rows name. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store_priv.h"

static void close_dir(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

static int visit(int dir, const char *name, eb_scan_fn *fn, void *data,
		 struct eb_error *err)
{
	struct eb_digest d;
	struct stat st;

	if (strlen(name) != EB_HEX_SIZE - 1 || eb_digest_parse(name, &d) < 0)
		return 0;
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return 0; /* gone since */
	return S_ISREG(st.st_mode) ? fn(data, &d, (uint64_t)st.st_size, err)
				   : 0;
}

int eb_store_scan(struct eb_store *s, int dir, eb_scan_fn *fn, void *data,
		  struct eb_error *err)
{
	int own = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	EB_CLEANUP(close_dir) DIR *d = own < 0 ? NULL : fdopendir(own);
	struct dirent *e;

	if (!d)
		return eb_err_errno(err, EB_MACHINE, errno,
				    "\"%s\", listing the blobs", s->dir);
	while ((e = readdir(d)))
		if (visit(dir, e->d_name, fn, data, err) < 0)
			return -1;
	return 0;
}

static int add_digest(void *data, const struct eb_db_row *row,
		      struct eb_error *err)
{
	struct eb_digest_set *set = data;

	(void)err;
	EB_GROW(set->d, set->n, set->alloc);
	eb_row_digest(row, 0, &set->d[set->n++]);
	return 0;
}

int eb_store_named(struct eb_store *s, struct eb_digest_set *out,
		   struct eb_error *err)
{
	static const char sql[] = "SELECT DISTINCT blob FROM named ORDER BY "
				  "blob";

	return eb_db_run(s->db, sql, add_digest, out, err, "");
}

bool eb_digest_set_has(const struct eb_digest_set *set,
		       const struct eb_digest *d)
{
	return set->n &&
	       bsearch(d, set->d, set->n, sizeof *d, eb_digest_compare);
}

void eb_digest_set_release(struct eb_digest_set *set)
{
	free(set->d);
	memset(set, 0, sizeof *set);
}

int eb_store_forget(struct eb_store *s, const struct eb_digest *d,
		    struct eb_error *err)
{
	static const char *const sql[] = {
		"DELETE FROM item WHERE blob = ?1 OR paths = ?1",
		"DELETE FROM layer_part WHERE paths = ?1",
		"DELETE FROM lock WHERE text = ?1 OR record = ?1",
		"DELETE FROM image WHERE manifest = ?1 OR config = ?1 "
		"OR record = ?1 OR manifest IN "
		"(SELECT manifest FROM image_blob WHERE blob = ?1)",
		"DELETE FROM fact WHERE blob = ?1",
	};
	size_t i;
	int done = 0;

	if (eb_db_begin(s->db, err) < 0)
		return -1;
	for (i = 0; done == 0 && i < sizeof sql / sizeof *sql; i++)
		done = eb_db_run(s->db, sql[i], NULL, NULL, err, "b",
				 EB_BIND(d));
	return eb_store_end(s, done, err);
}
