/* SPDX-License-Identifier: Apache-2.0 */
/* A MatchSpec that is the URL or path of a package file. */
#include <string.h>
#include <unistd.h>

#include "channel_url.h"
#include "matchspec_parts.h"

static const char *const endings[] = { ".conda", ".tar.bz2" };

static const char *ending_of(const char *text)
{
	size_t i;

	for (i = 0; i < sizeof endings / sizeof *endings; i++)
		if (eb_ends(text, endings[i]))
			return endings[i];
	return NULL;
}

bool eb_matchspec_is_file(const char *text)
{
	return ending_of(text);
}

static char *checked_url(const char *text, struct eb_error *err)
{
	if (!strpbrk(text, "'\"") && !eb_matchspec_odd_scheme(text))
		return eb_strdup(text);
	eb_err_set(err, EB_INPUT,
		   "no URL: it begins with a scheme, and has \"%%27\" and "
		   "\"%%22\" for "
		   "quotes");
	return NULL;
}

char *eb_package_url(const char *text, struct eb_error *err)
{
	const char *home = getenv("HOME");
	eb_autofree char *cwd = NULL, *path = NULL;

	if (strstr(text, "://"))
		return checked_url(text, err);
	if (*text == '/')
		return eb_channel_file_url(text);
	if (eb_starts(text, "~/") && home) {
		path = eb_asprintf("%s%s", home, text + 1);
		return eb_channel_file_url(path);
	}
	cwd = getcwd(NULL, 0);
	if (!cwd) {
		eb_err_set(err, EB_MACHINE,
			   "\"%s\": the working folder is "
			   "not known",
			   text);
		return NULL;
	}
	while (eb_starts(text, "./"))
		text += 2;
	path = eb_asprintf("%s/%s", cwd, text);
	return eb_channel_file_url(path);
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

void eb_percent_decode(char *s)
{
	char *to = s;
	int high, low;

	for (; *s; s++) {
		high = *s == '%' ? hex_digit(s[1]) : -1;
		low = high < 0 ? -1 : hex_digit(s[2]);
		if (low < 0 || (high == 0 && low == 0)) {
			*to++ = *s;
			continue;
		}
		*to++ = (char)(high << 4 | low);
		s += 2;
	}
	*to = '\0';
}

/* NAME-VERSION-BUILD: the name may hold dashes. */
static int set_from_stem(struct eb_matchspec *m, char *stem,
			 struct eb_error *err)
{
	static const char signs[] = " ,|()=<>!~^$'\"[]*";
	char *build = strrchr(stem, '-'), *version;

	if (build)
		*build++ = '\0';
	version = build ? strrchr(stem, '-') : NULL;
	if (!version || !*build || strpbrk(version, signs) ||
	    strpbrk(build, signs))
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" is not of the form "
				  "NAME-VERSION-BUILD",
				  m->fn);
	*version++ = '\0';
	if (eb_matchspec_set_name(m, stem, err) < 0 ||
	    eb_matchspec_set_version(m, version, true, EB_STRICT, err) < 0)
		return -1;
	return eb_matchspec_set(m, "build", build, EB_STRICT, err);
}

int eb_matchspec_set_file(struct eb_matchspec *m, const char *text,
			  struct eb_error *err)
{
	eb_autofree char *url = eb_package_url(text, err), *folder = NULL,
			 *stem = NULL;
	const char *slash;

	if (!url || eb_matchspec_set(m, "url", url, EB_STRICT, err) < 0)
		return -1;
	slash = strrchr(url, '/');
	m->fn = eb_strdup(slash + 1);
	eb_percent_decode(m->fn);
	folder = eb_strndup(url, slash - url);
	if (!folder[eb_channel_without_subdir(folder)])
		return eb_matchspec_set_name(m, "*", err);
	stem = eb_strndup(m->fn, strlen(m->fn) - strlen(ending_of(text)));
	if (eb_matchspec_set(m, "channel", folder, EB_STRICT, err) < 0)
		return -1;
	return set_from_stem(m, stem, err);
}
