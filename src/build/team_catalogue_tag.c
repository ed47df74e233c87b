/* SPDX-License-Identifier: Apache-2.0 */
/* Tags that stand for names and versions. */
#include <string.h>

#include "team_catalogue.h"

#define SHORT_HEX 32
#define HEX "0123456789abcdef"

static const char *const stems[] = { "def", "label" };

static void hash_of(const char *name, const char *version, char *hex)
{
	struct eb_digest d;
	struct eb_sha256 sha;

	eb_sha256_init(&sha);
	eb_sha256_add(&sha, name, strlen(name) + 1);
	eb_sha256_add(&sha, version, strlen(version));
	eb_sha256_end(&sha, &d);
	eb_digest_hex(&d, hex)[SHORT_HEX] = 0;
}

char *eb_catalogue_tag(const char *stem, const char *name, const char *version)
{
	eb_autofree char *tag = eb_asprintf("%s-%s.v%s", stem, name, version);
	char hex[EB_HEX_SIZE];

	if (*name && *version && !strstr(name, ".v") && eb_team_tag_valid(tag))
		return eb_steal(tag);
	hash_of(name, version, hex);
	return eb_asprintf("%s-%s", stem, hex);
}

char *eb_team_name_tag(const char *name, const char *version)
{
	return eb_catalogue_tag("n", name, version);
}

int eb_catalogue_tag_read(const char *tag, const char *stem, char **name,
			  char **version)
{
	size_t n = strlen(stem);
	const char *rest = tag + n + 1, *v;

	*name = *version = NULL;
	if (strncmp(tag, stem, n) || tag[n] != '-' || !*rest)
		return -1;
	v = strstr(rest, ".v");
	if (!v)
		return strlen(rest) == SHORT_HEX &&
				       strspn(rest, HEX) == SHORT_HEX
			       ? 0
			       : -1;
	if (v == rest || !v[2])
		return -1;
	*name = eb_strndup(rest, (size_t)(v - rest));
	*version = eb_strdup(v + 2);
	return 1;
}

char *eb_catalogue_claims(const char *name, const char *version)
{
	char hex[EB_HEX_SIZE];

	hash_of(name, version, hex);
	return eb_asprintf("claim-%s-", hex);
}

/* "<n hex digits>" and `end` behind them; what is there then, or NULL. */
static const char *pass_hex(const char *p, size_t n, char end)
{
	return p && strspn(p, HEX) == n && p[n] == end ? p + n + 1 : NULL;
}

const char *eb_catalogue_claimant(const char *tag)
{
	const char *hex = tag + strlen("claim-"), *whose;

	if (!eb_starts(tag, "claim-"))
		return NULL;
	whose = pass_hex(hex, SHORT_HEX, '-');
	return pass_hex(pass_hex(whose, SHORT_HEX, '-'), EB_CLAIM_MARK, 0)
		       ? whose
		       : NULL;
}

bool eb_catalogue_tag_is(const char *tag)
{
	for (size_t i = 0; i < sizeof stems / sizeof *stems; i++) {
		eb_autofree char *name = NULL, *version = NULL;

		if (eb_catalogue_tag_read(tag, stems[i], &name, &version) >= 0)
			return true;
	}
	return eb_catalogue_claimant(tag) != NULL;
}
