/* SPDX-License-Identifier: Apache-2.0 */
/* A pip line that names a commit of a repository of git, in its parts. */
#include "vcs_line.h"

#include <string.h>

#include <envbuild/str.h>

#include "index_int.h"
#include "pip_line.h"

/* Value of KEY= in "egg=a&subdirectory=b"; NULL: it has none. */
static char *fragment_value(const char *fragment, const char *key)
{
	size_t n = strlen(key);

	for (const char *p = fragment; p && *p; p = strchr(p, '&')) {
		char *value;

		p += *p == '&';
		if (strncmp(p, key, n) || p[n] != '=')
			continue;
		value = eb_strndup(p + n + 1, strcspn(p + n + 1, "&"));
		if (eb_index_unquote(value))
			return value;
		free(value);
	}
	return NULL;
}

static char *brackets(const char *text)
{
	const char *open = text ? strchr(text, '[') : NULL;
	const char *close = open ? strchr(open, ']') : NULL;

	return close ? eb_strndup(open, (size_t)(close - open) + 1) : NULL;
}

/* "v1" of "ssh://git@host/a@v1", cut off there. */
static char *take_revision(char *url)
{
	char *host = strstr(url, "://");
	char *path = host ? strchr(host + 3, '/') : NULL;
	char *at = path ? strrchr(path, '@') : NULL;

	if (!at)
		return NULL;
	*at = '\0';
	return at[1] ? eb_strdup(at + 1) : NULL;
}

static const char *git_url(const char *text)
{
	const char *at = strstr(text, "git+");

	if (!at || !eb_pip_is_vcs(at))
		return NULL;
	return at == text || at[-1] == ' ' || at[-1] == '@' ? at : NULL;
}

bool eb_vcs_line_parse(const char *text, struct eb_vcs_line *out)
{
	const char *at = git_url(text);
	eb_autofree char *head = NULL, *egg = NULL;
	char *fragment;

	*out = (struct eb_vcs_line){ 0 };
	if (!at)
		return false;
	head = eb_strndup(text, (size_t)(at - text));
	at += strlen("git+");
	out->url = eb_strndup(at, strcspn(at, " \t"));
	fragment = strchr(out->url, '#');
	if (fragment) {
		*fragment++ = '\0';
		egg = fragment_value(fragment, "egg");
		out->subdirectory = fragment_value(fragment, "subdirectory");
	}
	out->revision = take_revision(out->url);
	out->extras = brackets(*head ? head : egg);
	return true;
}

void eb_vcs_line_release(struct eb_vcs_line *v)
{
	eb_wipe(v->url);
	free(v->revision);
	free(v->subdirectory);
	free(v->extras);
	*v = (struct eb_vcs_line){ 0 };
}

char *eb_vcs_shown(const char *url)
{
	char *login = eb_starts(url, "ssh://") ? eb_index_userinfo(url) : NULL;
	char *shown;

	if (!login)
		return eb_index_shown(url);
	login[strcspn(login, ":")] = '\0';
	shown = eb_index_with_login(url, *login ? login : NULL);
	eb_wipe(login);
	return shown;
}
