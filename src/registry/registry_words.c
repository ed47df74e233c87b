/* SPDX-License-Identifier: Apache-2.0 */
/* What a registry said, made fit to be shown: one line, short, and without
 * anything that could be a secret. */
#include <ctype.h>
#include <openssl/evp.h>
#include <string.h>
#include <strings.h>

#include <envbuild/str.h>

#include "registry_int.h"

#define WORDS 200

/* "CODE: message; CODE: message" */
static void add_errors(const json_t *errors, struct eb_buf *out)
{
	json_t *one;
	size_t i;

	json_array_foreach (errors, i, one) {
		const char *code = eb_json_str(one, "code");
		const char *text = eb_json_str(one, "message");
		const char *detail = eb_json_str(one, "detail");

		eb_buf_addf(out, "%s%s%s%s%s%s", i ? "; " : "",
			    code ? code : "", code && text ? ": " : "",
			    text ? text : "", detail ? ": " : "",
			    detail ? detail : "");
	}
}

/* A page is no sentence; its title would be a guess. */
static void add_text(const char *body, struct eb_buf *out)
{
	while (isspace((unsigned char)*body))
		body++;
	if (*body == '<')
		eb_buf_adds(out, "a web page");
	else if (eb_utf8_valid(body, strlen(body)))
		eb_buf_adds(out, body);
}

static void blank(char *text, const char *secret)
{
	size_t n = secret ? strlen(secret) : 0;
	char *p = text;

	if (n < 4)
		return;
	while ((p = strstr(p, secret)))
		memset(p, '*', n);
}

/* Our own login, as it went out and as it was given to us. */
static void blank_login(char *text, const char *authorization)
{
	const char *value = authorization ? strchr(authorization, ' ') : NULL;
	size_t n = value ? strlen(++value) : 0;
	char *plain, *colon;

	blank(text, value);
	if (!value || strncasecmp(authorization, "Basic ", 6) || n % 4 || !n)
		return;
	plain = eb_calloc(1, n + 1);
	if (EVP_DecodeBlock((unsigned char *)plain,
			    (const unsigned char *)value, (int)n) >= 0) {
		colon = strchr(plain, ':');
		blank(text, colon ? colon + 1 : NULL);
	}
	explicit_bzero(plain, n);
	free(plain);
}

static bool is_token_char(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("-_.+/=~", c));
}

/* Somebody's token: a JWT, or what is too long for a word and no digest. */
static bool is_token(const char *p, size_t n)
{
	if (n > 20 && strncmp(p, "eyJ", 3) == 0)
		return true;
	return n > 48 && strspn(p, "0123456789abcdef") != n &&
	       !memchr(p, '/', n);
}

static void add_word(const char *word, size_t n, bool secret,
		     struct eb_buf *out)
{
	eb_autofree char *text = eb_strndup(word, n);
	eb_autofree char *url = NULL;

	if (strstr(text, "://")) {
		url = eb_url_redact(text);
		url[strcspn(url, "?")] = '\0';
		eb_buf_adds(out, url);
	} else if (secret) {
		eb_buf_adds(out, "***");
	} else {
		eb_buf_adds(out, text);
	}
}

static bool has_token(const char *word, size_t n)
{
	size_t i = 0, from;

	while (i < n) {
		while (i < n && !is_token_char(word[i]))
			i++;
		for (from = i; i < n && is_token_char(word[i]); i++)
			;
		if (is_token(word + from, i - from))
			return true;
	}
	return false;
}

/* Word by word, single spaces between them. */
static void add_clean(const char *text, struct eb_buf *out)
{
	bool after_scheme = false;
	size_t n;

	for (;;) {
		text += strspn(text, " \t\r\n\v\f");
		n = strcspn(text, " \t\r\n\v\f");
		if (!n || out->len > 2 * WORDS)
			return;
		if (out->len)
			eb_buf_addch(out, ' ');
		add_word(text, n, after_scheme || has_token(text, n), out);
		after_scheme = (n == 6 && !strncasecmp(text, "bearer", n)) ||
			       (n == 5 && !strncasecmp(text, "basic", n));
		text += n;
	}
}

static char *shortened(const char *text)
{
	size_t n = WORDS - 3;

	if (strlen(text) <= WORDS)
		return eb_strdup(text);
	while (n && ((unsigned char)text[n] & 0xc0) == 0x80)
		n--;
	return eb_asprintf("%.*s...", (int)n, text);
}

char *eb_registry_words(const char *body, const json_t *errors,
			const char *authorization)
{
	EB_AUTOBUF(raw, (size_t)256 << 10);
	EB_AUTOBUF(clean, (size_t)256 << 10);
	eb_autofree char *shown = NULL;

	if (json_array_size(errors))
		add_errors(errors, &raw);
	else if (body)
		add_text(body, &raw);
	blank_login(raw.data, authorization);
	add_clean(raw.data, &clean);
	shown = eb_printable(clean.data);
	return shortened(shown);
}
