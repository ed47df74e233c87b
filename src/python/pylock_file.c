/* SPDX-License-Identifier: Apache-2.0 */
/* One file of a pylock.toml: its name, its hash, where it is. */
#include <string.h>

#include <envbuild/file.h>
#include <envbuild/json.h>

#include "pip_line.h"
#include "pylock_int.h"

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

char *eb_pylock_file_name(const char *url)
{
	eb_autofree char *path = eb_strndup(url, strcspn(url, "?#"));
	char *slash = strrchr(path, '/'), *from = slash ? slash + 1 : path;
	char *out = eb_malloc(strlen(from) + 1), *to = out;

	for (; *from; from++) {
		if (*from == '%' && hex(from[1]) >= 0 && hex(from[2]) >= 0) {
			*to++ = (char)(hex(from[1]) * 16 + hex(from[2]));
			from += 2;
		} else {
			*to++ = *from;
		}
	}
	*to = 0;
	return out;
}

char *eb_pylock_folder(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash ? eb_strndup(name,
				  (size_t)(slash - name) + (slash == name))
		     : eb_strdup(".");
}

int eb_pylock_bad(const struct eb_pylock_reader *l, const char *package,
		  const char *what, struct eb_error *err)
{
	return eb_err_set(err, EB_INPUT, "\"%s\", package \"%s\": %s", l->name,
			  package, what);
}

char *eb_pylock_name_of(const json_t *file)
{
	const char *name = eb_json_str(file, "name");
	const char *url = eb_json_str(file, "url");

	if (name)
		return eb_strdup(name);
	if (!url)
		url = eb_json_str(file, "path");
	return url ? eb_pylock_file_name(url) : NULL;
}

void eb_pylock_hashes(const json_t *file, struct eb_strv *out)
{
	static const struct {
		const char *name;
		size_t digits;
	} kinds[] = { { "sha256", 64 }, { "sha512", 128 }, { "sha384", 96 } };
	const json_t *hashes = eb_json_obj(file, "hashes");

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		const char *hex = eb_json_str(hashes, kinds[i].name);
		eb_autofree char *low = eb_strdup(hex ? hex : "");

		eb_lower(low);
		if (strlen(low) == kinds[i].digits &&
		    strspn(low, "0123456789abcdef") == kinds[i].digits)
			eb_strv_addf(out, "%s:%s", kinds[i].name, low);
	}
}

static bool any_of_kind(const struct eb_strv *hashes, bool sha256)
{
	for (size_t i = 0; i < hashes->n; i++)
		if (eb_starts(hashes->v[i], "sha256:") == sha256)
			return true;
	return false;
}

/* Whose bytes have to be looked at is wanted as far as can be told here. */
bool eb_pylock_is_wanted(const json_t *file, const struct eb_strv *wanted)
{
	struct eb_strv has EB_CLEANUP(eb_strv_release) = { 0 };

	if (!wanted || wanted->n == 0)
		return true;
	eb_pylock_hashes(file, &has);
	for (size_t i = 0; i < has.n; i++)
		if (eb_strv_has(wanted, has.v[i]))
			return true;
	return any_of_kind(wanted, false) &&
	       (!any_of_kind(wanted, true) || !any_of_kind(&has, true));
}

void eb_pylock_set_url(const struct eb_pylock_reader *l, const json_t *file,
		       struct eb_pin *out)
{
	const char *url = eb_json_str(file, "url");
	const char *path = eb_json_str(file, "path");
	eb_autofree char *local = !path && url ? eb_pip_file_path(url) : NULL;
	eb_autofree char *real = NULL, *whole = NULL;

	if (local)
		path = local;
	if (!path) {
		out->url = eb_pip_clean(url);
		return;
	}
	real = l->place ? l->place(l->data, path) : NULL;
	if (!real)
		real = path[0] == '/' ? eb_strdup(path)
				      : eb_path_join(l->dir, path);
	whole = realpath(real, NULL);
	out->url = eb_asprintf("file://%s", whole ? whole : real);
}

static int take_hash(const struct eb_pylock_reader *l, const json_t *file,
		     struct eb_pin *out, struct eb_error *err)
{
	struct eb_strv has EB_CLEANUP(eb_strv_release) = { 0 };

	eb_pylock_hashes(file, &has);
	if (!has.n)
		return eb_pylock_bad(l, out->name,
				     "a file has no sha256, sha384 or sha512",
				     err);
	if (eb_digest_parse(has.v[0], &out->sha256) < 0)
		eb_strv_add(&out->hash, has.v[0]);
	return 0;
}

int eb_pylock_take_file(const struct eb_pylock_reader *l, const json_t *file,
			struct eb_pin *out, struct eb_error *err)
{
	const char *time = eb_json_str(file, "upload-time");
	json_int_t size = eb_json_int(file, "size", 0);

	if (!eb_json_str(file, "url") && !eb_json_str(file, "path"))
		return eb_pylock_bad(l, out->name,
				     "a file has neither url nor path", err);
	if (take_hash(l, file, out, err) < 0)
		return -1;
	if (size < 0)
		return eb_pylock_bad(l, out->name, "a file has a negative size",
				     err);
	free(out->file);
	out->file = eb_pylock_name_of(file);
	if (!*out->file || *out->file == '.' || strchr(out->file, '/'))
		return eb_pylock_bad(l, out->name,
				     "a file's name is no name of a file", err);
	out->size = (uint64_t)size;
	out->upload_time = eb_strdup(time);
	eb_pylock_set_url(l, file, out);
	return 0;
}
