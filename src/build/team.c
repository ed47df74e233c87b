/* SPDX-License-Identifier: Apache-2.0 */
/* The team's cache: opened, and how things are called in it. */
#include <string.h>

#include <envbuild/reference.h>

#include "team_private.h"

#define CHECK_TIMEOUT_MS 5000
#define CHECK_TRIES 2
#define MAX_TAG 128
#define SHORT_HEX 32

/* --- opening ---------------------------------------------------------- */
static int open_repository(struct eb_team *t, struct eb_error *err)
{
	EB_CLEANUP(eb_reference_release) struct eb_reference ref = { 0 };
	const char *text = t->config->registry;

	if (eb_reference_parse(text, &ref, err) < 0)
		return -1;
	if (ref.kind != EB_REF_REGISTRY || ref.tag || ref.has_digest) {
		eb_err_set(err, EB_USAGE,
			   "\"%s\" is no repository of a registry", text);
		return eb_err_hint(err, "write HOST/PREFIX, without tag or "
					"digest");
	}
	return eb_repository_open(t->registry, ref.registry, ref.repository,
				  &t->repo, err);
}

int eb_team_open_as(const struct eb_config *config,
		    const struct eb_asking *asking, struct eb_events *events,
		    struct eb_team **out, struct eb_error *err)
{
	EB_CLEANUP(eb_team_free_ptr) struct eb_team *t = NULL;

	if (!config->registry || config->no_push || config->offline ||
	    config->local)
		return 0;
	t = eb_calloc(1, sizeof *t);
	t->config = config;
	t->single = asking && asking->single;
	t->events = events;
	t->registry = eb_config_registry(config, asking, events);
	if (open_repository(t, err) < 0)
		return -1;
	t->text = eb_strdup(eb_repository_text(t->repo));
	if (eb_policy_check(&config->policy.registries, "registries", t->text,
			    err) < 0)
		return -1;
	*out = eb_steal(t);
	return 1;
}

int eb_team_open(const struct eb_config *config, bool single,
		 struct eb_events *events, struct eb_team **out,
		 struct eb_error *err)
{
	/* Who asks one thing waits for an answer. */
	static const struct eb_asking one = { .single = true,
					      .tries = CHECK_TRIES,
					      .timeout_ms = CHECK_TIMEOUT_MS };

	return eb_team_open_as(config, single ? &one : NULL, events, out, err);
}

void eb_team_free(struct eb_team *t)
{
	if (!t)
		return;
	eb_team_ahead_free(t->ahead);
	eb_registry_free(t->registry);
	free(t->text);
	free(t);
}

struct eb_registry *eb_team_registry(struct eb_team *t)
{
	return t->registry;
}

struct eb_repository *eb_team_repository(struct eb_team *t)
{
	return t->repo;
}

char *eb_team_reference(const struct eb_team *t, const struct eb_digest *d)
{
	char text[EB_DIGEST_TEXT];

	return eb_asprintf("%s@%s", t->text, eb_digest_text(d, text));
}

/* --- names of tags ---------------------------------------------------- */
static const char *const stems[] = {
	[EB_TAG_ENV] = "env",	    [EB_TAG_LOCK] = "lock",
	[EB_TAG_LOCKED] = "locked", [EB_TAG_LAYER] = "layer",
	[EB_TAG_STEP] = "step",
};

char *eb_team_tag_of(enum eb_team_tag_kind kind, const struct eb_digest *key,
		     const char *compression)
{
	char hex[EB_HEX_SIZE];
	bool zstd = kind == EB_TAG_LOCK && compression &&
		    eb_starts(compression, "zstd");

	return eb_asprintf("%s-%.*s%s", stems[kind], SHORT_HEX,
			   eb_digest_hex(key, hex), zstd ? "-zstd" : "");
}

/* Exactly 32 lower-case hex digits, then `end`. */
static bool is_short_hex(const char *text, const char *end)
{
	return strspn(text, "0123456789abcdef") == SHORT_HEX &&
	       !strcmp(text + SHORT_HEX, end);
}

bool eb_team_tag_is(const char *tag, enum eb_team_tag_kind kind,
		    const char **hex)
{
	size_t n = strlen(stems[kind]);

	if (strncmp(tag, stems[kind], n) || tag[n] != '-')
		return false;
	*hex = tag + n + 1;
	return is_short_hex(*hex, "") ||
	       (kind == EB_TAG_LOCK && is_short_hex(*hex, "-zstd"));
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_';
}

bool eb_team_tag_valid(const char *tag)
{
	size_t n = strlen(tag);

	if (!n || n > MAX_TAG || !is_word(tag[0]))
		return false;
	for (size_t i = 1; i < n; i++)
		if (!is_word(tag[i]) && tag[i] != '.' && tag[i] != '-')
			return false;
	return true;
}
