/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the build of a project asks for by its own files. An archive has to be
 * read to its end for that; what it said is kept under its digest, for it will
 * say the same for ever.
 */
#include <string.h>

#include <envbuild/json.h>
#include <envbuild/sdist.h>

#include "resolve_pip.h"
#include "step.h"

#define FACT "needs"
#define MAX_FACT ((size_t)1 << 20)

/* Raised where the same archive is read in another way. */
#define READER "1"

void eb_needs_release(struct eb_needs *n)
{
	eb_strv_release(&n->requires);
}

/* --- kept ------------------------------------------------------------------
 */
/* Of what never changes; NULL: a folder, a repository, or a part of one. */
static char *key_of(const struct eb_pin *pin)
{
	char hex[EB_HEX_SIZE];

	if (pin->source != EB_PIN_SDIST || pin->subdirectory ||
	    eb_digest_is_zero(&pin->sha256))
		return NULL;
	return eb_asprintf(READER " %s %s", eb_digest_hex(&pin->sha256, hex),
			   pin->file);
}

static int recall(struct eb_build *b, const char *key, struct eb_needs *out,
		  struct eb_error *err)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_AUTOBUF(text, MAX_FACT);
	int rc = eb_store_find_fact(b->store, FACT, key, &text, err);
	eb_autojson json_t *root = NULL;
	const json_t *list, *one;
	size_t i;

	if (rc <= 0)
		return rc;
	root = eb_json_parse(text.data, text.len, FACT, &ignored);
	list = eb_json_arr(root, "requires");
	if (!list || !json_is_boolean(json_object_get(root, "asks")))
		return 0;
	json_array_foreach ((json_t *)list, i, one)
		if (json_is_string(one))
			eb_strv_add(&out->requires, json_string_value(one));
	out->asks = json_is_true(json_object_get(root, "asks"));
	return 1;
}

static int keep(struct eb_build *b, const char *key,
		const struct eb_needs *needs, struct eb_error *err)
{
	eb_autojson json_t *root = json_object();
	json_t *list = json_array();
	EB_AUTOBUF(text, MAX_FACT);

	for (size_t i = 0; i < needs->requires.n; i++)
		json_array_append_new(list, json_string(needs->requires.v[i]));
	json_object_set_new(root, "requires", list);
	json_object_set_new(root, "asks", json_boolean(needs->asks));
	eb_json_canonical(root, &text);
	if (text.overflow || json_array_size(list) != needs->requires.n)
		return 0;
	return eb_store_put_fact(b->store, FACT, key, text.data, NULL, err);
}

/* --- read --------------------------------------------------------------------
 */
static int read_source(struct eb_build *b, struct eb_pin *pin,
		       struct eb_needs *out, struct eb_error *err)
{
	EB_CLEANUP(eb_sdist_release) struct eb_sdist sdist = { 0 };

	if (eb_step_source(b, pin, &sdist, err) < 0)
		return -1;
	eb_strv_copy(&out->requires, &sdist.requires);
	out->asks = sdist.asks || !sdist.has_build;
	return 0;
}

int eb_needs_of(struct eb_build *b, struct eb_pin *pin, struct eb_needs *out,
		struct eb_error *err)
{
	eb_autofree char *key = key_of(pin);
	int rc = key ? recall(b, key, out, err) : 0;

	if (rc)
		return rc < 0 ? -1 : 0;
	if (read_source(b, pin, out, err) < 0)
		return -1;
	return key ? keep(b, key, out, err) : 0;
}
