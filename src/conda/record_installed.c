/* SPDX-License-Identifier: Apache-2.0 */
/* Records of installed packages: conda-meta/NAME-VERSION-BUILD.json. */
#include <string.h>

#include <envbuild/json.h>
#include <envbuild/mem.h>
#include <envbuild/record.h>

#define MAX_URL 4096

static int refuse(const struct eb_record *r, const char *file, const char *why,
		  struct eb_error *err)
{
	eb_err_set(err, EB_INPUT, "\"%s\": %s %s %s %s", file, r->name,
		   r->version, r->build, why);
	return eb_err_hint(err, "install it from a channel, then every machine "
				"can have it");
}

/* https, http or file, and a host or path behind it. */
static bool is_url(const char *url)
{
	static const char *const schemes[] = { "https://", "http://",
					       "file:///" };

	for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
		if (url && eb_starts(url, schemes[i]) &&
		    url[strlen(schemes[i])])
			return true;
	return false;
}

/* It becomes part of texts and of a file's name. */
static bool is_plain(const char *s)
{
	while ((unsigned char)*s > ' ' && *s != 127)
		s++;
	return !*s;
}

static bool is_package(const char *name)
{
	return strlen(name) <= 255 && *name != '.' &&
	       (eb_ends(name, ".conda") || eb_ends(name, ".tar.bz2"));
}

static void replace(char **place, char *value)
{
	free(*place);
	*place = value;
}

/* CHANNEL/SUBDIR/FILE; tools differ in what they call the channel, and old
 * ones leave the ending of the file out. */
static int take_place(struct eb_record *r, const char *file,
		      struct eb_error *err)
{
	const char *name = strrchr(r->url, '/') + 1, *folder = name - 1;
	size_t n;

	if (!is_package(name) || strpbrk(name, "?#"))
		return refuse(r, file, "has a URL that names no package", err);
	while (folder > r->url && folder[-1] != '/')
		folder--;
	n = (size_t)(name - 1 - folder);
	if (!r->subdir || strlen(r->subdir) != n ||
	    strncmp(r->subdir, folder, n) != 0)
		folder = name; /* a folder of packages is a channel, too */
	replace(&r->fn, eb_strdup(name));
	replace(&r->channel, eb_strndup(r->url, (size_t)(folder - 1 - r->url)));
	return 0;
}

int eb_record_installed(const json_t *j, const char *file,
			struct eb_record *out, struct eb_error *err)
{
	struct eb_record r EB_CLEANUP(eb_record_release) = { 0 };
	const char *slash = strrchr(file, '/');

	if (eb_record_from_json(j, slash ? slash + 1 : file, NULL, &r, err) < 0)
		return -1;
	if (!is_url(r.url))
		return refuse(&r, file,
			      "says no URL: it cannot be had any more", err);
	if (strlen(r.url) > MAX_URL)
		return refuse(&r, file, "has a URL of more than 4096 bytes",
			      err);
	if (!is_plain(r.url))
		return refuse(&r, file, "has a URL with blanks in it", err);
	if (take_place(&r, file, err) < 0)
		return -1;
	*out = r;
	r = (struct eb_record){ 0 };
	return 0;
}

bool eb_record_was_requested(const json_t *j)
{
	const char *spec = eb_json_str(j, "requested_spec");

	/* "None" is what conda writes where nobody asked for it. */
	if (spec && *spec && strcmp(spec, "None") != 0)
		return true;
	return json_array_size(eb_json_arr(j, "requested_specs")) > 0;
}
