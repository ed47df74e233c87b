/* SPDX-License-Identifier: Apache-2.0 */
/* Where a registry may send us for a token: not to plain http, not to
 * addresses that are nobody's business outside. (facts oci 2.2) */
#include <arpa/inet.h>
#include <string.h>

#include <envbuild/mem.h>

#include "registry_int.h"
#include "token_int.h"

char *eb_url_hostname(const char *url)
{
	eb_autofree char *origin = eb_http_origin(url);
	char *host, *end;

	if (!origin)
		return NULL;
	host = strstr(origin, "://") + 3;
	end = strrchr(host, ':');
	if (end)
		*end = '\0';
	if (*host == '[') {
		host++;
		host[strcspn(host, "]%")] = '\0';
	}
	end = host + strlen(host);
	if (end > host && end[-1] == '.')
		end[-1] = '\0';
	return eb_strdup(host);
}

char *eb_url_host(const char *url)
{
	eb_autofree char *origin = eb_http_origin(url);
	char *host, *port;

	if (!origin)
		return NULL;
	host = strstr(origin, "://") + 3;
	port = strrchr(host, ':');
	if (port && !strcmp(port, eb_starts(origin, "https:") ? ":443" : ":80"))
		*port = '\0';
	return eb_strdup(host);
}

static uint32_t word(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
	       (uint32_t)p[2] << 8 | p[3];
}

static bool is_private6(const uint8_t *a)
{
	static const uint8_t zero[12], mapped[12] = { [10] = 0xff, 0xff },
				       nat64[12] = { 0, 0x64, 0xff, 0x9b };

	if (!memcmp(a, zero, 12) || !memcmp(a, mapped, 12) ||
	    !memcmp(a, nat64, 12))
		return eb_ipv4_is_inside(word(a + 12)) || !memcmp(a, zero, 12);
	if (a[0] == 0x20 && a[1] == 0x02) /* 6to4 */
		return eb_ipv4_is_inside(word(a + 2));
	return (a[0] & 0xe0) != 0x20; /* all but 2000::/3 */
}

static bool is_local_name(const char *host)
{
	return !strcmp(host, "localhost") || eb_ends(host, ".localhost");
}

/* An address in any spelling that a resolver takes ("0x7f.1"). */
static bool is_private(const char *host)
{
	struct in6_addr six;
	struct in_addr four;

	if (is_local_name(host))
		return true;
	if (inet_pton(AF_INET6, host, &six) == 1)
		return is_private6(six.s6_addr);
	if (inet_aton(host, &four))
		return eb_ipv4_is_inside(ntohl(four.s_addr));
	return false;
}

static bool is_loopback(const char *host)
{
	struct in_addr four;

	return is_local_name(host) || !strcmp(host, "::1") ||
	       (inet_aton(host, &four) && ntohl(four.s_addr) >> 24 == 127);
}

/* Nothing that two readers of URLs could understand in two ways. */
static bool is_plain_url(const char *realm)
{
	const char *p, *host = strstr(realm, "://");
	size_t n;

	for (p = realm; *p; p++)
		if (*p <= 0x20 || *p >= 0x7f || strchr("\\\"<>#", *p))
			return false;
	if (!host || p - realm > 4096)
		return false;
	host += 3;
	n = strcspn(host, "/?");
	return n && !memchr(host, '@', n) && !memchr(host, '%', n);
}

static int refuse(const char *realm, const char *why, struct eb_error *err)
{
	eb_autofree char *shown = eb_url_redact(realm);
	eb_autofree char *clean = eb_printable(shown);

	return eb_err_set(err, EB_REFUSED, "\"%.200s\", asking for a token: %s",
			  clean, why);
}

int eb_realm_check(const char *realm, const char *url, struct eb_error *err)
{
	eb_autofree char *host = NULL, *own = eb_url_hostname(url);
	eb_autofree char *origin = NULL;

	if (!is_plain_url(realm) || !own)
		return refuse(realm, "the registry names no proper URL", err);
	origin = eb_http_origin(realm);
	host = eb_url_hostname(realm);
	if (!host || !origin || !*host)
		return refuse(realm, "the registry names no proper URL", err);
	if (!eb_starts(origin, "https://") &&
	    !(eb_starts(origin, "http://") && !strncasecmp(url, "http://", 7)))
		return refuse(realm,
			      "the registry is asked by https and sends us to "
			      "something else",
			      err);
	if (strcmp(host, own) && is_private(host) &&
	    !(is_loopback(host) && is_loopback(own)))
		return refuse(realm,
			      "the registry sends us to a private address that "
			      "is not its own",
			      err);
	return 0;
}
