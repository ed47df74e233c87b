/* SPDX-License-Identifier: Apache-2.0 */
/* What lies in a folder, at one moment. */
#include <errno.h>
#include <fts.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/delta.h>

static int failed(const char *path, int why, struct eb_error *err)
{
	return eb_err_errno(err, EB_MACHINE, why, "\"%s\", looking at it",
			    path);
}

static int read_target(const char *path, struct eb_delta_node *node,
		       struct eb_error *err)
{
	char target[PATH_MAX];
	ssize_t n = readlink(path, target, sizeof target);

	if (n < 0 || n == (ssize_t)sizeof target)
		return failed(path, n < 0 ? errno : ENAMETOOLONG, err);
	node->target = eb_strndup(target, (size_t)n);
	return 0;
}

static int add(struct eb_delta *t, const char *path, const FTSENT *e,
	       struct eb_error *err)
{
	const struct stat *st = e->fts_statp;
	struct eb_delta_node *node;

	if (eb_path_check(path, "the root file system", err) < 0)
		return -1;
	if (t->n == EB_DELTA_MAX)
		return eb_err_set(err, EB_INPUT,
				  "a root file system with more than %d files",
				  EB_DELTA_MAX);
	EB_GROW(t->node, t->n, t->alloc);
	node = &t->node[t->n++];
	*node = (struct eb_delta_node){
		.path = eb_strdup(path),
		.mode = st->st_mode,
		.uid = st->st_uid,
		.gid = st->st_gid,
		.size = (uint64_t)st->st_size,
		.device = st->st_dev,
		.inode = st->st_ino,
		.links = st->st_nlink,
		.mtime = st->st_mtim,
		.ctime = st->st_ctim,
	};
	return S_ISLNK(st->st_mode) ? read_target(e->fts_path, node, err) : 0;
}

/* `from`: where the path inside begins. */
static int visit(struct eb_delta *t, FTS *fts, FTSENT *e, size_t from,
		 eb_delta_skip_fn *skip, struct eb_error *err)
{
	bool folder = e->fts_info == FTS_D || e->fts_info == FTS_DNR;
	const char *path = e->fts_path + from;

	if (e->fts_info == FTS_DP || e->fts_level == 0)
		return 0;
	if (skip && skip(path, folder)) {
		fts_set(fts, e, FTS_SKIP);
		return 0;
	}
	if (e->fts_info == FTS_DNR || e->fts_info == FTS_ERR ||
	    e->fts_info == FTS_NS || e->fts_info == FTS_DC)
		return failed(e->fts_path, e->fts_errno ? e->fts_errno : ELOOP,
			      err);
	return add(t, path, e, err);
}

static int by_path(const void *a, const void *b)
{
	const struct eb_delta_node *x = a, *y = b;

	return strcmp(x->path, y->path);
}

static void close_fts(FTS **fts)
{
	if (*fts)
		fts_close(*fts);
}

int eb_delta_scan(const char *dir, eb_delta_skip_fn *skip, struct eb_delta *out,
		  struct eb_error *err)
{
	char *const roots[] = { (char *)dir, NULL };
	FTS *fts EB_CLEANUP(close_fts) =
		fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	FTSENT *e;

	*out = (struct eb_delta){ 0 };
	if (!fts)
		return failed(dir, errno, err);
	while (errno = 0, (e = fts_read(fts)))
		if (visit(out, fts, e, strlen(dir) + 1, skip, err) < 0)
			return -1;
	if (errno)
		return failed(dir, errno, err);
	if (out->n)
		qsort(out->node, out->n, sizeof *out->node, by_path);
	return 0;
}

void eb_delta_release(struct eb_delta *t)
{
	for (size_t i = 0; i < t->n; i++) {
		free(t->node[i].path);
		free(t->node[i].target);
	}
	free(t->node);
	*t = (struct eb_delta){ 0 };
}

const struct eb_delta_node *eb_delta_find(const struct eb_delta *t,
					  const char *path)
{
	const struct eb_delta_node key = { .path = (char *)path };

	return t->n ? bsearch(&key, t->node, t->n, sizeof key, by_path) : NULL;
}
