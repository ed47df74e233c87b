/* SPDX-License-Identifier: Apache-2.0 */
/* netrc: machine, default, login, password, account, macdef; words in double
 * quotes with \" \\ \n \r \t, comments from # to the end of a line. */
#include <string.h>

#include <envbuild/mem.h>

#include "credential_int.h"

struct netrc {
	const char *p, *end, *name;
	unsigned line;
	struct eb_buf word;
	bool quoted;
};

struct login {
	char *user, *password;
	bool mine; /* of an entry for our host */
};

static void release_netrc(struct netrc *n)
{
	eb_buf_wipe(&n->word);
}

static void release_login(struct login *l)
{
	eb_secret_free(l->user);
	eb_secret_free(l->password);
	*l = (struct login){ 0 };
}

static int bad(const struct netrc *n, const char *what, struct eb_error *err)
{
	eb_err_set(err, EB_INPUT, "\"%s\", reading: %s", n->name, what);
	return eb_err_at(err, n->name, n->line, 0);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void skip_line(struct netrc *n)
{
	while (n->p < n->end && *n->p != '\n')
		n->p++;
}

/* To the next word, over comments. `fresh`: nothing of this line was read. */
static void skip_blank(struct netrc *n, bool fresh)
{
	for (; n->p < n->end; n->p++) {
		if (*n->p == '\n') {
			n->line++;
			fresh = true;
		} else if (fresh && *n->p == '#') {
			skip_line(n);
			n->p--;
		} else if (!is_blank(*n->p)) {
			return;
		}
	}
}

static char unescape(char c)
{
	switch (c) {
	case 'n': return '\n';
	case 'r': return '\r';
	case 't': return '\t';
	default: return c;
	}
}

static int quoted_word(struct netrc *n, struct eb_error *err)
{
	for (n->p++; n->p < n->end && *n->p != '\n'; n->p++) {
		if (*n->p == '"') {
			n->p++;
			return 1;
		}
		if (*n->p == '\\' && n->p + 1 < n->end)
			eb_buf_addch(&n->word, unescape(*++n->p));
		else
			eb_buf_addch(&n->word, *n->p);
	}
	return bad(n, "a quote is not closed", err);
}

/* 1 a word, 0 the end. */
static int next_word(struct netrc *n, bool fresh, struct eb_error *err)
{
	skip_blank(n, fresh);
	eb_buf_reset(&n->word);
	if (n->p == n->end)
		return 0;
	n->quoted = *n->p == '"';
	if (n->quoted)
		return quoted_word(n, err);
	while (n->p < n->end && !is_blank(*n->p))
		eb_buf_addch(&n->word, *n->p++);
	return 1;
}

static int value(struct netrc *n, const char *of, struct eb_error *err)
{
	eb_autofree char *what = NULL;
	int got = next_word(n, false, err);

	if (got != 0)
		return got;
	what = eb_asprintf("\"%s\" at the end, without a value", of);
	return bad(n, what, err);
}

/* A macro ends at an empty line. */
static int skip_macro(struct netrc *n, struct eb_error *err)
{
	if (value(n, "macdef", err) < 0)
		return -1;
	for (skip_line(n); n->p < n->end; skip_line(n)) {
		n->p++;
		n->line++;
		if (n->p < n->end && (*n->p == '\n' || *n->p == '\r'))
			return 0;
	}
	return 0;
}

static int set_text(struct netrc *n, const char *key, char **to,
		    struct eb_error *err)
{
	if (value(n, key, err) < 0)
		return -1;
	if (strlen(n->word.data) != n->word.len)
		return bad(n, "a NUL in a value", err);
	eb_secret_free(*to);
	*to = eb_strdup(n->word.data);
	return 0;
}

/* "machine NAME" and "default" begin an entry: is it for us? */
static int begin_entry(struct netrc *n, const char *host, bool any,
		       struct login *l, struct eb_error *err)
{
	const char *colon = strrchr(host, ':');
	size_t bare = colon ? (size_t)(colon - host) : strlen(host);

	release_login(l);
	if (any) {
		l->mine = true;
		return 0;
	}
	if (value(n, "machine", err) < 0)
		return -1;
	l->mine = !strcmp(n->word.data, host) ||
		  (n->word.len == bare && !memcmp(n->word.data, host, bare)) ||
		  (eb_host_is_hub(host) && eb_host_is_hub(n->word.data));
	return 0;
}

static int keyword(struct netrc *n, const char *host, struct login *l,
		   struct eb_error *err)
{
	eb_autosecret char *word = eb_strdup(n->word.data);
	eb_autosecret char *ignored = NULL;

	if (!strcmp(word, "machine") || !strcmp(word, "default"))
		return begin_entry(n, host, word[0] == 'd', l, err);
	if (!strcmp(word, "macdef"))
		return skip_macro(n, err);
	if (!strcmp(word, "login"))
		return set_text(n, word, &l->user, err);
	if (!strcmp(word, "password"))
		return set_text(n, word, &l->password, err);
	if (!strcmp(word, "account"))
		return set_text(n, word, &ignored, err);
	if (word[0] == '#' && !n->quoted)
		skip_line(n);
	return 0; /* other programs' words are passed by */
}

static bool complete(const struct login *l)
{
	return l->mine && l->user && l->password;
}

int eb_netrc_find(const char *text, size_t len, const char *name,
		  const char *host, struct eb_credential *out,
		  struct eb_error *err)
{
	struct netrc n EB_CLEANUP(release_netrc) = {
		.p = text, .end = text + len, .name = name, .line = 1
	};
	struct login l EB_CLEANUP(release_login) = { 0 };
	bool fresh = true;
	int got;

	eb_secret_buf_init(&n.word, len + 1);
	while ((got = next_word(&n, fresh, err)) == 1) {
		if (keyword(&n, host, &l, err) < 0)
			return -1;
		if (complete(&l)) {
			out->user = eb_steal(l.user);
			out->password = eb_steal(l.password);
			out->from = eb_strdup(name);
			return 1;
		}
		fresh = false;
	}
	return got;
}
