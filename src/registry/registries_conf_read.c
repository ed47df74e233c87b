/* SPDX-License-Identifier: Apache-2.0 */
/* What a registries.conf says: [[registry]] and its [[registry.mirror]].
 * (containers-registries.conf(5), version 2) */
#include <string.h>

#include <envbuild/mem.h>

#include "registries_conf.h"

enum where { AT_ROOT, ELSEWHERE, IN_REGISTRY, IN_MIRROR };

struct reading {
	struct eb_registries_conf found; /* of this file */
	enum where where;
	const char *name;
};

static void release_registry(struct eb_registry_conf *r)
{
	for (size_t i = 0; i < r->n_mirrors; i++)
		free(r->mirror[i].location);
	free(r->mirror);
	free(r->prefix);
	free(r->location);
	free(r->file);
	*r = (struct eb_registry_conf){ 0 };
}

void eb_registries_conf_release(struct eb_registries_conf *c)
{
	while (c->n)
		release_registry(&c->registry[--c->n]);
	free(c->registry);
	*c = (struct eb_registries_conf){ 0 };
}

static void release_reading(struct reading *r)
{
	eb_registries_conf_release(&r->found);
}

static struct eb_registry_conf *last(struct reading *r)
{
	return &r->found.registry[r->found.n - 1];
}

static int say(struct eb_error *err, const char *name, const char *what)
{
	return eb_err_set(err, EB_INPUT, "\"%s\", reading: %s", name, what);
}

static void begin_registry(struct reading *r, unsigned line)
{
	struct eb_registries_conf *c = &r->found;

	EB_GROW(c->registry, c->n, c->alloc);
	c->registry[c->n++] =
		(struct eb_registry_conf){ .file = eb_strdup(r->name),
					   .line = line };
}

static int begin_mirror(struct reading *r, struct eb_error *err)
{
	struct eb_registry_conf *g;

	if (!r->found.n)
		return say(err, r->name, "a mirror without a registry");
	g = last(r);
	EB_GROW(g->mirror, g->n_mirrors, g->mirrors_alloc);
	g->mirror[g->n_mirrors++] = (struct eb_mirror_conf){ 0 };
	return 0;
}

static int on_table(void *data, const struct eb_strv *path, bool array,
		    unsigned line, struct eb_error *err)
{
	struct reading *r = data;
	bool mirror = path->n == 2 && !strcmp(path->v[1], "mirror");

	r->where = ELSEWHERE;
	if (strcmp(path->v[0], "registry") || (path->n != 1 && !mirror))
		return 0;
	if (!array)
		return say(err, r->name,
			   mirror ? "it is written [[registry.mirror]]"
				  : "it is written [[registry]]");
	r->where = mirror ? IN_MIRROR : IN_REGISTRY;
	if (mirror)
		return begin_mirror(r, err);
	begin_registry(r, line);
	return 0;
}

static int want(const struct reading *r, const char *key, bool right,
		const char *what, struct eb_error *err)
{
	if (right)
		return 0;
	return eb_err_set(err, EB_INPUT, "\"%s\", reading: \"%s\" is %s",
			  r->name, key, what);
}

/* HOST[:PORT][/PATH] without the slashes at its end. */
static int set_place(struct reading *r, const char *key,
		     const struct eb_toml_value *v, char **to,
		     struct eb_error *err)
{
	size_t n;

	if (want(r, key, v->kind == EB_TOML_TEXT, "a text", err) < 0 ||
	    want(r, key, !*to, "there twice", err) < 0 ||
	    want(r, key, !strstr(v->text, "://"),
		 "HOST[:PORT][/PATH], without a scheme", err) < 0)
		return -1;
	for (n = strlen(v->text); n && v->text[n - 1] == '/'; n--)
		;
	if (want(r, key, !v->text[strcspn(v->text, " \t\r\n?#@\\")],
		 "HOST[:PORT][/PATH]", err) < 0)
		return -1;
	if (n) /* an empty one counts as none */
		*to = eb_strndup(v->text, n);
	return 0;
}

static int set_flag(struct reading *r, const char *key,
		    const struct eb_toml_value *v, bool *to,
		    struct eb_error *err)
{
	if (want(r, key, v->kind == EB_TOML_BOOLEAN, "true or false", err) < 0)
		return -1;
	*to = v->yes;
	return 0;
}

static int set_use(struct reading *r, const char *key,
		   const struct eb_toml_value *v, enum eb_mirror_use *to,
		   struct eb_error *err)
{
	const char *text = v->kind == EB_TOML_TEXT ? v->text : "?";

	if (!strcmp(text, "digest-only"))
		*to = EB_MIRROR_DIGEST;
	else if (!strcmp(text, "tag-only"))
		*to = EB_MIRROR_TAG;
	else if (!strcmp(text, "all") || !*text)
		*to = EB_MIRROR_ALL;
	else
		return want(r, key, false, "all, digest-only or tag-only", err);
	return 0;
}

static int on_registry(struct reading *r, const char *key,
		       const struct eb_toml_value *v, struct eb_error *err)
{
	struct eb_registry_conf *g = last(r);

	if (!strcmp(key, "prefix"))
		return set_place(r, key, v, &g->prefix, err);
	if (!strcmp(key, "location"))
		return set_place(r, key, v, &g->location, err);
	if (!strcmp(key, "insecure"))
		return set_flag(r, key, v, &g->insecure, err);
	if (!strcmp(key, "blocked"))
		return set_flag(r, key, v, &g->blocked, err);
	if (!strcmp(key, "mirror-by-digest-only"))
		return set_flag(r, key, v, &g->mirror_by_digest_only, err);
	if (!strcmp(key, "mirror"))
		return say(err, r->name, "it is written [[registry.mirror]]");
	return 0;
}

static int on_mirror(struct reading *r, const char *key,
		     const struct eb_toml_value *v, struct eb_error *err)
{
	struct eb_registry_conf *g = last(r);
	struct eb_mirror_conf *m = &g->mirror[g->n_mirrors - 1];

	if (!strcmp(key, "location"))
		return set_place(r, key, v, &m->location, err);
	if (!strcmp(key, "insecure"))
		return set_flag(r, key, v, &m->insecure, err);
	if (!strcmp(key, "pull-from-mirror"))
		return set_use(r, key, v, &m->use, err);
	return 0;
}

static int on_value(void *data, const struct eb_strv *key,
		    const struct eb_toml_value *v, struct eb_error *err)
{
	struct reading *r = data;

	if (key->n != 1)
		return 0;
	if (r->where == IN_REGISTRY)
		return on_registry(r, key->v[0], v, err);
	if (r->where == IN_MIRROR)
		return on_mirror(r, key->v[0], v, err);
	if (r->where == AT_ROOT && !strcmp(key->v[0], "registry"))
		return say(err, r->name, "it is written [[registry]]");
	return 0;
}

/* What can only be told at the end of an entry. */
static int finish(struct eb_registry_conf *g, struct eb_error *err)
{
	const char *bad = NULL,
		   *star = g->prefix ? strchr(g->prefix, '*') : NULL;

	for (size_t i = 0; i < g->n_mirrors; i++)
		if (!g->mirror[i].location)
			bad = "a mirror has no location";
	if (!g->prefix && !g->location)
		bad = "a registry has neither prefix nor location";
	else if (star && (star != g->prefix || !eb_starts(star, "*.") ||
			  strpbrk(star + 1, "*/:")))
		bad = "* is good for *.DOMAIN alone";
	else if (!g->prefix && strchr(g->location, '*'))
		bad = "* does not make a location";
	if (bad) {
		say(err, g->file, bad);
		return eb_err_at(err, g->file, g->line, 0);
	}
	if (!g->prefix)
		g->prefix = eb_strdup(g->location);
	if (!g->location && !star)
		g->location = eb_strdup(g->prefix);
	return 0;
}

/* Takes the entry over. */
static void put(struct eb_registries_conf *c, struct eb_registry_conf *g)
{
	for (size_t i = 0; i < c->n; i++) {
		if (strcmp(c->registry[i].prefix, g->prefix))
			continue;
		release_registry(&c->registry[i]);
		c->registry[i] = *g;
		*g = (struct eb_registry_conf){ 0 };
		return;
	}
	EB_GROW(c->registry, c->n, c->alloc);
	c->registry[c->n++] = *g;
	*g = (struct eb_registry_conf){ 0 };
}

int eb_registries_conf_add(struct eb_registries_conf *c, const char *text,
			   size_t len, const char *name, struct eb_error *err)
{
	static const struct eb_toml_calls calls = { on_table, on_value };
	struct reading r EB_CLEANUP(release_reading) = { .name = name };
	size_t i;

	if (eb_toml_read(text, len, name, &calls, &r, err) < 0)
		return -1;
	for (i = 0; i < r.found.n; i++)
		if (finish(&r.found.registry[i], err) < 0)
			return -1;
	for (i = 0; i < r.found.n; i++)
		put(c, &r.found.registry[i]);
	return 0;
}

/* How much of the reference a prefix is; 0: it is none of it. */
static size_t prefix_length(const char *prefix, const char *reference)
{
	size_t host = strcspn(reference, ":/"), n = strlen(prefix);

	if (prefix[0] == '*') {
		n--;
		if (host > n && !memcmp(reference + host - n, prefix + 1, n))
			return strcspn(reference, "/");
		return 0;
	}
	if (eb_starts(reference, prefix) &&
	    (!reference[n] || reference[n] == '/'))
		return n;
	return 0;
}

/* Of those that fit, the longest prefix as it is written. */
const struct eb_registry_conf *
eb_registries_conf_match(const struct eb_registries_conf *c,
			 const char *reference, size_t *length)
{
	const struct eb_registry_conf *best = NULL;

	for (size_t i = 0; i < c->n; i++) {
		const struct eb_registry_conf *g = &c->registry[i];
		size_t n = prefix_length(g->prefix, reference);

		if (!n || (best && strlen(best->prefix) >= strlen(g->prefix)))
			continue;
		best = g;
		*length = n;
	}
	return best;
}
