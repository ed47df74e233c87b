/* SPDX-License-Identifier: Apache-2.0 */
/* Where the source of a step comes from: an archive of an index, a
 * repository, a folder. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/credential.h>
#include <envbuild/file.h>
#include <envbuild/sandbox.h>

#include "step_source.h"

struct eb_wheel_limits eb_step_limits(const struct eb_build *b)
{
	const uint64_t *limit = b->config->limit;

	return (struct eb_wheel_limits){
		.members = limit[EB_LIMIT_PACKAGE_MEMBERS],
		.member_size = limit[EB_LIMIT_MEMBER_SIZE],
		.metadata = limit[EB_LIMIT_METADATA_SIZE],
	};
}

/* --- archives ---------------------------------------------------------------
 */
static int download(struct eb_build *b, const struct eb_pin *pin,
		    const char *url, int fd, struct eb_error *err)
{
	struct eb_http_options options = { .ca_file = b->config->ca_file,
					   .offline = b->config->offline };
	EB_CLEANUP(eb_http_free_ptr)
	struct eb_http *http = eb_http_new(&options, b->events);
	struct eb_index_way way EB_CLEANUP(eb_index_way_release) = { 0 };
	struct eb_http_request request = { .url = url,
					   .task = pin->file,
					   .expect_size = pin->size,
					   .max_bytes = pin->size,
					   .fd = fd };
	int rc = eb_fetch_pin_way(b, &way, &request, err);

	if (rc < 0)
		return -1;
	eb_http_add(http, &request);
	rc = eb_http_run(http, err);
	if (rc == 0 && eb_err_is_set(&request.err)) {
		eb_err_move(err, &request.err);
		rc = -1;
	}
	if (rc == 0 && b->built)
		__atomic_add_fetch(&b->built->fetched, request.received,
				   __ATOMIC_RELAXED);
	eb_http_request_release(&request);
	return rc;
}

/* The file behind its URL, as it is. */
static int open_url(struct eb_build *b, const struct eb_pin *pin,
		    struct eb_error *err)
{
	eb_autofree char *path = NULL;
	char *url;
	int fd;

	if (eb_pin_has_place(pin, err) < 0)
		return -1;
	url = eb_fetch_pin_url(b, pin);
	path = eb_file_url_path(url);
	fd = path ? open(path, O_RDONLY | O_CLOEXEC)
		  : eb_unnamed_file(eb_store_tmp(b->store), err);
	if (fd < 0 && path)
		eb_err_errno(err, EB_NETWORK, errno, "\"%s\"", path);
	if (fd >= 0 && !path && download(b, pin, url, fd, err) < 0) {
		close(fd);
		fd = -1;
	}
	eb_secret_free(url);
	return fd;
}

int eb_step_keep(struct eb_build *b, const struct eb_pin *pin, int fd,
		 struct eb_error *err)
{
	EB_CLEANUP(eb_blob_abort_ptr) struct eb_blob_writer *w = NULL;
	eb_autofree char *what = eb_asprintf("\"%s\"", pin->file);
	char hex[EB_HEX_SIZE];
	struct stat st;

	if (fstat(fd, &st) < 0)
		return eb_err_errno(err, EB_MACHINE, errno, "%s, reading",
				    what);
	if (eb_blob_begin(b->store, &w, err) < 0 ||
	    eb_blob_write_fd(w, fd, 0, (uint64_t)st.st_size, err) < 0 ||
	    eb_blob_commit(eb_steal(w), &pin->sha256, what, NULL, NULL, err) <
		    0)
		return -1;
	return eb_store_put_fact(b->store, "archive",
				 eb_digest_hex(&pin->sha256, hex), pin->file,
				 &pin->sha256, err);
}

int eb_step_fetch(struct eb_build *b, const struct eb_pin *pin, int *fd,
		  struct eb_error *err)
{
	uint64_t size;
	int rc = eb_store_blob(b->store, &pin->sha256, fd, &size, err);

	for (int try = 0; rc == 0 && try < 2; try++) {
		struct eb_error once EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
		eb_autofd int from = open_url(b, pin, err);

		if (from < 0)
			return -1;
		if (eb_step_keep(b, pin, from, try ? err : &once) == 0)
			rc = eb_store_blob(b->store, &pin->sha256, fd, &size,
					   err);
		else if (try)
			return -1;
		else if (once.code != EB_INTEGRITY) {
			eb_err_move(err, &once);
			return -1;
		} else {
			eb_warn(b->events, "%s; fetching once more",
				once.message);
		}
	}
	return rc > 0 ? 0 : -1;
}

static int unpack_archive(struct eb_build *b, const struct eb_pin *pin,
			  const char *dir, struct eb_sdist *out,
			  struct eb_error *err)
{
	const struct eb_wheel_limits limits = eb_step_limits(b);
	eb_autofd int fd = -1;

	if (eb_step_fetch(b, pin, &fd, err) < 0)
		return -1;
	if (dir && eb_sdist_unpack(fd, pin->file, &limits, dir, err) < 0)
		return -1;
	return out ? eb_sdist_read(fd, pin->file, &limits, out, err) : 0;
}

/* --- of a folder, its own or one below ---------------------------------------
 */
static int read_folder(const char *dir, const struct eb_pin *pin,
		       struct eb_sdist *out, struct eb_error *err)
{
	const char *sub = pin->subdirectory ? pin->subdirectory : ".";
	eb_autofree char *below = eb_path_join(dir, sub);
	eb_autofree char *top = realpath(dir, NULL);
	eb_autofree char *real = realpath(below, NULL);
	size_t n = top ? strlen(top) : 0;

	if (!real || !top)
		return eb_err_errno(err, EB_INPUT, errno,
				    "\"%s\" has no folder \"%s\"", pin->url,
				    sub);
	if (strncmp(real, top, n) != 0 || (real[n] && real[n] != '/'))
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" has a folder \"%s\" that leads out "
				  "of it",
				  pin->url, sub);
	return eb_sdist_read_dir(real, out, err);
}

static int unpack_folder(struct eb_build *b, const struct eb_pin *pin,
			 const char *dir, struct eb_error *err)
{
	struct eb_digest digest;

	if (eb_step_copy_folder(b, pin, dir, &digest, err) < 0)
		return -1;
	if (eb_digest_equal(&digest, &pin->sha256))
		return 0;
	eb_err_set(err, EB_INPUT,
		   "\"%s\" is not what it was when the lock was made",
		   pin->url);
	return eb_err_hint(err, "--refresh makes a new lock");
}

int eb_step_unpack(struct eb_build *b, const struct eb_pin *pin,
		   const char *dir, struct eb_sdist *out, struct eb_error *err)
{
	int rc;

	if (pin->source == EB_PIN_SDIST && !pin->subdirectory)
		return unpack_archive(b, pin, dir, out, err);
	if (pin->source == EB_PIN_SDIST)
		rc = unpack_archive(b, pin, dir, NULL, err);
	else if (pin->source == EB_PIN_VCS)
		rc = eb_step_checkout(b, pin, dir, err);
	else
		rc = unpack_folder(b, pin, dir, err);
	return rc == 0 && out ? read_folder(dir, pin, out, err) : rc;
}

/* --- for the lock ------------------------------------------------------------
 */
static int read_checkout(struct eb_build *b, const struct eb_pin *pin,
			 struct eb_sdist *out, struct eb_error *err)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	eb_autofree char *dir =
		eb_make_tempdir(eb_store_tmp(b->store), "source-", err);
	int rc;

	if (!dir)
		return -1;
	rc = eb_step_unpack(b, pin, dir, out, err);
	eb_remove_tree(dir, &ignored);
	return rc;
}

int eb_step_source(struct eb_build *b, struct eb_pin *pin, struct eb_sdist *out,
		   struct eb_error *err)
{
	eb_autofree char *folder = NULL;

	if (pin->source == EB_PIN_SDIST && !pin->subdirectory)
		return unpack_archive(b, pin, NULL, out, err);
	if (pin->source != EB_PIN_DIR)
		return read_checkout(b, pin, out, err);
	folder = eb_step_folder_path(pin);
	if (eb_step_copy_folder(b, pin, NULL, &pin->sha256, err) < 0)
		return -1;
	return read_folder(folder, pin, out, err);
}
