/* SPDX-License-Identifier: Apache-2.0 */
/* Keys: SHA-256 over fields that are joined unambiguously. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <envbuild/digest.h>

static void add_field(struct eb_keyer *k, const void *p, size_t n)
{
	char head[24];
	int len = snprintf(head, sizeof head, "%zu:", n);

	eb_sha256_add(&k->sha, head, (size_t)len);
	eb_sha256_add(&k->sha, p, n);
	eb_sha256_add(&k->sha, ",", 1);
}

void eb_key_begin(struct eb_keyer *k, const char *domain)
{
	eb_sha256_init(&k->sha);
	eb_key_text(k, domain);
}

/* A field that is absent has no length, so it differs from an empty one. */
void eb_key_text(struct eb_keyer *k, const char *text)
{
	if (text)
		add_field(k, text, strlen(text));
	else
		eb_sha256_add(&k->sha, "-,", 2);
}

void eb_key_u64(struct eb_keyer *k, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof text, "%" PRIu64, value);
	eb_key_text(k, text);
}

void eb_key_digest(struct eb_keyer *k, const struct eb_digest *d)
{
	add_field(k, d->byte, sizeof d->byte);
}

void eb_key_end(struct eb_keyer *k, struct eb_digest *out)
{
	eb_sha256_end(&k->sha, out);
}
