/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Logins of repositories. git hands the URL that it was given to programs of
 * its own as an argument, which everybody may read; so it gets the URL without
 * a login, and that as a header, by variables (GIT_CONFIG_*).
 */
#include <string.h>

#include <openssl/evp.h>

#include <envbuild/mem.h>

#include "index_int.h"
#include "pip_line.h"

/* "http://x@h/a" of "git+http://x@h/a@1"; NULL: it is none of http. */
static const char *http_part(const char *text)
{
	const char *at = strstr(text, "://");

	while (at && at > text && at[-1] >= 'a' && at[-1] <= 'z')
		at--;
	return at && (eb_starts(at, "http://") || eb_starts(at, "https://"))
		       ? at
		       : NULL;
}

/* "Authorization: Basic ..." of "user:password" as it stands in a URL; NULL:
 * it cannot be decoded. */
static char *header_of(const char *userinfo)
{
	char *plain =
		eb_asprintf("%s%s", userinfo, strchr(userinfo, ':') ? "" : ":");
	char *code = NULL, *header = NULL;
	size_t n;

	if (eb_index_unquote(plain)) {
		n = strlen(plain);
		code = eb_malloc(n / 3 * 4 + 5);
		EVP_EncodeBlock((unsigned char *)code, (unsigned char *)plain,
				(int)n);
		header = eb_asprintf("Authorization: Basic %s", code);
	}
	eb_wipe(plain);
	eb_wipe(code);
	return header;
}

static void put(struct eb_strv *env, unsigned *n, const char *url, size_t len,
		const char *value)
{
	eb_strv_addf(env, "GIT_CONFIG_KEY_%u=http.%.*s.extraHeader", *n,
		     (int)len, url);
	eb_strv_addf(env, "GIT_CONFIG_VALUE_%u=%s", (*n)++, value);
}

/* How long "http://host:8000/" is. */
static size_t origin(const char *url)
{
	const char *host = strstr(url, "://") + 3;
	size_t n = strcspn(host, "/?#");

	return (size_t)(host - url) + n + (host[n] == '/');
}

static bool is_known(const struct eb_strv *urls, size_t n, const char *url)
{
	for (size_t i = 0; i < n; i++) {
		const char *other = http_part(urls->v[i]);
		eb_autofree char *bare =
			other ? eb_index_with_login(other, NULL) : NULL;
		char *login = other ? eb_index_userinfo(other) : NULL;
		bool has = login != NULL;

		eb_wipe(login);
		if (has && strncmp(bare, url, origin(url)) == 0)
			return true;
	}
	return false;
}

/* The first login of a host goes for all of it (modules of a repository lie
 * beside it); another one for its own repository, in place of that. */
static void add(const struct eb_strv *urls, size_t i, struct eb_strv *env,
		unsigned *n)
{
	const char *url = http_part(urls->v[i]);
	char *login = url ? eb_index_userinfo(url) : NULL;
	char *header = login ? header_of(login) : NULL;
	eb_autofree char *bare = header ? eb_index_with_login(url, NULL) : NULL;

	if (header && !is_known(urls, i, bare)) {
		put(env, n, bare, origin(bare), header);
	} else if (header) {
		size_t len =
			origin(bare) + strcspn(bare + origin(bare), "@?# \t;");

		put(env, n, bare, len, "");
		put(env, n, bare, len, header);
	}
	eb_wipe(login);
	eb_wipe(header);
}

void eb_git_logins(const struct eb_strv *urls, struct eb_strv *env)
{
	unsigned n = 0;

	for (size_t i = 0; i < urls->n; i++)
		add(urls, i, env, &n);
	if (n)
		eb_strv_addf(env, "GIT_CONFIG_COUNT=%u", n);
}

char *eb_git_bare(const char *text)
{
	const char *vcs = strstr(text, "git+http");
	const char *url = vcs ? http_part(vcs) : NULL;
	eb_autofree char *bare = NULL;

	if (!url)
		return eb_strdup(text);
	bare = eb_index_with_login(url, NULL);
	return eb_asprintf("%.*s%s", (int)(url - text), text, bare);
}
