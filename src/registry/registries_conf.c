/* SPDX-License-Identifier: Apache-2.0 */
/* Where a repository can be read: registries.conf is found, its drop-ins are
 * added, a name is rewritten. */
#include <string.h>

#include <envbuild/credential.h>
#include <envbuild/file.h>
#include <envbuild/mem.h>

#include "credential_int.h"
#include "registries_conf.h"

#define SYSTEM_CONF "/etc/containers/registries.conf"
#define MAX_DROP_INS 1000

/* 1, 0 there is no such file, -1. */
static int add_file(struct eb_registries_conf *c, const char *path,
		    struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_CONFIG);

	if (!eb_path_exists(path))
		return 0;
	if (eb_read_file(path, EB_MAX_CONFIG, &text, err) < 0 ||
	    eb_registries_conf_add(c, text.data, text.len, path, err) < 0)
		return -1;
	return 1;
}

static int add_drop_ins(struct eb_registries_conf *c, const char *conf,
			struct eb_error *err)
{
	static const char *const endings[] = { ".conf", NULL };
	struct eb_strv names EB_CLEANUP(eb_strv_release) = { 0 };
	eb_autofree char *dir = eb_asprintf("%s.d", conf);

	if (eb_config_folder(dir, endings, MAX_DROP_INS, &names, err) < 0)
		return -1;
	for (size_t i = 0; i < names.n; i++) {
		eb_autofree char *path = eb_path_join(dir, names.v[i]);

		if (add_file(c, path, err) < 0)
			return -1;
	}
	return 0;
}

/* The user's file stands for the system's; drop-ins of both count. */
static int load(struct eb_registries_conf *c, struct eb_error *err)
{
	const char *given = getenv("CONTAINERS_REGISTRIES_CONF");
	eb_autofree char *own =
		eb_user_config_path("containers/registries.conf");
	int found = 0;

	if (given && *given)
		return add_file(c, given, err) < 0
			       ? -1
			       : add_drop_ins(c, given, err);
	if (own)
		found = add_file(c, own, err);
	if (found < 0 || (!found && add_file(c, SYSTEM_CONF, err) < 0) ||
	    add_drop_ins(c, SYSTEM_CONF, err) < 0)
		return -1;
	return own ? add_drop_ins(c, own, err) : 0;
}

struct list {
	struct eb_place *place;
	size_t n, alloc;
};

static void release_list(struct list *l)
{
	eb_places_release(l->place, l->n);
}

/* `location` in the place of the reference's first `length` bytes. */
static int add_place(struct list *l, const char *location,
		     const char *reference, size_t length, bool insecure,
		     bool mirror, struct eb_error *err)
{
	eb_autofree char *whole =
		eb_asprintf("%s%s", location, reference + length);
	const char *slash = strchr(whole, '/');

	if (!slash || !slash[1])
		return eb_err_set(err, EB_INPUT,
				  "\"%s\", rewriting it for \"%s\" by "
				  "registries.conf: no repository is left",
				  reference, location);
	EB_GROW(l->place, l->n, l->alloc);
	l->place[l->n++] = (struct eb_place){
		.host = eb_strndup(whole, (size_t)(slash - whole)),
		.repository = eb_strdup(slash + 1),
		.insecure = insecure,
		.mirror = mirror,
	};
	return 0;
}

static bool serves(const struct eb_registry_conf *g,
		   const struct eb_mirror_conf *m, bool by_digest)
{
	if (by_digest)
		return m->use != EB_MIRROR_TAG;
	return m->use != EB_MIRROR_DIGEST && !g->mirror_by_digest_only;
}

static int list_places(struct list *l, const struct eb_registry_conf *g,
		       const char *reference, size_t length, bool by_digest,
		       struct eb_error *err)
{
	for (size_t i = 0; i < g->n_mirrors; i++) {
		const struct eb_mirror_conf *m = &g->mirror[i];

		if (serves(g, m, by_digest) &&
		    add_place(l, m->location, reference, length, m->insecure,
			      true, err) < 0)
			return -1;
	}
	if (!g->location)
		return add_place(l, "", reference, 0, g->insecure, false, err);
	return add_place(l, g->location, reference, length, g->insecure, false,
			 err);
}

static int blocked(const struct eb_registry_conf *g, const char *reference,
		   struct eb_error *err)
{
	eb_err_set(err, EB_REFUSED,
		   "\"%s\", reading it: blocked by %s, line %u", reference,
		   g->file, g->line);
	return eb_err_hint(err,
			   "the entry of prefix \"%s\" says blocked = true",
			   g->prefix);
}

int eb_places_find(const char *host, const char *repository, bool by_digest,
		   struct eb_place **out, size_t *n, struct eb_error *err)
{
	struct eb_registries_conf c EB_CLEANUP(
		eb_registries_conf_release) = { 0 };
	struct list l EB_CLEANUP(release_list) = { 0 };
	eb_autofree char *reference = eb_asprintf("%s/%s", host, repository);
	const struct eb_registry_conf *g;
	size_t length = 0;
	int status;

	*out = NULL;
	*n = 0;
	if (load(&c, err) < 0)
		return -1;
	g = eb_registries_conf_match(&c, reference, &length);
	if (g && g->blocked)
		return blocked(g, reference, err);
	if (g)
		status = list_places(&l, g, reference, length, by_digest, err);
	else
		status = add_place(&l, "", reference, 0, false, false, err);
	if (status < 0)
		return -1;
	*n = l.n;
	l.n = 0;
	*out = eb_steal(l.place);
	return 0;
}

void eb_places_release(struct eb_place *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(p[i].host);
		free(p[i].repository);
	}
	free(p);
}
