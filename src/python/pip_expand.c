/* SPDX-License-Identifier: Apache-2.0 */
/* Variables of the environment in pip lines, and which of them are secret. */
#include <string.h>

#include <envbuild/buf.h>
#include <envbuild/mem.h>

#include "pip_line.h"

#define MIN_SECRET 4 /* shorter values hide nothing */

static bool ends_in(const char *p, size_t n, const char *word)
{
	size_t m = strlen(word);

	return m <= n && memcmp(word, p + n - m, m) == 0;
}

/* Long ones may be the end of a word, as in GHTOKEN. */
static bool is_secret_word(const char *p, size_t n)
{
	static const char *const whole[] = {
		"KEY",	 "PASS", "PWD",		"PW",	     "PAT", "TOK",
		"TKN",	 "CRED", "CREDENTIAL",	"SAS",	     "SIG", "AUTH",
		"CREDS", "JWT",	 "CREDENTIALS", "SIGNATURE",
	};
	static const char *const ends[] = { "TOKEN",  "SECRET",	    "PASSWORD",
					    "PASSWD", "PASSPHRASE", "APIKEY" };

	for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
		if (strlen(whole[i]) == n && ends_in(p, n, whole[i]))
			return true;
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (ends_in(p, n, ends[i]))
			return true;
	return false;
}

static bool is_secret(const char *name)
{
	size_t n;

	for (;; name += n + 1) {
		n = strcspn(name, "_");
		if (is_secret_word(name, n))
			return true;
		if (!name[n])
			return false;
	}
}

/* "${NAME}" at `p`: length of NAME, otherwise 0 */
static size_t variable_length(const char *p)
{
	size_t n;

	if (p[0] != '$' || p[1] != '{')
		return 0;
	n = strspn(p + 2, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
	return p[2 + n] == '}' ? n : 0;
}

static const char *value_of(const char *p, size_t n, struct eb_secrets *s)
{
	eb_autofree char *name = eb_strndup(p, n);
	const char *value = getenv(name);

	if (!value || !*value)
		return NULL;
	if (is_secret(name) && strlen(value) >= MIN_SECRET) {
		eb_strv_add(&s->name, name);
		eb_strv_add(&s->value, value);
	}
	return value;
}

char *eb_pip_expand(const char *line, struct eb_secrets *secrets,
		    struct eb_error *err)
{
	EB_AUTOBUF(out, EB_MAX_CONFIG);

	for (const char *p = line; *p;) {
		size_t n = variable_length(p);
		const char *value = n ? value_of(p + 2, n, secrets) : NULL;

		if (value) {
			eb_buf_adds(&out, value);
			p += n + 3;
		} else {
			eb_buf_addch(&out, *p++);
		}
	}
	if (!out.overflow)
		return eb_buf_steal(&out, NULL);
	eb_err_set(err, EB_INPUT, "longer than %zu bytes with its variables",
		   EB_MAX_CONFIG);
	return NULL;
}

static char *replace(const char *text, const char *value, const char *name)
{
	EB_AUTOBUF(out, EB_MAX_TEXT);
	const char *hit;

	while ((hit = strstr(text, value))) {
		eb_buf_add(&out, text, (size_t)(hit - text));
		eb_buf_addf(&out, "${%s}", name);
		text = hit + strlen(value);
	}
	eb_buf_adds(&out, text);
	return eb_buf_steal(&out, NULL);
}

char *eb_secrets_hide(const struct eb_secrets *s, char *text, bool url)
{
	for (size_t i = 0; text && i < s->name.n; i++) {
		const char *from = url ? strstr(text, "://") : text;
		eb_autofree char *tail = NULL;
		char *joined;

		if (!from)
			break;
		tail = replace(from, s->value.v[i], s->name.v[i]);
		joined = eb_asprintf("%.*s%s", (int)(from - text), text, tail);
		free(text);
		text = joined;
	}
	return text;
}

void eb_secrets_release(struct eb_secrets *s)
{
	eb_strv_release(&s->name);
	eb_wipe_all(&s->value);
}

void eb_wipe(char *text)
{
	if (text)
		explicit_bzero(text, strlen(text));
	free(text);
}

void eb_wipe_all(struct eb_strv *texts)
{
	for (size_t i = 0; i < texts->n; i++)
		explicit_bzero(texts->v[i], strlen(texts->v[i]));
	eb_strv_release(texts);
}
