/* SPDX-License-Identifier: Apache-2.0 */
/* Whose credentials go with a URL: its own, those of the configured URL next
 * to it, netrc's (which libcurl adds), the keyring's. */
#include "index_int.h"

#include <string.h>

#include <envbuild/buf.h>
#include <envbuild/file.h>
#include <envbuild/mem.h>

#include "pip_line.h"

/* ---- parts of a URL --------------------------------------------------------
 */

/* Behind "://"; NULL: there is none. */
static const char *authority(const char *url)
{
	const char *p = strstr(url, "://");

	return p ? p + 3 : NULL;
}

static const char *path_of(const char *url)
{
	const char *p = authority(url);

	return p ? p + strcspn(p, "/?#") : url + strlen(url);
}

/* "host:port" as it is written; caller frees. */
static char *host_of(const char *url)
{
	eb_autofree char *bare = eb_index_with_login(url, NULL);
	const char *p = authority(bare);

	return p ? eb_strndup(p, strcspn(p, "/?#")) : NULL;
}

/* ---- the configured URL next to one ---------------------------------------
 */

/* How much of two paths is common, in whole parts; a final slash is no
 * matter. */
static size_t common(const char *a, const char *b)
{
	size_t n = 0, whole = 0;

	for (;; n++) {
		bool end_a = !a[n] || strchr("/?#", a[n]);
		bool end_b = !b[n] || strchr("/?#", b[n]);

		if (end_a && end_b)
			whole = n + 1;
		if (!a[n] || !b[n] || a[n] != b[n] || strchr("?#", a[n]))
			return whole;
	}
}

struct nearest {
	const char *url;
	size_t common;
	bool login;
};

static void look_at(struct nearest *best, const char *origin, const char *url,
		    const char *candidate)
{
	eb_autofree char *other = eb_http_origin(candidate);
	struct nearest here = { .url = candidate };
	char *userinfo;

	if (!other || strcmp(other, origin))
		return;
	here.common = common(path_of(url), path_of(candidate));
	userinfo = eb_index_userinfo(candidate);
	here.login = userinfo != NULL;
	eb_wipe(userinfo);
	if (!best->url || here.common > best->common ||
	    (here.common == best->common && here.login && !best->login))
		*best = here;
}

/* Of the same origin, with most of the path; NULL: none. */
static const char *nearest(const struct eb_indexes *x, const char *url)
{
	eb_autofree char *origin = eb_http_origin(url);
	struct nearest best = { 0 };

	if (!origin)
		return NULL;
	if (x->url)
		look_at(&best, origin, url, x->url);
	for (size_t i = 0; i < x->extra.n; i++)
		look_at(&best, origin, url, x->extra.v[i]);
	for (size_t i = 0; i < x->find_links.n; i++)
		look_at(&best, origin, url, x->find_links.v[i]);
	return best.url;
}

/* The same without a login, fragment and revision? */
static bool is_same(const char *direct, const char *url)
{
	eb_autofree char *bare = eb_index_with_login(direct, NULL);
	size_t n = strcspn(bare, "#"), len = strcspn(url, "#");

	return strncmp(bare, url, len) == 0 && len <= n &&
	       (len == n || bare[len] == '@');
}

/* The login that a requirement has for just this URL, or NULL. */
static char *of_requirement(const struct eb_indexes *x, const char *url)
{
	for (size_t i = 0; x && i < x->direct.n; i++)
		if (is_same(x->direct.v[i], url))
			return eb_index_userinfo(x->direct.v[i]);
	return NULL;
}

/* ---- netrc ----------------------------------------------------------------
 */

static bool is_any(const char *word, const char *a, const char *b,
		   const char *c)
{
	return !strcmp(word, a) || !strcmp(word, b) || !strcmp(word, c);
}

static bool names_host(char *text, const char *host)
{
	const char *space = " \t\r\n";
	char *save = NULL, *value;

	for (char *w = strtok_r(text, space, &save); w;
	     w = strtok_r(NULL, space, &save)) {
		if (!strcmp(w, "default"))
			return true;
		if (!strcmp(w, "machine")) {
			value = strtok_r(NULL, space, &save);
			if (value && !strcasecmp(value, host))
				return true;
		} else if (is_any(w, "login", "password", "account")) {
			strtok_r(NULL, space, &save);
		}
	}
	return false;
}

bool eb_index_in_netrc(const char *url)
{
	const char *home = getenv("HOME"), *file = getenv("NETRC");
	eb_autofree char *path =
		file ? eb_strdup(file)
		     : eb_asprintf("%s/.netrc", home ? home : "");
	eb_autofree char *host = host_of(url);
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(text, EB_MAX_CONFIG);
	bool found = false;

	if (!host || eb_read_file(path, EB_MAX_CONFIG, &text, &err) < 0) {
		eb_err_release(&err);
		return false;
	}
	if (*host != '[')
		host[strcspn(host, ":")] = '\0';
	found = names_host(text.data, host);
	explicit_bzero(text.data, text.alloc);
	return found;
}

/* ---- the login ------------------------------------------------------------
 */

/* What the keyring has, for the index's URL or else for the host. A URL with
 * another secret in it is no argument for a program. */
static char *from_keyring(const struct eb_indexes *x, const char *index,
			  const char *url, const char *user)
{
	eb_autofree char *host = host_of(url);
	eb_autofree char *bare = NULL, *clean = NULL;

	if (!x->asked || !x->keyring || strcmp(x->keyring, "subprocess"))
		return NULL;
	if (index) {
		eb_autofree char *whole = eb_index_with_login(index, NULL);

		clean = eb_index_shown(index);
		if (!strcmp(clean, whole)) {
			whole[strcspn(whole, "?#")] = '\0';
			bare = eb_asprintf("%s%s", whole,
					   eb_ends(whole, "/") ? "" : "/");
		}
	}
	return eb_index_keyring_ask(x->asked, bare, host, user);
}

static bool is_whole(const char *userinfo)
{
	return userinfo && strchr(userinfo, ':');
}

/* Of the URL itself, or of the requirement that has it. */
static char *own_login(const struct eb_indexes *x, const char *url)
{
	char *login = eb_index_userinfo(url);

	return login ? login : of_requirement(x, url);
}

static char *login_of(const struct eb_indexes *x, const char *url)
{
	const char *index = x ? nearest(x, url) : NULL;
	char *login = own_login(x, url), *more, *out;

	if (!is_whole(login) && index && (more = eb_index_userinfo(index))) {
		eb_wipe(login);
		login = more;
	}
	if (x && !is_whole(login) && !eb_index_in_netrc(url)) {
		eb_autofree char *user = eb_strdup(login);

		if (user)
			eb_index_unquote(user);
		more = from_keyring(x, index, url, user);
		if (more) {
			eb_wipe(login);
			login = more;
		}
	}
	out = login ? eb_index_with_login(url, login) : eb_strdup(url);
	eb_wipe(login);
	return out;
}

char *eb_index_login(const struct eb_indexes *x, const char *url)
{
	size_t n = eb_starts(url, "git+") ? strlen("git+") : 0;
	char *plain = login_of(x, url + n), *out;

	if (!n)
		return plain;
	out = eb_asprintf("git+%s", plain);
	eb_wipe(plain);
	return out;
}
