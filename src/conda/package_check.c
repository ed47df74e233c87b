/* SPDX-License-Identifier: Apache-2.0 */
/* What can only be said of a package when all its members are known. */
#include <inttypes.h>

#include <envbuild/str.h>

#include "member_paths.h"
#include "package_int.h"

int eb_package_grow(struct eb_package_reading *r, const char *path,
		    uint64_t size, struct eb_error *err)
{
	eb_autofree char *shown = NULL;

	if (r->growth >= r->content && size <= r->growth - r->content) {
		r->content += size;
		return 0;
	}
	shown = eb_printable_line(path);
	return eb_err_set(err, EB_INPUT,
			  "\"%s\" grows beyond %" PRIu64
			  " bytes, its limit, with \"%s\"",
			  r->p->what, r->growth, shown);
}

static int refuse(const struct eb_package_reading *r, const char *path,
		  const char *target, const char *why, struct eb_error *err)
{
	eb_autofree char *shown = eb_printable_line(path);
	eb_autofree char *to = eb_printable_line(target);

	return eb_err_set(err, EB_INPUT,
			  "\"%s\" has a hard link \"%s\" to \"%s\", which is "
			  "%s",
			  r->p->what, shown, to, why);
}

/* Its content becomes that of the link; a link to a link is a link. Only
 * members that came before count, as when unpacking. */
static int join(struct eb_package_reading *r, const struct eb_package_hard *h,
		const struct eb_member_paths *m, struct eb_error *err)
{
	struct eb_entry *e = &r->p->files.entry[h->entry];
	const struct eb_entry *to = eb_member_paths_find(m, h->target);

	if (!to || to >= e)
		return refuse(r, e->path, h->target, "not before it", err);
	if (to->type == EB_ENTRY_DIR)
		return refuse(r, e->path, h->target, "a folder", err);
	if (eb_package_grow(r, e->path, to->size, err) < 0)
		return -1;
	e->type = to->type;
	e->mode = to->mode;
	e->mtime = to->mtime;
	e->target = eb_strdup(to->target);
	e->sha256 = to->sha256;
	e->spool = to->spool;
	e->offset = to->offset;
	e->size = to->size;
	return 0;
}

static int check(struct eb_package_reading *r, const struct eb_member_paths *m,
		 struct eb_error *err)
{
	const char *what = r->p->what;

	if (eb_member_paths_check(m, what, err) < 0)
		return -1;
	for (size_t i = 0; i < r->n_hard; i++) {
		if (join(r, &r->hard[i], m, err) < 0)
			return -1;
	}
	return eb_member_paths_resolve(m, "", true, what, err) < 0 ? -1 : 0;
}

int eb_package_check(struct eb_package_reading *r, struct eb_error *err)
{
	struct eb_member_paths m;
	int rc;

	eb_member_paths_init(&m, &r->p->files);
	rc = check(r, &m, err);
	eb_member_paths_release(&m);
	return rc;
}
