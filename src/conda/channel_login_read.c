/* SPDX-License-Identifier: Apache-2.0 */
/* The files of logins: rattler's and mamba's JSON, the anaconda client's
 * tokens (a file each, its name the server's URL). */
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include <envbuild/credential.h>
#include <envbuild/file.h>
#include <envbuild/mem.h>

#include "channel_login_int.h"

#define MAX_FILE ((size_t)1 << 20)
#define MAX_LOGINS 10000

static void add(struct eb_channel_logins *l, struct eb_login_entry e)
{
	EB_GROW(l->v, l->n, l->alloc);
	l->v[l->n++] = e;
}

static const char *variable(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

static char *at_home(const char *rest)
{
	const char *home = variable("HOME");

	return home ? eb_path_join(home, rest) : NULL;
}

/* A token is part of a path: it cannot lead elsewhere. */
static bool is_token(const char *text)
{
	if (!*text)
		return false;
	for (; *text; text++)
		if (!isalnum((unsigned char)*text) && !strchr("-._~", *text))
			return false;
	return true;
}

static int bad(const char *file, const char *key, const char *what,
	       struct eb_error *err)
{
	return eb_err_set(err, EB_INPUT,
			  "\"%s\", reading the login for "
			  "\"%s\": %s",
			  file, key, what);
}

/* Of a header field it becomes part, or of a path. */
static int check(const char *file, const struct eb_login_entry *e,
		 struct eb_error *err)
{
	if (e->kind == EB_LOGIN_TOKEN && !is_token(e->secret))
		return bad(file, e->key, "no token", err);
	for (const char *p = e->secret; *p; p++)
		if (iscntrl((unsigned char)*p))
			return bad(file, e->key, "a control character", err);
	return 0;
}

static int take(struct eb_channel_logins *l, const char *file,
		struct eb_login_entry e, const char *key, const char *user,
		const char *secret, struct eb_error *err)
{
	e.key = eb_strdup(key);
	e.user = eb_strdup(user);
	e.secret = eb_strdup(secret);
	eb_lower(e.key);
	add(l, e);
	return check(file, &e, err);
}

/* {"BearerToken": T}, {"CondaToken": T}, {"BasicHTTP": {username, password}},
 * {"OAuth": {access_token}}; others are not for channels by http. */
static int take_rattler(struct eb_channel_logins *l, const char *file,
			const char *host, const json_t *j, struct eb_error *err)
{
	struct eb_login_entry e = { .store = EB_LOGINS_RATTLER };
	const char *bearer = eb_json_str(j, "BearerToken");
	const char *token = eb_json_str(j, "CondaToken");
	const json_t *basic = eb_json_obj(j, "BasicHTTP");
	const json_t *oauth = eb_json_obj(j, "OAuth");
	const char *user = basic ? eb_json_str(basic, "username") : NULL;
	const char *password = basic ? eb_json_str(basic, "password") : NULL;

	if (oauth)
		bearer = eb_json_str(oauth, "access_token");
	e.kind = bearer ? EB_LOGIN_BEARER
			: (token ? EB_LOGIN_TOKEN : EB_LOGIN_BASIC);
	if (bearer || token)
		return take(l, file, e, host, NULL, bearer ? bearer : token,
			    err);
	if (basic && (!user || !password))
		return bad(file, host,
			   "\"username\" or \"password\" is missing", err);
	return basic ? take(l, file, e, host, user, password, err) : 0;
}

/* The password is in Base64. */
static int take_basic(struct eb_channel_logins *l, const char *file,
		      const char *key, const json_t *j, struct eb_error *err)
{
	struct eb_login_entry e = { .store = EB_LOGINS_MAMBA,
				    .kind = EB_LOGIN_BASIC };
	const char *user = eb_json_str(j, "user");
	const char *code = eb_json_str(j, "password");
	size_t n = 0;
	char *password = code ? eb_base64_decode(code, strlen(code), &n) : NULL;
	int rc;

	if (!password || strlen(password) != n) {
		eb_secret_free(password);
		return bad(file, key, "\"password\" is no Base64", err);
	}
	rc = take(l, file, e, key, user ? user : "", password, err);
	eb_secret_free(password);
	return rc;
}

/* {"type": ..., "token": ...} or user and password */
static int take_mamba(struct eb_channel_logins *l, const char *file,
		      const char *key, const json_t *j, struct eb_error *err)
{
	struct eb_login_entry e = { .store = EB_LOGINS_MAMBA };
	const char *type = eb_json_str(j, "type");
	const char *token = eb_json_str(j, "token");

	if (type && !strcmp(type, "BasicHTTPAuthentication"))
		return take_basic(l, file, key, j, err);
	if (!type ||
	    (strcmp(type, "CondaToken") && strcmp(type, "BearerToken")))
		return 0;
	e.kind = *type == 'C' ? EB_LOGIN_TOKEN : EB_LOGIN_BEARER;
	return token ? take(l, file, e, key, NULL, token, err)
		     : bad(file, key, "\"token\" is missing", err);
}

typedef int taker(struct eb_channel_logins *l, const char *file,
		  const char *key, const json_t *j, struct eb_error *err);

static int take_members(struct eb_channel_logins *l, const char *file,
			json_t *j, taker *one, struct eb_error *err)
{
	const char *key;
	json_t *value;

	json_object_foreach (j, key, value) {
		if (l->n == MAX_LOGINS)
			return bad(file, key, "too many", err);
		if (json_is_object(value) && one(l, file, key, value, err) < 0)
			return -1;
	}
	return 0;
}

static int read_json(struct eb_channel_logins *l, const char *file, taker *one,
		     struct eb_error *err)
{
	struct eb_buf text;
	json_t *j;
	int got = eb_secret_read(file, MAX_FILE, &text, err);

	if (got > 0) {
		j = eb_secret_json(text.data, text.len, file, err);
		got = j ? take_members(l, file, j, one, err) : -1;
		eb_secret_json_free(j);
	}
	eb_buf_wipe(&text);
	return got < 0 ? -1 : 0;
}

/* --- tokens ---------------------------------------------------------- */

static int hex(char c)
{
	if (isdigit((unsigned char)c))
		return c - '0';
	c |= 32;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* "https%3A%2F%2Fapi.host.token" -> "https://api.host" */
static char *url_of_file(const char *name)
{
	char *out = eb_strndup(name, strlen(name) - strlen(".token"));
	char *to = out;

	for (const char *p = out; *p; p++) {
		int hi = *p == '%' ? hex(p[1]) : -1;
		int lo = hi >= 0 ? hex(p[2]) : -1;

		*to++ = lo >= 0 && (hi || lo) ? (char)(hi << 4 | lo)
			: *p == '+'	      ? ' '
					      : *p;
		p += lo >= 0 && (hi || lo) ? 2 : 0;
	}
	*to = '\0';
	return out;
}

/* The server of an API has its channels at "conda" instead of "api". */
static char *server_of_api(const char *url)
{
	for (const char *p = url; (p = strstr(p, "api")); p++)
		if (p > url && strchr("./", p[-1]) &&
		    (!p[3] || strchr("./", p[3])))
			return eb_asprintf("%.*sconda%s", (int)(p - url), url,
					   p + 3);
	return NULL;
}

static int take_token(struct eb_channel_logins *l, const char *path,
		      const char *name, struct eb_error *err)
{
	struct eb_login_entry e = { .store = EB_LOGINS_ANACONDA,
				    .kind = EB_LOGIN_TOKEN };
	eb_autofree char *url = url_of_file(name);
	eb_autofree char *server = server_of_api(url);
	struct eb_buf text;
	int got = eb_secret_read(path, MAX_FILE, &text, err);

	if (got > 0)
		eb_strip(text.data);
	if (got > 0)
		got = take(l, path, e, url, NULL, text.data, err);
	if (got == 0 && server && text.len)
		got = take(l, path, e, server, NULL, text.data, err);
	eb_buf_wipe(&text);
	return got;
}

static int read_tokens(struct eb_channel_logins *l, const char *folder,
		       struct eb_error *err)
{
	DIR *dir = folder ? opendir(folder) : NULL;
	struct dirent *d;
	int rc = 0;

	while (dir && rc == 0 && l->n < MAX_LOGINS && (d = readdir(dir))) {
		eb_autofree char *path = eb_path_join(folder, d->d_name);

		if (eb_ends(d->d_name, ".token"))
			rc = take_token(l, path, d->d_name, err);
	}
	if (dir)
		closedir(dir);
	return rc;
}

static int read_all_tokens(struct eb_channel_logins *l, struct eb_error *err)
{
	const char *own = variable("BINSTAR_CONFIG_DIR");
	const char *xdg = variable("XDG_CONFIG_HOME");
	eb_autofree char *config = xdg ? eb_strdup(xdg) : at_home(".config");
	eb_autofree char *dir = own	 ? eb_path_join(own, "data")
				: config ? eb_path_join(config, "binstar")
					 : NULL;
	eb_autofree char *old = at_home(".continuum/anaconda-client/tokens");

	return read_tokens(l, dir, err) < 0 ? -1 : read_tokens(l, old, err);
}

int eb_channel_logins_read(struct eb_channel_logins *l, struct eb_error *err)
{
	const char *given = variable("RATTLER_AUTH_FILE");
	eb_autofree char *rattler = at_home(".rattler/credentials.json");
	eb_autofree char *mamba = at_home(".mamba/auth/authentication.json");

	if ((given && read_json(l, given, take_rattler, err) < 0) ||
	    (rattler && read_json(l, rattler, take_rattler, err) < 0) ||
	    (mamba && read_json(l, mamba, take_mamba, err) < 0))
		return -1;
	return read_all_tokens(l, err);
}
