/* SPDX-License-Identifier: Apache-2.0 */
/* The base of a lock: what the user names, looked at; else what the rule
 * decides, opened and compared with its row. */
#include <string.h>

#include <envbuild/image.h>
#include <envbuild/json.h>

#include "dockerfile_base.h"
#include "resolve_base.h"

/* ---- opening --------------------------------------------------------------*/

static int open_named(struct eb_resolver *r, const char *reference,
		      struct eb_base **out, struct eb_error *err)
{
	struct eb_config config = *r->config;

	config.base = (char *)reference;
	config.dockerfile = config.dockerfile_text = NULL;
	if (eb_policy_check(&config.policy.bases, "bases", reference, err) < 0)
		return -1;
	if (eb_open_base(&config, NULL, r->store, NULL, r->events, out, err) ==
	    0)
		return 0;
	if (!r->config->offline)
		return eb_name_nearest(r, reference, err);
	return err->code == EB_NETWORK
		       ? eb_err_hint(err, "build once without --offline, or "
					  "name a base that is here (--base)")
		       : -1;
}

/* What explains needs no more of a base than what its row says. */
static struct eb_base *described(const struct eb_resolver *r,
				 const struct eb_decision *d)
{
	struct eb_base *b = eb_calloc(1, sizeof *b);

	b->reference = eb_strdup(d->image ? d->image : "scratch");
	b->scratch = true;
	b->config = eb_config_new(r->config->platform);
	b->glibc = eb_strdup(d->glibc);
	return b;
}

static int differs_from_row(const struct eb_decision *d, struct eb_error *err)
{
	const char *why = d->warning.v[d->warning.n - 1];

	eb_err_set(err, EB_NO, "base \"%s\" is not what its row says: %.*s",
		   d->image, (int)strlen(why) - 1, why);
	return eb_err_hint(err, "--base %s takes it as it is", d->image);
}

int eb_open_decided(struct eb_resolver *r, struct eb_decision *d,
		    struct eb_base **out, struct eb_error *err)
{
	EB_CLEANUP(eb_base_free_ptr) struct eb_base *base = NULL;
	EB_CLEANUP(eb_strv_release) struct eb_strv hold = { 0 };
	char digest[EB_DIGEST_TEXT];
	eb_autofree char *reference =
		d->has_digest ? eb_asprintf("%s@%s", d->image,
					    eb_digest_text(&d->digest, digest))
			      : eb_strdup(d->image);
	struct eb_decision_base facts;

	if (r->explains) {
		*out = described(r, d);
		return 0;
	}
	if (open_named(r, reference, &base, err) < 0)
		return -1;
	eb_decision_base_read(eb_json_obj(base->config, "config"), &facts,
			      &hold);
	if (eb_decision_verify(d, &facts))
		return differs_from_row(d, err);
	*out = eb_steal(base);
	return 0;
}

/* That is an executed step, which a lock tells of. */
static int open_made(struct eb_resolver *r, struct eb_base **out,
		     struct eb_error *err)
{
	const struct eb_dockerfile_request q = { .config = r->config,
						 .store = r->store,
						 .events = r->events,
						 .look = r->explains };

	eb_locked_dockerfile_release(&r->dockerfile);
	return eb_dockerfile_base(&q, &r->dockerfile, out, err);
}

/* The user's own. Who explains can do without. */
static int open_given(struct eb_resolver *r, struct eb_base **out,
		      struct eb_error *err)
{
	int rc = eb_config_has_recipe(r->config)
			 ? open_made(r, out, err)
			 : open_named(r, r->config->base, out, err);

	if (rc < 0 && r->explains) {
		eb_err_release(err);
		*out = NULL;
		return 0;
	}
	return rc;
}

int eb_choose_base(struct eb_resolver *r, const char *cuda,
		   struct eb_base **out, struct eb_decision **d,
		   struct eb_error *err)
{
	EB_CLEANUP(eb_base_free_ptr) struct eb_base *given = NULL;
	EB_CLEANUP(eb_decision_free_ptr) struct eb_decision *decision = NULL;
	struct eb_deciding from = { .cuda = cuda };

	if (r->config->base && open_given(r, &given, err) < 0)
		return -1;
	from.base = given;
	if (eb_decide_base(r->env, r->config, &from, &decision, err) < 0)
		return -1;
	if (decision->refused) {
		*d = eb_steal(decision);
		return eb_decision_error(*d, err);
	}
	if (given)
		*out = eb_steal(given);
	else if (r->config->base)
		*out = described(r, decision);
	else if (eb_open_decided(r, decision, out, err) < 0)
		return -1;
	*d = eb_steal(decision);
	return 0;
}

/* ---- into the lock --------------------------------------------------------*/

static void set_variables(json_t *image, const struct eb_lock *lock,
			  const struct eb_decision *d)
{
	for (size_t i = 0; i < d->variable.n; i++) {
		const char *text = d->variable.v[i];
		size_t n = strcspn(text, "=");
		eb_autofree char *name = eb_strndup(text, n);

		if (!eb_config_env(image, name) &&
		    !json_object_get(lock->variables, name))
			eb_config_set_env(image, name, text + n + 1);
	}
}

static void set_labels(json_t *image, const struct eb_decision *d)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv label = { 0 };

	eb_decision_labels(d, &label);
	for (size_t i = 0; i < label.n; i++) {
		size_t n = strcspn(label.v[i], "=");
		eb_autofree char *name = eb_strndup(label.v[i], n);

		eb_config_set_label(image, name, label.v[i] + n + 1);
	}
}

void eb_lock_take_decision(struct eb_lock *lock, const struct eb_decision *d)
{
	eb_autojson json_t *image = json_object();

	if (!d->gpu && d->image_given)
		return;
	json_decref(lock->decision);
	lock->decision = eb_decision_to_json(d);
	if (!d->gpu)
		return;
	json_object_set(image, "config", lock->config);
	set_variables(image, lock, d);
	set_labels(image, d);
	json_decref(lock->config);
	lock->config = json_incref(json_object_get(image, "config"));
}
