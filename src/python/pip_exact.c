/* SPDX-License-Identifier: Apache-2.0 */
/* What a pip line asks for as a resolver reads it: as it is written, its paths
 * absolute. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/buf.h>
#include <envbuild/file.h>
#include <envbuild/mem.h>

#include "pip_line.h"

/* ---- paths
 * --------------------------------------------------------------------- */

/* Without "." and empty components; ".." stays. */
static char *without_dots(const char *path)
{
	struct eb_strv part EB_CLEANUP(eb_strv_release) = { 0 };
	EB_AUTOBUF(out, EB_MAX_CONFIG);

	eb_strv_split(&part, path, "/");
	for (size_t i = 0; i < part.n; i++)
		if (*part.v[i] && strcmp(part.v[i], ".") != 0)
			eb_buf_addf(&out, "/%s", part.v[i]);
	return out.len ? eb_buf_steal(&out, NULL) : eb_strdup("/");
}

static char *resolved(const char *path)
{
	char *real = realpath(path, NULL);

	return real ? real : eb_strdup(path);
}

/* ".." leads where the machine says, through links; the last name stays as it
 * is, for a link to a wheel need not have a wheel's name. */
static char *without_parents(char *path)
{
	char *slash = strrchr(path, '/');
	eb_autofree char *folder = NULL, *real = NULL;
	eb_autofree char *whole = path;

	if (!strstr(path, "/../") && !eb_ends(path, "/.."))
		return eb_steal(whole);
	if (strcmp(slash, "/..") == 0)
		return resolved(path);
	folder = eb_strndup(path, (size_t)(slash - path));
	real = resolved(*folder ? folder : "/");
	return eb_path_join(real, slash + 1);
}

char *eb_pip_absolute(const char *dir, const char *path)
{
	eb_autofree char *here =
		*path == '/' || *dir == '/' ? NULL : getcwd(NULL, 0);
	eb_autofree char *whole =
		*path == '/'
			? eb_strdup(path)
			: eb_asprintf("%s/%s/%s", here ? here : "", dir, path);

	return without_parents(without_dots(whole));
}

void eb_pip_add_quoted(struct eb_buf *out, const char *path)
{
	for (; *path; path++) {
		unsigned char c = (unsigned char)*path;

		if (c <= ' ' || c >= 0x7f || strchr("%?#\"<>;", c))
			eb_buf_addf(out, "%%%02X", c);
		else
			eb_buf_addch(out, *path);
	}
}

char *eb_pip_absolute_url(const char *dir, const char *url)
{
	eb_autofree char *path = eb_pip_file_path(url);
	eb_autofree char *absolute = NULL;
	EB_AUTOBUF(out, EB_MAX_CONFIG);

	if (!path || *path == '/')
		return eb_strdup(url);
	absolute = eb_pip_absolute(dir, path);
	eb_buf_adds(&out, "file://");
	eb_pip_add_quoted(&out, absolute);
	eb_buf_adds(&out, url + strcspn(url, "?#"));
	return eb_buf_steal(&out, NULL);
}

/* ---- texts
 * --------------------------------------------------------------------- */

static void set(struct eb_pip_exact *e, const char *before, const char *what,
		const char *marker)
{
	marker += strspn(marker, "; ");
	e->marker = *marker ? eb_strdup(marker) : NULL;
	e->text = eb_asprintf("%s%s%s%s", before, what, *marker ? " ; " : "",
			      marker);
}

void eb_pip_exact_requirement(struct eb_pip_exact *e, const char *args,
			      const char *marker)
{
	eb_autofree char *head = eb_strndup(args, strcspn(args, ";"));

	if (e)
		set(e, eb_strip(head), "", marker);
}

void eb_pip_exact_url(struct eb_pip_exact *e, const char *url,
		      const char *before, const char *marker)
{
	eb_autofree char *path = NULL;
	char *absolute;

	if (!e)
		return;
	absolute = eb_pip_absolute_url(e->dir, url);
	path = eb_pip_file_path(absolute);
	if (path)
		e->path = eb_pip_absolute("/", path);
	set(e, eb_starts(before, "-e ") ? "" : before, absolute, marker);
	eb_wipe(absolute);
}

void eb_pip_exact_path(struct eb_pip_exact *e, const char *path,
		       const char *extras, const char *marker)
{
	if (!e)
		return;
	e->path = eb_pip_absolute(e->dir, path);
	set(e, e->path, extras, marker);
}

void eb_pip_exact_release(struct eb_pip_exact *e)
{
	eb_wipe(e->text);
	free(e->path);
	free(e->marker);
	memset(e, 0, sizeof *e);
}
