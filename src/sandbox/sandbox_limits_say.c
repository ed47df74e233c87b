/* SPDX-License-Identifier: Apache-2.0 */
/* Which limit was reached, in words. */
#include <inttypes.h>

#include "sandbox_limits.h"

/* As people wrote it: 8 GiB, in a form that --limit reads. */
static char *size_text(uint64_t n, const char *between)
{
	static const char *const unit[] = { "GiB", "MiB", "KiB" };

	for (unsigned i = 0; i < 3; i++) {
		unsigned shift = 30 - 10 * i;

		if (n && !(n & ((1ULL << shift) - 1)))
			return eb_asprintf("%" PRIu64 "%s%s", n >> shift,
					   between, unit[i]);
	}
	return eb_asprintf("%" PRIu64 "%s", n, *between ? " bytes" : "");
}

static int say_hit(const struct eb_limits *l, const char *name,
		   const char *text, const char *value, struct eb_error *err)
{
	eb_err_set(err, EB_STEP,
		   "\"%s\", running: more than %s (--limit %s=%s)",
		   l->s->argv[0], text, name, value);
	return eb_err_hint(err, "--limit %s=VALUE with more than that lets it",
			   name);
}

static int say_count(const struct eb_limits *l, const char *name, unsigned n,
		     const char *unit, struct eb_error *err)
{
	eb_autofree char *text = eb_asprintf("%u %s", n, unit);
	eb_autofree char *value = eb_asprintf("%u", n);

	return say_hit(l, name, text, value, err);
}

static int say_size(const struct eb_limits *l, const char *name, uint64_t n,
		    const char *where, struct eb_error *err)
{
	eb_autofree char *size = size_text(n, " ");
	eb_autofree char *text = eb_asprintf("%s %s", size, where);
	eb_autofree char *value = size_text(n, "");

	return say_hit(l, name, text, value, err);
}

int eb_limits_say(const struct eb_limits *l, struct eb_error *err)
{
	const struct eb_sandbox *s = l->s;

	switch (l->hit) {
	case EB_HIT_NONE: break;
	case EB_HIT_TIME:
		return say_count(
			l, s->timeout_name ? s->timeout_name : "build-time",
			s->timeout_s, "s", err);
	case EB_HIT_MEMORY:
		return say_size(l, "build-memory", s->memory, "of memory", err);
	case EB_HIT_PROCESSES:
		return say_count(l, "build-processes", s->processes,
				 "processes", err);
	case EB_HIT_DISK:
		return say_size(l, "build-disk", s->disk, "on disk", err);
	}
	return 0;
}
