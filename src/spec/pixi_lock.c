/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pixi.lock, versions 4 to 7: environments, each with a list of packages a
 * platform, and what there is to know of every package. Which packages: one
 * environment's for the platform that is asked for; from version 7 on a
 * platform may have a name of its own beside its subdir.
 */
#include <string.h>

#include "pixi_lock.h"

const struct eb_locked_format eb_pixi_format = { "pixi.lock", "pixi", 4, 7 };

bool eb_is_pixi_lock(const struct eb_yaml_node *root)
{
	return root->type == EB_YAML_MAP && eb_yaml_get(root, "version") &&
	       eb_yaml_get(root, "environments") &&
	       !eb_yaml_get(root, "dependencies");
}

/* ---- what there is ---------------------------------------------------------
 */

static const char *text_of(const struct eb_yaml_node *n, const char *key)
{
	const struct eb_yaml_node *v =
		n->type == EB_YAML_MAP ? eb_yaml_get(n, key) : NULL;

	return v && v->type == EB_YAML_SCALAR && !eb_yaml_is_null(v) ? v->text
								     : NULL;
}

/* Where one is, whatever kind it is of; NULL. */
static const char *place_of(const struct eb_yaml_node *package)
{
	static const char *const keys[] = { "conda", "pypi", "url", "path" };
	const char *place = NULL;

	for (size_t i = 0; !place && i < sizeof keys / sizeof *keys; i++)
		place = text_of(package, keys[i]);
	return place;
}

static int by_place(const void *a, const void *b)
{
	const struct eb_pixi_package *p = a, *q = b;
	int c = strcmp(p->place, q->place);

	return c ? c
		 : (p->at->line > q->at->line) - (p->at->line < q->at->line);
}

static void index_packages(struct eb_pixi *x, const struct eb_yaml_node *list)
{
	size_t n = list ? list->n : 0;

	x->package = eb_calloc(n + 1, sizeof *x->package);
	for (size_t i = 0; i < n; i++) {
		const char *place = place_of(list->item[i]);

		if (place)
			x->package[x->n++] =
				(struct eb_pixi_package){ place,
							  list->item[i] };
	}
	if (x->n)
		qsort(x->package, x->n, sizeof *x->package, by_place);
}

/* The first of them in the file. */
static const struct eb_yaml_node *find(const struct eb_pixi *x,
				       const char *place)
{
	size_t low = 0, high = x->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (strcmp(x->package[mid].place, place) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low < x->n && !strcmp(x->package[low].place, place)
		       ? x->package[low].at
		       : NULL;
}

/* ---- which environment, which platform --------------------------------------
 */

static char *keys_of(const struct eb_yaml_node *map)
{
	EB_AUTOBUF(out, EB_MAX_YAML);

	for (size_t i = 0; i < map->n; i++)
		eb_buf_addf(&out, "%s%s", i ? ", " : "", map->key[i]->text);
	return eb_printable(out.data);
}

static int find_environment(struct eb_spec_reader *r,
			    const struct eb_yaml_node **out)
{
	const char *name = r->part && r->part->environment
				   ? r->part->environment
				   : "default";
	const struct eb_yaml_node *all;
	eb_autofree char *has = NULL;

	if (eb_locked_map(r, r->doc->root, "environments", &all) < 0)
		return -1;
	*out = all ? eb_yaml_get(all, name) : NULL;
	if (*out && (*out)->type == EB_YAML_MAP)
		return 0;
	has = all ? keys_of(all) : eb_strdup("none");
	eb_yaml_err(r->doc, all ? all : r->doc->root, r->err,
		    "there is no environment \"%s\"; there is %.255s", name,
		    has);
	return eb_err_hint(r->err, "--environment names the one that is meant");
}

/* The subdir of a platform's name: its own, or the same. */
static const char *subdir_of(struct eb_spec_reader *r, const char *name)
{
	const struct eb_yaml_node *list =
		eb_yaml_get(r->doc->root, "platforms");

	for (size_t i = 0; list && list->type == EB_YAML_LIST && i < list->n;
	     i++) {
		const char *own = text_of(list->item[i], "name");
		const char *subdir = text_of(list->item[i], "subdir");

		if (own && !strcmp(own, name))
			return subdir ? subdir : own;
	}
	return name;
}

static int no_platform(struct eb_spec_reader *r, const struct eb_yaml_node *env,
		       const struct eb_yaml_node *all)
{
	eb_autofree char *has = all ? keys_of(all) : eb_strdup("no platform");

	eb_yaml_err(r->doc, all ? all : env, r->err,
		    "the environment is for %.255s, not for %s",
		    *has ? has : "no platform", eb_locked_subdir(r));
	return eb_err_hint(r->err, "--platform names the image's");
}

/* The one that is called like the subdir, else the only one that has it. */
static int find_platform(struct eb_spec_reader *r,
			 const struct eb_yaml_node *env,
			 const struct eb_yaml_node **out)
{
	const char *subdir = eb_locked_subdir(r);
	const struct eb_yaml_node *all, *found = NULL;
	size_t n = 0;

	if (eb_locked_map(r, env, "packages", &all) < 0)
		return -1;
	for (size_t i = 0; all && i < all->n; i++) {
		const char *name = all->key[i]->text;

		if (strcmp(subdir_of(r, name), subdir) != 0)
			continue;
		found = all->item[i];
		if (++n && !strcmp(name, subdir)) {
			n = 1;
			break;
		}
	}
	if (!n)
		return no_platform(r, env, all);
	if (n > 1)
		return eb_yaml_err(r->doc, all, r->err,
				   "%zu platforms of the environment are %s, "
				   "and none is called so",
				   n, subdir);
	*out = found;
	return 0;
}

/* ---- its packages
 * ------------------------------------------------------------ */

static int of_source(struct eb_spec_reader *r, const struct eb_yaml_node *n)
{
	eb_yaml_err(r->doc, n, r->err,
		    "a package is built from its source by pixi: nothing has "
		    "its file");
	return eb_err_hint(r->err, "build it, put it into a channel, and ask "
				   "for it by name");
}

static int add_package(struct eb_pixi *x, const struct eb_yaml_node *n)
{
	const char *conda = text_of(n, "conda"), *pypi = text_of(n, "pypi");
	const struct eb_yaml_node *package;

	if (text_of(n, "conda_source") || text_of(n, "source"))
		return of_source(x->r, n);
	if (!conda && !pypi)
		return eb_yaml_err(x->r->doc, n, x->r->err,
				   "a package names neither \"conda\" nor "
				   "\"pypi\"");
	if (conda && !eb_ends(conda, ".conda") && !eb_ends(conda, ".tar.bz2"))
		return of_source(x->r, n);
	package = find(x, conda ? conda : pypi);
	if (!package)
		return eb_yaml_err(x->r->doc, n, x->r->err,
				   "the list \"packages\" has not this "
				   "package");
	return conda ? eb_pixi_conda(x, package, conda)
		     : eb_pixi_pypi(x, package, pypi);
}

static int read_packages(struct eb_pixi *x)
{
	const struct eb_yaml_node *list, *env, *of_env = NULL;

	if (eb_locked_list(x->r, x->r->doc->root, "packages", &list) < 0 ||
	    find_environment(x->r, &env) < 0 ||
	    find_platform(x->r, env, &of_env) < 0)
		return -1;
	if (of_env->type != EB_YAML_LIST)
		return eb_yaml_err(x->r->doc, of_env, x->r->err,
				   "a list of packages is expected, not %s",
				   eb_spec_type(of_env));
	index_packages(x, list);
	for (size_t i = 0; i < of_env->n; i++)
		if (add_package(x, of_env->item[i]) < 0)
			return -1;
	eb_locked_pip_take(x->r, &x->pip, "pixi");
	return eb_spec_take_exact(x->r->spec, x->r->err);
}

static void release(struct eb_pixi *x)
{
	eb_locked_pip_release(&x->pip);
	free(x->package);
}

int eb_spec_pixi_lock(struct eb_spec_reader *r)
{
	struct eb_pixi x EB_CLEANUP(release) = { .r = r };

	if (eb_locked_version(r, &eb_pixi_format, &x.version) < 0)
		return -1;
	r->took_environment = true;
	r->spec->exact = eb_calloc(1, sizeof *r->spec->exact);
	return read_packages(&x);
}
