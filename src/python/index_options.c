/* SPDX-License-Identifier: Apache-2.0 */
/* What pip's settings mean: each option's kind of value. */
#include "index_int.h"

#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/mem.h>

#include "pip_line.h"

#define SPACE " \t\v\f\r\n"
#define MAX_SECONDS 86400

enum kind {
	TEXT,
	PATH,
	PLACE,
	LIST,
	PLACES,
	YES,
	SECONDS,
	COUNT,
	KEYRING,
	FORMAT,
	IGNORED
};

struct option {
	const char *key;
	enum kind kind;
	size_t at, other; /* in struct eb_indexes */
};

#define AT(member) offsetof(struct eb_indexes, member)

static const struct option options[] = {
	{ "index-url", PLACE, AT(url), 0 },
	{ "pypi-url", PLACE, AT(url), 0 },
	{ "extra-index-url", PLACES, AT(extra), 0 },
	{ "find-links", PLACES, AT(find_links), 0 },
	{ "trusted-host", LIST, AT(trusted_host), 0 },
	{ "no-index", YES, AT(no_index), 0 },
	{ "cert", PATH, AT(ca_file), 0 },
	{ "client-cert", PATH, AT(client_cert), 0 },
	{ "proxy", TEXT, AT(proxy), 0 },
	{ "keyring-provider", KEYRING, AT(keyring), 0 },
	{ "timeout", SECONDS, AT(timeout_s), 0 },
	{ "default-timeout", SECONDS, AT(timeout_s), 0 },
	{ "retries", COUNT, AT(retries), AT(has_retries) },
	{ "no-binary", FORMAT, AT(no_binary), AT(only_binary) },
	{ "only-binary", FORMAT, AT(only_binary), AT(no_binary) },
	{ "pre", YES, AT(pre), 0 },
	{ "require-hashes", YES, AT(require_hashes), 0 },
	/* They would change what is chosen. */
	{ "all-releases", IGNORED, 0, 0 },
	{ "build-constraint", IGNORED, 0, 0 },
	{ "config-settings", IGNORED, 0, 0 },
	{ "constraint", IGNORED, 0, 0 },
	{ "editable", IGNORED, 0, 0 },
	{ "ignore-requires-python", IGNORED, 0, 0 },
	{ "no-build-isolation", IGNORED, 0, 0 },
	{ "no-deps", IGNORED, 0, 0 },
	{ "no-proxy-env", IGNORED, 0, 0 },
	{ "only-deps", IGNORED, 0, 0 },
	{ "only-final", IGNORED, 0, 0 },
	{ "prefer-binary", IGNORED, 0, 0 },
	{ "requirement", IGNORED, 0, 0 },
	{ "uploaded-prior-to", IGNORED, 0, 0 },
};

static int refuse(const struct eb_index_setting *s, const char *want,
		  struct eb_error *err)
{
	eb_err_set(err, EB_INPUT,
		   "\"%s\", reading \"%s\" of pip's settings: "
		   "it is not %s",
		   s->source, s->key, want);
	return s->line ? eb_err_at(err, s->source, s->line, 0) : -1;
}

/* ---- kinds of values ------------------------------------------------------
 */

char *eb_index_place(const char *text)
{
	const char *home = getenv("HOME");
	eb_autofree char *cwd = NULL;

	if (eb_pip_is_url(text) || *text == '/')
		return eb_strdup(text);
	if (eb_starts(text, "~/") && home && *home)
		return eb_asprintf("%s%s", home, text + 1);
	if (eb_starts(text, "./"))
		text += 2;
	cwd = getcwd(NULL, 0);
	return cwd ? eb_asprintf("%s/%s", cwd, text) : eb_strdup(text);
}

static char *path_value(const char *text)
{
	const char *home = getenv("HOME");

	if (eb_starts(text, "~/") && home && *home)
		return eb_asprintf("%s%s", home, text + 1);
	return eb_strdup(text);
}

static void put_text(char **to, char *text)
{
	eb_wipe(*to);
	*to = text;
}

static void put_list(struct eb_strv *to, const char *text, bool places)
{
	eb_wipe_all(to);
	for (text += strspn(text, SPACE); *text; text += strspn(text, SPACE)) {
		size_t n = strcspn(text, SPACE);
		char *one = eb_strndup(text, n);

		text += n;
		eb_strv_take(to, places ? eb_index_place(one) : eb_strdup(one));
		eb_wipe(one);
	}
}

/* 1, 0, -1: it is no such word */
static int truth(const char *text)
{
	static const char *const words[] = { "n",   "y",  "no",	   "yes",
					     "f",   "t",  "false", "true",
					     "off", "on", "0",	   "1" };

	for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcasecmp(text, words[i]))
			return (int)(i & 1);
	return -1;
}

static int put_yes(bool *to, const struct eb_index_setting *s,
		   struct eb_error *err)
{
	int yes = truth(s->value);

	if (yes < 0)
		return refuse(s, "yes or no, true or false, 1 or 0", err);
	*to = yes;
	return 0;
}

static int put_seconds(unsigned *to, const struct eb_index_setting *s,
		       struct eb_error *err)
{
	char *end;
	double seconds = strtod(s->value, &end);

	if (end == s->value || end[strspn(end, SPACE)] || !(seconds >= 0))
		return refuse(s, "a number of seconds", err);
	*to = MAX_SECONDS;
	if (seconds < MAX_SECONDS)
		*to = (unsigned)seconds + (seconds > (unsigned)seconds);
	return 0;
}

static int put_count(unsigned *to, const struct eb_index_setting *s,
		     struct eb_error *err)
{
	uint64_t n;

	if (eb_parse_u64(s->value, 1000000, &n) < 0)
		return refuse(s, "a number", err);
	*to = (unsigned)n;
	return 0;
}

static int put_keyring(char **to, const struct eb_index_setting *s,
		       struct eb_error *err)
{
	static const char *const words[] = { "auto", "disabled", "import",
					     "subprocess" };

	for (unsigned i = 0; i < 4; i++) {
		if (!strcmp(s->value, words[i])) {
			put_text(to, eb_strdup(words[i]));
			return 0;
		}
	}
	return refuse(s, "auto, disabled, import or subprocess", err);
}

static int apply_one(const struct option *o, const struct eb_index_setting *s,
		     struct eb_indexes *out, struct eb_events *events,
		     struct eb_error *err)
{
	char *base = (char *)out;
	void *to = base + o->at;

	switch (o->kind) {
	case TEXT: put_text(to, eb_strdup(s->value)); break;
	case PATH: put_text(to, path_value(s->value)); break;
	case PLACE: put_text(to, eb_index_place(s->value)); break;
	case LIST: put_list(to, s->value, false); break;
	case PLACES: put_list(to, s->value, true); break;
	case YES: return put_yes(to, s, err);
	case SECONDS: return put_seconds(to, s, err);
	case COUNT:
		*(bool *)(base + o->other) = true;
		return put_count(to, s, err);
	case KEYRING: return put_keyring(to, s, err);
	case FORMAT:
		eb_index_format(s->value, to, (void *)(base + o->other));
		break;
	case IGNORED:
		eb_warn(events, "\"%s\": its setting \"%s\" is not followed",
			s->source, s->key);
		break;
	}
	return 0;
}

static const struct option *find_option(const char *key)
{
	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		if (!strcmp(options[i].key, key))
			return &options[i];
	return NULL;
}

/* What is empty says nothing. */
int eb_index_settings_apply(const struct eb_index_settings *s,
			    struct eb_indexes *out, struct eb_events *events,
			    struct eb_error *err)
{
	static const char *const order[] = { "global", "install", ":env:" };

	for (unsigned k = 0; k < 3; k++) {
		for (size_t i = 0; i < s->n; i++) {
			const struct option *o = find_option(s->v[i].key);

			if (!o || strcmp(s->v[i].section, order[k]) ||
			    !*s->v[i].value)
				continue;
			if (apply_one(o, &s->v[i], out, events, err) < 0)
				return -1;
			if (o->kind != IGNORED &&
			    !eb_strv_has(&out->source, s->v[i].source))
				eb_strv_add(&out->source, s->v[i].source);
		}
	}
	return 0;
}
