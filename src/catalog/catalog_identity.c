/* SPDX-License-Identifier: Apache-2.0 */
/* Definitions that are kept: their options, what makes two the same, and that
 * they stand alone. */
#include <string.h>

#include <envbuild/json.h>

#include "catalog_priv.h"

struct pair {
	const char *name, *value;
	size_t place;
};

/* By name and value; the order of channels alone is meant. */
static int by_text(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	int c = strcmp(x->name, y->name);

	if (!c && strcmp(x->name, "channel") != 0)
		c = strcmp(x->value, y->value);
	return c ? c : (x->place > y->place) - (x->place < y->place);
}

char *eb_catalog_pairs_text(const struct eb_strv *name,
			    const struct eb_strv *value)
{
	eb_autojson json_t *all = json_array();
	eb_autofree struct pair *pair = eb_calloc(name->n + 1, sizeof *pair);
	EB_AUTOBUF(text, EB_MAX_TEXT);

	for (size_t i = 0; i < name->n; i++)
		pair[i] = (struct pair){ name->v[i], value->v[i], i };
	qsort(pair, name->n, sizeof *pair, by_text);
	for (size_t i = 0; i < name->n; i++)
		json_array_append_new(
			all, json_pack("[ss]", pair[i].name, pair[i].value));
	eb_json_canonical(all, &text);
	return eb_buf_steal(&text, NULL);
}

int eb_catalog_pairs_read(const char *text, struct eb_strv *name,
			  struct eb_strv *value, struct eb_error *err)
{
	eb_autojson json_t *all =
		eb_json_parse(text, strlen(text), "the catalogue", err);
	json_t *pair;
	size_t i;

	if (!all)
		return -1;
	json_array_foreach (all, i, pair) {
		const char *n = json_string_value(json_array_get(pair, 0));
		const char *v = json_string_value(json_array_get(pair, 1));

		if (!n || !v)
			continue;
		eb_strv_add(name, n);
		eb_strv_add(value, v);
	}
	return 0;
}

static int add_channels(struct eb_request *r, struct eb_error *err)
{
	for (size_t i = 0; i < r->spec->channels.n; i++)
		if (eb_channels_add(&r->channels, r->spec->channels.v[i], NULL,
				    err) < 0)
			return -1;
	return 0;
}

static int add_platform(const struct eb_named *e, const char *platform,
			struct eb_keyer *k, struct eb_error *err)
{
	EB_CLEANUP(eb_spec_free_ptr) struct eb_spec *spec = NULL;
	struct eb_request r EB_CLEANUP(eb_request_release) = { 0 };
	struct eb_digest d;

	if (eb_spec_parse(e->text, strlen(e->text), e->file, platform, NULL,
			  &spec, err) < 0)
		return -1;
	r = (struct eb_request){ .spec = spec,
				 .platform = platform,
				 .prefix = "/" };
	if (eb_named_stands_alone(spec, err) < 0 || add_channels(&r, err) < 0 ||
	    eb_definition_hash(&r, &d, err) < 0)
		return -1;
	eb_key_digest(k, &d);
	return 0;
}

int eb_catalog_identity(const struct eb_named *e, struct eb_digest *out,
			struct eb_error *err)
{
	static const char *const platforms[] = { "linux/amd64", "linux/arm64" };
	eb_autofree char *options =
		eb_catalog_pairs_text(&e->option_name, &e->option_value);
	eb_autofree char *variables =
		eb_catalog_pairs_text(&e->variable_name, &e->variable_value);
	/* only selectors make a difference between them */
	size_t n = strstr(e->text, "# [") || strstr(e->text, "sel(") ? 2 : 1;
	struct eb_keyer k;

	eb_key_begin(&k, "envbuild catalogue 1");
	eb_key_text(&k, options);
	eb_key_text(&k, variables);
	eb_key_text(&k, e->files);
	for (size_t i = 0; i < n; i++)
		if (add_platform(e, platforms[i], &k, err) < 0)
			return -1;
	eb_key_end(&k, out);
	return 0;
}

static int lies_beside(const struct eb_spec *spec, const char *what,
		       const struct eb_spec_line *at, struct eb_error *err)
{
	eb_err_set(err, EB_INPUT,
		   "\"%s\" lies beside the definition, and the catalogue keeps "
		   "the definition alone",
		   what);
	eb_err_hint(err, "write its lines into the definition, or give it by "
			 "a URL");
	return eb_err_at(err, eb_spec_place(spec, at), at->line, at->column);
}

int eb_named_stands_alone(const struct eb_spec *spec, struct eb_error *err)
{
	for (size_t i = 0; i < spec->n_pip; i++) {
		const char *path = spec->pip[i].argument;

		if (path && *path != '/' && !eb_pip_is_remote(path))
			return lies_beside(spec, path, &spec->pip_at[i], err);
	}
	return 0;
}
