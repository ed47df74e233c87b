/* SPDX-License-Identifier: Apache-2.0 */
/* Lists in pages: Link: <...>; rel="next" (RFC 8288). */
#include <string.h>
#include <strings.h>

#include "registry_int.h"

/* The parameters behind one <...> up to the next comma outside of quotes. */
static size_t parameters(const char *p)
{
	bool quoted = false;
	size_t n;

	for (n = 0; p[n] && (quoted || p[n] != ','); n++) {
		if (p[n] == '"')
			quoted = !quoted;
	}
	return n;
}

static bool is_next(const char *p, size_t n)
{
	eb_autofree char *text = eb_strndup(p, n);
	char *rel = strcasestr(text, "rel=");

	if (!rel)
		return false;
	rel += 4 + (rel[4] == '"');
	return strncasecmp(rel, "next", 4) == 0 && strcspn(rel, "\"; ,") == 4;
}

/* Its target, or NULL. */
static char *next_of(const char *field)
{
	const char *open, *close;
	size_t n;

	while ((open = strchr(field, '<')) && (close = strchr(open, '>'))) {
		n = parameters(close + 1);
		if (is_next(close + 1, n))
			return eb_strndup(open + 1, (size_t)(close - open - 1));
		field = close + 1 + n;
	}
	return NULL;
}

int eb_call_next(struct eb_call *c, char **next, struct eb_error *err)
{
	const char *from = c->r.final_url ? c->r.final_url : c->sent_url;
	unsigned i;

	*next = NULL;
	for (i = 0; i < 16; i++) {
		eb_autofree char *field = eb_http_field(&c->r, "Link", i);
		eb_autofree char *target = field ? next_of(field) : NULL;

		if (!field)
			return 0;
		if (!target)
			continue;
		*next = eb_host_location(from, target, err);
		return *next ? 1 : eb_call_prefix(c, err);
	}
	return 0;
}
