/* SPDX-License-Identifier: Apache-2.0 */
/* What the name of a host tells: this machine, a private network, a vendor. */
#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

#include "registry_int.h"

/* Without port and brackets. */
static char *bare(const char *host)
{
	const char *end;

	if (*host == '[') {
		end = strchr(host, ']');
		return end ? eb_strndup(host + 1, (size_t)(end - host - 1))
			   : eb_strdup(host);
	}
	end = strchr(host, ':');
	if (end && strchr(end + 1, ':')) /* an address without brackets */
		end = NULL;
	return end ? eb_strndup(host, (size_t)(end - host)) : eb_strdup(host);
}

static bool ends_in(const char *host, const char *suffix)
{
	size_t n = strlen(host), m = strlen(suffix);

	return n >= m && strcasecmp(host + n - m, suffix) == 0;
}

/* An IPv4 address, or one within IPv6, in host order. */
static bool ipv4_of(const char *host, uint32_t *out)
{
	struct in6_addr six;
	struct in_addr four;

	if (inet_pton(AF_INET, host, &four) == 1) {
		*out = ntohl(four.s_addr);
		return true;
	}
	if (inet_pton(AF_INET6, host, &six) != 1 || !IN6_IS_ADDR_V4MAPPED(&six))
		return false;
	memcpy(out, six.s6_addr + 12, 4);
	*out = ntohl(*out);
	return true;
}

bool eb_host_is_loopback(const char *host)
{
	eb_autofree char *name = bare(host);
	struct in6_addr six;
	uint32_t four;

	if (strcasecmp(name, "localhost") == 0 || ends_in(name, ".localhost"))
		return true;
	if (ipv4_of(name, &four))
		return four >> 24 == 127;
	return inet_pton(AF_INET6, name, &six) == 1 &&
	       IN6_IS_ADDR_LOOPBACK(&six);
}

/* Addresses that mean nothing in the public net (RFC 6890 and its successors).
 */
static const struct {
	uint32_t net;
	unsigned bits;
} inside[] = {
	{ 0x00000000, 8 },  /* 0.0.0.0/8 */
	{ 0x0a000000, 8 },  /* 10.0.0.0/8 */
	{ 0x64400000, 10 }, /* 100.64.0.0/10 */
	{ 0x7f000000, 8 },  /* 127.0.0.0/8 */
	{ 0xa9fe0000, 16 }, /* 169.254.0.0/16 */
	{ 0xac100000, 12 }, /* 172.16.0.0/12 */
	{ 0xc0000000, 24 }, /* 192.0.0.0/24 */
	{ 0xc0a80000, 16 }, /* 192.168.0.0/16 */
	{ 0xc6120000, 15 }, /* 198.18.0.0/15 */
	{ 0xe0000000, 3 },  /* 224.0.0.0/3 */
};

bool eb_ipv4_is_inside(uint32_t four)
{
	for (size_t i = 0; i < sizeof inside / sizeof *inside; i++)
		if ((four ^ inside[i].net) >> (32 - inside[i].bits) == 0)
			return true;
	return false;
}

bool eb_host_is_inside(const char *host)
{
	eb_autofree char *name = bare(host);
	struct in6_addr six;
	uint32_t four;

	if (eb_host_is_loopback(name))
		return true;
	if (ipv4_of(name, &four))
		return eb_ipv4_is_inside(four);
	if (inet_pton(AF_INET6, name, &six) != 1)
		return false;
	return IN6_IS_ADDR_UNSPECIFIED(&six) || IN6_IS_ADDR_LINKLOCAL(&six) ||
	       IN6_IS_ADDR_SITELOCAL(&six) || (six.s6_addr[0] & 0xfe) == 0xfc;
}

/* Those that refuse a blob in pieces, or keep its first alone. */
bool eb_host_takes_chunks(const char *host)
{
	eb_autofree char *name = bare(host);

	return !ends_in(name, ".amazonaws.com") && !ends_in(name, ".pkg.dev") &&
	       strcasecmp(name, "gcr.io") != 0 && !ends_in(name, ".gcr.io");
}
