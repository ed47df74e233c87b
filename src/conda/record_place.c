/* SPDX-License-Identifier: Apache-2.0 */
/* What the place of a package file tells of it: CHANNEL/SUBDIR/FILE. */
#include <ctype.h>
#include <string.h>

#include <envbuild/channel.h>
#include <envbuild/mem.h>
#include <envbuild/record.h>

#include "channel_url.h"
#include "matchspec_parts.h"

#define MAX_PLACE 4096

static int no_package(const char *text, const char *why, struct eb_error *err)
{
	eb_autofree char *shown = eb_url_redact(text);

	return eb_err_set(err, EB_INPUT, "\"%s\" %s", shown, why);
}

/* A letter or digit in front, and nothing that a path or a text would take
 * otherwise. */
static bool is_part(const char *s)
{
	if (!*s || *s == '.' || strlen(s) > 255)
		return false;
	for (; *s; s++)
		if (!isalnum((unsigned char)*s) && !strchr("._+!~-", *s))
			return false;
	return true;
}

/* NAME-VERSION-BUILD.ENDING: the name may hold dashes. */
static int take_name(struct eb_record *r, const char *place,
		     struct eb_error *err)
{
	size_t end = strlen(eb_ends(r->fn, ".conda") ? ".conda" : ".tar.bz2");
	eb_autofree char *stem = eb_strndup(r->fn, strlen(r->fn) - end);
	char *build = strrchr(stem, '-'), *version;

	if (build)
		*build++ = '\0';
	version = build ? strrchr(stem, '-') : NULL;
	if (version)
		*version++ = '\0';
	if (!version || !is_part(stem) || !is_part(version) || !is_part(build))
		return no_package(place,
				  "is no package: its file is not called "
				  "NAME-VERSION-BUILD.conda or .tar.bz2",
				  err);
	r->name = eb_strdup(stem);
	r->version = eb_strdup(version);
	r->build = eb_strdup(build);
	eb_lower(r->name);
	return 0;
}

/* `folder`: all before the file's name. */
static int take_channel(struct eb_record *r, char *folder, const char *file,
			char **channel, struct eb_error *err)
{
	size_t n = eb_channel_without_subdir(folder);
	eb_autofree char *normal = NULL;

	if (folder[n]) {
		r->subdir = eb_strdup(folder + n + 1);
		folder[n] = '\0';
	}
	normal = eb_channel_url_normal(folder);
	if (!normal)
		return no_package(folder,
				  "is no place of packages: it has to be "
				  "http, https, oci or file",
				  err);
	r->channel = eb_channel_canonical(normal);
	r->url = r->subdir
			 ? eb_asprintf("%s/%s/%s", r->channel, r->subdir, file)
			 : eb_asprintf("%s/%s", r->channel, file);
	*channel = eb_steal(normal);
	return 0;
}

static int fill(const char *url, struct eb_record *r, char **channel,
		struct eb_error *err)
{
	const char *slash = strrchr(url, '/');
	eb_autofree char *folder = eb_strndup(url, (size_t)(slash - url));

	r->fn = eb_strdup(slash + 1);
	eb_percent_decode(r->fn);
	if (!eb_matchspec_is_file(r->fn))
		return no_package(url,
				  "is no package: its name ends neither in "
				  ".conda nor in .tar.bz2",
				  err);
	return take_name(r, url, err) < 0
		       ? -1
		       : take_channel(r, folder, slash + 1, channel, err);
}

int eb_record_of_place(const char *text, struct eb_record *out, char **channel,
		       struct eb_error *err)
{
	struct eb_record r EB_CLEANUP(eb_record_release) = { 0 };
	eb_autofree char *whole = eb_channel_expand(text, MAX_PLACE, err);
	eb_autofree char *url = whole ? eb_package_url(whole, err) : NULL;

	if (!url || fill(url, &r, channel, err) < 0)
		return -1;
	*out = r;
	r = (struct eb_record){ 0 };
	return 0;
}
