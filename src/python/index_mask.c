/* SPDX-License-Identifier: Apache-2.0 */
/* Texts without the secrets of the settings: for messages, logs and locks. */
#include "index_int.h"

#include <ctype.h>
#include <openssl/evp.h>
#include <string.h>

#include <envbuild/buf.h>
#include <envbuild/mem.h>

#include "pip_line.h"

#define MASK "****"
#define SHORT 6 /* a shorter secret is masked as a whole word alone */

char *eb_index_shown(const char *url)
{
	return eb_pip_clean(url);
}

static int hex(char c)
{
	const char *digits = "0123456789abcdef";
	const char *at = c ? strchr(digits, tolower((unsigned char)c)) : NULL;

	return at ? (int)(at - digits) : -1;
}

bool eb_index_unquote(char *s)
{
	char *to = s;

	for (; *s; s++) {
		int high = *s == '%' ? hex(s[1]) : -1;
		int low = high >= 0 ? hex(s[2]) : -1;

		if (low < 0) {
			*to++ = *s;
			continue;
		}
		if (!high && !low)
			return false;
		*to++ = (char)(high * 16 + low);
		s += 2;
	}
	*to = '\0';
	return true;
}

/* ---- what is secret -------------------------------------------------------
 */

static void add_secret(struct eb_strv *out, const char *text)
{
	char *plain = eb_strdup(text);

	if (*text && !eb_strv_has(out, text))
		eb_strv_add(out, text);
	if (eb_index_unquote(plain) && *plain && !eb_strv_has(out, plain))
		eb_strv_add(out, plain);
	eb_wipe(plain);
}

/* As it stands in a field Authorization. */
static void add_basic(struct eb_strv *out, char *login)
{
	size_t n;
	char *text;

	if (!eb_index_unquote(login))
		return;
	n = strlen(login);
	text = eb_malloc(n / 3 * 4 + 5);
	EVP_EncodeBlock((unsigned char *)text, (unsigned char *)login, (int)n);
	eb_strv_add(out, text);
	eb_wipe(text);
}

/* "user:password"; who has no password is a token. */
static void add_login(struct eb_strv *out, const char *login)
{
	const char *colon = strchr(login, ':');
	char *copy;

	if (!*login || strlen(login) > EB_MAX_CONFIG)
		return;
	add_secret(out, login);
	if (colon && colon[1])
		add_secret(out, colon + 1);
	copy = colon ? eb_strdup(login) : eb_asprintf("%s:", login);
	add_basic(out, copy);
	eb_wipe(copy);
}

/* Values of a query whose fields are taken away in what is shown. */
static void add_query(struct eb_strv *out, const char *url)
{
	char *shown = eb_index_shown(url);
	const char *p = strchr(url, '?');

	while (p && *p && *p != '#') {
		char *field = eb_strndup(p + 1, strcspn(p + 1, "&#"));
		const char *value = strchr(field, '=');

		p += 1 + strlen(field);
		if (value && !strstr(shown, field))
			add_secret(out, value + 1);
		eb_wipe(field);
	}
	free(shown);
}

/* "/t/TOKEN/" */
static void add_token(struct eb_strv *out, const char *url)
{
	const char *p = strstr(url, "://");

	p = p ? strchr(p + 3, '/') : NULL;
	if (p && eb_starts(p, "/t/") && p[3]) {
		char *token = eb_strndup(p + 3, strcspn(p + 3, "/?#"));

		add_secret(out, token);
		eb_wipe(token);
	}
}

static void add_url(struct eb_strv *out, const char *url)
{
	char *login;

	if (!url)
		return;
	login = eb_index_userinfo(url);
	if (login)
		add_login(out, login);
	eb_wipe(login);
	add_query(out, url);
	add_token(out, url);
}

static int longer_first(const void *a, const void *b)
{
	size_t la = strlen(*(char *const *)a), lb = strlen(*(char *const *)b);

	return (la < lb) - (la > lb);
}

static void collect(const struct eb_indexes *x, struct eb_strv *out)
{
	struct eb_strv said EB_CLEANUP(eb_wipe_all) = { 0 };

	add_url(out, x->url);
	for (size_t i = 0; i < x->extra.n; i++)
		add_url(out, x->extra.v[i]);
	for (size_t i = 0; i < x->find_links.n; i++)
		add_url(out, x->find_links.v[i]);
	for (size_t i = 0; i < x->direct.n; i++)
		add_url(out, x->direct.v[i]);
	add_url(out, x->proxy);
	eb_index_keyring_said(x->asked, &said);
	for (size_t i = 0; i < said.n; i++)
		add_login(out, said.v[i]);
	if (out->n)
		qsort(out->v, out->n, sizeof *out->v, longer_first);
}

/* ---- masking --------------------------------------------------------------
 */

static bool word_at(const char *text, const char *p, size_t n)
{
	return n >= SHORT || ((p == text || !isalnum((unsigned char)p[-1])) &&
			      !isalnum((unsigned char)p[n]));
}

static char *replace(char *text, const char *secret)
{
	size_t n = strlen(secret);
	const char *from = text, *p = text;
	EB_AUTOBUF(out, EB_MAX_TEXT);

	if (!strstr(text, secret))
		return text;
	while ((p = strstr(p, secret))) {
		if (!word_at(text, p, n)) {
			p++;
			continue;
		}
		eb_buf_add(&out, from, (size_t)(p - from));
		eb_buf_adds(&out, MASK);
		p += n;
		from = p;
	}
	eb_buf_adds(&out, from);
	eb_wipe(text);
	return eb_buf_steal(&out, NULL);
}

char *eb_indexes_mask(const struct eb_indexes *x, const char *text)
{
	struct eb_strv secret EB_CLEANUP(eb_wipe_all) = { 0 };
	char *masked = eb_strdup(text), *clean;

	if (x)
		collect(x, &secret);
	for (size_t i = 0; i < secret.n; i++)
		masked = replace(masked, secret.v[i]);
	clean = eb_pip_clean(masked);
	eb_wipe(masked);
	return clean;
}
