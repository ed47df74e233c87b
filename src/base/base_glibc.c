/* SPDX-License-Identifier: Apache-2.0 */
/* The base's glibc: as told, by the labels of its distribution, or by what
 * its layers hold; the last is remembered by the diff IDs. */
#include <string.h>

#include <envbuild/json.h>
#include <envbuild/mem.h>
#include <envbuild/str.h>

#include "base_priv.h"

#define FACT "glibc"

/* Distributions keep the glibc of a release for its whole life. */
static const struct {
	const char *name, *version, *glibc, *os_name;
} releases[] = {
	{ "ubuntu", "18.04", "2.27", "Ubuntu 18.04" },
	{ "ubuntu", "20.04", "2.31", "Ubuntu 20.04" },
	{ "ubuntu", "22.04", "2.35", "Ubuntu 22.04" },
	{ "ubuntu", "24.04", "2.39", "Ubuntu 24.04" },
	{ "debian", "10", "2.28", "Debian 10" },
	{ "debian", "11", "2.31", "Debian 11" },
	{ "debian", "12", "2.36", "Debian 12" },
	{ "debian", "13", "2.41", "Debian 13" },
};

static bool is_version(const char *s)
{
	size_t major = strspn(s, "0123456789");
	size_t minor =
		s[major] == '.' ? strspn(s + major + 1, "0123456789") : 0;

	return major && minor && major + minor < 16 && !s[major + 1 + minor];
}

/* Empty means that there is none, as for conda. */
int eb_base_override_glibc(struct eb_base *b, struct eb_error *err)
{
	const char *version = getenv("CONDA_OVERRIDE_GLIBC");

	if (!version)
		return 0;
	if (*version && !is_version(version))
		return eb_err_set(err, EB_USAGE,
				  "\"CONDA_OVERRIDE_GLIBC\": \"%s\" is not a "
				  "version",
				  version);
	b->glibc = *version ? eb_strdup(version) : NULL;
	return 1;
}

/* "12" and "12.5" are one release; "22.04" needs its second part. */
static bool is_release(const char *version, const char *release)
{
	size_t n = strlen(release);

	return strncmp(version, release, n) == 0 &&
	       (version[n] == '\0' || version[n] == '.');
}

static bool by_labels(struct eb_base *b)
{
	const json_t *labels =
		eb_json_obj(eb_json_obj(b->config, "config"), "Labels");
	const char *name =
		eb_json_str(labels, "org.opencontainers.image.ref.name");
	const char *version =
		eb_json_str(labels, "org.opencontainers.image.version");
	size_t i;

	for (i = 0; name && version && i < sizeof releases / sizeof *releases;
	     i++) {
		if (strcmp(name, releases[i].name) != 0 ||
		    !is_release(version, releases[i].version))
			continue;
		b->glibc = eb_strdup(releases[i].glibc);
		b->os_name = eb_strdup(releases[i].os_name);
		return true;
	}
	return false;
}

static void memory_key(const struct eb_base *b, struct eb_digest *key)
{
	struct eb_keyer k;
	size_t i;

	eb_key_begin(&k, "base-glibc");
	for (i = 0; i < b->n_layers; i++)
		eb_key_digest(&k, &b->diff_id[i]);
	eb_key_end(&k, key);
}

/* 1 read, 0 it is no such text. */
static int parse(const struct eb_buf *text, struct eb_libc *out)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	eb_autojson json_t *json =
		eb_json_parse(text->data, text->len, FACT, &ignored);

	if (!json || !json_is_object(json))
		return 0;
	out->glibc = eb_strdup(eb_json_str(json, "glibc"));
	out->os_name = eb_strdup(eb_json_str(json, "os"));
	out->musl = json_is_true(json_object_get(json, "musl"));
	return 1;
}

static void format(const struct eb_libc *l, struct eb_buf *out)
{
	eb_autojson json_t *json = json_object();

	if (l->glibc)
		json_object_set_new(json, "glibc", json_string(l->glibc));
	if (l->os_name)
		json_object_set_new(json, "os", json_string(l->os_name));
	json_object_set_new(json, "musl", json_boolean(l->musl));
	eb_json_canonical(json, out);
}

static int keep_here(struct eb_store *store, const struct eb_digest *key,
		     const struct eb_libc *l, struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_CONFIG);
	char name[EB_DIGEST_TEXT];

	format(l, &text);
	return eb_store_put_fact(store, FACT, eb_digest_text(key, name),
				 text.data, NULL, err);
}

/* What others have learned is worth nothing when it cannot be had. */
static int recall_there(const struct eb_base_from *from,
			const struct eb_digest *key, struct eb_libc *out)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	const struct eb_base_memory *m = from->memory;
	EB_AUTOBUF(text, EB_MAX_CONFIG);

	return m && m->recall(m->data, key, &text, &ignored) > 0 &&
	       parse(&text, out);
}

static void keep_there(const struct eb_base_from *from,
		       const struct eb_digest *key, const struct eb_libc *l)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	const struct eb_base_memory *m = from->memory;
	EB_AUTOBUF(text, EB_MAX_CONFIG);

	format(l, &text);
	if (m && m->keep(m->data, key, text.data, &ignored) < 0)
		eb_detail(from->events, "%s", ignored.message);
}

static int recall_here(struct eb_store *store, const struct eb_digest *key,
		       struct eb_libc *out, struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_CONFIG);
	char name[EB_DIGEST_TEXT];
	int got = eb_store_find_fact(store, FACT, eb_digest_text(key, name),
				     &text, err);

	return got > 0 ? parse(&text, out) : got;
}

static bool lies_elsewhere(const struct eb_base *b,
			   const struct eb_base_from *from)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	size_t i;

	for (i = 0; i < b->n_layers; i++)
		if (eb_store_has(from->store, &b->image.layer[i].digest,
				 &ignored) != 1)
			return true;
	return false;
}

static int look(struct eb_base *b, const struct eb_base_from *from,
		struct eb_libc *l, struct eb_error *err)
{
	const char *arch = eb_json_str(b->config, "architecture");
	bool elsewhere;
	struct eb_digest key;
	int got;

	memory_key(b, &key);
	got = recall_here(from->store, &key, l, err);
	if (got)
		return got < 0 ? -1 : 0;
	elsewhere = lies_elsewhere(b, from);
	if (elsewhere && recall_there(from, &key, l))
		return keep_here(from->store, &key, l, err);
	if (eb_libc_find(&b->image, arch, from, l, err) < 0)
		return eb_err_prefix(err, "\"%s\"", b->reference);
	if (elsewhere)
		keep_there(from, &key, l);
	return keep_here(from->store, &key, l, err);
}

static int judge(struct eb_base *b, struct eb_libc *l, struct eb_events *events,
		 struct eb_error *err)
{
	if (!l->glibc && l->musl) {
		eb_err_set(err, EB_INPUT,
			   "\"%s\" has musl as its C library, and conda "
			   "packages need glibc",
			   b->reference);
		return eb_err_hint(err, "take a base like Debian, Ubuntu or "
					"Red Hat");
	}
	b->glibc = eb_steal(l->glibc);
	b->os_name = eb_steal(l->os_name);
	if (!b->glibc)
		eb_warn(events,
			"\"%s\" has no glibc that was found; packages "
			"that need one cannot be chosen",
			b->reference);
	return 0;
}

int eb_base_find_glibc(struct eb_base *b, const struct eb_base_from *from,
		       struct eb_error *err)
{
	struct eb_libc l = { 0 };
	int got = eb_base_override_glibc(b, err);

	if (got)
		return got < 0 ? -1 : 0;
	if (by_labels(b))
		return 0;
	got = look(b, from, &l, err);
	if (got == 0)
		got = judge(b, &l, from->events, err);
	eb_libc_release(&l);
	return got;
}
