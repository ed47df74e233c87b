/* SPDX-License-Identifier: Apache-2.0 */
/*
 * info/has_prefix of packages without paths.json. A line is PATH (a text with
 * the placeholder of those days) or PLACEHOLDER MODE PATH; a word may stand in
 * quotes.
 */
#include <string.h>

#include <envbuild/str.h>

#include "link_int.h"

#define OLD_PLACEHOLDER "/opt/anaconda1anaconda2anaconda3"
#define WORDS 3

/* The next word of the line, without its quotes; NULL at the end, and with
 * *bad where a quote is not closed. */
static char *next_word(char **line, bool *bad)
{
	char *p = *line + strspn(*line, " \t\r"), *word, *end;
	char quote = *p;

	if (!*p)
		return NULL;
	if (quote == '"' || quote == '\'') {
		word = p + 1;
		end = strchr(word, quote);
		*bad = !end;
		if (!end)
			return NULL;
	} else {
		word = p;
		end = p + strcspn(p, " \t\r");
	}
	*line = *end ? end + 1 : end;
	*end = '\0';
	return word;
}

static int set(const struct eb_package *p, struct eb_link_paths *l,
	       char *const *word, size_t n, struct eb_error *err)
{
	const char *path = word[n - 1];
	struct eb_link_path *to = eb_link_paths_find(l, path);
	bool text = n == 1 || strcmp(word[1], "text") == 0;

	if (!text && strcmp(word[1], "binary") != 0)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\", reading \"info/has_prefix\": the "
				  "mode of \"%s\" is neither text nor binary",
				  p->what, path);
	if (!to)
		return 0;
	if (n != 1 && !eb_utf8_valid(word[0], strlen(word[0])))
		return eb_link_paths_refuse(p, "info/has_prefix",
					    "a placeholder is not UTF-8", err);
	free(to->placeholder);
	to->placeholder = eb_strdup(n == 1 ? OLD_PLACEHOLDER : word[0]);
	to->text = text;
	return 0;
}

static int read_line(const struct eb_package *p, struct eb_link_paths *l,
		     char *line, struct eb_error *err)
{
	char *word[WORDS + 1] = { 0 };
	bool bad = false;
	size_t n = 0;

	while (n <= WORDS && (word[n] = next_word(&line, &bad)))
		n++;
	if (n == 0 && !bad)
		return 0;
	if (bad || (n != 1 && n != WORDS) || !*word[0] || !*word[n - 1])
		return eb_link_paths_refuse(
			p, "info/has_prefix",
			"a line is neither a path nor placeholder, mode and "
			"path",
			err);
	return set(p, l, word, n, err);
}

int eb_link_has_prefix(const struct eb_package *p, struct eb_link_paths *l,
		       struct eb_error *err)
{
	const struct eb_package_info *info = eb_package_info(p, "has_prefix");
	struct eb_strv all EB_CLEANUP(eb_strv_release) = { 0 };

	if (!info)
		return 0;
	eb_strv_split(&all, info->text, "\n");
	for (size_t i = 0; i < all.n; i++) {
		if (*all.v[i] == '#')
			continue;
		if (read_line(p, l, all.v[i], err) < 0)
			return -1;
	}
	return 0;
}
