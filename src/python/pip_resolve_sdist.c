/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The source at which the resolver stopped: where it lies, and its bytes where
 * it is an archive.
 */
#include "pip_resolve_int.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/file.h>

#include "pip_line.h"
#include "pylock_int.h"

#define MOST ((uint64_t)1 << 30) /* bytes of an archive of unknown size */

/* --- of an index ------------------------------------------------------------
 */
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

static int download(struct eb_resolving *z, const struct eb_pin *pin,
		    const char *url, int fd, struct eb_error *err)
{
	struct eb_index_way way EB_CLEANUP(eb_index_way_release) = { 0 };
	struct eb_http_request request = {
		.url = url,
		.task = pin->file,
		.expect_size = pin->size,
		.max_bytes = pin->size ? pin->size : MOST,
		.fd = fd,
	}, *all[] = { &request };
	int rc = eb_index_request(z->r->indexes, &way, &request, err);

	if (rc == 0)
		rc = eb_http_do(z->r->http, all, 1, err);
	eb_http_request_release(&request);
	return rc;
}

/* Its sha256 and size; what its index says it has, or nothing. */
static int measure(struct eb_pin *pin, int fd, struct eb_error *err)
{
	struct eb_digest is;

	if (eb_sha256_fd(fd, &is, &pin->size, err) < 0)
		return -1;
	if (!eb_digest_is_zero(&pin->sha256) &&
	    !eb_digest_equal(&is, &pin->sha256))
		return eb_err_set(err, EB_INTEGRITY,
				  "\"%s\" has not the sha256 that its index "
				  "says",
				  pin->file);
	pin->sha256 = is;
	return lseek(fd, 0, SEEK_SET) < 0
		       ? eb_err_errno(err, EB_MACHINE, errno, "\"%s\", reading",
				      pin->file)
		       : 0;
}

/* The bytes behind `url`, which may hold a login. */
static int take_bytes(struct eb_resolving *z, const char *url,
		      struct eb_pin *pin, int *fd, struct eb_error *err)
{
	eb_autofree char *path = eb_pip_file_path(url);
	eb_autofd int opened = path ? open(path, O_RDONLY | O_CLOEXEC)
				    : eb_unnamed_file(z->dir, err);

	if (opened < 0)
		return path ? eb_err_errno(err, EB_NETWORK, errno,
					   "\"%s\", reading", path)
			    : -1;
	if ((!path && download(z, pin, url, opened, err) < 0) ||
	    measure(pin, opened, err) < 0)
		return -1;
	pin->source = EB_PIN_SDIST;
	pin->url = path ? eb_asprintf("file://%s", path) : eb_index_shown(url);
	*fd = eb_steal_fd(&opened);
	return 1;
}

static int of_index(struct eb_resolving *z, const char *name,
		    const char *version, struct eb_pin *pin, int *fd,
		    struct eb_error *err)
{
	const struct eb_index_file *f = find(z, name, version);
	char *url;
	int rc;

	if (!f)
		return 0;
	pin->name = eb_strdup(name);
	pin->version = eb_strdup(version);
	pin->file = eb_strdup(f->name);
	pin->size = f->size;
	if (f->has_sha256)
		pin->sha256 = f->sha256;
	url = eb_index_login(z->r->indexes, f->url);
	rc = take_bytes(z, url, pin, fd, err);
	eb_wipe(url);
	return rc;
}

/* --- by URL -----------------------------------------------------------------
 */

/* The line's own, which may hold what is masked in the resolver's words. */
static char *url_as_written(const struct eb_resolving *z, const char *name,
			    const char *url)
{
	const struct eb_pip_line *l = eb_resolve_line_of(z, name);
	const char *at = l ? strstr(l->text, "://") : NULL;

	while (at && at > l->text && !strchr(" \t@", at[-1]))
		at--;
	return at ? eb_strndup(at, strcspn(at, " \t;")) : eb_strdup(url);
}

/* "x" of "...#subdirectory=x&egg=y"; cut off there. */
static char *take_subdirectory(char *url)
{
	char *hash = strchr(url, '#');
	const char *at = hash ? strstr(hash, "subdirectory=") : NULL;
	char *sub = NULL;

	if (at && (at[-1] == '#' || at[-1] == '&')) {
		at += strlen("subdirectory=");
		sub = eb_strndup(at, strcspn(at, "&"));
	}
	if (hash)
		*hash = '\0';
	return sub;
}

static const struct eb_standin *standin_of(const struct eb_resolving *z,
					   const char *path)
{
	for (size_t i = 0; i < z->n_standins; i++)
		if (!strcmp(z->standin[i].path, path))
			return &z->standin[i];
	return NULL;
}

/* 0: it is no folder. */
static int of_folder(struct eb_resolving *z, const char *url,
		     struct eb_pin *pin)
{
	eb_autofree char *named = eb_pip_file_path(url);
	eb_autofree char *moved = named ? eb_resolve_place(z, named) : NULL;
	const char *path = moved ? moved : named;
	const struct eb_standin *s = path ? standin_of(z, path) : NULL;
	struct stat st;

	if (s) {
		eb_pin_release(pin);
		eb_pin_copy(pin, &s->pin);
		return 1;
	}
	if (!path || stat(path, &st) < 0 || !S_ISDIR(st.st_mode))
		return 0;
	pin->source = EB_PIN_DIR;
	pin->url = eb_asprintf("file://%s", path);
	pin->file = eb_strdup(pin->name);
	return 1;
}

static int of_archive(struct eb_resolving *z, const char *said,
		      struct eb_pin *pin, int *fd, struct eb_error *err)
{
	char *written = url_as_written(z, pin->name, said);
	eb_autofree char *path = NULL, *moved = NULL, *local = NULL;
	char *url;
	int rc;

	pin->subdirectory = take_subdirectory(written);
	pin->file = eb_pylock_file_name(written);
	path = eb_pip_file_path(said);
	moved = path ? eb_resolve_place(z, path) : NULL;
	local = path ? eb_asprintf("file://%s", moved ? moved : path) : NULL;
	url = eb_index_login(z->r->indexes, written);
	rc = take_bytes(z, local ? local : url, pin, fd, err);
	eb_wipe(url);
	eb_wipe(written);
	return rc;
}

static int of_url(struct eb_resolving *z, const char *name, const char *url,
		  struct eb_pin *pin, int *fd, struct eb_error *err)
{
	eb_autofree char *bare = eb_strndup(url, strcspn(url, "#"));

	pin->name = eb_strdup(name);
	pin->direct = true;
	if (of_folder(z, bare, pin))
		return 1;
	return eb_pip_is_vcs(url) ? 0 : of_archive(z, url, pin, fd, err);
}

int eb_resolve_stopped_at(struct eb_resolving *z, struct eb_pin *pin, int *fd,
			  struct eb_error *err)
{
	size_t n = strcspn(z->stop, "=[ @");
	eb_autofree char *raw = eb_strndup(z->stop, n);
	eb_autofree char *name = eb_project_name(raw);
	const char *url = strstr(z->stop, " @ ");
	const char *version = strstr(z->stop, "==");

	if (url)
		return of_url(z, name, url + 3, pin, fd, err);
	return version ? of_index(z, name, version + 2, pin, fd, err) : 0;
}
