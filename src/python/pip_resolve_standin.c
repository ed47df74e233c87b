/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines that the resolver is given as a folder of this machine. A commit of a
 * repository is fetched by the caller first, with the user's own git and ssh:
 * the resolver runs confined, and has neither. A folder that does not tell its
 * name is asked for it.
 */
#include "pip_resolve_int.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <envbuild/file.h>
#include <envbuild/sdist.h>

#include "pip_line.h"
#include "vcs_line.h"

static int at_line(const struct eb_pip_line *l, struct eb_error *err)
{
	return eb_err_at(err, l->file, l->line, l->column);
}

static struct eb_standin *add(struct eb_resolving *z,
			      const struct eb_pip_line *l)
{
	struct eb_standin *s;

	EB_GROW(z->standin, z->n_standins, z->alloc_standins);
	s = &z->standin[z->n_standins++];
	*s = (struct eb_standin){ .line = l };
	s->pin.direct = true;
	s->pin.build = eb_calloc(1, sizeof *s->pin.build);
	s->pin.build->isolated = true;
	return s;
}

static bool is_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return !strncmp(path, dir, n) && (!path[n] || path[n] == '/');
}

/* --- its name ---------------------------------------------------------------
 */
static int nameless(const struct eb_standin *s, struct eb_error *err)
{
	eb_err_set(err, EB_NO, "\"%s\": only building it tells its name",
		   s->line->shown);
	eb_err_hint(err,
		    "that takes the environment's own Python in a sandbox, "
		    "which cannot be had here; write NAME @ URL");
	return at_line(s->line, err);
}

/* What its files say, else what it says when it is asked. */
static int find_name(struct eb_resolving *z, struct eb_standin *s,
		     struct eb_error *err)
{
	EB_CLEANUP(eb_sdist_release) struct eb_sdist sdist = { 0 };
	const char *named = s->line->name;
	int rc;

	if (eb_sdist_read_dir(s->path, &sdist, err) < 0)
		return at_line(s->line, err);
	if (sdist.version) {
		free(s->pin.version);
		s->pin.version = eb_steal(sdist.version);
	}
	s->pin.name = eb_strdup(named ? named : sdist.name);
	free(s->pin.file);
	s->pin.file = eb_strdup(s->pin.name ? s->pin.name : s->line->shown);
	if (s->pin.name)
		return 0;
	rc = eb_resolve_ask(z, &s->pin, -1, err);
	if (rc > 0)
		return nameless(s, err);
	return rc < 0 ? at_line(s->line, err) : 0;
}

static int finish(struct eb_resolving *z, struct eb_standin *s,
		  const char *extras, struct eb_error *err)
{
	if (find_name(z, s, err) < 0)
		return -1;
	s->head = eb_asprintf("%s%s @ ", s->pin.name, extras ? extras : "");
	return 0;
}

/* --- commits ----------------------------------------------------------------
 */
static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* One that was fetched for another line. */
static bool take_fetched(const struct eb_resolving *z, struct eb_standin *s)
{
	for (size_t i = 0; i + 1 < z->n_standins; i++) {
		const struct eb_standin *o = &z->standin[i];

		if (!o->dir || !same(o->pin.url, s->pin.url) ||
		    !same(o->pin.revision, s->pin.revision))
			continue;
		s->dir = eb_strdup(o->dir);
		s->pin.commit = eb_strdup(o->pin.commit);
		s->pin.version = eb_strdup(o->pin.version);
		return true;
	}
	return false;
}

/* The folder below it that is meant, which has to be in it. */
static int find_folder(struct eb_standin *s, struct eb_error *err)
{
	const char *sub = s->pin.subdirectory;
	eb_autofree char *below = eb_path_join(s->dir, sub ? sub : ".");
	struct stat st;

	s->path = realpath(below, NULL);
	if (s->path && is_below(s->path, s->dir) && stat(s->path, &st) == 0 &&
	    S_ISDIR(st.st_mode))
		return 0;
	eb_err_set(err, EB_INPUT, "\"%s\" has no folder \"%s\"", s->pin.url,
		   sub ? sub : ".");
	return at_line(s->line, err);
}

static int add_commit(struct eb_resolving *z, const struct eb_pip_line *l,
		      struct eb_vcs_line *v, struct eb_error *err)
{
	struct eb_standin *s = add(z, l);

	s->pin.source = EB_PIN_VCS;
	s->pin.vcs = eb_strdup("git");
	s->pin.url = eb_vcs_shown(v->url);
	s->pin.revision = eb_steal(v->revision);
	s->pin.subdirectory = eb_steal(v->subdirectory);
	s->pin.file = eb_strdup(l->name ? l->name : l->shown);
	if (!take_fetched(z, s) &&
	    z->r->checkout(z->r->data, v->url, &s->pin, &s->dir, err) < 0)
		return at_line(l, err);
	return find_folder(s, err) < 0 ? -1 : finish(z, s, v->extras, err);
}

/* --- folders ----------------------------------------------------------------
 */
static int add_folder(struct eb_resolving *z, const struct eb_pip_line *l,
		      struct eb_error *err)
{
	struct eb_standin *s = add(z, l);
	size_t at, n;
	eb_autofree char *extras = NULL;

	s->pin.source = EB_PIN_DIR;
	s->path = realpath(l->path, NULL);
	s->pin.url = eb_asprintf("file://%s", s->path ? s->path : l->path);
	if (!s->path)
		return eb_err_errno(err, EB_INPUT, errno,
				    "\"%s\", looking for it", l->path);
	if (eb_uv_local_in(l, &at, &n) && l->text[at + n] == '[')
		extras = eb_strndup(l->text + at + n,
				    strcspn(l->text + at + n, "]") + 1);
	return finish(z, s, extras, err);
}

/* Does it tell its name by no file? */
static bool hides_its_name(const struct eb_pip_line *l)
{
	EB_CLEANUP(eb_sdist_release) struct eb_sdist sdist = { 0 };
	struct eb_error none EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	struct stat st;

	return !l->name && l->path && stat(l->path, &st) == 0 &&
	       S_ISDIR(st.st_mode) &&
	       eb_sdist_read_dir(l->path, &sdist, &none) == 0 &&
	       sdist.has_build && !sdist.name;
}

/* --- all of them ------------------------------------------------------------
 */
static int look_at(struct eb_resolving *z, const struct eb_pip_line *l,
		   struct eb_error *err)
{
	EB_CLEANUP(eb_vcs_line_release) struct eb_vcs_line v = { 0 };

	if (!eb_resolve_line_holds(z, l))
		return 0;
	if (z->r->checkout && eb_vcs_line_parse(l->text, &v))
		return add_commit(z, l, &v, err);
	return z->r->ask && hides_its_name(l) ? add_folder(z, l, err) : 0;
}

int eb_resolve_standins(struct eb_resolving *z, struct eb_error *err)
{
	const struct eb_pip_set *set = z->r->set;

	for (size_t i = 0; i < set->n; i++)
		if (look_at(z, &set->requirement[i], err) < 0)
			return -1;
	for (size_t i = 0; i < set->n_constraints; i++)
		if (look_at(z, &set->constraint[i], err) < 0)
			return -1;
	return 0;
}

void eb_resolve_standins_release(struct eb_resolving *z)
{
	for (size_t i = 0; i < z->n_standins; i++) {
		free(z->standin[i].path);
		free(z->standin[i].dir);
		free(z->standin[i].head);
		eb_pin_release(&z->standin[i].pin);
	}
	free(z->standin);
	z->standin = NULL;
	z->n_standins = z->alloc_standins = 0;
}

const char *eb_resolve_line_name(const struct eb_resolving *z,
				 const struct eb_pip_line *l)
{
	for (size_t i = 0; i < z->n_standins && !l->name; i++)
		if (z->standin[i].line == l)
			return z->standin[i].pin.name;
	return l->name;
}

/* --- in the answer ----------------------------------------------------------
 */
static const char *told_version(const struct eb_resolving *z, const char *name)
{
	for (size_t i = 0; i < z->n_told; i++)
		if (z->told[i].direct && !strcmp(z->told[i].name, name))
			return z->told[i].version;
	return NULL;
}

/* The very folder, else one in the same tree, to which that one leads. */
static const struct eb_standin *of_path(const struct eb_resolving *z,
					const char *path)
{
	const struct eb_standin *found = NULL;

	for (size_t i = 0; i < z->n_standins; i++) {
		const struct eb_standin *s = &z->standin[i];

		if (!s->dir || !is_below(path, s->dir))
			continue;
		if (!strcmp(path, s->path))
			return s;
		found = s;
	}
	return found;
}

static void put_back(const struct eb_standin *s, const char *below,
		     struct eb_pin *pin)
{
	pin->source = EB_PIN_VCS;
	free(pin->url);
	pin->url = eb_strdup(s->pin.url);
	pin->vcs = eb_strdup(s->pin.vcs);
	pin->commit = eb_strdup(s->pin.commit);
	pin->revision = eb_strdup(s->pin.revision);
	free(pin->subdirectory);
	pin->subdirectory = *below ? eb_strdup(below) : NULL;
	if (!pin->version && !strcmp(pin->name, s->pin.name))
		pin->version = eb_strdup(s->pin.version);
}

void eb_resolve_put_back(const struct eb_resolving *z, struct eb_pin *pin)
{
	const char *version = pin->direct ? told_version(z, pin->name) : NULL;
	const struct eb_standin *s;
	eb_autofree char *path = NULL;

	if (version && pin->source != EB_PIN_WHEEL) {
		free(pin->version);
		pin->version = eb_strdup(version);
	}
	if (pin->source != EB_PIN_DIR)
		return;
	path = eb_pip_file_path(pin->url);
	s = path ? of_path(z, path) : NULL;
	if (s)
		put_back(s, path + strlen(s->dir) + !!path[strlen(s->dir)],
			 pin);
}
