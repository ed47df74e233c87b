/* SPDX-License-Identifier: Apache-2.0 */
/* Where a channel's files are to be had, and how they are asked for: mirrors,
 * logins, proxies, TLS. */
#include <string.h>

#include <envbuild/credential.h>
#include <envbuild/mem.h>

#include "channel_custom.h"
#include "channel_login.h"
#include "channel_url.h"

/* --- logins ---------------------------------------------------------- */

/* "user:password@" of a URL; its length, 0 when there is none. */
static size_t login_of(const char *url, const char **login)
{
	const char *host = strstr(url, "://");
	size_t n;

	if (!host)
		return 0;
	*login = host += 3;
	n = strcspn(host, "/");
	for (; n; n--)
		if (host[n - 1] == '@')
			return n;
	return 0;
}

static bool same_origin(const char *a, const char *b)
{
	size_t n = (size_t)(strstr(a, "://") + 3 - a);

	n += strcspn(a + n, "/");
	return !strncmp(a, b, n) && (b[n] == '/' || !b[n]);
}

/* That of the channel that it lies below. */
static char *of_channel(const struct eb_channels *c, const char *url)
{
	for (size_t i = 0; c && i < c->n; i++) {
		const struct eb_channel *one = &c->channel[i];
		const char *rest = eb_channel_below(url, one->canonical);

		if (rest && strcmp(one->url, one->canonical))
			return eb_asprintf("%s%s", one->url, rest);
	}
	return NULL;
}

/* That of a channel on the same host. */
static char *of_neighbour(const struct eb_channels *c, const char *url)
{
	const char *login = NULL;

	for (size_t i = 0; c && i < c->n; i++) {
		size_t n = login_of(c->channel[i].url, &login);
		size_t scheme;

		if (!n || !same_origin(c->channel[i].canonical, url))
			continue;
		scheme = (size_t)(strstr(url, "://") + 3 - url);
		return eb_asprintf("%.*s%.*s%s", (int)scheme, url, (int)n,
				   login, url + scheme);
	}
	return NULL;
}

/* "https://host/t/TOKEN/x" */
static char *with_token(const char *url, const char *token)
{
	const char *host = strstr(url, "://") + 3;
	const char *path = host + strcspn(host, "/");

	return eb_asprintf("%.*s/t/%s%s", (int)(path - url), url, token, path);
}

static void set_login(struct eb_channel_way *w,
		      const struct eb_channel_login *l)
{
	char *plain = w->url;

	if (l->kind == EB_LOGIN_BASIC) {
		w->authorization = eb_basic_value(l->user, l->secret);
	} else if (l->kind == EB_LOGIN_BEARER) {
		w->authorization = eb_asprintf("Bearer %s", l->secret);
	} else {
		w->url = with_token(plain, l->secret);
		free(plain);
	}
}

/* One that the URL itself has not. */
static int find_login(const struct eb_channels *c,
		      const struct eb_channel_rules *rules,
		      struct eb_channel_way *w, struct eb_error *err)
{
	const struct eb_condarc *rc = rules->condarc;
	struct eb_channel_login login;
	char *url;
	int got;

	if (!strstr(w->shown, "://") || strcmp(w->url, w->shown))
		return 0;
	url = of_channel(c, w->shown);
	if (!url)
		url = eb_channel_configured(rules, w->shown);
	if (!url)
		url = of_neighbour(c, w->shown);
	if (url) {
		free(w->url);
		w->url = url;
		return 0;
	}
	if (!rc)
		return 0;
	got = eb_channel_login_find(rc->logins, w->shown,
				    rc->add_anaconda_token, &login, err);
	if (got > 0)
		set_login(w, &login);
	return got < 0 ? -1 : 0;
}

/* --- ways ------------------------------------------------------------ */

static void release_way(struct eb_channel_way *w)
{
	eb_secret_free(w->url);
	eb_secret_free(w->authorization);
	free(w->shown);
}

void eb_channel_ways_release(struct eb_channel_ways *w)
{
	for (size_t i = 0; i < w->n; i++)
		release_way(&w->way[i]);
	free(w->way);
	*w = (struct eb_channel_ways){ 0 };
}

/* Of the rules' TLS the CA where the options name none. */
static void set_tls(struct eb_channel_way *w,
		    const struct eb_channel_rules *rules)
{
	if (!rules->condarc || !eb_starts(w->shown, "https://"))
		return;
	w->tls = rules->condarc->tls;
	if (rules->own_ca)
		w->tls.ca = NULL;
}

static int add(struct eb_channel_ways *out, const struct eb_channels *c,
	       const struct eb_channel_rules *rules, const char *url,
	       struct eb_error *err)
{
	struct eb_channel_way *w;

	if (out->n)
		out->way[out->n - 1].more = true;
	EB_GROW(out->way, out->n, out->alloc);
	w = &out->way[out->n++];
	*w = (struct eb_channel_way){
		.url = eb_strdup(url),
		.shown = eb_starts(url, "file:") ? eb_strdup(url)
						 : eb_url_redact(url),
		.condarc = rules->condarc,
	};
	set_tls(w, rules);
	return find_login(c, rules, w, err);
}

static const struct eb_channel_rules *
rules_of(const struct eb_channels *c, const struct eb_channel_rules *rules)
{
	static const struct eb_channel_rules none;

	return rules ? rules : c ? &c->rules : &none;
}

int eb_channel_way_to(const struct eb_channels *c,
		      const struct eb_channel_rules *rules, const char *url,
		      struct eb_channel_ways *out, struct eb_error *err)
{
	*out = (struct eb_channel_ways){ 0 };
	if (add(out, c, rules_of(c, rules), url, err) == 0)
		return 0;
	eb_channel_ways_release(out);
	return -1;
}

/* --- mirrors --------------------------------------------------------- */

/* *rest: of the URL, behind the channel that is mirrored; NULL: it is another.
 */
static int behind_mirrored(const struct eb_condarc_name *m,
			   const struct eb_channel_rules *rules,
			   const char *url, const char **rest,
			   struct eb_error *err)
{
	EB_CLEANUP(eb_channels_release) struct eb_channels of = { 0 };

	*rest = NULL;
	if (eb_channels_add_by(&of, m->name, rules, err) < 0)
		return eb_err_prefix(err, "\"mirrored_channels\" of conda's "
					  "settings");
	if (of.n == 1)
		*rest = eb_channel_below(url, of.channel->canonical);
	return 0;
}

static int add_mirror(struct eb_channel_ways *out, const struct eb_channels *c,
		      const struct eb_channel_rules *rules, const char *mirror,
		      const char *rest, struct eb_error *err)
{
	eb_autofree char *place = eb_channel_place(mirror);
	eb_autofree char *at = place ? eb_channel_url_normal(place) : NULL;
	eb_autofree char *shown = eb_url_redact(mirror);
	eb_autofree char *url = at ? eb_asprintf("%s%s", at, rest) : NULL;

	if (!url)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\": reading \"mirrored_channels\" of "
				  "conda's settings: no URL of a channel",
				  shown);
	return add(out, c, rules, url, err);
}

static int add_mirrors(struct eb_channel_ways *out, const struct eb_channels *c,
		       const struct eb_channel_rules *rules, const char *url,
		       struct eb_error *err)
{
	const struct eb_condarc *rc = rules->condarc;
	const char *rest = NULL;

	for (size_t i = 0; rc && !rest && i < rc->mirrored_channels.n; i++) {
		const struct eb_condarc_name *m = &rc->mirrored_channels.v[i];

		if (behind_mirrored(m, rules, url, &rest, err) < 0)
			return -1;
		for (size_t k = 0; rest && k < m->url.n; k++)
			if (add_mirror(out, c, rules, m->url.v[k], rest, err) <
			    0)
				return -1;
	}
	return 0;
}

int eb_channel_ways(const struct eb_channels *c,
		    const struct eb_channel_rules *rules, const char *url,
		    struct eb_channel_ways *out, struct eb_error *err)
{
	rules = rules_of(c, rules);
	*out = (struct eb_channel_ways){ 0 };
	if (add_mirrors(out, c, rules, url, err) == 0 &&
	    (out->n || add(out, c, rules, url, err) == 0))
		return 0;
	eb_channel_ways_release(out);
	return -1;
}

/* --- requests -------------------------------------------------------- */

static const char *named(const struct eb_condarc_names *names, const char *name)
{
	for (size_t i = 0; i < names->n; i++)
		if (!strcmp(names->v[i].name, name))
			return names->v[i].url.v[0];
	return NULL;
}

/* As requests does: scheme://host, scheme, all://host, all. */
static const char *proxy_for(const struct eb_condarc_names *proxies,
			     const char *url)
{
	size_t n = strcspn(url, ":");
	const char *at = url + n + strspn(url + n, ":/");
	eb_autofree char *scheme = eb_strndup(url, n);
	eb_autofree char *host = eb_strndup(at, strcspn(at, "/:"));
	eb_autofree char *own = eb_asprintf("%s://%s", scheme, host);
	eb_autofree char *any = eb_asprintf("all://%s", host);
	const char *const keys[] = { own, scheme, any, "all" };
	const char *proxy = NULL;

	for (size_t i = 0; !proxy && i < 4; i++)
		proxy = named(proxies, keys[i]);
	return proxy;
}

void eb_channel_way_ask(const struct eb_channel_way *w,
			struct eb_http_request *r)
{
	const struct eb_condarc *rc = w->condarc;

	r->url = w->url;
	r->authorization = w->authorization;
	if (rc) {
		r->tls = &w->tls;
		r->proxy = proxy_for(&rc->proxy_servers, w->shown);
		r->stall_s = rc->read_timeout_s;
		r->tries = rc->tries;
	}
	if (w->more)
		r->tries = 1;
}
