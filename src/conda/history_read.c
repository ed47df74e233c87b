/* SPDX-License-Identifier: Apache-2.0 */
/* What the history of an environment says was asked for. */
#include <ctype.h>
#include <string.h>

#include <envbuild/link.h>
#include <envbuild/matchspec.h>

static void drop(struct eb_strv *names, const char *name)
{
	size_t kept = 0;

	for (size_t i = 0; i < names->n; i++) {
		if (strcmp(names->v[i], name) != 0)
			names->v[kept++] = names->v[i];
		else
			free(names->v[i]);
	}
	names->n = kept;
}

static void take_spec(struct eb_strv *names, const char *text, bool removes)
{
	struct eb_error none EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_CLEANUP(eb_matchspec_free_ptr)
	struct eb_matchspec *m = eb_matchspec_parse(text, EB_LENIENT, &none);
	const char *name = m ? eb_matchspec_name(m) : NULL;

	if (!name)
		return;
	if (removes)
		drop(names, name);
	else if (!eb_strv_has(names, name))
		eb_strv_add(names, name);
}

/* 'a' or "a" of a list as Python or JSON writes it. */
static void take_list(struct eb_strv *names, const char *list, bool removes)
{
	const char *p = list;

	while ((p = strpbrk(p, "'\""))) {
		const char *end = strchr(p + 1, *p);
		eb_autofree char *spec =
			end ? eb_strndup(p + 1, (size_t)(end - p - 1)) : NULL;

		if (!spec)
			return;
		take_spec(names, spec, removes);
		p = end + 1;
	}
}

/* "numpy 1.8*,scipy": as conda wrote it before 4.4. A comma may be one of a
 * version's, too: what follows is then no name. */
static void take_words(struct eb_strv *names, const char *text, bool removes)
{
	struct eb_strv spec EB_CLEANUP(eb_strv_release) = { 0 };

	eb_strv_split(&spec, text, ",");
	for (size_t i = 0; i < spec.n; i++) {
		char *s = eb_strip(spec.v[i]);

		if (isalpha((unsigned char)*s) || *s == '_')
			take_spec(names, s, removes);
	}
}

/* "update" of "# update specs: ..."; what is behind the colon, or NULL. */
static const char *specs_of(const char *line, char action[16])
{
	size_t n;

	if (*line++ != '#')
		return NULL;
	line += strspn(line, " \t");
	n = strspn(line, "abcdefghijklmnopqrstuvwxyz");
	if (!n || n > 15)
		return NULL;
	memcpy(action, line, n);
	action[n] = '\0';
	line += n;
	line += strspn(line, " \t");
	return eb_starts(line, "specs:") ? line + strlen("specs:") : NULL;
}

/* 1: it was such a line. */
static int take_line(struct eb_strv *names, const char *line)
{
	static const char *const adds[] = { "update", "install", "create" };
	static const char *const removes[] = { "remove", "uninstall" };
	char action[16];
	const char *specs = specs_of(line, action);
	int what = -1;

	for (size_t i = 0; specs && i < 3; i++)
		what = !strcmp(action, adds[i]) ? 0 : what;
	for (size_t i = 0; specs && i < 2; i++)
		what = !strcmp(action, removes[i]) ? 1 : what;
	if (what < 0)
		return 0;
	if (strchr(specs, '['))
		take_list(names, specs, what);
	else
		take_words(names, specs, what);
	return 1;
}

int eb_history_requested(const char *text, size_t len, struct eb_strv *names)
{
	const char *end = text + len;
	int known = 0;

	while (text < end) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));
		size_t n = (size_t)((nl ? nl : end) - text);
		eb_autofree char *line =
			*text == '#' ? eb_strndup(text, n) : NULL;

		if (line)
			known |= take_line(names, line);
		text += n + 1;
	}
	eb_strv_sort(names);
	return known;
}
