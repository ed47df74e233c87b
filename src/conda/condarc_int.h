/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conda's settings on their way from files to struct eb_condarc:
 *
 *	condarc_places.c	which files there are
 *	condarc_layers.c	files and variables, values with their places
 *	condarc_merge.c		what several files say together
 *	condarc_keys.c		the keys that count
 *	condarc_tls.c		those about TLS
 *	condarc.c		the whole
 */
#ifndef EB_CONDARC_INT_H
#define EB_CONDARC_INT_H

#include <envbuild/condarc.h>
#include <envbuild/yaml.h>

#define EB_RC_MAX_FILES 64
#define EB_RC_MAX_ITEMS 10000

/* A file, or (without `doc`) all variables. */
struct eb_rc_layer {
	char *name;
	struct eb_yaml *doc;
};

struct eb_rc_layers {
	struct eb_rc_layer *layer;
	size_t n, alloc;
};

struct eb_rc_key {
	const char *name, *other; /* `other`: or this; may be NULL */
	char delimiter;		  /* of a list in a variable */
};

enum eb_rc_flag { EB_RC_PLAIN, EB_RC_TOP, EB_RC_BOTTOM, EB_RC_FINAL };

/* A value and where it stands. */
struct eb_rc_item {
	char *text; /* expanded; NULL: a list or map that `node` is */
	const struct eb_yaml_node *node; /* NULL: of a variable */
	const struct eb_rc_layer *layer;
	enum eb_rc_flag flag;
	size_t at; /* number of the layer */
};
struct eb_rc_items {
	struct eb_rc_item *v;
	size_t n, alloc;
};
void eb_rc_items_release(struct eb_rc_items *items);

/* condarc_places.c: each once, those that go over others behind them. */
int eb_rc_places(const char *root, struct eb_strv *out, struct eb_error *err);

/* condarc_layers.c */
int eb_rc_layers_read(const struct eb_strv *file, struct eb_rc_layers *out,
		      struct eb_error *err);
void eb_rc_layers_release(struct eb_rc_layers *l);
/* The key's values as they stand, of those layers that count, one each (of a
 * variable that is a list: one an item). */
int eb_rc_find(const struct eb_rc_layers *l, const struct eb_rc_key *key,
	       struct eb_rc_items *out, struct eb_error *err);
/* A list's items, behind what is there. */
int eb_rc_list_items(const struct eb_rc_item *list, const char *what,
		     struct eb_rc_items *out, struct eb_error *err);
/* A map's value; false: it has none, or null. */
bool eb_rc_member(const struct eb_rc_item *map, const char *name,
		  struct eb_rc_item *out);
/* -1: EB_INPUT at the item's place. */
int eb_rc_err(const struct eb_rc_item *item, struct eb_error *err,
	      const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* condarc_merge.c */
/* 1, 0 nobody says so. */
int eb_rc_text(const struct eb_rc_layers *l, const struct eb_rc_key *key,
	       struct eb_rc_item *out, struct eb_error *err);
int eb_rc_list(const struct eb_rc_layers *l, const struct eb_rc_key *key,
	       struct eb_rc_items *out, struct eb_error *err);
/* Of texts, or of lists. Names in the order in which they come up. */
int eb_rc_map(const struct eb_rc_layers *l, const struct eb_rc_key *key,
	      bool lists, struct eb_condarc_names *out, struct eb_error *err);

/* condarc_keys.c */
int eb_rc_keys(const struct eb_rc_layers *l, struct eb_condarc *c,
	       struct eb_error *err);
/* As conda reads it; false: it is neither true nor false. */
bool eb_rc_truth(const char *text, bool *value);

/* condarc_tls.c */
int eb_rc_tls(const struct eb_rc_layers *l, struct eb_http_tls *tls,
	      struct eb_error *err);

#endif
