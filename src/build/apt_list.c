/* SPDX-License-Identifier: Apache-2.0 */
/* What --apt names: lists, and files as repo2docker's apt.txt. */
#include <string.h>

#include <envbuild/buf.h>
#include <envbuild/file.h>

#include "apt.h"

#define FILE_MAX ((size_t)64 << 10)
#define SPACE ", \t\r"
#define LOWER "abcdefghijklmnopqrstuvwxyz"
#define UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS "0123456789"

/* A final minus would take the package away. */
bool eb_apt_is_package(const char *text)
{
	size_t n = strspn(text, LOWER DIGITS "+-.");
	const char *version = text[n] == '=' ? text + n + 1 : NULL;

	if (n < 2 || strchr("+-.", *text) || text[n - 1] == '-')
		return false;
	if (!version)
		return !text[n];
	return *version && strchr(DIGITS, *version) &&
	       !version[strspn(version, LOWER UPPER DIGITS ".+~:-")];
}

static bool is_file(const char *value)
{
	return strchr(value, '/') || eb_ends(value, ".txt");
}

static int refuse(enum eb_code code, const char *what, struct eb_error *err)
{
	eb_err_set(err, code, "\"%s\" (--apt) is no name of a Debian package",
		   what);
	return eb_err_hint(err, "write NAME or NAME=VERSION; a file's name has "
				"a slash or ends in .txt");
}

static int add_words(const char *text, enum eb_code code, struct eb_strv *out,
		     struct eb_error *err)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv words = { 0 };

	eb_strv_split(&words, text, SPACE);
	for (size_t i = 0; i < words.n; i++) {
		if (!*words.v[i])
			continue;
		if (!eb_apt_is_package(words.v[i]))
			return refuse(code, words.v[i], err);
		eb_strv_add(out, words.v[i]);
	}
	return 0;
}

static int add_file(const char *path, struct eb_strv *out, struct eb_error *err)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv lines = { 0 };
	EB_AUTOBUF(text, FILE_MAX);

	if (eb_read_file(path, FILE_MAX, &text, err) < 0)
		return eb_err_prefix(err, "--apt");
	if (strlen(text.data) != text.len)
		return eb_err_set(err, EB_INPUT, "\"%s\" (--apt) is no text",
				  path);
	eb_strv_split(&lines, text.data, "\n");
	for (size_t i = 0; i < lines.n; i++) {
		lines.v[i][strcspn(lines.v[i], "#")] = '\0';
		if (add_words(lines.v[i], EB_INPUT, out, err) < 0)
			return eb_err_at(err, path, (unsigned)i + 1, 1);
	}
	return 0;
}

static int check_versions(const struct eb_strv *list, struct eb_error *err)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv names = { 0 };

	for (size_t i = 0; i < list->n; i++)
		eb_strv_addf(&names, "%.*s", (int)strcspn(list->v[i], "="),
			     list->v[i]);
	eb_strv_sort(&names);
	for (size_t i = 1; i < names.n; i++)
		if (!strcmp(names.v[i - 1], names.v[i]))
			return eb_err_set(err, EB_INPUT,
					  "\"%s\" (--apt) is asked for in two "
					  "versions",
					  names.v[i]);
	return 0;
}

int eb_apt_read(const struct eb_strv *given, struct eb_strv *out,
		struct eb_error *err)
{
	for (size_t i = 0; i < given->n; i++)
		if ((is_file(given->v[i])
			     ? add_file(given->v[i], out, err)
			     : add_words(given->v[i], EB_USAGE, out, err)) < 0)
			return -1;
	eb_strv_sort(out);
	eb_strv_unique(out);
	return check_versions(out, err);
}
