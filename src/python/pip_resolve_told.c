/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the environment's own Python cannot run, what a source distribution
 * requires is taken from itself: its PKG-INFO, pyproject.toml or egg-info. The
 * last is what its author's setup.py said on one day, and may be another thing
 * on another Python: said, and marked in the lock.
 */
#include "pip_resolve_int.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/sdist.h>

#include "pip_line.h"

#define MOST                                                            \
	((uint64_t)1 << 30) /* bytes of an sdist whose size is not told \
			     */

/* --- the file ---------------------------------------------------------------
 */

/* "future==0.17.1"; what has a URL is not of an index. */
static bool split(const char *stop, char **name, char **version)
{
	const char *at = strstr(stop, "==");
	eb_autofree char *raw =
		at ? eb_strndup(stop, (size_t)(at - stop)) : NULL;

	if (!at)
		return false;
	*name = eb_project_name(raw);
	*version = eb_strdup(at + 2);
	return true;
}

static const struct eb_index_file *find(struct eb_resolving *z,
					const char *name, const char *version)
{
	const struct eb_resolve_seen *seen = eb_resolve_look(z, name);

	for (size_t i = 0; seen && i < seen->page.n; i++) {
		const struct eb_index_file *f = &seen->page.file[i];
		eb_autofree char *is = eb_ends(f->name, ".whl")
					       ? NULL
					       : eb_resolve_version_of(f->name);

		if (is && strcmp(is, version) == 0)
			return f;
	}
	return NULL;
}

static int download(struct eb_resolving *z, const struct eb_index_file *f,
		    int fd, struct eb_error *err)
{
	char *url = eb_index_login(z->r->indexes, f->url);
	struct eb_http_request request = {
		.url = url,
		.task = f->name,
		.expect_size = f->size,
		.max_bytes = f->size ? f->size : MOST,
		.fd = fd,
	}, *all[] = { &request };
	int rc = eb_http_do(z->r->http, all, 1, err);

	eb_http_request_release(&request);
	eb_wipe(url);
	return rc;
}

/* What its index says it has, or nothing. */
static int check(const struct eb_index_file *f, int fd, struct eb_error *err)
{
	struct eb_digest is;

	if (!f->has_sha256)
		return 0;
	if (eb_sha256_fd(fd, &is, NULL, err) < 0)
		return -1;
	if (eb_digest_equal(&is, &f->sha256))
		return 0;
	return eb_err_set(err, EB_INTEGRITY,
			  "\"%s\" has not the sha256 that its index says",
			  f->name);
}

static int open_file(struct eb_resolving *z, const struct eb_index_file *f,
		     struct eb_error *err)
{
	eb_autofree char *path = eb_pip_file_path(f->url);
	eb_autofd int fd = path ? open(path, O_RDONLY | O_CLOEXEC)
				: eb_unnamed_file(z->dir, err);
	int out;

	if (fd < 0)
		return path ? eb_err_errno(err, EB_NETWORK, errno,
					   "\"%s\", reading", path)
			    : -1;
	if ((!path && download(z, f, fd, err) < 0) || check(f, fd, err) < 0)
		return -1;
	if (lseek(fd, 0, SEEK_SET) < 0)
		return eb_err_errno(err, EB_MACHINE, errno, "\"%s\", reading",
				    f->name);
	out = fd;
	fd = -1;
	return out;
}

/* --- what it says -----------------------------------------------------------
 */

const struct eb_told *eb_resolve_told_of(const struct eb_resolving *z,
					 const char *name, const char *version)
{
	for (size_t i = 0; i < z->n_told; i++)
		if (strcmp(z->told[i].name, name) == 0 &&
		    strcmp(z->told[i].version, version) == 0)
			return &z->told[i];
	return NULL;
}

static void take(struct eb_resolving *z, struct eb_sdist *s, char **name,
		 char **version)
{
	struct eb_told *t;

	EB_GROW(z->told, z->n_told, z->alloc_told);
	t = &z->told[z->n_told++];
	*t = (struct eb_told){ .name = eb_steal(*name),
			       .version = eb_steal(*version),
			       .requires_python = eb_steal(s->requires_python),
			       .depends = s->depends,
			       .by = s->metadata };
	s->depends = (struct eb_strv){ 0 };
	eb_warn(z->events,
		"\"%s\" cannot be asked what it requires, for its Python does "
		"not run here: its %s is believed",
		z->stop, t->by);
}

int eb_resolve_told(struct eb_resolving *z, struct eb_error *err)
{
	struct eb_sdist sdist EB_CLEANUP(eb_sdist_release) = { 0 };
	eb_autofree char *name = NULL, *version = NULL;
	const struct eb_index_file *f;
	eb_autofd int fd = -1;

	if (!split(z->stop, &name, &version) ||
	    eb_resolve_told_of(z, name, version))
		return 0;
	f = find(z, name, version);
	if (!f)
		return 0;
	fd = open_file(z, f, err);
	if (fd < 0 || eb_sdist_read(fd, f->name, &eb_wheel_default_limits,
				    &sdist, err) < 0)
		return -1;
	if (!sdist.metadata)
		return 0;
	take(z, &sdist, &name, &version);
	return 1;
}

void eb_resolve_told_mark(const struct eb_resolving *z, struct eb_pin *pin,
			  size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct eb_told *t =
			pin[i].source == EB_PIN_SDIST
				? eb_resolve_told_of(z, pin[i].name,
						     pin[i].version)
				: NULL;

		if (t && t->by)
			pin[i].metadata = eb_strdup(t->by);
	}
}

void eb_resolve_told_release(struct eb_resolving *z)
{
	for (size_t i = 0; i < z->n_told; i++) {
		free(z->told[i].name);
		free(z->told[i].version);
		free(z->told[i].requires_python);
		free(z->told[i].built);
		eb_strv_release(&z->told[i].depends);
		eb_strv_release(&z->told[i].extras);
	}
	free(z->told);
	z->told = NULL;
	z->n_told = z->n_built = z->alloc_told = 0;
}
