/* SPDX-License-Identifier: Apache-2.0 */
/* The catalogue of own environments: its file. */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/file.h>

#include "catalog_priv.h"

/* Of SQLite's file format: how it begins, and where user_version is. */
#define MAGIC "SQLite format 3"
#define FORMAT_PLACE 60

extern const char *const eb_catalog_schema[];
extern const unsigned eb_catalog_schema_n;

static char *usual_path(void)
{
	eb_autofree char *dir = eb_xdg_dir("DATA");

	return dir ? eb_path_join(dir, "catalogue.sqlite") : NULL;
}

static int make_folder(const char *path, struct eb_error *err)
{
	eb_autofree char *dir = eb_strdup(path);

	*strrchr(dir, '/') = 0;
	return eb_mkdirs(dir, 0700, err);
}

/* Homes are often on a network file system, where WAL does not work. */
static bool is_remote(const char *path)
{
	eb_autofree char *dir =
		eb_strndup(path, (size_t)(strrchr(path, '/') - path));
	eb_autofd int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd >= 0 && eb_network_name(fd);
}

/* Nothing here can be made again from elsewhere. */
static int open_file(struct eb_catalog *c, unsigned flags, struct eb_error *err)
{
	const struct eb_db_schema schema = { eb_catalog_schema,
					     eb_catalog_schema_n };

	if (eb_db_open(c->path, &schema, flags, &c->db, err) == 0)
		return 0;
	if (err->code == EB_INTEGRITY)
		eb_err_hint(err, "the environments that you registered are in "
				 "it: put a copy in its place, or move it away "
				 "to begin a new catalogue");
	return -1;
}

/* Who made it was killed before anything was in it: by its header no format is
 * set, and no log says otherwise. */
static bool is_unborn(const char *path)
{
	eb_autofree char *log = eb_asprintf("%s-wal", path);
	eb_autofd int fd = open(path, O_RDONLY | O_CLOEXEC);
	unsigned char head[FORMAT_PLACE + 4];
	struct stat st;
	ssize_t n;

	if (fd < 0 || (stat(log, &st) == 0 && st.st_size))
		return false;
	n = pread(fd, head, sizeof head, 0);
	return n == 0 || (n == (ssize_t)sizeof head &&
			  !memcmp(head, MAGIC, sizeof MAGIC) &&
			  !memcmp(head + FORMAT_PLACE, "\0\0\0", 4));
}

int eb_catalog_ready(struct eb_catalog *c, struct eb_error *err)
{
	bool wanted = c->later;

	c->later = false;
	return wanted && eb_path_exists(c->path) && !is_unborn(c->path)
		       ? open_file(c, EB_DB_READONLY, err)
		       : 0;
}

int eb_catalog_open(const char *path, unsigned flags, struct eb_catalog **out,
		    struct eb_error *err)
{
	EB_CLEANUP(eb_catalog_close_ptr)
	struct eb_catalog *c = eb_calloc(1, sizeof *c);

	c->path = !path		      ? usual_path()
		  : strchr(path, '/') ? eb_strdup(path)
				      : eb_asprintf("./%s", path);
	c->later = c->path && (flags & EB_CATALOG_READONLY);
	if (!c->path && !(flags & EB_CATALOG_READONLY))
		return eb_err_set(err, EB_MACHINE,
				  "the catalogue has no place: neither "
				  "XDG_DATA_HOME nor HOME is set");
	if (!(flags & EB_CATALOG_READONLY) &&
	    (make_folder(c->path, err) < 0 ||
	     open_file(c, is_remote(c->path) ? EB_DB_NO_WAL : EB_DB_KEEP_WAL,
		       err) < 0))
		return -1;
	*out = eb_steal(c);
	return 0;
}

struct eb_catalog *eb_catalog_at(const struct eb_catalog_place *at, void *place)
{
	struct eb_catalog *c = eb_calloc(1, sizeof *c);

	c->path = usual_path();
	c->later = c->path != NULL;
	c->at = at;
	c->place = place;
	return c;
}

void eb_catalog_close(struct eb_catalog *c)
{
	if (!c)
		return;
	if (c->at)
		c->at->close(c->place);
	eb_db_close(c->db);
	free(c->path);
	free(c);
}
