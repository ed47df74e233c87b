/* SPDX-License-Identifier: Apache-2.0 */
/* The user's own environments. */
#ifndef EB_CATALOG_PRIV_H
#define EB_CATALOG_PRIV_H

#include <envbuild/catalog.h>
#include <envbuild/db.h>

struct eb_catalog {
	struct eb_db *db; /* NULL: there is no file yet, and none is made */
	bool later;	  /* read-only, and not needed so far */
	char *path;
	const struct eb_catalog_place *at; /* where it is; NULL: here */
	void *place;
};

/* Before c->db is looked at. */
int eb_catalog_ready(struct eb_catalog *c, struct eb_error *err);

/* Options as JSON: [["as-of", "2020-09-30"], ...], sorted; caller frees. */
char *eb_catalog_pairs_text(const struct eb_strv *name,
			    const struct eb_strv *value);
int eb_catalog_pairs_read(const char *text, struct eb_strv *name,
			  struct eb_strv *value, struct eb_error *err);

/* The row of a version: 1 (`id`), 0, -1. */
int eb_catalog_find(struct eb_catalog *c, const char *name, const char *version,
		    int64_t *id, struct eb_error *err);
/* EB_INPUT: there is no such version, and which there are. */
int eb_catalog_no_version(struct eb_catalog *c, const char *name,
			  const char *version, struct eb_error *err);
/* EB_INPUT: no own environment of that name, with near ones. */
int eb_catalog_no_name(struct eb_catalog *c, const char *name, bool curated,
		       struct eb_error *err);
/* EB_INPUT: nothing is what `ref` names, and what is near. */
int eb_catalog_missing(struct eb_catalog *c, const struct eb_env_ref *ref,
		       struct eb_error *err);
/* EB_INPUT: nothing can be changed in a curated one. */
int eb_catalog_not_own(const char *name, struct eb_error *err);

#endif
