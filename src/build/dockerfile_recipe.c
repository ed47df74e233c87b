/* SPDX-License-Identifier: Apache-2.0 */
/* What a base that a Dockerfile makes is made of: by content. */
#include <string.h>

#include "dockerfile_base.h"

bool eb_config_has_recipe(const struct eb_config *c)
{
	return c->dockerfile || c->dockerfile_text;
}

static const char *file_name(const struct eb_config *c)
{
	return c->dockerfile ? c->dockerfile : "Dockerfile";
}

char *eb_recipe_reference(const struct eb_config *c)
{
	return eb_asprintf("dockerfile:%s", file_name(c));
}

/* --- arguments -------------------------------------------------------------
 */

static bool same_name(const char *a, const char *b)
{
	size_t n = strcspn(a, "=");

	return !strncmp(a, b, n) && b[n] == '=';
}

/* The last of a name counts. */
static void take_args(const struct eb_config *c, struct eb_strv *out)
{
	for (size_t i = 0; i < c->build_arg.n; i++) {
		size_t k = i + 1;

		while (k < c->build_arg.n &&
		       !same_name(c->build_arg.v[i], c->build_arg.v[k]))
			k++;
		if (k == c->build_arg.n)
			eb_strv_add(out, c->build_arg.v[i]);
	}
	eb_strv_sort(out);
}

/* --- images ----------------------------------------------------------------
 */

static int check_image(const struct eb_config *c, const struct eb_dockerfile *d,
		       const struct eb_dockerfile_from *from,
		       struct eb_error *err)
{
	const struct eb_policy_list *bases = &c->policy.bases;

	if (from->reference || !bases->set) {
		if (!from->reference ||
		    eb_policy_check(bases, "bases", from->reference, err) == 0)
			return 0;
	} else {
		eb_err_set(err, EB_REFUSED,
			   "\"%s\" is known only when it is built, and the "
			   "policy allows some bases alone",
			   from->word);
		eb_err_hint(err, "write the image's name there");
	}
	return eb_err_at(err, d->file, from->line, 1);
}

static int take_images(const struct eb_config *c, struct eb_recipe *r,
		       struct eb_error *err)
{
	const struct eb_dockerfile *d = &r->file;

	for (size_t i = 0; i < d->n; i++) {
		const char *reference = d->from[i].reference;

		if (check_image(c, d, &d->from[i], err) < 0)
			return -1;
		if (reference && !eb_strv_has(&r->image, reference))
			eb_strv_add(&r->image, reference);
	}
	return 0;
}

/* Of this machine's by content, of a registry's by name. */
static int key_images(const struct eb_config *c, const struct eb_recipe *r,
		      struct eb_store *store, struct eb_keyer *k,
		      struct eb_error *err)
{
	eb_key_u64(k, r->image.n);
	for (size_t i = 0; i < r->image.n; i++) {
		eb_autofree char *name =
			eb_base_name(r->image.v[i], c->platform, store, err);

		if (!name)
			return eb_err_prefix(err, "\"%s\"", r->file.file);
		eb_key_text(k, name);
	}
	return 0;
}

/* --- the context -----------------------------------------------------------
 */

/* Without --context it is the folder of the Dockerfile, where that copies from
 * it; a text has none. */
static char *find_context(const struct eb_config *c, const struct eb_recipe *r)
{
	const char *slash = c->dockerfile ? strrchr(c->dockerfile, '/') : NULL;

	if (c->context)
		return eb_strdup(c->context);
	if (c->dockerfile_text || !r->file.copies)
		return NULL;
	if (!slash)
		return eb_strdup(".");
	return eb_strndup(
		c->dockerfile,
		slash > c->dockerfile ? (size_t)(slash - c->dockerfile) : 1);
}

/* --- all of it -------------------------------------------------------------
 */

static int parse(const struct eb_config *c, struct eb_recipe *r,
		 struct eb_error *err)
{
	const char *text = c->dockerfile_text;

	take_args(c, &r->args);
	if (text)
		return eb_dockerfile_parse(text, strlen(text), file_name(c),
					   &r->args, c->platform, &r->file,
					   err);
	return eb_dockerfile_read(c->dockerfile, &r->args, c->platform,
				  &r->file, err);
}

static int key(const struct eb_config *c, struct eb_store *store,
	       const char *to, struct eb_recipe *r, struct eb_error *err)
{
	const char *beside = c->dockerfile_text ? NULL : c->dockerfile;
	struct eb_digest context;
	struct eb_keyer k;

	eb_key_begin(&k, "dockerfile 1");
	eb_key_text(&k, r->file.text);
	eb_key_u64(&k, r->args.n);
	for (size_t i = 0; i < r->args.n; i++)
		eb_key_text(&k, r->args.v[i]);
	if (key_images(c, r, store, &k, err) < 0)
		return -1;
	eb_key_u64(&k, r->context != NULL);
	if (r->context) {
		if (eb_context_key(r->context, beside, to, &context, err) < 0)
			return -1;
		eb_key_digest(&k, &context);
	}
	eb_key_end(&k, &r->content);
	return 0;
}

int eb_recipe_read(const struct eb_config *c, struct eb_store *store,
		   const char *to, struct eb_recipe *out, struct eb_error *err)
{
	*out = (struct eb_recipe){ 0 };
	if (parse(c, out, err) == 0 && take_images(c, out, err) == 0) {
		out->context = find_context(c, out);
		if (key(c, store, to, out, err) == 0)
			return 0;
	}
	eb_recipe_release(out);
	return -1;
}

char *eb_recipe_name(const struct eb_config *c, struct eb_store *store,
		     struct eb_error *err)
{
	EB_CLEANUP(eb_recipe_release) struct eb_recipe r = { 0 };
	char text[EB_DIGEST_TEXT];

	if (eb_recipe_read(c, store, NULL, &r, err) < 0)
		return NULL;
	return eb_asprintf("dockerfile:%s", eb_digest_text(&r.content, text));
}

void eb_recipe_release(struct eb_recipe *r)
{
	eb_dockerfile_release(&r->file);
	eb_strv_release(&r->args);
	eb_strv_release(&r->image);
	free(r->context);
	*r = (struct eb_recipe){ 0 };
}
