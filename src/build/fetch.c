/* SPDX-License-Identifier: Apache-2.0 */
/* Where a package's archive comes from; hashes of those that have none. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/file.h>

#include "build_private.h"
#include "conda_settings.h"

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

char *eb_file_url_path(const char *url)
{
	char *path, *to;

	if (!eb_starts(url, "file://"))
		return NULL;
	path = to = eb_strdup(url + strlen("file://"));
	for (const char *p = path; *p; p++) {
		if (*p == '%' && hex_digit(p[1]) >= 0 && hex_digit(p[2]) >= 0) {
			*to++ = (char)(hex_digit(p[1]) << 4 | hex_digit(p[2]));
			p += 2;
		} else {
			*to++ = *p;
		}
	}
	*to = 0;
	return path;
}

/* What the definition writes of its indexes counts, as far as it is at hand. */
static struct eb_indexes *indexes(struct eb_build *b)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_CLEANUP(eb_pip_set_release) struct eb_pip_set set = { 0 };

	if (b->indexes)
		return b->indexes;
	b->indexes = eb_calloc(1, sizeof *b->indexes);
	if ((b->env && b->env->spec &&
	     eb_spec_pip_set(b->env->spec, &set, &err) < 0) ||
	    eb_indexes_read(&set, b->indexes, b->events, &err) < 0)
		eb_warn(b->events, "%s; files are fetched without it",
			err.message);
	return b->indexes;
}

int eb_pin_has_place(const struct eb_pin *pin, struct eb_error *err)
{
	if (pin->url)
		return 0;
	eb_err_set(err, EB_INPUT,
		   "the lock does not say where \"%s\" is to be had",
		   pin->file);
	return eb_err_hint(err, "renew it with --update-lock");
}

char *eb_fetch_login(struct eb_build *b, const char *url)
{
	return eb_starts(url, "http") ? eb_index_login(indexes(b), url)
				      : eb_strdup(url);
}

char *eb_fetch_pin_url(struct eb_build *b, const struct eb_pin *pin)
{
	return eb_index_login(indexes(b), pin->url);
}

int eb_fetch_pin_way(struct eb_build *b, struct eb_index_way *way,
		     struct eb_http_request *r, struct eb_error *err)
{
	return eb_index_request(indexes(b), way, r, err);
}

int eb_md5_fd(int fd, uint64_t size, const char *what, char hex[33],
	      struct eb_error *err)
{
	char chunk[1 << 16];
	struct eb_md5 md5;

	eb_md5_init(&md5);
	for (uint64_t at = 0; at < size;) {
		size_t n = size - at < sizeof chunk ? size - at : sizeof chunk;

		if (eb_pread_all(fd, chunk, n, at, what, err) < 0)
			return -1;
		eb_md5_add(&md5, chunk, n);
		at += n;
	}
	eb_md5_end(&md5, hex);
	return 0;
}

static int md5_matches(int fd, uint64_t size, const struct eb_record *r,
		       struct eb_error *err)
{
	char hex[33];

	if (eb_md5_fd(fd, size, r->fn, hex, err) < 0)
		return -1;
	if (!strcmp(hex, r->md5))
		return 0;
	return eb_err_set(err, EB_INTEGRITY,
			  "package \"%s\" has MD5 %s, its record says %s",
			  r->fn, hex, r->md5);
}

static int complete(struct eb_resolver *r, int fd, struct eb_record *record,
		    struct eb_error *err)
{
	uint64_t said = record->size;

	if (eb_sha256_fd(fd, &record->sha256, &record->size, err) < 0)
		return -1;
	record->has_sha256 = true;
	if (said && said != record->size)
		return eb_err_set(err, EB_INTEGRITY,
				  "package \"%s\" has %llu bytes, its record "
				  "says %llu",
				  record->fn, (unsigned long long)record->size,
				  (unsigned long long)said);
	if (record->md5[0])
		return md5_matches(fd, record->size, record, err);
	eb_warn(r->events,
		"package \"%s\" has neither sha256 nor md5 in its channel: "
		"taken as it came",
		record->fn);
	return 0;
}

static int open_oci(struct eb_resolver *r, const struct eb_record *record,
		    struct eb_error *err)
{
	EB_CLEANUP(eb_registry_free_ptr)
	struct eb_registry *registry =
		eb_channel_registry(NULL, r->config, r->events);
	eb_autofd int fd = eb_unnamed_file(eb_store_tmp(r->store), err);

	if (fd < 0 || eb_oci_package_get(registry, record, fd, err) < 0)
		return -1;
	return eb_steal_fd(&fd);
}

static int open_at(struct eb_resolver *r, const struct eb_record *record,
		   const struct eb_channel_way *way, struct eb_error *err)
{
	eb_autofree char *path = eb_file_url_path(way->shown);
	struct eb_record at = *record;
	eb_autofd int fd = -1;
	struct eb_http_request request = { .task = record->fn };

	if (eb_fetch_may_ask(r->config, way->shown, err) < 0)
		return -1;
	if (path) {
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			return eb_err_errno(err, EB_NETWORK, errno,
					    "package \"%s\"", path);
		return eb_steal_fd(&fd);
	}
	at.url = way->shown;
	if (eb_channel_is_oci(way->shown))
		return open_oci(r, &at, err);
	eb_channel_way_ask(way, &request);
	fd = eb_unnamed_file(eb_store_tmp(r->store), err);
	if (fd < 0)
		return -1;
	request.fd = fd;
	eb_http_add(r->http, &request);
	if (eb_http_run(r->http, err) < 0)
		return -1;
	if (eb_err_is_set(&request.err)) {
		eb_err_move(err, &request.err);
		eb_http_request_release(&request);
		return -1;
	}
	eb_http_request_release(&request);
	return eb_steal_fd(&fd);
}

/* At the first place that has it. */
int eb_open_package(struct eb_resolver *r, const struct eb_record *record,
		    struct eb_error *err)
{
	EB_CLEANUP(eb_channel_ways_release) struct eb_channel_ways ways = { 0 };
	int fd = -1;

	if (eb_fetch_ways(r->config, r->env, record, &ways, err) < 0)
		return -1;
	for (size_t i = 0; fd < 0 && i < ways.n; i++) {
		eb_err_release(err);
		fd = open_at(r, record, &ways.way[i], err);
	}
	return fd;
}

int eb_complete_hashes(struct eb_resolver *r, struct eb_lock *lock,
		       struct eb_error *err)
{
	for (size_t i = 0; i < lock->n; i++) {
		struct eb_record *record = &lock->package[i].record;
		eb_autofd int fd = -1;

		if (record->has_sha256 && record->size)
			continue;
		fd = eb_open_package(r, record, err);
		if (fd < 0 || complete(r, fd, record, err) < 0)
			return -1;
	}
	return 0;
}
