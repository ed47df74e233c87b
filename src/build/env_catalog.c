/* SPDX-License-Identifier: Apache-2.0 */
/* Which catalogue the names are of: the user's, or the team's; and what is kept
 * of the team's for when nobody is asked. */
#include <string.h>

#include "build_private.h"
#include "env_catalog.h"

#define FACT "environment"

/* --- kept ------------------------------------------------------------- */
static char *key_of(const struct eb_config *config, const char *name,
		    const char *sep, const char *which)
{
	return eb_asprintf("%s %s%s%s", config->registry, name, sep, which);
}

static char *key_of_ref(const struct eb_config *config,
			const struct eb_env_ref *ref)
{
	if (ref->version)
		return key_of(config, ref->name, ":", ref->version);
	return key_of(config, ref->name, "@",
		      ref->label ? ref->label : "latest");
}

static int keep(const struct eb_config *config, const struct eb_env_ref *ref,
		const struct eb_named *e, struct eb_error *err)
{
	EB_CLEANUP(eb_store_close_ptr) struct eb_store *store = NULL;
	EB_AUTOBUF(text, EB_MAX_ENVIRONMENT + 1024);
	eb_autofree char *asked = key_of_ref(config, ref);
	eb_autofree char *exact = key_of(config, e->name, ":", e->version);
	const struct eb_fact facts[] = { { asked, "", NULL },
					 { exact, "", NULL } };
	struct eb_fact fact[2];

	eb_buf_addf(&text, "%s\n%s\n", e->name, e->version);
	eb_environment_format(e, &text);
	memcpy(fact, facts, sizeof fact);
	fact[0].text = fact[1].text = text.data;
	if (text.overflow ||
	    eb_store_open(config->cache_dir, 0, &store, err) < 0)
		return -1;
	return eb_store_put_facts(store, FACT, NULL, fact,
				  strcmp(asked, exact) ? 2 : 1, err);
}

void eb_environment_keep(const struct eb_config *config,
			 const struct eb_env_ref *ref, const struct eb_named *e,
			 struct eb_events *events)
{
	struct eb_error why EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	if (keep(config, ref, e, &why) < 0)
		eb_detail(events, "\"%s:%s\" is not kept for --local: %s",
			  e->name, e->version, why.message);
}

static int read_kept(char *text, size_t len, const char *what,
		     struct eb_named **out, struct eb_error *err)
{
	char *version = strchr(text, '\n');
	char *rest = version ? strchr(version + 1, '\n') : NULL;

	if (!rest)
		return 0;
	*version++ = *rest++ = 0;
	if (eb_environment_parse(rest, len - (size_t)(rest - text), what, out,
				 err) < 0)
		return -1;
	(*out)->name = eb_strdup(text);
	(*out)->version = eb_strdup(version);
	return 1;
}

static int get_kept(void *place, const struct eb_env_ref *ref,
		    struct eb_named **out, struct eb_error *err)
{
	const struct eb_config *config = place;
	EB_CLEANUP(eb_store_close_ptr) struct eb_store *store = NULL;
	EB_AUTOBUF(text, EB_MAX_ENVIRONMENT + 1024);
	eb_autofree char *key = key_of_ref(config, ref);
	int rc = eb_store_open(config->cache_dir, EB_STORE_READONLY, &store,
			       err);

	if (rc < 0 && err->code == EB_NO) {
		eb_err_release(err);
		return 0;
	}
	if (rc == 0)
		rc = eb_store_find_fact(store, FACT, key, &text, err);
	return rc <= 0 ? rc : read_kept(text.data, text.len, key, out, err);
}

static void close_kept(void *place)
{
	(void)place; /* the configuration is the caller's */
}

static const struct eb_catalog_place kept = { .get = get_kept,
					      .close = close_kept };

/* --- which one -------------------------------------------------------- */
bool eb_env_is_shared(const struct eb_config *config)
{
	return config->shared && !config->local && !config->offline;
}

static int nobody_asked(struct eb_error *err)
{
	eb_err_set(err, EB_USAGE,
		   "the team's catalogue is not written to with --offline");
	return eb_err_hint(err, "--local writes to your own");
}

int eb_env_catalog(const struct eb_config *config, unsigned flags,
		   struct eb_events *events, struct eb_catalog **out,
		   struct eb_error *err)
{
	bool reads = flags & EB_CATALOG_READONLY;

	if (eb_env_is_shared(config) && config->open_shared)
		return config->open_shared(config, events, out, err);
	if (config->shared && !config->local && !reads)
		return nobody_asked(err);
	if (!config->shared || !config->registry || !reads)
		return eb_catalog_open(NULL, flags, out, err);
	*out = eb_catalog_at(&kept, (void *)config);
	return 0;
}
