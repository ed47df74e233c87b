/* SPDX-License-Identifier: Apache-2.0 */
/* envbuild list: the environments that have names. */
#include <stdio.h>
#include <string.h>

#include <envbuild/json.h>

#include "cmd_named.h"

enum { NAME, VERSION, FRAMEWORK, CUDA, STATUS, IMAGE, COLUMNS };

struct entry {
	char *column[COLUMNS]; /* NULL: not known */
	bool own, shared, complete, known, fixed;
	struct eb_digest hash; /* of its definition, when it is known */
};

struct listing {
	struct eb_cli *cli;
	struct eb_catalog *catalog;
	struct eb_store *store; /* NULL: there is none */
	struct eb_digest settings;
	struct entry *entry;
	size_t n, alloc;
	bool all;
};

static void release(struct listing *l)
{
	for (size_t i = 0; i < l->n; i++)
		for (int k = 0; k < COLUMNS; k++)
			free(l->entry[i].column[k]);
	free(l->entry);
	eb_store_close(l->store);
	eb_catalog_close(l->catalog);
}

static struct entry *add(struct listing *l)
{
	EB_GROW(l->entry, l->n, l->alloc);
	l->entry[l->n] = (struct entry){ .complete = true };
	return &l->entry[l->n++];
}

/* --- what there is --- */

/* Somebody else may have written it. */
static char *told(const char *text)
{
	return text ? eb_printable(text) : NULL;
}

static int add_own(void *data, const struct eb_catalog_row *row,
		   struct eb_error *err)
{
	struct entry *e = add(data);

	(void)err;
	e->column[NAME] = eb_strdup(row->name);
	e->column[VERSION] = eb_strdup(row->version);
	e->column[FRAMEWORK] = told(row->framework);
	e->column[CUDA] = told(row->cuda);
	e->column[STATUS] = eb_strdup(row->archived ? "archived"
				      : row->shared ? "shared"
						    : "own");
	e->own = !row->shared;
	e->shared = row->shared;
	if (row->shared)
		e->column[IMAGE] = eb_strdup(row->has_image ? "yes" : "no");
	e->known = row->hash;
	if (row->hash)
		e->hash = *row->hash;
	return 0;
}

/* "pytorch=1.6" as "pytorch 1.6" */
static char *claimed(const char *claim, int len)
{
	char *text = len ? eb_strndup(claim, (size_t)len) : NULL;
	char *eq = text ? strchr(text, '=') : NULL;

	if (eq)
		*eq = ' ';
	return text;
}

static int add_curated(void *data, const struct eb_curated_head *h,
		       struct eb_error *err)
{
	struct listing *l = data;
	struct entry *e;
	bool cuda = h->cuda && eb_starts(h->cuda, "cuda=");

	(void)err;
	if (!h->complete && !l->all)
		return 0;
	e = add(l);
	e->complete = h->complete;
	e->column[NAME] = eb_strndup(h->name, (size_t)h->name_len);
	if (h->version)
		e->column[VERSION] =
			eb_strndup(h->version, (size_t)h->version_len);
	e->column[FRAMEWORK] = claimed(h->framework, h->framework_len);
	if (h->cuda)
		e->column[CUDA] =
			eb_strndup(h->cuda + (cuda ? 5 : 0),
				   (size_t)h->cuda_len - (cuda ? 5 : 0));
	e->column[STATUS] = eb_strndup(h->status, (size_t)h->status_len);
	return 0;
}

/* --- is the image there? --- */

static int hash(struct listing *l, struct entry *e, struct eb_error *err)
{
	struct eb_env_ref ref = { .name = e->column[NAME],
				  .version = e->column[VERSION] };
	EB_CLEANUP(eb_named_free_ptr) struct eb_named *named = NULL;

	if (e->known)
		return 0;
	if (eb_catalog_get(l->catalog, &ref, &named, err) < 0)
		return -1;
	return eb_named_definition(named, &l->cli->config, l->store, &e->hash,
				   &e->fixed, err);
}

static int has_image(struct listing *l, struct entry *e, struct eb_error *err)
{
	struct eb_env env = { 0 };
	eb_autofree char *why = NULL;
	struct eb_image_row row;

	if (!l->store)
		return 0;
	if (hash(l, e, err) < 0)
		return -1;
	env.definition = e->hash;
	return eb_check_local(&env, &l->cli->config, l->store, &row, &why, err);
}

/* What cannot be told here is not there: a base that is gone, for example. */
static void find_images(struct listing *l)
{
	for (size_t i = 0; i < l->n; i++) {
		struct eb_error ignored = EB_ERROR_INIT;
		struct entry *e = &l->entry[i];

		if (!e->complete || e->shared)
			continue;
		e->column[IMAGE] =
			eb_strdup(has_image(l, e, &ignored) > 0 ? "yes" : "no");
		eb_err_release(&ignored);
	}
}

/* What was found out, for the next list; where it can be written. */
static void remember(struct listing *l)
{
	EB_CLEANUP(eb_catalog_close_ptr) struct eb_catalog *c = NULL;
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < l->n; i++) {
		const struct entry *e = &l->entry[i];

		if (!e->fixed || e->known || !e->own)
			continue;
		if (!c)
			rc = eb_catalog_open(NULL, 0, &c, &err);
		if (rc == 0)
			rc = eb_catalog_remember(c, e->column[NAME],
						 e->column[VERSION],
						 &l->settings, &e->hash, &err);
	}
}

/* --- printing --- */

static const char *const titles[COLUMNS] = {
	"NAME", "VERSION", "FRAMEWORK", "CUDA", "STATUS", "IMAGE",
};

static int print_table(const struct listing *l, struct eb_error *err)
{
	size_t width[COLUMNS];

	for (int k = 0; k < COLUMNS; k++) {
		width[k] = strlen(titles[k]);
		for (size_t i = 0; i < l->n; i++) {
			const char *text = l->entry[i].column[k];

			if (text && strlen(text) > width[k])
				width[k] = strlen(text);
		}
	}
	for (size_t i = 0; i <= l->n; i++) {
		const struct entry *e = i ? &l->entry[i - 1] : NULL;

		for (int k = 0; k < IMAGE; k++)
			printf("%-*s  ", (int)width[k],
			       !e	      ? titles[k]
			       : e->column[k] ? e->column[k]
					      : "-");
		puts(!e			? titles[IMAGE]
		     : e->column[IMAGE] ? e->column[IMAGE]
					: "-");
	}
	return fflush(stdout) == EOF || ferror(stdout)
		       ? eb_err_set(err, EB_MACHINE,
				    "standard output cannot be written")
		       : 0;
}

static json_t *as_json(const struct entry *e)
{
	static const char *const keys[] = { "name", "version", "framework",
					    "cuda", "status" };
	json_t *j = json_object();

	for (int k = 0; k < IMAGE; k++)
		json_object_set_new(j, keys[k],
				    e->column[k] ? json_string(e->column[k])
						 : json_null());
	json_object_set_new(j, "complete", json_boolean(e->complete));
	json_object_set_new(j, "image",
			    json_boolean(e->column[IMAGE] &&
					 !strcmp(e->column[IMAGE], "yes")));
	return j;
}

static int print_json(const struct listing *l, struct eb_error *err)
{
	json_t *list = json_array();

	for (size_t i = 0; i < l->n; i++)
		json_array_append_new(list, as_json(&l->entry[i]));
	return eb_cli_print_json(
		json_pack("{si so}", "schema", 1, "environments", list), err);
}

static int run(struct eb_cli *cli, struct eb_error *err)
{
	struct listing l EB_CLEANUP(release) = { .cli = cli };
	struct eb_error none = EB_ERROR_INIT;
	bool own = eb_cli_own(cli, "own"), curated = eb_cli_own(cli, "curated");

	l.all = eb_cli_own(cli, "all");
	if (own && curated)
		own = curated = false;
	if (eb_env_catalog(&cli->config, EB_CATALOG_READONLY, cli->events,
			   &l.catalog, err) < 0)
		return -1;
	if (eb_cli_store(cli, EB_STORE_READONLY, &l.store, &none) < 0)
		eb_err_release(&none);
	if (l.store &&
	    eb_env_settings(&cli->config, l.store, &l.settings, err) < 0)
		return -1;
	if ((!curated && eb_catalog_list(l.catalog, NULL, l.all, &l.settings,
					 add_own, &l, err) < 0) ||
	    (!own && eb_curated_each(add_curated, &l, err) < 0))
		return -1;
	find_images(&l);
	remember(&l);
	return cli->config.json ? print_json(&l, err) : print_table(&l, err);
}

static const struct eb_cli_option own_options[] = {
	{ "all", NULL },
	{ "own", NULL },
	{ "curated", NULL },
	{ 0 },
};

const struct eb_command eb_cmd_list = {
	.name = "list",
	.usage = "list [--all] [--own] [--curated] [--shared] [--json]",
	.summary = "environments that have names",
	.own = own_options,
	.is_full = eb_cli_is_shared,
	.run = run,
};
