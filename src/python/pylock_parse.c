/* SPDX-License-Identifier: Apache-2.0 */
/* A pylock.toml as a tree: is it one, and of a format that can be read? */
#include <string.h>

#include <envbuild/buf.h>
#include <envbuild/json.h>
#include <envbuild/pep440.h>
#include <envbuild/toml.h>

#include "pylock_int.h"

/* --- places ----------------------------------------------------------------
 */

static const char *next_line(const char *p, const char *end)
{
	const char *lf = memchr(p, '\n', (size_t)(end - p));

	return lf ? lf + 1 : end;
}

static bool begins(const char *p, const char *end, const char *word)
{
	size_t n = strlen(word);

	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	return (size_t)(end - p) >= n && strncmp(p, word, n) == 0;
}

/* The `n` lines that begin a package, as they come; 1 for what is written
 * otherwise. */
static unsigned *package_lines(const char *text, size_t len, size_t n)
{
	unsigned *out = eb_calloc(n + 1, sizeof *out), line = 1;
	const char *end = text + len;
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		out[i] = 1;
	for (const char *p = text; p < end && found < n; line++) {
		if (begins(p, end, "[[packages]]"))
			out[found++] = line;
		p = next_line(p, end);
	}
	return out;
}

static unsigned line_of(const char *text, size_t len, const char *word)
{
	const char *end = text + len;
	unsigned line = 1;

	for (const char *p = text; p < end; p = next_line(p, end), line++)
		if (begins(p, end, word))
			return line;
	return 1;
}

/* --- the format ------------------------------------------------------------
 */

static int bad(const struct eb_pylock *l, unsigned line, enum eb_code code,
	       const char *what, struct eb_error *err)
{
	eb_err_set(err, code,
		   "\"%s\", reading it as a lock of Python "
		   "projects: %s",
		   l->name, what);
	return eb_err_at(err, l->name, line, 1);
}

static int check_version(const struct eb_pylock *l, const char *text,
			 size_t len, struct eb_events *events,
			 struct eb_error *err)
{
	const char *version = eb_json_str(l->root, "lock-version");
	unsigned line = line_of(text, len, "lock-version");
	eb_autofree char *plain = eb_printable(version ? version : "");

	if (!version)
		return bad(l, line, EB_INPUT,
			   "it has no lock-version, which is a text", err);
	if (strcmp(version, "1") && strncmp(version, "1.", 2)) {
		eb_autofree char *what = eb_asprintf(
			"it has lock-version %.32s; versions 1.x can be read",
			plain);

		return bad(l, line, EB_MACHINE, what, err);
	}
	if (strcmp(version, "1") && strcmp(version, "1.0"))
		eb_warn_at(events, l->name, line, 1,
			   "lock-version %.32s is newer than 1.0: what is new "
			   "in it is not looked at",
			   plain);
	return 0;
}

static int check_packages(struct eb_pylock *l, const char *text, size_t len,
			  struct eb_error *err)
{
	size_t i;
	const json_t *p;

	l->packages = eb_json_arr(l->root, "packages");
	if (!l->packages)
		return bad(l, 1, EB_INPUT, "it has no list of packages", err);
	if (json_array_size(l->packages) > EB_PYLOCK_PACKAGES)
		return bad(l, 1, EB_INPUT, "it has more than 20000 packages",
			   err);
	l->line = package_lines(text, len, json_array_size(l->packages));
	json_array_foreach (l->packages, i, p) {
		if (!json_is_object(p))
			return bad(l, l->line[i], EB_INPUT,
				   "a package is no table", err);
	}
	return 0;
}

int eb_pylock_parse(const char *text, size_t len, const char *name,
		    struct eb_events *events, struct eb_pylock **out,
		    struct eb_error *err)
{
	EB_CLEANUP(eb_pylock_free_ptr)
	struct eb_pylock *l = eb_calloc(1, sizeof *l);

	l->name = eb_strdup(name);
	l->root = eb_toml_parse(text, len, name, err);
	if (!l->root || check_version(l, text, len, events, err) < 0 ||
	    check_packages(l, text, len, err) < 0)
		return -1;
	*out = eb_steal(l);
	return 0;
}

struct eb_pylock *eb_pylock_new(const char *name, json_t *packages,
				unsigned *line, const char *by)
{
	struct eb_pylock *l = eb_calloc(1, sizeof *l);

	l->name = eb_strdup(name);
	l->root =
		json_pack("{s:s, s:o}", "created-by", by, "packages", packages);
	l->packages = packages;
	l->line = line;
	l->of_lock = true;
	return l;
}

void eb_pylock_free(struct eb_pylock *l)
{
	if (!l)
		return;
	json_decref(l->root);
	free(l->line);
	free(l->name);
	free(l);
}

/* --- what it says of Python ------------------------------------------------
 */

int eb_pylock_python(const struct eb_pylock *l, struct eb_strv *out,
		     struct eb_error *err)
{
	const char *range = eb_json_str(l->root, "requires-python");
	const char *at = range ? range : "";

	if (eb_specifiers_parse(&at, out, err) == 0 && !at[strspn(at, " \t")]) {
		eb_strv_sort(out);
		eb_strv_unique(out);
		return 0;
	}
	eb_err_release(err);
	return bad(l, 1, EB_INPUT, "its requires-python is none", err);
}
