/* SPDX-License-Identifier: Apache-2.0 */
/* Logins in JSON: Docker's config.json and .dockercfg, containers' auth.json.
 * (containers-auth.json(5); docker/cli's config file) */
#include <string.h>

#include <envbuild/mem.h>

#include "credential_int.h"

struct search {
	const char *name; /* of the place */
	enum eb_login_form form;
	const char *host, *repository; /* Hub's host is docker.io */
};

/* The part of a key that counts: without scheme, "/v1/" and "/v2/"; Docker's
 * keys and those with a scheme are hosts alone. */
static char *normal_key(const char *key, enum eb_login_form form)
{
	bool url = eb_starts(key, "http://") || eb_starts(key, "https://");
	eb_autofree char *host = NULL;
	const char *path;
	char *bare;
	size_t n;

	if (url)
		key = strstr(key, "://") + 3;
	n = strcspn(key, "/");
	host = eb_strndup(key, n);
	path = key + n;
	if (url || form != EB_LOGIN_CONTAINERS || !strcmp(path, "/v1/") ||
	    !strcmp(path, "/v2/") || !strcmp(path, "/v1") ||
	    !strcmp(path, "/v2"))
		path = "";
	bare = eb_asprintf("%s%s", eb_host_is_hub(host) ? "docker.io" : host,
			   path);
	for (n = strlen(bare); n && bare[n - 1] == '/';)
		bare[--n] = '\0';
	return bare;
}

/* How well a key fits the repository: the length of what agrees, 0 not. */
static size_t fits(const char *key, const struct search *s)
{
	eb_autofree char *bare = normal_key(key, s->form);
	eb_autofree char *whole = eb_asprintf(
		"%s/%s", s->host, s->repository ? s->repository : "");
	size_t n = strlen(bare);

	if (!strcmp(bare, s->host))
		return n;
	if (n > strlen(s->host) && eb_starts(whole, bare) &&
	    (whole[n] == '/' || !whole[n]))
		return n;
	return 0;
}

/* The member whose key fits best; NULL: none. */
static json_t *best_member(json_t *map, const struct search *s,
			   bool (*counts)(const json_t *value),
			   const char **key)
{
	json_t *value, *best = NULL;
	size_t length = 0;
	const char *k;

	json_object_foreach (map, k, value) {
		size_t n = counts(value) ? fits(k, s) : 0;

		if (n > length) {
			length = n;
			best = value;
			*key = k;
		}
	}
	return best;
}

static bool has_text(const json_t *obj, const char *key)
{
	const char *text = eb_json_str(obj, key);

	return text && *text;
}

/* Docker leaves `{}` for what its store keeps. */
static bool is_login(const json_t *value)
{
	return has_text(value, "auth") || has_text(value, "username") ||
	       has_text(value, "identitytoken") ||
	       has_text(value, "registrytoken");
}

static bool is_text(const json_t *value)
{
	return json_is_string(value) && json_string_length(value);
}

static char *some_text(const json_t *entry, const char *key)
{
	return has_text(entry, key) ? eb_strdup(eb_json_str(entry, key)) : NULL;
}

static int bad_login(const struct search *s, const char *key,
		     struct eb_error *err)
{
	eb_err_set(err, EB_INPUT,
		   "\"%s\", reading the login of \"%s\": \"auth\" is no base64 "
		   "of USER:PASSWORD",
		   s->name, key);
	return eb_err_at(err, s->name, 0, 0);
}

static int split_auth(const struct search *s, const char *key,
		      const json_t *entry, struct eb_credential *out,
		      struct eb_error *err)
{
	eb_autosecret char *plain = NULL;
	const char *auth = eb_json_str(entry, "auth");
	char *colon;
	size_t n;

	plain = eb_base64_decode(auth, strlen(auth), &n);
	/* What older programs wrote is padded with NULs. */
	while (plain && n && !plain[n - 1])
		n--;
	if (!plain || memchr(plain, '\0', n) || !(colon = strchr(plain, ':')))
		return bad_login(s, key, err);
	out->user = eb_strndup(plain, (size_t)(colon - plain));
	out->password = eb_strdup(colon + 1);
	return 0;
}

static int read_login(const struct search *s, const char *key,
		      const json_t *entry, struct eb_credential *out,
		      struct eb_error *err)
{
	if (has_text(entry, "auth")) {
		if (split_auth(s, key, entry, out, err) < 0)
			return -1;
	} else if (has_text(entry, "username")) {
		const char *password = eb_json_str(entry, "password");

		out->user = some_text(entry, "username");
		out->password = eb_strdup(password ? password : "");
	}
	out->identity_token = some_text(entry, "identitytoken");
	out->registry_token = some_text(entry, "registrytoken");
	if (out->user && !*out->password &&
	    (out->identity_token || out->registry_token)) {
		eb_secret_free(eb_steal(out->user));
		eb_secret_free(eb_steal(out->password));
	}
	out->from = eb_strdup(s->name);
	return 1;
}

static int not_an_object(const struct search *s, const char *key,
			 struct eb_error *err)
{
	eb_err_set(err, EB_INPUT, "\"%s\", reading: \"%s\" is no object",
		   s->name, key);
	return eb_err_at(err, s->name, 0, 0);
}

static int find_login(const struct search *s, json_t *auths,
		      struct eb_credential *out, struct eb_error *err)
{
	const char *key = "";
	json_t *entry;

	if (!auths)
		return 0;
	if (!json_is_object(auths))
		return not_an_object(s, "auths", err);
	entry = best_member(auths, s, is_login, &key);
	return entry ? read_login(s, key, entry, out, err) : 0;
}

/* Hub is known to helpers by its old URL, to those of containers' tools also
 * by its name. */
static int ask_helper(const struct search *s, const char *suffix,
		      struct eb_credential *out, struct eb_error *err)
{
	bool hub = eb_host_is_hub(s->host);
	int found = eb_login_helper(suffix, hub ? EB_HUB_URL : s->host, s->name,
				    out, err);

	if (found == 0 && hub && s->form == EB_LOGIN_CONTAINERS)
		found = eb_login_helper(suffix, s->host, s->name, out, err);
	return found;
}

static int find_in_helpers(const struct search *s, json_t *root,
			   struct eb_credential *out, struct eb_error *err)
{
	json_t *helpers = json_object_get(root, "credHelpers");
	const char *store = eb_json_str(root, "credsStore"), *key;
	json_t *own = NULL;

	if (helpers && !json_is_object(helpers))
		return not_an_object(s, "credHelpers", err);
	if (helpers)
		own = best_member(helpers, s, is_text, &key);
	if (own)
		return ask_helper(s, json_string_value(own), out, err);
	return store && *store ? ask_helper(s, store, out, err) : 0;
}

int eb_login_file_find(const char *text, size_t len, const char *name,
		       enum eb_login_form form, const char *host,
		       const char *repository, struct eb_credential *out,
		       struct eb_error *err)
{
	struct search s = { name, form, host, repository };
	eb_autosecretjson json_t *root = NULL;
	int found;

	if (!text[strspn(text, " \t\r\n")])
		return 0; /* as `touch` leaves it */
	if (eb_host_is_hub(host))
		s.host = "docker.io";
	root = eb_secret_json(text, len, name, err);
	if (!root)
		return -1;
	if (form == EB_LOGIN_DOCKERCFG)
		return find_login(&s, root, out, err);
	found = find_in_helpers(&s, root, out, err);
	return found ? found
		     : find_login(&s, json_object_get(root, "auths"), out, err);
}
