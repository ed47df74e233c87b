/* SPDX-License-Identifier: Apache-2.0 */
/* What a token server answers: the token, how long it lives, or why not.
 * (distribution, auth/token.md and oauth.md) */
#include <string.h>
#include <time.h>

#include <envbuild/mem.h>

#include "credential_int.h"
#include "token_int.h"

#define LIFE_DEFAULT 60
#define LIFE_MAX (7 * 24 * 3600)

void eb_token_answer_release(struct eb_token_answer *a)
{
	eb_secret_free(a->token);
	free(a->said);
	*a = (struct eb_token_answer){ 0 };
}

static int64_t limit_life(int64_t life)
{
	if (life < LIFE_DEFAULT)
		return LIFE_DEFAULT;
	return life > LIFE_MAX ? LIFE_MAX : life;
}

bool eb_token_is_text(const char *text)
{
	for (; *text; text++)
		if (*text <= 0x20 || *text >= 0x7f)
			return false;
	return true;
}

/* RFC 3339 with a fraction or without; -1: it is none. */
static int64_t parse_time(const char *text)
{
	struct tm tm = { 0 };
	const char *p = text ? strptime(text, "%Y-%m-%dT%H:%M:%S", &tm) : NULL;
	int hours, minutes;
	int64_t t;

	if (!p)
		return -1;
	t = timegm(&tm);
	if (*p == '.')
		p += 1 + strspn(p + 1, "0123456789");
	if (!strcmp(p, "Z") || !strcmp(p, "z"))
		return t;
	if (strlen(p) != 6 || (*p != '+' && *p != '-') || p[3] != ':' ||
	    strspn(p + 1, "0123456789") != 2 ||
	    strspn(p + 4, "0123456789") != 2)
		return -1;
	hours = (p[1] - '0') * 10 + p[2] - '0';
	minutes = (p[4] - '0') * 10 + p[5] - '0';
	return t - (*p == '+' ? 1 : -1) * (hours * 3600 + minutes * 60);
}

/* Of a JWT without looking at its signature; -1: it tells none. */
static int64_t jwt_expiry(const char *token)
{
	const char *from = strchr(token, '.'), *to;
	eb_autosecretjson json_t *claims = NULL;
	eb_autosecret char *text = NULL;
	size_t n = 0;

	to = from ? strchr(from + 1, '.') : NULL;
	if (!to)
		return -1;
	text = eb_base64_decode(from + 1, (size_t)(to - from) - 1, &n);
	if (text)
		claims = json_loadb(text, n, JSON_REJECT_DUPLICATES, NULL);
	return json_is_object(claims) ? eb_json_int(claims, "exp", -1) : -1;
}

static int64_t lifetime(const json_t *j, const char *token, int64_t now)
{
	int64_t life = eb_json_int(j, "expires_in", 0);
	int64_t age, exp;

	if (life <= 0) {
		exp = jwt_expiry(token);
		return limit_life(exp > now ? exp - now : 0);
	}
	if (life > LIFE_MAX)
		life = LIFE_MAX;
	/* A server that keeps tokens gives some that are not new. */
	age = parse_time(eb_json_str(j, "issued_at"));
	age = age > 0 && age < now ? now - age : 0;
	return limit_life(age < life ? life - age : 0);
}

int eb_token_read(const char *text, size_t len, const char *realm, int64_t now,
		  struct eb_token_answer *out, struct eb_error *err)
{
	struct eb_error bad = EB_ERROR_INIT;
	eb_autosecretjson json_t *j = eb_secret_json(text, len, realm, &bad);
	const char *token = j ? eb_json_str(j, "token") : NULL;

	eb_err_release(&bad);
	if (!j)
		return eb_err_set(err, EB_NETWORK,
				  "\"%s\", asking for a token: the answer is "
				  "no JSON object",
				  realm);
	if (!token || !*token)
		token = eb_json_str(j, "access_token");
	if (!token || !*token)
		return eb_err_set(err, EB_NETWORK,
				  "\"%s\", asking for a token: the answer has "
				  "neither \"token\" nor \"access_token\"",
				  realm);
	if (!eb_token_is_text(token))
		return eb_err_set(err, EB_NETWORK,
				  "\"%s\", asking for a token: what the answer "
				  "holds is no token",
				  realm);
	out->life = lifetime(j, token, now);
	out->token = eb_strdup(token);
	return 0;
}

static const char *first_words(const json_t *j)
{
	static const char *const keys[] = { "error_description", "details",
					    "message", "detail", "error" };
	const json_t *first = json_array_get(json_object_get(j, "errors"), 0);
	const char *words = first ? eb_json_str(first, "message") : NULL;

	for (size_t i = 0; !words && i < sizeof keys / sizeof *keys; i++)
		words = eb_json_str(j, keys[i]);
	return words;
}

char *eb_token_words(const char *body, const struct eb_credential *login)
{
	eb_autojson json_t *j = NULL;
	const char *secrets[4];
	const char *words;
	size_t n = 0;

	if (!body)
		return NULL;
	j = json_loadb(body, strlen(body), 0, NULL);
	words = first_words(j);
	if (!words || !*words)
		return NULL;
	if (login && login->password)
		secrets[n++] = login->password;
	if (login && login->identity_token)
		secrets[n++] = login->identity_token;
	if (login && login->registry_token)
		secrets[n++] = login->registry_token;
	secrets[n] = NULL;
	return eb_secret_redact(words, secrets);
}
