/* SPDX-License-Identifier: Apache-2.0 */
/* One file of a pylock.toml: its name, its hash, where it is. */
#include <string.h>

#include <envbuild/file.h>
#include <envbuild/json.h>

#include "pip_line.h"
#include "pylock.h"

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

/* "sha256:<hex>" among those that are asked for, where any are. */
bool eb_pylock_is_wanted(const json_t *file, const struct eb_strv *wanted)
{
	const char *sha = eb_json_str(eb_json_obj(file, "hashes"), "sha256");
	eb_autofree char *text = eb_asprintf("sha256:%s", sha ? sha : "");

	if (!wanted || wanted->n == 0)
		return true;
	eb_lower(text);
	return eb_strv_has(wanted, text);
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
		out->url = eb_index_shown(url);
		return;
	}
	real = l->place ? l->place(l->data, path) : NULL;
	if (!real)
		real = path[0] == '/' ? eb_strdup(path)
				      : eb_path_join(l->dir, path);
	whole = realpath(real, NULL);
	out->url = eb_asprintf("file://%s", whole ? whole : real);
}

/* Fields of one file; the hash has to be there. */
int eb_pylock_take_file(const struct eb_pylock_reader *l, const json_t *file,
			struct eb_pin *out, struct eb_error *err)
{
	const char *sha = eb_json_str(eb_json_obj(file, "hashes"), "sha256");
	const char *time = eb_json_str(file, "upload-time");
	json_int_t size = eb_json_int(file, "size", 0);

	if (!eb_json_str(file, "url") && !eb_json_str(file, "path"))
		return eb_pylock_bad(l, out->name,
				     "a file has neither url nor path", err);
	if (!sha || eb_digest_parse(sha, &out->sha256) < 0)
		return eb_pylock_bad(l, out->name, "a file has no sha256", err);
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
