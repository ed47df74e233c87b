/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose login goes with a URL: of rattler's by the host, "*." in front for all
 * below, of mamba's by host and as much of the path as it names, of the
 * anaconda client's by the server's URL.
 */
#include "channel_login_int.h"

#include <stdlib.h>
#include <string.h>

#include <envbuild/credential.h>
#include <envbuild/mem.h>

struct eb_channel_logins *eb_channel_logins_new(void)
{
	struct eb_channel_logins *l = eb_calloc(1, sizeof *l);

	pthread_mutex_init(&l->lock, NULL);
	return l;
}

static void clear(struct eb_channel_logins *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->v[i].key);
		eb_secret_free(l->v[i].user);
		eb_secret_free(l->v[i].secret);
	}
	l->n = 0;
}

void eb_channel_logins_free(struct eb_channel_logins *l)
{
	if (!l)
		return;
	clear(l);
	free(l->v);
	pthread_mutex_destroy(&l->lock);
	free(l);
}

/* --- finding --------------------------------------------------------- */

static const struct eb_login_entry *by_key(const struct eb_channel_logins *l,
					   enum eb_login_store store,
					   const char *key)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->v[i].store == store && !strcmp(l->v[i].key, key))
			return &l->v[i];
	return NULL;
}

/* By host with its port, host, "*.host", "*.domain" and so on. */
static const struct eb_login_entry *
in_rattler(const struct eb_channel_logins *l, const char *authority)
{
	eb_autofree char *host = eb_strdup(authority);
	const struct eb_login_entry *e =
		by_key(l, EB_LOGINS_RATTLER, authority);
	char *port = strrchr(host, ':');

	if (port && !strchr(port, ']'))
		*port = '\0';
	if (!e)
		e = by_key(l, EB_LOGINS_RATTLER, host);
	for (const char *p = host; !e && p; p = strchr(p, '.')) {
		eb_autofree char *all = NULL;

		p += *p == '.';
		all = eb_asprintf("*.%s", p);
		e = by_key(l, EB_LOGINS_RATTLER, all);
	}
	return e;
}

/* `url` begins with the key, in whole parts. */
static bool begins(const char *url, const char *key)
{
	size_t n = strlen(key);

	while (n && key[n - 1] == '/')
		n--;
	return n && !strncmp(url, key, n) && (!url[n] || url[n] == '/');
}

/* The longest key. */
static const struct eb_login_entry *by_start(const struct eb_channel_logins *l,
					     enum eb_login_store store,
					     const char *text)
{
	const struct eb_login_entry *best = NULL;

	for (size_t i = 0; i < l->n; i++)
		if (l->v[i].store == store && begins(text, l->v[i].key) &&
		    (!best || strlen(l->v[i].key) > strlen(best->key)))
			best = &l->v[i];
	return best;
}

static const struct eb_login_entry *find(const struct eb_channel_logins *l,
					 const char *url, bool tokens)
{
	const char *rest = strstr(url, "://") + 3;
	eb_autofree char *authority = eb_strndup(rest, strcspn(rest, "/"));
	const struct eb_login_entry *e = in_rattler(l, authority);

	if (!e)
		e = by_start(l, EB_LOGINS_MAMBA, rest);
	return e || !tokens ? e : by_start(l, EB_LOGINS_ANACONDA, url);
}

int eb_channel_login_find(struct eb_channel_logins *l, const char *url,
			  bool tokens, struct eb_channel_login *out,
			  struct eb_error *err)
{
	const struct eb_login_entry *e;
	int rc = 0;

	if (!eb_starts(url, "https://") && !eb_starts(url, "http://"))
		return 0;
	pthread_mutex_lock(&l->lock);
	if (!l->read)
		rc = eb_channel_logins_read(l, err);
	l->read = rc == 0;
	if (rc < 0)
		clear(l);
	e = rc == 0 ? find(l, url, tokens) : NULL;
	pthread_mutex_unlock(&l->lock);
	if (e)
		*out = (struct eb_channel_login){ e->kind, e->user, e->secret };
	return rc < 0 ? -1 : e != NULL;
}
