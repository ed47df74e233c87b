/* SPDX-License-Identifier: Apache-2.0 */
/* The store: opening and closing. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/file.h>

#include "store_priv.h"

extern const char *const eb_store_schema[];
extern const unsigned eb_store_schema_n;

static int make_folders(const char *dir, struct eb_error *err)
{
	static const char *const sub[] = { "blobs/sha256", "rows", "locks",
					   "tmp" };
	size_t i;

	for (i = 0; i < sizeof sub / sizeof *sub; i++) {
		eb_autofree char *path = eb_path_join(dir, sub[i]);

		if (eb_mkdirs(path, 0700, err) < 0)
			return eb_err_hint(err,
					   "choose another place for the store "
					   "with --cache-dir");
	}
	return 0;
}

static int open_folder(const char *dir, const char *sub)
{
	eb_autofree char *path = eb_path_join(dir, sub);

	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static int open_folders(struct eb_store *s, struct eb_error *err)
{
	s->blobs = open_folder(s->dir, "blobs/sha256");
	s->rows = open_folder(s->dir, "rows");
	if (s->blobs < 0 || (s->rows < 0 && !s->readonly))
		return eb_err_errno(err, EB_MACHINE, errno,
				    "\"%s\", opening the store", s->dir);
	return 0;
}

static int open_index(struct eb_store *s, struct eb_error *err)
{
	const struct eb_db_schema schema = { eb_store_schema,
					     eb_store_schema_n };
	eb_autofree char *path = eb_path_join(s->dir, "index.sqlite");
	unsigned flags = (s->readonly ? EB_DB_READONLY : 0) |
			 (s->network ? EB_DB_NO_WAL : 0);

	if (s->readonly && !eb_path_exists(path))
		return eb_err_set(err, EB_NO,
				  "\"%s\", opening the store: there is none",
				  s->dir);
	if (eb_db_open(path, &schema, flags, &s->db, err) == 0)
		return 0;
	if (err->code == EB_INTEGRITY)
		eb_err_hint(err, "remove index.sqlite and what begins with "
				 "that name there; cache check --rebuild makes "
				 "the index anew from the blobs");
	return -1;
}

/* The shared lock keeps a collection away for as long as the handle lives. */
static int open_use(struct eb_store *s, struct eb_error *err)
{
	eb_autofree char *path = eb_path_join(s->dir, "locks/use");

	s->use = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (s->use < 0)
		return eb_err_errno(err, EB_MACHINE, errno,
				    "\"%s\", opening for a lock", path);
	if (eb_store_use_alone(s))
		eb_store_sweep_tmp(s);
	return eb_store_use_shared(s, err);
}

static struct eb_store *new_store(const char *dir, unsigned flags)
{
	struct eb_store *s = eb_calloc(1, sizeof *s);

	s->dir = dir ? eb_strdup(dir) : eb_xdg_dir("CACHE");
	s->tmp = s->dir ? eb_path_join(s->dir, "tmp") : NULL;
	s->readonly = flags & EB_STORE_READONLY;
	s->network = flags & EB_STORE_NETWORK;
	s->blobs = s->rows = s->use = -1;
	return s;
}

static int open_writable(struct eb_store *s, struct eb_error *err)
{
	if (make_folders(s->dir, err) < 0 || open_folders(s, err) < 0)
		return -1;
	if (eb_network_name(s->blobs) || !eb_store_unnamed_works(s->tmp))
		s->network = true;
	if (open_use(s, err) < 0)
		return -1;
	return open_index(s, err);
}

static int open_readonly(struct eb_store *s, struct eb_error *err)
{
	return open_index(s, err) < 0 ? -1 : open_folders(s, err);
}

bool eb_store_is_readonly(const struct eb_store *store)
{
	return store->readonly;
}

int eb_store_open(const char *dir, unsigned flags, struct eb_store **out,
		  struct eb_error *err)
{
	EB_CLEANUP(eb_store_close_ptr)
	struct eb_store *s = new_store(dir, flags);

	if (!s->dir)
		return eb_err_set(err, EB_MACHINE,
				  "the store has no place: neither "
				  "XDG_CACHE_HOME nor HOME is set");
	if ((s->readonly ? open_readonly(s, err) : open_writable(s, err)) < 0)
		return -1;
	*out = eb_steal(s);
	return 0;
}

void eb_store_close(struct eb_store *s)
{
	if (!s)
		return;
	eb_db_close(s->db);
	eb_cleanup_fd(&s->blobs);
	eb_cleanup_fd(&s->rows);
	eb_cleanup_fd(&s->use);
	free(s->dir);
	free(s->tmp);
	free(s);
}

const char *eb_store_dir(const struct eb_store *s)
{
	return s->dir;
}

const char *eb_store_tmp(const struct eb_store *s)
{
	return s->tmp;
}
