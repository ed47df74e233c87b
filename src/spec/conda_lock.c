/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A conda-lock.yml, version 1 (CEP 37): packages of conda and pip for several
 * platforms and categories. Of a package it says where it is and what its hash
 * is; the rest is the channel's: its "dependencies" are one constraint a name,
 * which is less than a record has.
 */
#include <string.h>

#include "locked_file.h"

struct reading {
	struct eb_spec_reader *r;
	struct eb_locked_pip pip;
	struct eb_strv category; /* all that there are for the platform */
	size_t n;		 /* packages for the platform */
};

bool eb_is_conda_lock(const struct eb_yaml_node *root)
{
	return root->type == EB_YAML_MAP && eb_yaml_get(root, "package") &&
	       eb_yaml_get(root, "metadata") && eb_yaml_get(root, "version") &&
	       !eb_yaml_get(root, "dependencies");
}

/* ---- categories -----------------------------------------------------------
 */

static bool is_asked(const struct eb_spec_reader *r, const char *category)
{
	const struct eb_strv *list = r->part ? r->part->category : NULL;

	return list && list->n ? eb_strv_has(list, category)
			       : !strcmp(category, "main");
}

static bool take_category(struct reading *k, const char *category)
{
	if (!eb_strv_has(&k->category, category))
		eb_strv_add(&k->category, category);
	return is_asked(k->r, category);
}

/* `category`, or the list `categories`; main without either. 1, 0, -1. */
static int is_wanted(struct reading *k, const struct eb_yaml_node *package)
{
	const struct eb_yaml_node *list;
	const char *one;
	bool wanted = false;

	if (eb_locked_text(k->r, package, "category", &one) < 0 ||
	    eb_locked_list(k->r, package, "categories", &list) < 0)
		return -1;
	if (!list)
		return take_category(k, one ? one : "main");
	for (size_t i = 0; i < list->n; i++)
		wanted |= list->item[i]->type == EB_YAML_SCALAR &&
			  take_category(k, list->item[i]->text);
	return wanted;
}

static char *joined(const struct eb_strv *words)
{
	EB_AUTOBUF(out, EB_MAX_CONFIG);

	for (size_t i = 0; i < words->n; i++)
		eb_buf_addf(&out, "%s%s", i ? ", " : "", words->v[i]);
	return eb_buf_steal(&out, NULL);
}

/* Whoever asks for a category means one that is there. */
static int check_categories(const struct reading *k)
{
	const struct eb_spec_part *part = k->r->part;
	eb_autofree char *has = joined(&k->category), *shown = NULL;

	for (size_t i = 0; part && part->category && i < part->category->n;
	     i++) {
		if (eb_strv_has(&k->category, part->category->v[i]))
			continue;
		shown = eb_printable(has);
		eb_err_set(k->r->err, EB_INPUT,
			   "\"%s\" has no package of category \"%s\"",
			   k->r->spec->file, part->category->v[i]);
		return eb_err_hint(k->r->err, "it has %s", shown);
	}
	return 0;
}

/* ---- packages -------------------------------------------------------------
 */

/* One that several categories have stands there several times. */
static bool is_there(const struct eb_exact *x, const struct eb_record *r)
{
	for (size_t i = 0; i + 1 < x->n; i++)
		if (!strcmp(x->package[i].record.url, r->url))
			return true;
	return false;
}

static int check_identity(struct eb_spec_reader *r,
			  const struct eb_yaml_node *package,
			  const struct eb_record *record)
{
	const char *name, *version;

	if (eb_locked_need(r, package, "name", &name) < 0 ||
	    eb_locked_need(r, package, "version", &version) < 0)
		return -1;
	return !strcasecmp(name, record->name) &&
			       !strcmp(version, record->version)
		       ? 0
		       : eb_yaml_err(r->doc, package, r->err,
				     "the URL of \"%.255s\" is that of %s %s",
				     name, record->name, record->version);
}

static int add_conda(struct reading *k, const struct eb_yaml_node *package,
		     const char *url, const struct eb_yaml_node *hash)
{
	struct eb_exact *x = k->r->spec->exact;
	struct eb_exact_package *p = eb_locked_add(k->r, package, url, hash);

	if (!p || check_identity(k->r, package, &p->record) < 0)
		return -1;
	p->partial = true;
	if (!is_there(x, &p->record))
		return 0;
	eb_record_release(&p->record);
	free(p->channel);
	x->n--;
	return 0;
}

static int add_pip(struct reading *k, const struct eb_yaml_node *package,
		   const char *url, const struct eb_yaml_node *hash)
{
	struct eb_locked_project p = { .at = package, .url = url };

	if (eb_locked_need(k->r, package, "name", &p.name) < 0 ||
	    eb_locked_need(k->r, package, "version", &p.version) < 0 ||
	    (hash && eb_locked_text(k->r, hash, "sha256", &p.sha256) < 0))
		return -1;
	return eb_locked_pip_add(k->r, &k->pip, &p);
}

static int add_wanted(struct reading *k, const struct eb_yaml_node *package)
{
	const struct eb_yaml_node *hash;
	const char *manager, *url;

	if (eb_locked_need(k->r, package, "manager", &manager) < 0 ||
	    eb_locked_need(k->r, package, "url", &url) < 0 ||
	    eb_locked_map(k->r, package, "hash", &hash) < 0)
		return -1;
	if (!strcmp(manager, "conda"))
		return add_conda(k, package, url, hash);
	if (!strcmp(manager, "pip"))
		return add_pip(k, package, url, hash);
	return eb_yaml_err(k->r->doc, eb_yaml_get(package, "manager"),
			   k->r->err, "manager: it is neither conda nor pip");
}

static int add_package(struct reading *k, const struct eb_yaml_node *package)
{
	const char *platform;
	int wanted;

	if (package->type != EB_YAML_MAP)
		return eb_yaml_err(k->r->doc, package, k->r->err,
				   "a package is a mapping, not %s",
				   eb_spec_type(package));
	if (eb_locked_need(k->r, package, "platform", &platform) < 0)
		return -1;
	if (strcmp(platform, eb_locked_subdir(k->r)) != 0)
		return 0;
	k->n++;
	wanted = is_wanted(k, package);
	return wanted > 0 ? add_wanted(k, package) : wanted;
}

/* ---- the whole ------------------------------------------------------------
 */

static int check_platform(const struct reading *k)
{
	const struct eb_yaml_node *metadata, *list = NULL;
	const char *subdir = eb_locked_subdir(k->r);
	struct eb_strv has EB_CLEANUP(eb_strv_release) = { 0 };
	eb_autofree char *all = NULL, *shown = NULL;

	if (k->n)
		return 0;
	if (eb_locked_map(k->r, k->r->doc->root, "metadata", &metadata) < 0 ||
	    (metadata &&
	     eb_locked_list(k->r, metadata, "platforms", &list) < 0))
		return -1;
	for (size_t i = 0; list && i < list->n; i++)
		if (list->item[i]->type == EB_YAML_SCALAR)
			eb_strv_add(&has, list->item[i]->text);
	if (eb_strv_has(&has, subdir))
		return 0;
	all = joined(&has);
	shown = eb_printable(all);
	eb_yaml_err(k->r->doc, list ? list : k->r->doc->root, k->r->err,
		    "it is for %s, not for %s", *shown ? shown : "no platform",
		    subdir);
	return eb_err_hint(k->r->err, "--platform names the image's");
}

static int read_packages(struct reading *k)
{
	const struct eb_yaml_node *list;

	if (eb_locked_list(k->r, k->r->doc->root, "package", &list) < 0)
		return -1;
	for (size_t i = 0; list && i < list->n; i++)
		if (add_package(k, list->item[i]) < 0)
			return -1;
	if (check_platform(k) < 0 || check_categories(k) < 0)
		return -1;
	eb_locked_pip_take(k->r, &k->pip, "conda-lock");
	return eb_spec_take_exact(k->r->spec, k->r->err);
}

static void release(struct reading *k)
{
	eb_locked_pip_release(&k->pip);
	eb_strv_release(&k->category);
}

int eb_spec_conda_lock(struct eb_spec_reader *r)
{
	struct reading k EB_CLEANUP(release) = { .r = r };
	const struct eb_locked_format format = { "conda-lock.yml", "conda-lock",
						 1, 1 };
	const char *version = eb_yaml_get(r->doc->root, "version")->text;
	bool early =
		version && (!strcmp(version, "2") || !strcmp(version, "3"));
	unsigned n;

	/* pixi began with this form. */
	if (eb_locked_version(r, early ? &eb_pixi_format : &format, &n) < 0)
		return -1;
	r->took_category = true;
	r->spec->exact = eb_calloc(1, sizeof *r->spec->exact);
	return read_packages(&k);
}
