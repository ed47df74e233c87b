/* SPDX-License-Identifier: Apache-2.0 */
/* The record of a package that no channel tells of: its own info/index.json,
 * with the place, the hashes and the size of its file. */
#include <string.h>

#include <envbuild/file.h>
#include <envbuild/json.h>
#include <envbuild/package.h>

#include "build_private.h"
#include "package_record.h"

#define SPOOL_MEMORY ((size_t)24 << 20)

static int read_index(const struct eb_package *p, const struct eb_record *place,
		      struct eb_record *out, struct eb_error *err)
{
	const struct eb_package_info *info = eb_package_info(p, "index.json");
	eb_autojson json_t *j = NULL;

	if (!info)
		return eb_err_set(err, EB_INPUT,
				  "package \"%s\" has no info/index.json",
				  place->fn);
	j = eb_json_parse(info->text, info->size, place->fn, err);
	return j ? eb_record_from_json(j, place->fn, place->subdir, out, err)
		 : -1;
}

static int check_identity(const struct eb_record *place,
			  const struct eb_record *own, struct eb_error *err)
{
	if (!strcmp(place->name, own->name) &&
	    !strcmp(place->version, own->version) &&
	    !strcmp(place->build, own->build))
		return 0;
	return eb_err_set(err, EB_INPUT,
			  "package \"%s\" says of itself that it is %s %s %s",
			  place->fn, own->name, own->version, own->build);
}

static void set_text(char **to, const char *from)
{
	if (!from)
		return;
	free(*to);
	*to = eb_strdup(from);
}

static int take_place(struct eb_record *own, const struct eb_record *place,
		      int fd, struct eb_error *err)
{
	set_text(&own->subdir, place->subdir);
	set_text(&own->channel, place->channel);
	set_text(&own->url, place->url);
	own->has_sha256 = true;
	return eb_sha256_fd(fd, &own->sha256, &own->size, err) < 0
		       ? -1
		       : eb_md5_fd(fd, own->size, place->fn, own->md5, err);
}

int eb_package_record(struct eb_resolver *r, const struct eb_record *place,
		      struct eb_record *out, struct eb_error *err)
{
	const struct eb_config *c = r->config;
	const struct eb_package_limits limits = {
		.members = c->limit[EB_LIMIT_PACKAGE_MEMBERS],
		.member_size = c->limit[EB_LIMIT_MEMBER_SIZE],
		.metadata = c->limit[EB_LIMIT_METADATA_SIZE],
	};
	EB_CLEANUP(eb_package_release) struct eb_package package = { 0 };
	struct eb_record own EB_CLEANUP(eb_record_release) = { 0 };
	eb_autofd int fd = eb_open_package(r, place, err);

	if (fd < 0 ||
	    eb_package_read(fd, place, &limits, eb_store_tmp(r->store),
			    SPOOL_MEMORY, &package, err) < 0 ||
	    read_index(&package, place, &own, err) < 0 ||
	    check_identity(place, &own, err) < 0 ||
	    take_place(&own, place, fd, err) < 0)
		return -1;
	*out = own;
	own = (struct eb_record){ 0 };
	return 0;
}
