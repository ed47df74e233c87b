/* SPDX-License-Identifier: Apache-2.0 */
/* What installed projects say of themselves: rows of RECORD, METADATA. */
#include <string.h>
#include <strings.h>

#include <envbuild/installed.h>

#include "wheel_int.h"

int eb_installed_rows(const char *text, size_t len, const char *what,
		      eb_installed_row_fn *fn, void *data, struct eb_error *err)
{
	struct eb_wheel_csv c EB_CLEANUP(eb_wheel_csv_release) = {
		.at = text, .end = text + len, .line = 1
	};
	int got;

	while ((got = eb_wheel_csv_next(&c)) > 0)
		if (fn(data, c.field[0], c.field[1], c.field[2], err) < 0)
			return -1;
	if (got < 0)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\", line %u: a quote is not closed",
				  what, c.line);
	return 0;
}

/* One component more, or less; -1: there is none to go back from. */
static int step(struct eb_strv *out, const char *piece)
{
	if (!*piece || !strcmp(piece, "."))
		return 0;
	if (strcmp(piece, "..") != 0) {
		eb_strv_add(out, piece);
		return 0;
	}
	if (!out->n)
		return -1;
	free(out->v[--out->n]);
	out->v[out->n] = NULL;
	return 0;
}

static int steps(struct eb_strv *out, const char *path)
{
	struct eb_strv piece EB_CLEANUP(eb_strv_release) = { 0 };

	eb_strv_split(&piece, path, "/");
	for (size_t i = 0; i < piece.n; i++)
		if (step(out, piece.v[i]) < 0)
			return -1;
	return 0;
}

char *eb_installed_path(const char *top, const char *folder, const char *path)
{
	struct eb_strv piece EB_CLEANUP(eb_strv_release) = { 0 };
	size_t n = strlen(top);
	EB_AUTOBUF(text, EB_MAX_TEXT);

	if (*path == '/') {
		if (strncmp(path, top, n) != 0 || path[n] != '/')
			return NULL;
		path += n;
		folder = "";
	}
	if (steps(&piece, folder) < 0 || steps(&piece, path) < 0 || !piece.n)
		return NULL;
	for (size_t i = 0; i < piece.n; i++)
		eb_buf_addf(&text, "%s%s", i ? "/" : "", piece.v[i]);
	return eb_buf_steal(&text, NULL);
}

/* --- METADATA ----------------------------------------------------------------
 */
#define REQUIRES "Requires-Dist"

/* The headers from here on; the end when there is no such field more. */
static const char *find_field(const char *at, const char *end)
{
	size_t n = strlen(REQUIRES);

	while (at < end && *at != '\n' && *at != '\r') {
		const char *nl = memchr(at, '\n', (size_t)(end - at));

		if ((size_t)(end - at) > n && at[n] == ':' &&
		    strncasecmp(at, REQUIRES, n) == 0)
			return at;
		at = nl ? nl + 1 : end;
	}
	return end;
}

static void read_requires(const char *text, size_t len, struct eb_strv *out)
{
	const char *end = text + len, *at = find_field(text, end), *nl;

	for (; at < end; at = find_field(nl ? nl + 1 : end, end)) {
		char *value = eb_wheel_header(at, (size_t)(end - at), REQUIRES);

		if (value)
			eb_strv_take(out, value);
		nl = memchr(at, '\n', (size_t)(end - at));
	}
}

int eb_installed_parse(const char *text, size_t len, const char *what,
		       struct eb_installed *out, struct eb_error *err)
{
	memset(out, 0, sizeof *out);
	if (eb_wheel_read_metadata(text, len, what, &out->name, &out->version,
				   err) < 0)
		return -1;
	read_requires(text, len, &out->requires);
	return 0;
}

void eb_installed_release(struct eb_installed *p)
{
	free(p->name);
	free(p->version);
	eb_strv_release(&p->requires);
}
