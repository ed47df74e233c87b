/* SPDX-License-Identifier: Apache-2.0 */
/* What a pip line asks for: a requirement, a URL, a path, something editable;
 * told apart by their looks, as pip does. */
#include <string.h>

#include <envbuild/buf.h>
#include <envbuild/mem.h>

#include "pep508.h"
#include "pip_line.h"

struct source {
	const struct eb_secrets *secrets;
	struct eb_requirement *out;
	struct eb_pip_exact *exact; /* or NULL */
	struct eb_error *err;
};

/* ---- texts
 * --------------------------------------------------------------------- */

static char *clean(const struct source *s, const char *url)
{
	return eb_secrets_hide(s->secrets, eb_pip_clean(url), true);
}

static void add_extras(struct eb_buf *out, const struct eb_strv *extras)
{
	for (size_t i = 0; i < extras->n; i++)
		eb_buf_addf(out, "%s%s", i ? "," : "[", extras->v[i]);
	if (extras->n)
		eb_buf_addch(out, ']');
}

/* Something with a path: what is before and behind it (its own). */
static void set_path(struct source *s, char *path, const char *before,
		     const char *behind)
{
	s->out->argument = path;
	s->out->before = eb_strdup(before);
	s->out->behind = eb_strdup(behind);
}

/* ---- markers, extras, names
 * -------------------------------------------------------- */

/* "; python_version < "3"" of what stands behind the semicolon (NULL and
 * blanks: nothing) */
static char *marker_text(struct source *s, const char *raw)
{
	eb_autofree char *normal = NULL;

	if (!raw || !raw[strspn(raw, " \t")])
		return eb_strdup("");
	normal = eb_marker_normal(raw, s->err);
	return normal ? eb_asprintf("; %s", normal) : NULL;
}

/* "./x[a,b]": cuts the extras off `path`; their normal text into `out`. */
static int cut_extras(struct source *s, char *path, struct eb_buf *out)
{
	struct eb_strv extras EB_CLEANUP(eb_strv_release) = { 0 };
	char *open = strrchr(path, '[');
	const char *at = open;

	if (!eb_ends(path, "]") || !open || open == path)
		return 0;
	if (eb_extras_parse(&at, &extras, s->err) < 0)
		return -1;
	*open = '\0';
	eb_strip(path);
	add_extras(out, &extras);
	return 0;
}

/* The name of `#egg=`, of a wheel; none is no error. */
static int set_name(struct source *s, const char *url)
{
	eb_autofree char *egg = eb_pip_egg(url);
	const char *base = strrchr(url, '/');
	eb_autofree char *file = NULL;
	size_t n;

	if (egg) {
		n = eb_name_length(egg);
		if (!n || egg[n])
			return eb_err_set(s->err, EB_INPUT,
					  "#egg=%s: no name of a project", egg);
		s->out->name = eb_project_name(egg);
		return 0;
	}
	base = base ? base + 1 : url;
	file = eb_strndup(base, strcspn(base, "?#"));
	n = strcspn(file, "-");
	if (!eb_ends(file, ".whl") || !file[n])
		return 0;
	file[n] = '\0';
	s->out->name = eb_project_name(file);
	return 0;
}

/* ---- URLs
 * ------------------------------------------------------------------------- */

static int check_url(struct source *s, const char *url)
{
	const char *p = strchr(url, ':') + 1;

	if (strpbrk(url, " \t"))
		return eb_err_set(s->err, EB_INPUT,
				  "a URL with white space in it");
	if (strncasecmp(url, "file:", 5) != 0 && (!eb_starts(p, "//") || !p[2]))
		return eb_err_set(s->err, EB_INPUT,
				  "a URL without \"//\" and a host");
	return 0;
}

/* A URL and what comes behind it. */
static int set_url(struct source *s, const char *url, const char *before,
		   const char *marker)
{
	eb_autofree char *shown = clean(s, url);
	eb_autofree char *behind = NULL;
	char *path = eb_pip_file_path(url);

	s->out->text = eb_asprintf("%s%s%s", before, shown, marker);
	eb_pip_exact_url(s->exact, url, before, marker);
	if (!path)
		return 0;
	behind = eb_asprintf("%s%s", shown + strcspn(shown, "?#"), marker);
	set_path(s, path, before, behind);
	return 0;
}

/* `URL ; marker` */
static int parse_url(struct source *s, const char *args)
{
	const char *semicolon = strstr(args, "; ");
	size_t n = semicolon ? (size_t)(semicolon - args) : strlen(args);
	eb_autofree char *url = eb_strndup(args, n);
	eb_autofree char *marker = NULL;

	eb_strip(url);
	s->out->kind = EB_REQ_URL;
	if (check_url(s, url) < 0 || set_name(s, url) < 0)
		return -1;
	marker = marker_text(s, semicolon ? semicolon + 1 : NULL);
	if (!marker)
		return -1;
	return set_url(s, url, "", marker);
}

/* ---- paths
 * ------------------------------------------------------------------------- */

static int parse_path(struct source *s, const char *args)
{
	eb_autofree char *path = eb_strndup(args, strcspn(args, ";"));
	const char *semicolon = strchr(args, ';');
	eb_autofree char *marker = NULL;
	EB_AUTOBUF(behind, EB_MAX_CONFIG);

	eb_strip(path);
	s->out->kind = EB_REQ_PATH;
	if (cut_extras(s, path, &behind) < 0 || set_name(s, path) < 0)
		return -1;
	marker = marker_text(s, semicolon ? semicolon + 1 : NULL);
	if (!marker)
		return -1;
	eb_pip_exact_path(s->exact, path, behind.data, marker);
	eb_buf_adds(&behind, marker);
	s->out->text = eb_asprintf("%s%s", path, behind.data);
	set_path(s, eb_steal(path), "", behind.data);
	return 0;
}

/* Before pip looks for a name: a path by its first byte or its ending. */
static bool is_path(const char *args)
{
	eb_autofree char *path = eb_strndup(args, strcspn(args, ";"));
	char *open = strrchr(path, '[');

	eb_strip(path);
	if (*path == '.' || *path == '/')
		return true;
	if (open && eb_ends(path, "]"))
		*open = '\0';
	return !strpbrk(path, "@ ") && eb_pip_is_archive(path);
}

/* After no name was found there. */
static bool may_be_path(const char *args)
{
	size_t n = strcspn(args, ";");

	return memchr(args, '/', n) && !memchr(args, ' ', n) &&
	       !strstr(args, "://") && !memchr(args, '@', n);
}

/* ---- requirements
 * ------------------------------------------------------------------ */

static void hint(struct eb_error *err, const char *args)
{
	size_t n = eb_name_length(args), v;
	const char *p = args + n;

	if (*args == '"' || *args == '\'')
		eb_err_hint(err, "leave the quotes out");
	else if (eb_starts(args, "git://"))
		eb_err_hint(err, "pip wants git+https:// (or git+git://) here");
	else if (eb_starts(args, "git@") || eb_starts(args, "git+git@"))
		eb_err_hint(err, "put git+ssh:// in front, and a \"/\" in "
				 "place of the \":\" behind the host");
	else if (eb_starts(p, "::"))
		eb_err_hint(err,
			    "channels are conda's: the line belongs to "
			    "the dependencies above, or is \"%s\" here",
			    p + 2);
	else if (n && *p == '=' && p[1] != '=' && p[1] != '>' && p[1] != '<') {
		v = strcspn(p + 1, "= \t");
		eb_err_hint(err,
			    "that is conda's way to write it; pip's is "
			    "\"%.*s==%.*s\"",
			    (int)n, args, (int)v, p + 1);
	}
}

/* What the grammar lets through and pip can do nothing with. */
static int check_requirement(struct source *s, const struct eb_pep508 *r)
{
	if (eb_ends(r->name, "-"))
		return eb_err_set(s->err, EB_INPUT,
				  "a project's name ends in a letter or digit");
	if (!r->url || eb_pip_is_url(r->url))
		return 0;
	eb_err_set(s->err, EB_INPUT, "no URL that pip takes behind \"@\"");
	return eb_err_hint(s->err, "it begins with https://, file:///, "
				   "git+https://, git+ssh:// and so on");
}

static int set_requirement(struct source *s, const struct eb_pep508 *r,
			   const char *args)
{
	EB_AUTOBUF(text, EB_MAX_CONFIG);
	eb_autofree char *marker =
		r->marker ? eb_asprintf("%s; %s", r->url ? " " : "", r->marker)
			  : eb_strdup("");

	s->out->kind = EB_REQ_REQUIREMENT;
	s->out->name = eb_strdup(r->name);
	eb_buf_adds(&text, r->name);
	add_extras(&text, &r->extras);
	for (size_t i = 0; i < r->specifiers.n; i++)
		eb_buf_addf(&text, "%s%s", i ? "," : "", r->specifiers.v[i]);
	if (r->url) {
		eb_buf_adds(&text, " @ ");
		return set_url(s, r->url, text.data, marker);
	}
	eb_buf_adds(&text, marker);
	s->out->text = eb_buf_steal(&text, NULL);
	eb_pip_exact_requirement(s->exact, args, marker);
	return 0;
}

/* pip cuts the marker off first, at any ";", and takes an empty one. */
static int parse_pip_way(const char *args, struct eb_pep508 *r)
{
	const char *semicolon = strchr(args, ';');
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	eb_autofree char *head = NULL;
	bool empty;

	if (!semicolon)
		return -1;
	head = eb_strndup(args, (size_t)(semicolon - args));
	empty = !semicolon[1 + strspn(semicolon + 1, " \t")];
	if (eb_pep508_parse(head, r, &ignored) < 0 || r->marker ||
	    (!empty && !r->url))
		return -1;
	if (empty)
		return 0;
	r->marker = eb_marker_normal(semicolon + 1, &ignored);
	return r->marker ? 0 : -1;
}

static int parse_requirement(struct source *s, const char *args)
{
	struct eb_pep508 r EB_CLEANUP(eb_pep508_release) = { 0 };
	struct eb_error why = EB_ERROR_INIT;

	if (eb_pep508_parse(args, &r, &why) < 0) {
		eb_pep508_release(&r);
		if (parse_pip_way(args, &r) < 0) {
			if (may_be_path(args)) {
				eb_err_release(&why);
				return parse_path(s, args);
			}
			eb_err_move(s->err, &why);
			hint(s->err, args);
			return -1;
		}
		eb_err_release(&why);
	}
	if (check_requirement(s, &r) == 0)
		return set_requirement(s, &r, args);
	hint(s->err, args);
	return -1;
}

/* ---- editable
 * ------------------------------------------------------------------------ */

/* pip takes "git:..." for "git+git:..." here. */
static char *editable_url(const char *value)
{
	static const char *const systems[] = { "git", "hg", "svn", "bzr" };

	for (size_t i = 0; i < sizeof systems / sizeof *systems; i++) {
		size_t n = strlen(systems[i]);

		if (strncasecmp(value, systems[i], n) == 0 && value[n] == ':')
			return eb_asprintf("%s+%s", systems[i], value);
	}
	return eb_strdup(value);
}

static int editable_path(struct source *s, const char *value)
{
	eb_autofree char *path = eb_strdup(value);
	EB_AUTOBUF(behind, EB_MAX_CONFIG);

	if (cut_extras(s, path, &behind) < 0)
		return -1;
	eb_pip_exact_path(s->exact, path, behind.data, "");
	s->out->text = eb_asprintf("-e %s%s", path, behind.data);
	set_path(s, eb_steal(path), "-e ", behind.data);
	return 0;
}

static int parse_editable(struct source *s, const char *value)
{
	eb_autofree char *url = editable_url(value);

	s->out->kind = EB_REQ_EDITABLE;
	if (!eb_pip_is_url(url)) {
		if (!strstr(url, "://"))
			return editable_path(s, value);
		eb_err_set(s->err, EB_INPUT, "-e with this kind of URL");
		return eb_err_hint(s->err, "-e takes a folder, or a URL that "
					   "begins with git+https://, "
					   "git+ssh://, hg+, svn+ or bzr+");
	}
	if (check_url(s, url) < 0 || set_name(s, url) < 0)
		return -1;
	if (!eb_pip_is_vcs(url) && strncasecmp(url, "file:", 5) != 0) {
		eb_err_set(s->err, EB_INPUT, "-e with a URL of a file");
		return eb_err_hint(s->err, "leave out -e");
	}
	return set_url(s, url, "-e ", "");
}

int eb_pip_source_parse(const char *args, bool editable,
			const struct eb_secrets *secrets,
			struct eb_requirement *out, struct eb_pip_exact *exact,
			struct eb_error *err)
{
	struct source s = { secrets, out, exact, err };

	if (editable)
		return parse_editable(&s, args);
	if (eb_pip_is_url(args))
		return parse_url(&s, args);
	return is_path(args) ? parse_path(&s, args)
			     : parse_requirement(&s, args);
}
